//! Integer terms over cells: their bounds, and what bounds of a term say about its cells.
//!
//! Bounds are read forwards, from the cells to the term, and backwards (Benhamou, Goualard, Granvilliers,
//! Puget: *Revising hull and box consistency*, ICLP 1999).

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, QuantOp, UnaryOp};
use bsym_language::walk::cut_into_literals;

use super::node::Node;
use super::{Locals, Plan, Trial};
use crate::value::Value;
use crate::value::env::Env;
use crate::value::partial::{Domain, Shape};

/// Bounds farther out than this count as none.
const FAR: i128 = 1 << 100;

/// Most summands that a sum over a set is written out to.
const LONGEST: usize = 1 << 10;

/// Bounds of an integer; `None` is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bounds {
    pub low: Option<i128>,
    pub high: Option<i128>,
}

impl Bounds {
    pub fn exactly(n: i128) -> Bounds {
        Bounds { low: Some(n), high: Some(n) }
    }

    fn of(low: Option<i128>, high: Option<i128>) -> Bounds {
        Bounds { low: low.filter(|n| n.abs() < FAR), high: high.filter(|n| n.abs() < FAR) }
    }

    fn negated(self) -> Bounds {
        Bounds { low: self.high.map(|h| -h), high: self.low.map(|l| -l) }
    }

    fn plus(self, other: Bounds) -> Bounds {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Bounds::of(sum(self.low, other.low), sum(self.high, other.high))
    }

    fn times(self, other: Bounds) -> Bounds {
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.low, self.high, other.low, other.high) {
            let products = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            return match products {
                [Some(p), Some(q), Some(r), Some(s)] => {
                    Bounds::of(Some(p.min(q).min(r).min(s)), Some(p.max(q).max(r).max(s)))
                }
                _ => Bounds::default(),
            };
        }
        match (self.low, other.low) {
            (Some(l), Some(m)) if l >= 0 && m >= 0 => Bounds::of(l.checked_mul(m), None),
            _ => Bounds::default(),
        }
    }

    pub fn is_empty(self) -> bool {
        matches!((self.low, self.high), (Some(l), Some(h)) if l > h)
    }

    pub fn meet(self, other: Bounds) -> Bounds {
        let low = match (self.low, other.low) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let high = match (self.high, other.high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Bounds { low, high }
    }

    fn point(self) -> Option<i128> {
        self.low.filter(|l| self.high == Some(*l))
    }
}

/// An integer expression.
#[derive(Clone, Debug)]
pub(crate) enum Term<'p> {
    Constant(i128),
    Cell(usize),
    Sum(Vec<Term<'p>>),
    Product(Vec<Term<'p>>),
    Negated(Box<Term<'p>>),
    /// The remainder by a positive number.
    Modulo(Box<Term<'p>>, i128),
    /// The number of elements of a set.
    Size(&'p Expr, Locals),
    /// How many of some candidates satisfy the predicates.
    Count(Vec<(bool, &'p Pred)>, Vec<Locals>),
    Unknown,
}

/// A comparison of terms.
#[derive(Clone, Debug)]
pub(crate) struct Comparison<'p> {
    pub op: CompareOp,
    pub left: Term<'p>,
    pub right: Term<'p>,
}

impl Comparison<'_> {
    /// Whether its terms say all that there is to know once the cells are decided.
    pub fn is_exact(&self) -> bool {
        self.left.is_exact() && self.right.is_exact()
    }

    /// Whether its bounds depend on more than the cells that its terms name.
    pub fn has_size(&self) -> bool {
        let size = |t: &Term<'_>| matches!(t, Term::Size(..) | Term::Count(..));
        self.left.any(size) || self.right.any(size)
    }
}

impl<'p> Term<'p> {
    /// The cells that occur.
    pub fn cells(&self, out: &mut Vec<usize>) {
        match self {
            Term::Cell(c) => out.push(*c),
            Term::Sum(parts) | Term::Product(parts) => parts.iter().for_each(|t| t.cells(out)),
            Term::Negated(t) | Term::Modulo(t, _) => t.cells(out),
            Term::Constant(_) | Term::Size(..) | Term::Count(..) | Term::Unknown => {}
        }
    }

    fn any(&self, wanted: impl Fn(&Term<'_>) -> bool + Copy) -> bool {
        wanted(self)
            || match self {
                Term::Sum(parts) | Term::Product(parts) => parts.iter().any(|t| t.any(wanted)),
                Term::Negated(t) | Term::Modulo(t, _) => t.any(wanted),
                _ => false,
            }
    }

    pub fn is_exact(&self) -> bool {
        !self.any(|t| matches!(t, Term::Unknown | Term::Size(..)))
    }
}

impl<'p> Plan<'_, 'p, '_> {
    /// An integer expression as a term.
    pub(super) fn term(&self, env: &Env<'_>, e: &'p Expr, locals: &Locals) -> Term<'p> {
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        if self.is_closed(&inner, e) {
            let value = self.search.eval.eval(&inner, e).ok();
            let n = value.as_ref().and_then(Value::as_int).and_then(Int::to_i64);
            return n.map_or(Term::Unknown, |n| Term::Constant(n.into()));
        }
        let of = |e: &'p Expr| self.term(env, e, locals);
        match &e.kind {
            ExprKind::Local(_) | ExprKind::Const(_) | ExprKind::Var(_) => match self.unknown_of(e) {
                Some(u) if matches!(*u.shape, Shape::Single) => Term::Cell(u.first),
                _ => Term::Unknown,
            },
            ExprKind::Apply(f, x) => {
                let cell = || {
                    let u = self.unknown_of(f)?;
                    let Shape::Function { from, total: true, .. } = &*u.shape else { return None };
                    let x = self.is_closed(&inner, x).then(|| self.search.eval.expr(&inner, x).ok())??;
                    Some(Term::Cell(u.first + from.binary_search(&x).ok()?))
                };
                cell().unwrap_or(Term::Unknown)
            }
            ExprKind::Unary(UnaryOp::Negate, a) => Term::Negated(Box::new(of(a))),
            ExprKind::Unary(UnaryOp::Card, s) => {
                self.count(env, s, locals).unwrap_or_else(|| Term::Size(s, locals.clone()))
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => Term::Sum(vec![of(a), of(b)]),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => {
                Term::Sum(vec![of(a), Term::Negated(Box::new(of(b)))])
            }
            ExprKind::Binary(BinaryOp::Multiply, a, b) => Term::Product(vec![of(a), of(b)]),
            ExprKind::Binary(BinaryOp::Mod, a, b) => match of(b) {
                Term::Constant(n) if n > 0 => Term::Modulo(Box::new(of(a)), n),
                _ => Term::Unknown,
            },
            ExprKind::Quantified(op @ (QuantOp::Sigma | QuantOp::Pi), ls, p, body) => {
                let Some(instances) = self.instances(&inner, ls, &[(true, p)], LONGEST) else {
                    return Term::Unknown;
                };
                let parts = instances.into_iter().map(|bound| {
                    let all: Locals = bound.into_iter().chain(locals.iter().cloned()).collect();
                    self.term(env, body, &all)
                });
                let parts = parts.collect();
                if *op == QuantOp::Sigma { Term::Sum(parts) } else { Term::Product(parts) }
            }
            _ => Term::Unknown,
        }
    }

    /// The number of elements of a comprehension: known conjuncts supply the candidates.
    fn count(&self, env: &Env<'_>, set: &'p Expr, locals: &Locals) -> Option<Term<'p>> {
        let ExprKind::Comprehension(ls, pred) = &set.kind else { return None };
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let mut parts = Vec::new();
        cut_into_literals(true, pred, &mut parts);
        let (closed, open): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(_, p)| self.is_closed_over(&inner, p, ls));
        let found = self.instances(&inner, ls, &closed, LONGEST)?;
        let with = |bound: Vec<_>| bound.into_iter().chain(locals.iter().cloned()).collect();
        Some(Term::Count(open, found.into_iter().map(with).collect()))
    }

    /// How many of the bindings satisfy the predicates, and the first cell of which one depends.
    fn counted(
        &self,
        node: &Node,
        trial: Trial<'_>,
        open: &[(bool, &Pred)],
        all: &[Locals],
    ) -> (Bounds, Option<usize>) {
        let (mut low, mut high) = (0, 0);
        let mut awaits = None;
        self.with_env(node, trial, &Locals::default(), |env| {
            for locals in all {
                let frame = env.frame(locals);
                let inner = env.within(&frame);
                let mut is = Some(true);
                for (positive, p) in open {
                    match self.search.eval.pred(&inner, p) {
                        Ok(truth) if truth == *positive => {}
                        Ok(_) => {
                            is = Some(false);
                            break;
                        }
                        Err(e) => {
                            let own = e.awaits.filter(|id| id.search == self.id);
                            awaits = awaits.or(own.map(|id| id.cell as usize));
                            is = None;
                        }
                    }
                }
                low += i128::from(is == Some(true));
                high += i128::from(is != Some(false));
            }
        });
        (Bounds { low: Some(low), high: Some(high) }, awaits)
    }

    /// The first cell on which the sets depend whose elements a comparison counts.
    pub(super) fn counted_by(&self, node: &Node, trial: Trial<'_>, c: &Comparison<'p>) -> Option<usize> {
        [&c.left, &c.right].into_iter().find_map(|t| self.counted_in(node, trial, t))
    }

    fn counted_in(&self, node: &Node, trial: Trial<'_>, t: &Term<'p>) -> Option<usize> {
        match t {
            Term::Sum(parts) | Term::Product(parts) => {
                parts.iter().find_map(|t| self.counted_in(node, trial, t))
            }
            Term::Negated(t) | Term::Modulo(t, _) => self.counted_in(node, trial, t),
            Term::Count(open, all) => self.counted(node, trial, open, all).1,
            Term::Constant(_) | Term::Cell(_) | Term::Size(..) | Term::Unknown => None,
        }
    }

    /// The bounds of a term; a cell may be tried with a value.
    pub(super) fn bounds(&self, node: &Node, trial: Trial<'_>, t: &Term<'p>) -> Bounds {
        let of = |t: &Term<'p>| self.bounds(node, trial, t);
        match t {
            Term::Constant(n) => Bounds::exactly(*n),
            Term::Cell(c) if trial.is_some_and(|(tried, _)| tried == *c) => {
                let n = trial.and_then(|(_, v)| v.as_ref()?.as_int()?.to_i64());
                n.map_or(Bounds::default(), |n| Bounds::exactly(n.into()))
            }
            Term::Cell(c) => match &*node.cells[*c] {
                Domain::Span(low, high) => Bounds { low: *low, high: *high },
                Domain::Listed(values) => {
                    let n = |v: Option<&Option<Value>>| v?.as_ref()?.as_int()?.to_i64().map(i128::from);
                    Bounds { low: n(values.first()), high: n(values.last()) }
                }
            },
            Term::Sum(parts) => parts.iter().fold(Bounds::exactly(0), |sum, t| sum.plus(of(t))),
            Term::Product(parts) => {
                let product = parts.iter().fold(Bounds::exactly(1), |product, t| product.times(of(t)));
                if root(parts).is_some() {
                    product.meet(Bounds { low: Some(0), high: None })
                } else {
                    product
                }
            }
            Term::Negated(t) => of(t).negated(),
            Term::Modulo(t, n) => match of(t) {
                Bounds { low: Some(l), high: Some(h) } if l >= 0 && h < *n => {
                    Bounds { low: Some(l), high: Some(h) }
                }
                Bounds { low: Some(l), high: Some(h) } if l == h && l >= 0 => Bounds::exactly(l % n),
                _ => Bounds { low: Some(0), high: Some(n - 1) },
            },
            Term::Size(s, locals) => {
                self.with_env(node, trial, locals, |env| match self.search.eval.enclosure(env, s) {
                    Some(e) => {
                        Bounds { low: Some(e.lower.len() as i128), high: e.upper.map(|u| u.len() as i128) }
                    }
                    None => Bounds { low: Some(0), high: None },
                })
            }
            Term::Count(open, all) => self.counted(node, trial, open, all).0,
            Term::Unknown => Bounds::default(),
        }
    }

    /// Whether a comparison holds or fails under all values within the bounds.
    pub(super) fn compared(&self, node: &Node, trial: Trial<'_>, c: &Comparison<'p>) -> Option<bool> {
        let (a, b) = (self.bounds(node, trial, &c.left), self.bounds(node, trial, &c.right));
        // Whether every `a` is below every `b`, by at least the step.
        let below = |a: Bounds, b: Bounds, step: i128| a.high.zip(b.low).is_some_and(|(h, l)| h + step <= l);
        let either = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        match c.op {
            CompareOp::Less => either(below(a, b, 1), below(b, a, 0)),
            CompareOp::LessEqual => either(below(a, b, 0), below(b, a, 1)),
            CompareOp::Greater => either(below(b, a, 1), below(a, b, 0)),
            CompareOp::GreaterEqual => either(below(b, a, 0), below(a, b, 1)),
            CompareOp::Equal => {
                let same = a.point().is_some() && a.point() == b.point();
                either(same, below(a, b, 1) || below(b, a, 1))
            }
            CompareOp::NotEqual => {
                let same = a.point().is_some() && a.point() == b.point();
                either(below(a, b, 1) || below(b, a, 1), same)
            }
            _ => None,
        }
    }

    /// Narrows the cells so that the comparison may hold; `false` if it cannot.
    pub(super) fn compare(&self, node: &mut Node, c: &Comparison<'p>, changed: &mut Vec<usize>) -> bool {
        if c.op == CompareOp::NotEqual {
            return true;
        }
        let (left, right) = (self.bounds(node, None, &c.left), self.bounds(node, None, &c.right));
        let (op, a, b, left, right) = match c.op {
            CompareOp::Greater => (CompareOp::Less, &c.right, &c.left, right, left),
            CompareOp::GreaterEqual => (CompareOp::LessEqual, &c.right, &c.left, right, left),
            op => (op, &c.left, &c.right, left, right),
        };
        let step = i128::from(op == CompareOp::Less);
        let (for_left, for_right) = match op {
            CompareOp::Equal => (right, left),
            CompareOp::Less | CompareOp::LessEqual => (
                Bounds { low: None, high: right.high.map(|h| h - step) },
                Bounds { low: left.low.map(|l| l + step), high: None },
            ),
            _ => return true,
        };
        self.narrow(node, a, for_left, changed) && self.narrow(node, b, for_right, changed)
    }

    fn narrow(&self, node: &mut Node, t: &Term<'p>, to: Bounds, changed: &mut Vec<usize>) -> bool {
        match t {
            Term::Constant(n) => to.low.is_none_or(|l| l <= *n) && to.high.is_none_or(|h| *n <= h),
            Term::Cell(c) => node.confine(*c, to, changed),
            Term::Negated(t) => self.narrow(node, t, to.negated(), changed),
            Term::Modulo(..) | Term::Size(..) | Term::Count(..) => {
                !self.bounds(node, None, t).meet(to).is_empty()
            }
            Term::Unknown => true,
            Term::Sum(parts) => {
                let bounds: Vec<Bounds> = parts.iter().map(|t| self.bounds(node, None, t)).collect();
                let open = |f: fn(&Bounds) -> Option<i128>| bounds.iter().filter(|b| f(b).is_none()).count();
                let sum = |f: fn(&Bounds) -> Option<i128>| -> i128 { bounds.iter().filter_map(f).sum() };
                let (no_low, no_high) = (open(|b| b.low), open(|b| b.high));
                let (lows, highs) = (sum(|b| b.low), sum(|b| b.high));
                parts.iter().zip(&bounds).all(|(t, own)| {
                    // The others, where all of them are bounded.
                    let low = match own.low {
                        Some(l) => (no_low == 0).then_some(lows - l),
                        None => (no_low == 1).then_some(lows),
                    };
                    let high = match own.high {
                        Some(h) => (no_high == 0).then_some(highs - h),
                        None => (no_high == 1).then_some(highs),
                    };
                    let rest = to.plus(Bounds { low, high }.negated());
                    rest == Bounds::default() || self.narrow(node, t, rest, changed)
                })
            }
            Term::Product(parts) => self.factors(node, parts, to, changed),
        }
    }

    /// Narrows the factors of a product.
    fn factors(&self, node: &mut Node, parts: &[Term<'p>], to: Bounds, changed: &mut Vec<usize>) -> bool {
        if let (Some(cell), Some(high)) = (root(parts), to.high) {
            let Ok(high) = u128::try_from(high) else { return false };
            let most = high.isqrt() as i128;
            return node.confine(cell, Bounds { low: Some(-most), high: Some(most) }, changed);
        }
        let bounds: Vec<Bounds> = parts.iter().map(|t| self.bounds(node, None, t)).collect();
        for (i, t) in parts.iter().enumerate() {
            if let (Term::Cell(c), Some(n)) = (t, to.point())
                && n != 0
                && parts.iter().all(|t| matches!(t, Term::Cell(_) | Term::Constant(_)))
                && !node.retain(*c, changed, |v| {
                    v.as_int().and_then(Int::to_i64).is_none_or(|v| v != 0 && n % i128::from(v) == 0)
                })
            {
                return false;
            }
            let others = bounds.iter().enumerate().filter(|(j, _)| *j != i);
            let rest = others.fold(Bounds::exactly(1), |product, (_, b)| product.times(*b));
            let (Some(least), own) = (rest.low.filter(|l| *l > 0), bounds[i]) else { continue };
            if own.low.is_none_or(|l| l < 0) {
                // Only a constant factor says something about a factor of any sign.
                let Some(n) = rest.point() else { continue };
                let down = |n: i128, d: i128| n.div_euclid(d);
                let new = Bounds { low: to.low.map(|l| -down(-l, n)), high: to.high.map(|h| down(h, n)) };
                if !self.narrow(node, t, new, changed) {
                    return false;
                }
                continue;
            }
            let low = to.low.zip(rest.high).map(|(l, h)| -(-l).div_euclid(h));
            let high = to.high.map(|h| h.div_euclid(least));
            if !self.narrow(node, t, Bounds { low, high }, changed) {
                return false;
            }
        }
        true
    }
}

/// The cell of which a product is the square.
fn root(parts: &[Term<'_>]) -> Option<usize> {
    match parts {
        [Term::Cell(a), Term::Cell(b)] if a == b => Some(*a),
        _ => None,
    }
}
