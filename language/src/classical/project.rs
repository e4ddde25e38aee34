//! The files of a model: the main machine, every machine that it refers to directly or indirectly, and their files of
//! definitions.
//!
//! A machine `M` is searched for in the folder of the file that names it, as `M.ref`, `M.mch`, `M.sys` and `M.imp`
//! (ProB's order), or at the place that a `file` pragma gives; then in the folders of the include path, at most one of
//! which may contain it. Files of definitions are searched for in the same places.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};

use crate::ast::{Definition, Ident, Machine, MachineKind, SectionKind};
use crate::classical::definitions::Definitions;
use crate::classical::parser;
use crate::diagnostic::codes;
use crate::diagnostic::{Diagnostic, Severity, nearest};
use crate::text::files::{self, Files};
use crate::text::source::{SourceId, Sources, Span};
use crate::tuning::Tuning;

const EXTENSIONS: [&str; 4] = ["ref", "mch", "sys", "imp"];

/// The machines of a model; the first is the main one. They refer to each other without cycles.
#[derive(Clone, Default, Debug)]
pub struct Project {
    /// The machines.
    pub units: Vec<Unit>,
}

/// One machine with its references.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The syntax tree.
    pub tree: Machine,
    /// Its definitions, with those of the files that it names.
    pub definitions: Definitions,
    /// The machines behind its references, as positions in [`Project::units`] by the place of the name. Missing ones
    /// were reported.
    pub links: BTreeMap<Span, usize>,
}

impl Unit {
    /// Creates a machine whose references lead nowhere.
    pub fn alone(tree: Machine, definitions: Definitions) -> Unit {
        Unit { tree, definitions, links: BTreeMap::new() }
    }

    /// Returns the machine that a reference leads to.
    pub fn link(&self, machine: &Ident) -> Option<usize> {
        self.links.get(&machine.span).copied()
    }
}

/// Returns the references of a machine in source order: the section, the name, and the file given for it.
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

    // Loads the machines that one machine refers to.
    fn follow(&mut self, from: usize) {
        let found = references(&self.units[from].tree);
        let owned = |(section, name, file): (_, &Ident, Option<&str>)| {
            (section, name.clone(), file.map(str::to_owned))
        };
        let found: Vec<(&str, Ident, Option<String>)> = found.into_iter().map(owned).collect();
        for (section, name, file) in &found {
            if name.name.is_empty() {
                continue;
            }
            let Some(path) = self.path_of(name, file.as_deref(), self.ids[from]) else { continue };
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
            if !is_file(self.files, &path) {
                let message = format!("machine `{}` is not found: there is no file `{file}`", name.name);
                let d = Diagnostic::error(codes::MISSING_MACHINE, name.span, message)
                    .help("the path of a `file` pragma starts at the folder of the file it stands in");
                self.diagnostics.push(d);
                return None;
            }
            return Some(path);
        }
        let beside = match self.find(name, &folder) {
            None => self.included(&name.name, name.span, |found, folder| found.find(name, folder))?,
            beside => beside,
        };
        match beside {
            Some(Spelt::Same(path)) => Some(path),
            Some(Spelt::Otherwise(path)) => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let message =
                    format!("machine `{}` is read from `{file}`, which is spelt differently", name.name);
                self.diagnostics.push(
                    Diagnostic::warning(codes::NAME_CASE, name.span, message)
                        .help("systems that tell upper from lower case will not find it"),
                );
                Some(path)
            }
            None => {
                self.missing(name, &folder);
                None
            }
        }
    }

    /// The file of a machine in a folder.
    fn find(&self, name: &Ident, folder: &Path) -> Option<Spelt> {
        let names = self.files.names(folder);
        let mut files = EXTENSIONS.iter().map(|extension| format!("{}.{extension}", name.name));
        if let Some(file) = files.clone().find(|file| names.binary_search(file).is_ok()) {
            return Some(Spelt::Same(normal(&folder.join(file))));
        }
        files.find_map(|file| {
            let other = names.iter().find(|n| n.to_lowercase() == file.to_lowercase())?;
            Some(Spelt::Otherwise(normal(&folder.join(other))))
        })
    }

    /// Searches the include path by `find`. `None` after a message that there is more than one result.
    fn included<T: AsRef<Path>>(
        &mut self,
        name: &str,
        span: Span,
        find: impl Fn(&Self, &Path) -> Option<T>,
    ) -> Option<Option<T>> {
        let mut found: Vec<T> = vec![];
        for folder in self.sources.include_path() {
            found.extend(find(self, folder).filter(|file| found.iter().all(|f| f.as_ref() != file.as_ref())));
        }
        if let [one, other, ..] = &found[..] {
            let (one, other) = (one.as_ref().display(), other.as_ref().display());
            let message = format!("`{name}` is found twice in the include path: `{one}` and `{other}`");
            let d = Diagnostic::error(codes::MISSING_MACHINE, span, message)
                .help("rename one of them, or take its folder out of the include path");
            self.diagnostics.push(d);
            return None;
        }
        Some(found.pop())
    }

    fn missing(&mut self, name: &Ident, folder: &Path) {
        let shown = |folder: &Path| match folder.as_os_str().is_empty() {
            true => "`.`".to_string(),
            false => format!("`{}`", folder.display()),
        };
        let names = self.files.names(folder);
        let machines =
            || names.iter().filter_map(|n| n.rsplit_once('.').filter(|n| EXTENSIONS.contains(&n.1)));
        let near = nearest(&name.name, machines().map(|(stem, _)| stem));
        let n = &name.name;
        let message =
            format!("machine `{n}` is not found: there is no `{n}.ref`, `{n}.mch`, `{n}.sys` or `{n}.imp`");
        let d = Diagnostic::error(codes::MISSING_MACHINE, name.span, message);
        let d = match near.and_then(|near| machines().find(|(stem, _)| *stem == near)) {
            Some((stem, extension)) => {
                d.help(format!("did you mean the machine of `{stem}.{extension}`?")).instead(stem)
            }
            None => match self.elsewhere(name, folder) {
                Some(other) => d.help(format!(
                    "it is in the folder {0}: `-I {1}` looks for machines there as well",
                    shown(&other),
                    other.display()
                )),
                None => {
                    let folders = self.sources.include_path().iter().map(|folder| shown(folder));
                    let folders: Vec<String> = folders.collect();
                    let further = match &folders[..] {
                        [] => "; `-I FOLDER` names further folders".into(),
                        folders => format!(", then in {}", folders.join(", ")),
                    };
                    d.help(format!(
                        "it is looked for in the folder {}, beside the file that names it{further}",
                        shown(folder)
                    ))
                }
            },
        };
        self.diagnostics.push(d);
    }

    /// A folder near this one that has a file of the machine: below it, or below the folder that it is in.
    fn elsewhere(&self, name: &Ident, folder: &Path) -> Option<PathBuf> {
        let parent = normal(&folder.join(".."));
        let mut waiting: VecDeque<(PathBuf, usize)> = [(folder.to_owned(), 0), (parent, 0)].into();
        for _ in 0..Tuning::DEFAULT.project.folders {
            let (next, depth) = waiting.pop_front()?;
            if self.find(name, &next).is_some() {
                return Some(next);
            }
            if depth < Tuning::DEFAULT.project.depth {
                let inside = self.files.names(&next).into_iter().filter(|n| !n.starts_with('.'));
                let folders = inside.map(|n| normal(&next.join(n))).filter(|path| self.files.is_folder(path));
                waiting.extend(folders.map(|path| (path, depth + 1)));
            }
        }
        None
    }

    // Files of definitions may name others.
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

    fn named_files(&mut self, machine: &Machine, id: SourceId) -> Vec<(String, PathBuf)> {
        let folder = self.sources.get(id).path.parent().unwrap_or(Path::new("")).to_owned();
        let mut out = vec![];
        for section in &machine.sections {
            let SectionKind::Definitions(list) = &section.kind else { continue };
            for definition in list {
                let Definition::File(name, span) = definition else { continue };
                let path = folder.join(name);
                let there = |path: PathBuf| is_file(self.files, &path).then_some(path);
                let found = match there(path.clone()) {
                    None => {
                        let find = |found: &Self, folder: &Path| {
                            Some(folder.join(name)).filter(|path| is_file(found.files, path))
                        };
                        self.included(name, *span, find).flatten()
                    }
                    beside => beside,
                };
                // If there is no file, its absence is reported.
                out.push((name.clone(), found.unwrap_or(path)));
            }
        }
        out
    }
}

fn is_file(files: &dyn Files, path: &Path) -> bool {
    let inside = path.parent().unwrap_or(Path::new(""));
    path.file_name().is_some_and(|file| files.names(inside).iter().any(|name| **name == *file))
}

/// The file of a machine.
enum Spelt {
    /// It has the name of the machine.
    Same(PathBuf),
    /// Upper and lower case differ.
    Otherwise(PathBuf),
}

impl AsRef<Path> for Spelt {
    fn as_ref(&self) -> &Path {
        match self {
            Spelt::Same(path) | Spelt::Otherwise(path) => path,
        }
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
