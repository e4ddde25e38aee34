//! Traces of others: trace files of other tools (ProB, ITF), of which only parts are known. They tell which steps to look
//! for.
//!
//! Parts that cannot be read (a symbolic value, a name that the model does not have) are left out and listed: a step that
//! is found fits everything that was read.

use std::collections::BTreeMap;

use bsym_language::model::{LocalId, Model, Variable};
use bsym_language::types::{CarrierId, Type};
use serde_json::Value as Json;

use crate::scope::Scope;
use crate::trace::Step;
use crate::trace::file::INITIALISATION;
use crate::value::Value;
use crate::value::parse::parse_value;
use crate::value::text::element_text;

/// Values by name.
type Values = BTreeMap<String, Value>;

/// A trace with known parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartialTrace {
    /// Values of constants.
    pub constants: Values,
    /// The initialisation, then events.
    pub steps: Vec<PartialStep>,
    /// Values of the file that could not be read, each with its place: `step 2: x`.
    pub unread: Vec<String>,
}

impl PartialTrace {
    /// Notes the names of an object whose values were not read.
    fn note(&mut self, at: &str, object: &Json, read: &[&Values]) {
        let names = object.as_object().into_iter().flat_map(|members| members.keys());
        let unread =
            names.filter(|name| !name.starts_with('#') && !read.iter().any(|v| v.contains_key(*name)));
        self.unread.extend(unread.map(|name| format!("{at}: {name}")));
    }

    /// The place of the step that comes next.
    fn place(&self) -> String {
        if self.steps.is_empty() { "initialisation".into() } else { format!("step {}", self.steps.len()) }
    }
}

/// A step with known parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartialStep {
    /// The name of the event, or `INITIALISATION`.
    pub event: Option<String>,
    /// Values of parameters.
    pub parameters: Values,
    /// Values of results.
    pub results: Values,
    /// Values of variables after the step.
    pub state: Values,
    /// The step is known to fail before it reaches a state.
    pub fails: bool,
}

impl PartialStep {
    /// Returns whether a step agrees with all known parts of this one.
    pub fn fits(&self, model: &Model, step: &Step) -> bool {
        let event = step.event.and_then(|e| model.events.get(e.index()));
        let name = event.map_or(INITIALISATION, |e| e.name.as_str());
        let fit = |known: &Values, locals: &[LocalId], values: &[Value]| {
            let names = locals.iter().map(|l| model.locals.get(l.index()).map_or("", |v| v.name.as_str()));
            names.zip(values).all(|(name, value)| known.get(name).is_none_or(|known| known == value))
        };
        let (parameters, results) = event.map_or((&[][..], &[][..]), |e| (&e.parameters[..], &e.results[..]));
        self.event.as_deref().is_none_or(|wanted| wanted == name)
            && fit(&self.parameters, parameters, &step.execution.parameters)
            && fit(&self.results, results, &step.execution.results)
            && match &step.state {
                None => self.state.is_empty(),
                Some(state) => {
                    let mut all = model.variables.iter().zip(state);
                    !self.fails
                        && all.all(|(x, value)| self.state.get(&x.name).is_none_or(|known| known == value))
                }
            }
    }
}

/// Reads a trace file of ProB.
///
/// # Errors
/// The text is not a trace file of ProB, in words.
pub fn partial_from_prob(model: &Model, scope: &Scope, text: &str) -> Result<PartialTrace, String> {
    let json: Json = serde_json::from_str(text).map_err(|e| format!("this is no JSON: {e}"))?;
    let list =
        json["transitionList"].as_array().ok_or("it has no `transitionList`, as ProB's traces have")?;
    let values = |names: &[Variable], object: &Json| -> Values {
        let read = |x: &Variable| {
            let value = parse_value(model, scope, &x.ty, object[&x.name].as_str()?).ok()?;
            Some((x.name.clone(), value))
        };
        names.iter().filter_map(read).collect()
    };
    let mut trace = PartialTrace::default();
    for transition in list {
        let name = transition["name"].as_str().ok_or("a transition has no `name`")?;
        let reached = &transition["destState"];
        let event = match name {
            "$setup_constants" | "SETUP_CONSTANTS" => {
                let constants = values(&model.constants, reached);
                trace.note("constants", reached, &[&constants]);
                trace.constants.extend(constants);
                continue;
            }
            "$initialise_machine" | INITIALISATION => {
                // Older files have the constants here.
                trace.constants.extend(values(&model.constants, reached));
                INITIALISATION
            }
            name => name,
        };
        let (parameters, results) = locals(model, event);
        let parameters = values(&parameters, &transition["params"]);
        let results = values(&results, &transition["results"]);
        let mut state = values(&model.variables, reached);
        let at = trace.place();
        trace.note(&at, &transition["params"], &[&parameters]);
        trace.note(&at, &transition["results"], &[&results]);
        let constants = trace.constants.clone();
        trace.note(&at, reached, &[&state, &constants]);
        let same = transition["destStateNotChanged"].as_array().into_iter().flatten();
        if let Some(before) = trace.steps.last() {
            let kept = same.filter_map(|name| before.state.get_key_value(name.as_str()?));
            state.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
        }
        let event = Some(event.to_string());
        trace.steps.push(PartialStep { event, parameters, results, state, fails: false });
    }
    Ok(trace)
}

/// Reads a trace in ITF. If a state does not name the action that led there, any action may have.
///
/// # Errors
/// The text is not a trace in ITF, in words.
pub fn partial_from_itf(model: &Model, scope: &Scope, text: &str) -> Result<PartialTrace, String> {
    let json: Json = serde_json::from_str(text).map_err(|e| format!("this is no JSON: {e}"))?;
    let states = json["states"].as_array().ok_or("it has no `states`, as traces in ITF have")?;
    let values = |names: &[Variable], object: &Json| -> Values {
        let read =
            |x: &Variable| Some((x.name.clone(), from_itf(model, scope, &x.ty, object.get(&x.name)?)?));
        names.iter().filter_map(read).collect()
    };
    let mut trace = PartialTrace::default();
    for (i, object) in states.iter().enumerate() {
        let action = object["#meta"]["action"].as_str();
        let event = if i == 0 { Some(INITIALISATION) } else { action };
        let (parameters, _) = locals(model, event.unwrap_or_default());
        let parameters = values(&parameters, &object["#meta"]["parameters"]);
        let (constants, state) = (values(&model.constants, object), values(&model.variables, object));
        let at = trace.place();
        trace.note(&at, &object["#meta"]["parameters"], &[&parameters]);
        trace.note(&at, object, &[&state, &constants]);
        trace.constants.extend(constants);
        let event = event.map(str::to_string);
        trace.steps.push(PartialStep { event, parameters, state, ..PartialStep::default() });
    }
    if let Some(last) = json["#meta"]["last_action"].as_str() {
        trace.steps.push(PartialStep {
            event: Some(last.to_string()),
            fails: true,
            ..PartialStep::default()
        });
    }
    Ok(trace)
}

/// Returns the parameters and the results of an event.
fn locals(model: &Model, event: &str) -> (Vec<Variable>, Vec<Variable>) {
    let Some(event) = model.events.iter().find(|e| e.name == event) else { return Default::default() };
    let of = |ids: &[LocalId]| ids.iter().filter_map(|l| model.locals.get(l.index()).cloned()).collect();
    (of(&event.parameters), of(&event.results))
}

/// Reads a value of a type from ITF.
fn from_itf(model: &Model, scope: &Scope, ty: &Type, json: &Json) -> Option<Value> {
    let inner = |ty: &Type, json: &Json| from_itf(model, scope, ty, json);
    // Our own files have it as text of B.
    if let Some(text) = json.get("#unserializable") {
        return parse_value(model, scope, ty, text.as_str()?).ok();
    }
    match (ty, json) {
        (Type::Bool, Json::Bool(b)) => Some(Value::Bool(*b)),
        (Type::Int, Json::Number(n)) => Some(Value::int(n.as_i64()?)),
        (Type::Int, json) => Some(Value::Int(json.get("#bigint")?.as_str()?.parse().ok()?)),
        (Type::String, Json::String(s)) => Some(Value::string(s.as_str())),
        (Type::Carrier(carrier), Json::String(s)) => element(model, scope, *carrier, s),
        (Type::Pair(a, b), json) => match &json.get("#tup")?.as_array()?[..] {
            [left, right] => Some(Value::pair(inner(a, left)?, inner(b, right)?)),
            _ => None,
        },
        (Type::Pow(of), json) => {
            if let Some(elements) = json.get("#set") {
                let elements = elements.as_array()?.iter().map(|e| inner(of, e));
                return Some(Value::set(elements.collect::<Option<Vec<_>>>()?));
            }
            let Type::Pair(a, b) = &**of else { return None };
            if let Some(entries) = json.get("#map") {
                let entry = |entry: &Json| match &entry.as_array()?[..] {
                    [x, y] => Some(Value::pair(inner(a, x)?, inner(b, y)?)),
                    _ => None,
                };
                return Some(Value::set(entries.as_array()?.iter().map(entry).collect::<Option<Vec<_>>>()?));
            }
            let elements = json.as_array()?.iter().map(|e| inner(b, e)).collect::<Option<Vec<_>>>()?;
            Some(Value::sequence(elements))
        }
        (Type::Record(fields), Json::Object(object)) => {
            let field = |(name, ty): &(String, Type)| {
                Some((std::sync::Arc::from(name.as_str()), inner(ty, object.get(name)?)?))
            };
            Some(Value::Record(fields.iter().map(field).collect::<Option<Vec<_>>>()?.into()))
        }
        _ => None,
    }
}

fn element(model: &Model, scope: &Scope, carrier: CarrierId, name: &str) -> Option<Value> {
    let mut all = scope.positions(model, carrier)?;
    all.find(|i| element_text(model, carrier, *i) == name).map(|i| Value::Element(carrier, i))
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;

    use super::*;
    use crate::evaluator::Evaluator;
    use crate::scope::ScopeRequest;
    use crate::trace::Trace;
    use crate::trace::itf::trace_to_itf;
    use crate::trace::prob::trace_to_prob;

    const MACHINE: &str = "MACHINE m SETS D; C = {red, green} CONSTANTS k PROPERTIES k : D VARIABLES f, q, n, p, b \
        INVARIANT f : C +-> D & q : seq(C) & n : INTEGER & p : POW(C * INTEGER) & b : BOOL \
        INITIALISATION f, q, n, p, b := {}, [], 0, {}, FALSE OPERATIONS \
        r <-- step(c, d) = PRE c : C & d : D THEN f(c) := d || q := q <- c || n := n - 7 || p := {c |-> 5} || b := TRUE || r := n \
        END END";

    /// Written traces are read back, and fit the steps that they were written from and no others.
    #[test]
    fn what_we_write_is_read() {
        let model = load_text("m.mch", MACHINE).model.expect("a machine");
        let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
        let eval = Evaluator::new(&model, &scope);
        let constants = eval.constants(&BTreeMap::new()).found.remove(0);
        let step = |edge: &crate::transition::Edge| Step {
            event: edge.event,
            execution: edge.execution.clone(),
            state: edge.state().cloned(),
        };
        let first = step(&eval.initial_states(&constants).edges[0]);
        let edges = eval.successors(&constants, first.state.as_ref().expect("a state")).edges;
        let steps = vec![first, step(&edges[2])];
        let trace = Trace::new(scope.clone(), constants, steps);
        let itf = partial_from_itf(&model, &scope, &trace_to_itf(&model, &trace).to_string()).unwrap();
        let prob = trace_to_prob(&model, &trace, "2025-01-31T12:00:00Z").to_string();
        let prob = partial_from_prob(&model, &scope, &prob).unwrap();
        for partial in [itf, prob] {
            assert_eq!(partial.constants.get("k"), trace.constants.first());
            assert_eq!(partial.steps.len(), 2);
            assert_eq!(partial.steps[1].state.len(), 5, "{partial:?}");
            assert!(partial.steps.iter().zip(&trace.steps).all(|(known, step)| known.fits(&model, step)));
            let fitting = edges.iter().filter(|edge| partial.steps[1].fits(&model, &step(edge))).count();
            assert_eq!(fitting, 1);
        }
        assert!(partial_from_itf(&model, &scope, "{}").is_err());
        assert!(partial_from_prob(&model, &scope, "[").is_err());
    }
}
