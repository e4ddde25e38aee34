//! Event-B as text: sections, events with their clauses, labels and brackets.

use bsym_language::eventb::text::{self, Mark};

use super::lines::{Layout, Pieces, Word};

/// Kinds of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `machine`, `context`
    Component,
    /// `variables`, `invariants`, …
    Section,
    /// `refines`, `extends`: of a component or of an event.
    Relation,
    /// `events`
    Events,
    /// `event`
    Event,
    /// `INITIALISATION`
    Initialisation,
    /// `convergent`, `status`, …
    Status,
    /// `any`, `where`, …
    Clause,
    End,
    /// `theorem`
    Theorem,
    Label,
    Open,
    Close,
    /// Anything else: a name or a part of a formula.
    Other,
}

/// The words and comments of a text; `None` where a comment is not closed.
pub fn pieces(text: &str) -> Option<Pieces<Kind>> {
    let mut words = vec![];
    let mut comments = vec![];
    let mut last = 0;
    for (place, mark) in text::marks(text) {
        others(text, last, place.start, &mut words);
        last = place.end;
        let part = &text[place.clone()];
        let kind = match mark {
            Mark::Comment => {
                if part.starts_with("/*") && (part.len() < 4 || !part.ends_with("*/")) {
                    return None;
                }
                comments.push((place.start, place.end));
                continue;
            }
            Mark::Label => Kind::Label,
            Mark::Keyword => kind(part),
        };
        words.push(Word { start: place.start, end: place.end, kind });
    }
    others(text, last, text.len(), &mut words);
    Some(Pieces { words, comments })
}

fn kind(keyword: &str) -> Kind {
    match keyword.to_ascii_lowercase().as_str() {
        "machine" | "context" => Kind::Component,
        "refines" | "extends" => Kind::Relation,
        "events" => Kind::Events,
        "event" => Kind::Event,
        "ordinary" | "convergent" | "anticipated" => Kind::Status,
        "any" | "where" | "when" | "with" | "witness" | "then" | "begin" => Kind::Clause,
        "end" => Kind::End,
        "theorem" => Kind::Theorem,
        // Formulas may have them as names.
        "status" | "extended" | "records" | "theory" => Kind::Other,
        _ => Kind::Section,
    }
}

// The words of a part of the text that has no keywords.
fn others(text: &str, from: usize, to: usize, words: &mut Vec<Word<Kind>>) {
    let mut rest = text[from..to].char_indices().map(|(at, c)| (from + at, c)).peekable();
    while let Some((start, c)) = rest.next() {
        let kind = match c {
            '(' | '[' | '{' => Kind::Open,
            ')' | ']' | '}' => Kind::Close,
            c if c.is_whitespace() || c == '\u{FEFF}' => continue,
            _ => Kind::Other,
        };
        let is_inside = |c: char| !c.is_whitespace() && !matches!(c, '(' | '[' | '{' | ')' | ']' | '}');
        let mut end = start + c.len_utf8();
        while kind == Kind::Other
            && let Some((at, c)) = rest.next_if(|(_, c)| is_inside(*c))
        {
            end = at + c.len_utf8();
        }
        let is_first = text[start..end].eq_ignore_ascii_case("INITIALISATION");
        let kind = if is_first { Kind::Initialisation } else { kind };
        words.push(Word { start, end, kind });
    }
}

/// The state between two words.
#[derive(Default)]
pub struct Nesting {
    in_component: bool,
    in_events: bool,
    in_event: bool,
    /// `true` between a label and what follows its formula.
    in_formula: bool,
    /// The indentations of the lines on which brackets were opened.
    open: Vec<usize>,
}

impl Nesting {
    fn base(&self) -> usize {
        usize::from(self.in_component) + usize::from(self.in_event)
    }

    fn begins_event(&self, kind: Kind) -> bool {
        self.in_events && !self.in_event && matches!(kind, Kind::Event | Kind::Initialisation | Kind::Status)
    }
}

impl Layout for Nesting {
    type Kind = Kind;

    fn indent(&self, first: Option<Kind>) -> usize {
        let inside = match self.open.last() {
            Some(indent) => indent + 1,
            None => self.base() + usize::from(self.in_formula),
        };
        match first {
            Some(kind) if self.is_section(kind) => 0,
            Some(kind) if self.begins_event(kind) => 1,
            Some(Kind::Event) => usize::from(self.in_events),
            Some(Kind::End | Kind::Relation | Kind::Status) => usize::from(self.in_event),
            Some(Kind::Clause) if self.in_event => 1,
            Some(Kind::Theorem | Kind::Label) => self.base(),
            Some(Kind::Close) => self.open.last().copied().unwrap_or(inside),
            _ => inside,
        }
    }

    fn pass(&mut self, kind: Kind, indent: usize) {
        match kind {
            Kind::Open => self.open.push(indent),
            Kind::Close => {
                self.open.pop();
            }
            _ => {}
        }
        let is_in_text = matches!(kind, Kind::Open | Kind::Close | Kind::Other)
            || kind == Kind::Initialisation && !self.begins_event(kind);
        if is_in_text {
            return;
        }
        self.open.clear();
        self.in_formula = kind == Kind::Label;
        match kind {
            Kind::Component => *self = Nesting { in_component: true, ..Nesting::default() },
            Kind::Events => (self.in_events, self.in_event) = (true, false),
            Kind::Section => (self.in_events, self.in_event) = (false, false),
            Kind::Event | Kind::Initialisation => self.in_event = self.in_events,
            Kind::End if self.in_event => self.in_event = false,
            Kind::End => *self = Nesting::default(),
            _ => {}
        }
    }

    // The author may have put operators below each other.
    fn is_aligned(&self, kind: Kind) -> bool {
        self.in_formula && matches!(kind, Kind::Open | Kind::Close | Kind::Other)
    }

    fn is_section(&self, kind: Kind) -> bool {
        match kind {
            Kind::Component | Kind::Section | Kind::Events => true,
            Kind::Relation => !self.in_event,
            _ => false,
        }
    }
}
