//! Keeps trees shallow enough for every later pass that walks them recursively.
//!
//! Nesting in the text is bounded by [`MAX_NESTING`]. Long flat chains are not: those of an
//! associative operator (`a & b & c …`) become balanced trees once they have more than
//! [`CHAIN`] operands, and a left-nested chain of another operator (`a |-> b |-> c …`) is refused
//! when the whole formula becomes higher than [`MAX_HEIGHT`].

use super::operators::Infix;
use super::{boxed, error_expr};
use crate::ast::{Expr, ExprKind, Subst, SubstKind};
use crate::text::source::Span;

/// How deep formulas and substitutions may be nested. One pair of parentheses is one level, and
/// every operand of an operator that binds tighter than its neighbour is another one.
pub(super) const MAX_NESTING: u32 = 200;
/// How high the tree of one formula may be.
pub(super) const MAX_HEIGHT: usize = 1000;
/// Chains of this many operands keep the grouping to the left that the precedence table gives them.
const CHAIN: usize = 64;

/// Joins the operands of equal operators, each given with the text it covers.
pub(super) fn join(infix: Infix, operands: Vec<(Expr, Span)>) -> Expr {
    if operands.len() > CHAIN {
        return balanced(infix, operands).0;
    }
    let mut operands = operands.into_iter();
    let Some(mut left) = operands.next() else { return error_expr(Span::default()) };
    for right in operands {
        left = pair(infix, left, right);
    }
    left.0
}

fn pair(infix: Infix, (left, left_span): (Expr, Span), (right, right_span): (Expr, Span)) -> (Expr, Span) {
    let span = left_span.to(right_span);
    let (left, right) = if infix.reversed { (right, left) } else { (left, right) };
    (Expr { kind: ExprKind::Binary(infix.op, boxed(left), boxed(right)), span }, span)
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
    operands.pop().unwrap_or_else(|| (error_expr(Span::default()), Span::default()))
}

/// A node of a formula.
enum Node<'a> {
    Expr(&'a Expr),
    Subst(&'a Subst),
}

/// Whether the tree of a formula is higher than [`MAX_HEIGHT`].
pub(super) fn is_too_high(expr: &Expr) -> bool {
    let mut stack = vec![(Node::Expr(expr), 1)];
    while let Some((node, height)) = stack.pop() {
        if height > MAX_HEIGHT {
            return true;
        }
        let mut push = |node| stack.push((node, height + 1));
        match node {
            Node::Expr(expr) => expr_children(expr, &mut push),
            Node::Subst(subst) => subst_children(subst, &mut push),
        }
    }
    false
}

fn expr_children<'a>(expr: &'a Expr, push: &mut dyn FnMut(Node<'a>)) {
    use ExprKind::*;
    match &expr.kind {
        Ident(_) | Old(_) | Integer(_) | Real(_) | String(_) | Constant(_) | EmptySet | EmptySeq
        | BuiltinValue(_) | Error => {}
        Unary(_, a) | Field(a, _) | Labelled(_, a) | Described(a, _) => push(Node::Expr(a)),
        Binary(_, a, b) | Image(a, b) | Let(_, a, b) => {
            push(Node::Expr(a));
            push(Node::Expr(b));
        }
        Builtin(_, items) | Operator(_, items) | Tuple(items) | SetExtension(items) | SeqExtension(items) => {
            items.iter().for_each(|e| push(Node::Expr(e)));
        }
        Apply(f, items) => {
            push(Node::Expr(f));
            items.iter().for_each(|e| push(Node::Expr(e)));
        }
        Quantified(_, _, p, e) | Comprehension(_, p, e) => {
            push(Node::Expr(p));
            if let Some(e) = e {
                push(Node::Expr(e));
            }
        }
        Record(fields) | Struct(fields) => fields.iter().for_each(|(_, e)| push(Node::Expr(e))),
        If(branches, otherwise) => {
            for (p, e) in branches {
                push(Node::Expr(p));
                push(Node::Expr(e));
            }
            if let Some(e) = otherwise {
                push(Node::Expr(e));
            }
        }
        Substituted(s, p) => {
            push(Node::Subst(s));
            push(Node::Expr(p));
        }
    }
}

fn subst_children<'a>(subst: &'a Subst, push: &mut dyn FnMut(Node<'a>)) {
    use SubstKind::*;
    match &subst.kind {
        Skip | Error => {}
        Block(s) | Var(_, s) => push(Node::Subst(s)),
        Assign(a, b) => a.iter().chain(b).for_each(|e| push(Node::Expr(e))),
        BecomesIn(a, b) | BecomesSuch(a, b) => {
            a.iter().for_each(|e| push(Node::Expr(e)));
            push(Node::Expr(b));
        }
        Pre(p, s) | Assert(p, s) | Witness(p, s) | Any(_, p, s) | Let(_, p, s) => {
            push(Node::Expr(p));
            push(Node::Subst(s));
        }
        Choice(items) | Sequence(items) | Parallel(items) => items.iter().for_each(|s| push(Node::Subst(s))),
        If(branches, otherwise) | Select(branches, otherwise) => {
            for (p, s) in branches {
                push(Node::Expr(p));
                push(Node::Subst(s));
            }
            if let Some(s) = otherwise {
                push(Node::Subst(s));
            }
        }
        Case(e, branches, otherwise) => {
            push(Node::Expr(e));
            for (values, s) in branches {
                values.iter().for_each(|e| push(Node::Expr(e)));
                push(Node::Subst(s));
            }
            if let Some(s) = otherwise {
                push(Node::Subst(s));
            }
        }
        While { condition, body, invariant, variant } => {
            push(Node::Expr(condition));
            push(Node::Subst(body));
            push(Node::Expr(invariant));
            push(Node::Expr(variant));
        }
        Call { results, arguments, .. } => results.iter().chain(arguments).for_each(|e| push(Node::Expr(e))),
    }
}

/// Drops a formula that may be too high for the recursive drop that the compiler makes.
pub(super) fn dismantle(expr: Expr) {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        use ExprKind::*;
        match expr.kind {
            Unary(_, a) | Field(a, _) | Labelled(_, a) | Described(a, _) => stack.push(*a),
            Binary(_, a, b) | Image(a, b) | Let(_, a, b) => stack.extend([*a, *b]),
            Builtin(_, items) | Tuple(items) | SetExtension(items) | SeqExtension(items) => {
                stack.extend(items)
            }
            Apply(f, items) => {
                stack.push(*f);
                stack.extend(items);
            }
            // The other forms nest only as deep as the text does, which `MAX_NESTING` bounds.
            _ => {}
        }
    }
}
