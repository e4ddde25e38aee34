//! Errors of reading a file, a folder or an archive.

use std::path::PathBuf;

/// Error that explains why a file, a folder, an archive or a file in it cannot be read.
#[derive(thiserror::Error, Debug)]
pub enum ReadError {
    /// There is no such file or folder.
    #[error("{}: no such file", .0.display())]
    Missing(PathBuf),
    /// The path names a directory.
    #[error("{}: is a directory, expected a file", .0.display())]
    Directory(PathBuf),
    /// The file has no text in it; of an archive, the archive with the file in it.
    #[error("{}: is a binary file, expected text", .0.display())]
    Binary(PathBuf),
    /// Offsets into the file would not fit.
    #[error("{}: has {} bytes, more than 4 GiB cannot be read", .0.display(), .1)]
    TooLarge(PathBuf, u64),
    /// The system refuses.
    #[error("{}: cannot be read: {}", .0.display(), .1)]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// The file is not a zip archive.
    #[error("{}: is no zip archive ({reason})", path.display())]
    NotAnArchive {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The archive begins as one and is cut off or damaged.
    #[error("{}: the archive is cut off or damaged ({reason}); copy or export it again", path.display())]
    Damaged {
        /// The archive.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file in it is cut off or damaged.
    #[error("{}: `{name}` in the archive is damaged ({reason}); copy or export it again", path.display())]
    DamagedFile {
        /// The archive.
        path: PathBuf,
        /// The file in it.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A name that leads out of the project.
    #[error("{}: `{name}` {reason}, so it is not read", path.display())]
    Escape {
        /// The archive or folder.
        path: PathBuf,
        /// The entry.
        name: String,
        /// How the name leads out.
        reason: String,
    },
    /// Two entries with one name.
    #[error("{}: there are two files `{name}` in the archive; pack it again", path.display())]
    Twice {
        /// The archive.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// More than [`super::archive::Limits`] allow.
    #[error("{}: {what}; {help}", path.display())]
    TooMuch {
        /// The archive or folder.
        path: PathBuf,
        /// The exceeded limit.
        what: String,
        /// The remedy.
        help: String,
    },
    /// A file in an archive that is encrypted or packed by an unusual method.
    #[error("{}: `{name}` in the archive {reason}; unpack it, and name the folder", path.display())]
    Unsupported {
        /// The archive.
        path: PathBuf,
        /// The file in it.
        name: String,
        /// The unsupported feature.
        reason: String,
    },
    /// No file of this name.
    #[error("{}: there is no file `{name}` in it", path.display())]
    NoEntry {
        /// The archive or folder.
        path: PathBuf,
        /// The name.
        name: String,
    },
}
