//! The workers of a search: threads, and what is said to them and by them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope as Threads};
use std::time::{Duration, Instant};

use bsym_language::stack::declare_large;

use super::properties::Asked;
use super::worker::{Answer, Frozen, work};
use crate::space::system::{Effort, Replicate};
use crate::store::discoveries::Discoveries;

/// Most states of a batch for each worker.
const BATCH: usize = 1 << 12;
/// Work from which on it is shared out, in seconds of one thread.
const WORTHWHILE: f64 = 300e-6;
/// A search that is over before is not shared out.
const SHORT: Duration = Duration::from_millis(20);
/// As much as the main thread has.
const STACK: usize = 256 << 20;

/// The workers of a search, whose systems are made from seeds.
pub(super) struct Pool<D> {
    pub(super) workers: Vec<Link<D>>,
    /// What the last batch has found, for its memory.
    pub(super) found: Discoveries,
    has_worked: bool,
    share_all: bool,
    begin: Instant,
    /// About how long one thread takes for a state, in seconds.
    pace: f64,
}

/// One worker, as seen by the search.
pub(super) struct Link<D> {
    jobs: Sender<Arc<Frozen<D>>>,
    answers: Receiver<Answer>,
    effort: Effort,
}

impl<D: Send + Sync> Pool<D> {
    /// Starts so many workers; none where there can be only one.
    pub fn start<'s, S: Replicate<Seed = D> + 's>(
        threads: &'s Threads<'s, '_>,
        n: usize,
        asked: &Asked,
        share_all: bool,
    ) -> Option<Pool<D>>
    where
        D: 's,
    {
        let mut workers = Vec::new();
        for _ in 0..n {
            let (jobs, mine) = channel();
            let (yours, answers) = channel();
            let asked = asked.clone();
            let run = move || {
                declare_large();
                work::<S>(&asked, &mine, &yours);
            };
            if Builder::new().name("worker".into()).stack_size(STACK).spawn_scoped(threads, run).is_ok() {
                workers.push(Link { jobs, answers, effort: Effort::default() });
            }
        }
        let (found, has_worked, pace) = Default::default();
        let pool = Pool { workers, found, has_worked, share_all, begin: Instant::now(), pace };
        (pool.workers.len() > 1).then_some(pool)
    }

    /// Learns how long some states took.
    pub fn note(&mut self, took: Duration, states: usize) {
        let pace = took.as_secs_f64() / states.max(1) as f64;
        self.pace = if self.pace == 0.0 { pace } else { self.pace * 0.9 + pace * 0.1 };
    }

    /// Number of states to take for a batch out of those that wait; `None` where sharing them out does not pay.
    pub fn batch(&self, waiting: usize) -> Option<usize> {
        let workers = self.workers.len();
        let worthwhile = waiting >= 2 * workers && waiting as f64 * self.pace >= WORTHWHILE;
        let soon = !self.has_worked && self.begin.elapsed() < SHORT;
        (waiting > 0 && (worthwhile && !soon || self.share_all)).then_some(BATCH * workers)
    }

    /// What the workers have done.
    pub fn effort(&self) -> Effort {
        self.workers.iter().fold(Effort::default(), |all, worker| all + worker.effort)
    }

    /// Lets all workers expand states.
    pub(super) fn send(&mut self, frozen: &Arc<Frozen<D>>) {
        self.has_worked = true;
        for worker in &self.workers {
            worker.jobs.send(frozen.clone()).expect("a worker ends only with the search");
        }
    }
}

impl<D> Link<D> {
    /// What the worker has found, if it answers in time.
    pub(super) fn answer(&mut self, tick: Duration) -> Option<Answer> {
        match self.answers.recv_timeout(tick) {
            Ok(answer) => {
                self.effort = answer.effort;
                Some(answer)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("a worker ends only with the search"),
        }
    }
}
