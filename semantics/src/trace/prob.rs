//! Traces as ProB's `.prob2trace`, format version 6, which ProB2-UI replays.

use std::collections::BTreeSet;

use bsym_language::model::{LocalId, Model, Notation, Subst, SubstKind, Target, VarId, Variable};
use bsym_language::types::Type;
use bsym_language::walk::{Names, Visitor, walk_subst};
use serde_json::{Map, Value as Json, json};

use crate::trace::Trace;
use crate::transition::state::State;
use crate::value::Value;
use crate::value::text::value_text;

/// Returns a trace as ProB's trace file. `saved_at` is a time as `2025-01-31T12:00:00Z`.
pub fn trace_to_prob(model: &Model, trace: &Trace, saved_at: &str) -> Json {
    let text = |v: &Value| Json::from(value_text(model, &trace.scope, v));
    let named = |names: &[Variable], values: &[Value]| -> Map<String, Json> {
        names.iter().zip(values).map(|(x, v)| (x.name.clone(), text(v))).collect()
    };
    let locals = |ids: &[LocalId]| -> Vec<Variable> {
        ids.iter().filter_map(|l| model.locals.get(l.index()).cloned()).collect()
    };
    let transition = |name: &str,
                      params: Map<String, Json>,
                      results: Map<String, Json>,
                      state: Map<String, Json>,
                      same: Vec<String>| {
        json!({
            "name": name, "params": params, "results": results, "destState": state,
            "destStateNotChanged": same, "preds": [], "postconditions": [], "description": "",
        })
    };
    let mut transitions = Vec::new();
    if !model.constants.is_empty() {
        let state = named(&model.constants, &trace.constants);
        transitions.push(transition("$setup_constants", Map::new(), Map::new(), state, Vec::new()));
    }
    let mut before: Option<&State> = None;
    for step in &trace.steps {
        let (mut changed, mut same) = (Map::new(), Vec::new());
        for (i, (x, v)) in step.state.iter().flat_map(|s| model.variables.iter().zip(s)).enumerate() {
            if before.and_then(|b| b.get(i)) == Some(v) {
                same.push(x.name.clone());
            } else {
                changed.insert(x.name.clone(), text(v));
            }
        }
        before = step.state.as_ref().or(before);
        let event = step.event.and_then(|e| model.events.get(e.index()));
        transitions.push(match event {
            None => transition("$initialise_machine", Map::new(), Map::new(), changed, same),
            Some(e) => transition(
                &e.name,
                named(&locals(&e.parameters), &step.execution.parameters),
                named(&locals(&e.results), &step.execution.results),
                changed,
                same,
            ),
        });
    }
    let names = |xs: &[Variable]| xs.iter().map(|x| x.name.clone()).collect::<Vec<_>>();
    let types = |xs: &[Variable]| -> Map<String, Json> {
        xs.iter().map(|x| (x.name.clone(), Json::from(type_text(model, &x.ty)))).collect()
    };
    let mut operations = Map::new();
    let notation = match model.text.notation {
        Notation::ClassicalB => "CLASSICAL_B",
        Notation::EventB => "EVENTB",
    };
    let variables = |ids: &BTreeSet<VarId>| -> Vec<String> {
        ids.iter().filter_map(|v| model.variables.get(v.index())).map(|x| x.name.clone()).collect()
    };
    for e in &model.events {
        let (parameters, results) = (locals(&e.parameters), locals(&e.results));
        let used = Names::of_subst(&e.body);
        let mut chosen = Chosen::default();
        chosen.subst(&e.body);
        let mut type_map = types(&parameters);
        type_map.extend(types(&results));
        let info = json!({
            "operationName": e.name,
            "parameterNames": names(&parameters),
            "outputParameterNames": names(&results),
            "topLevel": true,
            "type": notation,
            "readVariables": variables(&used.variables),
            "writtenVariables": variables(&used.written),
            "nonDetWrittenVariables": variables(&chosen.0),
            "typeMap": type_map,
        });
        operations.insert(e.name.clone(), info);
    }
    let mut global_types = types(&model.variables);
    global_types.extend(types(&model.constants));
    json!({
        "description": "",
        "transitionList": transitions,
        "variableNames": names(&model.variables),
        "constantNames": names(&model.constants),
        "setNames": model.types.carriers.iter().map(|c| c.name.clone()).collect::<Vec<_>>(),
        "machineOperationInfos": operations,
        "globalIdentifierTypes": global_types,
        "metadata": {
            "fileType": "Trace", "formatVersion": 6, "savedAt": saved_at, "creator": "bsym",
            "proB2KernelVersion": "", "proBCliVersion": "", "modelName": model.name,
        },
    })
}

/// The variables that an event chooses a value for: `x :: S`, `x : (P)`.
#[derive(Default)]
struct Chosen(BTreeSet<VarId>);

impl Visitor for Chosen {
    fn subst(&mut self, s: &Subst) {
        let targets: Vec<&Target> = match &s.kind {
            SubstKind::BecomesIn(_, targets, _) => targets.iter().collect(),
            SubstKind::BecomesSuch(_, targets, _) => targets.iter().map(|(target, _)| target).collect(),
            _ => vec![],
        };
        self.0.extend(targets.into_iter().filter_map(|target| match target {
            Target::Var(v) => Some(*v),
            Target::Local(_) => None,
        }));
        walk_subst(self, s);
    }
}

/// Returns a type as B text.
pub fn type_text(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Bool => "BOOL".into(),
        Type::Int => "INTEGER".into(),
        Type::Real => "REAL".into(),
        Type::String => "STRING".into(),
        Type::Carrier(c) => model.types.carriers.get(c.index()).map_or(String::new(), |c| c.name.clone()),
        Type::Free(t, _) => model.types.free_types.get(t.index()).map_or(String::new(), |t| t.name.clone()),
        Type::Parameter(_) => String::new(),
        Type::Pow(t) => format!("POW({})", type_text(model, t)),
        Type::Pair(a, b) => format!("({}*{})", type_text(model, a), type_text(model, b)),
        Type::Record(fields) => {
            let fields: Vec<_> = fields.iter().map(|(l, t)| format!("{l}:{}", type_text(model, t))).collect();
            format!("struct({})", fields.join(","))
        }
    }
}
