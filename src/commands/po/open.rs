//! `bsym po --open`: the obligations that a recorded proof status leaves open.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_language::model::{Model, Notation};
use bsym_proofs::obligations::{Choice, Proof};
use bsym_proofs::scope::named;
use bsym_semantics::scope::Scope;
use bsym_status::file::{Obligation, SourceKind, Status};
use bsym_status::import::{Entry, import};
use bsym_status::sources::convert;
use bsym_status::{ImportOptions, PoFile};

use crate::answer::obligations::Obligations;
use crate::answer::of_status::OfStatus;
use crate::arguments::PoArguments;
use crate::commands::status::refuse;
use crate::output;
use crate::refusal::Refusal;

/// The names that a status leaves open.
#[derive(Clone, Debug)]
pub(super) struct Open {
    by: String,
    names: BTreeSet<String>,
}

impl Open {
    /// Reads the status that the user names, or the one that the input contains. Obligations proved for another text
    /// are open.
    ///
    /// # Errors
    /// There is no status, it cannot be read, or it is about another machine.
    pub fn read(arguments: &PoArguments, model: &Model, scope: &Scope) -> anyhow::Result<Open> {
        let path = match &arguments.proofs {
            Some(path) => path,
            None if model.notation == Notation::EventB => &arguments.file,
            None => {
                let refusal = Refusal::new("--open: no proof status is named".to_string());
                return Err(refusal.help("name one with --proofs FILE").into());
            }
        };
        let converted = convert(path, Path::new("")).map_err(|e| refuse(path, &e))?;
        for warning in &converted.warnings {
            output::note(&format!("warning: {warning}"));
        }
        let file = converted.file;
        let options =
            ImportOptions { trust_reviewed: arguments.trust_reviewed, scope: Some(named(model, scope)) };
        let import = import(path, &file, model, &options).map_err(|e| refuse(path, &e))?;
        let outdated = [&import.stale, &import.unmatched, &import.ambiguous];
        let outdated: BTreeSet<&str> =
            outdated.into_iter().flatten().map(|e: &Entry| e.id.as_str()).collect();
        let counts = |o: &Obligation| {
            let whole = o.parts.as_ref().is_none_or(|p| p.proved >= p.total);
            let proved = o.status.is_discharged() || o.status == Status::Reviewed && arguments.trust_reviewed;
            proved && whole && !o.stale && !outdated.contains(o.id.as_str())
        };
        let own = file.obligations.iter().filter(|o| o.component == model.name && !counts(o));
        let names = own.map(|o| trimmed(o.source.name.as_deref().unwrap_or(&o.id))).collect();
        Ok(Open { by: author(path, &file), names })
    }

    /// Returns the choice for an obligation: it is asked if the status leaves it open.
    pub fn choose(&self, proof: &Proof) -> Choice {
        if self.has(&proof.name) { Choice::Ask } else { Choice::Leave }
    }

    /// Returns whether the status leaves an obligation of this name open.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(&trimmed(name))
    }

    /// Returns the result for the obligations that the status leaves open.
    pub fn outcome(&self, answer: &Obligations) -> OfStatus {
        let of = |o: &Obligation| trimmed(o.source.name.as_deref().unwrap_or(&o.id));
        let all = &answer.file.obligations;
        let known: BTreeSet<String> = all.iter().map(of).collect();
        let discharged: BTreeSet<String> = all.iter().filter(|o| o.status.is_discharged()).map(of).collect();
        let reached = answer.explanations.iter().flatten().filter(|e| e.is_reached());
        let refuted: BTreeSet<String> = reached.map(|e| trimmed(&e.name)).collect();
        OfStatus {
            left_open_by: self.by.clone(),
            total: self.names.len(),
            discharged: discharged.difference(&refuted).count(),
            refuted: refuted.len(),
            open: self.names.iter().filter(|n| !discharged.contains(*n) && !refuted.contains(*n)).count(),
            unknown: self.names.difference(&known).cloned().collect(),
        }
    }
}

/// A name without the white space that labels may have at their ends.
fn trimmed(name: &str) -> String {
    name.split('/').map(str::trim).collect::<Vec<_>>().join("/")
}

/// Author of a status.
fn author(path: &Path, file: &PoFile) -> String {
    let is_rodins = file.sources.iter().any(|s| s.kind == SourceKind::Bps);
    match (is_rodins, path.file_name()) {
        (true, _) => "Rodin".into(),
        (false, Some(name)) => name.to_string_lossy().into_owned(),
        (false, None) => path.display().to_string(),
    }
}
