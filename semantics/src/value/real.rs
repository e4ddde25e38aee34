//! Reals as exact rationals: reading and writing them.

use std::sync::Arc;

use bsym_language::int::Int;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::tuning::Tuning;
use crate::value::Value;

/// Reads `1.5`, `2.0E-7`, and `1.0/3.0` as [`text`] writes it.
pub fn parse(text: &str) -> Option<BigRational> {
    if let Some((n, d)) = text.split_once('/') {
        let d = parse(d)?;
        return (!d.is_zero()).then_some(parse(n)? / d);
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let shift = exponent.checked_sub(fraction.len() as i64)?;
    let power =
        usize::try_from(shift.unsigned_abs()).ok().filter(|p| *p <= Tuning::DEFAULT.evaluate.real_digits)?;
    let scale = BigInt::from(10).pow(power as u32);
    Some(if shift < 0 { BigRational::new(digits, scale) } else { BigRational::from(digits * scale) })
}

/// Returns a real as B text: a decimal if it has one, otherwise a quotient of two.
pub fn text(r: &BigRational) -> String {
    let mut rest = r.denom().clone();
    let (mut twos, mut fives) = (0usize, 0usize);
    let (two, five) = (BigInt::from(2), BigInt::from(5));
    while (&rest % &two).is_zero() {
        rest /= &two;
        twos += 1;
    }
    while (&rest % &five).is_zero() {
        rest /= &five;
        fives += 1;
    }
    let sign = if r.is_negative() { "-" } else { "" };
    if !rest.is_one() {
        return format!("{}.0/{}.0", r.numer(), r.denom());
    }
    let places = twos.max(fives).max(1);
    let scaled = (r.abs() * BigRational::from(BigInt::from(10).pow(places as u32))).to_integer();
    let digits = format!("{scaled:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// Returns a whole number as a real.
pub fn value(n: i64) -> Value {
    Value::Real(Arc::new(BigRational::from(BigInt::from(n))))
}

/// Returns an integer as a real.
pub fn from_int(n: &Int) -> Value {
    Value::Real(Arc::new(BigRational::from(n.to_big())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        let check = |input: &str, output: &str| assert_eq!(text(&parse(input).unwrap()), output);
        check("1.0", "1.0");
        check("1.50", "1.5");
        check("-0.125", "-0.125");
        check("2.5E-2", "0.025");
        check("1.5e3", "1500.0");
        check("1.0/3.0", "1.0/3.0");
        check("-2.0/6.0", "-1.0/3.0");
        assert_eq!(parse("1.0E999999999"), None);
        assert_eq!(parse("x"), None);
    }
}
