//! The states that wait to be expanded.

use std::collections::VecDeque;
use std::ops::Range;

use crate::dice::Dice;
use crate::options::Order;
use crate::store::state_table::StateId;

/// States in the order of their discovery, taken out as the search order says.
#[derive(Clone, Debug)]
pub struct Frontier {
    /// The oldest ones: a breadth-first search has no others, and so needs no memory for waiting states.
    oldest: Range<StateId>,
    /// The states after those.
    waiting: VecDeque<StateId>,
    order: Order,
    dice: Dice,
}

impl Frontier {
    /// An empty frontier.
    pub fn new(order: Order, seed: u64) -> Frontier {
        Frontier { oldest: 0..0, waiting: VecDeque::new(), order, dice: Dice::new(seed) }
    }

    /// The order in which states are taken out.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns whether no state waits to be expanded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.oldest.len() + self.waiting.len()
    }

    /// Adds a state.
    #[inline]
    pub fn push(&mut self, state: StateId) {
        if self.order != Order::BreadthFirst || !self.waiting.is_empty() {
            self.waiting.push_back(state);
        } else if self.oldest.end == state {
            self.oldest.end += 1;
        } else if self.oldest.is_empty() {
            self.oldest = state..state + 1;
        } else {
            self.waiting.push_back(state);
        }
    }

    /// Puts a state back that was taken.
    pub fn put_back(&mut self, state: StateId) {
        if self.order != Order::BreadthFirst {
            self.waiting.push_back(state);
        } else if self.oldest.start.checked_sub(1) == Some(state) {
            self.oldest.start = state;
        } else {
            // Not the state that was taken last: rare enough to be listed.
            self.waiting = std::iter::once(state).chain(self.states()).collect();
            self.oldest = 0..0;
        }
    }

    /// Takes the `n` oldest states.
    pub fn take(&mut self, n: usize) -> Vec<StateId> {
        (0..n).map_while(|_| self.oldest.next().or_else(|| self.waiting.pop_front())).collect()
    }

    /// Takes the next state.
    #[inline]
    pub fn pop(&mut self) -> Option<StateId> {
        match self.order {
            Order::BreadthFirst => self.oldest.next().or_else(|| self.waiting.pop_front()),
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

    /// The states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + '_ {
        self.oldest.clone().chain(self.waiting.iter().copied())
    }

    /// The state of the dice.
    pub fn dice(&self) -> u64 {
        self.dice.state()
    }

    /// Continues with the states that waited, and the state of the dice.
    pub fn restore(&mut self, states: impl IntoIterator<Item = StateId>, dice: u64) {
        (self.oldest, self.waiting) = (0..0, VecDeque::new());
        states.into_iter().for_each(|state| self.push(state));
        self.dice = Dice::from_state(dice);
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<StateId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breadth_first_frontier_is_a_queue() {
        let mut frontier = Frontier::new(Order::BreadthFirst, 0);
        for state in [0, 1, 2, 5, 7, 8] {
            frontier.push(state);
        }
        assert_eq!((frontier.len(), frontier.pop(), frontier.take(2)), (6, Some(0), vec![1, 2]));
        // In the order opposite to that in which they were taken.
        frontier.put_back(2);
        frontier.put_back(1);
        let states: Vec<StateId> = frontier.states().collect();
        assert_eq!(states, [1, 2, 5, 7, 8]);
        let mut again = Frontier::new(Order::BreadthFirst, 0);
        again.restore(states, frontier.dice());
        again.put_back(9);
        assert_eq!(again.take(9), [9, 1, 2, 5, 7, 8]);
        assert_eq!(again.pop(), None);
    }

    #[test]
    fn what_was_found_in_order_takes_no_memory() {
        let mut frontier = Frontier::new(Order::BreadthFirst, 0);
        (0..100_000).for_each(|state| frontier.push(state));
        assert_eq!((frontier.len(), frontier.bytes()), (100_000, 0));
    }
}
