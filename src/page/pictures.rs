//! Pictures of the states of a trace, and of the states near it.
//!
//! A page is made from the JSON of an answer, in which values are texts. The machine is read again, which takes a few
//! milliseconds, and the texts become values of its types. A trace whose names or values do not fit, such as that of a
//! machine side by side with its abstraction, has no pictures.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_language::int::Int;
use bsym_language::load::{LoadRequest, load_with};
use bsym_language::model::{CarrierKind, Model, Variable};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;
use bsym_semantics::value::parse::parse_value;
use serde_json::Value as Json;

use super::fields::call;
use crate::arguments::PageArguments;
use crate::drawing::{Picture, film};
use crate::snapshot::{Custom, Frames, Near, Options, Snapshot, Visb, Visited, near, picture};
use crate::tuning::tuning;

/// The machine that an answer is about.
pub struct Machine {
    model: Model,
    /// The graph that it defines of its states.
    own: Option<Custom>,
    /// The SVG that it defines for its states.
    visb: Option<Visb>,
}

/// Drawings for a trace.
#[derive(Default)]
pub struct Drawn {
    /// The states.
    pub states: Option<String>,
    /// The drawing that the machine defines.
    pub visb: Option<Frames>,
    /// The graph of the states near them.
    pub near: Option<String>,
    /// What the drawings leave out.
    pub notes: Vec<String>,
}

/// The values of a trace.
struct Values {
    scope: Scope,
    constants: Vec<Value>,
    steps: Vec<Visited>,
    unknown: BTreeSet<String>,
}

impl Machine {
    /// Reads the machine of a page.
    pub fn read(asked: &PageArguments) -> Option<Machine> {
        let request = LoadRequest {
            component: asked.component.component.clone(),
            include_path: asked.component.include.clone(),
        };
        let mut model = load_with(&asked.file, &request).ok()?.model?;
        let own = Custom::read(&mut model);
        let visb = Visb::read(&mut model, asked.file.parent().unwrap_or(Path::new("")));
        Some(Machine { model, own, visb })
    }

    /// Draws the trace of an object of the result; `key` is the name of its steps and `id` names the drawings.
    pub fn draw(&self, result: &Json, object: &Json, key: &str, id: &str) -> Drawn {
        let steps = object[key].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(values) = self.values(result, &object["constants"], steps) else { return Drawn::default() };
        let mut drawn = Drawn::default();
        self.visb(&values, id, &mut drawn);
        if drawn.visb.is_none() {
            self.states(&values, id, &mut drawn);
        }
        let is_violated = object["violated"].as_array().is_some_and(|all| !all.is_empty())
            || (object["verdict"] == "violated" && result["format"] == "bsym-result");
        let is_path = steps.first().is_some_and(|step| step["event"] == "INITIALISATION");
        if values.unknown.is_empty() && is_path && steps.len() > 1 {
            let Values { scope, constants, steps, .. } = &values;
            let (frames, first) = near(&Near { model: &self.model, scope, constants, steps, is_violated });
            if let Some(last) = frames.last().filter(|last| last.nodes.len() > 1) {
                drawn
                    .notes
                    .extend(last.remarks.iter().map(|remark| format!("states near the trace: {remark}")));
                drawn.near = fitting(film(&frames, first, &format!("{id}-near-")), &mut drawn.notes);
            }
        }
        drawn
    }

    /// The drawing that the machine defines, for every step.
    fn visb(&self, values: &Values, id: &str, drawn: &mut Drawn) {
        let Some(visb) = self.visb.as_ref().filter(|_| values.unknown.is_empty()) else { return };
        let mut failures: BTreeSet<String> = visb.failures.iter().map(ToString::to_string).collect();
        // A step that fails leaves the state as it was.
        let mut states: Vec<&State> = vec![];
        for step in &values.steps {
            states.extend(step.state.as_ref().or(states.last().copied()));
        }
        let Values { scope, constants, .. } = values;
        let snapshots: Vec<Snapshot<'_>> = states
            .iter()
            .map(|state| Snapshot { model: &self.model, scope, constants, state: state.as_slice() })
            .collect();
        match visb.frames(&snapshots, &format!("{id}-visb"), &mut failures) {
            Ok(frames) if frames.svg.len() + frames.changes.len() > tuning().page.picture => {
                drawn.notes.push("the drawing of the machine is too large for a page".into());
            }
            Ok(frames) => drawn.visb = Some(frames),
            Err(failure) => _ = failures.insert(failure.to_string()),
        }
        let more = failures.len().saturating_sub(tuning().page.failures);
        drawn.notes.extend(
            failures
                .into_iter()
                .take(tuning().page.failures)
                .map(|failure| format!("drawing of the machine: {failure}")),
        );
        if more > 0 {
            drawn.notes.push(format!("drawing of the machine: {more} more of such messages"));
        }
    }

    fn states(&self, values: &Values, id: &str, drawn: &mut Drawn) {
        let first = values.steps.len().saturating_sub(tuning().page.steps);
        let options = Options { unknown: values.unknown.clone(), ..Options::default() };
        let mut frames: Vec<Picture> = vec![];
        let failed = self.own.iter().flat_map(|own| &own.failures);
        let mut failures: BTreeSet<String> = failed.map(ToString::to_string).collect();
        for (number, step) in values.steps.iter().enumerate().skip(first) {
            // A step that fails leaves the state as it was.
            let Some(state) = &step.state else {
                frames.extend(frames.last().cloned());
                continue;
            };
            let snapshot =
                Snapshot { model: &self.model, scope: &values.scope, constants: &values.constants, state };
            let title = format!("{}: the state after step {number}", self.model.name);
            let mut frame = match self
                .own
                .as_ref()
                .filter(|_| values.unknown.is_empty())
                .map(|own| own.picture(&snapshot, title.clone()))
            {
                Some(Ok(frame)) => frame,
                Some(Err(failure)) => {
                    failures.insert(failure.to_string());
                    picture(&snapshot, title, &options)
                }
                None => picture(&snapshot, title, &options),
            };
            // The table of the steps has these.
            frame.table.clear();
            frames.push(frame);
        }
        drawn
            .notes
            .extend(failures.iter().take(3).map(|failure| format!("pictures of the states: {failure}")));
        if frames.iter().all(|frame| frame.nodes.is_empty() && frame.rows.is_empty()) {
            return;
        }
        if first > 0 {
            drawn.notes.push(format!("pictures of the states: the first {first} steps have none"));
        }
        if let Some(last) = frames.last() {
            drawn.notes.extend(last.remarks.iter().map(|remark| format!("pictures of the states: {remark}")));
        }
        drawn.states = fitting(film(&frames, first, &format!("{id}-state-")), &mut drawn.notes);
    }

    /// The values of the steps; `None` where some text is no value of the model.
    fn values(&self, result: &Json, constants: &Json, steps: &[Json]) -> Option<Values> {
        let model = &self.model;
        let scope = self.scope(result, constants, steps)?;
        let known =
            |object: &Json| object.as_object().is_none_or(|o| o.keys().all(|name| self.is_name(name)));
        if !known(constants) || !steps.iter().all(|step| known(&step["state"])) {
            return None;
        }
        let mut unknown = BTreeSet::new();
        let mut all = |names: &[Variable], of: &Json| -> Option<Vec<Value>> {
            let value = |variable: &Variable| match of[&variable.name].as_str() {
                Some(text) => parse_value(model, &scope, &variable.ty, text).ok(),
                None => {
                    unknown.insert(variable.name.clone());
                    Some(Value::empty())
                }
            };
            names.iter().map(value).collect()
        };
        let constants = all(&model.constants, constants)?;
        let mut visited = vec![];
        for step in steps {
            let state = match &step["state"] {
                Json::Null => None,
                state => Some(all(&model.variables, state)?),
            };
            visited.push(Visited { event: call(step), state });
        }
        visited.iter().any(|step| step.state.is_some()).then_some(Values {
            scope,
            constants,
            steps: visited,
            unknown,
        })
    }

    fn is_name(&self, name: &str) -> bool {
        self.model.constants.iter().chain(&self.model.variables).any(|variable| variable.name == name)
    }

    /// The scope of the result. A set of any size is as large as the elements that are named need.
    fn scope(&self, result: &Json, constants: &Json, steps: &[Json]) -> Option<Scope> {
        let of = if result["scope"].is_null() { &result["model"]["scope"] } else { &result["scope"] };
        let mut request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let sizes = [&of["sets"], &of["sizes"]].into_iter().filter_map(Json::as_object).flatten();
        for (name, size) in sizes {
            request.sizes.extend(size.as_u64().map(|n| (name.clone(), n as usize)));
        }
        let number = |value: &Json| match value {
            Json::Number(n) => n.as_i64().map(Int::from),
            Json::String(text) => text.parse().ok(),
            _ => None,
        };
        (request.maxint, request.minint) = (number(&of["maxint"]), number(&of["minint"]));
        for carrier in
            self.model.types.carriers.iter().filter(|carrier| carrier.kind == CarrierKind::Deferred)
        {
            if !request.sizes.contains_key(&carrier.name) {
                let texts = steps.iter().map(|step| &step["state"]).chain([constants]);
                let named =
                    texts.filter_map(Json::as_object).flat_map(|o| o.values()).filter_map(Json::as_str);
                if let Some(most) = named.filter_map(|text| largest(text, &carrier.name)).max() {
                    request.sizes.insert(carrier.name.clone(), most);
                }
            }
        }
        Scope::settle(&self.model, &request).ok()
    }
}

/// The largest number behind a name in a text: that of the last element of a set that is named.
fn largest(text: &str, name: &str) -> Option<usize> {
    let number = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse::<usize>().ok()
    };
    text.match_indices(name)
        .filter_map(|(at, _)| number(&text[at + name.len()..]))
        .max()
        .filter(|n| *n < 10_000)
}

/// A drawing that is not too long for a page.
fn fitting(text: String, notes: &mut Vec<String>) -> Option<String> {
    if text.len() <= tuning().page.picture {
        return Some(text);
    }
    notes.push(format!("a drawing of {} MB is left out", text.len() / 1_000_000 + 1));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_element_of_a_set_that_is_named() {
        assert_eq!(largest("{(PROC2|->PROC11),(PROC3|->OTHER40)}", "PROC"), Some(11));
        assert_eq!(largest("{}", "PROC"), None);
    }
}
