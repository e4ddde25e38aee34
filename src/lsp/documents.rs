//! The texts that are open in the editor, laid over the files of the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bsym_language::archive::Archive;
use bsym_language::files::{Disk, Files, ReadError};
use lsp_types::{TextDocumentContentChangeEvent, Uri};

use super::position::Lines;

/// One open text.
pub struct Document {
    /// Its address, as the editor writes it.
    pub uri: Uri,
    /// The number of its last change.
    pub version: i32,
    /// The text.
    pub text: String,
}

impl Document {
    /// Takes changes, one after the other: each has a new text for a range, or for all.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        self.version = version;
        for change in changes {
            let Some(range) = change.range else {
                self.text = change.text;
                continue;
            };
            let lines = Lines::new(&self.text);
            let (start, end) = (lines.offset(range.start), lines.offset(range.end));
            self.text.replace_range(start..end.max(start), &change.text);
        }
    }
}

/// The open texts by path.
#[derive(Default)]
pub struct Documents(BTreeMap<PathBuf, Document>);

impl Documents {
    /// Adds or replaces a text.
    pub fn open(&mut self, path: PathBuf, document: Document) {
        self.0.insert(path, document);
    }

    /// Forgets a text: the file of the disk counts again.
    pub fn close(&mut self, path: &Path) {
        self.0.remove(path);
    }

    /// An open text.
    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.0.get(path)
    }

    /// An open text, to change it.
    pub fn get_mut(&mut self, path: &Path) -> Option<&mut Document> {
        self.0.get_mut(path)
    }

    /// A copy of all open texts.
    pub fn texts(&self) -> BTreeMap<PathBuf, String> {
        self.0.iter().map(|(path, document)| (path.clone(), document.text.clone())).collect()
    }

    /// The paths of all open texts.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.keys()
    }
}

impl Files for Documents {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        match self.get(path) {
            Some(document) => Ok(document.text.clone().into_bytes()),
            None => Disk.read(path),
        }
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let mut names: BTreeSet<String> = Disk.names(folder).into_iter().collect();
        let inside = self.0.keys().filter(|path| path.parent() == Some(folder));
        names.extend(inside.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())));
        names.into_iter().collect()
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.get(path).is_none() && Disk.is_folder(path)
    }

    fn project(&self, path: &Path) -> Result<Archive, ReadError> {
        Disk.project(path)
    }

    fn beside(&self, file: &Path) -> Result<Archive, ReadError> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let inside = self.0.iter().filter(|(path, _)| path.parent() == Some(folder));
        let open = inside.filter_map(|(path, document)| {
            Some((path.file_name()?.to_str()?.to_owned(), document.text.clone().into_bytes()))
        });
        let open: Vec<(String, Vec<u8>)> = open.collect();
        let disk = match Disk.beside(file) {
            Ok(archive) if open.is_empty() => return Ok(archive),
            Err(error) if open.is_empty() => return Err(error),
            disk => disk.ok(),
        };
        // Files that tools derive from the components are large and not needed.
        let is_wanted = |name: &&str| {
            let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
            matches!(extension, "bum" | "buc" | "tuf" | "tcf" | "dtf")
        };
        let mut files = BTreeMap::new();
        for archive in disk.iter() {
            for name in archive.names().into_iter().filter(is_wanted) {
                files.insert(name.to_owned(), archive.read(name)?);
            }
        }
        files.extend(open);
        Ok(Archive::of(folder, files))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};
    use std::str::FromStr;

    #[test]
    fn changes_are_made_in_turn() {
        let uri = Uri::from_str("file:///m.mch").unwrap();
        let mut document = Document { uri, version: 1, text: "é𝔹 a\nb".into() };
        let change = |from: (u32, u32), to: (u32, u32), text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1))),
            range_length: None,
            text: text.into(),
        };
        document.change(2, vec![change((0, 4), (0, 5), "cd"), change((0, 6), (1, 0), "\r\n")]);
        assert_eq!((document.version, document.text.as_str()), (2, "é𝔹 cd\r\nb"));
        // Positions that do not exist, and a range that ends before it begins.
        document.change(3, vec![change((9, 9), (0, 0), "!")]);
        assert_eq!(document.text, "é𝔹 cd\r\nb!");
        let all = TextDocumentContentChangeEvent { range: None, range_length: None, text: "x".into() };
        document.change(4, vec![all]);
        assert_eq!(document.text, "x");
    }
}
