//! How long an engine may go on, and how it is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bsym_semantics::verdict::Reason;

/// Deadline and cancellation of a run. Clones share the cancellation.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When the run ends, if it does by itself.
    pub deadline: Option<Instant>,
    /// Longest time for one solver query.
    pub query: Option<Duration>,
    /// Most work for one solver query, counted in gates and decisions, so that the answer is the same on every machine.
    /// Only the SAT solver that is built in counts it.
    pub steps: Option<u64>,
    cancelled: Arc<AtomicBool>,
}

/// Why something stopped without an answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stopped {
    /// The deadline of the run or of the query has passed.
    #[error("time is up")]
    Timeout,
    /// The user asked to stop.
    #[error("interrupted")]
    Cancelled,
    /// The solver gave up, with its reason.
    #[error("the solver answered unknown ({0})")]
    Incomplete(String),
}

impl From<Stopped> for Reason {
    fn from(stopped: Stopped) -> Reason {
        match stopped {
            Stopped::Timeout => Reason::Timeout,
            Stopped::Cancelled => Reason::Interrupted,
            Stopped::Incomplete(why) => Reason::SolverUnknown(why),
        }
    }
}

impl Budget {
    /// Without limits.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// The same cancellation, ending after `time` from now or at the own deadline, whichever comes first.
    pub fn within(&self, time: Duration) -> Self {
        let end = Instant::now() + time;
        Budget { deadline: Some(self.deadline.map_or(end, |d| d.min(end))), ..self.clone() }
    }

    /// The same run with at most `time` for one query.
    pub fn per_query(&self, time: Duration) -> Self {
        Budget { query: Some(time), ..self.clone() }
    }

    /// The same run with at most so many steps for one query.
    pub fn in_steps(&self, steps: u64) -> Self {
        Budget { steps: Some(steps), ..self.clone() }
    }

    /// Asks everything that shares this budget to stop. Safe from a signal handler's thread.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// The flag that [`cancel`](Self::cancel) sets.
    pub fn cancellation(&self) -> Arc<AtomicBool> {
        self.cancelled.clone()
    }

    /// `Err` once the run has to end.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() {
            Err(Stopped::Cancelled)
        } else if self.deadline.is_some_and(|d| Instant::now() >= d) {
            Err(Stopped::Timeout)
        } else {
            Ok(())
        }
    }

    /// The rest of the run, if it ends by itself.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// Time that one query may take: the rest of the run, at most the query's own limit.
    pub fn query_time(&self) -> Option<Duration> {
        match (self.left(), self.query) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}
