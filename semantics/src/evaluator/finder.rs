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
/// Asked where the search takes long, as [`crate::constraint::methods`] decides. What is found is evaluated
/// before it is used, and a wrong answer is an error ([`crate::error::EvalErrorKind::Refuted`]); after an incomplete
/// one the next method is asked. This crate has no implementation: it calls no solver.
pub trait ValueFinder {
    /// Calls `found` for different valuations of the unknowns that satisfy all predicates or make one ill-defined, in
    /// an order that is the same each time, until it breaks or there are as many as asked for. Whether these are all
    /// there are; none, and not all, where it has no such method.
    ///
    /// # Errors
    /// Why no values could be looked for, usually [`crate::error::EvalErrorKind::TooLarge`].
    fn find(&self, question: &Question<'_>, found: Visit<'_>) -> Result<bool, EvalError>;

    /// Whether it may know the values of these names; not where it has failed too often.
    fn is_worth_asking(&self, _unknowns: &[Name]) -> bool {
        true
    }

    /// Whether it has known all values of these names before.
    fn has_answered(&self, _unknowns: &[Name]) -> bool {
        false
    }
}

/// Called with the values of the unknowns.
pub type Visit<'v> = &'v mut dyn FnMut(Candidate) -> ControlFlow<()>;

/// What is asked of a [`ValueFinder`].
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// In which way it is to find values.
    pub method: Method,
    /// Most steps of writing it out for a solver, where these are counted.
    pub writing: u64,
    /// The values of all other names.
    pub env: &'q Env<'q>,
    /// The sizes of sets.
    pub scope: &'q Scope,
    /// The names that are to get values.
    pub unknowns: &'q [(Name, Type)],
    /// What is to hold, in its order.
    pub predicates: &'q [&'q Pred],
    /// Most valuations that are wanted.
    pub limit: usize,
}

/// A valuation that a [`ValueFinder`] found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The values of the unknowns, in their order.
    pub values: Vec<Value>,
    /// The unknowns have finitely many values, by what the predicates say of each.
    pub bounded: bool,
    /// What the method says of it.
    pub claim: Claim,
}

/// What a [`ValueFinder`] says of the values that it found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// All predicates hold: it is a fault of the program if one is false.
    Holds,
    /// One of the predicates is ill-defined, if all of it is looked at. What comes of that, evaluation says.
    IllDefined,
    /// There are no others that could be solutions.
    Nothing,
}
