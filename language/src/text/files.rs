//! Sources of the texts of machines: a disk, or a set of texts in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::archive::Archive;
use super::decode::{Encoding, decode};
pub use super::error::ReadError;
use super::observed;
use super::source::{Source, SourceId, Sources, Span};

/// Largest file that is read: byte offsets are 32 bits wide.
pub const MAX_SIZE: u64 = u32::MAX as u64;

/// A store of files, asked by path.
pub trait Files: Sync {
    /// The content of a file.
    ///
    /// # Errors
    /// [`ReadError`] if there is no such file, or it cannot be read.
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError>;

    /// Returns the names of the files and folders in a folder, sorted; empty if there is no such folder.
    fn names(&self, folder: &Path) -> Vec<String>;

    /// Returns whether a path is a folder.
    fn is_folder(&self, path: &Path) -> bool;

    /// The files of a folder with everything below it, or of a zip archive.
    ///
    /// # Errors
    /// As [`Archive::open`].
    fn project(&self, path: &Path) -> Result<Archive, ReadError>;

    /// The files in the folder of a file, without those of its sub-folders.
    ///
    /// # Errors
    /// As [`Archive::open`].
    fn beside(&self, file: &Path) -> Result<Archive, ReadError>;
}

/// Report of a file that is not UTF-8: the first such place, and the encoding that was assumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotUtf8 {
    /// The first character that is not UTF-8 in the file.
    pub span: Span,
    /// The encoding that the file was read in.
    pub taken_for: &'static str,
}

/// Reads a file from the disk into `sources`.
///
/// # Errors
/// [`ReadError`] if the file has no text.
pub fn load(sources: &mut Sources, path: &Path) -> Result<(SourceId, Option<NotUtf8>), ReadError> {
    add(sources, &Disk, path)
}

/// Reads a file into `sources`.
///
/// # Errors
/// [`ReadError`] if the file has no text.
pub fn add(
    sources: &mut Sources,
    files: &dyn Files,
    path: &Path,
) -> Result<(SourceId, Option<NotUtf8>), ReadError> {
    let bytes = files.read(path)?;
    let decoded = decode(&bytes);
    let size = bytes.len().max(decoded.text.len()) as u64;
    if size > MAX_SIZE {
        return Err(ReadError::TooLarge(path.to_owned(), size));
    }
    let taken_for = match decoded.encoding {
        Encoding::Binary => return Err(ReadError::Binary(path.to_owned())),
        Encoding::MacRoman => "MacRoman",
        Encoding::Utf16 => "UTF-16 with errors",
        Encoding::Utf8 | Encoding::Latin1 => "Latin-1",
    };
    let odd = decoded.lossy_at.map(|at| at..at + decoded.text[at..].chars().next().map_or(0, char::len_utf8));
    let source = sources.add(Source::new(path, decoded.text));
    let span = |at: std::ops::Range<usize>| Span { source, start: at.start as u32, end: at.end as u32 };
    Ok((source, odd.map(|at| NotUtf8 { span: span(at), taken_for })))
}

/// The file system.
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let read = read(path);
        observed::read(path, read.as_deref().ok());
        read
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        observed::listed(folder);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    fn is_folder(&self, path: &Path) -> bool {
        observed::looked_at(path);
        path.is_dir()
    }

    fn project(&self, path: &Path) -> Result<Archive, ReadError> {
        Archive::open(path)
    }

    fn beside(&self, file: &Path) -> Result<Archive, ReadError> {
        Archive::beside(file)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
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
        let inside = self.0.keys().filter_map(|path| path.strip_prefix(folder).ok());
        let names = inside.filter_map(|rest| Some(rest.iter().next()?.to_str()?.to_owned()));
        names.collect::<BTreeSet<String>>().into_iter().collect()
    }

    fn is_folder(&self, path: &Path) -> bool {
        !self.0.contains_key(path) && self.0.keys().any(|known| known.starts_with(path))
    }

    fn project(&self, path: &Path) -> Result<Archive, ReadError> {
        match self.0.get(path) {
            Some(bytes) => Archive::unzip(path, bytes.clone()),
            None if self.is_folder(path) => Ok(self.below(path, usize::MAX)),
            None => Err(ReadError::Missing(path.to_owned())),
        }
    }

    fn beside(&self, file: &Path) -> Result<Archive, ReadError> {
        Ok(self.below(file.parent().unwrap_or(Path::new("")), 1))
    }
}

impl Texts {
    // Returns the files whose names below a folder have at most `parts` parts.
    fn below(&self, folder: &Path, parts: usize) -> Archive {
        let inside = self.0.iter().filter_map(|(path, content)| {
            let name = path.strip_prefix(folder).ok()?;
            let names: Option<Vec<&str>> = name.iter().map(|part| part.to_str()).collect();
            Some((names.filter(|n| n.len() <= parts)?.join("/"), content.clone()))
        });
        Archive::of(folder, inside.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_said() {
        let mut sources = Sources::default();
        let missing = load(&mut sources, Path::new("no/such.mch")).unwrap_err();
        assert_eq!(missing.to_string(), "no/such.mch: no such file");
        let directory = load(&mut sources, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap_err();
        assert!(matches!(directory, ReadError::Directory(_)), "{directory}");
        let files: Texts = [("a.mch", b"\0\0".to_vec())].into_iter().collect();
        let binary = add(&mut sources, &files, Path::new("a.mch")).unwrap_err();
        assert!(matches!(binary, ReadError::Binary(_)), "{binary}");
    }

    #[test]
    fn the_first_odd_byte_is_found() {
        let mut sources = Sources::default();
        let files: Texts = [("a.mch", b"a\n caf\xE9s".to_vec())].into_iter().collect();
        let (_, odd) = add(&mut sources, &files, Path::new("a.mch")).unwrap();
        let odd = odd.expect("it is not UTF-8");
        assert_eq!(odd.taken_for, "Latin-1");
        assert_eq!((sources.position(odd.span).line, sources.position(odd.span).column), (2, 5));
    }

    #[test]
    fn texts_are_folders_too() {
        let files: Texts = [("p/a.bum", ""), ("p/q/b.bum", ""), ("c.bum", "")].into_iter().collect();
        let path = Path::new("p");
        assert!(files.is_folder(path) && !files.is_folder(Path::new("p/a.bum")));
        assert_eq!(files.project(path).unwrap().names(), ["a.bum", "q/b.bum"]);
        assert_eq!(files.beside(Path::new("p/a.bum")).unwrap().names(), ["a.bum"]);
        assert_eq!(files.beside(Path::new("c.bum")).unwrap().names(), ["c.bum"]);
    }
}
