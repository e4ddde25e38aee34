//! Canonical form of some values: the same for all values that differ in the roles of atoms only.
//!
//! Individualisation and refinement: where refinement leaves atoms together, each of them in turn is individualised,
//! and the least result is taken (McKay, *Practical graph isomorphism*, 1981; Turner's thesis has it for B). Three
//! things keep the search small: only those branches are followed that refine in the least way; an atom that another
//! one can change places with, everything else being equal, needs no branch of its own; nor does one that an
//! automorphism found so far maps to another one.
//!
//! The result is always a permutation of the input. So two values with the same form differ in the roles of atoms only,
//! whether or not the search has found the least form: only the number of forms rests on that.

use super::atoms::{Images, inverse, placing, then};
use super::refine::{Cells, Item, Refinement, first_cell, individualised};
use crate::store::interner::Store;
use crate::tuning::Tuning;

/// Extent of the search for forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// Searches for the least form.
    Broken,
    /// Where refinement leaves atoms together, the first one comes first: quick, and not always the same form.
    Arbitrary,
    /// Searches for all forms that equal the first one: they are reached by the automorphisms.
    All,
}

/// A form, and the permutation that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// The words of the values.
    pub words: Vec<u32>,
    /// The permutation that leads there.
    pub images: Images,
    digests: Vec<u64>,
}

/// A search for the form of some values.
pub struct Search<'s, 'a> {
    store: &'a mut Store,
    items: &'a [Item<'s>],
    refinement: Refinement<'s>,
    /// The atom with the role at each position.
    places: &'a [u32],
    ties: Ties,
    /// The least form.
    pub best: Option<Form>,
    /// Permutations that change nothing.
    pub automorphisms: Vec<Images>,
    forms: usize,
    /// `true` if not all forms that may be the least were compared.
    pub is_cut: bool,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Prepares a search; `None` where a value is not listed.
    pub fn new(
        store: &'a mut Store,
        items: &'a [Item<'s>],
        places: &'a [u32],
        ties: Ties,
    ) -> Option<Search<'s, 'a>> {
        let refinement = Refinement::new(store, items, places.len())?;
        let (best, automorphisms) = (None, Vec::new());
        let search =
            Search { store, items, refinement, places, ties, best, automorphisms, forms: 0, is_cut: false };
        Some(search)
    }

    /// Searches among the permutations that keep these cells.
    pub fn run(&mut self, cells: &[u32]) -> Option<()> {
        let mut cells = cells.to_vec();
        self.refinement.refine(self.store, &mut cells)?;
        self.descend(cells, &mut Vec::new())
    }

    /// Visits all forms of refined cells. `apart` are the atoms that were individualised.
    fn descend(&mut self, mut cells: Cells, apart: &mut Vec<u32>) -> Option<()> {
        loop {
            let Some((cell, atoms)) = first_cell(&cells) else { return self.arrive(&cells) };
            let classes = match self.ties {
                Ties::All => atoms.iter().map(|atom| vec![*atom]).collect(),
                _ => self.classes(&atoms)?,
            };
            if let [_] = classes[..] {
                // Any of them may come first.
                for (position, atom) in (cell..).zip(&atoms) {
                    cells[*atom as usize] = position;
                }
                continue;
            }
            if self.ties == Ties::Arbitrary {
                cells = individualised(&cells, cell, atoms[0]);
                self.refinement.refine(self.store, &mut cells)?;
                continue;
            }
            return self.branch(&cells, cell, &classes, apart);
        }
    }

    /// Individualises each atom of a cell that is not known to lead to the same forms as another one.
    fn branch(&mut self, cells: &[u32], cell: u32, classes: &[Vec<u32>], apart: &mut Vec<u32>) -> Option<()> {
        let mut children = Vec::with_capacity(classes.len());
        for class in classes {
            let mut child = individualised(cells, cell, class[0]);
            let how = self.refinement.refine(self.store, &mut child)?;
            children.push((how, class[0], child));
        }
        let least = children.iter().map(|(how, ..)| *how).min();
        let mut seen: Vec<u32> = Vec::new();
        for (how, atom, child) in children {
            let is_known = self.ties != Ties::All && self.is_like(&seen, atom, apart);
            if Some(how) != least || self.is_cut || is_known {
                continue;
            }
            seen.push(atom);
            apart.push(atom);
            self.descend(child, apart)?;
            apart.pop();
        }
        Some(())
    }

    /// Returns whether automorphisms that keep the atoms set apart map an atom to one that was tried.
    fn is_like(&self, seen: &[u32], atom: u32, apart: &[u32]) -> bool {
        let keeps = |images: &&Images| apart.iter().all(|a| images[*a as usize] == *a);
        let generators: Vec<&Images> = self.automorphisms.iter().filter(keeps).collect();
        let (mut orbit, mut next) = (vec![atom], 0);
        while let Some(at) = orbit.get(next).copied() {
            if seen.contains(&at) {
                return true;
            }
            for images in &generators {
                let image = images[at as usize];
                if !orbit.contains(&image) {
                    orbit.push(image);
                }
            }
            next += 1;
        }
        false
    }

    /// The atoms of a cell, by classes of those that can change places, everything else being equal.
    pub fn classes(&mut self, atoms: &[u32]) -> Option<Vec<Vec<u32>>> {
        let mut classes: Vec<Vec<u32>> = Vec::new();
        for atom in atoms {
            let mut found = None;
            for (i, class) in classes.iter().enumerate() {
                if self.are_twins(class[0], *atom)? {
                    found = Some(i);
                    break;
                }
            }
            match found {
                Some(i) => classes[i].push(*atom),
                None => classes.push(vec![*atom]),
            }
        }
        Some(classes)
    }

    /// Returns whether two atoms of one cell can change places. Where they stand alone, refinement has seen that they
    /// can.
    fn are_twins(&mut self, a: u32, b: u32) -> Option<bool> {
        let mut images: Images = (0..self.places.len() as u32).collect();
        images.swap(a as usize, b as usize);
        for (shape, word) in self.items {
            if !shape.is_flat() && shape.permute(self.store, *word, &images)? != *word {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Compares the form of discrete cells with the least one so far.
    fn arrive(&mut self, cells: &[u32]) -> Option<()> {
        self.forms += 1;
        self.is_cut |= self.forms >= Tuning::DEFAULT.symmetry.forms;
        let images = placing(cells, self.places);
        let words = permuted(self.store, self.items, &images)?;
        if let Some(best) = self.best.as_mut().filter(|best| best.words == words) {
            self.automorphisms.push(then(&images, &inverse(&best.images)));
            return Some(());
        }
        if self.ties == Ties::All && self.best.is_some() {
            return Some(());
        }
        let form = Form::new(self.store, self.items, words, images);
        if self.best.as_ref().is_none_or(|best| form.digests < best.digests) {
            self.best = Some(form);
        }
        Some(())
    }
}

/// The words that a permutation makes of some values; `None` where one is not listed.
pub fn permuted(store: &mut Store, items: &[Item<'_>], images: &[u32]) -> Option<Vec<u32>> {
    items.iter().map(|(shape, word)| shape.permute(store, *word, images)).collect()
}

impl Form {
    /// A form by a permutation that was found in another way; `None` if a value is not listed.
    pub fn of(store: &mut Store, items: &[Item<'_>], images: Images) -> Option<Form> {
        let words = permuted(store, items, &images)?;
        Some(Form::new(store, items, words, images))
    }

    fn new(store: &Store, items: &[Item<'_>], words: Vec<u32>, images: Images) -> Form {
        let digests = items.iter().zip(&words).map(|((shape, _), word)| shape.digest(store, *word)).collect();
        Form { words, images, digests }
    }

    /// Returns this form as a form of other values: those that the permutation `first` maps to these.
    pub fn after(self, first: &[u32]) -> Form {
        Form { images: then(first, &self.images), ..self }
    }

    /// Digests by which forms are compared. They depend on the values and not on their words.
    pub fn digests(&self) -> &[u64] {
        &self.digests
    }
}
