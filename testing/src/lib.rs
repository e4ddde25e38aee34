#![doc = include_str!("../README.md")]

pub mod process;

use std::io::Write;
use std::path::{Path, PathBuf};

/// Resources that tests use and the repository does not contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// External models, and their Rodin projects.
    Corpus,
    /// Any SMT solver.
    Solver,
    /// ProB and TLC.
    Peers,
    /// Chromium with what drives it, for pages.
    Browser,
}

impl Part {
    const ALL: [Part; 4] = [Part::Corpus, Part::Solver, Part::Peers, Part::Browser];

    /// Returns its name in `BSYM_REQUIRE`.
    pub fn name(self) -> &'static str {
        match self {
            Part::Corpus => "corpus",
            Part::Solver => "solver",
            Part::Peers => "peers",
            Part::Browser => "browser",
        }
    }

    /// Returns whether `BSYM_REQUIRE` names this part.
    ///
    /// # Panics
    /// On a name that is no part: a misspelt requirement would require nothing.
    pub fn is_required(self) -> bool {
        required(&std::env::var("BSYM_REQUIRE").unwrap_or_default()).contains(&self)
    }
}

fn required(list: &str) -> Vec<Part> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let part = |name: &str| {
        Part::ALL.into_iter().find(|p| p.name() == name).unwrap_or_else(|| {
            panic!("BSYM_REQUIRE names `{name}`; there are only corpus, solver, peers and browser")
        })
    };
    names.map(part).collect()
}

/// Returns the part if it was found; otherwise reports that the test is skipped.
///
/// # Panics
/// If nothing was found although `BSYM_REQUIRE` names the part.
pub fn present<T>(part: Part, found: Option<T>, what: &str) -> Option<T> {
    if found.is_none() {
        assert!(!part.is_required(), "BSYM_REQUIRE names {}, and there is no {what}", part.name());
        skipped(&format!("{what} (BSYM_REQUIRE={} would fail)", part.name()));
    }
    found
}

/// Reports that a test, or a part of one, is skipped for lack of something that cannot be required.
pub fn skipped(what: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_string();
    // Not by `eprintln`: its output is swallowed for tests that pass.
    let _ = std::io::stderr().write_all(format!("SKIPPED {test}: there is no {what}\n").as_bytes());
}

/// Returns the folder of external models.
///
/// # Panics
/// As [`present`].
pub fn corpus() -> Option<PathBuf> {
    let folder = corpus_folder();
    let found = folder.join("manifest.json").is_file().then(|| folder.clone());
    present(Part::Corpus, found, &format!("corpus in {}", folder.display()))
}

/// Returns the folder of whole Rodin projects with their proofs, which lies next to the corpus.
///
/// # Panics
/// As [`present`].
pub fn rodin_projects() -> Option<PathBuf> {
    let folder = place("BSYM_RODIN_PROJECTS", beside_corpus("rodin-projects"));
    let found = folder.is_dir().then(|| folder.clone());
    present(Part::Corpus, found, &format!("folder {}", folder.display()))
}

/// The folder in which ProB (`prob/probcli`) and TLC are installed.
///
/// # Panics
/// As [`present`].
pub fn peers() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map_or_else(PathBuf::new, PathBuf::from);
    let folder = place("BSYM_PEERS", home.join(".cache/bsym-peers"));
    let found = folder.is_dir().then(|| folder.clone());
    present(Part::Peers, found, &format!("folder {}", folder.display()))
}

/// The program `peer` that runs ProB or TLC on a model, if they are installed as well.
///
/// # Panics
/// As [`present`].
pub fn peer_program() -> Option<PathBuf> {
    peers()?;
    let program = beside_corpus("peers/peer");
    let found = program.is_file().then(|| program.clone());
    present(Part::Peers, found, &format!("program {}", program.display()))
}

/// Reviewed failures, in place of a percentage that may fail: one on each line, with the name of what fails, a tab, and
/// the reason. Lines that begin with `#` are comments.
#[derive(Clone, Debug)]
pub struct Known<'k>(Vec<(&'k str, &'k str)>);

impl<'k> Known<'k> {
    /// Reads such a list.
    ///
    /// # Panics
    /// On a line without a reason, and on a name that is there twice.
    pub fn read(list: &'k str) -> Known<'k> {
        let mut known: Vec<(&str, &str)> = vec![];
        for line in list.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
            let entry = line.split_once('\t').filter(|(_, why)| !why.trim().is_empty());
            let (name, why) = entry.unwrap_or_else(|| panic!("a name, a tab and a reason: `{line}`"));
            assert!(known.iter().all(|(n, _)| *n != name), "{name} is there twice");
            known.push((name, why));
        }
        Known(known)
    }

    /// Returns the mismatches between the list and these failures, each the name of what fails with more after a colon
    /// or a blank: failures that are not in the list, and entries of the list that do not fail.
    pub fn surprises(&self, failed: &[String]) -> Vec<String> {
        let names = |name: &str, failure: &String| {
            failure.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' ']))
        };
        let new = failed.iter().filter(|f| !self.0.iter().any(|(name, _)| names(name, f))).cloned();
        let gone = self.0.iter().filter(|(name, _)| !failed.iter().any(|f| names(name, f)));
        new.chain(gone.map(|(name, why)| format!("{name} does not fail; the list says: {why}"))).collect()
    }
}

fn corpus_folder() -> PathBuf {
    // This crate lies one folder below the repository's root.
    place("BSYM_CORPUS", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"))
}

fn beside_corpus(name: &str) -> PathBuf {
    let corpus = corpus_folder();
    corpus.parent().map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
}

fn place(variable: &str, default: PathBuf) -> PathBuf {
    std::env::var_os(variable).map_or(default, PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_a_list_of_parts() {
        assert_eq!(required(""), []);
        assert_eq!(required("solver, corpus,"), [Part::Solver, Part::Corpus]);
        assert!(std::panic::catch_unwind(|| required("corpora")).is_err());
    }

    #[test]
    fn a_list_of_known_failures_fails_in_both_directions() {
        let known = Known::read("# looked at\na.mch\tits type is open\nb.mch\tuses a theory\n");
        let failed = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(known.surprises(&failed(&["a.mch:3: no type", "b.mch"])), failed(&[]));
        assert_eq!(known.surprises(&failed(&["a.mch", "b.mch 2", "b.mch2: new"])), ["b.mch2: new"]);
        assert_eq!(
            known.surprises(&failed(&["b.mch"])),
            ["a.mch does not fail; the list says: its type is open"]
        );
        assert!(std::panic::catch_unwind(|| Known::read("a.mch\t ")).is_err());
    }

    #[test]
    fn the_corpus_is_looked_for_beside_the_repository() {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent);
        if std::env::var_os("BSYM_CORPUS").is_none() {
            let folder = corpus_folder();
            let cleaned = folder.components().filter(|c| c.as_os_str() == "..").count();
            assert_eq!(cleaned, 2);
            assert!(beside.is_some_and(|b| folder.starts_with(b)), "{}", folder.display());
            assert!(folder.ends_with("shared/corpus"));
        }
    }
}
