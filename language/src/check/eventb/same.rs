//! Whether two formulas are the same but for places, types and the names of bound variables.

use std::collections::BTreeMap;

use crate::model::types::Type;
use crate::model::visit::{self, VisitorMut};
use crate::model::{Expr, LocalId, Pred};
use crate::text::source::Span;

/// A predicate in a form that is equal for predicates that are the same.
pub(super) fn canonical(p: &Pred) -> Pred {
    let mut p = p.clone();
    Canonical::default().pred(&mut p);
    p
}

/// Whether two expressions are the same.
pub(super) fn same(a: &Expr, b: &Expr) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    Canonical::default().expr(&mut a);
    Canonical::default().expr(&mut b);
    a == b
}

// Above every local of a model.
const FIRST: u32 = 1 << 31;

#[derive(Default)]
struct Canonical {
    bound: BTreeMap<LocalId, LocalId>,
}

impl VisitorMut for Canonical {
    fn expr(&mut self, e: &mut Expr) {
        e.span = Span::default();
        e.ty = Type::Bool;
        if let crate::model::ExprKind::Local(l) = &mut e.kind
            && let Some(new) = self.bound.get(l)
        {
            *l = *new;
        }
        visit::walk_expr_mut(self, e);
    }

    fn pred(&mut self, p: &mut Pred) {
        p.span = Span::default();
        visit::walk_pred_mut(self, p);
    }

    fn binder(&mut self, local: &mut LocalId) {
        let new = LocalId(FIRST + self.bound.len() as u32);
        self.bound.insert(*local, new);
        *local = new;
    }
}
