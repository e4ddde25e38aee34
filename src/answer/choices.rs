//! The answers of a session to a program: what can be done in a state.

use bsym_language::model::{EventId, Model};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::{Step, Trace, Violation};
use bsym_semantics::transition::Edge;
use bsym_semantics::transition::state::Constants;
use schemars::JsonSchema;
use serde::Serialize;

use super::named::Values;
use super::property::event_name;
use super::trace::{StepObject, ViolatedObject, constants};

/// What bsym animate --json answers to `constants` and `successors`, one object a line
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ChoicesObject {
    #[schemars(extend("const" = "bsym-choices"))]
    format: &'static str,
    #[schemars(extend("const" = 1))]
    version: u32,
    /// Valuations of the constants.
    constants: Vec<Values>,
    steps: Vec<ChoiceObject>,
    /// Events without a step.
    disabled: Vec<String>,
    /// Why there may be more than these.
    notes: Vec<String>,
}

/// A step that can be taken.
#[derive(Serialize, JsonSchema, Clone, Debug)]
struct ChoiceObject {
    step: StepObject,
    /// What goes wrong on the way, if no state is reached.
    violated: Vec<ViolatedObject>,
}

impl ChoicesObject {
    /// No choice yet.
    pub fn new(model: &Model, disabled: &[EventId], notes: Vec<String>) -> ChoicesObject {
        let disabled = disabled.iter().map(|event| event_name(model, Some(*event))).collect();
        ChoicesObject {
            format: "bsym-choices",
            version: 1,
            constants: vec![],
            steps: vec![],
            disabled,
            notes,
        }
    }

    /// Adds a valuation of the constants.
    pub fn valuation(&mut self, model: &Model, scope: &Scope, values: Constants) {
        let trace = Trace::new(scope.clone(), values, vec![]);
        self.constants.push(constants(model, &trace));
    }

    /// Adds a step at the end of a path.
    pub fn edge(&mut self, model: &Model, path: &Trace, edge: Edge) {
        let violation = Violation::of_step(&edge.outcome);
        let step = Step { event: edge.event, state: edge.state().cloned(), execution: edge.execution };
        let alone = Trace::new(path.scope.clone(), path.constants.clone(), vec![step.clone()]);
        let violated = violation.map_or_else(Vec::new, |violation| {
            let mut whole = path.clone();
            whole.steps.push(step);
            ViolatedObject::explained(model, &whole, &[violation])
        });
        let steps = StepObject::all(model, &alone).into_iter();
        self.steps.extend(steps.map(|step| ChoiceObject { step, violated: violated.clone() }));
    }
}
