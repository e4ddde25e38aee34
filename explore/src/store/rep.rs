//! Representation of the values of a type as one 32-bit word.
//!
//! The type alone says how to read a word. Types with few values are numbered; a set over up to 128
//! numbered values is a set of bits; everything else is interned in a [`Store`](crate::store::interner::Store), so
//! that two words of one type are equal exactly if the values are.

use std::sync::Arc;

use bsym_language::model::Model;
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::scope::Scope;

use crate::tuning::Tuning;

/// Sets over at most this many numbered values are bits.
pub const BITS: u32 = 128;

/// The representation of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rep {
    /// 0 or 1.
    Bool,
    /// The element's position, below the carrier's size.
    Element(CarrierId, u32),
    /// The integer itself, or interned if it is large.
    Int,
    /// A couple; with the number of values if it is numbered.
    Pair(Arc<Rep>, Arc<Rep>, Option<u32>),
    /// A set of this many bits over numbered values; inline up to 32 bits.
    Bits(Arc<Rep>, u32),
    /// An interned sorted list of words.
    Set(Arc<Rep>),
    /// An interned sorted list of couples of words.
    Relation(Arc<Rep>, Arc<Rep>),
    /// An interned list of words, sorted by label.
    Record(Arc<[(Arc<str>, Arc<Rep>)]>),
    /// An interned value of the reference semantics.
    Opaque,
}

impl Rep {
    /// The representation of a type in a scope.
    pub fn of(ty: &Type, model: &Model, scope: &Scope) -> Rep {
        let of = |ty: &Type| Arc::new(Rep::of(ty, model, scope));
        match ty {
            Type::Bool => Rep::Bool,
            Type::Int => Rep::Int,
            Type::Carrier(c) if c.index() >= model.types.carriers.len() => Rep::Opaque,
            Type::Carrier(c) => match scope.positions(model, *c) {
                Some(all) => Rep::Element(*c, all.end),
                None => Rep::Opaque,
            },
            Type::Pair(a, b) => Rep::pair(of(a), of(b)),
            Type::Pow(e) => Rep::set(of(e)),
            Type::Record(fields) => {
                Rep::Record(fields.iter().map(|(l, t)| (Arc::from(l.as_str()), of(t))).collect())
            }
            Type::Real | Type::String | Type::Free(..) | Type::Parameter(_) => Rep::Opaque,
        }
    }

    /// The representation of couples.
    pub fn pair(a: Arc<Rep>, b: Arc<Rep>) -> Rep {
        let count = match (a.count(), b.count()) {
            (Some(n), Some(m)) => {
                Some(u64::from(n) * u64::from(m)).filter(|n| *n <= Tuning::DEFAULT.store.numbered)
            }
            _ => None,
        };
        Rep::Pair(a, b, count.map(|n| n as u32))
    }

    /// The representation of sets.
    pub fn set(element: Arc<Rep>) -> Rep {
        match (element.count(), &*element) {
            (Some(n), _) if n <= BITS => Rep::Bits(element, n),
            (_, Rep::Pair(a, b, _)) => Rep::Relation(a.clone(), b.clone()),
            _ => Rep::Set(element),
        }
    }

    /// Number of values, if they are numbered from 0.
    pub fn count(&self) -> Option<u32> {
        match self {
            Rep::Bool => Some(2),
            Rep::Element(_, n) => Some(*n).filter(|n| u64::from(*n) <= Tuning::DEFAULT.store.numbered),
            Rep::Pair(_, _, count) => *count,
            Rep::Bits(_, n) if *n < 16 => Some(1 << n),
            _ => None,
        }
    }

    /// Returns whether a value has the same word in every store. So does an integer, unless it is large.
    pub fn is_fixed(&self) -> bool {
        match self {
            Rep::Bool | Rep::Element(..) | Rep::Pair(_, _, Some(_)) => true,
            Rep::Bits(_, n) => *n <= 32,
            _ => false,
        }
    }

    /// Returns whether the words of its values mean the same whatever is interned or forgotten.
    pub fn is_plain(&self) -> bool {
        self.is_fixed() || matches!(self, Rep::Int | Rep::Opaque)
    }

    /// Returns whether its values are sets that are lists.
    pub fn is_set_list(&self) -> bool {
        matches!(self, Rep::Set(_) | Rep::Relation(..))
    }

    /// Returns whether its values are interned lists: sets, or records.
    pub fn is_list(&self) -> bool {
        !self.is_plain() && !matches!(self, Rep::Pair(..))
    }

    /// Representation of a set's elements.
    pub fn element(&self) -> Option<Arc<Rep>> {
        match self {
            Rep::Bits(e, _) | Rep::Set(e) => Some(e.clone()),
            Rep::Relation(a, b) => Some(Arc::new(Rep::pair(a.clone(), b.clone()))),
            _ => None,
        }
    }

    /// For a relation of bits, the number of bits, and how many belong to each point.
    #[inline]
    pub fn bit_rows(&self) -> Option<(u32, u32)> {
        match self {
            Rep::Bits(e, n) => match &**e {
                Rep::Pair(_, b, Some(_)) => Some((*n, b.count()?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Both sides of the couples in a relation.
    pub fn sides(&self) -> Option<(Arc<Rep>, Arc<Rep>)> {
        match self {
            Rep::Relation(a, b) => Some((a.clone(), b.clone())),
            Rep::Bits(e, _) => match &**e {
                Rep::Pair(a, b, _) => Some((a.clone(), b.clone())),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The positions of the bits that are set, ascending.
#[inline]
pub fn ones(mut bits: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(at)
    })
}
