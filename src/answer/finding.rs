//! Findings of a machine without lines and traces, by which a baseline knows them.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What became of a property.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
pub enum FindingStatus {
    /// There is a trace.
    Violated,
    /// It is not decided, or an obligation is not discharged.
    Open,
    /// There is nothing to check.
    Vacuous,
}

/// A finding.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// What became of it.
    pub outcome: FindingStatus,
    /// The kind of the property: `inv`, `deadlock`, `ltl`, `po`, …, or `verdict` of the machine as a whole.
    pub property: String,
    /// Its label, else its text or its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

impl Finding {
    /// A finding about a property by its name.
    pub fn new(outcome: FindingStatus, property: &str, name: &str) -> Finding {
        // A text may be laid out in another way.
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        Finding { outcome, property: property.into(), name }
    }

    /// The finding about a machine as a whole.
    pub fn whole(outcome: FindingStatus) -> Finding {
        Finding::new(outcome, "verdict", "")
    }

    /// The finding about a property, as an object of JSON describes it.
    pub fn of(outcome: FindingStatus, property: &Json) -> Finding {
        let text = |name: &str| property[name].as_str();
        let name = text("label").or(text("text")).unwrap_or_default();
        Finding::new(outcome, text("property").unwrap_or("verdict"), name)
    }

    /// Returns whether who knows this finding knows the other one: it is the same, or less is known about a property that was
    /// violated.
    pub fn covers(&self, other: &Finding) -> bool {
        let is_same = self.property == other.property && self.name == other.name;
        is_same
            && (self.outcome == other.outcome
                || (self.outcome, other.outcome) == (FindingStatus::Violated, FindingStatus::Open))
    }

    /// The finding in words.
    pub fn in_words(&self) -> String {
        let outcome = match self.outcome {
            FindingStatus::Violated => "violated",
            FindingStatus::Open => "open",
            FindingStatus::Vacuous => "vacuous",
        };
        match (self.property.as_str(), self.name.as_str()) {
            ("verdict", _) => outcome.into(),
            (property, "") => format!("{outcome}: {property}"),
            (property, name) => format!("{outcome}: {property} {name}"),
        }
    }
}
