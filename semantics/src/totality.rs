//! Whether a formula can be ill-defined, judged by its operators and by what guards them.

use std::cell::Cell;

use bsym_language::external::Support;
use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, PredKind, QuantOp, UnaryOp};
use bsym_language::types::Type;

use crate::cardinality::Cardinality;
use crate::env::Env;
use crate::evaluator::Evaluator;
use crate::growth::growing;
use crate::lazy_set::LazySet;
use crate::value::Value;

/// Memberships `x : S` that hold where a formula is evaluated.
type Guards<'p> = Vec<(&'p Expr, &'p Expr)>;

impl<'m> Evaluator<'m> {
    /// Whether the predicate has a truth value under every binding of the names that the environment
    /// leaves open.
    pub(crate) fn is_total(&self, env: &Env<'_>, pred: &Pred) -> bool {
        self.is_total_behind(env, &mut std::iter::empty(), pred)
    }

    /// The same where other predicates are known to hold.
    pub(crate) fn is_total_behind<'p>(
        &self,
        env: &Env<'_>,
        before: &mut dyn Iterator<Item = &'p Pred>,
        pred: &'p Pred,
    ) -> bool {
        let mut totality = Totality { eval: self, env, guards: Vec::new(), parts: Vec::new() };
        before.for_each(|p| totality.assume(p));
        totality.pred(pred)
    }

    /// Whether all free names have values.
    pub(crate) fn is_closed(&self, env: &Env<'_>, expr: &Expr) -> bool {
        crate::env::all_bound(env, expr)
    }
}

/// To evaluate a part may ask for the totality of its parts, and so on: without a limit the time would
/// double with every level.
const DEEPEST: u32 = 3;

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
}

struct Totality<'t, 'm, 'p> {
    eval: &'t Evaluator<'m>,
    env: &'t Env<'t>,
    guards: Guards<'p>,
    /// Inclusions `x <: S` likewise.
    parts: Guards<'p>,
}

impl<'p> Totality<'_, '_, 'p> {
    /// Judges what is evaluated only where the predicate holds.
    fn behind(&mut self, pred: &'p Pred, inside: impl FnOnce(&mut Self) -> bool) -> bool {
        let depth = (self.guards.len(), self.parts.len());
        self.assume(pred);
        let total = inside(self);
        self.guards.truncate(depth.0);
        self.parts.truncate(depth.1);
        total
    }

    fn assume(&mut self, pred: &'p Pred) {
        match &pred.kind {
            PredKind::And(ps) => ps.iter().for_each(|p| self.assume(p)),
            PredKind::Compare(CompareOp::Member, x, s) => self.guards.push((x, s)),
            PredKind::Compare(CompareOp::Subset | CompareOp::StrictSubset, x, s) => self.parts.push((x, s)),
            _ => {}
        }
    }

    fn pred(&mut self, pred: &'p Pred) -> bool {
        match &pred.kind {
            PredKind::True | PredKind::False => true,
            PredKind::And(ps) => {
                let depth = (self.guards.len(), self.parts.len());
                let total = ps.iter().all(|p| {
                    let total = self.pred(p);
                    self.assume(p);
                    total
                });
                self.guards.truncate(depth.0);
                self.parts.truncate(depth.1);
                total
            }
            PredKind::Or(ps) => ps.iter().all(|p| self.pred(p)),
            PredKind::Implies(a, b) => self.pred(a) && self.behind(a, |t| t.pred(b)),
            PredKind::Iff(a, b) => self.pred(a) && self.pred(b),
            PredKind::Not(p) | PredKind::Forall(_, p) | PredKind::Exists(_, p) => self.pred(p),
            PredKind::Compare(_, a, b) => self.expr(a) && self.expr(b),
            PredKind::Finite(e) => self.expr(e),
            PredKind::External(f, args) => f.support() == Support::Total && args.iter().all(|e| self.expr(e)),
            PredKind::Call(..) => false,
            PredKind::Partition(e, es) => self.expr(e) && es.iter().all(|e| self.expr(e)),
            PredKind::If(p, a, b) => self.pred(p) && self.behind(p, |t| t.pred(a)) && self.pred(b),
            PredKind::Let(defs, p) => defs.iter().all(|(_, e)| self.expr(e)) && self.pred(p),
        }
    }

    fn expr(&mut self, expr: &'p Expr) -> bool {
        let parts = match &expr.kind {
            ExprKind::SetExtension(es) | ExprKind::SeqExtension(es) => es.iter().all(|e| self.expr(e)),
            ExprKind::Unary(UnaryOp::Card, e) => self.expr(e) && self.is_finite(e),
            ExprKind::Unary(UnaryOp::Size, e) => self.expr(e) && self.is_sequence(e),
            ExprKind::Unary(op, e) => !is_partial_unary(*op) && self.expr(e),
            ExprKind::Binary(BinaryOp::Divide, a, b) => {
                matches!(&b.kind, ExprKind::Integer(n) if !n.is_zero()) && self.expr(a)
            }
            ExprKind::Binary(BinaryOp::Power, a, b) => {
                matches!(&b.kind, ExprKind::Integer(n) if !n.is_negative()) && self.expr(a)
            }
            ExprKind::Binary(op, a, b) => !is_partial_binary(*op) && self.expr(a) && self.expr(b),
            ExprKind::Apply(f, x) => self.expr(x) && self.is_defined(f, x),
            ExprKind::BoolOf(p) | ExprKind::Comprehension(_, p) => self.pred(p),
            ExprKind::Quantified(op, _, p, e) => {
                *op != QuantOp::Inter && self.pred(p) && self.behind(p, |t| t.expr(e))
            }
            ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter().all(|(_, e)| self.expr(e)),
            ExprKind::Field(e, _) => self.expr(e),
            ExprKind::WithField(a, _, b) | ExprKind::Prj1(a, b) | ExprKind::Prj2(a, b) => {
                self.expr(a) && self.expr(b)
            }
            ExprKind::If(p, a, b) => self.pred(p) && self.behind(p, |t| t.expr(a)) && self.expr(b),
            ExprKind::Let(defs, e) => defs.iter().all(|(_, e)| self.expr(e)) && self.expr(e),
            ExprKind::External(f, args) => f.support() == Support::Total && args.iter().all(|e| self.expr(e)),
            ExprKind::FreeSet(..) | ExprKind::Iterate(..) | ExprKind::Tree(..) | ExprKind::Call(..) => false,
            _ => true,
        };
        // What does not depend on an unknown has one value or none.
        parts || self.value(expr).is_some()
    }

    fn value(&self, expr: &Expr) -> Option<Value> {
        if NESTED.get() >= DEEPEST || !self.eval.is_closed(self.env, expr) {
            return None;
        }
        NESTED.set(NESTED.get() + 1);
        let value = self.eval.eval(self.env, expr).ok();
        NESTED.set(NESTED.get() - 1);
        value
    }

    /// Whether the set is finite whatever the unknowns are.
    fn is_finite(&self, set: &Expr) -> bool {
        let finite = |s: &Value| {
            let known = || self.eval.cardinality(s, set.span).ok().and_then(|c| c.is_finite());
            growing(s).is_some() || known() == Some(true)
        };
        if matches!(&set.ty, Type::Pow(t) if finite(&self.eval.type_values(t))) {
            return true;
        }
        let of_form = match &set.kind {
            ExprKind::EmptySet | ExprKind::SetExtension(_) | ExprKind::SeqExtension(_) => true,
            ExprKind::Binary(BinaryOp::Interval, ..) => true,
            ExprKind::Binary(BinaryOp::Union | BinaryOp::Override | BinaryOp::Cartesian, a, b) => {
                self.is_finite(a) && self.is_finite(b)
            }
            ExprKind::Binary(BinaryOp::Intersection, a, b) => self.is_finite(a) || self.is_finite(b),
            ExprKind::Binary(
                BinaryOp::Difference
                | BinaryOp::RangeRestriction
                | BinaryOp::RangeSubtraction
                | BinaryOp::Image,
                a,
                _,
            ) => self.is_finite(a),
            ExprKind::Binary(BinaryOp::DomainRestriction | BinaryOp::DomainSubtraction, _, r) => {
                self.is_finite(r)
            }
            ExprKind::Unary(UnaryOp::Dom | UnaryOp::Ran | UnaryOp::Inverse | UnaryOp::Pow, s) => {
                self.is_finite(s)
            }
            _ => false,
        };
        let guarded = |guard: &Expr| match &guard.kind {
            ExprKind::Binary(op, from, to) => op
                .relation_space()
                .is_some_and(|k| self.is_finite(from) && (k.functional || self.is_finite(to))),
            ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1, s) => self.is_finite(s),
            ExprKind::Unary(UnaryOp::Fin | UnaryOp::Fin1, _) => true,
            _ => false,
        };
        of_form
            || self.value(set).is_some_and(|s| finite(&s))
            || self.guards.iter().any(|(x, s)| same(x, set) && guarded(s))
            || self.parts.iter().any(|(x, s)| same(x, set) && self.is_finite(s))
    }

    /// Whether a guard says that it is a sequence.
    fn is_sequence(&self, e: &Expr) -> bool {
        use UnaryOp::{Iseq, Iseq1, Perm, Seq, Seq1};
        self.guards.iter().any(|(x, s)| {
            same(x, e) && matches!(s.kind, ExprKind::Unary(Seq | Seq1 | Iseq | Iseq1 | Perm, _))
        })
    }

    /// Whether `f` has a value and is defined once for every value that the argument may have.
    fn is_defined(&self, f: &Expr, x: &'p Expr) -> bool {
        let Some(arguments) = self.values_of(x) else { return false };
        if let ExprKind::Constructor(id, position) = &f.kind
            && let Some((_, Type::Free(_, parameters))) = f.ty.as_relation()
        {
            let sets: Vec<_> = parameters.iter().map(|t| self.eval.type_values(t)).collect();
            let domain = self.eval.argument_set(*id, *position, &sets, x.span);
            return matches!(domain, Ok(Some(set)) if self.eval.subset(&arguments, &set, x.span).unwrap_or(false));
        }
        let Some(function) = self.value(f) else {
            let mut guards = self.guards.iter().rev().filter(|(g, _)| same(g, f));
            return guards.any(|(_, s)| match &s.kind {
                ExprKind::Binary(op, from, _)
                    if op.relation_space().is_some_and(|k| k.total && k.functional) =>
                {
                    self.value(from)
                        .is_some_and(|from| self.eval.subset(&arguments, &from, x.span).unwrap_or(false))
                }
                _ => false,
            });
        };
        if let Some(point) = self.value(x) {
            return match growing(&function) {
                Some(growing) => growing.is_defined_at(&point),
                None => false,
            };
        }
        let domain = match (&function, growing(&function)) {
            (_, Some(growing)) => growing.domain(),
            (Value::Set(pairs), _) => {
                let mut points: Vec<_> = pairs.iter().filter_map(|p| p.as_pair().map(|p| p.0)).collect();
                points.dedup();
                (points.len() == pairs.len()).then(|| Value::set(points.into_iter().cloned()))
            }
            _ => None,
        };
        let Some(domain) = domain else { return false };
        if let Ok(Cardinality::Exact(n)) = self.eval.cardinality(&arguments, x.span)
            && domain.as_set().is_some_and(|d| n > Int::from(d.len() as i64))
        {
            return false;
        }
        self.eval.subset(&arguments, &domain, x.span).unwrap_or(false)
    }

    /// A set in which the value of the expression is, where the guards hold.
    fn values_of(&self, e: &'p Expr) -> Option<Value> {
        if let Some(v) = self.value(e) {
            return Some(Value::set([v]));
        }
        let mut guards = self.guards.iter().rev().filter(|(x, _)| same(x, e));
        if let Some(set) = guards.find_map(|(_, s)| self.value(s)) {
            return Some(set);
        }
        match &e.kind {
            ExprKind::Binary(BinaryOp::Maplet, a, b) => {
                let (a, b) = (self.values_of(a)?, self.values_of(b)?);
                self.eval.binary(BinaryOp::Cartesian, a, b, e.span).ok()
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
                let Some(Value::Int(n)) = self.value(b) else { return None };
                let n = if *op == BinaryOp::Add { n } else { -&n };
                let set = self.values_of(a)?;
                let Value::Lazy(lazy) = &set else { return None };
                match &**lazy {
                    LazySet::Interval(l, h) => Some(LazySet::Interval(l + &n, h + &n).into()),
                    _ => None,
                }
            }
            _ => Some(self.eval.type_values(&e.ty)),
        }
    }
}

/// Whether two expressions are the same but for their places.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Binary(op, a, b), ExprKind::Binary(op2, c, d)) => op == op2 && same(a, c) && same(b, d),
        (a, b) => a == b,
    }
}

fn is_partial_unary(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(
        op,
        Card | Max
            | Min
            | MaxReal
            | MinReal
            | GeneralInter
            | Perm
            | Size
            | First
            | Last
            | Front
            | Tail
            | Rev
            | Conc
    )
}

fn is_partial_binary(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Divide | Mod | Power | DivideReal | PowerReal | Prepend | Append | Concat | Take | Drop)
}
