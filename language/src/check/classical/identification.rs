//! Identification of sets, constants and concrete variables of a composition: finds the [`homonyms`].

use std::collections::BTreeSet;

use super::homonyms::Homonyms;
use super::instances::owns;
use super::*;
use crate::ast::{SectionKind, SetDeclaration};
use crate::model::same::same_pred;
use crate::model::types::CarrierId;
use crate::model::visit::{Names, Visitor, walk_expr};

/// The kind of declaration of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Constant,
    /// With its elements, if it is enumerated.
    Set(Option<Vec<String>>),
}

impl Composition {
    /// Finds the names that refinements identify.
    pub(super) fn identify(&mut self) {
        let mut found = Homonyms::default();
        for i in 0..self.instances.len() {
            let links = self.instances[i].links.clone();
            let Some(abstraction) = links.iter().find(|l| l.relation == Relation::Refines) else { continue };
            let given = self.valued_from(i);
            let shown = |link: &instances::Link| {
                let mut all = vec![];
                self.shown(self.instances[link.instance].unit, &mut BTreeSet::new(), &mut all);
                all
            };
            let of_abstraction = shown(abstraction);
            for link in links.iter().filter(|l| l.relation != Relation::Refines) {
                for (unit, name, kind) in shown(link) {
                    let twin = of_abstraction.iter().find(|(u, n, _)| *n == name && *u != unit);
                    let Some((of, _, wanted)) = twin.filter(|_| !given.contains(&name)) else { continue };
                    let elements = match (wanted, &kind) {
                        (Kind::Constant, Kind::Constant) => None,
                        (Kind::Set(None), Kind::Set(elements)) => elements.clone(),
                        (Kind::Set(Some(a)), Kind::Set(Some(b))) if a == b => Some(b.clone()),
                        // The names clash, which is reported where they meet.
                        _ => continue,
                    };
                    found.unite((*of, name.clone()), (unit, name), elements);
                }
            }
        }
        self.homonyms = found;
    }

    // Sets and constants of a unit and of those whose names it hands on.
    fn shown(&self, unit: usize, met: &mut BTreeSet<usize>, found: &mut Vec<(usize, String, Kind)>) {
        if !met.insert(unit) {
            return;
        }
        let Unit { tree, definitions, .. } = &self.project.units[unit];
        let mut note = |id: &Ident, kind: Kind| {
            if found.iter().all(|(_, name, _)| *name != id.name) {
                found.push((unit, id.name.clone(), kind));
            }
        };
        let names = |ids: &[Ident]| listed(definitions, ids).into_iter().map(|id| id.name).collect();
        for section in &tree.sections {
            match &section.kind {
                SectionKind::Sets(list) => list.iter().for_each(|d| match d {
                    SetDeclaration::Deferred(id) => note(id, Kind::Set(None)),
                    SetDeclaration::Enumerated(id, ids) => {
                        let elements = ids.iter().map(|id| id.name.clone()).collect();
                        note(id, Kind::Set(Some(elements)));
                    }
                    SetDeclaration::ByDefinition(id, of) => {
                        note(id, Kind::Set(Some(names(std::slice::from_ref(of)))));
                    }
                }),
                SectionKind::ConcreteConstants(ids) | SectionKind::AbstractConstants(ids) => {
                    listed(definitions, ids).iter().for_each(|id| note(id, Kind::Constant));
                }
                _ => {}
            }
        }
        let owned = tree.sections.iter().flat_map(|s| match &s.kind {
            SectionKind::Includes(list) | SectionKind::Extends(list) | SectionKind::Imports(list) => {
                list.as_slice()
            }
            _ => &[],
        });
        let targets: Vec<&Ident> = owned.map(|r| &r.machine).chain(&tree.refines).collect();
        for target in targets {
            if let Some(next) = self.project.units[unit].link(target) {
                self.shown(next, met, found);
            }
        }
    }

    /// Returns the concrete variables that an instance includes or imports under their own names. They implement those
    /// of its abstraction.
    pub(super) fn implemented_variables(&self, i: usize) -> BTreeSet<String> {
        let links = self.instances[i].links.iter();
        let plain = links.filter(|l| owns(l.relation) && l.prefix.is_none());
        plain.flat_map(|l| self.concrete_variables(l.instance)).collect()
    }

    // Concrete variables of the instance, of its abstractions, and of the machines that it owns.
    fn concrete_variables(&self, i: usize) -> Vec<String> {
        let unit = &self.project.units[self.instances[i].unit];
        let lists = unit.tree.sections.iter().filter_map(|s| match &s.kind {
            SectionKind::ConcreteVariables(ids) => Some(ids),
            _ => None,
        });
        let mut all: Vec<String> =
            lists.flat_map(|ids| listed(&unit.definitions, ids)).map(|id| id.name).collect();
        for link in self.instances[i].links.iter().filter(|l| l.prefix.is_none()) {
            if owns(link.relation) || link.relation == Relation::Refines {
                all.extend(self.concrete_variables(link.instance));
            }
        }
        all
    }

    /// Removes from the properties of a machine those that are owed by the machine that gives its sets and constants
    /// their values.
    pub(super) fn owed(&self, i: usize, properties: &mut Vec<Conjunct>) -> Vec<Conjunct> {
        let given = self.homonyms.given(self.instances[i].unit);
        if given.is_empty() {
            return vec![];
        }
        let is_owed = |c: &Conjunct| {
            let constants = Names::of_pred(&c.pred).constants.into_iter().map(Entity::Const);
            let mut spoken =
                constants.chain(Sets::of_pred(&c.pred).into_iter().map(Entity::Carrier)).peekable();
            spoken.peek().is_some() && spoken.all(|entity| given.contains(&entity))
        };
        let (owed, kept) = take(properties).into_iter().partition(is_owed);
        *properties = kept;
        owed
    }

    /// Properties that are owed and that no axiom repeats.
    pub(super) fn still_owed(&self, owed: Vec<Conjunct>, axioms: &[Conjunct]) -> Vec<Conjunct> {
        owed.into_iter().filter(|c| !axioms.iter().any(|a| same_pred(&a.pred, &c.pred))).collect()
    }
}

/// The sets that a predicate names.
#[derive(Default)]
pub(super) struct Sets(pub BTreeSet<CarrierId>);

impl Sets {
    /// Those of one predicate.
    pub(super) fn of_pred(p: &Pred) -> BTreeSet<CarrierId> {
        let mut sets = Sets::default();
        sets.pred(p);
        sets.0
    }
}

impl Visitor<OpenType> for Sets {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Carrier(c) = e.kind {
            self.0.insert(c);
        }
        walk_expr(self, e);
    }
}
