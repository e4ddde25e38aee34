//! Which sets a model counts, so that numbers are kept of these only (see [`counting`](crate::symbolic::counting)).

use std::collections::BTreeSet;

use bsym_language::model::{Expr, ExprKind, Model, Pred, PredKind, UnaryOp};
use bsym_language::types::Type;
use bsym_language::walk::{Visitor, walk_expr, walk_model, walk_pred};

use crate::tuning::tuning;

/// Types of the elements of sets whose number a model asks for, other than in a comparison with a small literal.
pub(crate) fn counted_types(model: &Model) -> BTreeSet<Type> {
    struct Counted(BTreeSet<Type>);
    impl Visitor for Counted {
        fn expr(&mut self, e: &Expr) {
            if let ExprKind::Unary(UnaryOp::Card, set) = &e.kind
                && let Some(element) = set.ty.element()
            {
                self.0.insert(element.clone());
                // A function has as many couples as arguments.
                if let Type::Pair(argument, _) = element {
                    self.0.insert((**argument).clone());
                }
            }
            walk_expr(self, e);
        }

        fn pred(&mut self, p: &Pred) {
            let is_small = |e: &Expr| match &e.kind {
                ExprKind::Integer(n) => {
                    n.to_i64().is_some_and(|n| (-1..=tuning().symbolic.counted).contains(&n))
                }
                _ => false,
            };
            if let PredKind::Compare(op, a, b) = &p.kind
                && op.mirrored().is_some()
                && let (ExprKind::Unary(UnaryOp::Card, set), n) | (n, ExprKind::Unary(UnaryOp::Card, set)) =
                    (&a.kind, &b.kind)
                && matches!(n, ExprKind::Integer(_))
                && (is_small(a) || is_small(b))
            {
                self.expr(set);
                return;
            }
            walk_pred(self, p);
        }
    }
    let mut counted = Counted(BTreeSet::new());
    walk_model(&mut counted, model);
    counted.0
}
