//! Errors of status files, with the place and the remedy.

use std::path::PathBuf;

use super::file::{FORMAT, VERSION};

/// Error that explains why a status file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PoError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file has another format.
    #[error("{}: expected a po.json (format `{FORMAT}`), found {found}; {help}", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The format that the file seems to have.
        found: String,
        /// The remedy.
        help: String,
    },
    /// The file has an unknown version.
    #[error("{}: version {found} of `{FORMAT}` is not known, only version {VERSION}; write the file again with `bsym po`", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// The file is not JSON, or a member is missing or wrong.
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
        /// Description of the error.
        message: String,
    },
    /// Members contradict each other.
    #[error("{}: {message}, at `{json_path}`", path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// Place in the JSON value.
        json_path: String,
        /// Description of the error.
        message: String,
    },
    /// A file of another tool has an error at a place.
    #[error("{}:{line}:{column}: {message}; {help}", path.display())]
    Tool {
        /// The file, or the archive with the file in it.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Description of the error.
        message: String,
        /// The remedy.
        help: String,
    },
    /// A file lacks data that it needs.
    #[error("{}: {message}; {help}", path.display())]
    NoStatus {
        /// The file or folder.
        path: PathBuf,
        /// The missing data.
        message: String,
        /// The remedy.
        help: String,
    },
    /// A folder or an archive cannot be read.
    #[error(transparent)]
    Archive(#[from] bsym_language::files::ReadError),
    /// The file is about another machine.
    #[error("{}: this is about {found}, not about {machine}; {help}", path.display())]
    OtherMachine {
        /// The file.
        path: PathBuf,
        /// The loaded machine.
        machine: String,
        /// The machine that the file is about.
        found: String,
        /// The remedy.
        help: String,
    },
}

fn at(json_path: &str) -> String {
    if json_path.is_empty() || json_path == "." { String::new() } else { format!(", at `{json_path}`") }
}
