//! Breadth-first search by several threads.
//!
//! Workers expand a batch of the oldest states while the table stands still; then their answers are
//! merged in the order of the states and events, so that numbers, counts and counterexamples are those
//! of one thread, however the work was shared out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::exploration::Search;
use super::pool::Pool;
use super::worker::{Answer, Candidate, Frozen, Job, Slice};
use crate::report::{Observer, Unknown};
use crate::space::dependency_matrix::GroupId;
use crate::store::discoveries::Discoveries;
use crate::store::state_table::StateId;

/// States of a slice: small enough that the last one is soon done, large enough to be worth a handshake.
const SLICE: usize = 64;
const TICK: Duration = Duration::from_millis(100);

impl Search<'_, '_> {
    /// The states that are worth sharing out, if there are any.
    pub(super) fn next_batch(&mut self) -> Option<Vec<StateId>> {
        let batch = self.pool.as_ref()?.batch(self.frontier.len(), self.options.share_all)?;
        Some(self.frontier.take(batch))
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
                let context = &self.machine.context;
                let start = Job::Start(constants.clone(), context.store.clone(), context.layout.clone());
                worker.jobs.send(start).expect("a worker ends only with the search");
            }
        }
        let slice = (batch.len() / (4 * pool.workers.len())).clamp(1, SLICE);
        pool.found.clear();
        let frozen = Arc::new(Frozen {
            table: std::mem::take(&mut self.table),
            store: self.machine.context.store.clone(),
            doubtful: std::mem::take(&mut self.findings.doubtful),
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
        self.findings.doubtful = frozen.doubtful;
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
                let audited = self.is_to_audit(state);
                // The row of a state is read where somebody looks at it: here all other threads wait.
                if audited || mine == 0 || steps[..mine].iter().any(|step| step.transitions.is_none()) {
                    self.table.read(state, &mut row);
                }
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
                if !self.close(state, &row, enabled, before, audited) {
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
