//! Why a run ended without an answer: a word for programs and a sentence for people.

use bsym_encodings::budget::Stopped;
use bsym_engines::verdict::{Condition, Objection, Unknown};

/// A reason. The sentence begins with the word, so that either can stand alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// One of a fixed list, in the schema.
    pub code: &'static str,
    /// For people.
    pub text: String,
}

impl Reason {
    /// A reason with an explanation.
    pub fn new(code: &'static str, explanation: &str) -> Reason {
        let text = if explanation.is_empty() { code.to_string() } else { format!("{code}: {explanation}") };
        Reason { code, text }
    }

    /// The reason of an engine.
    pub fn of(unknown: &Unknown) -> Reason {
        let explanation = match unknown {
            Unknown::Stopped(Stopped::Timeout) => "the time limit was reached".into(),
            Unknown::Stopped(Stopped::Cancelled) => String::new(),
            Unknown::Stopped(Stopped::Incomplete(why)) => why.clone(),
            Unknown::DepthLimit(depth) => format!("the limit of {depth} events was reached"),
            Unknown::Unsupported => "a part of the machine cannot be encoded".into(),
            Unknown::CheckFailed(checked) => {
                let first = checked.failed.first().or(checked.undecided.first());
                let first = first.map(|f| format!(", first: {f}")).unwrap_or_default();
                format!(
                    "the proof did not pass its checks ({} failed, {} undecided{first})",
                    checked.failed.len(),
                    checked.undecided.len()
                )
            }
            Unknown::ReplayFailed(why)
            | Unknown::Solver(why)
            | Unknown::Exhausted(why)
            | Unknown::Axioms(why) => why.clone(),
            Unknown::Doubtful { why, .. } => why.clone(),
            Unknown::Conditional { conditions, .. } => {
                let all: Vec<String> = conditions.iter().map(Condition::message).collect();
                format!("a proof was found and checked, but {}", all.join("; and "))
            }
            Unknown::Contradiction(wrong) => {
                let what = match &wrong.objection {
                    Objection::Walk(_) => {
                        "a proof passed its checks, and the evaluator says that it is wrong"
                    }
                    Objection::SmallSizes(_) => {
                        "a proof for sets of any size passed its checks, and does not where they are small"
                    }
                    Objection::Representations(_) => {
                        "a proof passed its checks, but values do not fit their representations in its encoding"
                    }
                    Objection::InitialState(_) => {
                        "the solver excludes every initial state, and the evaluator accepts one"
                    }
                };
                format!("{what}; this is a mistake of bsym")
            }
        };
        Reason::new(unknown.code(), &explanation)
    }
}
