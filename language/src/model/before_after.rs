//! Before-after predicates: a substitution as a predicate of B on the values before and after it (B-Book, 6.3.2:
//! `prd`).

use std::collections::{BTreeMap, BTreeSet};

use crate::model::visit::{Names, Replacement};
use crate::model::*;
use crate::text::source::Span;

/// Names of the values after: of variables and of results.
pub type After = BTreeMap<Target, Expr>;

/// Returns the before-after predicate of a substitution that writes at most the targets of `after`. It is true of the
/// values that an execution can lead to, and of all values where the execution may do anything.
///
/// `None` for sequences whose parts build on each other, local variables and loops.
pub fn before_after(s: &Subst, after: &After) -> Option<Pred> {
    let all: BTreeSet<Target> = after.keys().copied().collect();
    Writer { after }.pred(s, &all)
}

struct Writer<'a> {
    after: &'a After,
}

impl Writer<'_> {
    fn pred(&self, s: &Subst, frame: &BTreeSet<Target>) -> Option<Pred> {
        let span = s.span;
        Some(match &s.kind {
            SubstKind::Skip => self.unchanged(frame, span),
            SubstKind::Assign(list) => {
                let mut rest = frame.clone();
                let mut parts = vec![];
                for (target, value) in list {
                    rest.remove(target);
                    parts.push(Pred::compare(CompareOp::Equal, self.value(target)?, value.clone(), span));
                }
                parts.push(self.unchanged(&rest, span));
                Pred::all(parts, span)
            }
            SubstKind::BecomesIn(_, targets, set) => {
                let values: Option<Vec<Expr>> = targets.iter().map(|t| self.value(t)).collect();
                let couple = values?.into_iter().reduce(|l, r| {
                    let ty = types::Type::Pair(Box::new(l.ty.clone()), Box::new(r.ty.clone()));
                    ExprKind::Binary(BinaryOp::Maplet, Box::new(l), Box::new(r)).typed(ty, span)
                })?;
                let rest = frame.iter().filter(|t| !targets.contains(t)).copied().collect();
                let chosen = Pred::compare(CompareOp::Member, couple, set.clone(), span);
                Pred::all(vec![chosen, self.unchanged(&rest, span)], span)
            }
            SubstKind::BecomesSuch(_, list, p) => {
                let mut names = Replacement::default();
                let mut rest = frame.clone();
                for (target, local) in list {
                    rest.remove(target);
                    let value = self.value(target)?;
                    if let Target::Var(v) = target {
                        names.old.insert(*v, ExprKind::Var(*v).typed(value.ty.clone(), span));
                    }
                    names.locals.insert(*local, value);
                }
                Pred::all(vec![names.in_pred(p), self.unchanged(&rest, span)], span)
            }
            SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
                PredKind::Implies(Box::new(p.clone()), Box::new(self.pred(body, frame)?)).at(span)
            }
            SubstKind::Choice(_, branches) => {
                let branches: Option<Vec<Pred>> = branches.iter().map(|b| self.pred(b, frame)).collect();
                PredKind::Or(branches?).at(span)
            }
            SubstKind::If(branches, other) => {
                let mut before = vec![];
                let mut ways = vec![];
                for (condition, body) in branches {
                    let mut way = before.clone();
                    way.extend([condition.clone(), self.pred(body, frame)?]);
                    ways.push(Pred::all(way, span));
                    before.push(PredKind::Not(Box::new(condition.clone())).at(span));
                }
                before.push(self.pred(other, frame)?);
                ways.push(Pred::all(before, span));
                PredKind::Or(ways).at(span)
            }
            SubstKind::Select { branches, otherwise, .. } => {
                let mut ways = vec![];
                for (guard, body) in branches {
                    ways.push(Pred::all(vec![guard.clone(), self.pred(body, frame)?], span));
                }
                if let Some(other) = otherwise {
                    let none = branches.iter().map(|(g, _)| PredKind::Not(Box::new(g.clone())).at(span));
                    let mut way: Vec<Pred> = none.collect();
                    way.push(self.pred(other, frame)?);
                    ways.push(Pred::all(way, span));
                }
                if ways.len() == 1 { ways.remove(0) } else { PredKind::Or(ways).at(span) }
            }
            SubstKind::Any(_, locals, p, body) => {
                let body = Pred::all(vec![p.clone(), self.pred(body, frame)?], span);
                PredKind::Exists(locals.clone(), Box::new(body)).at(span)
            }
            SubstKind::Let(list, body) => {
                let mut names = Replacement::default();
                let body = self.pred(body, frame)?;
                names.locals.extend(list.iter().cloned());
                names.in_pred(&body)
            }
            SubstKind::Parallel(list) => self.side_by_side(list, frame, span)?,
            SubstKind::Sequence(list) => {
                let mut written: BTreeSet<VarId> = BTreeSet::new();
                for part in list {
                    let names = Names::of_subst(part);
                    let builds = names.variables.iter().chain(&names.written).any(|v| written.contains(v));
                    if builds || (!names.written_locals.is_empty() && list.len() > 1) {
                        return None;
                    }
                    written.extend(names.written);
                }
                self.side_by_side(list, frame, span)?
            }
            SubstKind::Var(..) | SubstKind::While { .. } => return None,
        })
    }

    /// Parts that write different targets.
    fn side_by_side(&self, list: &[Subst], frame: &BTreeSet<Target>, span: Span) -> Option<Pred> {
        let mut rest = frame.clone();
        let mut parts = vec![];
        for part in list {
            let names = Names::of_subst(part);
            let written = names.written.iter().map(|v| Target::Var(*v));
            let locals = names.written_locals.iter().map(|l| Target::Local(*l));
            let own: BTreeSet<Target> = written.chain(locals).filter(|t| rest.remove(t)).collect();
            parts.push(self.pred(part, &own)?);
        }
        parts.push(self.unchanged(&rest, span));
        Some(Pred::all(parts, span))
    }

    fn value(&self, target: &Target) -> Option<Expr> {
        self.after.get(target).cloned()
    }

    /// A result that is not written has any value.
    fn unchanged(&self, targets: &BTreeSet<Target>, span: Span) -> Pred {
        let same = targets.iter().filter_map(|target| {
            let Target::Var(v) = target else { return None };
            let after = self.value(target)?;
            let before = ExprKind::Var(*v).typed(after.ty.clone(), span);
            Some(Pred::compare(CompareOp::Equal, after, before, span))
        });
        Pred::all(same.collect(), span)
    }
}

/// Returns the conjuncts of a predicate, at any depth of `&`, without those that are plainly true.
pub fn conjuncts(p: &Pred) -> Vec<&Pred> {
    match &p.kind {
        PredKind::And(list) => list.iter().flat_map(conjuncts).collect(),
        PredKind::True => vec![],
        PredKind::Compare(CompareOp::Equal, l, r) if same::same_expr(l, r) => vec![],
        _ => vec![p],
    }
}

/// Simplifies a predicate by removing bound names that an equation determines (one-point rule), at its outermost
/// quantifiers.
pub fn without_determined(p: &Pred) -> Pred {
    let parts: Vec<Pred> = conjuncts(p).into_iter().map(simplified).collect();
    Pred::all(parts.iter().flat_map(conjuncts).cloned().collect(), p.span)
}

fn simplified(p: &Pred) -> Pred {
    match &p.kind {
        PredKind::Exists(locals, body) => {
            let (mut locals, mut body) = (locals.clone(), without_determined(body));
            while let Some((local, value)) = determined(&locals, &body) {
                let names = Replacement { locals: [(local, value)].into(), ..Replacement::default() };
                locals.retain(|l| *l != local);
                body = without_determined(&names.in_pred(&body));
            }
            if locals.is_empty() { body } else { PredKind::Exists(locals, Box::new(body)).at(p.span) }
        }
        PredKind::Or(list) => PredKind::Or(list.iter().map(without_determined).collect()).at(p.span),
        PredKind::Implies(l, r) => PredKind::Implies(l.clone(), Box::new(without_determined(r))).at(p.span),
        _ => p.clone(),
    }
}

fn determined(locals: &[LocalId], body: &Pred) -> Option<(LocalId, Expr)> {
    conjuncts(body).into_iter().find_map(|p| {
        let PredKind::Compare(CompareOp::Equal, l, r) = &p.kind else { return None };
        [(l, r), (r, l)].into_iter().find_map(|(name, value)| match name.kind {
            ExprKind::Local(local)
                if locals.contains(&local)
                    && locals.iter().all(|l| !Names::of_expr(value).locals.contains(l)) =>
            {
                Some((local, (**value).clone()))
            }
            _ => None,
        })
    })
}
