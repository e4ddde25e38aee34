//! Whoever a search is for: it is told what the search meets, in the order in which one thread meets it.

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

/// What is known of the states that were expanded a while ago.
#[derive(Clone, Copy)]
pub struct Known<'r> {
    /// The states, among them all that these lead to.
    pub table: &'r Table,
    /// States in which some property is not known to hold.
    pub doubtful: &'r HashSet<StateId>,
}

/// Whoever a search is for.
pub trait Visitor<S> {
    /// Whether nothing more need be found.
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

    /// Now and then: so many states were found, and take so many bytes with all that is kept beside them. Where several
    /// threads are at work, the states are not among what was reached.
    fn pulse(&mut self, _reached: &Reached<S>, _states: usize, _bytes: usize) {}

    /// Now and then: what was reached may be written in another form, with less memory. Returns whether columns have moved.
    fn tidy(&mut self, _reached: &mut Reached<S>) -> bool {
        false
    }

    /// Now and then: everything found so far is in what was reached, so that it can be put aside.
    fn rest(&mut self, _reached: &Reached<S>) {}

    /// Labels of the invariant that have become proven to hold after a group, if all held before.
    fn proven(&mut self, _matrix: &DependencyMatrix) -> Vec<(GroupId, LabelId)> {
        vec![]
    }
}
