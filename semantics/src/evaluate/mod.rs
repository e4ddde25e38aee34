//! The meaning of expressions and predicates: one file for each kind of operator.
//!
//! Everything here is a method of [`Evaluator`](crate::evaluator::Evaluator).

pub(crate) mod application;
pub(crate) mod cardinality;
pub(crate) mod elements;
pub(crate) mod expression;
pub(crate) mod external;
pub(crate) mod free_type;
pub(crate) mod operator;
pub(crate) mod predicate;
pub(crate) mod quantifier;
pub(crate) mod recursion;
pub(crate) mod relation;
pub(crate) mod sequence;
pub(crate) mod set;
pub(crate) mod tree;
pub(crate) mod well_definedness;

#[cfg(test)]
mod laws_tests;
#[cfg(test)]
mod tests;
