//! Judging states and steps: what the reference evaluator says of a state that did not pass, and what goes wrong on the
//! way to one.

use bsym_semantics::error::EvalError;
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::judgement;
use bsym_semantics::transition::state::State;

use super::exploration::Search;
use super::findings::{is_interrupted, keys, open_properties};
use super::witness::Failure;
use crate::store::state_table::StateId;

impl Search<'_, '_> {
    /// Everything that is wrong in a state, according to the reference evaluator.
    pub(super) fn judge(&mut self, state: StateId, valuation: usize, values: &State) {
        let eval = self.machine.context.eval;
        let constants = &self.machine.context.valuations[valuation];
        // Also where nothing is violated: a predicate behind a false one may be ill-defined.
        self.findings.doubtful.insert(state);
        match judgement(&eval, constants, values, &self.checks) {
            Ok(judged) => {
                if self.checks.well_definedness {
                    for property in open_properties(&judged) {
                        self.findings.open.entry(property).or_insert(state);
                    }
                }
                let violations = judged.violations;
                if violations.iter().any(|v| *v != Violation::Goal) {
                    self.statistics.violating += 1;
                }
                for violation in violations {
                    for key in keys(&violation) {
                        self.findings.violated(key, Some(state), valuation, None);
                    }
                }
            }
            Err(e) => {
                if is_interrupted(&e) {
                    self.findings.unjudged.push(state);
                }
                self.note("the properties", e);
            }
        }
    }

    /// Whether no event is enabled in a state where none was found to be: also none with values beyond those
    /// that were looked at.
    pub(super) fn is_deadlock(&mut self, row: &[u32]) -> bool {
        if self.cuts.is_empty() {
            return true;
        }
        let values = self.machine.context.decode_state(row);
        let valuation = self.machine.valuation(row);
        let eval = self.machine.context.eval.with_all_choices();
        match eval.is_deadlock(&self.machine.context.valuations[valuation], &values) {
            Ok(deadlock) => deadlock,
            Err(e) => {
                self.note("the deadlocks", e);
                false
            }
        }
    }

    /// A step goes wrong.
    pub(super) fn failed(&mut self, state: Option<StateId>, valuation: usize, failure: Failure) {
        self.findings.failed(&self.checks, state, valuation, failure);
    }

    /// Something could not be evaluated, or there was no time for it.
    pub(super) fn note(&mut self, place: &str, error: EvalError) {
        if is_interrupted(&error) {
            self.machine.context.stopped = true;
            return;
        }
        self.findings.missing(place, error);
    }
}
