//! Verdicts in a word, as every answer says them.

use bsym_semantics::verdict::Verdict;

use super::words::words;

words! {
    /// A verdict in a word.
    VerdictWord {
        Holds = "holds",
        Violated = "violated",
        Vacuous = "vacuous",
        Unknown = "unknown",
    }
}

impl<E, C, F> From<&Verdict<E, C, F>> for VerdictWord {
    fn from(verdict: &Verdict<E, C, F>) -> VerdictWord {
        match verdict {
            Verdict::Holds(_) => VerdictWord::Holds,
            Verdict::Violated(_) => VerdictWord::Violated,
            Verdict::Vacuous(..) => VerdictWord::Vacuous,
            Verdict::Conditional(..)
            | Verdict::Doubtful(..)
            | Verdict::Unknown(_)
            | Verdict::Contradiction(_) => VerdictWord::Unknown,
        }
    }
}
