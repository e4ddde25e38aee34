//! The trace file of bsym: JSON with values as B text.
//!
//! ```json
//! { "format": "bsym-trace", "version": 1, "machine": "Lift",
//!   "scope": { "sizes": { "FLOOR": 2 }, "maxint": "3", "minint": "-1" },
//!   "constants": { "top": "9" },
//!   "steps": [
//!     { "event": "INITIALISATION", "parameters": {}, "results": {}, "changed": { "level": "0" },
//!       "state": { "level": "0" }, "choices": [] },
//!     { "event": "up", "parameters": { "d": "4" }, "results": {}, "changed": { "level": "4" },
//!       "state": { "level": "4" }, "choices": [ { "choice": 2, "value": "(1|->2)" } ] } ] }
//! ```
//!
//! `state` has every variable, `changed` those whose value differs from that in the state before. A last step that
//! fails before it reaches a state has no `state` and no `results`. `"repeated": { "steps": 2, "rounds": "1000" }` says
//! that the two steps before this one were repeated a thousand times more, each time with the same change of numbers. `choices` hold the values needed to repeat the
//! step, by number of the choice in the model: for `ANY`, `::` and `:(P)` the values as a left-nested couple, for
//! `CHOICE` and `SELECT` the position of the branch from 0. Empty fields are present too. A file that contradicts
//! itself is refused.

use std::collections::BTreeMap;

use bsym_language::int::Int;
use bsym_language::model::{ChoiceId, LocalId, Model, Subst, SubstKind, Target, Variable};
use bsym_language::types::{CarrierId, Type};
use bsym_language::walk::parts;
use serde::{Deserialize, Serialize};

use crate::scope::{Scope, ScopeError, ScopeRequest};
use crate::trace::{Repeat, Step, Trace};
use crate::transition::state::{Execution, State};
use crate::value::Value;
use crate::value::parse::{ValueError, parse_value};
use crate::value::text::value_text;

/// Name of the initialisation in place of an event name.
pub const INITIALISATION: &str = "INITIALISATION";

const FORMAT: &str = "bsym-trace";
const VERSION: u32 = 1;

/// A trace in its file form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// `bsym-trace`
    pub format: String,
    /// 1
    pub version: u32,
    /// Name of the machine.
    pub machine: String,
    /// The scope under which the trace exists.
    pub scope: ScopeFile,
    /// Values of the constants.
    pub constants: BTreeMap<String, String>,
    /// Initialisation, then events.
    pub steps: Vec<StepFile>,
}

/// A scope in its file form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeFile {
    /// Sizes of the deferred sets.
    pub sizes: BTreeMap<String, usize>,
    /// `MAXINT`
    pub maxint: String,
    /// `MININT`
    pub minint: String,
}

/// A step in its file form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepFile {
    /// Name of the event, or `INITIALISATION`.
    pub event: String,
    /// Values of the parameters.
    pub parameters: BTreeMap<String, String>,
    /// Values of the results.
    pub results: BTreeMap<String, String>,
    /// Variables whose value differs from that in the state before.
    pub changed: BTreeMap<String, String>,
    /// Values of all variables; absent where the step fails before it reaches a state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BTreeMap<String, String>>,
    /// Choices made.
    pub choices: Vec<ChoiceFile>,
    /// Rounds of a cycle that are left out before this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<RepeatFile>,
}

/// Rounds of a cycle that are left out before a step, in their file form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatFile {
    /// Number of steps before this one that were repeated.
    pub steps: usize,
    /// How often, in decimal digits; each time adds the same numbers to variables.
    pub rounds: Int,
}

/// A choice in its file form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceFile {
    /// Number of the choice in the model.
    pub choice: u32,
    /// Its value.
    pub value: String,
}

/// Error that explains why a file is not a trace of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum TraceError {
    #[error("this is no trace file: {0}")]
    Json(String),
    #[error("this is a `{0}` file of version {1}, expected `bsym-trace` of version 1")]
    Format(String, u32),
    #[error("the trace is of machine `{found}`, not of `{expected}`")]
    Machine { found: String, expected: String },
    #[error("scope: {0}")]
    Scope(#[from] ScopeError),
    #[error("scope: `{0}` is no integer")]
    Bound(String),
    #[error("scope: the deferred set `{0}` has no size")]
    Unsettled(String),
    #[error("{place}: `{name}` is not one of: {known}")]
    Unknown { place: String, name: String, known: String },
    #[error("{place}: the value of `{name}` is missing")]
    Missing { place: String, name: String },
    #[error("{place}, `{name}`: {error}")]
    Value { place: String, name: String, error: ValueError },
    #[error("{place}: {message}")]
    Step { place: String, message: String },
}

/// Converts a trace into its file form.
pub fn trace_to_file(model: &Model, trace: &Trace) -> TraceFile {
    let text = |v: &Value| value_text(model, &trace.scope, v);
    let locals = |ids: &[LocalId], values: &[Value]| {
        let name = |l: &LocalId| model.locals.get(l.index()).map_or(String::new(), |v| v.name.clone());
        ids.iter().zip(values).map(|(l, v)| (name(l), text(v))).collect()
    };
    let steps = trace
        .steps
        .iter()
        .enumerate()
        .map(|(position, step)| {
            let before = trace.state_before(position);
            let event = step.event.and_then(|e| model.events.get(e.index()));
            let changed =
                step.state.iter().flat_map(|state| {
                    model.variables.iter().zip(state).enumerate().filter(|(i, (_, v))| {
                        before.as_ref().and_then(|b| b.get(*i)).is_none_or(|old| old != *v)
                    })
                });
            let repeat = trace.repeats.iter().find(|repeat| repeat.before == position);
            StepFile {
                event: event.map_or(INITIALISATION, |e| e.name.as_str()).to_string(),
                parameters: event
                    .map_or(BTreeMap::new(), |e| locals(&e.parameters, &step.execution.parameters)),
                // A step that goes wrong has none.
                results: event
                    .filter(|_| step.state.is_some())
                    .map_or(BTreeMap::new(), |e| locals(&e.results, &step.execution.results)),
                changed: changed.map(|(_, (x, v))| (x.name.clone(), text(v))).collect(),
                state: step.state.as_ref().map(|state| named(&model.variables, state, &text)),
                choices: step
                    .execution
                    .choices
                    .iter()
                    .map(|(id, v)| ChoiceFile { choice: id.0, value: text(v) })
                    .collect(),
                repeated: repeat.map(|r| RepeatFile { steps: r.length, rounds: r.rounds.clone() }),
            }
        })
        .collect();
    let sizes = trace.scope.sizes.iter();
    TraceFile {
        format: FORMAT.into(),
        version: VERSION,
        machine: model.name.clone(),
        scope: ScopeFile {
            sizes: sizes
                .filter_map(|(c, n)| Some((model.types.carriers.get(c.index())?.name.clone(), *n)))
                .collect(),
            maxint: trace.scope.maxint.to_string(),
            minint: trace.scope.minint.to_string(),
        },
        constants: named(&model.constants, &trace.constants, &text),
        steps,
    }
}

fn named(names: &[Variable], values: &[Value], text: &dyn Fn(&Value) -> String) -> BTreeMap<String, String> {
    names.iter().zip(values).map(|(x, v)| (x.name.clone(), text(v))).collect()
}

/// Returns a trace as JSON text.
pub fn trace_to_json(model: &Model, trace: &Trace) -> String {
    // A structure of strings and numbers can always be written.
    serde_json::to_string_pretty(&trace_to_file(model, trace)).unwrap_or_default()
}

/// Reads a trace of a model from JSON text.
///
/// # Errors
/// The text is not a trace file, or is not about this model.
pub fn trace_from_json(model: &Model, json: &str) -> Result<Trace, TraceError> {
    let file: TraceFile = serde_json::from_str(json).map_err(|e| TraceError::Json(e.to_string()))?;
    trace_from_file(model, &file)
}

/// Resolves the names and values of a trace file.
///
/// # Errors
/// The file is not about this model.
pub fn trace_from_file(model: &Model, file: &TraceFile) -> Result<Trace, TraceError> {
    if file.format != FORMAT || file.version != VERSION {
        return Err(TraceError::Format(file.format.clone(), file.version));
    }
    if file.machine != model.name {
        return Err(TraceError::Machine { found: file.machine.clone(), expected: model.name.clone() });
    }
    let scope = read_scope(model, &file.scope)?;
    let reader = Reader { model, scope: &scope, choices: choice_types(model) };
    let constants = reader.values("constants", &model.constants, &file.constants)?;
    let mut trace = Trace::new(scope.clone(), constants, vec![]);
    for (i, step) in file.steps.iter().enumerate() {
        let read = reader.step(i, step)?;
        if let Some(RepeatFile { steps, rounds }) = step.repeated.clone() {
            trace.repeats.push(Repeat { before: i, length: steps, rounds });
        }
        let before = trace.state_before(i);
        reader.check_changed(i, step, before.as_deref(), read.state.as_ref())?;
        trace.steps.push(read);
    }
    Ok(trace)
}

fn read_scope(model: &Model, file: &ScopeFile) -> Result<Scope, TraceError> {
    let bound = |text: &String| text.parse::<Int>().map_err(|_| TraceError::Bound(text.clone()));
    let request = ScopeRequest {
        sizes: file.sizes.clone(),
        maxint: Some(bound(&file.maxint)?),
        minint: Some(bound(&file.minint)?),
        prob: false,
    };
    let scope = Scope::settle(model, &request)?;
    for (id, carrier) in (0u32..).map(CarrierId).zip(&model.types.carriers) {
        if scope.size(model, id).is_none() {
            return Err(TraceError::Unsettled(carrier.name.clone()));
        }
    }
    Ok(scope)
}

struct Reader<'r> {
    model: &'r Model,
    scope: &'r Scope,
    choices: BTreeMap<ChoiceId, Type>,
}

impl Reader<'_> {
    fn step(&self, i: usize, step: &StepFile) -> Result<Step, TraceError> {
        let place = format!("step {i} ({})", step.event);
        let events = || self.model.events.iter().map(|e| e.name.as_str());
        let event = match step.event.as_str() {
            INITIALISATION => None,
            name => Some(events().position(|e| e == name).ok_or_else(|| TraceError::Unknown {
                place: place.clone(),
                name: name.to_string(),
                known: events().chain([INITIALISATION]).collect::<Vec<_>>().join(", "),
            })?),
        };
        let locals = |ids: &[LocalId]| -> Vec<Variable> {
            ids.iter().filter_map(|l| self.model.locals.get(l.index()).cloned()).collect()
        };
        let found = event.map(|e| &self.model.events[e]);
        let parameters = found.map_or(Vec::new(), |e| locals(&e.parameters));
        let results = found.map_or(Vec::new(), |e| locals(&e.results));
        // A step that goes wrong has no results.
        let results = if step.state.is_some() { results } else { vec![] };
        let read_results = self.values(&place, &results, &step.results)?;
        let mut choices = Vec::new();
        for choice in &step.choices {
            let id = ChoiceId(choice.choice);
            let Some(ty) = self.choices.get(&id) else {
                let message = format!("the model has no choice {}", choice.choice);
                return Err(TraceError::Step { place, message });
            };
            let value = self.value(&place, &format!("choice {}", choice.choice), ty, &choice.value)?;
            choices.push((id, value));
        }
        choices.sort_by_key(|(id, _)| *id);
        let state = step.state.as_ref().map(|s| self.values(&place, &self.model.variables, s)).transpose()?;
        Ok(Step {
            event: event.map(|e| bsym_language::model::EventId(e as u32)),
            execution: Execution {
                parameters: self.values(&place, &parameters, &step.parameters)?,
                results: read_results,
                choices,
            },
            state,
        })
    }

    /// Checks that a step changes exactly the variables that it claims to change.
    fn check_changed(
        &self,
        i: usize,
        step: &StepFile,
        before: Option<&State>,
        after: Option<&State>,
    ) -> Result<(), TraceError> {
        let place = format!("step {i} ({})", step.event);
        let state = after.map_or(&[][..], |s| s.as_slice());
        let is_new = |(k, value): &(usize, &Value)| before.and_then(|b| b.get(*k)) != Some(*value);
        let (names, values): (Vec<Variable>, Vec<&Value>) = state
            .iter()
            .enumerate()
            .filter(is_new)
            .filter_map(|(k, value)| Some((self.model.variables.get(k)?.clone(), value)))
            .unzip();
        let claimed = self.values(&format!("{place}, `changed`"), &names, &step.changed)?;
        match names.iter().zip(&values).zip(&claimed).find(|((_, value), claimed)| *value != claimed) {
            None => Ok(()),
            Some(((name, _), _)) => Err(TraceError::Step {
                place,
                message: format!("`{}` is another value in `changed` than in `state`", name.name),
            }),
        }
    }

    fn values(
        &self,
        place: &str,
        names: &[Variable],
        texts: &BTreeMap<String, String>,
    ) -> Result<Vec<Value>, TraceError> {
        if let Some(name) = texts.keys().find(|n| names.iter().all(|x| x.name != **n)) {
            let known: Vec<_> = names.iter().map(|x| x.name.as_str()).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(TraceError::Unknown { place: place.into(), name: name.clone(), known });
        }
        names
            .iter()
            .map(|x| match texts.get(&x.name) {
                Some(text) => self.value(place, &x.name, &x.ty, text),
                None => Err(TraceError::Missing { place: place.into(), name: x.name.clone() }),
            })
            .collect()
    }

    fn value(&self, place: &str, name: &str, ty: &Type, text: &str) -> Result<Value, TraceError> {
        parse_value(self.model, self.scope, ty, text).map_err(|error| TraceError::Value {
            place: place.into(),
            name: name.into(),
            error,
        })
    }
}

/// Returns the type of the value of every choice of a model.
pub fn choice_types(model: &Model) -> BTreeMap<ChoiceId, Type> {
    let mut found = BTreeMap::new();
    collect_choices(model, &model.initialisation, &mut found);
    for event in &model.events {
        collect_choices(model, &event.body, &mut found);
    }
    found
}

fn collect_choices(model: &Model, subst: &Subst, found: &mut BTreeMap<ChoiceId, Type>) {
    let local = |l: &LocalId| model.locals.get(l.index()).map(|v| v.ty.clone());
    let target = |t: &Target| match t {
        Target::Var(v) => model.variables.get(v.index()).map(|v| v.ty.clone()),
        Target::Local(l) => local(l),
    };
    let mut add = |id: &ChoiceId, types: Vec<Type>| {
        if let Some(ty) = types.into_iter().reduce(Type::pair) {
            found.insert(*id, ty);
        }
    };
    match &subst.kind {
        SubstKind::BecomesIn(id, targets, _) => add(id, targets.iter().filter_map(target).collect()),
        SubstKind::BecomesSuch(id, targets, _) => {
            add(id, targets.iter().filter_map(|(t, _)| target(t)).collect());
        }
        SubstKind::Choice(id, _) | SubstKind::Select { choice: id, .. } => add(id, vec![Type::Int]),
        SubstKind::Any(id, locals, ..) => add(id, locals.iter().filter_map(local).collect()),
        _ => {}
    }
    parts(subst).into_iter().for_each(|s| collect_choices(model, s, found));
}
