//! Reasons why a part of a model has no term.

use bsym_language::source::Span;

/// A part of the model without a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Which part: `operation foo`, `invariant conjunct 3`, …
    pub part: String,
    /// The construct.
    pub span: Span,
    /// The reason, lower case, no full stop.
    pub reason: String,
}
