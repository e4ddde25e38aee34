//! Bijections that name the elements of a deferred set: one of them stands for all.

use std::collections::BTreeSet;

use bsym_language::model::{
    BinaryOp, CarrierKind, CompareOp, ConstId, Expr, ExprKind, Notation, Pred, PredKind,
};
use bsym_language::source::Span;

use crate::evaluator::Evaluator;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;

impl Evaluator<'_> {
    /// One of the bijections between a deferred set and values without its elements, for a constant that is one of
    /// them and only where valuations are wanted [up to names](Evaluator::constants_up_to_names): all others differ
    /// from it in the names of the elements only.
    ///
    /// Nothing may distinguish the elements so far. Where names of functions do more than the operators of
    /// Event-B, elements have an order, and nothing is fixed.
    pub(crate) fn naming_bijection(
        &self,
        env: &Env<'_>,
        name: &Expr,
        set: &Value,
        at: Span,
    ) -> Option<Value> {
        let model = self.model;
        let is_constant = matches!(name.kind, ExprKind::Const(_));
        if !self.up_to_names || !is_constant || model.notation != Notation::EventB {
            return None;
        }
        let Value::Lazy(lazy) = set else { return None };
        let LazySet::Binary(BinaryOp::TotalBijection, from, to) = &**lazy else { return None };
        let (from, to) = (self.try_list(from, at).ok()??, self.try_list(to, at).ok()??);
        let deferred = |set: &BTreeSet<Value>| match set.first() {
            Some(Value::Element(carrier, _)) => {
                let kind = &model.carriers[carrier.index()].kind;
                let all = self.scope.size(model, *carrier) == Some(set.len());
                (*kind == CarrierKind::Deferred && all).then_some(*carrier)
            }
            _ => None,
        };
        let (carrier, others) = match (deferred(&from), deferred(&to)) {
            (Some(carrier), _) => (carrier, &to),
            (None, Some(carrier)) => (carrier, &from),
            (None, None) => return None,
        };
        let constants = (0..model.constants.len() as u32).map(|c| Name::Const(ConstId(c)));
        let mut known = constants.filter_map(|c| env.get(c)).chain(others.iter());
        if from.len() != to.len() || known.any(|v| v.mentions(carrier)) {
            return None;
        }
        let pairs = from.iter().zip(to.iter()).map(|(x, y)| Value::pair(x.clone(), y.clone()));
        Some(Value::set(pairs))
    }

    /// Whether one of the predicates might make a constant a [naming bijection](Self::naming_bijection), so that the search
    /// leaves valuations out that others would find.
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
        self.up_to_names && self.model.notation == Notation::EventB && preds.iter().any(|p| any(p))
    }
}
