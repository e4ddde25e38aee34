//! Certificates: a claim with its evidence as a file that anybody can check again.
//!
//! Everything is text: the machine by its path (seen from the certificate) and the SHA-256 of its
//! files, the scope, the constants that were fixed, the claimed conjuncts by position and hash, the
//! lemmas in B, and the pairs that rest on an imported status. Schema in
//! `schema/certificate.schema.json`. [`certify`](crate::certify) repeats the checks.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use bsym_language::model::{Conjunct, EventId, Model, RefinementId};
use bsym_language::print;
use bsym_language::source::{SourceId, Span};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_status::digest::{self, INITIALISATION};
use bsym_status::file::PoScope;
use bsym_status::path::relative;
use bsym_status::{Check, Formula, Level, Pair, ProofStatus, StepCheck};
use serde::{Deserialize, Serialize};

use crate::claim::{Checked, Claim, Evidence, Property};
use crate::limits;
use crate::scope::named;
use crate::witness::Witness;

/// Value of `format`.
pub const FORMAT: &str = "bsym-certificate";
/// Value of `version`.
pub const VERSION: u32 = 1;
/// The JSON Schema of the format.
pub const SCHEMA: &str = include_str!("../schema/certificate.schema.json");

/// Error of reading or writing a certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file has another format, or an unknown version.
    #[error("{}: expected a certificate (format `{FORMAT}`, version {VERSION}), found {found}", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The kind of file that it seems to be.
        found: String,
    },
    /// The certificate requires more work than any proof of this program.
    #[error("{}: {what} is {found}, and at most {most} are checked", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The part that is too large.
        what: String,
        /// The size of this part.
        found: u64,
        /// The largest size that is checked.
        most: u64,
    },
    /// The conjuncts are not in the order of the machine.
    #[error("{}: `conjuncts[{place}]` is not behind the one before it", path.display())]
    Order {
        /// The file.
        path: PathBuf,
        /// Position in the list.
        place: usize,
    },
    /// The file is not JSON, or a member is missing or wrong.
    #[error("{}:{line}:{column}: {message}, at `{json_path}`", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Place in the JSON value.
        json_path: String,
        /// Message that says what is wrong.
        message: String,
    },
}

/// A claim, its evidence, and what they are about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always [`VERSION`].
    pub version: u32,
    /// Version of the program that wrote it.
    pub bsym: String,
    /// The machine.
    pub machine: MachineFile,
    /// The scope of the claim.
    pub scope: PoScope,
    /// Constants that were fixed, with their values in B.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The engine that found the evidence.
    pub engine: String,
    /// The properties that are claimed.
    pub properties: Vec<ClaimedProperty>,
    /// The conjuncts that the proof assumes and therefore claims, by rising position.
    pub conjuncts: Vec<ClaimedPredicate>,
    /// `true` if every step is claimed to be well-defined.
    pub well_definedness: bool,
    /// Invariants that follow from the assignments alone and that the conjuncts do not say, in B. The encoding assumes
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<String>,
    /// Evidence for the claim.
    pub evidence: EvidenceText,
    /// A valuation of the constants and an initial state. If none is known, the proof may be vacuous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// Pairs that were not decided and rest on imported status.
    pub trusted: Vec<TrustedPair>,
    /// Checks of steps and states that were not decided and rest on imported status.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trusted_checks: Vec<TrustedCheck>,
    /// The check at the time of writing.
    pub checked: CheckedBy,
}

/// The file of a machine, and those that it reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineFile {
    /// Name in the header.
    pub name: String,
    /// Path from the certificate's folder.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Files of definitions: path and SHA-256.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, String>,
    /// Folders of the include path, seen from the certificate's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
}

/// A property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ClaimedProperty {
    /// An invariant conjunct.
    Invariant(ClaimedPredicate),
    /// An assertion.
    Assertion(ClaimedPredicate),
    /// Some event is enabled in every reachable state.
    DeadlockFree,
    /// The goal is never reached.
    NoGoal,
}

/// A conjunct of the machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedPredicate {
    /// Position from 0.
    pub index: usize,
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The predicate in B.
    pub text: String,
    /// Hash of the text.
    pub hash: String,
}

/// Evidence with lemmas in B.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum EvidenceText {
    /// The conjuncts together with the lemmas are inductive.
    Inductive {
        /// Auxiliary invariants.
        lemmas: Vec<String>,
    },
    /// k-induction.
    KInduction {
        /// Number of steps.
        k: usize,
        /// Auxiliary invariants.
        lemmas: Vec<String>,
    },
    /// No path has this many steps.
    Diameter {
        /// The number.
        depth: usize,
    },
    /// Every reachable state was visited.
    Search {
        /// Reachable states and valuations of the constants.
        states: u64,
        /// Transitions between them.
        transitions: u64,
        /// Digest of the set of states.
        digest: String,
        /// `true` if of states that differ in the roles of interchangeable elements only, the least one was visited.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        symmetric: bool,
    },
}

/// A pair that rests on imported status.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedPair {
    /// Event, or `INITIALISATION`.
    pub event: String,
    /// Position of the conjunct.
    pub conjunct: usize,
    /// Names of the provers.
    pub provers: Vec<String>,
    /// How far the provers can be relied on.
    pub level: TrustLevel,
}

/// A check that rests on imported status.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrustedCheck {
    /// The check.
    #[serde(flatten)]
    pub check: CheckText,
    /// Description in words.
    pub text: String,
    /// Names of the provers.
    pub provers: Vec<String>,
    /// How far the provers can be relied on.
    pub level: TrustLevel,
}

/// [`Check`] in a file. Positions are valid only for the machine that the certificate names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum CheckText {
    /// The abstraction can follow a step of the event.
    Refinement {
        /// Event, or `INITIALISATION`.
        event: String,
        /// Position among the refinement checks of the machine.
        index: u32,
    },
    /// A formula that a step of the event evaluates has a meaning.
    StepMeaning {
        /// Event, or `INITIALISATION`.
        event: String,
        /// Position of the file among those of the machine.
        file: u32,
        /// Byte offsets of the formula.
        range: [u32; 2],
    },
    /// A conjunct has a meaning.
    ConjunctMeaning {
        /// Position.
        index: usize,
    },
    /// An assertion has a meaning.
    AssertionMeaning {
        /// Position.
        index: usize,
    },
    /// An assertion follows from the invariant.
    Theorem {
        /// Position.
        index: usize,
    },
}

/// [`Level`] as a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum TrustLevel {
    Claim,
    Exporter,
    Tool,
    Checked,
}

/// Check of a certificate at the time of writing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedBy {
    /// Solver's name and version.
    pub solver: String,
    /// Number of checks.
    pub checks: usize,
}

/// Parts that a certificate is made from.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The machine, with the axioms that `settings` added.
    pub model: &'a Model,
    /// The scope of the run.
    pub scope: &'a Scope,
    /// Constants that were fixed, with their values in B.
    pub settings: &'a BTreeMap<String, String>,
    /// Name of the engine.
    pub engine: &'a str,
    /// The claim.
    pub claim: &'a Claim,
    /// The outcome of checking the claim.
    pub checked: &'a Checked,
    /// A trace of the machine, if one is known. Only its beginning matters.
    pub witness: Option<&'a Trace>,
    /// The status that the check could rely on.
    pub status: &'a ProofStatus,
}

impl Certificate {
    /// Makes the certificate of a claim, with paths seen from `folder`.
    pub fn new(facts: &Facts<'_>, folder: &Path) -> Certificate {
        let model = facts.model;
        let lemmas = |all: &[bsym_language::model::Pred]| all.iter().map(|p| print::pred(model, p)).collect();
        let mut files =
            model.text.sources.iter().map(|(_, s)| s).filter(|s| s.path.as_os_str() != "<formula>");
        let main = files.next();
        Certificate {
            format: FORMAT.into(),
            version: VERSION,
            bsym: env!("CARGO_PKG_VERSION").into(),
            machine: MachineFile {
                name: model.name.clone(),
                path: main.map(|s| relative(&s.path, folder)).unwrap_or_default(),
                sha256: main.map(digest::source).unwrap_or_default(),
                definitions: files.map(|s| (relative(&s.path, folder), digest::source(s))).collect(),
                include: model
                    .text
                    .sources
                    .include_path()
                    .iter()
                    .map(|path| relative(path, folder))
                    .collect(),
            },
            scope: named(model, facts.scope),
            settings: facts.settings.clone(),
            engine: facts.engine.into(),
            properties: facts
                .claim
                .properties
                .iter()
                .map(|&p| match p {
                    Property::Invariant(i) => {
                        ClaimedProperty::Invariant(ClaimedPredicate::new(model, i, &model.invariant[i]))
                    }
                    Property::Assertion(i) => {
                        ClaimedProperty::Assertion(ClaimedPredicate::new(model, i, &model.assertions[i]))
                    }
                    Property::DeadlockFree => ClaimedProperty::DeadlockFree,
                    Property::NoGoal => ClaimedProperty::NoGoal,
                })
                .collect(),
            conjuncts: facts
                .claim
                .conjuncts
                .iter()
                .map(|&i| ClaimedPredicate::new(model, i, &model.invariant[i]))
                .collect(),
            well_definedness: facts.claim.well_definedness,
            layouts: lemmas(&facts.claim.layouts),
            evidence: match &facts.claim.evidence {
                Evidence::Inductive { lemmas: l } => EvidenceText::Inductive { lemmas: lemmas(l) },
                Evidence::KInduction { k, lemmas: l } => {
                    EvidenceText::KInduction { k: *k, lemmas: lemmas(l) }
                }
                Evidence::Diameter { depth } => EvidenceText::Diameter { depth: *depth },
                Evidence::Search { states, transitions, digest, symmetric } => EvidenceText::Search {
                    states: *states,
                    transitions: *transitions,
                    digest: digest.clone(),
                    symmetric: *symmetric,
                },
            },
            witness: facts.witness.map(|trace| Witness::new(model, facts.scope, trace)),
            trusted: facts
                .checked
                .trusted
                .iter()
                .map(|&p| TrustedPair::new(model, p, facts.status))
                .collect(),
            trusted_checks: facts
                .checked
                .trusted_checks
                .iter()
                .map(|&c| TrustedCheck::new(model, c, facts.status))
                .collect(),
            checked: CheckedBy { solver: facts.checked.solver.clone(), checks: facts.checked.checks },
        }
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        // A value of these types always has a JSON text.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`CertificateError::Write`]
    pub fn write(&self, path: &Path) -> Result<(), CertificateError> {
        std::fs::write(path, self.to_text())
            .map_err(|source| CertificateError::Write { path: path.to_path_buf(), source })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read or is no certificate.
    pub fn read(path: &Path) -> Result<Certificate, CertificateError> {
        let failed = |source| CertificateError::Read { path: path.to_path_buf(), source };
        let file = std::fs::File::open(path).map_err(failed)?;
        let mut bytes = vec![];
        // Some files have no end.
        file.take(limits::BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        Certificate::parse(path, &bytes)
    }

    /// Validates the content of a file; the path is for messages.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Certificate, CertificateError> {
        let other = |found: String| CertificateError::OtherFormat { path: path.to_path_buf(), found };
        if bytes.len() as u64 > limits::BYTES {
            return Err(other(format!("a file of more than {} MiB", limits::BYTES >> 20)));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| other("a file that is not UTF-8 text".into()))?;
        if !text.trim_start().starts_with('{') {
            return Err(other("text that is no JSON object".into()));
        }
        let invalid = |json_path: String, e: &serde_json::Error| {
            let message = e.to_string();
            CertificateError::Invalid {
                path: path.to_path_buf(),
                line: e.line(),
                column: e.column(),
                json_path,
                message: message.rsplit_once(" at line ").map_or(message.as_str(), |(m, _)| m).to_string(),
            }
        };
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| invalid(".".into(), &e))?;
        if value["format"] != FORMAT {
            return Err(other(format!("format {}", value["format"])));
        }
        if value["version"] != VERSION {
            return Err(other(format!("version {}", value["version"])));
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let read: Certificate = serde_path_to_error::deserialize(&mut reader)
            .map_err(|e| invalid(e.path().to_string(), e.inner()))?;
        read.within_limits(path)?;
        if let Some(i) = read.conjuncts.windows(2).position(|pair| pair[0].index >= pair[1].index) {
            return Err(CertificateError::Order { path: path.to_path_buf(), place: i + 1 });
        }
        Ok(read)
    }

    fn within_limits(&self, path: &Path) -> Result<(), CertificateError> {
        let (steps, lemmas) = match &self.evidence {
            EvidenceText::Inductive { lemmas } => (0, lemmas.len()),
            EvidenceText::KInduction { k, lemmas } => (*k, lemmas.len()),
            EvidenceText::Diameter { depth } => (*depth, 0),
            EvidenceText::Search { .. } => (0, 0),
        };
        let digits = self.scope.maxint.len().max(self.scope.minint.len());
        let sizes = self.scope.sizes.iter().map(|(set, &n)| (format!("card({set})"), n, limits::ELEMENTS));
        let all = [
            ("the number of steps".to_string(), steps, limits::STEPS),
            ("the number of lemmas".to_string(), lemmas, limits::LEMMAS),
            ("the number of layouts".to_string(), self.layouts.len(), limits::LEMMAS),
            ("the number of digits of a bound".to_string(), digits, limits::DIGITS),
        ];
        for (what, found, most) in all.into_iter().chain(sizes) {
            if found > most {
                let (found, most) = (found as u64, most as u64);
                return Err(CertificateError::TooLarge { path: path.to_path_buf(), what, found, most });
            }
        }
        Ok(())
    }
}

impl ClaimedPredicate {
    fn new(model: &Model, index: usize, c: &Conjunct) -> Self {
        ClaimedPredicate {
            index,
            label: c.label.clone(),
            text: print::pred(model, &c.pred),
            hash: digest::predicate(model, &c.pred),
        }
    }
}

impl TrustedPair {
    fn new(model: &Model, pair: Pair, status: &ProofStatus) -> Self {
        let known = status.get(pair);
        TrustedPair {
            event: pair.0.map_or(INITIALISATION.into(), |e| model.events[e.index()].name.clone()),
            conjunct: pair.1,
            provers: known.map(|s| s.provers.clone()).unwrap_or_default(),
            level: known.map_or(TrustLevel::Claim, |s| s.level.into()),
        }
    }
}

impl TrustedCheck {
    fn new(model: &Model, check: Check, status: &ProofStatus) -> Self {
        let known = status.check(check);
        TrustedCheck {
            check: CheckText::of(model, check),
            text: check.describe(model),
            provers: known.map(|s| s.provers.clone()).unwrap_or_default(),
            level: known.map_or(TrustLevel::Claim, |s| s.level.into()),
        }
    }
}

impl CheckText {
    fn of(model: &Model, check: Check) -> CheckText {
        match check {
            Check::Step(event, step) => {
                let event = event.map_or(INITIALISATION.into(), |e| model.events[e.index()].name.clone());
                match step {
                    StepCheck::Refinement(id) => CheckText::Refinement { event, index: id.0 },
                    StepCheck::Meaning(span) => {
                        CheckText::StepMeaning { event, file: span.source.0, range: [span.start, span.end] }
                    }
                }
            }
            Check::Meaning(Formula::Invariant(index)) => CheckText::ConjunctMeaning { index },
            Check::Meaning(Formula::Assertion(index)) => CheckText::AssertionMeaning { index },
            Check::Theorem(index) => CheckText::Theorem { index },
        }
    }

    /// Returns the check in a machine, or why it has none.
    pub(crate) fn check(&self, model: &Model) -> Result<Check, String> {
        let event = |name: &str| match name {
            INITIALISATION => Ok(None),
            name => match model.events.iter().position(|e| e.name == name) {
                Some(e) => Ok(Some(EventId(e as u32))),
                None => Err(format!("it trusts a check of `{name}`, which is no operation")),
            },
        };
        let within = |index: usize, all: usize, what: &str| match index < all {
            true => Ok(index),
            false => Err(format!("it trusts a check of {what} {}, and there are {all}", index + 1)),
        };
        Ok(match self {
            CheckText::Refinement { event: name, index } => {
                within(*index as usize, model.refinement.checks.len(), "refinement")?;
                Check::Step(event(name)?, StepCheck::Refinement(RefinementId(*index)))
            }
            CheckText::StepMeaning { event: name, file, range: [start, end] } => {
                let text =
                    model.text.sources.iter().nth(*file as usize).map(|(_, source)| source.text.as_str());
                if text.and_then(|t| t.get(*start as usize..*end as usize)).is_none() {
                    return Err(format!(
                        "it trusts a check of bytes {start} to {end} of file {file}: there are none"
                    ));
                }
                let span = Span { source: SourceId(*file), start: *start, end: *end };
                Check::Step(event(name)?, StepCheck::Meaning(span))
            }
            CheckText::ConjunctMeaning { index } => {
                let i = within(*index, model.invariant.len(), "conjunct")?;
                Check::Meaning(Formula::Invariant(i))
            }
            CheckText::AssertionMeaning { index } => {
                let i = within(*index, model.assertions.len(), "assertion")?;
                Check::Meaning(Formula::Assertion(i))
            }
            CheckText::Theorem { index } => {
                Check::Theorem(within(*index, model.assertions.len(), "assertion")?)
            }
        })
    }
}

impl From<Level> for TrustLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Claim => TrustLevel::Claim,
            Level::Exporter => TrustLevel::Exporter,
            Level::Tool => TrustLevel::Tool,
            Level::Checked => TrustLevel::Checked,
        }
    }
}

impl From<TrustLevel> for Level {
    fn from(level: TrustLevel) -> Self {
        match level {
            TrustLevel::Claim => Level::Claim,
            TrustLevel::Exporter => Level::Exporter,
            TrustLevel::Tool => Level::Tool,
            TrustLevel::Checked => Level::Checked,
        }
    }
}
