//! The programs that an answer comes from: bsym itself, and the solvers and provers that it can reach.
//!
//! A program is known by the hash of its file. That takes long for a large file, so hashes are kept with size and time
//! of the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use bsym_encodings::session::open::linked_version;
use bsym_encodings::session::process::find_solver;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::store::Store;

/// Programs that solve or prove.
const NAMES: [&str; 4] = ["z3", "cvc5", "vampire", "eprover"];
/// The file of the hashes.
const FILE: &str = "programs.json";

/// A file that has not changed since its hash was made.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
struct Known {
    size: u64,
    /// Time of the last change, in nanoseconds.
    changed: u128,
    hash: String,
}

/// Returns versions and hashes of all programs.
pub fn all() -> &'static [String] {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let file = Store::open().map(|store| store.folder().join(FILE));
        let text = file.as_ref().and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
        let before: BTreeMap<PathBuf, Known> = serde_json::from_slice(&text).unwrap_or_default();
        let mut known = before.clone();
        let mut all = vec![env!("CARGO_PKG_VERSION").to_string()];
        all.extend(std::env::current_exe().map(|path| hash(&path, &mut known)));
        all.extend(linked_version());
        let found = NAMES.iter().filter_map(|name| find_solver(name));
        all.extend(found.map(|path| format!("{} {}", path.display(), hash(&path, &mut known))));
        if let Some(file) = file.filter(|_| known != before)
            && let Ok(text) = serde_json::to_vec(&known)
        {
            // Without it the hashes are made again.
            let _ = super::store::replace(&file, &text);
        }
        all
    })
}

fn stamp(path: &Path) -> Option<(u64, u128)> {
    let about = std::fs::metadata(path).ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((about.len(), changed.as_nanos()))
}

fn hash(path: &Path, known: &mut BTreeMap<PathBuf, Known>) -> String {
    let Some((size, changed)) = stamp(path) else { return String::new() };
    // A program for tests is large, changes often, and takes long to make hashes.
    if cfg!(debug_assertions) {
        return format!("{size} {changed}");
    }
    if let Some(known) = known.get(path).filter(|known| known.size == size && known.changed == changed) {
        return known.hash.clone();
    }
    let Ok(bytes) = std::fs::read(path) else { return String::new() };
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    known.insert(path.to_owned(), Known { size, changed, hash: hash.clone() });
    hash
}
