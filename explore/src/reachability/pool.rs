//! Workers of a search: its additional threads, and the messages to and from them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope as Threads};
use std::time::{Duration, Instant};

use bsym_language::stack::declare_large;

use super::worker::{Answer, Expander, Frozen, Job, Share, Slice, work};
use crate::space::system::{Effort, Reduce};
use crate::store::discoveries::Discoveries;
use crate::tuning::{Tuning, tuning};

/// The workers of a search, whose systems are made from seeds.
pub(super) struct Pool<D> {
    pub(super) workers: Vec<Link<D>>,
    /// Discoveries of the last batch, kept to reuse their memory.
    pub(super) found: Discoveries,
    /// Share of the search's own thread.
    pub(super) share: Share,
    pub(super) expander: Expander,
    has_worked: bool,
    share_all: bool,
    begin: Instant,
    /// Approximate time of one thread for a state, in seconds.
    pace: f64,
}

/// One worker, as seen by the search.
pub(super) struct Link<D> {
    jobs: Sender<Job<D>>,
    answers: Receiver<Answer>,
    /// Effort of the worker so far, and memory to reuse for its next share.
    effort: Effort,
    pub(super) share: Share,
}

impl<D: Send + Sync> Pool<D> {
    /// Starts workers, so that there are `n` threads including that of the search; none if there can be only that one.
    pub fn start<'s, S: Reduce<Seed = D> + 's>(
        threads: &'s Threads<'s, '_>,
        n: usize,
        share_all: bool,
    ) -> Option<Pool<D>>
    where
        D: 's,
    {
        let mut workers = Vec::new();
        for _ in 1..n {
            let (jobs, mine) = channel();
            let (yours, answers) = channel();
            let run = move || {
                declare_large();
                work::<S>(&mine, &yours);
            };
            if Builder::new()
                .name("worker".into())
                .stack_size(tuning().reachability.stack)
                .spawn_scoped(threads, run)
                .is_ok()
            {
                let (effort, share) = Default::default();
                workers.push(Link { jobs, answers, effort, share });
            }
        }
        let (found, share, expander, has_worked, pace) = Default::default();
        let pool =
            Pool { workers, found, share, expander, has_worked, share_all, begin: Instant::now(), pace };
        (!pool.workers.is_empty()).then_some(pool)
    }

    /// Number of threads, including that of the search.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Updates the pace by the time that some states took.
    pub fn note(&mut self, took: Duration, states: usize) {
        let pace = took.as_secs_f64() / states.max(1) as f64;
        self.pace = if self.pace == 0.0 { pace } else { self.pace * 0.9 + pace * 0.1 };
    }

    /// Number of waiting states to take for a batch; `None` if sharing them out does not pay.
    pub fn batch(&self, waiting: usize) -> Option<usize> {
        let threads = self.threads();
        let worthwhile = waiting >= 2 * threads
            && waiting as f64 * self.pace >= Tuning::DEFAULT.reachability.worthwhile_seconds;
        // The clock is read last, since this is called before every state.
        let shared =
            worthwhile && (self.has_worked || self.begin.elapsed() >= Tuning::DEFAULT.reachability.short);
        let soon = (Tuning::DEFAULT.reachability.batch_seconds / self.pace.max(1e-9)) as usize;
        (waiting > 0 && (shared || self.share_all))
            .then_some(soon.clamp(2, Tuning::DEFAULT.reachability.batch) * threads)
    }

    /// Number of states of a batch to take at a time: small enough that the last ones are soon done and the limits are
    /// checked often, large enough to be worth a handshake.
    pub(super) fn slice(&self, batch: usize) -> usize {
        let even = batch / (4 * self.threads());
        let soon = (Tuning::DEFAULT.reachability.slice_seconds / self.pace.max(1e-9)) as usize;
        even.min(soon).clamp(1, Tuning::DEFAULT.reachability.slice)
    }

    /// Total effort of the workers.
    pub fn effort(&self) -> Effort {
        self.workers.iter().fold(Effort::default(), |all, worker| all + worker.effort)
    }

    /// Lets all workers expand states.
    pub(super) fn send(&mut self, frozen: &Arc<Frozen<D>>) {
        self.has_worked = true;
        for worker in &mut self.workers {
            let job = (frozen.clone(), std::mem::take(&mut worker.share));
            worker.jobs.send(job).expect("a worker ends only with the search");
        }
    }

    /// Returns the results of all threads, slice by slice in the order of the states.
    pub(super) fn slices(&self) -> Vec<(&Share, &Slice)> {
        let shares = self.workers.iter().map(|worker| &worker.share).chain([&self.share]);
        let mut slices: Vec<_> =
            shares.flat_map(|share| share.slices.iter().map(move |s| (share, s))).collect();
        slices.sort_unstable_by_key(|(_, slice)| slice.from);
        slices
    }

    /// Returns whether some thread gave up before the end.
    pub(super) fn is_stopped(&self) -> bool {
        self.share.stopped || self.workers.iter().any(|worker| worker.share.stopped)
    }
}

impl<D> Link<D> {
    /// Waits for the worker's share. Returns whether it came in time.
    pub(super) fn has_answered(&mut self, tick: Duration) -> bool {
        match self.answers.recv_timeout(tick) {
            Ok(Answer { share, effort }) => {
                (self.share, self.effort) = (share, effort);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => panic!("a worker ends only with the search"),
        }
    }
}
