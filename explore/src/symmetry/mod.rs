//! Symmetry reduction: of the states that differ in the roles of interchangeable elements only, one is searched.
//!
//! A permutation of elements that nothing tells apart takes states to states, steps to steps and keeps every property
//! (Leuschel, Butler, Spermann, Turner, *Symmetry Reduction for B by Permutation Flooding*, B 2007, theorem 1). So a
//! successor may be replaced by any state that a permutation makes of it, and of a whole orbit one state is enough: the one
//! that [`Orbits::stand_in`] gives. That it is a permutation of the successor is all that a proof rests on; that it is the same one for
//! the whole orbit makes the search small. Traces are walked again from the beginning, by steps to states that the stored
//! ones stand for, so that they are traces of the model.
//!
//! - [`atoms`]: the elements that may change places, and permutations of them
//! - [`shape`], [`value`]: where they stand in words, and in values
//! - [`refine`]: cells of atoms that stand in the same places
//! - [`canonical`]: the least state that permutations make of one
//! - [`group`]: the permutations that keep the constants
//! - [`markers`]: what is the same for a whole orbit, and perhaps for others
//! - `checked`: the same, held against the reference semantics
//! - `tables`: the same under few permutations
//! - [`prepare`]: what is to be reduced in a model

pub mod atoms;
pub mod canonical;
mod checked;
pub mod group;
pub mod markers;
pub mod prepare;
pub mod refine;
pub mod shape;
mod tables;
pub mod value;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use atoms::{Atoms, Images, inverse, then};
use canonical::{Form, Ties};
use group::Group;
use markers::Markers;
use refine::Item;
use shape::Shape;
use tables::{Least, Tables};

use crate::store::interner::Store;

/// Most answers that are remembered.
const REMEMBERED: usize = 1 << 16;

/// How one state of an orbit is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// The least state of the orbit, by individualisation and refinement.
    #[default]
    Canonical,
    /// The least one, by looking at all permutations once: permutation flooding.
    Flood,
    /// The one met first of those with the same marker. Exact only where atoms stand alone, otherwise states may be lost.
    Markers,
    /// The one met first: states with the same marker are told apart by the least one of their orbits.
    CanonicalMarkers,
    /// One by refinement where ties are broken in any way: quick, and sometimes several of an orbit (Gibson-Robinson and
    /// Lowe, *Symmetry reduction in CSP model checking*, STTT 2019, section 7).
    Representatives,
}

impl Method {
    /// Its name.
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

/// What is the same for all threads of a search.
#[derive(Debug)]
pub struct Symmetry {
    /// How states are chosen.
    pub method: Method,
    /// The elements that may change places.
    pub atoms: Arc<Atoms>,
    /// The variables in which they stand.
    pub shapes: Vec<(usize, Shape)>,
    /// Groups of permutations, each once.
    pub groups: Vec<Group>,
    /// For each valuation of the constants the number of the group that keeps it.
    pub of_valuation: Vec<u32>,
    /// What was done.
    pub tally: Tally,
}

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

/// Counts of a reduction, by all threads.
#[derive(Debug, Default)]
pub struct Tally {
    /// States whose stand-in was computed.
    pub computed: AtomicU64,
    /// Of these: so many permutations were to be compared that the search was given up; others of the orbit may have another
    /// stand-in.
    pub given_up: AtomicU64,
    /// States that stand for themselves, because a value is not listed.
    pub unlisted: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Symmetry {
    /// Whether every state of an orbit has the same stand-in, and no other state has: unless computing it is given up.
    pub fn is_exact(&self) -> bool {
        let flat = || self.shapes.iter().all(|(_, shape)| shape.is_flat());
        self.groups.iter().all(|group| group.is_whole)
            && match self.method {
                Method::Flood | Method::Canonical | Method::CanonicalMarkers => true,
                Method::Markers | Method::Representatives => flat() && !self.has_others(),
            }
    }

    /// Whether a state may stand for one of another orbit.
    pub fn is_approximate(&self) -> bool {
        self.method == Method::Markers && !self.is_plain()
    }

    /// Whether it depends on the states met before which one stands for others.
    pub fn is_stateful(&self) -> bool {
        matches!(self.method, Method::Markers | Method::CanonicalMarkers) && !self.is_plain()
    }

    /// Whether refinement alone leads to the least form.
    fn is_plain(&self) -> bool {
        !self.has_others() && self.shapes.iter().all(|(_, shape)| shape.is_flat())
    }

    /// The permutations that keep a valuation.
    pub fn group(&self, valuation: usize) -> &Group {
        &self.groups[self.of_valuation[valuation] as usize]
    }

    /// A permutation that leads from one row to another one of the same orbit.
    fn images(&self, store: &mut Store, valuation: usize, from: &[u32], to: &[u32]) -> Option<Images> {
        let group = self.group(valuation);
        let (here, _) = group.form(store, &items(self, from), Ties::Broken)?;
        let (there, _) = group.form(store, &items(self, to), Ties::Broken)?;
        (here.words == there.words).then(|| then(&here.images, &inverse(&there.images)))
    }

    fn has_others(&self) -> bool {
        self.groups.iter().any(|group| group.others.len() > 1)
    }
}

impl Orbits {
    /// Finds stand-ins, and has met no state so far.
    pub fn new(symmetry: Arc<Symmetry>) -> Orbits {
        Orbits {
            symmetry,
            known: FxHashMap::default(),
            key: Vec::new(),
            tables: Tables::default(),
            markers: Markers::default(),
        }
    }

    /// What it goes by.
    pub fn symmetry(&self) -> &Arc<Symmetry> {
        &self.symmetry
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let entry = 2 * (4 * self.symmetry.shapes.len() + 24);
        self.known.len() * entry + self.tables.bytes() + self.markers.bytes()
    }

    /// The row of the state that stands for that of a row, which has a word for each variable; `None` where it stands for itself.
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
        let mut stand_in = row.to_vec();
        symmetry.shapes.iter().zip(words).for_each(|((at, _), word)| stand_in[*at] = *word);
        Some(stand_in)
    }

    /// Remembers the stand-in of a row; `None` where the search is stopped.
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
        let form = self.form(store, symmetry.group(valuation), &items(&symmetry, row), &key, stop);
        if stop() {
            return None;
        }
        if self.known.len() >= REMEMBERED && symmetry.method != Method::Flood {
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
        tables.small(number, &symmetry.groups[number as usize])?;
        count(&symmetry.tally.computed);
        let mut stand_in = row.to_vec();
        match tables.least(store, number, &symmetry.shapes, row) {
            Least::Unlisted => count(&symmetry.tally.unlisted),
            Least::By(by) => {
                for (at, _) in &symmetry.shapes {
                    stand_in[*at] = tables.word(number, by, *at, row[*at]);
                }
            }
        }
        Some(stand_in)
    }

    /// Whether two rows are states of one orbit.
    pub fn are_alike(&self, store: &mut Store, valuation: usize, a: &[u32], b: &[u32]) -> bool {
        if a == b {
            return true;
        }
        let symmetry = &self.symmetry;
        let is_atomless = |at: &usize| symmetry.shapes.iter().all(|(with, _)| with != at);
        if symmetry.is_approximate() || (0..a.len()).filter(is_atomless).any(|at| a[at] != b[at]) {
            return false;
        }
        let mut least = |row: &[u32]| {
            let form = symmetry.group(valuation).form(store, &items(symmetry, row), Ties::Broken);
            form.map(|(form, _)| form.words)
        };
        least(a).is_some_and(|form| least(b) == Some(form))
    }

    fn form(
        &mut self,
        store: &mut Store,
        group: &Group,
        items: &[Item<'_>],
        key: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Option<Form> {
        let ties = match self.symmetry.method {
            Method::Flood => return self.flood(store, group, items, key, stop),
            Method::Representatives => Ties::Arbitrary,
            Method::Canonical | Method::Markers | Method::CanonicalMarkers => Ties::Broken,
        };
        let (form, is_least) = group.form(store, items, ties)?;
        if !is_least {
            count(&self.symmetry.tally.given_up);
        }
        Some(form)
    }

    /// The least form by all permutations, which is remembered for all of them.
    fn flood(
        &mut self,
        store: &mut Store,
        group: &Group,
        items: &[Item<'_>],
        key: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Option<Form> {
        let mut forms: Vec<Option<Form>> = Vec::new();
        group.each(&mut |images| {
            // What is not computed any more makes none of them the least.
            let form = if stop() { None } else { Form::of(store, items, images) };
            forms.push(form);
        });
        let forms = forms.into_iter().collect::<Option<Vec<Form>>>()?;
        let least = forms.iter().min_by_key(|form| form.digests())?.clone();
        for form in forms {
            let words: Box<[u32]> = form.words.into_iter().chain(key.last().copied()).collect();
            self.known.insert(words, least.words.clone().into_boxed_slice());
        }
        Some(least)
    }

    /// The row that was met first of those with the same marker, or of those that the same form tells apart among them.
    fn first_met(&mut self, store: &mut Store, valuation: usize, row: &[u32]) -> Option<Vec<u32>> {
        let symmetry = self.symmetry.clone();
        let group = symmetry.group(valuation);
        let Some(marker) = markers::marker(store, &symmetry, group, row) else {
            count(&symmetry.tally.unlisted);
            return None;
        };
        let mut label = |row: &[u32]| {
            let items = items(&symmetry, row);
            count(&symmetry.tally.computed);
            let (form, is_least) = group.form(store, &items, Ties::Broken)?;
            if !is_least {
                count(&symmetry.tally.given_up);
            }
            let mut label = row.to_vec();
            symmetry.shapes.iter().zip(form.words).for_each(|((at, _), word)| label[*at] = word);
            Some(label)
        };
        let is_exact = symmetry.method == Method::CanonicalMarkers;
        let first = self.markers.first_met(marker, row, is_exact.then_some(&mut label))?;
        (first != row).then(|| first.to_vec())
    }
}

/// The values with atoms in a row.
fn items<'s>(symmetry: &'s Symmetry, row: &[u32]) -> Vec<Item<'s>> {
    symmetry.shapes.iter().map(|(at, shape)| (shape, row[*at])).collect()
}
