//! The effort of lowering a query, and the limits at which it stops.

use crate::budget::{Budget, Stopped};
use crate::propositional::value::Why;
use crate::tuning::tuning;

/// The budget of lowering, and the part of it that the current query has spent.
pub(in crate::propositional) struct Effort {
    budget: Budget,
    /// Terms lowered, and cells of arrays.
    steps: u64,
    /// Number of steps at which the budget is looked at next.
    look: u64,
    /// Reason why lowering stopped.
    pub stopped: Option<Stopped>,
}

impl Effort {
    /// Without a limit.
    pub(super) fn unlimited() -> Effort {
        Effort { budget: Budget::unlimited(), steps: 0, look: 0, stopped: None }
    }

    /// Sets the budget of what is lowered from now on, of which nothing is spent yet.
    pub fn within(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.stopped = None;
        (self.steps, self.look) = (0, 0);
    }

    /// Sets the budget of what is lowered from now on, and keeps what was spent.
    pub fn go_on(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// Steps since [`within`](Self::within).
    pub fn spent(&self) -> u64 {
        self.steps
    }

    /// Spends steps.
    pub fn spend(&mut self, steps: u64) {
        self.steps += steps;
    }

    /// Returns whether the budget is to be looked at.
    pub(super) fn is_due(&self) -> bool {
        self.steps >= self.look
    }

    /// Returns whether lowering has to stop with this number of gates; then [`stopped`](Self::stopped) says why.
    pub(super) fn is_over(&mut self, made: usize) -> bool {
        self.look = self.steps + tuning().propositional.look;
        let steps = self.budget.steps.unwrap_or(u64::MAX);
        let gates = tuning().propositional.gates.min(usize::try_from(steps).unwrap_or(usize::MAX));
        if made > gates || self.steps > steps {
            self.refuse("more than", gates as u64);
        } else if let Err(why) = self.budget.check() {
            self.stopped = Some(why);
        }
        self.stopped.is_some()
    }

    fn refuse(&mut self, about: &str, gates: u64) {
        let clauses = gates.saturating_mul(tuning().propositional.clauses_of_a_gate);
        let why = format!(
            "as propositional logic the formula takes {about} {clauses} clauses, too many for memory; a smaller \
             --scope or --encoding unbounded asks a smaller question"
        );
        self.stopped = Some(Stopped::Incomplete(why));
    }

    /// Refuses before it is built what takes too many gates.
    pub(super) fn afford(&mut self, gates: u64, most: u64) -> Result<(), Why> {
        if gates <= most {
            return Ok(());
        }
        self.refuse("about", gates);
        Err(Why::Stopped)
    }
}
