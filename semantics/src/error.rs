//! Errors of evaluations.

use bsym_language::model::ConstId;
use bsym_language::source::Span;
use serde::{Deserialize, Serialize};

use crate::value::env::Name;
use crate::value::partial::CellId;

/// Error of an evaluation that has no value.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct EvalError {
    /// The kind of failure.
    pub kind: EvalErrorKind,
    /// The expression or predicate.
    pub span: Span,
    /// Description of the failure with the values at hand; lower case, no full stop.
    pub message: String,
    /// The constant that needs a value for the evaluation to succeed.
    pub constant: Option<ConstId>,
    /// The cell of an enclosing search that must be decided first. Always present where the kind is
    /// [`EvalErrorKind::Undecided`], and where a set could perhaps be listed once the cell is decided.
    #[serde(skip)]
    pub(crate) awaits: Option<CellId>,
}

/// The result of an evaluation.
pub type Eval<T> = Result<T, EvalError>;

/// Kinds of failure.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalErrorKind {
    /// The expression has no meaning: `f(x)` outside the domain, division by zero, …
    IllDefined,
    /// A set is infinite or larger than the limit where its elements are needed.
    TooLarge,
    /// The construct is not supported.
    Unsupported,
    /// The evaluation was asked to stop.
    Interrupted,
    /// A solver claims that predicates hold of values that evaluation refutes: a fault of the program.
    Refuted,
    /// The evaluation needs a part of a value that a search has not decided yet. Never leaves the evaluator.
    Undecided,
}

impl EvalError {
    /// Creates the error for an expression without meaning.
    pub fn ill_defined(span: Span, message: impl Into<String>) -> EvalError {
        EvalError {
            kind: EvalErrorKind::IllDefined,
            span,
            message: message.into(),
            constant: None,
            awaits: None,
        }
    }

    /// Creates the error for a set whose elements are needed but cannot be listed.
    pub fn too_large(span: Span, message: impl Into<String>) -> EvalError {
        EvalError {
            kind: EvalErrorKind::TooLarge,
            span,
            message: message.into(),
            constant: None,
            awaits: None,
        }
    }

    /// Creates the error for a false answer of a solver.
    pub fn refuted(span: Span, message: impl Into<String>) -> EvalError {
        EvalError {
            kind: EvalErrorKind::Refuted,
            span,
            message: message.into(),
            constant: None,
            awaits: None,
        }
    }

    /// Creates the error for an evaluation that was asked to stop.
    pub fn interrupted(span: Span) -> EvalError {
        let message = "the evaluation was stopped before it was finished".into();
        EvalError { kind: EvalErrorKind::Interrupted, span, message, constant: None, awaits: None }
    }

    /// Creates the error for a cell that is not decided yet.
    pub(crate) fn undecided(span: Span, cell: CellId) -> EvalError {
        let message = "this part of the value is not decided yet".into();
        EvalError { kind: EvalErrorKind::Undecided, span, message, constant: None, awaits: Some(cell) }
    }

    /// Adds the first constant among these names as the one whose value is missing.
    pub(crate) fn for_want_of(mut self, names: impl IntoIterator<Item = Name>) -> EvalError {
        let constants = names.into_iter().filter_map(|name| match name {
            Name::Const(id) => Some(id),
            _ => None,
        });
        self.constant = constants.min_by_key(|id| id.0);
        self
    }

    /// Creates the error for an unsupported construct.
    pub fn unsupported(span: Span, message: impl Into<String>) -> EvalError {
        EvalError {
            kind: EvalErrorKind::Unsupported,
            span,
            message: message.into(),
            constant: None,
            awaits: None,
        }
    }
}
