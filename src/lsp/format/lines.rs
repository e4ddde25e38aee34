//! The lines of a text: their indentation, blanks at their ends, and empty lines, whatever the notation is.

/// A word or symbol of a text.
pub struct Word<K> {
    pub start: usize,
    pub end: usize,
    pub kind: K,
}

/// The words and comments of a text in their order.
pub struct Pieces<K> {
    pub words: Vec<Word<K>>,
    pub comments: Vec<(usize, usize)>,
}

/// The state between two words, which determines the indentation.
pub trait Layout {
    /// Kinds of words.
    type Kind: Copy;

    /// The indentation of a line that begins with a word.
    fn indent(&self, first: Option<Self::Kind>) -> usize;

    /// Goes on behind a word of a line with an indentation.
    fn pass(&mut self, kind: Self::Kind, indent: usize);

    /// Returns whether a word begins a section here.
    fn is_section(&self, kind: Self::Kind) -> bool;

    /// Returns whether a line that begins with a word moves with the lines before it, so that it stays aligned with them.
    fn is_aligned(&self, _kind: Self::Kind) -> bool {
        false
    }
}

/// Returns the bytes to replace, with what comes in their place.
pub fn changes<L: Layout>(
    text: &str,
    pieces: &Pieces<L::Kind>,
    mut nesting: L,
    unit: &str,
) -> Vec<(usize, usize, String)> {
    let Pieces { words, comments } = pieces;
    let mut out = vec![];
    let (mut next, mut offset) = (0, 0);
    // Where the first line of the comment that a line begins in was moved to.
    let mut moved: isize = 0;
    // Where the empty lines before the next line begin.
    let mut empty: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let (start, end) = (offset, offset + line.len());
        offset = end;
        let content = line.trim_end_matches(['\n', '\r']);
        let trimmed = content.trim_end_matches([' ', '\t']);
        let blank = trimmed.len() - trimmed.trim_start_matches([' ', '\t']).len();
        let first = start + blank;
        let in_comment = comments.iter().any(|(from, to)| *from < start && start < *to);
        let in_word = words[..next].last().is_some_and(|word| start < word.end);
        if trimmed.is_empty() && !in_comment && !in_word {
            empty.get_or_insert(start);
            continue;
        }
        // Of several empty lines one stays, and none at the beginning.
        if let Some(from) = empty.take() {
            let end = if text[from..start].contains("\r\n") { "\r\n" } else { "\n" };
            out.push((from, start, if from == 0 { String::new() } else { end.into() }));
        }
        let begins = words.get(next).filter(|word| word.start == first).map(|word| word.kind);
        if in_comment {
            let wanted = (blank as isize + moved).max(0) as usize;
            if !trimmed.is_empty() && content[..blank].chars().all(|c| c == ' ') {
                out.push((start, first, " ".repeat(wanted)));
            }
        } else if !in_word {
            // A comment in front of a section stands where the section does.
            let following = words.get(next).map(|word| word.kind).filter(|kind| nesting.is_section(*kind));
            let mut wanted = unit.repeat(nesting.indent(begins.or(following)));
            let is_aligned = begins.is_some_and(|kind| nesting.is_aligned(kind))
                && wanted.chars().chain(content[..blank].chars()).all(|c| c == ' ');
            if is_aligned {
                wanted = " ".repeat(wanted.len().max((blank as isize + moved).max(0) as usize));
            } else {
                moved = wanted.len() as isize - blank as isize;
            }
            out.push((start, first, wanted));
        }
        let begin = nesting.indent(begins);
        while let Some(word) = words.get(next).filter(|word| word.start < end) {
            nesting.pass(word.kind, begin);
            next += 1;
        }
        let ends_in_word = words[..next].last().is_some_and(|word| end < word.end);
        if !ends_in_word {
            out.push((start + trimmed.len(), start + content.len(), String::new()));
        }
    }
    if let Some(from) = empty {
        out.push((from, text.len(), String::new()));
    }
    out.retain(|(start, end, new)| text[*start..*end] != **new);
    out.sort_by_key(|(start, ..)| *start);
    out
}
