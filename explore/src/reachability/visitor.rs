//! Visitors of a search. A visitor is told what the search meets, in the order in which a single thread meets it.

use std::collections::HashSet;

use bsym_semantics::error::EvalError;
use bsym_semantics::transition::Outcome;

use super::reached::Reached;
use crate::space::dependency_matrix::{DependencyMatrix, GroupId, LabelId};
use crate::space::system::Edges;
use crate::store::state_table::{StateId, Table};

/// Origin of a step.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'r> {
    /// A root: the step leads to one of its initial states.
    Root(usize),
    /// A state, with its row, and the group that takes the step.
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

    /// Called with a new state and its row, if some property is not known to hold there.
    fn doubtful(&mut self, reached: &mut Reached<S>, state: StateId, row: &[u32]);

    /// Called when a step goes wrong.
    fn failed(&mut self, reached: &mut Reached<S>, origin: Origin<'_>, outcome: Outcome);

    /// Called when states or steps may be missing: where, and why.
    fn missing(&mut self, reached: &mut Reached<S>, place: &str, error: EvalError);

    /// Called with the edges to the initial states of a root, before they are followed.
    fn begun(&mut self, _reached: &mut Reached<S>, _root: usize, _edges: &Edges) {}

    /// Called when a state was expanded, and told whether some group is enabled there.
    fn expanded(&mut self, _reached: &mut Reached<S>, _state: StateId, _enabled: bool) {}

    /// Called for each state that was expanded in time, once, now or later.
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

    /// Returns labels of the invariant that have become proven to hold after a group, if all held before.
    fn proven(&mut self, _matrix: &DependencyMatrix) -> Vec<(GroupId, LabelId)> {
        vec![]
    }
}
