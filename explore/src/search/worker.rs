//! A thread that expands states of a breadth-first search.
//!
//! Each worker has its own compiled machine; the interner is shared, and the table of the search stands still in the
//! meantime. It leaves out what is in the table, judges the rest, and hands it back in the order of the states, so that
//! whoever merges the answers numbers the states as a single thread would.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::transition::state::Constants;

use crate::options::SearchOptions;
use crate::search::properties::Properties;
use crate::space::dependency_matrix::GroupId;
use crate::space::machine::Machine;
use crate::space::system::{Expansion, System};
use crate::space::updates::Updates;
use crate::store::discoveries::{Discoveries, Discovery};
use crate::store::interner::Store;
use crate::store::layout::Layout;
use crate::store::state_table::{StateId, Table};

/// What all workers of a search know from the beginning.
#[derive(Clone, Copy)]
pub struct Ground<'m, 'o> {
    /// The model.
    pub model: &'m Model,
    /// Its scope.
    pub scope: &'m Scope,
    /// Set when the search is to end.
    pub interrupt: &'m AtomicBool,
    /// What is asked of the search.
    pub options: &'o SearchOptions,
    /// When the search is to end.
    pub deadline: Option<Instant>,
}

/// The search as it stands still, and the states to expand.
#[derive(Debug)]
pub struct Frozen {
    /// All states.
    pub table: Table,
    /// The interner.
    pub store: Store,
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

/// What a worker is told.
pub enum Job {
    /// The valuations of the constants, the interner, and the layout of rows; comes first, and again with another layout.
    Start(Arc<Vec<Constants>>, Store, Layout),
    /// Expand states.
    Expand(Arc<Frozen>),
}

/// What a worker has found.
pub struct Answer {
    /// What was taken, in the order of the states.
    pub slices: Vec<Slice>,
    /// It gave up before the end.
    pub stopped: bool,
    /// Bytes in use, without the interner.
    pub bytes: usize,
    /// Hits and misses of memos, and expansions by the reference evaluator, since the beginning.
    pub counts: [u64; 3],
}

/// Some states of a batch and what the events do in them.
#[derive(Debug, Default)]
pub struct Slice {
    /// Position of the first state.
    pub from: usize,
    /// Number of states.
    pub len: usize,
    /// In the order of states and events; an event that is disabled has none.
    pub steps: Vec<Step>,
    /// The candidates of all steps.
    pub candidates: Vec<Candidate>,
}

/// What one event does in one state.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Position of the state in the slice.
    pub state: u32,
    /// Number of the event.
    pub event: u32,
    /// Number of different edges; `None` where the reference evaluator has to look at it.
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

/// Does jobs until there are no more.
pub fn work(ground: Ground<'_, '_>, jobs: &Receiver<Job>, answers: &Sender<Answer>) {
    let mut worker: Option<Worker<'_>> = None;
    while let Ok(job) = jobs.recv() {
        match (job, &mut worker) {
            (Job::Start(constants, store, layout), _) => {
                worker = Some(Worker::new(ground, constants.to_vec(), store, layout));
            }
            (Job::Expand(frozen), Some(worker)) => {
                let (slices, stopped) = worker.expand_some(&frozen);
                drop(frozen);
                if answers.send(worker.answer(slices, stopped)).is_err() {
                    return;
                }
            }
            (Job::Expand(_), None) => unreachable!("a worker is started before it gets states"),
        }
    }
}

struct Worker<'m> {
    machine: Machine<'m>,
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

impl<'m> Worker<'m> {
    fn new(ground: Ground<'m, '_>, constants: Vec<Constants>, store: Store, layout: Layout) -> Worker<'m> {
        let Ground { model, scope, interrupt, options, deadline } = ground;
        let eval = Evaluator::new(model, scope).with_interrupt(interrupt);
        let compiled = !options.reference_only;
        let checks = Checks { deadlock: false, ..options.checks.clone() };
        let mut machine = Machine::new(eval, constants, store, compiled);
        machine.context.deadline = deadline;
        machine.context.cancelled = options.cancelled.clone();
        machine.set_layout(layout).expect("the layout of a machine of the same model");
        let properties = Properties::new(&mut machine, &checks, &options.proven, compiled);
        let row = vec![0; machine.width()];
        Worker { machine, properties, updates: Updates::default(), here: row.clone(), next: row }
    }

    fn answer(&self, slices: Vec<Slice>, stopped: bool) -> Answer {
        let (hits, misses) = self.machine.cache_counts();
        let counts = [hits, misses, self.machine.by_reference];
        Answer { slices, stopped, bytes: self.machine.cache_bytes(), counts }
    }

    /// Takes slices until none is left; whether it gave up before.
    fn expand_some(&mut self, frozen: &Frozen) -> (Vec<Slice>, bool) {
        let mut slices = Vec::new();
        self.machine.adopt(&frozen.store);
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
    fn expand(&mut self, frozen: &Frozen, state: StateId, at: usize, slice: &mut Slice) -> bool {
        frozen.table.read(state, &mut self.here);
        self.next.copy_from_slice(&self.here);
        let mut origin = Origin {
            place: ((slice.from + at) as u64) << 32,
            hash: frozen.table.hash(&self.here),
            doubtful: frozen.doubtful.contains(&state),
        };
        let matrix = self.machine.matrix.clone();
        let mut updates = std::mem::take(&mut self.updates);
        for group in matrix.group_ids() {
            let transitions = match self.machine.next(group, &self.here, &mut updates) {
                Expansion::Moves(0) => continue,
                Expansion::Moves(transitions) => Some(transitions),
                Expansion::Edges(_) => None,
            };
            if self.machine.context.stopped {
                return false;
            }
            let before = slice.candidates.len();
            if transitions.is_some() {
                let shape = (group, &matrix.group(group).may_write[..]);
                self.candidates(shape, &updates, frozen, &mut origin, &mut slice.candidates);
            }
            let candidates = (slice.candidates.len() - before) as u32;
            slice.steps.push(Step { state: at as u32, event: group.0, transitions, candidates });
        }
        self.updates = updates;
        !self.machine.context.stopped
    }

    /// Hands back the targets of some updates that are not in the table.
    fn candidates(
        &mut self,
        (group, may_write): (GroupId, &[usize]),
        updates: &Updates,
        frozen: &Frozen,
        origin: &mut Origin,
        out: &mut Vec<Candidate>,
    ) {
        let event = self.machine.event(group);
        for update in updates.iter() {
            let mut hash = origin.hash;
            let mut changed = false;
            for (at, word) in update.written(may_write) {
                if self.here[at] != word {
                    changed = true;
                    hash = frozen.table.rehash(hash, at, self.here[at], word);
                    self.next[at] = word;
                }
            }
            if !changed {
                continue;
            }
            origin.place += 1;
            if frozen.table.find(&self.next, hash).is_none()
                && let Some(found) = frozen.found.add(&self.next, hash, origin.place)
            {
                let before = (!origin.doubtful).then_some((&self.here[..], event));
                let good = self.properties.hold(&mut self.machine, &self.next, before);
                out.push(Candidate { found, good });
            }
            for at in may_write {
                self.next[*at] = self.here[*at];
            }
        }
    }
}
