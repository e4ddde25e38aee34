//! Quantifiers over sorts of which the elements are given, written out.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Op, Sort, Substitution, SymbolId, Term, Terms};

use crate::tuning::tuning;

/// Symbols for the elements of sorts, with the terms already written out over them.
#[derive(Debug, Default)]
pub struct Instances {
    /// The elements, by sort; several symbols may stand for one.
    pub elements: BTreeMap<Sort, Vec<Term>>,
    done: FxHashMap<Term, Option<Term>>,
    /// Terms of which it was said that they are one of the elements.
    placed: FxHashSet<Term>,
}

impl Instances {
    /// Begins with these elements, by sort.
    pub fn of(elements: BTreeMap<Sort, Vec<Term>>) -> Instances {
        let placed = elements.values().flatten().copied().collect();
        Instances { elements, done: FxHashMap::default(), placed }
    }
}

impl Terms {
    /// Writes a term out where the sorts have no other elements. Returns it with the formulas about the values in it
    /// that this requires: all formulas are without quantifiers over these sorts. Returns `None` where that is too
    /// much.
    pub fn instantiated(&self, t: Term, by: &mut Instances) -> Option<Vec<Term>> {
        let whole = self.written_out(t, by)?;
        let mut all = vec![whole];
        let mut values = vec![];
        self.visit(&[whole], |t, node| {
            if matches!(node.op, Op::Symbol(_) | Op::Select) && by.elements.contains_key(&node.sort) {
                values.push((t, node.sort));
            }
        });
        for (value, sort) in values {
            if by.placed.insert(value) {
                all.push(self.or(by.elements[&sort].iter().map(|&e| self.eq(value, e))));
            }
        }
        Some(all)
    }

    fn written_out(&self, t: Term, by: &mut Instances) -> Option<Term> {
        let Instances { elements, done, .. } = by;
        self.rewrite(t, done, &mut |node, args| match &node.op {
            Op::Forall(bound) => self.instances(bound, args[0], elements).map(|all| self.and(all)),
            Op::Exists(bound) => self.instances(bound, args[0], elements).map(|all| self.or(all)),
            op => Some(self.apply(op, args, node.sort)),
        })
    }

    fn instances(
        &self,
        bound: &[SymbolId],
        body: Term,
        elements: &BTreeMap<Sort, Vec<Term>>,
    ) -> Option<Vec<Term>> {
        let mut all = vec![body];
        for &symbol in bound {
            let values = elements.get(&self.symbol_sort(symbol))?;
            if all.len() * values.len() > tuning().values.instances {
                return None;
            }
            let mut next = vec![];
            for &value in values {
                let mut by = Substitution::new([(self.symbol_term(symbol), value)]);
                next.extend(all.iter().map(|&t| self.substitute(t, &mut by)));
            }
            next.sort_unstable();
            next.dedup();
            all = next;
        }
        Some(all)
    }
}
