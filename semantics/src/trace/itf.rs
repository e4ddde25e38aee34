//! Traces in ITF, the Informal Trace Format of Apalache.
//!
//! Constants are `params`; each state repeats them, so that readers which know only states see everything.
//! `#meta` of a state has its `index` and the `action` that led there. Functions are `#map`, other relations
//! a `#set` of `#tup`; elements of carriers are strings; what ITF cannot say is `#unserializable`.

use bsym_language::model::Model;
use bsym_language::types::Type;
use serde_json::{Map, Value as Json, json};

use crate::scope::Scope;
use crate::trace::Trace;
use crate::trace::file::INITIALISATION;
use crate::value::Value;
use crate::value::text::{element_text, value_text};

/// A trace as an ITF document. A last step that goes wrong on the way has no state: its event is
/// `last_action` in `#meta` of the document.
pub fn trace_to_itf(model: &Model, trace: &Trace) -> Json {
    let value = |v: &Value, ty: &Type| itf_value(model, &trace.scope, v, ty);
    let names = |xs: &[bsym_language::model::Variable]| xs.iter().map(|x| x.name.clone()).collect::<Vec<_>>();
    let event = |e: Option<bsym_language::model::EventId>| {
        e.and_then(|e| model.events.get(e.index())).map_or(INITIALISATION, |e| e.name.as_str()).to_string()
    };
    let mut meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "description": format!("trace of machine {}", model.name),
    });
    let mut states = Vec::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let Some(state) = &step.state else {
            meta["last_action"] = event(step.event).into();
            continue;
        };
        let mut parameters = Map::new();
        if let Some(e) = step.event.and_then(|e| model.events.get(e.index())) {
            for (l, v) in e.parameters.iter().zip(&step.execution.parameters) {
                if let Some(x) = model.locals.get(l.index()) {
                    parameters.insert(x.name.clone(), value(v, &x.ty));
                }
            }
        }
        let mut object = Map::new();
        object.insert(
            "#meta".into(),
            json!({ "index": i, "action": event(step.event), "parameters": parameters }),
        );
        let all = model.constants.iter().zip(&trace.constants).chain(model.variables.iter().zip(state));
        for (x, v) in all {
            object.insert(x.name.clone(), value(v, &x.ty));
        }
        states.push(Json::Object(object));
    }
    let mut vars = names(&model.constants);
    vars.extend(names(&model.variables));
    json!({ "#meta": meta, "params": names(&model.constants), "vars": vars, "states": states })
}

fn itf_value(model: &Model, scope: &Scope, value: &Value, ty: &Type) -> Json {
    let inner = |v: &Value, ty: &Type| itf_value(model, scope, v, ty);
    match (value, ty) {
        (Value::Bool(b), _) => json!(b),
        (Value::Int(n), _) => json!({ "#bigint": n.to_string() }),
        (Value::String(s), _) => json!(&**s),
        (Value::Element(c, i), _) => json!(element_text(model, *c, *i)),
        (Value::Pair(p), Type::Pair(a, b)) => json!({ "#tup": [inner(&p.0, a), inner(&p.1, b)] }),
        (Value::Record(fields), Type::Record(types)) => {
            let fields = fields.iter().zip(types).map(|((l, v), (_, t))| (l.to_string(), inner(v, t)));
            Json::Object(fields.collect())
        }
        (Value::Set(s), Type::Pow(t)) => {
            if let Type::Pair(a, b) = &**t {
                let pairs: Vec<_> = s.iter().filter_map(Value::as_pair).collect();
                // Couples are sorted by their left side.
                let functional = pairs.windows(2).all(|w| w[0].0 != w[1].0);
                if functional && !pairs.is_empty() {
                    let entries: Vec<_> =
                        pairs.iter().map(|(x, y)| json!([inner(x, a), inner(y, b)])).collect();
                    return json!({ "#map": entries });
                }
            }
            json!({ "#set": s.iter().map(|v| inner(v, t)).collect::<Vec<_>>() })
        }
        _ => json!({ "#unserializable": value_text(model, scope, value) }),
    }
}
