//! The answer of `eval` to one input.

use bsym_language::model::Model;
use bsym_language::source::Span;
use schemars::JsonSchema;
use serde::Serialize;

use super::words::words;
use crate::exit::Exit;
use crate::paint::Paint;

words! {
    /// What an input is, or why it has no value.
    EvaluationKind {
        Expression = "expression",
        Predicate = "predicate",
        IllDefined = "ill-defined",
        Error = "error",
    }
}

/// What bsym eval prints for each input with --json, one object a line
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Evaluation {
    #[schemars(extend("const" = "bsym-eval"))]
    format: &'static str,
    #[schemars(extend("const" = 1))]
    version: u32,
    pub input: String,
    pub kind: EvaluationKind,
    /// The value as B text; `TRUE` or `FALSE` of a predicate.
    pub value: Option<String>,
    pub message: Option<String>,
    #[serde(flatten)]
    pub at: At,
    /// What a script is told.
    #[serde(skip)]
    pub exit: Exit,
}

/// Where a message points to.
#[derive(Default, Serialize, JsonSchema, Clone, Debug)]
pub struct At {
    /// In the input, or in the line of a file of the machine; from 1.
    column: Option<usize>,
    /// The file, where it is a part of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl At {
    /// `inputs` is the first source that is none of the machine.
    pub fn of(model: &Model, inputs: usize, span: Span) -> At {
        if span == Span::default() {
            return At::default();
        }
        let position = model.text.sources.position(span);
        let column = Some(position.column as usize);
        if span.source.0 as usize >= inputs {
            return At { column, ..At::default() };
        }
        At {
            column,
            file: Some(model.text.sources.path(span).display().to_string()),
            line: Some(position.line),
        }
    }

    fn text(&self) -> String {
        match (&self.file, self.line, self.column) {
            (Some(file), Some(line), Some(column)) => format!(" ({file}:{line}:{column})"),
            (_, _, Some(column)) => format!(" (column {column})"),
            _ => String::new(),
        }
    }
}

impl Evaluation {
    /// An input that has a value.
    pub fn value(input: &str, kind: EvaluationKind, value: String) -> Evaluation {
        Evaluation { value: Some(value), ..Evaluation::new(input, kind, Exit::Done) }
    }

    /// An input that has none.
    pub fn failed(input: &str, kind: EvaluationKind, message: String, at: At, exit: Exit) -> Evaluation {
        Evaluation { message: Some(message), at, ..Evaluation::new(input, kind, exit) }
    }

    fn new(input: &str, kind: EvaluationKind, exit: Exit) -> Evaluation {
        let (format, input) = ("bsym-eval", input.to_string());
        Evaluation { format, version: 1, input, kind, value: None, message: None, at: At::default(), exit }
    }

    /// For people, one line.
    pub fn text(&self, paint: Paint) -> String {
        let word = self.kind.word();
        let head = match self.kind {
            EvaluationKind::IllDefined => paint.bad(word),
            EvaluationKind::Error => paint.doubt(word),
            EvaluationKind::Expression | EvaluationKind::Predicate => {
                return format!("{}\n", self.value.as_deref().unwrap_or_default());
            }
        };
        format!("{head}: {}{}\n", self.message.as_deref().unwrap_or_default(), self.at.text())
    }
}
