//! Counts of how often each group is taken, for a search that needs them.

use crate::space::dependency_matrix::GroupId;

/// Counts of one group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fired {
    /// States in which it is enabled.
    pub states: u64,
    /// Edges out of these states.
    pub edges: u64,
}

/// Counts of all groups.
#[derive(Clone, Debug)]
pub struct Firings {
    groups: Vec<Fired>,
    /// Firings in the current state. They are dropped if the state cannot be expanded completely in time.
    pending: Vec<(GroupId, u64)>,
}

impl Firings {
    /// Counts for `groups` groups.
    pub fn new(groups: usize) -> Firings {
        Firings { groups: vec![Fired::default(); groups], pending: vec![] }
    }

    /// Notes that a group is enabled in the current state, with `edges` edges.
    pub fn note(&mut self, group: GroupId, edges: u64) {
        self.pending.push((group, edges));
    }

    /// Counts the firings in the current state, which was expanded.
    pub fn keep(&mut self) {
        for (group, edges) in self.pending.drain(..) {
            let fired = &mut self.groups[group.index()];
            fired.states += 1;
            fired.edges += edges;
        }
    }

    /// Drops the firings in the current state, which could not be expanded in time.
    pub fn forget(&mut self) {
        self.pending.clear();
    }

    /// Returns the counts, including those of a state in which the search ended.
    pub fn all(&mut self) -> &[Fired] {
        self.keep();
        &self.groups
    }
}
