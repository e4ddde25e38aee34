//! The theory language of the older files `.po`, `.pmi` and `.pmm`.
//!
//! `THEORY Name IS entry;entry END & THEORY …`; an empty theory has no `IS`. The state of the goals is one
//! flat list, in the order of the `ProofList` of the `.po`, which is the reverse of that of a `.pog`.

use std::collections::BTreeMap;
use std::path::Path;

use super::goals::{Goal, meaning};
use crate::error::PoError;
use crate::file::{Kind, Status};

/// Entries of theories by name. Strings and parentheses may hold separators.
fn theories(text: &str) -> BTreeMap<String, Vec<String>> {
    let text = text.trim_start_matches('\u{feff}');
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut rest = text;
    while let Some(at) = word(rest, "THEORY") {
        rest = rest[at + "THEORY".len()..].trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || c == '&').unwrap_or(rest.len());
        let name = rest[..end].to_string();
        rest = &rest[end..];
        let body = rest.trim_start();
        let next = word(rest, "THEORY").unwrap_or(rest.len());
        let mut entries = vec![];
        if let Some(body) = body.strip_prefix("IS") {
            let stop = word(body, "END").unwrap_or(body.len());
            entries = split(&body[..stop]);
            rest = &body[stop..];
        } else if let Some(end) = word(&rest[..next], "END") {
            rest = &rest[end..];
        } else {
            rest = &rest[next..];
        }
        found.insert(name, entries);
    }
    found
}

/// Returns the position of a word that is not part of another one and not in a string.
fn word(text: &str, wanted: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_part = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let mut quoted = false;
    for i in 0..bytes.len() {
        if bytes[i] == b'"' {
            quoted = !quoted;
        }
        if !quoted
            && bytes[i..].starts_with(wanted.as_bytes())
            && !is_part(i.checked_sub(1).and_then(|j| bytes.get(j)))
            && !is_part(bytes.get(i + wanted.len()))
        {
            return Some(i);
        }
    }
    None
}

fn split(body: &str) -> Vec<String> {
    let (mut entries, mut start, mut depth, mut quoted) = (vec![], 0, 0, false);
    for (i, c) in body.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' if depth == 0 => {
                entries.push(body[start..i].trim().to_string());
                start = i + 1;
            }
            _ => {}
        }
    }
    entries.push(body[start..].trim().to_string());
    entries.retain(|e| !e.is_empty());
    entries
}

fn missing(place: &Path, theory: &str) -> PoError {
    PoError::Tool {
        path: place.to_owned(),
        line: 1,
        column: 1,
        message: format!("there is no `THEORY {theory}` in it"),
        help: "the file is cut off or no file of Atelier B; copy it again".into(),
    }
}

/// Returns the goals of a `.po`, in its own order. Their conjuncts are not known.
///
/// # Errors
/// There is no `ProofList`.
pub fn obligations(place: &Path, text: &str) -> Result<Vec<Goal>, PoError> {
    let theories = theories(text);
    let list = theories.get("ProofList").ok_or_else(|| missing(place, "ProofList"))?;
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let goals = list.iter().map(|entry| {
        let group = group_of(entry).unwrap_or_else(|| "?".into());
        let number = numbers.entry(group.clone()).or_default();
        *number += 1;
        let (event, kind) = meaning(&group);
        Goal {
            number: *number,
            tag: String::new(),
            event,
            kind: if group == "?" { Kind::Other } else { kind },
            conjunct: None,
            status: Status::Unattempted,
            provers: vec![],
            manual: None,
            group,
        }
    });
    Ok(goals.collect())
}

/// Reads `Operation_x` from `_f(3) & Operation_x.4,(…)`.
fn group_of(entry: &str) -> Option<String> {
    let name = |c: char| c.is_alphanumeric() || c == '_';
    let known = |w: &str| {
        w == "Initialisation"
            || w.starts_with("Operation_")
            || w.ends_with("Lemmas")
            || w.starts_with("WellDefinedness")
    };
    let head = entry.split(",(").next().unwrap_or(entry);
    let mut words = head.split(|c: char| !name(c)).filter(|w| !w.is_empty());
    words.find(|w| known(w)).map(String::from)
}

/// Reads a `.pmi` into goals; the inner error tells why the two do not belong together. `reversed`: the goals are those
/// of a `.pog`.
///
/// # Errors
/// There is no list of states.
pub fn record(
    place: &Path,
    text: &str,
    goals: &mut [Goal],
    reversed: bool,
) -> Result<Result<(), String>, PoError> {
    let theories = theories(text);
    let states = theories.get("ProofState").ok_or_else(|| missing(place, "ProofState"))?;
    if states.len() != goals.len() {
        return Ok(Err(format!(
            "{} has the states of {} goals, and there are {}",
            place.display(),
            states.len(),
            goals.len()
        )));
    }
    let none = vec![];
    let methods = theories.get("MethodList").filter(|m| m.len() == states.len()).unwrap_or(&none);
    let count = goals.len();
    for (i, goal) in goals.iter_mut().enumerate() {
        let at = if reversed { count - 1 - i } else { i };
        goal.set(&states[at], &states[at], methods.get(at).map_or("", String::as_str));
    }
    Ok(Ok(()))
}

/// Returns whether a `.pmm` has rules of the user, which need not be proved.
pub fn has_user_rules(text: &str) -> bool {
    theories(text).iter().any(|(name, entries)| name != "User_Pass" && !entries.is_empty())
}
