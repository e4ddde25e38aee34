//! A thread that expands states of a breadth-first search.
//!
//! Each worker has its own compiled machine and its own store; it reads the table and the store of the
//! search, which stand still in the meantime. It leaves out what is in the table, judges the rest, and
//! hands it back in the order of the states, so that whoever merges the answers numbers the states as a
//! single thread would.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use bsym_language::model::{EventId, Model};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::replay::Checks;
use bsym_semantics::scope::Scope;
use bsym_semantics::state::Constants;

use crate::options::SearchOptions;
use crate::search::properties::Properties;
use crate::space::dependency_matrix::GroupId;
use crate::space::machine::Machine;
use crate::space::system::{Expansion, System};
use crate::space::updates::Updates;
use crate::store::interner::Store;
use crate::store::interner::bridge::Bridge;
use crate::store::state_table::{INITIAL, StateId, Table};

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
    /// The values in them.
    pub store: Store,
    /// States in which some property is not known to hold.
    pub doubtful: HashSet<StateId>,
    /// The states to expand.
    pub batch: Vec<StateId>,
    /// How many of them are taken at a time.
    pub slice: usize,
    /// The first one that nobody has taken.
    pub next: AtomicUsize,
    /// Set to give up.
    pub stop: AtomicBool,
}

/// The values of a worker, and the way between them and those of the search.
#[derive(Debug)]
pub struct Home {
    /// Values.
    pub store: Store,
    /// To the store of the search and back.
    pub bridge: Bridge,
}

/// What a worker is told.
pub enum Job {
    /// The valuations of the constants; comes first.
    Constants(Arc<Vec<Constants>>),
    /// Expand states. The home is the one that came with the last answer.
    Expand(Arc<Frozen>, Option<Box<Home>>),
}

/// What a worker has found.
pub struct Answer {
    /// Tells the words in the slices.
    pub home: Box<Home>,
    /// What was taken, in the order of the states.
    pub slices: Vec<Slice>,
    /// It gave up before the end.
    pub stopped: bool,
    /// Bytes in use, without the home.
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
    /// The candidates of all steps, see [`Candidate`].
    pub words: Vec<u32>,
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
    /// Number of targets that were not in the table.
    pub candidates: u32,
}

/// A state that was not in the table.
pub struct Candidate<'s> {
    /// The row.
    pub row: &'s [u32],
    /// The hash of the row, if it is in words of the search and not of the worker.
    pub hash: Option<u64>,
    /// Whether everything is as it should be there.
    pub good: bool,
}

const GOOD: u32 = 1;
const TRANSLATED: u32 = 2;

impl Candidate<'_> {
    /// Words of a candidate besides its row.
    pub const HEAD: usize = 3;

    /// Reads a candidate.
    pub fn read(words: &[u32]) -> Candidate<'_> {
        let hash = u64::from(words[1]) | u64::from(words[2]) << 32;
        Candidate {
            row: &words[Candidate::HEAD..],
            hash: (words[0] & TRANSLATED != 0).then_some(hash),
            good: words[0] & GOOD != 0,
        }
    }

    fn write(&self, out: &mut Vec<u32>) {
        let flags = u32::from(self.good) * GOOD + u32::from(self.hash.is_some()) * TRANSLATED;
        let hash = self.hash.unwrap_or(0);
        out.extend([flags, hash as u32, (hash >> 32) as u32]);
        out.extend_from_slice(self.row);
    }
}

/// Does jobs until there are no more.
pub fn work(ground: Ground<'_, '_>, jobs: &Receiver<Job>, answers: &Sender<Answer>) {
    let Ok(Job::Constants(constants)) = jobs.recv() else { return };
    let mut worker = Worker::new(ground, constants.to_vec());
    while let Ok(Job::Expand(frozen, home)) = jobs.recv() {
        if let Some(home) = home {
            worker.machine.context.store = home.store;
            worker.bridge = home.bridge;
        }
        let (slices, stopped) = worker.expand_some(&frozen);
        drop(frozen);
        if answers.send(worker.answer(slices, stopped)).is_err() {
            return;
        }
    }
}

struct Worker<'m> {
    machine: Machine<'m>,
    properties: Properties,
    updates: Updates,
    bridge: Bridge,
    /// Rows that were handed back in the batch at hand.
    sent: Table,
    /// The state at hand in words of the worker, and its successor in both.
    here: Vec<u32>,
    next: Vec<u32>,
    translated: Vec<u32>,
}

/// The state at hand in words of the search.
struct Origin<'f> {
    row: &'f [u32],
    hash: u64,
    hash_here: u64,
    doubtful: bool,
}

impl<'m> Worker<'m> {
    fn new(ground: Ground<'m, '_>, constants: Vec<Constants>) -> Worker<'m> {
        let Ground { model, scope, interrupt, options, deadline } = ground;
        let eval = Evaluator::new(model, scope).with_interrupt(interrupt);
        let compiled = !options.reference_only;
        let checks = Checks { deadlock: false, ..options.checks.clone() };
        let mut machine = Machine::new(eval, constants, Store::default(), compiled);
        machine.context.deadline = deadline;
        machine.context.cancelled = options.cancelled.clone();
        let properties = Properties::new(&mut machine, &checks, &options.proven, compiled);
        let bridge = Bridge::new(&machine.context.variables);
        let width = machine.width();
        let row = vec![0; width];
        let sent = Table::new(width);
        Worker {
            machine,
            properties,
            updates: Updates::default(),
            bridge,
            sent,
            here: row.clone(),
            next: row.clone(),
            translated: row,
        }
    }

    fn answer(&mut self, slices: Vec<Slice>, stopped: bool) -> Answer {
        let store = std::mem::take(&mut self.machine.context.store);
        let bytes = self.machine.bytes() + self.sent.bytes() + store.bytes() + self.bridge.bytes();
        let bridge = std::mem::replace(&mut self.bridge, Bridge::new(&[]));
        let (hits, misses) = self.machine.cache_counts();
        let counts = [hits, misses, self.machine.by_reference];
        Answer { home: Box::new(Home { store, bridge }), slices, stopped, bytes, counts }
    }

    /// Takes slices until none is left; whether it gave up before.
    fn expand_some(&mut self, frozen: &Frozen) -> (Vec<Slice>, bool) {
        let mut slices = Vec::new();
        self.sent.clear();
        loop {
            let from = frozen.next.fetch_add(frozen.slice, Ordering::Relaxed);
            let Some(rest) = frozen.batch.get(from..).filter(|rest| !rest.is_empty()) else {
                return (slices, false);
            };
            let mut slice = Slice { from, len: frozen.slice.min(rest.len()), ..Slice::default() };
            for (i, state) in rest[..slice.len].iter().enumerate() {
                if frozen.stop.load(Ordering::Relaxed) || !self.expand(frozen, *state, i as u32, &mut slice) {
                    return (slices, true);
                }
            }
            slices.push(slice);
        }
    }

    /// Expands a state; whether there was time for it.
    fn expand(&mut self, frozen: &Frozen, state: StateId, at: u32, slice: &mut Slice) -> bool {
        let row = frozen.table.row(state);
        self.here.copy_from_slice(row);
        self.bridge.bring(&mut self.here, &frozen.store, &mut self.machine.context.store);
        self.next.copy_from_slice(&self.here);
        self.translated.copy_from_slice(row);
        let origin = Origin {
            row,
            hash: frozen.table.hash(row),
            hash_here: self.sent.hash(&self.here),
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
            let candidates = match transitions {
                Some(_) => {
                    let shape = (group, &matrix.group(group).may_write[..]);
                    self.candidates(shape, &updates, frozen, &origin, &mut slice.words)
                }
                None => 0,
            };
            slice.steps.push(Step { state: at, event: group.0, transitions, candidates });
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
        origin: &Origin<'_>,
        out: &mut Vec<u32>,
    ) -> u32 {
        let event = self.machine.event(group);
        let mut count = 0;
        for update in updates.iter() {
            let (mut hash, mut hash_here) = (Some(origin.hash), origin.hash_here);
            let mut changed = false;
            for (at, word) in update.written(may_write) {
                if self.here[at] == word {
                    continue;
                }
                changed = true;
                self.next[at] = word;
                hash_here = self.sent.rehash(hash_here, at, self.here[at], word);
                hash = hash.and_then(|hash| {
                    let there = self.bridge.seek(at, word, &self.machine.context.store, &frozen.store)?;
                    self.translated[at] = there;
                    Some(frozen.table.rehash(hash, at, origin.row[at], there))
                });
            }
            let known = hash.is_some_and(|hash| frozen.table.find(&self.translated, hash).is_some());
            if changed && !known {
                count += u32::from(self.hand_back(origin, event, hash, hash_here, out));
            }
            for at in may_write {
                self.next[*at] = self.here[*at];
                self.translated[*at] = origin.row[*at];
            }
        }
        count
    }

    /// Hands back the next state unless this was done before; whether it was not.
    fn hand_back(
        &mut self,
        origin: &Origin<'_>,
        event: EventId,
        hash: Option<u64>,
        hash_here: u64,
        out: &mut Vec<u32>,
    ) -> bool {
        let (_, new) = self.sent.add(&self.next, hash_here, INITIAL);
        if !new {
            return false;
        }
        let before = (!origin.doubtful).then_some((&self.here[..], event));
        let good = self.properties.hold(&mut self.machine, &self.next, before);
        let row = if hash.is_some() { &self.translated } else { &self.next };
        Candidate { row, hash, good }.write(out);
        true
    }
}
