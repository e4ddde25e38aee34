//! Finding values that enumeration cannot reach.

use bsym_language::model::Pred;
use bsym_language::types::Type;

use crate::error::EvalError;
use crate::scope::Scope;
use crate::value::Value;
use crate::value::env::{Env, Name};

/// Finds values for unknowns under a predicate: constants under the axioms, parameters under a guard,
/// locals of `ANY` and new values of `:(P)` under their predicate.
///
/// Asked where propagation ends in a set that is too large to enumerate. What is found is evaluated
/// before it is used, so a wrong answer is dropped; an incomplete one makes the enumeration incomplete,
/// which the caller reports. This crate has no implementation: it calls no solver.
pub trait ValueFinder {
    /// Up to `limit` different valuations of `unknowns`, in their order, that satisfy all predicates.
    /// Every other name has its value in the environment.
    ///
    /// # Errors
    /// Why no values could be looked for, usually [`crate::error::EvalErrorKind::TooLarge`].
    fn find(
        &self,
        env: &Env<'_>,
        scope: &Scope,
        unknowns: &[(Name, Type)],
        conjuncts: &[&Pred],
        limit: usize,
    ) -> Result<Found, EvalError>;
}

/// What a [`ValueFinder`] found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Valuations, each with the value of every unknown.
    pub valuations: Vec<Vec<Value>>,
    /// Whether these are all there are.
    pub complete: bool,
}
