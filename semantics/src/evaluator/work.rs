//! A bound on the work of evaluations that is the same on every machine: a count, not a clock.

use std::cell::Cell;

use bsym_language::source::Span;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};

/// Elements of a value that cost as much as one predicate.
const ELEMENTS: u64 = 4;

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

    fn spend(&self, units: u64, at: Span) -> Eval<()> {
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

impl<'m> Evaluator<'m> {
    /// The same, stopped with [`EvalErrorKind::Interrupted`](crate::error::EvalErrorKind::Interrupted) where
    /// the portion of the work is spent.
    pub fn with_work(self, work: &'m Work) -> Self {
        Evaluator { work: Some(work), ..self }
    }

    /// Pays for something small.
    pub(crate) fn pay(&self, at: Span) -> Eval<()> {
        self.work.map_or(Ok(()), |work| work.spend(1, at))
    }

    /// Pays for a value with so many elements.
    pub(crate) fn pay_elements(&self, elements: usize, at: Span) -> Eval<()> {
        self.work.map_or(Ok(()), |work| work.spend(1 + elements as u64 / ELEMENTS, at))
    }
}
