//! Where the texts of machines come from: a disk, or a set of texts in memory.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::text::decode::{MAX_SIZE, ReadError};

/// A store of files, asked by path.
pub trait Files {
    /// The content of a file.
    ///
    /// # Errors
    /// [`ReadError`] where there is no such file, or it cannot be read.
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError>;

    /// The names of the files in a folder, sorted; none where there is no such folder.
    fn names(&self, folder: &Path) -> Vec<String>;
}

/// The file system.
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => ReadError::Missing(path.to_owned()),
            std::io::ErrorKind::IsADirectory => ReadError::Directory(path.to_owned()),
            _ => ReadError::Unreadable(path.to_owned(), error),
        };
        let file = std::fs::File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(ReadError::Directory(path.to_owned()));
        }
        if metadata.len() > MAX_SIZE {
            return Err(ReadError::TooLarge(path.to_owned(), metadata.len()));
        }
        let mut bytes = vec![];
        // A pipe has no length before it is read.
        file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

/// Texts in memory by path, for tests, archives and editors.
#[derive(Clone, Default, Debug)]
pub struct Texts(BTreeMap<PathBuf, Vec<u8>>);

impl Texts {
    /// Adds a file, or replaces it.
    pub fn insert(&mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), content.into());
    }
}

impl<P: Into<PathBuf>, T: Into<Vec<u8>>> FromIterator<(P, T)> for Texts {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> Self {
        Texts(files.into_iter().map(|(path, content)| (path.into(), content.into())).collect())
    }
}

impl Files for Texts {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        self.0.get(path).cloned().ok_or_else(|| ReadError::Missing(path.to_owned()))
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let inside = self.0.keys().filter(|path| path.parent() == Some(folder));
        inside.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
    }
}

/// Texts in memory in front of other files, as an editor has them.
#[derive(Clone, Debug)]
pub struct Overlay<F> {
    /// Looked up first.
    pub texts: Texts,
    /// Looked up where the texts have nothing.
    pub below: F,
}

impl<F: Files> Files for Overlay<F> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        self.texts.read(path).or_else(|_| self.below.read(path))
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let mut names = self.texts.names(folder);
        names.extend(self.below.names(folder));
        names.sort();
        names.dedup();
        names
    }
}
