//! Coverage of a search: counts of visited states, events and values.

use bsym_language::int::Int;
use bsym_language::model::{EventId, Pred};

/// Coverage of a search. Unless the search is complete, this says nothing about other states.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    /// Different states.
    pub states: u64,
    /// Number of these states that were expanded.
    pub expanded: u64,
    /// Coverage of each event of the model.
    pub events: Vec<EventCoverage>,
    /// Coverage of each variable of the model.
    pub variables: Vec<VariableCoverage>,
    /// Number of states by the number of events on the path by which they were first reached. In a breadth-first
    /// search, that is the shortest path.
    pub depths: Vec<u64>,
}

/// Coverage of an event: how often it is taken.
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
    /// The conjuncts in their order, each with the number of states in which it is the first false one: no values of
    /// the parameters satisfy it and those before it.
    pub conjuncts: Vec<(Pred, u64)>,
    /// States in which all conjuncts are true, so that the event is disabled by something behind the guard.
    pub behind: u64,
    /// States in which the guard could not be evaluated.
    pub undecided: u64,
    /// States that were examined in the time available.
    pub looked_at: u64,
}

/// Coverage of a variable: its values.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableCoverage {
    /// Number of different values.
    pub values: u64,
    /// The least and the greatest value of an integer.
    pub range: Option<(Int, Int)>,
}
