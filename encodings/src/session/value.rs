//! Values in a model, in their one form.

use std::collections::BTreeMap;
use std::rc::Rc;

use bsym_language::int::Int;
use num_rational::BigRational;

use crate::term::Sort;

/// A value in a model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TermValue {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real.
    Real(BigRational),
    /// An element of an enumeration sort, by position.
    Constructor(Sort, u32),
    /// An element of an uninterpreted sort, by the solver's name for it.
    Element(Sort, Rc<str>),
    /// A tuple.
    Tuple(Vec<TermValue>),
    /// An array: a value everywhere except at the listed indices.
    Array {
        /// Value at all other indices.
        default: Box<TermValue>,
        /// Index and value, sorted, no index twice, no value equal to the default.
        entries: Vec<(TermValue, TermValue)>,
    },
    /// A value in a form that is not understood (an array given by a formula), as the solver printed it.
    Opaque(String),
}

/// The array with these stores, the outermost first, over a default. `None` where two indices
/// cannot be told apart because a part of them is not understood.
pub(super) fn array_value(default: TermValue, stores: Vec<(TermValue, TermValue)>) -> Option<TermValue> {
    let mut entries = BTreeMap::new();
    for (index, value) in stores {
        if index.is_opaque() {
            return None;
        }
        entries.entry(index).or_insert(value);
    }
    // Values that are not understood cannot be equal to the default either, as far as we know.
    let entries = entries.into_iter().filter(|(_, v)| *v != default).collect();
    Some(TermValue::Array { default: Box::new(default), entries })
}

impl TermValue {
    /// The array with these entries, the first of an index counting, over a default. `None` where two indices cannot
    /// be told apart.
    pub(crate) fn array(default: TermValue, entries: Vec<(TermValue, TermValue)>) -> Option<TermValue> {
        array_value(default, entries)
    }

    /// Returns whether some part of the value is not understood.
    pub fn is_opaque(&self) -> bool {
        match self {
            TermValue::Opaque(_) => true,
            TermValue::Tuple(parts) => parts.iter().any(TermValue::is_opaque),
            TermValue::Array { default, entries } => {
                default.is_opaque() || entries.iter().any(|(i, v)| i.is_opaque() || v.is_opaque())
            }
            _ => false,
        }
    }
}
