//! Cases of the checker: text in, types or messages out.

use crate::load::{Loaded, check_expression, check_predicate, load_text};
use crate::model::*;
use crate::print;

fn load(text: &str) -> Loaded {
    load_text("M.mch", text)
}

fn model(text: &str) -> Model {
    let loaded = load(text);
    let messages = messages(&loaded);
    loaded.model.unwrap_or_else(|| panic!("{text}\n{messages:#?}"))
}

/// `line:column code message` for every diagnostic.
fn messages(loaded: &Loaded) -> Vec<String> {
    let line = |d: &crate::diagnostic::Diagnostic| {
        let p = loaded.sources.position(d.span);
        format!("{}:{} B{:04} {}", p.line, p.column, d.code.number, d.message)
    };
    loaded.diagnostics.iter().map(line).collect()
}

/// Expects exactly these messages for a machine.
fn refuses(text: &str, expected: &[&str]) {
    let loaded = load(text);
    assert_eq!(messages(&loaded), expected, "{text}");
    assert!(loaded.model.is_none());
}

/// Expects this type for the expression, over a few declared names.
fn types(expression: &str, expected: &str) {
    let mut m = model(NAMES);
    match check_expression(&mut m, expression) {
        Ok(e) => assert_eq!(print::type_text(&m, &e.ty), expected, "{expression}"),
        Err(d) => panic!("{expression}: {d:#?}"),
    }
}

/// Expects this text when the expression is printed.
fn prints(expression: &str, expected: &str) {
    let mut m = model(NAMES);
    match check_expression(&mut m, expression) {
        Ok(e) => assert_eq!(print::expr(&m, &e), expected),
        Err(d) => panic!("{expression}: {d:#?}"),
    }
}

fn prints_pred(predicate: &str, expected: &str) {
    let mut m = model(NAMES);
    match check_predicate(&mut m, predicate) {
        Ok(p) => assert_eq!(print::pred(&m, &p), expected),
        Err(d) => panic!("{predicate}: {d:#?}"),
    }
}

/// Expects one message for the predicate.
fn wrong(predicate: &str, expected: &str) {
    let mut m = model(NAMES);
    match check_predicate(&mut m, predicate) {
        Ok(p) => panic!("{predicate} is accepted as {}", print::pred(&m, &p)),
        Err(d) => {
            let found: Vec<String> =
                d.iter().map(|d| format!("{} B{:04} {}", d.span.start, d.code.number, d.message)).collect();
            assert_eq!(found, [expected], "{predicate}");
        }
    }
}

const NAMES: &str = "MACHINE M SETS S; C = {red, green}
VARIABLES n, b, s, t, f, q, r, str, x
INVARIANT n : INTEGER & b : BOOL & s : S & t <: S & f : S +-> INTEGER & q : seq(C)
  & r : struct(a : INTEGER, c : C) & str : STRING & x : REAL
INITIALISATION n, b, t, f, q := 0, TRUE, {}, {}, [] || s :: S || r := rec(a : 1, c : red) || str := \"\" || x := 1.5
END";

#[test]
fn overloaded_operators_follow_their_operands() {
    types("n - 1", "INTEGER");
    types("t - {s}", "POW(S)");
    types("x - 1.0", "REAL");
    types("t * t", "POW(S * S)");
    types("n * n", "INTEGER");
    types("x * x / 2.0", "REAL");
    types("{} * t", "POW(INTEGER * S)");
    types("max({x})", "REAL");
    types("SIGMA(i).(i : t | f(i))", "INTEGER");
    types("SIGMA(i).(i : t | x)", "REAL");
    types("%i.(i : INTEGER | i - i)", "POW(INTEGER * INTEGER)");
    types("-x", "REAL");
    types("x ** 2", "REAL");
}

#[test]
fn polymorphic_values_take_the_type_of_their_context() {
    types("f \\/ {}", "POW(S * INTEGER)");
    types("q ^ []", "POW(INTEGER * C)");
    types("{}", "POW(INTEGER)");
    types("id(t)", "POW(S * S)");
    types("prj1(t, BOOL)", "POW(S * BOOL * S)");
    types("prj1((s, n))", "S");
    types("f \\/ ({} ; {})", "POW(S * INTEGER)");
}

#[test]
fn relations_functions_and_sequences() {
    types("f(s)", "INTEGER");
    types("f~[{1}]", "POW(S)");
    types("(f ; succ)", "POW(S * INTEGER)");
    types("(f || f)", "POW(S * S * (INTEGER * INTEGER))");
    types("f >< f", "POW(S * (INTEGER * INTEGER))");
    types("closure1((f~ ; f))", "POW(INTEGER * INTEGER)");
    types("first(q)", "C");
    types("q <- red", "POW(INTEGER * C)");
    types("perm(C)", "POW(POW(INTEGER * C))");
    types("conc([q, q])", "POW(INTEGER * C)");
    types("\"a\" ^ \"b\" ^ \"c\"", "STRING");
    types("fnc(f)", "POW(S * POW(INTEGER))");
    types("t --> t", "POW(POW(S * S))");
    types("(%(i, j).(i : NAT & j : NAT | i + j))(1, 2)", "INTEGER");
    types("{i, j | i : t & j = n}", "POW(S * INTEGER)");
    types("union({t})", "POW(S)");
    types("UNION(i).(i : t | {f(i)})", "POW(INTEGER)");
    types("iterate(succ, 3)", "POW(INTEGER * INTEGER)");
}

#[test]
fn records_conditionals_and_local_names() {
    types("r'a", "INTEGER");
    types("rec(b : 1, a : TRUE)", "struct(a: BOOL, b: INTEGER)");
    types("{rr | rr'a = 1 & rr = r}", "POW(struct(a: INTEGER, c: C))");
    types("IF b = TRUE THEN 1 ELSE n END", "INTEGER");
    types("LET i BE i = t IN i \\/ t END", "POW(S)");
    types("bool(1 = 2)", "BOOL");
    types("card(t)", "INTEGER");
    types("floor(x)", "INTEGER");
}

#[test]
fn type_mistakes_are_placed() {
    wrong(
        "n = TRUE",
        "4 B0203 both sides of `=` must have the same type: INTEGER on the left, BOOL on the right",
    );
    wrong("n : t", "4 B0203 the left side is INTEGER, the set on the right holds S");
    wrong("n : s", "4 B0203 a set is expected on the right side, this is S");
    wrong(
        "n + b > 1",
        "4 B0203 both sides of `+` must have the same type: INTEGER on the left, BOOL on the right",
    );
    wrong("card(n) = 1", "5 B0203 expected POW(_), this is INTEGER");
    wrong("n(1) = 1", "0 B0203 only a function can be applied, this is INTEGER");
    wrong("b - b = b", "0 B0208 this operator is for numbers or sets, its operands are BOOL");
    wrong("b", "0 B0205 a predicate is expected, this is an expression of type BOOL");
    wrong("{1 = 2} = {b}", "1 B0206 this is a predicate, an expression is expected");
    wrong("r'z = 1", "2 B0207 the record has no field `z`, its fields are a, c");
    wrong("!i.(i = i => 1 = 1)", "1 B0204 the type of `i` cannot be determined");
    wrong(
        "#i.(i = {i})",
        "8 B0203 both sides of `=` must have the same type: _ on the left, POW(_) on the right",
    );
}

#[test]
fn one_mistake_gives_one_message() {
    wrong("nn + 1 = b & nn : BOOL or n : {nn}", "0 B0301 `nn` is not declared");
    wrong("card(1) + 1 = 2 & t = t", "5 B0203 expected POW(_), this is INTEGER");
}

#[test]
fn printing_has_the_parentheses_it_needs() {
    prints("n - (n - 1)", "n - (n - 1)");
    prints("(n - n) - 1", "n - n - 1");
    prints("-n ** 2", "-n ** 2");
    prints("(n ** 2) ** 3", "(n ** 2) ** 3");
    prints("- 5", "-5");
    prints("-(-5)", "-(-5)");
    prints("n - -5", "n - -5");
    prints("(f ; succ)~(1)", "(f ; succ)~(1)");
    prints("((f ; succ) ; pred)", "((f ; succ) ; pred)");
    prints("(t \\/ t) /\\ t", "(t \\/ t) /\\ t");
    prints("t \\/ (t \\/ t)", "t \\/ (t \\/ t)");
    prints("f(s)", "f(s)");
    prints("{(s, 1), (s, 2)}", "{s |-> 1, s |-> 2}");
    prints("\"a\\\"b\\\\\"", "\"a\\\"b\\\\\"");
    prints("t × t", "t * t");
    prints_pred("n /= 1 + 2", "n /= 1 + 2");
    prints_pred("t \\/ t /= t", "(t \\/ t) /= t");
    prints_pred("n = 1 & n = 2 or n = 3", "(n = 1 & n = 2) or n = 3");
    prints_pred("n = 1 <=> n = 2", "(n = 1) <=> (n = 2)");
    prints_pred("(n = 1 => n = 2) => n = 3", "(n = 1 => n = 2) => n = 3");
    prints_pred("!i,j.(i : t & j : t => i = j)", "!(i, j).(i : t & j : t => i = j)");
    prints_pred("not(n = 1 & n = 2)", "not(n = 1 & n = 2)");
}

#[test]
fn printed_names_are_not_captured() {
    prints_pred("#n.(n = TRUE)", "#n_1.(n_1 = TRUE)");
    prints_pred("!i.(i : t => #i.(i = 1))", "!i.(i : t => #i_1.(i_1 = 1))");
    prints("LET n BE n = n IN n END", "LET n_1 BE n_1 = n IN n_1 END");
}

#[test]
fn assignments_in_predicates_are_carried_out() {
    prints_pred("[n := n + 1](n > 0)", "n + 1 > 0");
    prints_pred("[n, b := 1, TRUE](#i.(i = n & b = b))", "#i.(i = 1 & TRUE = TRUE)");
}

fn machine_with(sections: &str, operations: &str) -> String {
    format!(
        "MACHINE M\n{sections}\nVARIABLES x, f, r\nINVARIANT x : NAT & f : NAT +-> (NAT +-> NAT) & r : struct(a : NAT, b : NAT)\n\
         INITIALISATION x := 0 || f := {{}} || r := rec(a : 0, b : 0)\nOPERATIONS {operations} END"
    )
}

fn body(operations: &str) -> String {
    let m = model(&machine_with("", operations));
    print::event(&m, &m.events[0]).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn assignments_to_parts_are_whole_assignments() {
    assert_eq!(body("o = BEGIN f(1) := {} END"), "o = f := f <+ {1 |-> {}}");
    assert_eq!(body("o = f(1)(2) := 3"), "o = f := f <+ {1 |-> (f(1) <+ {2 |-> 3})}");
    assert_eq!(body("o = r'a := 3"), "o = r'a := 3");
    let m = model(&machine_with("", "o = r'a := 3"));
    let SubstKind::Assign(list) = &m.events[0].body.kind else { panic!() };
    assert!(matches!(list[0].1.kind, ExprKind::WithField(..)));
}

#[test]
fn the_outermost_precondition_is_a_guard() {
    let m = model(&machine_with("", "o(p) = BEGIN PRE p : NAT THEN PRE p > 1 THEN x := p END END END"));
    let SubstKind::Select { branches, from_pre: true, .. } = &m.events[0].body.kind else { panic!() };
    assert!(matches!(branches[0].1.kind, SubstKind::Select { from_pre: true, .. }));
    let m = model(&machine_with("", "o(p) = SELECT p : NAT THEN PRE p > 1 THEN x := p END END"));
    let SubstKind::Select { branches, from_pre: false, .. } = &m.events[0].body.kind else { panic!() };
    assert!(matches!(branches[0].1.kind, SubstKind::Pre(..)));
}

#[test]
fn case_is_a_chain_of_conditions() {
    assert_eq!(
        body("o = CASE x OF EITHER 1, 2 THEN x := 3 OR 4 THEN skip ELSE x := 5 END END"),
        "o = IF x : {1, 2} THEN x := 3 ELSIF x = 4 THEN skip ELSE x := 5 END"
    );
}

#[test]
fn choices_and_old_values() {
    assert_eq!(body("o = x : (x > x$0)"), "o = x : (x > x$0)");
    assert_eq!(
        body("o = ANY y WHERE y : NAT THEN x :: {y} END"),
        "o = ANY y WHERE y : NAT THEN x :: {y} END"
    );
    assert_eq!(body("o = VAR y IN y := 1; x := y END"), "o = VAR y IN y := 1; x := y END");
    assert_eq!(body("y <-- o = BEGIN y := x; x := 1 END"), "y <-- o = BEGIN y := x; x := 1 END");
    refuses(
        &machine_with("", "o = x := x$0"),
        &["6:21 B0310 `x$0` may only be used in `: (P)` and in the invariant of a loop"],
    );
}

#[test]
fn definitions_are_macros_over_trees() {
    let defs = "DEFINITIONS twice(e) == e * 2; inv == (x < 5 & less(x)); less(e) == e < 9; both == BEGIN x := twice(x + 1) || skip END; unused == 1 + TRUE + zz";
    assert_eq!(body("o = BEGIN x := 1 END"), "o = x := 1");
    let m = model(
        &machine_with(defs, "o = both; p = PRE inv THEN skip END").replace("x : NAT &", "inv & x : NAT &"),
    );
    let texts: Vec<&str> = m.invariant.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts[..3], ["x < 5", "x < 9", "x : NAT"]);
    assert_eq!(m.text.sources.text(m.invariant[1].span), "inv");
    assert!(print::event(&m, &m.events[0]).contains("x := (x + 1) * 2"));
}

#[test]
fn wrong_definitions() {
    let m = |defs: &str, inv: &str| {
        format!(
            "MACHINE M\nDEFINITIONS {defs}\nVARIABLES x\nINVARIANT x : NAT & {inv}\nINITIALISATION x := 0\nEND"
        )
    };
    refuses(
        &m("a == b; b == a", "x = 1"),
        &["2:13 B0306 definitions need each other: `a` uses `b` uses `a`"],
    );
    refuses(&m("a == 1; a == 2", "x = a"), &["2:21 B0308 `a` is defined twice"]);
    refuses(
        &m("a(y) == y", "x = a(1, 2)"),
        &["4:25 B0307 definition `a` has 1 parameters, 2 arguments are given"],
    );
    refuses(
        &m("a == skip", "x = a"),
        &["4:25 B0309 definition `a` is a substitution, an expression or predicate is expected"],
    );
    refuses(
        &m("a(y) == y + TRUE", "x = a(1) & a(2) = 3"),
        &["2:25 B0203 both sides of `+` must have the same type: INTEGER on the left, BOOL on the right"],
    );
    refuses(&m("\"CHOOSE.def\"", "x = CHOOSE(1)"), &["4:32 B0203 expected POW(_), this is INTEGER"]);
    assert!(load(&m("\"LibraryIO.def\"", "x = 1")).model.is_some());
    refuses(&m("\"local.def\"", "x = 1"), &["2:13 B0305 the file of definitions `local.def` was not found"]);
}

#[test]
fn scope_hints_and_goal() {
    let m = model(
        "MACHINE M(T) SETS S; U; V DEFINITIONS SET_PREF_MAXINT == 2 ** 3; SET_PREF_MININT == -2; scope_S == 1..3; scope_T == 2;\
         SET_PREF_CLPFD == FALSE; GOAL == (n = 1); ASSERT_LTL == \"G {n > 0}\"; ANIMATION_FUNCTION == 1 + TRUE\n\
         PROPERTIES card(U) = 4 & 2 < card(V) & card(V) >= 5 & card(U) > 2 VARIABLES n INVARIANT n : NAT INITIALISATION n := 0 END",
    );
    let sizes: Vec<(&str, usize)> = m
        .definitions
        .hints
        .sizes
        .iter()
        .map(|(c, n)| (m.types.carriers[c.index()].name.as_str(), *n))
        .collect();
    assert_eq!(sizes, [("T", 2), ("S", 3), ("U", 4), ("V", 5)]);
    assert_eq!(m.definitions.hints.maxint.unwrap().to_string(), "8");
    assert_eq!(m.definitions.hints.minint.unwrap().to_string(), "-2");
    assert_eq!(m.definitions.hints.preferences["CLPFD"], "FALSE");
    assert!(m.definitions.goal.is_some());
}

#[test]
fn a_list_of_its_elements_tells_the_size_of_a_set() {
    let m = model(
        "MACHINE M SETS S; T; U; V CONSTANTS a, b, c, d, e, f, g, h, i PROPERTIES S = {a, b, c} & card({a, b, c}) = 3 & \
         {d, e} = T & e /= d & U = {f} & V = {g, h, i} END",
    );
    let sizes: Vec<usize> = m.definitions.hints.sizes.values().copied().collect();
    assert_eq!(sizes, [3, 2, 1, 2]);
}

#[test]
fn what_an_operation_chooses_may_be_shown_as_its_parameters() {
    let parameters = |preference: &str| {
        let m = model(&format!(
            "MACHINE M DEFINITIONS SET_PREF_SHOW_EVENTB_ANY_VALUES == {preference} VARIABLES n INVARIANT n : NAT INITIALISATION n := 0 \
             OPERATIONS a = ANY x, y WHERE x : 1..2 & y : {{x}} THEN n := x END; b(z) = PRE z : 1..2 THEN ANY x WHERE x = z THEN n := x END END; \
             c = BEGIN n := 1 END END",
        ));
        m.events.iter().map(|e| e.parameters.len()).collect::<Vec<_>>()
    };
    assert_eq!(parameters("TRUE"), [2, 1, 0]);
    assert_eq!(parameters("FALSE"), [0, 1, 0]);
}

#[test]
fn machine_parameters() {
    let m = model(
        "MACHINE M(SS, n) CONSTRAINTS n : NAT & card(SS) > n VARIABLES v INVARIANT v <: SS INITIALISATION v := {} END",
    );
    assert_eq!((m.types.carriers.len(), m.constants.len(), m.axioms.len()), (1, 1, 2));
    assert_eq!(m.types.carriers[0].kind, CarrierKind::Deferred);
}

#[test]
fn labels_and_texts_of_conjuncts() {
    let m = model(
        "MACHINE M VARIABLES x INVARIANT /*@ label typ */ x :  NAT /* c */\n & (x < 5 or\n x = 7) & (x /= 8 & x /= 9) INITIALISATION x := 0 END",
    );
    let found: Vec<(Option<&str>, &str)> =
        m.invariant.iter().map(|c| (c.label.as_deref(), c.text.as_str())).collect();
    assert_eq!(
        found,
        [(Some("typ"), "x : NAT"), (None, "x < 5 or x = 7"), (None, "x /= 8"), (None, "x /= 9")]
    );
}

#[test]
fn declarations_and_sections() {
    refuses(
        "MACHINE M\nSETS S = {a, b}; T = {b}\nVARIABLES a\nINVARIANT a : S\nINITIALISATION a := b END",
        &["2:23 B0302 `b` is declared twice", "3:11 B0302 `a` is declared twice"],
    );
    refuses(
        "MACHINE M\nVARIABLES x, y\nINVARIANT x : NAT & y : NAT\nINITIALISATION x := 0 END",
        &["4:1 B0405 variable `y` is not initialised"],
    );
    refuses(
        "MACHINE M\nVARIABLES x\nINITIALISATION x := 0 END",
        &["2:1 B0403 VARIABLES needs an INVARIANT that types them"],
    );
    refuses(
        "MACHINE M\nVARIABLES x\nINVARIANT x : NAT END",
        &["2:1 B0403 VARIABLES needs an INITIALISATION"],
    );
    refuses(
        "MACHINE M\nCONSTANTS c PROPERTIES c : NAT & v = c\nVARIABLES v\nINVARIANT v : NAT\nINITIALISATION c, v := 0, 1 END",
        &[
            "2:34 B0303 variable `v` may not be used here, where only constants have a value",
            "5:16 B0304 `c` is a constant and cannot be assigned to",
        ],
    );
}

#[test]
fn assignments_are_checked() {
    let at = |op: &str, message: &str| refuses(&machine_with("", &format!("\n{op}")), &[message]);
    at("o = x := TRUE", "7:10 B0203 `x` holds INTEGER, this is BOOL");
    at("o = x, x := 1, 2", "7:8 B0404 `x` is assigned twice at the same time");
    at("o = x := 1 || x := 2", "7:15 B0404 `x` is assigned twice at the same time");
    at("o(p) = PRE p : NAT THEN p := 1 END", "7:25 B0304 `p` cannot be assigned to");
    at("o(p) = x := 1", "7:3 B0204 the type of `p` cannot be determined");
    at("o = x :: BOOL", "7:10 B0203 expected POW(INTEGER), this is POW(BOOL)");
    at("o = f(1) := 2", "7:13 B0203 expected POW(INTEGER * INTEGER), this is INTEGER");
    at("o = f(TRUE) := {}", "7:7 B0203 expected INTEGER, this is BOOL");
    at("o = x(1) := 1", "7:5 B0203 only a function can be assigned at one place, this is INTEGER");
    at("o = xx := 1", "7:5 B0301 `xx` is not declared");
    at("o = x, r := 1", "7:5 B0209 2 names on the left, 1 values on the right");
    at(
        "o = LET y BE y > 1 IN x := y END",
        "7:14 B0406 a LET has an equation `x = E` for each of its names and nothing else",
    );
    at("o = skip; p = o", "7:15 B0424 operation `o` belongs to this machine and cannot be called here");
}

#[test]
fn missing_machines_are_reported_without_further_noise() {
    refuses(
        "MACHINE M\nSEES N, P\nVARIABLES x\nINVARIANT x : other & 1 : TRUE\nINITIALISATION x := zero END",
        &[
            "2:6 B0420 machine `N` is not found: there is no `N.ref`, `N.mch`, `N.sys` or `N.imp`",
            "2:9 B0420 machine `P` is not found: there is no `P.ref`, `P.mch`, `P.sys` or `P.imp`",
            "4:27 B0203 a set is expected on the right side, this is BOOL",
        ],
    );
}

#[test]
fn near_names_are_offered() {
    let mut m = model(NAMES);
    let d = check_predicate(&mut m, "gren : C").unwrap_err();
    assert_eq!(d[0].help.as_deref(), Some("did you mean `green`?"));
}

#[test]
fn long_conjunctions_are_one_list() {
    let mut text = String::from("x : NAT");
    for i in 0..50_000 {
        text.push_str(&format!(" & x /= {}", i + 10));
    }
    let m = model(&format!(
        "MACHINE M VARIABLES x INVARIANT {text} INITIALISATION x := 0 OPERATIONS o = PRE {text} THEN skip END END"
    ));
    assert_eq!(m.invariant.len(), 50_001);
}

#[test]
fn deep_formulas_and_endless_expansions() {
    let nested = |n: usize| format!("{}n{} = n", "-(".repeat(n), ")".repeat(n));
    let mut m = model(NAMES);
    let p = check_predicate(&mut m, &nested(150)).unwrap();
    assert!(print::pred(&m, &p).starts_with("-(-(-("));
    let chain = vec!["n"; 900].join(" |-> ");
    let e = check_expression(&mut m, &chain).unwrap();
    assert_eq!(print::expr(&m, &e), chain);
    let mut doubling = String::from("d0 == x");
    for i in 1..40 {
        doubling.push_str(&format!("; d{i} == d{} + d{}", i - 1, i - 1));
    }
    let text = format!(
        "MACHINE M\nDEFINITIONS {doubling}\nVARIABLES x\nINVARIANT x : NAT & d39 > 0\nINITIALISATION x := 0\nEND"
    );
    refuses(&text, &["4:21 B0306 this is too large once its definitions are expanded"]);
}

#[test]
fn word_operators_without_arguments() {
    prints("(f >< f ; prj1)", "(f >< f ; prj1(INTEGER, INTEGER))");
    prints("prj2((s, n))", "prj2(s |-> n)");
    prints("succ[{1}]", "succ[{1}]");
    prints("pred(n)", "pred(n)");
}

#[test]
fn a_printed_machine_is_the_same_machine() {
    let text = "MACHINE M(P) SETS S; C = {red, green} CONSTANTS k PROPERTIES /*@ label size */ k : 1..9 & card(S) = k
VARIABLES n, t, f, r INVARIANT n : NAT & /*@ label sub */ t <: S & f : S +-> C & r : struct(a : NAT, b : P)
ASSERTIONS n >= 0; card(t) <= k
INITIALISATION n := 0; t, f := {}, {} || r : (r'a = 1)
OPERATIONS
 res <-- up(d) = PRE d : NAT & n + d <= k THEN n, res := n + d, bool(n = 0) END;
 go = SELECT t = {} THEN t : (t <: S & t /= t$0) WHEN n = 1 THEN ANY n WHERE n : S THEN f(n) := red END ELSE skip END;
 ch = CHOICE n := 1 OR VAR v IN v := n; n := v; r'a := v END OR IF n = 1 THEN skip ELSIF n = 2 THEN n :: 1..3 END END;
 wh = WHILE n > 0 DO n := n - 1 INVARIANT n : NAT & n <= n$0 VARIANT n END;
 le = LET y, z BE y = n & z = t IN ASSERT y = 1 THEN t := z - {} END END
END";
    let first = model(text);
    let printed = print::machine(&first);
    let second = model(&printed);
    assert_eq!(
        crate::model::visit::normalised(&first),
        crate::model::visit::normalised(&second),
        "{printed}"
    );
    assert_eq!(printed, print::machine(&second));
}
