//! Bounds: the values that locations can have before an event, in states that matter.
//!
//! A relation may hold nothing at a point. If that is not excluded, the absence is one of the contents of the part, in
//! addition to the images: `1 : dom(f)` and `f[{1}]` read the same part of `f` as `f(1)` does, and have a value without
//! it.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, PredKind, UnaryOp, VarId};
use bsym_language::walk::{Names, cut_into_literals};
use bsym_semantics::value::Value;

use super::formulas::{Condition, Evaluated, Formulas, Test, variable};
use super::literal::Literal;
use super::location::{Content, Location};

use crate::tuning::tuning;

/// Facts about locations in every state that matters.
#[derive(Debug, Default)]
pub struct Bounds {
    /// Conditions that hold.
    conditions: Vec<Condition>,
    /// All images of functions.
    images: BTreeMap<VarId, BTreeSet<Value>>,
    /// Sets on which functions are total.
    domains: Vec<(VarId, Value)>,
    /// Parts of relations that hold a couple.
    present: BTreeSet<Location>,
}

impl Bounds {
    /// Bounds that follow from predicates.
    pub fn of(formulas: Formulas<'_, '_>, known: &[&Pred]) -> Bounds {
        let mut bounds = Bounds::default();
        let mut literals = vec![];
        known.iter().for_each(|p| cut_into_literals(true, p, &mut literals));
        for (positive, pred) in literals {
            bounds.conditions.extend(formulas.condition(positive, pred));
            bounds.present.extend(present(formulas, positive, pred));
            if let PredKind::Compare(CompareOp::Member, f, space) = &pred.kind
                && positive
                && let ExprKind::Var(v) = f.kind
                && let ExprKind::Binary(op, from, to) = &space.kind
                && let Some(space) = op.relation_space().filter(|space| space.functional)
            {
                if let Some(images) = formulas.elements(to) {
                    bounds.images.entry(v).or_insert(images);
                }
                if space.total {
                    bounds.domains.extend(formulas.value(from).map(|from| (v, from)));
                }
            }
        }
        bounds
    }
}

/// The part of a relation that holds a couple where a literal is true: its point is in the domain, or the literal is
/// about the image there.
fn present(formulas: Formulas<'_, '_>, positive: bool, pred: &Pred) -> Option<Location> {
    let PredKind::Compare(op, x, set) = &pred.kind else { return None };
    let is_member = match op {
        CompareOp::Member => positive,
        CompareOp::NotMember => !positive,
        _ => false,
    };
    if is_member
        && let ExprKind::Unary(UnaryOp::Dom, f) = &set.kind
        && let Some(v) = variable(f)
    {
        return Some(Location::part(v, formulas.value(x)?));
    }
    if is_member && let (Some(v), ExprKind::Binary(BinaryOp::Maplet, point, _)) = (variable(set), &x.kind) {
        return Some(Location::part(v, formulas.value(point)?));
    }
    let condition = formulas.condition(positive, pred)?;
    (condition.at.part.is_some() && !matches!(condition.test, Test::Present)).then_some(condition.at)
}

/// Facts about locations where the guards of an event hold.
pub struct Before<'b, 'a, 'm> {
    formulas: Formulas<'a, 'm>,
    bounds: &'b Bounds,
    conditions: Vec<&'b Condition>,
    present: BTreeSet<Location>,
}

impl<'b, 'a, 'm> Before<'b, 'a, 'm> {
    /// Joins the facts of bounds and of guards.
    pub fn new(formulas: Formulas<'a, 'm>, bounds: &'b Bounds, guards: &'b [Literal<'_>]) -> Self {
        let conditions = guards.iter().filter_map(|literal| literal.condition.as_ref());
        Before {
            formulas,
            bounds,
            conditions: conditions.chain(&bounds.conditions).collect(),
            present: guards
                .iter()
                .filter_map(|guard| present(formulas, guard.positive, guard.pred))
                .collect(),
        }
    }

    /// All values of an expression, if the locations that it reads have few contents. If the expression has no value,
    /// the event goes wrong and writes none.
    pub fn values_of(&self, e: &Expr) -> Option<BTreeSet<Value>> {
        if !Names::of_expr(e).locals.is_empty() {
            return None;
        }
        let reads: Vec<Location> = self.formulas.reads_of_expr(e).into_iter().collect();
        let is_mixed = |at: &&Location| {
            at.part.is_none() && reads.iter().filter(|r| r.variable == at.variable).count() > 1
        };
        if reads.iter().any(|at| is_mixed(&at)) {
            return None;
        }
        let mut states: Vec<Vec<(&Location, Content)>> = vec![vec![]];
        for at in &reads {
            let contents = self.contents(at)?;
            if states.len() * contents.len() > tuning().partial_order.combinations {
                return None;
            }
            let mut more = Vec::with_capacity(states.len() * contents.len());
            for (state, content) in states.iter().flat_map(|s| contents.iter().map(move |c| (s, c))) {
                let mut state = state.clone();
                state.push((at, content.clone()));
                more.push(state);
            }
            states = more;
        }
        let mut values = BTreeSet::new();
        for state in &states {
            match self.formulas.value_in(state, e) {
                Evaluated::Value(value) => _ = values.insert(value),
                Evaluated::IllDefined => {}
                Evaluated::Unknown => return None,
            }
        }
        Some(values)
    }

    /// All contents that a location can have, if they are few.
    fn contents(&self, at: &Location) -> Option<BTreeSet<Content>> {
        let conditions: Vec<&Condition> = self.conditions.iter().copied().filter(|c| c.at == *at).collect();
        let is_relation = self.formulas.eval.model.variables[at.variable.index()].ty.as_relation().is_some();
        let listed = conditions.iter().filter_map(|condition| self.formulas.allowed(condition));
        let other = match &at.part {
            None => None,
            Some(_) if is_relation => self.bounds.images.get(&at.variable).cloned(),
            Some(_) => Some([false, true].map(Value::Bool).into()),
        };
        let mut values = listed.chain(other).min_by_key(BTreeSet::len)?;
        values.retain(|value| conditions.iter().all(|c| self.formulas.allows(c, value) != Some(false)));
        let mut contents: BTreeSet<Content> = values.into_iter().map(Some).collect();
        if is_relation && at.part.is_some() && !self.is_present(at) {
            contents.insert(None);
        }
        Some(contents)
    }

    /// Tests whether a relation is known to hold a couple at a part.
    fn is_present(&self, at: &Location) -> bool {
        let is_in = |domain: &Value| {
            let part = at.part.as_ref();
            part.is_some_and(|x| self.formulas.eval.member(x, domain, Default::default()) == Ok(true))
        };
        self.present.contains(at)
            || self.bounds.present.contains(at)
            || self.bounds.domains.iter().any(|(v, domain)| *v == at.variable && is_in(domain))
    }
}
