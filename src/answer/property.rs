//! What can be asked and what can be violated.

use std::fmt::{self, Write};

use bsym_engines::verdict::PropertyVerdict;
use bsym_language::model::{Conjunct, EventId, Model};
use bsym_language::print;
use bsym_proofs::claim::Property;
use bsym_semantics::trace::Violation;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::{end, location, place};
use super::words::words;
use crate::paint::Paint;

words! {
    /// Kinds of properties and violations; those that can be asked for are named as in `--prop`.
    PropertyKind {
        Invariant = "inv",
        Assertions = "assertions",
        Deadlock = "deadlock",
        Goal = "goal",
        WellDefinedness = "wd",
        Assert = "assert",
        Precondition = "precondition",
        Refinement = "refinement",
        /// A part of a proof that the evaluator contradicts.
        Proof = "proof",
    }
}

impl PropertyKind {
    /// What is asked, in words.
    pub fn subject(self) -> &'static str {
        match self {
            PropertyKind::Invariant => "the invariant",
            PropertyKind::Assertions => "the assertions",
            PropertyKind::Deadlock => "deadlock freedom",
            PropertyKind::Goal => "that the goal is not reached",
            PropertyKind::WellDefinedness => "well-definedness",
            PropertyKind::Assert => "an ASSERT",
            PropertyKind::Precondition => "a precondition",
            PropertyKind::Refinement => "the refinement",
            PropertyKind::Proof => "the proof",
        }
    }

    /// How its violation is called.
    pub fn violation(self) -> &'static str {
        match self {
            PropertyKind::Invariant | PropertyKind::Assertions => "false",
            PropertyKind::Deadlock => "deadlock",
            PropertyKind::Goal => "reached",
            PropertyKind::WellDefinedness => "ill-defined",
            PropertyKind::Assert => "ASSERT fails",
            PropertyKind::Precondition => "precondition fails",
            PropertyKind::Refinement => "refinement fails",
            PropertyKind::Proof => "the proof says",
        }
    }
}

impl From<Property> for PropertyKind {
    fn from(property: Property) -> PropertyKind {
        match property {
            Property::Invariant(_) => PropertyKind::Invariant,
            Property::Assertion(_) => PropertyKind::Assertions,
            Property::DeadlockFree => PropertyKind::Deadlock,
            Property::NoGoal => PropertyKind::Goal,
        }
    }
}

impl From<&Violation> for PropertyKind {
    fn from(violation: &Violation) -> PropertyKind {
        match violation {
            Violation::Invariant(_) => PropertyKind::Invariant,
            Violation::Assertions(_) => PropertyKind::Assertions,
            Violation::Deadlock => PropertyKind::Deadlock,
            Violation::Goal => PropertyKind::Goal,
            Violation::IllDefined(_) => PropertyKind::WellDefinedness,
            Violation::Assert(_) => PropertyKind::Assert,
            Violation::Precondition(_) => PropertyKind::Precondition,
            Violation::Refinement(_) => PropertyKind::Refinement,
        }
    }
}

/// The kinds of what is checked, each once.
pub fn kinds_asked(properties: &[Property]) -> Vec<PropertyKind> {
    let mut kinds: Vec<PropertyKind> = properties.iter().map(|&p| p.into()).collect();
    kinds.dedup();
    if kinds.is_empty() { vec![PropertyKind::WellDefinedness] } else { kinds }
}

words! {
    /// The answer about one property.
    PropertyVerdictWord {
        Holds = "holds",
        Violated = "violated",
        Unknown = "unknown",
    }
}

impl From<PropertyVerdict> for PropertyVerdictWord {
    fn from(verdict: PropertyVerdict) -> PropertyVerdictWord {
        match verdict {
            PropertyVerdict::Holds => PropertyVerdictWord::Holds,
            PropertyVerdict::Violated => PropertyVerdictWord::Violated,
            PropertyVerdict::Unknown => PropertyVerdictWord::Unknown,
        }
    }
}

/// The answer about one property.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct PropertyObject {
    pub property: PropertyKind,
    /// Position of the conjunct or assertion.
    pub index: Option<usize>,
    pub label: Option<String>,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    /// Behind the last character.
    pub end_column: Option<u32>,
    pub verdict: PropertyVerdictWord,
}

impl PropertyObject {
    /// A property and the answer about it.
    pub fn new(model: &Model, property: Property, verdict: PropertyVerdictWord) -> PropertyObject {
        let conjunct = match property {
            Property::Invariant(i) => model.invariant.get(i).map(|c| (i, c)),
            Property::Assertion(i) => model.assertions.get(i).map(|c| (i, c)),
            _ => None,
        };
        let (span, text) = match (conjunct, property) {
            (Some((_, c)), _) => (Some(c.span), c.text.clone()),
            (None, Property::NoGoal) => {
                let span = model.definitions.goal.as_ref().map(|g| g.span);
                (span, span.map(|s| print::at(model, s)).unwrap_or_default())
            }
            _ => (None, "some event is enabled".into()),
        };
        let (file, line, column) = span.map(|s| place(&model.text.sources, s)).unwrap_or_default();
        let (end_line, end_column) = span.map(|s| end(&model.text.sources, s)).unwrap_or_default();
        PropertyObject {
            property: property.into(),
            index: conjunct.map(|(i, _)| i),
            label: conjunct.and_then(|(_, c)| c.label.clone()),
            text,
            file,
            line,
            column,
            end_line,
            end_column,
            verdict,
        }
    }

    /// Label and text.
    pub fn named(&self) -> String {
        match &self.label {
            Some(label) => format!("{label}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

/// An axiom: a conjunct of the properties.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct AxiomObject {
    pub label: Option<String>,
    pub text: String,
    pub file: Option<String>,
    #[schemars(range(min = 1))]
    pub line: Option<u32>,
}

impl AxiomObject {
    /// An axiom of the model.
    pub fn new(model: &Model, axiom: &Conjunct) -> AxiomObject {
        let (file, line, _) = place(&model.text.sources, axiom.span);
        AxiomObject { label: axiom.label.clone(), text: axiom.text.clone(), file, line }
    }

    /// Axioms of the model, by position.
    pub fn all(model: &Model, core: &[usize]) -> Vec<AxiomObject> {
        core.iter().filter_map(|&i| model.axioms.get(i)).map(|axiom| AxiomObject::new(model, axiom)).collect()
    }

    /// Writes axioms that contradict each other, each with its place; nothing where there is none.
    pub fn write_core(core: &[AxiomObject], out: &mut String, paint: Paint) -> fmt::Result {
        if core.is_empty() {
            return Ok(());
        }
        writeln!(out, "  these axioms contradict each other:")?;
        for axiom in core {
            let name = axiom.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
            let at = location(&axiom.file, axiom.line).map(|at| format!("   {at}")).unwrap_or_default();
            writeln!(out, "    {name}{}{}", axiom.text, paint.faint(&at))?;
        }
        Ok(())
    }
}

/// The name of an event; `None` is the initialisation.
pub fn event_name(model: &Model, event: Option<EventId>) -> String {
    match event {
        None => "INITIALISATION".into(),
        Some(e) => model.events.get(e.index()).map_or_else(|| "?".into(), |e| e.name.clone()),
    }
}

/// The label of a conjunct of the invariant with the component in front that it comes from, where several components
/// have one of this label; else as [`conjunct_name`].
pub fn conjunct_of_model(model: &Model, index: usize) -> String {
    let Some(conjunct) = model.invariant.get(index) else { return String::new() };
    let name = conjunct_name(conjunct);
    let is_shared = conjunct.label.is_some()
        && model.invariant.iter().any(|c| c.label == conjunct.label && c.origin != conjunct.origin);
    match model.text.components.get(conjunct.origin.index()).filter(|_| is_shared) {
        Some(component) => format!("{}.{name}", component.name),
        None => name,
    }
}

/// The label of a conjunct, else its text.
pub fn conjunct_name(conjunct: &Conjunct) -> String {
    conjunct.label.clone().unwrap_or_else(|| conjunct.text.clone())
}
