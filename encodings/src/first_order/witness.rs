//! Goals that a set exists.
//!
//! First-order logic has no comprehension: the solver knows only sets that have a name. Equations in the goal suggest
//! others: for `#c.(… & x = y \/ c)` it is `x - y`, and for `#c.(… & x = y - c)` it is `y - x`. The goal becomes a
//! disjunction: the body is true for the suggested set, or the original goal is.

use bsym_language::model::visit::{Names, Replacement};
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind};
use bsym_language::types::Type;
use bsym_semantics::value::env::Name;

use super::sequent::replaced;
use super::{Env, Found, Lowering, name_of};
use crate::term::Term;

impl Lowering<'_> {
    /// Returns the formula of a goal. It is equivalent to that of the predicate, and a suggested set is enough to prove
    /// it.
    pub(super) fn goal(&mut self, p: &Pred, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        Ok(match &p.kind {
            PredKind::And(list) => {
                let all = list.iter().map(|p| self.goal(p, env)).collect::<Found<Vec<_>>>()?;
                t.and(all)
            }
            PredKind::Or(list) => {
                let all = list.iter().map(|p| self.goal(p, env)).collect::<Found<Vec<_>>>()?;
                t.or(all)
            }
            PredKind::Implies(a, b) => t.implies(self.pred(a, env)?, self.goal(b, env)?),
            PredKind::Exists(locals, body) => {
                let open = self.pred(p, env)?;
                let suggested = suggested(locals, body);
                if suggested.locals.is_empty() {
                    return Ok(open);
                }
                let Some(body) = replaced(&suggested, body) else { return Ok(open) };
                let left: Vec<LocalId> =
                    locals.iter().copied().filter(|local| !suggested.locals.contains_key(local)).collect();
                let (bound, env) = self.bind(&left, env)?;
                let shown = self.pred(&body, &env)?;
                t.or([self.exists(&bound, shown), open])
            }
            _ => self.pred(p, env)?,
        })
    }
}

/// Returns the sets that equations of the body suggest for locals, at most one for each.
fn suggested(locals: &[LocalId], body: &Pred) -> Replacement {
    let conjuncts = match &body.kind {
        PredKind::And(list) => &list[..],
        _ => std::slice::from_ref(body),
    };
    let mut all = Replacement::default();
    for p in conjuncts {
        let PredKind::Compare(CompareOp::Equal, a, b) = &p.kind else { continue };
        if !matches!(a.ty, Type::Pow(_)) {
            continue;
        }
        for (whole, composed) in [(a, b), (b, a)] {
            let Some((local, set)) = solved(whole, composed) else { continue };
            let is_free = !Names::of_expr(&set).locals.iter().any(|l| locals.contains(l));
            if locals.contains(&local) && is_free {
                all.locals.entry(local).or_insert(set);
            }
        }
    }
    all
}

/// Returns a local that `composed` consists of, and a value of it for which `whole = composed` may be true.
fn solved(whole: &Expr, composed: &Expr) -> Option<(LocalId, Expr)> {
    let local = |e: &Expr| match name_of(e) {
        Some(Name::Local(l)) => Some(l),
        _ => None,
    };
    let minus = |a: &Expr, b: &Expr| {
        let (a, b) = (Box::new(a.clone()), Box::new(b.clone()));
        ExprKind::Binary(BinaryOp::Difference, a, b).typed(whole.ty.clone(), whole.span)
    };
    match &composed.kind {
        ExprKind::Local(l) => Some((*l, whole.clone())),
        ExprKind::Binary(BinaryOp::Union, a, b) => match (local(b), local(a)) {
            (Some(l), _) => Some((l, minus(whole, a))),
            (None, Some(l)) => Some((l, minus(whole, b))),
            (None, None) => None,
        },
        ExprKind::Binary(BinaryOp::Difference, a, b) => Some((local(b)?, minus(a, whole))),
        _ => None,
    }
}
