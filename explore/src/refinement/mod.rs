//! Refinement check on reachable states: a search of the refinement's states, each with the set of the abstract states
//! that matching steps of the abstractions can have reached.
//!
//! - `pairs`: a state of the refinement with its abstract states, and the result of a step;
//! - `verifier`: the search, breadth first;
//! - `counterexample`: the trace to a step that nothing abstract matches, replayed by the reference evaluator;
//! - `auditing`: comparison of pairs with the reference reading of the definition ([`bsym_semantics::refinement`]).
//!
//! Where the set is empty no abstraction can have done what the refinement did: that is a violation, whatever the
//! gluing invariant leaves open. Where one abstract state of several has no follower, the obligation of that pair of
//! states is open: the gluing invariant is too weak to prove the refinement by it, though nothing is wrong with the
//! refinement.
//!
//! A call that the abstraction forbids in some of its states is not followed: the caller must not make it (B-Book,
//! 11.2.4).

mod auditing;
mod counterexample;
mod pairs;
mod verifier;

pub use counterexample::{Related, Repeated, Unmatched, UnmatchedStep, of_simulation, repeat};
pub use verifier::{Own, RefinementOptions, RefinementReport, RefinementVerdict, WeakGluing, check};
