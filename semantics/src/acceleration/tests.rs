//! How often steps can be repeated, against executing them.

use bsym_language::int::Int;
use bsym_language::load::load_text;
use bsym_language::model::Model;

use super::growth::{Growth, after_rounds, difference};
use super::linear::{Rounds, Until};
use super::{Accelerator, Taken};
use crate::evaluator::Evaluator;
use crate::scope::{Scope, ScopeRequest};
use crate::trace::Step;
use crate::transition::state::State;
use crate::value::env::Env;

/// Rounds that are executed one by one.
const ROUNDS: i64 = 60;

fn machine(variables: &str, initial: &str, operations: &str) -> (Model, Scope) {
    let set = |v: &str| if v == "f" { "1..3 +-> INTEGER" } else { "INTEGER" };
    let invariant: Vec<String> = variables.split(", ").map(|v| format!("{v} : {}", set(v))).collect();
    let text = format!(
        "MACHINE M VARIABLES {variables}, b INVARIANT {} & b : BOOL
         INITIALISATION {initial} || b := FALSE OPERATIONS {operations} END",
        invariant.join(" & ")
    );
    let model = load_text("M.mch", &text).model.expect("the machine checks");
    let request =
        ScopeRequest { maxint: Some(Int::from(40)), minint: Some(Int::from(-5)), ..Default::default() };
    let scope = Scope::settle(&model, &request).expect("a scope");
    (model, scope)
}

/// The first edges of the operations in turn, from the initial state.
fn steps(eval: &Evaluator<'_>, names: &[&str]) -> (State, Vec<Step>) {
    let step = |edge: crate::transition::Edge| Step {
        event: edge.event,
        state: edge.state().cloned(),
        execution: edge.execution,
    };
    let first = |event, state: &State| {
        let edges = match event {
            Some(event) => eval.successors_of(event, &[], state),
            None => eval.initial_states(&[]),
        };
        step(edges.edges.into_iter().next().expect("an edge"))
    };
    let start = first(None, &vec![]).state.expect("a state");
    let (mut state, mut all) = (start.clone(), vec![]);
    for name in names {
        let event = eval.model.events.iter().position(|e| e.name == *name).expect("an operation");
        let next = first(Some(bsym_language::model::EventId(event as u32)), &state);
        state = next.state.clone().expect("a state");
        all.push(next);
    }
    (start, all)
}

/// The last round in which the steps are possible, by executing them, and by the accelerator.
fn compare(variables: &str, initial: &str, operations: &str, names: &[&str]) -> (Option<i64>, Option<Until>) {
    let (model, scope) = machine(variables, initial, operations);
    let eval = Evaluator::new(&model, &scope);
    let (start, steps) = steps(&eval, names);
    let added = difference(&start, steps.last().expect("a step").state.as_ref().expect("a state"));
    let executed = added.and_then(|added| {
        let is_possible = |round: &i64| {
            let at = |state: &State| after_rounds(state, &added, &Int::from(*round)).expect("a state");
            let mut before = at(&start);
            steps.iter().all(|step| {
                let after = at(step.state.as_ref().expect("a state"));
                let edges = eval.successors_of(step.event.expect("an operation"), &[], &before);
                before = after.clone();
                edges.edges.iter().any(|edge| edge.state() == Some(&after))
            })
        };
        (0..ROUNDS).take_while(is_possible).last()
    });
    let taken = |step: &Step| {
        let Step { event, execution, state } = step;
        (event.expect("an operation"), execution.clone(), state.clone().expect("a state"))
    };
    let owned: Vec<_> = steps.iter().map(taken).collect();
    let round: Vec<Taken<'_>> =
        owned.iter().map(|(event, execution, after)| Taken { event: *event, execution, after }).collect();
    let cycle = Accelerator::new(&model).cycle(&eval, &[], &start, &round);
    (executed, cycle.map(|cycle| cycle.until))
}

#[test]
fn a_cycle_is_repeated_as_often_as_its_guards_allow() {
    let round = |n: i64| Some(Until::Round(Int::from(n)));
    for (variables, initial, operations, names, expected) in [
        ("x", "x := 0", "up = SELECT x < 10 THEN x := x + 1 END", &["up"][..], round(9)),
        ("x", "x := 0", "up = SELECT x <= 30 & x /= 20 THEN x := x + 3 END", &["up"], round(10)),
        ("x", "x := 0", "up = SELECT x <= 30 & x /= 21 THEN x := x + 3 END", &["up"], round(6)),
        ("x", "x := 0", "up = SELECT x : NAT THEN x := x + 1 END", &["up"], round(40)),
        ("x", "x := 0", "up = SELECT x : {0, 1, 2, 3, 9} THEN x := x + 1 END", &["up"], round(3)),
        ("x", "x := 9", "down = SELECT not(x < 3) or x = 0 THEN x := x - 1 END", &["down"], round(6)),
        ("x, y", "x, y := 0, 20", "go = SELECT x < y THEN x := x + 1 || y := y - 2 END", &["go"], round(6)),
        (
            "x, y",
            "x, y := 0, 0",
            "one = SELECT b = FALSE & x < 20 THEN x := x + 2 || b := TRUE END;
             two = SELECT b = TRUE & 2 * y <= x THEN y := y + 1 || b := FALSE END",
            &["one", "two"],
            round(9),
        ),
        ("x", "x := 4", "go = SELECT x mod 2 = 0 & x < 11 THEN x := x + 2 END", &["go"], round(3)),
        ("x", "x := 1", "go = ANY k WHERE k = x + 1 & k < 20 THEN x := k END", &["go"], round(17)),
        ("x", "x := 1", "go = SELECT x < 20 THEN x : (x = x$0 + 3) END", &["go"], round(6)),
        (
            "x",
            "x := 1",
            "go(k) = PRE k : NAT & k = 2 * x - x & x < 12 THEN x := k + 1 END",
            &["go"],
            round(10),
        ),
        ("x", "x := 0", "go = IF x < 5 THEN x := x + 1 ELSE x := x + 2 END", &["go"], round(4)),
        ("x", "x := 0", "go = x := x + 1", &["go"], Some(Until::Forever)),
        (
            "f",
            "f := {1 |-> 0, 2 |-> 7}",
            "up(k) = SELECT k = 1 & f(k) < 9 THEN f(k) := f(k) + 2 END",
            &["up"],
            round(4),
        ),
        (
            "f",
            "f := {1 |-> 0, 2 |-> 7}",
            "up = SELECT f : 1..2 --> NAT & !k.(k : dom(f) => f(k) /= 20) THEN f := {1 |-> f(1) + 2, 2 |-> f(2) + 1} END",
            &["up"],
            round(9),
        ),
        (
            "x, f",
            "x, f := 0, {1 |-> 30, 2 |-> 7}",
            "down = SELECT x < f(1) & f : 1..3 +-> NAT THEN f(1) := f(1) - 2 || x := x + 1 END",
            &["down"],
            round(9),
        ),
        // Not known, or no cycle.
        ("f", "f := {1 |-> 0}", "up = SELECT f(1) < 2 THEN f(2) := f(1) END", &["up"], None),
        ("x", "x := 1", "go = x := 2 * x", &["go"], None),
        ("x", "x := 0", "go = SELECT b = FALSE THEN x := x + 1 || b := TRUE END", &["go"], None),
    ] {
        let (executed, found) = compare(variables, initial, operations, names);
        assert_eq!(found, expected, "{operations}");
        match found {
            Some(Until::Round(n)) => assert_eq!(executed.map(Int::from), Some(n), "{operations}"),
            Some(Until::Forever) => assert_eq!(executed, Some(ROUNDS - 1), "{operations}"),
            None => {}
        }
    }
}

/// Predicates about x, y and b.
fn predicate(random: &mut fastrand::Rng, depth: usize) -> String {
    let mut number = || {
        let n = random.i64(-9..20);
        let x = ["x", "y", "x + y", "2 * x", "y - x", "-x", "x + 3", "x mod 2", "y / 3", "(x + 5) mod 3"]
            [random.usize(..10)];
        (x.to_string(), n)
    };
    let ((a, m), (b, n)) = (number(), number());
    match random.usize(..if depth == 0 { 8 } else { 13 }) {
        0 => format!("{a} < {n}"),
        1 => format!("{a} >= {m}"),
        2 => format!("{a} = {n}"),
        3 => format!("{a} /= {b}"),
        4 => format!("{a} : {m}..{n}"),
        5 => format!("{a} /: NAT"),
        6 => format!("{a} : {{{m}, {n}, 0, 1}}"),
        7 => format!("bool({a} <= {b}) = b"),
        8 => format!("({} & {})", predicate(random, depth - 1), predicate(random, depth - 1)),
        9 => format!("({} or {})", predicate(random, depth - 1), predicate(random, depth - 1)),
        10 => format!("({} => {})", predicate(random, depth - 1), predicate(random, depth - 1)),
        11 => format!("({} <=> {})", predicate(random, depth - 1), predicate(random, depth - 1)),
        _ => format!("not({})", predicate(random, depth - 1)),
    }
}

#[test]
fn truth_values_last_as_long_as_the_evaluator_says() {
    let (mut known, mut random) = (0, fastrand::Rng::with_seed(7));
    let formulas = std::env::var("BSYM_PREDICATES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    for _ in 0..formulas {
        let text = predicate(&mut random, 2);
        let (model, scope) = machine("x, y", "x, y := 0, 0", &format!("go = SELECT {text} THEN skip END"));
        let eval = Evaluator::new(&model, &scope);
        let number = |n: i64| crate::value::Value::Int(Int::from(n));
        let state: State = vec![
            number(random.i64(-3..15)),
            number(random.i64(-3..15)),
            crate::value::Value::Bool(random.bool()),
        ];
        let added = [random.i64(-3..4), random.i64(-3..4), 0].map(|n| Growth::Number(Int::from(n)));
        let guard = Accelerator::new(&model).guards();
        let rounds = Rounds::new(&eval, &[], &state, &added);
        for p in &guard {
            let Some(truth) = rounds.truth(p) else { continue };
            known += 1;
            for round in 0..ROUNDS {
                if truth.until < Until::Round(Int::from(round)) {
                    break;
                }
                let here = after_rounds(&state, &added, &Int::from(round)).expect("a state");
                let value = eval.pred(&Env::new(&[], &here), p);
                assert_eq!(
                    value.ok(),
                    Some(truth.value),
                    "{text} in round {round} from {state:?} by {added:?}"
                );
            }
        }
    }
    assert!(known > formulas / 2, "{known} of {formulas} predicates are known");
}
