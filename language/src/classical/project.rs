//! The files of a model: the main machine, every machine it refers to directly or through others,
//! and their files of definitions.
//!
//! A machine `M` is looked for in the folder of the file that names it, as `M.ref`, `M.mch`, `M.sys`
//! and `M.imp` (ProB's order), or where a `file` pragma says it is.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::ast::{Definition, Ident, Machine, MachineKind, SectionKind};
use crate::classical::definitions::Definitions;
use crate::classical::parser;
use crate::diagnostic::codes;
use crate::diagnostic::{Diagnostic, Severity, nearest};
use crate::text::files::{self, Files};
use crate::text::source::{SourceId, Sources, Span};

const EXTENSIONS: [&str; 4] = ["ref", "mch", "sys", "imp"];

/// The machines of a model; the first is the main one. They refer to each other without cycles.
#[derive(Clone, Default, Debug)]
pub struct Project {
    /// The machines.
    pub units: Vec<Unit>,
}

/// One machine with what it refers to.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The syntax tree.
    pub tree: Machine,
    /// Its definitions, with those of the files it names.
    pub definitions: Definitions,
    /// The machines behind its references, as positions in [`Project::units`] by the place of the
    /// name. What is missing here was reported.
    pub links: BTreeMap<Span, usize>,
}

impl Unit {
    /// A machine whose references lead nowhere.
    pub fn alone(tree: Machine, definitions: Definitions) -> Unit {
        Unit { tree, definitions, links: BTreeMap::new() }
    }

    /// The machine that a reference leads to.
    pub fn link(&self, machine: &Ident) -> Option<usize> {
        self.links.get(&machine.span).copied()
    }
}

/// How a machine names others, in source order: the section, the name, the file it is said to be in.
fn references(tree: &Machine) -> Vec<(&'static str, &Ident, Option<&str>)> {
    let mut out = vec![];
    if let Some(name) = &tree.refines {
        out.push(("REFINES", name, None));
    }
    for section in &tree.sections {
        let (word, list) = match &section.kind {
            SectionKind::Sees(list) => ("SEES", list),
            SectionKind::Uses(list) => ("USES", list),
            SectionKind::Includes(list) => ("INCLUDES", list),
            SectionKind::Extends(list) => ("EXTENDS", list),
            SectionKind::Imports(list) => ("IMPORTS", list),
            _ => continue,
        };
        out.extend(list.iter().map(|r| (word, &r.machine, r.file.as_deref())));
    }
    out
}

/// Reads everything that the main machine, which is parsed already, needs.
pub fn collect(
    files: &dyn Files,
    sources: &mut Sources,
    main: (Machine, SourceId),
    diagnostics: &mut Vec<Diagnostic>,
) -> Project {
    let mut found =
        Collector { files, sources, diagnostics, units: vec![], ids: vec![], by_path: HashMap::new() };
    let path = found.sources.get(main.1).path.clone();
    found.by_path.insert(path, 0);
    found.add(main.0, main.1);
    let mut next = 0;
    while next < found.units.len() {
        found.follow(next);
        next += 1;
    }
    let mut units = found.units;
    cut_cycles(&mut units, diagnostics);
    Project { units }
}

struct Collector<'a> {
    files: &'a dyn Files,
    sources: &'a mut Sources,
    diagnostics: &'a mut Vec<Diagnostic>,
    units: Vec<Unit>,
    ids: Vec<SourceId>,
    by_path: HashMap<PathBuf, usize>,
}

impl Collector<'_> {
    fn add(&mut self, tree: Machine, id: SourceId) {
        let mut definitions = self.definition_files(&tree, id);
        let (definitions, found) = Definitions::collect(&tree, &mut |name| definitions.remove(name));
        self.diagnostics.extend(found);
        self.units.push(Unit::alone(tree, definitions));
        self.ids.push(id);
    }

    // Loads what one machine refers to.
    fn follow(&mut self, from: usize) {
        let tree = self.units[from].tree.clone();
        for (section, name, file) in references(&tree) {
            if name.name.is_empty() {
                continue;
            }
            let Some(path) = self.path_of(name, file, self.ids[from]) else { continue };
            let unit = match self.by_path.get(&path) {
                Some(&unit) => unit,
                None => {
                    let Some(unit) = self.read(&path, section, name) else { continue };
                    self.by_path.insert(path.clone(), unit);
                    unit
                }
            };
            if self.fits(unit, name, &path) {
                self.units[from].links.insert(name.span, unit);
            }
        }
    }

    fn read(&mut self, path: &Path, section: &str, name: &Ident) -> Option<usize> {
        let (id, mut found) = match files::add(self.sources, self.files, path) {
            Ok((id, odd)) => (id, odd.map(Diagnostic::from).into_iter().collect::<Vec<_>>()),
            Err(e) => {
                let message = format!("machine `{}` cannot be read: {e}", name.name);
                self.diagnostics.push(Diagnostic::error(codes::MISSING_MACHINE, name.span, message));
                return None;
            }
        };
        let (tree, errors) = parser::parse(self.sources, id);
        found.extend(errors);
        if let Some(first) = found.iter_mut().find(|d| d.severity == Severity::Error) {
            first.labels.push((name.span, format!("this file is read for {section} `{}`", name.name)));
        }
        self.diagnostics.extend(found);
        self.add(tree, id);
        Some(self.units.len() - 1)
    }

    // A file must hold the machine that it is read for.
    fn fits(&mut self, unit: usize, name: &Ident, path: &Path) -> bool {
        let tree = &self.units[unit].tree;
        let file =
            path.file_name().map_or_else(|| path.display().to_string(), |f| f.to_string_lossy().into());
        if tree.kind == MachineKind::Definitions {
            let message = format!("`{file}` is a file of definitions, machine `{}` is expected", name.name);
            self.diagnostics.push(Diagnostic::error(codes::NOT_A_MACHINE, name.span, message));
            return false;
        }
        if tree.name.name.is_empty() || tree.name.name == name.name {
            return true;
        }
        let message = format!("the file `{file}` holds machine `{}`, not `{}`", tree.name.name, name.name);
        let d = Diagnostic::error(codes::NAME_DIFFERS, name.span, message)
            .label(tree.name.span, "named here")
            .help("a machine that others refer to has the name of its file");
        self.diagnostics.push(d);
        false
    }

    fn path_of(&mut self, name: &Ident, pragma: Option<&str>, from: SourceId) -> Option<PathBuf> {
        let folder = self.sources.get(from).path.parent().unwrap_or(Path::new("")).to_owned();
        if let Some(file) = pragma {
            let path = normal(&folder.join(file));
            let inside = path.parent().unwrap_or(Path::new(""));
            let exists = path
                .file_name()
                .and_then(|f| f.to_str())
                .is_some_and(|f| self.files.names(inside).iter().any(|n| n == f));
            if !exists {
                let message = format!("machine `{}` is not found: there is no file `{file}`", name.name);
                let d = Diagnostic::error(codes::MISSING_MACHINE, name.span, message)
                    .help("the path of a `file` pragma starts at the folder of the file it stands in");
                self.diagnostics.push(d);
                return None;
            }
            return Some(path);
        }
        let names = self.files.names(&folder);
        for extension in EXTENSIONS {
            let file = format!("{}.{extension}", name.name);
            if names.binary_search(&file).is_ok() {
                return Some(normal(&folder.join(file)));
            }
        }
        for extension in EXTENSIONS {
            let file = format!("{}.{extension}", name.name).to_lowercase();
            if let Some(other) = names.iter().find(|n| n.to_lowercase() == file) {
                let message =
                    format!("machine `{}` is read from `{other}`, which is spelt differently", name.name);
                self.diagnostics.push(
                    Diagnostic::warning(codes::NAME_CASE, name.span, message)
                        .help("systems that tell upper from lower case will not find it"),
                );
                return Some(normal(&folder.join(other)));
            }
        }
        self.missing(name, &folder, &names);
        None
    }

    fn missing(&mut self, name: &Ident, folder: &Path, names: &[String]) {
        let place = if folder.as_os_str().is_empty() { ".".into() } else { folder.display().to_string() };
        let machines =
            || names.iter().filter_map(|n| n.rsplit_once('.').filter(|n| EXTENSIONS.contains(&n.1)));
        let near = nearest(&name.name, machines().map(|(stem, _)| stem));
        let n = &name.name;
        let message =
            format!("machine `{n}` is not found: there is no `{n}.ref`, `{n}.mch`, `{n}.sys` or `{n}.imp`");
        let d = Diagnostic::error(codes::MISSING_MACHINE, name.span, message);
        self.diagnostics.push(match near.and_then(|near| machines().find(|(stem, _)| *stem == near)) {
            Some((stem, extension)) => {
                d.help(format!("did you mean the machine of `{stem}.{extension}`?")).instead(stem)
            }
            None => {
                d.help(format!("it is looked for in the folder `{place}`, beside the file that names it"))
            }
        });
    }

    // Files of definitions are found beside the file that names them, and may name others.
    fn definition_files(&mut self, machine: &Machine, id: SourceId) -> HashMap<String, Machine> {
        let mut files = HashMap::new();
        let mut wanted = self.named_files(machine, id);
        while let Some((name, path)) = wanted.pop() {
            if files.contains_key(&name) {
                continue;
            }
            let Ok((file, odd)) = files::add(self.sources, self.files, &path) else { continue };
            self.diagnostics.extend(odd.map(Diagnostic::from));
            let (tree, found) = parser::parse(self.sources, file);
            self.diagnostics.extend(found);
            wanted.extend(self.named_files(&tree, file));
            files.insert(name, tree);
        }
        files
    }

    fn named_files(&self, machine: &Machine, id: SourceId) -> Vec<(String, PathBuf)> {
        let folder = self.sources.get(id).path.parent().unwrap_or(Path::new(""));
        let mut out = vec![];
        for section in &machine.sections {
            let SectionKind::Definitions(list) = &section.kind else { continue };
            for definition in list {
                if let Definition::File(name, _) = definition {
                    out.push((name.clone(), folder.join(name)));
                }
            }
        }
        out
    }
}

// `a/../b` is `b`, so that a file has one path; symbolic links are not followed.
fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

// Every reference that closes a cycle is reported and taken away.
fn cut_cycles(units: &mut [Unit], diagnostics: &mut Vec<Diagnostic>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; units.len()];
    let mut cut: Vec<(usize, Span)> = vec![];
    for start in 0..units.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let links =
            |i: usize| -> Vec<(Span, usize)> { units[i].links.iter().rev().map(|(s, &u)| (*s, u)).collect() };
        let mut path: Vec<(usize, Vec<(Span, usize)>)> = vec![(start, links(start))];
        while let Some((unit, todo)) = path.last_mut() {
            let unit = *unit;
            let Some((span, next)) = todo.pop() else {
                marks[unit] = Mark::Done;
                path.pop();
                continue;
            };
            match marks[next] {
                Mark::Done => {}
                Mark::New => {
                    marks[next] = Mark::Open;
                    path.push((next, links(next)));
                }
                Mark::Open => {
                    let from = path.iter().position(|(u, _)| *u == next).unwrap_or(0);
                    let around = path[from..].iter().map(|(u, _)| *u).chain([next]);
                    let names: Vec<String> =
                        around.map(|u| format!("`{}`", units[u].tree.name.name)).collect();
                    let message = match names.len() {
                        2 => format!("machine {} refers to itself", names[0]),
                        _ => format!("machines need each other: {}", names.join(" needs ")),
                    };
                    diagnostics.push(
                        Diagnostic::error(codes::CYCLIC_MACHINES, span, message)
                            .help("take away one of these references"),
                    );
                    cut.push((unit, span));
                }
            }
        }
    }
    for (unit, span) in cut {
        units[unit].links.remove(&span);
    }
}
