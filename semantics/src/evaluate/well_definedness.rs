//! Well-definedness: whether a formula can be ill-defined, judged by its operators and by their guards.

use std::cell::Cell;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, QuantOp, UnaryOp};
use bsym_language::types::Type;
use bsym_language::walk::{Names, Part, expr_parts, pred_parts};

use crate::constraint::interval::{Narrowing, Range};
use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::Evaluator;
use crate::evaluator::free_names::same;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::Env;
use crate::value::lazy_set::LazySet;
use crate::value::partial::as_partial;

/// Pairs of expressions related at the place where a formula is evaluated.
type Guards<'p> = Vec<(&'p Expr, &'p Expr)>;

/// Facts that hold where a formula is evaluated.
#[derive(Default)]
struct Known<'p> {
    /// Memberships `x : S`.
    guards: Guards<'p>,
    /// Inclusions `x <: S`.
    parts: Guards<'p>,
    /// Equations `f = E`.
    equations: Guards<'p>,
    /// Inequations `x /= E`.
    different: Guards<'p>,
    /// Comparisons of integers.
    comparisons: Vec<(CompareOp, &'p Expr, &'p Expr)>,
}

impl Known<'_> {
    fn depth(&self) -> [usize; 5] {
        let (equations, different) = (self.equations.len(), self.different.len());
        [self.guards.len(), self.parts.len(), equations, self.comparisons.len(), different]
    }

    fn truncate(&mut self, depth: [usize; 5]) {
        self.guards.truncate(depth[0]);
        self.parts.truncate(depth[1]);
        self.equations.truncate(depth[2]);
        self.comparisons.truncate(depth[3]);
        self.different.truncate(depth[4]);
    }
}

impl<'m> Evaluator<'m> {
    /// Returns whether the predicate has a truth value under every binding of the names that the environment leaves
    /// open.
    pub(crate) fn is_total(&self, env: &Env<'_>, pred: &Pred) -> bool {
        self.is_total_behind(env, &mut std::iter::empty(), pred)
    }

    /// Returns whether the predicate has a truth value wherever the predicates in `before` hold.
    pub fn is_total_behind<'p>(
        &self,
        env: &Env<'_>,
        before: &mut dyn Iterator<Item = &'p Pred>,
        pred: &'p Pred,
    ) -> bool {
        let mut totality = Totality { eval: self, env, known: Known::default() };
        before.for_each(|p| totality.assume(p));
        totality.pred(pred)
    }

    /// Returns whether all free names have values.
    pub(crate) fn is_closed(&self, env: &Env<'_>, expr: &Expr) -> bool {
        crate::evaluator::free_names::all_bound(env, expr)
    }
}

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

/// A step of the test whether a set is finite.
struct Level;

impl Level {
    fn enter() -> Level {
        STEPS.set(STEPS.get() + 1);
        Level
    }

    fn depth() -> u32 {
        STEPS.get()
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        STEPS.set(STEPS.get() - 1);
    }
}

struct Totality<'t, 'm, 'p> {
    eval: &'t Evaluator<'m>,
    env: &'t Env<'t>,
    known: Known<'p>,
}

impl<'p> Totality<'_, '_, 'p> {
    /// Judges a part that is evaluated only where the predicate holds.
    fn behind(&mut self, pred: &'p Pred, inside: impl FnOnce(&mut Self) -> bool) -> bool {
        let depth = self.known.depth();
        self.assume(pred);
        let total = inside(self);
        self.known.truncate(depth);
        total
    }

    fn assume(&mut self, pred: &'p Pred) {
        match &pred.kind {
            PredKind::And(ps) => ps.iter().for_each(|p| self.assume(p)),
            PredKind::Compare(CompareOp::Member, x, s) => self.known.guards.push((x, s)),
            PredKind::Compare(CompareOp::Subset | CompareOp::StrictSubset, x, s) => {
                self.known.parts.push((x, s));
                if let ExprKind::SetExtension(es) = &x.kind {
                    self.known.guards.extend(es.iter().map(|e| (e, &**s)));
                }
            }
            PredKind::Compare(op, a, b) if a.ty == Type::Int && *op != CompareOp::NotEqual => {
                self.known.comparisons.push((*op, a, b));
            }
            PredKind::Compare(CompareOp::Equal, a, b) => self.known.equations.push((a, b)),
            PredKind::Compare(CompareOp::NotEqual, a, b) => self.known.different.push((a, b)),
            _ => {}
        }
    }

    /// Assumes that the predicate is false, as [`Totality::assume`] assumes that it is true.
    fn refute(&mut self, pred: &'p Pred) {
        match &pred.kind {
            PredKind::Or(ps) => ps.iter().for_each(|p| self.refute(p)),
            PredKind::Not(p) => self.assume(p),
            PredKind::Compare(CompareOp::NotMember, x, s) => self.known.guards.push((x, s)),
            PredKind::Compare(CompareOp::Equal, a, b) => self.known.different.push((a, b)),
            PredKind::Compare(op, a, b) if a.ty == Type::Int => {
                self.known.comparisons.push((op.negated(), a, b));
            }
            _ => {}
        }
    }

    fn pred(&mut self, pred: &'p Pred) -> bool {
        match &pred.kind {
            PredKind::And(ps) => {
                let depth = self.known.depth();
                let total = ps.iter().all(|p| {
                    let total = self.pred(p);
                    self.assume(p);
                    total
                });
                self.known.truncate(depth);
                total
            }
            PredKind::Or(ps) => {
                let depth = self.known.depth();
                let total = ps.iter().all(|p| {
                    let total = self.pred(p);
                    self.refute(p);
                    total
                });
                self.known.truncate(depth);
                total
            }
            PredKind::Implies(a, b) => self.pred(a) && self.behind(a, |t| t.pred(b)),
            PredKind::If(p, a, b) => self.pred(p) && self.behind(p, |t| t.pred(a)) && self.pred(b),
            kind => {
                let mut total = !kind.is_partial();
                pred_parts(pred, |part| total = total && self.part(part));
                total
            }
        }
    }

    fn part(&mut self, part: Part<'p>) -> bool {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Pred(p) => self.pred(p),
            _ => true,
        }
    }

    fn expr(&mut self, expr: &'p Expr) -> bool {
        let parts = match &expr.kind {
            ExprKind::Unary(UnaryOp::Card, e) => self.expr(e) && self.is_finite(e),
            ExprKind::Unary(UnaryOp::Size, e) => self.expr(e) && self.is_sequence(e),
            ExprKind::Unary(UnaryOp::Rev, e) => self.expr(e) && self.is_sequence(e),
            ExprKind::Unary(UnaryOp::Conc, e) => match &e.kind {
                ExprKind::SeqExtension(es) => es.iter().all(|e| self.expr(e) && self.is_sequence(e)),
                _ => false,
            },
            ExprKind::Unary(UnaryOp::First | UnaryOp::Last | UnaryOp::Front | UnaryOp::Tail, e) => {
                self.expr(e) && self.is_sequence(e) && self.is_inhabited(e)
            }
            ExprKind::Binary(BinaryOp::Divide, a, b) => {
                let zero = |e: &Expr| matches!(&e.kind, ExprKind::Integer(n) if n.is_zero());
                let differs = |t: &Self| {
                    let pairs = t.known.different.iter().flat_map(|(x, y)| [(*x, *y), (*y, *x)]);
                    pairs.into_iter().any(|(x, y)| same(x, b) && zero(y))
                };
                let never_zero = |t: &Self| {
                    t.values_of(b).is_some_and(|set| t.eval.member(&Value::int(0), &set, b.span) == Ok(false))
                };
                self.expr(a) && self.expr(b) && (differs(self) || never_zero(self))
            }
            ExprKind::Binary(BinaryOp::Mod, a, b) => {
                self.expr(a) && self.expr(b) && self.is_at_least(a, 0) && self.is_at_least(b, 1)
            }
            ExprKind::Binary(BinaryOp::Power, a, b) => self.expr(a) && self.expr(b) && self.is_at_least(b, 0),
            ExprKind::Binary(op @ (BinaryOp::Concat | BinaryOp::Prepend | BinaryOp::Append), a, b) => {
                let is_sequence = |t: &Self, e: &'p Expr, element| t.is_sequence(e) || *op == element;
                self.expr(a)
                    && self.expr(b)
                    && is_sequence(self, a, BinaryOp::Prepend)
                    && is_sequence(self, b, BinaryOp::Append)
            }
            ExprKind::Apply(f, x) => self.expr(x) && self.is_defined(f, x),
            ExprKind::Quantified(op, locals, p, e) => {
                // The intersection of no sets has no value; neither has a sum or product of infinitely many numbers.
                let has_value = match op {
                    QuantOp::Inter => false,
                    op => !op.is_partial() || self.are_few(locals, p),
                };
                has_value && self.pred(p) && self.behind(p, |t| t.expr(e))
            }
            ExprKind::If(p, a, b) => self.pred(p) && self.behind(p, |t| t.expr(a)) && self.expr(b),
            ExprKind::FreeSet(..) | ExprKind::Tree(..) => false,
            kind => {
                let mut total = !kind.is_partial();
                expr_parts(expr, |part| total = total && self.part(part));
                total
            }
        };
        // An expression that does not depend on an unknown has one value or none.
        parts || self.value(expr).is_some()
    }

    fn value(&self, expr: &Expr) -> Option<Value> {
        if NESTED.get() >= Tuning::DEFAULT.evaluate.totality_depth || !self.eval.is_closed(self.env, expr) {
            return None;
        }
        NESTED.set(NESTED.get() + 1);
        let value = self.eval.eval(self.env, expr).ok();
        NESTED.set(NESTED.get() - 1);
        value
    }

    /// Returns whether finitely many values make a predicate true, because each name is confined to a finite set. Such
    /// a set may depend on names that are confined themselves.
    fn are_few(&self, locals: &[LocalId], p: &Pred) -> bool {
        let parts = match &p.kind {
            PredKind::And(ps) => &ps[..],
            _ => std::slice::from_ref(p),
        };
        let mut open: Vec<LocalId> = locals.to_vec();
        loop {
            let settled = |e: &Expr| {
                let needed = Names::of_expr(e).locals;
                !open.iter().any(|l| needed.contains(l))
            };
            let confines = |l: LocalId, p: &Pred| match &p.kind {
                PredKind::Compare(CompareOp::Member, x, s) => {
                    is_part(l, x) && settled(s) && self.is_finite(s)
                }
                PredKind::Compare(CompareOp::Subset | CompareOp::StrictSubset, x, s) => {
                    x.kind == ExprKind::Local(l) && settled(s) && self.is_finite(s)
                }
                PredKind::Compare(CompareOp::Equal, x, e) => {
                    is_part(l, x) && settled(e) || is_part(l, e) && settled(x)
                }
                _ => false,
            };
            let is_confined = |l: LocalId| {
                let ty = &self.eval.model.locals[l.index()].ty;
                self.is_known_finite(&self.eval.type_values(ty)) || parts.iter().any(|p| confines(l, p))
            };
            let left: Vec<LocalId> = open.iter().copied().filter(|l| !is_confined(*l)).collect();
            if left.len() == open.len() {
                return left.is_empty();
            }
            open = left;
        }
    }

    /// Returns whether the set is finite whatever the unknowns are. Sets may be parts of each other, so the depth is
    /// limited.
    fn is_finite(&self, set: &Expr) -> bool {
        let _level = Level::enter();
        Level::depth() <= Tuning::DEFAULT.evaluate.finite_depth && self.is_finite_set(set)
    }

    fn is_finite_set(&self, set: &Expr) -> bool {
        let finite = |s: &Value| self.is_known_finite(s);
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
            ExprKind::Comprehension(locals, p) => self.are_few(locals, p),
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
            || self.known.guards.iter().any(|(x, s)| same(x, set) && guarded(s))
            || self.known.parts.iter().any(|(x, s)| same(x, set) && self.is_finite(s))
    }

    fn is_known_finite(&self, set: &Value) -> bool {
        let known = || self.eval.cardinality(set, Default::default()).ok().and_then(|c| c.is_finite());
        as_partial(set).is_some() || known() == Some(true)
    }

    /// Returns whether its value, if it has one, is a sequence by a guard, by its operator or by evaluation.
    fn is_sequence(&self, e: &'p Expr) -> bool {
        use BinaryOp::{Append, Concat, Drop, Prepend, Take};
        use UnaryOp::{Conc, Front, Iseq, Iseq1, Perm, Rev, Seq, Seq1, Tail};
        match &e.kind {
            ExprKind::EmptySet
            | ExprKind::SeqExtension(_)
            | ExprKind::Unary(Rev | Front | Tail | Conc, _) => {
                return true;
            }
            ExprKind::Binary(Prepend | Append | Concat | Take | Drop, ..) => return true,
            _ => {}
        }
        let of_sequences = |s: &&Expr| matches!(s.kind, ExprKind::Unary(Seq | Seq1 | Iseq | Iseq1 | Perm, _));
        self.spaces_of(e).iter().any(of_sequences)
            || self.value(e).is_some_and(|v| matches!(self.eval.elements(&v, e.span), Ok(Some(_))))
    }

    /// Returns whether a sequence is known not to be empty.
    fn is_inhabited(&self, e: &'p Expr) -> bool {
        let is_empty = |e: &Expr| match &e.kind {
            ExprKind::SeqExtension(es) => es.is_empty(),
            kind => *kind == ExprKind::EmptySet,
        };
        let by_operator = match &e.kind {
            ExprKind::SeqExtension(es) => !es.is_empty(),
            ExprKind::Binary(BinaryOp::Prepend | BinaryOp::Append, ..) => true,
            ExprKind::Binary(BinaryOp::Concat, a, b) => self.is_inhabited(a) || self.is_inhabited(b),
            ExprKind::Unary(UnaryOp::Rev, a) => self.is_inhabited(a),
            _ => false,
        };
        let of_inhabited = |s: &&Expr| matches!(s.kind, ExprKind::Unary(UnaryOp::Seq1 | UnaryOp::Iseq1, _));
        let mut different = self.known.different.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        by_operator
            || self.spaces_of(e).iter().any(of_inhabited)
            || different.any(|(a, b)| same(a, e) && is_empty(b))
            || self
                .value(e)
                .is_some_and(|v| matches!(self.eval.elements(&v, e.span), Ok(Some(s)) if !s.is_empty()))
    }

    /// Returns whether `f` has a value, and a unique image for every value that the argument may have.
    fn is_defined(&mut self, f: &'p Expr, x: &'p Expr) -> bool {
        let in_domain = |set: &Expr| matches!(&set.kind, ExprKind::Unary(UnaryOp::Dom, g) if same(g, f));
        let is_functional = |space: &Expr| match &space.kind {
            ExprKind::Binary(op, ..) => op.relation_space().is_some_and(|kind| kind.functional),
            _ => false,
        };
        if self.known.guards.iter().any(|(y, set)| same(y, x) && in_domain(set))
            && self.spaces_of(f).into_iter().any(is_functional)
        {
            return true;
        }
        let Some(arguments) = self.values_of(x) else { return false };
        if let ExprKind::Constructor(id, position) = &f.kind
            && let Some((_, Type::Free(_, parameters))) = f.ty.as_relation()
        {
            let sets: Vec<_> = parameters.iter().map(|t| self.eval.type_values(t)).collect();
            let domain = self.eval.argument_set(*id, *position, &sets, x.span);
            return matches!(domain, Ok(Some(set)) if self.eval.subset(&arguments, &set, x.span).unwrap_or(false));
        }
        let Some(function) = self.value(f) else {
            // An application that yields the function must be defined itself.
            if matches!(f.kind, ExprKind::Apply(..)) && !self.expr(f) {
                return false;
            }
            return self.domains_of(f).iter().any(|domain| {
                self.known.guards.iter().any(|(y, set)| same(y, x) && same(set, domain))
                    || self
                        .value(domain)
                        .is_some_and(|from| self.eval.subset(&arguments, &from, x.span).unwrap_or(false))
            });
        };
        if let Some(point) = self.value(x) {
            return match as_partial(&function) {
                Some(partial) => partial.is_defined_at(&point),
                None => false,
            };
        }
        let domain = match (&function, as_partial(&function)) {
            (_, Some(partial)) => partial.domain(),
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

    /// Returns the sets on which an expression is known to be a total function.
    fn domains_of(&self, f: &'p Expr) -> Vec<&'p Expr> {
        let spaces = self.spaces_of(f).into_iter().filter_map(|s| match &s.kind {
            ExprKind::Binary(op, from, _) => {
                op.relation_space().filter(|k| k.total && k.functional).map(|_| &**from)
            }
            _ => None,
        });
        let equal = self.known.equations.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        let lambdas = equal.filter(|(a, _)| same(a, f)).filter_map(|(_, lambda)| match &lambda.kind {
            ExprKind::Quantified(QuantOp::Lambda, locals, p, _) => match (&locals[..], &p.kind) {
                ([l], PredKind::Compare(CompareOp::Member, x, s)) if x.kind == ExprKind::Local(*l) => {
                    Some(&**s)
                }
                _ => None,
            },
            _ => None,
        });
        spaces.chain(lambdas).collect()
    }

    /// Returns sets that an expression is known to be in, among them those of the values of a function.
    fn spaces_of(&self, e: &'p Expr) -> Vec<&'p Expr> {
        let mut all: Vec<&'p Expr> =
            self.known.guards.iter().rev().filter(|(x, _)| same(x, e)).map(|(_, s)| *s).collect();
        // `{x | x : S & P}` is a part of S.
        let parts = all.iter().filter_map(|s| match &s.kind {
            ExprKind::Comprehension(ls, p) => match (&ls[..], &p.kind) {
                ([l], PredKind::And(ps)) => Some((*l, ps)),
                _ => None,
            },
            _ => None,
        });
        let wider = parts.flat_map(|(l, ps)| {
            ps.iter().filter_map(move |p| match &p.kind {
                PredKind::Compare(CompareOp::Member, x, s) if x.kind == ExprKind::Local(l) => Some(&**s),
                _ => None,
            })
        });
        let wider: Vec<_> = wider.collect();
        all.extend(wider);
        if let ExprKind::Apply(g, _) = &e.kind {
            all.extend(self.spaces_of(g).into_iter().filter_map(|s| match &s.kind {
                ExprKind::Binary(op, _, to) => op.relation_space().map(|_| &**to),
                _ => None,
            }));
        }
        all
    }

    fn is_at_least(&self, e: &'p Expr, least: i64) -> bool {
        let naturals = LazySet::From(Int::from(least)).into();
        self.values_of(e).is_some_and(|set| self.eval.subset(&set, &naturals, e.span) == Ok(true))
    }

    /// Returns a set that contains the value of the expression where the known facts hold.
    fn values_of(&self, e: &'p Expr) -> Option<Value> {
        if let Some(v) = self.value(e) {
            return Some(Value::set([v]));
        }
        let known: Vec<Value> = self.spaces_of(e).into_iter().filter_map(|s| self.value(s)).collect();
        if e.ty == Type::Int {
            return self.integers_of(e, known);
        }
        if let Some(set) = known.into_iter().next() {
            return Some(set);
        }
        match &e.kind {
            ExprKind::Binary(BinaryOp::Maplet, a, b) => {
                let (a, b) = (self.values_of(a)?, self.values_of(b)?);
                self.eval.binary(BinaryOp::Cartesian, a, b, e.span).ok()
            }
            _ => Some(self.eval.type_values(&e.ty)),
        }
    }

    /// Returns a set that contains the value of an integer expression, as [`Totality::values_of`].
    fn integers_of(&self, e: &'p Expr, known: Vec<Value>) -> Option<Value> {
        let lazy = |set: LazySet| Some(Value::from(set));
        let shifted = |set: &Value, n: &Int| match set {
            Value::Lazy(l) => match &**l {
                LazySet::Interval(low, high) => lazy(LazySet::Interval(low + n, high + n)),
                LazySet::From(low) => lazy(LazySet::From(low + n)),
                _ => lazy(LazySet::Integers),
            },
            Value::Set(s) => {
                let all: Option<Vec<_>> = s.iter().map(|v| Some(Value::Int(v.as_int()? + n))).collect();
                all.map(Value::set)
            }
            _ => None,
        };
        let own = match &e.kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => match (self.value(a), self.value(b)) {
                (_, Some(Value::Int(n))) => shifted(&self.values_of(a)?, &n),
                (Some(Value::Int(n)), _) => shifted(&self.values_of(b)?, &n),
                _ if self.is_at_least(a, 0) && self.is_at_least(b, 0) => lazy(LazySet::From(Int::ZERO)),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Subtract, a, b) => match self.value(b) {
                Some(Value::Int(n)) => shifted(&self.values_of(a)?, &-&n),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Multiply, a, b)
                if self.is_at_least(a, 0) && self.is_at_least(b, 0) =>
            {
                lazy(LazySet::From(Int::ZERO))
            }
            ExprKind::Binary(BinaryOp::Mod, ..) | ExprKind::Unary(UnaryOp::Card | UnaryOp::Size, _) => {
                lazy(LazySet::From(Int::ZERO))
            }
            ExprKind::Local(_) | ExprKind::Const(_) | ExprKind::Var(_) => self.compared(e, &known),
            _ => None,
        };
        let mut all = own.unwrap_or(LazySet::Integers.into());
        for set in known {
            all = self.eval.binary(BinaryOp::Intersection, all, set, e.span).ok()?;
        }
        Some(all)
    }

    /// Returns the values of an integer name that comparisons allow.
    fn compared(&self, e: &Expr, known: &[Value]) -> Option<Value> {
        if self.known.comparisons.is_empty() {
            return None;
        }
        let mut names: Vec<&Expr> = vec![e];
        let mut ranges = vec![Range::default()];
        for (_, a, b) in &self.known.comparisons {
            for side in [a, b] {
                let is_name = matches!(side.kind, ExprKind::Local(_) | ExprKind::Const(_) | ExprKind::Var(_));
                if is_name && self.value(side).is_none() && !names.iter().any(|n| same(n, side)) {
                    names.push(side);
                    ranges.push(Range::default());
                }
            }
        }
        for (i, name) in names.iter().enumerate() {
            let guards = self.known.guards.iter().filter(|(x, _)| same(x, name));
            let sets = guards.filter_map(|(_, s)| self.value(s));
            for set in sets.chain(known.iter().filter(|_| i == 0).cloned()) {
                let Value::Lazy(lazy) = &set else { continue };
                let (low, high) = match &**lazy {
                    LazySet::Interval(low, high) => (Some(low.clone()), Some(high.clone())),
                    LazySet::From(low) => (Some(low.clone()), None),
                    _ => continue,
                };
                ranges[i].narrow(&Range { low, high });
            }
        }
        let position = |x: &Expr| names.iter().position(|n| same(n, x));
        let mut narrowing = Narrowing::new(self.eval, self.env, &position, ranges);
        if !narrowing.run(&self.known.comparisons) {
            return Some(Value::empty());
        }
        let Range { low, high } = narrowing.ranges[0].clone();
        match (low, high) {
            (Some(low), Some(high)) => Some(self.eval.interval(low, high)),
            (Some(low), None) => Some(LazySet::From(low).into()),
            _ => None,
        }
    }
}

/// Returns whether an expression is a local, or a couple that contains it.
fn is_part(local: LocalId, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local(l) => *l == local,
        ExprKind::Binary(BinaryOp::Maplet, a, b) => is_part(local, a) || is_part(local, b),
        _ => false,
    }
}
