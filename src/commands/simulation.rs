//! Proves that a refinement is correct, for every size of its sets. The symbolic engines work on the machine in which
//! the abstractions follow it ([`bsym_language::model::simulation`]). A violation that they find there is one of the
//! refinement where the definition confirms it.

use std::time::Instant;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::open::SolverChoice;
use bsym_engines::contestant::opener;
use bsym_engines::options::{Job, QuantifiableModel};
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress};
use bsym_explore::refinement::{Unmatched, of_simulation};
use bsym_explore::search::Problem;
use bsym_language::model::simulation::{Cause, Undetermined, first_gluing, simulation};
use bsym_language::model::{Model, Refined};
use bsym_proofs::claim::Property;
use bsym_semantics::scope::Scope;
use bsym_semantics::verdict::Verdict;

use crate::answer::proof::ProofObject;
use crate::answer::refinement::SimulationObject;
use crate::answer::scope::ScopeObject;
use crate::tuning::tuning;

/// The result of an attempt.
#[derive(Clone)]
pub(super) struct Simulated {
    /// Its object in the answer.
    pub(super) object: SimulationObject,
    /// The proof as one about the refinement, with the name of its engine: its invariant and its refinement hold.
    pub(super) proof: Option<(String, Box<ProofObject>)>,
    /// A violation that the definition confirms.
    pub(super) violated: Option<Box<Unmatched>>,
}

/// Tries to prove the refinement. `scope` only has the sizes that were asked for.
pub(super) fn prove(
    model: &Model,
    refined: &Refined,
    scope: &Scope,
    solver: &SolverChoice,
    budget: Budget,
) -> Simulated {
    let begin = Instant::now();
    let mut object = not_decided(model, scope);
    let mut joint = match simulation(model, refined) {
        Ok(joint) => joint,
        Err(why) => {
            object.message = Some(undetermined(model, &why));
            return Simulated { object, proof: None, violated: None };
        }
    };
    // Assertions about the refinement's own states are proved together with it.
    joint.assertions = model.assertions.clone();
    let joint = QuantifiableModel::from(joint);
    let conjuncts = (0..joint.invariant.len()).map(Property::Invariant);
    let assertions = (0..joint.assertions.len()).map(Property::Assertion);
    let job = Job::new(joint.clone(), scope.clone(), conjuncts.chain(assertions).collect(), budget);
    let job = Job { well_definedness: true, representations: Default::default(), ..job };
    let report = run(&job, Engine::Check, &opener(solver.clone()), &mut |_: &Progress| {});
    object.seconds = begin.elapsed().as_secs_f64();
    let (mut found, mut violated) = (None, None);
    match &report.verdict {
        Verdict::Holds(proof) => {
            let engine = report.engine.name().to_string();
            let proof = ProofObject { of_levels: true, ..ProofObject::new(&joint, proof) };
            object.engine = Some(engine.clone());
            object.message = None;
            object.proof = Some(proof.clone().into());
            found = Some((engine, Box::new(proof)));
        }
        Verdict::Violated(counterexample) => {
            let parts = refined.side_by_side(model);
            let problem = Problem { model: &parts.model, scope: &counterexample.trace.scope, finder: None };
            let shown = (&counterexample.trace, &counterexample.violations[..]);
            let first = first_gluing(model, refined);
            match of_simulation(&problem, &parts, model, &joint, shown, first, tuning().scopes.simulated) {
                Ok(unmatched) => {
                    object.message = Some("a step is not matched".into());
                    violated = Some(Box::new(unmatched));
                }
                Err(_) => {
                    let why = "the values that follow from the gluing invariant and from what the abstraction assigns \
                               violate an invariant or may not be taken";
                    object.message = Some(why.into());
                }
            }
        }
        _ => {}
    }
    Simulated { object, proof: found, violated }
}

/// Makes the object of an attempt that has no result.
pub(super) fn not_decided(model: &Model, scope: &Scope) -> SimulationObject {
    SimulationObject {
        scope: ScopeObject::new(model, scope, &Default::default()),
        engine: None,
        proof: None,
        message: Some("the engines do not decide it".into()),
        seconds: 0.0,
    }
}

fn undetermined(model: &Model, why: &Undetermined) -> String {
    let machine = &model.text.components[why.component.index()].name;
    let operation = why.operation.as_deref().unwrap_or("INITIALISATION");
    match &why.cause {
        Cause::NoEquation(variable) => {
            format!("no equation says which value {operation} of {machine} gives to `{variable}`")
        }
        Cause::NoPredicate(cause) => {
            format!("{operation} of {machine} has no before-after predicate: {cause}")
        }
    }
}
