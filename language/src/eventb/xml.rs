//! Rodin's XML: elements, attributes, and where the text of an attribute stands.

use roxmltree::{Document, Node, ParsingOptions};

use super::formula::{self, Text};
use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::attributes::unescaped;
use crate::text::source::{SourceId, Span};

/// Rodin's prefix of the names of elements and attributes.
const PREFIX: &str = "org.eventb.core.";

/// Prefix of the theory plug-in.
const THEORY_PREFIX: &str = "org.eventb.theory.core.";

/// Parses a text.
///
/// # Errors
/// The text is not well-formed XML.
pub(super) fn parse(text: &str, source: SourceId) -> Result<Document<'_>, Diagnostic> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: 10_000_000, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|e| {
        let at = e.pos();
        let message = e.to_string();
        // The place is shown in front.
        let message = message.rsplit_once(" at ").map_or(message.as_str(), |(m, _)| m);
        let start = offset(text, at.row, at.col);
        let span = Span { source, start, end: start };
        Diagnostic::error(codes::MALFORMED_XML, span, format!("this is no well-formed XML ({message})"))
            .help("the file is cut off or damaged; copy or export it again")
    })
}

// The parser counts lines by `\n` alone.
fn offset(text: &str, row: u32, column: u32) -> u32 {
    let line = text.split_inclusive('\n').take(row.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let rest = text.get(line..).unwrap_or("");
    let column = rest.char_indices().nth(column.saturating_sub(1) as usize).map_or(rest.len(), |(i, _)| i);
    (line + column) as u32
}

/// Returns the name of an element, without Rodin's prefix.
pub(super) fn tag<'a>(node: Node<'a, '_>) -> &'a str {
    bare(node.tag_name().name()).unwrap_or(node.tag_name().name())
}

fn bare(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX).or_else(|| name.strip_prefix(THEORY_PREFIX))
}

/// Returns the direct child elements.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// An element of a file.
#[derive(Clone, Copy)]
pub(super) struct Element<'a, 'i> {
    pub node: Node<'a, 'i>,
    pub source: SourceId,
}

impl Element<'_, '_> {
    /// Returns the place of its opening, up to the end of its name.
    pub fn span(self) -> Span {
        let start = self.node.range().start;
        let length = 1 + self.node.tag_name().name().len();
        Span { source: self.source, start: start as u32, end: (start + length) as u32 }
    }

    /// Returns the place of the whole element.
    pub fn whole(self) -> Span {
        let range = self.node.range();
        Span { source: self.source, start: range.start as u32, end: range.end as u32 }
    }

    /// Returns the text of an attribute of Rodin's or of the theory plug-in, named without its prefix.
    pub fn text(self, name: &str) -> Option<Text> {
        let found = self.node.attributes().find(|a| bare(a.name()) == Some(name))?;
        let range = found.range_value();
        let raw = self.node.document().input_text().get(range.clone())?;
        let (text, places) = unescaped(raw, range.start as u32);
        Some(Text { text, places, source: self.source })
    }

    /// Returns the text of an attribute that must be there.
    ///
    /// # Errors
    /// It is missing, or there is nothing but white space in it.
    pub fn required(self, name: &str) -> Result<Text, Diagnostic> {
        match self.text(name) {
            Some(text) if !text.text.trim().is_empty() => Ok(text),
            found => {
                let what = if found.is_some() { "is empty" } else { "is missing" };
                let message = format!("the attribute `{name}` of this `{}` {what}", tag(self.node));
                let span = found.map_or(self.span(), |t| t.whole());
                Err(Diagnostic::error(codes::MALFORMED_XML, span, message)
                    .help("open the project in Rodin and write it again"))
            }
        }
    }

    /// Returns a name, without white space around it.
    ///
    /// # Errors
    /// As [`required`](Self::required).
    pub fn name(self, attribute: &str) -> Result<Ident, Diagnostic> {
        let text = self.required(attribute)?;
        Ok(Ident { name: text.text.trim().to_string(), span: text.whole() })
    }

    /// Returns a name that is declared: an identifier of Event-B's mathematical language.
    ///
    /// # Errors
    /// As [`required`](Self::required), or formulas could not use the name.
    pub fn declared(self, attribute: &str) -> Result<Ident, Diagnostic> {
        formula::declared(self.name(attribute)?)
    }

    /// Returns a label, without white space around it.
    pub fn label(self) -> Option<String> {
        self.text("label").map(|t| t.text.trim().to_string()).filter(|l| !l.is_empty())
    }

    /// Returns whether an attribute is `true`.
    pub fn is(self, name: &str) -> bool {
        self.text(name).is_some_and(|t| t.text == "true")
    }
}
