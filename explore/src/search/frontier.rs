//! The states that wait to be expanded.

use std::collections::VecDeque;

use crate::dice::Dice;
use crate::options::Order;
use crate::store::state_table::StateId;

/// States in the order of their discovery, taken out as the search order says.
#[derive(Clone, Debug)]
pub struct Frontier {
    waiting: VecDeque<StateId>,
    order: Order,
    dice: Dice,
}

impl Frontier {
    /// An empty frontier.
    pub fn new(order: Order, seed: u64) -> Frontier {
        Frontier { waiting: VecDeque::new(), order, dice: Dice::new(seed) }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a state.
    pub fn push(&mut self, state: StateId) {
        self.waiting.push_back(state);
    }

    /// Puts a state back that was taken.
    pub fn put_back(&mut self, state: StateId) {
        match self.order {
            Order::BreadthFirst => self.waiting.push_front(state),
            _ => self.waiting.push_back(state),
        }
    }

    /// Takes the `n` oldest states.
    pub fn take(&mut self, n: usize) -> Vec<StateId> {
        self.waiting.drain(..n.min(self.waiting.len())).collect()
    }

    /// Takes the next state.
    pub fn pop(&mut self) -> Option<StateId> {
        match self.order {
            Order::BreadthFirst => self.waiting.pop_front(),
            Order::DepthFirst => self.waiting.pop_back(),
            Order::Mixed => {
                if self.dice.roll() & 1 == 0 {
                    self.waiting.pop_front()
                } else {
                    self.waiting.pop_back()
                }
            }
            Order::Random => {
                let n = self.waiting.len() as u64;
                let at = self.dice.roll().checked_rem(n)?;
                self.waiting.swap_remove_back(at as usize)
            }
        }
    }

    /// The states, and the state of the dice.
    pub fn snapshot(&self) -> (Vec<StateId>, u64) {
        (self.waiting.iter().copied().collect(), self.dice.state())
    }

    /// Continues from a snapshot.
    pub fn restore(&mut self, states: Vec<StateId>, dice: u64) {
        self.waiting = states.into();
        self.dice = Dice::from_state(dice);
    }
}
