//! The elements that may change places, numbered through all sets, and permutations of them.

use std::collections::BTreeSet;

use bsym_language::types::CarrierId;
use bsym_semantics::symmetry::elements::Interchangeable;

/// A permutation: the image of each atom.
pub type Images = Vec<u32>;

/// The elements of all sets of which some may change places. Each has a number; those of a set are consecutive.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Atoms {
    /// For each set, its first atom and its size.
    sets: Vec<(CarrierId, u32, u32)>,
    /// The cell of each atom, by the number of atoms in the cells before. Atoms that may change places share a cell.
    cells: Vec<u32>,
}

impl Atoms {
    /// The atoms of sets of these sizes, in which elements may change places.
    pub fn new(free: &[Interchangeable], size: impl Fn(CarrierId) -> u32) -> Atoms {
        let mut atoms = Atoms::default();
        for Interchangeable { carrier, elements } in free {
            let (first, size) = (atoms.cells.len() as u32, size(*carrier));
            atoms.sets.push((*carrier, first, size));
            let movable: BTreeSet<u32> = elements.iter().copied().collect();
            // The elements that may change places come before the others.
            let mut next = first + movable.len() as u32;
            for i in 0..size {
                let cell = if movable.contains(&i) { first } else { next };
                next += u32::from(cell == next);
                atoms.cells.push(cell);
            }
        }
        atoms
    }

    /// Number of atoms.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// The first atom of a set, if elements of it may change places.
    pub fn first(&self, carrier: CarrierId) -> Option<u32> {
        self.sets.iter().find(|(c, ..)| *c == carrier).map(|(_, first, _)| *first)
    }

    /// The cell of each atom.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// The sets, each with its first atom and its size.
    pub fn sets(&self) -> impl Iterator<Item = (CarrierId, u32, u32)> + '_ {
        self.sets.iter().copied()
    }

    /// The permutation that changes nothing.
    pub fn identity(&self) -> Images {
        (0..self.count() as u32).collect()
    }
}

/// The permutation that undoes another one.
pub fn inverse(images: &[u32]) -> Images {
    let mut inverse = vec![0; images.len()];
    (0u32..).zip(images).for_each(|(atom, image)| inverse[*image as usize] = atom);
    inverse
}

/// First one permutation, then the other.
pub fn then(first: &[u32], second: &[u32]) -> Images {
    first.iter().map(|image| second[*image as usize]).collect()
}

/// The atoms in the order of their cells.
pub fn in_order(cells: &[u32]) -> Vec<u32> {
    let mut atoms: Vec<u32> = (0..cells.len() as u32).collect();
    atoms.sort_by_key(|atom| cells[*atom as usize]);
    atoms
}

/// The permutation that brings the atoms of discrete cells to the places of coarser ones: the `i`-th in order goes to
/// the `i`-th of those.
pub fn placing(discrete: &[u32], places: &[u32]) -> Images {
    discrete.iter().map(|position| places[*position as usize]).collect()
}
