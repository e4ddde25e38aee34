//! Invariants for open obligations: what counts as open.
#![cfg(feature = "z3")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_engines::auxiliary::strengthen;
use bsym_engines::options::Job;
use bsym_engines::verdict::Progress;
use bsym_language::model::{EventId, Model, RefinementId};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_status::{Check, ProofStatus, StepCheck};
use common::{claimed, full_status, model_of, open};

fn open_with(model: &Arc<Model>, status: ProofStatus) -> Vec<String> {
    let scope = Scope::settle(model, &ScopeRequest::default()).expect("a scope");
    let budget = Budget::unlimited().within(Duration::from_secs(20)).per_query(Duration::from_secs(2));
    let job = Job { well_definedness: true, status, ..Job::new(model.clone(), scope, vec![], budget) };
    strengthen(&job, &mut open, &mut |_: &Progress| {}, &mut |_| {}).expect("an answer").open
}

/// What other provers discharged is not open: also where it is about a step, as that a guard is strong enough.
#[test]
fn what_the_status_says_of_a_step_is_not_open() {
    let tank = Path::new(env!("CARGO_MANIFEST_DIR")).join("../language/tests/eventb/tank_weak.eventb");
    let model = model_of(&tank).expect("a model");
    assert_eq!(open_with(&model, ProofStatus::none()), ["drop/grd2/GRD"]);
    let mut status = full_status(&model);
    assert_eq!(open_with(&model, status.clone()), ["drop/grd2/GRD"]);
    for event in (0..model.events.len() as u32).map(EventId) {
        for id in (0..model.refinement.checks.len() as u32).map(RefinementId) {
            status.insert_check(Check::Step(Some(event), StepCheck::Refinement(id)), claimed());
        }
    }
    assert_eq!(open_with(&model, status), Vec::<String>::new());
}
