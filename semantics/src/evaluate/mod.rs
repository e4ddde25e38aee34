//! The meaning of expressions and predicates.
//!
//! Everything here is a method of [`Evaluator`](crate::evaluator::Evaluator). In the order in which a formula goes
//! through them:
//!
//! - `predicate`, `expression`: truth and values
//! - `quantifier`: quantifiers, comprehensions, lambda, sums
//! - `operator`: arithmetic and sets, and the way to the operators of `relation`, `sequence` and `tree`
//! - `application`: images and function application, also of a lambda that is not listed; `recursion`: functions
//!   that are defined by themselves
//! - `set`: membership, inclusion, equality; `elements`: enumeration of the elements; `cardinality`: their number;
//!   `free_type`: values of free types; `types`: the values of a type
//! - `external`: the functions of ProB's libraries
//! - `well_definedness`: whether a formula can be ill-defined, by its form and by its guards

pub(crate) mod application;
pub(crate) mod cardinality;
mod changed;
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
pub(crate) mod types;
pub(crate) mod well_definedness;

#[cfg(test)]
mod laws_tests;
#[cfg(test)]
mod tests;
