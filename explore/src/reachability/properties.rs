//! The properties of states that a search checks: which of them a step can have changed, and whether they hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::space::dependency_matrix::{DependencyMatrix, GroupId, LabelId};
use crate::space::system::System;
use crate::space::transition_cache::Cache;

/// Labels to check in every state.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Labels, each with the truth value that is no violation.
    pub labels: Vec<(LabelId, bool)>,
    /// Labels that take so long that it pays to remember where they had the right truth value.
    pub costly: BTreeSet<LabelId>,
    /// Labels that need not be checked after a group: they hold if all held before.
    pub proven: BTreeSet<(GroupId, LabelId)>,
}

/// The properties that are checked.
pub struct Properties {
    list: Vec<Property>,
    proven: Arc<BTreeSet<(GroupId, LabelId)>>,
}

/// One property.
struct Property {
    label: LabelId,
    good: bool,
    reads: Vec<usize>,
    cache: Option<Cache>,
}

impl Properties {
    /// Prepares the properties to check.
    pub fn new(matrix: &DependencyMatrix, asked: Asked) -> Properties {
        let property = |(label, good): &(LabelId, bool)| {
            let reads = matrix.label(*label).reads.clone();
            let is_remembered = asked.costly.contains(label) && reads.len() < matrix.width();
            let cache = is_remembered.then(|| Cache::new(reads.clone()));
            Property { label: *label, good: *good, reads, cache }
        };
        Properties { list: asked.labels.iter().map(property).collect(), proven: Arc::new(asked.proven) }
    }

    /// Shares results from now on with other threads: see [`Properties::shared`].
    pub fn share(&mut self) {
        self.list.iter_mut().filter_map(|property| property.cache.as_mut()).for_each(Cache::share);
    }

    /// Shares the properties with another thread.
    pub fn shared(&self) -> Properties {
        let property = |property: &Property| Property {
            reads: property.reads.clone(),
            cache: property.cache.as_ref().and_then(Cache::shared),
            ..*property
        };
        Properties { list: self.list.iter().map(property).collect(), proven: self.proven.clone() }
    }

    /// Follows the columns of a matrix that has changed.
    pub fn follow(&mut self, matrix: &DependencyMatrix) {
        for property in &mut self.list {
            property.reads = matrix.label(property.label).reads.clone();
            if let Some(cache) = &mut property.cache {
                *cache = cache.renewed(property.reads.clone());
            }
        }
    }

    /// Adds pairs that need not be checked any more.
    pub fn learn(&mut self, proven: impl IntoIterator<Item = (GroupId, LabelId)>) {
        let mut proven = proven.into_iter().peekable();
        if proven.peek().is_some() {
            Arc::make_mut(&mut self.proven).extend(proven);
        }
    }

    /// Returns whether all properties are known to hold in the state of a row, reached from another row by a group.
    /// `before` is given only if all properties hold there.
    pub fn hold(&mut self, system: &mut impl System, row: &[u32], before: Option<(&[u32], GroupId)>) -> bool {
        for property in &mut self.list {
            if let Some((old, group)) = before {
                let unchanged = property.reads.iter().all(|at| old[*at] == row[*at]);
                if unchanged || self.proven.contains(&(group, property.label)) {
                    continue;
                }
            }
            if let Some(cache) = &mut property.cache {
                if cache.get(row, &mut Vec::new()).is_some() {
                    continue;
                }
                if cache.is_useless() {
                    property.cache = None;
                }
            }
            if !system.label(property.label, row).is_ok_and(|truth| truth == property.good) {
                return false;
            }
            if let Some(cache) = &mut property.cache {
                cache.remember(0, &[]);
            }
        }
        true
    }
}
