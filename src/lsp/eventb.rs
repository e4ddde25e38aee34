//! Names and outline of Event-B: components as the files of a Rodin project, or texts, hold them.
//!
//! A name means the nearest declaration: a bound name or parameter, then one of the own component, then those of the
//! components that it sees, extends and refines. A variable or event that a refinement keeps is one with that of its
//! abstraction.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bsym_language::ast::visit::{Visitor, walk_expr};
use bsym_language::ast::{Expr, ExprKind, Ident};
use bsym_language::eventb::project::{ActionKind, Context, Event, Formula, Machine, Project};
use bsym_language::eventb::{rodin, text};
use bsym_language::files::{self, Files};
use bsym_language::load::is_eventb_text;
use bsym_language::source::{SourceId, Sources, Span};
use lsp_types::{DocumentSymbol, SymbolKind};

use super::names::{Kind, Names, Occurrence};
use super::outline::symbol;
use super::position::Lines;

/// Returns whether a file is a component of Rodin, by its name.
pub fn is_component(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| ["bum", "buc"].contains(&e))
}

/// Returns whether a file is a component of Rodin, or Event-B as text.
pub fn is_event_b(files: &dyn Files, path: &Path) -> bool {
    is_component(path) || is_eventb_text(files, path)
}

/// Reads a file with what its components need; it is the first source.
pub fn read(files: &dyn Files, path: &Path) -> Option<(Sources, Project)> {
    if !is_component(path) {
        let mut sources = Sources::default();
        let (main, _) = files::add(&mut sources, files, path).ok()?;
        let (project, _) = text::read(files, &mut sources, main, None, &mut vec![]).ok()?;
        return Some((sources, project));
    }
    let archive = files.beside(path).ok()?;
    let projects = rodin::projects(&archive).ok()?;
    let component = path.file_stem()?.to_str()?;
    let mut sources = Sources::default();
    let project = rodin::read(&archive, "", projects.get("")?, component, &mut sources, &mut vec![]).ok()?;
    // One that is no XML has no tree, but a text.
    let is_first = sources.iter().next().is_some_and(|(_, source)| source.path == path);
    is_first.then_some((sources, project))
}

#[derive(Clone, Copy)]
enum Component<'p> {
    Machine(&'p Machine),
    Context(&'p Context),
}

impl<'p> Component<'p> {
    fn name(self) -> &'p Ident {
        match self {
            Component::Machine(m) => &m.name,
            Component::Context(c) => &c.name,
        }
    }

    fn span(self) -> Span {
        match self {
            Component::Machine(m) => m.span,
            Component::Context(c) => c.span,
        }
    }

    // The components that it names: machines (`true`) and contexts.
    fn needs(self) -> Vec<(bool, &'p Ident)> {
        match self {
            Component::Machine(m) => {
                let sees = m.sees.iter().map(|name| (false, name));
                sees.chain(m.refines.iter().map(|name| (true, name))).collect()
            }
            Component::Context(c) => c.extends.iter().map(|name| (false, name)).collect(),
        }
    }
}

// The component of the first source comes first.
fn components(project: &Project) -> Vec<Component<'_>> {
    let machines = project.machines.iter().map(Component::Machine);
    let mut all: Vec<Component> = machines.chain(project.contexts.iter().map(Component::Context)).collect();
    all.sort_by_key(|component| component.span().source);
    all
}

/// The names of a project.
pub fn names(project: &Project) -> Names {
    let all = components(project);
    let find = |is_machine: bool, name: &Ident| {
        all.iter().position(|other| {
            matches!(other, Component::Machine(_)) == is_machine && other.name().name == name.name
        })
    };
    let needs = all.iter().map(|component| {
        let needs = component.needs().into_iter();
        needs.filter_map(|(is_machine, name)| find(is_machine, name)).collect()
    });
    let links: Vec<Vec<usize>> = needs.collect();
    let mut reader =
        Reader { names: Names::default(), links, unit: 0, bound: vec![], parameters: BTreeMap::new() };
    for (unit, component) in all.iter().enumerate() {
        reader.unit = unit;
        reader.declare(*component);
    }
    reader.join(&all);
    for (unit, component) in all.iter().enumerate() {
        reader.unit = unit;
        for (is_machine, name) in component.needs() {
            let meaning = find(is_machine, name).and_then(|unit| reader.component(unit));
            let (name, span) = (name.name.clone(), name.span);
            reader.names.occurrences.push(Occurrence { name, span, meaning });
        }
        reader.walk(*component);
    }
    let order = reader.reachable(0);
    let mut names = reader.names;
    names.order = order;
    let mut places = BTreeSet::new();
    names.occurrences.retain(|o| places.insert(o.span));
    names
}

struct Reader {
    names: Names,
    /// The components that each component names.
    links: Vec<Vec<usize>>,
    unit: usize,
    bound: Vec<(String, usize)>,
    /// The declaration of a parameter by its place: events that extend others have theirs as well.
    parameters: BTreeMap<Span, usize>,
}

impl Reader {
    fn declare(&mut self, component: Component) {
        let unit = Some(self.unit);
        self.names.declare(unit, component.name(), Kind::Machine, component.span());
        match component {
            Component::Machine(m) => {
                self.names.declare_all(unit, &m.variables, Kind::Variable);
                for event in &m.events {
                    let whole = whole(event);
                    self.names.declare(unit, &event.name, Kind::Operation, whole);
                    for parameter in event.parameters.iter().skip(event.inherited.parameters) {
                        let number = self.names.declare(unit, parameter, Kind::Local, whole);
                        self.parameters.insert(parameter.span, number);
                    }
                }
            }
            Component::Context(c) => {
                self.names.declare_all(unit, &c.sets, Kind::Set);
                self.names.declare_all(unit, &c.constants, Kind::Constant);
            }
        }
    }

    // Variables and events of the same name are identified in a machine and its abstraction, and an event with the
    // first one that it refines.
    fn join(&mut self, all: &[Component]) {
        for (unit, component) in all.iter().enumerate() {
            let Component::Machine(m) = component else { continue };
            let is_machine = |unit: &&usize| matches!(all[**unit], Component::Machine(_));
            let Some(abstraction) = self.links[unit].iter().find(is_machine).copied() else { continue };
            let refined = m.events.iter().map(|event| {
                let first = event.refines.first().unwrap_or(&event.name);
                (&event.name, &first.name, Kind::Operation)
            });
            let kept = m.variables.iter().map(|v| (v, &v.name, Kind::Variable));
            for (own, other, kind) in refined.chain(kept).collect::<Vec<_>>() {
                let (again, first) = (self.own(unit, &own.name), self.own(abstraction, other));
                if let Some((again, first)) = again.zip(first)
                    && own.name == *other
                    && again != first
                    && self.names.declarations[first].kind == kind
                {
                    self.names.same.insert(again, first);
                }
            }
        }
    }

    fn own(&self, unit: usize, name: &str) -> Option<usize> {
        let found = self.names.globals.get(&(Some(unit), name.to_string())).copied();
        found.filter(|number| self.names.declarations[*number].kind != Kind::Machine)
    }

    fn component(&self, unit: usize) -> Option<usize> {
        let is_it = |d: &super::names::Declaration| d.kind == Kind::Machine && d.unit == Some(unit);
        self.names.declarations.iter().position(is_it)
    }

    fn reachable(&self, unit: usize) -> Vec<usize> {
        let mut found = if unit < self.links.len() { vec![unit] } else { vec![] };
        let mut at = 0;
        while let Some(unit) = found.get(at).copied() {
            for to in &self.links[unit] {
                if !found.contains(to) {
                    found.push(*to);
                }
            }
            at += 1;
        }
        found
    }

    fn walk(&mut self, component: Component) {
        match component {
            Component::Machine(m) => {
                m.invariants.iter().chain(&m.variants).for_each(|formula| self.expr(&formula.tree));
                m.events.iter().for_each(|event| self.event(event));
            }
            Component::Context(c) => c.axioms.iter().for_each(|formula| self.expr(&formula.tree)),
        }
    }

    fn event(&mut self, event: &Event) {
        for name in &event.refines {
            let abstractions = self.reachable(self.unit).into_iter().skip(1);
            let meaning = abstractions.into_iter().find_map(|unit| self.own(unit, &name.name));
            let (name, span) = (name.name.clone(), name.span);
            self.names.occurrences.push(Occurrence { name, span, meaning });
        }
        let before = self.bound.len();
        for parameter in &event.parameters {
            if let Some(number) = self.parameters.get(&parameter.span) {
                self.bound.push((parameter.name.clone(), *number));
            }
        }
        // Inherited guards stand in the file of the abstraction and were read there.
        event.guards.iter().skip(event.inherited.guards).for_each(|guard| self.expr(&guard.tree));
        for (name, formula) in &event.witnesses {
            self.uses(&name.name, name.span);
            self.expr(&formula.tree);
        }
        for action in event.actions.iter().skip(event.inherited.actions) {
            match &action.kind {
                ActionKind::Assign(left, right) => {
                    self.names.written.extend(left.iter().filter_map(super::names::assigned));
                    left.iter().chain(right).for_each(|e| self.expr(e));
                }
                ActionKind::BecomesIn(ids, e) | ActionKind::BecomesSuch(ids, e) => {
                    for id in ids {
                        self.names.written.insert(id.span);
                        self.uses(&id.name, id.span);
                    }
                    self.expr(e);
                }
            }
        }
        self.bound.truncate(before);
    }

    fn uses(&mut self, written: &str, span: Span) {
        // `x'` is the new value of `x`.
        let name = written.trim_end_matches(['\'', '’']);
        let bound = self.bound.iter().rev().find(|(bound, _)| bound == name).map(|(_, number)| *number);
        let global = || self.reachable(self.unit).into_iter().find_map(|unit| self.own(unit, name));
        let meaning = bound.or_else(global);
        self.names.occurrences.push(Occurrence { name: name.to_string(), span, meaning });
    }
}

impl<'t> Visitor<'t> for Reader {
    fn expr(&mut self, e: &'t Expr) {
        if let ExprKind::Ident(name) | ExprKind::Old(name) = &e.kind {
            self.uses(name, e.span);
        }
        walk_expr(self, e);
    }

    fn enter(&mut self, ids: &[Ident]) {
        for id in ids {
            let number = self.names.declare(Some(self.unit), id, Kind::Local, id.span);
            self.bound.push((id.name.clone(), number));
        }
    }

    fn leave(&mut self, ids: &[Ident]) {
        self.bound.truncate(self.bound.len() - ids.len());
    }
}

// From the name of an event to the last of its parts in the same file.
fn whole(event: &Event) -> Span {
    let parts = event.guards.iter().map(|guard| guard.tree.span);
    let parts = parts.chain(event.actions.iter().map(|action| action.span));
    let parts = parts.chain(event.parameters.iter().map(|parameter| parameter.span));
    let parts = parts.chain(event.witnesses.iter().map(|(_, formula)| formula.tree.span));
    let own =
        parts.filter(|span| span.source == event.name.span.source && span.start > event.name.span.start);
    own.fold(event.name.span, Span::to)
}

/// The outline of the components of the first source.
pub fn outline(sources: &Sources, project: &Project) -> Vec<DocumentSymbol> {
    let lines = Lines::new(&sources.get(SourceId(0)).text);
    let mut own: Vec<Component> =
        components(project).into_iter().filter(|c| c.span().source == SourceId(0)).collect();
    own.sort_by_key(|component| component.span().start);
    own.into_iter().map(|component| outlined(&lines, component)).collect()
}

fn outlined(lines: &Lines<'_>, component: Component) -> DocumentSymbol {
    let plain = |kind: SymbolKind| move |id: &Ident| symbol(lines, &id.name, kind, id.span, id.span, vec![]);
    let labelled = |formula: &Formula| {
        let label = formula.label.clone().filter(|label| !label.is_empty())?;
        let span = formula.tree.span;
        Some(symbol(lines, &label, SymbolKind::PROPERTY, span, span, vec![]))
    };
    let children: Vec<DocumentSymbol> = match component {
        Component::Machine(m) => {
            let variables = m.variables.iter().map(plain(SymbolKind::VARIABLE));
            let events = m.events.iter().map(|event| {
                let parameters = event.parameters.iter().skip(event.inherited.parameters);
                let guards = event.guards.iter().skip(event.inherited.guards).filter_map(labelled);
                let inside = parameters.map(plain(SymbolKind::VARIABLE)).chain(guards).collect();
                symbol(lines, &event.name.name, SymbolKind::EVENT, whole(event), event.name.span, inside)
            });
            variables.chain(m.invariants.iter().filter_map(labelled)).chain(events).collect()
        }
        Component::Context(c) => {
            let sets = c.sets.iter().map(plain(SymbolKind::ENUM));
            let constants = c.constants.iter().map(plain(SymbolKind::CONSTANT));
            sets.chain(constants).chain(c.axioms.iter().filter_map(labelled)).collect()
        }
    };
    let (name, span) = (component.name(), component.span());
    symbol(lines, &name.name, SymbolKind::CLASS, span, name.span, children)
}
