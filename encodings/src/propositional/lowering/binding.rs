//! Bound symbols: which are free in a term, and what they stand for where it is lowered.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::propositional::value::Value;
use crate::term::{Node, Op, SymbolId, Term, Terms};

/// Value of a bound symbol.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    /// Equal for equal values.
    id: u32,
    pub(super) value: Value,
    /// `true` if it is all the integers beyond a bound.
    beyond: bool,
}

/// Bound symbols: where they are free, and what those in scope stand for.
#[derive(Default)]
pub(in crate::propositional) struct Bindings {
    /// Symbols that some quantifier or lambda binds.
    binders: FxHashSet<SymbolId>,
    /// Bound symbols that are free in a term; terms that were not looked at are missing.
    free: FxHashMap<Term, Rc<[SymbolId]>>,
    scope: FxHashMap<SymbolId, Binding>,
    /// Ids of all values so far, by names that are equal for equal values.
    ids: FxHashMap<Vec<i128>, u32>,
}

/// The ranges that quantifiers and lambdas over integers are written out in.
#[derive(Default)]
pub(in crate::propositional) struct Ranges {
    /// Number of ranges so far.
    made: u32,
    /// First and last number of each, by the bodies.
    grown: FxHashMap<Term, Box<[(i128, i128)]>>,
}

impl Ranges {
    /// The id of a new range.
    pub fn next(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// The ranges in which a body was written out before.
    pub fn grown(&self, body: Term) -> Option<&[(i128, i128)]> {
        self.grown.get(&body).map(|known| &**known)
    }

    /// Notes the ranges in which a body was written out.
    pub fn remember(&mut self, body: Term, ranges: Box<[(i128, i128)]>) {
        self.grown.insert(body, ranges);
    }
}

impl Bindings {
    /// Lets a symbol stand for the value with this name.
    pub fn bind(&mut self, symbol: SymbolId, name: Vec<i128>, value: Value, beyond: bool) {
        let next = self.ids.len() as u32;
        let id = *self.ids.entry(name).or_insert(next);
        self.scope.insert(symbol, Binding { id, value, beyond });
    }

    /// Ends the scope of a symbol.
    pub fn unbind(&mut self, symbol: SymbolId) {
        self.scope.remove(&symbol);
    }

    /// Returns the value of a bound symbol; `None` if it is not in scope.
    pub(super) fn get(&self, symbol: SymbolId) -> Option<&Binding> {
        self.scope.get(&symbol)
    }

    /// Returns whether no symbol is in scope.
    pub(super) fn is_empty(&self) -> bool {
        self.scope.is_empty()
    }

    /// Finds the bound symbols of terms.
    pub(super) fn scan(&mut self, terms: &Terms, t: Term) {
        let mut order: Vec<(Term, Node)> = vec![];
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Term, Option<Node>)> = vec![(t, None)];
        while let Some((t, node)) = stack.pop() {
            if let Some(node) = node {
                order.push((t, node));
            } else if !self.free.contains_key(&t) && seen.insert(t) {
                let node = terms.node(t);
                let args = node.args.clone();
                stack.push((t, Some(node)));
                stack.extend(args.iter().map(|&a| (a, None)));
            }
        }
        let mut late = false;
        for (_, node) in &order {
            let bound: &[SymbolId] = match &node.op {
                Op::Forall(bound) | Op::Exists(bound) => bound,
                Op::Lambda(bound) => std::slice::from_ref(bound),
                _ => continue,
            };
            for &id in bound {
                let symbol = terms.symbol_term(id);
                late |= self.binders.insert(id) && self.free.contains_key(&symbol);
            }
        }
        if late {
            // A symbol that was looked at before turns out to be bound: free symbols have to be found again.
            self.free.clear();
            return self.scan(terms, t);
        }
        let none: Rc<[SymbolId]> = Rc::from([]);
        for (t, node) in order {
            let mut free: Vec<SymbolId> = vec![];
            for a in node.args.iter() {
                free.extend(self.free[a].iter());
            }
            match &node.op {
                Op::Symbol(id) if self.binders.contains(id) => free.push(*id),
                Op::Forall(bound) | Op::Exists(bound) => free.retain(|id| !bound.contains(id)),
                Op::Lambda(bound) => free.retain(|id| id != bound),
                _ => {}
            }
            free.sort_unstable();
            free.dedup();
            self.free.insert(t, if free.is_empty() { none.clone() } else { free.into() });
        }
    }

    /// Returns the ids of the values that the free bound symbols of a term stand for, and whether integers without
    /// bound are among these.
    pub(super) fn key(&self, t: Term) -> (Box<[u32]>, bool) {
        let free = match self.free.get(&t) {
            Some(free) if !free.is_empty() => free,
            _ => return (Box::default(), false),
        };
        let bound = || free.iter().filter_map(|id| self.scope.get(id));
        // A symbol that no binder around has bound is a symbol like any other.
        if bound().next().is_none() {
            return (Box::default(), false);
        }
        let ids = free.iter().map(|id| self.scope.get(id).map_or(u32::MAX, |b| b.id)).collect();
        (ids, bound().any(|b| b.beyond))
    }
}
