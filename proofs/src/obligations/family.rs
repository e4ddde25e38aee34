//! Obligations that share their hypotheses.

use bsym_encodings::term::{Term, Terms};

/// Obligations with common hypotheses, in order.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// What all of them may use.
    pub said: Vec<Term>,
    /// What is asked and what becomes known between.
    pub entries: Vec<Entry>,
}

/// A part of a family.
#[derive(Debug)]
pub(super) enum Entry {
    /// A hypothesis of all that comes later.
    Known(Term),
    /// An obligation, by position.
    Ask {
        obligation: usize,
        goal: Term,
        /// Once proved it is a hypothesis of all that comes later.
        lemma: bool,
    },
}

/// What is no hypothesis at all is left out.
pub(super) fn family(said: Vec<Term>) -> Family {
    Family { said: said.into_iter().filter(|&t| t != Terms::TRUE).collect(), entries: vec![] }
}
