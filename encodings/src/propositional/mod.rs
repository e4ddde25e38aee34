//! Terms as propositional logic, for a SAT solver: one more [`Backend`](crate::session::Backend) behind a session.
//!
//! It is not a second translation of B: symbolic values become terms as for every other solver, and what is lowered
//! here are terms. Enumerations are one-hot, integers two's complement with as many bits as their interval needs,
//! arrays vectors of cells, quantifiers are written out.
//!
//! An unknown that an assertion says is equal to something is the value of that, and has no literals of its own: the
//! states of a path are what the events make of the ones before (`definition.rs`).
//!
//! # Nothing is cut silently
//!
//! An unknown without a bound, an integer or an array over integers, is cut down to some bits or some cells. Each cut
//! has literals of its own that are assumed in every check. A value that depends on a cut has a *guard*, true where the
//! cut holds. The literal of an atom is its truth in any case: it equals what was computed from bits where the guard is
//! true, and is free elsewhere. So every structure of unbounded integers is a model of the clauses, whatever its
//! numbers, with the literals of the cuts telling which of them fit. Therefore
//! - `unsat` without a cut in the core is true of unbounded integers;
//! - a model in which all cuts hold is a model of the terms, because then every literal is what was computed;
//! - otherwise a cut is widened, and in the end the answer is `unknown` with its name.
//!
//! Parts that are not claimed (reals, elements of sets without a size, quantifiers over integers that nothing bounds)
//! make the literal of the smallest Boolean term around them free: `unsat` stays true, and a model counts only if what
//! was asserted is true of it without these.

mod array;
mod backend;
mod bounds;
pub mod circuit;
mod cut;
mod definition;
mod elements;
mod gates;
mod integer;
mod lowering;
mod model;
mod proof;
mod quantifier;
mod solver;
mod unknown;
mod value;

pub use self::backend::{Lowered, Propositional, lowered};
