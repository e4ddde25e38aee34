//! Verdicts in a word, as every answer says them.

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
