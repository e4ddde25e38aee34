//! Breadth-first search by several threads.
//!
//! Workers expand a batch of the oldest states while the table stands still; then their answers are
//! merged in the order of the states and groups, so that numbers, counts and counterexamples are those
//! of one thread, however the work was shared out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::exploration::Reachability;
use super::pool::Pool;
use super::visitor::Visitor;
use super::worker::{Answer, Candidate, Frozen, Slice};
use crate::space::dependency_matrix::GroupId;
use crate::space::system::Replicate;
use crate::store::discoveries::Discoveries;
use crate::store::state_table::StateId;

/// States of a slice: small enough that the last one is soon done, large enough to be worth a handshake.
const SLICE: usize = 64;
const TICK: Duration = Duration::from_millis(100);

impl<S: Replicate, V: Visitor<S>> Reachability<S, V> {
    /// The states that are worth sharing out, if there are any.
    pub(super) fn next_batch(&mut self) -> Option<Vec<StateId>> {
        let batch = self.pool.as_ref()?.batch(self.reached.frontier.len())?;
        Some(self.reached.frontier.take(batch))
    }

    /// Expands some states.
    pub(super) fn expand_batch(&mut self, batch: Vec<StateId>) {
        let Some(mut pool) = self.pool.take() else { return };
        let begin = Instant::now();
        let (answers, batch) = self.share_out(&mut pool, batch);
        pool.note(begin.elapsed() * pool.workers.len() as u32, batch.len());
        self.interrupted |= answers.iter().any(|answer| answer.stopped);
        let mut slices: Vec<Slice> = answers.into_iter().flat_map(|answer| answer.slices).collect();
        slices.sort_unstable_by_key(|slice| slice.from);
        let done = if self.interrupted { 0 } else { self.merge(&batch, &slices, &mut pool.found) };
        batch[done..].iter().rev().for_each(|state| self.reached.frontier.put_back(*state));
        self.pool = Some(pool);
    }

    fn share_out(&mut self, pool: &mut Pool<S::Seed>, batch: Vec<StateId>) -> (Vec<Answer>, Vec<StateId>) {
        let slice = (batch.len() / (4 * pool.workers.len())).clamp(1, SLICE);
        pool.found.clear(self.reached.table.width());
        let frozen = Arc::new(Frozen {
            table: std::mem::take(&mut self.reached.table),
            seed: self.reached.system.seed(),
            doubtful: std::mem::take(&mut self.reached.doubtful),
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
                self.visitor.pulse(&self.reached, frozen.table.len(), bytes);
                if self.visitor.is_over() {
                    frozen.stop.store(true, Ordering::Relaxed);
                }
            });
        }
        let frozen = Arc::try_unwrap(frozen).ok().expect("a worker lets go of the search before it answers");
        self.reached.table = frozen.table;
        self.reached.doubtful = frozen.doubtful;
        pool.found = frozen.found;
        (answers, frozen.batch)
    }

    /// Does what the answers say, state by state; the number of states done.
    fn merge(&mut self, batch: &[StateId], slices: &[Slice], found: &mut Discoveries) -> usize {
        let mut row = vec![0; self.reached.table.width()];
        let mut next = row.clone();
        let matrix = self.reached.system.matrix().clone();
        // Whether the table has got states that the workers did not know of.
        let mut grown = false;
        for slice in slices {
            let (mut steps, mut candidates) = (&slice.steps[..], slice.candidates.iter());
            for i in 0..slice.len {
                let state = batch[slice.from + i];
                if self.reached.table.len() > self.most {
                    return slice.from + i;
                }
                self.enter(state);
                let mine = steps.iter().take_while(|step| step.state as usize == i).count();
                let before = self.reached.counts.transitions;
                let mut enabled = false;
                for step in &steps[..mine] {
                    if let Some(transitions) = step.transitions {
                        enabled = true;
                        self.reached.counts.transitions += transitions;
                        for candidate in candidates.by_ref().take(step.candidates as usize) {
                            self.add(state, *candidate, found, grown);
                            if self.visitor.is_over() {
                                break;
                            }
                        }
                    } else {
                        self.reached.table.read(state, &mut row);
                        next.copy_from_slice(&row);
                        let hash = self.reached.table.hash(&row);
                        let group = GroupId(step.group);
                        enabled |= self.fire((state, &row, group), matrix.group(group), hash, &mut next);
                        grown = true;
                    }
                    if self.visitor.is_over() {
                        return slice.from + i + 1;
                    }
                }
                steps = &steps[mine..];
                if !self.close(state, enabled, before) {
                    return slice.from + i;
                }
                if self.visitor.is_over() {
                    return slice.from + i + 1;
                }
            }
        }
        batch.len()
    }

    /// Adds a state that a worker reached from another one.
    fn add(&mut self, parent: StateId, candidate: Candidate, found: &mut Discoveries, grown: bool) {
        let Some((row, hash)) = found.first(candidate.found) else { return };
        let table = &mut self.reached.table;
        if grown && table.find(row, hash).is_some() {
            return;
        }
        if table.is_full() {
            self.pulse();
            return;
        }
        let state = table.append(row, hash, parent);
        self.reached.frontier.push(state);
        if !candidate.good {
            self.doubt(state, row);
        }
    }
}
