//! Traces to the violations in the nodes of a state space.

use std::collections::VecDeque;

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::trace::{Step, Trace, Violation};
use bsym_semantics::transition::{self, Outcome};

use super::collect::{Collected, Content, Operation};
use super::labelled::Edge;
use crate::search::findings::failure;

/// The shortest paths to all nodes.
pub struct Paths<'c> {
    found: &'c Collected,
    /// The edge to each node by which it was reached first.
    to: Vec<Option<Edge>>,
}

impl<'c> Paths<'c> {
    /// The paths of a state space.
    pub fn new(found: &'c Collected) -> Paths<'c> {
        let mut to: Vec<Option<Edge>> = vec![None; found.graph.len()];
        let mut waiting: VecDeque<usize> = (0..found.graph.len().min(1)).collect();
        while let Some(node) = waiting.pop_front() {
            for edge in found.graph.leaving(node) {
                if edge.to != 0 && to[edge.to].is_none() {
                    to[edge.to] = Some(*edge);
                    waiting.push_back(edge.to);
                }
            }
        }
        Paths { found, to }
    }

    /// All violations in a node, including a deadlock, each with a trace that ends there.
    ///
    /// `None` if a step is not found again, for example because the evaluator has no work left.
    pub fn violations(&self, eval: &Evaluator<'_>, node: usize) -> Option<Vec<(Trace, Violation)>> {
        let trace = self.trace(eval, node)?;
        let at = &self.found.nodes[node];
        let mut all = Vec::new();
        if !at.violated.is_empty() {
            all.push((trace.clone(), Violation::Invariant(at.violated.clone())));
        }
        if at.is_deadlock {
            all.push((trace.clone(), Violation::Deadlock));
        }
        let state = trace.steps.last().and_then(|step| step.state.as_deref())?;
        for (event, error) in &at.wrong {
            let edges = eval.successors_of(*event, &trace.constants, state).edges;
            let is_it = |edge: &&transition::Edge| edge.state().is_none() && failure(&edge.outcome) == *error;
            let mut is_found = false;
            for edge in edges.iter().filter(is_it) {
                let mut failing = trace.clone();
                let execution = edge.execution.clone();
                failing.steps.push(Step { event: Some(*event), execution, state: None });
                all.push((failing, Violation::of_step(&edge.outcome)?));
                is_found = true;
            }
            is_found.then_some(())?;
        }
        Some(all)
    }

    /// A trace to a state.
    fn trace(&self, eval: &Evaluator<'_>, node: usize) -> Option<Trace> {
        let valuation = self.found.nodes[node].valuation?;
        let constants = self.found.constants.get(valuation)?.clone();
        let mut edges = Vec::new();
        let mut at = node;
        while let Some(edge) = self.to[at] {
            edges.push(edge);
            at = edge.from;
        }
        let mut trace = Trace::new(eval.scope.clone(), constants, vec![]);
        for edge in edges.iter().rev() {
            let label = &self.found.labels[edge.label];
            let before = trace.steps.last().and_then(|step| step.state.as_deref());
            let (event, possible) = match (label.operation, before) {
                (Operation::SetUp, _) => continue,
                (Operation::Event(event), before) => {
                    (Some(event), eval.successors_of(event, &trace.constants, before?))
                }
                (Operation::Initialise, _) => (None, eval.initial_states(&trace.constants)),
            };
            let Content::State(state) = &self.found.nodes[edge.to].content else { return None };
            let is_it = |found: &transition::Edge| {
                let results = match &found.outcome {
                    Outcome::Reached { results, .. } => results == &label.results,
                    _ => false,
                };
                // The initialisation of a graph has one label, whatever its choices are.
                let is_named = event.is_none() || results && found.execution.parameters == label.parameters;
                found.state() == Some(state) && is_named
            };
            let step = possible.edges.into_iter().find(is_it)?;
            trace.steps.push(Step { event, execution: step.execution, state: Some(state.clone()) });
        }
        (!trace.steps.is_empty()).then_some(trace)
    }
}
