//! The vocabulary of results: the words in which every engine and every search answers.

use std::fmt;

use crate::trace::{Trace, Violation};

/// A trace that was replayed, and what is wrong at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// From an initial state to the violation.
    pub trace: Trace,
    /// Everything that is wrong there; not empty.
    pub violations: Vec<Violation>,
}

/// Why there is nothing to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vacuous {
    /// No valuation of the constants satisfies the axioms.
    NoValuation,
    /// There is a valuation, and no initial state.
    NoInitialState,
}

impl fmt::Display for Vacuous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vacuous::NoValuation => "no valuation of the constants satisfies the properties",
            Vacuous::NoInitialState => "there is no initial state",
        })
    }
}

/// Receives the progress of a run.
pub trait Observer<P> {
    /// Called for every noteworthy event.
    fn progress(&mut self, progress: &P);
}

impl<P, F: FnMut(&P)> Observer<P> for F {
    fn progress(&mut self, progress: &P) {
        self(progress)
    }
}
