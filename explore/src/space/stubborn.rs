//! A layer that takes a sufficient subset of the enabled groups: a stubborn set, with the truth values of guards in the
//! state.

use fixedbitset::FixedBitSet;

use super::dependency_matrix::LabelId;
use super::system::{Effort, Layer, Measured, NoTime, Reduce, Replicate, System, around};
use crate::partial_order::stubborn::{Choice, Truth};

/// A system in which orders of steps that do not matter are not searched.
pub struct Stubborn<S> {
    system: S,
    /// Chooser of groups, if the reduction is requested.
    pub choice: Option<Choice>,
}

impl<S> Stubborn<S> {
    /// Makes a layer that takes the groups of a choice; without one, all of them. The literals of the choice are labels
    /// of the system.
    pub fn new(system: S, choice: Option<Choice>) -> Stubborn<S> {
        Stubborn { system, choice }
    }
}

impl<S: System> Stubborn<S> {
    /// The sufficient set in a state, whether or not it paid to ask for it; `None` if all enabled groups are needed.
    pub(crate) fn stubborn(&mut self, row: &[u32], enabled: &FixedBitSet) -> Option<FixedBitSet> {
        self.with_choice(row, |choice, truth| choice.stubborn(enabled, truth))
    }

    fn with_choice(
        &mut self,
        row: &[u32],
        choose: impl FnOnce(&mut Choice, Truth<'_>) -> Option<FixedBitSet>,
    ) -> Option<FixedBitSet> {
        let Stubborn { system, choice } = self;
        let choice = choice.as_mut()?;
        let first = choice.first;
        let mut truth = |literal: usize| system.label(LabelId(first + literal as u32), row).ok();
        let found = choose(choice, &mut truth);
        // A truth value that was not computed in time does not count.
        found.filter(|_| !self.is_stopped())
    }
}

around!(Stubborn);

impl<S: System> Layer for Stubborn<S> {}

impl<S: Measured> Measured for Stubborn<S> {
    fn effort(&self) -> Effort {
        self.system.effort()
    }
}

impl<S: Replicate> Replicate for Stubborn<S> {
    /// The choice is made by one thread: the systems of other threads make none.
    type Seed = S::Seed;

    fn share(&mut self) {
        self.system.share();
    }

    fn seed(&self) -> Self::Seed {
        self.system.seed()
    }

    fn from_seed(seed: &Self::Seed) -> Self {
        Stubborn::new(S::from_seed(seed), None)
    }

    fn follow(&mut self, seed: &Self::Seed) -> bool {
        self.system.follow(seed)
    }
}

impl<S: Reduce> Reduce for Stubborn<S> {
    #[inline]
    fn stand_in(&mut self, row: &[u32]) -> Result<Option<Vec<u32>>, NoTime> {
        self.system.stand_in(row)
    }

    fn chooses(&self) -> bool {
        self.choice.is_some()
    }

    fn enough(&mut self, row: &[u32], enabled: &FixedBitSet) -> Option<FixedBitSet> {
        self.with_choice(row, |choice, truth| choice.choose(enabled, truth))
    }
}
