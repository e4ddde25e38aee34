//! From a path of pairs to a trace of the refinement, replayed by the reference evaluator, and the abstract states beside
//! it, found again by the reference reading.

use std::collections::BTreeSet;

use bsym_language::model::{EventId, SideBySide};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::refinement::{Following, Levels, Seen};
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::transition::{self, Outcome};
use bsym_semantics::value::Value;

/// A step of a refinement that its abstractions cannot match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    /// The states of the refinement, with the step that is not matched as the last one.
    pub trace: Trace,
    /// The abstract states that are related to the state before that step; there are none before the initialisation.
    pub related: Related,
    /// What is not matched.
    pub step: UnmatchedStep,
    /// What the abstraction could have done instead with the same arguments, without regard to the gluing invariant: results
    /// and abstract states; some of them.
    pub instead: Vec<(Vec<Value>, State)>,
}

/// Abstract states by position of the trace.
pub type Related = Vec<BTreeSet<State>>;

/// What is not matched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnmatchedStep {
    /// No abstract initial state is related to the one of the refinement.
    Initialisation,
    /// No abstract operation with these results reaches a related state.
    Step {
        /// The event.
        event: EventId,
        /// Its arguments.
        parameters: Vec<Value>,
        /// Its results.
        results: Vec<Value>,
    },
    /// The abstraction allows the operation with these arguments and the refinement does not.
    Precondition {
        /// The event.
        event: EventId,
        /// The arguments.
        parameters: Vec<Value>,
    },
}

/// A pair on the way.
pub(super) struct PathStep {
    /// The event with arguments and results; `None` for the initialisation.
    pub(super) seen: Option<(EventId, Vec<Value>, Vec<Value>)>,
    pub(super) state: State,
    pub(super) related: BTreeSet<State>,
}

/// So many alternatives are told.
const TOLD: usize = 8;

/// The counterexample of a path, if it shows what it should. `reached` is the state of the refinement after the last step.
///
/// # Errors
/// A step could not be found again, or the reference reading finds a match.
pub(super) fn unmatched(
    own: &Evaluator<'_>,
    reference: &Evaluator<'_>,
    parts: &SideBySide,
    constants: Constants,
    path: Vec<PathStep>,
    last: UnmatchedStep,
    reached: Option<State>,
) -> Result<Unmatched, String> {
    let levels = Levels { eval: reference, parts, constants: &constants };
    let failed = |e: bsym_semantics::error::EvalError| format!("the trace cannot be repeated: {}", e.message);
    let mut steps: Vec<Step> = Vec::new();
    let mut related: Related = Vec::new();
    for step in &path {
        let seen = step.seen.as_ref();
        let before = steps.last().and_then(|s| s.state.clone());
        steps.push(execution(own, &constants, before.as_deref(), seen, &step.state)?);
        let now = match (seen, before, related.last()) {
            (Some((event, parameters, results)), Some(before), Some(set)) => {
                let seen = Seen { event: *event, parameters, results };
                match levels.follow(&before, set, seen, &step.state).map_err(failed)? {
                    Following::States(states) => states,
                    Following::Free => return Err("a call on the way is none that may be made".into()),
                }
            }
            _ => levels.initial(&step.state).map_err(failed)?,
        };
        if now != step.related {
            return Err("the abstract states beside the trace are others by their definition".into());
        }
        related.push(now);
    }
    let before = steps.last().and_then(|s| s.state.clone());
    let mut instead = Vec::new();
    let is_matched = match (&last, before, related.last(), reached) {
        (UnmatchedStep::Initialisation, _, _, Some(reached)) => {
            steps.push(execution(own, &constants, None, None, &reached)?);
            !levels.initial(&reached).map_err(failed)?.is_empty()
        }
        (UnmatchedStep::Step { event, parameters, results }, Some(before), Some(set), Some(reached)) => {
            let seen = (*event, parameters.clone(), results.clone());
            steps.push(execution(own, &constants, Some(&before), Some(&seen), &reached)?);
            instead = alternatives(&levels, &before, set, *event, parameters);
            let seen = Seen { event: *event, parameters, results };
            let following = levels.follow(&before, set, seen, &reached).map_err(failed)?;
            following != Following::States(BTreeSet::new())
        }
        (UnmatchedStep::Precondition { event, parameters }, Some(before), Some(set), _) => {
            !levels.narrowed(&before, set, *event).map_err(failed)?.contains(parameters)
        }
        _ => return Err("the trace has no state".into()),
    };
    if is_matched {
        return Err("the abstraction matches the last step by its definition".into());
    }
    let trace = Trace { scope: own.scope.clone(), constants: constants.clone(), steps };
    replay_with(own, &trace, &Checks { invariant: Some(vec![]), ..Checks::default() })
        .map_err(|e| e.to_string())?;
    Ok(Unmatched { trace, related, step: last, instead })
}

/// The trace of the refinement along a path.
///
/// # Errors
/// A step could not be found again.
pub(super) fn trace_of(
    own: &Evaluator<'_>,
    constants: &Constants,
    path: &[PathStep],
) -> Result<Trace, String> {
    let mut steps: Vec<Step> = Vec::new();
    for step in path {
        let before = steps.last().and_then(|s| s.state.as_deref());
        let next = execution(own, constants, before, step.seen.as_ref(), &step.state)?;
        steps.push(next);
    }
    Ok(Trace { scope: own.scope.clone(), constants: constants.clone(), steps })
}

/// How a step of the refinement is executed.
fn execution(
    own: &Evaluator<'_>,
    constants: &Constants,
    before: Option<&[Value]>,
    seen: Option<&(EventId, Vec<Value>, Vec<Value>)>,
    reached: &State,
) -> Result<Step, String> {
    let edges = match (seen, before) {
        (Some((event, ..)), Some(before)) => own.successors_of(*event, constants, before),
        _ => own.initial_states(constants),
    };
    let is_wanted = |edge: &transition::Edge| match &edge.outcome {
        Outcome::Reached { state, results: got } => {
            state == reached
                && seen.is_none_or(|(_, parameters, results)| {
                    *parameters == edge.execution.parameters && got == results
                })
        }
        _ => false,
    };
    let edge = edges.edges.into_iter().find(is_wanted).ok_or("a step of the trace is not found again")?;
    Ok(Step {
        event: seen.map(|(event, ..)| *event),
        execution: edge.execution,
        state: Some(reached.clone()),
    })
}

/// What the nearest level could have done with the same arguments.
fn alternatives(
    levels: &Levels<'_, '_>,
    before: &[Value],
    related: &BTreeSet<State>,
    event: EventId,
    parameters: &[Value],
) -> Vec<(Vec<Value>, State)> {
    let parts = levels.parts;
    let Some(followed) = parts.operations[event.index()].as_ref() else { return vec![] };
    let Some(Some(by)) = followed.by.first() else { return vec![] };
    let mut found = BTreeSet::new();
    for state in related {
        let here: State = before.iter().chain(state).cloned().collect();
        for edge in levels.eval.successors_of(*by, levels.constants, &here).edges {
            if let Outcome::Reached { state, results } = edge.outcome
                && edge.execution.parameters == parameters[..followed.parameters]
            {
                found.insert((results, state[before.len()..].to_vec()));
            }
        }
    }
    found.into_iter().take(TOLD).collect()
}
