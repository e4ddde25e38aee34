//! Bounds of integer unknowns from comparisons: each comparison narrows the ranges of its operands.
//!
//! A comparison is read forwards, from the bounds of the unknowns to those of its sides, and then
//! backwards (Benhamou, Goualard, Granvilliers, Puget: *Revising hull and box consistency*, ICLP 1999),
//! until nothing changes or often enough: `x + y = 10 & x > y` may go on for as long as a bound is far.

use std::cell::Cell;
use std::collections::BTreeMap;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, UnaryOp};

use crate::evaluator::Evaluator;
use crate::evaluator::free_names::same;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::Env;
use crate::value::partial::{CellId, as_partial};

/// Bounds of an integer; `None` is unbounded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Range {
    pub low: Option<Int>,
    pub high: Option<Int>,
}

impl Range {
    fn exactly(n: Int) -> Range {
        Range { low: Some(n.clone()), high: Some(n) }
    }

    pub fn is_unbounded(&self) -> bool {
        self.low.is_none() && self.high.is_none()
    }

    pub fn is_empty(&self) -> bool {
        matches!((&self.low, &self.high), (Some(l), Some(h)) if l > h)
    }

    /// Intersects with the other range. Returns whether this changed anything.
    pub fn narrow(&mut self, other: &Range) -> bool {
        let mut changed = false;
        if let Some(l) = &other.low
            && is_near(l)
            && self.low.as_ref().is_none_or(|m| m < l)
        {
            self.low = Some(l.clone());
            changed = true;
        }
        if let Some(h) = &other.high
            && is_near(h)
            && self.high.as_ref().is_none_or(|m| m > h)
        {
            self.high = Some(h.clone());
            changed = true;
        }
        changed
    }

    fn plus(&self, other: &Range) -> Range {
        let sum = |a: &Option<Int>, b: &Option<Int>| Some(a.as_ref()? + b.as_ref()?);
        Range { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high) }
    }

    fn negated(&self) -> Range {
        Range { low: self.high.as_ref().map(|h| -h), high: self.low.as_ref().map(|l| -l) }
    }

    fn minus(&self, other: &Range) -> Range {
        self.plus(&other.negated())
    }

    fn times(&self, other: &Range) -> Range {
        match (self, other) {
            (Range { low: Some(a), high: Some(b) }, Range { low: Some(c), high: Some(d) }) => {
                let products = [a * c, a * d, b * c, b * d];
                Range { low: products.iter().min().cloned(), high: products.iter().max().cloned() }
            }
            (a, b) => {
                let natural = |r: &Range| r.low.as_ref().is_some_and(|l| !l.is_negative());
                match (&a.low, &b.low) {
                    (Some(l), Some(m)) if natural(a) && natural(b) => Range { low: Some(l * m), high: None },
                    _ => Range::default(),
                }
            }
        }
    }

    /// Returns the range of `x * c` where `x` is in this range.
    fn scaled(&self, c: &Int) -> Range {
        if c.is_zero() {
            return Range::exactly(Int::ZERO);
        }
        let (range, c) = if c.is_negative() { (self.negated(), -c) } else { (self.clone(), c.clone()) };
        Range { low: range.low.map(|l| &l * &c), high: range.high.map(|h| &h * &c) }
    }

    /// Returns the range of `x` where `x * c` is in this range.
    fn divided_by(&self, c: &Int) -> Range {
        if c.is_zero() {
            return Range::default();
        }
        let (range, c) = if c.is_negative() { (self.negated(), -c) } else { (self.clone(), c.clone()) };
        Range { low: range.low.and_then(|l| ceiling(&l, &c)), high: range.high.and_then(|h| floor(&h, &c)) }
    }

    fn point(&self) -> Option<&Int> {
        match (&self.low, &self.high) {
            (Some(l), Some(h)) if l == h => Some(l),
            _ => None,
        }
    }
}

/// Returns whether a bound is near enough to be useful: squares of squares would grow without end.
fn is_near(n: &Int) -> bool {
    n.to_big().bits() <= Tuning::DEFAULT.search.bound_bits
}

/// Divides by a positive number, rounding down.
fn floor(n: &Int, c: &Int) -> Option<Int> {
    let quotient = n.div_trunc(c)?;
    Some(if &(&quotient * c) > n { &quotient - &Int::ONE } else { quotient })
}

fn ceiling(n: &Int, c: &Int) -> Option<Int> {
    floor(&-n, c).map(|q| -&q)
}

/// Returns the least natural number whose square is at least `n`.
fn root(n: &Int) -> Int {
    let mut root = Int::from(n.to_big().sqrt());
    if &(&root * &root) < n {
        root = &root + &Int::ONE;
    }
    root
}

/// A sum of multiples of unknowns, and the range of the remaining terms.
struct Sum {
    terms: BTreeMap<usize, Term>,
    rest: Range,
}

struct Term {
    factor: Int,
    occurrences: usize,
}

impl Default for Term {
    fn default() -> Self {
        Term { factor: Int::ZERO, occurrences: 0 }
    }
}

impl Default for Sum {
    fn default() -> Self {
        Sum { terms: BTreeMap::new(), rest: Range::exactly(Int::ZERO) }
    }
}

impl Sum {
    fn add(&mut self, range: &Range, factor: &Int) {
        self.rest = self.rest.plus(&range.scaled(factor));
    }
}

/// The ranges of the unknowns of one search; `position` tells which unknown an expression is.
pub(crate) struct Narrowing<'n, 'm> {
    pub eval: &'n Evaluator<'m>,
    pub env: &'n Env<'n>,
    pub position: &'n dyn Fn(&Expr) -> Option<usize>,
    pub ranges: Vec<Range>,
    /// The first undecided cell on which a side of a comparison depends.
    pub awaits: Cell<Option<CellId>>,
    changed: bool,
}

impl<'n, 'm> Narrowing<'n, 'm> {
    pub fn new(
        eval: &'n Evaluator<'m>,
        env: &'n Env<'n>,
        position: &'n dyn Fn(&Expr) -> Option<usize>,
        ranges: Vec<Range>,
    ) -> Self {
        Narrowing { eval, env, position, ranges, awaits: Cell::default(), changed: false }
    }

    /// Narrows by the comparisons; `false` if they cannot all hold.
    pub fn run(&mut self, comparisons: &[(CompareOp, &Expr, &Expr)]) -> bool {
        for _ in 0..Tuning::DEFAULT.search.narrowings {
            self.changed = false;
            for (op, a, b) in comparisons {
                if !self.comparison(*op, a, b) {
                    return false;
                }
            }
            if !self.changed {
                break;
            }
        }
        true
    }

    fn comparison(&mut self, op: CompareOp, a: &Expr, b: &Expr) -> bool {
        let (op, a, b) = match op {
            CompareOp::Greater => (CompareOp::Less, b, a),
            CompareOp::GreaterEqual => (CompareOp::LessEqual, b, a),
            op => (op, a, b),
        };
        let (left, right) = (self.forward(a), self.forward(b));
        let step = if op == CompareOp::Less { Int::ONE } else { Int::ZERO };
        let (for_left, for_right) = match op {
            CompareOp::Equal => (right, left),
            CompareOp::Less | CompareOp::LessEqual => (
                Range { low: None, high: right.high.map(|h| &h - &step) },
                Range { low: left.low.map(|l| &l + &step), high: None },
            ),
            _ => return true,
        };
        self.backward(a, &for_left) && self.backward(b, &for_right) && self.repeated(op, a, b)
    }

    /// Narrows unknowns that occur more than once in a comparison of sums: `x + x + x = 60` is `3 * x = 60`.
    fn repeated(&mut self, op: CompareOp, a: &Expr, b: &Expr) -> bool {
        let mut sum = Sum::default();
        self.summed(a, &Int::ONE, &mut sum);
        self.summed(b, &-&Int::ONE, &mut sum);
        let repeated: Vec<_> = sum.terms.iter().filter(|(_, term)| term.occurrences > 1).collect();
        for (i, term) in repeated {
            // Range of the term for which the sum is zero or, in a strict comparison, less.
            let others = sum.terms.iter().filter(|(j, _)| *j != i);
            let rest = others
                .fold(sum.rest.clone(), |rest, (j, other)| rest.plus(&self.ranges[*j].scaled(&other.factor)));
            let mut may_be = rest.negated();
            if op != CompareOp::Equal {
                may_be.low = None;
                let step = if op == CompareOp::Less { Int::ONE } else { Int::ZERO };
                may_be.high = may_be.high.map(|h| &h - &step);
            }
            if term.factor.is_zero() {
                let may_be_zero = may_be.low.is_none_or(|l| l.is_zero() || l.is_negative())
                    && may_be.high.is_none_or(|h| !h.is_negative());
                if !may_be_zero {
                    return false;
                }
                continue;
            }
            self.changed |= self.ranges[*i].narrow(&may_be.divided_by(&term.factor));
            if self.ranges[*i].is_empty() {
                return false;
            }
        }
        true
    }

    /// Adds a multiple of an expression to a sum.
    fn summed(&self, e: &Expr, factor: &Int, sum: &mut Sum) {
        if let Some(i) = (self.position)(e) {
            let term = sum.terms.entry(i).or_default();
            term.factor = &term.factor + factor;
            term.occurrences += 1;
            return;
        }
        match &e.kind {
            ExprKind::Unary(UnaryOp::Negate, a) => self.summed(a, &-factor, sum),
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.summed(a, factor, sum);
                self.summed(b, factor, sum);
            }
            ExprKind::Binary(BinaryOp::Subtract, a, b) => {
                self.summed(a, factor, sum);
                self.summed(b, &-factor, sum);
            }
            ExprKind::Binary(BinaryOp::Multiply, a, b) => {
                let (left, right) = (self.forward(a), self.forward(b));
                match (left.point(), right.point()) {
                    (Some(c), _) => self.summed(b, &(factor * c), sum),
                    (_, Some(c)) => self.summed(a, &(factor * c), sum),
                    _ => sum.add(&left.times(&right), factor),
                }
            }
            _ => sum.add(&self.forward(e), factor),
        }
    }

    fn forward(&self, e: &Expr) -> Range {
        if let Some(i) = (self.position)(e) {
            return self.ranges[i].clone();
        }
        match &e.kind {
            ExprKind::Integer(n) => Range::exactly(n.clone()),
            ExprKind::Unary(UnaryOp::Negate, a) => self.forward(a).negated(),
            ExprKind::Unary(UnaryOp::Card, s) => self.size(s),
            ExprKind::Binary(BinaryOp::Add, a, b) => self.forward(a).plus(&self.forward(b)),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => self.forward(a).minus(&self.forward(b)),
            ExprKind::Binary(BinaryOp::Multiply, a, b) => {
                let mut product = self.forward(a).times(&self.forward(b));
                if same(a, b) {
                    product.narrow(&Range { low: Some(Int::ZERO), high: None });
                }
                product
            }
            _ => match self.closed(e) {
                Some(Value::Int(n)) => Range::exactly(n),
                _ => Range::default(),
            },
        }
    }

    fn closed(&self, e: &Expr) -> Option<Value> {
        if !self.eval.is_closed(self.env, e) {
            return None;
        }
        match self.eval.eval(self.env, e) {
            Ok(value) => Some(value),
            Err(e) => {
                self.awaits.set(self.awaits.get().or(e.awaits));
                None
            }
        }
    }

    fn size(&self, s: &Expr) -> Range {
        let natural = Range { low: Some(Int::ZERO), high: None };
        let Some(set) = self.closed(s) else { return natural };
        let bounds = match as_partial(&set) {
            Some(partial) => Some(partial.size()),
            None => {
                let size = self.eval.cardinality(&set, s.span).ok();
                size.and_then(|c| c.exact()?.to_usize()).map(|n| (n, n))
            }
        };
        match bounds {
            Some((low, high)) => {
                Range { low: Some(Int::from(low as i64)), high: Some(Int::from(high as i64)) }
            }
            None => natural,
        }
    }

    fn backward(&mut self, e: &Expr, range: &Range) -> bool {
        if let Some(i) = (self.position)(e) {
            self.changed |= self.ranges[i].narrow(range);
            return !self.ranges[i].is_empty();
        }
        match &e.kind {
            ExprKind::Unary(UnaryOp::Negate, a) => self.backward(a, &range.negated()),
            ExprKind::Binary(BinaryOp::Add, a, b) if same(a, b) => {
                self.backward(a, &range.divided_by(&Int::from(2)))
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                let (left, right) = (self.forward(a), self.forward(b));
                self.backward(a, &range.minus(&right)) && self.backward(b, &range.minus(&left))
            }
            ExprKind::Binary(BinaryOp::Subtract, a, b) => {
                let (left, right) = (self.forward(a), self.forward(b));
                self.backward(a, &range.plus(&right)) && self.backward(b, &left.minus(range))
            }
            ExprKind::Binary(BinaryOp::Multiply, a, b) if same(a, b) => {
                let Some(high) = &range.high else { return true };
                if high.is_negative() {
                    return false;
                }
                let bound = root(high);
                self.backward(a, &Range { low: Some(-&bound), high: Some(bound) })
            }
            ExprKind::Binary(BinaryOp::Multiply, a, b) => {
                let (left, right) = (self.forward(a), self.forward(b));
                let factor = |this: &mut Self, e: &Expr, c: Option<&Int>| match c {
                    Some(c) if c.is_zero() => {
                        range.low.as_ref().is_none_or(|l| !l.is_negative() && l.is_zero() || l.is_negative())
                    }
                    Some(c) => this.backward(e, &range.divided_by(c)),
                    None => true,
                };
                factor(self, b, left.point()) && factor(self, a, right.point())
            }
            _ => {
                let mut here = self.forward(e);
                here.narrow(range);
                !here.is_empty()
            }
        }
    }
}
