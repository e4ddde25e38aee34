//! Symbols that stand for anything of their sort: fresh literals, within cuts where the sort is infinite.

use std::rc::Rc;

use super::{Lowering, Window};
use crate::propositional::bounds::Part;
use crate::propositional::cut::Cut;
use crate::propositional::gates::{Gates, Lit};
use crate::propositional::value::{Array, Truth, Value, Why};
use crate::term::{Sort, SortKind, SymbolId, Terms};
use crate::tuning::tuning;

impl Lowering {
    /// A symbol that stands for anything of its sort.
    pub(super) fn symbol(&mut self, id: SymbolId) -> Result<Value, Why> {
        let sort = self.terms.symbol_sort(id);
        let gates = self.literals(sort);
        self.effort.afford(gates, tuning().propositional.value_literals)?;
        if sort == Terms::INT {
            let value = self.fresh_number(id, self.bounds.of(id))?;
            if let Value::Int(n) = &value {
                self.integers.insert(id, n.clone());
            }
            return Ok(value);
        }
        self.fresh(id, sort)
    }

    pub(super) fn fresh_number(
        &mut self,
        id: SymbolId,
        known: (Option<i128>, Option<i128>),
    ) -> Result<Value, Why> {
        let cut = Cut::Width(id);
        let numbers = self.levels.numbers(&self.terms, cut);
        let (number, cuts) =
            self.unknowns.allocate(&mut self.gates, known, numbers).ok_or_else(Why::too_large)?;
        self.cuts.extend(cuts.into_iter().map(|l| (l, cut)));
        Ok(Value::Int(number))
    }

    pub(super) fn fresh(&mut self, id: SymbolId, sort: Sort) -> Result<Value, Why> {
        Ok(match self.terms.sort_kind(sort) {
            SortKind::Bool => Value::Bool(Truth::exact(self.gates.input())),
            SortKind::Int => self.fresh_number(id, (None, None))?,
            SortKind::Enum(_, names) => Value::Element(self.fresh_element(names.len()).into(), Lit::TRUE),
            SortKind::Real => return Err(Why::unsupported("a real number")),
            SortKind::Uninterpreted(_) => {
                self.constants(sort)?;
                return Err(Why::unsupported("an element of a set without a size"));
            }
            SortKind::Tuple(fields) => {
                let parts: Result<Vec<Value>, Why> = fields.iter().map(|&f| self.fresh(id, f)).collect();
                Value::Tuple(parts?.into())
            }
            SortKind::Array(index, value) => {
                let scalars = self.scalars(index);
                // A set that is a part of something has no bounds of its own.
                let is_set = value == Terms::BOOL && sort == self.terms.symbol_sort(id);
                let windows = self.windows_of(id, &scalars, is_set);
                let outside = if windows.iter().all(|w| w.is_exact) {
                    None
                } else {
                    let l = self.gates.input();
                    let cut = Cut::Window(id);
                    self.cuts.push((l, cut));
                    // Most sets are finite: with nothing outside of the window a quantifier over their elements is
                    // decided there.
                    let outside = match value == Terms::BOOL && self.levels.is_finite(&self.terms, cut) {
                        true => {
                            self.cut_sets.empty_outside.insert(id, l);
                            if is_set {
                                self.cut_sets.windows.insert(id, windows.clone());
                            }
                            Value::Bool(Truth::exact(Lit::FALSE))
                        }
                        false => self.fresh(id, value)?,
                    };
                    Some(outside.guarded(&mut self.gates, l))
                };
                let cells: Vec<(Sort, Window)> =
                    scalars.iter().copied().zip(windows.iter().copied()).collect();
                self.fresh_array(id, &cells, value, outside.as_ref())?
            }
        })
    }

    /// The windows of the parts of an index; for a set, from where its elements are known to be.
    pub(super) fn windows_of(&self, id: SymbolId, scalars: &[Sort], is_set: bool) -> Rc<[Window]> {
        let (first, last) = self.levels.window(&self.terms, Cut::Window(id));
        let mut cells: i128 = 1;
        let mut window = |(j, &sort): (u32, &Sort)| {
            if sort != Terms::INT {
                return Window { first: 0, last: -1, is_exact: true };
            }
            let (low, high) = if is_set { self.bounds.part(Part::Element(id, j)) } else { (None, None) };
            if let (Some(low), Some(high)) = (low, high) {
                let length = (high - low + 1).max(0);
                if length <= tuning().propositional.exact_window.max(last - first + 1)
                    && cells.saturating_mul(length)
                        <= tuning().propositional.exact_window * tuning().propositional.exact_window
                {
                    cells = cells.saturating_mul(length.max(1));
                    return Window { first: low, last: low + length - 1, is_exact: true };
                }
            }
            let span = last - first;
            match (low, high) {
                (Some(low), _) if low > first => Window { first: low, last: low + span, is_exact: false },
                (_, Some(high)) if high < last => Window { first: high - span, last: high, is_exact: false },
                _ => Window { first, last, is_exact: false },
            }
        };
        (0..).zip(scalars).map(&mut window).collect()
    }

    /// An array that stands for anything. Outside of its windows it is the same everywhere: that is its cut; it is
    /// empty there where a window is exact.
    pub(super) fn fresh_array(
        &mut self,
        id: SymbolId,
        index: &[(Sort, Window)],
        value: Sort,
        outside: Option<&Value>,
    ) -> Result<Value, Why> {
        let Some((&(sort, window), rest)) = index.split_first() else { return self.fresh(id, value) };
        if sort != Terms::INT {
            let keys = self.constants(sort)?;
            let cells: Result<Vec<Value>, Why> =
                keys.iter().map(|_| self.fresh_array(id, rest, value, outside)).collect();
            return Ok(Value::Array(Rc::new(Array::Listed(cells?))));
        }
        let Window { first, last, is_exact } = window;
        let cells: Result<Vec<Value>, Why> =
            (first..=last).map(|_| self.fresh_array(id, rest, value, outside)).collect();
        let empty = Value::Bool(Truth::exact(Lit::FALSE));
        let outside = match outside {
            Some(outside) if !is_exact => outside,
            _ => &empty,
        };
        let scalars: Vec<Sort> = rest.iter().map(|r| r.0).collect();
        let end = self.everywhere(&scalars, outside)?;
        Ok(Value::Array(Rc::new(Array::Window { first, cells: cells?, below: end.clone(), above: end })))
    }

    /// One literal for each element, exactly one of them true.
    pub(super) fn fresh_element(&mut self, n: usize) -> Vec<Lit> {
        let g = &mut self.gates;
        if n == 1 {
            return vec![Lit::TRUE];
        }
        if n == 2 {
            let l = g.input();
            return vec![!l, l];
        }
        if n <= tuning().propositional.one_hot {
            let all: Vec<Lit> = (0..n).map(|_| g.input()).collect();
            g.clause(&all);
            for (i, &a) in all.iter().enumerate() {
                for &b in &all[i + 1..] {
                    g.clause(&[!a, !b]);
                }
            }
            return all;
        }
        let bits: Vec<Lit> = (0..usize::BITS - (n - 1).leading_zeros()).map(|_| g.input()).collect();
        let code = |g: &mut Gates, k: usize| {
            g.and(bits.iter().enumerate().map(|(i, &b)| if k >> i & 1 == 1 { b } else { !b }))
        };
        let all: Vec<Lit> = (0..n).map(|k| code(g, k)).collect();
        g.clause(&all);
        all
    }
}
