//! Obligations of refinements of classical B: each operation, where the preconditions of the abstraction hold, can be
//! followed by the abstract one.
//!
//! Source: J.-R. Abrial, The B-Book (1996), 11.2.4 and 12.2; Atelier B, Proof Obligations Reference Manual. For a
//! refinement with the substitution `T` of an abstract `S`, the invariants `I` of the abstractions, its own invariant
//! `J` and the precondition `P` of the abstractions: `I & J & P => [T] not([S] not(J & r = r'))`, for the
//! initialisation without `I`, `J` and `P`. `execution` walks the paths of `T` and asks on each for what is evaluated
//! there and for the preconditions of calls; `following` makes a predicate of `not([S] not(…))` at its end, in parts,
//! one for each conjunct where the abstraction leaves no choice.
//!
//! An implementation owes more: what it computes fits into the machine (`integers`), and the values that it gives to
//! constants and sets satisfy the properties of all levels (`values`), and
//! local operations do what their specifications say (`local`).
//!
//! A refinement is compared with its nearest abstraction only: those behind it have obligations of their own, as in
//! Atelier B. All invariants are hypotheses.

mod execution;
mod following;
mod generate;
mod integers;
mod local;
mod sequent;
mod values;

pub(super) use generate::{Generated, generate};
pub(super) use sequent::Asked;
pub use sequent::SequentMachine;
