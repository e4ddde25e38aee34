//! Known bounds of unknowns: of numbers and of the elements of sets, learnt from assertions.

use rustc_hash::FxHashSet;

use super::{Lowering, Window};
use crate::propositional::bounds::{Interval, Part};
use crate::propositional::integer::{Form, Number};
use crate::propositional::value::Value;
use crate::term::{Sort, SortKind, SymbolId, Term, Terms};

impl Lowering {
    /// Learns bounds from what will be asserted for good.
    pub fn learn(&mut self, assertion: Term) {
        let terms = self.terms.clone();
        for part in self.bounds.learn(&terms, assertion) {
            let id = part.symbol();
            if matches!(part, Part::Element(..)) {
                self.settle_window(id);
                continue;
            }
            let Some(number) = self.integers.get(&id).cloned() else {
                self.narrow_definition(id);
                continue;
            };
            let Form::Unknown(unknown, 0) = number.form else { continue };
            let (low, high) = self.bounds.of(id);
            if let Some(low) = low {
                let l = self.unknowns.at_most(&mut self.gates, unknown, low - 1);
                self.gates.clause(&[!l]);
            }
            if let Some(high) = high {
                let l = self.unknowns.at_most(&mut self.gates, unknown, high);
                self.gates.clause(&[l]);
            }
        }
    }

    /// Notes bounds of symbols that are not lowered yet. Of all others nothing is learnt, since the assertion may
    /// be one that does not hold always.
    pub fn expect(&mut self, assertion: Term, of: &FxHashSet<SymbolId>) {
        let terms = self.terms.clone();
        self.bounds.learn_about(&terms, assertion, |id| of.contains(&id));
    }

    /// A number that is defined has the bounds that are found later as well.
    pub(super) fn narrow_definition(&mut self, id: SymbolId) {
        let t = self.terms.symbol_term(id);
        if let Some(Ok(Value::Int(n))) = self.lowered.closed.get(&t).cloned() {
            let narrow = self.within_bounds(id, n);
            self.set(t, Value::Int(narrow));
        }
    }

    /// Returns how many numbers a number may be, or the elements of a set of numbers in all their parts; the largest
    /// number where that is not known.
    pub fn room(&self, id: SymbolId) -> i128 {
        let length = |(low, high): Interval| low.zip(high).map(|(low, high)| (high - low).max(0));
        let sort = self.terms.symbol_sort(id);
        if sort == Terms::INT {
            return length(self.bounds.of(id)).unwrap_or(i128::MAX);
        }
        let SortKind::Array(index, _) = self.terms.sort_kind(sort) else { return i128::MAX };
        let mut sorts = vec![];
        self.scalars_of(index, &mut sorts);
        let numbers = (0..).zip(sorts).filter(|(_, s)| *s == Terms::INT);
        let lengths = numbers.map(|(j, _)| length(self.bounds.part(Part::Element(id, j))));
        lengths.sum::<Option<i128>>().unwrap_or(i128::MAX)
    }

    pub(super) fn scalars_of(&self, sort: Sort, all: &mut Vec<Sort>) {
        match self.terms.sort_kind(sort) {
            SortKind::Tuple(fields) => fields.iter().for_each(|&f| self.scalars_of(f, all)),
            _ => all.push(sort),
        }
    }

    /// Returns the known bounds of a number.
    pub fn known_bounds(&self, id: SymbolId) -> Interval {
        self.bounds.of(id)
    }

    /// More of what is known of it.
    pub fn note_bounds(&mut self, part: Part, interval: Interval) {
        self.bounds.note(part, interval);
    }

    /// States that a number is within bounds.
    pub fn state_bounds(&mut self, n: &Number, low: i128, high: i128) {
        let [Some(first), Some(last)] = [low, high].map(Number::constant) else { return };
        for truth in [self.at_most(&first, n), self.at_most(n, &last)] {
            let l = self.settle(truth);
            self.gates.clause(&[l]);
        }
    }

    /// A set that turns out to be within its window needs no cut any more.
    pub(super) fn settle_window(&mut self, id: SymbolId) {
        let (Some(&empty), Some(windows)) =
            (self.cut_sets.empty_outside.get(&id), self.cut_sets.windows.get(&id))
        else {
            return;
        };
        let parts: Vec<Interval> =
            (0..windows.len() as u32).map(|j| self.bounds.part(Part::Element(id, j))).collect();
        let is_inside = |(w, (low, high)): (&Window, &Interval)| {
            w.is_exact || low.is_some_and(|n| w.first <= n) && high.is_some_and(|n| n <= w.last)
        };
        let is_empty = |&(low, high): &Interval| low.zip(high).is_some_and(|(low, high)| low > high);
        if parts.iter().any(is_empty) || windows.iter().zip(&parts).all(is_inside) {
            self.gates.clause(&[empty]);
        }
    }
}
