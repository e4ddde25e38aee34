//! Coverage of a search: counts of visited states, events and values.

use bsym_language::int::Int;
use bsym_language::model::{EventId, Pred};

/// Coverage of a search. Unless the search is complete, this says nothing about other states.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    /// Different states.
    pub states: u64,
    /// Of these, states whose successors were looked for.
    pub expanded: u64,
    /// Each event of the model.
    pub events: Vec<EventCoverage>,
    /// Each variable of the model.
    pub variables: Vec<VariableCoverage>,
    /// The number of states by the number of events on the way that led to each first; in a breadth-first search that is the
    /// shortest way.
    pub depths: Vec<u64>,
}

/// How often an event is taken.
#[derive(Clone, PartialEq, Debug)]
pub struct EventCoverage {
    /// The event.
    pub event: EventId,
    /// States in which it is enabled.
    pub states: u64,
    /// Number of its edges. Edges that differ in parameters, results or target are counted separately.
    pub firings: u64,
    /// Why the event is never enabled, if it is not.
    pub kept_off: Option<KeptOff>,
}

/// Conjuncts of its guard by which an event is disabled.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct KeptOff {
    /// In their order, each with the number of states in which it is the first that is false: no values of the parameters satisfy
    /// it and those before it.
    pub conjuncts: Vec<(Pred, u64)>,
    /// States in which all conjuncts are true, so that something behind the guard keeps it off.
    pub behind: u64,
    /// States in which that could not be evaluated.
    pub undecided: u64,
    /// States that there was time to look at.
    pub looked_at: u64,
}

/// The values of a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableCoverage {
    /// Number of different values.
    pub values: u64,
    /// The least and the greatest value of an integer.
    pub range: Option<(Int, Int)>,
}
