//! Proves that a refinement refines, for every size of its sets: the symbolic engines on the machine in which the abstractions
//! follow it ([`bsym_language::model::simulation`]).

use std::sync::Arc;
use std::time::{Duration, Instant};

use bsym_encodings::session::open::{self, SolverChoice};
use bsym_engines::ic3::binders;
use bsym_engines::options::Job;
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress, Verdict};
use bsym_language::model::simulation::{Undetermined, simulation};
use bsym_language::model::{Model, Refined};
use bsym_proofs::claim::Property;
use bsym_semantics::scope::Scope;

use crate::answer::proof::ProofObject;
use crate::answer::refinement::SimulationObject;
use crate::answer::scope::ScopeObject;
use crate::control::Control;

/// Tries it, for so long. `scope` has no sizes but those that were asked for.
pub(super) fn prove(
    model: &Model,
    refined: &Refined,
    scope: &Scope,
    solver: &SolverChoice,
    longest: Option<Duration>,
    control: &Control,
) -> SimulationObject {
    let begin = Instant::now();
    let mut object = SimulationObject {
        scope: ScopeObject::new(model, scope, &Default::default()),
        engine: None,
        proof: None,
        message: None,
        seconds: 0.0,
    };
    let mut joint = match simulation(model, refined) {
        Ok(joint) => joint,
        Err(why) => {
            object.message = Some(undetermined(model, &why));
            return object;
        }
    };
    binders::add(&mut joint);
    let joint = Arc::new(joint);
    let conjuncts = (0..joint.invariant.len()).map(Property::Invariant).collect();
    let budget = longest.map_or_else(|| control.budget.clone(), |time| control.budget.within(time));
    let job = Job::new(joint.clone(), scope.clone(), conjuncts, budget);
    let job = Job { well_definedness: true, representations: Default::default(), ..job };
    let report = run(&job, Engine::Check, &mut |terms| open::open(terms, solver), &mut |_: &Progress| {});
    object.seconds = begin.elapsed().as_secs_f64();
    match &report.verdict {
        Verdict::Holds(proof) => {
            object.engine = Some(report.engine.name().to_string());
            object.proof = Some(ProofObject::new(&joint, proof).into());
        }
        Verdict::Violated(_) => {
            let why = "the values that follow from the gluing invariant and from what the abstraction assigns do not do";
            object.message = Some(why.into());
        }
        _ => object.message = Some("the engines do not decide it".into()),
    }
    object
}

fn undetermined(model: &Model, why: &Undetermined) -> String {
    let machine = &model.components[why.component.index()].name;
    let operation = why.operation.as_deref().unwrap_or("INITIALISATION");
    match &why.variable {
        Some(variable) => {
            format!("no equation says which value {operation} of {machine} gives to `{variable}`")
        }
        None => format!("{operation} of {machine} is a sequence or a loop"),
    }
}
