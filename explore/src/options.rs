//! What is asked of a search.

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
    /// Oldest first: shortest traces.
    #[default]
    BreadthFirst,
    /// Newest first.
    DepthFirst,
    /// Oldest or newest, by the toss of a seeded coin.
    Mixed,
    /// Any, by the throw of a seeded die.
    Random,
}

/// When to give up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Largest number of states.
    pub states: Option<usize>,
    /// Longest time.
    pub time: Option<Duration>,
    /// Largest number of bytes for states, values and remembered successors.
    pub memory: Option<usize>,
    /// Largest number of valuations of the constants that are looked at.
    pub valuations: Option<usize>,
}

/// Where and how often a search is put aside.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The file.
    pub path: PathBuf,
    /// How long to search in between.
    pub every: Duration,
}

/// Pairs of event and invariant conjunct that become known to be proven while a search runs. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ProvenMeanwhile(Arc<Mutex<Vec<(EventId, usize)>>>);

impl ProvenMeanwhile {
    /// A pair is proven.
    pub fn add(&self, pair: (EventId, usize)) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(pair);
    }

    /// What has come since the last call.
    pub(crate) fn take(&self) -> Vec<(EventId, usize)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What to search for, and how.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// The properties.
    pub checks: Checks,
    /// The order of expansion.
    pub order: Order,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Number of threads of a breadth-first search; 0 is as good as 1. The answer does not depend on it,
    /// unless a limit on time or memory is reached.
    pub threads: usize,
    /// Go on after violations and deadlocks until the whole graph is known.
    pub keep_going: bool,
    /// When to give up.
    pub limits: Limits,
    /// Constants with a given value.
    pub fixed: BTreeMap<ConstId, Value>,
    /// Pairs of event and invariant conjunct known to be proven, so that the conjunct is not evaluated
    /// after the event. Used only where the whole invariant is checked.
    pub proven: BTreeSet<(EventId, usize)>,
    /// The same, from when it is known; a search with several threads does not wait for it.
    pub proven_meanwhile: ProvenMeanwhile,
    /// Set from outside to stop the search; the report says what is known so far.
    pub cancelled: Arc<AtomicBool>,
    /// Put the search aside in a file from time to time, and when it ends without an answer.
    pub checkpoint: Option<Checkpoint>,
    /// Continue a search that was put aside; one of another model, scope or other properties is refused.
    pub resume: Option<PathBuf>,
    /// Search one state of each orbit only: of those that differ in the roles of interchangeable elements.
    pub symmetry: Option<Method>,
    /// Of the events that are enabled in a state take only those that are enough: see
    /// [`partial_order`](crate::partial_order). One thread does it.
    pub partial_order: bool,
    /// Pairs of event and invariant conjunct that a solver has proven. They decide which events have to be taken; the
    /// conjunct is evaluated all the same.
    pub settled: BTreeSet<(EventId, usize)>,
    /// Count what is visited: see [`Coverage`](crate::report::coverage::Coverage). Not for a search that leaves events out.
    pub coverage: bool,
    /// Use the reference evaluator alone. For tests: the answer must be the same.
    pub reference_only: bool,
    /// Share out even what one thread does as fast. For tests: the answer must be the same.
    pub share_all: bool,
}
