//! Expanding a state: the successors by its groups go into the table and, if they are new, into the frontier.

use fixedbitset::FixedBitSet;

use super::exploration::Reachability;
use super::firings::Firings;
use super::reached::Reached;
use super::visitor::{Origin, Visitor};
use crate::space::dependency_matrix::{Group, GroupId};
use crate::space::system::{Edges, Expansion, Reduce, Target, unwritten};
use crate::space::updates::Updates;
use crate::store::state_table::{INITIAL, StateId};

/// A state with its row, and a group of transitions out of it.
type From<'r> = (StateId, &'r [u32], GroupId);

impl<S: Reduce, V: Visitor<S>> Reachability<S, V> {
    /// Expands a state. Returns whether there was time for it.
    pub(super) fn expand(&mut self, state: StateId, row: &[u32]) -> bool {
        if self.reached.system.chooses() {
            return self.expand_enough(state, row);
        }
        self.expand_all(state, row)
    }

    /// Adds the successors by all groups.
    fn expand_all(&mut self, state: StateId, row: &[u32]) -> bool {
        let hash = self.reached.table.hash(row);
        let mut enabled = false;
        let before = self.reached.counts.transitions;
        let mut next = row.to_vec();
        let matrix = self.reached.system.matrix().clone();
        for (group, shape) in matrix.group_ids().zip(&matrix.groups) {
            enabled |= self.fire((state, row, group), shape, hash, &mut next);
            if self.visitor.is_over() {
                return true;
            }
        }
        self.close(state, enabled, before)
    }

    /// Adds the successors by a sufficient subset of the groups. If something goes wrong or may be missing, these are
    /// all groups.
    fn expand_enough(&mut self, state: StateId, row: &[u32]) -> bool {
        let matrix = self.reached.system.matrix().clone();
        let n = matrix.groups.len();
        let (mut enabled, mut moves) = (FixedBitSet::with_capacity(n), vec![0; n]);
        self.held.resize_with(n, Updates::default);
        for group in matrix.group_ids() {
            let updates = &mut self.held[group.index()];
            let Expansion::Moves(transitions) = self.reached.system.next(group, row, updates) else {
                return self.expand_all(state, row);
            };
            moves[group.index()] = transitions;
            if transitions > 0 {
                enabled.insert(group.index());
            }
        }
        let chosen = self.reached.system.enough(row, &enabled);
        let (hash, before) = (self.reached.table.hash(row), self.reached.counts.transitions);
        let (held, mut next) = (std::mem::take(&mut self.held), row.to_vec());
        for (group, shape) in matrix.group_ids().zip(&matrix.groups) {
            let at = group.index();
            if !enabled.contains(at) || chosen.as_ref().is_some_and(|chosen| !chosen.contains(at)) {
                continue;
            }
            self.reached.counts.transitions += moves[at];
            self.apply(&held[at], &shape.may_write, (state, row, group), hash, &mut next);
            if self.visitor.is_over() {
                return true;
            }
        }
        self.held = held;
        self.close(state, !enabled.is_clear(), before)
    }

    /// Adds the successors by a group. Returns whether it is enabled.
    pub(super) fn fire(&mut self, from: From<'_>, shape: &Group, hash: u64, next: &mut [u32]) -> bool {
        let mut updates = std::mem::take(&mut self.updates);
        let (state, row, group) = from;
        let before = self.reached.counts.transitions;
        let expansion = self.reached.system.next(group, row, &mut updates);
        let enabled = match expansion {
            Expansion::Moves(transitions) => {
                self.reached.counts.transitions += transitions;
                self.apply(&updates, &shape.may_write, from, hash, next);
                transitions > 0
            }
            Expansion::Edges(edges) => {
                let enabled = !edges.edges.is_empty() || edges.incomplete.is_some();
                self.follow(edges, Origin::State(state, row, group));
                enabled
            }
        };
        self.updates = updates;
        if let Some(firings) = self.firings.as_mut().filter(|_| enabled) {
            firings.note(group, self.reached.counts.transitions - before);
        }
        enabled
    }

    /// Ends the expansion of a state. Returns whether there was time for it.
    pub(super) fn close(&mut self, state: StateId, enabled: bool, before: u64) -> bool {
        if self.is_stopped() {
            // Some of its successors are missing: the state is expanded again when the search is resumed.
            self.reached.counts.transitions = before;
            self.firings.iter_mut().for_each(Firings::forget);
            return false;
        }
        self.firings.iter_mut().for_each(Firings::keep);
        self.reached.counts.deadlocks += u64::from(!enabled);
        self.visitor.expanded(&mut self.reached, state, enabled);
        true
    }

    /// Adds the targets of the updates of a group.
    fn apply(&mut self, updates: &Updates, may_write: &[usize], from: From<'_>, hash: u64, next: &mut [u32]) {
        let row = from.1;
        for update in updates.iter() {
            let table = &self.reached.table;
            let Some(hash) = update.reach(may_write, table, (row, hash), next) else { continue };
            self.arrive(next, hash, Some(from));
            for at in may_write {
                next[*at] = row[*at];
            }
            if self.visitor.is_over() {
                break;
            }
        }
    }

    /// Adds the targets of edges of which some go wrong or may be missing. Returns the number of those that reach a
    /// state.
    pub fn follow(&mut self, edges: Edges, origin: Origin<'_>) -> u64 {
        let from = match origin {
            Origin::Root(_) => None,
            Origin::State(state, row, group) => Some((state, row, group)),
        };
        let Reachability { reached, visitor, .. } = self;
        if let Some(e) = edges.incomplete {
            let place = match from {
                None => "the initialisation".into(),
                Some((.., group)) => format!("event `{}`", reached.system.matrix().group(group).name),
            };
            visitor.missing(reached, &place, e);
        }
        let mut transitions = 0;
        for edge in edges.edges {
            match edge.target {
                Target::Failed(outcome) => self.visitor.failed(&mut self.reached, origin, outcome),
                Target::Row(row) => {
                    transitions += 1;
                    self.reached.counts.transitions += 1;
                    let hash = self.reached.table.hash(&row);
                    self.arrive(&row, hash, from);
                }
                Target::Unwritten(_) => {
                    transitions += 1;
                    self.reached.counts.transitions += 1;
                    let place = if from.is_none() { "the initialisation" } else { "a state" };
                    self.visitor.missing(&mut self.reached, place, unwritten());
                }
            }
            if self.visitor.is_over() {
                break;
            }
        }
        transitions
    }

    /// Adds a state that was reached from another one, and checks its properties if it is new.
    fn arrive(&mut self, row: &[u32], hash: u64, from: Option<From<'_>>) {
        let Reachability { reached: Reached { system, table, frontier, doubtful, .. }, properties, .. } =
            self;
        if table.is_full() {
            self.pulse();
            return;
        }
        // A state that was not reduced for lack of time is reached again when the search is resumed.
        let Ok(stand_in) = system.stand_in(row) else { return };
        let (stored, hash) = stand_in.as_ref().map_or((row, hash), |row| (row, table.hash(row)));
        let (state, new) = table.add(stored, hash, from.map_or(INITIAL, |(parent, ..)| parent));
        if !new {
            return;
        }
        frontier.push(state);
        let before = from.filter(|(parent, ..)| doubtful.is_empty() || !doubtful.contains(parent));
        if !properties.hold(system, row, before.map(|(_, old, group)| (old, group))) {
            self.doubt(state, stored);
        }
    }

    /// Tells the visitor about a state in which some property is not known to hold.
    pub(super) fn doubt(&mut self, state: StateId, row: &[u32]) {
        self.reached.doubtful.insert(state);
        self.visitor.doubtful(&mut self.reached, state, row);
    }
}
