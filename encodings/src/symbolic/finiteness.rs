//! Finiteness of the deferred sets of a model, and whether the model asks for finiteness at all.

use std::collections::BTreeSet;

use bsym_language::model::{
    CarrierKind, CompareOp, Expr, ExprKind, Model, Notation, Pred, PredKind, UnaryOp,
};
use bsym_language::types::CarrierId;
use bsym_language::walk::{Visitor, conjuncts, walk_expr, walk_model, walk_pred};

/// Returns whether finiteness of a set is asked for, as such, for its number of elements or for its permutations.
pub(crate) fn asks_finite(model: &Model) -> bool {
    struct Asks(bool);
    impl Visitor for Asks {
        fn expr(&mut self, e: &Expr) {
            use UnaryOp::{Card, Fin, Fin1, Perm};
            self.0 |= matches!(e.kind, ExprKind::Unary(Fin | Fin1 | Card | Perm, _));
            walk_expr(self, e);
        }

        fn pred(&mut self, p: &Pred) {
            self.0 |= matches!(p.kind, PredKind::Finite(_));
            walk_pred(self, p);
        }
    }
    let mut asks = Asks(false);
    walk_model(&mut asks, model);
    asks.0
}

/// The deferred sets of a model that are finite in every interpretation: all of classical B, and in Event-B those
/// that an axiom calls finite or writes out.
pub(crate) fn finite_carriers(model: &Model) -> BTreeSet<CarrierId> {
    let deferred = (0u32..)
        .map(CarrierId)
        .zip(&model.types.carriers)
        .filter(|(_, c)| model.text.notation == Notation::ClassicalB || c.kind != CarrierKind::Deferred);
    let mut finite: BTreeSet<CarrierId> = deferred.map(|(id, _)| id).collect();
    for axiom in &model.axioms {
        finite.extend(conjuncts(&axiom.pred).into_iter().filter_map(called_finite));
    }
    finite
}

/// The carrier that a conjunct calls finite: `finite(S)`, `card(S) = n`, `partition(S, {a}, {b})`, `S = {a, b}`.
fn called_finite(p: &Pred) -> Option<CarrierId> {
    let carrier = |e: &Expr| match e.kind {
        ExprKind::Carrier(c) => Some(c),
        _ => None,
    };
    let listed = |e: &Expr| matches!(e.kind, ExprKind::SetExtension(_) | ExprKind::EmptySet);
    match &p.kind {
        PredKind::Finite(e) => carrier(e),
        PredKind::Partition(whole, parts) if parts.iter().all(listed) => carrier(whole),
        PredKind::Compare(CompareOp::Equal, a, b) => {
            let one_way = |a: &Expr, b: &Expr| match &a.kind {
                ExprKind::Unary(UnaryOp::Card, set) => carrier(set),
                _ => carrier(a).filter(|_| listed(b)),
            };
            one_way(a, b).or_else(|| one_way(b, a))
        }
        _ => None,
    }
}
