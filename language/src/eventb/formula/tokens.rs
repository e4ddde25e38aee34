//! Tokens of a formula, and where its text stands in the file.

use super::symbols::{self, Symbol};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::source::{SourceId, Span};

/// The text of a formula and where its characters stand in the file.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text as it is meant.
    pub text: String,
    /// For each byte of it, and the end, the place in the file.
    pub places: Vec<u32>,
    /// The file.
    pub source: SourceId,
}

impl Text {
    /// Returns the place of a part.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let at = |i: usize| self.places.get(i).or(self.places.last()).copied().unwrap_or(0);
        Span { source: self.source, start: at(start), end: at(end) }
    }

    /// Returns the place of the whole text.
    pub fn whole(&self) -> Span {
        self.span(0, self.text.len())
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TokenKind {
    Symbol(Symbol),
    Name(String),
    Number(String),
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

pub(super) fn tokens(text: &Text, is_declared: &dyn Fn(&str) -> bool) -> Result<Vec<Token>, Diagnostic> {
    let all = text.text.as_str();
    let mut found = vec![];
    let mut at = 0;
    while let Some(c) = all[at..].chars().next() {
        let rest = &all[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (kind, length) = if c.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            (TokenKind::Number(rest[..length].to_string()), length)
        } else if let Some((symbol, length)) = symbols::symbol(rest) {
            (TokenKind::Symbol(symbol), length)
        } else if is_name_start(c) {
            let mut length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            let primes = rest[length..].chars().take_while(|c| matches!(c, '\'' | '\u{2032}')).count();
            let mut name = rest[..length].to_string();
            length = rest.char_indices().nth(name.chars().count() + primes).map_or(rest.len(), |(i, _)| i);
            name.push_str(&"'".repeat(primes));
            let symbol =
                symbols::reserved(&name).or_else(|| symbols::typed(&name).filter(|_| !is_declared(&name)));
            (symbol.map_or(TokenKind::Name(name), TokenKind::Symbol), length)
        } else {
            let span = text.span(at, at + c.len_utf8());
            let message = format!("`{c}` begins no symbol of Event-B");
            return Err(Diagnostic::error(codes::UNEXPECTED_CHARACTER, span, message));
        };
        found.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    Ok(found)
}

/// Reasons why a name cannot be declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameFault {
    /// A word of the language.
    Reserved,
    /// It has characters that no name has.
    Form,
}

/// Returns why formulas could not use a name.
pub fn name_fault(name: &str) -> Option<NameFault> {
    if symbols::reserved(name).is_some() {
        return Some(NameFault::Reserved);
    }
    let mut chars = name.chars();
    let well_formed = chars.next().is_some_and(is_name_start) && chars.all(is_name_part);
    (!well_formed).then_some(NameFault::Form)
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    c != 'λ' && (c.is_alphanumeric() || c == '_' || c == '$')
}
