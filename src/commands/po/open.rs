//! The obligations that a recorded proof status leaves open, which are those that `bsym po` tries.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_language::model::{EventId, Model};
use bsym_proofs::obligations::{Choice, Proof, Subject};
use bsym_proofs::scope::named;
use bsym_semantics::scope::Scope;
use bsym_status::file::{Kind, Obligation, SourceKind, Status};
use bsym_status::import::{Entry, OpenKind, import};
use bsym_status::proven::{Check, Formula};
use bsym_status::sources::{Converted, convert_for};
use bsym_status::{Import, ImportOptions, PoFile};

use crate::answer::obligations::Obligations;
use crate::answer::of_status::OfStatus;
use crate::arguments::PoArguments;
use crate::commands::status::{brings_status, refuse};
use crate::output;
use crate::refusal::Refusal;

use super::keys::{self, Key, Keys, Recorded, name_of};

/// A proof status: what it leaves open, and what is taken from it.
#[derive(Clone, Debug)]
pub(super) struct Open {
    by: String,
    /// The obligations of the machine that it leaves open, with their names in the status.
    open: Vec<(String, Keys)>,
    /// Those that it has as proved, for the text as it is now.
    proved: Keys,
    /// The same for obligations of abstract machines, which have other names here.
    pairs: BTreeSet<(Option<EventId>, usize)>,
    checks: BTreeSet<Check>,
    /// Numbers of obligations that are not taken because they were proved for another text, or only reviewed.
    stale: usize,
    reviewed: usize,
    /// An obligation that is tried whatever the status.
    asked: Keys,
}

impl Open {
    /// Reads the status that the user names, or the one that the input contains. `None` if every obligation is to be
    /// tried.
    ///
    /// # Errors
    /// A status that is asked for is not there, cannot be read, or is about another machine.
    pub fn read(arguments: &PoArguments, model: &Model, scope: &Scope) -> anyhow::Result<Option<Open>> {
        let is_asked_for = arguments.open || arguments.proofs.is_some() || arguments.trust_reviewed;
        let tries_all = arguments.no_proofs || arguments.output_file.is_some();
        let path = match &arguments.proofs {
            _ if tries_all && !is_asked_for => return Ok(None),
            Some(path) => path,
            None if brings_status(&arguments.file, model) => &arguments.file,
            None if !is_asked_for => return Ok(None),
            None => {
                let flag = if arguments.open { "--open" } else { "--trust-reviewed" };
                let refusal = Refusal::new(format!("{flag}: no proof status is named"));
                return Err(refusal.help("name one with --proofs FILE").into());
            }
        };
        let options =
            ImportOptions { trust_reviewed: arguments.trust_reviewed, scope: Some(named(model, scope)) };
        let read = convert_for(path, Path::new(""), model).and_then(|converted| {
            let import = import(path, &converted.file, model, &options)?;
            Ok((converted, import))
        });
        match read {
            Ok((converted, import)) => {
                let open = Open::of(path, &converted, &import, arguments, model);
                let is_empty = open.proved.is_empty() && open.open.is_empty();
                if is_asked_for || !is_empty {
                    converted
                        .warnings
                        .iter()
                        .for_each(|warning| output::note(&format!("warning: {warning}")));
                }
                Ok(Some(open).filter(|_| is_asked_for || !is_empty))
            }
            Err(error) if is_asked_for => Err(refuse(path, &error).into()),
            Err(error) => {
                output::note(&format!("warning: the proof status of the input is not used: {error}"));
                Ok(None)
            }
        }
    }

    fn of(
        path: &Path,
        converted: &Converted,
        import: &Import,
        arguments: &PoArguments,
        model: &Model,
    ) -> Open {
        let file = &converted.file;
        let outdated = [&import.stale, &import.unmatched, &import.ambiguous];
        let outdated: BTreeSet<&str> =
            outdated.into_iter().flatten().map(|e: &Entry| e.id.as_str()).collect();
        let is_stale = |o: &Obligation| o.stale || outdated.contains(o.id.as_str());
        let counts = |o: &Obligation| {
            let whole = o.parts.as_ref().is_none_or(|p| p.proved >= p.total);
            let proved = o.status.is_discharged() || o.status == Status::Reviewed && arguments.trust_reviewed;
            proved && whole && !is_stale(o)
        };
        let own: Vec<&Obligation> = file.obligations.iter().filter(|o| o.component == model.name).collect();
        let (proved, open): (Vec<&Obligation>, Vec<&Obligation>) = own.iter().partition(|o| counts(o));
        let recorded = Recorded::new(file, model);
        // A theorem that is open, and a refinement, are obligations of their own, which are tried.
        let rests_on_others = |kind: OpenKind| matches!(kind, OpenKind::Hypothesis | OpenKind::Refinement);
        let pairs = import.status.iter().map(|(pair, _)| pair);
        let more = import.open.iter().filter(|open| rests_on_others(open.kind)).map(|open| open.pair);
        let checks = import.status.checks().map(|(check, _)| check);
        let others = import.open_checks.iter().filter(|open| rests_on_others(open.kind));
        let explained = arguments.explain.as_ref().and_then(Option::as_ref);
        Open {
            by: author(path, file),
            stale: open.iter().filter(|o| o.status.is_discharged() && is_stale(o)).count(),
            reviewed: open.iter().filter(|o| o.status == Status::Reviewed).count(),
            open: open.iter().map(|o| (name_of(o), recorded.of(o))).collect(),
            proved: proved.iter().map(|o| Key::Name(name_of(o))).collect(),
            pairs: pairs.chain(more).collect(),
            checks: checks.chain(others.map(|open| open.check)).collect(),
            asked: explained.map(|name| keys::of_name(name, model)).unwrap_or_default(),
        }
    }

    /// Returns the choice for an obligation: it is asked unless the status has a proof of it.
    pub fn choose(&self, proof: &Proof) -> Choice {
        if self.has_proof_of(proof) { Choice::Known } else { Choice::Ask }
    }

    /// Returns whether an obligation is taken from the status.
    pub fn has_proof_of(&self, proof: &Proof) -> bool {
        let keys = keys::of_proof(proof);
        let needs_none = proof.status == Status::Trivial;
        let is_open = self.open.iter().any(|(_, open)| !open.is_disjoint(&keys));
        if needs_none || is_open || !self.asked.is_disjoint(&keys) {
            return false;
        }
        let has = |check| self.checks.contains(&check);
        !self.proved.is_disjoint(&keys)
            || match (&proof.subject, proof.kind) {
                (Subject::Invariant(i), Kind::Wd) => has(Check::Meaning(Formula::Invariant(*i))),
                (Subject::Invariant(i), _) => self.pairs.contains(&(proof.event, *i)),
                (Subject::Assertion(i), Kind::Wd) => has(Check::Meaning(Formula::Assertion(*i))),
                (Subject::Assertion(i), _) => has(Check::Theorem(*i)),
                _ => false,
            }
    }

    /// Returns the result for the obligations that the status leaves open, where `tried` are the obligations of the machine
    /// and `taken` others were taken from the status.
    pub fn outcome(&self, answer: &Obligations, tried: &[Proof], taken: usize) -> OfStatus {
        let reached = answer.explanations.iter().flatten().filter(|e| e.is_reached());
        let refuted: BTreeSet<&str> = reached.map(|e| e.name.as_str()).collect();
        let is_refuted = |p: &Proof| refuted.contains(p.name.as_str());
        let all: Vec<(&Proof, Keys)> = tried.iter().map(|p| (p, keys::of_proof(p))).collect();
        let mut of_status = OfStatus {
            left_open_by: self.by.clone(),
            total: self.open.len(),
            discharged: 0,
            refuted: 0,
            open: 0,
            unlisted: 0,
            unlisted_open: 0,
            unknown: vec![],
            taken,
            trivial: tried.iter().filter(|p| p.status == Status::Trivial).count(),
            stale: self.stale,
            reviewed: self.reviewed,
        };
        for (name, keys) in &self.open {
            let same: Vec<&Proof> =
                all.iter().filter(|(_, own)| !own.is_disjoint(keys)).map(|(p, _)| *p).collect();
            if same.iter().any(|p| is_refuted(p)) {
                of_status.refuted += 1;
            } else if !same.is_empty() && same.iter().all(|p| p.status.is_discharged()) {
                of_status.discharged += 1;
            } else {
                of_status.open += 1;
            }
            if same.is_empty() {
                of_status.unknown.push(name.clone());
            }
        }
        let is_listed = |keys: &Keys| self.open.iter().any(|(_, open)| !open.is_disjoint(keys));
        let unlisted = all.iter().filter(|(p, keys)| p.status != Status::Trivial && !is_listed(keys));
        of_status.unlisted = unlisted.clone().count();
        of_status.unlisted_open = unlisted.filter(|(p, _)| !p.status.is_discharged()).count();
        of_status
    }
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
