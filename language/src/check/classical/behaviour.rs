//! Initialisations and operations of all instances, and the events that come of them.

use std::collections::BTreeSet;

use super::instances::{join, owns};
use super::*;
use crate::ast::visit::FreeNames;
use crate::ast::{Operation, SectionKind};
use crate::check::names::Procedure;
use crate::model::visit::Names;

impl Composition {
    pub(super) fn behaviour(&mut self) {
        let mut initialisation = vec![];
        self.initialisations.resize(self.instances.len(), None);
        for i in self.order.clone() {
            self.c.scope.visibility = Visibility::Behaviour;
            let body = self.inside(i, |m| {
                m.local_operations(i);
                let body = m.initialisation(i);
                m.operations_of(i);
                body
            });
            self.initialisations[i] = body.clone();
            // Machines that are seen or included come first: an initialisation may read them.
            match body.filter(|_| self.instances[i].concrete) {
                Some(Subst { kind: SubstKind::Skip, .. }) | None => {}
                Some(Subst { kind: SubstKind::Sequence(parts), .. }) => initialisation.extend(parts),
                Some(body) => initialisation.push(body),
            }
        }
        self.c.scope.visibility = Visibility::State;
        if let Some(last) = initialisation.last() {
            let span = last.span;
            self.c.model.initialisation = match initialisation.len() {
                1 => initialisation.remove(0),
                _ => SubstKind::Sequence(initialisation).at(span),
            };
        }
        self.events();
    }

    fn initialisation(&mut self, i: usize) -> Option<Subst> {
        let project = self.project.clone();
        let tree = &project.units[self.instances[i].unit].tree;
        let found = tree.sections.iter().find_map(|s| match &s.kind {
            SectionKind::Initialisation(body) => Some((body, s.keyword)),
            _ => None,
        });
        let Some((body, keyword)) = found else {
            if self.needs_initialisation(i)
                && self.c.diagnostics.iter().all(|d| d.code != codes::MISSING_SECTION)
            {
                let nothing = SubstKind::Skip.at(tree.name.span);
                self.initialised(i, &nothing, tree.name.span);
            }
            return None;
        };
        let body = self.c.subst(body);
        self.c.finish_group();
        self.initialised(i, &body, keyword);
        Some(body)
    }

    fn initialised(&mut self, i: usize, body: &Subst, keyword: Span) {
        if !self.c.diagnostics.iter().all(|d| d.severity == Severity::Warning) {
            return;
        }
        let written = Names::of_subst(body).written;
        for (_, v) in self.interfaces[i].own.clone() {
            if !written.contains(&v) {
                let variable = &self.c.model.variables[v.index()];
                let d = Diagnostic::error(
                    codes::NOT_INITIALISED,
                    keyword,
                    format!("variable `{}` is not initialised", variable.name),
                )
                .label(variable.span, "declared here")
                .help(format!("add `|| {} := …`", variable.name));
                // All of them are at the keyword.
                self.c.diagnostics.push(d);
            }
        }
    }

    fn operations_of(&mut self, i: usize) {
        let project = self.project.clone();
        for s in &project.units[self.instances[i].unit].tree.sections {
            let SectionKind::Operations(list) = &s.kind else { continue };
            for op in list {
                if self
                    .c
                    .names
                    .operations
                    .get(&op.name.name)
                    .is_some_and(|c| !c.local && c.span == op.name.span)
                {
                    self.procedure(op);
                }
            }
        }
    }

    // Local operations, each after those it calls. One that is implemented among the operations runs
    // as it is there; its specification is checked as well.
    fn local_operations(&mut self, i: usize) {
        let project = self.project.clone();
        let sections = &project.units[self.instances[i].unit].tree.sections;
        let mut specified: Vec<&Operation> = vec![];
        let mut implemented: HashMap<&str, &Operation> = HashMap::new();
        for s in sections {
            match &s.kind {
                SectionKind::LocalOperations(list) => specified.extend(list),
                SectionKind::Operations(list) => {
                    implemented.extend(list.iter().map(|op| (op.name.name.as_str(), op)));
                }
                _ => {}
            }
        }
        let body_of = |name: &str| -> Option<&Operation> {
            implemented
                .get(name)
                .copied()
                .or_else(|| specified.iter().copied().find(|op| op.name.name == name))
        };
        let names: BTreeSet<&str> = specified.iter().map(|op| op.name.name.as_str()).collect();
        let calls = |name: &str| -> Vec<String> {
            let used = body_of(name).map(|op| FreeNames::of_subst(&op.body)).unwrap_or_default();
            used.into_iter().filter(|n| names.contains(n.as_str())).collect()
        };
        let mut done: HashSet<String> = HashSet::new();
        let mut open: Vec<String> = vec![];
        for start in &names {
            let mut path = vec![(start.to_string(), calls(start))];
            if !done.contains(*start) {
                open.push(start.to_string());
            } else {
                continue;
            }
            while let Some((name, todo)) = path.last_mut() {
                match todo.pop() {
                    Some(next) if open.contains(&next) => {
                        let at = body_of(name).map_or(Span::default(), |op| op.name.span);
                        self.c.error(
                            codes::ILLEGAL_CALL,
                            at,
                            format!("operation `{name}` calls itself, by way of `{next}`"),
                        );
                    }
                    Some(next) if done.contains(&next) => {}
                    Some(next) => {
                        open.push(next.clone());
                        let calls = calls(&next);
                        path.push((next, calls));
                    }
                    None => {
                        let name = name.clone();
                        if let Some(spec) = specified.iter().copied().find(|op| op.name.name == name) {
                            self.procedure(spec);
                        }
                        if let Some(op) = implemented.get(name.as_str()).copied() {
                            self.procedure(op);
                        }
                        open.retain(|n| *n != name);
                        done.insert(name);
                        path.pop();
                    }
                }
            }
        }
    }

    // The main machine's operations, and those of machines that are only seen: their environment
    // may call them at any time.
    fn events(&mut self) {
        let mut list: Vec<(String, usize)> =
            self.interfaces[0].operations.iter().map(|(name, p, _)| (name.clone(), *p)).collect();
        for (i, instance) in self.instances.iter().enumerate().filter(|(_, i)| i.seen_root) {
            let shown = self.interfaces[i].operations.iter();
            list.extend(shown.map(|(name, p, _)| (join(instance.display.as_deref(), name), *p)));
        }
        for (name, p) in list {
            let procedure = &self.c.procedures[p];
            self.c.model.events.push(Event {
                name,
                parameters: procedure.parameters.clone(),
                results: procedure.results.clone(),
                body: procedure.body.clone(),
                origin: ComponentId(procedure.instance as u32),
                convergence: Convergence::Ordinary,
                refines: procedure.refines.clone(),
                span: procedure.span,
            });
        }
    }

    /// Returns whether the instance's own initialisation gives it its first state.
    fn needs_initialisation(&self, i: usize) -> bool {
        self.instances[i].concrete
            && !self.instances[i].links.iter().any(|l| owns(l.relation))
            && !self.interfaces[i].own.is_empty()
    }

    /// Keeps a local operation of the main machine with its implementation, before the two are combined.
    fn keep_local(
        &mut self,
        specification: &Procedure,
        body: &Subst,
        results: &[LocalId],
        parameters: &[LocalId],
    ) {
        if self.current != 0 {
            return;
        }
        let implementation = Procedure {
            body: body.clone(),
            results: results.to_vec(),
            parameters: parameters.to_vec(),
            ..specification.clone()
        };
        let next = self.c.procedures.len();
        self.c.procedures.extend([specification.clone(), implementation]);
        self.local.push((specification.name.clone(), next, next + 1));
    }

    /// Types an operation of the current instance.
    fn procedure(&mut self, op: &Operation) {
        let Some(callable) = self.c.names.operations.get(&op.name.name) else { return };
        let (id, local) = (callable.procedure, callable.local);
        let abstraction = if local { None } else { self.abstract_operation(op) };
        let names: Vec<Ident> = op.results.iter().chain(&op.parameters).cloned().collect();
        let locals = self.c.enter(&names);
        let (results, parameters) = locals.split_at(op.results.len());
        // The implementation of a local operation has the types of its specification.
        let specified = Some(id).filter(|p| local && self.c.procedures[*p].ready);
        let specification = specified.map(|p| self.c.procedures[p].clone());
        if let Some(other) = abstraction.or(specified) {
            self.same_signature(op, other, results, parameters);
        }
        self.c.scope.assignable.extend(results);
        let mut body = self.c.outermost(&op.body);
        self.c.leave(&locals);
        self.c.finish_group();
        if let Some(specification) = specification {
            self.keep_local(&specification, &body, results, parameters);
            body = self.compared_locally(op, body, &specification, results, parameters);
        }
        if let Some(other) = abstraction.or(specified) {
            body = self.with_abstract_precondition(body, other, parameters);
        }
        let mut refines = vec![];
        if let Some(a) = abstraction {
            refines.push(self.c.procedures[a].name.clone());
            refines.extend(self.c.procedures[a].refines.clone());
        }
        let procedure = &mut self.c.procedures[id];
        (procedure.parameters, procedure.results) = (parameters.to_vec(), results.to_vec());
        (procedure.body, procedure.refines, procedure.ready) = (body, refines, true);
    }
}
