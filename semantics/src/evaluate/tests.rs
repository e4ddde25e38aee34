//! Every operator with the value it has, and every way to be ill-defined.

use bsym_language::load::{check_expression, check_predicate, load_text};
use bsym_language::model::{Model, PredKind};

use crate::error::EvalErrorKind;
use crate::evaluator::Evaluator;
use crate::scope::{Scope, ScopeRequest};
use crate::value::env::Env;

mod partiality;

const MACHINE: &str = "MACHINE M SETS D; C = {red, green, blue} END";

fn model() -> (Model, Scope) {
    let loaded = load_text("m.mch", MACHINE);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
    (model, scope)
}

fn value(text: &str) -> Result<String, String> {
    let (mut model, scope) = model();
    let expr = check_expression(&mut model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    let eval = Evaluator::new(&model, &scope);
    match eval.expr(&Env::default(), &expr) {
        Ok(v) => Ok(eval.text(&v)),
        Err(e) => Err(format!("{:?}: {}", e.kind, e.message)),
    }
}

fn truth(text: &str) -> Result<bool, EvalErrorKind> {
    let (mut model, scope) = model();
    let pred = check_predicate(&mut model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    Evaluator::new(&model, &scope).pred(&Env::default(), &pred).map_err(|e| e.kind)
}

fn check(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(text, expected)| (text, Ok(expected.to_string()), value(text)))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn check_true(table: &[&str]) {
    let wrong: Vec<_> = table.iter().map(|t| (t, truth(t))).filter(|(_, v)| *v != Ok(true)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let wrong: Vec<_> =
        table.iter().map(|t| (t, truth(&format!("not({t})")))).filter(|(_, v)| *v != Ok(false)).collect();
    assert!(wrong.is_empty(), "negated: {wrong:#?}");
}

fn check_kind(kind: EvalErrorKind, table: &[&str]) {
    let wrong: Vec<_> = table.iter().map(|t| (t, truth(t))).filter(|(_, v)| *v != Err(kind)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn arithmetic() {
    check(&[
        ("2 + 3 * 4 - 1", "13"),
        ("-7 / 2", "-3"),
        ("7 / -2", "-3"),
        ("7 mod 3", "1"),
        ("2 ** 70", "1180591620717411303424"),
        ("0 ** 0", "1"),
        ("-(3)", "-3"),
        ("max({3,1,2})", "3"),
        ("min({3,1,2})", "1"),
        ("max(1..1000000000000)", "1000000000000"),
        ("min(NATURAL1)", "1"),
        ("card(1..3)", "3"),
        ("card(POW(1..40))", "1099511627776"),
        ("SIGMA(x).(x : 1..4 | x * x)", "30"),
        ("PI(x).(x : 1..4 | x)", "24"),
        ("SIGMA(x,y).(x : 1..2 & y : 1..2 | 1)", "4"),
        ("succ(3)", "4"),
        ("pred(3)", "2"),
        ("MAXINT", "3"),
        ("MININT", "-1"),
        ("1.5 + 2.25", "3.75"),
        ("1.0 / 3.0", "1.0/3.0"),
        ("floor(2.5)", "2"),
        ("ceiling(2.5)", "3"),
        ("floor(-2.5)", "-3"),
        ("real(3)", "3.0"),
    ]);
}

#[test]
fn sets() {
    check(&[
        ("{3,1,2,1}", "{1,2,3}"),
        ("1..3 \\/ {7}", "{1,2,3,7}"),
        ("1..5 /\\ 4..9", "{4,5}"),
        ("(1..5) \\ {2}", "{1,3,4,5}"),
        ("3..1", "{}"),
        ("NATURAL /\\ -2..2", "{0,1,2}"),
        ("(-2..2) \\ NATURAL", "{-2,-1}"),
        ("POW({1,2})", "{{},{1},{1,2},{2}}"),
        ("POW1({1,2})", "{{1},{1,2},{2}}"),
        ("FIN({1})", "{{},{1}}"),
        ("FIN1({1})", "{{1}}"),
        ("{1,2} * {TRUE}", "{(1|->TRUE),(2|->TRUE)}"),
        ("union({{1},{2,3}})", "{1,2,3}"),
        ("union({})", "{}"),
        ("inter({{1,2},{2,3}})", "{2}"),
        ("UNION(x).(x : 1..2 | {x, x + 10})", "{1,2,11,12}"),
        ("INTER(x).(x : 1..2 | {x, 3})", "{3}"),
        ("{x | x : 1..10 & x mod 3 = 0}", "{3,6,9}"),
        ("{x, y | x : 1..2 & y = x + 1}", "{(1|->2),(2|->3)}"),
        ("{x, y, z | x = 1 & y = 2 & z = 3}", "{((1|->2)|->3)}"),
        ("C", "{red,green,blue}"),
        ("D", "{D1,D2}"),
        ("BOOL", "{FALSE,TRUE}"),
        ("NAT", "{0,1,2,3}"),
        ("INT", "{-1,0,1,2,3}"),
        ("NAT1", "{1,2,3}"),
        ("INTEGER", "INTEGER"),
        ("struct(a : 1..2, b : {TRUE})", "{rec(a:1,b:TRUE),rec(a:2,b:TRUE)}"),
        ("rec(a : 1, b : TRUE)'a", "1"),
        ("{{1,2},{2,1},1..2}", "{{1,2}}"),
        ("bool(1 = 2)", "FALSE"),
        ("IF 1 = 1 THEN 2 ELSE 3 END", "2"),
        ("LET x BE x = 2 IN x + 1 END", "3"),
        ("\"a\\\"b\"", "\"a\\\"b\""),
    ]);
}

#[test]
fn relations() {
    check(&[
        ("dom({1|->2, 3|->4})", "{1,3}"),
        ("ran({1|->2, 3|->4})", "{2,4}"),
        ("{1|->2, 3|->4}~", "{(2|->1),(4|->3)}"),
        ("{1|->2, 3|->4}[{1}]", "{2}"),
        ("{1|->2, 3|->4}(3)", "4"),
        ("id({1,2})", "{(1|->1),(2|->2)}"),
        ("{1} <| {1|->2, 3|->4}", "{(1|->2)}"),
        ("{1} <<| {1|->2, 3|->4}", "{(3|->4)}"),
        ("{1|->2, 3|->4} |> {4}", "{(3|->4)}"),
        ("{1|->2, 3|->4} |>> {4}", "{(1|->2)}"),
        ("{1|->2, 3|->4} <+ {1|->9}", "{(1|->9),(3|->4)}"),
        ("({1|->2} ; {2|->5, 2|->6})", "{(1|->5),(1|->6)}"),
        ("{1|->2} >< {1|->3}", "{(1|->(2|->3))}"),
        ("({1|->2} || {5|->6})", "{((1|->5)|->(2|->6))}"),
        ("closure1({1|->2, 2|->3})", "{(1|->2),(1|->3),(2|->3)}"),
        ("closure1(%x.(x : NATURAL1 | x - 1))[{3}]", "{0,1,2}"),
        ("closure({red|->green})[{red}]", "{red,green}"),
        ("iterate({1|->2, 2|->3, 3|->4}, 3)", "{(1|->4)}"),
        ("iterate({1|->2, 2|->1}, 1000000000000)", "{(1|->1),(2|->2)}"),
        ("iterate({red|->green}, 0)", "{(red|->red),(green|->green),(blue|->blue)}"),
        ("prj1({1,2},{TRUE})(2|->TRUE)", "2"),
        ("prj2({1,2},{TRUE})(2|->TRUE)", "TRUE"),
        ("fnc({1|->2, 1|->3})", "{(1|->{2,3})}"),
        ("rel({1|->{2,3}})", "{(1|->2),(1|->3)}"),
        ("%x.(x : 1..3 | x * x)", "{(1|->1),(2|->4),(3|->9)}"),
        ("(%x.(x : INTEGER | x * x))(12)", "144"),
        ("(%(x,y).(x : NATURAL & y : NATURAL | x + y))(3, 4)", "7"),
        ("(%x.(x : NATURAL | x + 1))[{1,5}]", "{2,6}"),
        ("({1|->2} ; %x.(x : NATURAL | x + 1))", "{(1|->3)}"),
        ("({1,2} <| %x.(x : NATURAL | x + 1))", "{(1|->2),(2|->3)}"),
        ("(%x.(x : NATURAL | x + 1) <+ {1|->9})(1)", "9"),
        ("(%x.(x : NATURAL | x + 1) <+ {1|->9})(2)", "3"),
        ("card({1,2} --> {3,4,5})", "9"),
        ("card({1,2} +-> {3,4,5})", "16"),
        ("card({1,2} <-> {3,4})", "16"),
        ("card({1,2} >-> {3,4,5})", "6"),
        ("card({1,2} >+> {3,4})", "7"),
        ("card({1,2,3} -->> {4,5})", "6"),
        ("card({1,2,3} +->> {4,5})", "12"),
        ("card({1,2} >->> {4,5})", "2"),
        ("card({1,2} <<-> {4,5})", "9"),
        ("card({1,2} <->> {4,5})", "9"),
        ("card({1,2} <<->> {4,5})", "7"),
        ("{1} --> {2}", "{{(1|->2)}}"),
        ("{} --> {2}", "{{}}"),
    ]);
}

#[test]
fn sequences() {
    check(&[
        ("[7,8]", "{(1|->7),(2|->8)}"),
        ("size([7,8])", "2"),
        ("first([7,8])", "7"),
        ("last([7,8])", "8"),
        ("front([7,8])", "{(1|->7)}"),
        ("tail([7,8])", "{(1|->8)}"),
        ("rev([7,8])", "{(1|->8),(2|->7)}"),
        ("[7] ^ [8]", "{(1|->7),(2|->8)}"),
        ("7 -> [8]", "{(1|->7),(2|->8)}"),
        ("[7] <- 8", "{(1|->7),(2|->8)}"),
        ("[7,8,9] /|\\ 2", "{(1|->7),(2|->8)}"),
        ("[7,8,9] \\|/ 2", "{(1|->9)}"),
        ("conc([[7],[8,9]])", "{(1|->7),(2|->8),(3|->9)}"),
        ("perm({1,2})", "{{(1|->1),(2|->2)},{(1|->2),(2|->1)}}"),
        ("iseq({1})", "{{},{(1|->1)}}"),
        ("card(iseq({1,2,3}))", "16"),
        ("card(iseq1({1,2,3}))", "15"),
        ("seq({})", "{{}}"),
    ]);
}

#[test]
fn predicates() {
    check_true(&[
        "1 : NATURAL & -1 /: NATURAL",
        "{1} <: {1,2} & {1} <<: {1,2} & {1,2} /<<: {1,2} & {3} /<: {1,2}",
        "{1,2} = {2,1} & 1..3 = {1,2,3} & {} = 3..2",
        "NATURAL /= INTEGER & NATURAL /= {0} \\/ 5..9",
        "NATURAL <: INTEGER & 1..10000000000 <: NATURAL & NATURAL1 <<: NATURAL",
        "{1|->2} : NATURAL +-> NATURAL & {1|->2} /: NATURAL --> NATURAL",
        "[1,2] : seq(NATURAL) & [1,1] /: iseq(NATURAL) & [2,1] : perm({1,2}) & {} : seq({1}) & {} /: seq1({1})",
        "{1,2} : POW(NATURAL) & {1,2} : FIN(NATURAL) & NATURAL : POW(INTEGER) & NATURAL /: FIN(INTEGER)",
        "(1|->TRUE) : NATURAL * BOOL",
        "%x.(x : NATURAL | x + 1) : NATURAL --> INTEGER",
        "!x.(x : 1..3 => x < 4)",
        "!(x,y).(x : 1..3 & y : 1..x => y <= x)",
        "#x.(x : NATURAL & x * x = 49 & x < 20)",
        "not(#x.(x : 1..3 & x > 3))",
        "#(x,y).(x |-> y : {1|->2, 3|->4} & y = x + 1 & x > 1)",
        "not(!x.(x : NATURAL => x < 100)) & #x.(x : INTEGER & x * x = 36)",
        "!x.(x : BOOL => (x = TRUE or x = FALSE))",
        "!x.(not(x : C) or x /= red or x = red)",
        "{x | #y.(y : 1..3 & x = y * 2)} = {2,4,6}",
        "{x | x = 1 or x = 5} = {1,5}",
        "@finite({1}) & not(@finite(NATURAL))",
        "@partition({1,2,3}, {1}, {2,3})",
        "not(@partition({1,2,3}, {1,2}, {2,3}))",
        "(1 = 1 <=> 2 = 2) & (1 = 2 => 1 / 0 = 1)",
        "1 = 1 or 1 / 0 = 1",
        "not(1 = 2 & 1 / 0 = 1)",
        "\"a\" : STRING & \"a\" /= \"b\"",
        "rec(a : 1, b : 2) = rec(b : 2, a : 1)",
        "1.0 < 1.5 & 2.0 : REAL",
        "card({NATURAL, NATURAL1}) = 2",
        "dom(%x.(x : NATURAL1 | x)) /= {} & 1 : dom(%x.(x : NATURAL1 | x)) & 0 /: dom(%x.(x : NATURAL1 | x))",
        "{x | x : NATURAL & x > 3} /= {}",
        "5 : {x | x : NATURAL & x > 3}",
        "(1|->1) : id(NATURAL) & (3|->2) : succ~ & (2|->3) : succ",
        "#f.(f : 1..3 >->> {red, green, blue} & f(1) = blue)",
        "card({f | f : 1..3 --> BOOL}) = 8",
        "POW(1..40) = POW(1..40) & POW(1..40) /= POW(1..41) & {1} : POW(1..40)",
        "1..5 --> BOOL <: 1..5 +-> BOOL",
        "{x | x : 1..3 & x /= 2} /\\ NATURAL = {1,3}",
    ]);
}

#[test]
fn ill_defined() {
    check_kind(
        EvalErrorKind::IllDefined,
        &[
            "1 / 0 = 1",
            "1 mod 0 = 1",
            "-1 mod 2 = 1",
            "1 mod -2 = 1",
            "2 ** -1 = 1",
            "max({}) = 1",
            "min({}) = 1",
            "max(NATURAL) = 1",
            "{1|->2}(3) = 1",
            "{1|->2, 1|->3}(1) = 2",
            "(%x.(x : NATURAL | x))(-1) = 1",
            "first([]) = 1",
            "last([]) = 1",
            "tail([]) = [1]",
            "front([]) = [1]",
            "size({2|->1}) = 1",
            "[1,2] /|\\ 3 = [1]",
            "[1,2] \\|/ -1 = [1]",
            "{2|->1} ^ [1] = [1]",
            "inter({}) = {1}",
            "INTER(x).(x : {} | {x + 1}) = {1}",
            "card(NATURAL) = 1",
            "iterate({1|->2}, -1) = {1|->1}",
            "1.0 / 0.0 = 1.0",
            "1 / 0 = 1 & 1 = 2",
            "1 / 0 = 1 or 1 = 1",
            "1 / 0 = 1 => 1 = 1",
            "1 = 1 & 1 / 0 = 1",
            // A witness, or a counterexample, does not hide an ill-defined instance.
            "#x.(x : 0..3 & 3 / x = 3)",
            "!x.(x : 0..3 => 3 / x = 3)",
            "{x | x : 0..3 & 3 / x = 3} = {1}",
            "#x.(x : 0..3 & 3 / x = 3 & x = 1)",
        ],
    );
    assert_eq!(value("{1|->2}(3)"), Err("IllDefined: 3 is not in the domain of {(1|->2)}".into()));
}

#[test]
fn order_of_conjuncts_decides_about_meaning() {
    check_true(&["#x.(x : 0..3 & x = 1 & 3 / x = 3)", "{x | x : 0..3 & x /= 0 & 3 / x = 3} = {1}"]);
    check_true(&["!x.(x : 0..3 & x /= 0 => 3 / x >= 1)", "#x.(x : 1..3 & 3 / x = 3)"]);
}

#[test]
fn too_large() {
    check_kind(
        EvalErrorKind::TooLarge,
        &[
            "!x.(x : NATURAL => x * x >= x)",
            "#x.(x : INTEGER & x * x + x = 3 * x * x * x + 10)",
            "card({x | x : NATURAL & x mod 2 = 0 & x mod 3 = 0}) = 1",
            "SIGMA(x).(x : 1..10000000000 | x) = 1",
        ],
    );
}

#[test]
fn sums_of_infinitely_many_numbers_have_no_value() {
    check_kind(
        EvalErrorKind::IllDefined,
        &["SIGMA(x).(x : INTEGER | 1) = 1", "PI(x).(x : NATURAL & x mod 2 = 0 | 1) = 1"],
    );
    check_true(&["SIGMA(x).(x : INTEGER & x : {1, 2} | x) = 3", "PI(x).(x <: C & card(x) = 1 | 2) = 8"]);
}

/// Tests whether the predicate behind a quantifier has a truth value for all values of the names.
fn is_total(text: &str) -> bool {
    let (mut model, scope) = model();
    let pred = check_predicate(&mut model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    let PredKind::Exists(_, inner) = &pred.kind else { panic!("{text}") };
    Evaluator::new(&model, &scope).is_total(&Env::default(), inner)
}

#[test]
fn a_formula_is_total_only_where_its_operators_are() {
    for text in [
        "#u.(u : FIN(INTEGER) & SIGMA(q).(q : u | 1) = 0)",
        "#u.(u <: 1..3 & PI(q).(q : u | 2) = 1)",
        "#u.(u <: C & SIGMA(q).(q <: u | card(q)) = 1)",
        "#u.(u : INTEGER & SIGMA(v, w).(v : 1..u & w : 1..v | w) = 1)",
        "#u.(u : INTEGER & card({v, w | w = v + 1 & v : 1..u}) = 1)",
        "#u.(u : seq1(INTEGER) & first(u) = last(u))",
        "#(u, v).(u : INTEGER & v : NATURAL1 & u / v = 1)",
    ] {
        assert!(is_total(text), "{text}");
    }
    for text in [
        "#u.(u <: INTEGER & SIGMA(q).(q : u | 1) = 0)",
        "#u.(u <: INTEGER & PI(q).(q : u | 1) = 0)",
        "#u.(u <: INTEGER & SIGMA(q).(q <: u | 1) = 0)",
        "#u.(u : INTEGER & SIGMA(q).(q > u | 1) = 0)",
        // Each is the only element of a set, but together they are as many as there are numbers.
        "#u.(u : INTEGER & card({v, w | v : {w} & w : {v} & v > u}) = 1)",
        "#(u, w).(u <: INTEGER & w <: INTEGER & u <: w & w <: u & card(u) = 1)",
        "#(u, f).(u <: INTEGER & f : u --> INTEGER & u <: dom(f) & card(u) = 1)",
        "#u.(u <: INTEGER & card(u) = 0)",
        "#u.(u <: C & card(u) = 0 & max({x | x : 1..card(u)}) = 1)",
        "#u.(u : POW(POW(C)) & inter(u) = C)",
        "#u.(u : INTEGER & 1 / u = 1)",
        "#u.(u : INTEGER & u mod 2 = 1)",
        "#u.(u : INTEGER & 2 ** u = 1)",
        "#u.(u : seq(C) & first(u) = red)",
        "#u.(u : seq(C) & tail(u) = u)",
        "#u.(u : C <-> C & iterate(u, -1) = u)",
        "#u.(u : INTEGER <-> C & size(u) = 1)",
        "#u.(u : C +-> C & u(red) = red)",
        "#u.(u : INTEGER & perm({x | x > u}) = {})",
        "#u.(u <: 1..2 & INTER(x).(x : u | {x}) = {})",
    ] {
        assert!(!is_total(text), "{text}");
    }
}

#[test]
fn what_bounds_integers_on_one_side_leaves_infinitely_many() {
    check_true(&[
        "{x | x : INTEGER & x > 3} /: FIN(INTEGER)",
        "{x | 3 > x & x /= 0} /: FIN(INTEGER)",
        "{x | x : NATURAL & x mod 2 = 0} /: FIN(INTEGER)",
        "!n.(n : 0..5 => {x | x > n & x mod 3 = 2} /: FIN(INTEGER))",
        "{x | x > 3 & x mod 2 = 0 & x < 30} : FIN(INTEGER)",
        "{x | x : NATURAL & x < 4} : FIN(INTEGER)",
        "{x | x : BOOL & x /= TRUE} : FIN(BOOL)",
    ]);
    check_kind(EvalErrorKind::IllDefined, &["card({x | x : NATURAL & x mod 2 = 0}) = 1"]);
    // No natural number has this remainder.
    check_kind(EvalErrorKind::TooLarge, &["{x | x > 3 & x mod 2 = 2} : FIN(INTEGER)"]);
}

#[test]
fn infinite_sets_that_differ_in_finitely_many_elements_are_told_apart() {
    check_true(&[
        "(NATURAL - {3}) \\/ {3} = NATURAL & (NATURAL \\/ {-1}) - {-1} = NATURAL & NATURAL \\/ {4} = NATURAL",
        "(NATURAL - {3}) - {4} = NATURAL - {3,4} & NATURAL - {-1} = NATURAL",
        "NATURAL - {3} /= NATURAL - {4} & NATURAL \\/ {-1} /= (NATURAL \\/ {-1}) - {0}",
        "{-1} \\/ (NATURAL - {2}) = ({-1,2} \\/ NATURAL) - {2}",
        "card({NATURAL - {1}, (NATURAL - {1,2}) \\/ {2}}) = 1",
        "(INTEGER * {FALSE}) <+ {1|->FALSE} = INTEGER * {FALSE}",
        "#f.(f = %x.(x : NATURAL | x) & {-1} <<| f = f & (f <+ {2|->0}) <+ {2|->2} = f & f <+ {2|->0} /= f)",
        "#f.(f = %x.(x : NATURAL | x) & f <+ {-1|->0} /= f & (f <+ {-1|->0})[{-1,5}] = {0,5})",
        "!f.(f : {NATURAL * {0,1}} => f <+ {1|->0} /= f & f <+ {1|->0, 1|->1} = f & (f <+ {1|->0})[{1}] = {0})",
    ]);
}

#[test]
fn sets_of_functions_are_measured_without_listing_them() {
    let kinds = ["+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>"];
    let mut laws = Vec::new();
    for kind in kinds {
        for (n, m) in [(0, 0), (0, 2), (2, 0), (1, 3), (3, 1), (2, 2), (3, 2), (2, 3), (3, 3)] {
            laws.push(format!("card(1..{n} {kind} 1..{m}) = card({{f | f : 1..{n} {kind} 1..{m}}})"));
            laws.push(format!(
                "(1..{n} {kind} 1..{m} = {{}}) <=> (card({{f | f : 1..{n} {kind} 1..{m}}}) = 0)"
            ));
        }
        laws.push(format!("not((INTEGER {kind} INTEGER) <: {{}})"));
    }
    check_true(&laws.iter().map(String::as_str).collect::<Vec<_>>());
    check_true(&[
        "card(1..20 -->> 1..19) = 190 * card(1..19 >->> 1..19)",
        "(1..3 -->> NATURAL) = {}",
        "(NATURAL >-> 1..3) = {}",
        "(NATURAL -->> 1..3) /= {}",
        "(NATURAL --> {}) = {}",
        "({} --> NATURAL) /= {}",
        "(NATURAL <<-> {}) = {}",
        "(NATURAL <<->> {1}) /= {}",
    ]);
}

#[test]
fn what_a_disjunction_and_a_domain_rule_out() {
    check_true(&[
        "#x.(x : INTEGER & (x = 0 or 2 / x = 1))",
        "#x.(x : INTEGER & (x /= 0 & 2 / x = 1))",
        "!f.(f : 1..3 >+> 4..6 => !x.(x : dom(f) => f(x) : 4..6))",
        "#(f, x).(f : 1..3 >+> 4..6 & x : dom(f) & f(x) = x + 2)",
    ]);
}

#[test]
fn functions_on_very_many_points_stay_closures() {
    check_true(&[
        "(%s.(s : POW(POW(1..9)) | card(s)))({{1}, {2, 3}}) = 2",
        "(%(s, n).(s <: POW(1..9) & n : 1..9 | bool({n} : s)))({{1}, {2}} |-> 2) = TRUE",
        "{{5}} : {s | s : POW(POW(1..9))}",
        "{x | 6 |-> x : {a, b | b : 0..a & a * b = 18}} = {3}",
    ]);
}
