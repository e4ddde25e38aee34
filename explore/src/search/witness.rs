//! From a state back to an initial one: the trace of a violation, found again and replayed by the
//! reference evaluator.

use bsym_language::model::EventId;
use bsym_semantics::bounded::Cuts;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::replay::{Checks, replay_with};
use bsym_semantics::state::{Constants, State, Step, Trace};
use bsym_semantics::transitions::{Edge, Edges};
use bsym_semantics::value::Value;

use crate::report::Counterexample;

/// A path of states from an initial one, and perhaps a last step that reaches no state.
pub struct Path {
    /// Values of the constants.
    pub constants: Constants,
    /// The states in order.
    pub states: Vec<State>,
    /// The step that goes wrong after the last state; after none it is the initialisation.
    pub failure: Option<Edge>,
}

/// The counterexample that a path shows.
///
/// # Errors
/// A step could not be found again, or the trace does not replay to a violation.
pub fn counterexample(eval: &Evaluator<'_>, path: Path, checks: &Checks) -> Result<Counterexample, String> {
    // What was found among a part of the values is found among them again, and judged among all.
    let cuts = Cuts::default();
    let (all, eval) = (eval.with_all_choices(), &eval.with_bounded_choices(&cuts));
    let mut steps = Vec::with_capacity(path.states.len() + 1);
    let mut before: Option<&[Value]> = None;
    for state in &path.states {
        let edge = step_to(eval, &path.constants, before, state).map_err(|why| {
            let why = why.map(|e| format!(": {}", e.message)).unwrap_or_default();
            format!("no step leads to state {} of the trace{why}", steps.len())
        })?;
        steps.push(Step { event: edge.event, execution: edge.execution, state: Some(state.clone()) });
        before = Some(state);
    }
    if let Some(edge) = path.failure {
        steps.push(Step { event: edge.event, execution: edge.execution, state: None });
    }
    let trace = Trace { scope: eval.scope.clone(), constants: path.constants, steps };
    let replayed = replay_with(&all, &trace, checks).map_err(|e| e.to_string())?;
    if replayed.violations.is_empty() {
        return Err("the trace replays, but nothing is wrong at its end".into());
    }
    Ok(Counterexample { trace, violations: replayed.violations })
}

/// An edge between two states; from nowhere it is the initialisation. Without one, why it may be missing.
fn step_to(
    eval: &Evaluator<'_>,
    constants: &[Value],
    before: Option<&[Value]>,
    state: &State,
) -> Result<Edge, Option<EvalError>> {
    let mut why = None;
    let mut find = |edges: Edges| {
        let Edges { edges, incomplete } = edges;
        let found = edges.into_iter().find(|e| e.state() == Some(state));
        if found.is_none() && why.is_none() {
            why = incomplete.into_iter().next().map(|(_, e)| e);
        }
        found
    };
    let found = match before {
        None => find(eval.initial_states(constants)),
        Some(before) => (0..eval.model.events.len() as u32)
            .find_map(|e| find(eval.successors_of(EventId(e), constants, before))),
    };
    found.ok_or(why)
}
