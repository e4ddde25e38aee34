//! Which relations a model asks the closure of, so that steps say it of these only (see
//! [`reachability`](crate::symbolic::reachability)).

use std::collections::BTreeSet;

use bsym_language::model::{Expr, ExprKind, Model, UnaryOp};
use bsym_language::types::Type;
use bsym_language::walk::{Visitor, walk_expr, walk_model};

/// Types of the couples of relations whose closure a model asks for.
pub(crate) fn closed_types(model: &Model) -> BTreeSet<Type> {
    struct Closed(BTreeSet<Type>);
    impl Visitor for Closed {
        fn expr(&mut self, e: &Expr) {
            if let ExprKind::Unary(UnaryOp::Closure | UnaryOp::Closure1, relation) = &e.kind
                && let Some(couple) = relation.ty.element()
            {
                self.0.insert(couple.clone());
            }
            walk_expr(self, e);
        }
    }
    let mut closed = Closed(BTreeSet::new());
    walk_model(&mut closed, model);
    closed.0
}
