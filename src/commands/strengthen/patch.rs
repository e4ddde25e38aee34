//! Conjuncts as a patch of a machine's text.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use bsym_engines::auxiliary::Auxiliary;
use bsym_language::load::{LoadRequest, is_eventb, load_text_with, load_with};
use bsym_language::model::{ComponentId, Model};
use bsym_language::print;
use similar::TextDiff;

use crate::refusal::Refusal;
use crate::tuning::tuning;

/// # Errors
/// The machine is not one text that a patch could change.
pub(super) fn check(file: &Path) -> anyhow::Result<()> {
    if is_eventb(file) {
        bail!(
            Refusal::new(format!("--patch: {} is no text of classical B", file.display()))
                .help("leave --patch out: the conjuncts are printed with labels for Rodin")
        );
    }
    Ok(())
}

/// The unified diff that adds the conjuncts to the invariant of a file. The changed text was read again: it has the
/// conjuncts of before and these.
///
/// # Errors
/// The file has changed meanwhile, or there is no place for them.
pub(super) fn patch(
    file: &Path,
    include_path: &[PathBuf],
    auxiliaries: &[Auxiliary],
) -> anyhow::Result<String> {
    let request = LoadRequest { component: None, include_path: include_path.to_vec() };
    let loaded = load_with(file, &request)?;
    let model = loaded.model.context("--patch: the machine has errors now")?;
    let source =
        model.text.components.first().map(|c| c.span.source).context("--patch: the machine has no text")?;
    let old = loaded.sources.get(source).text.clone();
    let all = texts(&model);
    for new in candidates(&model, &old, auxiliaries) {
        let read = load_text_with(file, &*new, &request).model;
        if read.is_some_and(|m| is_extended(&texts(&m), &all, &model, auxiliaries)) {
            let name = file.display().to_string();
            let diff = TextDiff::from_lines(old.as_str(), new.as_str());
            return Ok(diff
                .unified_diff()
                .context_radius(tuning().listed.context)
                .header(&name, &name)
                .to_string());
        }
    }
    bail!(
        Refusal::new(format!("--patch: {} has no place for further conjuncts", file.display()))
            .help("add the printed ones to its INVARIANT by hand")
    )
}

/// The conjuncts of the machine itself, as printed.
fn texts(model: &Model) -> Vec<String> {
    let own = model.invariant.iter().filter(|c| c.origin == ComponentId(0));
    own.map(|c| print::pred(model, &c.pred)).collect()
}

/// Returns whether `new` consists of the old conjuncts and the auxiliary ones.
fn is_extended(new: &[String], old: &[String], model: &Model, auxiliaries: &[Auxiliary]) -> bool {
    let mut model = model.clone();
    let mut expected = old.to_vec();
    for auxiliary in auxiliaries {
        let Ok(pred) = bsym_language::load::check_predicate(&mut model, &auxiliary.text) else {
            return false;
        };
        expected.push(print::pred(&model, &pred));
    }
    let (mut new, mut expected) = (new.to_vec(), expected);
    new.sort();
    expected.sort();
    new == expected
}

/// Returns candidate texts with the conjuncts in places where they may belong.
fn candidates(model: &Model, old: &str, auxiliaries: &[Auxiliary]) -> Vec<String> {
    let own: Vec<(usize, usize)> = model
        .invariant
        .iter()
        .filter(|c| c.origin == ComponentId(0))
        .map(|c| (c.span.start as usize, c.span.end as usize))
        .collect();
    let Some(&(start, end)) = own.iter().max_by_key(|(_, end)| *end) else {
        return clause(model, old, auxiliaries).into_iter().collect();
    };
    let indent = indentation(old, start);
    let (start, end) = with_parentheses(old, start, end);
    let added: String = auxiliaries.iter().map(|a| format!("\n{indent}& {}", conjunct(&a.text))).collect();
    // The conjuncts go behind a comment on the same line, if nothing else follows there.
    let rest = old[end..].lines().next().unwrap_or_default();
    let comment = rest.trim();
    let is_comment = comment.is_empty()
        || comment.starts_with("//")
        || comment.starts_with("/*") && comment.ends_with("*/") && comment.matches("*/").count() == 1;
    let behind = if is_comment { end + rest.len() } else { end };
    let mut all = vec![];
    for at in [behind, end] {
        all.push(format!("{}{added}{}", &old[..at], &old[at..]));
    }
    // Otherwise an implication would absorb them.
    all.push(format!("{}({}){added}{}", &old[..start], &old[start..end], &old[end..]));
    all
}

/// A place with the parentheses around it.
fn with_parentheses(text: &str, mut start: usize, mut end: usize) -> (usize, usize) {
    loop {
        let before = text[..start].trim_end();
        let behind = text[end..].trim_start();
        if !before.ends_with('(') || !behind.starts_with(')') {
            return (start, end);
        }
        start = before.len() - 1;
        end = text.len() - behind.len() + 1;
    }
}

/// A clause of its own, before the initialisation.
fn clause(model: &Model, old: &str, auxiliaries: &[Auxiliary]) -> Option<String> {
    let body = model.initialisation.span.start as usize;
    let at = old.get(..body)?.rfind("INITIALISATION")?;
    let list: Vec<String> = auxiliaries.iter().map(|a| conjunct(&a.text)).collect();
    Some(format!("{}INVARIANT\n    {}\n{}", &old[..at], list.join("\n    & "), &old[at..]))
}

/// Puts the text between parentheses, so that `&` does not split it.
fn conjunct(text: &str) -> String {
    format!("({text})")
}

/// The blanks before the line of a place.
fn indentation(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let blank: String = text[line..].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let begins = text[line + blank.len()..].starts_with(|c: char| c.is_ascii_uppercase());
    if begins { format!("{blank}    ") } else { blank }
}
