//! Values that an implementation gives, and the properties that they must satisfy.
//!
//! Source: B Language Reference Manual, clause `VALUES`; Atelier B, Proof Obligations Reference Manual (valuation).
//! Concrete constants and deferred sets of the development have values in the end: from `VALUES`, or from a seen or
//! imported machine that gives values to the same names. Abstract constants need only exist.

use std::collections::BTreeSet;

use super::identification::Sets;
use super::*;
use crate::ast::{SectionKind, SetDeclaration};
use crate::model::visit::Names;

impl Composition {
    /// Returns the obligations of the main machine as an implementation; `None` if it is not one.
    pub(super) fn implementation(&self) -> Option<Implementation> {
        if self.project.units.first()?.tree.kind != MachineKind::Implementation {
            return None;
        }
        let mut chain = vec![0];
        while let Some(next) = chain.last().and_then(|i| self.abstraction_of(*i)) {
            chain.push(next);
        }
        let told: BTreeSet<usize> = self.belonging_to(0).into_iter().filter(|i| *i != 0).collect();
        let of_development: BTreeSet<usize> =
            chain.iter().flat_map(|i| self.belonging_to(*i)).filter(|i| !told.contains(i)).collect();
        let spans = self.valuation_spans();
        let parameters = self.interfaces.iter().flat_map(|i| i.parameters.iter().flatten());
        let parameters: Vec<Entity> = parameters.map(|(_, entity, _)| *entity).collect();
        let axioms = &self.c.model.axioms;
        let is_value = |c: &Conjunct| c.origin == ComponentId(0) && spans.contains(&c.span);
        let values = (0..axioms.len()).filter(|i| is_value(&axioms[*i])).collect();
        let is_owed = |c: &Conjunct| {
            let constants = Names::of_pred(&c.pred).constants.into_iter().map(Entity::Const);
            let mut names = constants.chain(Sets::of_pred(&c.pred).into_iter().map(Entity::Carrier));
            // Axioms about parameters are their constraints and arguments.
            let of_parameters = names.any(|name| parameters.contains(&name));
            of_development.contains(&c.origin.index()) && !is_value(c) && !of_parameters
        };
        let owed = (0..axioms.len()).filter(|i| is_owed(&axioms[*i])).collect();
        let unvalued = self.unvalued(&chain);
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..self.instances.len()).partition(|i| of_development.contains(i));
        let declared = |of: Vec<usize>| -> BTreeSet<ConstId> {
            of.into_iter().flat_map(|i| self.interfaces[i].constants.iter().copied()).collect()
        };
        // A constant that is one with that of another machine is declared by the first of them alone.
        let units = of_development.iter().map(|i| self.instances[*i].unit);
        let given: Vec<Entity> = units.flat_map(|unit| self.homonyms.given(unit)).collect();
        let others = declared(others);
        let is_own = |c: &ConstId| !others.contains(c) && !given.contains(&Entity::Const(*c));
        let constants = declared(own).into_iter().filter(is_own).collect();
        let variables = self.interfaces[0].own.iter().map(|(_, v)| *v).collect();
        let local = self.project.units[0].tree.sections.iter().filter_map(|s| match &s.kind {
            SectionKind::LocalOperations(list) => Some(list),
            _ => None,
        });
        let is_implemented = |name: &str| self.local.iter().any(|(known, ..)| known == name);
        let unimplemented = local.flatten().filter(|op| !is_implemented(&op.name.name));
        let unimplemented = unimplemented.map(|op| (op.name.name.clone(), op.name.span)).collect();
        Some(Implementation { values, owed, constants, unvalued, variables, unimplemented })
    }

    fn valuation_spans(&self) -> Vec<Span> {
        let sections = self.project.units[0].tree.sections.iter();
        let values = sections.filter_map(|s| match &s.kind {
            SectionKind::Values(list) => Some(list),
            _ => None,
        });
        values.flatten().map(|(id, value)| id.span.to(value.span)).collect()
    }

    /// Returns the deferred sets and concrete constants of a chain of refinements without a value.
    fn unvalued(&self, chain: &[usize]) -> Vec<(String, Span)> {
        let given = self.valued_from(0);
        let mut found: Vec<(String, Span)> = vec![];
        for i in chain {
            let unit = self.instances[*i].unit;
            let Unit { tree, definitions, .. } = &self.project.units[unit];
            for section in &tree.sections {
                let names: Vec<Ident> = match &section.kind {
                    SectionKind::Sets(list) => {
                        let deferred = list.iter().filter_map(|d| match d {
                            SetDeclaration::Deferred(id) => Some(id.clone()),
                            _ => None,
                        });
                        deferred.collect()
                    }
                    SectionKind::ConcreteConstants(ids) => listed(definitions, ids),
                    _ => vec![],
                };
                for id in names {
                    let is_one = self.homonyms.of(unit, &id.name).is_some();
                    if !is_one && !given.contains(&id.name) && found.iter().all(|(n, _)| *n != id.name) {
                        found.push((id.name, id.span));
                    }
                }
            }
        }
        found
    }
}
