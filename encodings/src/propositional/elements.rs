//! Bounds of the elements of unknown sets that follow from what is asserted for good, so that such a set needs no cut.
//!
//! `!x.(x : s => x : 0..7)`, `s = t \/ {n}` and `s <: 0..7` say where the elements of `s` are. The other way round,
//! what is in a bounded set is as bounded. Elements are taken apart into scalars: each part has an interval of its own.
//! Where the interval of one part is empty, so is the set.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::bounds::{Bounds, EMPTY, Found, Interval, Part, both, either, limit};
use crate::term::{Node, Op, Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Interval of a number of which nothing is known.
const ANY: Interval = (None, None);

/// Number of scalars that a value is made of.
fn scalars(terms: &Terms, sort: Sort) -> usize {
    match terms.sort_kind(sort) {
        SortKind::Tuple(fields) => fields.iter().map(|&f| scalars(terms, f)).sum(),
        _ => 1,
    }
}

/// Returns whether a value has a number among its scalars.
fn has_number(terms: &Terms, sort: Sort) -> bool {
    match terms.sort_kind(sort) {
        SortKind::Tuple(fields) => fields.iter().any(|&f| has_number(terms, f)),
        _ => sort == Terms::INT,
    }
}

/// First scalar of a component, and how many it has.
fn component(terms: &Terms, tuple: Sort, i: u32) -> (usize, usize) {
    let SortKind::Tuple(fields) = terms.sort_kind(tuple) else { return (0, 1) };
    let before = fields.iter().take(i as usize).map(|&f| scalars(terms, f)).sum();
    (before, fields.get(i as usize).map_or(1, |&f| scalars(terms, f)))
}

/// A conjunct or disjunct under negations, and whether it is the formula or its opposite.
fn stripped(terms: &Terms, mut t: Term, mut truth: bool) -> (Term, bool) {
    loop {
        let node = terms.node(t);
        if node.op != Op::Not {
            return (t, truth);
        }
        (t, truth) = (node.args[0], !truth);
    }
}

/// The parts of a conjunction, or of a disjunction, that a formula or its opposite is; else itself.
fn split(terms: &Terms, t: Term, truth: bool, and: bool) -> Vec<(Term, bool)> {
    let (t, truth) = stripped(terms, t, truth);
    let node = terms.node(t);
    match (&node.op, truth == and) {
        (Op::And, true) | (Op::Or, false) => node.args.iter().map(|&a| stripped(terms, a, truth)).collect(),
        _ => vec![(t, truth)],
    }
}

/// Removes the bounds of some symbols.
fn without(mut found: Found, bound: &[SymbolId]) -> Found {
    found.retain(|part, _| !bound.contains(&part.symbol()));
    found
}

impl Bounds {
    /// Adds the bounds of the symbols that a set is made of, where the set of tuples or numbers has no elements but
    /// these.
    fn within(&mut self, terms: &Terms, set: Term, elements: &[Interval], found: &mut Found) {
        let node = terms.node(set);
        match &node.op {
            Op::Symbol(id) => {
                for (j, &interval) in (0u32..).zip(elements) {
                    limit(found, Part::Element(*id, j), interval);
                }
            }
            Op::SetUnion => {
                self.within(terms, node.args[0], elements, found);
                self.within(terms, node.args[1], elements, found);
            }
            // With one element more it is within them, then also without that.
            Op::Store if node.args[2] == Terms::TRUE => {
                self.within(terms, node.args[0], elements, found);
                for (part, &interval) in self.parts(terms, node.args[1]).into_iter().zip(elements) {
                    if let Some(part) = part {
                        limit(found, part, interval);
                    }
                }
            }
            Op::SetMinus => {
                if let Some(taken) = self.elements(terms, node.args[1], tuning().propositional.bounds_depth) {
                    let all: Vec<Interval> =
                        elements.iter().zip(taken.iter()).map(|(&a, &b)| either(a, b)).collect();
                    self.within(terms, node.args[0], &all, found);
                }
            }
            _ => {}
        }
    }

    /// Two sets are equal, or two tuples.
    pub(super) fn equated(&mut self, terms: &Terms, node: &Node) -> Found {
        let mut found = Found::new();
        for (a, b) in [(node.args[0], node.args[1]), (node.args[1], node.args[0])] {
            if let Some(elements) = self.elements(terms, b, tuning().propositional.bounds_depth) {
                self.within(terms, a, &elements, &mut found);
            } else if matches!(terms.sort_kind(terms.sort_of(a)), SortKind::Tuple(_)) {
                let parts = self.parts(terms, a);
                for (part, interval) in
                    parts.into_iter().zip(self.components(terms, b, tuning().propositional.bounds_depth))
                {
                    if let Some(part) = part {
                        limit(&mut found, part, interval);
                    }
                }
            }
        }
        found
    }

    /// Something is in a set.
    pub(super) fn member(&mut self, terms: &Terms, node: &Node) -> Found {
        let mut found = Found::new();
        let Some(elements) = self.elements(terms, node.args[0], tuning().propositional.bounds_depth) else {
            return found;
        };
        for (part, &interval) in self.parts(terms, node.args[1]).into_iter().zip(elements.iter()) {
            if let Some(part) = part {
                limit(&mut found, part, interval);
            }
        }
        found
    }

    /// A formula is true, or false, for some values of the bound symbols.
    pub(super) fn for_some(
        &mut self,
        terms: &Terms,
        (bound, body): (&[SymbolId], Term),
        truth: bool,
        depth: usize,
        known: &mut FxHashMap<(Term, bool), Rc<Found>>,
    ) -> Found {
        without((*self.implied(terms, body, truth, depth - 1, known)).clone(), bound)
    }

    /// A formula is true, or false, for all values of its bound symbols: so it is for some, and what the formula
    /// excludes is in no set.
    pub(super) fn for_all(
        &mut self,
        terms: &Terms,
        (t, truth): (Term, bool),
        depth: usize,
        known: &mut FxHashMap<(Term, bool), Rc<Found>>,
    ) -> Found {
        let (mut body, mut truth) = (t, truth);
        let mut bound: Vec<SymbolId> = vec![];
        loop {
            (body, truth) = stripped(terms, body, truth);
            let node = terms.node(body);
            match (&node.op, truth) {
                (Op::Forall(more), true) | (Op::Exists(more), false) => bound.extend(more.iter()),
                _ => break,
            }
            body = node.args[0];
        }
        let mut found = self.for_some(terms, (&bound, body), truth, depth, known);
        for (conjunct, truth) in split(terms, body, truth, true) {
            let literals = split(terms, conjunct, truth, false);
            for (i, &(literal, truth)) in literals.iter().enumerate() {
                let node = terms.node(literal);
                if node.op != Op::Select || truth {
                    continue;
                }
                // Every element has to be met, and no two parts of it may depend on each other.
                let parts: Option<Vec<Part>> = self.parts(terms, node.args[1]).into_iter().collect();
                let Some(parts) = parts else { continue };
                let is_free = |(j, p): (usize, &Part)| bound.contains(&p.symbol()) && !parts[..j].contains(p);
                if !parts.iter().enumerate().all(is_free) {
                    continue;
                }
                // Elements of the set have to satisfy the rest.
                let others: Vec<(Term, bool)> =
                    literals.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, l)| *l).collect();
                let rest = self.some_of(terms, &others, depth - 1, known);
                let elements: Vec<Interval> = match others.is_empty() {
                    true => vec![EMPTY; parts.len()],
                    false => parts.iter().map(|p| rest.get(p).copied().unwrap_or(ANY)).collect(),
                };
                self.within(terms, node.args[0], &elements, &mut found);
            }
        }
        without(found, &bound)
    }

    /// Returns the intervals of the elements of a set, by their parts; `None` if it is no set with numbers in its
    /// elements.
    fn elements(&mut self, terms: &Terms, set: Term, depth: usize) -> Option<Rc<[Interval]>> {
        if let Some(known) = self.extents.get(&set) {
            return known.clone();
        }
        let SortKind::Array(index, Terms::BOOL) = terms.sort_kind(terms.sort_of(set)) else { return None };
        if !has_number(terms, index) {
            return None;
        }
        let count = scalars(terms, index);
        if depth == 0 {
            return Some(vec![ANY; count].into());
        }
        let node = terms.node(set);
        let arg = |me: &mut Self, i: usize| -> Vec<Interval> {
            me.elements(terms, node.args[i], depth - 1).map_or(vec![ANY; count], |e| e.to_vec())
        };
        let zip = |a: Vec<Interval>, b: Vec<Interval>, f: fn(Interval, Interval) -> Interval| {
            a.into_iter().zip(b).map(|(x, y)| f(x, y)).collect()
        };
        let elements: Vec<Interval> = match &node.op {
            Op::Symbol(id) => (0..count as u32).map(|j| self.part(Part::Element(*id, j))).collect(),
            Op::ConstArray(_) if node.args[0] == Terms::FALSE => vec![EMPTY; count],
            Op::Store if node.args[2] == Terms::FALSE => arg(self, 0),
            Op::Store => {
                let new = self.components(terms, node.args[1], depth - 1);
                zip(arg(self, 0), new, either)
            }
            Op::SetUnion => zip(arg(self, 0), arg(self, 1), either),
            Op::SetInter => zip(arg(self, 0), arg(self, 1), both),
            Op::SetMinus => arg(self, 0),
            Op::Ite | Op::ArrayIte => zip(arg(self, 1), arg(self, 2), either),
            Op::Lambda(bound) => {
                let found = self.implied(terms, node.args[0], true, depth - 1, &mut FxHashMap::default());
                let of = |j| found.get(&Part::Own(*bound, j)).copied().unwrap_or(ANY);
                (0..count as u32).map(of).collect()
            }
            _ => vec![ANY; count],
        };
        let elements: Option<Rc<[Interval]>> = Some(elements.into());
        self.extents.insert(set, elements.clone());
        elements
    }

    /// The intervals of the scalars that a value is made of.
    pub(super) fn components(&mut self, terms: &Terms, t: Term, depth: usize) -> Vec<Interval> {
        let sort = terms.sort_of(t);
        let count = scalars(terms, sort);
        let node = terms.node(t);
        let components: Vec<Interval> = match &node.op {
            _ if depth == 0 => vec![],
            Op::Symbol(id) => (0..count as u32).map(|j| self.part(Part::Own(*id, j))).collect(),
            Op::Tuple(_) => node.args.iter().flat_map(|&a| self.components(terms, a, depth - 1)).collect(),
            Op::Field(i) => {
                let (first, length) = component(terms, terms.sort_of(node.args[0]), *i);
                let whole = self.components(terms, node.args[0], depth - 1);
                whole.get(first..first + length).unwrap_or_default().to_vec()
            }
            _ if sort == Terms::INT => vec![self.interval(terms, t, depth - 1)],
            Op::Ite => {
                let (a, b) = (
                    self.components(terms, node.args[1], depth - 1),
                    self.components(terms, node.args[2], depth - 1),
                );
                a.into_iter().zip(b).map(|(x, y)| either(x, y)).collect()
            }
            _ => vec![],
        };
        if components.len() == count { components } else { vec![ANY; count] }
    }

    /// The scalars that a value is made of, where they are those of symbols.
    pub(super) fn parts(&self, terms: &Terms, t: Term) -> Vec<Option<Part>> {
        let node = terms.node(t);
        match &node.op {
            Op::Symbol(id) => {
                let count = scalars(terms, terms.sort_of(t)) as u32;
                (0..count).map(|j| Some(Part::Own(*id, j))).collect()
            }
            Op::Tuple(_) => node.args.iter().flat_map(|&a| self.parts(terms, a)).collect(),
            Op::Field(i) => {
                let (first, length) = component(terms, terms.sort_of(node.args[0]), *i);
                self.parts(terms, node.args[0])[first..first + length].to_vec()
            }
            _ => vec![None; scalars(terms, terms.sort_of(t))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of `s`, a set of couples, and of `x`, a number, after an assertion.
    fn check(assertion: impl Fn(&Terms, Term, Term, Term) -> Term, expected: [Interval; 3]) {
        let terms = Terms::new();
        let couple = terms.tuple_sort(&[Terms::INT, Terms::INT]);
        let (s, x) = (terms.symbol("s", terms.set_sort(couple)), terms.symbol("x", Terms::INT));
        let c = terms.symbol("c", couple);
        let mut bounds = Bounds::default();
        // Facts that follow from one part are known to the others the second time.
        (0..2).for_each(|_| drop(bounds.learn(&terms, assertion(&terms, s, x, c))));
        let id = |t| terms.as_symbol(t).expect("a symbol");
        let found = [Part::Element(id(s), 0), Part::Element(id(s), 1), Part::Own(id(x), 0)];
        assert_eq!(found.map(|p| bounds.part(p)), expected);
        assert_eq!(bounds.part(Part::Own(id(c), 0)), ANY, "a bound symbol has any value");
    }

    fn between(t: &Terms, low: i64, x: Term, high: i64) -> Term {
        t.and([t.le(t.int(low), x), t.le(x, t.int(high))])
    }

    #[test]
    fn elements_are_where_a_quantifier_says() {
        let all = |t: &Terms, c: Term, body: Term| t.forall(&[t.as_symbol(c).expect("a symbol")], body);
        let seven = (Some(0), Some(7));
        check(
            |t, s, _, c| {
                let inside = between(t, 0, t.field(c, 1), 7);
                all(t, c, t.or([inside, t.not(t.select(s, c))]))
            },
            [ANY, seven, ANY],
        );
        // Only of the elements that it speaks of.
        check(
            |t, s, x, c| {
                let inside = between(t, 0, t.field(c, 1), 7);
                all(t, c, t.or([inside, t.not(t.select(s, t.tuple(&[x, t.field(c, 1)])))]))
            },
            [ANY, ANY, ANY],
        );
        // Where something else is another way out, nothing is known.
        check(
            |t, s, x, c| {
                let inside = between(t, 0, t.field(c, 1), 7);
                all(t, c, t.or([inside, t.le(x, t.int(3)), t.not(t.select(s, c))]))
            },
            [ANY, ANY, ANY],
        );
        // That is so as well where what is outside is required to be in the set.
        check(
            |t, s, _, c| {
                let inside = between(t, 0, t.field(c, 1), 7);
                all(t, c, t.or([inside, t.select(s, c)]))
            },
            [ANY, ANY, ANY],
        );
    }

    #[test]
    fn elements_are_where_an_equation_says() {
        let of = |t: &Terms, s: Term, pairs: &[(i64, Term)]| {
            let empty = t.empty_set(t.sort_of(s));
            pairs.iter().fold(empty, |set, &(a, b)| t.store(set, t.tuple(&[t.int(a), b]), Terms::TRUE))
        };
        check(
            |t, s, x, _| t.and([between(t, 2, x, 5), t.eq(s, of(t, s, &[(1, t.int(8)), (4, t.int(3))]))]),
            [(Some(1), Some(4)), (Some(3), Some(8)), (Some(2), Some(5))],
        );
        // A member of what is bounded is bounded; what is taken away may be anything.
        check(
            |t, s, x, _| {
                let bounded = t.eq(s, of(t, s, &[(1, t.int(8)), (4, t.int(3))]));
                t.and([bounded, t.select(s, t.tuple(&[x, t.int(3)]))])
            },
            [(Some(1), Some(4)), (Some(3), Some(8)), (Some(1), Some(4))],
        );
        check(|t, s, x, _| t.eq(s, of(t, s, &[(1, x)])), [(Some(1), Some(1)), ANY, ANY]);
        check(|t, s, _, _| t.eq(s, t.empty_set(t.sort_of(s))), [EMPTY, EMPTY, ANY]);
    }
}
