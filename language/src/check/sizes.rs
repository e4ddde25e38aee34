//! Sizes of deferred sets that the axioms tell: `card(S) = n`, `S = {a, b}`, `f : S >->> E`.

use crate::int::Int;
use crate::model::types::CarrierId;
use crate::model::*;
use crate::tuning::tuning;

/// Reads `card(S) = n` from the axioms, or the least size that `card(S) > n` and `card(S) >= n` allow; a
/// `scope_S` definition is stronger.
pub(super) fn of_deferred_sets(model: &mut Model) {
    let (mut exact, mut least) = (vec![], vec![]);
    for part in model.axiom_parts() {
        let PredKind::Compare(op, l, r) = &part.kind else { continue };
        for (card, n, card_first) in [(l, r, true), (r, l, false)] {
            if let (ExprKind::Unary(UnaryOp::Card, set), ExprKind::Integer(n)) = (&card.kind, &n.kind)
                && let ExprKind::Carrier(c) = set.kind
                && let Some(n) = n.to_usize()
            {
                match (op, card_first) {
                    (CompareOp::Equal, _) => exact.push((c, n)),
                    (CompareOp::GreaterEqual, true) | (CompareOp::LessEqual, false) => least.push((c, n)),
                    (CompareOp::Greater, true) | (CompareOp::Less, false) => least.push((c, n + 1)),
                    _ => {}
                }
            }
        }
    }
    // Two elements are the default, and a set of thousands is not a scope.
    least.retain(|&(_, n)| (3..=1024).contains(&n));
    least.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    settle_sizes(model, exact);
    settle_least_sizes(model, least);
    sizes_by_listing(model);
    sizes_by_bijection(model);
}

/// Reads `S = {a, b, c}` from the axioms: the set has as many elements as `card({a, b, c}) = n` states, otherwise as
/// many as the axioms tell apart by `a /= b`, and two if they tell none apart.
fn sizes_by_listing(model: &mut Model) {
    let (mut sizes, mut least) = (vec![], vec![]);
    for (set, listed) in equations(model) {
        let (ExprKind::Carrier(c), ExprKind::SetExtension(items)) = (&set.kind, &listed.kind) else {
            continue;
        };
        let same = |others: &[Expr]| {
            others.len() == items.len() && others.iter().zip(items).all(|(a, b)| a.kind == b.kind)
        };
        let said = equations(model).find_map(|(card, n)| match (&card.kind, &n.kind) {
            (ExprKind::Unary(UnaryOp::Card, of), ExprKind::Integer(n)) => match &of.kind {
                ExprKind::SetExtension(others) if same(others) => n.to_usize(),
                _ => None,
            },
            _ => None,
        });
        let mut distinct: Vec<&Expr> = vec![];
        for item in items {
            if distinct.iter().all(|other| told_apart(model, item, other)) {
                distinct.push(item);
            }
        }
        match said {
            Some(n) => sizes.push((*c, n)),
            None if distinct.len() == items.len() => sizes.push((*c, items.len())),
            // ProB tries two elements where nothing tells more apart.
            None => least.push((*c, distinct.len().max(2))),
        }
    }
    settle_sizes(model, sizes);
    settle_least_sizes(model, least);
}

/// Settles least sizes of sets that may be larger.
fn settle_least_sizes(model: &mut Model, sizes: impl IntoIterator<Item = (CarrierId, usize)>) {
    for (c, n) in sizes {
        if model.types.carriers[c.index()].kind == CarrierKind::Deferred
            && !model.definitions.hints.sizes.contains_key(&c)
        {
            model.definitions.hints.sizes.insert(c, n);
            model.definitions.hints.at_least.insert(c);
        }
    }
}

/// Settles sizes of deferred sets that are not known yet.
fn settle_sizes(model: &mut Model, sizes: impl IntoIterator<Item = (CarrierId, usize)>) {
    for (c, n) in sizes {
        if model.types.carriers[c.index()].kind == CarrierKind::Deferred {
            model.definitions.hints.sizes.entry(c).or_insert(n);
        }
    }
}

/// The equations among the axioms, each from both sides.
fn equations(model: &Model) -> impl Iterator<Item = (&Expr, &Expr)> {
    model.axiom_parts().into_iter().flat_map(|part| match &part.kind {
        PredKind::Compare(CompareOp::Equal, a, b) => vec![(&**a, &**b), (&**b, &**a)],
        _ => vec![],
    })
}

fn told_apart(model: &Model, a: &Expr, b: &Expr) -> bool {
    model.axiom_parts().into_iter().any(|part| match &part.kind {
        PredKind::Compare(CompareOp::NotEqual, x, y) => {
            x.kind == a.kind && y.kind == b.kind || x.kind == b.kind && y.kind == a.kind
        }
        _ => false,
    })
}

/// Reads `f : S >->> E`, or `f : E >->> S`, from the axioms: S is as large as E, if the form of E tells.
fn sizes_by_bijection(model: &mut Model) {
    // The size of one set may tell that of another.
    for _ in 0..model.types.carriers.len() {
        let mut found = None;
        for part in model.axiom_parts() {
            let PredKind::Compare(CompareOp::Member, _, space) = &part.kind else { continue };
            let ExprKind::Binary(BinaryOp::TotalBijection, from, to) = &space.kind else { continue };
            for (set, other) in [(from, to), (to, from)] {
                let ExprKind::Carrier(c) = set.kind else { continue };
                let open = model.types.carriers[c.index()].kind == CarrierKind::Deferred
                    && !model.definitions.hints.sizes.contains_key(&c);
                found = found.or_else(|| Some((c, extent(model, other, 0)?)).filter(|_| open));
            }
        }
        let Some((c, n)) = found else { break };
        model.definitions.hints.sizes.insert(c, n);
    }
}

/// The number of elements of a set, from 1 to 1024, if its form or an equation tells.
fn extent(model: &Model, e: &Expr, depth: usize) -> Option<usize> {
    let number = |e: &Expr| match &e.kind {
        ExprKind::Integer(n) => Some(n.clone()),
        _ => None,
    };
    let n = match &e.kind {
        ExprKind::Carrier(c) => match &model.types.carriers[c.index()].kind {
            CarrierKind::Enumerated(elements) => elements.len(),
            CarrierKind::Deferred => *model.definitions.hints.sizes.get(c)?,
        },
        ExprKind::Set(BuiltinSet::Bool) => 2,
        ExprKind::Binary(BinaryOp::Interval, a, b) => {
            (&(&number(b)? - &number(a)?) + &Int::ONE).to_usize()?
        }
        ExprKind::Binary(BinaryOp::Cartesian, a, b) => {
            extent(model, a, depth)?.checked_mul(extent(model, b, depth)?)?
        }
        ExprKind::Unary(UnaryOp::Pow, s) => 1usize.checked_shl(extent(model, s, depth)? as u32)?,
        ExprKind::SetExtension(items) => {
            let values: std::collections::BTreeSet<_> = items.iter().map(number).collect::<Option<_>>()?;
            values.len()
        }
        ExprKind::Const(_) if depth < 8 => model.axiom_parts().iter().find_map(|part| match &part.kind {
            PredKind::Compare(CompareOp::Equal, c, value) if c.kind == e.kind => {
                extent(model, value, depth + 1)
            }
            _ => None,
        })?,
        _ => return None,
    };
    (1..=tuning().check.known_size).contains(&n).then_some(n)
}
