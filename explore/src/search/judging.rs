//! Judging states: the reference evaluator decides about those that did not pass.

use bsym_semantics::error::EvalError;
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::judgement;

use super::findings::{is_interrupted, keys, open_properties};
use super::verifier::Verifier;
use crate::space::interpreted::Interpreted;
use crate::space::machine::Machine;
use crate::store::state_table::StateId;

impl Verifier<'_, '_> {
    /// Records all violations in a state, according to the reference evaluator.
    pub(super) fn judge(&mut self, machine: &mut Machine<'_>, state: StateId, row: &[u32]) {
        let valuation = machine.valuation(row);
        let (constants, values) = (&machine.context.valuations[valuation], machine.state(row));
        match judgement(&machine.context.eval, constants, &values, &self.checks) {
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
                self.note(machine, "the properties", e);
            }
        }
    }

    /// Returns whether no event is enabled in a state where none was found to be, not even with values beyond those
    /// that were tried.
    pub(super) fn is_deadlock(&mut self, machine: &mut Machine<'_>, row: &[u32]) -> bool {
        match machine.is_deadlock(machine.valuation(row), &machine.state(row)) {
            Ok(deadlock) => deadlock,
            Err(e) => {
                self.note(machine, "the deadlocks", e);
                false
            }
        }
    }

    /// Records that something could not be evaluated, or not in time.
    pub(super) fn note(&mut self, machine: &mut Machine<'_>, place: &str, error: EvalError) {
        if is_interrupted(&error) {
            machine.context.stop.is_set = true;
        } else {
            self.findings.missing(place, error);
        }
    }
}
