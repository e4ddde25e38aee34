//! Limits, progress and checkpoints, which are checked from time to time.

use bsym_semantics::verdict::Reason;

use super::verifier::{Search, States, Verifier};
use crate::report::{MemoryUse, Progress};

impl Verifier<'_, '_> {
    /// Checks the limits and tells the observer.
    pub(super) fn look_at_limits(&mut self, reached: &States<'_>, states: usize, bytes: usize) {
        let is_full = || {
            let values = reached.system.context.store.is_full().then_some(Reason::TooManyValues);
            reached.table.is_full().then_some(Reason::StateLimit(states)).or(values)
        };
        let over = self.session.over(self.session.deadline, states);
        self.stopped = over.or_else(is_full).or_else(|| self.session.out_of_memory(|| bytes));
        let valuations = self.statistics.valuations;
        self.teller.tell(|seconds| Progress {
            states: states as u64 + valuations,
            transitions: reached.counts.transitions,
            frontier: reached.frontier.len(),
            rate: states as f64 / seconds,
        });
    }
}

impl Search<'_, '_> {
    /// Ends the workers, and keeps their counts.
    pub(super) fn end(&mut self) {
        let memory = MemoryUse { bytes: self.bytes(), table_bytes: self.reached.table.bytes() };
        self.visitor.statistics.memory = memory;
        let effort = self.dismiss();
        let s = &mut self.visitor.statistics.successors;
        (s.memo_hits, s.memo_misses, s.by_reference) = (effort.hits, effort.misses, effort.by_reference);
    }
}
