//! From a state back to an initial one: the trace of a violation, found again step by step and replayed by the
//! reference evaluator.
//!
//! A search stores for each state the one that it was first reached from. Stored states may stand for others, so that
//! the path need not be a path of the model: it is followed from its beginning, each time by a step whose target the
//! stored state stands for.

use bsym_language::model::EventId;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::state::State;
use bsym_semantics::transition::{self, Outcome};
use bsym_semantics::verdict::Counterexample;

use crate::space::machine::Machine;
use crate::space::system::{Expansion, System};
use crate::space::updates::Updates;

/// A step that reaches no state.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The event; `None` is the initialisation.
    pub event: Option<EventId>,
    /// How the step goes wrong.
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

/// Callback that returns whether a stored state stands for one that was reached.
pub type StandsFor<'a> = &'a mut dyn FnMut(&mut Machine<'_>, &[u32], &[u32]) -> bool;

/// The counterexample that a path shows.
///
/// # Errors
/// If a step could not be found again, or the trace does not replay to a violation.
pub fn counterexample(
    machine: &mut Machine<'_>,
    path: Path,
    stands_for: StandsFor<'_>,
    checks: &Checks,
) -> Result<Counterexample, String> {
    let constants = machine.context.valuations[path.valuation].clone();
    // Steps that were found among some of the values are found among them again, and judged among all values.
    let cuts = Cuts::default();
    let eval = machine.context.eval;
    let (all, eval) = (eval.with_all_choices(), eval.with_bounded_choices(&cuts));
    // If an event was sampled later, all its executions may have been taken before.
    machine.sampled.finds_again = true;
    let mut steps = Vec::with_capacity(path.rows.len() + 1);
    let mut here: Option<(Vec<u32>, State)> = None;
    for stored in &path.rows {
        let before = here.as_ref().map(|(row, state)| (&row[..], &state[..]));
        let no_step = |why: Option<EvalError>| {
            let why = why.map(|e| format!(": {}", e.message)).unwrap_or_default();
            format!("no step leads to state {} of the trace{why}", steps.len())
        };
        let mut will_do = |machine: &mut Machine<'_>, reached: &[u32]| stands_for(machine, stored, reached);
        let (event, row) = match before {
            None => initial(machine, path.valuation, &mut will_do).map(|row| (None, row)),
            Some((row, _)) => step_to(machine, row, &mut will_do),
        }
        .map_err(no_step)?;
        let state = machine.context.decode_state(&row);
        let reaches = |edge: &transition::Edge| edge.state() == Some(&state);
        let edge = find((machine, path.valuation), &eval, before.map(|(_, state)| state), event, &reaches)
            .map_err(no_step)?;
        steps.push(Step { event, execution: edge.execution, state: Some(state.clone()) });
        here = Some((row, state));
    }
    if let Some(Failure { event, outcome }) = path.failure {
        let fails = |edge: &transition::Edge| is_same_failure(&edge.outcome, &outcome);
        let before = here.as_ref().map(|(_, state)| &state[..]);
        let edge = find((machine, path.valuation), &eval, before, event, &fails)
            .map_err(|_| "the step that goes wrong is not found again".to_owned())?;
        steps.push(Step { event, execution: edge.execution, state: None });
    }
    let trace = Trace::new(eval.scope.clone(), constants, steps);
    let replayed = replay_with(&all, &trace, checks).map_err(|e| e.to_string())?;
    if replayed.violations.is_empty() {
        return Err("the trace replays, but nothing is wrong at its end".into());
    }
    Ok(Counterexample { trace, violations: replayed.violations })
}

/// Callback that returns whether a reached state is the wanted one.
type WillDo<'a> = &'a mut dyn FnMut(&mut Machine<'_>, &[u32]) -> bool;

/// The first initial state that satisfies the callback; otherwise why it may be missing.
fn initial(
    machine: &mut Machine<'_>,
    valuation: usize,
    will_do: WillDo<'_>,
) -> Result<Vec<u32>, Option<EvalError>> {
    let initial = machine.initial(valuation, usize::MAX);
    let mut rows = initial.edges.iter().filter_map(|edge| edge.row());
    rows.find(|row| will_do(machine, row)).map(<[u32]>::to_vec).ok_or(initial.incomplete)
}

/// The first step out of a state to one that satisfies the callback: its event, and the row reached. Otherwise why it
/// may be missing.
fn step_to(
    machine: &mut Machine<'_>,
    row: &[u32],
    will_do: WillDo<'_>,
) -> Result<(Option<EventId>, Vec<u32>), Option<EvalError>> {
    let matrix = machine.matrix.clone();
    let (mut updates, mut why) = (Updates::default(), None);
    for (group, shape) in matrix.group_ids().zip(&matrix.groups) {
        let event = Some(machine.event(group));
        match machine.next(group, row, &mut updates) {
            Expansion::Moves(_) => {
                for update in updates.iter() {
                    let next = update.target(&shape.may_write, row);
                    if will_do(machine, &next) {
                        return Ok((event, next));
                    }
                }
            }
            Expansion::Edges(edges) => {
                let mut rows = edges.edges.iter().filter_map(|edge| edge.row());
                if let Some(next) = rows.find(|next| will_do(machine, next)) {
                    return Ok((event, next.to_vec()));
                }
                why = why.or(edges.incomplete);
            }
        }
    }
    Err(why)
}

/// The first edge of an event, or of the initialisation, that satisfies the callback; otherwise why it may be missing.
fn find(
    (machine, valuation): (&mut Machine<'_>, usize),
    eval: &Evaluator<'_>,
    before: Option<&[bsym_semantics::value::Value]>,
    event: Option<EventId>,
    will_do: &dyn Fn(&transition::Edge) -> bool,
) -> Result<transition::Edge, Option<EvalError>> {
    if machine.sampled.has(event) {
        let edges = machine.reference_edges(event, valuation, before.unwrap_or_default());
        if let Some(edge) = edges.edges.into_iter().find(will_do) {
            return Ok(edge);
        }
    }
    let constants = &machine.context.valuations[valuation];
    let edges = match (event, before) {
        (Some(event), Some(before)) => eval.successors_of(event, constants, before),
        _ => eval.initial_states(constants),
    };
    let missing = edges.incomplete.into_iter().next().map(|(_, e)| e);
    edges.edges.into_iter().find(will_do).ok_or(missing)
}

/// Returns whether the same place goes wrong in the same way, possibly with other values.
fn is_same_failure(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::IllDefined(a), Outcome::IllDefined(b)) => a.kind == b.kind && a.span == b.span,
        (Outcome::Reached { .. }, _) => false,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use bsym_language::load::load_text;
    use bsym_language::stack::with_large_stack;
    use bsym_language::types::CarrierId;
    use bsym_semantics::scope::{Scope, ScopeRequest};
    use bsym_semantics::trace::Violation;

    use super::*;
    use crate::symmetry::permutation::Permutation;

    const QUEUE: &str =
        "MACHINE Queue SETS D VARIABLES q, old INVARIANT q : seq(D) & old <: D & card(old) < 3
        INITIALISATION q := [] || old := {}
        OPERATIONS enter(d) = PRE d : D - old & d /: ran(q) & size(q) < 2 THEN q := q <- d END;
        leave = SELECT size(q) > 0 THEN q := tail(q) || old := old \\/ {q(1)} END END";

    /// Each stored state has its elements in places of its own: no step leads from one to the next.
    #[test]
    fn stored_states_that_stand_for_others_are_unwound() {
        with_large_stack(|| {
            let model = load_text("Queue.mch", QUEUE).model.expect("the machine is right");
            let request =
                ScopeRequest { sizes: BTreeMap::from([("D".into(), 3)]), ..ScopeRequest::default() };
            let scope = Scope::settle(&model, &request).expect("the size fits");
            let mut machine = Machine::of(Evaluator::new(&model, &scope), vec![vec![]]);
            let permutations: Vec<Permutation> =
                [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
                    .map(|images| {
                        Permutation::default().with(CarrierId(0), images.to_vec()).expect("bijective")
                    })
                    .into();
            // A path by steps of the first kind that lead to something new.
            let mut rows: Vec<Vec<u32>> = machine
                .initial(0, usize::MAX)
                .edges
                .iter()
                .filter_map(|e| e.row().map(<[u32]>::to_vec))
                .collect();
            let mut seen: BTreeSet<Vec<u32>> = rows.iter().cloned().collect();
            while rows.len() < 7 {
                let here = rows.last().expect("an initial state").clone();
                let (_, next) =
                    step_to(&mut machine, &here, &mut |_, next| seen.insert(next.to_vec())).expect("a step");
                rows.push(next);
            }
            let stored: Vec<Vec<u32>> = rows
                .iter()
                .zip(permutations.iter().cycle().skip(1))
                .map(|(row, permutation)| machine.permuted(row, permutation).expect("a state"))
                .collect();
            let path = |rows| Path { valuation: 0, rows, failure: None };
            let equal: StandsFor<'_> = &mut |_, stored, reached| stored == reached;
            assert!(counterexample(&mut machine, path(stored.clone()), equal, &Checks::default()).is_err());
            let symmetric: StandsFor<'_> = &mut |machine, stored, reached| {
                permutations.iter().any(|p| machine.permuted(reached, p).as_deref() == Some(stored))
            };
            let shown = counterexample(&mut machine, path(stored), symmetric, &Checks::default());
            let shown = shown.expect("a trace that replays");
            assert_eq!(shown.violations, [Violation::Invariant(vec![2])]);
            assert_eq!(shown.trace.steps.len(), 7);
        });
    }
}
