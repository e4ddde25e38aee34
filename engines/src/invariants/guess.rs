//! Lemmas that were guessed instead of learned from a cube.

use bsym_encodings::term::Term;
use bsym_language::model::Pred;

/// An invariant together with the assumed conjuncts.
#[derive(Clone, Debug)]
pub struct Guess {
    /// In B.
    pub pred: Pred,
    /// Over the current state.
    pub term: Term,
    /// In the first state of a step.
    pub now: Term,
    /// In the second.
    pub then: Term,
}

/// Lemmas, by position, that are enough in small sets.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Those that exclude every violating step.
    pub excluding: Vec<usize>,
    /// For each lemma those that it needs to stay true.
    pub supports: Vec<Vec<usize>>,
}
