//! Proof status changes the queries: a fully proven event is absent from the violating step.
#![cfg(feature = "z3")]

mod common;

use bsym_encodings::term::Terms;
use bsym_engines::excluded::Excluded;
use bsym_engines::problem::Problem;
use bsym_engines::verdict::{Engine, Verdict};
use bsym_language::model::EventId;
use bsym_semantics::scope::ScopeRequest;
use bsym_semantics::verdict::Condition;
use bsym_status::PairStatus;
use common::*;

const TEXT: &str = "MACHINE M VARIABLES x, y INVARIANT x < 9 & y < 9 INITIALISATION x, y := 0, 0
OPERATIONS left = SELECT x < 8 THEN x := x + 1 END; right = SELECT y < 8 THEN y := y + 1 END END";

#[test]
fn a_fully_proven_event_is_absent_from_the_violating_step() {
    let model = model(TEXT);
    let mut job = job(&model, &ScopeRequest::default());
    let (left, right) = (Some(EventId(0)), Some(EventId(1)));
    let mut problem = Problem::new(&job, &Excluded::default(), &mut open).unwrap();
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
    let mut problem = Problem::new(&job, &Excluded::default(), &mut open).unwrap();
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

/// Everything is proven, says a tool.
fn tool_status(model: &bsym_language::model::Model) -> bsym_status::ProofStatus {
    let mut status = full_status(model);
    let pairs: Vec<_> = status.iter().map(|(pair, _)| pair).collect();
    for (event, i) in pairs {
        let level = bsym_status::Level::Tool;
        status.insert((event, i), PairStatus { provers: vec!["tool".into()], level });
    }
    status
}

#[test]
fn a_proof_that_rests_on_trust_is_a_condition() {
    // No solver decides whether 390 is a sum of three cubes.
    let text = "MACHINE M VARIABLES x, y, z INVARIANT x * x * x + y * y * y + z * z * z /= 390
    INITIALISATION x, y, z := 0, 0, 0
    OPERATIONS pick(a, b, c) = PRE a : INTEGER & b : INTEGER & c : INTEGER THEN x, y, z := a, b, c END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.status = tool_status(&model);
    job.query_time = Some(std::time::Duration::from_millis(300));
    for engine in [Engine::Kind, Engine::Ic3] {
        job.trust.accept_trusted = false;
        let first = report(&job, engine);
        let Verdict::Conditional(proof, conditions) = &first.verdict else {
            panic!("{engine:?}: {}", answer(&first))
        };
        assert_eq!(conditions[..], [Condition::RestsOnTrust]);
        assert_eq!(proof.checked.trusted, [(Some(EventId(0)), 0)], "{engine:?}");
        job.trust.accept_trusted = true;
        assert_eq!(answer(&report(&job, engine)), "holds", "{engine:?}");
    }
}

#[test]
fn what_is_trusted_gets_a_real_attempt() {
    // A block may be split off itself, which leaves the empty one. The status says that it may not.
    let text = "MACHINE M VARIABLES blocks INVARIANT blocks <: POW(0..3) & {} /: blocks
    INITIALISATION blocks := {{0}, {1}, {2}, {3}}
    OPERATIONS
      join(a, b) = PRE a : blocks & b : blocks & a /= b THEN blocks := (blocks - {a, b}) \\/ {a \\/ b} END;
      split(a, b) = PRE a : blocks & b <: a & b /= {} THEN blocks := (blocks - {a}) \\/ {b, a - b} END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.status = tool_status(&model);
    job.depth = Some(2);
    for engine in [Engine::Bmc, Engine::Kind, Engine::Check] {
        let report = report(&job, engine);
        assert!(report.wrong_statuses.contains(&(Some(EventId(1)), 1)), "{engine:?}: {}", answer(&report));
        assert!(answer(&report).starts_with("violated"), "{engine:?}: {}", answer(&report));
    }
}
