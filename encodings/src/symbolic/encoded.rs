//! Results of the encoder: a value or a predicate with the condition under which it has a meaning.

use super::Symbolic;
use crate::term::Term;

/// An expression's value, and when it has one.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The value; arbitrary where it is not defined.
    pub value: Symbolic,
    /// The evaluation is well-defined.
    pub defined: Term,
}

/// A predicate over one state.
#[derive(Clone, Debug)]
pub struct StatePredicate {
    /// The predicate; arbitrary where it is ill-defined.
    pub holds: Term,
    /// It has a meaning (left to right inside the predicate).
    pub defined: Term,
}
