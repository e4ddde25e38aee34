//! The answer of `check`, `bmc`, `tree`, `kind`, `ic3` and `mc`: everything that is known at the end of a run.
//!
//! `json` projects all of it onto one flat object, `text` says it to people, and the exit code follows from the verdict;
//! `engines` and `search` make it from what a run reports.

mod engines;
mod json;
mod search;
mod text;
mod worth_trying;

use std::collections::BTreeMap;

use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::bounds::{SmallBounds, small_bounds};
use bsym_semantics::verdict::{self, Condition, Reason, ReasonCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::coverage::CoverageObject;
use super::diagnostic::{DiagnosticObject, UnsupportedObject};
use super::encoding::EncodingObject;
use super::failed_proof::FailedProofObject;
use super::not_asked::{NotAskedObject, not_asked};
use super::not_checked::DroppedObject;
use super::proof::{CertificateObject, CheckedObject, ContradictionObject, EvidenceKind, ProofObject};
use super::property::{AxiomObject, PropertyKind, PropertyObject, PropertyVerdictWord, kinds_asked};
use super::refinement::RefinementObject;
use super::scope::ScopeObject;
use super::statistics::StatsObject;
use super::status::ProofsObject;
use super::trace::{CounterexampleObject, CounterexampleToInductionObject};
use crate::exit::Exit;

pub use super::verdict_word::VerdictWord;
pub use search::search_reason;

/// The answer of one run.
#[derive(Clone, Debug)]
pub struct Verification {
    pub machine: String,
    pub file: String,
    /// The engine that gave the answer.
    pub engine: String,
    pub question: Question,
    pub verdict: Verdict,
    pub findings: Findings,
    pub extent: Extent,
    pub properties: Vec<PropertyObject>,
    pub proofs: ProofsObject,
    pub left_out: LeftOut,
    pub warnings: Vec<String>,
    pub diagnostics: Vec<DiagnosticObject>,
    pub stats: StatsObject,
}

/// What a run was asked, and in which scope.
#[derive(Clone, Debug)]
pub struct Question {
    /// What was checked.
    pub asked: Vec<PropertyKind>,
    pub well_definedness: bool,
    pub scope: ScopeObject,
    /// Smaller scopes, chosen by default, in which there was nothing to search.
    pub scopes_tried: Vec<ScopeObject>,
    /// Bounds of integers with which an overflow is near, where those of the scope are large.
    pub small_bounds: Option<SmallBounds>,
    /// How formulas reached the solver; `None` for a search.
    pub encoding: Option<EncodingObject>,
}

/// What a run found beside its verdict.
#[derive(Clone, Default, Debug)]
pub struct Findings {
    /// Where there is nothing to check: the axioms that contradict each other.
    pub core: Vec<AxiomObject>,
    /// The file that the trace was written to.
    pub trace_file: Option<String>,
    /// The outcome of the checks of a proof that did not pass them.
    pub failed_checks: Option<CheckedObject>,
    /// Further counterexamples.
    pub further: Vec<CounterexampleObject>,
    pub counterexample_to_induction: Option<CounterexampleToInductionObject>,
    /// What there is of a proof that was not found.
    pub failed_proof: Option<FailedProofObject>,
    /// B predicates that are inductive together with what was asked.
    pub invariants: Vec<String>,
    /// What the search beside the engines did, where it gave no answer.
    pub search: Option<BesideObject>,
    /// A refinement of classical B compared with its abstractions, where that was asked.
    pub refinement: Option<RefinementObject>,
}

/// How far a run went.
#[derive(Clone, Default, Debug)]
pub struct Extent {
    /// No violation on any trace with up to this many events.
    pub depth: Option<usize>,
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    /// What was visited, where that was asked.
    pub coverage: Option<CoverageObject>,
}

/// Parts of a machine that an answer says nothing about.
#[derive(Clone, Debug)]
pub struct LeftOut {
    pub unsupported: Vec<UnsupportedObject>,
    /// What the machine speaks of and nobody asked about.
    pub not_asked: Vec<NotAskedObject>,
    /// What of the machine is in no check.
    pub not_checked: Vec<DroppedObject>,
}

/// The answer about all properties together.
pub type Verdict = verdict::Verdict<Box<ProofObject>, Box<ContradictionObject>, CounterexampleObject>;

/// What the search beside the engines of `check` did, in its own words.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
pub struct BesideObject {
    pub verdict: VerdictWord,
    pub reason: Option<String>,
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    /// The scope that it searched.
    #[schemars(with = "Option<ScopeObject>")]
    pub scope: Json,
}

impl BesideObject {
    /// The answer of a search in short.
    pub fn of(answer: &Verification) -> BesideObject {
        BesideObject {
            verdict: (&answer.verdict).into(),
            reason: answer.reason(),
            states: answer.extent.states,
            transitions: answer.extent.transitions,
            scope: serde_json::to_value(&answer.question.scope).unwrap_or_default(),
        }
    }

    /// Of a search that ended without a result.
    pub fn died(reason: &str) -> BesideObject {
        BesideObject {
            verdict: VerdictWord::Unknown,
            reason: Some(reason.into()),
            states: None,
            transitions: None,
            scope: Json::Null,
        }
    }
}

/// What an answer is about, known before the run.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    pub model: &'a Model,
    pub file: String,
    pub properties: &'a [Property],
    pub scope: &'a Scope,
    pub settings: BTreeMap<String, String>,
    pub well_definedness: bool,
    pub encoding: Option<EncodingObject>,
    pub proofs: ProofsObject,
    pub warnings: Vec<String>,
    pub diagnostics: Vec<DiagnosticObject>,
    pub stats: StatsObject,
}

impl Verification {
    /// Returns whether a property is not decided.
    pub fn has_open(&self) -> bool {
        self.properties.iter().any(|property| property.verdict == PropertyVerdictWord::Unknown)
    }

    /// A verdict, and what is known before the run.
    pub fn new(subject: &Subject<'_>, engine: &str, depth: Option<usize>, verdict: Verdict) -> Verification {
        let model = subject.model;
        let open = |&p: &Property| PropertyObject::new(model, p, PropertyVerdictWord::Unknown);
        Verification {
            machine: model.name.clone(),
            file: subject.file.clone(),
            engine: engine.into(),
            question: Question {
                asked: kinds_asked(subject.properties),
                well_definedness: subject.well_definedness,
                scope: ScopeObject::new(model, subject.scope, &subject.settings),
                scopes_tried: vec![],
                small_bounds: small_bounds(model, subject.scope),
                encoding: subject.encoding.clone(),
            },
            verdict,
            findings: Findings::default(),
            extent: Extent { depth, ..Extent::default() },
            properties: subject.properties.iter().map(open).collect(),
            proofs: subject.proofs.clone(),
            left_out: LeftOut {
                unsupported: vec![],
                not_asked: not_asked(model, subject.properties),
                not_checked: DroppedObject::all(model),
            },
            warnings: subject.warnings.clone(),
            diagnostics: subject.diagnostics.clone(),
            stats: subject.stats.clone(),
        }
    }

    /// The kinds of what is violated, else what was checked.
    pub fn about(&self) -> Vec<PropertyKind> {
        match self.verdict.counterexample() {
            Some(found) => vec![found.property],
            None => self.question.asked.clone(),
        }
    }

    /// Events in the counterexample; `k` or the diameter of a proof; else the depth without violation.
    pub fn reached(&self) -> Option<usize> {
        let found = self.verdict.counterexample().and_then(|found| found.events().to_usize());
        found.or(self.verdict.evidence().and_then(|proof| proof.steps)).or(self.extent.depth)
    }

    /// Returns the code of the reason where nothing is decided: not of what holds, is violated or vacuous.
    pub fn undecided(&self) -> Option<ReasonCode> {
        self.verdict.reason_code().filter(|_| !matches!(self.verdict, Verdict::Vacuous(..)))
    }

    /// Returns whether a run ended before it looked at anything.
    pub fn has_done_nothing(&self) -> bool {
        self.extent.depth.is_none() && self.extent.states.unwrap_or(0) == 0
    }

    /// Returns the reason in a sentence: why there is no answer, or nothing to check.
    pub fn reason(&self) -> Option<String> {
        let explanation = match &self.verdict {
            Verdict::Holds(_) | Verdict::Violated(_) => return None,
            Verdict::Vacuous(_, why) => return Some(why.clone()),
            Verdict::Unknown(reason) => return Some(reason.text()),
            Verdict::Conditional(proof, conditions) => {
                let all: Vec<String> = conditions.iter().map(Condition::message).collect();
                let is_visited = matches!(conditions[..], [Condition::NotChecked(_)])
                    && (proof.of_levels || proof.kind == EvidenceKind::Search);
                let known =
                    if is_visited { "every state was visited" } else { "a proof was found and checked" };
                format!("{known}, but {}", all.join("; and "))
            }
            Verdict::Doubtful(_, why) => why.clone(),
            Verdict::Contradiction(found) => format!("{}; this is a mistake of bsym", found.sentence()),
        };
        self.verdict.reason_code().map(|code| code.sentence(&explanation))
    }

    /// Returns the certificate of a proof, also of one that is wrong.
    pub fn certificate(&self) -> Option<&CertificateObject> {
        match &self.verdict {
            Verdict::Contradiction(found) => found.certificate.as_ref(),
            verdict => verdict.evidence()?.certificate.as_ref(),
        }
    }

    /// Attaches the certificate of the proof, where there is one.
    pub fn set_certificate(&mut self, certificate: CertificateObject) {
        match &mut self.verdict {
            Verdict::Contradiction(found) => found.certificate = Some(certificate),
            verdict => {
                if let Some(proof) = verdict.evidence_mut() {
                    proof.certificate = Some(certificate);
                }
            }
        }
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match &self.verdict {
            Verdict::Holds(_) => Exit::Done,
            Verdict::Violated(..) => Exit::Violated,
            // Two parts of the program contradict each other.
            Verdict::Unknown(Reason::AuditFailed(_)) | Verdict::Contradiction(_) => Exit::Failed,
            _ => Exit::Unknown,
        }
    }
}
