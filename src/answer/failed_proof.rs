//! What there is of a proof that was not found: inductive lemmas, what they rest on, and the events that break the rest.

use std::collections::BTreeSet;
use std::fmt::{Result, Write};

use bsym_engines::failed_proof::{FailedProof, Gap, Node};
use bsym_language::model::{Model, Pred};
use bsym_proofs::claim::Property;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::location;
use super::folding::readable;
use super::named::Values;
use super::property::{PropertyObject, PropertyVerdictWord, event_name};
use super::trace::{StepObject, Style, constants, counted};
use crate::tuning::tuning;

/// The graph of a proof that was not found, as one solver says; none of it is checked again.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct FailedProofObject {
    /// B predicates, inductive together with the conjuncts asked and with each other
    pub lemmas: Vec<String>,
    /// what the step cases of properties and lemmas rest on
    pub supports: Vec<SupportObject>,
    /// properties that are not inductive, with the event that breaks each
    pub gaps: Vec<GapObject>,
    /// lemmas that were tried and that only some events break
    pub near: Vec<NearLemmaObject>,
}

/// An edge of the graph: an event keeps a property or a lemma true because others are true before.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct SupportObject {
    /// the property or the lemma
    pub text: String,
    /// null where it follows in the same state
    pub event: Option<String>,
    /// the properties and lemmas that were needed besides itself
    pub by: Vec<String>,
}

/// A property that an event breaks.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct GapObject {
    #[serde(flatten)]
    pub property: PropertyObject,
    /// null where the property does not follow from the invariant in the same state
    pub event: Option<String>,
    /// the variables that the property and the event read
    pub variables: Vec<String>,
    /// the constants that they read, with values where the evaluator confirms the step
    pub constants: Values,
    /// values of the variables before the event, null where the evaluator confirms no step; the state need not be reachable
    pub before: Option<Values>,
    /// values of those that the event changes
    pub after: Option<Values>,
    /// number of variables that are not read
    pub others: usize,
    #[serde(skip)]
    sequences: bool,
}

/// A lemma that is not inductive.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct NearLemmaObject {
    pub lemma: String,
    /// the events that break it
    pub events: Vec<String>,
    /// the variables that it and these events read
    pub variables: Vec<String>,
}

impl FailedProofObject {
    /// What was found out about a model. `shown` writes predicates.
    pub fn new(model: &Model, found: &FailedProof, shown: &dyn Fn(&Pred) -> String) -> FailedProofObject {
        let lemmas: Vec<String> = found.lemmas.iter().map(shown).collect();
        let node = |node: &Node| match node {
            Node::Property(property) => named(model, *property),
            Node::Lemma(i) => lemmas.get(*i).cloned().unwrap_or_default(),
        };
        let supports = found.supports.iter().map(|support| SupportObject {
            text: node(&support.node),
            event: support.event.map(|e| event_name(model, Some(e))),
            by: support.by.iter().map(node).collect(),
        });
        let near = found.near.iter().map(|near| NearLemmaObject {
            lemma: shown(&near.lemma),
            events: near.events.iter().map(|&e| event_name(model, Some(e))).collect(),
            variables: near.variables.iter().map(|v| model.variables[v.index()].name.clone()).collect(),
        });
        FailedProofObject {
            supports: supports.collect(),
            gaps: found.gaps.iter().map(|gap| GapObject::new(model, gap)).collect(),
            near: near.collect(),
            lemmas,
        }
    }

    /// The properties that are not inductive, each with its event and the values that it reads, and lemmas that are nearly so.
    pub fn write(&self, out: &mut String, style: Style) -> Result {
        if !self.gaps.is_empty() {
            writeln!(
                out,
                "\nnot inductive, even with the lemmas found (each from a state that need not be reachable):"
            )?;
        }
        let most = if style.whole { usize::MAX } else { tuning().listed.gaps };
        for gap in self.gaps.iter().take(most) {
            gap.write(out, style)?;
        }
        let hidden = self.gaps.len().saturating_sub(most);
        if hidden > 0 {
            writeln!(
                out,
                "  … {} more … {}",
                counted(hidden, "pair"),
                style.paint.faint("(-v writes them)")
            )?;
        }
        let most = if style.whole { usize::MAX } else { tuning().listed.near };
        if !self.near.is_empty() {
            writeln!(out, "\nlemmas that were tried, and the events that break them:")?;
        }
        for near in self.near.iter().take(most) {
            let paint = style.paint;
            writeln!(
                out,
                "  & {}   {}",
                near.lemma,
                paint.faint(&format!("broken by {}", near.events.join(", ")))
            )?;
        }
        if style.whole && !self.supports.is_empty() {
            writeln!(out, "\nwhat rests on what:")?;
            for support in &self.supports {
                let by = support.by.join(" & ");
                match &support.event {
                    Some(event) => writeln!(out, "  {event} keeps {}   by {by}", support.text)?,
                    None => writeln!(out, "  {} follows   from {by}", support.text)?,
                }
            }
        }
        Ok(())
    }
}

impl GapObject {
    fn new(model: &Model, gap: &Gap) -> GapObject {
        let read: BTreeSet<&str> =
            gap.variables.iter().map(|v| model.variables[v.index()].name.as_str()).collect();
        let fixed: BTreeSet<&str> =
            gap.constants.iter().map(|c| model.constants[c.index()].name.as_str()).collect();
        let of = |values: &Values, kept: &dyn Fn(&str, &str) -> bool| -> Values {
            let some = values.iter().filter(|(name, value)| kept(name, value));
            some.map(|(name, value)| (name.to_string(), value.clone())).collect()
        };
        let steps = gap.trace.as_ref().map(|trace| StepObject::all(model, trace)).unwrap_or_default();
        let state = |i: usize| steps.get(i).and_then(|step| step.state.as_ref());
        let before = state(0).map(|state| of(state, &|name, _| read.contains(name)));
        let after = state(1).map(|after| {
            of(after, &|name, value| {
                read.contains(name)
                    && before.as_ref().and_then(|b| b.get(name)).is_none_or(|old| old != value)
            })
        });
        let constants = gap.trace.as_ref().map(|trace| constants(model, trace)).unwrap_or_default();
        GapObject {
            property: PropertyObject::new(model, gap.property, PropertyVerdictWord::Unknown),
            event: gap.event.map(|e| event_name(model, Some(e))),
            others: model.variables.len() - read.len(),
            variables: read.iter().map(|name| name.to_string()).collect(),
            constants: of(&constants, &|name, _| fixed.contains(name)),
            before,
            after,
            sequences: super::folding::has_sequences(model),
        }
    }

    fn write(&self, out: &mut String, style: Style) -> Result {
        let paint = style.paint;
        let at = location(&self.property.file, self.property.line);
        let at = at.map(|at| format!("   {}", paint.faint(&at))).unwrap_or_default();
        let others = match self.others {
            0 => String::new(),
            n => format!(" and none of the {n} others"),
        };
        let reads = paint.faint(&format!("reads {}{others}", self.variables.join(", ")));
        match &self.event {
            Some(event) => {
                writeln!(out, "  {} breaks {}{at}\n    {reads}", paint.strong(event), self.property.named())?
            }
            None => writeln!(out, "  not implied: {}{at}\n    {reads}", self.property.named())?,
        }
        let line = |values: &Values| {
            let reading = style.reading(self.sequences);
            let all: Vec<String> =
                values.iter().map(|(name, value)| format!("{name} = {}", readable(value, reading))).collect();
            all.join(", ")
        };
        if !self.constants.is_empty() {
            writeln!(out, "    constants: {}", line(&self.constants))?;
        }
        if let (Some(before), Some(after)) = (&self.before, &self.after) {
            writeln!(out, "    before: {}\n    after:  {}", line(before), line(after))?;
        }
        Ok(())
    }
}

fn named(model: &Model, property: Property) -> String {
    PropertyObject::new(model, property, PropertyVerdictWord::Unknown).named()
}
