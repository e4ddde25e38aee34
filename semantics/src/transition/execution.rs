//! Executions of a substitution: their writes, their choices and how they end.

use std::collections::BTreeMap;

use bsym_language::model::{ChoiceId, Expr, Pred, RefinementId, Subst, Target};
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::value::Value;

/// Values written by assignments.
pub(crate) type Writes = BTreeMap<Target, Value>;

/// Choices in the order in which they were made.
pub(crate) type Choices = Vec<(ChoiceId, Value)>;

/// One way through a substitution.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub writes: Writes,
    pub choices: Choices,
    pub end: End,
}

/// How a path ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Done,
    Disabled { span: Span, why: String },
    IllDefined(EvalError),
    Assert(Span),
    Precondition(Span),
    Refinement(RefinementId),
}

impl Path {
    pub fn new(end: End) -> Path {
        Path { writes: Writes::new(), choices: Vec::new(), end }
    }

    pub fn disabled(span: Span, why: impl Into<String>) -> Path {
        Path::new(End::Disabled { span, why: why.into() })
    }

    pub fn writing(writes: Writes) -> Path {
        Path { writes, choices: Vec::new(), end: End::Done }
    }

    pub fn choosing(mut self, id: ChoiceId, value: Option<Value>) -> Path {
        if let Some(value) = value {
            self.choices.insert(0, (id, value));
        }
        self
    }
}

/// The parts of a `WHILE`.
pub(crate) struct Loop<'l> {
    pub condition: &'l Pred,
    pub body: &'l Subst,
    pub invariant: &'l Pred,
    pub variant: &'l Expr,
    pub at: Span,
}
