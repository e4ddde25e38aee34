//! Values of B expressions: data that is independent of the evaluator.
//!
//! - [`Value`] itself; [`real`]: exact reals
//! - [`lazy_set`]: sets that are described and not listed
//! - [`partial`]: values that a search has decided in part
//! - [`name`] and [`mod@env`]: names and their values
//! - [`text`] and [`parse`]: values written and read as B text

pub mod env;
pub mod lazy_set;
pub mod literal;
pub mod name;
pub mod parse;
pub mod partial;
pub mod real;
pub mod text;

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::types::{CarrierId, FreeTypeId};
use num_rational::BigRational;

use crate::value::lazy_set::LazySet;

/// A value. The order is total and the same on every run; it has no meaning in B.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// `TRUE`, `FALSE`
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real.
    Real(Arc<BigRational>),
    /// A string.
    String(Arc<str>),
    /// An element of an enumerated or deferred set, by position.
    Element(CarrierId, u32),
    /// A couple.
    Pair(Arc<(Value, Value)>),
    /// A record, fields sorted by label.
    Record(Arc<[(Arc<str>, Value)]>),
    /// A value of a free type: the constructor by position, and its argument.
    Free(FreeTypeId, u32, Option<Arc<Value>>),
    /// A set whose elements are listed.
    Set(Arc<BTreeSet<Value>>),
    /// A set that is infinite or too large to list. Never equal to a [`Value::Set`] by construction: a set that can be
    /// listed within the evaluator's limits is listed before it is compared.
    Lazy(Arc<LazySet>),
}

impl Value {
    /// Returns the empty set.
    pub fn empty() -> Value {
        Value::Set(Arc::default())
    }

    /// An integer.
    pub fn int(n: impl Into<Int>) -> Value {
        Value::Int(n.into())
    }

    /// A couple.
    pub fn pair(left: Value, right: Value) -> Value {
        Value::Pair(Arc::new((left, right)))
    }

    /// A listed set.
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Value {
        Value::Set(Arc::new(elements.into_iter().collect()))
    }

    /// Returns the elements of a listed set.
    pub fn as_set(&self) -> Option<&BTreeSet<Value>> {
        match self {
            Value::Set(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the integer.
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// Returns both sides of a couple.
    pub fn as_pair(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::Pair(p) => Some((&p.0, &p.1)),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

impl From<LazySet> for Value {
    fn from(set: LazySet) -> Value {
        Value::Lazy(Arc::new(set))
    }
}

impl Value {
    /// A string.
    pub fn string(text: impl Into<Arc<str>>) -> Value {
        Value::String(text.into())
    }

    /// Creates a sequence: the couples `1 |-> first`, `2 |-> second` and so on.
    pub fn sequence(elements: impl IntoIterator<Item = Value>) -> Value {
        Value::set((1i64..).zip(elements).map(|(i, v)| Value::pair(Value::int(i), v)))
    }

    /// Creates a left-nested couple of one or more values.
    pub fn tuple(values: impl IntoIterator<Item = Value>) -> Option<Value> {
        values.into_iter().reduce(Value::pair)
    }

    /// Returns the components of a left-nested couple of `n` values, `n > 0`.
    pub fn untuple(&self, n: usize) -> Option<Vec<Value>> {
        let mut parts = Vec::with_capacity(n);
        let mut rest = self;
        for _ in 1..n {
            let (left, right) = rest.as_pair()?;
            parts.push(right.clone());
            rest = left;
        }
        parts.push(rest.clone());
        parts.reverse();
        Some(parts)
    }

    /// Returns whether an unlisted set occurs anywhere in the value. Such values cannot be compared by their form.
    pub fn has_lazy(&self) -> bool {
        match self {
            Value::Lazy(_) => true,
            Value::Pair(p) => p.0.has_lazy() || p.1.has_lazy(),
            Value::Record(fields) => fields.iter().any(|(_, v)| v.has_lazy()),
            Value::Free(_, _, argument) => argument.as_ref().is_some_and(|v| v.has_lazy()),
            // All elements are of one type: where one holds no set, none does.
            // Values of a free type differ in what they hold.
            Value::Set(s) => s.first().is_some_and(Value::holds_sets) && s.iter().any(Value::has_lazy),
            _ => false,
        }
    }

    /// Returns whether elements of a carrier may be in the value; `true` for sets that are not listed, where it is not
    /// known.
    pub fn mentions(&self, carrier: CarrierId) -> bool {
        match self {
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::String(_) => false,
            Value::Element(c, _) => *c == carrier,
            Value::Pair(p) => p.0.mentions(carrier) || p.1.mentions(carrier),
            Value::Record(fields) => fields.iter().any(|(_, v)| v.mentions(carrier)),
            Value::Set(s) => s.iter().any(|v| v.mentions(carrier)),
            Value::Free(..) | Value::Lazy(_) => true,
        }
    }

    fn holds_sets(&self) -> bool {
        match self {
            Value::Lazy(_) | Value::Set(_) => true,
            Value::Pair(p) => p.0.holds_sets() || p.1.holds_sets(),
            Value::Record(fields) => fields.iter().any(|(_, v)| v.holds_sets()),
            Value::Free(..) => true,
            _ => false,
        }
    }
}
