//! Partition refinement: atoms that stand in different places come into different cells, until the atoms of one cell
//! differ only in their relations to each other.
//!
//! McKay, *Practical graph isomorphism*, 1981. A value takes the place of the graph: the signature of an atom is the
//! sum of the ways to it, each with the values next to it. It is right for couples in couples and sets of sets, where a
//! graph needs a vertex for each part. Signatures are hashes: where two of them are equal by chance, two cells stay
//! one, and later steps have more to do.

use super::shape::Shape;
use crate::store::index::mix;
use crate::store::interner::Store;

/// A value as the search has it: its shape, and its word.
pub type Item<'s> = (&'s Shape, u32);

/// The cells of atoms: for each the number of atoms in the cells before its own.
pub type Cells = Vec<u32>;

/// Values with atoms, and the part of the atoms' signatures that does not depend on other atoms.
pub struct Refinement<'s> {
    /// Values whose signatures depend on the cells.
    rest: Vec<(u64, Item<'s>)>,
    fixed: Vec<u64>,
}

impl<'s> Refinement<'s> {
    /// Prepares the refinement of `atoms` atoms; `None` if a value is not listed.
    pub fn new(store: &Store, items: &[Item<'s>], atoms: usize) -> Option<Refinement<'s>> {
        let (mut rest, mut fixed) = (Vec::new(), vec![0; atoms]);
        let none = vec![0; atoms];
        for (at, item) in (1..).map(|i| mix(i, 11)).zip(items) {
            if item.0.is_flat() && !item.0.sees_others() {
                item.0.sign(store, item.1, at, &none, &mut fixed)?;
            } else {
                rest.push((at, *item));
            }
        }
        Some(Refinement { rest, fixed })
    }

    /// Refines cells as far as possible. Returns a hash of the refinement, which is the same for other atoms in the
    /// same roles.
    pub fn refine(&self, store: &Store, cells: &mut Cells) -> Option<u64> {
        let mut how = 0;
        let mut count = count_of(cells);
        loop {
            let signs = self.refine_once(store, cells)?;
            let refined = count_of(cells);
            how = signs.into_iter().fold(mix(how, u64::from(refined)), mix);
            if refined == count || refined as usize == cells.len() || self.rest.is_empty() {
                return Some(how);
            }
            count = refined;
        }
    }
}

impl Refinement<'_> {
    /// Refines cells once, by the ways to each atom. Returns the signatures of the cells in their order, as often as
    /// there are atoms.
    pub fn refine_once(&self, store: &Store, cells: &mut Cells) -> Option<Vec<u64>> {
        let mut signs = self.fixed.clone();
        for (at, (shape, word)) in &self.rest {
            shape.sign(store, *word, *at, cells, &mut signs)?;
        }
        let key = |atom: u32| (cells[atom as usize], signs[atom as usize]);
        let mut order: Vec<u32> = (0..cells.len() as u32).collect();
        order.sort_unstable_by_key(|atom| key(*atom));
        let mut refined = cells.clone();
        let mut begin = 0;
        for (i, atom) in (0u32..).zip(&order) {
            if i > 0 && key(order[i as usize - 1]) != key(*atom) {
                begin = i;
            }
            refined[*atom as usize] = begin;
        }
        *cells = refined;
        Some(order.iter().map(|atom| signs[*atom as usize]).collect())
    }
}

/// The number of cells.
pub fn count_of(cells: &[u32]) -> u32 {
    let mut begins = vec![false; cells.len()];
    cells.iter().for_each(|cell| begins[*cell as usize] = true);
    begins.iter().filter(|begin| **begin).count() as u32
}

/// The atoms of the first cell that has several, with its number.
pub fn first_cell(cells: &[u32]) -> Option<(u32, Vec<u32>)> {
    let mut sizes = vec![0u32; cells.len()];
    cells.iter().for_each(|cell| sizes[*cell as usize] += 1);
    let cell = sizes.iter().position(|size| *size > 1)? as u32;
    let atoms = (0u32..).zip(cells).filter(|(_, c)| **c == cell).map(|(atom, _)| atom);
    Some((cell, atoms.collect()))
}

/// The cells in which one atom of a cell comes before the others.
pub fn individualised(cells: &[u32], cell: u32, atom: u32) -> Cells {
    let mut cells = cells.to_vec();
    cells.iter_mut().filter(|c| **c == cell).for_each(|c| *c += 1);
    cells[atom as usize] = cell;
    cells
}
