//! Expanding a state: what its groups lead to goes into the table and, if it is new, into the frontier.

use bsym_language::model::EventId;

use super::exploration::Search;
use super::findings::Key;
use super::witness::Failure;
use crate::report::Unknown;
use crate::space::dependency_matrix::{Group, GroupId};
use crate::space::machine::unwritten;
use crate::space::system::{Edges, Expansion, System, Target};
use crate::space::updates::Updates;
use crate::store::state_table::{INITIAL, StateId};

impl Search<'_, '_> {
    /// Expands a state; whether there was time for it.
    pub(super) fn expand(&mut self, state: StateId, row: &[u32]) -> bool {
        let hash = self.table.hash(row);
        let mut enabled = false;
        let before = self.statistics.transitions;
        let mut next = row.to_vec();
        let matrix = self.machine.matrix.clone();
        for (group, shape) in matrix.group_ids().zip(&matrix.groups) {
            enabled |= self.fire((group, shape), state, row, hash, &mut next);
            if self.is_over() {
                return true;
            }
        }
        let audited = self.is_to_audit(state);
        self.close(state, row, enabled, before, audited)
    }

    /// Adds what a group leads to; whether it is enabled.
    pub(super) fn fire(
        &mut self,
        (group, shape): (GroupId, &Group),
        state: StateId,
        row: &[u32],
        hash: u64,
        next: &mut [u32],
    ) -> bool {
        let mut updates = std::mem::take(&mut self.updates);
        let expansion = self.machine.next(group, row, &mut updates);
        let enabled = match expansion {
            Expansion::Moves(transitions) => {
                self.statistics.transitions += transitions;
                let from = (state, row, self.machine.event(group));
                self.apply(&updates, &shape.may_write, from, hash, next);
                transitions > 0
            }
            Expansion::Edges(edges) => {
                let enabled = !edges.edges.is_empty() || edges.incomplete.is_some();
                self.follow(group, edges, state, row);
                enabled
            }
        };
        self.updates = updates;
        enabled
    }

    /// Ends the expansion of a state; whether there was time for it. The row is looked at where no group is enabled, and for
    /// an audit.
    pub(super) fn close(
        &mut self,
        state: StateId,
        row: &[u32],
        enabled: bool,
        before: u64,
        audited: bool,
    ) -> bool {
        if self.machine.context.stopped {
            // Some of its successors are missing: whoever continues the search expands it again.
            self.statistics.transitions = before;
            return false;
        }
        if !enabled {
            self.statistics.deadlocks += 1;
            if self.options.checks.deadlock && self.is_deadlock(row) {
                self.findings.violated(Key::Deadlock, Some(state), self.machine.valuation(row), None);
            }
        }
        if audited {
            self.audit_state(state, row);
        }
        true
    }

    /// Adds the targets of the updates of an event.
    fn apply(
        &mut self,
        updates: &Updates,
        may_write: &[usize],
        from: (StateId, &[u32], EventId),
        hash: u64,
        next: &mut [u32],
    ) {
        let row = from.1;
        for update in updates.iter() {
            let mut hash = hash;
            let mut changed = false;
            for (at, word) in update.written(may_write) {
                if row[at] != word {
                    changed = true;
                    hash = self.table.rehash(hash, at, row[at], word);
                    next[at] = word;
                }
            }
            if !changed {
                continue;
            }
            self.reached(next, hash, Some(from));
            for at in may_write {
                next[*at] = row[*at];
            }
            if self.is_over() {
                break;
            }
        }
    }

    /// Adds the targets of edges of which some go wrong or may be missing.
    fn follow(&mut self, group: GroupId, edges: Edges, state: StateId, row: &[u32]) {
        let event = self.machine.event(group);
        if let Some(e) = edges.incomplete {
            let name = self.machine.matrix.group(group).name.clone();
            self.note(&format!("event `{name}`"), e);
        }
        let valuation = self.machine.valuation(row);
        for edge in edges.edges {
            let next = match edge.target {
                Target::Failed(outcome) => {
                    self.failed(Some(state), valuation, Failure { event: Some(event), outcome });
                    if self.is_over() {
                        return;
                    }
                    continue;
                }
                Target::Row(next) => Some(next),
                Target::Unwritten(_) => None,
            };
            self.statistics.transitions += 1;
            let Some(next) = next else {
                self.note("a state", unwritten());
                continue;
            };
            let hash = self.table.hash(&next);
            self.reached(&next, hash, Some((state, row, event)));
            if self.is_over() {
                return;
            }
        }
    }

    /// Adds a state that was reached from another one, and judges it if it is new.
    pub(super) fn reached(&mut self, row: &[u32], hash: u64, from: Option<(StateId, &[u32], EventId)>) {
        if self.table.is_full() {
            self.stopped = Some(Unknown::StateLimit(self.table.len()));
            return;
        }
        let (state, new) = self.table.add(row, hash, from.map_or(INITIAL, |(parent, ..)| parent));
        if !new {
            return;
        }
        self.frontier.push(state);
        let before = from.filter(|(parent, ..)| {
            self.findings.doubtful.is_empty() || !self.findings.doubtful.contains(parent)
        });
        let before = before.map(|(_, old, event)| (old, event));
        if !self.properties.hold(&mut self.machine, row, before) {
            let values = self.machine.context.decode_state(row);
            self.judge(state, self.machine.valuation(row), &values);
        }
    }
}
