//! Code lenses: the verdict above each invariant and each operation of a machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bsym_language::load::Loaded;
use bsym_language::model::Model;
use bsym_language::source::{SourceId, Span};
use lsp_types::{CodeLens, Command, Uri};
use serde_json::json;

use super::checks::{Findings, Texts, TextsOf};
use super::diagnostics::Places;
use super::machine::Trees;
use super::names::Kind;
use crate::settings;
use crate::tuning::tuning;

/// The texts that a machine was read from.
pub fn texts(loaded: &Loaded) -> Texts {
    let texts = loaded.sources.iter().map(|(_, source)| (source.path.clone(), source.text.clone()));
    let include_path = loaded.sources.include_path().to_vec();
    let texts: Vec<(PathBuf, String)> = texts.collect();
    // Settings that cannot be read are a message of the command line; the texts are checked without them.
    let settings = texts.first().and_then(|(path, _)| settings::Settings::of(path).ok());
    let settings = settings.map(|settings| settings.text()).unwrap_or_default();
    Arc::new(TextsOf { texts, include_path, settings })
}

/// The lenses of a machine without mistakes; `findings` are those of exactly its texts. `command` is what the editor is
/// to do where there is a trace to show.
pub fn lenses(
    trees: &Trees,
    model: &Model,
    findings: Option<&Findings>,
    uri: &Uri,
    command: Option<&str>,
) -> Vec<CodeLens> {
    let places = Places::new(&model.text.sources);
    let lens = |span: Span, title: String, has_trace: bool| {
        let command = command.filter(|_| has_trace);
        let command = Command {
            title,
            command: command.unwrap_or("").to_string(),
            arguments: command.map(|_| vec![json!(uri.as_str())]),
        };
        CodeLens { range: places.range(span), command: Some(command), data: None }
    };
    let own: Vec<_> =
        model.invariant.iter().enumerate().filter(|(_, c)| c.span.source == SourceId(0)).collect();
    let on_line = |span: Span| places.range(span).start.line;
    let mut on_lines: BTreeMap<u32, usize> = BTreeMap::new();
    own.iter().for_each(|(_, conjunct)| *on_lines.entry(on_line(conjunct.span)).or_default() += 1);
    let mut out = vec![];
    for (number, conjunct) in &own {
        let is_alone = on_lines.get(&on_line(conjunct.span)) == Some(&1);
        let (title, has_trace) = of_invariant(findings, *number);
        let title = match is_alone {
            true => title,
            false => format!("{}: {title}", short(conjunct.label.as_deref().unwrap_or(&conjunct.text))),
        };
        out.push(lens(conjunct.span, title, has_trace));
    }
    let events = trees.names.declarations.iter();
    for event in events.filter(|d| d.kind == Kind::Operation && d.span.source == SourceId(0)) {
        let (title, has_trace) = of_event(findings, &event.name);
        out.push(lens(event.span, title, has_trace));
    }
    out
}

fn short(text: &str) -> String {
    let shown: String = text.chars().take(tuning().server.conjunct).collect();
    if shown.len() < text.len() { format!("{}…", shown.trim_end()) } else { shown }
}

const CHECKING: &str = "checking …";

fn of_invariant(findings: Option<&Findings>, number: usize) -> (String, bool) {
    let Some(findings) = findings else { return (CHECKING.into(), false) };
    if let Some(failed) = &findings.failed {
        return (format!("not checked: {failed}"), false);
    }
    match findings.invariants.get(&number).map(String::as_str) {
        Some("holds") => (format!("✓ holds ({})", findings.engine), false),
        Some("violated") => (format!("✗ violated after {}", events(findings.steps)), true),
        Some("unknown") | None => ("? not decided".into(), false),
        Some(other) => (other.to_string(), false),
    }
}

fn of_event(findings: Option<&Findings>, name: &str) -> (String, bool) {
    let Some(findings) = findings else { return (CHECKING.into(), false) };
    if findings.failed.is_some() {
        return ("not checked".into(), false);
    }
    if let Some(broken) = findings.breaking.get(name) {
        let mut broken: Vec<String> = broken.iter().map(|text| short(text)).collect();
        broken.dedup();
        return (format!("✗ leads to a violation: {}", broken.join(", ")), true);
    }
    if findings.verdict == "holds" {
        return ("✓ keeps the invariant".into(), false);
    }
    match findings.obligations.get(name) {
        Some((proved, all)) if proved == all => (format!("✓ {all} of {all} obligations proved"), false),
        Some((proved, all)) => (format!("{proved} of {all} obligations proved"), false),
        None if findings.complete => ("? not decided".into(), false),
        None => (CHECKING.into(), false),
    }
}

fn events(count: usize) -> String {
    if count == 1 { "1 event".into() } else { format!("{count} events") }
}
