//! Breadth-first search by several threads.
//!
//! Workers expand a batch of the oldest states while the table stands still; then their answers are
//! merged in the order of the states and events, so that numbers, counts and counterexamples are those
//! of one thread, however the work was shared out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope as Threads};
use std::time::{Duration, Instant};

use bsym_language::stack::declare_large;

use super::Search;
use crate::options::Order;
use crate::report::{Observer, Unknown};
use crate::search::worker::{Answer, Candidate, Frozen, Ground, Job, Slice, work};
use crate::space::dependency_matrix::GroupId;
use crate::store::discoveries::Discoveries;
use crate::store::state_table::StateId;

/// Most states of a batch for each worker.
const BATCH: usize = 1 << 12;
/// States of a slice: small enough that the last one is soon done, large enough to be worth a handshake.
const SLICE: usize = 64;
/// Work from which on it is shared out, in seconds of one thread.
const WORTHWHILE: f64 = 300e-6;
/// A search that is over before is not shared out.
const SHORT: Duration = Duration::from_millis(20);
const TICK: Duration = Duration::from_millis(100);
/// As much as the main thread has.
const STACK: usize = 256 << 20;

/// The workers of a search.
pub(super) struct Pool {
    workers: Vec<Link>,
    /// What the last batch has found, for its memory.
    found: Discoveries,
    is_set_up: bool,
    begin: Instant,
    /// About how long one thread takes for a state, in seconds.
    pace: f64,
}

struct Link {
    jobs: Sender<Job>,
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

    /// Bytes of the workers.
    pub fn bytes(&self) -> usize {
        self.workers.iter().map(|w| w.bytes).sum()
    }

    /// Hits and misses of memos, and expansions by the reference evaluator, of all workers.
    pub fn counts(&self) -> [u64; 3] {
        self.workers.iter().fold([0; 3], |all, w| [0, 1, 2].map(|i| all[i] + w.counts[i]))
    }

    fn send(&self, frozen: &Arc<Frozen>) {
        for worker in &self.workers {
            worker.jobs.send(Job::Expand(frozen.clone())).expect("a worker ends only with the search");
        }
    }
}

impl Link {
    fn answer(&mut self, tick: Duration) -> Option<Answer> {
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

impl Search<'_, '_> {
    /// The states that are worth sharing out, if there are any.
    pub(super) fn next_batch(&mut self) -> Option<Vec<StateId>> {
        let pool = self.pool.as_ref()?;
        let (waiting, workers) = (self.frontier.len(), pool.workers.len());
        let worthwhile = waiting >= 2 * workers && waiting as f64 * pool.pace >= WORTHWHILE;
        let soon = !pool.is_set_up && pool.begin.elapsed() < SHORT;
        if waiting == 0 || (!worthwhile || soon) && !self.options.share_all {
            return None;
        }
        Some(self.frontier.take(BATCH * workers))
    }

    /// Expands some states.
    pub(super) fn expand_batch(&mut self, batch: Vec<StateId>, observer: &mut dyn Observer) {
        let Some(mut pool) = self.pool.take() else { return };
        let begin = Instant::now();
        let (answers, batch) = self.share_out(&mut pool, batch, observer);
        pool.note(begin.elapsed() * pool.workers.len() as u32, batch.len());
        let stopped = answers.iter().any(|answer| answer.stopped);
        let mut slices: Vec<Slice> = answers.into_iter().flat_map(|answer| answer.slices).collect();
        let done = if stopped {
            self.machine.context.stopped = true;
            0
        } else {
            slices.sort_unstable_by_key(|slice| slice.from);
            self.merge(&batch, &slices, &mut pool.found)
        };
        batch[done..].iter().rev().for_each(|state| self.frontier.put_back(*state));
        self.pool = Some(pool);
    }

    fn share_out(
        &mut self,
        pool: &mut Pool,
        batch: Vec<StateId>,
        observer: &mut dyn Observer,
    ) -> (Vec<Answer>, Vec<StateId>) {
        if !pool.is_set_up {
            pool.is_set_up = true;
            pool.found = Discoveries::new(self.table.width());
            let constants = Arc::new(self.machine.context.valuations.clone());
            for worker in &pool.workers {
                let start = Job::Start(constants.clone(), self.machine.context.store.clone());
                worker.jobs.send(start).expect("a worker ends only with the search");
            }
        }
        let slice = (batch.len() / (4 * pool.workers.len())).clamp(1, SLICE);
        pool.found.clear();
        let frozen = Arc::new(Frozen {
            table: std::mem::take(&mut self.table),
            doubtful: std::mem::take(&mut self.doubtful),
            batch,
            found: std::mem::take(&mut pool.found),
            slice,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        });
        pool.send(&frozen);
        let mut answers = Vec::new();
        for worker in &mut pool.workers {
            answers.push(loop {
                if let Some(answer) = worker.answer(TICK) {
                    break answer;
                }
                let bytes = frozen.table.bytes() + frozen.found.bytes() + self.bytes();
                if self.pulse_at(observer, frozen.table.len(), bytes) {
                    frozen.stop.store(true, Ordering::Relaxed);
                }
            });
        }
        let frozen = Arc::try_unwrap(frozen).expect("a worker lets go of the search before it answers");
        self.table = frozen.table;
        pool.found = frozen.found;
        self.doubtful = frozen.doubtful;
        (answers, frozen.batch)
    }

    /// Does what the answers say, state by state; the number of states done.
    fn merge(&mut self, batch: &[StateId], slices: &[Slice], found: &mut Discoveries) -> usize {
        let mut row = vec![0; self.machine.width()];
        let mut next = row.clone();
        let matrix = self.machine.matrix.clone();
        // Whether the table has got states that the workers did not know of.
        let mut grown = false;
        for slice in slices {
            let (mut steps, mut candidates) = (&slice.steps[..], slice.candidates.iter());
            for i in 0..slice.len {
                let state = batch[slice.from + i];
                if self.options.limits.states.is_some_and(|n| self.table.len() > n) {
                    return slice.from + i;
                }
                self.enter(state);
                let mine = steps.iter().take_while(|step| step.state as usize == i).count();
                let (before, mut enabled) = (self.statistics.transitions, false);
                self.table.read(state, &mut row);
                for step in &steps[..mine] {
                    let Some(transitions) = step.transitions else {
                        next.copy_from_slice(&row);
                        let hash = self.table.hash(&row);
                        let group = GroupId(step.event);
                        enabled |= self.fire((group, matrix.group(group)), state, &row, hash, &mut next);
                        grown = true;
                        if self.is_over() {
                            return slice.from + i + 1;
                        }
                        continue;
                    };
                    enabled = true;
                    self.statistics.transitions += transitions;
                    for candidate in candidates.by_ref().take(step.candidates as usize) {
                        self.arrive(state, *candidate, found, grown);
                        if self.is_over() {
                            return slice.from + i + 1;
                        }
                    }
                }
                steps = &steps[mine..];
                // As at the end of `Search::expand`.
                if !self.close(state, &row, enabled, before) {
                    return slice.from + i;
                }
                if self.is_over() {
                    return slice.from + i + 1;
                }
            }
        }
        batch.len()
    }

    /// Adds a state that a worker reached from another one.
    fn arrive(&mut self, parent: StateId, candidate: Candidate, found: &mut Discoveries, grown: bool) {
        let Some((row, hash)) = found.first(candidate.found) else { return };
        if grown && self.table.find(row, hash).is_some() {
            return;
        }
        if self.table.is_full() {
            self.stopped = Some(Unknown::StateLimit(self.table.len()));
            return;
        }
        let state = self.table.append(row, hash, parent);
        self.frontier.push(state);
        if !candidate.good {
            let values = self.machine.context.decode_state(row);
            self.judge(state, self.machine.valuation(row), &values);
        }
    }
}
