//! Refinement checks that remain once types are closed: a check that holds trivially is dropped.

use std::collections::BTreeSet;
use std::mem::{replace, take};

use crate::eventb::project::INITIALISATION;
use crate::model::same::{canonical, same_expr};
use crate::model::visit::{Replacement, VisitorMut, binds, walk_subst_mut};
use crate::model::*;
use crate::print;

/// The nearest abstraction.
const ABSTRACTION: ComponentId = ComponentId(1);

/// Removes the checks that hold trivially from initialisation and events, numbers the others in their order and gives
/// them their texts. Removed checks are still owed, except for those in `repeated`.
pub(super) fn settle(model: &mut Model, repeated: &BTreeSet<RefinementId>) {
    let skip = SubstKind::Skip.at(model.initialisation.span);
    let mut initialisation = replace(&mut model.initialisation, skip);
    let mut events = take(&mut model.events);
    let all = take(&mut model.refinement.checks);
    let mut left = Left { model, all, checks: vec![] };
    let first = [(INITIALISATION.to_string(), &mut initialisation)].into_iter();
    for (event, body) in first.chain(events.iter_mut().map(|e| (e.name.clone(), &mut e.body))) {
        let mut dropping = Dropping::default();
        dropping.drop_repeated(body);
        for (id, goal) in dropping.dropped {
            if !repeated.contains(&id) {
                left.owe(&event, id, goal);
            }
        }
        left.subst(body);
    }
    model.refinement.checks = left.checks;
    (model.initialisation, model.events) = (initialisation, events);
}

/// Removes checks that hold anyway: predicates that are a guard already, `E = E`, and earlier checks. Also substitutes
/// values for the names of a `LET` where that binds no name twice.
#[derive(Default)]
struct Dropping {
    /// Known facts, with whether each is a hypothesis. An earlier check is not a hypothesis, because it may fail.
    facts: Vec<(Pred<()>, bool)>,
    /// Choices so far.
    choices: Vec<(Vec<LocalId>, Pred)>,
    /// Removed checks, with the goals that are still to be proved.
    dropped: Vec<(RefinementId, Option<OwedGoal>)>,
}

impl Dropping {
    fn drop_repeated(&mut self, s: &mut Subst) {
        let known = self.facts.len();
        loop {
            let span = s.span;
            let inner = match &mut s.kind {
                SubstKind::Assert(claim, p, body) if let Some(is_hypothesis) = self.holds(p) => {
                    if let Claim::Refinement(id) = claim {
                        let goal = OwedGoal { choices: self.choices.clone(), pred: p.clone() };
                        self.dropped.push((*id, (!is_hypothesis).then_some(goal)));
                    }
                    replace(&mut **body, SubstKind::Skip.at(span))
                }
                SubstKind::Assert(_, p, body) => {
                    self.facts.extend(parts(p).map(|p| (canonical(p), false)));
                    return self.behind(None, body, known);
                }
                SubstKind::Let(list, body) if list.iter().all(|(_, value)| !binds(value)) => {
                    let mut replacement = Replacement::default();
                    replacement.locals.extend(take(list));
                    replacement.in_subst(body)
                }
                _ => break,
            };
            *s = inner;
        }
        match &mut s.kind {
            SubstKind::Select { branches, otherwise: None, .. } if branches.len() == 1 => {
                self.suppose(&branches[0].0);
                self.behind(None, &mut branches[0].1, known);
            }
            SubstKind::Any(_, locals, p, body) => {
                self.suppose(p);
                self.behind(Some((locals.clone(), p.clone())), body, known);
            }
            SubstKind::Let(list, body) => {
                let equation = |(l, value): &(LocalId, Expr)| {
                    let local = ExprKind::Local(*l).typed(value.ty.clone(), value.span);
                    Pred::compare(CompareOp::Equal, local, value.clone(), value.span)
                };
                let equations = Pred::all(list.iter().map(equation).collect(), s.span);
                let locals = list.iter().map(|(l, _)| *l).collect();
                self.behind(Some((locals, equations)), body, known);
            }
            SubstKind::If(branches, other) => {
                let mut others = vec![];
                for (p, body) in branches.iter_mut() {
                    self.suppose(p);
                    self.behind(Some((vec![], p.clone())), body, known);
                    others.push(PredKind::Not(Box::new(p.clone())).at(p.span));
                }
                self.behind(Some((vec![], Pred::all(others, s.span))), other, known);
            }
            _ => {}
        }
    }

    fn behind(&mut self, choice: Option<(Vec<LocalId>, Pred)>, s: &mut Subst, known: usize) {
        let before = self.choices.len();
        self.choices.extend(choice);
        self.drop_repeated(s);
        self.choices.truncate(before);
        self.facts.truncate(known);
    }

    fn suppose(&mut self, p: &Pred) {
        self.facts.extend(parts(p).map(|p| (canonical(p), true)));
    }

    /// Returns whether a predicate is known, and if so, whether hypotheses alone imply it.
    fn holds(&self, p: &Pred) -> Option<bool> {
        let mut all = true;
        for p in parts(p) {
            all &= match &p.kind {
                PredKind::True => true,
                PredKind::Compare(CompareOp::Equal, l, r) if same_expr(l, r) => true,
                _ => {
                    let p = canonical(p);
                    let mut known = self.facts.iter().filter(|f| f.0 == p).map(|f| f.1);
                    let first = known.next()?;
                    first || known.any(|is_hypothesis| is_hypothesis)
                }
            };
        }
        Some(all)
    }
}

fn parts(p: &Pred) -> impl Iterator<Item = &Pred> {
    match &p.kind {
        PredKind::And(list) => list.iter(),
        _ => std::slice::from_ref(p).iter(),
    }
}

/// Collects the checks that are left.
struct Left<'m> {
    model: &'m mut Model,
    all: Vec<RefinementCheck>,
    checks: Vec<RefinementCheck>,
}

impl Left<'_> {
    /// Notes an obligation of an event towards the nearest abstraction that is not checked.
    fn owe(&mut self, event: &str, id: RefinementId, goal: Option<OwedGoal>) {
        let check = &self.all[id.index()];
        let kind = match check.kind {
            RefinementKind::Guard => OwedKind::Guard,
            RefinementKind::Simulation => OwedKind::Simulation,
            RefinementKind::Unchanged => OwedKind::Unchanged,
            RefinementKind::Witness | RefinementKind::Operation | RefinementKind::Precondition => return,
        };
        let (Some(label), ABSTRACTION) = (check.label.clone(), check.origin) else { return };
        self.model.refinement.owed.push(Owed {
            event: event.to_string(),
            kind,
            label,
            span: check.span,
            goal,
        });
    }
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
