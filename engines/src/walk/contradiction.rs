//! Evidence that a walk finds against a claim.

use bsym_semantics::trace::{Trace, Violation};

/// Evidence of the evaluator against a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// From the initialisation, or from a state of Q as if it were initial, to where the claim is wrong.
    pub trace: Trace,
    /// The first state is one of Q and perhaps not reachable.
    pub from_invariant: bool,
    /// Faults at the end; not empty.
    pub broken: Vec<Broken>,
}

/// Fault at the end of a contradiction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// A property that is claimed.
    Violation(Violation),
    /// A lemma of the proof, by position.
    Lemma(usize),
    /// A path as long as this, although the claim says that there is none.
    Diameter(usize),
}
