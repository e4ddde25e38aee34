//! Limit on the work of an encoder, counted so that it is the same on every machine.
//!
//! Expressions, predicates, instances, comparisons, elements that are listed, and terms are counted.

use std::cell::Cell;

use crate::budget::Budget;
use crate::tuning::tuning;

/// Limit on the work: as many steps as a budget has for one query, until the budget ends.
#[derive(Debug)]
pub(crate) struct Effort {
    budget: Budget,
    /// The work on terms before.
    before: u64,
    steps: Cell<u64>,
    look: Cell<u64>,
}

impl Effort {
    /// Begins with no steps done and with `terms` units of work on terms ([`Terms::work`](crate::term::Terms::work)).
    pub(crate) fn new(budget: &Budget, terms: u64) -> Effort {
        Effort { budget: budget.clone(), before: terms, steps: Cell::new(0), look: Cell::new(0) }
    }

    /// Spends `steps` steps, after `terms` units of work on terms.
    ///
    /// # Errors
    /// The reason why no more may be done.
    pub(crate) fn spend(&self, steps: usize, terms: u64) -> Result<(), String> {
        self.steps.set(self.steps.get().saturating_add(steps as u64));
        let spent =
            self.steps.get().saturating_add((terms - self.before) / tuning().symbolic.terms_of_a_step);
        if let Some(most) = self.budget.steps.filter(|&most| spent > most) {
            return Err(format!("writing it out takes more than {most} steps"));
        }
        if spent >= self.look.get() {
            self.look.set(spent + tuning().symbolic.look);
            self.budget.check().map_err(|stopped| stopped.to_string())?;
        }
        Ok(())
    }
}
