//! A layer that searches one state of each orbit. Without compiled code, stand-ins are checked against the reference
//! semantics: a certificate need not trust any labelling.

use std::ops::DerefMut;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fixedbitset::FixedBitSet;

use super::machine::Machine;
use super::system::{Effort, Layer, Measured, NoTime, Reduce, Replicate, System, around};
use crate::compile::context::Context;
use crate::symmetry::orbits::Orbits;
use crate::symmetry::permutation::Permutation;
use crate::symmetry::reduction::Symmetry;

/// A machine, perhaps with layers around it, in which symmetric states are searched once.
pub struct Symmetric<S> {
    system: S,
    /// Finds states that stand for others, if there is something to reduce.
    orbits: Option<Orbits>,
}

impl<S> Symmetric<S> {
    /// Makes a layer that reduces by a symmetry, if there is one.
    pub fn new(system: S, symmetry: Option<Arc<Symmetry>>) -> Symmetric<S> {
        Symmetric { system, orbits: symmetry.map(Orbits::new) }
    }

    /// The system inside, and the finder of stand-ins.
    pub(crate) fn apart(&mut self) -> (&mut S, Option<&mut Orbits>) {
        (&mut self.system, self.orbits.as_mut())
    }

    /// The symmetry, if there is one.
    pub fn symmetry(&self) -> Option<&Arc<Symmetry>> {
        self.orbits.as_ref().map(Orbits::symmetry)
    }
}

around!(Symmetric);

impl<S: System> Layer for Symmetric<S> {}

impl<S: Measured> Measured for Symmetric<S> {
    fn effort(&self) -> Effort {
        let mut effort = self.system.effort();
        effort.bytes += self.orbits.as_ref().map_or(0, Orbits::bytes);
        effort
    }
}

impl<S: Replicate> Replicate for Symmetric<S> {
    type Seed = (S::Seed, Option<Arc<Symmetry>>);

    fn share(&mut self) {
        self.system.share();
    }

    fn seed(&self) -> Self::Seed {
        (self.system.seed(), self.symmetry().cloned())
    }

    fn from_seed((seed, symmetry): &Self::Seed) -> Self {
        Symmetric::new(S::from_seed(seed), symmetry.clone())
    }

    fn follow(&mut self, (seed, _): &Self::Seed) -> bool {
        self.system.follow(seed)
    }
}

impl<'m, S: Replicate + DerefMut<Target = Machine<'m>>> Reduce for Symmetric<S> {
    #[inline]
    fn stand_in(&mut self, row: &[u32]) -> Result<Option<Vec<u32>>, NoTime> {
        let Symmetric { system, orbits: Some(orbits) } = self else { return Ok(None) };
        stand_in(system, orbits, row)
    }

    fn chooses(&self) -> bool {
        false
    }

    fn enough(&mut self, _row: &[u32], _enabled: &FixedBitSet) -> Option<FixedBitSet> {
        None
    }
}

/// Finds the state that stands for that of a row; `None` if it stands for itself.
pub(crate) fn stand_in(
    machine: &mut Machine<'_>,
    orbits: &mut Orbits,
    row: &[u32],
) -> Result<Option<Vec<u32>>, NoTime> {
    let found = if machine.compiled { find(machine, orbits, row) } else { checked(machine, orbits, row) };
    if found.is_none() && machine.is_stopped() { Err(NoTime) } else { Ok(found) }
}

/// Tests whether the state of a stored row stands for one that was reached.
pub(crate) fn are_alike(
    machine: &mut Machine<'_>,
    orbits: Option<&Orbits>,
    stored: &[u32],
    reached: &[u32],
) -> bool {
    let (valuation, other) = (machine.valuation(reached), machine.valuation(stored));
    let store = &mut machine.context.store;
    let mut alike =
        |orbits: &Orbits| valuation == other && orbits.are_alike(store, valuation, stored, reached);
    stored == reached || orbits.is_some_and(&mut alike)
}

/// The state that stands for that of a row; `None` if it stands for itself, or if the search is stopped.
fn find(machine: &mut Machine<'_>, orbits: &mut Orbits, row: &[u32]) -> Option<Vec<u32>> {
    let valuation = machine.valuation(row);
    let Context { store, eval, stop: stopped, .. } = &mut machine.context;
    if stopped.is_set {
        return None;
    }
    let stop = || eval.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let stand_in = orbits.stand_in(store, valuation, row, &stop);
    stopped.is_set |= stop();
    stand_in
}

/// Returns the state that stands for the orbit of a row, if the values confirm that it is a permutation of the row
/// which keeps the constants, and `None` otherwise: the row then stands for itself.
fn checked(machine: &mut Machine<'_>, orbits: &mut Orbits, row: &[u32]) -> Option<Vec<u32>> {
    let valuation = machine.valuation(row);
    let stand_in = find(machine, orbits, row)?;
    let symmetry = orbits.symmetry();
    let images = symmetry.images(&mut machine.context.store, valuation, row, &stand_in)?;
    let permutation = Permutation::of_atoms(&symmetry.atoms, &images)?;
    let constants = &machine.context.valuations[valuation];
    let kept = constants.iter().all(|value| permutation.apply(value).as_ref() == Some(value));
    let (from, to) = (machine.state(row), machine.state(&stand_in));
    let leads = from.iter().zip(&to).all(|(from, to)| permutation.apply(from).as_ref() == Some(to));
    (kept && leads).then_some(stand_in)
}
