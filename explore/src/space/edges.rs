//! Edges of a machine with parameters, results and errors: by compiled code if it finds them all, by the reference
//! evaluator otherwise.

use std::collections::HashSet;
use std::ops::ControlFlow;

use bsym_language::model::EventId;
use bsym_semantics::transition::{self, Outcome};
use bsym_semantics::value::Value;

use super::dependency_matrix::GroupId;
use super::machine::{EventCode, Machine};
use super::system::{Edge, Edges, Expansion, Target};
use super::updates::Updates;
use crate::compile::context::Context;

impl Machine<'_> {
    pub(super) fn expand_by_reference(
        &mut self,
        group: GroupId,
        row: &[u32],
        updates: &mut Updates,
    ) -> Expansion {
        self.by_reference += 1;
        let code = &self.events[group.index()];
        let is_compiled = code.compiled.is_some();
        let valuation = self.valuation(row);
        let edges = self.reference_edges(Some(code.event), valuation, &self.state(row));
        // The cache of compiled code ignores columns that are written and not read.
        if is_compiled || !edges.incomplete.is_empty() || !self.write_updates(group, &edges, updates) {
            return Expansion::Edges(self.written(valuation, edges));
        }
        Expansion::Moves(edges.edges.len() as u64)
    }

    /// Writes edges of the reference evaluator as updates of variables, each once. Returns whether that is possible for
    /// all.
    fn write_updates(&mut self, group: GroupId, edges: &transition::Edges, updates: &mut Updates) -> bool {
        let Machine { context: Context { store, eval, variables, .. }, events, .. } = self;
        let writes = &events[group.index()].writes;
        let mut distinct = HashSet::new();
        updates.start(writes.len());
        for edge in &edges.edges {
            let Some(target) = edge.state() else { return false };
            let words = writes.iter().map(|at| store.encode(eval, &variables[*at], &target[*at]));
            let Some(words) = words.collect::<Option<Vec<u32>>>() else { return false };
            if !distinct.contains(&words) {
                updates.push(words.iter().map(|word| Some(*word)));
                distinct.insert(words);
            }
        }
        true
    }

    /// Returns the edges of an event, or of the initialisation, by the reference evaluator; only some of them if there
    /// are too many.
    pub(crate) fn reference_edges(
        &mut self,
        event: Option<EventId>,
        valuation: usize,
        state: &[Value],
    ) -> transition::Edges {
        let Context { eval, valuations, .. } = &self.context;
        let constants = &valuations[valuation];
        self.sampled.edges(event, eval, &|eval| match event {
            None => eval.initial_states(constants),
            Some(event) => eval.successors_of(event, constants, state),
        })
    }

    /// Edges of the reference evaluator with their targets in words.
    pub fn written(&mut self, valuation: usize, edges: transition::Edges) -> Edges {
        let incomplete = edges.incomplete.into_iter().next().map(|(_, e)| e);
        let edges = edges.edges.into_iter().map(|edge| self.written_edge(valuation, edge)).collect();
        self.context.stop.is_set |= self.context.store.is_full();
        Edges { edges, incomplete, compiled: false }
    }

    fn written_edge(&mut self, valuation: usize, edge: transition::Edge) -> Edge {
        let transition::Edge { execution, outcome, .. } = edge;
        let (results, target) = match outcome {
            Outcome::Reached { state, results } => match self.row(valuation, &state) {
                Some(row) => (results, Target::Row(row)),
                None => (results, Target::Unwritten(state)),
            },
            failure => (execution.results, Target::Failed(failure)),
        };
        Edge { parameters: execution.parameters, results, target }
    }

    /// The first edges of an event by compiled code, if it finds them all.
    pub(super) fn compiled_edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Option<Vec<Edge>> {
        let valuation = self.valuation(row);
        let EventCode { event, compiled, reads, writes, .. } = &self.events[group.index()];
        let (code, writes) = (compiled.as_ref()?, writes.len());
        let most = self.sampled.most(Some(*event))?;
        self.context.load(row, reads, valuation);
        self.context.executions.limit(most);
        let (mut words, mut seen, mut distinct) = (Vec::new(), HashSet::new(), Vec::new());
        let found = code.each_edge(&mut self.context, &mut words, &mut |words: &mut Vec<u32>| {
            let edge: Box<[u32]> = words.drain(..).collect();
            if !seen.contains(&edge) {
                distinct.push(edge.clone());
                seen.insert(edge);
            }
            if distinct.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.sampled.note(Some(*event), self.context.executions.are_too_many);
        found.ok().filter(|()| !self.context.store.is_full())?;
        let event = &self.context.eval.model.events[event.index()];
        let matrix = self.matrix.clone();
        let may_write = &matrix.group(group).may_write;
        let locals: Vec<_> =
            event.parameters.iter().chain(&event.results).map(|l| self.context.local(*l)).collect();
        let mut updates = Updates::default();
        let mut edge = |words: &[u32]| {
            let (shown, update) = words.split_at(locals.len());
            let mut values: Vec<Value> =
                locals.iter().zip(shown).map(|(rep, word)| self.context.store.decode(rep, *word)).collect();
            let results = values.split_off(event.parameters.len());
            updates.start(writes);
            updates.words.extend_from_slice(update);
            self.fold_updates(group, row, &mut updates);
            let mut target = row.to_vec();
            updates.iter().for_each(|update| update.apply(may_write, &mut target));
            Edge { parameters: values, results, target: Target::Row(target) }
        };
        Some(distinct.iter().map(|words| edge(words)).collect())
    }

    /// The rows of the first initial states of a valuation, each once, if compiled code finds them.
    pub(super) fn compiled_initial_rows(&mut self, valuation: usize, limit: usize) -> Option<Vec<Vec<u32>>> {
        let code = self.initialisation.as_ref()?;
        let most = self.sampled.most(None)?;
        self.context.load_constants(valuation);
        self.context.executions.limit(most);
        let rows = code.initial(&mut self.context, limit);
        self.sampled.note(None, self.context.executions.are_too_many);
        let rows = rows.ok()?;
        // A value without room in the store got the word of another value.
        if self.context.store.is_full() {
            self.context.stop.is_set = true;
            return None;
        }
        let variables = self.context.variables.len();
        if variables == 0 {
            return None;
        }
        let rows = rows.chunks_exact(variables).map(|words| {
            let mut row = self.context.row_of(words.to_vec());
            if self.width > row.len() {
                row.push(valuation as u32);
            }
            row
        });
        Some(rows.collect())
    }
}
