//! Carrier sets whose elements the axioms name, and how large the others must at least be.

use std::collections::BTreeSet;

use crate::ast::{BinaryOp, BuiltinFn, Expr, ExprKind, Ident, UnaryOp};
use crate::eventb::project::Formula;
use crate::model::types::CarrierId;
use crate::model::{self, Carrier, CarrierKind, CompareOp, ExprKind as Typed, Pred, PredKind};

/// Returns the elements of a carrier set, if the axioms say `partition(S, {a}, {b}, …)`, also by way of constants that
/// are partitioned in turn, or `S = {a, b, …}` together with `a /= b` for all of them or with `card(S) = n`.
pub(super) fn elements<'a>(set: &str, axioms: &[&'a Formula], constants: &[&Ident]) -> Option<Vec<&'a str>> {
    let conjuncts: Vec<&Expr> = axioms.iter().flat_map(|a| conjuncts(&a.tree)).collect();
    let is_constant = |name: &&str| constants.iter().any(|c| c.name == **name);
    let named = |found: Vec<&'a str>| {
        let distinct = found.iter().enumerate().all(|(i, n)| !found[..i].contains(n));
        (distinct && !found.is_empty() && found.iter().all(is_constant)).then_some(found)
    };
    if let Some(found) = partition(set, &conjuncts, constants.len()).and_then(named) {
        return Some(found);
    }
    let extension = conjuncts.iter().find_map(|e| {
        let ExprKind::Binary(BinaryOp::Equal, l, r) = &e.kind else { return None };
        let items = match (&l.kind, &r.kind) {
            (ExprKind::Ident(n), ExprKind::SetExtension(items)) if n == set => items,
            (ExprKind::SetExtension(items), ExprKind::Ident(n)) if n == set => items,
            _ => return None,
        };
        items.iter().map(name).collect::<Option<Vec<_>>>()
    });
    let found = extension.and_then(named)?;
    let different = |a: &str, b: &str| {
        conjuncts.iter().any(|e| {
            let (l, r) = match &e.kind {
                ExprKind::Binary(BinaryOp::NotEqual, l, r) => (l, r),
                ExprKind::Unary(UnaryOp::Not, p) => match &p.kind {
                    ExprKind::Binary(BinaryOp::Equal, l, r) => (l, r),
                    _ => return false,
                },
                _ => return false,
            };
            is_name(l, a) && is_name(r, b) || is_name(l, b) && is_name(r, a)
        })
    };
    let counted = conjuncts.iter().any(|e| {
        let ExprKind::Binary(BinaryOp::Equal, l, r) = &e.kind else { return false };
        [(l, r), (r, l)].iter().any(|(card, n)| {
            matches!(&card.kind, ExprKind::Builtin(BuiltinFn::Card, s) if s.len() == 1 && is_name(&s[0], set))
                && matches!(&n.kind, ExprKind::Integer(n) if *n == found.len().to_string())
        })
    });
    let all = found.iter().enumerate().all(|(i, a)| found[..i].iter().all(|b| different(a, b)));
    (counted || all).then_some(found)
}

/// The singletons that partition a set, or partition its parts, `depth` levels down.
fn partition<'a>(set: &str, conjuncts: &[&'a Expr], depth: usize) -> Option<Vec<&'a str>> {
    conjuncts.iter().find_map(|e| {
        let ExprKind::Builtin(BuiltinFn::Partition, parts) = &e.kind else { return None };
        let (_, parts) = parts.split_first().filter(|(whole, _)| is_name(whole, set))?;
        let elements = parts.iter().map(|part| match single(part) {
            Some(element) => Some(vec![element]),
            None => partition(name(part)?, conjuncts, depth.checked_sub(1)?),
        });
        Some(elements.collect::<Option<Vec<_>>>()?.concat())
    })
}

/// Returns whether an axiom follows from the enumerated sets of the model: their elements, and that these are distinct.
pub(super) fn is_settled<T>(p: &Pred<T>, carriers: &[Carrier]) -> bool {
    let size = |c: CarrierId| match &carriers[c.index()].kind {
        CarrierKind::Enumerated(names) => Some(names.len()),
        CarrierKind::Deferred => None,
    };
    let element = |e: &model::Expr<T>| match e.kind {
        Typed::Element(c, i) => Some((c, i)),
        _ => None,
    };
    // All elements of the set, each once.
    let all = |set: &model::Expr<T>, items: Vec<Option<(CarrierId, u32)>>| match set.kind {
        Typed::Carrier(c) => {
            let found: Option<BTreeSet<_>> = items.iter().copied().collect();
            found.is_some_and(|f| f.len() == items.len() && Some(f.len()) == size(c))
        }
        _ => false,
    };
    match &p.kind {
        PredKind::True => true,
        PredKind::And(parts) => parts.iter().all(|p| is_settled(p, carriers)),
        PredKind::Partition(set, parts) => {
            let single = |e: &model::Expr<T>| match &e.kind {
                Typed::SetExtension(items) if items.len() == 1 => element(&items[0]),
                _ => None,
            };
            all(set, parts.iter().map(single).collect())
        }
        PredKind::Compare(CompareOp::Equal, l, r) => [(l, r), (r, l)].iter().any(|(set, e)| match &e.kind {
            Typed::SetExtension(items) => all(set, items.iter().map(element).collect()),
            _ => false,
        }),
        PredKind::Compare(CompareOp::NotEqual, l, r) => {
            matches!((element(l), element(r)), (Some(a), Some(b)) if a != b)
        }
        PredKind::Not(p) => match &p.kind {
            PredKind::Compare(CompareOp::Equal, l, r) => {
                matches!((element(l), element(r)), (Some(a), Some(b)) if a != b)
            }
            _ => false,
        },
        PredKind::Compare(CompareOp::Member, l, r) => {
            element(l).is_some() && matches!(r.kind, Typed::Carrier(_))
        }
        PredKind::Finite(set) => matches!(set.kind, Typed::Carrier(c) if size(c).is_some()),
        _ => false,
    }
}

fn conjuncts(e: &Expr) -> Vec<&Expr> {
    let (mut found, mut todo) = (vec![], vec![e]);
    while let Some(e) = todo.pop() {
        match &e.kind {
            ExprKind::Binary(BinaryOp::And, l, r) => todo.extend([&**r, &**l]),
            _ => found.push(e),
        }
    }
    found
}

fn name(e: &Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::Ident(n) => Some(n),
        _ => None,
    }
}

fn is_name(e: &Expr, wanted: &str) -> bool {
    name(e) == Some(wanted)
}

fn single(e: &Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::SetExtension(items) if items.len() == 1 => name(&items[0]),
        _ => None,
    }
}
