//! Proof status changes the queries: a fully proven event is absent from the violating step.
#![cfg(feature = "z3")]

mod common;

use std::collections::BTreeSet;

use bsym_encodings::term::Terms;
use bsym_engines::problem::Problem;
use bsym_engines::verdict::Engine;
use bsym_language::model::EventId;
use bsym_semantics::scope::ScopeRequest;
use common::*;

const TEXT: &str = "MACHINE M VARIABLES x, y INVARIANT x < 9 & y < 9 INITIALISATION x, y := 0, 0
OPERATIONS left = SELECT x < 8 THEN x := x + 1 END; right = SELECT y < 8 THEN y := y + 1 END END";

#[test]
fn a_fully_proven_event_is_absent_from_the_violating_step() {
    let model = model(TEXT);
    let mut job = job(&model, &ScopeRequest::default());
    let (left, right) = (Some(EventId(0)), Some(EventId(1)));
    let mut problem = Problem::new(&job, &BTreeSet::new(), &mut open).unwrap();
    let without = problem.violated_after(&job, left, 1);
    assert_ne!(without, Terms::FALSE);
    job.status.insert((left, 0), claimed());
    let half = problem.violated_after(&job, left, 1);
    assert!(half != Terms::FALSE && half != without, "the unproven conjunct stays");
    job.status.insert((left, 1), claimed());
    assert_eq!(problem.violated_after(&job, left, 1), Terms::FALSE);
    assert_ne!(problem.violated_after(&job, right, 1), Terms::FALSE);
}

#[test]
fn status_is_not_used_where_not_the_whole_invariant_is_assumed() {
    let model = model(TEXT);
    let mut job = job(&model, &ScopeRequest::default());
    job.status = full_status(&model);
    job.properties.truncate(1);
    let mut problem = Problem::new(&job, &BTreeSet::new(), &mut open).unwrap();
    assert_ne!(problem.violated_after(&job, Some(EventId(0)), 1), Terms::FALSE);
}

#[test]
fn a_wrong_status_that_ends_every_path_is_taken_back() {
    let text = "MACHINE M VARIABLES x INVARIANT x < 3 INITIALISATION x := 0
    OPERATIONS up = BEGIN x := x + 1 END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.status = full_status(&model);
    for engine in [Engine::Bmc, Engine::Kind, Engine::Ic3] {
        let report = report(&job, engine);
        assert_eq!(answer(&report), "violated 3", "{engine:?}");
        assert_eq!(report.wrong_statuses, [(Some(EventId(0)), 0)], "{engine:?}");
    }
}
