//! The paths through a substitution as predicates of B: symbolic execution, which computes the weakest precondition
//! path by path (B-Book, 6.1).
//!
//! A choice has a local of its own that nothing binds, so a sequent about it is about all of its values. What can fail has the
//! place and the kind that the system of terms gives it, so that both say the same of one obligation.
//!
//! Deliberately absent: loops, and what reads a name that has no value yet.

use std::collections::BTreeSet;

use bsym_encodings::system::FailureKind;
use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_language::walk::{Names, Replacement, conjuncts};

/// Paths through one substitution, at most: each is a sequent of its own for every obligation.
const MOST: usize = 64;

/// The first number of the locals that stand for what is chosen.
const CHOSEN: u32 = u32::MAX / 8;

/// What has to hold at a place.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    pub kind: FailureKind,
    pub span: Span,
    /// What is known there.
    pub known: Known,
    /// The predicate, with the values at this place.
    pub pred: Pred,
}

/// What is known at a place.
#[derive(Clone, Default, Debug)]
pub(crate) struct Known {
    pub hypotheses: Vec<Pred>,
    /// Predicates that have a meaning.
    pub defined: Vec<Pred>,
}

/// The end of a path; without a step, the beginning.
#[derive(Clone, Default, Debug)]
pub(crate) struct End {
    pub known: Known,
    /// The values of names in terms of those before.
    pub values: Replacement,
    /// Names without a value.
    unassigned: BTreeSet<Target>,
}

/// All paths through the initialisation or an event, or through the last one of several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    pub ends: Vec<End>,
    pub demands: Vec<Demand>,
    /// The number of the last local that stands for what is chosen.
    last: u32,
}

/// The paths of an event or of the initialisation; `None` if there are too many, or if it has no such paths.
pub(crate) fn paths(model: &Model, event: Option<EventId>) -> Option<Paths> {
    walk(model, event, &Paths { ends: vec![End::default()], demands: vec![], last: CHOSEN })
}

impl Paths {
    /// The paths of an event after these, which are those of the steps before it. All states before it satisfy `known`.
    pub(crate) fn then(&self, model: &Model, event: EventId, known: &[Pred]) -> Option<Paths> {
        let mut before = self.clone();
        for end in &mut before.ends {
            end.unassigned.clear();
            end.values.locals.clear();
            let values = &end.values;
            end.known.hypotheses.extend(known.iter().map(|p| values.in_pred(p)));
        }
        walk(model, Some(event), &before)
    }
}

/// The paths of an event that begin where `before` ends.
fn walk(model: &Model, event: Option<EventId>, before: &Paths) -> Option<Paths> {
    let mut walk = Walk { model, demands: vec![], next: before.last };
    let mut ends = vec![];
    for start in &before.ends {
        ends.extend(walk.event(event, start.clone())?);
        few(&ends)?;
    }
    Some(Paths { ends, demands: walk.demands, last: walk.next })
}

impl Walk<'_> {
    /// The ends of the paths of an event from a place.
    fn event(&mut self, event: Option<EventId>, mut start: End) -> Option<Vec<End>> {
        let model = self.model;
        let body = match event {
            None => {
                start.unassigned.extend((0..model.variables.len() as u32).map(|v| Target::Var(VarId(v))));
                &model.initialisation
            }
            Some(id) => {
                let event = &model.events[id.index()];
                for &p in &event.parameters {
                    let value = self.any(Target::Local(p));
                    start.values.locals.insert(p, value);
                }
                start.unassigned.extend(event.results.iter().map(|r| Target::Local(*r)));
                &event.body
            }
        };
        let ends = self.run(body, start)?;
        let complete = |end: &End| end.unassigned.iter().all(|t| matches!(t, Target::Local(_)));
        ends.iter().all(complete).then_some(ends)
    }
}

struct Walk<'m> {
    model: &'m Model,
    demands: Vec<Demand>,
    next: u32,
}

impl Walk<'_> {
    /// A new name with the type of a target.
    fn any(&mut self, target: Target) -> Expr {
        let Variable { ty, span, .. } = match target {
            Target::Var(v) => self.model.variables[v.index()].clone(),
            Target::Local(l) => self.model.locals[l.index()].clone(),
        };
        self.next += 1;
        ExprKind::Local(LocalId(self.next)).typed(ty, span)
    }

    /// Evaluates an expression: from here on it is well-defined.
    fn expr(&mut self, at: &mut End, e: &Expr) -> Option<Expr> {
        self.readable(at, &Names::of_expr(e))?;
        let value = at.values.in_expr(e);
        let itself = Pred::compare(CompareOp::Equal, value.clone(), value.clone(), e.span);
        self.defined(at, itself);
        Some(value)
    }

    /// Evaluates a predicate: from here on it is well-defined.
    fn pred(&mut self, at: &mut End, p: &Pred) -> Option<Pred> {
        self.readable(at, &Names::of_pred(p))?;
        let p = Pred { span: p.span, ..at.values.in_pred(p) };
        self.defined(at, p.clone());
        Some(p)
    }

    fn defined(&mut self, at: &mut End, pred: Pred) {
        self.demand(FailureKind::IllDefined, at, pred.clone());
        if bsym_status::may_lack_meaning(&pred) {
            at.known.defined.push(pred);
        }
    }

    fn demand(&mut self, kind: FailureKind, at: &End, pred: Pred) {
        self.demands.push(Demand { kind, span: pred.span, known: at.known.clone(), pred });
    }

    fn readable(&self, at: &End, names: &Names) -> Option<()> {
        let is_assigned = |t: &Target| match t {
            Target::Var(v) => !names.variables.contains(v),
            Target::Local(l) => !names.locals.contains(l),
        };
        at.unassigned.iter().all(is_assigned).then_some(())
    }

    /// Goes on where a predicate is true, conjunct by conjunct.
    fn guard(&mut self, at: &mut End, p: &Pred) -> Option<()> {
        for conjunct in conjuncts(p) {
            let p = self.pred(at, conjunct)?;
            at.known.hypotheses.push(p);
        }
        Some(())
    }

    /// The ends of the paths through a substitution.
    fn run(&mut self, s: &Subst, mut at: End) -> Option<Vec<End>> {
        let ends = match &s.kind {
            SubstKind::Skip => vec![at],
            SubstKind::Assign(list) => {
                let mut values = vec![];
                for (target, e) in list {
                    values.push((*target, self.expr(&mut at, e)?));
                }
                values.into_iter().for_each(|(target, value)| at.assign(target, value));
                vec![at]
            }
            SubstKind::BecomesIn(_, targets, set) => {
                let set = self.expr(&mut at, set)?;
                let values: Vec<Expr> = targets.iter().map(|t| self.any(*t)).collect();
                let couple = values.iter().cloned().reduce(Expr::couple)?;
                at.known.hypotheses.push(Pred::compare(CompareOp::Member, couple, set, s.span));
                targets.iter().zip(values).for_each(|(t, value)| at.assign(*t, value));
                vec![at]
            }
            SubstKind::BecomesSuch(_, targets, p) => {
                let mut inner = at.clone();
                for (i, variable) in self.model.variables.iter().enumerate() {
                    let v = VarId(i as u32);
                    let before = at.values.variables.get(&v).cloned();
                    let before =
                        before.unwrap_or_else(|| ExprKind::Var(v).typed(variable.ty.clone(), p.span));
                    inner.values.old.insert(v, before);
                }
                let mut values = vec![];
                for (target, local) in targets {
                    let value = self.any(*target);
                    inner.values.locals.insert(*local, value.clone());
                    values.push((*target, value));
                }
                self.guard(&mut inner, p)?;
                at.known = inner.known;
                values.into_iter().for_each(|(target, value)| at.assign(target, value));
                vec![at]
            }
            SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
                let kind = match &s.kind {
                    SubstKind::Assert(Claim::Assertion, ..) => FailureKind::Assert,
                    SubstKind::Assert(Claim::Refinement(id), ..) => FailureKind::Refinement(*id),
                    _ => FailureKind::Precondition,
                };
                let p = self.pred(&mut at, p)?;
                self.demand(kind, &at, p.clone());
                at.known.hypotheses.push(p);
                self.run(body, at)?
            }
            SubstKind::Choice(_, branches) => {
                let mut ends = vec![];
                for branch in branches {
                    ends.extend(self.run(branch, at.clone())?);
                }
                ends
            }
            SubstKind::If(branches, otherwise) => {
                let mut ends = vec![];
                for (condition, body) in branches {
                    let p = self.pred(&mut at, condition)?;
                    let mut yes = at.clone();
                    yes.known.hypotheses.push(p.clone());
                    ends.extend(self.run(body, yes)?);
                    at.known.hypotheses.push(not(p));
                }
                ends.extend(self.run(otherwise, at)?);
                ends
            }
            SubstKind::Select { branches, otherwise, .. } => {
                let mut ends = vec![];
                for (guard, body) in branches {
                    let mut inner = at.clone();
                    match (&branches[..], otherwise) {
                        // The guard decides, as a condition does.
                        ([_], Some(_)) => {
                            let p = self.pred(&mut inner, guard)?;
                            inner.known.hypotheses.push(p);
                        }
                        _ => self.guard(&mut inner, guard)?,
                    }
                    ends.extend(self.run(body, inner)?);
                }
                if let Some(last) = otherwise {
                    for (guard, _) in branches {
                        let p = at.values.in_pred(guard);
                        at.known.defined.push(p.clone());
                        at.known.hypotheses.push(not(p));
                    }
                    ends.extend(self.run(last, at)?);
                }
                ends
            }
            SubstKind::Any(_, locals, p, body) => {
                for &local in locals {
                    let value = self.any(Target::Local(local));
                    at.values.locals.insert(local, value);
                }
                self.guard(&mut at, p)?;
                self.run(body, at)?
            }
            SubstKind::Let(list, body) => {
                for (local, e) in list {
                    let value = self.expr(&mut at, e)?;
                    at.values.locals.insert(*local, value);
                }
                self.run(body, at)?
            }
            SubstKind::Var(locals, body) => {
                at.unassigned.extend(locals.iter().map(|l| Target::Local(*l)));
                let mut ends = self.run(body, at)?;
                for end in &mut ends {
                    locals.iter().for_each(|l| {
                        end.unassigned.remove(&Target::Local(*l));
                    });
                }
                ends
            }
            SubstKind::Sequence(parts) => {
                let mut ends = vec![at];
                for part in parts {
                    let mut next = vec![];
                    for end in ends {
                        next.extend(self.run(part, end)?);
                    }
                    ends = next;
                    few(&ends)?;
                }
                ends
            }
            SubstKind::Parallel(parts) => {
                // All read the state before; what fails, fails first where it is written first.
                let mut ends = vec![at.clone()];
                for part in parts {
                    let mut next = vec![];
                    for end in ends {
                        let here = End { known: end.known.clone(), ..at.clone() };
                        for own in self.run(part, here)? {
                            next.push(end.beside(own, part));
                        }
                    }
                    ends = next;
                    few(&ends)?;
                }
                ends
            }
            SubstKind::While { .. } => return None,
        };
        few(&ends)?;
        Some(ends)
    }
}

impl End {
    fn assign(&mut self, target: Target, value: Expr) {
        self.unassigned.remove(&target);
        match target {
            Target::Var(v) => self.values.variables.insert(v, value),
            Target::Local(l) => self.values.locals.insert(l, value),
        };
    }

    /// The end where `part`, which ends as `own`, is executed beside what leads here.
    fn beside(&self, own: End, part: &Subst) -> End {
        let mut all = End { known: own.known, ..self.clone() };
        let written = Names::of_subst(part);
        let variables = written.written.iter().map(|v| Target::Var(*v));
        for target in variables.chain(written.written_locals.iter().map(|l| Target::Local(*l))) {
            let value = match target {
                Target::Var(v) => own.values.variables.get(&v),
                Target::Local(l) => own.values.locals.get(&l),
            };
            match value {
                Some(value) if !own.unassigned.contains(&target) => all.assign(target, value.clone()),
                _ => {}
            }
        }
        all
    }
}

fn few(ends: &[End]) -> Option<()> {
    (ends.len() <= MOST).then_some(())
}

fn not(p: Pred) -> Pred {
    let span = p.span;
    PredKind::Not(Box::new(p)).at(span)
}
