//! Cardinality of a set, as far as it can be determined without listing the elements.

use bsym_language::int::Int;
use bsym_language::model::{
    BinaryOp, BuiltinSet, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp,
};
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_language::walk::cut_into_literals;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::{Closure, ClosureKind, LazySet};

/// Bounds on the number of elements of a set, determined without listing them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cardinality {
    /// Exactly this number.
    Exact(Int),
    /// Finite, at most this number.
    AtMost(Int),
    /// Finite, with a number too large to write down.
    Huge,
    /// Infinite.
    Infinite,
    /// Not known.
    Unknown,
}

impl Cardinality {
    fn of(n: usize) -> Cardinality {
        Cardinality::Exact(Int::from(n as i64))
    }

    /// Returns the bound, if it is at most `limit`.
    pub fn within(&self, limit: usize) -> Option<usize> {
        match self {
            Cardinality::Exact(n) | Cardinality::AtMost(n) => n.to_usize().filter(|n| *n <= limit),
            _ => None,
        }
    }

    pub(crate) fn is_finite(&self) -> Option<bool> {
        match self {
            Cardinality::Exact(_) | Cardinality::AtMost(_) | Cardinality::Huge => Some(true),
            Cardinality::Infinite => Some(false),
            Cardinality::Unknown => None,
        }
    }

    /// Returns the number, if it is known.
    pub(crate) fn exact(&self) -> Option<&Int> {
        match self {
            Cardinality::Exact(n) => Some(n),
            _ => None,
        }
    }

    fn upper(self) -> Cardinality {
        match self {
            Cardinality::Exact(n) => Cardinality::AtMost(n),
            other => other,
        }
    }

    fn power_of(&self, base: i64) -> Cardinality {
        match self {
            Cardinality::Exact(n) => power(&Int::from(base), n),
            Cardinality::AtMost(n) => power(&Int::from(base), n).upper(),
            other => other.clone(),
        }
    }

    pub(crate) fn times(&self, other: &Cardinality) -> Cardinality {
        use Cardinality::*;
        match (self, other) {
            (Exact(n), _) | (_, Exact(n)) if n.is_zero() => Exact(Int::ZERO),
            (Exact(a), Exact(b)) => Exact(a * b),
            (Exact(a) | AtMost(a), Exact(b) | AtMost(b)) => AtMost(a * b),
            (Unknown, _) | (_, Unknown) => Unknown,
            // The other factor may turn out empty.
            (Infinite, AtMost(_) | Huge) | (AtMost(_) | Huge, Infinite) => Unknown,
            (Infinite, _) | (_, Infinite) => Infinite,
            (Huge, _) | (_, Huge) => Huge,
        }
    }

    pub(crate) fn plus(&self, other: &Cardinality) -> Cardinality {
        use Cardinality::*;
        match (self, other) {
            (Infinite, _) | (_, Infinite) => Infinite,
            (Unknown, _) | (_, Unknown) => Unknown,
            (Huge, _) | (_, Huge) => Huge,
            (Exact(a) | AtMost(a), Exact(b) | AtMost(b)) => AtMost(a + b),
        }
    }
}

impl Evaluator<'_> {
    /// Returns the cardinality of a set without listing it.
    pub fn cardinality(&self, set: &Value, at: Span) -> Eval<Cardinality> {
        use Cardinality::*;
        let lazy = match set {
            Value::Set(s) => return Ok(Cardinality::of(s.len())),
            Value::Lazy(lazy) => lazy,
            _ => return Err(self.confused(at)),
        };
        let of = |s: &Value| self.cardinality(s, at);
        Ok(match &**lazy {
            LazySet::Integers | LazySet::From(_) | LazySet::Strings | LazySet::Reals => Infinite,
            LazySet::Succ | LazySet::Pred => Infinite,
            LazySet::Interval(a, b) if a > b => Exact(Int::ZERO),
            LazySet::Interval(a, b) => Exact(&(b - a) + &Int::ONE),
            // Finite and not empty, of unknown size.
            LazySet::Carrier(_) => Huge,
            LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow, s) => of(s)?.power_of(2),
            LazySet::Unary(UnaryOp::Fin | UnaryOp::Fin1 | UnaryOp::Pow1, s) => match of(s)?.power_of(2) {
                Exact(n) if !matches!(&**lazy, LazySet::Unary(UnaryOp::Fin, _)) => Exact(&n - &Int::ONE),
                other => other,
            },
            LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) => match of(s)? {
                Exact(n) if n.is_zero() => {
                    let seq = matches!(&**lazy, LazySet::Unary(UnaryOp::Seq, _));
                    Exact(if seq { Int::ONE } else { Int::ZERO })
                }
                Exact(_) | Infinite => Infinite,
                Huge if matches!(s, Value::Lazy(l) if matches!(**l, LazySet::Carrier(_))) => Infinite,
                _ => Unknown,
            },
            LazySet::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm), s) => match of(s)? {
                Exact(n) => match n.to_i64() {
                    Some(n) if n <= Tuning::DEFAULT.evaluate.counted_injections => Exact(injections(n, *op)),
                    _ => Huge,
                },
                other => other.upper(),
            },
            LazySet::Unary(UnaryOp::Id | UnaryOp::Inverse | UnaryOp::Rel, s) if !rel(lazy) => of(s)?,
            LazySet::Unary(UnaryOp::Dom | UnaryOp::Ran | UnaryOp::Fnc, s) => match of(s)? {
                Infinite => Unknown,
                other => other.upper(),
            },
            LazySet::Unary(..) => Unknown,
            LazySet::Prj1(s, t) | LazySet::Prj2(s, t) | LazySet::Binary(BinaryOp::Cartesian, s, t) => {
                of(s)?.times(&of(t)?)
            }
            LazySet::Struct(fields) => {
                fields.iter().try_fold(Exact(Int::ONE), |all, (_, s)| Ok(all.times(&of(s)?)))?
            }
            LazySet::Binary(op, s, t) => match op {
                BinaryOp::ParallelProduct => of(s)?.times(&of(t)?),
                BinaryOp::Union => of(s)?.plus(&of(t)?),
                BinaryOp::Intersection => match (of(s)?, of(t)?) {
                    (Infinite, Infinite) => Unknown,
                    (Exact(a) | AtMost(a), Exact(b) | AtMost(b)) => AtMost(a.min(b)),
                    (Exact(a) | AtMost(a), _) | (_, Exact(a) | AtMost(a)) => AtMost(a),
                    (Huge, _) | (_, Huge) => Huge,
                    _ => Unknown,
                },
                BinaryOp::Difference => match (of(s)?, of(t)?.is_finite()) {
                    (Infinite, Some(true)) => Infinite,
                    (Infinite, _) => Unknown,
                    (other, _) => other.upper(),
                },
                BinaryOp::DomainRestriction
                | BinaryOp::DomainSubtraction
                | BinaryOp::RangeRestriction
                | BinaryOp::RangeSubtraction => {
                    let r = if matches!(op, BinaryOp::DomainRestriction | BinaryOp::DomainSubtraction) {
                        t
                    } else {
                        s
                    };
                    match of(r)? {
                        Infinite => Unknown,
                        other => other.upper(),
                    }
                }
                BinaryOp::Override => of(s)?.plus(&of(t)?),
                BinaryOp::Relation => of(s)?.times(&of(t)?).power_of(2),
                BinaryOp::TotalFunction => match (of(s)?, of(t)?) {
                    (Exact(n), _) if n.is_zero() => Exact(Int::ONE),
                    (_, Exact(n)) if n == Int::ONE => Exact(Int::ONE),
                    (Exact(n), Exact(m)) => power(&m, &n),
                    (a, b) => loose_functions(&a, &b),
                },
                BinaryOp::PartialFunction => match (of(s)?, of(t)?) {
                    (Exact(n), Exact(m)) => power(&(&m + &Int::ONE), &n),
                    (a, b) => loose_functions(&a, &b),
                },
                BinaryOp::PartialInjection
                | BinaryOp::TotalInjection
                | BinaryOp::PartialSurjection
                | BinaryOp::TotalSurjection
                | BinaryOp::PartialBijection
                | BinaryOp::TotalBijection => match (of(s)?, of(t)?) {
                    (Exact(n), Exact(m)) => match functions(*op, &n, &m) {
                        Some(n) => Exact(n),
                        None => power(&(&m + &Int::ONE), &n).upper(),
                    },
                    (a, b) => loose_functions(&a, &b),
                },
                BinaryOp::TotalRelation
                | BinaryOp::SurjectiveRelation
                | BinaryOp::TotalSurjectiveRelation => match of(s)?.times(&of(t)?).power_of(2) {
                    Infinite => Unknown,
                    other => other.upper(),
                },
                _ => Unknown,
            },
            LazySet::Closure(closure) => self.closure_cardinality(closure, at).unwrap_or(Unknown),
            LazySet::Recursive(..) => Unknown,
            LazySet::Free(id, sets) => self.free_type_cardinality(*id, sets, at)?,
            LazySet::Constructor(id, i, sets) => match self.argument_set(*id, *i, sets, at)? {
                Some(set) => of(&set)?,
                None => Unknown,
            },
            LazySet::Trees(..) => Infinite,
            LazySet::Partial(partial) => match partial.size() {
                (low, high) if low == high => Cardinality::of(low),
                _ => return Err(EvalError::undecided(at, partial.first_open())),
            },
        })
    }

    fn closure_cardinality(&self, closure: &Closure, at: Span) -> Option<Cardinality> {
        if closure.kind == ClosureKind::Image {
            return None;
        }
        self.within_closure(closure, &[], |env| {
            let size = self.plain_size(env, &closure.locals, &closure.pred, at);
            Ok(size.or_else(|| match &closure.locals[..] {
                [local] if closure.kind == ClosureKind::Comprehension => {
                    self.reaches_infinity(env, *local, &closure.pred).then_some(Cardinality::Infinite)
                }
                _ => None,
            }))
        })
        .ok()?
    }

    /// Returns whether a predicate holds for infinitely many integers, as far as its form shows: it bounds them on one
    /// side at most, excludes single ones, and fixes one remainder.
    fn reaches_infinity(&self, env: &Env<'_>, local: LocalId, pred: &Pred) -> bool {
        if self.type_of(Name::Local(local)) != Some(&Type::Int) {
            return false;
        }
        let mut literals = Vec::new();
        cut_into_literals(true, pred, &mut literals);
        let (mut least, mut bounded_above) = (None::<Int>, false);
        let mut remainder = None;
        let is_local = |e: &Expr| matches!(e.kind, ExprKind::Local(l) if l == local);
        let integer = |e: &Expr| {
            let value = self.is_closed(env, e).then(|| self.eval(env, e))?.ok()?;
            value.as_int().cloned()
        };
        for (positive, literal) in literals {
            let PredKind::Compare(op, a, b) = &literal.kind else { return false };
            let op = if positive { *op } else { op.negated() };
            let (op, a, b) = match op.mirrored() {
                Some(mirrored) if is_local(b) => (mirrored, b, a),
                _ => (op, a, b),
            };
            match (&a.kind, op) {
                (ExprKind::Local(_), CompareOp::Member) if is_local(a) => match b.kind {
                    ExprKind::Set(BuiltinSet::Integer) => {}
                    ExprKind::Set(BuiltinSet::Natural | BuiltinSet::Natural1) => {
                        least = least.max(Some(Int::ZERO))
                    }
                    _ => return false,
                },
                (ExprKind::Local(_), _) if is_local(a) => {
                    let Some(bound) = integer(b) else { return false };
                    match op {
                        CompareOp::Greater | CompareOp::GreaterEqual => least = least.max(Some(bound)),
                        CompareOp::Less | CompareOp::LessEqual => bounded_above = true,
                        CompareOp::NotEqual => {}
                        _ => return false,
                    }
                }
                (ExprKind::Binary(BinaryOp::Mod, x, k), CompareOp::Equal) if is_local(x) => {
                    let (Some(k), Some(c)) = (integer(k), integer(b)) else { return false };
                    if c.is_negative() || c >= k || remainder.replace(c).is_some() {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        // Remainders are defined for natural numbers.
        !(bounded_above && least.is_some())
            && (remainder.is_none() || least.is_some_and(|n| !n.is_negative()))
    }

    /// Returns the number of values of locals that a predicate only confines to sets.
    pub(crate) fn plain_size(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        pred: &Pred,
        at: Span,
    ) -> Option<Cardinality> {
        let mut literals = Vec::new();
        cut_into_literals(true, pred, &mut literals);
        let memberships = literals.into_iter().map(|(positive, literal)| match &literal.kind {
            PredKind::Compare(op @ (CompareOp::Member | CompareOp::Subset), x, set) if positive => {
                let ExprKind::Local(local) = x.kind else { return None };
                let index = locals.iter().position(|l| *l == local)?;
                self.is_closed(env, set).then_some((index, *op, &**set))
            }
            _ => None,
        });
        let memberships = memberships.collect::<Option<Vec<_>>>()?;
        let mut sets: Vec<Option<Value>> = vec![None; locals.len()];
        for (index, op, set) in memberships {
            let set = self.eval(env, set).ok()?;
            let set = if op == CompareOp::Member { set } else { LazySet::Power(set).into() };
            match &sets[index] {
                Some(known) if self.is_universal(&set) || *known == set => {}
                Some(known) if !self.is_universal(known) => return None,
                _ => sets[index] = Some(set),
            }
        }
        sets.into_iter().try_fold(Cardinality::Exact(Int::ONE), |all, set| {
            Some(all.times(&self.cardinality(&set?, at).ok()?))
        })
    }

    /// Returns whether a set is finite.
    pub fn finite(&self, set: &Value, at: Span) -> Eval<bool> {
        match self.cardinality(set, at)?.is_finite() {
            Some(known) => Ok(known),
            None => self.list(set, at).map(|_| true),
        }
    }

    /// `card(S)`
    pub(crate) fn card(&self, set: &Value, at: Span) -> Eval<Int> {
        match self.cardinality(set, at)? {
            Cardinality::Exact(n) => Ok(n),
            Cardinality::Infinite => {
                Err(EvalError::ill_defined(at, format!("card of the infinite set {}", self.short(set))))
            }
            _ => Ok(Int::from(self.list(set, at)?.len() as i64)),
        }
    }
}

fn power(base: &Int, exponent: &Int) -> Cardinality {
    match exponent.to_i64() {
        Some(e) if e <= Tuning::DEFAULT.evaluate.cardinality_exponent && base.to_big().bits() < 64 => {
            base.pow(exponent).map_or(Cardinality::Huge, Cardinality::Exact)
        }
        _ if *base <= Int::ONE => base.pow(exponent).map_or(Cardinality::Huge, Cardinality::Exact),
        _ => Cardinality::Huge,
    }
}

fn rel(lazy: &LazySet) -> bool {
    matches!(lazy, LazySet::Unary(UnaryOp::Rel, _))
}

/// Estimates the number of functions between sets of which not both sizes are known.
fn loose_functions(from: &Cardinality, to: &Cardinality) -> Cardinality {
    match (from.is_finite(), to.is_finite()) {
        (Some(true), Some(true)) => match (from, to) {
            (
                Cardinality::Exact(n) | Cardinality::AtMost(n),
                Cardinality::Exact(m) | Cardinality::AtMost(m),
            ) => power(&(m + &Int::ONE), n).upper(),
            _ => Cardinality::Huge,
        },
        _ => Cardinality::Unknown,
    }
}

/// Number of injections, surjections or bijections between sets of `n` and `m` elements, for small sets.
fn functions(op: BinaryOp, n: &Int, m: &Int) -> Option<Int> {
    let small = |size: &Int| size.to_i64().filter(|size| *size <= Tuning::DEFAULT.evaluate.counted_functions);
    let (n, m) = (small(n)?, small(m)?);
    let injections = |n: i64, m: i64| (m - n + 1..=m).fold(Int::ONE, |all, i| &all * &Int::from(i.max(0)));
    let sum = |terms: &mut dyn Iterator<Item = Int>| terms.fold(Int::ZERO, |sum, term| &sum + &term);
    // All functions without those that miss one value, with those that miss two, and so on.
    let surjections = |values: i64| {
        let missing = |k: i64| {
            let functions = Int::from(values - k).pow(&Int::from(n))?;
            let term = &choose(m, k) * &functions;
            Some(if k % 2 == 0 { term } else { -&term })
        };
        Some(sum(&mut (0..=m).map(missing).collect::<Option<Vec<_>>>()?.into_iter()))
    };
    match op {
        BinaryOp::TotalInjection => Some(injections(n, m)),
        BinaryOp::PartialInjection => {
            Some(sum(&mut (0..=n.min(m)).map(|k| &choose(n, k) * &injections(k, m))))
        }
        BinaryOp::TotalBijection => Some(if n == m { injections(n, n) } else { Int::ZERO }),
        BinaryOp::PartialBijection => Some(injections(m, n)),
        BinaryOp::TotalSurjection => surjections(m),
        BinaryOp::PartialSurjection => surjections(m + 1),
        _ => None,
    }
}

/// Binomial coefficient
fn choose(n: i64, k: i64) -> Int {
    (0..k).fold(Int::ONE, |all, i| {
        let product = &all * &Int::from(n - i);
        product.div_trunc(&Int::from(i + 1)).unwrap_or(product)
    })
}

/// Number of injective sequences over a set of `n` elements; of all of them for `perm`.
fn injections(n: i64, op: UnaryOp) -> Int {
    let mut total = if op == UnaryOp::Iseq { Int::ONE } else { Int::ZERO };
    let mut last = Int::ONE;
    for k in 0..n {
        last = &last * &Int::from(n - k);
        total = &total + &last;
    }
    if op == UnaryOp::Perm { last } else { total }
}
