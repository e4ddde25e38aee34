//! Visible events: those that can make a requested property false, or the evaluation of an event fail. They must not be
//! lost.

use bsym_language::model::truth::is_whole_type;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, PredKind, Subst, SubstKind, UnaryOp};
use bsym_language::walk::cut_into_literals;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::dependency::Dependency;
use super::footprint::{Footprint, Opening};
use super::formulas::{Formulas, variable};
use super::literal::Literal;
use super::location::touches;

/// Returns whether an event is known by static analysis to preserve a property.
pub fn preserves(
    dependency: &Dependency<'_, '_>,
    formulas: Formulas<'_, '_>,
    event: &Footprint<'_>,
    property: &Literal<'_>,
) -> bool {
    let untouched = !event.writes.keys().any(|at| touches(&property.reads, at));
    untouched
        || !dependency.may_refute(event, property)
        || property.positive && stays_in_bounds(formulas, event, property.pred)
}

/// Returns whether the property says no more than the type, or than an invariant that the event preserves for each
/// element.
fn stays_in_bounds(formulas: Formulas<'_, '_>, event: &Footprint<'_>, property: &Pred) -> bool {
    let PredKind::Compare(op, a, b) = &property.kind else { return false };
    match (op, &b.kind) {
        // An expression without a value is in no set.
        (CompareOp::Member | CompareOp::Subset, _) if is_whole_type(b) => {
            sound_literals(formulas, &[], &[(true, property)]) == 1
        }
        (CompareOp::Subset, _) => parts_stay(formulas, event, a, b, None),
        (CompareOp::Member, ExprKind::Unary(UnaryOp::Pow | UnaryOp::Fin, set)) => {
            parts_stay(formulas, event, a, set, None)
        }
        (
            CompareOp::Member,
            ExprKind::Binary(BinaryOp::TotalFunction | BinaryOp::PartialFunction, from, to),
        ) => parts_stay(formulas, event, a, from, Some(to)),
        _ => false,
    }
}

/// Returns whether the parts of a variable that an event writes are in a set afterwards, or are removed. For a
/// function, the images must be in another set.
fn parts_stay(
    formulas: Formulas<'_, '_>,
    event: &Footprint<'_>,
    of: &Expr,
    set: &Expr,
    images: Option<&Expr>,
) -> bool {
    let Some(v) = variable(of) else { return false };
    let Some(set) = formulas.value(set) else { return false };
    let images = images.map(|images| formulas.value(images));
    let is_member = |x: &Value, set: &Value| formulas.eval.member(x, set, Default::default()) == Ok(true);
    event.writes.keys().filter(|at| at.variable == v).all(|at| {
        let (Some(part), Some(values)) = (&at.part, event.values.get(at)) else { return false };
        match &images {
            None => {
                of.ty.as_relation().is_none()
                    && (is_member(part, &set) || values.iter().all(|v| *v == Value::Bool(false)))
            }
            Some(None) => false,
            Some(Some(images)) => is_member(part, &set) && values.iter().all(|v| is_member(v, images)),
        }
    })
}

/// Number of guards in front of a body that are always well-defined, each if those before it hold; `None` if nothing in
/// the whole body can go wrong. The predicates in `known` hold in every state that matters.
pub fn sound_guards(formulas: Formulas<'_, '_>, known: &[&Pred], body: &Subst) -> Option<usize> {
    let Opening { guards: conditions, rest, .. } = Opening::of(body);
    let mut literals = vec![];
    conditions.into_iter().for_each(|p| cut_into_literals(true, p, &mut literals));
    let sound = sound_literals(formulas, known, &literals);
    let mut known = known.to_vec();
    known.extend(literals.iter().filter(|(positive, _)| *positive).map(|(_, pred)| *pred));
    let total = sound == literals.len() && Totality { formulas, known }.subst(rest);
    (!total).then_some(sound)
}

/// Number of literals, from the first one on, that are always well-defined, each if those before it hold.
pub fn sound_literals(formulas: Formulas<'_, '_>, known: &[&Pred], literals: &[(bool, &Pred)]) -> usize {
    let mut totality = Totality { formulas, known: known.to_vec() };
    for (at, (positive, pred)) in literals.iter().enumerate() {
        if !totality.pred(pred) {
            return at;
        }
        if *positive {
            totality.known.push(pred);
        }
    }
    literals.len()
}

struct Totality<'a, 'm, 'p> {
    formulas: Formulas<'a, 'm>,
    /// Predicates that hold where a formula is evaluated.
    known: Vec<&'p Pred>,
}

impl<'p> Totality<'_, '_, 'p> {
    fn pred(&self, pred: &Pred) -> bool {
        let env = Env::new(self.formulas.constants.unwrap_or_default(), &[]);
        self.formulas.eval.is_total_behind(&env, &mut self.known.iter().copied(), pred)
    }

    fn expr(&self, e: &Expr) -> bool {
        self.pred(&Pred::compare(CompareOp::Equal, e.clone(), e.clone(), e.span))
    }

    fn behind(&mut self, pred: &'p Pred, s: &'p Subst) -> bool {
        self.known.push(pred);
        let total = self.subst(s);
        self.known.pop();
        total
    }

    fn subst(&mut self, s: &'p Subst) -> bool {
        match &s.kind {
            SubstKind::Skip => true,
            SubstKind::Assign(list) => list.iter().all(|(_, e)| self.expr(e)),
            SubstKind::BecomesIn(_, _, set) => self.expr(set),
            SubstKind::BecomesSuch(_, _, pred) => self.pred(pred),
            // They may fail by being false.
            SubstKind::Pre(..) | SubstKind::Assert(..) | SubstKind::While { .. } => false,
            SubstKind::Choice(_, parts) | SubstKind::Parallel(parts) => parts.iter().all(|s| self.subst(s)),
            SubstKind::If(branches, otherwise) => {
                branches.iter().all(|(pred, s)| self.pred(pred) && self.behind(pred, s))
                    && self.subst(otherwise)
            }
            SubstKind::Select { branches, otherwise, .. } => {
                branches.iter().all(|(pred, s)| self.pred(pred) && self.behind(pred, s))
                    && otherwise.iter().all(|s| self.subst(s))
            }
            SubstKind::Any(_, _, pred, s) => self.pred(pred) && self.behind(pred, s),
            SubstKind::Let(definitions, s) => definitions.iter().all(|(_, e)| self.expr(e)) && self.subst(s),
            SubstKind::Var(_, s) => self.subst(s),
            SubstKind::Sequence(parts) => {
                let Some((first, rest)) = parts.split_first() else { return true };
                let total = self.subst(first);
                // Predicates that hold before the first part need not hold after it.
                let known = std::mem::take(&mut self.known);
                let total = total && rest.iter().all(|s| self.subst(s));
                self.known = known;
                total
            }
        }
    }
}
