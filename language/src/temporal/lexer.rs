//! The tokens of a temporal formula.
//!
//! Operators of one letter need no space between them: `GF`, `XX`. Predicates, names of events and their arguments are
//! B, and stay text here.

use super::error::TemporalError;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// An operator or a constant, by its first spelling in [`WORDS`].
    Word(&'static str),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `{P}`: the text of P.
    Predicate(String),
    /// `[op]`
    Taken(String),
    /// `e(op)`, `BA({P})`, `deadlock(op, …)` and the like: the word, and the text between the parentheses.
    Call(&'static str, String),
    /// `!i.` or `#i.`
    Quantifier(bool, String),
    /// The end.
    End,
}

/// A token with the place of its first character, and of the first one of the text in it, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) at: usize,
    pub(super) text_at: usize,
}

/// Spellings of operators; the first of a row names it. Words of which one begins another are told apart by length.
const WORDS: [&[&str]; 22] = [
    &["true"],
    &["false"],
    &["sink"],
    &["deadlock"],
    &["current"],
    &["not", "¬"],
    &["&", "and", "∧"],
    &["or", "∨", "||"],
    &["=>", "implies", "⇒", "->"],
    &["<=>", "equivalent", "⇔"],
    &["U", "until", "stronguntil"],
    &["W", "weakuntil"],
    &["R", "release"],
    &["S", "since"],
    &["T", "trigger"],
    &["G", "globally", "always", "[]"],
    &["F", "finally", "eventually", "<>"],
    &["X", "next"],
    &["H", "historically"],
    &["O", "once"],
    &["Y", "yesterday"],
    &["SEF"],
];

/// Further words of formulas of branching time.
const BRANCHING: [&[&str]; 8] = [&["EX"], &["EF"], &["EG"], &["E"], &["AX"], &["AF"], &["AG"], &["A"]];

/// Which operators there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Notation {
    /// Those of linear time.
    Linear,
    /// Those of branching time as well.
    Branching,
}

/// Words that stand before parentheses with names of events, or a piece of B in braces, between them.
const CALLS: [(&str, &str); 12] = [
    ("BA", "BA"),
    ("e", "e"),
    ("Av", "Av"),
    ("WF", "WF"),
    ("wf", "WF"),
    ("SF", "SF"),
    ("sf", "SF"),
    ("deadlock", "deadlock"),
    ("deterministic", "deterministic"),
    ("controller", "controller"),
    ("unchanged", "unchanged"),
    ("changed", "changed"),
];

/// Cuts a formula into tokens.
pub(super) fn tokens(text: &str, notation: Notation) -> Result<Vec<Placed>, TemporalError> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let placed = next(text, at, notation)?;
        let (token, end) = placed;
        let text_at = token.text_at;
        let is_end = token.token == Token::End;
        found.push(Placed { token: token.token, at, text_at });
        if is_end {
            return Ok(found);
        }
        at = end;
    }
}

/// The token at a place, and where it ends.
fn next(text: &str, at: usize, notation: Notation) -> Result<(Placed, usize), TemporalError> {
    let rest = &text[at..];
    let placed = |token, text_at| Placed { token, at, text_at };
    let Some(first) = rest.chars().next() else { return Ok((placed(Token::End, at), at)) };
    let bracketed = |open: usize| {
        let end = closing(text, open)?;
        Ok((text[open + 1..end].to_owned(), open + 1, end + 1))
    };
    match first {
        '(' => return Ok((placed(Token::Open, at), at + 1)),
        ')' => return Ok((placed(Token::Close, at), at + 1)),
        '{' => {
            let (inner, from, end) = bracketed(at)?;
            return Ok((placed(Token::Predicate(inner), from), end));
        }
        '[' if !rest.starts_with("[]") => {
            let (inner, from, end) = bracketed(at)?;
            return Ok((placed(Token::Taken(inner), from), end));
        }
        '!' | '#' | '∀' | '∃' => {
            let is_all = matches!(first, '!' | '∀');
            let body = &rest[first.len_utf8()..];
            let dot = body.find('.').ok_or_else(|| {
                TemporalError::new(at, "a quantifier is written `!x.({P} => f)` or `#x.({P} & f)`")
            })?;
            let name = body[..dot].trim();
            if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                return Err(TemporalError::new(
                    at,
                    "one name is expected between the quantifier and the dot",
                ));
            }
            let end = at + first.len_utf8() + dot + 1;
            return Ok((placed(Token::Quantifier(is_all, name.to_owned()), at), end));
        }
        _ => {}
    }
    // A word with parentheses is one where only spaces stand between them.
    let calls = CALLS.iter().filter_map(|(spelling, name)| {
        let after = rest.strip_prefix(spelling)?;
        let spaces = after.len() - after.trim_start().len();
        after.trim_start().starts_with('(').then_some((*name, at + spelling.len() + spaces))
    });
    if let Some((name, open)) = calls.max_by_key(|(_, open)| *open) {
        let (inner, from, end) = bracketed(open)?;
        return Ok((placed(Token::Call(name, inner), from), end));
    }
    if rest.starts_with("WEF") {
        return Ok((placed(Token::Word("WEF"), at), at + 3));
    }
    let more: &[&[&str]] = if notation == Notation::Branching { &BRANCHING } else { &[] };
    let words = WORDS.iter().chain(more).flat_map(|row| row.iter().map(|spelling| (row[0], *spelling)));
    match words.filter(|(_, spelling)| rest.starts_with(spelling)).max_by_key(|(_, spelling)| spelling.len())
    {
        Some((name, spelling)) => Ok((placed(Token::Word(name), at), at + spelling.len())),
        None => {
            let message = format!(
                "`{first}` is no part of a temporal formula; predicates stand in braces, as in G {{x > 0}}"
            );
            let error = TemporalError::new(at, message);
            let is_branching = BRANCHING.iter().any(|row| rest.starts_with(row[0]));
            Err(if is_branching { error.help("--ctl asks for formulas of branching time") } else { error })
        }
    }
}

/// Returns the position where the bracket opened at a place is closed.
fn closing(text: &str, open: usize) -> Result<usize, TemporalError> {
    let mut expected = Vec::new();
    let mut in_string = false;
    for (i, c) in text[open..].char_indices() {
        match c {
            '"' => in_string = !in_string,
            _ if in_string => {}
            '(' => expected.push(')'),
            '[' => expected.push(']'),
            '{' => expected.push('}'),
            ')' | ']' | '}' => {
                if expected.pop() != Some(c) {
                    return Err(TemporalError::new(open + i, format!("`{c}` closes nothing that is open")));
                }
                if expected.is_empty() {
                    return Ok(open + i);
                }
            }
            _ => {}
        }
    }
    Err(TemporalError::new(open, "this is not closed"))
}
