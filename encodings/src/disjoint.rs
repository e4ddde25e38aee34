//! Unions that only extend a function, written as overrides.
//!
//! `f := f \/ {x |-> y}` keeps `f` a function if `x` is not in its domain, and machines usually say so
//! in the guard: `x /: dom(f)` or `x : S - dom(f)`. There `f <+ {x |-> y}` is the same set, and visibly
//! a function (see [`functional`](crate::functional)).

use bsym_language::model::*;
use bsym_language::walk::{Placeless, VisitorMut};

use crate::functional::conjuncts;

/// An argument that is outside the domain of a variable's function.
#[derive(Clone)]
struct Outside {
    argument: Expr,
    function: VarId,
}

/// Replaces such unions in a substitution; its meaning stays the same.
pub fn overrides(s: &mut Subst) {
    rewrite(s, &[]);
}

fn rewrite(s: &mut Subst, known: &[Outside]) {
    match &mut s.kind {
        SubstKind::Skip | SubstKind::BecomesIn(..) | SubstKind::BecomesSuch(..) => {}
        SubstKind::Assign(list) => list.iter_mut().for_each(|(_, e)| extend(e, known)),
        SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) | SubstKind::Any(_, _, p, body) => {
            let known = with(known, p);
            rewrite(body, &known);
        }
        SubstKind::Select { branches, otherwise, .. } => {
            for (p, body) in branches {
                let known = with(known, p);
                rewrite(body, &known);
            }
            if let Some(body) = otherwise {
                rewrite(body, known);
            }
        }
        SubstKind::If(branches, otherwise) => {
            let mut known = known.to_vec();
            for (p, body) in branches {
                rewrite(body, &with(&known, p));
                if let PredKind::Compare(CompareOp::Member, x, set) = &p.kind
                    && let Some(function) = domain(set)
                {
                    known.push(Outside { argument: plain(x), function });
                }
            }
            rewrite(otherwise, &known);
        }
        SubstKind::Choice(_, all) | SubstKind::Parallel(all) => {
            all.iter_mut().for_each(|s| rewrite(s, known))
        }
        SubstKind::Let(_, body) => rewrite(body, known),
        // A local that is assigned may be the argument.
        SubstKind::Var(_, body) => rewrite(body, &[]),
        SubstKind::Sequence(all) => {
            for (i, s) in all.iter_mut().enumerate() {
                rewrite(s, if i == 0 { known } else { &[] });
            }
        }
        SubstKind::While { body, .. } => rewrite(body, &[]),
    }
}

fn with(known: &[Outside], guard: &Pred) -> Vec<Outside> {
    let mut all = known.to_vec();
    for p in conjuncts(guard) {
        match &p.kind {
            PredKind::Compare(CompareOp::NotMember, x, set) => {
                all.extend(domain(set).map(|function| Outside { argument: plain(x), function }));
            }
            PredKind::Compare(CompareOp::Member, x, set) => {
                if let ExprKind::Binary(BinaryOp::Difference, _, set) = &set.kind {
                    all.extend(domain(set).map(|function| Outside { argument: plain(x), function }));
                }
            }
            PredKind::Not(q) => {
                if let PredKind::Compare(CompareOp::Member, x, set) = &q.kind {
                    all.extend(domain(set).map(|function| Outside { argument: plain(x), function }));
                }
            }
            _ => {}
        }
    }
    all
}

/// The variable whose domain a set is.
fn domain(set: &Expr) -> Option<VarId> {
    match &set.kind {
        ExprKind::Unary(UnaryOp::Dom, f) => match f.kind {
            ExprKind::Var(v) => Some(v),
            _ => None,
        },
        _ => None,
    }
}

fn extend(e: &mut Expr, known: &[Outside]) {
    let ExprKind::Binary(op @ BinaryOp::Union, a, b) = &mut e.kind else { return };
    let disjoint = |f: &Expr, extension: &Expr| match (&f.kind, &extension.kind) {
        (ExprKind::Var(v), ExprKind::SetExtension(items)) => match items.as_slice() {
            [Expr { kind: ExprKind::Binary(BinaryOp::Maplet, x, _), .. }] => {
                let x = plain(x);
                known.iter().any(|o| o.function == *v && o.argument == x)
            }
            _ => false,
        },
        _ => false,
    };
    if disjoint(b, a) {
        std::mem::swap(a, b);
    }
    if disjoint(a, b) {
        *op = BinaryOp::Override;
    }
}

/// The expression without its places in the text.
fn plain(e: &Expr) -> Expr {
    let mut e = e.clone();
    Placeless.expr(&mut e);
    e
}
