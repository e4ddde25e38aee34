//! From a solver's model to a replayed trace.

use bsym_encodings::concretize::read_trace;
use bsym_encodings::session::{Model, SolverError};
use bsym_semantics::trace::replay::{Checks, replay, replay_from_any_state, with_results};
use bsym_semantics::trace::{Trace, Violation};
use bsym_semantics::verdict::Counterexample;

use crate::options::Job;
use crate::paths::Taken;
use crate::problem::Problem;
use crate::verdict::{CounterexampleToInduction, violated_properties};
use bsym_proofs::claim::Property;

/// Result of replaying a solver's model.
#[derive(Debug)]
pub enum Attempt {
    /// The trace replays and ends in a violation of what is asked.
    Found(Box<Counterexample>),
    /// The model is no counterexample; the reason with the step.
    Failed(String),
}

impl Attempt {
    /// Returns whether a counterexample was found.
    pub fn is_found(&self) -> bool {
        matches!(self, Attempt::Found(_))
    }
}

/// Reads the trace of a model and replays it on the concrete semantics.
///
/// # Errors
/// If the solver fails.
pub fn attempt(
    problem: &mut Problem,
    job: &Job,
    model: &mut Model<'_>,
    taken: Taken,
) -> Result<Attempt, SolverError> {
    let trace =
        match read_trace(&problem.system, &mut problem.unrolling, model, &taken.events, taken.last_fails) {
            Ok(trace) => trace,
            Err(e) => return Ok(Attempt::Failed(e.to_string())),
        };
    Ok(confirm(job, trace))
}

/// Returns the checks to make in the states of a trace.
pub fn looked_for(job: &Job) -> Checks {
    let conjuncts = job.properties.iter().filter_map(|p| match p {
        Property::Invariant(i) => Some(*i),
        _ => None,
    });
    Checks {
        invariant: Some(conjuncts.collect()),
        assertions: job.properties.iter().any(|p| matches!(p, Property::Assertion(_))),
        deadlock: job.properties.contains(&Property::DeadlockFree),
        goal: job.properties.contains(&Property::NoGoal),
        well_definedness: job.well_definedness,
    }
}

/// Replays a trace and looks for a violation of what is asked at its end.
pub fn confirm(job: &Job, trace: Trace) -> Attempt {
    match replay(&job.model, &trace, &looked_for(job)) {
        Ok(replayed) => {
            let mut violations = replayed.violations;
            violations.retain(|v| concerns(job, v));
            if violations.is_empty() {
                Attempt::Failed("the trace replays, but its last state violates nothing".into())
            } else {
                let trace = with_results(&job.model, trace);
                Attempt::Found(Box::new(Counterexample { trace, violations }))
            }
        }
        Err(e) => Attempt::Failed(format!("the solver's model does not replay: {e}")),
    }
}

/// Returns whether a violation is one of a property that is asked.
fn concerns(job: &Job, violation: &Violation) -> bool {
    violated_properties(violation).iter().any(|p| job.properties.contains(p))
        || match violation {
            Violation::IllDefined(_) => job.well_definedness,
            Violation::Assert(_) | Violation::Precondition(_) | Violation::Refinement(_) => true,
            _ => false,
        }
}

/// Replays a path that a solver found and that need not begin in an initial state. Returns `None` if the evaluator does
/// not confirm that it keeps the invariant from being inductive. `clear` is a number of events within which no
/// violation is reached.
pub fn confirm_induction(job: &Job, trace: Trace, clear: Option<usize>) -> Option<CounterexampleToInduction> {
    let replayed = replay_from_any_state(&job.model, &trace, &looked_for(job)).ok()?;
    let mut violations = replayed.violations;
    violations.retain(|v| concerns(job, v));
    let steps = trace.steps.len() - 1;
    let is_step = !violations.is_empty() && replayed.first_violated == Some(steps);
    let not_reached_within = clear.and_then(|clear| clear.checked_sub(steps));
    is_step.then_some(CounterexampleToInduction { trace, violations, not_reached_within })
}
