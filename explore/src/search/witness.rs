//! From a state back to an initial one: the trace of a violation, found again step by step and replayed by the
//! reference evaluator.
//!
//! A search stores of each state the one that it was first reached from. What it stores may stand for other states, so
//! that the path need not be a path: it is walked from its beginning, each time by a step whose target the stored state
//! stands for.

use bsym_language::model::EventId;
use bsym_semantics::bounded::Cuts;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::replay::{Checks, replay_with};
use bsym_semantics::state::{Constants, State, Step, Trace};
use bsym_semantics::transition::{self, Outcome};

use crate::report::Counterexample;
use crate::space::machine::Machine;
use crate::space::system::{Expansion, System};
use crate::space::updates::Updates;

/// A step that reaches no state.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The event; `None` is the initialisation.
    pub event: Option<EventId>,
    /// What goes wrong.
    pub outcome: Outcome,
}

/// States as they are stored, from an initial one, and perhaps a last step that reaches none.
pub struct Path {
    /// The valuation of the constants.
    pub valuation: usize,
    /// The states in order.
    pub rows: Vec<Vec<u32>>,
    /// The step that goes wrong after the last state; after none it is the initialisation.
    pub failure: Option<Failure>,
}

/// The counterexample that a path shows. `stands_for` says whether a stored state stands for one that was reached.
///
/// # Errors
/// A step could not be found again, or the trace does not replay to a violation.
pub fn counterexample(
    machine: &mut Machine<'_>,
    path: Path,
    stands_for: &mut dyn FnMut(&[u32], &[u32]) -> bool,
    checks: &Checks,
) -> Result<Counterexample, String> {
    let constants = machine.context.valuations[path.valuation].clone();
    // What was found among a part of the values is found among them again, and judged among all.
    let cuts = Cuts::default();
    let eval = machine.context.eval;
    let (all, eval) = (eval.with_all_choices(), eval.with_bounded_choices(&cuts));
    let mut steps = Vec::with_capacity(path.rows.len() + 1);
    let mut here: Option<(Vec<u32>, State)> = None;
    for stored in &path.rows {
        let mut why = None;
        let before = here.as_ref().map(|(row, state)| (&row[..], &state[..]));
        let (event, row) = match before {
            None => (None, stored.clone()),
            Some((row, _)) => step_to(machine, row, &mut |reached| stands_for(stored, reached), &mut why)
                .ok_or_else(|| {
                    let why = why.take().map(|e| format!(": {}", e.message)).unwrap_or_default();
                    format!("no step leads to state {} of the trace{why}", steps.len())
                })?,
        };
        let state = machine.context.decode_state(&row);
        let reaches = |edge: &transition::Edge| edge.state() == Some(&state);
        let edge =
            find(&eval, &constants, before.map(|(_, state)| state), event, &reaches).map_err(|why| {
                let why = why.map(|e| format!(": {}", e.message)).unwrap_or_default();
                format!("no step leads to state {} of the trace{why}", steps.len())
            })?;
        steps.push(Step { event, execution: edge.execution, state: Some(state.clone()) });
        here = Some((row, state));
    }
    if let Some(Failure { event, outcome }) = path.failure {
        let fails = |edge: &transition::Edge| is_same_failure(&edge.outcome, &outcome);
        let before = here.as_ref().map(|(_, state)| &state[..]);
        let edge = find(&eval, &constants, before, event, &fails)
            .map_err(|_| "the step that goes wrong is not found again".to_owned())?;
        steps.push(Step { event, execution: edge.execution, state: None });
    }
    let trace = Trace { scope: eval.scope.clone(), constants, steps };
    let replayed = replay_with(&all, &trace, checks).map_err(|e| e.to_string())?;
    if replayed.violations.is_empty() {
        return Err("the trace replays, but nothing is wrong at its end".into());
    }
    Ok(Counterexample { trace, violations: replayed.violations })
}

/// The first step out of a state to one that will do: its event, and the row reached.
fn step_to(
    machine: &mut Machine<'_>,
    row: &[u32],
    will_do: &mut dyn FnMut(&[u32]) -> bool,
    why: &mut Option<EvalError>,
) -> Option<(Option<EventId>, Vec<u32>)> {
    let matrix = machine.matrix.clone();
    let mut updates = Updates::default();
    for (group, shape) in matrix.group_ids().zip(&matrix.groups) {
        let event = Some(machine.event(group));
        match machine.next(group, row, &mut updates) {
            Expansion::Moves(_) => {
                for update in updates.iter() {
                    let mut next = row.to_vec();
                    update.apply(&shape.may_write, &mut next);
                    if will_do(&next) {
                        return Some((event, next));
                    }
                }
            }
            Expansion::Edges(edges) => {
                if let Some(next) =
                    edges.edges.iter().filter_map(|edge| edge.row()).find(|next| will_do(next))
                {
                    return Some((event, next.to_vec()));
                }
                *why = why.take().or(edges.incomplete);
            }
        }
    }
    None
}

/// The first edge of an event, or of the initialisation, that will do. Without one, why it may be missing.
fn find(
    eval: &Evaluator<'_>,
    constants: &Constants,
    before: Option<&[bsym_semantics::value::Value]>,
    event: Option<EventId>,
    will_do: &dyn Fn(&transition::Edge) -> bool,
) -> Result<transition::Edge, Option<EvalError>> {
    let edges = match (event, before) {
        (Some(event), Some(before)) => eval.successors_of(event, constants, before),
        _ => eval.initial_states(constants),
    };
    let missing = edges.incomplete.into_iter().next().map(|(_, e)| e);
    edges.edges.into_iter().find(will_do).ok_or(missing)
}

/// Whether the same place goes wrong in the same way, be it with other values.
fn is_same_failure(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::IllDefined(a), Outcome::IllDefined(b)) => a.kind == b.kind && a.span == b.span,
        (Outcome::Reached { .. }, _) => false,
        _ => a == b,
    }
}
