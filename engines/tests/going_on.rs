//! Each property has its own answer, at most as many events as asked, and `--no-wd` means one thing.
#![cfg(feature = "z3")]

mod common;

use bsym_engines::verdict::{Engine, PropertyVerdict, Report, Verdict};
use bsym_proofs::claim::Property;
use bsym_semantics::scope::ScopeRequest;
use bsym_semantics::trace::Violation;
use common::*;

const ALL: [Engine; 5] = [Engine::Bmc, Engine::Tree, Engine::Kind, Engine::Ic3, Engine::Check];
const PROVERS: [Engine; 3] = [Engine::Kind, Engine::Ic3, Engine::Check];

fn all_reports(text: &str, properties: Option<&[usize]>, depth: Option<usize>) -> Vec<Report> {
    let model = model(text);
    let ask = |engine: Engine| {
        let mut job = job(&model, &ScopeRequest::default());
        if let Some(conjuncts) = properties {
            job.properties = conjuncts.iter().map(|&i| Property::Invariant(i)).collect();
        }
        job.keep_going = true;
        job.depth = depth;
        // Paths need not end, so that bounded model checking alone would go on.
        if matches!(engine, Engine::Bmc | Engine::Tree) {
            job.depth = Some(6);
        }
        report(&job, engine)
    };
    ALL.iter().map(|&engine| ask(engine)).collect()
}

fn verdicts(report: &Report) -> Vec<PropertyVerdict> {
    report.properties.iter().map(|p| p.1).collect()
}

#[test]
fn a_step_that_fails_does_not_hide_what_is_violated_later() {
    // The division fails after two events, the conjuncts after two and four.
    let text = "MACHINE M VARIABLES x, y INVARIANT x < 2 & y < 4 & x >= 0 INITIALISATION x, y := 0, 0
    OPERATIONS inc = SELECT x < 9 THEN x := x + 1 END; iny = SELECT y < 5 THEN y := y + 1 END;
    divide = SELECT x > 0 THEN y := 1 / (x - 1) END; check = SELECT y = 2 THEN ASSERT x > 0 THEN y := 0 END END END";
    for report in all_reports(text, None, None) {
        use PropertyVerdict::{Holds, Unknown, Violated};
        let last = if matches!(report.engine, Engine::Bmc | Engine::Tree) { Unknown } else { Holds };
        assert_eq!(verdicts(&report), [Violated, Violated, last], "{:?}", report.engine);
        let Verdict::Violated(first) = &report.verdict else { panic!("{}", answer(&report)) };
        let all: Vec<&Violation> =
            report.further.iter().chain([&**first]).flat_map(|c| &c.violations).collect();
        assert_eq!(all.len(), 4, "{:?}: {all:?}", report.engine);
        assert!(all.iter().any(|v| matches!(v, Violation::Assert(_))));
        assert!(all.iter().any(|v| matches!(v, Violation::IllDefined(_))));
    }
}

#[test]
fn what_has_no_meaning_behind_a_violated_conjunct_is_not_found_again_and_again() {
    // Where the third has no meaning the first is false, so only the first is violated there.
    let text = "MACHINE M VARIABLES x, y INVARIANT x < 3 & y : 0..2 & 10 mod (3 - x) >= 0
    INITIALISATION x, y := 0, 0
    OPERATIONS inc = SELECT x < 5 THEN x := x + 1 END; iny = SELECT y < 8 THEN y := y + 1 END END";
    for report in all_reports(text, None, Some(8)) {
        assert_eq!(report.further.len(), 1, "{:?}", report.engine);
        use PropertyVerdict::Violated;
        assert_eq!(verdicts(&report)[..2], [Violated, Violated], "{:?}", report.engine);
    }
    // Asked alone it is no violation: the evaluator looks at it where those before it hold.
    for report in all_reports(&text.replace("(3 - x)", "(4 - x)"), Some(&[1, 2]), Some(8)) {
        assert_eq!(verdicts(&report)[0], PropertyVerdict::Violated, "{:?}", report.engine);
        assert!(report.further.is_empty(), "{:?}", report.engine);
    }
}

#[test]
fn several_conjuncts_are_answered_each() {
    let text =
        "MACHINE M VARIABLES x, y INVARIANT x < 3 & y < 2 & x >= 0 & y >= 0 INITIALISATION x, y := 0, 0
    OPERATIONS inc = SELECT x < 9 THEN x := x + 1 END; iny = SELECT y < 5 THEN y := y + 1 END END";
    for report in all_reports(text, Some(&[0, 1]), None) {
        assert_eq!(verdicts(&report), [PropertyVerdict::Violated; 2], "{:?}", report.engine);
        assert_eq!(report.further.len(), 1);
    }
}

#[test]
fn a_step_that_fails_counts_as_an_event() {
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..5 INITIALISATION x := 2
    OPERATIONS dec = SELECT x > 0 THEN x := x - 1 END; divide = SELECT x = 1 THEN x := 1 / (x - 1) END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    for (depth, expected) in [(1, "unknown"), (2, "violated 2"), (0, "unknown")] {
        job.depth = Some(depth);
        for engine in [Engine::Bmc, Engine::Kind] {
            let said = answer(&report(&job, engine));
            assert!(said.starts_with(expected), "{engine:?} {depth}: {said}");
        }
    }
}

#[test]
fn without_well_definedness_a_conjunct_is_violated_only_where_it_has_a_meaning() {
    let text = "MACHINE M VARIABLES x INVARIANT 7 / (x - 2) > -9 & x : 0..4 INITIALISATION x := 0
    OPERATIONS any = x :: 0..4; down = SELECT 7 / (x - 2) > 0 THEN x := x - 1 END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    for engine in ALL {
        assert!(answer(&report(&job, engine)).starts_with("violated"), "{engine:?}");
    }
    job.well_definedness = false;
    for engine in PROVERS {
        assert_eq!(answer(&report(&job, engine)), "holds", "{engine:?}");
    }
    // A status speaks of states in which the whole invariant has a meaning, so it does not help here.
    job.status = full_status(&model);
    for engine in PROVERS {
        assert_eq!(answer(&report(&job, engine)), "holds", "{engine:?}");
    }
}
