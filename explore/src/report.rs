//! Report of a search.

pub mod coverage;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::audit::Difference;
use crate::symmetry::reduction::Method;
use bsym_language::model::ConstId;
use bsym_semantics::constraint::methods::Answered;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::cuts::Cut;
use bsym_semantics::scope::Scope;
use bsym_semantics::symmetry::elements::{Distinguished, Interchangeable};
use bsym_semantics::verdict::{self, Counterexample};
use serde::{Deserialize, Serialize};

/// Answer to a search.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The scope of the answer.
    pub scope: Scope,
    /// The answer about all properties together.
    pub verdict: Verdict,
    /// Further counterexamples, one for each other property that is violated.
    pub further: Vec<Counterexample>,
    /// `true` if no limit has ended the search.
    pub finished: bool,
    /// Every reachable state was visited and judged, whatever the verdict: a property is violated, or in
    /// [`SearchReport::open`], or it holds.
    pub exhausted: bool,
    /// Properties that have no truth value in some state, so that they neither hold nor are violated as such.
    pub open: BTreeSet<OpenProperty>,
    /// Why parts of the state space may be missing or unjudged; empty if nothing is.
    pub incomplete: Vec<Incomplete>,
    /// Choices of which only some values were tried, because there are infinitely many.
    pub cuts: Vec<Cut>,
    /// Coverage of the search, if it was requested.
    pub coverage: Option<coverage::Coverage>,
    /// Why the suspended search could not be saved, if saving was requested.
    pub not_saved: Option<NotSaved>,
    /// Counts.
    pub statistics: Statistics,
}

/// Reason why a search was not saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotSaved {
    /// The file cannot be written.
    Failed(String),
    /// A resumed search would prove nothing.
    Useless,
}

/// The answer about all properties: every state was visited, or a trace was replayed. A contradiction is one between
/// compiled code and the reference evaluator.
pub type Verdict = verdict::Verdict<Evidence, Box<Difference>>;

/// The states that were visited: a certificate of kind `search`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// Reachable states and valuations of the constants.
    pub states: u64,
    /// Transitions, counted as in [`Statistics::transitions`].
    pub transitions: u64,
    /// A digest of the set of states; it does not depend on the order of the search.
    pub digest: String,
    /// `true` if only one of several symmetric states was visited: the least one, unless the statistics say otherwise.
    pub symmetric: bool,
}

/// A property that is ill-defined in some state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpenProperty {
    /// A conjunct of the invariant, by position.
    Invariant(usize),
    /// An assertion, by position.
    Assertion(usize),
    /// The goal.
    Goal,
}

/// Something that could not be evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incomplete {
    /// Place: constants, initialisation, the name of an event, or the properties.
    pub place: String,
    /// The error.
    pub error: EvalError,
}

/// Counts of a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Reachable states, and one node per valuation of the constants if there are constants.
    pub states: u64,
    /// Number of transitions: one for each valuation, initial state of a valuation, and operation edge out of a visited
    /// state. Edges with the same operation, arguments, results and target count once.
    pub transitions: u64,
    /// Valuations of the constants.
    pub valuations: u64,
    /// Initial states, summed over the valuations.
    pub initial: u64,
    /// States without an event that is enabled with the values that were tried.
    pub deadlocks: u64,
    /// States that violate a conjunct of the invariant, an assertion, or where one is ill-defined.
    pub violating: u64,
    /// Largest distance from an initial state; known for breadth-first search.
    pub depth: Option<usize>,
    /// Memory that was used.
    pub memory: MemoryUse,
    /// How successors were found.
    pub successors: Successors,
    /// Sources of the values of constants, parameters and choices, without the values that other threads requested.
    pub found_by: Answered,
    /// Constants that nothing reads, of which one value was taken although there may be others.
    pub left_open: BTreeSet<ConstId>,
    /// How symmetric states were left out, if that was requested.
    pub reduction: Option<Reduction>,
    /// How events whose order does not matter were left out, if that was requested.
    pub partial_order: Option<PartialOrderReduction>,
    /// Statistics of a search by decision diagrams.
    pub diagram: Option<DiagramStatistics>,
    /// Duration of the search.
    pub time: Duration,
}

/// Memory of a search, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryUse {
    /// Of states, values and remembered successors.
    pub bytes: usize,
    /// Of these, of states: their rows, their predecessors, and the index that finds them again.
    pub table_bytes: usize,
}

/// How the successors of states were found: by compiled code or by the reference evaluator, once or more than once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Successors {
    /// Successors of an event that were remembered.
    pub memo_hits: u64,
    /// Successors of an event that were computed.
    pub memo_misses: u64,
    /// Successors computed by the reference evaluator.
    pub by_reference: u64,
    /// Events that only the reference evaluator can execute, with the reason.
    pub uncompiled: Vec<(String, String)>,
    /// States that the reference evaluator has expanded and judged as well, with the same result.
    pub audited: u64,
}

/// How symmetric states were left out: see [`symmetry`](crate::symmetry).
#[derive(Clone, PartialEq, Debug)]
pub struct Reduction {
    /// Method by which the searched states were chosen.
    pub method: Method,
    /// Sets with the elements that could change places, without those of which none could.
    pub free: Vec<Interchangeable>,
    /// Constructs that tell other elements apart.
    pub distinguished: Distinguished,
    /// Why nothing was left out although elements can change places.
    pub refused: Option<Refused>,
    /// `true` if one state of each orbit was searched.
    pub is_exact: bool,
    /// `true` if states of several orbits may have been treated as one.
    pub is_approximate: bool,
    /// States whose stand-in was computed.
    pub computed: u64,
}

/// How events were left out whose order does not matter: see [`partial_order`](crate::partial_order).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PartialOrderReduction {
    /// Instances that the events were cut into.
    pub instances: usize,
    /// Pairs of instances that commute; without one nothing can be left out.
    pub independent: usize,
    /// States in which some of the enabled events were left out.
    pub reduced: u64,
}

/// Why symmetric states were not left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There are too many permutations to try all: their number, if it can be written.
    TooManyPermutations(Option<u64>),
}

/// Counts of a search by diagrams, as far as they can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiagramStatistics {
    /// The number of states as in [`Statistics::states`].
    pub states: u128,
    /// The number of transitions as in [`Statistics::transitions`].
    pub transitions: u128,
    /// Nodes of diagrams.
    pub nodes: usize,
    /// Short rows that groups were asked about.
    pub asked: u64,
    /// Sets of states that were added one after the other.
    pub rounds: usize,
    /// How many of these, the initial states first, were checked.
    pub checked_rounds: usize,
}

impl Statistics {
    /// States per second.
    pub fn rate(&self) -> f64 {
        self.states as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// Bytes per state.
    pub fn bytes_per_state(&self) -> f64 {
        self.memory.bytes as f64 / (self.states as f64).max(1.0)
    }

    /// Bytes per state of rows, predecessors and index.
    pub fn table_bytes_per_state(&self) -> f64 {
        self.memory.table_bytes as f64 / (self.states as f64).max(1.0)
    }
}

/// Progress of a search, reported about twice a second.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Progress {
    /// States and valuations so far.
    pub states: u64,
    /// Transitions so far.
    pub transitions: u64,
    /// States that wait to be expanded.
    pub frontier: usize,
    /// States per second since the beginning.
    pub rate: f64,
}
