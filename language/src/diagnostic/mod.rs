//! Messages about a user's model: the mistake, its place, and the remedy.

pub mod codes;
pub mod guide;
mod nearest;
pub mod render;

pub use codes::{Code, Kind};
pub use nearest::nearest;

use crate::text::files::NotUtf8;
use crate::text::source::Span;

/// Severity of a message: whether a model can be used in spite of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used; something is suspicious or was ignored.
    Warning,
}

/// A change of the text that corrects a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// The text to replace.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// One message with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// Lower case, what was expected and found, no full stop.
    pub message: String,
    /// The place.
    pub span: Span,
    /// Other places, each with a short text.
    pub labels: Vec<(Span, String)>,
    /// Advice for the user.
    pub help: Option<String>,
    /// A change that carries out the help, where that is unambiguous.
    pub fix: Option<Box<Fix>>,
}

impl Diagnostic {
    /// Creates an error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            labels: vec![],
            help: None,
            fix: None,
        }
    }

    /// Creates a warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Adds another place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Asks whether another text was meant at the place of the message.
    pub fn meant(self, near: &str) -> Self {
        self.help(format!("did you mean `{near}`?")).instead(near)
    }

    /// Adds the text that corrects the mistake, as a replacement of the message's place.
    pub fn instead(mut self, text: impl Into<String>) -> Self {
        self.fix = Some(Box::new(Fix { span: self.span, text: text.into() }));
        self
    }

    /// Adds a hint.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

impl From<NotUtf8> for Diagnostic {
    fn from(odd: NotUtf8) -> Diagnostic {
        let message = format!("this file is not UTF-8, it was read as {}", odd.taken_for);
        Diagnostic::warning(codes::NOT_UTF8, odd.span, message).help("store the file as UTF-8")
    }
}
