//! The part of a transition system that a search has reached.

use std::collections::HashSet;

use super::frontier::Frontier;
use crate::store::state_table::{StateId, Table};

/// A system, its states that were reached, and those of them that wait to be expanded.
pub struct Reached<S> {
    /// The system.
    pub system: S,
    /// The states, each with the one that it was first reached from.
    pub table: Table,
    /// The states that wait to be expanded.
    pub frontier: Frontier,
    /// States in which some property is not known to hold.
    pub doubtful: HashSet<StateId>,
    /// Counts of the search so far.
    pub counts: Counts,
}

/// Counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Edges out of states that were expanded, and those to the initial states.
    pub transitions: u64,
    /// Edges to the initial states.
    pub initial: u64,
    /// States in which no group is enabled.
    pub deadlocks: u64,
    /// Largest distance from an initial state, when a breadth-first search has ended.
    pub depth: Option<usize>,
}
