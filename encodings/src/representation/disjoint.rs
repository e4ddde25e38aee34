//! Unions that only extend a function, written as overrides.
//!
//! `f := f \/ {x |-> y}` keeps `f` a function if `x` is not in its domain, and machines usually say so
//! in the guard: `x /: dom(f)` or `x : S - dom(f)`. There `f <+ {x |-> y}` is the same set, and visibly
//! a function (see [`functional`](crate::representation)). So it is with `%x.(x : S - {s} | E) \/ {s |-> v}`,
//! whose left side may then say something about s too, so that it visibly is total on S.
//!
//! Likewise `{x |-> u, y |-> v}` is a function if x and y differ, as `x /= y` in the guard says; it is
//! written `{x |-> u} <+ {y |-> v}`, so that what it overrides stays one.

use std::collections::BTreeSet;

use bsym_language::model::*;
use bsym_language::walk::{Placeless, VisitorMut, conjuncts, parts, walk_expr_mut, walk_pred_mut};

use crate::expr::walk::always_has_value;
use crate::representation::expression::{comparable, distinct_keys, is_literal, maplet};

/// An argument that is outside the domain of a variable's function.
#[derive(Clone)]
struct Outside {
    argument: Expr,
    function: VarId,
}

/// Facts known where a substitution starts.
#[derive(Clone)]
struct Known<'a> {
    outside: Vec<Outside>,
    /// Pairs of values that are not equal.
    different: Vec<(Expr, Expr)>,
    /// Names that are perhaps read before they have a value.
    unassigned: &'a BTreeSet<Target>,
}

impl Known<'_> {
    /// After something was assigned.
    fn forgotten(&self) -> Self {
        Known { outside: vec![], different: vec![], ..self.clone() }
    }

    /// Returns whether two expressions, without places, have different values.
    fn differ(&self, a: &Expr, b: &Expr) -> bool {
        is_literal(a) && is_literal(b) && a.kind != b.kind && comparable(a, b)
            || self.different.iter().any(|(x, y)| (x == a && y == b) || (x == b && y == a))
    }
}

/// Replaces such unions in a substitution that starts without values of the names in `unassigned`; its
/// meaning stays the same.
pub fn overrides(s: &mut Subst, unassigned: impl IntoIterator<Item = Target>) {
    let mut unassigned: BTreeSet<Target> = unassigned.into_iter().collect();
    locals_of_var(s, &mut unassigned);
    rewrite(s, &Known { outside: vec![], different: vec![], unassigned: &unassigned });
}

/// The locals that a substitution declares without a value.
fn locals_of_var(s: &Subst, all: &mut BTreeSet<Target>) {
    if let SubstKind::Var(locals, _) = &s.kind {
        all.extend(locals.iter().map(|l| Target::Local(*l)));
    }
    parts(s).into_iter().for_each(|part| locals_of_var(part, all));
}

fn rewrite(s: &mut Subst, known: &Known<'_>) {
    match &mut s.kind {
        SubstKind::Skip | SubstKind::BecomesIn(..) | SubstKind::BecomesSuch(..) => {}
        SubstKind::Assign(list) => list.iter_mut().for_each(|(_, e)| Extend { known }.expr(e)),
        SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) | SubstKind::Any(_, _, p, body) => {
            let known = with(known, p);
            rewrite(body, &known);
        }
        SubstKind::Select { branches, otherwise, .. } => {
            for (p, body) in branches {
                let known = with(known, p);
                rewrite(body, &known);
            }
            if let Some(body) = otherwise {
                rewrite(body, known);
            }
        }
        SubstKind::If(branches, otherwise) => {
            let mut known = known.clone();
            for (p, body) in branches {
                rewrite(body, &with(&known, p));
                if let PredKind::Compare(CompareOp::Member, x, set) = &p.kind
                    && let Some(function) = domain(set)
                {
                    known.outside.push(Outside { argument: plain(x), function });
                }
            }
            rewrite(otherwise, &known);
        }
        SubstKind::Choice(_, all) | SubstKind::Parallel(all) => {
            all.iter_mut().for_each(|s| rewrite(s, known))
        }
        SubstKind::Let(_, body) => rewrite(body, known),
        // A local that is assigned may be the argument.
        SubstKind::Var(_, body) => rewrite(body, &known.forgotten()),
        SubstKind::Sequence(all) => {
            for (i, s) in all.iter_mut().enumerate() {
                rewrite(s, &if i == 0 { known.clone() } else { known.forgotten() });
            }
        }
        SubstKind::While { body, .. } => rewrite(body, &known.forgotten()),
    }
}

fn with<'a>(known: &Known<'a>, guard: &Pred) -> Known<'a> {
    let mut known = known.clone();
    let (all, different) = (&mut known.outside, &mut known.different);
    for p in conjuncts(guard) {
        match &p.kind {
            PredKind::Compare(CompareOp::NotEqual, x, y) => different.push((plain(x), plain(y))),
            PredKind::Compare(CompareOp::NotMember, x, set) => {
                all.extend(domain(set).map(|function| Outside { argument: plain(x), function }));
            }
            PredKind::Compare(CompareOp::Member, x, set) => {
                if let ExprKind::Binary(BinaryOp::Difference, _, set) = &set.kind {
                    all.extend(domain(set).map(|function| Outside { argument: plain(x), function }));
                }
            }
            PredKind::Not(q) => match &q.kind {
                PredKind::Compare(CompareOp::Member, x, set) => {
                    all.extend(domain(set).map(|function| Outside { argument: plain(x), function }));
                }
                PredKind::Compare(CompareOp::Equal, x, y) => different.push((plain(x), plain(y))),
                _ => {}
            },
            _ => {}
        }
    }
    known
}

/// The variable whose domain a set is.
fn domain(set: &Expr) -> Option<VarId> {
    match &set.kind {
        ExprKind::Unary(UnaryOp::Dom, f) => match f.kind {
            ExprKind::Var(v) => Some(v),
            _ => None,
        },
        _ => None,
    }
}

/// Replaces unions anywhere in an expression. Locals are unique, so what is known of them holds in
/// every part.
struct Extend<'a> {
    known: &'a Known<'a>,
}

impl VisitorMut for Extend<'_> {
    fn expr(&mut self, e: &mut Expr) {
        walk_expr_mut(self, e);
        extend(e, self.known);
        separate(e, self.known);
    }

    fn pred(&mut self, p: &mut Pred) {
        walk_pred_mut(self, p);
    }
}

/// Writes an extension whose arguments differ, though not all of them are literals, as overrides of single couples.
fn separate(e: &mut Expr, known: &Known<'_>) {
    let ExprKind::SetExtension(items) = &e.kind else { return };
    let keys: Option<Vec<Expr>> = items.iter().map(|item| maplet(item).map(|(x, _)| plain(x))).collect();
    let Some(keys) = keys.filter(|keys| keys.len() > 1 && !known.different.is_empty()) else { return };
    let others = |i: usize| &keys[i + 1..];
    if distinct_keys(items)
        || !keys.iter().enumerate().all(|(i, x)| others(i).iter().all(|y| known.differ(x, y)))
    {
        return;
    }
    let single = |item: &Expr| Expr { kind: ExprKind::SetExtension(vec![item.clone()]), ..e.clone() };
    let mut whole = single(&items[0]);
    for item in &items[1..] {
        let kind = ExprKind::Binary(BinaryOp::Override, Box::new(whole), Box::new(single(item)));
        whole = Expr { kind, ..e.clone() };
    }
    *e = whole;
}

fn extend(e: &mut Expr, known: &Known<'_>) {
    let ExprKind::Binary(op @ BinaryOp::Union, a, b) = &mut e.kind else { return };
    let disjoint = |f: &Expr, extension: &Expr| match (&f.kind, &extension.kind) {
        (ExprKind::Var(v), ExprKind::SetExtension(items)) => match items.as_slice() {
            [Expr { kind: ExprKind::Binary(BinaryOp::Maplet, x, _), .. }] => {
                let x = plain(x);
                known.outside.iter().any(|o| o.function == *v && o.argument == x)
            }
            _ => false,
        },
        _ => false,
    };
    if disjoint(b, a) {
        std::mem::swap(a, b);
    }
    if disjoint(a, b) {
        *op = BinaryOp::Override;
        return;
    }
    if leaves_out(b, a) {
        std::mem::swap(a, b);
    }
    if leaves_out(a, b) {
        include(a, known);
        *op = BinaryOp::Override;
    }
}

/// Returns whether a function is `%x.(x : S - {s} | E)` and the extension `{s |-> v}`.
fn leaves_out(f: &Expr, extension: &Expr) -> bool {
    let (ExprKind::Quantified(QuantOp::Lambda, locals, p, _), ExprKind::SetExtension(items)) =
        (&f.kind, &extension.kind)
    else {
        return false;
    };
    let ([local], [Expr { kind: ExprKind::Binary(BinaryOp::Maplet, s, _), .. }]) =
        (locals.as_slice(), items.as_slice())
    else {
        return false;
    };
    let s = plain(s);
    conjuncts(p).iter().any(|c| missing(c, *local).is_some_and(|left_out| plain(left_out) == s))
}

/// The s of a conjunct `x : S - {s}` about the local.
fn missing(p: &Pred, local: LocalId) -> Option<&Expr> {
    let PredKind::Compare(CompareOp::Member, x, set) = &p.kind else { return None };
    let ExprKind::Binary(BinaryOp::Difference, _, removed) = &set.kind else { return None };
    match (&x.kind, &removed.kind) {
        (ExprKind::Local(l), ExprKind::SetExtension(items)) if *l == local && items.len() == 1 => {
            items.first()
        }
        _ => None,
    }
}

/// Lets `%x.(x : S - {s} | E)` say something about s too, if it is its only conjunct and E is always
/// defined: the value at s will be overridden.
fn include(f: &mut Expr, known: &Known<'_>) {
    let ExprKind::Quantified(_, locals, p, body) = &mut f.kind else { return };
    let [local] = locals.as_slice() else { return };
    let unassigned = |e: &ExprKind| match e {
        ExprKind::Var(v) | ExprKind::Old(v) => known.unassigned.contains(&Target::Var(*v)),
        ExprKind::Local(l) => known.unassigned.contains(&Target::Local(*l)),
        _ => false,
    };
    if !always_has_value(body, &unassigned) || conjuncts(p).len() != 1 {
        return;
    }
    let only = match &mut p.kind {
        PredKind::And(all) => match all.as_mut_slice() {
            [only] => only,
            _ => return,
        },
        _ => &mut **p,
    };
    if missing(only, *local).is_none() {
        return;
    }
    if let PredKind::Compare(_, _, set) = &mut only.kind
        && let ExprKind::Binary(_, s, _) = &mut set.kind
    {
        let s = std::mem::replace(&mut s.kind, ExprKind::EmptySet);
        set.kind = s;
    }
}

/// The expression without its places in the text.
fn plain(e: &Expr) -> Expr {
    let mut e = e.clone();
    Placeless.expr(&mut e);
    e
}
