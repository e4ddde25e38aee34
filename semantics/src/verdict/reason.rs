//! Reasons for an unknown answer: the stable code and the sentence of each.

use serde::{Deserialize, Serialize};

use crate::error::EvalError;

/// Defines the codes, one row per word.
macro_rules! codes {
    ($($code:ident = $word:literal,)*) => {
        /// A reason in one word for programs. The words are stable.
        #[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum ReasonCode {
            $(#[serde(rename = $word)] #[doc = concat!("`", $word, "`.")] $code,)*
        }

        impl ReasonCode {
            /// All words, in the order in which they are listed.
            pub const WORDS: &[&str] = &[$($word,)*];

            /// Returns the word.
            pub fn word(self) -> &'static str {
                match self {
                    $(ReasonCode::$code => $word,)*
                }
            }
        }
    };
}

codes! {
    Timeout = "timeout",
    Interrupted = "interrupted",
    Memory = "memory",
    SolverUnknown = "solver-unknown",
    SolverFailed = "solver-failed",
    DepthLimit = "depth-limit",
    StateLimit = "state-limit",
    ValuationLimit = "valuation-limit",
    Incomplete = "incomplete",
    Bounded = "bounded",
    MarkerCollisions = "marker-collisions",
    ReplayFailed = "replay-failed",
    Unsupported = "unsupported",
    CheckFailed = "check-failed",
    Exhausted = "exhausted",
    IllDefined = "ill-defined",
    ExistenceUndecided = "existence-undecided",
    AuditFailed = "audit-failed",
    NotCompared = "not-compared",
    NotChecked = "not-checked",
    RestsOnTrust = "rests-on-trust",
    Contradiction = "contradiction",
    NoValuation = "no-valuation",
    NoInitialState = "no-initial-state",
}

impl ReasonCode {
    /// Returns a sentence that begins with the word, so that either can stand alone.
    pub fn sentence(self, explanation: &str) -> String {
        let word = self.word();
        if explanation.is_empty() { word.into() } else { format!("{word}: {explanation}") }
    }
}

/// Reason why a property was not decided.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// Ctrl-C, or another answer came first.
    Interrupted,
    /// The limit on the memory of the program was reached, in bytes.
    Memory(u64),
    /// The limit on the memory of the states of a search was reached, in bytes.
    MemoryOfStates(usize),
    /// There are more different values than a search can number.
    TooManyValues,
    /// A solver answered `unknown`.
    SolverUnknown(String),
    /// A solver failed, or none is available.
    SolverFailed(String),
    /// The limit on the number of events was reached.
    DepthLimit(usize),
    /// The limit on the number of states was reached.
    StateLimit(usize),
    /// Only this many valuations of the constants were examined.
    ValuationLimit(usize),
    /// Something could not be evaluated; the report of a search lists it if the reason does not name it.
    Incomplete(Option<String>),
    /// Only a part of infinitely many values was examined; the report of a search lists the cuts if the reason does not
    /// name one.
    Bounded(Option<String>),
    /// States of different orbits may have been identified because they have the same symmetry marker.
    MarkerCollisions,
    /// The search to be continued could not be read, or belongs to another question.
    NotResumed(String),
    /// A violation was found, but the reference evaluator could not repeat its trace.
    ReplayFailed(String),
    /// A part of the machine has no encoding, and the parts that could be checked are not violated.
    Unsupported,
    /// The question is too large or cannot be asked.
    Refused(String),
    /// A proof did not pass its checks. Counts the failed and the undecided ones, and names the first.
    CheckFailed {
        /// Checks that failed.
        failed: usize,
        /// Checks that were not decided.
        undecided: usize,
        /// The first check that did not pass.
        first: Option<String>,
    },
    /// The engine has nothing more to try.
    Exhausted(String),
    /// Under no valuation of the constants are the axioms well-defined and true. The text names the axiom and its
    /// place.
    IllDefined(String),
    /// No state is known.
    ExistenceUndecided(String),
    /// The search and the reference evaluator contradict each other: a fault of the program.
    AuditFailed(String),
    /// A solver found values that the reference evaluator refutes: a fault of the program.
    Refuted(EvalError),
    /// A violation may be excluded by the abstraction, and the comparison that would decide it is open. The text gives
    /// the reason.
    NotCompared(String),
}

impl Reason {
    /// Returns the reason in one word for programs.
    pub fn code(&self) -> ReasonCode {
        match self {
            Reason::Timeout => ReasonCode::Timeout,
            Reason::Interrupted => ReasonCode::Interrupted,
            Reason::Memory(_) | Reason::MemoryOfStates(_) | Reason::TooManyValues => ReasonCode::Memory,
            Reason::SolverUnknown(_) => ReasonCode::SolverUnknown,
            Reason::SolverFailed(_) => ReasonCode::SolverFailed,
            Reason::DepthLimit(_) => ReasonCode::DepthLimit,
            Reason::StateLimit(_) => ReasonCode::StateLimit,
            Reason::ValuationLimit(_) => ReasonCode::ValuationLimit,
            Reason::Incomplete(_) | Reason::NotResumed(_) => ReasonCode::Incomplete,
            Reason::Bounded(_) => ReasonCode::Bounded,
            Reason::MarkerCollisions => ReasonCode::MarkerCollisions,
            Reason::ReplayFailed(_) => ReasonCode::ReplayFailed,
            Reason::Unsupported | Reason::Refused(_) => ReasonCode::Unsupported,
            Reason::CheckFailed { .. } => ReasonCode::CheckFailed,
            Reason::Exhausted(_) => ReasonCode::Exhausted,
            Reason::IllDefined(_) => ReasonCode::IllDefined,
            Reason::ExistenceUndecided(_) => ReasonCode::ExistenceUndecided,
            Reason::AuditFailed(_) | Reason::Refuted(_) => ReasonCode::AuditFailed,
            Reason::NotCompared(_) => ReasonCode::NotCompared,
        }
    }

    /// Returns the reason in a sentence that begins with its code.
    pub fn text(&self) -> String {
        let explanation: &str = match self {
            Reason::Timeout => "the time limit was reached",
            Reason::Interrupted | Reason::Bounded(None) => "",
            Reason::Memory(limit) => &format!("the limit of {} was reached", bytes(*limit)),
            Reason::MemoryOfStates(limit) => &format!("the states take more than {}", bytes(*limit as u64)),
            Reason::TooManyValues => {
                "there are more different sets, relations and large integers than can be numbered; smaller scopes have fewer"
            }
            Reason::DepthLimit(depth) => &format!("the limit of {depth} events was reached"),
            Reason::StateLimit(n) => &format!("the limit of {n} states was reached"),
            Reason::ValuationLimit(n) => &format!("only {n} valuations of the constants were looked at"),
            Reason::Incomplete(None) => "something could not be evaluated",
            Reason::SolverUnknown(why)
            | Reason::SolverFailed(why)
            | Reason::Incomplete(Some(why))
            | Reason::Bounded(Some(why))
            | Reason::NotResumed(why)
            | Reason::ReplayFailed(why)
            | Reason::Refused(why)
            | Reason::Exhausted(why)
            | Reason::IllDefined(why)
            | Reason::ExistenceUndecided(why)
            | Reason::AuditFailed(why) => why,
            Reason::Refuted(error) => &error.message,
            Reason::NotCompared(why) => &format!(
                "something is violated behind calls that the abstraction may forbid, and the comparison with it is not \
                 decided: {why}"
            ),
            Reason::MarkerCollisions => {
                "every state that was visited is as it should be, but states that are not symmetric may have the same marker"
            }
            Reason::Unsupported => "a part of the machine cannot be encoded",
            Reason::CheckFailed { failed, undecided, first } => {
                let first = first.as_ref().map(|f| format!(", first: {f}")).unwrap_or_default();
                &format!("the proof did not pass its checks ({failed} failed, {undecided} undecided{first})")
            }
        };
        self.code().sentence(explanation)
    }
}

/// Returns a number of bytes in the largest unit in which it is not below one.
pub fn bytes(n: u64) -> String {
    match n {
        0..0x400 => format!("{n} bytes"),
        0x400..0x10_0000 => format!("{} KiB", n >> 10),
        _ => format!("{} MiB", n >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_named_in_a_unit_that_says_something() {
        let check = |n: u64, text: &str| assert_eq!(bytes(n), text);
        check(1, "1 bytes");
        check(1 << 10, "1 KiB");
        check(1 << 20, "1 MiB");
        check(2 << 30, "2048 MiB");
        assert_eq!(Reason::Memory(1 << 10).text(), "memory: the limit of 1 KiB was reached");
        assert_eq!(Reason::Interrupted.text(), "interrupted");
    }
}
