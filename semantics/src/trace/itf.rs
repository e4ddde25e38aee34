//! Traces in ITF, the Informal Trace Format of Apalache.
//!
//! Constants are `params`; each state repeats them, so that readers which know only states see everything. `#meta` of a
//! state has its `index` and the `action` that led there. A value that the model declares as a function is a `#map` in
//! every state, one that it declares as a sequence a list, other relations a `#set` of `#tup` (as is a value that is
//! not of its declared kind). Elements of carriers are strings. Values that ITF cannot express are `#unserializable`.

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Model, Pred, PredKind, UnaryOp};
use bsym_language::model::{ConstId, VarId};
use bsym_language::types::Type;
use serde_json::{Map, Value as Json, json};

use crate::scope::Scope;
use crate::trace::Trace;
use crate::trace::file::INITIALISATION;
use crate::value::Value;
use crate::value::text::{element_text, value_text};

/// Returns a trace as an ITF document. Where rounds are left out before a state, its `#meta` has their number. A last step that fails before it reaches a state has none: its event is
/// `last_action` in `#meta` of the document.
pub fn trace_to_itf(model: &Model, trace: &Trace) -> Json {
    let value = |v: &Value, ty: &Type| itf_value(model, &trace.scope, v, ty, None);
    let conjuncts = || model.axioms.iter().chain(&model.invariant).map(|c| &c.pred);
    let of_constants = (0..).map(|i| ExprKind::Const(ConstId(i))).zip(&model.constants);
    let of_variables = (0..).map(|i| ExprKind::Var(VarId(i))).zip(&model.variables);
    let spaces: Vec<Option<&Expr>> =
        of_constants.chain(of_variables).map(|(name, _)| conjuncts().find_map(|p| space(p, &name))).collect();
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
        let mut of_state = json!({ "index": i, "action": event(step.event), "parameters": parameters });
        if let Some(repeat) = trace.repeats.iter().find(|repeat| repeat.before == i) {
            of_state["repeated"] = json!({ "steps": repeat.length, "rounds": repeat.rounds });
        }
        object.insert("#meta".into(), of_state);
        let all = model.constants.iter().zip(&trace.constants).chain(model.variables.iter().zip(state));
        for ((x, v), space) in all.zip(&spaces) {
            object.insert(x.name.clone(), itf_value(model, &trace.scope, v, &x.ty, *space));
        }
        states.push(Json::Object(object));
    }
    let mut vars = names(&model.constants);
    vars.extend(names(&model.variables));
    json!({ "#meta": meta, "params": names(&model.constants), "vars": vars, "states": states })
}

/// Returns the set that a conjunct makes a name a member of.
fn space<'m>(pred: &'m Pred, name: &ExprKind) -> Option<&'m Expr> {
    match &pred.kind {
        PredKind::And(list) => list.iter().find_map(|p| space(p, name)),
        PredKind::Compare(CompareOp::Member, x, set) if x.kind == *name => Some(set),
        _ => None,
    }
}

/// Returns a value as ITF; `space` is a set that it was declared to be a member of.
fn itf_value(model: &Model, scope: &Scope, value: &Value, ty: &Type, space: Option<&Expr>) -> Json {
    use ExprKind::{Binary, Unary};
    let inner = |v: &Value, ty: &Type, space: Option<&Expr>| itf_value(model, scope, v, ty, space);
    match (value, ty) {
        (Value::Bool(b), _) => json!(b),
        (Value::Int(n), _) => json!({ "#bigint": n.to_string() }),
        (Value::String(s), _) => json!(&**s),
        (Value::Element(c, i), _) => json!(element_text(model, *c, *i)),
        (Value::Pair(p), Type::Pair(a, b)) => {
            let (left, right) = match space.map(|s| &s.kind) {
                Some(Binary(BinaryOp::Cartesian, left, right)) => (Some(&**left), Some(&**right)),
                _ => (None, None),
            };
            json!({ "#tup": [inner(&p.0, a, left), inner(&p.1, b, right)] })
        }
        (Value::Record(fields), Type::Record(types)) => {
            let spaces = match space.map(|s| &s.kind) {
                Some(ExprKind::Struct(spaces)) => spaces.as_slice(),
                _ => &[],
            };
            let field = |((l, v), (name, t)): ((_, &Value), &(String, Type))| {
                let space = spaces.iter().find(|(n, _)| n == name).map(|(_, s)| s);
                (l, inner(v, t, space))
            };
            Json::Object(fields.iter().map(|(l, v)| (l.to_string(), v)).zip(types).map(field).collect())
        }
        (Value::Set(s), Type::Pow(t)) => {
            let of_elements = match (space.map(|s| &s.kind), &**t) {
                (Some(Binary(op, left, right)), Type::Pair(a, b)) => {
                    let pairs: Vec<_> = s.iter().filter_map(Value::as_pair).collect();
                    // Couples are sorted by their left side.
                    let functional = pairs.windows(2).all(|w| w[0].0 != w[1].0);
                    if functional && op.relation_space().is_some_and(|space| space.functional) {
                        let entry = |&(x, y): &(&Value, &Value)| {
                            json!([inner(x, a, Some(left)), inner(y, b, Some(right))])
                        };
                        return json!({ "#map": pairs.iter().map(entry).collect::<Vec<_>>() });
                    }
                    None
                }
                (Some(Unary(op, of)), Type::Pair(_, b)) if is_sequences(*op) => {
                    let pairs: Vec<_> = s.iter().filter_map(Value::as_pair).collect();
                    let is_sequence =
                        pairs.iter().zip(1..).all(|((x, _), i)| matches!(x, Value::Int(n) if *n == i.into()));
                    if is_sequence {
                        return pairs.iter().map(|(_, y)| inner(y, b, Some(of))).collect();
                    }
                    None
                }
                (Some(Unary(op, of)), _) if is_power(*op) => Some(&**of),
                _ => None,
            };
            json!({ "#set": s.iter().map(|v| inner(v, t, of_elements)).collect::<Vec<_>>() })
        }
        _ => json!({ "#unserializable": value_text(model, scope, value) }),
    }
}

fn is_sequences(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(op, Seq | Seq1 | Iseq | Iseq1 | Perm)
}

fn is_power(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(op, Pow | Pow1 | Fin | Fin1)
}
