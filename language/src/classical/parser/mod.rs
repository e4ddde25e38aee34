//! Tokens to [`crate::ast`]: recursive descent for sections and substitutions, precedence climbing for formulas (ProB's
//! table). Always yields a tree; text that could not be read is an `Error` node.
//!
//! A function that fails returns `Reported`, the evidence that a diagnostic was given, up to the next place where
//! parsing can continue: the next conjunct, substitution, operation, definition or section. No token is reported twice.

use crate::ast::{Expr, Machine};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::source::{SourceId, Sources};

mod definitions;
mod depth;
mod expr;
mod habits;
mod machine;
mod names;
mod operators;
mod recovery;
mod state;
mod subst;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use operators::is_predicate;
use state::Parser;

/// Reads a machine or a file of definitions.
pub fn parse(sources: &Sources, id: SourceId) -> (Machine, Vec<Diagnostic>) {
    let mut parser = Parser::new(sources, id, names::plain_words);
    let machine = parser.machine();
    (machine, parser.finish())
}

/// Reads a source that holds one predicate.
pub fn parse_predicate(sources: &Sources, id: SourceId) -> (Expr, Vec<Diagnostic>) {
    parse_formula(sources, id)
}

/// Reads a source that holds one expression.
pub fn parse_expression(sources: &Sources, id: SourceId) -> (Expr, Vec<Diagnostic>) {
    let (expr, mut diagnostics) = parse_formula(sources, id);
    if diagnostics.is_empty() && operators::is_predicate(&expr) {
        diagnostics.push(Diagnostic::error(
            codes::EXPECTED_EXPRESSION,
            expr.span,
            "expected an expression, found a predicate",
        ));
    }
    (expr, diagnostics)
}

/// Reads a source that holds one predicate or expression.
pub fn parse_formula(sources: &Sources, id: SourceId) -> (Expr, Vec<Diagnostic>) {
    let mut parser = Parser::new(sources, id, names::plain_words);
    let expr = parser.conjuncts(|p| p.is(crate::classical::lexer::TokenKind::Eof), "the end of the formula");
    (expr, parser.finish())
}
