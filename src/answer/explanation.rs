//! Why a predicate is false in a state, as it is said below the predicate.

use std::fmt::{Result, Write};

use bsym_language::model::{Conjunct, Model};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::explanation::Explanation;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::{Trace, Violation};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;
use schemars::JsonSchema;
use serde::Serialize;

use super::folding::{Reading, has_sequences, readable};
use super::named::Values;

use crate::tuning::tuning;

/// Why a predicate is false.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct ExplanationObject {
    /// The part that is false, where that is not all of it.
    pub part: Option<String>,
    /// Bound names with the values that show it.
    pub with: Values,
    /// Expressions of the predicate with their values.
    pub values: Vec<ValueObject>,
    /// Elements that decide.
    pub elements: Vec<ElementsObject>,
    /// How values are read.
    #[serde(skip)]
    pub sequences: bool,
}

/// An expression with its value.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct ValueObject {
    pub expression: String,
    pub value: String,
}

/// Elements that decide, such as those of one set that are not in another.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct ElementsObject {
    /// What they are, in words.
    pub what: String,
    pub set: String,
}

impl ExplanationObject {
    fn new(found: Explanation, sequences: bool) -> Option<ExplanationObject> {
        if found.is_empty() {
            return None;
        }
        let Explanation { part, witness, values, elements } = found;
        // Nested quantifiers may bind the same name: the inner one decides.
        let last = witness
            .iter()
            .enumerate()
            .filter(|(i, (name, _))| witness[i + 1..].iter().all(|(later, _)| later != name));
        Some(ExplanationObject {
            part,
            with: last.map(|(_, bound)| bound.clone()).collect(),
            values: values.into_iter().map(|(expression, value)| ValueObject { expression, value }).collect(),
            elements: elements.into_iter().map(|e| ElementsObject { what: e.what, set: e.set }).collect(),
            sequences,
        })
    }

    /// Why each of the conjuncts is false that a violation at the end of a trace names, in their order.
    pub fn of(model: &Model, trace: &Trace, violation: &Violation) -> Vec<Option<ExplanationObject>> {
        let conjuncts: Vec<&Conjunct> = match violation {
            Violation::Invariant(which) => which.iter().filter_map(|i| model.invariant.get(*i)).collect(),
            Violation::Assertions(which) => which.iter().filter_map(|i| model.assertions.get(*i)).collect(),
            _ => return vec![],
        };
        let Some(state) = trace.steps.last().and_then(|step| step.state.as_ref()) else { return vec![] };
        let why = |conjunct: &&Conjunct| {
            ExplanationObject::of_conjunct(model, &trace.scope, &trace.constants, state, conjunct)
        };
        conjuncts.iter().map(why).collect()
    }

    /// Why a conjunct is false in a state.
    pub fn of_conjunct(
        model: &Model,
        scope: &Scope,
        constants: &[Value],
        state: &[Value],
        conjunct: &Conjunct,
    ) -> Option<ExplanationObject> {
        let found = Evaluator::new(model, scope).explain(&Env::new(constants, state), &conjunct.pred);
        ExplanationObject::new(found, has_sequences(model))
    }

    /// The lines below the predicate.
    pub fn write(&self, out: &mut String, folded: bool) -> Result {
        let reading = Reading { sequences: self.sequences, folded };
        if let Some(part) = &self.part {
            writeln!(out, "    where {part} is false")?;
        }
        let mut parts: Vec<String> = self
            .values
            .iter()
            .map(|v| format!("{} = {}", v.expression, readable(&v.value, reading)))
            .collect();
        let with: Vec<String> =
            self.with.iter().map(|(name, value)| format!("{name} = {}", readable(value, reading))).collect();
        if !with.is_empty() {
            parts.push(format!("with {}", with.join(", ")));
        }
        let line = parts.join(", ");
        if line.chars().count() <= tuning().listed.values_line {
            parts = if line.is_empty() { vec![] } else { vec![line] };
        }
        parts.iter().try_for_each(|part| writeln!(out, "    {part}"))?;
        self.elements.iter().try_for_each(|e| writeln!(out, "    {}: {}", e.what, readable(&e.set, reading)))
    }
}
