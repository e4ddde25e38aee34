//! Event-B's mathematical language: predicates, expressions and assignments of one line.
//!
//! Operators bind by groups (Métayer and Voisin, *The Event-B Mathematical Language*, 2009): from loose to
//! tight `⇒ ⇔`, `∧ ∨`, `¬`, comparisons, `↦`, `⦂`, arrows, set operators, `‥`, `+ −`, `∗ ÷ mod`, `^`,
//! application and inverse. Inside the group of set operators we read from left to right and accept more
//! than Rodin does; where Rodin demands parentheses between `∧` and `∨` or between implications, so do we.

mod parser;
mod symbols;
mod tokens;

use crate::ast::{Expr, Ident};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::eventb::project::ActionKind;
use parser::Parser;
pub use parser::{Fixity, Names};
use tokens::tokens;
pub use tokens::{NameFault, Text, name_fault};

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

/// Returns a name that is declared, if formulas can use it.
///
/// # Errors
/// It is a reserved word, or has characters that no name has.
pub fn declared(name: Ident) -> Result<Ident, Diagnostic> {
    match name_fault(&name.name) {
        None => Ok(name),
        Some(NameFault::Reserved) => {
            let message = format!("`{}` is a word of Event-B and cannot be declared", name.name);
            Err(Diagnostic::error(codes::KEYWORD_AS_NAME, name.span, message))
        }
        Some(NameFault::Form) => {
            let message = format!("`{}` is no name: formulas cannot use it", name.name);
            Err(Diagnostic::error(codes::MALFORMED_NAME, name.span, message)
                .help("a name consists of letters, digits and `_`, and begins with no digit"))
        }
    }
}

#[cfg(test)]
mod tests;
