//! Places as editors count them: lines from 0, columns in units of UTF-16.
//!
//! A line ends with `\n`, `\r\n` or `\r`, as the protocol has it; places in messages for people know more ends of
//! lines.

use lsp_types::{Position, Range};

/// A text with the offsets at which its lines begin.
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text.
    pub fn new(text: &'t str) -> Lines<'t> {
        let bytes = text.as_bytes();
        let ends = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect();
        Lines { text, starts }
    }

    /// The place of a byte offset; of the end of the text where it lies behind it.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        Position::new(line as u32, units(before) as u32)
    }

    /// The places of a range of bytes.
    pub fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range::new(self.position(bytes.start), self.position(bytes.end.max(bytes.start)))
    }

    /// The byte offset of a place. A column behind the end of its line is that end, a line behind the last one the end
    /// of the text.
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let content = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= position.character as usize {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + content.len()
    }

    fn boundary(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }
}

/// A place that moves through a text, for many places in their order: each is counted from the one before.
pub struct Place<'l> {
    lines: &'l Lines<'l>,
    offset: usize,
    at: Position,
}

impl<'l> Place<'l> {
    /// The beginning of a text.
    pub fn new(lines: &'l Lines<'l>) -> Place<'l> {
        Place { lines, offset: 0, at: Position::new(0, 0) }
    }

    /// Moves to a byte offset; returns what [`Lines::position`] does.
    pub fn to(&mut self, offset: usize) -> Position {
        let offset = self.lines.boundary(offset);
        let next = self.lines.starts.get(self.at.line as usize + 1);
        let is_ahead = self.offset <= offset && next.is_none_or(|next| offset < *next);
        self.at = match is_ahead {
            true => {
                let columns = self.at.character as usize + units(&self.lines.text[self.offset..offset]);
                Position::new(self.at.line, columns as u32)
            }
            false => self.lines.position(offset),
        };
        self.offset = offset;
        self.at
    }
}

// Lines may be long and full of names, and most are ASCII.
fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_units_of_utf_16() {
        let lines = Lines::new("aé𝔹x\r\nb\rc\n");
        let check = |offset: usize, line: u32, column: u32| {
            assert_eq!(lines.position(offset), Position::new(line, column), "{offset}");
            assert_eq!(lines.offset(Position::new(line, column)), offset, "{line}:{column}");
        };
        check(0, 0, 0);
        check(1, 0, 1);
        check(3, 0, 2);
        check(7, 0, 4);
        check(8, 0, 5);
        check(10, 1, 0);
        check(12, 2, 0);
        check(14, 3, 0);
    }

    #[test]
    fn a_place_that_moves_counts_as_others_do() {
        let text = "aé𝔹x\r\nb\rc\n";
        let lines = Lines::new(text);
        let mut place = Place::new(&lines);
        let all = 0..=text.len() + 2;
        for offset in all.clone().chain(all.clone().rev()).chain(all.step_by(3)) {
            assert_eq!(place.to(offset), lines.position(offset), "{offset}");
        }
    }

    #[test]
    fn places_outside_of_the_text_are_its_nearest_ones() {
        let lines = Lines::new("é\nb");
        assert_eq!(lines.offset(Position::new(0, 99)), 2);
        assert_eq!(lines.offset(Position::new(99, 0)), 4);
        assert_eq!(lines.position(1), Position::new(0, 0));
        assert_eq!(lines.position(99), Position::new(1, 1));
    }
}
