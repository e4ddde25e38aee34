//! Integers of B: unbounded, with the machine's arithmetic where it is enough.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::tuning::Tuning;

/// An unbounded integer. Small values are kept inline; every operation is exact.
///
/// The representation is canonical (a value that fits `i64` is always small), so equality,
/// order and hashes may be derived.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Box<BigInt>),
}

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Repr::Small(0));
    /// One.
    pub const ONE: Int = Int(Repr::Small(1));

    /// Returns the value as an `i64`, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(n) => Some(*n),
            Repr::Big(_) => None,
        }
    }

    /// Returns the value as a `usize`, if it fits.
    pub fn to_usize(&self) -> Option<usize> {
        self.to_i64().and_then(|n| n.to_usize())
    }

    /// Returns the value as a [`BigInt`].
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n) => BigInt::from(*n),
            Repr::Big(b) => (**b).clone(),
        }
    }

    /// Returns whether the value is below zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(n) => *n < 0,
            Repr::Big(b) => b.is_negative(),
        }
    }

    /// Returns whether the value is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Small(0)
    }

    /// Quotient truncated towards zero, as `/` of B (B-Book, 3.6). `None` if `other` is zero.
    pub fn div_trunc(&self, other: &Int) -> Option<Int> {
        if other.is_zero() {
            return None;
        }
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
            && let Some(q) = a.checked_div(*b)
        {
            return Some(Int::from(q));
        }
        Some(Int::from(self.to_big() / other.to_big()))
    }

    /// Remainder of B's `mod`: defined only for `self >= 0` and `other > 0`.
    pub fn modulo(&self, other: &Int) -> Option<Int> {
        if self.is_negative() || other.is_negative() || other.is_zero() {
            return None;
        }
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => Some(Int::from(a % b)),
            _ => Some(Int::from(self.to_big() % other.to_big())),
        }
    }

    /// `self ** exponent`. `None` if the exponent is negative, or so large that the result could
    /// not be stored (more than about 2^32 bits).
    pub fn pow(&self, exponent: &Int) -> Option<Int> {
        let e = match exponent.to_i64() {
            Some(e) if e >= 0 => e,
            Some(_) => return None,
            None => i64::MAX,
        };
        match self.to_i64() {
            Some(0) if e > 0 => return Some(Int::ZERO),
            Some(1) => return Some(Int::ONE),
            Some(-1) => return Some(if exponent.is_even() { Int::ONE } else { -&Int::ONE }),
            _ => {}
        }
        let bits = self.to_big().bits();
        if bits.saturating_mul(e as u64) > Tuning::DEFAULT.check.power_bits {
            return None;
        }
        Some(Int::from(self.to_big().pow(u32::try_from(e).ok()?)))
    }

    fn is_even(&self) -> bool {
        match &self.0 {
            Repr::Small(n) => n % 2 == 0,
            Repr::Big(b) => (&**b % 2u8).is_zero(),
        }
    }
}

impl From<i64> for Int {
    fn from(n: i64) -> Self {
        Int(Repr::Small(n))
    }
}

impl From<BigInt> for Int {
    fn from(b: BigInt) -> Self {
        match b.to_i64() {
            Some(n) => Int(Repr::Small(n)),
            None => Int(Repr::Big(Box::new(b))),
        }
    }
}

/// As a string of decimal digits: numbers of JSON have limits in many programs.
impl Serialize for Int {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Int, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl FromStr for Int {
    type Err = num_bigint::ParseBigIntError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        s.parse::<BigInt>().map(Int::from)
    }
}

macro_rules! exact {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl $trait for &Int {
            type Output = Int;
            fn $method(self, other: &Int) -> Int {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
                    && let Some(n) = a.$checked(*b)
                {
                    return Int::from(n);
                }
                Int::from(self.to_big().$method(other.to_big()))
            }
        }
    };
}
exact!(Add, add, checked_add);
exact!(Sub, sub, checked_sub);
exact!(Mul, mul, checked_mul);

impl Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        &Int::ZERO - self
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n) => n.fmt(f),
            Repr::Big(b) => b.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_leaves_and_reenters_the_small_range() {
        let max = Int::from(i64::MAX);
        let above = &max + &Int::ONE;
        assert_eq!(above.to_i64(), None);
        assert_eq!(&above - &Int::ONE, max);
        assert!(above > max);
        assert_eq!(above.to_string(), "9223372036854775808");
        assert_eq!(-&Int::from(i64::MIN), above);
    }

    #[test]
    fn division_truncates_and_modulo_needs_naturals() {
        let (a, b) = (Int::from(-7), Int::from(2));
        assert_eq!(a.div_trunc(&b), Some(Int::from(-3)));
        assert_eq!(a.modulo(&b), None);
        assert_eq!(Int::from(7).modulo(&b), Some(Int::ONE));
        assert_eq!(b.div_trunc(&Int::ZERO), None);
        assert_eq!(Int::from(i64::MIN).div_trunc(&Int::from(-1)), Some(-&Int::from(i64::MIN)));
    }

    #[test]
    fn powers() {
        assert_eq!(Int::from(2).pow(&Int::from(100)).unwrap().to_string(), "1267650600228229401496703205376");
        assert_eq!(Int::from(0).pow(&Int::ZERO), Some(Int::ONE));
        assert_eq!(Int::from(3).pow(&Int::from(-1)), None);
        assert_eq!(Int::from(3).pow(&Int::from(i64::MAX)), None);
        assert_eq!(Int::from(-1).pow(&Int::from(i64::MAX)), Some(Int::from(-1)));
    }
}
