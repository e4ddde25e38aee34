//! The structure of a model as JSON: `schema/parse.schema.json` says what is in it.

use std::collections::BTreeSet;

use bsym_language::model::*;
use bsym_language::print;
use bsym_language::source::Span;
use bsym_language::walk::Names;
use serde_json::{Value as Json, json};

use crate::answer::place;

/// Carriers, constants, variables, conjuncts and events of a model.
pub fn structure(model: &Model) -> Json {
    let s = Structure { model };
    json!({
        "name": model.name,
        "notation": match model.notation { Notation::ClassicalB => "classical-b", Notation::EventB => "event-b" },
        "components": model.components.iter().map(|c| json!({
            "name": c.name,
            "prefix": c.prefix,
            "relation": format!("{:?}", c.relation).to_lowercase(),
        })).collect::<Vec<_>>(),
        "carriers": model.carriers.iter().map(|c| s.carrier(c)).collect::<Vec<_>>(),
        "constants": s.declared(&model.constants),
        "variables": s.declared(&model.variables),
        "axioms": s.conjuncts(&model.axioms),
        "invariant": s.conjuncts(&model.invariant),
        "gluing": s.conjuncts(&model.gluing),
        "assertions": s.conjuncts(&model.assertions),
        "initialisation": s.access(&Names::of_subst(&model.initialisation)),
        "events": model.events.iter().map(|e| s.event(e)).collect::<Vec<_>>(),
        "goal": model.goal.as_ref().map(|p| print::pred(model, p)),
    })
}

struct Structure<'m> {
    model: &'m Model,
}

impl Structure<'_> {
    // The fields and where they were written.
    fn placed(&self, span: Span, fields: Json) -> Json {
        let (file, line, column) = place(&self.model.sources, span);
        let mut object = fields;
        object["file"] = json!(file);
        object["line"] = json!(line);
        object["column"] = json!(column);
        object
    }

    fn carrier(&self, c: &Carrier) -> Json {
        let fields = match &c.kind {
            CarrierKind::Enumerated(elements) => {
                json!({ "name": c.name, "kind": "enumerated", "elements": elements })
            }
            CarrierKind::Deferred => json!({ "name": c.name, "kind": "deferred", "elements": null }),
        };
        self.placed(c.span, fields)
    }

    fn typed(&self, v: &Variable) -> Json {
        json!({ "name": v.name, "type": print::type_text(self.model, &v.ty) })
    }

    fn declared(&self, list: &[Variable]) -> Vec<Json> {
        list.iter().map(|v| self.placed(v.span, self.typed(v))).collect()
    }

    fn locals(&self, list: &[LocalId]) -> Vec<Json> {
        list.iter().map(|l| self.typed(&self.model.locals[l.index()])).collect()
    }

    fn conjuncts(&self, list: &[Conjunct]) -> Vec<Json> {
        let one = |c: &Conjunct| {
            let origin = self.model.components.get(c.origin.index()).map(|o| o.name.as_str());
            let fields = json!({ "label": c.label, "text": c.text, "origin": origin });
            self.placed(c.span, fields)
        };
        list.iter().map(one).collect()
    }

    fn access(&self, names: &Names) -> Json {
        let text = |set: &BTreeSet<VarId>| -> Vec<&str> {
            set.iter().map(|v| self.model.variables[v.index()].name.as_str()).collect()
        };
        json!({ "reads": text(&names.variables), "writes": text(&names.written) })
    }

    fn event(&self, e: &Event) -> Json {
        let mut fields = self.access(&Names::of_subst(&e.body));
        fields["name"] = json!(e.name);
        fields["parameters"] = json!(self.locals(&e.parameters));
        fields["results"] = json!(self.locals(&e.results));
        fields["origin"] = json!(self.model.components.get(e.origin.index()).map(|o| o.name.as_str()));
        fields["refines"] = json!(e.refines);
        self.placed(e.span, fields)
    }
}
