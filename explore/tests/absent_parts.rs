//! Events and properties that read parts of functions, relations, sets and sequences which may be absent or have no value: no
//! violation is lost where other events can wait.

use bsym_explore::options::SearchOptions;
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_text;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::Checks;

fn run(text: &str, checks: &Checks, partial_order: bool) -> SearchReport {
    let model = load_text("M.mch", text).model.unwrap_or_else(|| panic!("it is wrong:\n{text}"));
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let options = SearchOptions { checks: checks.clone(), partial_order, ..SearchOptions::default() };
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        search(&problem, &options, &mut |_: &Progress| {})
    })
}

/// What is wrong at the end of the trace by both searches, which must be as long.
fn wrong(text: &str, checks: &Checks) -> Vec<Violation> {
    let (all, some) = (run(text, checks, false), run(text, checks, true));
    match (all.verdict, some.verdict) {
        (Verdict::Violated(a), Verdict::Violated(b)) => {
            assert_eq!(a.trace.steps.len(), b.trace.steps.len(), "{text}");
            b.violations
        }
        (Verdict::Holds(_), Verdict::Holds(_)) => vec![],
        (a, b) => panic!("{text}:\n{a:?}\nand\n{b:?}"),
    }
}

/// A machine with an event beside the others that goes round for ever.
fn beside_a_round(
    goal: &str,
    names: &str,
    invariant: &str,
    initialisation: &str,
    operations: &str,
) -> String {
    format!(
        "MACHINE M DEFINITIONS GOAL == ({goal}) SETS E = {{e1, e2}} VARIABLES {names}, z INVARIANT {invariant} & z : 0..2
        INITIALISATION {initialisation} || z := 0
        OPERATIONS round = SELECT z : 0..2 THEN z := (z + 1) mod 3 END; {operations} END"
    )
}

fn goal() -> Checks {
    Checks { goal: true, ..Checks::default() }
}

/// In each of these `x` gets a value because a part is absent.
#[test]
fn an_absent_part_is_one_of_the_contents() {
    const F: &str = "f : 1..2 +-> 0..1";
    let rows = [
        (F, "f := {}", "IF 1 : dom(f) THEN f(1) ELSE 5 END", 5),
        (F, "f := {}", "card(f[{1}])", 0),
        (F, "f := {}", "IF f[{1}] = {} THEN 5 ELSE 1 END", 5),
        (F, "f := {}", "IF 1 |-> 0 : f or 1 |-> 1 : f THEN 1 ELSE 5 END", 5),
        (F, "f := {}", "card(f~[{0}])", 0),
        (F, "f := {}", "IF 0 : ran(f) THEN f(1) ELSE 5 END", 5),
        (F, "f := {}", "IF 1 : dom(f <+ {2 |-> 1}) THEN f(1) ELSE 5 END", 5),
        (F, "f := {}", "card({1} <| f)", 0),
        (F, "f := {2 |-> 0}", "card({2} <<| f)", 0),
        (F, "f := {2 |-> 0}", "card(f |> {1})", 0),
        (F, "f := {}", "IF 1 : dom(f) \\/ {2} THEN 1 ELSE 5 END", 5),
        ("f : 1..2 >+> 0..1", "f := {}", "IF 1 : dom(f) THEN f(1) ELSE 5 END", 5),
        ("f : 1..2 <-> 0..1", "f := {}", "card(f[{1}])", 0),
        ("f : 1..2 <-> 0..1", "f := {1 |-> 0, 1 |-> 1}", "2 + card(f[{1}])", 4),
        ("f <: (1..2) * (0..1)", "f := {}", "IF 1 |-> 0 : f THEN 1 ELSE 5 END", 5),
        ("f : seq(0..1)", "f := <>", "IF f = <> THEN 5 ELSE first(f) END", 5),
        ("f : seq(0..1)", "f := [1]", "IF size(f) = 2 THEN last(f) ELSE 5 END", 5),
        ("f : seq(0..1)", "f := [1]", "IF 2 : dom(f) THEN f(2) ELSE 5 END", 5),
        ("f : iseq(0..1)", "f := [1]", "IF 2 : dom(f) THEN f(2) ELSE 5 END", 5),
        ("f : 1..2 +-> (1..2 --> 0..1)", "f := {}", "IF 1 : dom(f) THEN f(1)(1) ELSE 5 END", 5),
        (
            "f : 1..2 --> (1..2 +-> 0..1)",
            "f := {1 |-> {}, 2 |-> {}}",
            "IF 1 : dom(f(1)) THEN f(1)(1) ELSE 5 END",
            5,
        ),
        ("f <: 1..2", "f := {}", "IF 1 : f THEN 1 ELSE 5 END", 5),
        ("f : POW(POW(1..2))", "f := {}", "IF {} : f THEN 1 ELSE 5 END", 5),
        ("f : E +-> 0..1", "f := {}", "IF e1 : dom(f) THEN f(e1) ELSE 5 END", 5),
        (
            "f : struct(a : 1..2 +-> 0..1, c : 0..1)",
            "f := rec(a : {}, c : 0)",
            "IF 1 : dom(f'a) THEN 1 ELSE 5 END",
            5,
        ),
        // A total function on another set is not there outside it.
        ("f : 2..2 --> 0..1", "f := {2 |-> 0}", "IF 1 : dom(f) THEN f(1) ELSE 5 END", 5),
        ("s <: 1..2 & f : s --> 0..1", "s := {} || f := {}", "IF 1 : dom(f) THEN f(1) ELSE 5 END", 5),
    ];
    for (i, (types, start, value, reached)) in rows.into_iter().enumerate() {
        let names = if types.starts_with("s ") { "s, f, x" } else { "f, x" };
        let invariant = format!("{types} & x : 0..5");
        let start = format!("{start} || x := 2");
        let ways = [
            format!("LET y BE y = {value} IN x := y END"),
            format!("ANY y WHERE y = {value} THEN x := y END"),
            format!("x :: {{{value}}}"),
            format!("IF x = 2 THEN x := {value} ELSE x := {value} END"),
        ];
        for body in [&format!("x := {value}"), &ways[i % ways.len()]] {
            let once = format!("a = SELECT x = 2 THEN {body} END");
            let text = beside_a_round(&format!("x = {reached}"), names, &invariant, &start, &once);
            assert_eq!(wrong(&text, &goal()), [Violation::Goal], "{text}");
            // As an assertion.
            let text = text.replace("INITIALISATION", &format!("ASSERTIONS x /= {reached} INITIALISATION"));
            let checks = Checks { assertions: true, ..Checks::default() };
            assert_eq!(wrong(&text, &checks), [Violation::Assertions(vec![0])], "{text}");
        }
    }
}

/// In each of these a property has no value after an event that seems to keep it.
#[test]
fn a_property_without_a_value_is_no_property_that_is_kept() {
    for (names, invariant, start, event) in [
        (
            "f, y",
            "f : 1..2 +-> BOOL & y : 1..2 & f(y) : BOOL",
            "f := {1 |-> TRUE} || y := 1",
            "SELECT y = 1 THEN y := 2 END",
        ),
        (
            "f, y",
            "f : 1..2 +-> BOOL & y : 1..2 & {f(y)} <: BOOL",
            "f := {1 |-> TRUE} || y := 1",
            "SELECT y = 1 THEN y := 2 END",
        ),
        (
            "f, y",
            "f : 1..2 +-> 0..1 & y : 1..2 & f(1) : INTEGER",
            "f := {1 |-> 0} || y := 1",
            "SELECT y = 1 THEN f := {1} <<| f END",
        ),
        (
            "f, y",
            "f : 1..2 +-> 0..1 & y : 1..2 & f(1) + y : 0..9",
            "f := {1 |-> 0} || y := 1",
            "SELECT y = 1 THEN f := {} END",
        ),
        (
            "q, y",
            "q : seq(0..1) & y : 1..2 & {last(q)} <: INTEGER",
            "q := [1] || y := 1",
            "SELECT y = 1 THEN q := front(q) || y := 2 END",
        ),
        (
            "q, y",
            "q : seq(0..1) & y : 1..2 & first(q) : INTEGER",
            "q := [1] || y := 1",
            "SELECT q /= <> THEN q := tail(q) END",
        ),
        (
            "q, y",
            "q : INTEGER <-> INTEGER & y : 1..2 & size(q) : INTEGER",
            "q := [1] || y := 1",
            "SELECT y = 1 THEN q := q \\/ {5 |-> 5} || y := 2 END",
        ),
        (
            "s, y",
            "s <: 0..3 & y : 1..2 & max(s) : INTEGER",
            "s := {1} || y := 1",
            "SELECT 1 : s THEN s := s - {1} END",
        ),
        (
            "s, y",
            "s <: INTEGER & y : 1..2 & card(s) : INTEGER",
            "s := {1} || y := 1",
            "SELECT y = 1 THEN s := NATURAL || y := 2 END",
        ),
        (
            "s, y",
            "s <: INTEGER & y : 1..2 & SIGMA(i).(i : s | i) : INTEGER",
            "s := {1} || y := 1",
            "SELECT y = 1 THEN s := NATURAL || y := 2 END",
        ),
        (
            "s, y",
            "s <: INTEGER & y : 1..2 & PI(i).(i : s | 1) : INTEGER",
            "s := {1} || y := 1",
            "SELECT y = 1 THEN s := NATURAL || y := 2 END",
        ),
        (
            "t, y",
            "t : POW(POW(0..1)) & y : 1..2 & inter(t) <: INTEGER",
            "t := {{}} || y := 1",
            "SELECT y = 1 THEN t := {} END",
        ),
        ("x, y", "x : 0..1 & y : 1..2 & 3 / x : INTEGER", "x := 1 || y := 1", "SELECT x = 1 THEN x := 0 END"),
        (
            "x, y",
            "x : -1..1 & y : 1..2 & 3 mod x : INTEGER",
            "x := 1 || y := 1",
            "SELECT x = 1 THEN x := -1 END",
        ),
        (
            "x, y",
            "x : -1..1 & y : 1..2 & 2 ** x : INTEGER",
            "x := 1 || y := 1",
            "SELECT x = 1 THEN x := -1 END",
        ),
        (
            "n, y",
            "n : 1..2 +-> (1..2 +-> BOOL) & y : 1..2 & n(1)(y) : BOOL",
            "n := {1 |-> {1 |-> TRUE}} || y := 1",
            "SELECT y = 1 THEN y := 2 END",
        ),
    ] {
        let text = beside_a_round("1 = 2", names, invariant, start, &format!("a = {event}"));
        for checks in [Checks::default(), Checks { deadlock: true, ..goal() }] {
            let found = wrong(&text, &checks);
            assert!(matches!(found[..], [Violation::IllDefined(_)]), "{text}: {found:?}");
        }
        // As a goal and as an assertion.
        let (conjuncts, last) = invariant.rsplit_once(" & ").expect("a last conjunct");
        let text = beside_a_round(&format!("not({last})"), names, conjuncts, start, &format!("a = {event}"));
        let found = wrong(&text, &goal());
        assert!(matches!(found[..], [Violation::IllDefined(_)]), "{text}: {found:?}");
        let text = text.replace("INITIALISATION", &format!("ASSERTIONS {last} INITIALISATION"));
        let found = wrong(&text, &Checks { assertions: true, ..Checks::default() });
        assert!(matches!(found[..], [Violation::IllDefined(_)]), "{text}: {found:?}");
    }
}

#[test]
fn a_bad_state_may_be_a_deadlock() {
    let text = "MACHINE M VARIABLES x, y INVARIANT x : 0..1 & y : 0..1 & not(x = 1 & y = 1)
        INITIALISATION x := 0 || y := 0
        OPERATIONS a = SELECT x = 0 THEN x := 1 END; b = SELECT y = 0 THEN y := 1 END END";
    let checks = Checks { deadlock: true, ..Checks::default() };
    assert_eq!(wrong(text, &checks), [Violation::Invariant(vec![2])]);
    let goal = text
        .replace("VARIABLES", "DEFINITIONS GOAL == (x + y = 2) VARIABLES")
        .replace("not(x = 1 & y = 1)", "1 = 1");
    assert_eq!(wrong(&goal, &Checks { goal: true, ..checks }), [Violation::Goal]);
}

#[test]
fn two_couples_with_one_point_make_no_function() {
    let types = "f : 1..2 --> 0..1 & x : 1..2";
    let start = "f := {1 |-> 0, 2 |-> 0} || x := 1";
    let text = beside_a_round(
        "1 = 2",
        "f, x",
        types,
        start,
        "a = SELECT x = 1 THEN f := f <+ {1 |-> 0, 1 |-> 1} END",
    );
    assert_eq!(wrong(&text, &Checks::default()), [Violation::Invariant(vec![0])]);
    let swap = "a(p, q) = SELECT p : 1..2 & q : 1..2 THEN f := f <+ {p |-> 0, q |-> 1} END";
    let text = beside_a_round("1 = 2", "f, x", types, start, swap);
    assert_eq!(wrong(&text, &Checks::default()), [Violation::Invariant(vec![0])]);
}

/// A membership excludes no value of a parameter for which a guard before it has no value.
#[test]
fn a_guard_is_evaluated_where_a_later_one_is_false() {
    let event = "a = ANY p WHERE p : 1..3 & f(p) = 0 & p : 1..2 THEN s := s \\/ {p} END;
        b = SELECT f(3) = 0 THEN f := {3} <<| f END";
    let (types, start) = ("f : 1..3 +-> 0..1 & s <: 1..3", "f := {1 |-> 0, 2 |-> 0, 3 |-> 0} || s := {}");
    let text = beside_a_round("1 = 2", "f, s", types, start, event);
    let found = wrong(&text, &Checks::default());
    assert!(matches!(found[..], [Violation::IllDefined(_)]), "{found:?}");
}

#[test]
fn bounds_may_go_in_a_circle() {
    let event = "a = ANY p WHERE p : s THEN t := t - {p} || s := s - {p} END";
    let text =
        beside_a_round("1 = 2", "s, t", "s <: t & t <: s & s <: 1..2", "s := {1, 2} || t := {1, 2}", event);
    assert_eq!(wrong(&text, &Checks::default()), []);
    let sized = "s : POW(NATURAL) & t : POW(NATURAL) & s <: t & t <: s & card(s) < 3";
    let text = beside_a_round("1 = 2", "s, t", sized, "s := {1, 2} || t := {1, 2}", event);
    assert_eq!(wrong(&text, &Checks::default()), []);
    let text = beside_a_round(
        "1 = 2",
        "s, t",
        "s : POW(INTEGER) & t : s --> INTEGER & s <: dom(t) & card(s) < 3",
        "s := {1, 2} || t := {1 |-> 0, 2 |-> 0}",
        "a = ANY p WHERE p : s & card(s) = 2 THEN t := {p} <<| t || s := s - {p} END",
    );
    assert_eq!(wrong(&text, &Checks::default()), []);
}

/// Where ill-definedness is not asked for, a conjunct without a value says nothing about the state.
#[test]
fn an_open_conjunct_bounds_nothing() {
    let text = beside_a_round(
        "x = 5",
        "f, x",
        "f : 1..2 +-> 0..5 & x : 0..5 & f(1) : 0..1",
        "f := {1 |-> 0} || x := 2",
        "c = SELECT x = 2 THEN f := {1} <<| f END; d = SELECT x = 2 THEN x := IF 1 : dom(f) THEN f(1) ELSE 5 END END",
    );
    let checks = Checks { well_definedness: false, ..goal() };
    assert_eq!(wrong(&text, &checks), [Violation::Goal]);
}
