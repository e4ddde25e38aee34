//! Proof status for a run: read from a file, or computed first.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::encode::encode;
use bsym_encodings::session::open::{self, SolverChoice};
use bsym_encodings::term::Terms;

use bsym_language::model::Model;
use bsym_proofs::obligations::prove_obligations;
use bsym_proofs::po::import::Entry;
use bsym_proofs::po::{ImportOptions, PoError, read_status};
use bsym_proofs::status::ProofStatus;
use bsym_semantics::scope::Scope;

use crate::arguments::VerifyArguments;
use crate::refusal::Refusal;
use crate::result::{ProofsObject, pair_object};

/// The status of a run, with what is to be said about it.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The pairs that count as proven.
    pub status: ProofStatus,
    /// Where it came from.
    pub source: Option<String>,
    pub stale: Vec<String>,
    pub unmatched: Vec<String>,
    pub ignored: Vec<String>,
    pub warnings: Vec<String>,
}

impl Imported {
    /// For the result.
    pub fn object(&self, model: &Model) -> ProofsObject {
        ProofsObject {
            source: self.source.clone(),
            used: self.status.iter().map(|(pair, status)| pair_object(model, pair, Some(status))).collect(),
            stale: self.stale.clone(),
            unmatched: self.unmatched.clone(),
            ignored: self.ignored.clone(),
            ..ProofsObject::default()
        }
    }
}

/// Whether the status is to be computed first.
pub fn is_computed(arguments: &VerifyArguments) -> bool {
    arguments.proofs.as_deref() == Some(Path::new("auto"))
}

/// Longest time for one obligation of a status that is computed before a run.
const OBLIGATION: Duration = Duration::from_secs(2);

/// Computes the status with the prover.
///
/// # Errors
/// The solver cannot be started.
pub fn compute(
    model: &Arc<Model>,
    scope: &Scope,
    choice: &SolverChoice,
    budget: &Budget,
) -> Result<Imported, Refusal> {
    let system = encode(Rc::new(Terms::new()), model.clone(), scope);
    let budget = budget.per_query(OBLIGATION);
    let obligations =
        prove_obligations(&system, &mut |terms| open::open(terms, choice), &budget, &mut |_| {})
            .map_err(|e| Refusal::new(format!("--proofs auto: {e}")))?;
    Ok(Imported {
        status: obligations.status(),
        source: Some(format!("our prover ({})", obligations.solver)),
        ..Imported::default()
    })
}

/// Reads the status file that the user names, if any.
///
/// # Errors
/// It cannot be read, is something else, or is about another machine.
pub fn import(arguments: &VerifyArguments, model: &Model, scope: &Scope) -> Result<Imported, Refusal> {
    let path = match &arguments.proofs {
        Some(path) if !is_computed(arguments) => path,
        _ => return Ok(Imported::default()),
    };
    let options = ImportOptions { trust_reviewed: arguments.trust_reviewed, scope: Some(scope.clone()) };
    let import = read_status(path, model, &options).map_err(|e| refuse(path, &e))?;
    let lines = |entries: &[Entry]| -> Vec<String> {
        entries.iter().map(|e| format!("{}: {}", e.id, e.reason)).collect()
    };
    let mut warnings = vec![];
    if import.reviewed > 0 {
        warnings.push(format!(
            "{} obligations that were only reviewed count as proven (--trust-reviewed)",
            import.reviewed
        ));
    }
    if import.used.is_empty() {
        warnings.push(format!("no entry of {} is used", path.display()));
    }
    let mut ignored = lines(&import.ignored);
    ignored.extend(import.ambiguous.iter().map(|e| format!("{}: ambiguous: {}", e.id, e.reason)));
    Ok(Imported {
        stale: lines(&import.stale),
        unmatched: lines(&import.unmatched),
        ignored,
        source: Some(path.display().to_string()),
        status: import.status,
        warnings,
    })
}

fn refuse(path: &Path, error: &PoError) -> Refusal {
    let refusal = Refusal::new(format!("--proofs: {error}"));
    match error {
        PoError::Read { .. } if !path.exists() => refusal.help("check the path, or leave --proofs out"),
        PoError::Read { .. } if path.is_dir() => {
            refusal.help("name a po.json; folders are not supported yet")
        }
        PoError::Read { .. } => {
            refusal.help("a po.json is read; files of Rodin, ProB and Atelier B are not supported yet")
        }
        PoError::Invalid { .. } | PoError::Inconsistent { .. } => {
            refusal.help("`bsym po MACHINE -o FILE` writes a valid one")
        }
        _ => refusal,
    }
}
