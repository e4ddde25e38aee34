//! Witness that a claim is not vacuous: one valuation of the constants and one initial state.
//!
//! A proof about a machine without states is vacuous, and no check of its sequents notices. So a certificate carries a
//! valuation and an initial state, in a scope that its claim covers, with the choices that the initialisation makes.
//! The checker of a certificate repeats the initialisation with the evaluator; no solver has to be believed, and none
//! is asked.

use std::collections::BTreeMap;

use bsym_encodings::budget::Budget;
use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::file::{self, ChoiceFile, StepFile, TraceFile, trace_from_file, trace_to_file};
use bsym_semantics::trace::replay::{Checks, replay_with};
use serde::{Deserialize, Serialize};

use crate::limits;

/// A valuation and an initial state as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// Sizes of the deferred sets that the scope of the claim leaves open.
    pub sizes: BTreeMap<String, usize>,
    /// Values of the constants.
    pub constants: BTreeMap<String, String>,
    /// Values of the variables.
    pub state: BTreeMap<String, String>,
    /// The choices of the initialisation.
    pub choices: Vec<ChoiceFile>,
}

impl Witness {
    /// The first state of a trace, for a claim about `scope`.
    pub fn new(model: &Model, scope: &Scope, trace: &Trace) -> Witness {
        let file = trace_to_file(model, trace);
        let first = file.steps.into_iter().next();
        let (state, choices) = first.map(|s| (s.state, s.choices)).unwrap_or_default();
        let open: Vec<&String> =
            scope.open_sets(model).map(|id| &model.types.carriers[id.index()].name).collect();
        let sizes = file.scope.sizes.into_iter().filter(|(name, _)| open.contains(&name)).collect();
        Witness { sizes, constants: file.constants, state: state.unwrap_or_default(), choices }
    }

    /// Repeats the initialisation in the scope of a claim, with these sizes for the sets that it leaves open.
    ///
    /// # Errors
    /// Why this is no initial state, in lower case, without a full stop.
    pub fn replay(&self, model: &Model, scope: &Scope, budget: &Budget) -> Result<(), String> {
        let mut missing = None;
        let whole = scope.with_open_sets(model, |id| {
            let name = &model.types.carriers[id.index()].name;
            match self.sizes.get(name) {
                Some(&n) if (1..=limits::ELEMENTS).contains(&n) => n,
                _ => {
                    missing.get_or_insert_with(|| name.clone());
                    1
                }
            }
        });
        if let Some(name) = missing {
            return Err(format!("`{name}` has no size, or one that is not possible"));
        }
        let open = scope.open_sets(model).count();
        if open != self.sizes.len() {
            return Err("it gives sizes to sets that the claim leaves no choice about".into());
        }
        let step = StepFile {
            event: file::INITIALISATION.into(),
            parameters: BTreeMap::new(),
            results: BTreeMap::new(),
            changed: self.state.clone(),
            state: Some(self.state.clone()),
            choices: self.choices.clone(),
            repeated: None,
        };
        let named = Trace::new(whole.clone(), vec![], vec![]);
        let file = TraceFile {
            constants: self.constants.clone(),
            steps: vec![step],
            // The format and the scope, as they are written.
            ..trace_to_file(model, &named)
        };
        let trace = trace_from_file(model, &file).map_err(|e| e.to_string())?;
        // The invariant is not checked here.
        let checks = Checks { invariant: Some(vec![]), ..Checks::default() };
        let replayed = interruptible(&budget.cancellation(), budget.deadline, |interrupt| {
            let eval = Evaluator::new(model, &whole).with_interrupt(interrupt);
            replay_with(&eval, &trace, &checks)
        });
        replayed.map(|_| ()).map_err(|e| e.to_string())
    }

    /// Returns the witness in words: `card(S) = 2, c = 3; x = 0`.
    pub fn text(&self) -> String {
        let values = |all: &BTreeMap<String, String>| -> Vec<String> {
            all.iter().map(|(name, value)| format!("{name} = {value}")).collect()
        };
        let sizes = self.sizes.iter().map(|(set, n)| format!("card({set}) = {n}"));
        let fixed: Vec<String> = sizes.chain(values(&self.constants)).collect();
        let state = values(&self.state).join(", ");
        let state = if state.is_empty() { "the state without variables".to_string() } else { state };
        if fixed.is_empty() { state } else { format!("{}; {state}", fixed.join(", ")) }
    }
}
