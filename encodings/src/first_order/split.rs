//! Goals in parts: conjunctions, implications, universal quantifiers, equivalences and equations of sets are taken
//! apart.

use bsym_language::model::visit::Replacement;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Model, Pred, PredKind};
use bsym_language::types::Type;

use super::sequent::{Goal, Part};

/// The parts of a goal.
pub(super) fn parts(model: &Model, goal: &Goal) -> Vec<Part> {
    let mut splitter = Splitter { model, all: vec![], next: ANY };
    if let Goal::Defined(p) | Goal::Meant(p) = goal {
        splitter.all.push(Part { hypotheses: vec![], defined: vec![], goal: Goal::Defined(p.clone()) });
    }
    if let Goal::Holds(p) | Goal::Meant(p) = goal {
        splitter.split(p, &[]);
    }
    splitter.all
}

/// The first number of the locals that stand for any values.
const ANY: u32 = u32::MAX / 4;

struct Splitter<'m> {
    model: &'m Model,
    all: Vec<Part>,
    /// Number of the next local that stands for any value.
    next: u32,
}

impl Splitter<'_> {
    /// The body of a universal quantifier for any values. They get names that are nowhere else: a parameter of an event
    /// can be free in hypotheses and bound in the goal.
    fn for_any(&mut self, locals: &[LocalId], body: &Pred) -> Pred {
        let mut names = Replacement::default();
        for local in locals {
            let ty = self.model.locals[local.index()].ty.clone();
            names.locals.insert(*local, ExprKind::Local(LocalId(self.next)).typed(ty, body.span));
            self.next += 1;
        }
        names.in_pred(body)
    }

    fn split(&mut self, p: &Pred, hypotheses: &[Pred]) {
        let not = |p: &Pred| PredKind::Not(Box::new(p.clone())).at(p.span);
        let with = |extra: Pred| [hypotheses, &[extra]].concat();
        match &p.kind {
            PredKind::True => {}
            PredKind::And(list) => {
                let mut hypotheses = hypotheses.to_vec();
                for p in list {
                    self.split(p, &hypotheses);
                    // A conjunct that was a goal may be used for the next.
                    hypotheses.push(p.clone());
                }
            }
            PredKind::Implies(a, b) => self.split(b, &with((**a).clone())),
            PredKind::Forall(locals, body) => {
                let body = self.for_any(locals, body);
                self.split(&body, hypotheses);
            }
            PredKind::Iff(a, b) => {
                self.split(b, &with((**a).clone()));
                self.split(a, &with((**b).clone()));
            }
            PredKind::If(condition, a, b) => {
                self.split(a, &with((**condition).clone()));
                self.split(b, &with(not(condition)));
            }
            PredKind::Not(inner) => match &inner.kind {
                PredKind::Not(p) => self.split(p, hypotheses),
                PredKind::Or(list) => list.iter().for_each(|p| self.split(&not(p), hypotheses)),
                PredKind::Exists(locals, body) => {
                    let body = self.for_any(locals, body);
                    self.split(&not(&body), hypotheses);
                }
                _ => self.part(p.clone(), hypotheses),
            },
            PredKind::Compare(CompareOp::Equal, a, b) => self.split_equation(p, a, b, hypotheses),
            _ => self.part(p.clone(), hypotheses),
        }
    }

    fn split_equation(&mut self, p: &Pred, a: &Expr, b: &Expr, hypotheses: &[Pred]) {
        let compare = |op, a: &Expr, b: &Expr| Pred::compare(op, a.clone(), b.clone(), p.span);
        match (&a.kind, &b.kind) {
            (ExprKind::EmptySet, _) | (_, ExprKind::EmptySet) => self.part(p.clone(), hypotheses),
            (ExprKind::Binary(BinaryOp::Maplet, a1, a2), ExprKind::Binary(BinaryOp::Maplet, b1, b2)) => {
                self.split(&compare(CompareOp::Equal, a1, b1), hypotheses);
                self.split(&compare(CompareOp::Equal, a2, b2), hypotheses);
            }
            _ if matches!(a.ty, Type::Pow(_)) => {
                self.part(compare(CompareOp::Subset, a, b), hypotheses);
                self.part(compare(CompareOp::Subset, b, a), hypotheses);
            }
            _ => self.part(p.clone(), hypotheses),
        }
    }

    fn part(&mut self, p: Pred, hypotheses: &[Pred]) {
        let (hypotheses, defined) = (hypotheses.to_vec(), vec![]);
        self.all.push(Part { hypotheses, defined, goal: Goal::Holds(p) });
    }
}
