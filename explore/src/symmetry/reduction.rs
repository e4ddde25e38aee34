//! Symmetry of a search: the method of reduction, the elements, and the permutations of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::atoms::{Atoms, Images, inverse, then};
use super::canonical::{Form, Ties};
use super::group::Group;
use super::refine::Item;
use super::shape::Shape;
use crate::store::interner::Store;

/// Method by which one state of an orbit is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// The least state of the orbit, by individualisation and refinement.
    #[default]
    Canonical,
    /// The least one, by looking at all permutations once: permutation flooding.
    Flood,
    /// The one met first of those with the same marker. Exact only where atoms stand alone, otherwise states may be
    /// lost.
    Markers,
    /// The one met first. States with the same marker are distinguished by the least one of their orbits.
    CanonicalMarkers,
    /// One by refinement where ties are broken in any way: quick, and sometimes several of an orbit (Gibson-Robinson
    /// and Lowe, *Symmetry reduction in CSP model checking*, STTT 2019, section 7).
    Representatives,
}

impl Method {
    /// Name of the method.
    pub fn name(self) -> &'static str {
        match self {
            Method::Canonical => "canonical",
            Method::Flood => "flood",
            Method::Markers => "markers",
            Method::CanonicalMarkers => "canonical+markers",
            Method::Representatives => "representatives",
        }
    }
}

/// Symmetry that all threads of a search share.
#[derive(Debug)]
pub struct Symmetry {
    /// Method by which states are chosen.
    pub method: Method,
    /// The elements that may change places.
    pub atoms: Arc<Atoms>,
    /// The variables in which they stand.
    pub shapes: Vec<(usize, Shape)>,
    /// Groups of permutations, each once.
    pub groups: Vec<Group>,
    /// For each valuation of the constants the number of the group that keeps it.
    pub of_valuation: Vec<u32>,
    /// Counts of the reduction.
    pub tally: Tally,
}

/// Counts of a reduction, by all threads.
#[derive(Debug, Default)]
pub struct Tally {
    /// States whose stand-in was computed.
    pub computed: AtomicU64,
    /// Of these: states for which the search was given up because of too many permutations. Others of the orbit may
    /// have another stand-in.
    pub given_up: AtomicU64,
    /// States that stand for themselves, because a value is not listed.
    pub unlisted: AtomicU64,
}

/// Counts one.
pub fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Symmetry {
    /// Returns whether every state of an orbit has the same stand-in, and no other state has: unless computing it is
    /// given up.
    pub fn is_exact(&self) -> bool {
        self.groups.iter().all(|group| group.is_whole)
            && match self.method {
                Method::Flood | Method::Canonical | Method::CanonicalMarkers => true,
                Method::Markers | Method::Representatives => self.is_plain(),
            }
    }

    /// Returns whether a state may stand for one of another orbit.
    pub fn is_approximate(&self) -> bool {
        self.method == Method::Markers && !self.is_plain()
    }

    /// Returns whether the choice of stand-ins depends on the states met before.
    pub fn is_stateful(&self) -> bool {
        matches!(self.method, Method::Markers | Method::CanonicalMarkers) && !self.is_plain()
    }

    /// Returns whether refinement alone leads to the least form.
    fn is_plain(&self) -> bool {
        self.groups.iter().all(|group| group.others.len() == 1)
            && self.shapes.iter().all(|(_, shape)| shape.is_flat())
    }

    /// The permutations that keep a valuation.
    pub fn group(&self, valuation: usize) -> &Group {
        &self.groups[self.of_valuation[valuation] as usize]
    }

    /// The form of the values with atoms in a row. Counts forms that are not known to be the least.
    pub fn form(&self, store: &mut Store, valuation: usize, row: &[u32], ties: Ties) -> Option<Form> {
        let (form, is_least) = self.group(valuation).form(store, &self.items(row), ties)?;
        if !is_least {
            count(&self.tally.given_up);
        }
        Some(form)
    }

    /// A permutation that leads from one row to another one of the same orbit.
    pub fn images(&self, store: &mut Store, valuation: usize, from: &[u32], to: &[u32]) -> Option<Images> {
        let here = self.form(store, valuation, from, Ties::Broken)?;
        let there = self.form(store, valuation, to, Ties::Broken)?;
        (here.words == there.words).then(|| then(&here.images, &inverse(&there.images)))
    }

    /// The values with atoms in a row.
    pub fn items(&self, row: &[u32]) -> Vec<Item<'_>> {
        self.shapes.iter().map(|(at, shape)| (shape, row[*at])).collect()
    }

    /// A row in which the values with atoms have other words.
    pub fn with_words(&self, row: &[u32], words: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut row = row.to_vec();
        self.shapes.iter().zip(words).for_each(|((at, _), word)| row[*at] = word);
        row
    }
}
