//! The answer of `proofs`: the proof status that another tool recorded, counted and explained.

mod counts;
mod kinds;
mod pairs;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use bsym_language::model::Model;
use bsym_status::Import;
use bsym_status::file::{Obligation, PoFile, PoScope, SourceFile, Status};
use bsym_status::import::Entry;
use schemars::JsonSchema;
use serde::Serialize;

use self::counts::{Counts, list};
use self::kinds::{CheckKindObject, KindObject};
use self::pairs::{Pairs, pairs, write_pairs};
use crate::answer::trace::counted;
use crate::paint::Paint;
use crate::tuning::tuning;

/// What bsym proofs prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Recorded {
    #[schemars(extend("const" = "bsym-proofs"))]
    format: &'static str,
    #[schemars(extend("const" = 1))]
    version: u32,
    pub file: String,
    pub project: Option<String>,
    pub machine: Option<String>,
    pub language: Option<String>,
    /// The scope of the proofs, where they were made for one.
    pub scope: Option<RecordedScope>,
    /// The files that the status was made from.
    pub sources: Vec<SourceObject>,
    pub obligations: Counts,
    pub components: Vec<ComponentObject>,
    pub provers: BTreeMap<String, usize>,
    /// How many of bsym's own proofs another form confirms, or small sizes of the deferred sets.
    pub confirmed: usize,
    /// Those of bsym's own proofs that there are in one form alone.
    pub unconfirmed: Vec<String>,
    pub kinds: Vec<KindObject>,
    pub pairs: Option<Pairs>,
    /// What is checked of steps and states besides the pairs.
    pub checks: Option<Vec<CheckKindObject>>,
    pub broken: Vec<String>,
    pub reviewed: Vec<String>,
    pub stale: Vec<String>,
    pub unmatched: Vec<String>,
    pub warnings: Vec<String>,
    pub output_file: Option<String>,
}

/// Sizes and bounds that proofs were made for.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct RecordedScope {
    pub sizes: BTreeMap<String, usize>,
    pub maxint: String,
    pub minint: String,
}

/// A file that a status was made from.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct SourceObject {
    pub path: String,
    pub kind: String,
    pub role: Option<String>,
    pub component: Option<String>,
    /// The program that wrote it.
    pub exporter: Option<String>,
    pub trust: Option<String>,
}

impl SourceObject {
    fn new(source: &SourceFile) -> SourceObject {
        SourceObject {
            path: source.path.clone(),
            kind: word(&source.kind).unwrap_or_default(),
            role: source.role.as_ref().and_then(word),
            component: source.component.clone(),
            exporter: source.exporter.clone(),
            trust: source.trust.as_ref().and_then(word),
        }
    }
}

/// A word as it stands in the file.
fn word(value: &impl Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(String::from)
}

/// The obligations of one component.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ComponentObject {
    pub name: String,
    #[serde(flatten)]
    pub counts: Counts,
}

impl Recorded {
    /// What a file says, and what it means for a machine where there is one.
    pub fn new(
        path: &Path,
        file: &PoFile,
        known: Option<(&Model, &Import)>,
        warnings: Vec<String>,
    ) -> Recorded {
        let mut names: Vec<&str> = vec![];
        for o in &file.obligations {
            if !names.contains(&o.component.as_str()) {
                names.push(&o.component);
            }
        }
        let components = names.into_iter().map(|name| ComponentObject {
            name: name.into(),
            counts: Counts::of(file.obligations.iter().filter(|o| o.component == name)),
        });
        let mut provers = BTreeMap::new();
        for prover in file.obligations.iter().flat_map(|o| &o.prover) {
            *provers.entry(prover.clone()).or_default() += 1;
        }
        let of = |status| {
            file.obligations
                .iter()
                .filter(move |o| o.status == status)
                .map(|o| o.id.clone())
                .collect::<Vec<_>>()
        };
        let lines = |all: &[Entry]| -> Vec<String> {
            all.iter().map(|e| format!("{}: {}", e.id, e.reason)).collect()
        };
        let said = |why: fn(&Obligation) -> Option<&String>| {
            let found = file.obligations.iter().filter_map(move |o| Some(format!("{}: {}", o.id, why(o)?)));
            found.collect::<Vec<_>>()
        };
        let (stale, unmatched) = match known {
            Some((_, import)) => (lines(&import.stale), lines(&import.unmatched)),
            None => (said(|o| o.stale_reason.as_ref()), said(|o| o.unmatched.as_ref())),
        };
        let about = file.model.clone().unwrap_or_default();
        let unconfirmed = file.obligations.iter().filter(|o| o.confirmed == Some(false));
        Recorded {
            format: "bsym-proofs",
            version: 1,
            file: path.display().to_string(),
            project: about.project,
            machine: known.map(|(m, _)| m.name.clone()).or(about.main),
            language: about.language.as_ref().and_then(word),
            scope: about.scope.map(|PoScope { sizes, maxint, minint }| RecordedScope {
                sizes,
                maxint,
                minint,
            }),
            sources: file.sources.iter().map(SourceObject::new).collect(),
            obligations: Counts::of(file.obligations.iter()),
            components: components.collect(),
            provers,
            confirmed: file.obligations.iter().filter(|o| o.confirmed == Some(true)).count(),
            unconfirmed: unconfirmed.map(|o| o.id.clone()).collect(),
            kinds: kinds::by_kind(file, known.map(|(_, import)| import)),
            pairs: known.map(|(model, import)| pairs(model, import)),
            checks: known.map(|(model, import)| kinds::checks(model, import)),
            broken: of(Status::Broken),
            reviewed: of(Status::Reviewed),
            stale,
            unmatched,
            warnings,
            output_file: None,
        }
    }

    /// For people.
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        // A string takes everything.
        let _ = write_text(&mut out, self, paint);
        out
    }
}

fn write_text(out: &mut String, s: &Recorded, paint: Paint) -> std::fmt::Result {
    let n = &s.obligations;
    let project = s.project.as_ref().map(|p| format!(" of {p}")).unwrap_or_default();
    writeln!(out, "{}{project}: {}", counted(n.total, "obligation"), n.in_words())?;
    if s.components.len() > 1 {
        let width = s.components.iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
        for c in &s.components {
            writeln!(out, "  {:width$}  {:4}  {}", c.name, c.counts.total, c.counts.in_words())?;
        }
    }
    if !s.provers.is_empty() {
        writeln!(out, "proved by: {}", list(&s.provers))?;
    }
    if !s.unconfirmed.is_empty() {
        writeln!(out, "  {} of bsym's own in one form alone", s.unconfirmed.len())?;
    }
    kinds::write_kinds(out, &s.kinds, paint)?;
    if let Some(p) = &s.pairs {
        writeln!(out)?;
        write_pairs(out, p, paint)?;
    }
    kinds::write_checks(out, s.checks.as_deref().unwrap_or_default(), paint)?;
    for (word, entries) in
        [("broken", &s.broken), ("reviewed", &s.reviewed), ("stale", &s.stale), ("unmatched", &s.unmatched)]
    {
        write_list(out, word, entries, paint)?;
    }
    if !s.warnings.is_empty() {
        writeln!(out)?;
        for warning in &s.warnings {
            writeln!(out, "{}: {warning}", paint.doubt("warning"))?;
        }
    }
    if let Some(path) = &s.output_file {
        writeln!(out, "\nstatus written to {path}")?;
    }
    Ok(())
}

fn write_list(out: &mut String, word: &str, entries: &[String], paint: Paint) -> std::fmt::Result {
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}:", paint.doubt(&format!("{} {word}", entries.len())))?;
    for entry in entries.iter().take(tuning().listed.recorded) {
        writeln!(out, "  {entry}")?;
    }
    if entries.len() > tuning().listed.recorded {
        writeln!(out, "  and {} more (--json lists all)", entries.len() - tuning().listed.recorded)?;
    }
    Ok(())
}
