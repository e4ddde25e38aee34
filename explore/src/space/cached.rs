//! A layer that caches the results of groups, by the words of the columns that they read.

use std::sync::Arc;

use bsym_semantics::evaluator::Eval;

use super::dependency_matrix::{DependencyMatrix, GroupId, LabelId};
use super::machine::Machine;
use super::system::{Costly, Edges, Effort, Expansion, Measured, Replicate, System, around};
use super::transition_cache::Cache;
use super::updates::Updates;
use crate::store::layout::Layout;

/// A system that caches the results of its costly groups.
pub struct Cached<S> {
    system: S,
    groups: Vec<Remembered>,
}

/// The remembered answers of a group.
#[derive(Default)]
struct Remembered {
    cache: Option<Cache>,
    /// Hits and misses of a cache that was dropped.
    dropped: (u64, u64),
}

impl<S: Costly> Cached<S> {
    /// Makes a layer with empty caches.
    pub fn new(system: S) -> Cached<S> {
        let matrix = system.matrix();
        let remembered = |group: GroupId| {
            let reads = &matrix.group(group).reads;
            let pays = system.is_costly(group) && reads.len() < matrix.width();
            Remembered { cache: pays.then(|| Cache::new(reads.clone())), ..Remembered::default() }
        };
        let groups = matrix.group_ids().map(remembered).collect();
        Cached { system, groups }
    }
}

impl Cached<Machine<'_>> {
    /// Gives rows another layout; see [`Machine::set_layout`]. Forgets the cached results.
    pub fn set_layout(&mut self, layout: Layout) -> Option<()> {
        let before = self.system.matrix.clone();
        self.system.set_layout(layout)?;
        if !Arc::ptr_eq(&before, &self.system.matrix) {
            for (remembered, group) in self.groups.iter_mut().zip(&self.system.matrix.groups) {
                let cache = remembered.cache.take();
                remembered.cache = cache.map(|cache| cache.renewed(group.reads.clone()));
            }
        }
        Some(())
    }
}

around!(Cached);

impl<S: Costly> System for Cached<S> {
    fn matrix(&self) -> &Arc<DependencyMatrix> {
        self.system.matrix()
    }

    fn roots(&self) -> usize {
        self.system.roots()
    }

    fn initial(&mut self, root: usize, limit: usize) -> Edges {
        self.system.initial(root, limit)
    }

    #[inline]
    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        let Remembered { cache, dropped } = &mut self.groups[group.index()];
        let Some(known) = cache else { return self.system.next(group, row, updates) };
        updates.start(self.system.matrix().group(group).may_write.len());
        if self.system.is_disabled(group, row) {
            return Expansion::Moves(0);
        }
        if let Some(transitions) = known.get(row, &mut updates.words) {
            return Expansion::Moves(transitions);
        }
        if known.is_useless() {
            *dropped = (known.hits, known.misses);
            *cache = None;
        }
        let expansion = self.system.next(group, row, updates);
        if let (Expansion::Moves(transitions), Some(cache)) = (&expansion, cache) {
            cache.remember(*transitions, &updates.words);
        }
        expansion
    }

    fn edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Edges {
        self.system.edges(group, row, limit)
    }

    #[inline]
    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool> {
        self.system.label(label, row)
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        self.system.is_stopped()
    }
}

impl<S: Costly + Measured> Measured for Cached<S> {
    fn effort(&self) -> Effort {
        let mut effort = self.system.effort();
        for Remembered { cache, dropped } in &self.groups {
            let (hits, misses) = cache.as_ref().map_or(*dropped, |cache| (cache.hits, cache.misses));
            effort.hits += hits;
            effort.misses += misses;
            match cache.as_ref().map(Cache::bytes) {
                Some((bytes, true)) => effort.shared_bytes += bytes,
                Some((bytes, false)) => effort.bytes += bytes,
                None => {}
            }
        }
        effort
    }
}

impl<S: Costly + Replicate> Replicate for Cached<S> {
    /// The seed of the system, and the caches of the groups that share them.
    type Seed = (S::Seed, Vec<Option<Cache>>);

    fn share(&mut self) {
        self.system.share();
        self.groups.iter_mut().filter_map(|group| group.cache.as_mut()).for_each(Cache::share);
    }

    fn seed(&self) -> Self::Seed {
        let shared = |group: &Remembered| group.cache.as_ref().and_then(Cache::shared);
        (self.system.seed(), self.groups.iter().map(shared).collect())
    }

    fn from_seed((seed, caches): &Self::Seed) -> Self {
        let mut system = Cached::new(S::from_seed(seed));
        for (group, cache) in system.groups.iter_mut().zip(caches) {
            if let Some(cache) = cache {
                group.cache = cache.shared();
            }
        }
        system
    }

    fn follow(&mut self, (seed, _): &Self::Seed) -> bool {
        self.system.follow(seed)
    }
}
