//! Universal predicates of which only the instances are stated that matter: at first none, then one for each valuation
//! that satisfies what is stated and violates the predicate.
//!
//! `!s.(s <: 1..20 & P(s) => card(best) <= card(s))` has a million instances, and a few of them refute every valuation
//! that is not the best one. What violates the predicate is looked for by the same finder, for the bound names as
//! unknowns.

use bsym_language::model::{CompareOp, ExprKind, LocalId, Pred, PredKind};
use bsym_language::types::Type;
use bsym_language::walk::cut_into_literals;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::tuning::Methods;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::{Env as Values, Name};

use crate::tuning::tuning;

/// A universal predicate with more instances than are written out.
pub(super) struct Universal<'p> {
    /// The bound names.
    pub(super) locals: &'p [LocalId],
    /// The predicate that holds for all values of the bound names.
    pub(super) body: &'p Pred,
    /// Predicates that hold, one after the other, for values of the bound names under which the body is false.
    pub(super) violation: Vec<Pred>,
}

impl<'p> Universal<'p> {
    /// A predicate as a universal one, if it has too many instances to be written out, and is never ill-defined where
    /// the predicates before it hold.
    pub(super) fn of(
        evaluator: &Evaluator<'_>,
        env: &Values<'_>,
        before: &[&'p Pred],
        pred: &'p Pred,
    ) -> Option<Universal<'p>> {
        let PredKind::Forall(locals, body) = &pred.kind else { return None };
        let mut literals = vec![];
        cut_into_literals(false, body, &mut literals);
        let is_structured = |l: &LocalId| matches!(evaluator.model.locals[l.index()].ty, Type::Pow(_));
        let crate::tuning::Propositional { stated_instances, stated_sets, .. } = tuning().propositional;
        let most = if locals.iter().any(is_structured) { stated_sets } else { stated_instances };
        let mut instances = 1usize;
        for local in locals {
            let known = literals.iter().filter_map(|literal| values_of(evaluator, env, *local, *literal));
            let of_type = || {
                let values = evaluator.type_values(&evaluator.model.locals[local.index()].ty);
                evaluator.cardinality(&values, pred.span).ok()?.within(most)
            };
            let values = known.min().or_else(of_type).unwrap_or(usize::MAX);
            instances = instances.saturating_mul(values);
        }
        if instances <= most || !evaluator.is_total_behind(env, &mut before.iter().copied(), pred) {
            return None;
        }
        let as_pred = |(positive, p): (bool, &Pred)| match positive {
            true => p.clone(),
            false => Pred { kind: PredKind::Not(Box::new(p.clone())), span: p.span },
        };
        Some(Universal { locals, body, violation: literals.into_iter().map(as_pred).collect() })
    }

    /// The bound names with their types.
    pub(super) fn unknowns(&self, evaluator: &Evaluator<'_>) -> Vec<(Name, Type)> {
        let ty = |l: &LocalId| evaluator.model.locals[l.index()].ty.clone();
        self.locals.iter().map(|l| (Name::Local(*l), ty(l))).collect()
    }

    /// Returns whether the body is false of values of the bound names.
    pub(super) fn is_refuted_by(
        &self,
        evaluator: &Evaluator<'_>,
        env: &Values<'_>,
        values: &[Value],
    ) -> bool {
        let bound: Vec<_> = self.locals.iter().map(|l| Name::Local(*l)).zip(values.iter().cloned()).collect();
        let frame = env.frame(&bound);
        evaluator.pred(&env.within(&frame), self.body) == Ok(false)
    }

    /// Returns whether the predicate holds of values of all other names; `None` where a short evaluation does not say.
    pub(super) fn holds(&self, evaluator: &Evaluator<'_>, env: &Values<'_>, pred: &Pred) -> Option<bool> {
        let work = Work::new(Methods::DEFAULT.equation_steps);
        work.portion(Methods::DEFAULT.equation_steps);
        evaluator.with_work(&work).pred(env, pred).ok()
    }
}

/// Returns the number of values that a literal `x : S` or `x <: S` leaves to a bound name, where S is known.
fn values_of(
    evaluator: &Evaluator<'_>,
    env: &Values<'_>,
    local: LocalId,
    (positive, literal): (bool, &Pred),
) -> Option<usize> {
    let PredKind::Compare(op, x, set) = &literal.kind else { return None };
    if !positive || x.kind != ExprKind::Local(local) {
        return None;
    }
    let set = evaluator.expr(env, set).ok()?;
    let size = evaluator.cardinality(&set, literal.span).ok()?.within(usize::MAX)?;
    match op {
        CompareOp::Member => Some(size),
        CompareOp::Subset | CompareOp::StrictSubset => Some(1usize.checked_shl(u32::try_from(size).ok()?)?),
        _ => None,
    }
}

/// Values of the bound names of a universal predicate under which it is false.
pub(super) struct FalsifyingAssignment {
    /// The predicate, by its position.
    pub(super) of: usize,
    /// The values, in the order of the bound names.
    pub(super) values: Vec<Value>,
}
