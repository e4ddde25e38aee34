//! Messages about a model as the editor shows them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bsym_language::diagnostic::{self, codes};
use bsym_language::load::Loaded;
use bsym_language::source::{SourceId, Sources, Span};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
};

use super::position::Lines;
use crate::uri;

/// The lines of all files that a model was read from.
pub struct Places<'s> {
    sources: &'s Sources,
    lines: Vec<Lines<'s>>,
}

impl<'s> Places<'s> {
    /// Finds the lines of all files.
    pub fn new(sources: &'s Sources) -> Places<'s> {
        Places { sources, lines: sources.iter().map(|(_, source)| Lines::new(&source.text)).collect() }
    }

    /// The lines of one file.
    pub fn lines(&self, source: SourceId) -> &Lines<'s> {
        &self.lines[source.0 as usize]
    }

    /// The place of a span in its file.
    pub fn range(&self, span: Span) -> Range {
        self.lines(span.source).range(span.start as usize..span.end as usize)
    }

    /// The place of a span with its file.
    pub fn location(&self, span: Span) -> Option<Location> {
        Some(Location::new(uri::of_path(self.sources.path(span))?, self.range(span)))
    }
}

/// The messages about a machine, by the file that each is about; the machine's own file is always among them.
pub fn of_machine(path: &Path, loaded: &Loaded) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let places = Places::new(&loaded.sources);
    let mut out = BTreeMap::from([(path.to_owned(), vec![])]);
    for d in loaded.diagnostics.iter().filter(|d| is_wanted(path, d)) {
        let file = loaded.sources.path(d.span).to_owned();
        out.entry(file).or_insert_with(Vec::new).push(message(&places, d));
    }
    out
}

/// A message about a file that cannot be read at all.
pub fn unreadable(path: &Path, message: String) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let range = Range::new(Position::new(0, 0), Position::new(0, 0));
    let severity = Some(DiagnosticSeverity::ERROR);
    let diagnostic =
        Diagnostic { range, severity, source: Some("bsym".into()), message, ..Diagnostic::default() };
    BTreeMap::from([(path.to_owned(), vec![diagnostic])])
}

// A file of definitions is no machine and need not be one; what was never stored has no name to differ from.
fn is_wanted(path: &Path, d: &diagnostic::Diagnostic) -> bool {
    let is_definitions = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("def"));
    !(d.code == codes::NOT_A_MACHINE && d.span.source == SourceId(0) && is_definitions
        || d.code == codes::NAME_DIFFERS && !path.is_absolute())
}

/// A message in the protocol's form.
pub fn message(places: &Places, d: &diagnostic::Diagnostic) -> Diagnostic {
    let severity = match d.severity {
        diagnostic::Severity::Error => DiagnosticSeverity::ERROR,
        diagnostic::Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let related = d.labels.iter().filter_map(|(span, text)| {
        Some(DiagnosticRelatedInformation { location: places.location(*span)?, message: text.clone() })
    });
    let related: Vec<_> = related.collect();
    let help = d.help.as_ref().map_or(String::new(), |help| format!("\nhelp: {help}"));
    Diagnostic {
        range: places.range(d.span),
        severity: Some(severity),
        code: Some(NumberOrString::String(d.code.to_string())),
        source: Some("bsym".into()),
        message: format!("{}{help}", d.message),
        related_information: Some(related).filter(|list| !list.is_empty()),
        ..Diagnostic::default()
    }
}
