//! Why a status file cannot be used, with the place and what to do.

use std::path::PathBuf;

use super::file::{FORMAT, VERSION};

/// Why a status file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PoError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("{}: expected a po.json (format `{FORMAT}`), found {found}; {help}", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// What it seems to be.
        found: String,
        /// What to do.
        help: String,
    },
    /// A version that is not known here.
    #[error("{}: version {found} of `{FORMAT}` is not known, only version {VERSION}; write the file again with `bsym po`", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// It is not JSON, or a member is missing or wrong.
    #[error("{}:{line}:{column}: {message}{}", path.display(), at(json_path))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Place in the JSON value.
        json_path: String,
        /// What is wrong.
        message: String,
    },
    /// Members do not fit together.
    #[error("{}: {message}, at `{json_path}`", path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// Place in the JSON value.
        json_path: String,
        /// What is wrong.
        message: String,
    },
    /// A file of another tool is wrong at a place.
    #[error("{}:{line}:{column}: {message}; {help}", path.display())]
    Tool {
        /// The file, or the archive with the file in it.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
    /// A file that lacks something it needs.
    #[error("{}: {message}; {help}", path.display())]
    NoStatus {
        /// The file or folder.
        path: PathBuf,
        /// What is missing.
        message: String,
        /// What to do.
        help: String,
    },
    /// A folder or an archive cannot be read.
    #[error(transparent)]
    Archive(#[from] bsym_language::files::ReadError),
    /// It speaks of another machine.
    #[error("{}: this is about {found}, not about {machine}; {help}", path.display())]
    OtherMachine {
        /// The file.
        path: PathBuf,
        /// The machine at hand.
        machine: String,
        /// What the file speaks of.
        found: String,
        /// What to do.
        help: String,
    },
}

fn at(json_path: &str) -> String {
    if json_path.is_empty() || json_path == "." { String::new() } else { format!(", at `{json_path}`") }
}
