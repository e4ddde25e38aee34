//! The names that occur free in formulas, and whether two formulas are the same.

use std::collections::BTreeSet;

use bsym_language::model::{Expr, ExprKind, LocalId, Pred};
use bsym_language::walk::{Part, Visitor, walk_expr, walk_pred};

use crate::value::env::{Env, Name};

/// Returns whether two expressions are equal up to their source positions.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Binary(op, a, b), ExprKind::Binary(op2, c, d)) => op == op2 && same(a, c) && same(b, d),
        (ExprKind::Apply(f, x), ExprKind::Apply(g, y)) => same(f, g) && same(x, y),
        (a, b) => a == b,
    }
}

/// Returns whether all free names of an expression have values.
pub(crate) fn all_bound(env: &Env<'_>, expr: &Expr) -> bool {
    let mut bound = true;
    let mut walk = FreeNames { found: |name| bound = bound && env.get(name).is_some(), hidden: Vec::new() };
    walk.expr(expr);
    bound
}

/// Returns whether all free names of a predicate have values.
pub(crate) fn all_bound_in(env: &Env<'_>, pred: &Pred) -> bool {
    let mut bound = true;
    FreeNames { found: |name| bound = bound && env.get(name).is_some(), hidden: Vec::new() }.pred(pred);
    bound
}

/// Visits the names that occur free in an expression or predicate.
pub(crate) struct FreeNames<F> {
    found: F,
    hidden: Vec<LocalId>,
}

/// The free names of a predicate.
pub(crate) fn names_of_pred(pred: &Pred) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    FreeNames { found: |name| _ = names.insert(name), hidden: Vec::new() }.pred(pred);
    names
}

/// Returns whether a predicate with these free names reads an unassigned name: a local or result before its assignment,
/// which is not an unknown and has no value. Reading it is a failure, so the predicate is not total.
pub(crate) fn reads_unassigned(env: &Env<'_>, unknowns: &[Name], free: &BTreeSet<Name>) -> bool {
    free.iter().any(|name| !unknowns.contains(name) && env.get(*name).is_none())
}

/// Returns whether a predicate contains a binder.
pub(crate) fn has_binder(pred: &Pred) -> bool {
    Part::Pred(pred).any(|part| matches!(part, Part::Binder(_)))
}

/// Returns whether an expression contains a binder.
pub(crate) fn has_binder_in(expr: &Expr) -> bool {
    Part::Expr(expr).any(|part| matches!(part, Part::Binder(_)))
}

/// The free names of an expression.
pub(crate) fn names_of_expr(expr: &Expr) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    FreeNames { found: |name| _ = names.insert(name), hidden: Vec::new() }.expr(expr);
    names
}

impl<F: FnMut(Name)> FreeNames<F> {
    // Names that a node binds are hidden in its parts only.
    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let depth = self.hidden.len();
        walk(self);
        self.hidden.truncate(depth);
    }
}

impl<F: FnMut(Name)> Visitor for FreeNames<F> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(v) => (self.found)(Name::Var(*v)),
            ExprKind::Old(v) => (self.found)(Name::Old(*v)),
            ExprKind::Const(c) => (self.found)(Name::Const(*c)),
            ExprKind::Local(l) if self.hidden.contains(l) => {}
            ExprKind::Local(l) => (self.found)(Name::Local(*l)),
            _ => self.scoped(|names| walk_expr(names, expr)),
        }
    }

    fn pred(&mut self, pred: &Pred) {
        self.scoped(|names| walk_pred(names, pred));
    }

    fn binder(&mut self, local: &LocalId) {
        self.hidden.push(*local);
    }
}
