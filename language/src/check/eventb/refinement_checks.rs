//! Which refinement checks are left once types are closed: what holds by itself is not checked.

use std::mem::{replace, take};

use crate::model::same::{canonical, same_expr};
use crate::model::visit::{Replacement, VisitorMut, binds, walk_subst_mut};
use crate::model::*;
use crate::print;

/// Takes the checks that hold by themselves out of initialisation and events, numbers the others in their order and
/// gives them their texts.
pub(super) fn settle(model: &mut Model) {
    let skip = SubstKind::Skip.at(model.initialisation.span);
    let mut initialisation = replace(&mut model.initialisation, skip);
    let mut events = take(&mut model.events);
    let all = take(&mut model.refinement_checks);
    let mut left = Left { model, all, checks: vec![] };
    for body in [&mut initialisation].into_iter().chain(events.iter_mut().map(|e| &mut e.body)) {
        drop_repeated(body, &mut vec![]);
        left.subst(body);
    }
    model.refinement_checks = left.checks;
    (model.initialisation, model.events) = (initialisation, events);
}

/// Takes out what is checked although it holds: predicates that are a guard already, `E = E`; and writes
/// values for the names of a `LET` where no name is bound twice by that.
fn drop_repeated(s: &mut Subst, facts: &mut Vec<Pred<()>>) {
    let known = facts.len();
    loop {
        let span = s.span;
        let inner = match &mut s.kind {
            SubstKind::Assert(_, p, body) if holds(p, facts) => {
                std::mem::replace(&mut **body, SubstKind::Skip.at(span))
            }
            SubstKind::Assert(_, p, body) => {
                facts.extend(parts(p).map(canonical));
                return drop_repeated_in(body, facts, known);
            }
            SubstKind::Let(list, body) if list.iter().all(|(_, value)| !binds(value)) => {
                let mut replacement = Replacement::default();
                replacement.locals.extend(std::mem::take(list));
                replacement.in_subst(body)
            }
            _ => break,
        };
        *s = inner;
    }
    match &mut s.kind {
        SubstKind::Select { branches, otherwise: None, .. } if branches.len() == 1 => {
            facts.extend(parts(&branches[0].0).map(canonical));
            drop_repeated_in(&mut branches[0].1, facts, known);
        }
        SubstKind::Any(_, _, p, body) => {
            facts.extend(parts(p).map(canonical));
            drop_repeated_in(body, facts, known);
        }
        SubstKind::Let(_, body) => drop_repeated_in(body, facts, known),
        SubstKind::If(branches, other) => {
            for (p, body) in branches.iter_mut() {
                facts.extend(parts(p).map(canonical));
                drop_repeated_in(body, facts, known);
            }
            drop_repeated_in(other, facts, known);
        }
        _ => {}
    }
}

fn drop_repeated_in(s: &mut Subst, facts: &mut Vec<Pred<()>>, known: usize) {
    drop_repeated(s, facts);
    facts.truncate(known);
}

fn parts(p: &Pred) -> impl Iterator<Item = &Pred> {
    match &p.kind {
        PredKind::And(list) => list.iter(),
        _ => std::slice::from_ref(p).iter(),
    }
}

fn holds(p: &Pred, facts: &[Pred<()>]) -> bool {
    parts(p).all(|p| match &p.kind {
        PredKind::True => true,
        PredKind::Compare(CompareOp::Equal, l, r) if same_expr(l, r) => true,
        _ => facts.contains(&canonical(p)),
    })
}

/// Collects the checks that are left.
struct Left<'m> {
    model: &'m Model,
    all: Vec<RefinementCheck>,
    checks: Vec<RefinementCheck>,
}

impl VisitorMut for Left<'_> {
    fn expr(&mut self, _: &mut Expr) {}
    fn pred(&mut self, _: &mut Pred) {}
    fn subst(&mut self, s: &mut Subst) {
        if let SubstKind::Assert(Claim::Refinement(id), p, _) = &mut s.kind {
            let mut check = self.all[id.index()].clone();
            if check.text.is_empty() || check.text.ends_with(' ') {
                let text = match &p.kind {
                    PredKind::Compare(_, _, r) if check.text.ends_with(' ') => print::expr(self.model, r),
                    _ => print::pred(self.model, p),
                };
                check.text.push_str(&text);
            }
            *id = RefinementId(self.checks.len() as u32);
            self.checks.push(check);
        }
        walk_subst_mut(self, s);
    }
}
