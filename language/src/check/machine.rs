//! Sections of a machine: what is declared, which order types are inferred in, what is missing.

use std::mem::discriminant;

use super::*;
use crate::ast::{
    DefinitionBody, ExprKind as Ast, Ident, MachineKind, Operation, Reference, SectionKind, SetDeclaration,
};
use crate::types::CarrierId;
use crate::walk::Names;

impl Checker {
    pub(super) fn machine(&mut self, m: &ast::Machine) {
        if m.kind == MachineKind::Definitions {
            self.error(codes::NOT_A_MACHINE, m.span, "this is a file of definitions, a machine is expected");
            return;
        }
        self.model.components.push(Component {
            name: m.name.name.clone(),
            prefix: None,
            relation: Relation::Main,
            span: m.name.span,
        });
        self.sections_once(m);
        self.refuse_other_machines(m);
        self.parameters(m);
        self.declarations(m);
        self.scope_hints();
        self.static_part(m);
        self.invariant(m);
        self.goal();
        self.behaviour(m);
    }

    fn sections_once(&mut self, m: &ast::Machine) {
        for (i, s) in m.sections.iter().enumerate() {
            let first = m.sections[..i].iter().find(|t| discriminant(&t.kind) == discriminant(&s.kind));
            if let Some(first) = first {
                self.report(
                    Diagnostic::error(
                        codes::DUPLICATE_SECTION,
                        s.keyword,
                        format!("section {} occurs twice", section_name(&s.kind)),
                    )
                    .label(first.keyword, "first here"),
                );
            }
        }
        let find = |f: fn(&SectionKind) -> bool| m.sections.iter().find(|s| f(&s.kind)).map(|s| s.keyword);
        let variables = find(
            |k| matches!(k, SectionKind::AbstractVariables(v) | SectionKind::ConcreteVariables(v) if !v.is_empty()),
        );
        let constants = find(
            |k| matches!(k, SectionKind::AbstractConstants(v) | SectionKind::ConcreteConstants(v) if !v.is_empty()),
        );
        let scalar = m.parameters.iter().find(|p| !is_set_parameter(&p.name)).map(|p| p.span);
        let checks = [
            (
                variables,
                find(|k| matches!(k, SectionKind::Invariant(_))),
                "VARIABLES needs an INVARIANT that types them",
            ),
            (
                variables,
                find(|k| matches!(k, SectionKind::Initialisation(_))),
                "VARIABLES needs an INITIALISATION",
            ),
            (
                constants,
                find(|k| matches!(k, SectionKind::Properties(_))),
                "CONSTANTS needs PROPERTIES that type them",
            ),
            (
                scalar,
                find(|k| matches!(k, SectionKind::Constraints(_))),
                "this parameter needs CONSTRAINTS that type it",
            ),
        ];
        for (present, required, message) in checks {
            if let (Some(span), None) = (present, required)
                && m.kind != MachineKind::Implementation
            {
                self.error(codes::MISSING_SECTION, span, message);
            }
        }
    }

    // One message for each section; names from there are then unknown without a message.
    fn refuse_other_machines(&mut self, m: &ast::Machine) {
        if let Some(abstraction) = &m.refines {
            self.not_supported(abstraction.span, &format!("REFINES {}", abstraction.name));
            self.uses_others = true;
        }
        for s in &m.sections {
            let list = |refs: &[Reference]| {
                refs.iter().map(|r| r.machine.name.as_str()).collect::<Vec<_>>().join(", ")
            };
            let what = match &s.kind {
                SectionKind::Sees(r) => format!("SEES {}", list(r)),
                SectionKind::Uses(r) => format!("USES {}", list(r)),
                SectionKind::Includes(r) => format!("INCLUDES {}", list(r)),
                SectionKind::Extends(r) => format!("EXTENDS {}", list(r)),
                SectionKind::Imports(r) => format!("IMPORTS {}", list(r)),
                SectionKind::References(r) => format!("REFERENCES {}", list(r)),
                SectionKind::Promotes(ops) => {
                    format!("PROMOTES {}", ops.iter().map(|o| o.name.as_str()).collect::<Vec<_>>().join(", "))
                }
                SectionKind::Values(_) => "section VALUES".into(),
                SectionKind::LocalOperations(_) => "section LOCAL_OPERATIONS".into(),
                SectionKind::TypedDefinitions(_) => continue,
                _ => continue,
            };
            self.not_supported(s.keyword, &what);
            self.uses_others |= !matches!(s.kind, SectionKind::Values(_));
        }
    }

    fn parameters(&mut self, m: &ast::Machine) {
        for p in &m.parameters {
            if is_set_parameter(&p.name) {
                self.declare_carrier(p, CarrierKind::Deferred);
            } else {
                self.declare_constant(p);
            }
        }
        self.parameters = (self.model.carriers.len(), self.model.constants.len());
    }

    pub(super) fn declare_carrier(&mut self, id: &Ident, kind: CarrierKind) -> CarrierId {
        let c = CarrierId(self.model.carriers.len() as u32);
        self.model.carriers.push(Carrier { name: id.name.clone(), kind, span: id.span });
        self.declare_global(&id.name, id.span, Entity::Carrier(c));
        c
    }

    pub(super) fn declare_constant(&mut self, id: &Ident) {
        let ty = self.fresh();
        let c = ConstId(self.model.constants.len() as u32);
        self.model.constants.push(Variable { name: id.name.clone(), ty, span: id.span });
        self.declare_global(&id.name, id.span, Entity::Const(c));
    }

    fn declarations(&mut self, m: &ast::Machine) {
        for s in &m.sections {
            match &s.kind {
                SectionKind::Sets(list) => list.iter().for_each(|d| self.set(d)),
                SectionKind::ConcreteConstants(ids) | SectionKind::AbstractConstants(ids) => {
                    self.listed(ids).iter().for_each(|id| self.declare_constant(id));
                }
                SectionKind::AbstractVariables(ids) | SectionKind::ConcreteVariables(ids) => {
                    for id in &self.listed(ids) {
                        let ty = self.fresh();
                        let v = VarId(self.model.variables.len() as u32);
                        self.model.variables.push(Variable { name: id.name.clone(), ty, span: id.span });
                        self.declare_global(&id.name, id.span, Entity::Var(v));
                    }
                }
                SectionKind::Operations(list) | SectionKind::LocalOperations(list) => {
                    for op in list {
                        if let Some(first) = self.operations.insert(op.name.name.clone(), op.name.span) {
                            self.report(
                                Diagnostic::error(
                                    codes::DUPLICATE_DECLARATION,
                                    op.name.span,
                                    format!("operation `{}` is declared twice", op.name.name),
                                )
                                .label(first, "first declared here"),
                            );
                        }
                    }
                }
                _ => {}
            }
        }
        self.free_types(m);
    }

    // A definition of a list of names may stand for the names.
    fn listed(&self, ids: &[Ident]) -> Vec<Ident> {
        let names = |id: &Ident| match self.definitions.get(&id.name).as_deref() {
            Some(entry) => match &entry.body {
                DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) if matches!(e.kind, Ast::Tuple(_)) => {
                    name_list(e).unwrap_or(vec![id.clone()])
                }
                _ => vec![id.clone()],
            },
            None => vec![id.clone()],
        };
        ids.iter().flat_map(names).collect()
    }

    fn set(&mut self, d: &SetDeclaration) {
        match d {
            SetDeclaration::Deferred(id) => drop(self.declare_carrier(id, CarrierKind::Deferred)),
            SetDeclaration::Enumerated(id, elements) => self.enumerated(id, elements),
            SetDeclaration::ByDefinition(id, name) => {
                let elements = self.definitions.get(&name.name).and_then(|entry| match &entry.body {
                    DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => name_list(e),
                    DefinitionBody::Subst(_) => None,
                });
                match elements {
                    Some(elements) => self.enumerated(id, &elements),
                    None => {
                        if self.definitions.get(&name.name).is_none() {
                            self.unknown(&name.name, name.span);
                        } else {
                            let message = format!("definition `{}` is not a list of names", name.name);
                            self.error(codes::DEFINITION_KIND, name.span, message);
                        }
                        self.declare_carrier(id, CarrierKind::Deferred);
                    }
                }
            }
        }
    }

    fn enumerated(&mut self, id: &Ident, elements: &[Ident]) {
        let names = elements.iter().map(|e| e.name.clone()).collect();
        let c = self.declare_carrier(id, CarrierKind::Enumerated(names));
        for (i, e) in elements.iter().enumerate() {
            self.declare_global(&e.name, e.span, Entity::Element(c, i as u32));
        }
    }

    fn static_part(&mut self, m: &ast::Machine) {
        self.visibility = Visibility::Parameters;
        let mut axioms = vec![];
        for s in &m.sections {
            if let SectionKind::Constraints(e) = &s.kind {
                axioms.extend(self.conjuncts(e));
            }
        }
        self.visibility = Visibility::Properties;
        for s in &m.sections {
            if let SectionKind::Properties(e) = &s.kind {
                axioms.extend(self.conjuncts(e));
            }
        }
        self.finish_group();
        self.close_declared(true);
        self.close_conjuncts(&mut axioms);
        self.model.axioms = axioms;
        self.size_hints();
        self.visibility = Visibility::State;
    }

    fn invariant(&mut self, m: &ast::Machine) {
        let mut invariant = vec![];
        for s in &m.sections {
            if let SectionKind::Invariant(e) = &s.kind {
                invariant.extend(self.conjuncts(e));
            }
        }
        self.finish_group();
        self.close_declared(false);
        self.close_conjuncts(&mut invariant);
        self.model.invariant = invariant;

        let mut assertions = vec![];
        for s in &m.sections {
            if let SectionKind::Assertions(list) = &s.kind {
                for e in list {
                    let mut conjuncts = self.conjuncts(e);
                    self.finish_group();
                    self.close_conjuncts(&mut conjuncts);
                    assertions.extend(conjuncts);
                }
            }
        }
        self.model.assertions = assertions;
    }

    fn behaviour(&mut self, m: &ast::Machine) {
        for s in &m.sections {
            if let SectionKind::Initialisation(body) = &s.kind {
                let mut initialisation = self.subst(body);
                self.finish_group();
                self.close_subst(&mut initialisation);
                self.initialised(&initialisation, s.keyword);
                self.model.initialisation = initialisation;
            }
        }
        for s in &m.sections {
            match &s.kind {
                SectionKind::Operations(list) => {
                    for op in list {
                        let event = self.operation(op);
                        self.model.events.push(event);
                    }
                }
                SectionKind::LocalOperations(list) => list.iter().for_each(|op| drop(self.operation(op))),
                _ => {}
            }
        }
    }

    fn initialised(&mut self, body: &Subst, keyword: Span) {
        if !self.diagnostics.iter().all(|d| d.severity == Severity::Warning) {
            return;
        }
        let written = Names::of_subst(body).written;
        for i in 0..self.model.variables.len() {
            if !written.contains(&VarId(i as u32)) {
                let variable = &self.model.variables[i];
                let d = Diagnostic::error(
                    codes::NOT_INITIALISED,
                    keyword,
                    format!("variable `{}` is not initialised", variable.name),
                )
                .label(variable.span, "declared here");
                // All of them are at the keyword.
                self.diagnostics.push(d);
            }
        }
    }

    fn operation(&mut self, op: &Operation) -> Event {
        if let Some(abstraction) = &op.refines {
            self.not_supported(abstraction.span, &format!("`ref {}`", abstraction.name));
        }
        let names: Vec<Ident> = op.results.iter().chain(&op.parameters).cloned().collect();
        let locals = self.enter(&names);
        let (results, parameters) = locals.split_at(op.results.len());
        self.assignable.extend(results);
        let mut body = self.outermost(&op.body);
        self.leave(&locals);
        self.finish_group();
        self.close_subst(&mut body);
        Event {
            name: op.name.name.clone(),
            parameters: parameters.to_vec(),
            results: results.to_vec(),
            body,
            origin: ComponentId(0),
            convergence: Convergence::Ordinary,
            refines: vec![],
            span: op.span,
        }
    }
}

/// A machine parameter without any lower-case letter is a set (B-Book, 12.1).
fn is_set_parameter(name: &str) -> bool {
    !name.chars().any(char::is_lowercase)
}

fn name_list(e: &ast::Expr) -> Option<Vec<Ident>> {
    match &e.kind {
        Ast::Ident(name) => Some(vec![Ident { name: name.clone(), span: e.span }]),
        Ast::Tuple(items) | Ast::SetExtension(items) => {
            Some(items.iter().map(name_list).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
        }
        _ => None,
    }
}

fn section_name(kind: &SectionKind) -> &'static str {
    match kind {
        SectionKind::Constraints(_) => "CONSTRAINTS",
        SectionKind::Sees(_) => "SEES",
        SectionKind::Uses(_) => "USES",
        SectionKind::Includes(_) => "INCLUDES",
        SectionKind::Extends(_) => "EXTENDS",
        SectionKind::Imports(_) => "IMPORTS",
        SectionKind::Promotes(_) => "PROMOTES",
        SectionKind::Sets(_) => "SETS",
        SectionKind::FreeTypes(_) => "FREETYPES",
        SectionKind::ConcreteConstants(_) => "CONSTANTS",
        SectionKind::AbstractConstants(_) => "ABSTRACT_CONSTANTS",
        SectionKind::Properties(_) => "PROPERTIES",
        SectionKind::Values(_) => "VALUES",
        SectionKind::AbstractVariables(_) => "VARIABLES",
        SectionKind::ConcreteVariables(_) => "CONCRETE_VARIABLES",
        SectionKind::Invariant(_) => "INVARIANT",
        SectionKind::Assertions(_) => "ASSERTIONS",
        SectionKind::Initialisation(_) => "INITIALISATION",
        SectionKind::Operations(_) => "OPERATIONS",
        SectionKind::LocalOperations(_) => "LOCAL_OPERATIONS",
        SectionKind::Definitions(_) => "DEFINITIONS",
        SectionKind::TypedDefinitions(_) => "EXPRESSIONS",
        SectionKind::References(_) => "REFERENCES",
    }
}
