//! What of a machine is in no check, whatever the answer says.

use bsym_language::model::{Dropped, DroppedKind, Model};
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::{location, place};
use super::property::event_name;
use super::words::words;
use crate::paint::Paint;
use crate::tuning::tuning;

words! {
    /// What a part is.
    DroppedWord {
        Invariant = "invariant",
        Assertion = "assertion",
        Assert = "assert",
        LoopInvariant = "loop-invariant",
        Precondition = "precondition",
        AbstractPrecondition = "abstract-precondition",
    }
}

/// A part of the machine that is in no check.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct DroppedObject {
    pub kind: DroppedWord,
    /// The event whose abstract precondition it is of.
    pub event: Option<String>,
    pub label: Option<String>,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl DroppedObject {
    fn new(model: &Model, dropped: &Dropped) -> DroppedObject {
        let (file, line, _) = place(&model.text.sources, dropped.span);
        let (kind, event) = match dropped.kind {
            DroppedKind::Gluing => (DroppedWord::Invariant, None),
            DroppedKind::Assertion => (DroppedWord::Assertion, None),
            DroppedKind::Assert => (DroppedWord::Assert, None),
            DroppedKind::LoopInvariant => (DroppedWord::LoopInvariant, None),
            DroppedKind::Precondition => (DroppedWord::Precondition, None),
            DroppedKind::AbstractPrecondition(e) => (DroppedWord::AbstractPrecondition, Some(e)),
        };
        DroppedObject {
            kind,
            event: event.map(|e| event_name(model, Some(e))),
            label: dropped.label.clone(),
            text: dropped.text.clone(),
            file,
            line,
        }
    }

    /// Everything of a machine that is in no check.
    pub fn all(model: &Model) -> Vec<DroppedObject> {
        model.refinement.not_checked.iter().map(|d| DroppedObject::new(model, d)).collect()
    }

    /// Returns what no obligation of a machine is about: those of a refinement that was composed with its abstractions speak
    /// of the variables of both.
    pub fn without_obligation(model: &Model) -> Vec<DroppedObject> {
        if model.refinement.refined.is_some() { vec![] } else { DroppedObject::all(model) }
    }

    fn named(&self) -> String {
        let label = self.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
        let at = location(&self.file, self.line).map(|at| format!(" ({at})")).unwrap_or_default();
        let what = match &self.event {
            Some(event) => format!("abstract precondition of {event}"),
            None => self.kind.word().replace('-', " "),
        };
        format!("{what} `{label}{}`{at}", self.text)
    }
}

/// A line with the first parts, or all of them on lines of their own; empty where nothing is.
pub fn text(parts: &[DroppedObject], verbose: bool, paint: Paint) -> String {
    let head = match parts.len() {
        0 => return String::new(),
        1 => "1 part of the machine".to_string(),
        n => format!("{n} parts of the machine"),
    };
    let why = "about variables of the abstraction";
    if verbose {
        let lines: String = parts.iter().map(|d| format!("    {}\n", d.named())).collect();
        return format!("  {}: {head} {why}\n{lines}", paint.doubt("not checked"));
    }
    let first: Vec<String> =
        parts.iter().take(tuning().listed.not_checked).map(DroppedObject::named).collect();
    let more = match parts.len().saturating_sub(tuning().listed.not_checked) {
        0 => String::new(),
        n => format!(", and {n} more (-v)"),
    };
    format!("  {}: {head} {why}: {}{more}\n", paint.doubt("not checked"), first.join(", "))
}
