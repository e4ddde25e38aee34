//! `LibraryBits.def` and `LibraryMath.def`. Bits are those of the two's complement, without a width.

use bsym_language::int::Int;
use bsym_language::model::ExternalFunction as F;
use bsym_language::source::Span;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;

impl Evaluator<'_> {
    /// Returns the value of a function on integers; `None` if it is not one.
    pub(super) fn number_function(&self, f: F, args: &[Value], at: Span) -> Eval<Option<Value>> {
        let big = |v: &Value| Ok(self.int(v, at)?.to_big());
        let ill = |message: String| Err(EvalError::ill_defined(at, message));
        let result: BigInt = match (f, args) {
            (F::BitNot, [n]) => -big(n)? - 1,
            (F::BitAnd, [a, b]) => big(a)? & big(b)?,
            (F::BitOr, [a, b]) => big(a)? | big(b)?,
            (F::BitXor, [a, b]) => big(a)? ^ big(b)?,
            (F::BitShiftLeft | F::BitShiftRight, [n, by]) => {
                let by = self.int(by, at)?;
                let shift = by.to_i64().filter(|s| s.abs() <= Tuning::DEFAULT.evaluate.external_number);
                let Some(shift) = shift else {
                    return Err(EvalError::too_large(at, format!("a shift by {by} bits")));
                };
                let left = (f == F::BitShiftLeft) == (shift >= 0);
                let (n, shift) = (big(n)?, shift.unsigned_abs());
                if left { n << shift } else { n >> shift }
            }
            (F::Gcd, [a, b]) => {
                let (mut a, mut b) = (big(a)?.abs(), big(b)?.abs());
                while !b.is_zero() {
                    (a, b) = (b.clone(), a % b);
                }
                a
            }
            (F::Abs, [n]) => big(n)?.abs(),
            (F::Sign, [n]) => big(n)?.signum(),
            (F::Msb, [n]) => {
                let n = big(n)?;
                if !n.is_positive() {
                    return ill(format!("MSB of {n}"));
                }
                BigInt::from(n.bits() - 1)
            }
            (F::FloorDivide | F::CeilingDivide, [a, b]) => {
                let (a, b) = (big(a)?, big(b)?);
                if b.is_zero() {
                    return ill(format!("division by zero: {a} / 0"));
                }
                let quotient = num_rational::BigRational::new(a, b);
                let whole = if f == F::FloorDivide { quotient.floor() } else { quotient.ceil() };
                whole.to_integer()
            }
            (F::Factors, [n]) => return self.factors(&big(n)?, at).map(Some),
            (F::Sin | F::Cos | F::Tan, [x]) => self.rounded(f, &BigInt::from(100), &big(x)?, at)?,
            (F::SinX | F::CosX | F::TanX, [m, x]) => self.rounded(f, &big(m)?, &big(x)?, at)?,
            (F::LogX, [m, base, x]) => self.rounded_log(&big(m)?, &big(base)?, &big(x)?, at)?,
            _ => return Ok(None),
        };
        Ok(Some(Value::Int(Int::from(result))))
    }

    /// Returns the prime factors in ascending order.
    fn factors(&self, n: &BigInt, at: Span) -> Eval<Value> {
        if !n.is_positive() {
            return Err(EvalError::ill_defined(at, format!("FACTORS of {n}")));
        }
        let Some(mut rest) = n.to_u64().filter(|n| *n <= Tuning::DEFAULT.evaluate.factored) else {
            return Err(EvalError::too_large(at, format!("{n} is too large to be cut into factors")));
        };
        let mut factors = vec![];
        let mut p = 2;
        while p * p <= rest {
            while rest % p == 0 {
                factors.push(p);
                rest /= p;
            }
            p += if p == 2 { 1 } else { 2 };
        }
        if rest > 1 {
            factors.push(rest);
        }
        Ok(Value::sequence(factors.into_iter().map(|p| Value::int(p as i64))))
    }

    /// `round(m * sin(x / m))` and its kin.
    fn rounded(&self, f: F, m: &BigInt, x: &BigInt, at: Span) -> Eval<BigInt> {
        if !m.is_positive() {
            return Err(EvalError::ill_defined(at, format!("{} with the multiplier {m}", f.name())));
        }
        let (Some(m), Some(x)) = (small(m), small(x)) else { return Err(self.imprecise(f, at)) };
        let angle = x / m;
        let value = match f {
            F::Sin | F::SinX => angle.sin(),
            F::Cos | F::CosX => angle.cos(),
            _ => angle.tan(),
        };
        self.nearest(f, m * value, at)
    }

    /// `round(m * log(base / m, x / m))`
    fn rounded_log(&self, m: &BigInt, base: &BigInt, x: &BigInt, at: Span) -> Eval<BigInt> {
        if !m.is_positive() || !base.is_positive() || !x.is_positive() || base == m {
            return Err(EvalError::ill_defined(at, format!("LOGx of {m}, {base}, {x}")));
        }
        if x == m {
            return Ok(BigInt::zero());
        }
        if x == base {
            return Ok(m.clone());
        }
        let (Some(m), Some(base), Some(x)) = (small(m), small(base), small(x)) else {
            return Err(self.imprecise(F::LogX, at));
        };
        self.nearest(F::LogX, m * (x / m).ln() / (base / m).ln(), at)
    }

    // There is no value if the floating-point result does not determine to which side it is rounded.
    fn nearest(&self, f: F, value: f64, at: Span) -> Eval<BigInt> {
        let error = (value.abs() + 1.0) * 1e-9;
        let (low, high) = ((value - error).round(), (value + error).round());
        if !value.is_finite() || value.abs() > 1e15 || low != high {
            return Err(self.imprecise(f, at));
        }
        Ok(BigInt::from(low as i64))
    }

    fn imprecise(&self, f: F, at: Span) -> EvalError {
        EvalError::unsupported(at, format!("`{}` cannot be computed precisely enough", f.name()))
    }
}

fn small(n: &BigInt) -> Option<f64> {
    n.to_i64()
        .filter(|n| n.unsigned_abs() <= Tuning::DEFAULT.evaluate.external_number as u64)
        .map(|n| n as f64)
}
