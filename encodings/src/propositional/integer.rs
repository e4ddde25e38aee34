//! Integers in two's complement, each with an interval that says how many bits it needs: nothing wraps.
//!
//! A number is known wherever its guard is true. An operation has as many bits as its interval asks for; one
//! that needs more than 64 has no value here.

use std::rc::Rc;

use super::gates::{Gates, Lit};

use crate::tuning::tuning;

/// Numbers lie within `-LIMIT..LIMIT`, which takes 64 bits.
const LIMIT: i128 = 1 << 63;

/// An integer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number {
    /// Two's complement, least significant bit first; the last is the sign.
    pub bits: Rc<[Lit]>,
    /// Least and greatest value.
    pub low: i128,
    pub high: i128,
    /// True where the number is the intended one.
    pub guard: Lit,
    pub form: Form,
}

/// Dependence of a number on an unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Other,
    /// An unknown, by its number, and what is added to it.
    Unknown(u32, i128),
    /// One of two.
    Choice(Lit, Rc<Number>, Rc<Number>),
}

/// The number of bits for an interval.
fn width(low: i128, high: i128) -> usize {
    let bits = |n: i128| if n < 0 { 129 - (!n).leading_zeros() } else { 129 - n.leading_zeros() };
    bits(low).max(bits(high)) as usize
}

fn constant_bits(n: i128, width: usize) -> Rc<[Lit]> {
    (0..width).map(|i| Lit::constant(n >> i.min(126) & 1 == 1)).collect()
}

impl Number {
    /// A literal.
    pub fn constant(n: i128) -> Option<Number> {
        Number::made(constant_bits(n, width(n, n)), n, n, Lit::TRUE)
    }

    /// A number of `bits`, which say at least what the interval needs. `None` beyond 64 bits.
    pub fn made(bits: Rc<[Lit]>, low: i128, high: i128, guard: Lit) -> Option<Number> {
        if low < -LIMIT || high >= LIMIT {
            return None;
        }
        let bits = if low == high {
            constant_bits(low, width(low, low))
        } else {
            bits[..bits.len().min(width(low, high))].into()
        };
        Some(Number { bits, low, high, guard, form: Form::Other })
    }

    /// An unknown within bounds, as free bits; that they are within them is stated.
    pub fn unknown(g: &mut Gates, low: i128, high: i128) -> Option<Number> {
        let n = width(low, high);
        let bits: Rc<[Lit]> = (0..n)
            .map(|i| match i + 1 == n {
                true if low >= 0 => Lit::FALSE,
                true if high < 0 => Lit::TRUE,
                _ => g.input(),
            })
            .collect();
        let number = Number::made(bits, low, high, Lit::TRUE)?;
        // The bits may say more than the interval.
        let (below, above) = (Number::constant(low)?, Number::constant(high)?);
        for (a, b) in [(&below, &number), (&number, &above)] {
            let fits = !less_bits(g, &b.bits, &a.bits);
            g.clause(&[fits]);
        }
        Some(number)
    }

    /// The value of a number without unknowns.
    pub fn as_constant(&self) -> Option<i128> {
        (self.low == self.high && self.guard == Lit::TRUE).then_some(self.low)
    }

    /// The value under an assignment.
    pub fn value(&self, truth: impl Fn(Lit) -> bool) -> i128 {
        let mut n: i128 = 0;
        for (i, &b) in self.bits.iter().enumerate() {
            if truth(b) {
                n += if i + 1 == self.bits.len() { -(1 << i) } else { 1 << i };
            }
        }
        n
    }

    fn bit(&self, i: usize) -> Lit {
        self.bits[i.min(self.bits.len() - 1)]
    }
}

/// `a < b` of bits.
fn less_bits(g: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let n = a.len().max(b.len());
    let mut less = Lit::FALSE;
    for i in 0..n {
        let (x, y) = (a[i.min(a.len() - 1)], b[i.min(b.len() - 1)]);
        // A set sign bit makes a number small.
        let (x, y) = if i + 1 == n { (y, x) } else { (x, y) };
        less = g.majority(!x, y, less);
    }
    less
}

/// `a < b`
pub(super) fn less(g: &mut Gates, a: &Number, b: &Number) -> Lit {
    if a.high < b.low {
        return Lit::TRUE;
    }
    if b.high <= a.low {
        return Lit::FALSE;
    }
    less_bits(g, &a.bits, &b.bits)
}

/// `a = b`
pub(super) fn equal(g: &mut Gates, a: &Number, b: &Number) -> Lit {
    if a.high < b.low || b.high < a.low {
        return Lit::FALSE;
    }
    let n = a.bits.len().max(b.bits.len());
    let same: Vec<Lit> = (0..n).map(|i| g.iff(a.bit(i), b.bit(i))).collect();
    g.and(same)
}

fn depth(form: &Form) -> usize {
    match form {
        Form::Other | Form::Unknown(..) => 0,
        Form::Choice(_, a, b) => 1 + depth(&a.form).max(depth(&b.form)),
    }
}

/// `if c then a else b`
pub(super) fn choice(g: &mut Gates, c: Lit, a: &Number, b: &Number) -> Number {
    match c.as_constant() {
        Some(true) => return a.clone(),
        Some(false) => return b.clone(),
        None if a == b => return a.clone(),
        None => {}
    }
    let (low, high) = (a.low.min(b.low), a.high.max(b.high));
    let bits = (0..width(low, high)).map(|i| g.choice(c, a.bit(i), b.bit(i))).collect();
    let guard = g.choice(c, a.guard, b.guard);
    let form = if depth(&a.form).max(depth(&b.form)) < tuning().propositional.choices {
        Form::Choice(c, Rc::new(a.clone()), Rc::new(b.clone()))
    } else {
        Form::Other
    };
    Number { bits, low, high, guard, form }
}

/// Sum of bits, of as many as the result has.
fn add_bits(g: &mut Gates, a: &[Lit], b: &[Lit], mut carry: Lit, n: usize) -> Vec<Lit> {
    let mut sum = vec![];
    for i in 0..n {
        let (x, y) = (a[i.min(a.len() - 1)], b[i.min(b.len() - 1)]);
        let half = g.xor(x, y);
        sum.push(g.xor(half, carry));
        carry = g.majority(x, y, carry);
    }
    sum
}

/// `a + b`
pub(super) fn add(g: &mut Gates, a: &Number, b: &Number) -> Option<Number> {
    let (low, high) = (a.low + b.low, a.high + b.high);
    let guard = g.and([a.guard, b.guard]);
    let bits = add_bits(g, &a.bits, &b.bits, Lit::FALSE, width(low, high));
    let mut sum = Number::made(bits.into(), low, high, guard)?;
    match (&a.form, a.as_constant(), &b.form, b.as_constant()) {
        (Form::Unknown(x, c), _, _, Some(k)) | (_, Some(k), Form::Unknown(x, c), _) => {
            sum.form = Form::Unknown(*x, c + k);
        }
        (Form::Choice(c, x, y), _, _, Some(_)) => {
            let (x, y) = (add(g, x, b)?, add(g, y, b)?);
            sum.form = Form::Choice(*c, Rc::new(x), Rc::new(y));
        }
        (_, Some(_), Form::Choice(c, x, y), _) => {
            let (x, y) = (add(g, a, x)?, add(g, a, y)?);
            sum.form = Form::Choice(*c, Rc::new(x), Rc::new(y));
        }
        _ => {}
    }
    Some(sum)
}

/// Sum of some numbers, in a tree, so that it stays shallow.
pub(super) fn sum(g: &mut Gates, mut all: Vec<Number>) -> Option<Number> {
    if all.is_empty() {
        return Number::constant(0);
    }
    while all.len() > 1 {
        let pairs = std::mem::take(&mut all);
        for pair in pairs.chunks(2) {
            all.push(if let [a, b] = pair { add(g, a, b)? } else { pair[0].clone() });
        }
    }
    all.pop()
}

fn product_interval(a: &Number, b: &Number) -> Option<(i128, i128)> {
    let all = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
    let products: Option<Vec<i128>> = all.iter().map(|(x, y)| x.checked_mul(*y)).collect();
    let products = products?;
    Some((*products.iter().min()?, *products.iter().max()?))
}

/// `a * b`
pub(super) fn multiply(g: &mut Gates, a: &Number, b: &Number) -> Option<Number> {
    // The rows of the sum are the bits of the second: constants and short numbers make few.
    let (a, b) = if a.as_constant().is_some() || a.bits.len() < b.bits.len() { (b, a) } else { (a, b) };
    let (low, high) = product_interval(a, b)?;
    if low < -LIMIT || high >= LIMIT {
        return None;
    }
    let n = width(low, high);
    let mut bits: Vec<Lit> = vec![Lit::FALSE; n];
    for (i, &row) in b.bits.iter().enumerate().take(n) {
        if row == Lit::FALSE {
            continue;
        }
        // The sign bit counts negatively; everything is modulo 2 to the n, where the result fits.
        let negative = i + 1 == b.bits.len();
        let shifted: Vec<Lit> = (0..n - i)
            .map(|j| {
                let bit = g.and([row, a.bit(j)]);
                if negative { !bit } else { bit }
            })
            .collect();
        let carry = Lit::constant(negative);
        let upper = add_bits(g, &bits[i..], &shifted, carry, n - i);
        bits.splice(i.., upper);
    }
    let guard = g.and([a.guard, b.guard]);
    Number::made(bits.into(), low, high, guard)
}

/// `(a div b, a mod b)` of SMT-LIB: the remainder is not negative. Any numbers where `b` is zero.
pub(super) fn divide(g: &mut Gates, a: &Number, b: &Number) -> Option<(Number, Number)> {
    let guard = g.and([a.guard, b.guard]);
    if let Some(d) = b.as_constant()
        && d > 0
        && d & (d - 1) == 0
    {
        let shift = d.trailing_zeros() as usize;
        let (low, high) = (a.low >> shift, a.high >> shift);
        let upper: Rc<[Lit]> = (0..width(low, high)).map(|i| a.bit(i + shift)).collect();
        let lower: Rc<[Lit]> = (0..shift).map(|i| a.bit(i)).chain([Lit::FALSE]).collect();
        return Some((
            Number::made(upper, low, high, guard)?,
            Number::made(lower, 0, if a.low >= 0 { a.high.min(d - 1) } else { d - 1 }, guard)?,
        ));
    }
    let greatest = a.low.abs().max(a.high.abs());
    let divisor = b.low.abs().max(b.high.abs());
    let n = width(0, greatest.max(divisor));
    let (size_a, size_b) = (absolute(g, a, n), absolute(g, b, n));
    // Long division of the absolute values.
    let mut rest: Vec<Lit> = vec![Lit::FALSE; n + 1];
    let mut quotient: Vec<Lit> = vec![Lit::FALSE; n];
    let inverse: Vec<Lit> = size_b.iter().map(|&l| !l).chain([Lit::TRUE]).collect();
    for i in (0..n).rev() {
        rest.insert(0, size_a[i]);
        rest.truncate(n + 1);
        let less = difference_is_negative(g, &rest, &size_b);
        let reduced = add_bits(g, &rest, &inverse, Lit::TRUE, n + 1);
        rest = rest.iter().zip(reduced).map(|(&x, y)| g.choice(less, x, y)).collect();
        quotient[i] = !less;
    }
    rest.truncate(n);
    // Rounds away from zero for a negative dividend, unless nothing is left.
    let left = g.or(rest.iter().copied());
    let (sign_a, sign_b) = (a.bit(usize::MAX), b.bit(usize::MAX));
    let correct = g.and([sign_a, left]);
    let zero = [Lit::FALSE];
    let rounded = add_bits(g, &quotient, &zero, correct, n + 1);
    let flip = g.xor(sign_a, sign_b);
    let flipped: Vec<Lit> = rounded.iter().map(|&l| g.xor(l, flip)).collect();
    let signed = add_bits(g, &flipped, &zero, flip, n + 1);
    let inverse: Vec<Lit> = rest.iter().map(|&l| !l).collect();
    let complement = add_bits(g, &size_b, &inverse, Lit::TRUE, n);
    let remainder: Vec<Lit> =
        rest.iter().zip(complement).map(|(&x, y)| g.choice(correct, y, x)).chain([Lit::FALSE]).collect();
    // By the signs: the quotient is never larger than the dividend.
    let (mut low, mut high) = (-greatest, greatest);
    if a.low >= 0 && b.low >= 0 {
        (low, high) = (0, a.high / b.low.max(1));
    }
    let most = (divisor - 1).max(0).min(if a.low >= 0 { a.high } else { i128::MAX });
    let mut results = [(signed, low, high), (remainder, 0, most)].map(|(bits, low, high)| {
        let bits: Rc<[Lit]> = (0..width(low, high)).map(|i| bits[i.min(bits.len() - 1)]).collect();
        Number::made(bits, low, high, guard)
    });
    if b.low <= 0 && b.high >= 0 {
        let zero = Number::constant(0)?;
        let undefined = equal(g, b, &zero);
        for r in &mut results {
            let known = r.take()?;
            let free = Number::unknown(g, known.low, known.high)?;
            let mut any = choice(g, undefined, &free, &known);
            any.form = Form::Other;
            any.guard = guard;
            *r = Some(any);
        }
    }
    let [quotient, remainder] = results;
    Some((quotient?, remainder?))
}

/// The absolute value, without a sign bit of its own.
fn absolute(g: &mut Gates, a: &Number, n: usize) -> Vec<Lit> {
    let sign = a.bit(usize::MAX);
    let flipped: Vec<Lit> = (0..n).map(|i| g.xor(a.bit(i), sign)).collect();
    add_bits(g, &flipped, &[Lit::FALSE], sign, n)
}

/// `a < b` of bits without signs; the second is the shorter one.
fn difference_is_negative(g: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let mut less = Lit::FALSE;
    for (i, &x) in a.iter().enumerate() {
        less = g.majority(!x, b.get(i).copied().unwrap_or(Lit::FALSE), less);
    }
    less
}

#[cfg(test)]
mod tests {
    use super::*;

    fn euclid(a: i128, b: i128) -> (i128, i128) {
        (a.div_euclid(b), a.rem_euclid(b))
    }

    /// All pairs of numbers of an interval, as constants and as unknowns with every value.
    #[test]
    fn arithmetic_is_that_of_integers() {
        let range = -9..=9i128;
        let mut g = Gates::new();
        let x = Number::unknown(&mut g, -9, 9).unwrap();
        let y = Number::unknown(&mut g, -9, 9).unwrap();
        let open = [
            add(&mut g, &x, &y).unwrap(),
            multiply(&mut g, &x, &y).unwrap(),
            multiply(&mut g, &x, &Number::constant(-1).unwrap()).unwrap(),
            divide(&mut g, &x, &y).unwrap().0,
            divide(&mut g, &x, &y).unwrap().1,
        ];
        let (smaller, same) = (less(&mut g, &x, &y), equal(&mut g, &x, &y));
        let mut fixed: Vec<(i128, [Number; 4])> = vec![];
        for k in range.clone() {
            let c = Number::constant(k).unwrap();
            let (q, r) = if k == 0 { (c.clone(), c.clone()) } else { divide(&mut g, &x, &c).unwrap() };
            fixed.push((k, [add(&mut g, &c, &x).unwrap(), multiply(&mut g, &c, &x).unwrap(), q, r]));
        }
        for a in range.clone() {
            for b in range.clone() {
                let mut known = vec![None; g.len()];
                for (number, value) in [(&x, a), (&y, b)] {
                    for (i, l) in number.bits.iter().enumerate() {
                        known[l.variable()] = Some((value >> i & 1 == 1) != l.is_negative());
                    }
                }
                let values = g.simulate(&known);
                let truth = |l: Lit| values[l.variable()] != l.is_negative();
                let (q, r) = if b == 0 { (0, 0) } else { euclid(a, b) };
                for (i, expected) in [a + b, a * b, -a, q, r].into_iter().enumerate() {
                    if b != 0 || i < 3 {
                        assert_eq!(open[i].value(truth), expected, "operation {i} of {a} and {b}");
                        assert!(open[i].low <= expected && expected <= open[i].high, "{i}: {a}, {b}");
                    }
                }
                assert_eq!((truth(smaller), truth(same)), (a < b, a == b), "{a}, {b}");
                for (k, numbers) in &fixed {
                    let (q, r) = if *k == 0 { (0, 0) } else { euclid(a, *k) };
                    for (n, expected) in numbers.iter().zip([a + k, a * k, q, r]) {
                        assert_eq!(n.value(truth), expected, "{a} with the constant {k}");
                        assert!(n.low <= expected && expected <= n.high, "{a} with the constant {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_wraps_beyond_64_bits() {
        let mut g = Gates::new();
        let big = Number::constant(LIMIT - 1).unwrap();
        assert!(add(&mut g, &big, &Number::constant(1).unwrap()).is_none());
        assert!(multiply(&mut g, &big, &big).is_none());
        assert!(Number::constant(LIMIT).is_none());
        assert_eq!(Number::constant(-LIMIT).unwrap().value(|l| l == Lit::TRUE), -LIMIT);
    }
}
