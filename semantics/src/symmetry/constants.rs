//! The valuations of the constants, but for the names of the elements of deferred sets.
//!
//! A permutation of a deferred set turns a valuation that satisfies the axioms into another one, and the states
//! that are reachable under one into those under the other (Leuschel, Butler, Spermann, Turner, *Symmetry
//! Reduction for B by Permutation Flooding*, B 2007, theorem 1). So it is enough to look at one of them, as
//! long as nothing in the model tells the elements apart. Here the elements are named in the order in which
//! constants that are elements first mention them; in Event-B a bijection names them, where there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bsym_language::model::{BinaryOp, CarrierKind, CompareOp, ConstId, ExprKind, Model, Notation, PredKind};
use bsym_language::types::{CarrierId, Type};

use super::elements::{Distinguished, each_carrier};
use crate::evaluator::Evaluator;
use crate::transition::Valuations;
use crate::transition::state::Constants;
use crate::value::Value;

impl Evaluator<'_> {
    /// The valuations of the constants that satisfy the axioms, one of each kind: those that are left out
    /// differ from one that is there in the names of the elements of deferred sets only. Some constants may be
    /// fixed.
    pub fn constants_up_to_names(&self, fixed: &BTreeMap<ConstId, Value>) -> Valuations {
        self.some_constants_up_to_names(fixed, usize::MAX)
    }

    /// The same, ended where there are more than `most`.
    pub fn some_constants_up_to_names(&self, fixed: &BTreeMap<ConstId, Value>, most: usize) -> Valuations {
        let free = self.interchangeable(fixed);
        let mut pinned = fixed.clone();
        for (carrier, constants) in &free {
            pinned.extend(constants.first().map(|c| (*c, Value::Element(*carrier, 0))));
        }
        let mut valuations = Valuations::default();
        let eval = Evaluator { up_to_names: true, ..*self };
        let done = eval.each_valuation(&pinned, &mut |constants, truth| {
            if free.values().all(|elements| in_order(elements, &constants)) {
                valuations.add(constants, truth);
            }
            if valuations.found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        valuations.incomplete = done.err();
        valuations
    }

    /// The constants that are elements of a deferred set whose elements nothing tells apart, by set.
    fn interchangeable(&self, fixed: &BTreeMap<ConstId, Value>) -> BTreeMap<CarrierId, Vec<ConstId>> {
        let mut free: BTreeMap<CarrierId, Vec<ConstId>> = BTreeMap::new();
        for (id, constant) in (0..).map(ConstId).zip(&self.model.constants) {
            if let Type::Carrier(carrier) = constant.ty {
                free.entry(carrier).or_default().push(id);
            }
        }
        let told_apart = distinguished(self.model);
        free.retain(|carrier, _| {
            let deferred = self.model.carriers[carrier.index()].kind == CarrierKind::Deferred;
            deferred
                && self.scope.size(self.model, *carrier).is_some()
                && !told_apart.contains(carrier)
                && !fixed.values().any(|v| v.mentions(*carrier))
        });
        free
    }
}

/// Whether the elements are named in the order in which they are first mentioned.
fn in_order(elements: &[ConstId], constants: &Constants) -> bool {
    let mut next = 0;
    elements.iter().all(|c| match constants.get(c.index()) {
        Some(Value::Element(_, i)) if *i < next => true,
        Some(Value::Element(_, i)) => {
            next += 1;
            *i + 1 == next
        }
        _ => true,
    })
}

/// The sets whose elements are told apart: by name, by functions of the libraries, which may go by the order of the
/// elements, or because a bijection is fixed already.
fn distinguished(model: &Model) -> BTreeSet<CarrierId> {
    let told_apart = Distinguished::of(model);
    let mut found: BTreeSet<CarrierId> =
        told_apart.named.keys().chain(told_apart.ordered.keys()).copied().collect();
    if model.notation == Notation::EventB {
        for part in model.axiom_parts() {
            if let PredKind::Compare(CompareOp::Member, f, space) = &part.kind
                && let ExprKind::Binary(BinaryOp::TotalBijection, ..) = space.kind
            {
                each_carrier(&f.ty, &mut |carrier| {
                    found.insert(carrier);
                });
            }
        }
    }
    found
}
