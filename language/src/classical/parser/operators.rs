//! The precedence of infix operators (ProB's grammar; levels as Atelier B numbers them), and which
//! forms can only be predicates.

use crate::ast::{BinaryOp, Constant, Expr, ExprKind, Quantifier, UnaryOp};
use crate::classical::lexer::TokenKind;

/// `;` and `||`, operators in parentheses only.
pub(super) const IN_PARENTHESES: u8 = 20;
/// The loosest operator that may stand anywhere: `=>`.
pub(super) const FORMULA: u8 = 30;
/// `&` and `or`.
pub(super) const CONJUNCTION: u8 = 40;
/// Operand of `&` and `or`, where pragmas belong.
pub(super) const OPERAND: u8 = 50;
/// `=`, `:`, `<`, …
pub(super) const COMPARISON: u8 = 100;
/// `**`, the only operator that associates to the right.
pub(super) const POWER: u8 = 200;

/// An infix operator as a token spells it.
#[derive(Clone, Copy)]
pub(super) struct Infix {
    pub op: BinaryOp,
    pub level: u8,
    /// The token names the converse of `op`.
    pub reversed: bool,
}

/// The infix operator that a token is.
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
    Some(Infix { op, level: level(op), reversed })
}

fn level(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Composition | ParallelProduct => IN_PARENTHESES,
        Implies => FORMULA,
        And | Or => CONJUNCTION,
        Iff => 60,
        Equal | NotEqual | Member | NotMember | Subset | NotSubset | StrictSubset | NotStrictSubset
        | Less | LessEqual | Greater | GreaterEqual => COMPARISON,
        OfType => 120,
        Relation
        | TotalRelation
        | SurjectiveRelation
        | TotalSurjectiveRelation
        | PartialFunction
        | TotalFunction
        | PartialInjection
        | TotalInjection
        | PartialSurjection
        | TotalSurjection
        | PartialBijection
        | TotalBijection => 125,
        Union | Intersection | Maplet | DomainRestriction | DomainSubtraction | RangeRestriction
        | RangeSubtraction | Override | DirectProduct | BackwardComposition | Concat | Prepend | Append
        | Take | Drop => 160,
        Interval => 170,
        Plus | Minus | SetMinus => 180,
        Times | Cartesian | Divide | Mod => 190,
        Power => POWER,
    }
}

/// Whether a long chain may be grouped at will: the operator is associative, and well-definedness,
/// which goes from left to right, does not depend on the grouping.
pub(super) fn is_associative(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, And | Or | Plus | Union | Intersection | Concat | Composition)
}

/// Whether the form of an expression says that it is a predicate.
pub(crate) fn is_predicate(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(op, ..) => level(*op) > IN_PARENTHESES && level(*op) <= COMPARISON,
        ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Substituted(..) | ExprKind::Labelled(..) => true,
        ExprKind::Quantified(Quantifier::Forall | Quantifier::Exists, ..) => true,
        ExprKind::Constant(Constant::Btrue | Constant::Bfalse) => true,
        ExprKind::Described(inner, _) => is_predicate(inner),
        _ => false,
    }
}
