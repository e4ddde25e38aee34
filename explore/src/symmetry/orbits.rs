//! Orbits: the state that stands for all states which differ only in the names of elements.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::canonical::{Form, Ties};
use super::markers::{Markers, marker};
use super::reduction::{Method, Symmetry, count};
use super::tables::Tables;
use crate::store::interner::Store;
use crate::tuning::Tuning;

/// Finds the state that stands for an orbit.
#[derive(Debug)]
pub struct Orbits {
    symmetry: Arc<Symmetry>,
    /// The words of variables with atoms, and the valuation, with the words of the stand-in.
    known: FxHashMap<Box<[u32]>, Box<[u32]>>,
    key: Vec<u32>,
    tables: Tables,
    markers: Markers,
}

impl Orbits {
    /// Makes a finder of stand-ins that has met no state so far.
    pub fn new(symmetry: Arc<Symmetry>) -> Orbits {
        Orbits {
            symmetry,
            known: FxHashMap::default(),
            key: Vec::new(),
            tables: Tables::default(),
            markers: Markers::default(),
        }
    }

    /// The symmetry by which stand-ins are found.
    pub fn symmetry(&self) -> &Arc<Symmetry> {
        &self.symmetry
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let entry = 2 * (4 * self.symmetry.shapes.len() + 24);
        self.known.len() * entry + self.tables.bytes() + self.markers.bytes()
    }

    /// The row of the state that stands for that of a row, which has a word for each variable; `None` if it stands for
    /// itself.
    pub fn stand_in(
        &mut self,
        store: &mut Store,
        valuation: usize,
        row: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<u32>> {
        if self.symmetry.is_stateful() {
            return self.first_met(store, valuation, row);
        }
        if self.symmetry.method == Method::Canonical
            && let Some(stand_in) = self.by_tables(store, valuation, row)
        {
            return (stand_in != row).then_some(stand_in);
        }
        let symmetry = self.symmetry.clone();
        self.key.clear();
        self.key.extend(symmetry.shapes.iter().map(|(at, _)| row[*at]));
        self.key.push(valuation as u32);
        if !self.known.contains_key(&self.key[..]) {
            self.compute(store, valuation, row, stop)?;
        }
        let words = self.known.get(&self.key[..])?;
        if words[..] == self.key[..words.len()] {
            return None;
        }
        Some(symmetry.with_words(row, words.iter().copied()))
    }

    /// Computes and remembers the stand-in of a row; `None` if the search is stopped.
    fn compute(
        &mut self,
        store: &mut Store,
        valuation: usize,
        row: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Option<()> {
        let symmetry = self.symmetry.clone();
        let key: Box<[u32]> = self.key[..].into();
        count(&symmetry.tally.computed);
        let form = match symmetry.method {
            Method::Flood => self.flood(store, valuation, row, stop),
            Method::Representatives => symmetry.form(store, valuation, row, Ties::Arbitrary),
            Method::Canonical | Method::Markers | Method::CanonicalMarkers => {
                symmetry.form(store, valuation, row, Ties::Broken)
            }
        };
        if stop() {
            return None;
        }
        if self.known.len() >= Tuning::DEFAULT.symmetry.remembered && symmetry.method != Method::Flood {
            self.known.clear();
        }
        if form.is_none() {
            count(&symmetry.tally.unlisted);
        }
        let words = form.map_or_else(|| key[..key.len() - 1].into(), |form| form.words.into_boxed_slice());
        self.known.insert(key, words);
        Some(())
    }

    /// The least state of the orbit under few permutations, which may be that of the row; `None` where there are many.
    fn by_tables(&mut self, store: &mut Store, valuation: usize, row: &[u32]) -> Option<Vec<u32>> {
        let Orbits { symmetry, tables, .. } = self;
        let number = symmetry.of_valuation[valuation];
        if !tables.is_small(number, &symmetry.groups[number as usize]) {
            return None;
        }
        count(&symmetry.tally.computed);
        let Some(by) = tables.least(store, number, &symmetry.shapes, row) else {
            count(&symmetry.tally.unlisted);
            return Some(row.to_vec());
        };
        let words = symmetry.shapes.iter().map(|(at, _)| tables.word(number, by, *at, row[*at]));
        Some(symmetry.with_words(row, words))
    }

    /// Returns whether two rows are states of one orbit.
    pub fn are_alike(&self, store: &mut Store, valuation: usize, a: &[u32], b: &[u32]) -> bool {
        if a == b {
            return true;
        }
        let symmetry = &self.symmetry;
        let is_atomless = |at: &usize| symmetry.shapes.iter().all(|(with, _)| with != at);
        if symmetry.is_approximate() || (0..a.len()).filter(is_atomless).any(|at| a[at] != b[at]) {
            return false;
        }
        let mut least =
            |row: &[u32]| symmetry.form(store, valuation, row, Ties::Broken).map(|form| form.words);
        least(a).is_some_and(|form| least(b) == Some(form))
    }

    /// The least form by all permutations, which is remembered for all of them.
    fn flood(
        &mut self,
        store: &mut Store,
        valuation: usize,
        row: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Option<Form> {
        let items = self.symmetry.items(row);
        let mut forms: Vec<Option<Form>> = Vec::new();
        self.symmetry.group(valuation).each(&mut |images| {
            // Without all forms, none of them is known to be the least.
            let form = if stop() { None } else { Form::of(store, &items, images) };
            forms.push(form);
        });
        let forms = forms.into_iter().collect::<Option<Vec<Form>>>()?;
        let least = forms.iter().min_by_key(|form| form.digests())?.clone();
        for form in forms {
            let words: Box<[u32]> = form.words.into_iter().chain([valuation as u32]).collect();
            self.known.insert(words, least.words.clone().into_boxed_slice());
        }
        Some(least)
    }

    /// The row that was met first among those with the same marker, or among those of them with the same form.
    fn first_met(&mut self, store: &mut Store, valuation: usize, row: &[u32]) -> Option<Vec<u32>> {
        let symmetry = self.symmetry.clone();
        let Some(marker) = marker(store, &symmetry, symmetry.group(valuation), row) else {
            count(&symmetry.tally.unlisted);
            return None;
        };
        let mut label = |row: &[u32]| {
            count(&symmetry.tally.computed);
            let form = symmetry.form(store, valuation, row, Ties::Broken)?;
            Some(symmetry.with_words(row, form.words))
        };
        let is_exact = symmetry.method == Method::CanonicalMarkers;
        let first = self.markers.first_met(marker, row, is_exact.then_some(&mut label))?;
        (first != row).then(|| first.to_vec())
    }
}
