//! Source files and positions in them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Index of a file in [`Sources`].
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceId(pub u32);

/// A range of bytes in one source file.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The file.
    pub source: SourceId,
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the smallest range that covers both; the other one must be of the same file.
    pub fn to(self, other: Span) -> Span {
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns whether the other span lies in this one, in the same file.
    pub fn contains(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }
}

/// A position as people count: line and column from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One file's decoded text. Line ends are as in the file; offsets are into `text`.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path as the user gave it, or as it was found.
    pub path: PathBuf,
    /// Text after decoding, without a byte-order mark.
    pub text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Takes a file's text. A line ends with `\n`, `\r\n`, `\r`, U+2028 or U+2029.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '\r' if matches!(chars.peek(), Some((_, '\n'))) => {}
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => line_starts.push((at + c.len_utf8()) as u32),
                _ => {}
            }
        }
        Source { path: path.into(), text, line_starts }
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&s| s <= offset).max(1);
        let start = self.line_starts[line - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(0, |s| s.chars().count());
        Position { line: line as u32, column: column as u32 + 1 }
    }

    /// Returns the text of a line (from 1), without its end.
    pub fn line(&self, line: u32) -> &str {
        let start = self.line_starts.get(line as usize - 1).copied().unwrap_or(self.text.len() as u32);
        let end = self.line_starts.get(line as usize).copied().unwrap_or(self.text.len() as u32);
        self.text[start as usize..end as usize].trim_end_matches(['\n', '\r', '\u{2028}', '\u{2029}'])
    }
}

/// All files that one model was read from.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Source>, Vec<PathBuf>);

impl Sources {
    /// Creates an empty set of files, for a model whose files are also searched for in these folders.
    pub fn with_include_path(folders: Vec<PathBuf>) -> Sources {
        Sources(vec![], folders)
    }

    /// Returns the folders to search for machines and files of definitions that are not in the folder of the file that
    /// names them.
    pub fn include_path(&self) -> &[PathBuf] {
        &self.1
    }

    /// Adds a file and returns its id.
    pub fn add(&mut self, source: Source) -> SourceId {
        self.0.push(source);
        SourceId(self.0.len() as u32 - 1)
    }

    /// Returns a file by id.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.0[id.0 as usize]
    }

    /// Returns whether only blanks and closing parentheses lie between two places.
    pub fn are_adjacent(&self, first: Span, second: Span) -> bool {
        let between = self.get(first.source).text.get(first.end as usize..second.start as usize);
        first.source == second.source
            && between.is_some_and(|t| t.chars().all(|c| c.is_whitespace() || c == ')'))
    }

    /// Returns the text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.source).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Returns the path of a span's file.
    pub fn path(&self, span: Span) -> &Path {
        &self.get(span.source).path
    }

    /// Line and column where a span starts.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.source).position(span.start)
    }

    /// Line and column behind a span.
    pub fn end(&self, span: Span) -> Position {
        self.get(span.source).position(span.end)
    }

    /// Returns the files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.0.iter().enumerate().map(|(i, s)| (SourceId(i as u32), s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_every_kind_of_line_end() {
        let s = Source::new("m.mch", "a\rbé\r\nc\n\nd");
        assert_eq!(s.position(0), Position { line: 1, column: 1 });
        assert_eq!(s.position(2), Position { line: 2, column: 1 });
        assert_eq!(s.position(5), Position { line: 2, column: 3 });
        assert_eq!(s.position(7), Position { line: 3, column: 1 });
        assert_eq!(s.position(10), Position { line: 5, column: 1 });
        assert_eq!(s.line(2), "bé");
        assert_eq!(s.line(5), "d");
    }
}
