//! Schedule of checkpoints.

use std::time::{Duration, Instant};

use crate::options::SearchOptions;

/// Times of the next checkpoint, since the beginning.
pub(super) struct Schedule {
    begin: Instant,
    next_checkpoint: Duration,
    every: Duration,
}

impl Schedule {
    /// The schedule of a search that begins now.
    pub(super) fn new(begin: Instant, options: &SearchOptions) -> Schedule {
        let every = options.suspension.checkpoint.as_ref().map_or(Duration::MAX, |c| c.every);
        Schedule { begin, next_checkpoint: every, every }
    }

    /// Returns whether it is time for a checkpoint, and schedules the next one if it is.
    pub(super) fn is_checkpoint_due(&mut self) -> bool {
        let time = self.begin.elapsed();
        let is_due = time >= self.next_checkpoint;
        if is_due {
            self.next_checkpoint = time.saturating_add(self.every);
        }
        is_due
    }
}
