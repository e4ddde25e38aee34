//! When progress is reported and a checkpoint written.

use std::time::{Duration, Instant};

use crate::options::SearchOptions;

/// How often progress is reported.
pub(super) const PROGRESS: Duration = Duration::from_millis(500);

/// When what is due, since the beginning.
pub(super) struct Schedule {
    pub(super) begin: Instant,
    pub(super) next_progress: Duration,
    pub(super) next_checkpoint: Duration,
}

impl Schedule {
    /// The schedule of a search that begins now.
    pub(super) fn new(begin: Instant, options: &SearchOptions) -> Schedule {
        let next_checkpoint = options.checkpoint.as_ref().map_or(Duration::MAX, |c| c.every);
        Schedule { begin, next_progress: PROGRESS, next_checkpoint }
    }
}
