//! Meanings of rows and edges of a model: those of the reference evaluator.

use std::ops::ControlFlow;

use bsym_language::model::EventId;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Eval;
use bsym_semantics::trace::replay::{Checks, replay_with, violations};
use bsym_semantics::trace::{Step, Trace, Violation};
use bsym_semantics::transition::state::State;
use bsym_semantics::transition::{self, Outcome};
use bsym_semantics::value::Value;

use super::dependency_matrix::{GroupId, LabelId};
use super::interpreted::Interpreted;
use super::machine::Machine;
use super::system::{Edge, Edges, Target};

impl<'m> Machine<'m> {
    /// The trace of some steps under a valuation of the constants.
    pub(crate) fn trace(&self, valuation: usize, steps: &[Step]) -> Trace {
        let (scope, constants) =
            (self.context.eval.scope.clone(), self.context.valuations[valuation].clone());
        Trace::new(scope, constants, steps.to_vec())
    }
}

fn event(group: Option<GroupId>) -> Option<EventId> {
    group.map(|group| EventId(group.0))
}

impl Interpreted for Machine<'_> {
    fn values(&self, row: &[u32]) -> State {
        self.state(row)
    }

    fn confirmed(&self, label: LabelId, row: &[u32]) -> Eval<bool> {
        self.evaluated(label, row, &self.context.eval.without_finder())
    }

    fn edges_of(&mut self, group: Option<GroupId>, root: usize, state: &[Value], limit: usize) -> Edges {
        let event = event(group);
        if limit >= self.context.eval.limits.branching || self.sampled.bounds.is_some() {
            let mut edges = self.reference_edges(event, root, state);
            edges.edges.truncate(limit);
            return self.written(root, edges);
        }
        let (eval, constants) = (&self.context.eval, &self.context.valuations[root]);
        let mut edges = transition::Edges::default();
        let done = eval.each_edge(event, constants, state, &mut |edge| {
            edges.edges.push(edge);
            if edges.edges.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        edges.incomplete.extend(done.err().map(|e| (event, e)));
        self.written(root, edges)
    }

    fn step(
        &self,
        group: Option<GroupId>,
        root: usize,
        state: &[Value],
        edge: &Edge,
    ) -> Result<Step, Option<EvalError>> {
        let (eval, constants) = (&self.context.eval, &self.context.valuations[root]);
        let mut found = None;
        let mut look = |executed: transition::Edge| {
            let same = match (&executed.outcome, &edge.target) {
                (Outcome::Reached { state, results }, Target::Row(row)) => {
                    *results == edge.results && *state == self.context.decode_state(row)
                }
                (Outcome::Reached { state, results }, Target::Unwritten(target)) => {
                    *results == edge.results && state == target
                }
                (failure, Target::Failed(outcome)) => failure == outcome,
                _ => false,
            };
            if same {
                let state = executed.state().cloned();
                found = Some(Step { event: event(group), execution: executed.execution, state });
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let done = match event(group) {
            None => eval.each_edge(None, constants, state, &mut look),
            Some(event) => eval.each_edge_with(event, &edge.parameters, constants, state, &mut look),
        };
        found.ok_or(done.err())
    }

    fn violations(&self, root: usize, state: &[Value], checks: &Checks) -> Eval<Vec<Violation>> {
        violations(&self.context.eval, &self.context.valuations[root], state, checks)
    }

    fn is_deadlock(&self, root: usize, state: &[Value]) -> Eval<bool> {
        if self.cut().is_none() {
            return Ok(true);
        }
        self.context.eval.with_all_choices().is_deadlock(&self.context.valuations[root], state)
    }

    fn cut(&self) -> Option<EvalError> {
        let cut = self.context.eval.cuts()?.list().into_iter().next()?;
        Some(cut.error(self.context.eval.model))
    }

    fn replay(&self, root: usize, steps: &[Step], checks: &Checks) -> Result<Vec<Violation>, String> {
        let mut eval = self.context.eval.with_all_choices();
        eval.interrupt = None;
        let replayed = replay_with(&eval, &self.trace(root, steps), checks).map_err(|e| e.to_string())?;
        Ok(replayed.violations)
    }
}
