//! Universes: the values that characteristic vectors and tables range over.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use bsym_language::types::Type;
use rustc_hash::FxHashMap;

use super::{Form, Guarded, Set, Symbolic};
use crate::representation::layout::Layout;
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::term::{Op, Term, Terms};

/// Distinct values without symbols.
#[derive(Clone, Debug)]
pub struct Universe {
    values: Rc<[Symbolic]>,
    whole: bool,
    /// Position of each value, by its name; made when it is first asked for.
    places: Rc<OnceCell<FxHashMap<Vec<Term>, usize>>>,
}

/// A universe and two vectors over it.
pub(crate) type Aligned = (Universe, Vec<Term>, Vec<Term>);

impl Universe {
    /// All values of a small finite type.
    pub(crate) fn whole(values: Rc<[Symbolic]>) -> Universe {
        Universe { values, whole: true, places: Rc::default() }
    }

    fn part(values: Vec<Symbolic>) -> Universe {
        Universe { values: values.into(), whole: false, places: Rc::default() }
    }

    fn place_of(&self, name: &[Term]) -> Option<usize> {
        let places = || self.values.iter().enumerate().map(|(i, v)| (v.leaves(), i)).collect();
        self.places.get_or_init(places).get(name).copied()
    }

    /// The values, in the order of vectors and tables.
    pub fn values(&self) -> &[Symbolic] {
        &self.values
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns whether these are all the values of their type.
    pub fn is_whole(&self) -> bool {
        self.whole
    }
}

impl PartialEq for Universe {
    fn eq(&self, other: &Universe) -> bool {
        let same = |(x, y): (&Symbolic, &Symbolic)| x.leaves() == y.leaves();
        self.whole == other.whole
            && (Rc::ptr_eq(&self.values, &other.values)
                || self.len() == other.len() && self.values.iter().zip(other.values()).all(same))
    }
}

impl Eq for Universe {}

/// Position of a value in a universe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    At(usize),
    /// Not among the values of the universe.
    Outside,
    /// It depends on symbols.
    Open,
}

impl Encoder {
    /// All values of a type, if it is small.
    pub(crate) fn whole(&self, ty: &Type) -> Option<Universe> {
        self.elements(ty).map(Universe::whole)
    }

    /// A universe with all values of a layout, if there are not many.
    pub(crate) fn universe(&self, ty: &Type, layout: &Layout) -> Option<Universe> {
        if let Some(whole) = self.whole(ty) {
            return Some(whole);
        }
        let values = self.values_of(ty, layout).filter(|v| !v.is_empty())?;
        Some(Universe::part(values))
    }

    fn values_of(&self, ty: &Type, layout: &Layout) -> Option<Vec<Symbolic>> {
        match (ty, layout) {
            (Type::Int, Layout::Range(low, high))
                if high.checked_sub(*low)? < self.written_out.span as i64 =>
            {
                Some((*low..=*high).map(|n| Symbolic::Atom(self.terms.int(n))).collect())
            }
            (Type::Pair(a, b), Layout::Pair(l, m)) => {
                let (left, right) = (self.values_of(a, l)?, self.values_of(b, m)?);
                (left.len() * right.len() <= self.written_out.span).then(|| {
                    let couples = |x: &Symbolic| -> Vec<Symbolic> {
                        right.iter().map(|y| Symbolic::pair(x.clone(), y.clone())).collect()
                    };
                    left.iter().flat_map(couples).collect()
                })
            }
            _ => self.elements(ty).map(|all| all.to_vec()),
        }
    }

    /// Determines where a value is in a universe of values of its type.
    pub(crate) fn place(&self, x: &Symbolic, universe: &Universe, ty: &Type) -> Place {
        if universe.whole {
            return self.position(x, ty).map_or(Place::Open, Place::At);
        }
        let Some(name) = self.name(x) else { return Place::Open };
        universe.place_of(&name).map_or(Place::Outside, Place::At)
    }

    /// Returns a name that tells a value without symbols and sets from all others of its type.
    fn name(&self, x: &Symbolic) -> Option<Vec<Term>> {
        match x {
            Symbolic::Atom(t) => {
                let literal = matches!(self.terms.node(*t).op, Op::True | Op::False | Op::Constructor(..))
                    || self.terms.as_int(*t).is_some();
                literal.then(|| vec![*t])
            }
            Symbolic::Pair(a, b) => Some([self.name(a)?, self.name(b)?].concat()),
            Symbolic::Record(fields) => {
                let names: Option<Vec<Vec<Term>>> = fields.iter().map(|(_, v)| self.name(v)).collect();
                Some(names?.concat())
            }
            Symbolic::Set(_) => None,
        }
    }

    /// A set over a large type whose possible elements are known, as a characteristic vector.
    pub(crate) fn as_known(&mut self, set: &Set) -> Result<Option<(Universe, Vec<Term>)>, Unsupported> {
        match &set.form {
            Form::Vector(universe, bits) => return Ok(Some((universe.clone(), bits.clone()))),
            Form::List(_) | Form::Interval(Some(_), Some(_)) | Form::Product(..) | Form::Union(..) => {}
            _ => return Ok(None),
        }
        if self.count(&set.element).is_some() {
            return Ok(None);
        }
        let Some(items) = self.candidates(set)? else { return Ok(None) };
        Ok(self.known_items(&items))
    }

    /// Guarded values without symbols as a characteristic vector.
    pub(crate) fn known_items(&self, items: &[Guarded]) -> Option<(Universe, Vec<Term>)> {
        let mut named: Vec<(Vec<Term>, &Symbolic, Vec<Term>)> = vec![];
        let mut places: FxHashMap<Vec<Term>, usize> = FxHashMap::default();
        for (guard, x) in items {
            let name = self.name(x)?;
            match places.entry(name.clone()) {
                Entry::Occupied(at) => named[*at.get()].2.push(*guard),
                Entry::Vacant(free) => {
                    free.insert(named.len());
                    named.push((name, x, vec![*guard]));
                }
            }
        }
        named.sort_by(|a, b| self.order(&a.0, &b.0));
        let values = named.iter().map(|n| n.1.clone()).collect();
        let bits = named.into_iter().map(|n| self.terms.or(n.2)).collect();
        Some((Universe::part(values), bits))
    }

    fn order(&self, a: &[Term], b: &[Term]) -> Ordering {
        let one = |(x, y): (&Term, &Term)| match (self.terms.as_int(*x), self.terms.as_int(*y)) {
            (Some(m), Some(n)) => m.cmp(&n),
            _ => x.cmp(y),
        };
        a.iter().zip(b).map(one).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Two sets over a large type as vectors over one universe, if their possible elements are known.
    pub(crate) fn aligned(&mut self, a: &Set, b: &Set) -> Result<Option<Aligned>, Unsupported> {
        if self.count(&a.element).is_some() {
            return Ok(None);
        }
        let Some((u, x)) = self.as_known(a)? else { return Ok(None) };
        let Some((v, y)) = self.as_known(b)? else { return Ok(None) };
        if u == v {
            return Ok(Some((u, x, y)));
        }
        let all: Vec<Guarded> =
            u.values().iter().chain(v.values()).map(|k| (Terms::TRUE, k.clone())).collect();
        let Some((both, _)) = self.known_items(&all) else { return Ok(None) };
        let spread = |from: &Universe, bits: &[Term]| -> Vec<Term> {
            let at = |k: &Symbolic| match self.place(k, from, &a.element) {
                Place::At(i) => bits[i],
                _ => Terms::FALSE,
            };
            both.values().iter().map(at).collect()
        };
        let (x, y) = (spread(&u, &x), spread(&v, &y));
        Ok(Some((both, x, y)))
    }
}
