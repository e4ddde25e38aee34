//! Event-B's mathematical language: predicates, expressions and assignments of one line.
//!
//! Operators bind by groups (Métayer and Voisin, *The Event-B Mathematical Language*, 2009): from loose to
//! tight `⇒ ⇔`, `∧ ∨`, `¬`, comparisons, `↦`, `⦂`, arrows, set operators, `‥`, `+ −`, `∗ ÷ mod`, `^`,
//! application and inverse. Inside the group of set operators we read from left to right and accept more
//! than Rodin does; where Rodin demands parentheses between `∧` and `∨` or between implications, so do we.

mod parser;
mod symbols;
mod tokens;

use crate::ast::Expr;
use crate::diagnostic::Diagnostic;
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

#[cfg(test)]
mod tests;
