//! Obligations of a refinement that no step is checked for, as Rodin lists them.
//!
//! Its rules (`org.eventb.internal.core.pog.modules` of Rodin): a guard or an action of the abstraction makes an
//! obligation unless the concrete event has the same formula. A witness makes one about its value unless it is `p = E`
//! without `p` in `E`. The abstract guards and actions are required for all values of the other witnesses, and for all
//! values of names without a witness.

use super::actions::conjunction;
use super::follow::{Abstract, Demand, Whole};
use super::*;
use crate::ast::visit::{FreeNames, VisitorMut, walk_expr_mut};
use crate::ast::{self, BinaryOp as Infix};
use crate::eventb::project::{Action, ActionKind, Event as Source, Formula};
use crate::model::truth::is_whole_type;
use crate::model::visit::{Names, Replacement, binds};
use crate::model::{Owed, OwedGoal, OwedKind};

impl Composer<'_> {
    /// Notes the obligations of an event towards `a`, an abstract event whose choices are `chosen`. Of merged events
    /// only the witnesses are separate.
    pub(super) fn owe(
        &mut self,
        e: &Source,
        a: &Abstract<'_>,
        witnesses: &[Whole<'_>],
        chosen: &[LocalId],
        merged: bool,
    ) {
        for w in witnesses {
            let spoken = spoken(&w.pred, chosen);
            let span = w.formula.tree.span;
            let pred = self.for_all(&spoken, vec![], w.pred.clone());
            self.note_owed(e, OwedKind::Meaning, &w.id.name, span, pred);
            let own = spoken.iter().all(|l| self.c.model.locals[l.index()].name == w.id.name);
            if own && !gives_value(&w.id.name, &w.formula.tree) && !says_a_type(&w.pred) {
                let pred =
                    if spoken.is_empty() { w.pred.clone() } else { self.exists(&spoken, w.pred.clone()) };
                self.note_owed(e, OwedKind::Witness, &w.id.name, span, with_values(pred, a));
            }
        }
        let (known, demanded): (Vec<&Demand>, Vec<&Demand>) =
            a.choice.iter().partition(|d| d.check.kind == RefinementKind::Witness);
        for d in demanded.into_iter().filter(|d| !merged && !d.is_repeated && !says_a_type(&d.pred)) {
            let Some(label) = d.check.label.clone() else { continue };
            let kind = match d.check.kind {
                RefinementKind::Guard => OwedKind::Guard,
                _ => OwedKind::Simulation,
            };
            let known = known.iter().map(|d| d.pred.clone()).collect();
            let pred = self.for_all(&a.chosen.clone(), known, d.pred.clone());
            self.note_owed(e, kind, &label, d.check.span, with_values(pred, a));
        }
    }

    /// Adds the choices of a concrete event to the obligations noted from position `from` on.
    pub(super) fn behind(&mut self, from: usize, choices: &[(Vec<LocalId>, Pred)]) {
        for owed in &mut self.c.model.refinement.owed[from..] {
            if let Some(goal) = &mut owed.goal {
                goal.choices = choices.to_vec();
            }
        }
    }

    fn note_owed(&mut self, e: &Source, kind: OwedKind, label: &str, span: Span, pred: Pred) {
        let (event, label) = (e.name.name.clone(), label.to_string());
        let goal = Some(OwedGoal { choices: vec![], pred });
        self.c.model.refinement.owed.push(Owed { event, kind, label, span, goal });
    }

    /// `known => p` for all values of those of the locals that are spoken of.
    fn for_all(&mut self, locals: &[LocalId], known: Vec<Pred>, p: Pred) -> Pred {
        let span = p.span;
        let p = match known.is_empty() {
            true => p,
            false => PredKind::Implies(Box::new(conjunction(known, span)), Box::new(p)).at(span),
        };
        let locals = spoken(&p, locals);
        if locals.is_empty() {
            return p;
        }
        let (fresh, p) = self.renamed(&locals, p);
        PredKind::Forall(fresh, Box::new(p)).at(span)
    }
}

/// Those of the locals that are free in a predicate.
fn spoken(p: &Pred, locals: &[LocalId]) -> Vec<LocalId> {
    let free = Names::of_pred(p).locals;
    locals.iter().filter(|l| free.contains(l)).copied().collect()
}

/// A predicate with the values that witnesses give.
fn with_values(p: Pred, a: &Abstract<'_>) -> Pred {
    a.given.iter().rev().fold(p, |p, (l, value)| {
        if binds(value) {
            let span = p.span;
            return PredKind::Let(vec![(*l, value.clone())], Box::new(p)).at(span);
        }
        let mut replacement = Replacement::default();
        replacement.locals.insert(*l, value.clone());
        replacement.in_pred(&p)
    })
}

/// Returns whether a witness is `name = E` without the name in `E`.
fn gives_value(name: &str, witness: &ast::Expr) -> bool {
    let ast::ExprKind::Binary(Infix::Equal, l, r) = &witness.kind else { return false };
    matches!(&l.kind, ast::ExprKind::Ident(n) if n == name) && !FreeNames::of_expr(r).contains(name)
}

/// Returns whether a predicate is `true`, or states that a value has its type: Rodin has no obligation with such a
/// goal.
pub(super) fn says_a_type(p: &Pred) -> bool {
    match &p.kind {
        PredKind::True => true,
        PredKind::Compare(CompareOp::Member | CompareOp::Subset, _, set) => is_whole_type(set),
        _ => false,
    }
}

/// Returns whether an event has a guard of an abstract one, as it is written.
pub(super) fn has_guard(e: &Source, guard: &Formula) -> bool {
    let tree = without_places(&guard.tree);
    e.guards.iter().any(|own| without_places(&own.tree) == tree)
}

/// Returns whether an event has the action of an abstract one at this place, as it is written, so that there is no
/// obligation of simulation. `before` is the number of preceding abstract actions that have an obligation: Rodin uses
/// it as the position among all abstract actions, and makes an obligation of the action unless the event has the one at
/// that position as well.
pub(super) fn has_action(e: &Source, abstraction: &Source, span: Span, before: usize) -> bool {
    let has = |action: Option<&Action>| {
        action.is_some_and(|action| {
            let kind = bare(action);
            e.actions.iter().any(|own| bare(own) == kind)
        })
    };
    has(abstraction.actions.iter().find(|a| a.span == span)) && has(abstraction.actions.get(before))
}

fn bare(action: &Action) -> ActionKind {
    let names = |ids: &[Ident]| {
        ids.iter().map(|id| Ident { name: id.name.clone(), span: Span::default() }).collect::<Vec<_>>()
    };
    let all = |list: &[ast::Expr]| list.iter().map(without_places).collect::<Vec<_>>();
    match &action.kind {
        ActionKind::Assign(left, right) => ActionKind::Assign(all(left), all(right)),
        ActionKind::BecomesIn(ids, set) => ActionKind::BecomesIn(names(ids), without_places(set)),
        ActionKind::BecomesSuch(ids, p) => ActionKind::BecomesSuch(names(ids), without_places(p)),
    }
}

/// A formula without its places in the text.
fn without_places(e: &ast::Expr) -> ast::Expr {
    struct Placeless;
    impl<'t> VisitorMut<'t> for Placeless {
        fn expr(&mut self, e: &'t mut ast::Expr) {
            e.span = Span::default();
            if let ast::ExprKind::Operator(name, _) = &mut e.kind {
                name.span = Span::default();
            }
            walk_expr_mut(self, e);
        }
        fn name(&mut self, name: &'t mut Ident) {
            name.span = Span::default();
        }
        fn enter(&mut self, ids: &mut [Ident]) {
            ids.iter_mut().for_each(|id| id.span = Span::default());
        }
    }
    let mut e = e.clone();
    Placeless.expr(&mut e);
    e
}
