//! Stand-ins that are held against the reference semantics: a certificate need trust no labelling.

use std::sync::atomic::Ordering;

use super::machine::Machine;
use crate::compile::context::Context;
use crate::symmetry::permutation::Permutation;

impl Machine<'_> {
    /// The state that stands for that of a row; `None` where that is itself, or the search is stopped.
    pub(crate) fn find_stand_in(&mut self, row: &[u32]) -> Option<Vec<u32>> {
        let valuation = self.valuation(row);
        let Context { store, eval, stopped, .. } = &mut self.context;
        if *stopped {
            return None;
        }
        let stop = || eval.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let stand_in = self.orbits.as_mut()?.stand_in(store, valuation, row, &stop);
        *stopped |= stop();
        stand_in
    }

    /// The same, where it is a permutation of the state in which the constants are as they were, according to the values;
    /// otherwise the state stands for itself.
    pub(crate) fn checked_stand_in(&mut self, row: &[u32]) -> Option<Vec<u32>> {
        let valuation = self.valuation(row);
        let stand_in = self.find_stand_in(row)?;
        let permutation = self.between(row, &stand_in)?;
        let constants = &self.context.valuations[valuation];
        let kept = constants.iter().all(|value| permutation.apply(value).as_ref() == Some(value));
        let (from, to) = (self.state(row), self.state(&stand_in));
        let leads = from.iter().zip(&to).all(|(from, to)| permutation.apply(from).as_ref() == Some(to));
        (kept && leads).then_some(stand_in)
    }

    /// A permutation that should lead from one row to another one.
    fn between(&mut self, row: &[u32], stand_in: &[u32]) -> Option<Permutation> {
        let valuation = self.valuation(row);
        let symmetry = self.orbits.as_ref()?.symmetry();
        let images = symmetry.images(&mut self.context.store, valuation, row, stand_in)?;
        Permutation::of_atoms(&symmetry.atoms, &images)
    }
}
