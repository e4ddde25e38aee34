//! Finding values that enumeration cannot reach.

use std::ops::ControlFlow;

use bsym_language::model::Pred;
use bsym_language::types::Type;

use crate::constraint::methods::Method;
use crate::error::EvalError;
use crate::scope::Scope;
use crate::value::Value;
use crate::value::env::{Env, Name};

/// Finds values for unknowns under a predicate: constants under the axioms, parameters under a guard,
/// locals of `ANY` and new values of `:(P)` under their predicate.
///
/// The search asks a finder where it takes long, as [`crate::constraint::methods`] decides. Values are evaluated before
/// they are used, and a wrong answer is an error ([`crate::error::EvalErrorKind::Refuted`]); after an incomplete answer
/// the next method is asked. This crate has no implementation: it calls no solver.
pub trait ValueFinder {
    /// Calls `found` for different valuations of the unknowns that satisfy all predicates or make one ill-defined. The
    /// order is the same on every run. Stops when `found` breaks or the limit of the question is reached. Returns
    /// whether these are all valuations; a finder without the method asked for reports none and returns `false`.
    ///
    /// # Errors
    /// The reason why the search for values was not possible, usually [`crate::error::EvalErrorKind::TooLarge`].
    fn find(&self, question: &Question<'_>, found: Visit<'_>) -> Result<bool, EvalError>;

    /// Returns whether the finder may know the values of these names; `false` after too many failures.
    fn is_worth_asking(&self, _unknowns: &[Name]) -> bool {
        true
    }

    /// Returns whether the finder has known all values of these names before.
    fn has_answered(&self, _unknowns: &[Name]) -> bool {
        false
    }
}

/// Callback for the values of the unknowns.
pub type Visit<'v> = &'v mut dyn FnMut(Candidate) -> ControlFlow<()>;

/// Question to a [`ValueFinder`].
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// The method to use.
    pub method: Method,
    /// Most steps of writing the question out for a solver, where these are counted.
    pub writing: u64,
    /// The values of all other names.
    pub env: &'q Env<'q>,
    /// The sizes of sets.
    pub scope: &'q Scope,
    /// The names to find values for.
    pub unknowns: &'q [(Name, Type)],
    /// Predicates to satisfy, in their order.
    pub predicates: &'q [&'q Pred],
    /// Most valuations to report.
    pub limit: usize,
}

/// A valuation that a [`ValueFinder`] found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The values of the unknowns, in their order.
    pub values: Vec<Value>,
    /// `true` if the predicates confine each unknown to finitely many values.
    pub bounded: bool,
    /// Claim of the method about the valuation.
    pub claim: Claim,
}

/// Claim of a [`ValueFinder`] about the values that it found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// All predicates hold: it is a fault of the program if one is false.
    Holds,
    /// One of the predicates is ill-defined if all of it is evaluated. Evaluation decides what follows from that.
    IllDefined,
    /// No other valuation can be a solution. Whether this one is a solution is not claimed.
    Nothing,
}
