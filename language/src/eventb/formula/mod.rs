//! Event-B's mathematical language: predicates, expressions and assignments of one line.
//!
//! Operators bind by groups (Métayer and Voisin, *The Event-B Mathematical Language*, 2009): from loose to
//! tight `⇒ ⇔`, `∧ ∨`, `¬`, comparisons, `↦`, `⦂`, arrows, set operators, `‥`, `+ −`, `∗ ÷ mod`, `^`,
//! application and inverse. Inside the group of set operators we read from left to right and accept more
//! than Rodin does; where Rodin demands parentheses between `∧` and `∨` or between implications, so do we.

mod parser;
mod symbols;

use std::collections::BTreeMap;

use crate::ast::Expr;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::eventb::project::ActionKind;
use crate::text::source::{SourceId, Span};
use parser::Parser;
use symbols::Symbol;

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
    /// A text that stands in its file as it is.
    pub fn plain(text: &str, start: u32, source: SourceId) -> Text {
        let places = (0..=text.len() as u32).map(|i| start + i).collect();
        Text { text: text.to_string(), places, source }
    }

    /// The place of a part.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let at = |i: usize| self.places.get(i).or(self.places.last()).copied().unwrap_or(0);
        Span { source: self.source, start: at(start), end: at(end) }
    }

    /// The place of all of it.
    pub fn whole(&self) -> Span {
        self.span(0, self.text.len())
    }
}

/// How an operator of a theory is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixity {
    /// `f(x, y)`, or `c` without arguments
    Prefix,
    /// `x f y`, an expression
    InfixExpression,
    /// `x f y`, a predicate
    InfixPredicate,
}

/// The names that a formula may have.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Names that the model declares: they are names also where they spell a symbol (`NAT`, `or`).
    pub is_declared: &'a dyn Fn(&str) -> bool,
    /// Operators of theories.
    pub operators: &'a BTreeMap<String, Fixity>,
}

/// Reads a predicate or expression that may use operators of theories.
///
/// # Errors
/// The first place that does not fit.
pub fn formula_with(text: &Text, names: &Names<'_>) -> Result<Expr, Diagnostic> {
    let tokens = tokens(text, names.is_declared)?;
    let mut parser = Parser::new(text, tokens, *names);
    let e = parser.formula()?;
    parser.end()?;
    Ok(e)
}

/// Reads an assignment whose formulas may use operators of theories.
///
/// # Errors
/// The first place that does not fit.
pub fn assignment_with(text: &Text, names: &Names<'_>) -> Result<ActionKind, Diagnostic> {
    let tokens = tokens(text, names.is_declared)?;
    let mut parser = Parser::new(text, tokens, *names);
    let action = parser.assignment()?;
    parser.end()?;
    Ok(action)
}

/// Reads a predicate or expression. `is_declared` says which names the model declares: these are names,
/// also where they spell a symbol (`NAT`, `or`).
///
/// # Errors
/// The first place that does not fit.
pub fn formula(text: &Text, is_declared: &dyn Fn(&str) -> bool) -> Result<Expr, Diagnostic> {
    formula_with(text, &Names { is_declared, operators: &BTreeMap::new() })
}

/// Reads an assignment.
///
/// # Errors
/// The first place that does not fit.
pub fn assignment(text: &Text, is_declared: &dyn Fn(&str) -> bool) -> Result<ActionKind, Diagnostic> {
    assignment_with(text, &Names { is_declared, operators: &BTreeMap::new() })
}

#[derive(Clone, PartialEq, Debug)]
enum TokenKind {
    Symbol(Symbol),
    Name(String),
    Number(String),
}

#[derive(Clone, Debug)]
struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

fn tokens(text: &Text, is_declared: &dyn Fn(&str) -> bool) -> Result<Vec<Token>, Diagnostic> {
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

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    c != 'λ' && (c.is_alphanumeric() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests;
