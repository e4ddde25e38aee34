//! The permutations under which states are compared: those that keep the constants.

use super::atoms::{Atoms, Images, in_order, then};
use super::canonical::{Form, Search, Ties, permuted};
use super::refine::{Cells, Item, Refinement, first_cell};
use crate::store::interner::Store;

/// A group of permutations: all that keep some cells, each followed by one of a list.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Group {
    /// Cells of atoms that may change places independently of others.
    pub cells: Cells,
    /// Cells that all permutations of the group keep, including `others`.
    pub kept: Cells,
    /// The atoms in the order of the cells.
    pub places: Vec<u32>,
    /// Permutations of the other atoms, including the identity.
    pub others: Vec<Images>,
    /// `true` if the group has all permutations that keep the constants.
    pub is_whole: bool,
}

impl Group {
    /// All permutations that keep these cells.
    pub fn of_cells(cells: Cells) -> Group {
        let identity = (0..cells.len() as u32).collect();
        Group { places: in_order(&cells), kept: cells.clone(), cells, others: vec![identity], is_whole: true }
    }

    /// The group of the identity alone.
    pub fn trivial(atoms: &Atoms) -> Group {
        Group { is_whole: false, ..Group::of_cells(atoms.identity()) }
    }

    /// The permutations of atoms that keep some values; only a part of them if there are too many that do not just
    /// exchange atoms of one cell.
    pub fn keeping(store: &mut Store, items: &[Item<'_>], atoms: &Atoms) -> Group {
        Group::find(store, items, atoms).unwrap_or_else(|| Group::trivial(atoms))
    }

    fn find(store: &mut Store, items: &[Item<'_>], atoms: &Atoms) -> Option<Group> {
        let places = in_order(atoms.cells());
        let mut refined = atoms.cells().to_vec();
        Refinement::new(store, items, atoms.count())?.refine(store, &mut refined)?;
        let mut search = Search::new(store, items, &places, Ties::All)?;
        // Cells in which all atoms can change places are kept, in the others each atom is alone.
        let (mut apart, mut tied, mut by_class) = (refined.clone(), refined.clone(), refined.clone());
        let mut cells = refined.clone();
        let mut is_tied = false;
        while let Some((cell, members)) = first_cell(&cells) {
            let classes = search.classes(&members)?;
            for (position, atom) in (cell..).zip(&members) {
                cells[*atom as usize] = position;
                if classes.len() == 1 {
                    tied[*atom as usize] = position;
                } else {
                    apart[*atom as usize] = position;
                    is_tied = true;
                }
            }
            let mut begin = cell;
            for class in classes {
                class.iter().for_each(|atom| by_class[*atom as usize] = begin);
                begin += class.len() as u32;
            }
        }
        let mut group = Group { kept: refined, ..Group::of_cells(apart) };
        if is_tied {
            search.run(&tied)?;
            if search.is_cut {
                group = Group { places: in_order(&by_class), cells: by_class, is_whole: false, ..group };
            } else {
                group.others.append(&mut search.automorphisms);
            }
        }
        Some(group)
    }

    /// The number of permutations; `None` if that is too large.
    pub fn order(&self) -> Option<u64> {
        let mut sizes = vec![0u64; self.cells.len()];
        self.cells.iter().for_each(|cell| sizes[*cell as usize] += 1);
        let factors = sizes.iter().flat_map(|size| 1..=*size);
        factors.chain([self.others.len() as u64]).try_fold(1u64, u64::checked_mul)
    }

    /// All permutations, one after the other.
    pub fn each(&self, call: &mut dyn FnMut(Images)) {
        let mut within = Vec::new();
        arrange(&self.places, &self.cells, &mut (0..self.cells.len() as u32).collect(), 0, &mut |images| {
            within.push(images);
        });
        for other in &self.others {
            for images in &within {
                call(then(other, images));
            }
        }
    }

    /// The least form of some values under the group, or one form of those that could be; and whether it is the least.
    pub fn form(&self, store: &mut Store, items: &[Item<'_>], ties: Ties) -> Option<(Form, bool)> {
        if let [_] = self.others[..] {
            return self.form_within(store, items, ties);
        }
        let mut best: Option<Form> = None;
        let mut is_least = true;
        for other in &self.others {
            let words = permuted(store, items, other)?;
            let items: Vec<Item<'_>> = items.iter().map(|(shape, _)| *shape).zip(words).collect();
            let (form, is_least_within) = self.form_within(store, &items, ties)?;
            is_least &= is_least_within;
            if best.as_ref().is_none_or(|best| form.digests() < best.digests()) {
                best = Some(form.after(other));
            }
        }
        Some((best?, is_least))
    }

    /// The least form of some values under the permutations that keep the cells, or one form of those that could be;
    /// and whether it is the least.
    fn form_within(&self, store: &mut Store, items: &[Item<'_>], ties: Ties) -> Option<(Form, bool)> {
        let mut search = Search::new(store, items, &self.places, ties)?;
        search.run(&self.cells)?;
        Some((search.best?, !search.is_cut))
    }
}

/// Calls a function with each permutation that keeps cells; `images` is right before a place.
fn arrange(places: &[u32], cells: &[u32], images: &mut Images, at: usize, call: &mut dyn FnMut(Images)) {
    let Some(atom) = places.get(at).map(|atom| *atom as usize) else { return call(images.clone()) };
    for other in at..places.len() {
        let other = places[other] as usize;
        if cells[other] != cells[atom] {
            break;
        }
        images.swap(atom, other);
        arrange(places, cells, images, at + 1, call);
        images.swap(atom, other);
    }
}
