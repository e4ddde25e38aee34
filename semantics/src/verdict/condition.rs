//! Conditions: parts of a question that a proof leaves open.

use serde::{Deserialize, Serialize};

use super::reason::ReasonCode;

/// A part of the question that a proof leaves open, so that the verdict is not a plain `holds`. Ordered by severity.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// No valuation of the constants with an initial state is known, so the proof may be vacuous. The text names what
    /// is missing.
    ExistenceUndecided(String),
    /// An axiom is ill-defined under a valuation that satisfies those before it. The text names the axiom and the
    /// values.
    Axioms(String),
    /// It is not known that the machine refines its abstraction. The text gives the reason.
    NotCompared(String),
    /// Parts of the model that were not checked, each in words.
    NotChecked(Vec<String>),
    /// Proof status that no solver could confirm, as listed in the outcome of the checks.
    RestsOnTrust,
}

impl Condition {
    /// Returns the condition in one word for programs.
    pub fn code(&self) -> ReasonCode {
        match self {
            Condition::ExistenceUndecided(_) => ReasonCode::ExistenceUndecided,
            Condition::Axioms(_) => ReasonCode::IllDefined,
            Condition::NotCompared(_) => ReasonCode::NotCompared,
            Condition::NotChecked(_) => ReasonCode::NotChecked,
            Condition::RestsOnTrust => ReasonCode::RestsOnTrust,
        }
    }

    /// Returns the parts of the model that the condition concerns, if it lists any.
    pub fn parts(&self) -> &[String] {
        match self {
            Condition::NotChecked(parts) => parts,
            _ => &[],
        }
    }

    /// Returns the condition in words.
    pub fn message(&self) -> String {
        match self {
            Condition::ExistenceUndecided(missing) => {
                format!("{missing}, so the proof may be about nothing")
            }
            Condition::Axioms(which) => format!("{which}, and it says nothing about such values"),
            Condition::NotCompared(why) => {
                format!("the comparison with the abstraction is not decided: {why}")
            }
            Condition::NotChecked(parts) => {
                let first = parts.first().map(|p| format!(", first: {p}")).unwrap_or_default();
                match parts.len() {
                    1 => format!("a part of the machine was not checked{}", first.replacen(", first", "", 1)),
                    n => format!("{n} parts of the machine were not checked{first}"),
                }
            }
            Condition::RestsOnTrust => {
                "the proof rests on imported status that no solver could confirm".to_string()
            }
        }
    }
}
