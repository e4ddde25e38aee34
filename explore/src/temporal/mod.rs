//! Temporal formulas over all paths of a state space.
//!
//! A `graph` has the states with their labelled edges, found on demand; `propositions` computes their truth on it; an
//! `automaton` reads that and accepts the paths on which the formula is false; the `product` of both is searched
//! breadth-first, and searched for `acceptance` whenever it has doubled and when it is complete, so that a loop is
//! found even if there are infinitely many states. A path that is found becomes a `counterexample`: a trace of the
//! reference evaluator on which the formula is false as it is defined, with a loop, at its end, or with any
//! continuation; `wider` tells whether a larger `MAXINT` changes that. Without one, and with nothing left out, the
//! formula holds in the scope; the `auditing` has then compared some states with the reference evaluator.
//!
//! `branching` decides formulas about all and some paths (CTL) on the same graph, by fixpoints over its states.
//!
//! States of one orbit have different paths as soon as a formula distinguishes them by name, and a reduction by partial
//! orders leaves out events that `X` and `[op]` mention: nothing is reduced here.

mod acceptance;
mod auditing;
mod automaton;
mod branching;
mod counterexample;
mod graph;
mod product;
mod propositions;
mod search;
mod verifier;
mod wider;

#[cfg(test)]
mod tests;

pub use branching::{BranchingReport, BranchingVerdict, Evidence, check_branching};
pub use counterexample::Refutation;
pub use propositions::Proposition;
pub use search::{Path, refute};
pub use verifier::{
    FormulaReport, TemporalOptions, TemporalReport, TemporalStatistics, TemporalVerdict, check,
};
pub use wider::maxint_without;
