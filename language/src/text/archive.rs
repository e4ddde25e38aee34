//! The files of a project by relative path, from a folder or a `.zip`.
//!
//! Names have `/` between their parts, independent of the system and the archive. Names that leave the project (`..`,
//! absolute, symbolic links), and archives whose content is out of all proportion and could fill the memory, are
//! refused with an error that names the entry. Files that macOS adds to an archive (`__MACOSX`, `.DS_Store`) and hidden
//! folders are left out.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::ZipArchive;
use zip::result::ZipError;

use super::decode::{self, Decoded};
use super::error::ReadError;
use super::observed;

use crate::tuning::tuning;

/// Limits on reading. The sizes are those of the files, not those in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Files and folders.
    pub entries: usize,
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files of an archive.
    pub total: u64,
    /// Bytes of a file for each byte of it in the archive, from 1 MiB on.
    pub ratio: u64,
    /// Folders inside each other.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let crate::tuning::Archive { entries, file, total, ratio, depth, .. } = tuning().archive;
        Limits { entries, file, total, ratio, depth }
    }
}

/// The files of a folder or of an archive.
#[derive(Clone, Debug)]
pub struct Archive {
    path: PathBuf,
    limits: Limits,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// Names of the files below the path.
    Folder(BTreeMap<String, PathBuf>),
    /// Contents by name.
    Memory(BTreeMap<String, Vec<u8>>),
    Zip {
        zip: ZipArchive<Cursor<Arc<[u8]>>>,
        /// Position of a name in the archive.
        files: BTreeMap<String, usize>,
    },
}

impl Archive {
    /// Opens a folder with everything below it, or a zip archive.
    ///
    /// # Errors
    /// The folder or archive is missing, damaged or too large, or a name in it leads out of it.
    pub fn open(path: &Path) -> Result<Archive, ReadError> {
        Archive::open_within(path, Limits::default())
    }

    /// [`open`](Self::open) with other limits.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_within(path: &Path, limits: Limits) -> Result<Archive, ReadError> {
        let content = if metadata(path)?.is_dir() {
            Content::Folder(list(path, &limits, limits.depth)?)
        } else {
            open_zip(path, read_zip(path, &limits)?, &limits)?
        };
        Ok(Archive { path: path.to_owned(), limits, content })
    }

    /// Returns the files in the folder of a file, without those of its sub-folders.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn beside(file: &Path) -> Result<Archive, ReadError> {
        let limits = Limits::default();
        let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        metadata(folder)?;
        Ok(Archive { path: folder.to_owned(), limits, content: Content::Folder(list(folder, &limits, 0)?) })
    }

    /// Opens a zip archive in memory, named `path`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn unzip(path: &Path, bytes: Vec<u8>) -> Result<Archive, ReadError> {
        let limits = Limits::default();
        Ok(Archive { path: path.to_owned(), content: open_zip(path, bytes, &limits)?, limits })
    }

    /// Files in memory by their names below `path`.
    pub fn of(path: &Path, files: BTreeMap<String, Vec<u8>>) -> Archive {
        Archive { path: path.to_owned(), limits: Limits::default(), content: Content::Memory(files) }
    }

    /// Returns the path of the folder or archive.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it is an archive.
    pub fn is_zip(&self) -> bool {
        matches!(self.content, Content::Zip { .. })
    }

    /// Returns the names of all files, sorted.
    pub fn names(&self) -> Vec<&str> {
        match &self.content {
            Content::Folder(files) => files.keys().map(String::as_str).collect(),
            Content::Memory(files) => files.keys().map(String::as_str).collect(),
            Content::Zip { files, .. } => files.keys().map(String::as_str).collect(),
        }
    }

    /// Returns the names of the files with an extension, sorted. Capitals make no difference.
    pub fn with_extension(&self, extension: &str) -> Vec<&str> {
        let mut names = self.names();
        names.retain(|n| split(n).2.eq_ignore_ascii_case(extension));
        names
    }

    /// Returns whether there is a file of this name.
    pub fn contains(&self, name: &str) -> bool {
        match &self.content {
            Content::Folder(files) => files.contains_key(name),
            Content::Memory(files) => files.contains_key(name),
            Content::Zip { files, .. } => files.contains_key(name),
        }
    }

    /// Returns the place of a file for messages: `folder/a/M.bum`, or `project.zip!/a/M.bum`.
    pub fn place(&self, name: &str) -> PathBuf {
        match &self.content {
            Content::Folder(files) => files.get(name).cloned().unwrap_or_else(|| self.path.join(name)),
            Content::Memory(_) => self.path.join(name),
            Content::Zip { .. } => {
                let mut place = self.path.clone().into_os_string();
                place.push("!/");
                place.push(name);
                place.into()
            }
        }
    }

    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// The file is missing, damaged, too large, or a link that leads out of the folder.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        match &self.content {
            Content::Folder(files) => {
                let file = files.get(name).ok_or_else(|| self.no_entry(name))?;
                self.read_file(name, file)
            }
            Content::Memory(files) => files.get(name).cloned().ok_or_else(|| self.no_entry(name)),
            Content::Zip { zip, files } => {
                let index = *files.get(name).ok_or_else(|| self.no_entry(name))?;
                self.unpack(&mut zip.clone(), index, name)
            }
        }
    }

    /// Returns the text of a file, whatever its encoding.
    ///
    /// # Errors
    /// As [`read`](Self::read), or it has no text.
    pub fn text(&self, name: &str) -> Result<Decoded, ReadError> {
        let decoded = decode::decode(&self.read(name)?);
        match decoded.encoding {
            decode::Encoding::Binary => Err(ReadError::Binary(self.place(name))),
            _ => Ok(decoded),
        }
    }

    fn no_entry(&self, name: &str) -> ReadError {
        ReadError::NoEntry { path: self.path.clone(), name: name.into() }
    }

    fn read_file(&self, name: &str, file: &Path) -> Result<Vec<u8>, ReadError> {
        let failed = |source| ReadError::Unreadable(file.to_owned(), source);
        if file.symlink_metadata().map_err(failed)?.is_symlink() {
            let target = file.canonicalize().map_err(failed)?;
            if !target.starts_with(self.path.canonicalize().map_err(failed)?) {
                return Err(escape(&self.path, name, "is a link that leads out of the folder"));
            }
        }
        let mut bytes = vec![];
        let read =
            std::fs::File::open(file).and_then(|f| f.take(self.limits.file + 1).read_to_end(&mut bytes));
        observed::read(file, read.is_ok().then_some(bytes.as_slice()));
        read.map_err(failed)?;
        if bytes.len() as u64 > self.limits.file {
            return Err(self.too_large(name));
        }
        Ok(bytes)
    }

    fn too_large(&self, name: &str) -> ReadError {
        too_much(
            &self.path,
            format!("`{name}` has more than {} bytes", self.limits.file),
            "take it out of the project",
        )
    }

    fn unpack(
        &self,
        zip: &mut ZipArchive<Cursor<Arc<[u8]>>>,
        index: usize,
        name: &str,
    ) -> Result<Vec<u8>, ReadError> {
        let damaged =
            |reason: String| ReadError::DamagedFile { path: self.path.clone(), name: name.into(), reason };
        let file = zip.by_index(index).map_err(|e| match e {
            ZipError::UnsupportedArchive(reason) => ReadError::Unsupported {
                path: self.path.clone(),
                name: name.into(),
                reason: format!("cannot be unpacked ({reason})"),
            },
            e => damaged(e.to_string()),
        })?;
        // Sizes recorded in the archive may be wrong, so the bytes are counted as they come.
        let allowed =
            (file.compressed_size().saturating_mul(self.limits.ratio)).max(tuning().archive.ratio_from);
        let limit = allowed.min(self.limits.file);
        let mut bytes = vec![];
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| damaged(e.to_string()))?;
        match bytes.len() as u64 > limit {
            false => Ok(bytes),
            true if limit < self.limits.file => Err(disproportionate(&self.path, name, &self.limits)),
            true => Err(self.too_large(name)),
        }
    }
}

/// Folder, name without extension, and extension of a file's name.
pub fn split(name: &str) -> (&str, &str, &str) {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    match file.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (folder, stem, extension),
        _ => (folder, file, ""),
    }
}

fn metadata(path: &Path) -> Result<std::fs::Metadata, ReadError> {
    observed::looked_at(path);
    std::fs::metadata(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => ReadError::Missing(path.to_owned()),
        _ => ReadError::Unreadable(path.to_owned(), source),
    })
}

fn escape(path: &Path, name: &str, reason: &str) -> ReadError {
    ReadError::Escape { path: path.to_owned(), name: name.into(), reason: reason.into() }
}

fn too_much(path: &Path, what: String, help: &str) -> ReadError {
    ReadError::TooMuch { path: path.to_owned(), what, help: help.into() }
}

fn disproportionate(path: &Path, name: &str, limits: &Limits) -> ReadError {
    too_much(
        path,
        format!("`{name}` is more than {} times as large as in the archive", limits.ratio),
        "this is no project; if it is, unpack it and name the folder",
    )
}

/// Returns whether a file is left out: files that systems add, and hidden folders.
fn is_junk(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let (file, folders) = parts.split_last().expect("splitting yields a part");
    folders.iter().any(|f| *f == "__MACOSX" || (f.starts_with('.') && f.len() > 1 && *f != ".."))
        || *file == ".DS_Store"
        || file.starts_with("._")
}

fn list(folder: &Path, limits: &Limits, depth: usize) -> Result<BTreeMap<String, PathBuf>, ReadError> {
    let mut found = BTreeMap::new();
    let mut seen = 0;
    let mut folders = vec![(folder.to_owned(), String::new(), depth)];
    while let Some((path, prefix, depth)) = folders.pop() {
        let failed = |source| ReadError::Unreadable(path.clone(), source);
        observed::listed(&path);
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            seen += 1;
            if seen > limits.entries {
                return Err(too_much(
                    folder,
                    format!("there are more than {} files in it", limits.entries),
                    "name the folder of one project",
                ));
            }
            // Not text, so nothing in a project can refer to it.
            let Ok(file) = entry.file_name().into_string() else { continue };
            let name = format!("{prefix}{file}");
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                if depth > 0 && !is_junk(&format!("{name}/")) {
                    folders.push((entry.path(), format!("{name}/"), depth - 1));
                }
                continue;
            }
            let is_folder = kind.is_symlink() && entry.path().is_dir();
            if !is_folder && !is_junk(&name) {
                found.insert(name, entry.path());
            }
        }
    }
    Ok(found)
}

fn read_zip(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let mut bytes = vec![];
    let read = std::fs::File::open(path).and_then(|f| f.take(limits.total + 1).read_to_end(&mut bytes));
    observed::read(path, read.is_ok().then_some(bytes.as_slice()));
    read.map_err(|source| ReadError::Unreadable(path.to_owned(), source))?;
    Ok(bytes)
}

fn open_zip(path: &Path, bytes: Vec<u8>, limits: &Limits) -> Result<Content, ReadError> {
    if bytes.len() as u64 > limits.total {
        return Err(too_much(path, format!("it has more than {} bytes", limits.total), "unpack it"));
    }
    // An archive without files begins with the record of its end.
    if !bytes.starts_with(b"PK\x03\x04") && !bytes.starts_with(b"PK\x05\x06") {
        let reason = if bytes.is_empty() { "it is empty" } else { "it does not begin with `PK`" };
        return Err(ReadError::NotAnArchive { path: path.to_owned(), reason: reason.into() });
    }
    let bytes: Arc<[u8]> = bytes.into();
    let mut zip = ZipArchive::new(Cursor::new(bytes))
        .map_err(|e| ReadError::Damaged { path: path.to_owned(), reason: e.to_string() })?;
    if zip.len() > limits.entries {
        return Err(too_much(
            path,
            format!("there are {} files in it, more than {}", zip.len(), limits.entries),
            "pack one project",
        ));
    }
    let files = index(path, &mut zip, limits)?;
    Ok(Content::Zip { zip, files })
}

fn index(
    path: &Path,
    zip: &mut ZipArchive<Cursor<Arc<[u8]>>>,
    limits: &Limits,
) -> Result<BTreeMap<String, usize>, ReadError> {
    let damaged = |e: ZipError| ReadError::Damaged { path: path.to_owned(), reason: e.to_string() };
    let mut files = BTreeMap::new();
    let mut total = 0u64;
    for i in 0..zip.len() {
        let entry = zip.by_index_raw(i).map_err(damaged)?;
        // Some Windows programs write their own separator.
        let name = entry.name().map_err(damaged)?.replace('\\', "/");
        if is_junk(&name) {
            continue;
        }
        let name = inside(&name).map_err(|reason| escape(path, &name, reason))?;
        if entry.is_symlink() {
            return Err(escape(path, &name, "is a symbolic link"));
        }
        if entry.is_dir() || name.is_empty() {
            continue;
        }
        if entry.encrypted() {
            return Err(ReadError::Unsupported {
                path: path.to_owned(),
                name,
                reason: "is encrypted".into(),
            });
        }
        total = total.saturating_add(entry.size());
        if total > limits.total {
            return Err(too_much(
                path,
                format!("its files have more than {} bytes", limits.total),
                "pack one project",
            ));
        }
        let allowed = entry.compressed_size().saturating_mul(limits.ratio).max(tuning().archive.ratio_from);
        if entry.size() > allowed {
            return Err(disproportionate(path, &name, limits));
        }
        if files.insert(name.clone(), i).is_some() {
            return Err(ReadError::Twice { path: path.to_owned(), name });
        }
    }
    Ok(files)
}

/// The name without `.` parts, or how it leads out.
fn inside(name: &str) -> Result<String, &'static str> {
    let drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    if name.starts_with('/') || drive {
        return Err("is an absolute path");
    }
    if name.contains('\0') {
        return Err("has a zero byte in its name");
    }
    let mut parts = vec![];
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err("leads out of the archive"),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests;
