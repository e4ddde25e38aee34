//! From a path of the product to a trace, replayed by the reference evaluator, on which the formula is false by its
//! definition and every condition of fairness is met.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use bsym_language::model::EventId;
use bsym_language::temporal::{Action, Atom, Temporal};
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::temporal::{Continuation, holds};
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::graph::{LabelId, ModelGraph};
use crate::store::state_table::StateId;

/// A path on which a formula is false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The path, from the initialisation. The last state of a loop is the one with which it begins.
    pub trace: Trace,
    /// Continuation of the path: a loop back to the state of a step, by its number, none, or any.
    pub continuation: Continuation,
}

/// A path as the product has it: states, each with the label of the edge to it.
pub(super) type Steps = Vec<(Option<LabelId>, StateId)>;

/// The trace of a path, if it shows what it should.
///
/// # Errors
/// If a step could not be found again, or the formula is not false on the trace.
pub(super) fn refutation(
    graph: &ModelGraph<'_>,
    reference: &Evaluator<'_>,
    temporal: &Temporal,
    path: &Steps,
    continuation: Continuation,
) -> Result<Refutation, String> {
    let trace = trace_of(graph, reference, path)?;
    check(reference, temporal, Refutation { trace, continuation })
}

/// The trace of a path, replayed by the reference evaluator.
///
/// # Errors
/// If a step could not be found again.
pub(super) fn trace_of(
    graph: &ModelGraph<'_>,
    reference: &Evaluator<'_>,
    path: &Steps,
) -> Result<Trace, String> {
    let machine = &graph.system;
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
    let trace = Trace::new(eval.scope.clone(), constants, steps);
    replay_with(reference, &trace, &Checks::default()).map_err(|e| e.to_string())?;
    Ok(trace)
}

/// Checks a path against the definitions.
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
            if reading.is_fair(temporal, begin) != Some(true) {
                return Err("the loop of the trace is not fair".into());
            }
        }
        // As short as it can be: the continuation of the path does not matter.
        Continuation::Open => {
            let shortest = (1..=reading.positions).find(|n| truth(*n, Continuation::Open) == Some(false));
            found.trace.steps.truncate(shortest.unwrap_or(reading.positions).max(1));
            // The event by which the last position is left may matter.
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

/// A trace as the definitions read it.
pub(super) struct Reading<'e, 'm> {
    eval: &'e Evaluator<'m>,
    trace: &'e Trace,
    /// Number of positions: the states of the trace, without the last one if it is the first of a loop.
    pub(super) positions: usize,
    /// The executions of each event, by state, as far as they were requested.
    enabled: RefCell<Vec<BTreeMap<EventId, Rc<Executions>>>>,
}

/// The executions of an event in a state.
struct Executions {
    edges: Vec<transition::Edge>,
    /// Why there may be other executions.
    incomplete: Option<EvalError>,
}

impl<'e, 'm> Reading<'e, 'm> {
    /// A reading that computes all enabled executions.
    fn of(eval: &'e Evaluator<'m>, found: &'e Refutation) -> Result<Reading<'e, 'm>, String> {
        let reading = Reading::on_demand(eval, found);
        for at in 0..reading.positions {
            if found.trace.steps[at].state.is_none() {
                return Err("a step of the trace reaches no state".into());
            }
            for event in reading.events() {
                if let Some(why) = &reading.executions(at, event).incomplete {
                    return Err(format!(
                        "what is enabled in a state of the trace is not known: {}",
                        why.message
                    ));
                }
            }
        }
        if found.continuation == Continuation::Ends && reading.is_dead(reading.positions - 1) != Some(true) {
            return Err("the trace ends in a state where an event is enabled".into());
        }
        Ok(reading)
    }

    /// A reading that computes the executions of an event when an atom mentions it.
    pub(super) fn on_demand(eval: &'e Evaluator<'m>, found: &'e Refutation) -> Reading<'e, 'm> {
        let is_loop = matches!(found.continuation, Continuation::Loop(_));
        let positions = found.trace.steps.len() - usize::from(is_loop);
        let enabled = RefCell::new(vec![BTreeMap::new(); positions]);
        Reading { eval, trace: &found.trace, positions, enabled }
    }

    fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.eval.model.events.len() as u32).map(EventId)
    }

    fn executions(&self, at: usize, event: EventId) -> Rc<Executions> {
        if let Some(known) = self.enabled.borrow()[at].get(&event) {
            return known.clone();
        }
        let state = self.trace.steps[at].state.as_deref().unwrap_or_default();
        let found = self.eval.successors_of(event, &self.trace.constants, state);
        let incomplete = found.incomplete.into_iter().next().map(|(_, why)| why);
        let executions = Rc::new(Executions { edges: found.edges, incomplete });
        self.enabled.borrow_mut()[at].insert(event, executions.clone());
        executions
    }

    /// Returns whether no event is enabled.
    pub(super) fn is_dead(&self, at: usize) -> Option<bool> {
        let is_known = |event: EventId| self.enabled.borrow()[at].contains_key(&event);
        if self.events().all(is_known) {
            return self.all_edges(at, |_| false);
        }
        let state = self.trace.steps[at].state.as_deref()?;
        self.eval.is_deadlock(&self.trace.constants, state).ok()
    }

    /// Returns whether all executions of all events satisfy `is_so`.
    fn all_edges(&self, at: usize, is_so: impl Fn(&transition::Edge) -> bool) -> Option<bool> {
        let mut is_known = true;
        for event in self.events() {
            let executions = self.executions(at, event);
            if !executions.edges.iter().all(&is_so) {
                return Some(false);
            }
            is_known &= executions.incomplete.is_none();
        }
        is_known.then_some(true)
    }

    fn arguments(&self, action: &Action) -> Option<Vec<Value>> {
        let env = Env::new(&self.trace.constants, &[]);
        action.arguments.iter().map(|e| self.eval.expr(&env, e).ok()).collect()
    }

    fn is_enabled(&self, at: usize, action: &Action) -> Option<bool> {
        let arguments = self.arguments(action)?;
        let executions = self.executions(at, action.event);
        let is_it = |edge: &transition::Edge| edge.execution.parameters.starts_with(&arguments);
        if executions.edges.iter().any(is_it) {
            return Some(true);
        }
        executions.incomplete.is_none().then_some(false)
    }

    /// Returns whether the path leaves a position by an action; unknown at the end of the known path.
    fn is_taken(&self, at: usize, action: &Action) -> Option<bool> {
        let Some(step) = self.trace.steps.get(at + 1) else { return self.ends(at) };
        let arguments = self.arguments(action)?;
        Some(step.event == Some(action.event) && step.execution.parameters.starts_with(&arguments))
    }

    /// Returns `Some(false)` at the last position if the path ends there, `None` if it may continue.
    fn ends(&self, at: usize) -> Option<bool> {
        (self.is_dead(at)?).then_some(false)
    }

    /// Returns whether the truth of an atom depends on the continuation of the trace.
    pub(super) fn is_open(&self, at: usize, atom: &Atom) -> bool {
        let is_about_step = matches!(atom, Atom::Taken(_) | Atom::Step(_));
        is_about_step && at + 1 == self.trace.steps.len() && self.is_dead(at) == Some(false)
    }

    pub(super) fn atom(&self, at: usize, atom: &Atom) -> Option<bool> {
        let state = self.trace.steps[at].state.as_deref()?;
        match atom {
            Atom::Predicate(pred) => self.eval.pred(&Env::new(&self.trace.constants, state), pred).ok(),
            Atom::Enabled(action) => self.is_enabled(at, action),
            Atom::Taken(action) => self.is_taken(at, action),
            Atom::Step(pred) => match self.trace.steps.get(at + 1) {
                Some(step) => {
                    let old = Env::new(&self.trace.constants, state);
                    let env = Env::new(&self.trace.constants, step.state.as_deref()?).with_old(&old);
                    self.eval.pred(&env, pred).ok()
                }
                None => self.ends(at),
            },
            Atom::Deadlock => self.is_dead(at),
            Atom::Sink => self.all_edges(at, |edge| edge.state().map(|to| &to[..]) == Some(state)),
        }
    }

    /// Returns whether the loop from a position on is fair.
    pub(super) fn is_fair(&self, temporal: &Temporal, begin: usize) -> Option<bool> {
        let round = begin..self.positions;
        let conditions = temporal.fairness.weak.iter().map(|a| (a, false));
        for (action, is_strong) in conditions.chain(temporal.fairness.strong.iter().map(|a| (a, true))) {
            let (mut always, mut sometimes, mut taken) = (true, false, false);
            for at in round.clone() {
                let enabled = self.is_enabled(at, action)?;
                always &= enabled;
                sometimes |= enabled;
                taken |= self.is_taken(at, action)?;
            }
            let owes = if is_strong { sometimes } else { always };
            if owes && !taken {
                return Some(false);
            }
        }
        if !temporal.fairness.all_weak && !temporal.fairness.all_strong {
            return Some(true);
        }
        // Every event with each of its values counts for itself.
        let name = |edge: &transition::Edge| {
            let results = match &edge.outcome {
                transition::Outcome::Reached { results, .. } => results.clone(),
                _ => vec![],
            };
            (edge.event, edge.execution.parameters.clone(), results)
        };
        let labels = |at: usize| {
            let mut labels = Vec::new();
            for event in self.events() {
                let executions = self.executions(at, event);
                labels.extend(executions.edges.iter().map(name));
                if executions.incomplete.is_some() {
                    return None;
                }
            }
            Some(labels)
        };
        let taken: Vec<_> = round
            .clone()
            .map(|at| &self.trace.steps[at + 1])
            .map(|step| (step.event, step.execution.parameters.clone(), step.execution.results.clone()))
            .collect();
        let all: Vec<Vec<_>> = round.map(labels).collect::<Option<_>>()?;
        let owes = |label| temporal.fairness.all_strong || all.iter().all(|here| here.contains(label));
        Some(all.iter().flatten().all(|label| !owes(label) || taken.contains(label)))
    }
}
