//! The words of a text: keywords, names, labels, and the formulas between them.

use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::eventb::formula::Text;
use crate::text::source::{SourceId, Span};

macro_rules! keywords {
    ($($variant:ident $word:literal),* $(,)?) => {
        /// A keyword, in small or in capital letters.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Keyword {
            $(#[doc = $word] $variant,)*
        }

        impl Keyword {
            const ALL: &[(Keyword, &'static str)] = &[$((Keyword::$variant, $word)),*];
        }
    };
}

keywords! {
    Machine "machine", Context "context", Theory "theory", Refines "refines", Sees "sees", Extends "extends",
    Sets "sets", Constants "constants", Axioms "axioms", Variables "variables", Invariants "invariants",
    Theorem "theorem", Theorems "theorems", Variant "variant", Events "events", Event "event", Any "any",
    Where "where", When "when", With "with", Witness "witness", Then "then", Begin "begin", End "end",
    Status "status", Ordinary "ordinary", Convergent "convergent", Anticipated "anticipated",
    Extended "extended", Includes "includes", Synchronises "synchronises", Records "records",
}

impl Keyword {
    /// Returns the keyword in small letters.
    pub fn word(self) -> &'static str {
        Keyword::ALL.iter().find(|(keyword, _)| *keyword == self).map_or("", |(_, word)| word)
    }

    /// Returns the keyword that a word is, written in small or in capital letters.
    pub fn of(word: &str) -> Option<Keyword> {
        let is_it = |known: &str| known == word || known.to_ascii_uppercase() == word;
        Keyword::ALL.iter().find(|(_, known)| is_it(known)).map(|(keyword, _)| *keyword)
    }

    /// Returns whether the keyword ends a formula. The others stand at the head of an event only, so that formulas may
    /// have them as names.
    fn ends_formula(self) -> bool {
        !matches!(self, Keyword::Status | Keyword::Extended | Keyword::Records | Keyword::Theory)
    }
}

/// The keywords in small letters.
pub const KEYWORDS: [&str; Keyword::ALL.len()] = {
    let mut words = [""; Keyword::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Keyword::ALL[at].1;
        at += 1;
    }
    words
};

/// Kinds of parts of a text that are no formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A comment.
    Comment,
    /// A keyword.
    Keyword,
    /// A label with its `@`.
    Label,
}

/// Returns the comments, keywords and labels of a text in their order.
pub fn marks(text: &str) -> Vec<(std::ops::Range<usize>, Mark)> {
    let (clean, _) = without_comments(text);
    let mut found = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let run = |is_in: &dyn Fn(char) -> bool| clean[at..].find(|c| !is_in(c)).unwrap_or(clean.len() - at);
        // A comment is blank in the other text.
        if c == '/' && !clean[at..].starts_with('/') {
            let rest = &text[at..];
            let length = match rest.starts_with("//") {
                true => rest.find(['\n', '\r']),
                false => rest[2..].find("*/").map(|end| end + 4),
            };
            let end = at + length.unwrap_or(rest.len());
            found.push((at..end, Mark::Comment));
            at = end;
        } else if c == '@' {
            let end = at + run(&|c| !c.is_whitespace() && c != ':');
            found.push((at..end, Mark::Label));
            at = end;
        } else if is_part(c) {
            let end = at + run(&is_part);
            if Keyword::of(&text[at..end]).is_some() {
                found.push((at..end, Mark::Keyword));
            }
            at = end;
        } else {
            at += c.len_utf8();
        }
    }
    found
}

/// Returns a text with blanks in the place of comments, and the beginning of a comment that does not end.
pub(super) fn without_comments(text: &str) -> (String, Option<usize>) {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = text[at..].find("//").into_iter().chain(text[at..].find("/*")).min() {
        let start = at + found;
        clean.push_str(&text[at..start]);
        let rest = &text[start..];
        let end = match rest.starts_with("//") {
            true => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            false => match rest[2..].find("*/") {
                Some(end) => end + 4,
                None => {
                    clean.push_str(&" ".repeat(rest.len()));
                    return (clean, Some(start));
                }
            },
        };
        // Lines stay where they are.
        clean.extend(rest[..end].bytes().map(|b| if b == b'\n' || b == b'\r' { b as char } else { ' ' }));
        at = start + end;
    }
    clean.push_str(&text[at..]);
    (clean, None)
}

/// Returns whether a character may be part of a word.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '\'' | '\u{2032}' | '-')
}

/// A reader of the words of a text without comments. A copy of it remembers a place.
#[derive(Clone, Copy)]
pub(super) struct Words<'t> {
    text: &'t str,
    source: SourceId,
    at: usize,
}

impl<'t> Words<'t> {
    /// Begins at the start of a text.
    pub fn new(text: &'t str, source: SourceId) -> Self {
        Words { text, source, at: 0 }
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}').len();
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, start: start as u32, end: end as u32 }
    }

    /// Returns whether the text ends here.
    pub fn is_over(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.text.len()
    }

    /// Returns the place of the next word or symbol.
    pub fn here(&mut self) -> Span {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
        self.span(self.at, self.at + length)
    }

    /// Returns the next word or symbol for a message.
    pub fn found(&mut self) -> String {
        let span = self.here();
        match &self.text[span.start as usize..span.end as usize] {
            "" => "the end of the file".into(),
            word => format!("`{word}`"),
        }
    }

    /// Returns the next word, if it is one of letters alone.
    fn word(&mut self) -> &'t str {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        &rest[..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())]
    }

    /// Returns the keyword that comes next.
    pub fn keyword(&mut self) -> Option<Keyword> {
        Keyword::of(self.word())
    }

    /// Returns whether the next word is this one, in small or capital letters.
    pub fn is_at_word(&mut self, word: &str) -> bool {
        self.word().eq_ignore_ascii_case(word)
    }

    /// Takes the keyword that comes next.
    pub fn take_keyword(&mut self) -> Option<(Keyword, Span)> {
        let keyword = self.keyword()?;
        let start = self.at;
        self.at += keyword.word().len();
        Some((keyword, self.span(start, self.at)))
    }

    /// Takes a keyword if it is this one.
    pub fn takes(&mut self, keyword: Keyword) -> bool {
        let found = self.keyword() == Some(keyword);
        if found {
            self.take_keyword();
        }
        found
    }

    /// Goes on to the next keyword that ends a formula.
    pub fn skip_to_keyword(&mut self) {
        loop {
            self.at += self.formula_length(false);
            // A label is no keyword.
            if self.label().is_none() {
                return;
            }
        }
    }

    /// Takes a name: of a component, an event, or something that is declared. A comma behind it separates it from the next.
    pub fn name(&mut self) -> Option<Ident> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | '@')).unwrap_or(rest.len());
        if length == 0 || Keyword::of(&rest[..length]).is_some_and(Keyword::ends_formula) {
            return None;
        }
        let (start, end) = (self.at, self.at + length);
        self.at = end;
        let ident = Ident { name: self.text[start..end].to_string(), span: self.span(start, end) };
        self.skip_blanks();
        self.at += usize::from(self.text[self.at..].starts_with(','));
        Some(ident)
    }

    /// Returns whether a label comes next.
    pub fn is_at_label(&mut self) -> bool {
        self.skip_blanks();
        self.text[self.at..].starts_with('@')
    }

    /// Takes a label: `@inv1`, or `@inv1:`.
    pub fn label(&mut self) -> Option<Ident> {
        self.skip_blanks();
        let rest = self.text[self.at..].strip_prefix('@')?;
        let length = rest.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(rest.len());
        let (start, end) = (self.at + 1, self.at + 1 + length);
        self.at = end + usize::from(rest[length..].starts_with(':'));
        Some(Ident { name: self.text[start..end].to_string(), span: self.span(start, end) })
    }

    /// Returns the length of the formula that begins here: up to a label or keyword, or to the end of the line.
    fn formula_length(&self, is_line: bool) -> usize {
        let rest = &self.text[self.at..];
        let mut at = 0;
        while let Some(c) = rest[at..].chars().next() {
            if c == '@' || is_line && c == '\n' {
                break;
            }
            if is_part(c) {
                let length = rest[at..].find(|c: char| !is_part(c)).unwrap_or(rest.len() - at);
                if Keyword::of(&rest[at..at + length]).is_some_and(Keyword::ends_formula) {
                    break;
                }
                at += length;
            } else {
                at += c.len_utf8();
            }
        }
        at
    }

    /// Takes a formula: all up to the next label or keyword. One without a label ends with its line.
    pub fn formula(&mut self, is_line: bool) -> Text {
        self.skip_blanks();
        let (start, length) = (self.at, self.formula_length(is_line));
        self.at += length;
        let text = self.text[start..self.at].trim_end();
        let places = (start..=start + text.len()).map(|place| place as u32).collect();
        Text { text: text.to_string(), places, source: self.source }
    }

    /// Reports something that does not fit, with what would.
    pub fn unexpected(&mut self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.found());
        Diagnostic::error(codes::UNEXPECTED_TOKEN, self.here(), message)
    }

    /// Returns the next word, for advice.
    pub fn misspelt(&mut self) -> &'t str {
        self.word()
    }

    /// Returns the offset where the next word begins.
    pub fn offset(&mut self) -> u32 {
        self.skip_blanks();
        self.at as u32
    }

    /// Returns the offset behind the last word that was taken.
    pub fn end(&self) -> u32 {
        self.text[..self.at].trim_end().len() as u32
    }
}
