//! Infix operators among the tokens, and forms that can only be predicates.

pub(super) use crate::ast::precedence::{COMPARISON, FORMULA, IN_PARENTHESES, OPERAND, POWER};
use crate::ast::{BinaryOp, Constant, Expr, ExprKind, Quantifier, UnaryOp};
use crate::classical::lexer::TokenKind;

/// An infix operator as a token spells it.
#[derive(Clone, Copy)]
pub(super) struct Infix {
    pub op: BinaryOp,
    pub level: u8,
    /// The token names the converse of `op`.
    pub reversed: bool,
}

/// Returns the infix operator of a token.
pub(super) fn infix(kind: TokenKind) -> Option<Infix> {
    let (op, reversed) = match kind {
        TokenKind::Infix(op) => (op, false),
        TokenKind::Reversed(op) => (op, true),
        TokenKind::Semicolon => (BinaryOp::Composition, false),
        TokenKind::Parallel => (BinaryOp::ParallelProduct, false),
        TokenKind::Equal => (BinaryOp::Equal, false),
        TokenKind::Colon => (BinaryOp::Member, false),
        TokenKind::Minus => (BinaryOp::Minus, false),
        _ => return None,
    };
    Some(Infix { op, level: op.level(), reversed })
}

/// Returns whether a long chain may be grouped at will: the operator is associative, and well-definedness, which goes
/// from left to right, does not depend on the grouping.
pub(super) fn is_associative(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, And | Or | Plus | Union | Intersection | Concat | Composition)
}

/// Returns whether the form of an expression shows that it is a predicate.
pub(crate) fn is_predicate(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(op, ..) => op.level() > IN_PARENTHESES && op.level() <= COMPARISON,
        ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Substituted(..) | ExprKind::Labelled(..) => true,
        ExprKind::Quantified(Quantifier::Forall | Quantifier::Exists, ..) => true,
        ExprKind::Constant(Constant::Btrue | Constant::Bfalse) => true,
        ExprKind::Described(inner, _) => is_predicate(inner),
        _ => false,
    }
}
