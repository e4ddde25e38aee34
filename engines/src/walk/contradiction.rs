//! What a walk finds against a claim.

use bsym_semantics::trace::{Trace, Violation};

/// What the evaluator says against a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// From the initialisation, or from a state of Q as if it were initial, to where the claim is wrong.
    pub trace: Trace,
    /// The first state is one of Q and perhaps not reachable.
    pub from_invariant: bool,
    /// What is wrong at the end; not empty.
    pub broken: Vec<Broken>,
}

/// What is wrong at the end of a contradiction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// A property that is claimed.
    Violation(Violation),
    /// A lemma of the proof, by position.
    Lemma(usize),
    /// The claim says that no path is as long as this.
    Diameter(usize),
}
