//! Values as words, with the places of atoms in them: permuting them, and distinguishing atoms by their places.

use std::sync::Arc;

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::value::Value;

use super::atoms::Atoms;
use super::permutation::Permutation;
use super::tags::{FIELD, LEFT, MEMBER, RIGHT, couple, set};
use super::value;
use crate::store::index::mix;
use crate::store::interner::Store;
use crate::store::rep::{Rep, ones};

/// A representation, with its parts that mention atoms.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    rep: Arc<Rep>,
    kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    /// No atoms.
    Plain,
    /// An atom; the number of the first one of its set.
    Atom(u32),
    Pair(Box<Shape>, Box<Shape>),
    Bits(Box<Shape>),
    Set(Box<Shape>),
    Relation(Box<Shape>, Box<Shape>),
    Record(Vec<Shape>),
    /// A value of the reference semantics.
    Value(Arc<Atoms>),
}

/// Place of atoms in the values of a type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// No atoms.
    Nowhere,
    /// One atom in each value.
    Alone,
    /// Atoms in sets of values with one each, or in several such sets side by side: atoms that stand in the same places
    /// can change places.
    Flat,
    /// Together with others.
    Together,
}

impl Shape {
    /// The shape of a representation.
    pub fn new(rep: &Arc<Rep>, atoms: &Arc<Atoms>) -> Shape {
        let of = |rep: &Arc<Rep>| Shape::new(rep, atoms);
        let kind = match &**rep {
            Rep::Bool | Rep::Int => Kind::Plain,
            Rep::Element(carrier, _) => atoms.first(*carrier).map_or(Kind::Plain, Kind::Atom),
            Rep::Pair(a, b, _) => Kind::Pair(Box::new(of(a)), Box::new(of(b))),
            Rep::Bits(e, _) => Kind::Bits(Box::new(of(e))),
            Rep::Set(e) => Kind::Set(Box::new(of(e))),
            Rep::Relation(a, b) => Kind::Relation(Box::new(of(a)), Box::new(of(b))),
            Rep::Record(fields) => Kind::Record(fields.iter().map(|(_, rep)| of(rep)).collect()),
            Rep::Opaque => Kind::Value(atoms.clone()),
        };
        let parts_are_plain = match &kind {
            Kind::Plain | Kind::Atom(_) | Kind::Value(_) => false,
            Kind::Pair(a, b) | Kind::Relation(a, b) => a.is_plain() && b.is_plain(),
            Kind::Bits(e) | Kind::Set(e) => e.is_plain(),
            Kind::Record(fields) => fields.iter().all(Shape::is_plain),
        };
        Shape { rep: rep.clone(), kind: if parts_are_plain { Kind::Plain } else { kind } }
    }

    /// Returns whether no value mentions an atom.
    pub fn is_plain(&self) -> bool {
        self.kind == Kind::Plain
    }

    /// Returns whether atoms that stand in the same places of a value can change places without changing it.
    pub fn is_flat(&self) -> bool {
        self.place() <= Place::Flat
    }

    /// Returns whether the place of an atom depends on other atoms.
    pub fn sees_others(&self) -> bool {
        match &self.kind {
            Kind::Plain | Kind::Atom(_) => false,
            Kind::Pair(a, b) | Kind::Relation(a, b) => {
                !a.is_plain() && !b.is_plain() || a.sees_others() || b.sees_others()
            }
            Kind::Bits(e) | Kind::Set(e) => e.sees_others(),
            Kind::Record(_) | Kind::Value(_) => true,
        }
    }

    fn place(&self) -> Place {
        let side_by_side = |parts: &mut dyn Iterator<Item = Place>| {
            let places: Vec<Place> = parts.filter(|place| *place != Place::Nowhere).collect();
            match places[..] {
                [] => Place::Nowhere,
                [one] => one,
                // Couples of atoms do no harm as long as they are in no set.
                _ if places.iter().all(|place| *place <= Place::Flat) => Place::Flat,
                _ => Place::Together,
            }
        };
        let set_of = |element: Place| match element {
            Place::Nowhere => Place::Nowhere,
            Place::Alone => Place::Flat,
            Place::Flat | Place::Together => Place::Together,
        };
        match &self.kind {
            Kind::Plain => Place::Nowhere,
            Kind::Atom(_) => Place::Alone,
            Kind::Pair(a, b) => side_by_side(&mut [a, b].into_iter().map(|part| part.place())),
            Kind::Bits(e) | Kind::Set(e) => set_of(e.place()),
            Kind::Relation(a, b) => set_of(side_by_side(&mut [a, b].into_iter().map(|part| part.place()))),
            Kind::Record(fields) => side_by_side(&mut fields.iter().map(Shape::place)),
            Kind::Value(_) => Place::Together,
        }
    }

    /// The word of a value, if it has one.
    pub fn word(&self, store: &mut Store, eval: &Evaluator<'_>, value: &Value) -> Option<u32> {
        store.encode(eval, &self.rep, value)
    }

    /// The word of the value in which other atoms play the roles; `None` if its atoms are unknown.
    pub fn permute(&self, store: &mut Store, word: u32, images: &[u32]) -> Option<u32> {
        Some(match &self.kind {
            Kind::Plain => word,
            Kind::Atom(first) => images[(first + word) as usize] - first,
            Kind::Pair(a, b) => {
                let (left, right) = self.unpair(store, word);
                let (left, right) = (a.permute(store, left, images)?, b.permute(store, right, images)?);
                let Rep::Pair(a, b, numbered) = &*self.rep else { return None };
                store.pair(a, b, numbered.is_some(), left, right)
            }
            Kind::Bits(e) => {
                let n = self.width();
                let mut bits = 0u128;
                for i in ones(store.bits(n, word)) {
                    bits |= 1 << e.permute(store, i, images)?;
                }
                store.bit_set(n, bits)
            }
            Kind::Set(e) => {
                let words: Vec<u32> = store.listed(word)?.iter().collect();
                let words = words.into_iter().map(|word| e.permute(store, word, images));
                let mut words = words.collect::<Option<Vec<u32>>>()?;
                words.sort_unstable();
                store.list(&words)
            }
            Kind::Relation(a, b) => {
                let pairs: Vec<(u32, u32)> = store.listed(word)?.couples().collect();
                let permuted = |(l, r)| Some((a.permute(store, l, images)?, b.permute(store, r, images)?));
                let mut pairs = pairs.into_iter().map(permuted).collect::<Option<Vec<(u32, u32)>>>()?;
                pairs.sort_unstable();
                store.list(&pairs.into_iter().flat_map(|(l, r)| [l, r]).collect::<Vec<u32>>())
            }
            Kind::Record(fields) => {
                let words: Vec<u32> = store.listed(word)?.iter().collect();
                let words = fields.iter().zip(words).map(|(e, word)| e.permute(store, word, images));
                let words = words.collect::<Option<Vec<u32>>>()?;
                store.list(&words)
            }
            Kind::Value(atoms) => {
                let value = Permutation::of_atoms(atoms, images)?.apply(&store.decode(&self.rep, word))?;
                store.value(value)
            }
        })
    }

    /// Hash of a value that does not distinguish atoms of one colour. It does not depend on words.
    pub fn hash(&self, store: &Store, word: u32, colours: &[u32]) -> Option<u64> {
        Some(match &self.kind {
            Kind::Plain => store.digest(&self.rep, word),
            Kind::Atom(first) => mix(7, u64::from(colours[(first + word) as usize])),
            Kind::Pair(a, b) => {
                let (left, right) = self.unpair(store, word);
                couple(a.hash(store, left, colours)?, b.hash(store, right, colours)?)
            }
            Kind::Bits(e) => set(ones(store.bits(self.width(), word)).map(|i| e.hash(store, i, colours)))?,
            Kind::Set(e) => set(store.listed(word)?.iter().map(|word| e.hash(store, word, colours)))?,
            Kind::Relation(a, b) => set(store
                .listed(word)?
                .couples()
                .map(|(l, r)| Some(couple(a.hash(store, l, colours)?, b.hash(store, r, colours)?))))?,
            Kind::Record(fields) => {
                let words = store.listed(word)?;
                fields
                    .iter()
                    .zip(words.iter())
                    .try_fold(FIELD, |hash, (e, word)| Some(mix(hash, e.hash(store, word, colours)?)))?
            }
            Kind::Value(atoms) => value::hash(&store.decode(&self.rep, word), atoms, colours)?,
        })
    }

    /// Adds to the signature of each atom its place in a value, which itself stands at `at`: the ways to it, and the
    /// values next to them.
    pub fn sign(&self, store: &Store, word: u32, at: u64, colours: &[u32], signs: &mut [u64]) -> Option<()> {
        match &self.kind {
            Kind::Plain => {}
            Kind::Atom(first) => {
                let sign = &mut signs[(first + word) as usize];
                *sign = sign.wrapping_add(mix(at, 5));
            }
            Kind::Pair(a, b) => sign_couple((a, b), store, self.unpair(store, word), at, colours, signs)?,
            Kind::Bits(e) => {
                let at = self.inside(store, word, at, colours, e)?;
                for i in ones(store.bits(self.width(), word)) {
                    e.sign(store, i, at, colours, signs)?;
                }
            }
            Kind::Set(e) => {
                let at = self.inside(store, word, at, colours, e)?;
                for word in store.listed(word)?.iter() {
                    e.sign(store, word, at, colours, signs)?;
                }
            }
            Kind::Relation(a, b) => {
                let at = mix(at, MEMBER);
                for couple in store.listed(word)?.couples() {
                    sign_couple((a, b), store, couple, at, colours, signs)?;
                }
            }
            Kind::Record(fields) => {
                let whole = self.hash(store, word, colours)?;
                for ((i, e), word) in (0..).zip(fields).zip(store.listed(word)?.iter()) {
                    e.sign(store, word, mix(mix(at, FIELD + i), whole), colours, signs)?;
                }
            }
            Kind::Value(atoms) => value::sign(&store.decode(&self.rep, word), atoms, at, colours, signs)?,
        }
        Some(())
    }

    /// Writes a value with the cell of each atom in its place: equal for values that differ in atoms of one cell only.
    pub fn spell(&self, store: &Store, word: u32, cells: &[u32], out: &mut Vec<u32>) -> Option<()> {
        let members = |spelled: &mut dyn Iterator<Item = Option<Vec<u32>>>, out: &mut Vec<u32>| {
            let mut spelled = spelled.collect::<Option<Vec<Vec<u32>>>>()?;
            spelled.sort_unstable();
            out.push(spelled.len() as u32);
            out.extend(spelled.into_iter().flatten());
            Some(())
        };
        let part = |shape: &Shape, word: u32| {
            let mut out = Vec::new();
            shape.spell(store, word, cells, &mut out)?;
            Some(out)
        };
        match &self.kind {
            Kind::Plain => out.push(word),
            Kind::Atom(first) => out.push(cells[(first + word) as usize]),
            Kind::Pair(a, b) => {
                let (left, right) = self.unpair(store, word);
                a.spell(store, left, cells, out)?;
                b.spell(store, right, cells, out)?;
            }
            Kind::Bits(e) => members(&mut ones(store.bits(self.width(), word)).map(|i| part(e, i)), out)?,
            Kind::Set(e) => members(&mut store.listed(word)?.iter().map(|word| part(e, word)), out)?,
            Kind::Relation(a, b) => {
                let couple = |(l, r)| Some([part(a, l)?, part(b, r)?].concat());
                members(&mut store.listed(word)?.couples().map(couple), out)?;
            }
            Kind::Record(fields) => {
                for (e, word) in fields.iter().zip(store.listed(word)?.iter()) {
                    e.spell(store, word, cells, out)?;
                }
            }
            Kind::Value(_) => {
                let hash = self.hash(store, word, cells)?;
                out.extend([hash as u32, (hash >> 32) as u32]);
            }
        }
        Some(())
    }

    /// Hash of the place of a set's members. Sets of sets are distinguished by their contents, others by their place.
    fn inside(&self, store: &Store, word: u32, at: u64, colours: &[u32], e: &Shape) -> Option<u64> {
        let nested = !matches!(e.kind, Kind::Atom(_)) && !self.is_flat();
        Some(mix(at, if nested { mix(MEMBER, self.hash(store, word, colours)?) } else { MEMBER }))
    }

    fn unpair(&self, store: &Store, word: u32) -> (u32, u32) {
        match &*self.rep {
            Rep::Pair(a, b, numbered) => store.unpair(a, b, numbered.is_some(), word),
            _ => (word, word),
        }
    }

    fn width(&self) -> u32 {
        match &*self.rep {
            Rep::Bits(_, n) => *n,
            _ => 0,
        }
    }

    /// A digest of a value, with its atoms as they are.
    pub fn digest(&self, store: &Store, word: u32) -> u64 {
        store.digest(&self.rep, word)
    }
}

/// Adds the signs of the atoms in a couple: atoms on one side are told apart by the value on the other side.
fn sign_couple(
    (a, b): (&Shape, &Shape),
    store: &Store,
    (left, right): (u32, u32),
    at: u64,
    colours: &[u32],
    signs: &mut [u64],
) -> Option<()> {
    if !a.is_plain() {
        a.sign(store, left, mix(mix(at, LEFT), b.hash(store, right, colours)?), colours, signs)?;
    }
    if !b.is_plain() {
        b.sign(store, right, mix(mix(at, RIGHT), a.hash(store, left, colours)?), colours, signs)?;
    }
    Some(())
}
