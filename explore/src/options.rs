//! Options of a search.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bsym_language::model::{ConstId, EventId};
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::value::Value;

use crate::symmetry::reduction::Method;

/// The order in which states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Oldest first, which gives the shortest traces.
    #[default]
    BreadthFirst,
    /// Newest first.
    DepthFirst,
    /// Oldest or newest, by the toss of a seeded coin.
    Mixed,
    /// Any, by the throw of a seeded die.
    Random,
}

/// Limits at which a search gives up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Largest number of states.
    pub states: Option<usize>,
    /// Longest time.
    pub time: Option<Duration>,
    /// Largest number of bytes for states, values and remembered successors.
    pub memory: Option<usize>,
    /// Largest number of valuations of the constants to try.
    pub valuations: Option<usize>,
}

/// File and period of the checkpoints of a search.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The file.
    pub path: PathBuf,
    /// Time between two checkpoints.
    pub every: Duration,
}

/// Pairs of event and invariant conjunct that become known to be proven while a search runs. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ProvenMeanwhile(Arc<Mutex<Vec<(EventId, usize)>>>);

impl ProvenMeanwhile {
    /// Adds a pair that is proven.
    pub fn add(&self, pair: (EventId, usize)) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(pair);
    }

    /// Takes the pairs that have arrived since the last call.
    pub(crate) fn take(&self) -> Vec<(EventId, usize)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Pairs of event and invariant conjunct that are proven: the event keeps the conjunct.
#[derive(Clone, Debug, Default)]
pub struct ProvenPairs {
    /// Known to be proven, so that the conjunct is not evaluated after the event. Used only if the whole invariant is
    /// checked.
    pub known: BTreeSet<(EventId, usize)>,
    /// Pairs of this kind that become known during the search. A search with several threads does not wait for them.
    pub meanwhile: ProvenMeanwhile,
    /// Proven by a solver. They decide which events have to be taken. The conjunct is evaluated all the same.
    pub settled: BTreeSet<(EventId, usize)>,
}

impl ProvenPairs {
    /// Returns whether a pair was proven before the search, by whatever means.
    pub(crate) fn contains(&self, pair: (EventId, usize)) -> bool {
        self.known.contains(&pair) || self.settled.contains(&pair)
    }
}

/// Where a search is suspended to, and which suspended one it resumes.
#[derive(Clone, Debug, Default)]
pub struct Suspension {
    /// Saves the suspended search to a file from time to time, and when it ends without an answer.
    pub checkpoint: Option<Checkpoint>,
    /// Resumes a suspended search. A search of another model, scope or other properties is refused.
    pub resume: Option<PathBuf>,
}

/// Properties to search for, and options of the search.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// The properties.
    pub checks: Checks,
    /// The order of expansion.
    pub order: Order,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of threads of a breadth-first search; 0 counts as 1. The answer does not depend on it, unless a limit on
    /// time or memory is reached.
    pub threads: usize,
    /// Continue after violations and deadlocks until the whole graph is known.
    pub keep_going: bool,
    /// Limits of the search.
    pub limits: Limits,
    /// Constants with a given value.
    pub fixed: BTreeMap<ConstId, Value>,
    /// What is proven without the search.
    pub proven: ProvenPairs,
    /// Set from outside to stop the search; the report says what is known so far.
    pub cancelled: Arc<AtomicBool>,
    /// Files of the suspended search.
    pub suspension: Suspension,
    /// Searches only one state of each orbit: of those that differ in the roles of interchangeable elements.
    pub symmetry: Option<Method>,
    /// Takes only a sufficient subset of the enabled events in each state: see [`partial_order`](crate::partial_order).
    /// Uses a single thread.
    pub partial_order: bool,
    /// Computes the [`Coverage`](crate::report::coverage::Coverage). Not for a search that leaves events out.
    pub coverage: bool,
    /// Uses the reference evaluator alone. For tests: the answer must be the same.
    pub reference_only: bool,
    /// Shares out even work that one thread does as fast. For tests: the answer must be the same.
    pub share_all: bool,
}
