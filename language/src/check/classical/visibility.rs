//! Declarations of all instances, and the visibility of names between instances.
//!
//! Sets and constants are visible through `INCLUDES`, `EXTENDS`, `IMPORTS` and `REFINES` even from indirect references,
//! through `SEES` and `USES` only from the machine itself and the machines that it includes. The same holds for
//! variables. Operations are visible where they are declared or promoted.

use std::mem::take;

use super::instances::{Link, join, leads_nowhere, owns};
use super::*;
use crate::ast::{Ident, SectionKind, SetDeclaration};

impl Composition {
    /// Gives every variable its id, those of the state first. A variable that a refinement keeps has
    /// one id on both levels.
    pub(super) fn allocate_variables(&mut self) {
        for i in 0..self.instances.len() {
            if self.instances[i].concrete {
                self.allocate(i, &HashMap::new());
            }
        }
        self.state = self.c.model.variables.len();
        let refines = |m: &Composition, i: usize| {
            m.instances[i].links.iter().find(|l| l.relation == Relation::Refines).map(|l| l.instance)
        };
        let concrete = (0..self.instances.len()).filter(|&i| self.instances[i].concrete);
        let mut todo: Vec<usize> = concrete.collect();
        let mut met: HashSet<usize> = todo.iter().copied().collect();
        while let Some(r) = todo.pop() {
            let Some(abstraction) = refines(self, r) else { continue };
            let names = |m: &Composition| -> HashMap<String, VarId> {
                let parts = m.belonging_to(r);
                let of = |&i: &usize| {
                    let path = &m.instances[i].path;
                    m.interfaces[i].own.iter().map(move |(id, v)| (join(Some(path), &id.name), *v))
                };
                parts.iter().flat_map(of).collect()
            };
            let kept = names(self);
            for i in self.belonging_to(abstraction) {
                if met.insert(i) {
                    self.allocate(i, &kept);
                    todo.push(i);
                }
            }
        }
    }

    // The instance and all machines that it includes or imports, directly or indirectly.
    pub(super) fn belonging_to(&self, instance: usize) -> Vec<usize> {
        let mut out = vec![instance];
        let mut next = 0;
        while next < out.len() {
            let links = self.instances[out[next]].links.iter();
            let new: Vec<usize> =
                links.filter(|l| owns(l.relation)).map(|l| l.instance).filter(|i| !out.contains(i)).collect();
            out.extend(new);
            next += 1;
        }
        out
    }

    fn allocate(&mut self, i: usize, kept: &HashMap<String, VarId>) {
        for id in self.variable_names(i) {
            let known = kept.get(&join(Some(&self.instances[i].path), &id.name)).copied();
            let v = known.unwrap_or_else(|| {
                let name = join(self.instances[i].display.as_deref(), &id.name);
                let ty = self.c.fresh();
                self.c.model.variables.push(Variable { name, ty, span: id.span });
                VarId(self.c.model.variables.len() as u32 - 1)
            });
            self.interfaces[i].own.push((id, v));
        }
    }

    /// Returns the variables of an instance. Concrete variables of an abstraction are kept implicitly, unless a machine
    /// that the instance includes or imports implements them.
    pub(super) fn variable_names(&self, i: usize) -> Vec<Ident> {
        let implemented = self.implemented_variables(i);
        let mut names: Vec<Ident> = vec![];
        let mut at = Some(i);
        while let Some(j) = at {
            let unit = &self.project.units[self.instances[j].unit];
            for section in &unit.tree.sections {
                let ids = match &section.kind {
                    SectionKind::AbstractVariables(ids) if j == i => ids,
                    SectionKind::ConcreteVariables(ids) => ids,
                    _ => continue,
                };
                let new = listed(&unit.definitions, ids);
                names.extend(
                    new.into_iter()
                        .filter(|id| {
                            j == i
                                || (names.iter().all(|n| n.name != id.name)
                                    && !implemented.contains(&id.name))
                        })
                        .collect::<Vec<_>>(),
                );
            }
            at = self.instances[j].links.iter().find(|l| l.relation == Relation::Refines).map(|l| l.instance);
        }
        names
    }

    /// Declares all names of an instance, after those of the instances it refers to.
    pub(super) fn declare(&mut self, i: usize) {
        let project = self.project.clone();
        let unit = &project.units[self.instances[i].unit];
        let links = self.instances[i].links.clone();
        let own = self.interfaces[i].own.clone();
        let first = self.c.model.constants.len();
        let statics = self.inside(i, |m| {
            m.c.names.definitions = unit.definitions.clone();
            let unknown = |l: &Link| m.interfaces[l.instance].environment.uses_others;
            m.c.names.uses_others = leads_nowhere(unit) || links.iter().any(unknown);
            m.c.incomplete |= m.c.names.uses_others;
            let mut kept = HashSet::new();
            for (of, link) in by_strength(&links) {
                m.import(link, of, &mut kept);
            }
            m.own_parameters(i);
            let statics = m.own_statics(&unit.tree, &kept);
            own.iter().for_each(|(id, v)| m.declare_variable(id, *v));
            statics
        });
        self.interfaces[i].statics = statics;
        self.interfaces[i].constants =
            (first..self.c.model.constants.len()).map(|k| ConstId(k as u32)).collect();
        self.inside(i, |m| m.own_operations(i, &unit.tree));
        self.exports(i, &links);
        self.inside(i, |m| m.promote(i, &unit.tree));
    }

    // Makes the names of another instance known.
    fn import(&mut self, link: &Link, of: usize, kept: &mut HashSet<String>) {
        let shown = &self.interfaces[of];
        let mut statics = shown.statics.clone();
        if link.relation == Relation::Uses {
            statics.extend(shown.parameters.clone().unwrap_or_default());
        }
        let (variables, operations) = (shown.variables.clone(), shown.operations.clone());
        let machine = self.machine_name(of);
        for (name, entity, declared) in statics {
            if link.relation == Relation::Refines {
                kept.insert(name.clone());
            }
            let of_abstraction = kept.contains(&name) && link.relation != Relation::Refines;
            self.import_name(name, entity, declared, link.place, &machine, of_abstraction);
        }
        let access = match link.relation {
            Relation::Refines => Access::Abstract(machine.clone()),
            Relation::Sees => Access::Seen(machine.clone()),
            Relation::Uses => Access::Used(machine.clone()),
            _ => Access::Included(machine.clone()),
        };
        for (name, v, declared) in variables {
            self.import_name(link.renamed(&name), Entity::Var(v), declared, link.place, &machine, false);
            self.c.names.access.insert(v, access.clone());
        }
        if link.relation == Relation::Refines {
            return;
        }
        for (name, procedure, span) in operations {
            let name = link.renamed(&name);
            let new = Callable { span, procedure, access: Some(access.clone()), local: false };
            if let Some(old) = self.c.names.operations.get(&name)
                && old.procedure != procedure
            {
                let d = Diagnostic::error(
                    codes::DUPLICATE_DECLARATION,
                    link.place,
                    format!("operation `{name}` of machine `{machine}` has the name of another one"),
                );
                let (first, second) = (old.span, span);
                self.c.report(d.label(first, "declared here").label(second, "and here"));
            }
            self.c.names.operations.insert(name, new);
        }
    }

    fn import_name(
        &mut self,
        name: String,
        entity: Entity,
        declared: Span,
        place: Span,
        machine: &str,
        of_abstraction: bool,
    ) {
        match self.c.names.globals.get(&name) {
            Some((known, _)) if *known == entity => {}
            Some((_, first)) => {
                let d = Diagnostic::error(
                    codes::DUPLICATE_DECLARATION,
                    place,
                    format!("`{name}` of machine `{machine}` has the name of something else"),
                );
                let d = d.label(*first, "declared here").label(declared, "and here");
                let help = "a refinement identifies constants of one name, deferred sets of the abstraction with sets, \
                            and enumerated sets that have the same elements in the same order";
                self.c.report(if of_abstraction { d.help(help) } else { d });
            }
            None => drop(self.c.names.globals.insert(name, (entity, declared))),
        }
    }

    fn own_parameters(&mut self, i: usize) {
        for (name, entity, span) in self.parameters_of(i) {
            self.c.names.parameters.push(entity);
            if self.c.names.globals.get(&name).is_none_or(|(known, _)| *known != entity) {
                self.c.declare_global(&name, span, entity);
            }
        }
    }

    // The parameters of an abstraction are those of its refinement.
    fn parameters_of(&mut self, i: usize) -> Vec<Declared<Entity>> {
        if let Some(known) = &self.interfaces[i].parameters {
            return known.clone();
        }
        let project = self.project.clone();
        let tree = &project.units[self.instances[i].unit].tree;
        let names = &tree.parameters;
        let mut list: Vec<Declared<Entity>> = vec![];
        if let Some(refinement) = self.instances[i].refined_by {
            let outer = self.parameters_of(refinement);
            let finer = &project.units[self.instances[refinement].unit].tree;
            if outer.len() == names.len() {
                list = names.iter().zip(outer).map(|(id, (_, e, _))| (id.name.clone(), e, id.span)).collect();
            } else {
                let (wanted, given) = (names.len(), outer.len());
                self.c.report(
                    Diagnostic::error(
                        codes::MACHINE_PARAMETERS,
                        finer.name.span,
                        format!(
                            "`{}` has {given} parameters, its abstraction `{}` has {wanted}",
                            finer.name.name, tree.name.name
                        ),
                    )
                    .label(tree.name.span, "the abstraction")
                    .help("a refinement repeats the parameters of its abstraction"),
                );
            }
        }
        let given = self.instances[i].given.clone();
        let bound = given.as_ref().is_some_and(|(_, arguments, _)| arguments.len() == names.len());
        if let Some((_, arguments, place)) = given.filter(|_| !bound) {
            let (wanted, given) = (names.len(), arguments.len());
            self.c.report(
                Diagnostic::error(
                    codes::MACHINE_PARAMETERS,
                    place,
                    format!(
                        "machine `{}` has {wanted} parameters, {given} arguments are given",
                        tree.name.name
                    ),
                )
                .label(tree.name.span, "declared here"),
            );
        }
        if list.is_empty() {
            let display = self.instances[i].display.clone();
            let inside = join(display.as_deref(), &tree.name.name);
            for id in names {
                let set = is_set_parameter(&id.name);
                let name = match bound {
                    true => join(Some(&inside), &id.name),
                    false => join(display.as_deref(), &id.name),
                };
                let entity = if set && !bound {
                    Entity::Carrier(self.c.new_carrier(name, CarrierKind::Deferred, id.span))
                } else {
                    let ty = if set { self.c.fresh_set() } else { self.c.fresh() };
                    let parameter = self.c.new_constant(name, ty, id.span);
                    if !bound {
                        self.c.model.parameters.insert(parameter);
                    }
                    Entity::Const(parameter)
                };
                list.push((id.name.clone(), entity, id.span));
            }
        }
        self.interfaces[i].parameters = Some(list.clone());
        list
    }

    // Sets and constants exist once, however often their machine is instantiated.
    fn own_statics(&mut self, tree: &ast::Machine, kept: &HashSet<String>) -> Vec<Declared<Entity>> {
        let mut out = vec![];
        if let Some(twin) = self.twin(self.current) {
            let own: HashSet<String> = own_static_names(&self.c.names.definitions, tree);
            let shared = self.interfaces[twin].statics.clone();
            for (name, entity, span) in shared.into_iter().filter(|(n, ..)| own.contains(n)) {
                if self.c.names.globals.get(&name).is_none_or(|(known, _)| *known != entity) {
                    self.c.declare_global(&name, span, entity);
                }
                out.push((name, entity, span));
            }
            return out;
        }
        let before: HashMap<String, Entity> =
            self.c.names.globals.iter().map(|(n, (e, _))| (n.clone(), *e)).collect();
        for section in &tree.sections {
            match &section.kind {
                SectionKind::Sets(list) => list.iter().for_each(|d| self.set(d)),
                SectionKind::ConcreteConstants(ids) | SectionKind::AbstractConstants(ids) => {
                    for id in &listed(&self.c.names.definitions, ids) {
                        // A concrete constant may implement an abstract one of the same name.
                        if !(kept.contains(&id.name)
                            && matches!(before.get(&id.name), Some(Entity::Const(_))))
                        {
                            self.constant(id);
                        }
                    }
                }
                _ => {}
            }
        }
        self.c.free_types(tree);
        let fresh = self.c.names.globals.iter().filter(|(n, (e, _))| before.get(*n) != Some(e));
        let mut fresh: Vec<Declared<Entity>> = fresh.map(|(n, (e, s))| (n.clone(), *e, *s)).collect();
        fresh.sort_by_key(|(_, _, span)| (span.source, span.start));
        fresh
    }

    /// Another instance of the same machine that was declared before.
    pub(super) fn twin(&self, i: usize) -> Option<usize> {
        let before = self.order.iter().take_while(|&&j| j != i);
        before.copied().find(|&j| self.instances[j].unit == self.instances[i].unit)
    }

    fn declare_variable(&mut self, id: &Ident, v: VarId) {
        let kept = matches!(self.c.names.access.get(&v), Some(Access::Abstract(_)))
            && self.c.names.globals.get(&id.name).is_some_and(|(e, _)| *e == Entity::Var(v));
        if kept {
            self.c.names.globals.insert(id.name.clone(), (Entity::Var(v), id.span));
        } else {
            self.c.declare_global(&id.name, id.span, Entity::Var(v));
        }
        self.c.names.access.remove(&v);
    }

    fn own_operations(&mut self, i: usize, tree: &ast::Machine) {
        for section in &tree.sections {
            let (list, local) = match &section.kind {
                SectionKind::Operations(list) => (list, false),
                SectionKind::LocalOperations(list) => (list, true),
                _ => continue,
            };
            for op in list {
                let implements = self
                    .c
                    .names
                    .operations
                    .get(&op.name.name)
                    .is_some_and(|c| c.access.is_none() && c.local != local);
                if implements {
                    continue;
                }
                if let Some(first) = self.c.names.operations.get(&op.name.name) {
                    let d = Diagnostic::error(
                        codes::DUPLICATE_DECLARATION,
                        op.name.span,
                        format!("operation `{}` is declared twice", op.name.name),
                    );
                    self.c.report(d.label(first.span, "first declared here"));
                    continue;
                }
                let procedure = self.c.new_procedure(i, op);
                let new = Callable { span: op.name.span, procedure, access: None, local };
                self.c.names.operations.insert(op.name.name.clone(), new);
            }
        }
        // An operation of both sections is a local one with its implementation.
        for section in &tree.sections {
            if let SectionKind::LocalOperations(list) = &section.kind {
                for op in list {
                    if let Some(c) = self.c.names.operations.get_mut(&op.name.name) {
                        c.local = true;
                    }
                }
            }
        }
    }

    // Computes the names of an instance that others see, except for promoted operations.
    fn exports(&mut self, i: usize, links: &[Link]) {
        let mut statics = take(&mut self.interfaces[i].statics);
        let mut variables: Vec<Declared<VarId>> =
            self.interfaces[i].own.iter().map(|(id, v)| (id.name.clone(), *v, id.span)).collect();
        for link in links {
            let shown = &self.interfaces[link.instance];
            if owns(link.relation) || link.relation == Relation::Refines {
                let new = shown.statics.iter().filter(|s| !statics.contains(s)).cloned().collect::<Vec<_>>();
                statics.extend(new);
            }
            if owns(link.relation) {
                variables.extend(shown.variables.iter().map(|(n, v, s)| (link.renamed(n), *v, *s)));
            }
        }
        let interface = &mut self.interfaces[i];
        (interface.statics, interface.variables) = (statics, variables);
    }

    // Own operations, those of `PROMOTES` and `EXTENDS`, and those that only the abstraction has.
    fn promote(&mut self, i: usize, tree: &ast::Machine) {
        let links = self.instances[i].links.clone();
        let mut list: Vec<Declared<usize>> = vec![];
        let mut refined: HashSet<String> = HashSet::new();
        for section in &tree.sections {
            let SectionKind::Operations(ops) = &section.kind else { continue };
            for op in ops {
                refined.extend(op.refines.as_ref().map(|r| r.name.clone()));
                if let Some(c) = self.c.names.operations.get(&op.name.name)
                    && c.access.is_none()
                    && !c.local
                {
                    list.push((op.name.name.clone(), c.procedure, op.name.span));
                }
            }
        }
        for section in &tree.sections {
            if let SectionKind::Promotes(names) = &section.kind {
                names.iter().for_each(|id| self.promoted(id, &mut list));
            }
        }
        for link in links.iter().filter(|l| l.relation == Relation::Extends) {
            let shown = self.interfaces[link.instance].operations.clone();
            list.extend(shown.into_iter().map(|(n, p, s)| (link.renamed(&n), p, s)));
        }
        let mut unique: Vec<Declared<usize>> = vec![];
        for entry in list {
            if !unique.iter().any(|(n, ..)| *n == entry.0) {
                unique.push(entry);
            }
        }
        let mut abstraction = HashMap::new();
        let mut inherited = vec![];
        for link in links.iter().filter(|l| l.relation == Relation::Refines) {
            for (name, procedure, span) in self.interfaces[link.instance].operations.clone() {
                if !unique.iter().any(|(n, ..)| *n == name) && !refined.contains(&name) {
                    inherited.push((name.clone(), procedure));
                    unique.push((name.clone(), procedure, span));
                }
                abstraction.insert(name, procedure);
            }
        }
        let interface = &mut self.interfaces[i];
        interface.operations = unique;
        interface.abstraction = abstraction;
        interface.inherited = inherited;
    }

    fn promoted(&mut self, id: &Ident, list: &mut Vec<Declared<usize>>) {
        match self.c.names.operations.get(&id.name) {
            Some(Callable { procedure, access: Some(Access::Included(_)), .. }) => {
                list.push((id.name.clone(), *procedure, id.span));
            }
            Some(found) => {
                let d = Diagnostic::error(
                    codes::UNKNOWN_PROMOTED,
                    id.span,
                    format!("`{}` is no operation of an included machine", id.name),
                );
                let place = found.span;
                self.c.report(d.label(place, "declared here"));
            }
            None if self.c.names.uses_others => {}
            None => {
                let included = |c: &&Callable| matches!(c.access, Some(Access::Included(_)));
                let known = self.c.names.operations.iter().filter(|(_, c)| included(c));
                let near = nearest(&id.name, known.map(|(n, _)| n.as_str()));
                let mut d = Diagnostic::error(
                    codes::UNKNOWN_PROMOTED,
                    id.span,
                    format!("no included machine has an operation `{}`", id.name),
                );
                if let Some(near) = near {
                    d = d.meant(near);
                }
                self.c.report(d);
            }
        }
    }
}

// References that allow more are imported last.
fn by_strength(links: &[Link]) -> Vec<(usize, &Link)> {
    let strength = |r: Relation| match r {
        Relation::Refines => 0,
        Relation::Sees => 1,
        Relation::Uses => 2,
        _ => 3,
    };
    let mut sorted: Vec<(usize, &Link)> = links.iter().map(|l| (l.instance, l)).collect();
    sorted.sort_by_key(|(_, l)| strength(l.relation));
    sorted
}

fn own_static_names(definitions: &Definitions, tree: &ast::Machine) -> HashSet<String> {
    let mut names = HashSet::new();
    for section in &tree.sections {
        match &section.kind {
            SectionKind::Sets(list) => {
                for d in list {
                    let (id, elements) = match d {
                        SetDeclaration::Deferred(id) => (id, vec![]),
                        SetDeclaration::Enumerated(id, elements) => (id, elements.clone()),
                        SetDeclaration::ByDefinition(id, of) => {
                            (id, listed(definitions, std::slice::from_ref(of)))
                        }
                    };
                    names.extend(elements.into_iter().chain([id.clone()]).map(|id| id.name));
                }
            }
            SectionKind::ConcreteConstants(ids) | SectionKind::AbstractConstants(ids) => {
                names.extend(listed(definitions, ids).into_iter().map(|id| id.name));
            }
            // Extended by other kinds of sections as they declare names.
            SectionKind::FreeTypes(list) => {
                for t in list {
                    let constructors = t.constructors.iter().map(|(id, _)| id.name.clone());
                    names.extend(constructors.chain([t.name.name.clone()]));
                }
            }
            _ => {}
        }
    }
    names
}
