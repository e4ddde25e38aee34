//! What is to be said of places in the text of a model.

use bsym_encodings::system::Unsupported;
use bsym_language::diagnostic::{Diagnostic, Kind, Severity};
use bsym_language::source::{Sources, Span};
use schemars::JsonSchema;
use serde::Serialize;

use super::words::words;

words! {
    /// The stage that a message is of.
    DiagnosticKind {
        Parse = "parse",
        Scope = "scope",
        Type = "type",
        Structure = "structure",
    }
}

words! {
    /// Whether there is a model in spite of it.
    SeverityWord {
        Error = "error",
        Warning = "warning",
    }
}

/// A message about the model.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct DiagnosticObject {
    pub kind: DiagnosticKind,
    #[schemars(regex(pattern = "^B[0-9]{4}$"))]
    pub code: String,
    pub severity: SeverityWord,
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// Where the place ends.
    pub end_line: u32,
    /// The column behind its last character.
    pub end_column: u32,
    pub message: String,
    pub help: Option<String>,
}

impl DiagnosticObject {
    /// A message for JSON.
    pub fn new(sources: &Sources, diagnostic: &Diagnostic) -> DiagnosticObject {
        let (file, line, column) = place(sources, diagnostic.span);
        let (end_line, end_column) = end(sources, diagnostic.span);
        DiagnosticObject {
            kind: match diagnostic.code.kind {
                Kind::Parse => DiagnosticKind::Parse,
                Kind::Scope => DiagnosticKind::Scope,
                Kind::Type => DiagnosticKind::Type,
                Kind::Structure => DiagnosticKind::Structure,
            },
            code: diagnostic.code.to_string(),
            severity: match diagnostic.severity {
                Severity::Error => SeverityWord::Error,
                Severity::Warning => SeverityWord::Warning,
            },
            file: file.unwrap_or_default(),
            line: line.unwrap_or(1),
            column: column.unwrap_or(1),
            end_line: end_line.or(line).unwrap_or(1),
            end_column: end_column.or(column).unwrap_or(1),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

/// A part of the model that could not be encoded or evaluated.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct UnsupportedObject {
    pub part: String,
    pub reason: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl UnsupportedObject {
    /// A part, why, and where it stands.
    pub fn new(sources: &Sources, part: String, reason: String, span: Span) -> UnsupportedObject {
        let (file, line, column) = place(sources, span);
        UnsupportedObject { part, reason, file, line, column }
    }

    /// What an encoding left out.
    pub fn of(sources: &Sources, unsupported: &Unsupported) -> UnsupportedObject {
        let Unsupported { part, reason, span, .. } = unsupported;
        UnsupportedObject::new(sources, part.clone(), reason.clone(), *span)
    }
}

/// File, line and column where a span starts.
pub fn place(sources: &Sources, span: Span) -> (Option<String>, Option<u32>, Option<u32>) {
    if !has(sources, span) {
        return (None, None, None);
    }
    let position = sources.position(span);
    (Some(sources.path(span).display().to_string()), Some(position.line), Some(position.column))
}

/// Line and column behind the last character of a span.
pub fn end(sources: &Sources, span: Span) -> (Option<u32>, Option<u32>) {
    if !has(sources, span) {
        return (None, None);
    }
    let position = sources.end(span);
    (Some(position.line), Some(position.column))
}

fn has(sources: &Sources, span: Span) -> bool {
    (span.source.0 as usize) < sources.iter().count()
}

/// Where something stands, from its first character to behind its last.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct RegionObject {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    /// Behind the last character.
    pub end_column: u32,
}

impl RegionObject {
    /// The place of a span, unless it is empty: what was not written has none.
    pub fn new(sources: &Sources, span: Span) -> Option<RegionObject> {
        if span.start == span.end {
            return None;
        }
        let (Some(file), Some(line), Some(column)) = place(sources, span) else { return None };
        let (end_line, end_column) = end(sources, span);
        Some(RegionObject { file, line, column, end_line: end_line?, end_column: end_column? })
    }
}

/// `FILE:LINE`, where it is known.
pub fn location(file: &Option<String>, line: Option<u32>) -> Option<String> {
    Some(format!("{}:{}", file.as_ref()?, line?))
}
