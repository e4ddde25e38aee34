//! How often each group is taken, for a search that is asked for it.

use crate::space::dependency_matrix::GroupId;

/// Counts of one group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fired {
    /// States in which it is enabled.
    pub states: u64,
    /// Its edges out of these.
    pub edges: u64,
}

/// Counts of all groups.
#[derive(Clone, Debug)]
pub struct Firings {
    groups: Vec<Fired>,
    /// What the state at hand adds, which does not count if there is no time for all of it.
    pending: Vec<(GroupId, u64)>,
}

impl Firings {
    /// Of so many groups.
    pub fn new(groups: usize) -> Firings {
        Firings { groups: vec![Fired::default(); groups], pending: vec![] }
    }

    /// A group is enabled in the state at hand, with so many edges.
    pub fn note(&mut self, group: GroupId, edges: u64) {
        self.pending.push((group, edges));
    }

    /// The state at hand was expanded.
    pub fn keep(&mut self) {
        for (group, edges) in self.pending.drain(..) {
            let fired = &mut self.groups[group.index()];
            fired.states += 1;
            fired.edges += edges;
        }
    }

    /// There was no time to expand the state at hand.
    pub fn forget(&mut self) {
        self.pending.clear();
    }

    /// The counts, with those of a state in which the search was over.
    pub fn all(&mut self) -> &[Fired] {
        self.keep();
        &self.groups
    }
}
