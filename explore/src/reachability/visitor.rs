//! Visitors of a search. A visitor is told what the search meets, in the order in which a single thread meets it.

use std::collections::HashSet;

use bsym_semantics::error::EvalError;
use bsym_semantics::transition::Outcome;

use super::reached::Reached;
use crate::space::dependency_matrix::{DependencyMatrix, GroupId, LabelId};
use crate::space::system::Edges;
use crate::store::state_table::{StateId, Table};

/// Where a step begins.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'r> {
    /// Nowhere: it leads to an initial state of this root.
    Root(usize),
    /// In a state, with its row; the group takes it.
    State(StateId, &'r [u32], GroupId),
}

/// Knowledge about states that were expanded earlier.
#[derive(Clone, Copy)]
pub struct Known<'r> {
    /// The states, including all successors of these.
    pub table: &'r Table,
    /// States in which some property is not known to hold.
    pub doubtful: &'r HashSet<StateId>,
}

/// Callbacks of a search.
pub trait Visitor<S> {
    /// Returns whether the search is over: no further finding is needed.
    fn is_over(&self) -> bool;

    /// A new state, and its row. Some property is not known to hold there.
    fn doubtful(&mut self, reached: &mut Reached<S>, state: StateId, row: &[u32]);

    /// A step goes wrong.
    fn failed(&mut self, reached: &mut Reached<S>, origin: Origin<'_>, outcome: Outcome);

    /// States or steps may be missing: where, and why.
    fn missing(&mut self, reached: &mut Reached<S>, place: &str, error: EvalError);

    /// The edges to the initial states of a root, before they are followed.
    fn begun(&mut self, _reached: &mut Reached<S>, _root: usize, _edges: &Edges) {}

    /// A state was expanded; whether some group does anything there.
    fn expanded(&mut self, _reached: &mut Reached<S>, _state: StateId, _enabled: bool) {}

    /// A state was expanded, now or a while ago: each state once that was expanded in time.
    fn look_back(&mut self, _system: &mut S, _known: Known<'_>, _state: StateId) {}

    /// Called from time to time with the number of states that were found, and the bytes that they take with all
    /// additional data. If several threads are at work, the states are not in `reached`.
    fn pulse(&mut self, _reached: &Reached<S>, _states: usize, _bytes: usize) {}

    /// Called from time to time to rewrite the states in a form with less memory. Returns whether columns have moved.
    fn tidy(&mut self, _reached: &mut Reached<S>) -> bool {
        false
    }

    /// Called from time to time when all findings so far are in `reached`, so that the search can be suspended.
    fn rest(&mut self, _reached: &Reached<S>) {}

    /// Labels of the invariant that have become proven to hold after a group, if all held before.
    fn proven(&mut self, _matrix: &DependencyMatrix) -> Vec<(GroupId, LabelId)> {
        vec![]
    }
}
