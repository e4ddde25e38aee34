//! Valuations of the constants up to the names of the elements of deferred sets.
//!
//! A permutation of a deferred set turns a valuation that satisfies the axioms into another one, and the states
//! reachable under one into those under the other (Leuschel, Butler, Spermann, Turner, *Symmetry Reduction for B by
//! Permutation Flooding*, B 2007, theorem 1). So one of them suffices, as long as nothing in the model tells the
//! elements apart. Here the elements are named in the order in which constants that are elements first mention them,
//! and part by part where constants partition the set. If there is a bijection, it names them all.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bsym_language::model::{CarrierKind, ConstId, Model};
use bsym_language::types::{CarrierId, Type};

use crate::evaluator::Evaluator;
use crate::symmetry::bijections::named_by_bijections;
use crate::symmetry::elements::Distinguished;
use crate::symmetry::partitions::{Parts, by_size, partition};
use crate::transition::Valuations;
use crate::transition::state::Constants;
use crate::tuning::tuning;
use crate::value::Value;

impl Evaluator<'_> {
    /// Returns the valuations of the constants that satisfy the axioms, one of each kind: those that are left out
    /// differ from a returned one only in the names of the elements of deferred sets. Some constants may be fixed.
    pub fn constants_up_to_names(&self, fixed: &BTreeMap<ConstId, Value>) -> Valuations {
        self.some_constants_up_to_names(fixed, usize::MAX)
    }

    /// Returns valuations as [`Evaluator::constants_up_to_names`], and stops when there are more than `most`.
    pub fn some_constants_up_to_names(&self, fixed: &BTreeMap<ConstId, Value>, most: usize) -> Valuations {
        let alike = self.alike(fixed);
        let free = self.interchangeable(&alike, fixed);
        let mut valuations = Valuations::default();
        let eval = Evaluator { up_to_names: Some(&alike), ..*self };
        for parts in self.partitions(&free, fixed) {
            let mut pinned = fixed.clone();
            pinned.extend(parts.values().flat_map(|p| p.values.clone()));
            for (carrier, elements) in free.iter().filter(|(carrier, _)| !parts.contains_key(carrier)) {
                pinned.extend(elements.first().map(|c| (*c, Value::Element(*carrier, 0))));
            }
            let named = |constants: &Constants| {
                free.iter().all(|(carrier, elements)| {
                    let starts = parts.get(carrier).map_or(&[0][..], |p| &p.starts);
                    in_order(elements, starts, constants)
                })
            };
            let done = eval.each_valuation(&pinned, &mut |constants, truth| {
                if named(&constants) {
                    valuations.add(constants, truth);
                }
                if valuations.found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            match done {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(e) => {
                    valuations.incomplete = Some(e);
                    break;
                }
            }
        }
        valuations
    }

    /// Returns the deferred sets whose elements nothing in the model tells apart.
    fn alike(&self, fixed: &BTreeMap<ConstId, Value>) -> BTreeSet<CarrierId> {
        let told_apart = distinguished(self.model);
        let carriers = (0..).map(CarrierId).zip(&self.model.types.carriers);
        let alike = carriers.filter(|(id, carrier)| {
            carrier.kind == CarrierKind::Deferred
                && self.scope.size(self.model, *id).is_some()
                && !told_apart.contains(id)
                && !fixed.values().any(|v| v.mentions(*id))
        });
        alike.map(|(id, _)| id).collect()
    }

    /// Returns those of the sets whose elements no bijection names, each with the constants that are its elements.
    fn interchangeable(
        &self,
        alike: &BTreeSet<CarrierId>,
        fixed: &BTreeMap<ConstId, Value>,
    ) -> BTreeMap<CarrierId, Vec<ConstId>> {
        let mut free: BTreeMap<CarrierId, Vec<ConstId>> = alike.iter().map(|id| (*id, vec![])).collect();
        for (id, constant) in (0..).map(ConstId).zip(&self.model.constants) {
            if let Type::Carrier(carrier) = constant.ty
                && let Some(elements) = free.get_mut(&carrier)
            {
                elements.push(id);
            }
        }
        let has_names = |id| free.get(&id).is_some_and(|c| !c.is_empty()) || self.parts(id, fixed).is_some();
        let named = named_by_bijections(self.model, alike, has_names);
        free.retain(|id, _| !named.contains(id));
        free
    }

    /// Returns the constants that partition a set, if none of them is fixed.
    fn parts(&self, carrier: CarrierId, fixed: &BTreeMap<ConstId, Value>) -> Option<Vec<ConstId>> {
        partition(self.model, carrier).filter(|parts| parts.iter().all(|c| !fixed.contains_key(c)))
    }

    /// Returns the ways to number the elements of those sets that constants partition, part by part.
    fn partitions(
        &self,
        free: &BTreeMap<CarrierId, Vec<ConstId>>,
        fixed: &BTreeMap<ConstId, Value>,
    ) -> Vec<BTreeMap<CarrierId, Parts>> {
        let mut ways = vec![BTreeMap::new()];
        for carrier in free.keys() {
            let size = self.scope.size(self.model, *carrier);
            let Some((parts, size)) = self.parts(*carrier, fixed).zip(size) else { continue };
            let Some(sizes) = by_size(*carrier, &parts, size)
                .filter(|s| s.len() * ways.len() <= tuning().answers.partitions)
            else {
                continue;
            };
            let with = |way: &BTreeMap<_, _>, parts: &Parts| {
                let mut way = way.clone();
                way.insert(*carrier, parts.clone());
                way
            };
            ways = ways.iter().flat_map(|way| sizes.iter().map(move |parts| with(way, parts))).collect();
        }
        ways
    }
}

/// Returns whether the elements of each part are named in the order in which they are first mentioned.
fn in_order(elements: &[ConstId], starts: &[u32], constants: &Constants) -> bool {
    // The first element of each part that has not been mentioned.
    let mut next = starts.to_vec();
    elements.iter().all(|c| match constants.get(c.index()) {
        Some(Value::Element(_, i)) => {
            let part = starts.iter().rposition(|start| start <= i);
            part.is_some_and(|part| {
                let is_next = *i == next[part];
                next[part] += u32::from(is_next);
                *i < next[part]
            })
        }
        _ => true,
    })
}

/// Returns the sets whose elements are told apart: by name, or by library functions that may use the order of the
/// elements.
fn distinguished(model: &Model) -> BTreeSet<CarrierId> {
    let told_apart = Distinguished::of(model);
    told_apart.named.keys().chain(told_apart.ordered.keys()).copied().collect()
}
