//! Partitions of a deferred set into constants: the elements are numbered part by part.
//!
//! Where `S = A \/ B` and `A /\ B = {}` are properties, a renaming makes the elements of `A` the first ones and those
//! of `B` the others. Only the sizes of the parts remain to be chosen, instead of the `2 ** card(S)` ways to choose
//! their elements.

use std::collections::BTreeMap;

use bsym_language::model::{BinaryOp, CompareOp, ConstId, Expr, ExprKind, Model, Pred, PredKind};
use bsym_language::types::CarrierId;

use crate::tuning::tuning;
use crate::value::Value;

/// Parts of a deferred set, each as an interval of its elements.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Parts {
    /// The value of each constant that is a part.
    pub(super) values: BTreeMap<ConstId, Value>,
    /// The first element of each part that is not empty, ascending.
    pub(super) starts: Vec<u32>,
}

/// Returns the constants that partition a set according to the axioms, in the first axiom that names them all.
pub(super) fn partition(model: &Model, carrier: CarrierId) -> Option<Vec<ConstId>> {
    let axioms = model.axiom_parts();
    axioms.iter().find_map(|axiom| match &axiom.kind {
        PredKind::Partition(whole, parts) if is_carrier(whole, carrier) => {
            all_different(parts.iter().map(constant).collect::<Option<_>>()?)
        }
        PredKind::Compare(CompareOp::Equal, left, right) => {
            let union = match (is_carrier(left, carrier), is_carrier(right, carrier)) {
                (true, false) => right,
                (false, true) => left,
                _ => return None,
            };
            let mut parts = vec![];
            united(union, &mut parts)?;
            let parts = all_different(parts)?;
            let disjoint = disjoint_pairs(&parts).all(|(a, b)| axioms.iter().any(|p| are_disjoint(p, a, b)));
            disjoint.then_some(parts)
        }
        _ => None,
    })
}

/// Returns the ways to choose the sizes of the parts of a set of `elements` elements; `None` if there are too many
/// ways.
pub(super) fn by_size(carrier: CarrierId, parts: &[ConstId], elements: usize) -> Option<Vec<Parts>> {
    let elements = u32::try_from(elements).ok()?;
    // The choices so far, with the start of the next part.
    let mut chosen = vec![(Parts::default(), 0)];
    for (i, part) in parts.iter().enumerate() {
        let is_last = i + 1 == parts.len();
        let mut longer = vec![];
        for (before, start) in &chosen {
            for end in if is_last { elements..=elements } else { *start..=elements } {
                let mut with = before.clone();
                let interval = Value::set((*start..end).map(|i| Value::Element(carrier, i)));
                with.values.insert(*part, interval);
                with.starts.extend((end > *start).then_some(*start));
                longer.push((with, end));
            }
            if longer.len() > tuning().answers.partitions {
                return None;
            }
        }
        chosen = longer;
    }
    Some(chosen.into_iter().map(|(parts, _)| parts).collect())
}

fn is_carrier(e: &Expr, carrier: CarrierId) -> bool {
    matches!(e.kind, ExprKind::Carrier(c) if c == carrier)
}

fn constant(e: &Expr) -> Option<ConstId> {
    match e.kind {
        ExprKind::Const(c) => Some(c),
        _ => None,
    }
}

/// Returns the parts if there are at least two and no duplicates.
fn all_different(parts: Vec<ConstId>) -> Option<Vec<ConstId>> {
    let differ = parts.iter().enumerate().all(|(i, p)| !parts[..i].contains(p));
    (differ && parts.len() > 1).then_some(parts)
}

/// Collects the constants of a union of constants.
fn united(e: &Expr, parts: &mut Vec<ConstId>) -> Option<()> {
    if let ExprKind::Binary(BinaryOp::Union, a, b) = &e.kind {
        united(a, parts)?;
        united(b, parts)
    } else {
        parts.push(constant(e)?);
        Some(())
    }
}

fn disjoint_pairs(parts: &[ConstId]) -> impl Iterator<Item = (ConstId, ConstId)> {
    parts.iter().enumerate().flat_map(|(i, a)| parts[..i].iter().map(|b| (*a, *b)))
}

/// Returns whether a predicate is `a /\ b = {}`.
fn are_disjoint(p: &Pred, a: ConstId, b: ConstId) -> bool {
    let PredKind::Compare(CompareOp::Equal, left, right) = &p.kind else { return false };
    let sides = [(left, right), (right, left)];
    sides.into_iter().any(|(both, empty)| match &both.kind {
        ExprKind::Binary(BinaryOp::Intersection, x, y) if matches!(empty.kind, ExprKind::EmptySet) => {
            let (x, y) = (constant(x), constant(y));
            (x, y) == (Some(a), Some(b)) || (x, y) == (Some(b), Some(a))
        }
        _ => false,
    })
}
