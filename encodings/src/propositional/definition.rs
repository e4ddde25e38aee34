//! Unknowns that an equation of what is asserted for good defines: they are the value of its other side and need no
//! literals and no cut of their own.
//!
//! A step of a path says of each event `selector => guard & x' = t`, and that one of the selectors is true. Where no
//! two of them are needed at once (see [`Backend::alternatives`](crate::session::Backend::alternatives)), the state
//! after is a choice between the values of the events, by their selectors. Facts about a state so become facts about
//! the next one: a machine that starts in one state and takes no choices is computed, and a number that grows by one
//! with each step has an interval that grows by one.
//!
//! A definition is true in every model of the assertions, whatever the cuts: its value has the guards of what it is
//! made of.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::Part;
use super::gates::Lit;
use super::integer::Number;
use super::lowering::Lowering;
use super::value::{Truth, Value, Why, choice};
use crate::term::{Op, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// An assertion: conjuncts, all of them behind a selector where there is one.
struct Assertion {
    selector: Option<SymbolId>,
    conjuncts: Vec<Term>,
}

/// Position of an equation, and the value that it gives an unknown.
#[derive(Clone, Copy)]
struct Equation {
    assertion: usize,
    conjunct: usize,
    value: Term,
}

type Equations = BTreeMap<SymbolId, Vec<Equation>>;

/// The steps of one path at hand.
struct Group {
    /// With the position of the assertion behind each.
    selectors: Vec<(SymbolId, usize)>,
}

impl Lowering {
    /// Defines what the assertions say is equal to something, and returns what of them is left to be asserted. `None`
    /// if time is up: then they may be handed over once more.
    pub fn define(&mut self, assertions: &[Term], alternatives: &[Rc<[Term]>]) -> Option<Vec<Term>> {
        if assertions.is_empty() {
            return Some(vec![]);
        }
        let terms = self.terms.clone();
        let selectors: FxHashSet<SymbolId> =
            alternatives.iter().flat_map(|all| all.iter()).filter_map(|&s| terms.as_symbol(s)).collect();
        let all: Vec<Assertion> = assertions.iter().map(|&t| split(&terms, t, &selectors)).collect();
        let mut consumed: FxHashSet<(usize, usize)> = FxHashSet::default();
        let mut plain = Equations::new();
        for (i, assertion) in all.iter().enumerate().filter(|(_, a)| a.selector.is_none()) {
            for (x, equation) in self.equations(i, assertion) {
                plain.entry(x).or_default().push(equation);
            }
        }
        let mut visited = FxHashSet::default();
        let mut order: Vec<(usize, SymbolId)> = plain.iter().map(|(&x, e)| (e[0].assertion, x)).collect();
        order.sort_unstable();
        for (_, x) in order {
            self.define_plainly(x, &plain, &mut visited, &mut consumed)?;
        }
        let mut dead: FxHashSet<usize> = FxHashSet::default();
        for group in groups(&terms, &all, assertions, alternatives) {
            self.define_step(&group, &all, &mut consumed, &mut dead)?;
        }
        let rest = |(i, assertion): (usize, &Assertion)| {
            if dead.contains(&i) {
                return Terms::TRUE;
            }
            if (0..assertion.conjuncts.len()).all(|j| !consumed.contains(&(i, j))) {
                return assertions[i];
            }
            let left = assertion.conjuncts.iter().enumerate();
            let left = terms.and(left.filter(|(j, _)| !consumed.contains(&(i, *j))).map(|(_, &t)| t));
            match assertion.selector {
                Some(s) => terms.implies(terms.symbol_term(s), left),
                None => left,
            }
        };
        Some(all.iter().enumerate().map(rest).collect())
    }

    /// The unknowns that conjuncts define, as far as it is not too late for that.
    fn equations(&self, number: usize, assertion: &Assertion) -> Vec<(SymbolId, Equation)> {
        let terms = &self.terms;
        let mut found = vec![];
        for (conjunct, &t) in assertion.conjuncts.iter().enumerate() {
            let mut says = |x: Term, value: Term| {
                if let Some(id) = terms.as_symbol(x)
                    && !self.is_lowered(x)
                {
                    found.push((id, Equation { assertion: number, conjunct, value }));
                }
            };
            let node = terms.node(t);
            match &node.op {
                Op::Symbol(_) => says(t, Terms::TRUE),
                Op::Not => says(node.args[0], Terms::FALSE),
                Op::Eq => {
                    // Of two unknowns the later one is defined by the earlier one.
                    let (a, b) = (node.args[0].max(node.args[1]), node.args[0].min(node.args[1]));
                    says(a, b);
                    says(b, a);
                }
                _ => {}
            }
        }
        found
    }

    fn define_plainly(
        &mut self,
        x: SymbolId,
        all: &Equations,
        visited: &mut FxHashSet<SymbolId>,
        consumed: &mut FxHashSet<(usize, usize)>,
    ) -> Option<()> {
        let terms = self.terms.clone();
        let here = terms.symbol_term(x);
        let Some(equations) = all.get(&x).filter(|_| visited.insert(x)) else { return Some(()) };
        for e in equations {
            let inside = terms.symbols(&[e.value]);
            if inside.contains(&x) || consumed.contains(&(e.assertion, e.conjunct)) {
                continue;
            }
            for y in inside {
                self.define_plainly(y, all, visited, consumed)?;
            }
            if let Some(y) = terms.as_symbol(e.value)
                && !self.is_lowered(e.value)
                && self.is_better_free(x, y)
            {
                continue;
            }
            let value = self.value(e.value);
            if value == Err(Why::Stopped) {
                return None;
            }
            // Its own value may rest on it.
            if self.is_lowered(here) {
                return Some(());
            }
            if let Ok(value) = value
                && !consumed.contains(&(e.assertion, e.conjunct))
            {
                self.settle_definition(x, value);
                consumed.insert((e.assertion, e.conjunct));
                return Some(());
            }
        }
        Some(())
    }

    /// Defines the state after a step by the values that the events give it.
    fn define_step(
        &mut self,
        group: &Group,
        all: &[Assertion],
        consumed: &mut FxHashSet<(usize, usize)>,
        dead: &mut FxHashSet<usize>,
    ) -> Option<()> {
        let terms = self.terms.clone();
        let mut by_selector: Vec<BTreeMap<SymbolId, Equation>> = vec![];
        for &(_, i) in &group.selectors {
            let mut first = BTreeMap::new();
            for (x, e) in self.equations(i, &all[i]) {
                first.entry(x).or_insert(e);
            }
            by_selector.push(first);
        }
        if let [(_, i)] = group.selectors[..] {
            // Then all that is behind it is asserted.
            all[i].conjuncts.iter().for_each(|&t| self.learn(t));
        }
        let next = self.defined_everywhere(&by_selector);
        let next_set: FxHashSet<SymbolId> = next.iter().copied().collect();
        // Demands of an event on the state before: where they are false, the event does not matter.
        let mut live = vec![];
        for (k, &(s, i)) in group.selectors.iter().enumerate() {
            let mut possible = true;
            for &t in &all[i].conjuncts {
                if possible && !terms.symbols(&[t]).iter().any(|y| next_set.contains(y)) {
                    possible = self.literal(t)? != Lit::FALSE;
                }
            }
            if possible {
                live.push((k, s));
            } else {
                dead.insert(i);
                self.fix(terms.symbol_term(s), false)?;
            }
        }
        if let [(_, s)] = live[..] {
            self.fix(terms.symbol_term(s), true)?;
        }
        let mut lits = vec![];
        for &(_, s) in &live {
            lits.push(self.literal(terms.symbol_term(s))?);
        }
        self.exclude(&lits);
        for &x in &next {
            self.define_next(x, (&next_set, &by_selector), &live, &lits, consumed)?;
        }
        Some(())
    }

    /// Returns the symbols that each event gives a value.
    fn defined_everywhere(&self, by_selector: &[BTreeMap<SymbolId, Equation>]) -> Vec<SymbolId> {
        let Some(first) = by_selector.first() else { return vec![] };
        let everywhere: BTreeSet<SymbolId> =
            first.keys().copied().filter(|x| by_selector.iter().all(|e| e.contains_key(x))).collect();
        // Of two that are equal, the one that less is known of is defined, or else the later one.
        let is_other_way_round = |x: SymbolId| {
            let own = first[&x];
            self.terms
                .as_symbol(own.value)
                .filter(|y| everywhere.contains(y))
                .is_some_and(|y| first[&y].conjunct == own.conjunct && self.is_better_free(x, y))
        };
        everywhere.iter().copied().filter(|&x| !is_other_way_round(x)).collect()
    }

    /// Which of two equal unknowns keeps literals of its own: the one that more is known of, or else the earlier one.
    fn is_better_free(&self, x: SymbolId, y: SymbolId) -> bool {
        (self.room(x), x) < (self.room(y), y)
    }

    fn define_next(
        &mut self,
        x: SymbolId,
        (next, by_selector): (&FxHashSet<SymbolId>, &[BTreeMap<SymbolId, Equation>]),
        live: &[(usize, SymbolId)],
        lits: &[Lit],
        consumed: &mut FxHashSet<(usize, usize)>,
    ) -> Option<()> {
        let terms = self.terms.clone();
        let equations: Vec<Equation> = live.iter().map(|&(k, _)| by_selector[k][&x]).collect();
        let values: Vec<Term> = equations.iter().map(|e| e.value).collect();
        // A value after the step has no order of its own.
        if terms.symbols(&values).iter().any(|y| next.contains(y)) || self.is_lowered(terms.symbol_term(x)) {
            return Some(());
        }
        // Equal values once, the one that most events agree on last.
        let mut cases: Vec<(Term, Vec<Lit>)> = vec![];
        let mut places: FxHashMap<Term, usize> = FxHashMap::default();
        for (&value, &lit) in values.iter().zip(lits) {
            let place = *places.entry(value).or_insert_with(|| {
                cases.push((value, vec![]));
                cases.len() - 1
            });
            cases[place].1.push(lit);
        }
        let Some(most) = (0..cases.len()).rev().max_by_key(|&i| cases[i].1.len()) else { return Some(()) };
        let (last, _) = cases.remove(most);
        let mut chosen = match self.value(last) {
            Err(Why::Stopped) => return None,
            Err(_) => return Some(()),
            Ok(value) => value,
        };
        for (t, when) in cases.into_iter().rev() {
            let value = match self.value(t) {
                Err(Why::Stopped) => return None,
                Err(_) => return Some(()),
                Ok(value) => value,
            };
            let when = Truth::exact(self.gates.or(when));
            match choice(&mut self.gates, when, &value, &chosen) {
                Ok(value) => chosen = value,
                Err(_) => return Some(()),
            }
        }
        if self.is_lowered(terms.symbol_term(x)) {
            return Some(());
        }
        self.settle_definition(x, chosen);
        consumed.extend(equations.iter().map(|e| (e.assertion, e.conjunct)));
        Some(())
    }

    /// At most one of these is true.
    fn exclude(&mut self, all: &[Lit]) {
        if all.len() <= tuning().propositional.exclusive_pairs {
            for (i, &a) in all.iter().enumerate() {
                all[i + 1..].iter().for_each(|&b| self.gates.clause(&[!a, !b]));
            }
            return;
        }
        let mut before = Lit::FALSE;
        for &l in all {
            self.gates.clause(&[!before, !l]);
            before = self.gates.or([before, l]);
        }
    }

    /// A truth value that is what it is in every model.
    fn fix(&mut self, t: Term, truth: bool) -> Option<()> {
        if self.is_lowered(t) {
            let l = self.literal(t)?;
            self.gates.clause(&[if truth { l } else { !l }]);
        } else {
            self.set(t, Value::Bool(Truth::exact(Lit::constant(truth))));
        }
        Some(())
    }

    fn settle_definition(&mut self, x: SymbolId, value: Value) {
        let value = match value {
            Value::Int(n) => {
                if n.guard == Lit::TRUE {
                    self.note_bounds(Part::Own(x, 0), (Some(n.low), Some(n.high)));
                }
                Value::Int(self.within_bounds(x, n))
            }
            other => other,
        };
        self.set(self.terms.symbol_term(x), value);
    }

    /// Returns a defined number with the bounds that are known of it, which are stated. A number with only one possible
    /// value has it in any case.
    pub(super) fn within_bounds(&mut self, x: SymbolId, n: Number) -> Number {
        let (low, high) = self.known_bounds(x);
        let (low, high) = (low.unwrap_or(n.low).max(n.low), high.unwrap_or(n.high).min(n.high));
        if (low, high) == (n.low, n.high) || low > high {
            return n;
        }
        self.state_bounds(&n, low, high);
        let guard = if low == high { Lit::TRUE } else { n.guard };
        match Number::made(n.bits.clone(), low, high, guard) {
            Some(narrow) => Number { form: n.form, ..narrow },
            None => n,
        }
    }
}

fn split(terms: &Terms, t: Term, selectors: &FxHashSet<SymbolId>) -> Assertion {
    let node = terms.node(t);
    let conjuncts = |t: Term| {
        let node = terms.node(t);
        if node.op == Op::And { node.args.to_vec() } else { vec![t] }
    };
    if node.op == Op::Or && node.args.len() == 2 {
        for (a, b) in [(0, 1), (1, 0)] {
            let not = terms.node(node.args[a]);
            if not.op == Op::Not
                && let Some(s) = terms.as_symbol(not.args[0]).filter(|s| selectors.contains(s))
            {
                return Assertion { selector: Some(s), conjuncts: conjuncts(node.args[b]) };
            }
        }
    }
    Assertion { selector: None, conjuncts: conjuncts(t) }
}

/// The alternatives of which one is asserted to be true, each with one assertion behind it.
fn groups(terms: &Terms, all: &[Assertion], assertions: &[Term], alternatives: &[Rc<[Term]>]) -> Vec<Group> {
    let mut behind: FxHashMap<SymbolId, Vec<usize>> = FxHashMap::default();
    for (i, assertion) in all.iter().enumerate() {
        if let Some(s) = assertion.selector {
            behind.entry(s).or_default().push(i);
        }
    }
    let asserted: FxHashSet<Term> = assertions.iter().copied().collect();
    let mut found = vec![];
    for group in alternatives {
        if !asserted.contains(&terms.or(group.iter().copied())) {
            continue;
        }
        let place = |&s: &Term| {
            let s = terms.as_symbol(s)?;
            match behind.get(&s).map(Vec::as_slice) {
                Some(&[i]) => Some((s, i)),
                _ => None,
            }
        };
        if let Some(selectors) = group.iter().map(place).collect::<Option<Vec<_>>>()
            && !selectors.is_empty()
        {
            found.push(Group { selectors });
        }
    }
    found
}
