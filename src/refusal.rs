//! Refusals of wrong input: the reason why a command cannot be carried out, and advice for the user.
//!
//! On its way to the user it is an [`anyhow::Error`], which may get context; [`crate::answer::Answer`] shows it.

use std::fmt;

use bsym_language::diagnostic::{Diagnostic, Severity};
use bsym_language::render;
use bsym_language::source::Sources;

use crate::answer::diagnostic::DiagnosticObject;
use crate::paint::Paint;

/// Why a command cannot be carried out as it was given.
#[derive(Clone, Debug)]
pub struct Refusal {
    message: String,
    /// Advice for the user.
    pub help: Option<String>,
    /// Messages about a model, for programs.
    pub diagnostics: Vec<DiagnosticObject>,
    /// Messages about a model, for people.
    pub excerpts: Vec<String>,
}

impl Refusal {
    /// Makes a refusal from a message: lower case, no full stop.
    pub fn new(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), help: None, diagnostics: vec![], excerpts: vec![] }
    }

    /// Adds advice for the user.
    pub fn help(mut self, help: impl Into<String>) -> Refusal {
        self.help = Some(help.into());
        self
    }

    /// Messages about a model, each with its place.
    pub fn diagnostics(mut self, sources: &Sources, all: &[Diagnostic], paint: Paint) -> Refusal {
        self.diagnostics.extend(all.iter().map(|d| DiagnosticObject::new(sources, d)));
        self.excerpts.extend(all.iter().map(|d| render::render(sources, d, paint.is_on())));
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// Number of errors among messages.
pub fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
}
