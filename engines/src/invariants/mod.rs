//! Invariant generation: candidates for lemmas, as predicates of the model.
//!
//! - `predicate` numbers the predicates that an engine speaks of; a `cube` is a conjunction of literals over them;
//! - `seeds` are the atoms of the model, and `conserved` the sums that no event changes;
//! - `templates` makes candidates from the types of the variables, `shapes` and `typing` from the values of the first
//!   states;
//! - `affine` finds linear equations between integers that hold in the first states, `linear` has the algebra;
//! - `weakest_precondition` carries a predicate back through the assignments of an event;
//! - a `guess` is a candidate that is assumed until a query refutes it;
//! - `binders` are the names that lemmas about deferred sets quantify over.
//!
//! Nothing here asks a solver: IC3's Houdini (`ic3::houdini`) and the lemmas of k-induction (`induction::lemmas`) do.

pub(crate) mod affine;
pub(crate) mod binders;
pub(crate) mod bits;
mod conserved;
pub(crate) mod cube;
pub(crate) mod guess;
mod linear;
pub(crate) mod predicate;
pub(crate) mod quantifiers;
pub(crate) mod seeds;
pub(crate) mod shapes;
pub(crate) mod templates;
pub(crate) mod typing;
pub(crate) mod weakest_precondition;
