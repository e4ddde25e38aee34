//! The truth of a formula's propositions in the states of a graph, and on its edges.

use std::collections::HashMap;

use bsym_language::model::{EventId, Expr, Pred};
use bsym_language::temporal::{Action, Atom};
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Eval;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::automaton::Letter;
use super::graph::{Arc, Graph, Label, LabelId, ModelGraph};
use crate::search::findings::{Gaps, is_interrupted};
use crate::space::cached::Cached;
use crate::space::dependency_matrix::{GroupId, LabelId as Predicate};
use crate::space::machine::Machine;
use crate::space::system::Measured;
use crate::store::state_table::StateId;

/// Source of a proposition's truth value.
enum Decided {
    Predicate(Predicate),
    Enabled(usize),
    Taken(usize),
    /// Decided by both ends of an edge.
    Step(usize),
    Deadlock,
    Sink,
}

/// Executions of an event, with the values of its first parameters under each valuation of the constants.
pub(super) struct Executions {
    event: EventId,
    arguments: Vec<Vec<Value>>,
}

impl Executions {
    /// Returns the executions that an action stands for.
    ///
    /// # Errors
    /// If an argument has no value, with the reason.
    pub(super) fn of(graph: &ModelGraph<'_>, action: &Action) -> Result<Executions, String> {
        let context = &graph.system.context;
        let value = |constants: &[Value], e: &Expr| {
            let value = context.eval.expr(&Env::new(constants, &[]), e);
            value.map_err(|e| format!("an argument of an event has no value: {}", e.message))
        };
        let under = |constants: &Vec<Value>| action.arguments.iter().map(|e| value(constants, e)).collect();
        let arguments = context.valuations.iter().map(under).collect::<Result<_, _>>()?;
        Ok(Executions { event: action.event, arguments })
    }

    /// Returns whether an edge under a valuation is one of the executions.
    pub(super) fn has(&self, label: &Label, valuation: usize) -> bool {
        if label.event != self.event {
            return false;
        }
        let arguments = &self.arguments[valuation];
        arguments.is_empty() || label.values.as_ref().is_some_and(|(values, _)| values.starts_with(arguments))
    }
}

/// A proposition about the states and steps of any system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proposition {
    /// A label is true in the state.
    Label(Predicate),
    /// A group is enabled.
    Enabled(GroupId),
    /// The path continues by a group.
    Taken(GroupId),
    /// No group is enabled.
    Deadlock,
    /// All steps lead back to the state.
    Sink,
}

/// Evaluates a predicate of the two ends of an edge.
type Between<S> = fn(&S, &Pred, &[u32], &[u32]) -> Eval<bool>;

/// The propositions of a formula.
pub(super) struct Propositions<S> {
    atoms: Vec<Decided>,
    executions: Vec<Executions>,
    /// Predicates of a state and the next.
    steps: Vec<Pred>,
    between: Between<S>,
    /// For each state that was asked, the letter without the parts that depend on the edge; `None` if it is not known.
    states: HashMap<StateId, Option<u128>>,
    edges: HashMap<(LabelId, usize), u128>,
    /// For each two states that were asked, the predicates of steps that are true; `None` if they are not known.
    pairs: HashMap<(StateId, StateId), Option<u128>>,
    has_taken: bool,
    /// Why some truth values are not known.
    pub(super) gaps: Gaps,
}

impl<'m> Propositions<Cached<Machine<'m>>> {
    /// Prepares propositions. Their predicates must have been made labels of the machine, in their order.
    pub(super) fn new(graph: &ModelGraph<'m>, atoms: &[Atom], labels: &[Predicate]) -> Result<Self, String> {
        let (mut labels, mut executions, mut steps) = (labels.iter().copied(), Vec::new(), Vec::new());
        let mut decided = Vec::new();
        for atom in atoms {
            let mut number = |action| {
                executions.push(Executions::of(graph, action)?);
                Ok::<usize, String>(executions.len() - 1)
            };
            decided.push(match atom {
                Atom::Predicate(_) => match labels.next() {
                    Some(label) => Decided::Predicate(label),
                    None => return Err("a predicate is not known to the machine".into()),
                },
                Atom::Enabled(action) => Decided::Enabled(number(action)?),
                Atom::Taken(action) => Decided::Taken(number(action)?),
                Atom::Step(pred) => {
                    steps.push(pred.clone());
                    Decided::Step(steps.len() - 1)
                }
                Atom::Deadlock => Decided::Deadlock,
                Atom::Sink => Decided::Sink,
            });
        }
        Ok(Propositions::made(decided, executions, steps, |machine, pred, from, to| {
            let constants = &machine.context.valuations[machine.valuation(from)];
            let (before, after) = (machine.state(from), machine.state(to));
            let old = Env::new(constants, &before);
            machine.context.eval.pred(&Env::new(constants, &after).with_old(&old), pred)
        }))
    }
}

/// The predicates among atoms.
pub(super) fn predicates(atoms: &[Atom]) -> impl Iterator<Item = &Pred> {
    atoms.iter().filter_map(|atom| match atom {
        Atom::Predicate(pred) => Some(pred),
        _ => None,
    })
}

impl<S: Measured> Propositions<S> {
    /// Prepares propositions about a system with `roots` roots.
    pub(super) fn of(roots: usize, propositions: &[Proposition]) -> Propositions<S> {
        let mut executions = Vec::new();
        let mut number = |group: GroupId| {
            executions.push(Executions { event: EventId(group.0), arguments: vec![vec![]; roots] });
            executions.len() - 1
        };
        let decided = propositions.iter().map(|proposition| match *proposition {
            Proposition::Label(label) => Decided::Predicate(label),
            Proposition::Enabled(group) => Decided::Enabled(number(group)),
            Proposition::Taken(group) => Decided::Taken(number(group)),
            Proposition::Deadlock => Decided::Deadlock,
            Proposition::Sink => Decided::Sink,
        });
        let decided = decided.collect();
        Propositions::made(decided, executions, vec![], |_, pred, _, _| {
            Err(EvalError::unsupported(pred.span, "the system knows no predicates"))
        })
    }

    fn made(
        atoms: Vec<Decided>,
        executions: Vec<Executions>,
        steps: Vec<Pred>,
        between: Between<S>,
    ) -> Propositions<S> {
        let has_taken = atoms.iter().any(|d| matches!(d, Decided::Taken(_)));
        let (states, edges, pairs, gaps) = Default::default();
        Propositions { atoms, executions, steps, between, states, edges, pairs, has_taken, gaps }
    }

    /// Returns the propositions that are true in a state, whatever the next edge of the path; `None` if that is not
    /// known.
    pub(super) fn in_state(&mut self, graph: &mut Graph<S>, state: StateId) -> Option<u128> {
        if let Some(known) = self.states.get(&state) {
            return *known;
        }
        let truth = self.decide(graph, state);
        if !graph.system.is_stopped() {
            self.states.insert(state, truth);
        }
        truth
    }

    fn decide(&mut self, graph: &mut Graph<S>, state: StateId) -> Option<u128> {
        let row = graph.table.row(state);
        let valuation = graph.system.matrix().root(&row);
        let arcs = graph.arcs(state)?.to_vec();
        let mut truth = 0u128;
        for (i, atom) in self.atoms.iter().enumerate() {
            let is_true = match atom {
                Decided::Predicate(label) => match graph.system.label(*label, &row) {
                    Ok(truth) => truth,
                    Err(e) => {
                        if !is_interrupted(&e) {
                            self.gaps.missing("the formula", e);
                        }
                        return None;
                    }
                },
                Decided::Enabled(of) => {
                    let executions = &self.executions[*of];
                    arcs.iter().any(|arc| executions.has(&graph.labels[arc.label as usize], valuation))
                }
                Decided::Taken(_) | Decided::Step(_) => false,
                Decided::Deadlock => arcs.is_empty(),
                Decided::Sink => arcs.iter().all(|arc| arc.to == state),
            };
            truth |= u128::from(is_true) << i;
        }
        Some(truth)
    }

    /// The letter of a state with these truth values that is left by an edge, or in which a path ends; `None` if it is
    /// not known.
    pub(super) fn letter(
        &mut self,
        graph: &Graph<S>,
        (state, truth): (StateId, u128),
        edge: Option<(Arc, usize)>,
    ) -> Option<Letter> {
        let Some((arc, valuation)) = edge else { return Some(Letter { truth, ends: true }) };
        let mut truth = truth;
        if self.has_taken {
            let Propositions { atoms, executions, edges, .. } = self;
            truth |= *edges.entry((arc.label, valuation)).or_insert_with(|| {
                let label = &graph.labels[arc.label as usize];
                let bits = atoms.iter().enumerate().map(|(i, atom)| match atom {
                    Decided::Taken(of) => u128::from(executions[*of].has(label, valuation)) << i,
                    _ => 0,
                });
                bits.fold(0, |all, bit| all | bit)
            });
        }
        if !self.steps.is_empty() {
            truth |= self.between(graph, state, arc.to)?;
        }
        Some(Letter { truth, ends: false })
    }

    /// Returns the predicates of steps that are true of two states.
    fn between(&mut self, graph: &Graph<S>, from: StateId, to: StateId) -> Option<u128> {
        if let Some(known) = self.pairs.get(&(from, to)) {
            return *known;
        }
        let (row, next) = (graph.table.row(from), graph.table.row(to));
        let mut truth = Some(0u128);
        for (i, atom) in self.atoms.iter().enumerate() {
            let Decided::Step(of) = atom else { continue };
            match (self.between)(&graph.system, &self.steps[*of], &row, &next) {
                Ok(is_true) => truth = truth.map(|all| all | u128::from(is_true) << i),
                Err(e) => {
                    truth = None;
                    if is_interrupted(&e) {
                        return None;
                    }
                    self.gaps.missing("the formula", e);
                }
            }
        }
        self.pairs.insert((from, to), truth);
        truth
    }
}
