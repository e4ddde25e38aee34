//! Random numbers of searches and walks: the same seed gives the same numbers.

use crate::store::index::mix;

/// A seeded die.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// A die with a seed.
    pub fn new(seed: u64) -> Dice {
        Dice { state: mix(seed, 0x0123_4567_89AB_CDEF) }
    }

    /// A die that continues from the state of another one.
    pub fn from_state(state: u64) -> Dice {
        Dice { state }
    }

    /// The state of the die.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// The next throw.
    pub fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state, 0x2545_F491_4F6C_DD1D)
    }

    /// Takes an element out of a list, whose order is lost.
    pub fn take<T>(&mut self, list: &mut Vec<T>) -> Option<T> {
        let at = self.roll().checked_rem(list.len() as u64)?;
        Some(list.swap_remove(at as usize))
    }

    /// An element of a list.
    pub fn choose<T>(&mut self, mut list: Vec<T>) -> Option<T> {
        self.take(&mut list)
    }
}
