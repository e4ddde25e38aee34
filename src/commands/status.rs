//! Proof status for a run: read from a file, or computed first.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use bsym_encodings::budget::Budget;
use bsym_encodings::session::open::{self, SolverChoice};

use bsym_language::files::Disk;
use bsym_language::load::is_eventb_text;
use bsym_language::model::{Model, Notation};
use bsym_proofs::obligations::prove_obligations;
use bsym_proofs::scope::named;
use bsym_semantics::scope::Scope;
use bsym_status::ProofStatus;
use bsym_status::import::Entry;
use bsym_status::{Import, ImportOptions, PoError, read_status};

use crate::answer::status::{CheckObject, ChecksObject, PairObject, ProofsObject};
use crate::answer::trace::counted;
use crate::arguments::VerifyArguments;
use crate::refusal::Refusal;
use crate::tuning::tuning;

/// The status of a run, with messages about it.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The pairs that count as proven.
    pub status: ProofStatus,
    /// Name of its source.
    pub source: Option<String>,
    pub stale: Vec<String>,
    pub unmatched: Vec<String>,
    pub ignored: Vec<String>,
    pub warnings: Vec<String>,
    /// Number of entries behind `status`.
    entries_used: usize,
}

impl Imported {
    /// Converts it for the result.
    pub fn object(&self, model: &Model) -> ProofsObject {
        ProofsObject {
            source: self.source.clone(),
            used: self
                .status
                .iter()
                .map(|(pair, status)| PairObject::new(model, pair, Some(status)))
                .collect(),
            stale: self.stale.clone(),
            unmatched: self.unmatched.clone(),
            ignored: self.ignored.clone(),
            checks: ChecksObject {
                used: self
                    .status
                    .checks()
                    .map(|(c, status)| CheckObject::new(model, c, Some(status)))
                    .collect(),
                ..ChecksObject::default()
            },
            ..ProofsObject::default()
        }
    }
}

/// Returns whether the status is to be computed first.
pub fn is_computed(arguments: &VerifyArguments) -> bool {
    arguments.proofs.as_deref() == Some(Path::new("auto"))
}

/// Computes the status with the prover.
///
/// # Errors
/// The solver cannot be started.
pub fn compute(
    model: &Arc<Model>,
    scope: &Scope,
    choice: &SolverChoice,
    budget: &Budget,
) -> anyhow::Result<Imported> {
    let budget = budget.per_query(tuning().beside.obligation);
    let obligations =
        prove_obligations(model.clone(), scope, &mut |terms| open::open(terms, choice), &budget, &mut |_| {})
            .context("--proofs auto")?;
    Ok(Imported {
        status: obligations.status(),
        source: Some(format!("our prover ({})", obligations.solver)),
        ..Imported::default()
    })
}

/// Source of a status.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The input: a Rodin project and a ProB package have their own status.
    pub file: &'a Path,
    /// The file that the user names.
    pub named: Option<&'a Path>,
    /// `true` if no status is read, even if one is named.
    pub none: bool,
    /// Obligations that were only reviewed count.
    pub trust_reviewed: bool,
}

impl<'a> From<&'a VerifyArguments> for Source<'a> {
    fn from(arguments: &'a VerifyArguments) -> Source<'a> {
        Source {
            file: &arguments.file,
            named: arguments.proofs.as_deref(),
            none: arguments.no_proofs || is_computed(arguments),
            trust_reviewed: arguments.trust_reviewed,
        }
    }
}

/// Reads the status that the user names, or the one that the input contains.
///
/// # Errors
/// A named status cannot be read, is something else, or is about another machine. An error in a status that the user
/// did not ask for is a warning.
pub fn import(source: Source<'_>, model: &Model, scope: &Scope) -> anyhow::Result<Imported> {
    let options = ImportOptions { trust_reviewed: source.trust_reviewed, scope: Some(named(model, scope)) };
    match source.named {
        _ if source.none => Ok(Imported::default()),
        Some(path) => {
            let import = read_status(path, model, &options).map_err(|e| refuse(path, &e))?;
            let mut imported = imported(path, import);
            if imported.entries_used == 0 {
                imported.warnings.push(format!("no entry of {} is used", path.display()));
            }
            Ok(imported)
        }
        None if !brings_status(source.file, model) => Ok(Imported::default()),
        None => Ok(match read_status(source.file, model, &options) {
            Ok(import) => imported(source.file, import),
            Err(error) => Imported {
                warnings: vec![format!("the proof status of the input is not used: {error}")],
                ..Imported::default()
            },
        }),
    }
}

/// Returns whether an input has a proof status of its own: a project of Rodin or a package of ProB.
pub fn brings_status(file: &Path, model: &Model) -> bool {
    model.text.notation == Notation::EventB && !is_eventb_text(&Disk, file)
}

fn imported(path: &Path, import: Import) -> Imported {
    let lines = |entries: &[Entry]| -> Vec<String> {
        entries.iter().map(|e| format!("{}: {}", e.id, e.reason)).collect()
    };
    let mut warnings = import.warnings.clone();
    if import.reviewed > 0 {
        warnings.push(format!(
            "{} only reviewed, which count as proven (--trust-reviewed)",
            counted(import.reviewed, "obligation")
        ));
    }
    let mut ignored = lines(&import.ignored);
    ignored.extend(import.ambiguous.iter().map(|e| format!("{}: ambiguous: {}", e.id, e.reason)));
    Imported {
        stale: lines(&import.stale),
        unmatched: lines(&import.unmatched),
        ignored,
        source: Some(path.display().to_string()),
        entries_used: import.used.len(),
        status: import.status,
        warnings,
    }
}

/// Converts an error in a status that the user names to a refusal.
pub fn refuse(path: &Path, error: &PoError) -> Refusal {
    let refusal = Refusal::new(format!("--proofs: {error}"));
    match error {
        PoError::Read { .. } if !path.exists() => refusal.help("check the path, or leave --proofs out"),
        PoError::Archive(_) => refusal.help("check the path, or leave --proofs out"),
        PoError::OtherFormat { .. } => {
            refusal.help("a po.json, a Rodin project, a ProB package and the files of Atelier B are read")
        }
        PoError::Invalid { .. } | PoError::Inconsistent { .. } => {
            refusal.help("`bsym po MACHINE -o FILE` and `bsym proofs` write a valid one")
        }
        _ => refusal,
    }
}
