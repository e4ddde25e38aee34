//! `LibraryReals.def`. Reals are exact here: a result that is not rational has no value.

use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{ExternalFunction as F, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::strings::round;
use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::real;

impl Evaluator<'_> {
    /// Returns the value of a function on reals; `None` if it is not one.
    pub(super) fn real_function(&self, f: F, args: &[Value], at: Span) -> Eval<Option<Value>> {
        let real = |v: &Value| self.real(v, at).cloned();
        let zero = BigRational::zero;
        let result = match (f, args) {
            (F::RealAdd, [a, b]) => real(a)? + real(b)?,
            (F::RealSubtract, [a, b]) => real(a)? - real(b)?,
            (F::RealMultiply, [a, b]) => real(a)? * real(b)?,
            (F::RealDivide, [a, b]) => self.quotient(real(a)?, real(b)?, at)?,
            (F::RealInverse, [a]) => self.quotient(BigRational::one(), real(a)?, at)?,
            (F::RealAbs, [a]) => real(a)?.abs(),
            (F::RealSign, [a]) => real(a)?.signum(),
            (F::RealMax, [a, b]) => real(a)?.max(real(b)?),
            (F::RealMin, [a, b]) => real(a)?.min(real(b)?),
            (F::RealMaximum, [set]) => {
                return self.unary(UnaryOp::MaxReal, set.clone(), &Type::Real, at).map(Some);
            }
            (F::RealMinimum, [set]) => {
                return self.unary(UnaryOp::MinReal, set.clone(), &Type::Real, at).map(Some);
            }
            (F::Round, [a]) => return Ok(Some(Value::Int(Int::from(round(&real(a)?))))),
            (F::RealFloor, [a]) => real(a)?.floor(),
            (F::RealCeiling, [a]) => real(a)?.ceil(),
            (F::RealInteger, [a]) => real(a)?.trunc(),
            (F::RealFraction, [a]) => real(a)?.fract(),
            (F::RealDecimal, [n, exponent]) => {
                let exponent = self.int(exponent, at)?;
                let Some(e) =
                    exponent.to_i64().filter(|e| e.abs() <= Tuning::DEFAULT.evaluate.decimal_places)
                else {
                    return Err(EvalError::too_large(at, format!("an exponent of {exponent}")));
                };
                BigRational::from(self.int(n, at)?.to_big())
                    * BigRational::from(BigInt::from(10)).pow(e as i32)
            }
            (F::RealOne, []) => BigRational::one(),
            (F::RealZero, []) => zero(),
            (F::RealSqrt, [a]) => self.root(&real(a)?, at)?,
            (F::RealPower, [a, b]) => self.real_to_real(f, real(a)?, real(b)?, at)?,
            (F::RealExp | F::RealCos | F::RealCosh, [a]) if real(a)?.is_zero() => BigRational::one(),
            (F::RealSin | F::RealTan | F::RealArcSin | F::RealArcTan, [a]) if real(a)?.is_zero() => zero(),
            (F::RealSinh | F::RealTanh, [a]) if real(a)?.is_zero() => zero(),
            (F::RealArcCos, [a]) if real(a)?.is_one() => zero(),
            (F::RealArcSin | F::RealArcCos, [a]) if real(a)?.abs() > BigRational::one() => {
                let message = format!("{} of {}", f.name(), real::text(&real(a)?));
                return Err(EvalError::ill_defined(at, message));
            }
            (F::RealLogE, [a]) => self.logarithm(f, None, &real(a)?, at)?,
            (F::RealLog, [base, a]) => self.logarithm(f, Some(&real(base)?), &real(a)?, at)?,
            _ if f.library() == "LibraryReals.def" => return Err(self.irrational(f, at)),
            _ => return Ok(None),
        };
        Ok(Some(Value::Real(Arc::new(result))))
    }

    fn irrational(&self, f: F, at: Span) -> EvalError {
        EvalError::unsupported(at, format!("the value of `{}` is no rational number", f.name()))
    }

    fn quotient(&self, a: BigRational, b: BigRational, at: Span) -> Eval<BigRational> {
        if b.is_zero() {
            return Err(EvalError::ill_defined(at, format!("division by zero: {} / 0.0", real::text(&a))));
        }
        Ok(a / b)
    }

    fn root(&self, a: &BigRational, at: Span) -> Eval<BigRational> {
        if a.is_negative() {
            return Err(EvalError::ill_defined(at, format!("RSQRT of {}", real::text(a))));
        }
        let root = BigRational::new(a.numer().sqrt(), a.denom().sqrt());
        if &root * &root == *a { Ok(root) } else { Err(self.irrational(F::RealSqrt, at)) }
    }

    fn real_to_real(&self, f: F, base: BigRational, e: BigRational, at: Span) -> Eval<BigRational> {
        if base.is_zero() && !e.is_positive() {
            return Err(EvalError::ill_defined(at, format!("0.0 to the power of {}", real::text(&e))));
        }
        if !e.is_integer() {
            if base.is_negative() {
                let message = format!("{} to the power of {}", real::text(&base), real::text(&e));
                return Err(EvalError::ill_defined(at, message));
            }
            return if base.is_zero() || base.is_one() { Ok(base) } else { Err(self.irrational(f, at)) };
        }
        let bits = base.numer().bits().max(base.denom().bits());
        match e.to_integer().to_i32() {
            Some(n)
                if bits.saturating_mul(u64::from(n.unsigned_abs())) <= Tuning::DEFAULT.evaluate.real_bits =>
            {
                Ok(base.pow(n))
            }
            _ => Err(EvalError::too_large(at, "the power is too large to compute")),
        }
    }

    fn logarithm(&self, f: F, base: Option<&BigRational>, a: &BigRational, at: Span) -> Eval<BigRational> {
        let bad_base = base.is_some_and(|b| !b.is_positive() || b.is_one());
        if !a.is_positive() || bad_base {
            return Err(EvalError::ill_defined(at, format!("{} of {}", f.name(), real::text(a))));
        }
        if a.is_one() {
            return Ok(BigRational::zero());
        }
        if base == Some(a) {
            return Ok(BigRational::one());
        }
        Err(self.irrational(f, at))
    }
}
