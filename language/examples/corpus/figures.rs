//! What the front end makes of other people's models: counts, each with the files behind it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bsym_language::diagnostic::codes;
use bsym_language::diagnostic::{Diagnostic, Kind, Severity};
use bsym_language::load::{Loaded, load_model, load_text};
use bsym_language::source::Sources;
use bsym_language::walk::normalised;
use bsym_language::{files, parser, print};
use serde_json::Value;

/// The models, and what is known of them.
pub struct Corpus {
    root: PathBuf,
    entries: Vec<Value>,
    /// Path and answer of ProB's parser (`ok`, `err`) for each classical file.
    parsed: Vec<(String, bool)>,
}

/// How many of how many, and what stands in the way of the others.
#[derive(Default)]
pub struct Share {
    pub good: usize,
    pub total: usize,
    pub others: Vec<String>,
}

impl Share {
    fn count(&mut self, failure: Option<String>) {
        self.total += 1;
        self.good += usize::from(failure.is_none());
        self.others.extend(failure);
    }

    /// Together with another one.
    #[allow(dead_code, reason = "the program prints each share by itself")]
    pub fn add(&mut self, other: Share) {
        self.total += other.total;
        self.good += other.good;
        self.others.extend(other.others);
    }

    pub fn percent(&self) -> f64 {
        100.0 * self.good as f64 / self.total.max(1) as f64
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} of {} ({:.2} %)", self.good, self.total, self.percent())
    }
}

impl Corpus {
    /// The folder in `BSYM_CORPUS`, else the one beside the repository; says so where there is none.
    pub fn open() -> Option<Corpus> {
        let root = bsym_testing::corpus()?;
        let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("a part of the corpus");
        let (manifest, table) = (read("manifest.json"), read("prob_parser.tsv"));
        let manifest: Value = serde_json::from_str(&manifest).expect("manifest.json is JSON");
        let entries = manifest["entries"].as_array().cloned().unwrap_or_default();
        let rows = table.lines().filter(|l| !l.starts_with('#')).filter_map(|row| {
            let mut columns = row.split('\t');
            Some((columns.next()?.to_owned(), columns.next()? == "ok"))
        });
        let parsed = rows.collect();
        Some(Corpus { root, entries, parsed })
    }

    /// Files that ProB's parser reads, and whether ours does.
    pub fn read(&self) -> Share {
        let mut share = Share::default();
        for (path, _) in self.parsed.iter().filter(|(_, ok)| *ok) {
            share.count(self.first_parse_error(path));
        }
        share
    }

    /// Files that ProB's parser refuses, and whether ours does. Where they differ ours has its reasons:
    /// it knows `floor` as a name, and leaves to the checker what is no matter of syntax.
    pub fn refused(&self) -> Share {
        let mut share = Share::default();
        for (path, _) in self.parsed.iter().filter(|(_, ok)| !*ok) {
            let accepted = self.first_parse_error(path).is_none();
            share.count(accepted.then(|| path.clone()));
        }
        share
    }

    fn first_parse_error(&self, path: &str) -> Option<String> {
        let mut sources = Sources::default();
        let (id, _) = match files::load(&mut sources, &self.root.join(path)) {
            Ok(read) => read,
            Err(e) => return Some(e.to_string()),
        };
        let tree = parser::parse(&sources, id).1;
        let first = tree.iter().find(|d| d.severity == Severity::Error)?;
        Some(format!("{path}:{}", place(&sources, first)))
    }

    /// Files that must be refused, by kind of mistake: those that are, with a message of this kind.
    pub fn mistakes(&self) -> BTreeMap<String, Share> {
        let mut kinds: BTreeMap<String, Share> = BTreeMap::new();
        for e in &self.entries {
            let path = text(&e["path"]);
            let wanted = text(&e["facts"]["reject"]);
            if path.starts_with("errors/") && !wanted.is_empty() {
                let failure = self.missed(path, wanted, text(&e["note"]));
                kinds.entry(wanted.to_owned()).or_default().count(failure);
            }
        }
        kinds
    }

    fn missed(&self, path: &str, wanted: &str, note: &str) -> Option<String> {
        let loaded = match load_model(&self.root.join(path)) {
            Ok(loaded) => loaded,
            Err(e) => return Some(format!("{path}: {e}")),
        };
        // The name of the main file is worth a warning only, as in ProB.
        let by_name = |d: &&Diagnostic| d.code == codes::NAME_DIFFERS;
        if note.contains("name differs from file name") && loaded.diagnostics.iter().any(|d| by_name(&d)) {
            return None;
        }
        let errors: Vec<&Diagnostic> =
            loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        for d in &errors {
            let source = &loaded.sources.get(d.span.source).text;
            assert!(source.get(d.span.start as usize..d.span.end as usize).is_some(), "{path}: {d:?}");
        }
        match errors.first() {
            None => Some(format!("{path}: accepted; {note}")),
            Some(_) if errors.iter().any(|d| fits(d, wanted)) => None,
            Some(d) => Some(format!("{path}:{}, not {wanted}; {note}", place(&loaded.sources, d))),
        }
    }

    /// Machines that are meant to be opened and whose states are known, and whether they load.
    pub fn loads(&self) -> Share {
        let mut share = Share::default();
        for e in &self.entries {
            let known = e["facts"]["states"].is_number();
            if known && e["main"] == true && e["formalism"] == "b" && e["kind"] != "rules-machine" {
                share.count(self.load(text(&e["path"])).err());
            }
        }
        share
    }

    /// Whatever loads, printed and read again.
    pub fn printed(&self) -> Share {
        let mut share = Share::default();
        for (path, _) in self.files() {
            let Ok(Loaded { model: Some(model), .. }) = self.load(path) else { continue };
            let again = load_text("printed.mch", print::machine(&model));
            share.count(match &again.model {
                Some(read) if normalised(read) == normalised(&model) => None,
                Some(_) => Some(format!("{path}: reads differently")),
                None => {
                    let error = again.diagnostics.iter().find(|d| d.severity == Severity::Error);
                    let error = error.expect("without a model there is an error");
                    let line = again.sources.position(error.span).line;
                    let line = again.sources.get(error.span.source).line(line);
                    Some(format!("{path}: {} in `{line}`", error.message))
                }
            });
        }
        share
    }

    /// All classical files.
    pub fn files(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.parsed.iter().map(|(path, _)| (path.as_str(), self.root.join(path)))
    }

    fn load(&self, path: &str) -> Result<Loaded, String> {
        let loaded = load_model(&self.root.join(path)).map_err(|e| e.to_string())?;
        let error = loaded.diagnostics.iter().find(|d| d.severity == Severity::Error);
        match error {
            Some(d) => Err(format!("{path}:{}", place(&loaded.sources, d))),
            None => Ok(loaded),
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn fits(d: &Diagnostic, wanted: &str) -> bool {
    match d.code.kind {
        Kind::Parse => wanted == "parse",
        Kind::Scope => wanted == "scope",
        Kind::Type => wanted == "type",
        Kind::Structure => wanted == "structure",
    }
}

fn place(sources: &Sources, d: &Diagnostic) -> String {
    let position = sources.position(d.span);
    format!("{}:{}: B{:04} {}", position.line, position.column, d.code.number, d.message)
}
