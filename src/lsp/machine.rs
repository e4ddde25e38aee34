//! One machine with all that it refers to, read for questions about its names.

use std::path::Path;
use std::sync::Arc;

use bsym_language::ast::{BinaryOp, Definition, Expr, ExprKind, Machine, MachineKind, SectionKind};
use bsym_language::eventb;
use bsym_language::files::{self, Files};
use bsym_language::parser;
use bsym_language::project::{self, Project};
use bsym_language::source::{SourceId, Sources, Span};
use lsp_types::{Location, Position};

use super::diagnostics::Places;
use super::names::{Declaration, Kind, Names, Occurrence};
use super::position::Lines;
use crate::uri;

/// Files that are machines, definitions, or components of Event-B.
const EXTENSIONS: [&str; 10] = ["mch", "ref", "imp", "sys", "def", "bum", "buc", "eventb", "bumx", "bucx"];

/// Returns whether a file may be a machine, by its name.
pub fn is_machine(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e))
}

/// The conjuncts of a predicate, in the order of the text.
pub fn conjuncts(p: &Expr) -> Vec<&Expr> {
    let (mut open, mut found) = (vec![p], vec![]);
    while let Some(p) = open.pop() {
        match &p.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => open.extend([&**right, &**left]),
            _ => found.push(p),
        }
    }
    found
}

// `x : S`, `x <: S`, `x = E`
fn types(p: &Expr, name: &str) -> bool {
    use BinaryOp::{Equal, Member, StrictSubset, Subset};
    let p = match &p.kind {
        ExprKind::Labelled(_, p) | ExprKind::Described(p, _) => p,
        _ => p,
    };
    let ExprKind::Binary(Member | Subset | StrictSubset | Equal, left, _) = &p.kind else { return false };
    matches!(&left.kind, ExprKind::Ident(left) if left == name)
}

/// A machine's trees and names, and those of all that it refers to.
pub struct Trees {
    /// The files.
    pub sources: Arc<Sources>,
    /// The machines; the first is the one that was asked for.
    pub project: Arc<Project>,
    /// The components, where the notation is Event-B; then there are no machines.
    pub event_b: Option<eventb::project::Project>,
    /// The names.
    pub names: Names,
}

impl Trees {
    /// Reads a machine; `None` where there is no text.
    pub fn read(files: &dyn Files, path: &Path) -> Option<Trees> {
        if super::eventb::is_event_b(files, path) {
            let (sources, components) = super::eventb::read(files, path)?;
            let (sources, project) = (Arc::new(sources), Arc::default());
            let names = super::eventb::names(&components);
            return Some(Trees { sources, project, event_b: Some(components), names });
        }
        // Packages of ProB hold terms that nobody edits.
        if path.extension().is_some_and(|e| e == "eventb") {
            return None;
        }
        let mut sources = Sources::default();
        let (main, _) = files::add(&mut sources, files, path).ok()?;
        let (tree, _) = parser::parse(&sources, main);
        let project = project::collect(files, &mut sources, (tree, main), &mut vec![]);
        Some(Trees::of(Arc::new(sources), Arc::new(project)))
    }

    /// The names of machines of classical B that were parsed already.
    pub fn of(sources: Arc<Sources>, project: Arc<Project>) -> Trees {
        let machines: Vec<SourceId> = project.units.iter().map(|unit| unit.tree.span.source).collect();
        // The trees of these files are not kept by the project.
        let others = sources.iter().map(|(id, _)| id).filter(|id| !machines.contains(id));
        let trees = others.map(|id| parser::parse(&sources, id).0);
        let definitions: Vec<Machine> = trees.filter(|t| t.kind == MachineKind::Definitions).collect();
        let names = Names::of_project(&project, &definitions);
        Trees { sources, project, event_b: None, names }
    }

    /// The tree of the machine itself.
    pub fn main(&self) -> Option<&Machine> {
        self.project.units.first().map(|unit| &unit.tree)
    }

    /// Returns whether the notation is that of classical B.
    pub fn is_classical(&self) -> bool {
        self.event_b.is_none()
    }

    /// The text of the machine's own file.
    pub fn text(&self) -> &str {
        &self.sources.get(SourceId(0)).text
    }

    /// Returns the declaration that a name refers to behind a text, the beginning of the machine's own file.
    pub fn meaning_of(&self, name: &str, before: &str) -> Option<&Declaration> {
        let visible = self.names.visible(&self.project, SourceId(0), before);
        let found = visible.into_iter().find(|declaration| declaration.name == name);
        found.or_else(|| self.names.meaning_of(&self.project, name))
    }

    /// The conjunct of an invariant or of properties that gives a variable or constant its type.
    pub fn typing(&self, declaration: &Declaration) -> Option<&str> {
        if !matches!(declaration.kind, Kind::Variable | Kind::Constant) {
            return None;
        }
        let unit = self.project.units.iter().find(|u| u.tree.span.source == declaration.span.source)?;
        let predicates = unit.tree.sections.iter().filter_map(|section| match &section.kind {
            SectionKind::Invariant(p) | SectionKind::Properties(p) => Some(p),
            _ => None,
        });
        let typing = predicates.flat_map(conjuncts).find(|p| types(p, &declaration.name))?;
        Some(self.sources.text(typing.span)).filter(|text| !text.is_empty())
    }

    /// The text before a place in the machine's own file.
    pub fn before(&self, position: Position) -> &str {
        &self.sources.get(SourceId(0)).text[..self.offset(position)]
    }

    /// The byte of a place in the machine's own file.
    pub fn offset(&self, position: Position) -> usize {
        Lines::new(&self.sources.get(SourceId(0)).text).offset(position)
    }

    /// The name at a place in the machine's own file.
    pub fn name_at(&self, position: Position) -> Option<&Occurrence> {
        self.names.at(SourceId(0), self.offset(position))
    }

    /// Returns the declaration of the element at a position: a name, or a file of definitions.
    pub fn definition(&self, position: Position) -> Option<Location> {
        if let Some(meaning) = self.name_at(position).and_then(|name| name.meaning) {
            let first = self.names.declarations[meaning].span;
            return Places::new(&self.sources).location(first);
        }
        let at = self.offset(position) as u32;
        let (name, _) = self.named_files().find(|(_, span)| span.start <= at && at <= span.end)?;
        let folder = self.sources.get(SourceId(0)).path.parent()?;
        Some(Location::new(uri::of_path(&folder.join(name))?, lsp_types::Range::default()))
    }

    fn named_files(&self) -> impl Iterator<Item = (&str, Span)> {
        let sections = self.main().into_iter().flat_map(|tree| &tree.sections);
        let lists = sections.filter_map(|section| match &section.kind {
            SectionKind::Definitions(list) => Some(list),
            _ => None,
        });
        lists.flatten().filter_map(|definition| match definition {
            Definition::File(name, span) => Some((name.as_str(), *span)),
            Definition::Macro { .. } => None,
        })
    }
}
