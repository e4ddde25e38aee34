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
