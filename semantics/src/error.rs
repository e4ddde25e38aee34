//! Why an evaluation has no value.

use bsym_language::model::ConstId;
use bsym_language::source::Span;
use serde::{Deserialize, Serialize};

use crate::value::env::Name;
use crate::value::partial::CellId;

/// An evaluation without a value.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct EvalError {
    /// What kind of failure it is.
    pub kind: EvalErrorKind,
    /// The expression or predicate.
    pub span: Span,
    /// What happened, with the values at hand; lower case, no full stop.
    pub message: String,
    /// The constant that would have to be given for there to be a value.
    pub constant: Option<ConstId>,
    /// The cell of a search around the evaluation that has to be decided before there can be a value: always where the
    /// kind is [`EvalErrorKind::Undecided`], and where a set could perhaps be listed once it is decided.
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
    /// A solver says that predicates hold of values, and evaluation that they do not: a fault of the program.
    Refuted,
    /// It asks for a part of a value that a search has not decided yet. Never leaves the evaluator.
    Undecided,
}

impl EvalError {
    /// The expression has no meaning.
    pub fn ill_defined(span: Span, message: impl Into<String>) -> EvalError {
        EvalError {
            kind: EvalErrorKind::IllDefined,
            span,
            message: message.into(),
            constant: None,
            awaits: None,
        }
    }

    /// Elements would have to be listed that cannot.
    pub fn too_large(span: Span, message: impl Into<String>) -> EvalError {
        EvalError {
            kind: EvalErrorKind::TooLarge,
            span,
            message: message.into(),
            constant: None,
            awaits: None,
        }
    }

    /// A solver's answer is false.
    pub fn refuted(span: Span, message: impl Into<String>) -> EvalError {
        EvalError {
            kind: EvalErrorKind::Refuted,
            span,
            message: message.into(),
            constant: None,
            awaits: None,
        }
    }

    /// Asked to stop.
    pub fn interrupted(span: Span) -> EvalError {
        let message = "the evaluation was stopped before it was finished".into();
        EvalError { kind: EvalErrorKind::Interrupted, span, message, constant: None, awaits: None }
    }

    /// The cell is not decided yet.
    pub(crate) fn undecided(span: Span, cell: CellId) -> EvalError {
        let message = "this part of the value is not decided yet".into();
        EvalError { kind: EvalErrorKind::Undecided, span, message, constant: None, awaits: Some(cell) }
    }

    /// The same, for want of a value of one of these names.
    pub(crate) fn for_want_of(mut self, names: impl IntoIterator<Item = Name>) -> EvalError {
        let constants = names.into_iter().filter_map(|name| match name {
            Name::Const(id) => Some(id),
            _ => None,
        });
        self.constant = constants.min_by_key(|id| id.0);
        self
    }

    /// Not supported.
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
