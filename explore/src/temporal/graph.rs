//! States of a system with all labelled edges between them, expanded on demand.

use std::collections::HashMap;

use bsym_language::model::EventId;
use bsym_semantics::value::Value;

use crate::search::findings::{Gaps, failure, is_interrupted};
use crate::space::cached::Cached;
use crate::space::machine::Machine;
use crate::space::system::{Edges, Expansion, Measured, Target, unwritten};
use crate::space::updates::Updates;
use crate::store::state_table::{StateId, Table};

/// Number of a label.
pub(super) type LabelId = u32;

/// Label of an edge.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Label {
    pub(super) event: EventId,
    /// Values of the parameters and of the results; `None` if no property reads them.
    pub(super) values: Option<(Vec<Value>, Vec<Value>)>,
}

/// An edge out of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Arc {
    pub(super) to: StateId,
    pub(super) label: LabelId,
}

/// Edges of a state, as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expanded {
    NotYet,
    /// Position of the first edge in the list, and their number.
    Known(usize, u32),
    /// Some edges could not be found, or go wrong.
    Unclear,
}

/// Graph of a model.
pub(super) type ModelGraph<'m> = Graph<Cached<Machine<'m>>>;

/// A state space that is explored on demand.
pub(super) struct Graph<S> {
    pub(super) system: S,
    pub(super) table: Table,
    pub(super) labels: Vec<Label>,
    pub(super) gaps: Gaps,
    label_numbers: HashMap<Label, LabelId>,
    expanded: Vec<Expanded>,
    arcs: Vec<Arc>,
    /// `true` if labels include the values of parameters and results.
    is_detailed: bool,
    updates: Updates,
    /// Number of edges that differ in their labels.
    pub(super) transitions: u64,
}

impl<S: Measured> Graph<S> {
    pub(super) fn new(system: S, is_detailed: bool) -> Graph<S> {
        let table = Table::new(system.matrix().width());
        Graph {
            system,
            table,
            labels: Vec::new(),
            gaps: Gaps::default(),
            label_numbers: HashMap::new(),
            expanded: Vec::new(),
            arcs: Vec::new(),
            is_detailed,
            updates: Updates::default(),
            transitions: 0,
        }
    }

    /// Returns whether labels include the values of parameters and results.
    pub(super) fn is_detailed(&self) -> bool {
        self.is_detailed
    }

    /// The initial states under a valuation of the constants.
    pub(super) fn initial(&mut self, root: usize) -> Vec<StateId> {
        let edges = self.system.initial(root, usize::MAX);
        let mut found = Vec::new();
        self.note_gap("INITIALISATION", &edges);
        for edge in &edges.edges {
            if let Some(row) = edge.row() {
                found.push(self.state(row));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the edges out of a state; `None` if they are not all known, or if the search was interrupted.
    pub(super) fn arcs(&mut self, state: StateId) -> Option<&[Arc]> {
        if self.expanded[state as usize] == Expanded::NotYet {
            let known = self.expand(state);
            if self.system.is_stopped() {
                return None;
            }
            self.expanded[state as usize] = known;
        }
        match self.expanded[state as usize] {
            Expanded::Known(from, n) => Some(&self.arcs[from..from + n as usize]),
            _ => None,
        }
    }

    /// Returns whether the edges out of a state were looked for.
    pub(super) fn is_expanded(&self, state: StateId) -> bool {
        self.expanded[state as usize] != Expanded::NotYet
    }

    fn expand(&mut self, state: StateId) -> Expanded {
        let row = self.table.row(state);
        let from = self.arcs.len();
        let mut found = Vec::new();
        let matrix = self.system.matrix().clone();
        let mut is_clear = true;
        for (group, shape) in matrix.group_ids().zip(&matrix.groups) {
            let event = EventId(group.0);
            let mut updates = std::mem::take(&mut self.updates);
            let expansion = if self.is_detailed {
                Expansion::Edges(self.system.edges(group, &row, usize::MAX))
            } else {
                self.system.next(group, &row, &mut updates)
            };
            match expansion {
                Expansion::Moves(_) => {
                    let label = self.label(Label { event, values: None });
                    for update in updates.iter() {
                        let to = self.state(&update.target(&shape.may_write, &row));
                        found.push(Arc { to, label });
                    }
                }
                Expansion::Edges(edges) => {
                    is_clear &= self.note_gap(&shape.name, &edges);
                    for edge in &edges.edges {
                        let Some(row) = edge.row() else { continue };
                        let values = || (edge.parameters.clone(), edge.results.clone());
                        let label = Label { event, values: self.is_detailed.then(values) };
                        let (to, label) = (self.state(row), self.label(label));
                        found.push(Arc { to, label });
                    }
                }
            }
            self.updates = updates;
        }
        found.sort_unstable();
        found.dedup();
        self.transitions += found.len() as u64;
        if !is_clear {
            return Expanded::Unclear;
        }
        let n = found.len() as u32;
        self.arcs.extend(found);
        Expanded::Known(from, n)
    }

    /// Notes why edges may be missing. Returns whether none is missing, and none goes wrong.
    fn note_gap(&mut self, place: &str, edges: &Edges) -> bool {
        if let Some(why) = edges.incomplete.as_ref().filter(|e| !is_interrupted(e)) {
            self.gaps.missing(place, why.clone());
        }
        let mut is_clear = edges.incomplete.is_none();
        for edge in &edges.edges {
            match &edge.target {
                Target::Row(_) => continue,
                Target::Unwritten(_) => self.gaps.missing(place, unwritten()),
                Target::Failed(outcome) => self.gaps.missing(place, failure(outcome)),
            }
            is_clear = false;
        }
        is_clear
    }

    fn state(&mut self, row: &[u32]) -> StateId {
        let hash = self.table.hash(row);
        let (state, is_new) = self.table.add(row, hash, 0);
        if is_new {
            self.expanded.push(Expanded::NotYet);
        }
        state
    }

    fn label(&mut self, label: Label) -> LabelId {
        if let Some(known) = self.label_numbers.get(&label) {
            return *known;
        }
        let number = self.labels.len() as LabelId;
        self.labels.push(label.clone());
        self.label_numbers.insert(label, number);
        number
    }

    /// Returns whether no more states can be numbered.
    pub(super) fn is_full(&self) -> bool {
        self.table.is_full()
    }

    /// Bytes of states and edges.
    pub(super) fn bytes(&self) -> usize {
        self.table.bytes()
            + self.arcs.len() * size_of::<Arc>()
            + self.expanded.len() * size_of::<Expanded>()
            + self.system.effort().bytes
    }
}
