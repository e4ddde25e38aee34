//! Bounds of unknown integers that follow from what is asserted for good, so that they need no cut.
//!
//! Those of the elements of sets are in [`elements`](super::elements).

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::term::{Node, Op, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Least and greatest value, where there is one.
pub(super) type Interval = (Option<i128>, Option<i128>);

/// Bounds beyond this are of no use.
const LARGE: i128 = 1 << 62;

/// No number at all.
pub(super) const EMPTY: Interval = (Some(1), Some(0));

/// Subject of an interval: scalars of a symbol's value, or of the elements of a set, by their position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Part {
    /// A number, or a number in a tuple.
    Own(SymbolId, u32),
    /// A number, or a number in a tuple, of every element.
    Element(SymbolId, u32),
}

impl Part {
    pub fn symbol(self) -> SymbolId {
        match self {
            Part::Own(id, _) | Part::Element(id, _) => id,
        }
    }
}

/// Bounds that were learned.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    symbols: BTreeMap<Part, Interval>,
    intervals: FxHashMap<Term, Interval>,
    /// Intervals of the elements of sets, part by part.
    pub(super) extents: FxHashMap<Term, Option<Rc<[Interval]>>>,
}

pub(super) type Found = BTreeMap<Part, Interval>;

/// Notes one more interval.
pub(super) fn limit(found: &mut Found, part: Part, interval: Interval) {
    if interval != (None, None) {
        let known = found.entry(part).or_insert((None, None));
        *known = both(*known, interval);
    }
}

fn is_empty(a: Interval) -> bool {
    a.0.zip(a.1).is_some_and(|(low, high)| low > high)
}

pub(super) fn both(a: Interval, b: Interval) -> Interval {
    let low = match (a.0, b.0) {
        (Some(x), Some(y)) => Some(x.max(y)),
        (x, y) => x.or(y),
    };
    let high = match (a.1, b.1) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    };
    if is_empty((low, high)) { EMPTY } else { (low, high) }
}

pub(super) fn either(a: Interval, b: Interval) -> Interval {
    if is_empty(a) || is_empty(b) {
        return if is_empty(a) { b } else { a };
    }
    (a.0.zip(b.0).map(|(x, y)| x.min(y)), a.1.zip(b.1).map(|(x, y)| x.max(y)))
}

fn plus(a: Interval, b: Interval) -> Interval {
    let add = |x: Option<i128>, y: Option<i128>| x?.checked_add(y?).filter(|s| s.abs() < LARGE);
    (add(a.0, b.0), add(a.1, b.1))
}

fn times(k: i128, a: Interval) -> Interval {
    let by = |x: Option<i128>| x?.checked_mul(k).filter(|p| p.abs() < LARGE);
    if k >= 0 { (by(a.0), by(a.1)) } else { (by(a.1), by(a.0)) }
}

impl Bounds {
    /// Returns the known bounds of a number.
    pub fn of(&self, id: SymbolId) -> Interval {
        self.part(Part::Own(id, 0))
    }

    /// Returns the known bounds of a part.
    pub fn part(&self, part: Part) -> Interval {
        self.symbols.get(&part).copied().unwrap_or((None, None))
    }

    /// Notes what is known otherwise.
    pub fn note(&mut self, part: Part, interval: Interval) {
        let known = self.part(part);
        let now = both(known, interval);
        if now != known {
            self.symbols.insert(part, now);
            self.intervals.clear();
            self.extents.clear();
        }
    }

    /// Learns from an assertion. Returns what has new bounds.
    pub fn learn(&mut self, terms: &Terms, assertion: Term) -> Vec<Part> {
        self.learn_about(terms, assertion, |_| true)
    }

    /// [`learn`](Self::learn), of some symbols only.
    pub fn learn_about(
        &mut self,
        terms: &Terms,
        assertion: Term,
        wanted: impl Fn(SymbolId) -> bool,
    ) -> Vec<Part> {
        let found = self.implied(
            terms,
            assertion,
            true,
            tuning().propositional.bounds_depth,
            &mut FxHashMap::default(),
        );
        let mut new = vec![];
        for (&part, &interval) in found.iter().filter(|(part, _)| wanted(part.symbol())) {
            let known = self.part(part);
            let now = both(known, interval);
            if now != known {
                self.symbols.insert(part, now);
                new.push(part);
            }
        }
        if !new.is_empty() {
            self.intervals.clear();
            self.extents.clear();
        }
        new
    }

    /// Bounds that hold where a formula is true, or false.
    pub(super) fn implied(
        &mut self,
        terms: &Terms,
        t: Term,
        truth: bool,
        depth: usize,
        known: &mut FxHashMap<(Term, bool), Rc<Found>>,
    ) -> Rc<Found> {
        if depth == 0 {
            return Rc::default();
        }
        if let Some(found) = known.get(&(t, truth)) {
            return found.clone();
        }
        let node = terms.node(t);
        let found = match (&node.op, truth) {
            (Op::Not, _) => return self.implied(terms, node.args[0], !truth, depth - 1, known),
            (Op::And, true) | (Op::Or, false) => {
                let mut all = Found::new();
                for &a in node.args.iter() {
                    for (&part, &interval) in self.implied(terms, a, truth, depth - 1, known).iter() {
                        limit(&mut all, part, interval);
                    }
                }
                all
            }
            (Op::Or, true) | (Op::And, false) => {
                let parts: Vec<(Term, bool)> = node.args.iter().map(|&a| (a, truth)).collect();
                self.some_of(terms, &parts, depth - 1, known)
            }
            (Op::Forall(_), true) | (Op::Exists(_), false) => self.for_all(terms, (t, truth), depth, known),
            (Op::Forall(bound) | Op::Exists(bound), _) => {
                self.for_some(terms, (bound, node.args[0]), truth, depth, known)
            }
            (Op::Select, true) => self.member(terms, &node),
            (Op::Le | Op::Lt | Op::Eq, _) if terms.sort_of(node.args[0]) == Terms::INT => {
                self.comparison(terms, &node, truth)
            }
            (Op::Eq, true) => self.equated(terms, &node),
            _ => Found::new(),
        };
        let found = Rc::new(found);
        known.insert((t, truth), found.clone());
        found
    }

    /// Bounds that hold where one of some formulas is true, or false.
    pub(super) fn some_of(
        &mut self,
        terms: &Terms,
        parts: &[(Term, bool)],
        depth: usize,
        known: &mut FxHashMap<(Term, bool), Rc<Found>>,
    ) -> Found {
        let mut all: Option<Found> = None;
        for &(a, truth) in parts {
            let one = self.implied(terms, a, truth, depth, known);
            let next: Found = match all {
                None => (*one).clone(),
                Some(so_far) => {
                    let hulls =
                        so_far.into_iter().filter_map(|(part, i)| Some((part, either(i, *one.get(&part)?))));
                    hulls.filter(|(_, i)| *i != (None, None)).collect()
                }
            };
            let nothing = next.is_empty();
            all = Some(next);
            if nothing {
                break;
            }
        }
        all.unwrap_or_default()
    }

    fn comparison(&mut self, terms: &Terms, node: &Node, truth: bool) -> Found {
        let (a, b) = (node.args[0], node.args[1]);
        // Each as `difference <= constant`.
        let differences = match (&node.op, truth) {
            (Op::Le, true) => vec![(terms.sub(a, b), 0)],
            (Op::Lt, true) => vec![(terms.sub(a, b), -1)],
            (Op::Le, false) => vec![(terms.sub(b, a), -1)],
            (Op::Lt, false) => vec![(terms.sub(b, a), 0)],
            (Op::Eq, true) => vec![(terms.sub(a, b), 0), (terms.sub(b, a), 0)],
            _ => vec![],
        };
        let mut found = Found::new();
        for (sum, most) in differences {
            let node = terms.node(sum);
            let parts: Vec<Term> = if node.op == Op::Add { node.args.to_vec() } else { vec![sum] };
            let monomials: Vec<(i128, Option<Part>, Interval)> =
                parts.iter().map(|&p| self.monomial(terms, p)).collect();
            for (i, &(k, symbol, _)) in monomials.iter().enumerate() {
                let Some(part) = symbol else { continue };
                let others = monomials.iter().enumerate().filter(|(j, _)| *j != i);
                let rest = others.fold((Some(0), Some(0)), |sum, (_, (k, _, x))| plus(sum, times(*k, *x)));
                // k * x <= most - rest
                let Some(least) = rest.0 else { continue };
                let bound = most - least;
                let interval = if k > 0 {
                    (None, Some(bound.div_euclid(k)))
                } else {
                    (Some(-(bound.div_euclid(-k))), None)
                };
                limit(&mut found, part, interval);
            }
        }
        found
    }

    fn monomial(&mut self, terms: &Terms, t: Term) -> (i128, Option<Part>, Interval) {
        let node = terms.node(t);
        let (k, inner) = match (&node.op, node.args.first().and_then(|&k| literal(terms, k))) {
            (Op::Mul, Some(k)) if k != 0 => (k, node.args[1]),
            _ => (1, t),
        };
        let part = self.parts(terms, inner).into_iter().next().flatten();
        (k, part, self.interval(terms, inner, tuning().propositional.bounds_depth))
    }

    /// Returns the known bounds of a number.
    pub(super) fn interval(&mut self, terms: &Terms, t: Term, depth: usize) -> Interval {
        if let Some(&known) = self.intervals.get(&t) {
            return known;
        }
        let node = terms.node(t);
        if depth == 0 {
            return (None, None);
        }
        let mut arg = |i: usize| self.interval(terms, node.args[i], depth - 1);
        let interval = match &node.op {
            Op::Int(_) => {
                let n = literal(terms, t);
                (n, n)
            }
            Op::Symbol(id) => self.of(*id),
            Op::Field(_) => self.components(terms, t, depth).first().copied().unwrap_or((None, None)),
            Op::Ite => either(arg(1), arg(2)),
            Op::Add => (0..node.args.len()).fold((Some(0), Some(0)), |sum, i| plus(sum, arg(i))),
            Op::Mul => match literal(terms, node.args[0]) {
                Some(k) => times(k, arg(1)),
                None => (None, None),
            },
            Op::Mod => match literal(terms, node.args[1]) {
                Some(k) if k != 0 => (Some(0), Some(k.abs() - 1)),
                _ => (None, None),
            },
            Op::Div => match (literal(terms, node.args[1]), arg(0)) {
                (Some(k), (low, high)) if k > 0 => {
                    (low.map(|n| n.div_euclid(k)), high.map(|n| n.div_euclid(k)))
                }
                _ => (None, None),
            },
            _ => (None, None),
        };
        self.intervals.insert(t, interval);
        interval
    }
}

/// An integer literal of moderate size.
pub(super) fn literal(terms: &Terms, t: Term) -> Option<i128> {
    let n = i128::try_from(terms.as_int(t)?.to_big()).ok()?;
    (n.abs() < LARGE).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(assertion: impl Fn(&Terms, [Term; 2]) -> Term, expected: [Interval; 2]) {
        let terms = Terms::new();
        let symbols = ["x", "y"].map(|n| terms.symbol(n, Terms::INT));
        let mut bounds = Bounds::default();
        let y = terms.and([terms.le(terms.int(0), symbols[1]), terms.le(symbols[1], terms.int(3))]);
        bounds.learn(&terms, y);
        bounds.learn(&terms, assertion(&terms, symbols));
        assert_eq!(symbols.map(|s| bounds.of(terms.as_symbol(s).unwrap())), expected);
    }

    #[test]
    fn bounds_follow_from_assertions() {
        let y = (Some(0), Some(3));
        check(|t, [x, y]| t.eq(x, t.add([y, t.int(1)])), [(Some(1), Some(4)), y]);
        check(|t, [x, y]| t.le(t.mul(t.int(2), x), y), [(None, Some(1)), y]);
        check(|t, [x, y]| t.or([t.eq(x, y), t.eq(x, t.int(9))]), [(Some(0), Some(9)), y]);
        check(|t, [x, y]| t.or([t.eq(x, y), t.lt(t.int(9), x)]), [(Some(0), None), y]);
        check(|t, [x, y]| t.not(t.or([t.le(x, y), t.lt(t.int(7), x)])), [(Some(1), Some(7)), y]);
        check(|t, [x, y]| t.or([t.eq(x, y), t.symbol("p", Terms::BOOL)]), [(None, None), y]);
        check(|t, [x, y]| t.eq(t.mul(t.int(-3), x), y), [(Some(-1), Some(0)), y]);
    }
}
