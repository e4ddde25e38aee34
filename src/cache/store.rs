//! The files of the cache.
//!
//! A folder for each key has the answers for different contents of the files that they depend on. Files are written
//! under another name and then renamed, so that other processes see whole files only. The first line of each is the hash of the rest: a file that was
//! damaged is no answer.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use bsym_language::observed::Question;
use etcetera::BaseStrategy;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::arguments::memory;
use crate::tuning::tuning;

/// Names the folder of the cache, or turns it off.
const FOLDER: &str = "BSYM_CACHE";
/// Limits the size of the cache.
const SIZE: &str = "BSYM_CACHE_SIZE";
/// The folder with the answers; the number changes with their form.
const ANSWERS: &str = "answers-1";

/// An answer with what it depends on.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Entry<T> {
    /// Questions to the file system with their answers.
    pub depends: Vec<(Question, String)>,
    /// The answer.
    pub given: T,
}

/// The cache.
pub struct Store {
    folder: PathBuf,
    limit: u64,
}

impl Store {
    /// Returns the cache of the user; `None` if it is turned off or has no place.
    pub fn open() -> Option<Store> {
        let folder = match std::env::var_os(FOLDER).filter(|value| !value.is_empty()) {
            Some(off) if off == "off" || off == "0" => return None,
            Some(folder) => PathBuf::from(folder),
            None => etcetera::choose_base_strategy().ok()?.cache_dir().join("bsym"),
        };
        let folder = std::path::absolute(folder).ok()?;
        let limit =
            std::env::var(SIZE).ok().and_then(|text| memory(&text).ok()).unwrap_or(tuning().cache.limit);
        Some(Store { folder, limit })
    }

    /// The folder of the cache.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The most bytes that are kept.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the answer of a key for the files as they are now.
    pub fn find<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let files = files_in(&self.of(key));
        let (file, given) = files.into_iter().find_map(|file| {
            let entry: Entry<T> = read(&file)?;
            let is_same = entry.depends.iter().all(|(question, answer)| question.answer() == *answer);
            (is_same && !entry.depends.is_empty()).then_some((file, entry.given))
        })?;
        // The answers that are used least go first. Where that cannot be written down, they go by age.
        let opened = std::fs::File::options().append(true).open(file);
        let _ = opened.and_then(|file| file.set_modified(SystemTime::now()));
        Some(given)
    }

    /// Keeps an answer.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn keep<T: Serialize>(&self, key: &str, entry: &Entry<T>) -> io::Result<()> {
        let body = serde_json::to_vec(entry)?;
        if body.len() as u64 > self.limit / tuning().cache.largest {
            return Ok(());
        }
        let depends = hash(&serde_json::to_vec(&entry.depends)?);
        let folder = self.of(key);
        self.make(&folder)?;
        let file = folder.join(format!("{depends}.json"));
        replace(&file, &[hash(&body).as_bytes(), b"\n", body.as_slice()].concat())?;
        self.bound(&folder);
        Ok(())
    }

    /// Returns the number of answers and their bytes.
    pub fn size(&self) -> (usize, u64) {
        let all = self.all();
        (all.len(), all.iter().map(|(_, _, size)| size).sum())
    }

    /// Removes all answers.
    ///
    /// # Errors
    /// The folder cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(self.folder.join(ANSWERS)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn of(&self, key: &str) -> PathBuf {
        self.folder.join(ANSWERS).join(key)
    }

    fn make(&self, folder: &Path) -> io::Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        // Programs that make backups leave out a folder with this file.
        let tag = self.folder.join("CACHEDIR.TAG");
        if !tag.exists() {
            replace(&tag, b"Signature: 8a477f597d28d172789f06886806bc55\n# The cache of bsym.\n")?;
        }
        Ok(())
    }

    /// Removes the oldest answers of a key that has many, and of all if they are too large.
    fn bound(&self, folder: &Path) {
        for file in files_in(folder).into_iter().skip(tuning().cache.variants) {
            // Another process may have removed it.
            let _ = std::fs::remove_file(file);
        }
        if self.estimate() <= self.limit {
            return;
        }
        let mut all = self.all();
        let mut size: u64 = all.iter().map(|(_, _, size)| size).sum();
        if size <= self.limit {
            return;
        }
        all.sort();
        for (_, file, bytes) in all {
            // A little more, so that the next answers find room.
            if size <= self.limit / 10 * 9 {
                break;
            }
            let _ = std::fs::remove_file(&file);
            size -= bytes;
            if let Some(folder) = file.parent() {
                // One with other answers stays.
                let _ = std::fs::remove_dir(folder);
            }
        }
    }

    /// About the bytes of all answers, from some of the folders where there are many: they are named after hashes, and
    /// to look at thousands of files takes longer than many an answer.
    fn estimate(&self) -> u64 {
        let folders = self.folders();
        let every = folders.len().div_ceil(tuning().cache.sample.max(1)).max(1);
        let looked: u64 = answers_in(folders.iter().step_by(every)).map(|(_, _, size)| size).sum();
        looked * every as u64
    }

    /// Time, path and size of every answer, and of what a process left that did not end well.
    fn all(&self) -> Vec<(SystemTime, PathBuf, u64)> {
        answers_in(self.folders().iter()).collect()
    }

    /// The folder of each key.
    fn folders(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.join(ANSWERS)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// Time, path and size of every file in some folders.
fn answers_in<'f>(
    folders: impl Iterator<Item = &'f PathBuf>,
) -> impl Iterator<Item = (SystemTime, PathBuf, u64)> {
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    files.filter_map(|file| {
        let about = file.metadata().ok()?;
        Some((about.modified().ok()?, file.path(), about.len()))
    })
}

/// The files in a folder, the newest first.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let json = entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "json"));
    let mut files: Vec<(SystemTime, PathBuf)> =
        json.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    files.sort();
    files.into_iter().rev().map(|(_, path)| path).collect()
}

fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    let bytes = std::fs::read(file).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (sum, body) = (&bytes[..end], &bytes[end + 1..]);
    if sum != hash(body).as_bytes() {
        return None;
    }
    serde_json::from_slice(body).ok()
}

/// Writes a file in one step for all who read it.
///
/// # Errors
/// The folder cannot be written.
pub fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let new = file.with_extension(format!("{}-{number}.new", std::process::id()));
    std::fs::write(&new, bytes)?;
    std::fs::rename(&new, file).inspect_err(|_| {
        let _ = std::fs::remove_file(&new);
    })
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
