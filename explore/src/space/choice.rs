//! The events that are enough in a state: a stubborn set, with the truths of guards in the state.

use std::sync::Arc;

use super::dependency_matrix::{LabelId, LabelKind};
use super::machine::Machine;
use super::system::System;
use crate::partial_order::PartialOrder;
use crate::partial_order::set::Set;
use crate::partial_order::stubborn::{Choice, Truth};

impl<'m> Machine<'m> {
    /// From now on takes as few events as are enough, where their relations are those of this model.
    pub fn reduce_by(&mut self, order: &PartialOrder<'m>) {
        let mut matrix = (*self.matrix).clone();
        let first = matrix.labels.len() as u32;
        for (positive, pred) in &order.literals {
            self.add_label(&mut matrix, LabelKind::Guard, *positive, pred);
        }
        self.matrix = Arc::new(matrix);
        self.choice = Some(Choice::new(order.relations.clone(), first));
    }

    /// Of the events that are enabled those that are enough; `None` for all of them.
    pub(super) fn choose(&mut self, row: &[u32], enabled: &Set) -> Option<Set> {
        self.with_choice(row, |choice, truth| choice.choose(enabled, truth))
    }

    /// The set that is enough in a state, whether or not it paid to ask for it; `None` where all enabled events are needed.
    pub(crate) fn stubborn(&mut self, row: &[u32], enabled: &Set) -> Option<Set> {
        self.with_choice(row, |choice, truth| choice.stubborn(enabled, truth))
    }

    fn with_choice(
        &mut self,
        row: &[u32],
        choose: impl FnOnce(&mut Choice, Truth<'_>) -> Option<Set>,
    ) -> Option<Set> {
        let mut choice = self.choice.take()?;
        let first = choice.first;
        let mut truth = |literal: usize| self.label(LabelId(first + literal as u32), row).ok();
        let found = choose(&mut choice, &mut truth);
        self.choice = Some(choice);
        // A truth that there was no time for is none.
        found.filter(|_| !self.is_stopped())
    }
}
