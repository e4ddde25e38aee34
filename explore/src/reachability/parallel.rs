//! Breadth-first search by several threads.
//!
//! Threads expand a batch of the oldest states while the table does not change; then their results are merged in the
//! order of the states and groups, so that numbers, counts and counterexamples are those of one thread, however the
//! work was shared out. The thread of the search is one of them, so that the others are waited for only at the end of a
//! batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::exploration::Reachability;
use super::pool::Pool;
use super::visitor::{Known, Visitor};
use super::worker::{Candidate, Frozen, Share, Slice};
use crate::space::dependency_matrix::GroupId;
use crate::space::system::Reduce;
use crate::store::discoveries::Discoveries;
use crate::store::state_table::StateId;
use crate::tuning::tuning;

impl<S: Reduce, V: Visitor<S>> Reachability<S, V> {
    /// Returns the states that are worth sharing out, if there are any.
    pub(super) fn next_batch(&mut self) -> Option<Vec<StateId>> {
        let batch = self.pool.as_ref()?.batch(self.reached.frontier.len())?;
        Some(self.reached.frontier.take(batch))
    }

    /// Expands some states.
    pub(super) fn expand_batch(&mut self, batch: Vec<StateId>) {
        let Some(mut pool) = self.pool.take() else { return };
        let begin = Instant::now();
        let batch = self.share_out(&mut pool, batch);
        pool.note(begin.elapsed() * pool.threads() as u32, batch.len());
        self.interrupted |= pool.is_stopped();
        let mut found = std::mem::take(&mut pool.found);
        let done = if self.interrupted { 0 } else { self.merge(&batch, &pool.slices(), &mut found) };
        pool.found = found;
        batch[done..].iter().rev().for_each(|state| self.reached.frontier.put_back(*state));
        self.pool = Some(pool);
    }

    /// Lets all threads expand states. Returns these states.
    fn share_out(&mut self, pool: &mut Pool<S::Seed>, batch: Vec<StateId>) -> Vec<StateId> {
        let slice = pool.slice(batch.len());
        pool.found.clear(self.reached.table.width());
        let frozen = Arc::new(Frozen {
            table: std::mem::take(&mut self.reached.table),
            seed: self.reached.system.seed(),
            properties: self.properties.shared(),
            doubtful: std::mem::take(&mut self.reached.doubtful),
            batch,
            found: std::mem::take(&mut pool.found),
            slice,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        });
        pool.send(&frozen);
        // As long as the others have work: the rest is looked back at during the next batch.
        while frozen.has_more()
            && let Some(state) = self.expanded.pop_front()
        {
            let known = Known { table: &frozen.table, doubtful: &frozen.doubtful };
            self.visitor.look_back(&mut self.reached.system, known, state);
        }
        let Pool { share, expander, workers, .. } = pool;
        share.clear();
        let mut looked = Instant::now();
        while expander.expand_slice(&mut self.reached.system, &mut self.properties, &frozen, share) {
            if looked.elapsed() >= tuning().reachability.tick {
                self.pulse_beside(&frozen);
                looked = Instant::now();
            }
        }
        if share.stopped {
            frozen.stop.store(true, Ordering::Relaxed);
        }
        for worker in workers {
            while !worker.has_answered(tuning().reachability.tick) {
                self.pulse_beside(&frozen);
            }
        }
        let frozen = Arc::try_unwrap(frozen).ok().expect("a worker lets go of the search before it answers");
        self.reached.table = frozen.table;
        self.reached.doubtful = frozen.doubtful;
        pool.found = frozen.found;
        frozen.batch
    }

    /// Lets the visitor check the limits while threads are at work.
    fn pulse_beside(&mut self, frozen: &Frozen<S::Seed>) {
        let bytes = frozen.table.bytes() + frozen.found.bytes() + self.bytes();
        self.visitor.pulse(&self.reached, frozen.table.len(), bytes);
        if self.visitor.is_over() {
            frozen.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Applies the results of all threads, state by state. Returns the number of states done.
    fn merge(&mut self, batch: &[StateId], slices: &[(&Share, &Slice)], found: &mut Discoveries) -> usize {
        let mut row = vec![0; self.reached.table.width()];
        let mut next = row.clone();
        let matrix = self.reached.system.matrix().clone();
        // `true` if the table has got states that the workers did not know.
        let mut grown = false;
        for (share, slice) in slices {
            let mut steps = &share.steps[slice.steps.clone()];
            let mut candidates = share.candidates[slice.candidates.clone()].iter();
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
                        if let Some(firings) = &mut self.firings {
                            firings.note(GroupId(step.group), transitions);
                        }
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
                self.expanded.push_back(state);
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
