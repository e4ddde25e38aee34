//! A bound on the work of evaluations that is the same on every machine: a count, not a clock.

use std::cell::Cell;

use bsym_language::source::Span;

use crate::error::{Eval, EvalError};

/// What evaluations may spend together. One unit is a predicate, an expression, a substitution, an element
/// that is listed, or a few elements of a value that is built.
#[derive(Debug, Default)]
pub struct Work {
    left: Cell<u64>,
    portion: Cell<u64>,
}

impl Work {
    /// So many units, none of them portioned out.
    pub fn new(units: u64) -> Work {
        Work { left: Cell::new(units), portion: Cell::new(0) }
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Portions out at most so many units for what comes next; what is left of the portion before is
    /// taken back. Without a portion nothing is evaluated.
    pub fn portion(&self, units: u64) {
        self.portion.set(units.min(self.left.get()));
    }

    /// Whether the portion is spent.
    pub(crate) fn is_spent(&self) -> bool {
        self.portion.get() == 0
    }

    /// Spends units of the portion.
    ///
    /// # Errors
    /// There are not so many left.
    pub(crate) fn spend(&self, units: u64, at: Span) -> Eval<()> {
        self.left.set(self.left.get().saturating_sub(units));
        match self.portion.get().checked_sub(units) {
            Some(rest) => {
                self.portion.set(rest);
                Ok(())
            }
            None => {
                self.portion.set(0);
                Err(EvalError::interrupted(at))
            }
        }
    }
}
