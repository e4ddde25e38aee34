//! Bound names that hide a name of the machine or another bound name.

use std::collections::HashMap;

use super::*;
use crate::ast::Ident;
use crate::ast::visit::{Visitor, definitions, walk_body, walk_sections};

struct Scopes<'a, 'm> {
    lint: &'a mut Lint<'m>,
    globals: HashMap<&'m str, (&'static str, Span)>,
    bound: Vec<Ident>,
}

impl Lint<'_> {
    pub(super) fn hidden_names(&mut self, machine: &ast::Machine) {
        let model = self.model;
        let mut globals = HashMap::new();
        for c in &model.constants {
            globals.insert(c.name.as_str(), ("a constant", c.span));
        }
        for v in &model.variables {
            globals.insert(v.name.as_str(), ("a variable", v.span));
        }
        for c in &model.types.carriers {
            globals.insert(c.name.as_str(), ("a set", c.span));
            if let CarrierKind::Enumerated(elements) = &c.kind {
                globals.extend(elements.iter().map(|e| (e.as_str(), ("an element of a set", c.span))));
            }
        }
        let mut scopes = Scopes { lint: self, globals, bound: vec![] };
        walk_sections(&mut scopes, machine);
        for (_, parameters, body) in definitions(machine) {
            // Parameters stand for trees, they hide nothing that the body could mean.
            scopes.bound.extend_from_slice(parameters);
            walk_body(&mut scopes, body);
            scopes.bound.clear();
        }
    }
}

impl Visitor<'_> for Scopes<'_, '_> {
    fn enter(&mut self, ids: &[Ident]) {
        for id in ids {
            let inner = self.bound.iter().rev().find(|b| b.name == id.name).map(|b| ("a bound name", b.span));
            let Some((what, place)) = inner.or_else(|| self.globals.get(id.name.as_str()).copied()) else {
                continue;
            };
            let d = self.lint.warn(
                codes::HIDDEN_NAME,
                id.span,
                format!("`{}` hides {what} of the same name", id.name),
            );
            d.labels.push((place, "this is hidden".into()));
            d.help = Some("rename one of them".into());
        }
        self.bound.extend_from_slice(ids);
    }
    fn leave(&mut self, ids: &[Ident]) {
        self.bound.truncate(self.bound.len() - ids.len());
    }
}
