//! Resolution of names: the declaration that each name in the text of a project refers to.
//!
//! The resolution reads the syntax trees, so that it works for half-typed text as well. The checker decides which names
//! may be used where. Here a name means the nearest declaration, first of the names that are bound around it, then of
//! its own machine, then of the machines that this one refers to.
//!
//! A refinement repeats declarations of its abstraction: the two are identified.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::ast::visit::{self, Visitor, walk_expr, walk_subst};
use bsym_language::ast::{
    Definition, DefinitionBody, Expr, ExprKind, Ident, Machine, Operation, Reference, SectionKind,
    SetDeclaration, Subst, SubstKind,
};
use bsym_language::project::Project;
use bsym_language::source::{SourceId, Span};

/// Kind of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A machine, refinement or implementation.
    Machine,
    /// A parameter of a machine.
    Parameter,
    /// A deferred or enumerated set, or a free type.
    Set,
    /// An element of an enumerated set, or a constructor.
    Element,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// An operation.
    Operation,
    /// A definition.
    Definition,
    /// A name bound in a formula or substitution, or a parameter or result of an operation.
    Local,
}

impl Kind {
    /// Returns the kind in words.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Machine => "machine",
            Kind::Parameter => "parameter of the machine",
            Kind::Set => "set",
            Kind::Element => "element",
            Kind::Constant => "constant",
            Kind::Variable => "variable",
            Kind::Operation => "operation",
            Kind::Definition => "definition",
            Kind::Local => "local name",
        }
    }
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name.
    pub name: String,
    /// Kind of the declaration.
    pub kind: Kind,
    /// Place of the name.
    pub span: Span,
    /// The whole declaration; of a local name where it is visible.
    pub whole: Span,
    /// The machine that declares it, by its number in the project; `None` in a file of definitions.
    pub unit: Option<usize>,
}

/// A name in the text.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The name as it is written, with the dots of a renamed machine.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// The declaration that it refers to, by its number in [`Names::declarations`]; `None` if the name is not declared.
    pub meaning: Option<usize>,
}

/// The names of a project.
#[derive(Default)]
pub struct Names {
    /// All declarations.
    pub declarations: Vec<Declaration>,
    /// All names, those that are declared included, each place once.
    pub occurrences: Vec<Occurrence>,
    /// The names that substitutions assign to.
    pub written: BTreeSet<Span>,
    /// The components of Event-B that names may come from: the nearest first.
    pub order: Vec<usize>,
    /// The first declaration of a machine's name, by machine and name.
    pub globals: BTreeMap<(Option<usize>, String), usize>,
    /// Repeated declarations, each with the first one of the same name.
    pub same: BTreeMap<usize, usize>,
}

impl Names {
    /// Reads the names of a project; `definitions` are the trees of the files of definitions that it names.
    pub fn of_project(project: &Project, definitions: &[Machine]) -> Names {
        let mut names = Names::default();
        for (unit, of) in project.units.iter().enumerate() {
            names.declare_machine(Some(unit), &of.tree);
        }
        definitions.iter().for_each(|tree| names.declare_machine(None, tree));
        names.join_refinements(project);
        for (unit, of) in project.units.iter().enumerate() {
            Reader::new(&mut names, project, Some(unit)).machine(&of.tree);
        }
        for tree in definitions {
            Reader::new(&mut names, project, None).machine(tree);
        }
        names.join_parameters(project);
        let mut places = BTreeSet::new();
        names.occurrences.retain(|o| places.insert(o.span));
        names
    }

    /// The name at a byte of a file's text.
    pub fn at(&self, source: SourceId, offset: usize) -> Option<&Occurrence> {
        let at = offset as u32;
        let is_here = |span: Span| span.source == source && span.start <= at && at <= span.end;
        let here = self.occurrences.iter().filter(|o| is_here(o.span) && o.span.start < o.span.end);
        // The name that begins here comes before the one that ends here.
        here.min_by_key(|o| (o.span.end == at, o.span.end - o.span.start))
    }

    /// Returns the first declaration of one that refinements repeat.
    pub fn first(&self, declaration: usize) -> usize {
        let mut at = declaration;
        while let Some(before) = self.same.get(&at) {
            at = *before;
        }
        at
    }

    /// The names that can be used behind a text, the beginning of a file: the inner ones first, each once.
    pub fn visible(&self, project: &Project, source: SourceId, before: &str) -> Vec<&Declaration> {
        // A half typed construct ends before the blanks that follow it.
        let (at, last) = (before.len() as u32, before.trim_end().len() as u32);
        let is_local = |d: &&Declaration| d.kind == Kind::Local;
        let mut locals: Vec<&Declaration> = self.declarations.iter().filter(is_local).collect();
        locals.retain(|d| d.whole.source == source && d.whole.start <= at && last <= d.whole.end);
        locals.sort_by_key(|d| d.whole.end - d.whole.start);
        let machines = if project.units.is_empty() { self.order.clone() } else { reachable(project, 0) };
        let machines = machines.into_iter().map(Some).chain([None]);
        let globals = machines.flat_map(|unit| self.declarations.iter().filter(move |d| d.unit == unit));
        let mut seen = BTreeSet::new();
        let all = locals.into_iter().chain(globals.filter(|d| !is_local(d)));
        all.filter(|d| !d.name.is_empty() && seen.insert(d.name.as_str())).collect()
    }

    /// Adds a declaration, which is an occurrence of its name as well.
    pub fn declare(&mut self, unit: Option<usize>, name: &Ident, kind: Kind, whole: Span) -> usize {
        let (text, span) = (name.name.clone(), name.span);
        let number = self.declarations.len();
        self.declarations.push(Declaration { name: text.clone(), kind, span, whole, unit });
        if kind != Kind::Local && !text.is_empty() {
            // The first of two with one name counts.
            self.globals.entry((unit, text.clone())).or_insert(number);
        }
        self.occurrences.push(Occurrence { name: text, span, meaning: Some(number) });
        number
    }

    /// Adds declarations that are their names alone.
    pub fn declare_all<'i>(
        &mut self,
        unit: Option<usize>,
        ids: impl IntoIterator<Item = &'i Ident>,
        kind: Kind,
    ) {
        for id in ids {
            self.declare(unit, id, kind, id.span);
        }
    }

    fn declare_machine(&mut self, unit: Option<usize>, tree: &Machine) {
        if !tree.name.name.is_empty() {
            self.declare(unit, &tree.name, Kind::Machine, tree.span);
        }
        self.declare_all(unit, &tree.parameters, Kind::Parameter);
        for section in &tree.sections {
            self.declare_section(unit, &section.kind);
        }
    }

    fn declare_section(&mut self, unit: Option<usize>, section: &SectionKind) {
        use SectionKind::*;
        match section {
            ConcreteConstants(ids) | AbstractConstants(ids) => self.declare_all(unit, ids, Kind::Constant),
            ConcreteVariables(ids) | AbstractVariables(ids) => self.declare_all(unit, ids, Kind::Variable),
            Sets(list) => {
                for set in list {
                    let (name, elements): (_, &[Ident]) = match set {
                        SetDeclaration::Deferred(name) | SetDeclaration::ByDefinition(name, _) => (name, &[]),
                        SetDeclaration::Enumerated(name, elements) => (name, elements),
                    };
                    let whole = elements.last().map_or(name.span, |last| name.span.to(last.span));
                    self.declare(unit, name, Kind::Set, whole);
                    self.declare_all(unit, elements, Kind::Element);
                }
            }
            FreeTypes(list) => {
                for t in list {
                    self.declare(unit, &t.name, Kind::Set, t.name.span);
                    self.declare_all(unit, t.constructors.iter().map(|(id, _)| id), Kind::Element);
                }
            }
            Operations(list) | LocalOperations(list) => {
                for op in list {
                    self.declare(unit, &op.name, Kind::Operation, op.span);
                }
            }
            Definitions(list) | TypedDefinitions(list) => {
                for definition in list {
                    if let Definition::Macro { name, span, .. } = definition {
                        self.declare(unit, name, Kind::Definition, *span);
                    }
                }
            }
            _ => {}
        }
    }

    // Identifies the declarations that a refinement shares with its abstraction.
    fn join_refinements(&mut self, project: &Project) {
        for (number, unit) in project.units.iter().enumerate() {
            let abstraction = unit.tree.refines.as_ref().and_then(|name| unit.link(name));
            let Some(abstraction) = abstraction else { continue };
            let of_unit = self.globals.iter().filter(|((unit, _), _)| *unit == Some(number));
            let own: Vec<usize> = of_unit.map(|(_, declaration)| *declaration).collect();
            for declaration in own {
                let Declaration { name, kind, .. } = self.declarations[declaration].clone();
                if matches!(kind, Kind::Machine | Kind::Definition) {
                    continue;
                }
                let first = self.global(project, abstraction, &name);
                if let Some(first) = first.filter(|f| self.declarations[*f].kind == kind && *f != declaration)
                {
                    self.same.insert(declaration, first);
                }
            }
        }
    }

    // Parameters and results of a refined operation have the names that they have in the abstraction.
    fn join_parameters(&mut self, project: &Project) {
        let refined: Vec<(usize, usize)> = self.same.iter().map(|(again, first)| (*again, *first)).collect();
        for (again, first) in refined {
            let (Some(again), Some(first)) = (self.operation(project, again), self.operation(project, first))
            else {
                continue;
            };
            for id in again.results.iter().chain(&again.parameters) {
                let other = first.results.iter().chain(&first.parameters).find(|other| other.name == id.name);
                let by_place = |span: Span| {
                    self.declarations.iter().position(|d| d.kind == Kind::Local && d.span == span)
                };
                let pair = other.and_then(|other| Some((by_place(id.span)?, by_place(other.span)?)));
                if let Some((again, first)) = pair.filter(|(again, first)| again != first) {
                    self.same.insert(again, first);
                }
            }
        }
    }

    // The tree of an operation that is declared.
    fn operation<'p>(&self, project: &'p Project, declaration: usize) -> Option<&'p Operation> {
        self.operation_of(project, &self.declarations[declaration])
    }

    /// Returns the tree of an operation, given its declaration.
    pub fn operation_of<'p>(&self, project: &'p Project, declaration: &Declaration) -> Option<&'p Operation> {
        let Declaration { kind, span, unit, .. } = declaration;
        let sections = &project.units.get((*unit)?).filter(|_| *kind == Kind::Operation)?.tree.sections;
        let mut all = sections.iter().flat_map(|section| match &section.kind {
            SectionKind::Operations(list) | SectionKind::LocalOperations(list) => list.as_slice(),
            _ => &[],
        });
        all.find(|op| op.name.span == *span)
    }

    /// Returns the declaration that a name refers to in the machine that was asked for, outside of all binders.
    pub fn meaning_of(&self, project: &Project, name: &str) -> Option<&Declaration> {
        let unit = project.units.first().map(|_| 0)?;
        self.global(project, unit, name).map(|number| &self.declarations[number])
    }

    /// Returns the declaration that a name refers to in a machine, outside of all binders.
    fn global(&self, project: &Project, unit: usize, name: &str) -> Option<usize> {
        let own = |unit: Option<usize>| self.globals.get(&(unit, name.to_string())).copied();
        // The name of another machine is no name in a formula.
        let other = |unit| own(unit).filter(|d| self.declarations[*d].kind != Kind::Machine);
        own(Some(unit))
            .or_else(|| {
                let (prefix, rest) = name.split_once('.')?;
                self.global(project, renamed(project, unit, prefix)?, rest)
            })
            .or_else(|| reachable(project, unit).into_iter().skip(1).find_map(|unit| other(Some(unit))))
            .or_else(|| other(None))
    }
}

/// References to the machines that a machine sees, uses, includes, extends or imports.
pub fn references(tree: &Machine) -> impl Iterator<Item = &Reference> {
    use SectionKind::*;
    tree.sections.iter().flat_map(|section| match &section.kind {
        Sees(list) | Uses(list) | Includes(list) | Extends(list) | Imports(list) => list.as_slice(),
        _ => &[],
    })
}

// The machine that is used under a prefix.
fn renamed(project: &Project, unit: usize, prefix: &str) -> Option<usize> {
    let unit = &project.units[unit];
    let has = |r: &&Reference| r.prefix.as_ref().is_some_and(|p| p.name == prefix);
    references(&unit.tree).find(has).and_then(|r| unit.link(&r.machine))
}

// The machines that a name may come from: the nearest first.
fn reachable(project: &Project, unit: usize) -> Vec<usize> {
    let mut found = vec![unit];
    let mut at = 0;
    while let Some(&unit) = found.get(at) {
        for to in project.units[unit].links.values() {
            if !found.contains(to) {
                found.push(*to);
            }
        }
        at += 1;
    }
    found
}

/// The name that an assignment to `x`, `f(x)` or `r'a` changes.
pub fn assigned(left: &Expr) -> Option<Span> {
    match &left.kind {
        ExprKind::Ident(_) => Some(left.span),
        ExprKind::Apply(f, _) | ExprKind::Field(f, _) => assigned(f),
        _ => None,
    }
}

/// Walks a machine and finds the meaning of every name.
struct Reader<'n> {
    names: &'n mut Names,
    project: &'n Project,
    unit: Option<usize>,
    /// Names that are bound, the innermost last.
    bound: Vec<(String, usize)>,
    /// Spans of the constructs that are being walked.
    inside: Vec<Span>,
}

impl<'n> Reader<'n> {
    fn new(names: &'n mut Names, project: &'n Project, unit: Option<usize>) -> Reader<'n> {
        Reader { names, project, unit, bound: vec![], inside: vec![] }
    }

    fn machine(&mut self, tree: &Machine) {
        for name in tree.refines.iter().chain(references(tree).map(|r| &r.machine)) {
            self.reference(name);
        }
        // Operations and definitions apart: what they bind is visible in them alone.
        for section in &tree.sections {
            if !matches!(section.kind, SectionKind::Operations(_) | SectionKind::LocalOperations(_)) {
                visit::walk_section(self, section);
            }
        }
        for section in &tree.sections {
            match &section.kind {
                SectionKind::Operations(list) | SectionKind::LocalOperations(list) => {
                    list.iter().for_each(|op| self.operation(op));
                }
                SectionKind::Values(list) => list.iter().for_each(|(id, _)| self.uses(&id.name, id.span)),
                SectionKind::Definitions(list) | SectionKind::TypedDefinitions(list) => {
                    list.iter().for_each(|definition| self.definition(definition));
                }
                _ => {}
            }
        }
    }

    fn reference(&mut self, name: &Ident) {
        let to = self.unit.and_then(|unit| self.project.units[unit].link(name));
        let is_it = |d: &Declaration| d.kind == Kind::Machine && d.unit == to;
        let meaning = to.and_then(|_| self.names.declarations.iter().position(is_it));
        self.names.occurrences.push(Occurrence { name: name.name.clone(), span: name.span, meaning });
    }

    fn operation(&mut self, op: &Operation) {
        if let Some(name) = &op.refines {
            self.uses(&name.name, name.span);
        }
        let ids: Vec<Ident> = op.results.iter().chain(&op.parameters).cloned().collect();
        self.inside.push(op.span);
        self.enter(&ids);
        self.subst(&op.body);
        self.leave(&ids);
        self.inside.pop();
    }

    fn definition(&mut self, definition: &Definition) {
        let Definition::Macro { parameters, body, span, .. } = definition else { return };
        self.inside.push(*span);
        self.enter(parameters);
        visit::walk_body(self, body);
        if let DefinitionBody::Either(_, subst) = body {
            self.subst(subst);
        }
        self.leave(parameters);
        self.inside.pop();
    }

    fn uses(&mut self, name: &str, span: Span) {
        let bound = self.bound.iter().rev().find(|(bound, _)| bound == name).map(|(_, d)| *d);
        let meaning = bound.or_else(|| match self.unit {
            Some(unit) => self.names.global(self.project, unit, name),
            None => self.names.globals.get(&(None, name.to_string())).copied(),
        });
        self.names.occurrences.push(Occurrence { name: name.to_string(), span, meaning });
    }
}

impl<'t> Visitor<'t> for Reader<'_> {
    fn expr(&mut self, e: &'t Expr) {
        if let ExprKind::Ident(name) | ExprKind::Old(name) = &e.kind {
            self.uses(name, e.span);
        }
        self.inside.push(e.span);
        walk_expr(self, e);
        self.inside.pop();
    }

    fn subst(&mut self, s: &'t Subst) {
        use SubstKind::{Assign, BecomesIn, BecomesSuch, Call};
        if let Assign(left, _) | BecomesIn(left, _) | BecomesSuch(left, _) | Call { results: left, .. } =
            &s.kind
        {
            self.names.written.extend(left.iter().filter_map(assigned));
        }
        self.inside.push(s.span);
        walk_subst(self, s);
        self.inside.pop();
    }

    fn name(&mut self, name: &'t Ident) {
        self.uses(&name.name, name.span);
    }

    fn enter(&mut self, ids: &[Ident]) {
        let whole = self.inside.last().copied().unwrap_or_default();
        for id in ids {
            let number = self.names.declare(self.unit, id, Kind::Local, whole);
            self.bound.push((id.name.clone(), number));
        }
    }

    fn leave(&mut self, ids: &[Ident]) {
        self.bound.truncate(self.bound.len() - ids.len());
    }
}
