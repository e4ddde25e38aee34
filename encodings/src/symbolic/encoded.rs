//! What comes out of the encoder: a value or a predicate with the condition under which it has a meaning, or why there
//! is no term.

use bsym_language::source::Span;

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

/// A part of the model without a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Which part: `operation foo`, `invariant conjunct 3`, …
    pub part: String,
    /// The construct.
    pub span: Span,
    /// Why, lower case, no full stop.
    pub reason: String,
}
