//! Equal but for places, types and the names of bound variables.
//!
//! The type of a formula follows from the names in it, so nothing is lost without it; and while types are still
//! inferred, it is not known.

use std::collections::BTreeMap;
use std::mem::discriminant;

use super::retype::Retype;
use super::visit::{VisitorMut, walk_expr_mut, walk_pred_mut};
use super::{Expr, ExprKind, LocalId, Pred};
use crate::text::source::Span;

/// Returns a predicate in a form that is equal for predicates that are the same.
pub fn canonical<T: Clone>(p: &Pred<T>) -> Pred<()> {
    let mut p = Untyped.pred(p.clone());
    Canonical::default().pred(&mut p);
    p
}

/// Returns whether two expressions are equal.
pub fn same_expr<T: Clone>(a: &Expr<T>, b: &Expr<T>) -> bool {
    let canonical = |e: &Expr<T>| {
        let mut e = Untyped.expr(e.clone());
        Canonical::default().expr(&mut e);
        e
    };
    discriminant(&a.kind) == discriminant(&b.kind) && canonical(a) == canonical(b)
}

/// Returns whether two predicates are equal.
pub fn same_pred<T: Clone>(a: &Pred<T>, b: &Pred<T>) -> bool {
    discriminant(&a.kind) == discriminant(&b.kind) && canonical(a) == canonical(b)
}

/// Forgets types.
struct Untyped;

impl<T> Retype<T, ()> for Untyped {
    fn ty(&mut self, _: T) {}
}

// Above every local of a model.
const FIRST: u32 = 1 << 31;

#[derive(Default)]
struct Canonical {
    bound: BTreeMap<LocalId, LocalId>,
}

impl VisitorMut<()> for Canonical {
    fn expr(&mut self, e: &mut Expr<()>) {
        e.span = Span::default();
        if let ExprKind::Local(l) = &mut e.kind
            && let Some(new) = self.bound.get(l)
        {
            *l = *new;
        }
        walk_expr_mut(self, e);
    }

    fn pred(&mut self, p: &mut Pred<()>) {
        p.span = Span::default();
        walk_pred_mut(self, p);
    }

    fn binder(&mut self, local: &mut LocalId) {
        let new = LocalId(FIRST + self.bound.len() as u32);
        self.bound.insert(*local, new);
        *local = new;
    }
}
