#![doc = include_str!("../README.md")]

use std::io::Write;
use std::path::{Path, PathBuf};

/// Something that tests use and the repository does not contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Models of others, and their Rodin projects.
    Corpus,
    /// Any SMT solver.
    Solver,
    /// ProB and TLC.
    Peers,
}

impl Part {
    const ALL: [Part; 3] = [Part::Corpus, Part::Solver, Part::Peers];

    /// Its name in `BSYM_REQUIRE`.
    pub fn name(self) -> &'static str {
        match self {
            Part::Corpus => "corpus",
            Part::Solver => "solver",
            Part::Peers => "peers",
        }
    }

    /// Whether `BSYM_REQUIRE` names it.
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
        Part::ALL
            .into_iter()
            .find(|p| p.name() == name)
            .unwrap_or_else(|| panic!("BSYM_REQUIRE names `{name}`; there are only corpus, solver and peers"))
    };
    names.map(part).collect()
}

/// What was found of a part; where nothing was, says that the test is skipped.
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

/// Says that a test, or a part of one, is skipped for want of something that nobody can require.
pub fn skipped(what: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_string();
    // Not by `eprintln`: what that prints is swallowed for tests that pass.
    let _ = std::io::stderr().write_all(format!("SKIPPED {test}: there is no {what}\n").as_bytes());
}

/// The folder of other people's models.
///
/// # Panics
/// As [`present`].
pub fn corpus() -> Option<PathBuf> {
    let folder = corpus_folder();
    let found = folder.join("manifest.json").is_file().then(|| folder.clone());
    present(Part::Corpus, found, &format!("corpus in {}", folder.display()))
}

/// The folder of whole Rodin projects with their proofs, which lies beside the corpus.
///
/// # Panics
/// As [`present`].
pub fn rodin_projects() -> Option<PathBuf> {
    let folder = place("BSYM_RODIN_PROJECTS", corpus_folder().join("../rodin-projects"));
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
    let program = corpus_folder().join("../peers/peer");
    let found = program.is_file().then(|| program.clone());
    present(Part::Peers, found, &format!("program {}", program.display()))
}

fn corpus_folder() -> PathBuf {
    // This crate lies one folder below the repository's root.
    place("BSYM_CORPUS", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"))
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
