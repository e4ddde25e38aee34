//! Expanding a batch of states of a breadth-first search by several threads.
//!
//! Each thread has a system of its own; the table of the search does not change in the meantime. A thread leaves out
//! states in the table, judges the rest, and hands it back in the order of the states, so that the merge of all results
//! numbers the states as a single thread would.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use super::properties::Properties;
use crate::space::dependency_matrix::GroupId;
use crate::space::system::{Effort, Expansion, Reduce};
use crate::space::updates::Updates;
use crate::store::discoveries::{Discoveries, Discovery};
use crate::store::state_table::{StateId, Table};

/// Snapshot of the search while workers expand states, with these states.
pub struct Frozen<D> {
    /// All states.
    pub table: Table,
    /// Seed from which a worker's system is made, or which it follows.
    pub seed: D,
    /// Properties to check in new states.
    pub properties: Properties,
    /// States in which some property is not known to hold.
    pub doubtful: HashSet<StateId>,
    /// The states to expand.
    pub batch: Vec<StateId>,
    /// Successors that are not in the table. A place is a state's position in the batch, and the number of its
    /// successor.
    pub found: Discoveries,
    /// Number of states to take at a time.
    pub slice: usize,
    /// The first state of the batch that no worker has taken.
    pub next: AtomicUsize,
    /// Set to make workers give up.
    pub stop: AtomicBool,
}

/// A batch to share, and the memory for the results.
pub type Job<D> = (Arc<Frozen<D>>, Share);

/// Answer of a worker to a batch.
pub struct Answer {
    /// The worker's share of the batch.
    pub share: Share,
    /// Effort of its system since the beginning.
    pub effort: Effort,
}

/// Results of one thread for its share of a batch.
#[derive(Debug, Default)]
pub struct Share {
    /// Slices of the batch that the thread took, in the order of the states.
    pub slices: Vec<Slice>,
    /// The steps, in the order of states and groups; a disabled group has none.
    pub steps: Vec<Step>,
    /// The candidates of all steps.
    pub candidates: Vec<Candidate>,
    /// `true` if the thread gave up before the end.
    pub stopped: bool,
}

/// Some states of a batch and the steps of the groups in them.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Position of the first state.
    pub from: usize,
    /// Number of states.
    pub len: usize,
    /// Steps of these states.
    pub steps: Range<usize>,
    /// Candidates of these steps.
    pub candidates: Range<usize>,
}

/// Result of one group in one state.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Position of the state in the slice.
    pub state: u32,
    /// Number of the group.
    pub group: u32,
    /// Number of different edges; `None` if some go wrong or may be missing.
    pub transitions: Option<u64>,
    /// Number of candidates.
    pub candidates: u32,
}

/// A state that was not in the table, nor found at an earlier place so far.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The state.
    pub found: Discovery,
    /// `true` if all properties hold there.
    pub good: bool,
}

/// Takes a share in one batch after the other until there are no more.
pub fn work<S: Reduce>(jobs: &Receiver<Job<S::Seed>>, answers: &Sender<Answer>) {
    let mut mine: Option<S> = None;
    let mut expander = Expander::default();
    while let Ok((frozen, mut share)) = jobs.recv() {
        let follows = mine.as_mut().is_some_and(|system| system.follow(&frozen.seed));
        let system = match &mut mine {
            Some(system) if follows => system,
            none => none.insert(S::from_seed(&frozen.seed)),
        };
        let mut properties = frozen.properties.shared();
        share.clear();
        while expander.expand_slice(system, &mut properties, &frozen, &mut share) {}
        drop(frozen);
        let effort = system.effort();
        if answers.send(Answer { share, effort }).is_err() {
            return;
        }
    }
}

impl Share {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.slices.clear();
        self.steps.clear();
        self.candidates.clear();
        self.stopped = false;
    }
}

impl<D> Frozen<D> {
    /// Returns whether there are states that no worker has taken.
    pub fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.batch.len()
    }

    /// Takes some states that no worker has taken. Returns them with the position of the first one.
    fn take(&self) -> Option<(usize, &[StateId])> {
        let from = self.next.fetch_add(self.slice, Ordering::Relaxed);
        let rest = self.batch.get(from..).filter(|rest| !rest.is_empty())?;
        Some((from, &rest[..self.slice.min(rest.len())]))
    }
}

/// Buffers of a thread for the expansion of states.
#[derive(Default)]
pub struct Expander {
    updates: Updates,
    /// The current state, and its successor.
    here: Vec<u32>,
    next: Vec<u32>,
}

/// The current state.
struct Origin {
    /// Place of the state in the batch, and then the place of each successor.
    place: u64,
    hash: u64,
    doubtful: bool,
}

impl Expander {
    /// Takes a slice and expands its states. Returns whether there was one, and time for it.
    pub fn expand_slice<S: Reduce, D>(
        &mut self,
        system: &mut S,
        properties: &mut Properties,
        frozen: &Frozen<D>,
        share: &mut Share,
    ) -> bool {
        let Some((from, states)) = frozen.take() else { return false };
        let width = frozen.table.width();
        self.here.resize(width, 0);
        self.next.resize(width, 0);
        let begin = (share.steps.len(), share.candidates.len());
        for (i, state) in states.iter().enumerate() {
            let stop = frozen.stop.load(Ordering::Relaxed);
            if stop || !self.expand((system, properties), frozen, *state, (from, i), share) {
                share.stopped = true;
                return false;
            }
        }
        let (steps, candidates) = (begin.0..share.steps.len(), begin.1..share.candidates.len());
        share.slices.push(Slice { from, len: states.len(), steps, candidates });
        true
    }

    /// Expands a state. Returns whether there was time for it.
    fn expand<S: Reduce, D>(
        &mut self,
        (system, properties): (&mut S, &mut Properties),
        frozen: &Frozen<D>,
        state: StateId,
        (from, at): (usize, usize),
        share: &mut Share,
    ) -> bool {
        frozen.table.read(state, &mut self.here);
        self.next.copy_from_slice(&self.here);
        let mut origin = Origin {
            place: ((from + at) as u64) << 32,
            hash: frozen.table.hash(&self.here),
            doubtful: frozen.doubtful.contains(&state),
        };
        let matrix = system.matrix().clone();
        let mut updates = std::mem::take(&mut self.updates);
        for group in matrix.group_ids() {
            let transitions = match system.next(group, &self.here, &mut updates) {
                Expansion::Moves(0) => continue,
                Expansion::Moves(transitions) => Some(transitions),
                Expansion::Edges(_) => None,
            };
            if system.is_stopped() {
                return false;
            }
            let before = share.candidates.len();
            if transitions.is_some() {
                let shape = (group, &matrix.group(group).may_write[..]);
                let judge = (&mut *system, &mut *properties);
                self.candidates(judge, shape, &updates, frozen, &mut origin, &mut share.candidates);
            }
            let candidates = (share.candidates.len() - before) as u32;
            share.steps.push(Step { state: at as u32, group: group.0, transitions, candidates });
        }
        self.updates = updates;
        !system.is_stopped()
    }

    /// Hands back the targets of some updates that are not in the table.
    fn candidates<S: Reduce, D>(
        &mut self,
        (system, properties): (&mut S, &mut Properties),
        (group, may_write): (GroupId, &[usize]),
        updates: &Updates,
        frozen: &Frozen<D>,
        origin: &mut Origin,
        out: &mut Vec<Candidate>,
    ) {
        for update in updates.iter() {
            let here = (&self.here[..], origin.hash);
            let Some(hash) = update.reach(may_write, &frozen.table, here, &mut self.next) else { continue };
            origin.place += 1;
            // If time runs out, the whole batch is expanded again.
            let stand_in = system.stand_in(&self.next).unwrap_or(None);
            let (stored, hash) =
                stand_in.as_ref().map_or((&self.next, hash), |row| (row, frozen.table.hash(row)));
            if frozen.table.find(stored, hash).is_none()
                && let Some(found) = frozen.found.add(stored, hash, origin.place)
            {
                let before = (!origin.doubtful).then_some((&self.here[..], group));
                let good = properties.hold(system, &self.next, before);
                out.push(Candidate { found, good });
            }
            for at in may_write {
                self.next[*at] = self.here[*at];
            }
        }
    }
}
