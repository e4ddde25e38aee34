//! Instances of machines that a model is composed of.
//!
//! An instance is a machine with a renaming prefix: a machine that several others refer to under the same prefix is one
//! instance. The state belongs to the main machine, to the machines that it includes or imports, and to all seen or
//! used machines. An abstraction, and machines that only it includes, contribute their sets, constants, types and
//! gluing.

use std::collections::HashMap;

use crate::ast::{self, Ident, Reference, SectionKind};
use crate::classical::project::{Project, Unit};
use crate::model::Relation;
use crate::text::source::Span;
use crate::tuning::tuning;

/// A machine with its renaming.
#[derive(Debug)]
pub(super) struct Instance {
    /// Position in the project.
    pub unit: usize,
    /// Prefix of its names in the model, without the last dot.
    pub display: Option<String>,
    /// Renaming prefixes from the root on.
    pub path: String,
    /// Kind of the first reference to it.
    pub relation: Relation,
    /// Its references, in source order.
    pub links: Vec<Link>,
    /// The including instance and its arguments for the parameters.
    pub given: Option<(usize, Vec<ast::Expr>, Span)>,
    /// The refinement of this abstraction.
    pub refined_by: Option<usize>,
    /// `true` if its variables are part of the state.
    pub concrete: bool,
    /// `true` if it is seen or used, and not included: its operations are events of the environment.
    pub seen_root: bool,
}

/// A reference of an instance to another one.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub relation: Relation,
    /// As written.
    pub prefix: Option<String>,
    pub instance: usize,
    pub place: Span,
}

impl Link {
    /// `x` as it is called where the reference stands.
    pub fn renamed(&self, name: &str) -> String {
        join(self.prefix.as_deref(), name)
    }
}

/// Returns whether the instance behind such a reference belongs to the one that refers to it.
pub(super) fn owns(relation: Relation) -> bool {
    matches!(relation, Relation::Includes | Relation::Extends | Relation::Imports)
}

pub(super) fn join(prefix: Option<&str>, name: &str) -> String {
    match prefix {
        Some(p) if !p.is_empty() => format!("{p}.{name}"),
        _ => name.to_string(),
    }
}

/// The instances of a project, and their order: each after those it refers to.
pub(super) struct Plan {
    pub instances: Vec<Instance>,
    pub order: Vec<usize>,
    /// A reference that leads to too many instances.
    pub too_many: Option<Span>,
}

/// Finds the instances, beginning with the main machine as instance 0.
pub(super) fn plan(project: &Project) -> Plan {
    let mut planner =
        Planner { units: &project.units, instances: vec![], by_key: HashMap::new(), too_many: None };
    let none = Origin { display: None, path: String::new(), given: None, refined_by: None };
    planner.own(0, Relation::Main, none);
    let mut next = 0;
    while next < planner.instances.len() {
        planner.see(next);
        next += 1;
    }
    planner.mark_concrete();
    let order = planner.order();
    Plan { instances: planner.instances, order, too_many: planner.too_many }
}

struct Planner<'a> {
    units: &'a [Unit],
    instances: Vec<Instance>,
    by_key: HashMap<(usize, String), usize>,
    too_many: Option<Span>,
}

struct Origin {
    display: Option<String>,
    path: String,
    given: Option<(usize, Vec<ast::Expr>, Span)>,
    refined_by: Option<usize>,
}

impl Planner<'_> {
    /// The instance of a unit, with everything that belongs to it.
    fn own(&mut self, unit: usize, relation: Relation, origin: Origin) -> usize {
        let key = (unit, origin.path.clone());
        if let Some(&known) = self.by_key.get(&key) {
            let instance = &mut self.instances[known];
            if instance.given.is_none() {
                instance.given = origin.given;
            }
            // Only the including machine may change it.
            instance.seen_root &= !owns(relation);
            return known;
        }
        let this = self.instances.len();
        self.by_key.insert(key, this);
        let Origin { display, path, given, refined_by } = origin;
        self.instances.push(Instance {
            unit,
            display: display.clone(),
            path: path.clone(),
            relation,
            links: vec![],
            given,
            refined_by,
            concrete: false,
            seen_root: false,
        });
        let units = self.units;
        let tree = &units[unit].tree;
        for (relation, r) in owned(tree) {
            let Some(child) = units[unit].link(&r.machine) else { continue };
            if self.instances.len() > tuning().check.instances {
                self.too_many = Some(r.machine.span);
                break;
            }
            let prefix = r.prefix.as_ref().map(|p| p.name.clone());
            let inside = |outer: Option<&str>| match &prefix {
                Some(p) => Some(join(outer, p)),
                None => outer.map(str::to_string),
            };
            let origin = Origin {
                display: inside(display.as_deref()),
                path: inside(Some(&path)).unwrap_or_default(),
                given: Some((this, r.arguments.clone(), r.machine.span)),
                refined_by: None,
            };
            let instance = self.own(child, relation, origin);
            self.instances[this].links.push(Link { relation, prefix, instance, place: r.machine.span });
        }
        if let Some(name) = &tree.refines
            && let Some(child) = units[unit].link(name)
        {
            let origin = Origin { display, path, given: None, refined_by: Some(this) };
            let instance = self.own(child, Relation::Refines, origin);
            let link = Link { relation: Relation::Refines, prefix: None, instance, place: name.span };
            self.instances[this].links.push(link);
        }
        this
    }

    /// Links an instance to the machines that it sees and uses.
    fn see(&mut self, this: usize) {
        let units = self.units;
        let unit = self.instances[this].unit;
        for (relation, r) in seen(&units[unit].tree) {
            let Some(child) = units[unit].link(&r.machine) else { continue };
            let prefix = r.prefix.as_ref().map(|p| p.name.clone());
            let alone = prefix.clone().unwrap_or_default();
            let path = &self.instances[this].path;
            // The instance with the same prefix, else the one of the whole project.
            let beside = if alone.is_empty() { path.clone() } else { join(Some(path), &alone) };
            let known =
                [beside, alone.clone()].into_iter().find_map(|p| self.by_key.get(&(child, p)).copied());
            let instance = known.unwrap_or_else(|| {
                let display = prefix.clone().unwrap_or_else(|| r.machine.name.clone());
                let origin = Origin { display: Some(display), path: alone, given: None, refined_by: None };
                let new = self.own(child, relation, origin);
                self.instances[new].seen_root = true;
                new
            });
            self.instances[this].links.push(Link { relation, prefix, instance, place: r.machine.span });
        }
    }

    fn mark_concrete(&mut self) {
        let seen = self.instances.iter().flat_map(|i| &i.links);
        let seen = seen.filter(|l| matches!(l.relation, Relation::Sees | Relation::Uses)).map(|l| l.instance);
        let mut todo: Vec<usize> = seen.chain([0]).collect();
        while let Some(i) = todo.pop() {
            if !std::mem::replace(&mut self.instances[i].concrete, true) {
                todo.extend(self.instances[i].links.iter().filter(|l| owns(l.relation)).map(|l| l.instance));
            }
        }
    }

    fn order(&self) -> Vec<usize> {
        let mut order = vec![];
        let mut met = vec![false; self.instances.len()];
        met[0] = true;
        let next = |i: usize| self.instances[i].links.iter().rev().map(|l| l.instance).collect::<Vec<_>>();
        let mut path = vec![(0, next(0))];
        while let Some((i, todo)) = path.last_mut() {
            match todo.pop() {
                Some(child) if !std::mem::replace(&mut met[child], true) => path.push((child, next(child))),
                Some(_) => {}
                None => {
                    order.push(*i);
                    path.pop();
                }
            }
        }
        order
    }
}

fn owned(tree: &ast::Machine) -> impl Iterator<Item = (Relation, &Reference)> {
    tree.sections.iter().flat_map(|s| {
        let (relation, list): (_, &[Reference]) = match &s.kind {
            SectionKind::Includes(list) => (Relation::Includes, list),
            SectionKind::Extends(list) => (Relation::Extends, list),
            SectionKind::Imports(list) => (Relation::Imports, list),
            _ => (Relation::Main, &[]),
        };
        list.iter().map(move |r| (relation, r))
    })
}

fn seen(tree: &ast::Machine) -> impl Iterator<Item = (Relation, &Reference)> {
    tree.sections.iter().flat_map(|s| {
        let (relation, list): (_, &[Reference]) = match &s.kind {
            SectionKind::Sees(list) => (Relation::Sees, list),
            SectionKind::Uses(list) => (Relation::Uses, list),
            _ => (Relation::Main, &[]),
        };
        list.iter().map(move |r| (relation, r))
    })
}

/// References that nothing was found for.
pub(super) fn leads_nowhere(unit: &Unit) -> bool {
    let names: Vec<&Ident> = owned(&unit.tree).chain(seen(&unit.tree)).map(|(_, r)| &r.machine).collect();
    unit.tree.refines.iter().chain(names).any(|name| unit.link(name).is_none())
}
