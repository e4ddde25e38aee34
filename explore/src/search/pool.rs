//! The workers of a search: threads, and what is said to them and by them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope as Threads};
use std::time::{Duration, Instant};

use bsym_language::stack::declare_large;

use super::worker::{Answer, Frozen, Ground, Job, work};
use crate::options::Order;
use crate::store::discoveries::Discoveries;

/// Most states of a batch for each worker.
const BATCH: usize = 1 << 12;
/// Work from which on it is shared out, in seconds of one thread.
const WORTHWHILE: f64 = 300e-6;
/// A search that is over before is not shared out.
const SHORT: Duration = Duration::from_millis(20);
/// As much as the main thread has.
const STACK: usize = 256 << 20;

/// The workers of a search.
pub(super) struct Pool {
    pub(super) workers: Vec<Link>,
    /// What the last batch has found, for its memory.
    pub(super) found: Discoveries,
    pub(super) is_set_up: bool,
    begin: Instant,
    /// About how long one thread takes for a state, in seconds.
    pace: f64,
}

/// One worker, as seen by the search.
pub(super) struct Link {
    pub(super) jobs: Sender<Job>,
    answers: Receiver<Answer>,
    bytes: usize,
    counts: [u64; 3],
}

impl Pool {
    /// Starts the workers that are asked for; none where one thread is as good.
    pub fn start<'s, 'm: 's, 'o: 's>(threads: &'s Threads<'s, '_>, ground: Ground<'m, 'o>) -> Option<Pool> {
        let n = ground.options.threads;
        if n < 2 || ground.options.order != Order::BreadthFirst {
            return None;
        }
        let mut workers = Vec::new();
        for _ in 0..n {
            let (jobs, mine) = channel();
            let (yours, answers) = channel();
            let run = move || {
                declare_large();
                work(ground, &mine, &yours);
            };
            if Builder::new().name("worker".into()).stack_size(STACK).spawn_scoped(threads, run).is_ok() {
                workers.push(Link { jobs, answers, bytes: 0, counts: [0; 3] });
            }
        }
        let pool = Pool {
            workers,
            found: Discoveries::default(),
            is_set_up: false,
            begin: Instant::now(),
            pace: 0.0,
        };
        (pool.workers.len() > 1).then_some(pool)
    }

    /// Learns how long some states took.
    pub fn note(&mut self, took: Duration, states: usize) {
        let pace = took.as_secs_f64() / states.max(1) as f64;
        self.pace = if self.pace == 0.0 { pace } else { self.pace * 0.9 + pace * 0.1 };
    }

    /// Number of states to take for a batch out of those that wait; `None` where sharing them out does not pay.
    pub fn batch(&self, waiting: usize, even_if_cheap: bool) -> Option<usize> {
        let workers = self.workers.len();
        let worthwhile = waiting >= 2 * workers && waiting as f64 * self.pace >= WORTHWHILE;
        let soon = !self.is_set_up && self.begin.elapsed() < SHORT;
        (waiting > 0 && (worthwhile && !soon || even_if_cheap)).then_some(BATCH * workers)
    }

    /// Bytes of the workers.
    pub fn bytes(&self) -> usize {
        self.workers.iter().map(|w| w.bytes).sum()
    }

    /// Hits and misses of memos, and expansions by the reference evaluator, of all workers.
    pub fn counts(&self) -> [u64; 3] {
        self.workers.iter().fold([0; 3], |all, w| [0, 1, 2].map(|i| all[i] + w.counts[i]))
    }

    /// Lets all workers expand states.
    pub(super) fn send(&self, frozen: &Arc<Frozen>) {
        for worker in &self.workers {
            worker.jobs.send(Job::Expand(frozen.clone())).expect("a worker ends only with the search");
        }
    }
}

impl Link {
    /// What the worker has found, if it answers in time.
    pub(super) fn answer(&mut self, tick: Duration) -> Option<Answer> {
        match self.answers.recv_timeout(tick) {
            Ok(answer) => {
                self.bytes = answer.bytes;
                self.counts = answer.counts;
                Some(answer)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("a worker ends only with the search"),
        }
    }
}
