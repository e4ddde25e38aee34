//! Symmetry markers: values that are the same for all states of an orbit, and sometimes for states of other orbits.
//!
//! The marker of a state is the state with each atom replaced by the ways to it (Leuschel and Massart, *Efficient
//! approximate verification of B via symmetry markers*, 2007). It is kept and compared in full.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::group::Group;
use super::reduction::Symmetry;
use super::refine::{Cells, Refinement};
use crate::store::interner::Store;

/// The marker of the state of a row, which has a word for each variable; `None` where a value is not listed.
pub fn marker(store: &Store, symmetry: &Symmetry, group: &Group, row: &[u32]) -> Option<Box<[u32]>> {
    let items = symmetry.items(row);
    let mut cells: Cells = group.kept.clone();
    let signs = Refinement::new(store, &items, cells.len())?.refine_once(store, &mut cells)?;
    // Values without atoms count as they are.
    let mut marker: Vec<u32> = row.to_vec();
    symmetry.shapes.iter().for_each(|(at, _)| marker[*at] = 0);
    for sign in signs {
        marker.extend([sign as u32, (sign >> 32) as u32]);
    }
    for (shape, word) in items {
        shape.spell(store, word, &cells, &mut marker)?;
    }
    Some(marker.into_boxed_slice())
}

/// The rows that were met first, by marker.
#[derive(Clone, Debug, Default)]
pub struct Markers {
    first: HashMap<Box<[u32]>, Met>,
    /// Rows by the least form of their orbits.
    labels: HashMap<Vec<u32>, Box<[u32]>>,
    words: usize,
}

/// The least form of the orbit of a row; `None` where a value is not listed.
pub type Label<'l> = &'l mut dyn FnMut(&[u32]) -> Option<Vec<u32>>;

/// Rows with the same marker.
#[derive(Clone, Debug)]
enum Met {
    /// A single state, whose orbit was not computed.
    One(Box<[u32]>),
    /// Several states, or one whose orbit was examined. They are distinguished by their labels.
    Labelled,
}

impl Markers {
    /// The row that stands for a row with this marker: the one met first. With labels, of those in one orbit.
    pub fn first_met<'r>(
        &'r mut self,
        marker: Box<[u32]>,
        row: &'r [u32],
        label: Option<Label<'_>>,
    ) -> Option<&'r [u32]> {
        let Markers { first, labels, words } = self;
        let met = match first.entry(marker) {
            Entry::Occupied(met) => met.into_mut(),
            Entry::Vacant(place) => {
                *words += place.key().len() + row.len();
                place.insert(Met::One(row.into()));
                return Some(row);
            }
        };
        let Some(label) = label else {
            return match met {
                Met::One(row) => Some(row),
                Met::Labelled => None,
            };
        };
        if let Met::One(known) = met {
            if **known == *row {
                return Some(row);
            }
            // A row without a label stands for itself.
            if let Some(of_known) = label(known) {
                *words += of_known.len();
                labels.insert(of_known, std::mem::take(known));
            }
            *met = Met::Labelled;
        }
        let label = label(row)?;
        *words += label.len() + row.len();
        Some(labels.entry(label).or_insert_with(|| row.into()))
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        4 * self.words + 64 * (self.first.len() + self.labels.len())
    }
}
