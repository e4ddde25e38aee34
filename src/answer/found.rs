//! The answer of a search for the process that asked for it.

use bsym_proofs::certificate::Certificate;
use bsym_semantics::trace::file::TraceFile;
use bsym_semantics::verdict::Verdict;
use serde::{Deserialize, Serialize};

use super::property::PropertyVerdictWord;
use super::verification::{BesideObject, Verification};

/// The answer of a search, with everything that is needed to check it.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Found {
    /// The verdict. A contradiction is a sentence.
    pub verdict: Verdict<Box<Certificate>, String, TraceFile>,
    /// Further counterexamples.
    pub further: Vec<TraceFile>,
    /// Every property is proved or refuted.
    pub is_decided: bool,
    /// Something of the machine could not be evaluated.
    pub is_partial: bool,
    /// Longest distance from an initial state.
    pub depth: Option<usize>,
    /// Number of states that the reference evaluator has judged as well.
    pub audited: u64,
    /// Constants of which one value was taken for all, by name.
    pub left_open: Vec<String>,
    /// The answer in short.
    pub summary: BesideObject,
}

impl Found {
    /// An answer with this verdict.
    pub fn new(
        answer: &Verification,
        verdict: Verdict<Box<Certificate>, String, TraceFile>,
        further: Vec<TraceFile>,
    ) -> Found {
        let is_open = |verdict| verdict == PropertyVerdictWord::Unknown;
        Found {
            verdict,
            further,
            is_decided: !answer.properties.iter().any(|p| is_open(p.verdict)),
            is_partial: !answer.left_out.unsupported.is_empty(),
            depth: answer.extent.depth,
            audited: answer.stats.audited.unwrap_or(0),
            left_open: answer.stats.left_open.clone(),
            summary: BesideObject::of(answer),
        }
    }

    /// Of a run that was stopped before it had an answer.
    pub fn undecided(answer: &Verification) -> Found {
        let reason = match &answer.verdict {
            Verdict::Unknown(reason) => reason.clone(),
            _ => bsym_semantics::verdict::Reason::Interrupted,
        };
        Found::new(answer, Verdict::Unknown(reason), vec![])
    }
}
