//! Backends: what differs between solvers. A [`Backend`] can assert and check terms.

use super::value::TermValue;
use crate::budget::{Budget, Stopped};
use crate::term::{Sort, Term};

/// A solver behind a session. Boolean terms only; assumptions are literals.
pub trait Backend {
    /// Name and version of the solver and how it is reached, for reports: `z3 5.4.0 (linked)`.
    fn name(&self) -> String;
    /// Asserts a term for good.
    fn assert(&mut self, t: Term) -> Result<(), SolverError>;
    /// Says of some literals that no two of them are needed at once: in every model of the assertions and assumptions
    /// all but one of the true ones may be made false. A solver may look only at models in which at most one of them is
    /// true.
    fn alternatives(&mut self, _all: &[Term]) {}
    /// Says, before anything is asserted, that arrays will only be read ([`ReadOnly`](crate::term::ReadOnly)): a
    /// backend that has functions may use them for arrays.
    fn only_read_arrays(&mut self) {}
    /// Says, before anything is asserted, that there will be no quantifiers.
    fn without_quantifiers(&mut self) {}
    /// Checks under assumptions, each a symbol or a negated symbol, within the budget. Returns soon
    /// after the budget is cancelled.
    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError>;
    /// After [`RawAnswer::Unsat`]: positions of the assumptions in the core.
    fn core(&mut self) -> Result<Vec<usize>, SolverError>;
    /// After [`RawAnswer::Sat`]: the value of a term, symbols that do not matter completed.
    fn value(&mut self, t: Term) -> Result<TermValue, SolverError>;
    /// After [`RawAnswer::Sat`]: whether the model has to be looked at, since it may be none (see `confirm`).
    fn is_doubtful(&self) -> bool {
        false
    }
    /// After [`RawAnswer::Unknown`]: whether only a number that takes more bits than the solver has kept it from an
    /// answer.
    fn is_too_wide(&self) -> bool {
        false
    }
    /// Returns the size of what the solver was given, where it is propositional.
    fn size(&self) -> Size {
        Size::default()
    }
    /// The work of the last check as [`Budget::steps`](crate::budget::Budget::steps) counts it; none if it does not
    /// count.
    fn steps(&self) -> u64 {
        0
    }
    /// After [`RawAnswer::Sat`]: the elements of an uninterpreted sort in the model; none if the
    /// solver does not say.
    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError>;
}

/// The size of a formula as propositional logic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Variables.
    pub variables: u64,
    /// Clauses.
    pub clauses: u64,
    /// Checks that went to a solver of unbounded terms, since a number took more than 64 bits.
    pub referred: u64,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.variables += other.variables;
        self.clauses += other.clauses;
        self.referred += other.referred;
    }
}

/// A backend's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum RawAnswer {
    Sat,
    Unsat,
    Unknown(Stopped),
}

/// The solver failed, which is neither an answer nor the user's fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolverError {
    /// The program could not be started.
    #[error("the solver `{0}` could not be started: {1}")]
    NotStarted(String, String),
    /// The process is gone.
    #[error("the solver ended unexpectedly: {0}")]
    Exited(String),
    /// The solver refused what it was given.
    #[error("the solver reported an error: {0}")]
    Refused(String),
    /// The backend cannot express a term.
    #[error("{0} cannot be expressed for this solver")]
    Inexpressible(String),
}
