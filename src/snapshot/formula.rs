//! Definitions of a model that describe pictures, and what is wrong with them.

use std::fmt;

use bsym_language::diagnostic::Diagnostic;
use bsym_language::load::check_expression;
use bsym_language::model::{ExprKind, Model};
use bsym_language::source::Span;

/// What is wrong with a definition or a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The definition, or the file with the item and formula.
    pub what: String,
    /// File, line and column in the machine.
    pub place: Option<String>,
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.message)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

impl Failure {
    /// Of a definition, with its place in the machine.
    pub fn at(model: &Model, what: &str, span: Span, message: &str) -> Failure {
        Failure { what: what.to_owned(), place: place(model, span), message: message.to_owned() }
    }

    /// Of a definition that is no expression.
    pub fn read(model: &Model, what: &str, diagnostics: &[Diagnostic]) -> Failure {
        match diagnostics.first() {
            Some(first) => Failure::at(model, what, first.span, &first.message),
            None => Failure { what: what.to_owned(), place: None, message: "it is no expression".into() },
        }
    }
}

/// `file:line:column`
fn place(model: &Model, span: Span) -> Option<String> {
    let (file, line, column) = crate::answer::diagnostic::place(&model.text.sources, span);
    Some(format!("{}:{}:{}", file?, line?, column?))
}

/// Names of the definitions without parameters that begin like this and go on with a number, or not at all; sorted.
pub fn names(model: &Model, begin: &str) -> Vec<String> {
    let is_one =
        |name: &str| name.strip_prefix(begin).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    let all = model.definitions.main.iter().filter(|entry| entry.parameters.is_empty());
    let mut found: Vec<String> =
        all.map(|entry| entry.name.name.clone()).filter(|name| is_one(name)).collect();
    found.sort();
    found
}

/// Names of the definitions without parameters that begin like this, whatever follows; sorted.
pub fn beginning(model: &Model, begin: &str) -> Vec<String> {
    let all = model.definitions.main.iter().filter(|entry| entry.parameters.is_empty());
    let mut found: Vec<String> =
        all.map(|entry| entry.name.name.clone()).filter(|name| name.starts_with(begin)).collect();
    found.sort();
    found
}

/// The text of a definition that is a string.
pub fn text_of_definition(model: &mut Model, name: &str) -> Option<String> {
    model.definitions.main.get(name)?;
    match check_expression(model, name).ok()?.kind {
        ExprKind::String(text) => Some(text),
        _ => None,
    }
}
