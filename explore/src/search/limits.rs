//! Limits, progress and checkpoints: what is looked at now and then.

use bsym_semantics::verdict::Reason;
use std::sync::atomic::Ordering;

use super::schedule::PROGRESS;
use super::verifier::{Search, States, Verifier};
use crate::report::Progress;

impl Verifier<'_, '_> {
    /// Looks at the limits and tells the observer.
    pub(super) fn look_at_limits(&mut self, reached: &States<'_>, states: usize, bytes: usize) {
        let limits = &self.options.limits;
        let time = self.schedule.begin.elapsed();
        self.stopped = if self.options.cancelled.load(Ordering::Relaxed) {
            Some(Reason::Interrupted)
        } else if limits.time.is_some_and(|t| time >= t) {
            Some(Reason::Timeout)
        } else if let Some(limit) = limits.states.filter(|n| states > *n) {
            Some(Reason::StateLimit(limit))
        } else if reached.table.is_full() {
            Some(Reason::StateLimit(states))
        } else if reached.system.context.store.is_full() {
            Some(Reason::TooManyValues)
        } else {
            limits.memory.filter(|n| bytes > *n).map(Reason::MemoryOfStates)
        };
        if time >= self.schedule.next_progress {
            self.schedule.next_progress = time + PROGRESS;
            self.observer.progress(&Progress {
                states: states as u64 + self.statistics.valuations,
                transitions: reached.counts.transitions,
                frontier: reached.frontier.len(),
                rate: states as f64 / time.as_secs_f64(),
            });
        }
    }
}

impl Search<'_, '_> {
    /// Lets the workers go, and keeps what was counted.
    pub(super) fn end(&mut self) {
        self.visitor.statistics.bytes = self.bytes();
        self.visitor.statistics.table_bytes = self.reached.table.bytes();
        let effort = self.dismiss();
        let s = &mut self.visitor.statistics;
        (s.memo_hits, s.memo_misses, s.by_reference) = (effort.hits, effort.misses, effort.by_reference);
    }
}
