//! Prolog terms as text: the part of the syntax that ProB's `.eventb` packages are written in.
//!
//! Facts, directives (skipped), comments, atoms (plain, quoted, symbolic), integers, strings, variables, lists and
//! compound terms, no operators. Every term knows its place. Reading takes one pass without recursion, and names
//! without escapes are not copied: a package is one fact on one line of a million characters. The reader gives functors
//! their meaning; unknown ones are ordinary terms.

use std::borrow::Cow;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::int::Int;
use crate::text::source::{SourceId, Span};
use crate::tuning::Tuning;

/// Deepest nesting of a term, along which later passes recurse.
pub const DEEPEST: usize = Tuning::DEFAULT.depth.prolog;

/// A term with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Term<'a> {
    /// The form of the term.
    pub kind: TermKind<'a>,
    /// From its first character to its last.
    pub span: Span,
}

/// The forms of a term.
#[derive(Clone, PartialEq, Debug)]
pub enum TermKind<'a> {
    /// `abc`, `'Abc'`, `[]` is a list instead.
    Atom(Cow<'a, str>),
    /// `12`, `-3`
    Integer(Int),
    /// `"text"`
    String(Cow<'a, str>),
    /// `_`, `Name`
    Variable(&'a str),
    /// `[a, b]`; a tail after `|` is dropped if it is a variable.
    List(Vec<Term<'a>>),
    /// `f(a, b)`
    Compound(Cow<'a, str>, Vec<Term<'a>>),
}

impl<'a> Term<'a> {
    /// Returns the text of an atom, or of a number written where a name belongs (labels such as `1`).
    pub fn atom(&self) -> Option<&str> {
        match &self.kind {
            TermKind::Atom(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the elements of a list.
    pub fn list(&self) -> Option<&[Term<'a>]> {
        match &self.kind {
            TermKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// Functor and arguments; an atom has no arguments.
    pub fn parts(&self) -> Option<(&str, &[Term<'a>])> {
        match &self.kind {
            TermKind::Atom(name) => Some((name, &[])),
            TermKind::Compound(name, arguments) => Some((name, arguments)),
            _ => None,
        }
    }

    /// Returns the arguments, if functor and number of arguments are these.
    pub fn arguments(&self, functor: &str, arity: usize) -> Option<&[Term<'a>]> {
        self.parts().filter(|(name, arguments)| *name == functor && arguments.len() == arity).map(|p| p.1)
    }

    /// Describes the term for messages: `atom 'x'`, `f/2`, `a list`.
    pub fn describe(&self) -> String {
        match &self.kind {
            TermKind::Atom(name) => format!("the atom `{name}`"),
            TermKind::Integer(n) => format!("the number {n}"),
            TermKind::String(_) => "a string".into(),
            TermKind::Variable(_) => "a variable".into(),
            TermKind::List(items) => format!("a list of {}", items.len()),
            TermKind::Compound(name, arguments) => format!("`{name}/{}`", arguments.len()),
        }
    }
}

/// Reads all facts of a text, up to the first mistake.
///
/// # Errors
/// The place of the mistake and the expected text.
pub fn read(text: &str, source: SourceId) -> Result<Vec<Term<'_>>, Diagnostic> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, source };
    let mut facts = vec![];
    loop {
        reader.blank()?;
        if reader.at == reader.bytes.len() {
            return Ok(facts);
        }
        if reader.bytes[reader.at..].starts_with(b":-") {
            reader.at += 2;
            reader.directive()?;
        } else {
            facts.push(reader.fact()?);
        }
    }
}

/// A term whose arguments are being read.
struct Open<'a> {
    functor: Option<Cow<'a, str>>,
    items: Vec<Term<'a>>,
    start: usize,
    /// Behind the `|` of a list.
    tail: bool,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    source: SourceId,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn span(&self, start: usize) -> Span {
        Span { source: self.source, start: start as u32, end: self.at as u32 }
    }

    fn error(&self, start: usize, message: impl Into<String>) -> Diagnostic {
        let mut end = (start + 1).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let span = Span { source: self.source, start: start as u32, end: end as u32 };
        Diagnostic::error(codes::MALFORMED_TERM, span, message)
    }

    fn blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'%') => self.at += self.until_line_end(),
                Some(b'/') if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    let Some(length) = self.text[self.at + 2..].find("*/") else {
                        return Err(self.error(self.at, "this comment has no end"));
                    };
                    self.at += length + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    fn until_line_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len())
    }

    // A directive is of no use here: it is skipped token by token.
    fn directive(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.blank()?;
            match self.peek() {
                None => return Err(self.error(self.at, "this directive has no end, `.` is expected")),
                Some(b'.') if self.ends_clause() => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\'' | b'"') => drop(self.quoted()?),
                Some(_) => {
                    self.at += 1;
                    while !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                }
            }
        }
    }

    fn ends_clause(&self) -> bool {
        self.bytes.get(self.at + 1).is_none_or(|b| b.is_ascii_whitespace() || *b == b'%')
    }

    fn fact(&mut self) -> Result<Term<'a>, Diagnostic> {
        let mut open: Vec<Open<'a>> = vec![];
        loop {
            let Some(mut term) = self.begin(&mut open)? else { continue };
            // A finished term goes into the one around it, which may be finished by that.
            loop {
                self.blank()?;
                let Some(around) = open.last_mut() else {
                    if self.peek() == Some(b'.') && self.ends_clause() {
                        self.at += 1;
                        return Ok(term);
                    }
                    return Err(self.expected("`.` at the end of the fact"));
                };
                let closing = if around.functor.is_some() { b')' } else { b']' };
                let is_open_end = around.tail && matches!(term.kind, TermKind::Variable(_));
                match std::mem::replace(&mut term.kind, TermKind::List(vec![])) {
                    // `[a | [b]]` is the list of both.
                    TermKind::List(items) if around.tail => around.items.extend(items),
                    _ if is_open_end => {}
                    kind => around.items.push(Term { kind, span: term.span }),
                }
                match self.peek() {
                    Some(b',') if !around.tail => {
                        self.at += 1;
                        break;
                    }
                    Some(b'|') if around.functor.is_none() && !around.tail => {
                        around.tail = true;
                        self.at += 1;
                        break;
                    }
                    Some(b) if b == closing => {
                        self.at += 1;
                        let Some(done) = open.pop() else { break };
                        let kind = match done.functor {
                            Some(functor) => TermKind::Compound(functor, done.items),
                            None => TermKind::List(done.items),
                        };
                        term = Term { kind, span: self.span(done.start) };
                    }
                    _ => {
                        let what = if closing == b')' { "`,` or `)`" } else { "`,` or `]`" };
                        return Err(self.expected(what));
                    }
                }
            }
        }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        match self.text[self.at..].chars().next() {
            Some(c) => self.error(self.at, format!("expected {what}, found `{c}`")),
            None => {
                let start = self.text.char_indices().next_back().map_or(0, |(i, _)| i);
                self.error(start, format!("expected {what}, the file ends here"))
                    .help("the file seems to be cut off; export it again")
            }
        }
    }

    // Reads an atomic term, or opens one with arguments.
    fn begin(&mut self, open: &mut Vec<Open<'a>>) -> Result<Option<Term<'a>>, Diagnostic> {
        self.blank()?;
        let start = self.at;
        if open.len() >= DEEPEST {
            return Err(self.error(start, format!("terms are nested deeper than {DEEPEST} levels")));
        }
        let Some(first) = self.peek() else { return Err(self.expected("a term")) };
        let kind = match first {
            b'[' => {
                self.at += 1;
                self.blank()?;
                if self.peek() != Some(b']') {
                    open.push(Open { functor: None, items: vec![], start, tail: false });
                    return Ok(None);
                }
                self.at += 1;
                TermKind::List(vec![])
            }
            b'0'..=b'9' => TermKind::Integer(self.integer()?),
            b'-' if self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                self.at += 1;
                TermKind::Integer(-&self.integer()?)
            }
            b'_' | b'A'..=b'Z' => TermKind::Variable(self.word()),
            b'"' => TermKind::String(self.quoted()?),
            _ => {
                let name = self.name(first)?;
                if self.peek() == Some(b'(') {
                    self.at += 1;
                    open.push(Open { functor: Some(name), items: vec![], start, tail: false });
                    return Ok(None);
                }
                TermKind::Atom(name)
            }
        };
        Ok(Some(Term { kind, span: self.span(start) }))
    }

    fn name(&mut self, first: u8) -> Result<Cow<'a, str>, Diagnostic> {
        const SYMBOLS: &[u8] = b"+-*/\\^<>=~:.?@#&$";
        if first == b'\'' {
            return self.quoted();
        }
        let start = self.at;
        if SYMBOLS.contains(&first) {
            while self.peek().is_some_and(|b| SYMBOLS.contains(&b)) {
                self.at += 1;
            }
        } else if first == b'!' {
            self.at += 1;
        } else if self.text[start..].starts_with("{}") {
            self.at += 2;
        } else if self.text[start..].chars().next().is_some_and(char::is_alphabetic) {
            self.word();
        } else {
            return Err(self.expected("a term"));
        }
        Ok(Cow::Borrowed(&self.text[start..self.at]))
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn integer(&mut self) -> Result<Int, Diagnostic> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.text[start..self.at].parse().map_err(|_| self.error(start, "this number cannot be read"))
    }

    fn quoted(&mut self) -> Result<Cow<'a, str>, Diagnostic> {
        let start = self.at;
        let quote = self.bytes[start];
        self.at += 1;
        let mut done: Option<String> = None;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(length) = rest.iter().position(|&b| b == quote || b == b'\\') else {
                return Err(self
                    .error(start, "this quoted name has no end")
                    .help("the file seems to be cut off; export it again"));
            };
            let plain = &self.text[self.at..self.at + length];
            let doubled = rest.get(length + 1) == Some(&quote);
            self.at += length + 1;
            if rest[length] == quote && !doubled {
                return Ok(match done {
                    None => Cow::Borrowed(plain),
                    Some(text) => Cow::Owned(text + plain),
                });
            }
            let text = done.get_or_insert_default();
            text.push_str(plain);
            if rest[length] == quote {
                self.at += 1;
                text.push(char::from(quote));
            } else if let Some(c) = self.escape()? {
                text.push(c);
            }
        }
    }

    // Behind a backslash. A line end is left out.
    fn escape(&mut self) -> Result<Option<char>, Diagnostic> {
        let start = self.at - 1;
        let Some(c) = self.text[self.at..].chars().next() else {
            return Err(self.error(start, "this quoted name has no end"));
        };
        let radix = match c {
            'x' => 16,
            '0'..='7' => 8,
            _ => {
                self.at += c.len_utf8();
                return Ok(match c {
                    'n' => Some('\n'),
                    't' => Some('\t'),
                    'r' => Some('\r'),
                    'a' => Some('\u{7}'),
                    'b' => Some('\u{8}'),
                    'f' => Some('\u{c}'),
                    'v' => Some('\u{b}'),
                    '\n' => None,
                    other => Some(other),
                });
            }
        };
        self.at += usize::from(radix == 16);
        let digits = self.at;
        while self.peek().is_some_and(|b| char::from(b).is_digit(radix)) {
            self.at += 1;
        }
        let value = u32::from_str_radix(&self.text[digits..self.at], radix).ok().and_then(char::from_u32);
        let Some(value) = value else {
            return Err(self.error(start, "this escape is no character"));
        };
        // The closing backslash is missing in some old files.
        self.at += usize::from(self.peek() == Some(b'\\'));
        Ok(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Term<'_> {
        let mut facts = read(text, SourceId(0)).expect("it is a fact");
        assert_eq!(facts.len(), 1);
        facts.remove(0)
    }

    fn show(t: &Term) -> String {
        let list = |items: &[Term]| items.iter().map(show).collect::<Vec<_>>().join(",");
        match &t.kind {
            TermKind::Atom(a) => format!("<{a}>"),
            TermKind::Integer(n) => n.to_string(),
            TermKind::String(s) => format!("{s:?}"),
            TermKind::Variable(v) => format!("?{v}"),
            TermKind::List(items) => format!("[{}]", list(items)),
            TermKind::Compound(f, items) => format!("{f}({})", list(items)),
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(show(&one(text)), expected);
    }

    fn refuse(text: &str, offset: u32, message: &str) {
        let d = read(text, SourceId(0)).expect_err("it is malformed");
        assert_eq!((d.span.start, d.message.as_str()), (offset, message));
    }

    #[test]
    fn terms_of_every_form() {
        check("f(a, -12, [b,[]], _Error, \"s\").", "f(<a>,-12,[<b>,[]],?_Error,\"s\")");
        check("% c\n:- dynamic f/1.\n/* d */ f('A b' ) . ", "f(<A b>)");
        check("f(123456789012345678901234567890).", "f(123456789012345678901234567890)");
        check("f([a|T], [a|[b,c]], 'f'(x)).", "f([<a>],[<a>,<b>,<c>],f(<x>))");
    }

    #[test]
    fn quoted_atoms_resolve_their_escapes() {
        check(r"f('it''s', 'x\'', 'a\\b', '\n').", "f(<it's>,<x'>,<a\\b>,<\n>)");
        check(r"f('\11\', 'a\21022\b', '\x2208\').", "f(<\t>,<a\u{2212}b>,<∈>)");
    }

    #[test]
    fn names_without_escapes_are_not_copied() {
        let term = one("f('inv 1').");
        let TermKind::Compound(_, items) = &term.kind else { panic!("it is compound") };
        assert!(matches!(items[0].kind, TermKind::Atom(Cow::Borrowed("inv 1"))));
        assert_eq!((items[0].span.start, items[0].span.end), (2, 9));
    }

    #[test]
    fn mistakes_have_a_place() {
        refuse("f(a b).", 4, "expected `,` or `)`, found `b`");
        refuse("f(a, ).", 5, "expected a term, found `)`");
        refuse("f(a)\ng.", 5, "expected `.` at the end of the fact, found `g`");
        refuse("f([a,é", 5, "expected `,` or `]`, the file ends here");
        refuse("f('a).", 2, "this quoted name has no end");
        refuse(r"f('\x110000\').", 3, "this escape is no character");
        let deep = "f(".repeat(DEEPEST + 1);
        refuse(&deep, 2 * DEEPEST as u32, "terms are nested deeper than 2000 levels");
    }

    #[test]
    fn many_elements_are_no_nesting() {
        let text = format!("f([{}a]).", "a,".repeat(100_000));
        let term = one(&text);
        assert_eq!(term.parts().and_then(|p| p.1[0].list()).map(<[Term]>::len), Some(100_001));
    }
}
