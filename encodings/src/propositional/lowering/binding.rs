//! Bound symbols: which are free in a term, and what they stand for where it is lowered.

use std::collections::HashSet;
use std::rc::Rc;

use super::Lowering;
use crate::propositional::value::{Value, Why};
use crate::term::{Node, Op, SymbolId, Term};

impl Lowering {
    /// Finds the bound symbols of terms.
    pub(super) fn scan(&mut self, t: Term) {
        let terms = self.terms.clone();
        let mut order: Vec<(Term, Node)> = vec![];
        let mut seen = HashSet::new();
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
            return self.scan(t);
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

    pub(super) fn known(&self, t: Term) -> Option<&Result<Value, Why>> {
        let (key, _) = self.key(t);
        if key.is_empty() { self.closed.get(&t) } else { self.open.get(&(t, key)) }
    }
}
