//! Deadline and cancellation of a run, of its parts and of their queries; by the clock, or counted in steps of solvers.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bsym_semantics::verdict::Reason;

use crate::tuning::tuning;

fn with_slack(time: Duration) -> Duration {
    let crate::tuning::Budget { slack_factor, slack } = tuning().budget;
    time.saturating_mul(slack_factor).saturating_add(slack)
}

thread_local! {
    static WORK: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The work of all solvers of this thread so far: about the time that it takes, counted in steps of the solvers, so
/// that it is the same in each run.
pub fn work() -> Duration {
    WORK.get()
}

/// Counts work of a solver of this thread.
pub fn spend(work: Duration) {
    WORK.set(WORK.get() + work);
}

/// Deadline and cancellation of a run. Clones share the cancellation.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// End of the run, if it ends by itself.
    pub deadline: Option<Instant>,
    /// Longest time for one solver query.
    pub query: Option<Duration>,
    /// Most work for one solver query, counted in gates and decisions, so that the answer is the same on every machine.
    /// Only the SAT solver that is built in counts it.
    pub steps: Option<u64>,
    cancelled: Arc<AtomicBool>,
    /// The flag of the run that this is a part of.
    outer: Option<Arc<AtomicBool>>,
    /// Times of parts and queries are counted in the [`work`] of the solvers of a thread.
    is_counted: bool,
    /// The [`work`] with which this part ends.
    end: Option<Duration>,
}

/// Reason why a run or a query stopped without an answer.
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
    /// Returns a budget without limits.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// A budget of which the times of parts and queries, but not the end of the run, are counted in steps of solvers
    /// instead of read from a clock, so that they end at the same point in each run. Only of use on one thread, and
    /// only solvers that are linked count.
    pub fn counted(&self) -> Self {
        Budget { is_counted: true, ..self.clone() }
    }

    /// Returns true if times are [counted](Self::counted).
    pub fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// A budget with the same cancellation that ends after `time` from now or at the own deadline, whichever comes
    /// first.
    pub fn within(&self, time: Duration) -> Self {
        let by_clock = Instant::now() + if self.is_counted { with_slack(time) } else { time };
        let by_work = self.is_counted.then(|| work() + time);
        Budget {
            deadline: Some(self.deadline.map_or(by_clock, |own| own.min(by_clock))),
            end: self.end.into_iter().chain(by_work).min(),
            ..self.clone()
        }
    }

    /// Returns this budget with at most `time` for one query.
    pub fn per_query(&self, time: Duration) -> Self {
        Budget { query: Some(time), ..self.clone() }
    }

    /// Returns this budget with at most `steps` steps for one query.
    pub fn in_steps(&self, steps: u64) -> Self {
        Budget { steps: Some(steps), ..self.clone() }
    }

    /// The budget of a part of this run, which can be cancelled alone. It ends with the run as well.
    pub fn part(&self) -> Self {
        Budget { cancelled: Arc::default(), outer: Some(self.cancelled.clone()), ..self.clone() }
    }

    /// Asks everything that shares this budget to stop. Safe from a signal handler's thread.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Returns true once [`cancel`](Self::cancel) was called, here or on the run that this is a part of.
    pub fn is_cancelled(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::SeqCst);
        is_set(&self.cancelled) || self.outer.as_deref().is_some_and(is_set)
    }

    /// The flag that [`cancel`](Self::cancel) sets.
    pub fn cancellation(&self) -> Arc<AtomicBool> {
        self.cancelled.clone()
    }

    /// `Err` once the run has to end.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() {
            Err(Stopped::Cancelled)
        } else if self.deadline.is_some_and(|d| Instant::now() >= d)
            || self.end.is_some_and(|end| work() >= end)
        {
            Err(Stopped::Timeout)
        } else {
            Ok(())
        }
    }

    /// The rest of the run, if it ends by itself.
    pub fn left(&self) -> Option<Duration> {
        let by_work = self.end.map(|end| end.saturating_sub(work()));
        self.by_clock().into_iter().chain(by_work).min()
    }

    fn by_clock(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// Time by the clock that one query may take: the rest of the run, at most the query's own limit.
    pub fn query_time(&self) -> Option<Duration> {
        let query = self.query.map(|time| if self.is_counted { with_slack(time) } else { time });
        self.by_clock().into_iter().chain(query).min()
    }

    /// Work that one query may take where times are [counted](Self::counted).
    pub fn query_work(&self) -> Option<Duration> {
        let left = self.end.map(|end| end.saturating_sub(work()));
        left.into_iter().chain(self.query.filter(|_| self.is_counted)).min()
    }
}
