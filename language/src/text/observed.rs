//! Questions that reading asks the file system, with their answers: the part of the world that a result depends on.
//!
//! After [`start`], everything that reads models and their proof status records its questions, also about files that
//! are not there. A program that keeps results compares the answers later ([`Question::answer`]), and one that waits
//! for changes knows what to watch.

use std::collections::BTreeMap;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A question to the file system. Paths are absolute.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// The bytes of a file.
    Content(PathBuf),
    /// The kind of a path: a file, a folder, or nothing.
    Kind(PathBuf),
    /// The names in a folder, with the kind of each.
    Names(PathBuf),
}

/// Answer of questions that were answered in different ways during one run. It is equal to no other answer.
const CHANGED: &str = "changed";
/// Answer for what is not there or cannot be read.
const NOTHING: &str = "nothing";
/// Beginning of the names of files that bsym makes and removes at once to see whether it can write.
const PROBE: &str = ".bsym-";

static IS_ON: AtomicBool = AtomicBool::new(false);
static ASKED: Mutex<BTreeMap<Question, String>> = Mutex::new(BTreeMap::new());

impl Question {
    /// The path that it is about.
    pub fn path(&self) -> &Path {
        match self {
            Question::Content(path) | Question::Kind(path) | Question::Names(path) => path,
        }
    }

    /// Returns the answer of the file system as it is now: a word or a hash.
    pub fn answer(&self) -> String {
        match self {
            Question::Content(path) => content_of(std::fs::read(path).as_deref().ok()),
            Question::Kind(path) => match std::fs::metadata(path) {
                Ok(about) => kind(about.file_type()).into(),
                Err(_) => NOTHING.into(),
            },
            Question::Names(path) => names(path).unwrap_or_else(|_| NOTHING.into()),
        }
    }
}

/// Begins to record questions. Those recorded before are forgotten.
pub fn start() {
    asked().clear();
    IS_ON.store(true, Ordering::SeqCst);
}

/// Returns all questions since [`start`] with their answers, in order of kind and path.
pub fn all() -> Vec<(Question, String)> {
    asked().iter().map(|(question, answer)| (question.clone(), answer.clone())).collect()
}

/// Records that a file was read, with its bytes, or without success.
pub fn read(path: &Path, bytes: Option<&[u8]>) {
    if IS_ON.load(Ordering::SeqCst) {
        record(Question::Content(absolute(path)), content_of(bytes));
    }
}

/// Records that the kind of a path was asked for.
pub fn looked_at(path: &Path) {
    if IS_ON.load(Ordering::SeqCst) {
        ask(Question::Kind(absolute(path)));
    }
}

/// Records that the names in a folder were asked for.
pub fn listed(folder: &Path) {
    if IS_ON.load(Ordering::SeqCst) {
        ask(Question::Names(absolute(folder)));
    }
}

fn ask(question: Question) {
    // A folder is listed again and again; one that changes meanwhile is noticed when the answers are compared.
    if !asked().contains_key(&question) {
        let answer = question.answer();
        record(question, answer);
    }
}

fn record(question: Question, answer: String) {
    let mut asked = asked();
    let known = asked.entry(question).or_insert_with(|| answer.clone());
    if *known != answer {
        *known = CHANGED.into();
    }
}

fn asked() -> std::sync::MutexGuard<'static, BTreeMap<Question, String>> {
    ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn content_of(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(|| NOTHING.into(), hash)
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn kind(kind: FileType) -> &'static str {
    match kind {
        kind if kind.is_dir() => "folder",
        kind if kind.is_symlink() => "link",
        kind if kind.is_file() => "file",
        _ => "other",
    }
}

fn names(folder: &Path) -> io::Result<String> {
    let mut lines = vec![];
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(PROBE.as_bytes()) {
            lines.push([kind(entry.file_type()?).as_bytes(), b" ", name.as_encoded_bytes(), b"\0"].concat());
        }
    }
    lines.sort();
    Ok(hash(&lines.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_has_another_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let questions = [
            Question::Content(path.clone()),
            Question::Kind(path.clone()),
            Question::Names(folder.path().to_owned()),
        ];
        let answers = || questions.each_ref().map(Question::answer);
        let [missing, nothing, empty] = answers();
        assert_eq!((missing.as_str(), nothing.as_str()), (NOTHING, NOTHING));
        std::fs::write(&path, "x").unwrap();
        let [content, file, one] = answers();
        assert_eq!(file, "file");
        assert_ne!(one, empty);
        std::fs::write(&path, "y").unwrap();
        let [other, _, same] = answers();
        assert_ne!(content, other);
        assert_eq!(same, one);
        std::fs::write(folder.path().join(".bsym-7"), "").unwrap();
        assert_eq!(questions[2].answer(), one);
        std::fs::write(folder.path().join("b"), "").unwrap();
        assert_ne!(questions[2].answer(), one);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(questions[1].answer(), "folder");
    }

    #[test]
    fn a_file_that_changes_between_two_readings_has_no_answer() {
        start();
        let path = Path::new("no/such/file/of/this/test");
        read(path, Some(b"x"));
        read(path, Some(b"x"));
        let answer = || all().into_iter().find(|(q, _)| q.path().ends_with(path)).map(|(_, answer)| answer);
        assert_eq!(answer(), Some(hash(b"x")));
        read(path, Some(b"y"));
        read(path, Some(b"x"));
        assert_eq!(answer().as_deref(), Some(CHANGED));
    }
}
