//! Searching one state of each orbit.

use std::sync::atomic::{AtomicU64, Ordering};

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::transition::state::Constants;

use super::verifier::{Search, Verifier};
use crate::report::{Reduction, Refused};
use crate::store::interner::Store;
use crate::symmetry::prepare::prepare;
use crate::symmetry::reduction::{Method, Symmetry};
use crate::tuning::tuning;

impl Verifier<'_, '_> {
    /// Returns the valuations to search, and the symmetry under them.
    pub(super) fn reduce(
        &mut self,
        eval: &Evaluator<'_>,
        valuations: Vec<Constants>,
        store: &mut Store,
    ) -> (Vec<Constants>, Option<Symmetry>) {
        let Some(method) = self.options.symmetry else { return (valuations, None) };
        // Flooding may be refused.
        let all = if method == Method::Flood { valuations.clone() } else { vec![] };
        let prepared = prepare(eval, valuations, method, store);
        let (mut symmetry, mut valuations) = (prepared.symmetry, prepared.valuations);
        let orders = symmetry.iter().flat_map(|symmetry| &symmetry.groups).map(|group| group.order());
        let too_many = orders.max_by_key(|order| order.unwrap_or(u64::MAX));
        let too_many = too_many
            .filter(|order| method == Method::Flood && order.is_none_or(|n| n > tuning().symmetry.flooded));
        if too_many.is_some() {
            (symmetry, valuations) = (None, all);
        }
        if self.statistics.valuations > 0 {
            self.statistics.valuations = valuations.len() as u64;
        }
        self.statistics.reduction = Some(Reduction {
            method,
            free: prepared.free,
            distinguished: prepared.distinguished,
            refused: too_many.map(Refused::TooManyPermutations),
            is_exact: symmetry.as_ref().is_none_or(Symmetry::is_exact),
            is_approximate: symmetry.as_ref().is_some_and(Symmetry::is_approximate),
            computed: 0,
        });
        (valuations, symmetry)
    }
}

impl Search<'_, '_> {
    /// Returns whether the states met before decide which ones are searched.
    pub(super) fn is_stateful(&self) -> bool {
        self.reached.system.symmetry().is_some_and(|symmetry| symmetry.is_stateful())
    }

    /// Returns how symmetric states were left out, if that was requested.
    pub(super) fn reduction(&self) -> Option<Reduction> {
        let mut reduction = self.visitor.statistics.reduction.clone()?;
        if let Some(symmetry) = self.reached.system.symmetry() {
            let tally = &symmetry.tally;
            let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
            reduction.computed = count(&tally.computed);
            reduction.is_exact &= count(&tally.given_up) == 0 && count(&tally.unlisted) == 0;
        }
        Some(reduction)
    }
}
