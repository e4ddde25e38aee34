//! The names that occur free in formulas, and whether two formulas are the same.

use std::collections::BTreeSet;

use bsym_language::model::{Expr, ExprKind, LocalId, Pred, PredKind};

use crate::value::env::{Env, Name};

/// Whether two expressions are the same but for their places.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Binary(op, a, b), ExprKind::Binary(op2, c, d)) => op == op2 && same(a, c) && same(b, d),
        (ExprKind::Apply(f, x), ExprKind::Apply(g, y)) => same(f, g) && same(x, y),
        (a, b) => a == b,
    }
}

/// Whether all names that occur free in an expression have values.
pub(crate) fn all_bound(env: &Env<'_>, expr: &Expr) -> bool {
    let mut bound = true;
    let mut walk = FreeNames { found: |name| bound = bound && env.get(name).is_some(), hidden: Vec::new() };
    walk.expr(expr);
    bound
}

/// Whether all names that occur free in a predicate have values.
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

/// Whether a predicate with these free names reads one that is none of the unknowns and has no value: a local or result
/// before it is assigned. To read it is a failure, so that the predicate is not total.
pub(crate) fn reads_unassigned(env: &Env<'_>, unknowns: &[Name], free: &BTreeSet<Name>) -> bool {
    free.iter().any(|name| !unknowns.contains(name) && env.get(*name).is_none())
}

/// Whether a part of a predicate has names of its own.
pub(crate) fn has_binder(pred: &Pred) -> bool {
    struct Binders(bool);
    impl bsym_language::walk::Visitor for Binders {
        fn binder(&mut self, _: &LocalId) {
            self.0 = true;
        }
    }
    let mut binders = Binders(false);
    bsym_language::walk::Visitor::pred(&mut binders, pred);
    binders.0
}

/// The free names of an expression.
pub(crate) fn names_of_expr(expr: &Expr) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    FreeNames { found: |name| _ = names.insert(name), hidden: Vec::new() }.expr(expr);
    names
}

impl<F: FnMut(Name)> FreeNames<F> {
    fn local(&mut self, l: LocalId) {
        if !self.hidden.contains(&l) {
            (self.found)(Name::Local(l));
        }
    }

    fn binding(&mut self, locals: &[LocalId], inside: impl FnOnce(&mut Self)) {
        let depth = self.hidden.len();
        self.hidden.extend_from_slice(locals);
        inside(self);
        self.hidden.truncate(depth);
    }

    /// Adds the free names of an expression.
    pub fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(v) => (self.found)(Name::Var(*v)),
            ExprKind::Old(v) => (self.found)(Name::Old(*v)),
            ExprKind::Const(c) => (self.found)(Name::Const(*c)),
            ExprKind::Local(l) => self.local(*l),
            ExprKind::Element(..)
            | ExprKind::Carrier(_)
            | ExprKind::Integer(_)
            | ExprKind::Real(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::MaxInt
            | ExprKind::MinInt
            | ExprKind::Set(_)
            | ExprKind::EmptySet
            | ExprKind::Succ
            | ExprKind::Pred
            | ExprKind::Abstract(_)
            | ExprKind::Constructor(..)
            | ExprKind::TypeParameter(_) => {}
            ExprKind::FreeSet(_, es)
            | ExprKind::Tree(_, es)
            | ExprKind::External(_, es)
            | ExprKind::Call(_, es) => es.iter().for_each(|e| self.expr(e)),
            ExprKind::SetExtension(es) | ExprKind::SeqExtension(es) => es.iter().for_each(|e| self.expr(e)),
            ExprKind::Unary(_, e) | ExprKind::Field(e, _) => self.expr(e),
            ExprKind::Binary(_, a, b)
            | ExprKind::Apply(a, b)
            | ExprKind::Iterate(a, b)
            | ExprKind::Prj1(a, b)
            | ExprKind::Prj2(a, b)
            | ExprKind::WithField(a, _, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::BoolOf(p) => self.pred(p),
            ExprKind::Comprehension(ls, p) => self.binding(ls, |f| f.pred(p)),
            ExprKind::Quantified(_, ls, p, e) => self.binding(ls, |f| {
                f.pred(p);
                f.expr(e);
            }),
            ExprKind::Record(fields) | ExprKind::Struct(fields) => {
                fields.iter().for_each(|(_, e)| self.expr(e));
            }
            ExprKind::If(p, a, b) => {
                self.pred(p);
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Let(defs, e) => {
                let locals: Vec<_> = defs.iter().map(|(l, _)| *l).collect();
                self.binding(&locals, |f| {
                    defs.iter().for_each(|(_, d)| f.expr(d));
                    f.expr(e);
                });
            }
        }
    }

    /// Adds the free names of a predicate.
    pub fn pred(&mut self, pred: &Pred) {
        match &pred.kind {
            PredKind::True | PredKind::False => {}
            PredKind::And(ps) | PredKind::Or(ps) => ps.iter().for_each(|p| self.pred(p)),
            PredKind::Implies(a, b) | PredKind::Iff(a, b) => {
                self.pred(a);
                self.pred(b);
            }
            PredKind::Not(p) => self.pred(p),
            PredKind::Forall(ls, p) | PredKind::Exists(ls, p) => self.binding(ls, |f| f.pred(p)),
            PredKind::Compare(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            PredKind::Finite(e) => self.expr(e),
            PredKind::External(_, es) | PredKind::Call(_, es) => es.iter().for_each(|e| self.expr(e)),
            PredKind::Partition(e, es) => {
                self.expr(e);
                es.iter().for_each(|e| self.expr(e));
            }
            PredKind::If(p, a, b) => {
                self.pred(p);
                self.pred(a);
                self.pred(b);
            }
            PredKind::Let(defs, p) => {
                let locals: Vec<_> = defs.iter().map(|(l, _)| *l).collect();
                self.binding(&locals, |f| {
                    defs.iter().for_each(|(_, d)| f.expr(d));
                    f.pred(p);
                });
            }
        }
    }
}
