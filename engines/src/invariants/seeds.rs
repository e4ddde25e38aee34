//! Seeds: the predicates that IC3 begins with, the atoms of the model and conserved sums.

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::walk::{Names, Visitor, walk_subst};

use super::conserved;
use super::predicate::{compare, integer, variable};

use crate::tuning::tuning;

/// The atoms of invariant, guards, conditions and initialisation that speak of variables and constants
/// only, and the sums that no event changes.
pub fn seeds(model: &Model) -> Vec<Pred> {
    let mut found = vec![];
    for conjunct in model.invariant.iter().chain(&model.assertions) {
        atoms(&conjunct.pred, &mut found);
    }
    found.extend(model.definitions.goal.iter().flat_map(|g| {
        let mut of_goal = vec![];
        atoms(g, &mut of_goal);
        of_goal
    }));
    found.extend(conditions(model));
    let mut initial = Assignments(vec![]);
    initial.subst(&model.initialisation);
    for (v, e) in initial.0 {
        let names = Names::of_expr(&e);
        if names.variables.is_empty() && names.locals.is_empty() {
            found.push(compare(CompareOp::Equal, variable(model, v), e));
        }
    }
    found.retain(|p| Names::of_pred(p).locals.is_empty() && !Names::of_pred(p).variables.is_empty());
    found.extend(conserved::sums(model));
    found
}

/// The atoms of the conditions of events that speak of variables and constants only.
pub fn conditions(model: &Model) -> Vec<Pred> {
    let mut all = Conditions(vec![]);
    for event in &model.events {
        all.subst(&event.body);
    }
    let mut found = vec![];
    for condition in &all.0 {
        atoms(condition, &mut found);
    }
    found.retain(|p| Names::of_pred(p).locals.is_empty() && !Names::of_pred(p).variables.is_empty());
    found
}

/// Splits a predicate into atoms; memberships in intervals and extensions become comparisons.
fn atoms(p: &Pred, found: &mut Vec<Pred>) {
    match &p.kind {
        PredKind::And(all) | PredKind::Or(all) => all.iter().for_each(|q| atoms(q, found)),
        PredKind::Implies(a, b) | PredKind::Iff(a, b) => {
            atoms(a, found);
            atoms(b, found);
        }
        PredKind::Not(a) => atoms(a, found),
        PredKind::If(c, a, b) => [c, a, b].into_iter().for_each(|q| atoms(q, found)),
        PredKind::Compare(CompareOp::Member, x, set) => match &set.kind {
            ExprKind::Binary(BinaryOp::Interval, low, high) => {
                found.push(compare(CompareOp::GreaterEqual, (**x).clone(), (**low).clone()));
                found.push(compare(CompareOp::LessEqual, (**x).clone(), (**high).clone()));
            }
            ExprKind::SetExtension(items) if items.len() <= tuning().invariants.extension => {
                found.extend(items.iter().map(|i| compare(CompareOp::Equal, (**x).clone(), i.clone())));
            }
            ExprKind::Set(BuiltinSet::Natural | BuiltinSet::Nat) => {
                found.push(compare(CompareOp::GreaterEqual, (**x).clone(), integer(Int::ZERO)));
            }
            ExprKind::Set(BuiltinSet::Natural1 | BuiltinSet::Nat1) => {
                found.push(compare(CompareOp::GreaterEqual, (**x).clone(), integer(Int::ONE)));
            }
            ExprKind::Set(_) => {}
            _ => found.push(p.clone()),
        },
        PredKind::True | PredKind::False => {}
        PredKind::Compare(..)
        | PredKind::Forall(..)
        | PredKind::Exists(..)
        | PredKind::Finite(_)
        | PredKind::Partition(..)
        | PredKind::External(..)
        | PredKind::Call(..)
        | PredKind::Let(..) => {
            found.push(p.clone());
        }
    }
}

/// The conditions of substitutions.
pub(crate) struct Conditions(pub Vec<Pred>);

impl Visitor for Conditions {
    fn subst(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Pre(p, _) | SubstKind::Assert(_, p, _) | SubstKind::Any(_, _, p, _) => {
                self.0.push(p.clone())
            }
            SubstKind::If(branches, _) | SubstKind::Select { branches, .. } => {
                self.0.extend(branches.iter().map(|(p, _)| p.clone()));
            }
            _ => {}
        }
        walk_subst(self, s);
    }
}

/// Values that substitutions assign to variables.
pub(crate) struct Assignments(pub Vec<(VarId, Expr)>);

impl Visitor for Assignments {
    fn subst(&mut self, s: &Subst) {
        if let SubstKind::Assign(all) = &s.kind {
            self.0.extend(all.iter().filter_map(|(target, e)| match target {
                Target::Var(v) => Some((*v, e.clone())),
                Target::Local(_) => None,
            }));
        }
        walk_subst(self, s);
    }
}
