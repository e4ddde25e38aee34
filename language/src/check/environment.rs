//! The names in scope: declarations, opening and closing of scopes, expansion of definitions, and suggestions for
//! misspelt names.

use super::*;
use crate::ast::Ident;
use crate::classical::definitions::Macro;
use crate::classical::parser;
use crate::model::types::{CarrierId, FreeTypeId};
use crate::tuning::Tuning;

impl Checker {
    /// Reports a variable that may not be read in the current section.
    pub(super) fn check_readable(&mut self, v: VarId, name: &str, span: Span, declared: Span) {
        let message = match (self.scope.visibility, self.names.access.get(&v)) {
            (Visibility::Parameters | Visibility::Properties, _) => {
                format!("variable `{name}` may not be used here, where only constants have a value")
            }
            (Visibility::Invariant, Some(Access::Seen(machine))) => {
                format!(
                    "`{name}` is a variable of `{machine}`, which is only seen: the invariant may not use it"
                )
            }
            (Visibility::Behaviour | Visibility::State, Some(Access::Abstract(machine))) => {
                format!("`{name}` is a variable of the abstraction `{machine}` and has no value here")
            }
            _ => return,
        };
        self.report(Diagnostic::error(codes::NOT_VISIBLE, span, message).label(declared, "declared here"));
    }

    /// Declares a global name; reports it if it is taken.
    pub(super) fn declare_global(&mut self, name: &str, span: Span, entity: Entity) {
        let taken = self.names.globals.get(name).map(|(_, place)| *place);
        let defined = self.names.definitions.get(name).map(|m| m.name.span);
        if let Some(first) = taken.or(defined) {
            self.report(
                Diagnostic::error(codes::DUPLICATE_DECLARATION, span, format!("`{name}` is declared twice"))
                    .label(first, "first declared here")
                    .help("rename one of the two"),
            );
        }
        if taken.or(defined).is_some() {
            let ty = match entity {
                Entity::Const(c) => self.model.constants[c.index()].ty.clone(),
                Entity::Var(v) => self.model.variables[v.index()].ty.clone(),
                _ => OpenType::Error,
            };
            self.types.poison(&ty);
        }
        // Of two different things of one name each use would be a mistake of one of them.
        if let Some((other, _)) = self.names.globals.get(name)
            && std::mem::discriminant(other) != std::mem::discriminant(&entity)
        {
            self.names.globals.remove(name);
            self.names.unknown_names.insert(name.to_string());
        } else if taken.is_none() {
            self.names.globals.insert(name.to_string(), (entity, span));
        }
    }

    pub(super) fn new_carrier(&mut self, name: String, kind: CarrierKind, span: Span) -> CarrierId {
        self.model.types.carriers.push(Carrier { name, kind, span });
        CarrierId(self.model.types.carriers.len() as u32 - 1)
    }

    pub(super) fn new_constant(&mut self, name: String, ty: OpenType, span: Span) -> ConstId {
        self.model.constants.push(Variable { name, ty, span });
        ConstId(self.model.constants.len() as u32 - 1)
    }

    pub(super) fn declare_carrier(&mut self, id: &Ident, kind: CarrierKind) -> CarrierId {
        let c = self.new_carrier(id.name.clone(), kind, id.span);
        self.declare_global(&id.name, id.span, Entity::Carrier(c));
        c
    }

    pub(super) fn declare_constant(&mut self, id: &Ident) {
        let ty = self.fresh();
        let c = self.new_constant(id.name.clone(), ty, id.span);
        self.declare_global(&id.name, id.span, Entity::Const(c));
    }

    /// Returns whether a name is a parameter of the machine.
    pub(super) fn is_parameter(&self, entity: Entity) -> bool {
        self.names.parameters.contains(&entity)
    }

    /// Makes all names of a finished model known.
    pub(super) fn declare_model(&mut self) {
        let none = Span::default();
        for i in 0..self.model.types.carriers.len() {
            let id = CarrierId(i as u32);
            let carrier = self.model.types.carriers[i].clone();
            self.names.globals.insert(carrier.name, (Entity::Carrier(id), none));
            if let CarrierKind::Enumerated(elements) = carrier.kind {
                for (k, e) in elements.into_iter().enumerate() {
                    self.names.globals.insert(e, (Entity::Element(id, k as u32), none));
                }
            }
        }
        for (i, t) in self.model.types.free_types.iter().enumerate() {
            let id = FreeTypeId(i as u32);
            self.names.globals.insert(t.name.clone(), (Entity::FreeType(id), none));
            for (k, c) in t.constructors.iter().enumerate() {
                self.names.globals.insert(c.name.clone(), (Entity::Constructor(id, k as u32), none));
            }
        }
        for (i, c) in self.model.constants.iter().enumerate() {
            self.names.globals.insert(c.name.clone(), (Entity::Const(ConstId(i as u32)), none));
        }
        for (i, v) in self.model.variables.iter().enumerate() {
            self.names.globals.insert(v.name.clone(), (Entity::Var(VarId(i as u32)), none));
        }
        self.seen_names();
    }

    // Variables of a seen machine, `S.x` in the model, are written `x` where nothing else has the name.
    fn seen_names(&mut self) {
        let seen = |c: &&Component| matches!(c.relation, Relation::Sees | Relation::Uses);
        let machines: Vec<String> =
            self.model.text.components.iter().filter(seen).map(|c| format!("{}.", c.name)).collect();
        let mut short: HashMap<String, Vec<VarId>> = HashMap::new();
        for (i, v) in self.model.variables.iter().enumerate() {
            if let Some(name) = machines.iter().find_map(|m| v.name.strip_prefix(m)) {
                short.entry(name.to_string()).or_default().push(VarId(i as u32));
            }
        }
        for (name, variables) in short {
            if let [one] = variables[..] {
                self.names.globals.entry(name).or_insert((Entity::Var(one), Span::default()));
            }
        }
    }

    /// Creates a new local that no name refers to yet.
    pub(super) fn new_local(&mut self, name: &str, span: Span, ty: OpenType) -> LocalId {
        self.model.locals.push(Variable { name: name.to_string(), ty, span });
        LocalId(self.model.locals.len() as u32 - 1)
    }

    /// Opens bound names of unknown types; the caller closes them by [`Checker::leave`].
    pub(super) fn enter(&mut self, ids: &[Ident]) -> Vec<LocalId> {
        let mut locals: Vec<LocalId> = vec![];
        for (i, id) in ids.iter().enumerate() {
            if ids[..i].iter().any(|other| other.name == id.name) {
                self.error(
                    codes::DUPLICATE_DECLARATION,
                    id.span,
                    format!("`{}` occurs twice in this list", id.name),
                );
            }
            if let Some(entry) = self.names.definitions.get(&id.name) {
                // As ProB: the new name hides a definition of an expression, not one of a predicate.
                let message = format!("`{}` is also a definition", id.name);
                let d = match &entry.body {
                    ast::DefinitionBody::Expr(e) if parser::is_predicate(e) => {
                        Diagnostic::error(codes::DEFINITION_AS_NAME, id.span, message)
                    }
                    _ => Diagnostic::warning(codes::DEFINITION_AS_NAME, id.span, message),
                };
                self.report(d.label(entry.name.span, "defined here"));
            }
            let ty = self.fresh();
            locals.push(self.new_local(&id.name, id.span, ty));
        }
        self.reopen(&locals);
        locals
    }

    /// Makes the names of locals visible again.
    pub(super) fn reopen(&mut self, locals: &[LocalId]) {
        for &l in locals {
            self.scope.locals.push((self.model.locals[l.index()].name.clone(), l));
        }
    }

    pub(super) fn leave(&mut self, locals: &[LocalId]) {
        self.scope.locals.truncate(self.scope.locals.len() - locals.len());
    }

    pub(super) fn local(&self, name: &str) -> Option<LocalId> {
        self.scope.locals.iter().rev().find(|(n, _)| n == name).map(|(_, l)| *l)
    }

    pub(super) fn local_type(&self, l: LocalId) -> OpenType {
        self.model.locals[l.index()].ty.clone()
    }

    /// Returns the definition that a name refers to here.
    pub(super) fn definition(&self, name: &str) -> Option<Arc<Macro>> {
        if self.local(name).is_some() { None } else { self.names.definitions.get(name) }
    }

    /// Returns whether anything is declared under the name.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.local(name).is_some()
            || self.names.globals.contains_key(name)
            || self.names.definitions.get(name).is_some()
    }

    /// Runs `inner` on an expanded definition. `None` after a message: wrong number of arguments, a
    /// body of the other kind, or an expansion without bounds.
    pub(super) fn expand<B, T>(
        &mut self,
        entry: &Macro,
        arguments: &[ast::Expr],
        span: Span,
        body: impl FnOnce(&Macro, &[ast::Expr]) -> Option<B>,
        inner: impl FnOnce(&mut Self, &B) -> T,
    ) -> Option<T> {
        let name = &entry.name.name;
        if entry.parameters.len() != arguments.len() {
            let (wanted, given) = (entry.parameters.len(), arguments.len());
            self.report(
                Diagnostic::error(
                    codes::DEFINITION_ARITY,
                    span,
                    format!("definition `{name}` has {wanted} parameters, {given} arguments are given"),
                )
                .label(entry.name.span, "defined here"),
            );
            return None;
        }
        self.expansion.count += 1;
        if self.expansion.count > Tuning::DEFAULT.check.expansions
            || self.expansion.places.len() > Tuning::DEFAULT.depth.expanded
        {
            let place = self.expansion.places.first().copied().unwrap_or(span);
            self.error(
                codes::CYCLIC_DEFINITION,
                place,
                "this is too large once its definitions are expanded",
            );
            return None;
        }
        let Some(body) = body(entry, arguments) else {
            let is = match &entry.body {
                ast::DefinitionBody::Subst(_) => "a substitution, an expression or predicate is expected",
                _ => "an expression or predicate, a substitution is expected",
            };
            self.report(
                Diagnostic::error(codes::DEFINITION_KIND, span, format!("definition `{name}` is {is}"))
                    .label(entry.name.span, "defined here"),
            );
            return None;
        };
        self.expansion.places.push(span);
        let result = inner(self, &body);
        self.expansion.places.pop();
        Some(result)
    }

    /// Reports an unknown name, with the nearest known one.
    pub(super) fn unknown(&mut self, name: &str, span: Span) {
        // Every further use of the name would repeat the message.
        if self.names.uses_others || !self.names.unknown_names.insert(name.to_string()) {
            return;
        }
        let mut d = Diagnostic::error(codes::UNKNOWN_IDENTIFIER, span, format!("`{name}` is not declared"));
        if let Some(near) = self.nearest(name) {
            d = d.meant(&near);
        } else if let Some((file, place)) = self.names.definitions.missing.first() {
            d = d.label(*place, "this file was not found").help(format!("it may be defined in `{file}`"));
        }
        self.report(d);
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let locals = self.scope.locals.iter().map(|(n, _)| n.as_str());
        let globals = self.names.globals.keys().map(String::as_str);
        let definitions = self.names.definitions.iter().map(|m| m.name.name.as_str());
        // Words of the language only where nothing of the machine is near: `false`, `INTEGERS`.
        let words =
            ["TRUE", "FALSE", "BOOL", "NAT", "NATURAL", "INT", "INTEGER", "STRING", "MAXINT", "MININT"];
        let near = nearest(name, locals.chain(globals).chain(definitions));
        near.or_else(|| nearest(name, words)).map(String::from)
    }
}
