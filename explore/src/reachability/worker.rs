//! A thread that expands states of a breadth-first search.
//!
//! Each worker has a system of its own; the table of the search stands still in the meantime. It leaves out what is in the
//! table, judges the rest, and hands it back in the order of the states, so that whoever merges the answers numbers the
//! states as a single thread would.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use super::properties::{Asked, Properties};
use crate::space::dependency_matrix::GroupId;
use crate::space::system::{Effort, Expansion, Replicate};
use crate::space::updates::Updates;
use crate::store::discoveries::{Discoveries, Discovery};
use crate::store::state_table::{StateId, Table};

/// The search as it stands still, and the states to expand.
pub struct Frozen<D> {
    /// All states.
    pub table: Table,
    /// What a worker's system is made from, or follows.
    pub seed: D,
    /// States in which some property is not known to hold.
    pub doubtful: HashSet<StateId>,
    /// The states to expand.
    pub batch: Vec<StateId>,
    /// What they lead to that is not in the table. A place is a state's position in the batch, and the number of its
    /// successor.
    pub found: Discoveries,
    /// How many states are taken at a time.
    pub slice: usize,
    /// The first one that nobody has taken.
    pub next: AtomicUsize,
    /// Set to give up.
    pub stop: AtomicBool,
}

/// What a worker has found.
pub struct Answer {
    /// What was taken, in the order of the states.
    pub slices: Vec<Slice>,
    /// It gave up before the end.
    pub stopped: bool,
    /// What its system has done since the beginning.
    pub effort: Effort,
}

/// Some states of a batch and what the groups do in them.
#[derive(Debug, Default)]
pub struct Slice {
    /// Position of the first state.
    pub from: usize,
    /// Number of states.
    pub len: usize,
    /// In the order of states and groups; a group that is disabled has none.
    pub steps: Vec<Step>,
    /// The candidates of all steps.
    pub candidates: Vec<Candidate>,
}

/// What one group does in one state.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Position of the state in the slice.
    pub state: u32,
    /// Number of the group.
    pub group: u32,
    /// Number of different edges; `None` where some go wrong or may be missing.
    pub transitions: Option<u64>,
    /// Number of candidates.
    pub candidates: u32,
}

/// A state that was not in the table, nor found at an earlier place so far.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The state.
    pub found: Discovery,
    /// Whether everything is as it should be there.
    pub good: bool,
}

/// Expands states until there are no more.
pub fn work<S: Replicate>(asked: &Asked, jobs: &Receiver<Arc<Frozen<S::Seed>>>, answers: &Sender<Answer>) {
    let mut worker: Option<Worker<S>> = None;
    while let Ok(frozen) = jobs.recv() {
        let follows = worker.as_mut().is_some_and(|worker| worker.system.follow(&frozen.seed));
        let worker = match &mut worker {
            Some(worker) if follows => worker,
            none => none.insert(Worker::new(S::from_seed(&frozen.seed), asked)),
        };
        let (slices, stopped) = worker.expand_some(&frozen);
        drop(frozen);
        let effort = worker.system.effort();
        if answers.send(Answer { slices, stopped, effort }).is_err() {
            return;
        }
    }
}

struct Worker<S> {
    system: S,
    properties: Properties,
    updates: Updates,
    /// The state at hand, and its successor.
    here: Vec<u32>,
    next: Vec<u32>,
}

/// The state at hand.
struct Origin {
    /// Its place in the batch, and then that of each successor.
    place: u64,
    hash: u64,
    doubtful: bool,
}

impl<S: Replicate> Worker<S> {
    fn new(mut system: S, asked: &Asked) -> Worker<S> {
        let properties = Properties::new(&mut system, asked);
        let row = vec![0; system.matrix().width()];
        Worker { system, properties, updates: Updates::default(), here: row.clone(), next: row }
    }

    /// Takes slices until none is left; whether it gave up before.
    fn expand_some(&mut self, frozen: &Frozen<S::Seed>) -> (Vec<Slice>, bool) {
        let mut slices = Vec::new();
        loop {
            let from = frozen.next.fetch_add(frozen.slice, Ordering::Relaxed);
            let Some(rest) = frozen.batch.get(from..).filter(|rest| !rest.is_empty()) else {
                return (slices, false);
            };
            let mut slice = Slice { from, len: frozen.slice.min(rest.len()), ..Slice::default() };
            for (i, state) in rest[..slice.len].iter().enumerate() {
                if frozen.stop.load(Ordering::Relaxed) || !self.expand(frozen, *state, i, &mut slice) {
                    return (slices, true);
                }
            }
            slices.push(slice);
        }
    }

    /// Expands a state; whether there was time for it.
    fn expand(&mut self, frozen: &Frozen<S::Seed>, state: StateId, at: usize, slice: &mut Slice) -> bool {
        frozen.table.read(state, &mut self.here);
        self.next.copy_from_slice(&self.here);
        let mut origin = Origin {
            place: ((slice.from + at) as u64) << 32,
            hash: frozen.table.hash(&self.here),
            doubtful: frozen.doubtful.contains(&state),
        };
        let matrix = self.system.matrix().clone();
        let mut updates = std::mem::take(&mut self.updates);
        for group in matrix.group_ids() {
            let transitions = match self.system.next(group, &self.here, &mut updates) {
                Expansion::Moves(0) => continue,
                Expansion::Moves(transitions) => Some(transitions),
                Expansion::Edges(_) => None,
            };
            if self.system.is_stopped() {
                return false;
            }
            let before = slice.candidates.len();
            if transitions.is_some() {
                let shape = (group, &matrix.group(group).may_write[..]);
                self.candidates(shape, &updates, frozen, &mut origin, &mut slice.candidates);
            }
            let candidates = (slice.candidates.len() - before) as u32;
            slice.steps.push(Step { state: at as u32, group: group.0, transitions, candidates });
        }
        self.updates = updates;
        !self.system.is_stopped()
    }

    /// Hands back the targets of some updates that are not in the table.
    fn candidates(
        &mut self,
        (group, may_write): (GroupId, &[usize]),
        updates: &Updates,
        frozen: &Frozen<S::Seed>,
        origin: &mut Origin,
        out: &mut Vec<Candidate>,
    ) {
        for update in updates.iter() {
            let here = (&self.here[..], origin.hash);
            let Some(hash) = update.reach(may_write, &frozen.table, here, &mut self.next) else { continue };
            origin.place += 1;
            if frozen.table.find(&self.next, hash).is_none()
                && let Some(found) = frozen.found.add(&self.next, hash, origin.place)
            {
                let before = (!origin.doubtful).then_some((&self.here[..], group));
                let good = self.properties.hold(&mut self.system, &self.next, before);
                out.push(Candidate { found, good });
            }
            for at in may_write {
                self.next[*at] = self.here[*at];
            }
        }
    }
}
