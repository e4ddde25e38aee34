//! An answer held against a baseline of known findings.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::finding::Finding;
use crate::exit::Exit;
use crate::paint::Paint;

/// What is known, new and gone.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct BaselineObject {
    /// Number of findings that the baseline has.
    pub known: usize,
    /// Findings that it does not have. They decide the exit code.
    pub new: Vec<FindingObject>,
    /// Findings of the machines that were checked that it has and that were not found.
    pub gone: Vec<FindingObject>,
}

/// A finding without lines and traces.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct FindingObject {
    pub file: String,
    /// The machine of a project that was asked for by name.
    pub component: Option<String>,
    /// violated, open or vacuous
    pub outcome: String,
    /// The kind of the property, or `verdict` of the machine as a whole.
    pub property: String,
    /// The label, else the text or the name of the property.
    pub name: String,
    #[serde(skip)]
    words: String,
}

impl FindingObject {
    /// A finding about a file, or about a machine of a project.
    pub fn new(file: &str, component: Option<&String>, finding: &Finding) -> FindingObject {
        let outcome = serde_json::to_value(finding.outcome).ok();
        let part = component.map(|component| format!(" {component}")).unwrap_or_default();
        FindingObject {
            file: file.into(),
            component: component.cloned(),
            outcome: outcome.and_then(|word| word.as_str().map(String::from)).unwrap_or_default(),
            property: finding.property.clone(),
            name: finding.name.clone(),
            words: format!("{file}{part}: {}", finding.in_words()),
        }
    }
}

/// What a baseline makes of an answer.
#[derive(Clone, Debug)]
pub struct Against {
    pub object: BaselineObject,
    /// The known findings of each machine.
    pub known: Vec<BTreeSet<Finding>>,
    /// The exit code by what is new.
    pub exit: Exit,
}

impl Against {
    /// For people, below the text of the answer.
    pub fn text(&self, paint: Paint) -> String {
        let BaselineObject { known, new, gone } = &self.object;
        let mut text = format!("baseline: {known} known, {} new, {} gone\n", new.len(), gone.len());
        for finding in new {
            text.push_str(&format!("  {}   {}\n", paint.bad("new"), finding.words));
        }
        for finding in gone {
            text.push_str(&format!("  {}  {}\n", paint.good("gone"), finding.words));
        }
        if !gone.is_empty() {
            text.push_str("  --write-baseline FILE writes a baseline without what is gone\n");
        }
        text
    }

    /// Adds itself to the object of the answer.
    ///
    /// # Errors
    /// The object has no JSON.
    pub fn added_to(&self, mut answer: Json) -> serde_json::Result<Json> {
        if let Json::Object(members) = &mut answer {
            members.insert("baseline".into(), serde_json::to_value(&self.object)?);
        }
        Ok(answer)
    }
}
