//! XML with the places of errors.

use std::path::{Path, PathBuf};

use roxmltree::{Document, Node, ParsingOptions};

use crate::error::PoError;

/// Rodin's prefix of the names of elements and attributes.
const RODIN: &str = "org.eventb.core.";

/// Limit on the nodes of one file; a tree of proofs of 20 MB has a million.
const NODES: u32 = 50_000_000;

/// Parses a text.
///
/// # Errors
/// The text is not well-formed XML; with line and column.
pub fn parse<'a>(place: &Path, text: &'a str) -> Result<Document<'a>, PoError> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|e| {
        let (at, message) = (e.pos(), e.to_string());
        // The place is shown in front.
        let message = message.rsplit_once(" at ").map_or(message.as_str(), |(m, _)| m).to_string();
        let cut = matches!(e, roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream);
        let help =
            if cut { "the file is cut off; copy or export it again" } else { "write it again with its tool" };
        PoError::Tool {
            path: place.to_owned(),
            line: at.row as usize,
            column: at.col as usize,
            message: format!("this is no well-formed XML ({message})"),
            help: help.into(),
        }
    })
}

/// Returns the root, if it is one of these elements.
///
/// # Errors
/// The root is another element.
pub fn root<'a, 'i>(
    place: &Path,
    document: &'a Document<'i>,
    expected: &str,
) -> Result<Node<'a, 'i>, PoError> {
    let root = document.root_element();
    if tag(root) == expected {
        return Ok(root);
    }
    let (line, column) = position(root);
    Err(PoError::Tool {
        path: place.to_owned(),
        line,
        column,
        message: format!("expected the element `{expected}`, found `{}`", tag(root)),
        help: "name a file of the tool itself, or take this one away".into(),
    })
}

/// Returns the name of an element, without Rodin's prefix.
pub fn tag<'a>(node: Node<'a, '_>) -> &'a str {
    let name = node.tag_name().name();
    name.strip_prefix(RODIN).unwrap_or(name)
}

/// Returns the direct children of this name.
pub fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |n| n.is_element() && tag(*n) == name)
}

/// Returns an attribute of Rodin's, named without its prefix.
pub fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|a| a.name().strip_prefix(RODIN) == Some(name)).map(|a| a.value())
}

/// Returns line and column of an element.
pub fn position(node: Node<'_, '_>) -> (usize, usize) {
    let at = node.document().text_pos_at(node.range().start);
    (at.row as usize, at.col as usize)
}

/// Returns `file:line:column` of an element.
pub fn place_of(place: &Path, node: Node<'_, '_>) -> String {
    let (line, column) = position(node);
    format!("{}:{line}:{column}", place.display())
}

/// Creates the error for a mistake at an element.
pub fn mistake(place: &Path, node: Node<'_, '_>, message: impl Into<String>, help: &str) -> PoError {
    let (line, column) = position(node);
    PoError::Tool { path: PathBuf::from(place), line, column, message: message.into(), help: help.into() }
}
