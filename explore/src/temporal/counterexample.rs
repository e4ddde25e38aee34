//! From a path of the product to a trace, replayed by the reference evaluator, on which the formula is false by its
//! definition and every condition of fairness is met.

use std::collections::BTreeMap;

use bsym_language::model::EventId;
use bsym_language::temporal::{Action, Atom, Temporal};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::temporal::{Continuation, holds};
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::graph::{Graph, LabelId};
use crate::store::state_table::StateId;

/// A path on which a formula is false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The path, from the initialisation. The last state of a loop is the one with which it begins.
    pub trace: Trace,
    /// How it goes on: with a loop back to the state of a step, by its number, not at all, or in any way.
    pub continuation: Continuation,
}

/// A path as the product has it: states, each with the label of the edge to it.
pub(super) type Steps = Vec<(Option<LabelId>, StateId)>;

/// The trace of a path, if it shows what it should.
///
/// # Errors
/// A step could not be found again, or the formula is not false on the trace.
pub(super) fn refutation(
    graph: &Graph<'_>,
    reference: &Evaluator<'_>,
    temporal: &Temporal,
    path: &Steps,
    continuation: Continuation,
) -> Result<Refutation, String> {
    let machine = &graph.machine;
    let (eval, rows) = (&machine.context.eval, path.iter().map(|(_, state)| graph.table.row(*state)));
    let rows: Vec<Vec<u32>> = rows.collect();
    let valuation = rows.first().map_or(0, |row| machine.valuation(row));
    let constants = machine.context.valuations[valuation].clone();
    let mut steps: Vec<Step> = Vec::with_capacity(path.len());
    for ((label, _), row) in path.iter().zip(&rows) {
        let state = machine.state(row);
        let label = label.map(|label| &graph.labels[label as usize]);
        let before = steps.last().and_then(|step| step.state.as_deref());
        let edges = match (label, before) {
            (Some(label), Some(before)) => eval.successors_of(label.event, &constants, before),
            _ => eval.initial_states(&constants),
        };
        let is_wanted = |edge: &transition::Edge| {
            let values = label.and_then(|label| label.values.as_ref());
            let shown = |(parameters, results): &(Vec<Value>, Vec<Value>)| match &edge.outcome {
                transition::Outcome::Reached { results: reached, .. } => {
                    *parameters == edge.execution.parameters && results == reached
                }
                _ => false,
            };
            edge.state() == Some(&state) && values.is_none_or(shown)
        };
        let edge = edges.edges.into_iter().find(is_wanted);
        let edge = edge.ok_or_else(|| format!("no step leads to state {} of the trace", steps.len()))?;
        steps.push(Step { event: label.map(|l| l.event), execution: edge.execution, state: Some(state) });
    }
    let trace = Trace { scope: eval.scope.clone(), constants, steps };
    replay_with(reference, &trace, &Checks::default()).map_err(|e| e.to_string())?;
    check(reference, temporal, Refutation { trace, continuation })
}

/// Holds a path against the definitions.
fn check(eval: &Evaluator<'_>, temporal: &Temporal, mut found: Refutation) -> Result<Refutation, String> {
    let reading = Reading::of(eval, &found)?;
    let truth = |positions, continuation| {
        holds(&temporal.formula, positions, continuation, &|at, atom| reading.atom(at, &temporal.atoms[atom]))
    };
    if truth(reading.positions, found.continuation) != Some(false) {
        return Err("the trace replays, but the formula is not false on it".into());
    }
    match found.continuation {
        Continuation::Loop(begin) => {
            let last = found.trace.steps.last().and_then(|s| s.state.as_ref());
            if last != found.trace.steps[begin].state.as_ref() {
                return Err("the loop of the trace does not return to where it began".into());
            }
            reading.check_fairness(temporal, begin)?;
        }
        // As short as it can be: how the path goes on matters to nobody.
        Continuation::Open => {
            let shortest = (1..=reading.positions).find(|n| truth(*n, Continuation::Open) == Some(false));
            found.trace.steps.truncate(shortest.unwrap_or(reading.positions).max(1));
            // The event by which the last position is left may be what matters.
            let reading = Reading::of(eval, &found)?;
            let at_end = holds(&temporal.formula, reading.positions, Continuation::Open, &|at, atom| {
                reading.atom(at, &temporal.atoms[atom])
            });
            if at_end != Some(false) {
                return Err("the trace replays, but it does not decide the formula".into());
            }
        }
        Continuation::Ends => {}
    }
    Ok(found)
}

/// A trace as the definitions look at it.
struct Reading<'e, 'm> {
    eval: &'e Evaluator<'m>,
    trace: Trace,
    /// Positions: the states of the trace, without the last one where that is the first of a loop.
    positions: usize,
    /// Whether something is enabled, by state.
    enabled: Vec<BTreeMap<EventId, Vec<transition::Edge>>>,
}

impl<'e, 'm> Reading<'e, 'm> {
    fn of(eval: &'e Evaluator<'m>, found: &Refutation) -> Result<Reading<'e, 'm>, String> {
        let trace = found.trace.clone();
        let is_loop = matches!(found.continuation, Continuation::Loop(_));
        let positions = trace.steps.len() - usize::from(is_loop);
        let mut enabled = Vec::new();
        for step in &trace.steps[..positions] {
            let state = step.state.as_deref().ok_or("a step of the trace reaches no state")?;
            let mut of_state = BTreeMap::new();
            for event in (0..eval.model.events.len() as u32).map(EventId) {
                let edges = eval.successors_of(event, &trace.constants, state);
                if let Some((_, why)) = edges.incomplete.first() {
                    return Err(format!(
                        "what is enabled in a state of the trace is not known: {}",
                        why.message
                    ));
                }
                of_state.insert(event, edges.edges);
            }
            enabled.push(of_state);
        }
        if found.continuation == Continuation::Ends
            && enabled.last().is_some_and(|last| last.values().any(|edges| !edges.is_empty()))
        {
            return Err("the trace ends in a state where an event is enabled".into());
        }
        Ok(Reading { eval, trace, positions, enabled })
    }

    fn arguments(&self, action: &Action) -> Option<Vec<Value>> {
        let env = Env::new(&self.trace.constants, &[]);
        action.arguments.iter().map(|e| self.eval.expr(&env, e).ok()).collect()
    }

    fn is_enabled(&self, at: usize, action: &Action) -> Option<bool> {
        let arguments = self.arguments(action)?;
        let edges = self.enabled[at].get(&action.event)?;
        Some(edges.iter().any(|edge| edge.execution.parameters.starts_with(&arguments)))
    }

    /// Whether the path leaves a position by an action; unknown at the end of what is known.
    fn is_taken(&self, at: usize, action: &Action, ends: bool) -> Option<bool> {
        let Some(step) = self.trace.steps.get(at + 1) else { return ends.then_some(false) };
        let arguments = self.arguments(action)?;
        Some(step.event == Some(action.event) && step.execution.parameters.starts_with(&arguments))
    }

    fn atom(&self, at: usize, atom: &Atom) -> Option<bool> {
        let state = self.trace.steps[at].state.as_deref()?;
        match atom {
            Atom::Predicate(pred) => self.eval.pred(&Env::new(&self.trace.constants, state), pred).ok(),
            Atom::Enabled(action) => self.is_enabled(at, action),
            Atom::Taken(action) => {
                let nothing = self.enabled[at].values().all(Vec::is_empty);
                self.is_taken(at, action, nothing)
            }
            Atom::Step(pred) => match self.trace.steps.get(at + 1) {
                Some(step) => {
                    let old = Env::new(&self.trace.constants, state);
                    let env = Env::new(&self.trace.constants, step.state.as_deref()?).with_old(&old);
                    self.eval.pred(&env, pred).ok()
                }
                // Where the path ends there is no step; elsewhere it may go on.
                None => self.enabled[at].values().all(Vec::is_empty).then_some(false),
            },
            Atom::Deadlock => Some(self.enabled[at].values().all(Vec::is_empty)),
            Atom::Sink => {
                let stays = |edge: &transition::Edge| edge.state().map(|to| &to[..]) == Some(state);
                Some(self.enabled[at].values().flatten().all(stays))
            }
        }
    }

    /// Whether the loop from a position on is a fair one.
    fn check_fairness(&self, temporal: &Temporal, begin: usize) -> Result<(), String> {
        let round = begin..self.positions;
        let unfair = || "the loop of the trace is not fair".to_owned();
        let known = |truth: Option<bool>| truth.ok_or_else(unfair);
        let conditions = temporal.fairness.weak.iter().map(|a| (a, false));
        for (action, is_strong) in conditions.chain(temporal.fairness.strong.iter().map(|a| (a, true))) {
            let (mut always, mut sometimes, mut taken) = (true, false, false);
            for at in round.clone() {
                let enabled = known(self.is_enabled(at, action))?;
                always &= enabled;
                sometimes |= enabled;
                taken |= known(self.is_taken(at, action, false))?;
            }
            let owes = if is_strong { sometimes } else { always };
            if owes && !taken {
                return Err(unfair());
            }
        }
        if !temporal.fairness.all_weak && !temporal.fairness.all_strong {
            return Ok(());
        }
        // Every event with each of its values counts for itself.
        let name = |edge: &transition::Edge| {
            let results = match &edge.outcome {
                transition::Outcome::Reached { results, .. } => results.clone(),
                _ => vec![],
            };
            (edge.event, edge.execution.parameters.clone(), results)
        };
        let labels = |at: usize| self.enabled[at].values().flatten().map(name).collect::<Vec<_>>();
        let taken: Vec<_> = round
            .clone()
            .map(|at| &self.trace.steps[at + 1])
            .map(|step| (step.event, step.execution.parameters.clone(), step.execution.results.clone()))
            .collect();
        let all: Vec<Vec<_>> = round.map(labels).collect();
        for label in all.iter().flatten() {
            let owes = temporal.fairness.all_strong || all.iter().all(|here| here.contains(label));
            if owes && !taken.contains(label) {
                return Err(unfair());
            }
        }
        Ok(())
    }
}
