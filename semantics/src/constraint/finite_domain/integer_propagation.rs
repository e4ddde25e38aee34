//! Propagation between bounds of an integer term and its cells.
//!
//! Bounds are read forwards, from the cells to the term, and backwards (Benhamou, Goualard, Granvilliers,
//! Puget: *Revising hull and box consistency*, ICLP 1999).

use bsym_language::int::Int;
use bsym_language::model::{CompareOp, Pred};

use crate::constraint::finite_domain::bounds::Bounds;
use crate::constraint::finite_domain::node::Node;
use crate::constraint::finite_domain::problem::{Problem, Trial};
use crate::constraint::finite_domain::term::{Comparison, Locals, Term};
use crate::value::Value;
use crate::value::partial::Domain;

impl<'p> Problem<'_, 'p, '_> {
    /// Counts the bindings that satisfy the predicates, as bounds. Also returns the first cell that an undecided one
    /// depends on.
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

    /// Returns the first cell that the sets depend on whose elements a comparison counts.
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

    /// Returns the bounds of a term; a cell may be tried with a value.
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

    /// Decides a comparison by the bounds; `None` if it neither holds nor fails under all values within them.
    pub(super) fn compared(&self, node: &Node, trial: Trial<'_>, c: &Comparison<'p>) -> Option<bool> {
        let (a, b) = (self.bounds(node, trial, &c.left), self.bounds(node, trial, &c.right));
        // `true` if every `a` is below every `b`, by at least the step.
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
                // Only a constant factor determines bounds of a factor of any sign.
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

/// Returns the cell of which a product is the square.
fn root(parts: &[Term<'_>]) -> Option<usize> {
    match parts {
        [Term::Cell(a), Term::Cell(b)] if a == b => Some(*a),
        _ => None,
    }
}
