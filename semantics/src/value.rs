//! Values of B expressions.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::types::CarrierId;
use num_rational::BigRational;

use crate::lazy_set::LazySet;

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
    /// A set whose elements are listed.
    Set(Arc<BTreeSet<Value>>),
    /// A set that is infinite or too large to list. Never equal to a [`Value::Set`] by
    /// construction: what can be listed within the evaluator's limits is listed before it is compared.
    Lazy(Arc<LazySet>),
}

impl Value {
    /// The empty set.
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

    /// The elements of a listed set.
    pub fn as_set(&self) -> Option<&BTreeSet<Value>> {
        match self {
            Value::Set(s) => Some(s),
            _ => None,
        }
    }

    /// The integer.
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// Both sides of a couple.
    pub fn as_pair(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::Pair(p) => Some((&p.0, &p.1)),
            _ => None,
        }
    }
}
