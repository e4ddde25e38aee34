//! Partial order reduction: what it leaves out, what it must not leave out, and the same verdicts as those of the search of all
//! states.

use std::path::Path;

use bsym_explore::options::SearchOptions;
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::{load_model, load_text};
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::Checks;

fn text(text: &str) -> Model {
    load_text("M.mch", text).model.expect("the machine is right")
}

fn run(model: &Model, checks: &Checks, partial_order: bool) -> SearchReport {
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = Scope::settle(model, &request).expect("a scope");
    let options = SearchOptions { checks: checks.clone(), partial_order, ..SearchOptions::default() };
    with_large_stack(|| {
        let problem = Problem { model, scope: &scope, finder: None };
        search(&problem, &options, &mut |_: &Progress| {})
    })
}

fn deadlocks() -> Checks {
    Checks { deadlock: true, ..Checks::default() }
}

fn goal() -> Checks {
    Checks { goal: true, ..Checks::default() }
}

/// Violations, none where the properties hold.
fn wrong(report: &SearchReport) -> Vec<Violation> {
    match &report.verdict {
        Verdict::Violated(found) => found.violations.clone(),
        Verdict::Holds(_) => vec![],
        other => panic!("{other:?}"),
    }
}

/// Whether both verdicts are the same and the reduced search has no longer trace; the states of both.
fn both(model: &Model, checks: &Checks) -> (u64, u64) {
    let (all, some) = (run(model, checks, false), run(model, checks, true));
    assert_eq!(wrong(&all).is_empty(), wrong(&some).is_empty(), "{}: {:?}", model.name, some.verdict);
    if let (Verdict::Violated(a), Verdict::Violated(b)) = (&all.verdict, &some.verdict) {
        assert_eq!(
            a.trace.steps.len(),
            b.trace.steps.len(),
            "{}: a trace is as short as it can be",
            model.name
        );
    } else {
        assert!(some.statistics.states <= all.statistics.states, "{}: more states", model.name);
    }
    (all.statistics.states, some.statistics.states)
}

/// Counters that do not know each other: of 5^n states a path of 4n steps is left.
#[test]
fn independent_counters_take_one_path() {
    for (n, all) in [(2, 25), (3, 125), (4, 625)] {
        let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        let each =
            |form: &str, by: &str| names.iter().map(|x| form.replace('@', x)).collect::<Vec<_>>().join(by);
        let model = text(&format!(
            "MACHINE Counters VARIABLES {} INVARIANT {} INITIALISATION {} OPERATIONS {} END",
            each("@", ","),
            each("@ : 0..4", " & "),
            each("@ := 0", " || "),
            each("up_@ = SELECT @ < 4 THEN @ := @ + 1 END", "; ")
        ));
        // All of it is a deadlock at the end.
        assert_eq!(both(&model, &deadlocks()).0, all);
        let reduced = run(&model, &deadlocks(), true);
        assert_eq!(reduced.statistics.states, 4 * n as u64 + 1);
        assert_eq!(wrong(&reduced), [Violation::Deadlock]);
    }
}

/// Each element of a set goes its own way: instances of one event commute.
#[test]
fn instances_of_an_event_commute() {
    let model = text(
        "MACHINE Jobs SETS JOB = {a, b, c, d, e} VARIABLES started, finished, place
        INVARIANT started <: JOB & finished <: JOB & place : JOB --> 0..2
        INITIALISATION started := {} || finished := {} || place := JOB * {0}
        OPERATIONS
          start(j) = SELECT j : JOB & j /: started THEN started := started \\/ {j} END;
          move(j) = SELECT j : started & place(j) = 0 THEN place(j) := 1 END;
          finish = ANY j WHERE j : started - finished & place(j) = 1 THEN finished := finished \\/ {j} || place(j) := 2 END
        END",
    );
    assert_eq!(both(&model, &Checks::default()).0, 4 * 4 * 4 * 4 * 4);
    let reduced = run(&model, &deadlocks(), true);
    assert_eq!(wrong(&reduced), [Violation::Deadlock]);
    assert_eq!(reduced.statistics.states, 3 * 5 + 1);
}

/// Philosophers who take the left fork first: the deadlock is found, on a path as short as without reduction.
#[test]
fn a_deadlock_is_kept() {
    let model = text(
        "MACHINE Philosophers DEFINITIONS P == 0..4
        VARIABLES fork, eats INVARIANT fork : P --> -1..4 & eats : P --> BOOL
        INITIALISATION fork := P * {-1} || eats := P * {FALSE}
        OPERATIONS
          left(p) = SELECT p : P & fork(p) = -1 & eats(p) = FALSE THEN fork(p) := p END;
          right(p) = SELECT p : P & fork(p) = p & fork((p + 1) mod 5) = -1 THEN fork((p + 1) mod 5) := p || eats(p) := TRUE END;
          drop(p) = SELECT p : P & eats(p) = TRUE THEN fork := fork <+ {p |-> -1, (p + 1) mod 5 |-> -1} || eats(p) := FALSE END
        END",
    );
    let (all, some) = both(&model, &deadlocks());
    assert!(some < all, "{some} of {all}");
    assert_eq!(wrong(&run(&model, &deadlocks(), true)), [Violation::Deadlock]);
}

/// The loop of `tick` and `tock` could be taken for ever: what waits beside it must not be forgotten.
#[test]
fn nothing_is_ignored_beside_a_loop() {
    let model = text(
        "MACHINE Ignoring DEFINITIONS GOAL == y = 2 VARIABLES x, y INVARIANT x : BOOL & y : 0..2 & y < 2
        INITIALISATION x := TRUE || y := 0
        OPERATIONS
          tick = SELECT x = TRUE THEN x := FALSE END;
          tock = SELECT x = FALSE THEN x := TRUE END;
          work = SELECT y < 2 THEN y := y + 1 END
        END",
    );
    both(&model, &Checks::default());
    both(&model, &goal());
    assert_eq!(wrong(&run(&model, &Checks::default(), true)), [Violation::Invariant(vec![2])]);
    assert_eq!(wrong(&run(&model, &goal(), true)).len(), 2);
}

/// `work` and `step` commute where both are enabled, but after `work` the evaluation of `look` fails: an error is no less
/// than a violation.
#[test]
fn what_fails_in_a_commuting_event_is_found() {
    let model = text(
        "MACHINE Hidden VARIABLES x, f INVARIANT x : 0..3 & f : 0..3 +-> 0..3
        INITIALISATION x := 0 || f := {0 |-> 1, 1 |-> 1}
        OPERATIONS
          step = SELECT x < 3 THEN x := x + 1 END;
          back = SELECT x = 3 THEN x := 0 END;
          look = SELECT f(0) = 1 THEN skip END;
          work = SELECT 1 : dom(f) THEN f := {1} <<| f END;
          lose = SELECT 1 /: dom(f) & 0 : dom(f) THEN f := {0} <<| f END
        END",
    );
    both(&model, &Checks::default());
    let found = wrong(&run(&model, &Checks::default(), true));
    assert!(matches!(found[..], [Violation::IllDefined(_)]), "{found:?}");
    // The same with an ASSERT.
    let model = text(
        "MACHINE Hidden VARIABLES x, y INVARIANT x : 0..3 & y : 0..1 INITIALISATION x := 0 || y := 0
        OPERATIONS
          step = SELECT x < 3 THEN x := x + 1 END; back = SELECT x = 3 THEN x := 0 END;
          look = ASSERT y = 0 THEN skip END; work = SELECT y = 0 THEN y := 1 END END",
    );
    both(&model, &Checks::default());
    let found = wrong(&run(&model, &Checks::default(), true));
    assert!(matches!(found[..], [Violation::Assert(_)]), "{found:?}");
}

/// Where each event depends on each other one, all states are visited, by the events as they are.
#[test]
fn where_nothing_commutes_nothing_is_left_out() {
    let model = text(
        "MACHINE Dependent VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0
        OPERATIONS up = SELECT x < 9 THEN x := x + 1 END; twice = SELECT x < 5 THEN x := 2 * x END END",
    );
    let (all, reduced) = (run(&model, &Checks::default(), false), run(&model, &Checks::default(), true));
    assert_eq!(all.statistics.states, reduced.statistics.states);
    assert_eq!(reduced.statistics.partial_order, Some(Default::default()));
}

#[test]
fn verdicts_are_those_of_the_search_of_all_states() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    for entry in std::fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("a file").path();
        let model = load_model(&path).expect("it can be read").model.expect("it is right");
        for checks in [Checks::default(), deadlocks(), Checks { invariant: Some(vec![]), ..deadlocks() }] {
            both(&model, &checks);
        }
    }
}
