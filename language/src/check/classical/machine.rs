//! Sections of the machines of a model: their declarations, and the order in which types are inferred.

use std::collections::BTreeSet;

use super::instances::owns;
use super::*;
use crate::ast::{SectionKind, SetDeclaration};
use crate::model::retype::Retype;
use crate::model::truth::{Truth, truth};
use crate::model::types::CarrierId;

impl Composition {
    // Only the including machine may change a machine.
    pub(super) fn included_once(&mut self) {
        let mut owners: HashMap<usize, Span> = HashMap::new();
        for i in self.order.clone() {
            if !self.instances[i].concrete {
                continue;
            }
            for link in self.instances[i].links.clone() {
                if !owns(link.relation) {
                    continue;
                }
                let Some(first) = owners.insert(link.instance, link.place) else { continue };
                if self.is_shareable(link.instance) {
                    continue;
                }
                let name = self.machine_name(link.instance);
                let d = Diagnostic::error(
                    codes::INCLUDED_TWICE,
                    link.place,
                    format!("machine `{name}` is included twice under the same name"),
                );
                let help = format!("give one of them a prefix, as in `p.{name}`, or use SEES");
                self.c.report(d.label(first, "first included here").help(help));
            }
        }
    }

    // Without variables there is nothing that two owners could change: sets and constants exist once anyway.
    fn is_shareable(&self, instance: usize) -> bool {
        self.belonging_to(instance).into_iter().all(|i| {
            let tree = &self.project.units[self.instances[i].unit].tree;
            tree.parameters.is_empty() && self.variable_names(i).is_empty()
        })
    }

    pub(super) fn components(&mut self) {
        for i in 0..self.instances.len() {
            let instance = &self.instances[i];
            let tree = &self.project.units[instance.unit].tree;
            self.c.model.text.components.push(Component {
                name: tree.name.name.clone(),
                prefix: Some(instance.path.clone()).filter(|p| !p.is_empty()),
                relation: instance.relation,
                span: tree.name.span,
            });
        }
    }

    // A deferred set that an implementation gives a value is that value: its elements have the type
    // of the value's elements.
    fn deferred(&mut self, id: &Ident) {
        if self.valued_from(self.current).contains(&id.name) {
            let ty = self.c.fresh_set();
            let c = self.c.new_constant(id.name.clone(), ty, id.span);
            self.c.declare_global(&id.name, id.span, Entity::Const(c));
        } else {
            self.carrier(id, CarrierKind::Deferred);
        }
    }

    // Names of `VALUES` where an instance is the implementation or one of its abstractions.
    pub(super) fn valued_from(&self, instance: usize) -> BTreeSet<String> {
        let mut i = instance;
        while let Some(finer) = self.instances[i].refined_by {
            i = finer;
        }
        let sections = &self.project.units[self.instances[i].unit].tree.sections;
        let values = sections.iter().filter_map(|s| match &s.kind {
            SectionKind::Values(list) => Some(list),
            _ => None,
        });
        values.flatten().map(|(id, _)| id.name.clone()).collect()
    }

    // Declares a set, or the one that it is identified with.
    fn carrier(&mut self, id: &Ident, kind: CarrierKind) -> Option<CarrierId> {
        let unit = self.instances[self.current].unit;
        let Some((known, elements)) = self.homonyms.of(unit, &id.name) else {
            return Some(self.c.declare_carrier(id, kind));
        };
        let entity = match (known, elements) {
            (Some(known), _) => known,
            (None, elements) => {
                let kind = elements.cloned().map_or(kind, CarrierKind::Enumerated);
                Entity::Carrier(self.c.new_carrier(id.name.clone(), kind, id.span))
            }
        };
        self.homonyms.settle(unit, &id.name, entity);
        self.c.declare_global(&id.name, id.span, entity);
        match entity {
            Entity::Carrier(c) => Some(c),
            _ => None,
        }
    }

    /// Declares a constant, or the one that it is identified with.
    pub(super) fn constant(&mut self, id: &Ident) {
        let unit = self.instances[self.current].unit;
        let Some((known, _)) = self.homonyms.of(unit, &id.name) else {
            self.c.declare_constant(id);
            return;
        };
        let entity = known.unwrap_or_else(|| {
            let ty = self.c.fresh();
            Entity::Const(self.c.new_constant(id.name.clone(), ty, id.span))
        });
        self.homonyms.settle(unit, &id.name, entity);
        self.c.declare_global(&id.name, id.span, entity);
    }

    pub(super) fn set(&mut self, d: &SetDeclaration) {
        match d {
            SetDeclaration::Deferred(id) => self.deferred(id),
            SetDeclaration::Enumerated(id, elements) => self.enumerated(id, elements),
            SetDeclaration::ByDefinition(id, name) => {
                let elements = self.c.names.definitions.get(&name.name).and_then(|entry| match &entry.body {
                    DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => name_list(e),
                    DefinitionBody::Subst(_) => None,
                });
                match elements {
                    Some(elements) => self.enumerated(id, &elements),
                    None => {
                        if self.c.names.definitions.get(&name.name).is_none() {
                            self.c.unknown(&name.name, name.span);
                        } else {
                            let message = format!("definition `{}` is not a list of names", name.name);
                            self.c.error(codes::DEFINITION_KIND, name.span, message);
                        }
                        self.carrier(id, CarrierKind::Deferred);
                    }
                }
            }
        }
    }

    fn enumerated(&mut self, id: &Ident, elements: &[Ident]) {
        let names = elements.iter().map(|e| e.name.clone()).collect();
        let Some(c) = self.carrier(id, CarrierKind::Enumerated(names)) else { return };
        for (i, e) in elements.iter().enumerate() {
            self.c.declare_global(&e.name, e.span, Entity::Element(c, i as u32));
        }
    }

    // One group for all machines: an argument for a set parameter gives the type of its elements.
    pub(super) fn static_part(&mut self) {
        let (mut axioms, mut obligations, mut owed) = (vec![], vec![], vec![]);
        for i in self.order.clone() {
            // An argument gives the type of a set parameter; that of a scalar one is in CONSTRAINTS.
            axioms.extend(self.arguments(i, true));
            let (constraints, mut properties) = self.inside(i, |m| (m.constraints(i), m.properties(i)));
            owed.extend(self.owed(i, &mut properties));
            axioms.extend(self.arguments(i, false));
            // The machine that gives the arguments must show that they satisfy the constraints (B-Book, chapter 12).
            let list = if self.has_arguments(i) { &mut obligations } else { &mut axioms };
            list.extend(constraints);
            axioms.extend(properties);
        }
        self.c.finish_group();
        self.c.close_constants();
        let owed = self.still_owed(owed, &axioms);
        self.c.model.axioms = axioms;
        self.c.model.assertions = obligations;
        self.settle_constraints();
        let constraints = self.c.model.assertions.len();
        self.c.model.assertions.extend(owed);
        self.owed = constraints..self.c.model.assertions.len();
    }

    // The instance has an argument for each of its parameters.
    fn has_arguments(&self, i: usize) -> bool {
        let parameters = self.interfaces[i].parameters.as_ref().map_or(0, Vec::len);
        self.instances[i].given.as_ref().is_some_and(|(_, arguments, _)| arguments.len() == parameters)
    }

    // Drops the constraints that the arguments make plainly true, and reports those that they make plainly false.
    fn settle_constraints(&mut self) {
        if self.c.model.assertions.is_empty() {
            return;
        }
        let closed = self.c.closing().model(self.c.model.clone());
        let mut constraints = closed.assertions.iter();
        let mut open = take(&mut self.c.model.assertions);
        open.retain(|_| constraints.next().is_some_and(|c| !self.is_settled(&closed, c)));
        self.c.model.assertions = open;
    }

    fn is_settled(&mut self, model: &Model, constraint: &model::Conjunct) -> bool {
        let i = constraint.origin.index();
        let mut arguments = visit::Replacement::default();
        for axiom in &model.axioms {
            if let PredKind::Compare(CompareOp::Equal, constant, value) = &axiom.pred.kind
                && let ExprKind::Const(id) = constant.kind
                && self.is_parameter_of(i, id)
            {
                arguments.constants.insert(id, (**value).clone());
            }
        }
        match truth(&arguments.in_pred(&constraint.pred)) {
            Truth::True => true,
            Truth::Open => false,
            Truth::False => {
                let place = self.instances[i].given.as_ref().map_or(constraint.span, |(.., place)| *place);
                let message = format!(
                    "the arguments of machine `{}` break its constraint `{}`",
                    self.machine_name(i),
                    print::pred(model, &constraint.pred)
                );
                let d = Diagnostic::error(codes::MACHINE_PARAMETERS, place, message);
                self.c.report(d.label(constraint.span, "the constraint"));
                true
            }
        }
    }

    fn is_parameter_of(&self, i: usize, id: ConstId) -> bool {
        let parameters = self.interfaces[i].parameters.iter().flatten();
        parameters.into_iter().any(|(_, entity, _)| matches!(entity, Entity::Const(c) if *c == id))
    }

    // `parameter = argument`, typed where the machine is included.
    fn arguments(&mut self, i: usize, sets: bool) -> Vec<Conjunct> {
        let Some((includer, arguments, _)) = self.instances[i].given.clone() else { return vec![] };
        let parameters = self.interfaces[i].parameters.clone().unwrap_or_default();
        if parameters.len() != arguments.len() {
            return vec![];
        }
        self.c.scope.visibility = Visibility::Parameters;
        self.inside(includer, |m| {
            let c = &mut m.c;
            let mut out = vec![];
            for ((name, entity, declared), argument) in parameters.iter().zip(&arguments) {
                let Entity::Const(id) = *entity else { continue };
                if is_set_parameter(name) != sets {
                    continue;
                }
                let value = c.expr(argument);
                let ty = c.model.constants[id.index()].ty.clone();
                let constant = ExprKind::Const(id).typed(ty.clone(), argument.span);
                if !c.types.unify(&ty, &value.ty) {
                    let (wanted, found) = (c.type_text(&ty), c.type_text(&value.ty));
                    let message = format!("parameter `{name}` is {wanted}, this is {found}");
                    let d = Diagnostic::error(codes::TYPE_MISMATCH, argument.span, message);
                    c.report(d.label(*declared, "declared here"));
                }
                let text = pred::fold_text(c.model.text.sources.text(argument.span));
                let equal = PredKind::Compare(CompareOp::Equal, Box::new(constant), Box::new(value));
                out.push(Conjunct {
                    label: None,
                    text: format!("{name} = {text}"),
                    origin: c.component,
                    span: argument.span,
                    pred: equal.at(argument.span),
                });
            }
            out
        })
    }

    fn constraints(&mut self, i: usize) -> Vec<Conjunct> {
        let project = self.project.clone();
        self.c.scope.visibility = Visibility::Parameters;
        let mut constraints = vec![];
        for s in &project.units[self.instances[i].unit].tree.sections {
            if let SectionKind::Constraints(e) = &s.kind {
                constraints.extend(self.c.conjuncts(e));
            }
        }
        constraints
    }

    fn properties(&mut self, i: usize) -> Vec<Conjunct> {
        let project = self.project.clone();
        let sections = &project.units[self.instances[i].unit].tree.sections;
        let mut axioms = vec![];
        self.c.scope.visibility = Visibility::Properties;
        for s in sections {
            match &s.kind {
                // Constants exist once, so do their properties.
                SectionKind::Properties(e) if self.twin(i).is_none() => axioms.extend(self.c.conjuncts(e)),
                SectionKind::Values(list) => {
                    axioms.extend(list.iter().filter_map(|(id, value)| self.value(id, value)));
                }
                _ => {}
            }
        }
        axioms
    }

    // `c = E` of `VALUES`.
    fn value(&mut self, id: &Ident, value: &ast::Expr) -> Option<Conjunct> {
        let value = self.c.expr(value);
        match self.c.names.globals.get(&id.name) {
            Some((Entity::Const(_), _)) => {}
            Some((_, declared)) => {
                let message =
                    format!("`{}` is no constant or deferred set that could be given a value", id.name);
                let d = Diagnostic::error(codes::BAD_VALUE, id.span, message);
                let d = d.label(*declared, "declared here");
                self.c.report(d);
                return None;
            }
            None => {
                self.c.unknown(&id.name, id.span);
                return None;
            }
        }
        let constant = self.c.identifier(&id.name, id.span);
        self.c.expect_same(&constant, &value, "=");
        let span = id.span.to(value.span);
        let text = pred::fold_text(self.c.model.text.sources.text(span));
        let kind = PredKind::Compare(CompareOp::Equal, Box::new(constant), Box::new(value));
        let origin = self.c.component;
        Some(Conjunct { label: None, text, origin, span, pred: kind.at(span) })
    }

    pub(super) fn invariant(&mut self, i: usize) {
        let project = self.project.clone();
        let sections = &project.units[self.instances[i].unit].tree.sections;
        self.c.scope.visibility = Visibility::Invariant;
        let mut invariant = vec![];
        for s in sections {
            if let SectionKind::Invariant(e) = &s.kind {
                invariant.extend(self.c.conjuncts(e));
            }
        }
        self.c.finish_group();
        let own: Vec<VarId> = self.interfaces[i].own.iter().map(|(_, v)| *v).collect();
        self.c.close_variables(&own);
        self.c.model.invariant.extend(invariant);
        for s in sections {
            if let SectionKind::Assertions(list) = &s.kind {
                for e in list {
                    let conjuncts = self.c.conjuncts(e);
                    self.c.finish_group();
                    self.c.model.assertions.extend(conjuncts);
                }
            }
        }
    }
}
