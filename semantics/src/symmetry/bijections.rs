//! Bijections that name the elements of a deferred set: one represents all.

use std::collections::BTreeSet;

use bsym_language::model::{BinaryOp, CompareOp, ConstId, Expr, ExprKind, Model, Pred, PredKind};
use bsym_language::source::Span;
use bsym_language::types::CarrierId;

use crate::evaluator::Evaluator;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;

impl Evaluator<'_> {
    /// Returns one bijection between a deferred set and values without its elements, for a constant that is such a
    /// bijection, and only where valuations are wanted [up to names](Evaluator::constants_up_to_names). All others
    /// differ from it only in the names of the elements.
    ///
    /// Nothing may distinguish the elements so far.
    pub(crate) fn naming_bijection(
        &self,
        env: &Env<'_>,
        name: &Expr,
        set: &Value,
        at: Span,
    ) -> Option<Value> {
        let alike = self.up_to_names?;
        let ExprKind::Const(_) = name.kind else { return None };
        let Value::Lazy(lazy) = set else { return None };
        let LazySet::Binary(BinaryOp::TotalBijection, from, to) = &**lazy else { return None };
        let (from, to) = (self.try_list(from, at).ok()??, self.try_list(to, at).ok()??);
        if from.len() != to.len() {
            return None;
        }
        let names = |set: &BTreeSet<Value>, others: &BTreeSet<Value>| match set.first() {
            Some(Value::Element(carrier, _)) if alike.contains(carrier) => {
                let all = self.scope.size(self.model, *carrier) == Some(set.len());
                let constants = (0..self.model.constants.len() as u32).map(|c| Name::Const(ConstId(c)));
                let mut known = constants.filter_map(|c| env.get(c)).chain(others.iter());
                all && !known.any(|v| v.mentions(*carrier))
            }
            _ => false,
        };
        let pairs = from.iter().zip(to.iter()).map(|(x, y)| Value::pair(x.clone(), y.clone()));
        (names(&from, &to) || names(&to, &from)).then(|| Value::set(pairs))
    }

    /// Returns whether one of the predicates might make a constant a [naming bijection](Self::naming_bijection), so
    /// that the search leaves out valuations that other methods would find.
    pub(crate) fn may_name_elements(&self, preds: &[&Pred]) -> bool {
        let is_bijection = |p: &Pred| match &p.kind {
            PredKind::Compare(CompareOp::Member, name, set) => {
                matches!(name.kind, ExprKind::Const(_))
                    && matches!(set.kind, ExprKind::Binary(BinaryOp::TotalBijection, ..))
            }
            _ => false,
        };
        let any = |p: &Pred| match &p.kind {
            PredKind::And(parts) => parts.iter().any(is_bijection),
            _ => is_bijection(p),
        };
        self.up_to_names.is_some() && preds.iter().any(|p| any(p))
    }
}

/// Returns the sets whose elements bijections name, where elements of one or the other set have to be named: one set
/// for each bijection, and that one of two whose elements have no names by `has_names`.
pub(super) fn named_by_bijections(
    model: &Model,
    alike: &BTreeSet<CarrierId>,
    has_names: impl Fn(CarrierId) -> bool,
) -> BTreeSet<CarrierId> {
    let mut named = BTreeSet::new();
    for part in model.axiom_parts() {
        if let PredKind::Compare(CompareOp::Member, f, space) = &part.kind
            && let (ExprKind::Const(_), ExprKind::Binary(BinaryOp::TotalBijection, from, to)) =
                (&f.kind, &space.kind)
        {
            let sides = [from, to].map(|side| match side.kind {
                ExprKind::Carrier(carrier) => alike.contains(&carrier).then_some(carrier),
                _ => None,
            });
            let mut sides: Vec<_> = sides.into_iter().flatten().collect();
            if matches!(sides[..], [a, b] if a == b) || sides.iter().any(|s| named.contains(s)) {
                continue;
            }
            sides.sort_by_key(|s| has_names(*s));
            named.extend(sides.first());
        }
    }
    named
}
