//! Operators on values: arithmetic, sets, and the dispatch to relations and sequences.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use crate::error::EvalError;
use crate::evaluate::cardinality::Cardinality;
use crate::evaluate::set::is_relation_space;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::lazy_set::LazySet;
use crate::value::real;

impl Evaluator<'_> {
    pub(crate) fn unary(&self, op: UnaryOp, v: Value, ty: &Type, at: Span) -> Eval<Value> {
        use UnaryOp::*;
        let lazy = |set| Ok(Value::from(set));
        match op {
            Negate => {
                let n = self.int(&v, at)?;
                Ok(Value::Int(-n))
            }
            NegateReal => Ok(real(-self.real(&v, at)?.clone())),
            Pow => lazy(LazySet::Power(self.normal(v, at)?)),
            Pow1 => lazy(LazySet::Unary(op, self.normal(v, at)?)),
            Fin | Fin1 => {
                let s = self.normal(v, at)?;
                if self.cardinality(&s, at)?.is_finite() == Some(true) {
                    return lazy(if op == Fin { LazySet::Power(s) } else { LazySet::Unary(Pow1, s) });
                }
                lazy(LazySet::Unary(op, s))
            }
            Seq | Seq1 | Iseq | Iseq1 => lazy(LazySet::Unary(op, self.normal(v, at)?)),
            Perm => {
                let s = self.normal(v, at)?;
                match self.cardinality(&s, at)? {
                    Cardinality::Infinite => {
                        let message = format!("perm of the infinite set {}", self.short(&s));
                        Err(EvalError::ill_defined(at, message))
                    }
                    Cardinality::Unknown => lazy(LazySet::Unary(op, Value::Set(self.list(&s, at)?))),
                    _ => lazy(LazySet::Unary(op, s)),
                }
            }
            Card => Ok(Value::Int(self.card(&v, at)?)),
            Max | Min | MaxReal | MinReal => self.extremum(op, &v, at),
            GeneralUnion => self.general_union(v, at),
            GeneralInter => {
                let family = self.list(&v, at)?;
                let mut sets = family.iter().cloned();
                let Some(first) = sets.next() else {
                    return Err(EvalError::ill_defined(at, "inter of the empty set"));
                };
                sets.try_fold(first, |all, s| self.binary(BinaryOp::Intersection, all, s, at))
            }
            Floor | Ceiling => {
                let r = self.real(&v, at)?;
                let whole = if op == Floor { r.floor() } else { r.ceil() };
                Ok(Value::Int(Int::from(whole.to_integer())))
            }
            ToReal => Ok(real::from_int(self.int(&v, at)?)),
            FirstOf => Ok(self.pair(&v, at)?.0.clone()),
            SecondOf => Ok(self.pair(&v, at)?.1.clone()),
            Inverse | Id | Dom | Ran | Closure | Closure1 | Fnc | Rel => self.relational_unary(op, v, ty, at),
            Size | First | Last | Front | Tail | Rev | Conc => self.sequence_unary(op, v, at),
        }
    }

    fn extremum(&self, op: UnaryOp, v: &Value, at: Span) -> Eval<Value> {
        let name = if matches!(op, UnaryOp::Max | UnaryOp::MaxReal) { "max" } else { "min" };
        let is_max = name == "max";
        let unbounded = || {
            let set = self.short(v);
            Err(EvalError::ill_defined(at, format!("{name} of {set}, which has no bound")))
        };
        if let Value::Lazy(lazy) = v {
            match &**lazy {
                LazySet::Interval(a, b) if a <= b => {
                    return Ok(Value::Int(if is_max { b.clone() } else { a.clone() }));
                }
                LazySet::From(a) if !is_max => return Ok(Value::Int(a.clone())),
                LazySet::From(_) | LazySet::Integers | LazySet::Reals => return unbounded(),
                _ => {}
            }
        }
        let listed = self.list(v, at)?;
        let found = match op {
            UnaryOp::Max => listed.last().cloned(),
            UnaryOp::Min => listed.first().cloned(),
            UnaryOp::MaxReal | UnaryOp::MinReal => {
                let reals = listed.iter().map(|v| self.real(v, at)).collect::<Eval<Vec<_>>>()?;
                let found = if is_max { reals.into_iter().max() } else { reals.into_iter().min() };
                found.cloned().map(real)
            }
            _ => return Err(self.confused(at)),
        };
        found.ok_or_else(|| EvalError::ill_defined(at, format!("{name} of the empty set")))
    }

    fn general_union(&self, v: Value, at: Span) -> Eval<Value> {
        if let Value::Lazy(lazy) = &v {
            match &**lazy {
                LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, s) => {
                    return Ok(s.clone());
                }
                _ => {}
            }
        }
        let Some(family) = self.try_list(&v, at)? else {
            return Ok(LazySet::Unary(UnaryOp::GeneralUnion, v).into());
        };
        let mut elements = BTreeSet::new();
        for s in family.iter() {
            match self.try_list(s, at)? {
                Some(s) => elements.extend(s.iter().cloned()),
                None => return Ok(LazySet::Unary(UnaryOp::GeneralUnion, Value::Set(family)).into()),
            }
        }
        self.make_set(elements, at)
    }

    pub(crate) fn binary(&self, op: BinaryOp, a: Value, b: Value, at: Span) -> Eval<Value> {
        use BinaryOp::*;
        match op {
            Add => Ok(Value::Int(self.int(&a, at)? + self.int(&b, at)?)),
            Subtract => Ok(Value::Int(self.int(&a, at)? - self.int(&b, at)?)),
            Multiply => {
                let (n, m) = (self.int(&a, at)?, self.int(&b, at)?);
                // A product with a small factor is never too long.
                let is_small = n.to_i64().is_some() || m.to_i64().is_some();
                if !is_small
                    && n.to_big().bits().saturating_add(m.to_big().bits())
                        > Tuning::DEFAULT.evaluate.number_bits
                {
                    return Err(EvalError::too_large(at, "the product is too large to compute"));
                }
                Ok(Value::Int(n * m))
            }
            Divide => {
                let (n, d) = (self.int(&a, at)?, self.int(&b, at)?);
                n.div_trunc(d)
                    .map(Value::Int)
                    .ok_or_else(|| EvalError::ill_defined(at, format!("division by zero: {n} / {d}")))
            }
            Mod => {
                let (n, d) = (self.int(&a, at)?, self.int(&b, at)?);
                n.modulo(d).map(Value::Int).ok_or_else(|| {
                    let message = format!("{n} mod {d}: needs a natural number and a positive divisor");
                    EvalError::ill_defined(at, message)
                })
            }
            Power => {
                let (n, e) = (self.int(&a, at)?, self.int(&b, at)?);
                if e.is_negative() {
                    return Err(EvalError::ill_defined(at, format!("{n} ** {e}: negative exponent")));
                }
                let bits = n.to_big().bits().saturating_mul(e.to_usize().unwrap_or(usize::MAX) as u64);
                let trivial = n.to_big().bits() <= 1;
                let result =
                    if bits > Tuning::DEFAULT.evaluate.number_bits && !trivial { None } else { n.pow(e) };
                result.map(Value::Int).ok_or_else(|| {
                    EvalError::too_large(
                        at,
                        format!("{} ** {} is too large to compute", self.short(&a), self.short(&b)),
                    )
                })
            }
            AddReal => Ok(real(self.real(&a, at)? + self.real(&b, at)?)),
            SubtractReal => Ok(real(self.real(&a, at)? - self.real(&b, at)?)),
            MultiplyReal => Ok(real(self.real(&a, at)? * self.real(&b, at)?)),
            DivideReal => {
                let (n, d) = (self.real(&a, at)?, self.real(&b, at)?);
                if d.is_zero() {
                    let message = format!("division by zero: {} / {}", real::text(n), real::text(d));
                    return Err(EvalError::ill_defined(at, message));
                }
                Ok(real(n / d))
            }
            PowerReal => self.real_power(&a, &b, at),
            Interval => Ok(self.interval(self.int(&a, at)?.clone(), self.int(&b, at)?.clone())),
            Maplet => Ok(Value::pair(self.normal(a, at)?, self.normal(b, at)?)),
            Union | Intersection | Difference => self.set_operator(op, a, b, at),
            Cartesian => {
                if self.empty_listed(&a) || self.empty_listed(&b) {
                    return Ok(Value::empty());
                }
                Ok(LazySet::Binary(op, self.normal(a, at)?, self.normal(b, at)?).into())
            }
            op if is_relation_space(op) => {
                Ok(LazySet::Binary(op, self.normal(a, at)?, self.normal(b, at)?).into())
            }
            Prepend | Append | Concat | Take | Drop => self.sequence_binary(op, a, b, at),
            _ => self.relational_binary(op, a, b, at),
        }
    }

    fn empty_listed(&self, v: &Value) -> bool {
        v.as_set().is_some_and(BTreeSet::is_empty)
    }

    fn real_power(&self, a: &Value, b: &Value, at: Span) -> Eval<Value> {
        let (base, e) = (self.real(a, at)?, self.int(b, at)?);
        if e.is_negative() {
            return Err(EvalError::ill_defined(
                at,
                format!("{} ** {e}: negative exponent", real::text(base)),
            ));
        }
        let size = base.numer().bits().max(base.denom().bits());
        match e.to_i64().and_then(|e| e.to_i32()) {
            Some(e) if size.saturating_mul(e as u64) <= Tuning::DEFAULT.evaluate.real_bits => {
                Ok(real(base.pow(e)))
            }
            _ => {
                Err(EvalError::too_large(at, format!("{} ** {e} is too large to compute", real::text(base))))
            }
        }
    }

    fn set_operator(&self, op: BinaryOp, a: Value, b: Value, at: Span) -> Eval<Value> {
        let plain = |v: &Value| matches!(v, Value::Set(_)) && !v.has_lazy();
        if let (Value::Set(s), Value::Set(t)) = (&a, &b)
            && plain(&a)
            && plain(&b)
        {
            return Ok(match op {
                _ if op == BinaryOp::Union && t.is_empty() => a,
                _ if op == BinaryOp::Union && s.is_empty() => b,
                _ if op != BinaryOp::Union && t.is_empty() => {
                    if op == BinaryOp::Difference {
                        a
                    } else {
                        b
                    }
                }
                BinaryOp::Union => Value::Set(Arc::new(s.union(t).cloned().collect())),
                BinaryOp::Intersection => Value::Set(Arc::new(s.intersection(t).cloned().collect())),
                _ => Value::Set(Arc::new(s.difference(t).cloned().collect())),
            });
        }
        match op {
            BinaryOp::Union => {
                if self.empty_listed(&a) {
                    return Ok(b);
                }
                if self.empty_listed(&b) {
                    return Ok(a);
                }
                match (self.try_list(&a, at)?, self.try_list(&b, at)?) {
                    (Some(s), Some(t)) => return self.make_set(s.union(&t).cloned(), at),
                    (None, Some(by)) if !by.iter().any(Value::has_lazy) => {
                        if let Some(changed) = self.changed(op, &a, &by, at)? {
                            return Ok(changed);
                        }
                    }
                    (Some(by), None) if !by.iter().any(Value::has_lazy) => {
                        if let Some(changed) = self.changed(op, &b, &by, at)? {
                            return Ok(changed);
                        }
                    }
                    _ => {}
                }
            }
            BinaryOp::Intersection => {
                if let (Value::Lazy(s), Value::Lazy(t)) = (&a, &b)
                    && let Some(bounds) = meet(s, t)
                {
                    return Ok(match bounds {
                        LazySet::Interval(low, high) => self.interval(low, high),
                        other => other.into(),
                    });
                }
                for (from, other) in [(&a, &b), (&b, &a)] {
                    if let Some(s) = self.try_list(from, at)? {
                        return self.filter(&s, at, |v| self.member(v, other, at));
                    }
                }
            }
            _ => {
                if let Some(s) = self.try_list(&a, at)? {
                    return self.filter(&s, at, |v| Ok(!self.member(v, &b, at)?));
                }
                if self.empty_listed(&b) {
                    return Ok(a);
                }
                if let Some(by) = self.try_list(&b, at)?
                    && !by.iter().any(Value::has_lazy)
                    && let Some(changed) = self.changed(op, &a, &by, at)?
                {
                    return Ok(changed);
                }
            }
        }
        Ok(LazySet::Binary(op, self.normal(a, at)?, self.normal(b, at)?).into())
    }

    pub(crate) fn filter(
        &self,
        set: &BTreeSet<Value>,
        _at: Span,
        keep: impl Fn(&Value) -> Eval<bool>,
    ) -> Eval<Value> {
        let mut kept = BTreeSet::new();
        for v in set {
            if keep(v)? {
                kept.insert(v.clone());
            }
        }
        Ok(Value::Set(Arc::new(kept)))
    }
}

fn real(r: BigRational) -> Value {
    Value::Real(Arc::new(r))
}

/// Returns the intersection of two sets of consecutive integers.
fn meet(a: &LazySet, b: &LazySet) -> Option<LazySet> {
    use LazySet::{From, Integers, Interval};
    Some(match (a, b) {
        (Integers, other @ (Integers | From(_) | Interval(..)))
        | (other @ (From(_) | Interval(..)), Integers) => other.clone(),
        (From(l), From(m)) => From(l.max(m).clone()),
        (From(l), Interval(m, h)) | (Interval(m, h), From(l)) => Interval(l.max(m).clone(), h.clone()),
        (Interval(l, h), Interval(m, i)) => Interval(l.max(m).clone(), h.min(i).clone()),
        _ => return None,
    })
}
