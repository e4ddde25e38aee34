//! Obligations that share their hypotheses.

use bsym_encodings::term::{Term, Terms};

/// Obligations with common hypotheses, in order.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// Hypotheses of all entries.
    pub said: Vec<Term>,
    /// Goals, and hypotheses that become known in between.
    pub entries: Vec<Entry>,
}

/// A part of a family.
#[derive(Debug)]
pub(super) enum Entry {
    /// A hypothesis of all later entries.
    Known(Term),
    /// An obligation, by position.
    Ask {
        obligation: usize,
        goal: Term,
        /// `true` if, once proved, it is a hypothesis of all later entries.
        lemma: bool,
    },
}

/// Makes a family with hypotheses, without those that are trivially true.
pub(super) fn family(said: Vec<Term>) -> Family {
    Family { said: said.into_iter().filter(|&t| t != Terms::TRUE).collect(), entries: vec![] }
}
