//! Estimates of what a term costs before anything is built.

use rustc_hash::FxHashSet;

use super::Lowering;
use crate::term::{Op, Sort, SortKind, SymbolId, Term};
use crate::tuning::tuning;

impl Lowering {
    /// Number of literals in a value of a sort; none where the sort has no form, which costs nothing.
    pub(super) fn literals(&self, sort: Sort) -> u64 {
        match self.terms.sort_kind(sort) {
            SortKind::Enum(_, names) => names.len() as u64,
            SortKind::Tuple(fields) => fields.iter().map(|&f| self.literals(f)).fold(0, u64::saturating_add),
            SortKind::Array(index, _) if !self.is_listed(index) => 0,
            SortKind::Array(index, value) => self.values(index).saturating_mul(self.literals(value)),
            SortKind::Int => tuning().propositional.integers,
            _ => 1,
        }
    }

    /// Number of values of a sort.
    pub(super) fn values(&self, sort: Sort) -> u64 {
        match self.terms.sort_kind(sort) {
            SortKind::Bool => 2,
            SortKind::Enum(_, names) => names.len() as u64,
            SortKind::Tuple(fields) => fields.iter().map(|&f| self.values(f)).fold(1, u64::saturating_mul),
            SortKind::Array(index, value) => {
                let exponent = u32::try_from(self.values(index)).unwrap_or(u32::MAX);
                self.values(value).saturating_pow(exponent)
            }
            SortKind::Int => tuning().propositional.integers,
            _ => 1,
        }
    }

    /// Returns whether each scalar part of an index has few enough values to be written out.
    pub(super) fn is_listed(&self, index: Sort) -> bool {
        match self.terms.sort_kind(index) {
            SortKind::Tuple(fields) => fields.iter().all(|&f| self.is_listed(f)),
            _ => self.values(index) <= tuning().propositional.values as u64,
        }
    }

    /// Returns the weight of a quantifier or a lambda: for each instance the terms below it, those below binders in it
    /// in turn.
    pub(super) fn weight(&mut self, binder: Term) -> u64 {
        if let Some(&known) = self.weights.get(&binder) {
            return known;
        }
        let node = self.terms.node(binder);
        let bound: &[SymbolId] = match &node.op {
            Op::Forall(bound) | Op::Exists(bound) => bound,
            Op::Lambda(bound) => std::slice::from_ref(bound),
            _ => &[],
        };
        let instances =
            bound.iter().map(|&id| self.values(self.terms.symbol_sort(id))).fold(1, u64::saturating_mul);
        let (mut inside, mut seen) = (0u64, FxHashSet::default());
        let mut stack = node.args.to_vec();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            let node = self.terms.node(t);
            let inner = match node.op {
                Op::Forall(_) | Op::Exists(_) | Op::Lambda(_) => self.weight(t),
                _ => {
                    stack.extend(node.args.iter());
                    1
                }
            };
            inside = inside.saturating_add(inner);
        }
        // One with more instances has no form, which costs nothing.
        let whole = if instances > tuning().propositional.instances as u64 {
            1
        } else {
            instances.saturating_mul(inside)
        };
        self.weights.insert(binder, whole);
        whole
    }
}
