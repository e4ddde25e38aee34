//! A bound on the work of evaluations that is the same on every machine: a count, not a clock.

use std::cell::Cell;

use bsym_language::source::Span;

use crate::error::{Eval, EvalError};

/// Work that evaluations may spend together. One unit is a predicate, an expression, a substitution, an element that is
/// listed, or a few elements of a value that is built.
#[derive(Debug, Default)]
pub struct Work {
    left: Cell<u64>,
    portion: Cell<u64>,
}

impl Work {
    /// Creates a budget of this many units, with an empty portion.
    pub fn new(units: u64) -> Work {
        Work { left: Cell::new(units), portion: Cell::new(0) }
    }

    /// Returns the units that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Grants a portion of at most this many units for the next evaluations. The rest of the previous portion is taken
    /// back. Without a portion nothing is evaluated.
    pub fn portion(&self, units: u64) {
        self.portion.set(units.min(self.left.get()));
    }

    /// Returns whether the portion is spent.
    pub(crate) fn is_spent(&self) -> bool {
        self.portion.get() == 0
    }

    /// Spends units of the portion.
    ///
    /// # Errors
    /// The portion has fewer units left.
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
