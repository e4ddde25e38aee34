//! BMC*: which sequences of events are not asked about, and that nothing is lost by that.
#![cfg(feature = "z3")]

mod common;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress, Report, Verdict};
use bsym_proofs::claim::Evidence;
use bsym_semantics::scope::ScopeRequest;
use common::faulty::{Fault, Faulty};
use common::*;

/// By `tree`, to a number of events.
fn to_depth(text: &str, depth: usize) -> Report {
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.depth = Some(depth);
    report(&job, Engine::Tree)
}

/// Queries of a search that finds nothing to this depth.
fn queries(text: &str, depth: usize) -> u64 {
    let report = to_depth(text, depth);
    assert_eq!(report.depth, Some(depth), "{}", answer(&report));
    report.statistics.queries
}

/// Two events, of which every sequence has a path.
fn two(left: &str, right: &str) -> String {
    format!(
        "MACHINE Two CONSTANTS top PROPERTIES top > 99 VARIABLES a, b, f
         INVARIANT a : INTEGER & b : INTEGER & f : 0..1 --> INTEGER & a + b + f(0) + f(1) <= top
         INITIALISATION a, b := 0, 0 || f := {{0 |-> 0, 1 |-> 0}}
         OPERATIONS left = {left}; right = {right} END"
    )
}

#[test]
fn of_two_events_that_commute_one_order_is_searched() {
    // Of the 2^7 sequences of seven events one stays for each number of `left` in it.
    let other_variables = queries(&two("a := a + 1", "b := b + 2"), 7);
    let other_components = queries(&two("f(0) := f(0) + 1", "f(1) := f(1) + 2"), 7);
    let additions = queries(&two("a := a + 1", "a := a + 2"), 7);
    let order_matters = queries(&two("a := a + 1", "a := -2 * a - 1"), 7);
    for few in [other_variables, other_components, additions] {
        assert!(few * 4 < order_matters, "{few} of {order_matters}");
    }
}

#[test]
fn the_order_that_is_not_searched_hides_no_violation() {
    let text = two("SELECT a < 2 THEN a := a + 1 END", "SELECT a < 2 THEN b := b + 60 END")
        .replace("top > 99", "top = 100");
    // `right` reads what `left` writes: both orders are searched.
    assert_eq!(answer(&to_depth(&text, 4)), "violated 2");
    // The violation needs the late one first: `right` after `left` is only the other order of it.
    let text = two("f(0) := 50", "f(1) := 51").replace("top > 99", "top = 100");
    assert_eq!(answer(&to_depth(&text, 4)), "violated 2");
    // With parameters: they commute where these differ, and only there.
    let text = "MACHINE Cells VARIABLES f INVARIANT f : 0..3 --> 0..9 & not(f(0) = 2 & f(1) = 1)
        INITIALISATION f := (0..3) * {0}
        OPERATIONS set(i) = PRE i : 0..3 THEN f(i) := 1 END;
        double(i) = PRE i : 0..3 & f(i) < 5 THEN f(i) := 2 * f(i) END END";
    assert_eq!(answer(&to_depth(text, 5)), "violated 3");
}

#[test]
fn events_that_never_follow_each_other_are_not_tried() {
    // After `open` only `use` is enabled, after `use` only `close`: one sequence for each number of events.
    let text = "MACHINE File CONSTANTS top PROPERTIES top > 99 VARIABLES at, n INVARIANT at : 0..2 & n : NATURAL & n <= top
        INITIALISATION at, n := 0, 0
        OPERATIONS open = SELECT at = 0 THEN at := 1 END; use = SELECT at = 1 THEN at, n := 2, n + 1 END;
        close = SELECT at = 2 THEN at := 0 END END";
    // Nine pairs, and for each event a violation is asked; that it has a path follows from the one before it.
    let (short, long) = (queries(text, 12), queries(text, 24));
    assert!(long - short <= 15, "{short}, {long}");
}

#[test]
fn a_search_that_ends_is_a_proof() {
    let text =
        "MACHINE Walk VARIABLES at, steps INVARIANT at : 0..3 & steps : 0..3 INITIALISATION at, steps := 0, 0
        OPERATIONS on = SELECT at < 3 THEN at, steps := at + 1, steps + 1 END;
        back = SELECT at > 0 THEN at, steps := at - 1, steps - 1 END END";
    // Every path that goes on repeats a state.
    check(text, &[Engine::Tree], "holds");
    check(&text.replace("steps : 0..3", "steps : 0..2"), &[Engine::Tree], "violated 3");
}

#[test]
fn a_proof_covers_the_orders_that_are_not_searched() {
    // `a, b, a` repeats no state; the other order, `a, a, b`, comes back to the first one.
    let text = "MACHINE Toggles VARIABLES x, y INVARIANT x : BOOL & y : BOOL & (x = TRUE => x /= FALSE)
        INITIALISATION x := FALSE || y := FALSE
        OPERATIONS a = BEGIN x := bool(x = FALSE) END; b = BEGIN y := bool(y = FALSE) END END";
    let report = report(&job(&model(text), &ScopeRequest::default()), Engine::Tree);
    let Verdict::Holds(proof) = report.verdict else { panic!("{}", answer(&report)) };
    let Evidence::Diameter { depth } = proof.claim.evidence else { panic!("{:?}", proof.claim.evidence) };
    assert_eq!(depth, 4);
}

#[test]
fn of_events_that_may_commute_the_answers_are_those_of_induction() {
    let events = [
        "BEGIN x := (x + 1) mod 3 END",
        "BEGIN y := 2 - y END",
        "SELECT x > 0 THEN x := x - 1 END",
        "BEGIN y := 1 END",
        "SELECT y > 0 THEN f(0) := y END",
    ];
    let mut answers = BTreeMap::new();
    for (i, a) in events.iter().enumerate() {
        for b in &events[i + 1..] {
            let text = format!(
                "MACHINE Two VARIABLES x, y, f INVARIANT x : 0..2 & y : 0..2 & f : 0..1 --> 0..2 & (f(0) = 1 => x < 2)
                 INITIALISATION x, y := 0, 1 || f := {{0 |-> 0, 1 |-> 0}} OPERATIONS a = {a}; b = {b} END"
            );
            let job = job(&model(&text), &ScopeRequest::default());
            let (tree, kind) = (answer(&report(&job, Engine::Tree)), answer(&report(&job, Engine::Kind)));
            assert_eq!(tree, kind, "{text}");
            *answers.entry(tree).or_insert(0) += 1;
        }
    }
    assert!(answers["holds"] > 5 && answers.len() > 1, "{answers:?}");
}

#[test]
fn a_pause_within_the_first_question_decides_nothing() {
    let text = "MACHINE Cut VARIABLES n INVARIANT n < 0 INITIALISATION n := 0 OPERATIONS skip_it = skip END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.budget = Budget::unlimited().within(Duration::from_millis(800));
    let opened = AtomicU64::new(0);
    let open = move |terms: std::rc::Rc<bsym_encodings::term::Terms>| {
        let number = opened.fetch_add(1, Ordering::SeqCst) + 1;
        // The second one is that of the paths: the first prepares the problem.
        let late: &[Fault] = if number == 2 { &[Fault::Late] } else { &[Fault::Unknown] };
        Ok(Faulty::session(terms, 1, late, 1))
    };
    let report = run(&job, Engine::Tree, &opener(open), &mut |_: &Progress| {});
    assert!(report.depth.is_none(), "{:?}, {}", report.depth, answer(&report));
}

#[test]
fn a_question_that_stays_open_does_not_end_the_search() {
    let text =
        "MACHINE Deep VARIABLES n, m INVARIANT n : 0..9 & m : INTEGER & n + m < 6 INITIALISATION n, m := 0, 0
        OPERATIONS up = SELECT n < 9 THEN n := n + 1 END; side = m := m + 2 END";
    let model = model(text);
    let mut decided = 0;
    for seed in 0..6 {
        let mut job = job(&model, &ScopeRequest::default());
        job.budget = Budget::unlimited().within(Duration::from_secs(4));
        job.depth = Some(5);
        let opened = AtomicU64::new(100 * seed);
        let open = move |terms: std::rc::Rc<bsym_encodings::term::Terms>| {
            let number = opened.fetch_add(1, Ordering::SeqCst) + 1;
            Ok(Faulty::session(terms, number, &[Fault::Unknown], 6))
        };
        let report = run(&job, Engine::Tree, &opener(open), &mut |_: &Progress| {});
        match &report.verdict {
            Verdict::Violated(_) => decided += 1,
            Verdict::Unknown(_) => {}
            _ => panic!("{}", answer(&report)),
        }
    }
    assert!(decided >= 4, "{decided} of 6");
}
