//! Interchangeable elements of sets: those that nothing in a model tells apart.
//!
//! A permutation of elements that are never named, and that no function orders, turns every evaluation into another
//! one: constant-freeness, which Gibson-Robinson and Lowe, *Symmetry reduction in CSP model checking*, STTT 2019,
//! define for data types. Deferred sets are the case in which no element can be named.

use std::collections::BTreeMap;

use bsym_language::model::{Expr, ExprKind, ExternalFunction, Model, Pred, PredKind};
use bsym_language::source::Span;
use bsym_language::types::{CarrierId, Type};
use bsym_language::walk::{Visitor, walk_expr, walk_model, walk_operators, walk_pred};

use crate::scope::Scope;

/// Elements of enumerated and deferred sets that a model tells apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Distinguished {
    /// Named elements, by position, with the first occurrence.
    pub named: BTreeMap<CarrierId, BTreeMap<u32, Span>>,
    /// Sets whose elements are arguments of functions that may use their order, with the first occurrence.
    pub ordered: BTreeMap<CarrierId, Span>,
}

/// Elements of one set that nothing tells apart; at least two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interchangeable {
    /// The set.
    pub carrier: CarrierId,
    /// Its elements by position, ascending.
    pub elements: Vec<u32>,
}

impl Distinguished {
    /// Collects the elements that the formulas of a model tell apart: axioms, invariant, assertions, goal, events and
    /// definitions.
    pub fn of(model: &Model) -> Distinguished {
        let mut found = Distinguished::default();
        walk_model(&mut found, model);
        walk_operators(&mut found, model);
        model.definitions.goal.iter().for_each(|goal| found.pred(goal));
        found
    }

    /// Collects the elements that one predicate tells apart.
    pub fn of_pred(pred: &Pred) -> Distinguished {
        let mut found = Distinguished::default();
        found.pred(pred);
        found
    }

    /// Returns whether any of these elements of a set is told apart from the others.
    pub fn tells_apart(&self, carrier: CarrierId, elements: &[u32]) -> bool {
        let named = self.named.get(&carrier);
        self.ordered.contains_key(&carrier)
            || named.is_some_and(|named| elements.iter().any(|element| named.contains_key(element)))
    }

    /// Returns the interchangeable elements of every set that has a size in the scope.
    pub fn interchangeable(&self, model: &Model, scope: &Scope) -> Vec<Interchangeable> {
        let carriers = (0..model.types.carriers.len() as u32).map(CarrierId);
        let left = carriers.filter(|carrier| !self.ordered.contains_key(carrier)).filter_map(|carrier| {
            let size = u32::try_from(scope.size(model, carrier)?).ok()?;
            let named = self.named.get(&carrier);
            let free = |i: &u32| named.is_none_or(|named| !named.contains_key(i));
            Some(Interchangeable { carrier, elements: (0..size).filter(free).collect() })
        });
        left.filter(|set| set.elements.len() > 1).collect()
    }

    fn order(&mut self, arguments: &[Expr]) {
        for argument in arguments {
            each_carrier(&argument.ty, &mut |carrier| {
                self.ordered.entry(carrier).or_insert(argument.span);
            });
        }
    }
}

/// Calls `call` with every set that a type is built from.
pub(super) fn each_carrier(ty: &Type, call: &mut dyn FnMut(CarrierId)) {
    match ty {
        Type::Carrier(carrier) => call(*carrier),
        Type::Pow(element) => each_carrier(element, call),
        Type::Pair(a, b) => {
            each_carrier(a, call);
            each_carrier(b, call);
        }
        Type::Record(fields) => fields.iter().for_each(|(_, ty)| each_carrier(ty, call)),
        Type::Free(_, arguments) => arguments.iter().for_each(|ty| each_carrier(ty, call)),
        Type::Bool | Type::Int | Type::Real | Type::String | Type::Parameter(_) => {}
    }
}

impl Visitor for Distinguished {
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Element(carrier, i) => {
                self.named.entry(*carrier).or_default().entry(*i).or_insert(e.span);
            }
            // `AssertExpr` returns its last argument, whatever the names are.
            ExprKind::External(ExternalFunction::AssertExpr, _) => {}
            ExprKind::External(_, arguments) => {
                self.order(arguments);
                // Some functions choose or read an element.
                self.order(std::slice::from_ref(e));
            }
            _ => {}
        }
        walk_expr(self, e);
    }

    fn pred(&mut self, p: &Pred) {
        if let PredKind::External(_, arguments) = &p.kind {
            self.order(arguments);
        }
        walk_pred(self, p);
    }
}
