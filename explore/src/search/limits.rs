//! Limits, progress and checkpoints: what is looked at now and then.

use std::sync::atomic::Ordering;

use super::exploration::Search;
use super::pool::Pool;
use super::schedule::PROGRESS;
use crate::report::{Observer, Progress, Unknown};

impl Search<'_, '_> {
    /// Looks at the limits and tells the observer; whether the search is over.
    pub(super) fn pulse(&mut self, observer: &mut dyn Observer) -> bool {
        if self.pulse_at(observer, self.table.len(), self.bytes()) {
            return true;
        }
        let time = self.schedule.begin.elapsed();
        if let Some(checkpoint) = &self.options.checkpoint
            && self.initialised
            && time >= self.schedule.next_checkpoint
        {
            self.schedule.next_checkpoint = time + checkpoint.every;
            self.save();
        }
        false
    }

    pub(super) fn pulse_at(&mut self, observer: &mut dyn Observer, states: usize, bytes: usize) -> bool {
        self.properties.learn(self.options.proven_meanwhile.take());
        let limits = &self.options.limits;
        let time = self.schedule.begin.elapsed();
        self.stopped = if self.options.cancelled.load(Ordering::Relaxed) {
            Some(Unknown::Cancelled)
        } else if limits.time.is_some_and(|t| time >= t) {
            Some(Unknown::Timeout)
        } else if let Some(limit) = limits.states.filter(|n| states > *n) {
            Some(Unknown::StateLimit(limit))
        } else if self.machine.context.store.is_full() {
            Some(Unknown::TooManyValues)
        } else {
            limits.memory.filter(|n| bytes > *n).map(Unknown::MemoryLimit)
        };
        if time >= self.schedule.next_progress {
            self.schedule.next_progress = time + PROGRESS;
            let states = states as u64 + self.statistics.valuations;
            observer.progress(&Progress {
                states,
                transitions: self.statistics.transitions,
                frontier: self.frontier.len(),
                rate: states as f64 / time.as_secs_f64(),
            });
        }
        self.stopped.is_some()
    }

    /// Lets the workers go, and keeps what they have counted.
    pub(super) fn dismiss(&mut self) {
        self.statistics.bytes = self.bytes();
        self.statistics.table_bytes = self.table.bytes();
        if let Some(pool) = self.pool.take() {
            let [hits, misses, by_reference] = pool.counts();
            self.statistics.memo_hits = hits;
            self.statistics.memo_misses = misses;
            self.statistics.by_reference = by_reference;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let workers = self.pool.as_ref().map_or(0, Pool::bytes);
        self.table.bytes() + self.machine.bytes() + self.frontier.bytes() + workers
    }
}
