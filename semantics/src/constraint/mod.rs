//! Search for values of unknowns: the constants under the axioms, parameters under a guard, bound names under a
//! quantifier.
//!
//! The predicate is cut into literals. Each round takes a literal that confines an unknown to few
//! candidates (`x = E`, `x : S`, `x |-> y : r`, bounds of an integer), binds it to each of them in turn
//! and drops what a literal refutes. A complete binding is judged by the literals from left to right, so
//! that the answer is that of the predicate as written.
//!
//! A literal may narrow the search only where every literal before it is known to hold or cannot be
//! ill-defined: otherwise dropping a candidate could hide an ill-defined instance.
//!
//! In the order in which a predicate goes through them:
//!
//! - `methods`: the methods that find the values of unknowns, in their order
//! - `solutions`: the solutions for the caller, by these methods
//! - `solve`: the rounds of a search; `by_type`: all values of small types instead, as an oracle for it
//! - `search`: the literals, and the facts about them
//! - `generators`: what an unknown is bound to next; `candidates`: what one literal leaves to it; `pattern`: unknowns inside expressions; `definitions` and
//!   `set_bounds`: what determines an unknown or bounds a set; `interval`: bounds of integers
//! - `finite_domain`: many unknowns at once, cell by cell; `enclosure`: sets of which a part is decided
//! - `finite_part` and `truncation`: a part of infinitely many values, as the last resort; `sampling`: a part of too many

mod by_type;
mod candidates;
mod definitions;
mod enclosure;
mod finite_domain;
pub(crate) mod finite_part;
mod generators;
pub(crate) mod interval;
pub mod methods;
mod pattern;
mod sampling;
mod search;
mod set_bounds;
pub(crate) mod solutions;
mod solve;
mod truncation;

#[cfg(test)]
mod tests;
