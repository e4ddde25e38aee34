//! Keeps trees shallow enough for every later pass that walks them recursively.
//!
//! Nesting in the text is bounded by [`MAX_NESTING`]. Long flat chains are not: those of an
//! associative operator (`a & b & c …`) become balanced trees once they have more than
//! [`chain`](crate::tuning::Depth::chain) operands, and a left-nested chain of another operator (`a |-> b |-> c …`) is refused
//! when the whole formula becomes higher than [`MAX_HEIGHT`].

use super::operators::Infix;
use crate::ast::visit::{VisitorMut, is_higher, walk_expr_mut};
use crate::ast::{Expr, ExprKind, Subst};
use crate::text::source::Span;
use crate::tuning::Tuning;

/// Largest nesting of formulas and substitutions.
pub(super) const MAX_NESTING: u32 = Tuning::DEFAULT.depth.nesting;
/// Largest height of the tree of one formula.
pub(super) const MAX_HEIGHT: usize = Tuning::DEFAULT.depth.height;

/// Joins the operands of equal operators, each given with the text it covers.
pub(super) fn join(infix: Infix, operands: Vec<(Expr, Span)>) -> Expr {
    if operands.len() > Tuning::DEFAULT.depth.chain {
        return balanced(infix, operands).0;
    }
    let mut operands = operands.into_iter();
    let Some(mut left) = operands.next() else { return ExprKind::Error.at(Span::default()) };
    for right in operands {
        left = pair(infix, left, right);
    }
    left.0
}

fn pair(infix: Infix, (left, left_span): (Expr, Span), (right, right_span): (Expr, Span)) -> (Expr, Span) {
    let span = left_span.to(right_span);
    let (left, right) = if infix.reversed { (right, left) } else { (left, right) };
    (Expr { kind: ExprKind::Binary(infix.op, Box::new(left), Box::new(right)), span }, span)
}

fn balanced(infix: Infix, mut operands: Vec<(Expr, Span)>) -> (Expr, Span) {
    while operands.len() > 1 {
        let mut joined = Vec::with_capacity(operands.len() / 2 + 1);
        let mut rest = operands.into_iter();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) => pair(infix, left, right),
                None => left,
            });
        }
        operands = joined;
    }
    operands.pop().unwrap_or_else(|| (ExprKind::Error.at(Span::default()), Span::default()))
}

/// Returns whether the tree of a formula is higher than [`MAX_HEIGHT`].
pub(super) fn is_too_high(expr: &Expr) -> bool {
    is_higher(expr, MAX_HEIGHT)
}

/// Drops a formula that may be too high for the recursive drop that the compiler makes.
pub(super) fn dismantle(expr: Expr) {
    struct Parts(Vec<Expr>);
    impl<'t> VisitorMut<'t> for Parts {
        fn expr(&mut self, e: &'t mut Expr) {
            let span = e.span;
            self.0.push(std::mem::replace(e, ExprKind::Error.at(span)));
        }
        // Substitutions nest only as deep as the text does, which `MAX_NESTING` bounds.
        fn subst(&mut self, _s: &'t mut Subst) {}
    }
    let mut parts = Parts(vec![expr]);
    while let Some(mut expr) = parts.0.pop() {
        walk_expr_mut(&mut parts, &mut expr);
    }
}
