//! Free types, trees, external functions, recursive constants: their values.
//!
//! `prob/values.tsv` holds formulas and values on which ProB 1.8.2 agrees. What it does not know, or sees
//! in another way, is below.

use std::path::Path;

use bsym_language::load::{check_expression, check_predicate, load_model, load_text};
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::Outcome;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;
use bsym_semantics::value::parse::parse_value;

fn settle(model: &Model) -> Scope {
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    Scope::settle(model, &request).expect("the scope is right")
}

fn outcome<T>(result: Result<T, EvalError>, text: impl FnOnce(&T) -> String) -> String {
    match result {
        Ok(value) => text(&value),
        Err(e) => match e.kind {
            EvalErrorKind::IllDefined => "ill-defined".into(),
            EvalErrorKind::TooLarge => "too large".into(),
            EvalErrorKind::Unsupported => format!("unsupported: {}", e.message),
            EvalErrorKind::Interrupted | EvalErrorKind::Refuted | EvalErrorKind::Undecided => {
                panic!("{}", e.message)
            }
        },
    }
}

/// The value of a closed formula as text. What is read back from the text of a value is that value.
fn value(model: &mut Model, constants: &[Value], text: &str) -> String {
    let env = Env::new(constants, &[]);
    if let Ok(p) = check_predicate(model, text) {
        let scope = settle(model);
        let truth = Evaluator::new(model, &scope).pred(&env, &p);
        return outcome(truth, |b| if *b { "TRUE".into() } else { "FALSE".into() });
    }
    let e = check_expression(model, text).unwrap_or_else(|d| panic!("{text}: {}", d[0].message));
    let scope = settle(model);
    let eval = Evaluator::new(model, &scope);
    let value = eval.expr(&env, &e);
    if let Ok(v) = &value {
        assert!(eval.has_type(v, &e.ty), "{text}");
        if !v.has_lazy() {
            let written = eval.text(v);
            assert_eq!(parse_value(model, &scope, &e.ty, &written).as_ref(), Ok(v), "{written}");
        }
    }
    outcome(value, |v| eval.text(v))
}

fn machine() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prob/M.mch");
    load_model(&path).expect("the file is there").model.expect("the machine is right")
}

#[test]
fn values_are_those_of_prob() {
    let table = include_str!("prob/values.tsv");
    with_large_stack(|| {
        let mut m = machine();
        for line in table.lines() {
            let (formula, expected) = line.split_once('\t').expect("a formula and a value");
            assert_eq!(value(&mut m, &[], formula), expected, "{formula}");
        }
        assert!(table.lines().count() >= 200);
    });
}

fn check(cases: &[(&str, &str)]) {
    with_large_stack(|| {
        let mut m = machine();
        for (formula, expected) in cases {
            assert_eq!(value(&mut m, &[], formula), *expected, "{formula}");
        }
    });
}

#[test]
fn trees_of_the_reference_manual() {
    check(&[
        ("infix(bin(bin(2),1,bin(3)))", "{(1|->2),(2|->1),(3|->3)}"),
        ("prefix(bin(bin(2),1,bin(3)))", "{(1|->1),(2|->2),(3|->3)}"),
        ("mirror(bin(bin(2),1,bin(3))) = bin(bin(3),1,bin(2))", "TRUE"),
        ("infix(const(1,[bin(2)]))", "ill-defined"),
        ("subtree(bin(1),[3])", "ill-defined"),
        ("sizet({[]|->1,[2]|->1})", "ill-defined"),
        ("bin({[2]|->1},1,bin(2))", "ill-defined"),
        ("sons(bin(bin(2),1,bin(3))) = [bin(2),bin(3)]", "TRUE"),
        ("card(tree({}))", "0"),
        ("card(tree({1}))", "ill-defined"),
        ("{t | t : tree(BOOL) & t : {bin(TRUE), {}}} = {bin(TRUE)}", "TRUE"),
    ]);
}

#[test]
fn constructors_are_injections_from_their_argument() {
    check(&[
        ("box(4) : F", "ill-defined"),
        ("dom(cons) = INTEGER*L", "TRUE"),
        ("cons : INTEGER*L >-> L", "TRUE"),
        ("card(L)", "ill-defined"),
    ]);
    let text = "MACHINE M FREETYPES T(p) = nil, cons(p * T(p)); E = zero, after(O); O = next(E);
        W = w(POW(1..2) * BOOL) END";
    with_large_stack(|| {
        let mut m = load_text("M.mch", text).model.expect("the machine is right");
        for (formula, expected) in [
            ("cons(3 |-> nil) : T(1..2)", "FALSE"),
            ("cons(2 |-> cons(1 |-> nil)) : T(1..2)", "TRUE"),
            ("T(1..2) <: T(1..2)", "TRUE"),
            ("cons({} |-> nil) = cons({x | x : 1..2 & x > 2} |-> nil)", "TRUE"),
            ("cons(NATURAL |-> nil) = cons({x | x >= 0} |-> nil)", "too large"),
            ("after~(after(next(zero)))", "next(zero)"),
            ("next~(after~(after(next(zero))))", "zero"),
            ("after~(zero)", "ill-defined"),
            ("after(next(zero)) : E", "TRUE"),
            ("card(W)", "8"),
            ("w[{({1} |-> TRUE)}]", "{w(({1}|->TRUE))}"),
            ("#x.(x : E & x = after(next(zero)))", "TRUE"),
            ("(cons ; cons~)(1 |-> nil)", "(1|->nil)"),
        ] {
            assert_eq!(value(&mut m, &[], formula), expected, "{formula}");
        }
    });
}

#[test]
fn machines_over_free_types_step() {
    let text =
        "MACHINE M FREETYPES L = nil, cons((1..2) * L) VARIABLES l INVARIANT l : L INITIALISATION l := nil
        OPERATIONS push(x) = PRE x : 1..2 THEN l := cons(x |-> l) END;
        r <-- pop = PRE l : ran(cons) THEN r, l := prj1(cons~(l)), prj2(cons~(l)) END END";
    let m = load_text("M.mch", text).model.expect("the machine is right");
    let scope = settle(&m);
    let eval = Evaluator::new(&m, &scope);
    let initial = eval.initial_states(&[]);
    let first = initial.edges[0].state().expect("there is a state").clone();
    assert_eq!(eval.text(&first[0]), "nil");
    let edges = eval.successors(&[], &first);
    let texts: Vec<String> = edges.edges.iter().map(|e| eval.text(&e.state().unwrap()[0])).collect();
    assert_eq!(texts, ["cons((1|->nil))", "cons((2|->nil))"]);
    let next = edges.edges[1].state().unwrap().clone();
    let back = eval.successors(&[], &next);
    assert_eq!(back.edges.len(), 3);
    assert_eq!(back.edges[2].state(), Some(&first));
    assert!(edges.incomplete.is_empty() && back.incomplete.is_empty());
    assert_eq!(
        eval.some_value(&m.variables[0].ty),
        Value::Free(bsym_language::types::FreeTypeId(0), 0, None)
    );
}

#[test]
fn what_prob_of_2018_does_not_know() {
    check(&[
        ("1.5 + 2.25 = 3.75", "TRUE"),
        ("real(3) / 2.0 = 1.5", "TRUE"),
        ("floor(-1.5) + ceiling(-1.5)", "-3"),
        ("max({1.5, 2.5}) = 2.5 & -1.5 - 1.5 = -3.0", "TRUE"),
        ("SIGMA(x).(x : 1..3 | real(x)) = 6.0 & PI(x).(x : 1..3 | real(x)) = 6.0", "TRUE"),
        ("RSQRT(2.25) = 1.5 & RABS(-1.5) = 1.5 & ROUND(2.5) = 3 & ROUND(-2.5) = -3", "TRUE"),
        ("RSQRT(2.0)", "unsupported: the value of `RSQRT` is no rational number"),
        ("RSQRT(-1.0)", "ill-defined"),
        ("RDIV(1.0, 0.0)", "ill-defined"),
        ("RPOW(2.0, -2.0) = 0.25 & RSIN(0.0) = 0.0 & RLOG(2.0, 1.0) = 0.0", "TRUE"),
        ("MU({3})", "3"),
        ("```1 + 1 = ${1 + 1}, ${\"a\"} ${{aa}}```", "\"1 + 1 = 2, a {aa}\""),
        ("MU({3, 4})", "ill-defined"),
        ("FACTORS(120)", "{(1|->2),(2|->2),(3|->2),(4|->3),(5|->5)}"),
        ("FDIV(-7, 2) |-> CDIV(-7, 2) |-> SIGN(-7)", "((-4|->-3)|->-1)"),
        ("SCCS({1|->2, 2|->1, 2|->3}) = {{1,2},{3}}", "TRUE"),
        ("STRING_PADLEFT(\"7\", 3, \"0\")", "\"007\""),
        ("STRING_REV(\"abc\") |-> STRING_TO_UPPER(\"aB1\")", "(\"cba\"|->\"AB1\")"),
        ("STRING_REPLACE(\"a-b-c\", \"-\", \"+\")", "\"a+b+c\""),
        ("STRING_IS_DECIMAL(\"-1.5\") & not(STRING_IS_DECIMAL(\"1\")) & STRING_IS_NUMBER(\"1\")", "TRUE"),
        ("REGEX_MATCH(\"abc\", \"[a-z]+\")", "TRUE"),
        ("REGEX_REPLACE(\"a01b23c4d56\", \"[^0-9]+\", \"X\")", "\"X01X23X4X56\""),
        ("REGEX_REPLACE(\"12345\", \"2\", \"1\")", "\"11345\""),
        ("REGEX_REPLACE(\"1abd00abc2\", \"([a-z]+).*?([a-z]+)\", \"<<$2--$1>>\")", "\"1<<abc--abd>>2\""),
        ("REGEX_SEARCH_STR(\"abcdef000234daf\", \"[[:alpha:]]+$\")", "\"daf\""),
        ("REGEX_SEARCH_ALL(\"abcdef000234daf567\", \"([1-9])([0-9]*)\")", "{(1|->\"234\"),(2|->\"567\")}"),
        ("REGEX_MATCH(\"abc\", \"(a)\\\\1\")", "unsupported: the pattern \"(a)\\\\1\" is not supported"),
    ]);
}

#[test]
fn what_a_model_has_not_is_refused() {
    check(&[
        ("RANDOM(1, 5)", "unsupported: `RANDOM` depends on files, time or chance, which a model has not"),
        (
            "READ_LINE(\"f\") = \"\"",
            "unsupported: `READ_LINE` depends on files, time or chance, which a model has not",
        ),
        ("ENABLED(\"o\")", "unsupported: `ENABLED` asks for ProB itself and has no value here"),
        ("printf(\"~w\", [1 / 0])", "ill-defined"),
        ("printf(\"~w\", [1]) & observe(3)", "TRUE"),
        ("ASSERT_TRUE(bool(1 = 2), \"no\")", "ill-defined"),
        ("ASSERT_EXPR(bool(1 = 1), \"yes\", 3)", "3"),
        ("CHOOSE({x | x > 5 & x mod 7 = 3})", "too large"),
    ]);
}

fn recursive(equations: &str, constants: &str, cases: &[(&str, &str)]) {
    with_large_stack(|| {
        let text = format!("MACHINE M ABSTRACT_CONSTANTS {constants} PROPERTIES {equations} END");
        let mut m = load_text("M.mch", text).model.expect("the machine is right");
        let scope = settle(&m);
        let found = Evaluator::new(&m, &scope).constants(&Default::default());
        assert_eq!((found.found.len(), found.incomplete), (1, None));
        for (formula, expected) in cases {
            assert_eq!(value(&mut m, &found.found[0], formula), *expected, "{formula}");
        }
    });
}

#[test]
fn constants_that_their_equations_define_by_themselves() {
    recursive(
        "fac : INTEGER <-> INTEGER & fac = {0 |-> 1} \\/ %x.(x > 0 | x * fac(x - 1))",
        "fac",
        &[
            ("fac(20)", "2432902008176640000"),
            ("fac(-1)", "ill-defined"),
            ("fac[{3, 4}]", "{6,24}"),
            ("([2, 3] ; fac)", "{(1|->2),(2|->6)}"),
            ("5 |-> 120 : fac", "TRUE"),
            ("fac : INTEGER <-> INTEGER", "TRUE"),
        ],
    );
    // Asked for each point once, so that two calls a level are no more than two points a level.
    recursive(
        "fib = %n.(n : NATURAL | IF n < 2 THEN n ELSE fib(n - 1) + fib(n - 2) END)",
        "fib",
        &[("fib(90)", "2880067194370816120")],
    );
    recursive(
        "add = %(n, x).(n = 0 | x) \\/ %(n, x).(n > 0 | succ(add(n - 1, x))) &
         mul = %(n, x).(n = 0 & x : NATURAL | 0) \\/ %(n, x).(n > 0 | add(mul(n - 1, x), x))",
        "add, mul",
        &[("mul(6, 7)", "42")],
    );
    recursive("f = %x.(x : INTEGER | 1 + f(x + 1))", "f", &[("f(1)", "too large")]);
}

#[test]
fn a_recursive_function_is_total_where_its_equation_is() {
    recursive(
        "fac : NATURAL --> INTEGER & fac = %n.(n : NATURAL | IF n = 0 THEN 1 ELSE n * fac(n - 1) END)",
        "fac",
        &[("fac(5)", "120"), ("fac : NATURAL --> INTEGER", "TRUE"), ("fac : INTEGER --> INTEGER", "FALSE")],
    );
}

#[test]
fn a_local_has_its_type_before_it_has_a_value() {
    let text = "MACHINE M OPERATIONS r <-- o = VAR n IN n := 2;
        WHILE n > 0 DO r := n; n := n - 1 INVARIANT r : INTEGER & n : NATURAL VARIANT n END END END";
    let m = load_text("M.mch", text).model.expect("the machine is right");
    let scope = settle(&m);
    let edges = Evaluator::new(&m, &scope).successors(&[], &[]);
    assert!(
        matches!(&edges.edges[0].outcome, Outcome::Reached { results, .. } if results[..] == [Value::int(1)])
    );
}

#[test]
fn recursion_does_not_make_up_solutions_that_can_be_tried() {
    let text = "MACHINE M CONSTANTS f PROPERTIES f : 1..3 --> 0..1 & f = %x.(x : 1..3 | 1 - f(x)) END";
    let m = load_text("M.mch", text).model.expect("the machine is right");
    let scope = settle(&m);
    let found = Evaluator::new(&m, &scope).constants(&Default::default());
    assert_eq!((found.found.len(), found.incomplete), (0, None));
}

#[test]
fn every_round_of_a_loop_is_judged() {
    let outcome = |invariant: &str, variant: &str, body: &str| {
        let text = format!(
            "MACHINE M VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 3
             OPERATIONS o = WHILE x > 0 DO {body} INVARIANT {invariant} VARIANT {variant} END END"
        );
        let m = load_text("M.mch", text).model.expect("the machine is right");
        let scope = settle(&m);
        let edges = Evaluator::new(&m, &scope).successors(&[], &[Value::int(3)]);
        assert!(edges.incomplete.is_empty());
        match &edges.edges[..] {
            [edge] => match &edge.outcome {
                Outcome::Reached { state, .. } => {
                    format!("{:?}", state[0].as_int().unwrap().to_i64().unwrap())
                }
                Outcome::AssertFailed(span) => m.text.sources.text(*span).to_string(),
                other => format!("{other:?}"),
            },
            other => format!("{} ways", other.len()),
        }
    };
    assert_eq!(outcome("x >= 0 & x <= x$0", "x", "x := x - 1"), "0");
    assert_eq!(outcome("x >= 0", "x", "x := x - 2"), "x >= 0");
    assert_eq!(outcome("x > 0", "x", "x := x - 1"), "x > 0");
    assert_eq!(outcome("x : INTEGER", "x", "x := x + 1"), "x");
    assert_eq!(outcome("x : INTEGER", "x - 2", "x := x - 1"), "x - 2");
    assert_eq!(outcome("x : INTEGER", "7", "x := x - 1"), "7");
    assert_eq!(outcome("x : INTEGER", "x", "CHOICE x := x - 1 OR x := 0 END"), "0");
}
