//! Weakest preconditions of predicates through the assignments of an event.

use std::collections::BTreeMap;

use bsym_language::model::*;
use bsym_language::walk::{Names, Replacement, Visitor};

use super::predicate::size;
use super::seeds::{Assignments, Conditions};

use crate::tuning::tuning;

/// Weakest preconditions of an atom through the assignments of an event, with its interval-bounded
/// parameters at their bounds. Heuristic: conditions of branches are not kept, predicates need not be true.
pub fn through(event: &Event, atom: &Pred) -> Vec<Pred> {
    let mut assigned = Assignments(vec![]);
    assigned.subst(&event.body);
    let reads = Names::of_pred(atom).variables;
    assigned.0.retain(|(v, _)| reads.contains(v));
    if assigned.0.is_empty() {
        return vec![];
    }
    // A variable assigned in several branches gives one candidate per assignment.
    let mut candidates = vec![];
    let mut by_variable: BTreeMap<VarId, Vec<Expr>> = Default::default();
    for (v, e) in assigned.0 {
        by_variable.entry(v).or_default().push(e);
    }
    let widest = by_variable.values().map(Vec::len).max().unwrap_or(0).min(tuning().invariants.assignments);
    for i in 0..widest {
        let mut replacement = Replacement::default();
        for (v, all) in &by_variable {
            replacement.variables.insert(*v, all[i.min(all.len() - 1)].clone());
        }
        candidates.push(replacement.in_pred(atom));
    }
    let mut conditions = Conditions(vec![]);
    conditions.subst(&event.body);
    let mut found = vec![];
    for candidate in candidates {
        let locals = Names::of_pred(&candidate).locals;
        if locals.is_empty() {
            found.push(candidate);
        } else {
            for upper in [false, true] {
                let mut replacement = Replacement::default();
                for &l in &locals {
                    if let Some(bound) = bound_of(&conditions.0, l, upper) {
                        replacement.locals.insert(l, bound);
                    }
                }
                let closed = replacement.in_pred(&candidate);
                if Names::of_pred(&closed).locals.is_empty() {
                    found.push(closed);
                }
            }
        }
    }
    found.retain(|p| {
        !Names::of_pred(p).variables.is_empty() && size(p) < tuning().invariants.largest_precondition
    });
    found
}

/// A bound of a local from `l : low..high` among the conditions, or a value from `l = e`.
fn bound_of(conditions: &[Pred], l: LocalId, upper: bool) -> Option<Expr> {
    let mut flat = vec![];
    for c in conditions {
        match &c.kind {
            PredKind::And(all) => flat.extend(all.iter()),
            _ => flat.push(c),
        }
    }
    flat.into_iter().find_map(|p| match &p.kind {
        PredKind::Compare(CompareOp::Member, x, set) if x.kind == ExprKind::Local(l) => match &set.kind {
            ExprKind::Binary(BinaryOp::Interval, low, high) => {
                let bound = if upper { high } else { low };
                Names::of_expr(bound).locals.is_empty().then(|| (**bound).clone())
            }
            _ => None,
        },
        PredKind::Compare(CompareOp::Equal, x, e) if x.kind == ExprKind::Local(l) => {
            Names::of_expr(e).locals.is_empty().then(|| (**e).clone())
        }
        _ => None,
    })
}
