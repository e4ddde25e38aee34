//! Machines that `check` checks: files, folders, patterns, and with `--all` every machine of a project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::bail;
use bsym_language::archive::Archive;
use bsym_language::eventb::{package, rodin, text};
use bsym_language::files;
use bsym_language::observed;
use bsym_language::source::Sources;

use crate::arguments::{Batch, Command};
use crate::input::is_machine;
use crate::race::control::locked;
use crate::refusal::Refusal;

/// One machine to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// A file or a project.
    pub file: PathBuf,
    /// The machine of a project, as `--machine` names it; without it, what the file is read as.
    pub component: Option<String>,
}

impl Target {
    fn file(file: PathBuf) -> Target {
        Target { file, component: None }
    }

    /// Returns the text that users see.
    pub fn shown(&self) -> String {
        let file = self.file.display();
        self.component.as_ref().map_or_else(|| file.to_string(), |component| format!("{file} {component}"))
    }
}

/// Returns whether a command is about several machines: several files, a pattern, a folder of machines
/// that is no Rodin project, or all machines of one.
pub fn is_about_several(command: &Command) -> bool {
    let Some(Batch { file, batch, .. }) = command.batch() else { return false };
    let is_folder = || is_folder_of_machines(file);
    batch.all || !batch.more.is_empty() || is_pattern(file) || is_folder()
}

/// Returns whether a path is a folder of machines. The command line is asked about several times, the disk once: a folder may
/// be large.
fn is_folder_of_machines(path: &Path) -> bool {
    static KNOWN: Mutex<BTreeMap<PathBuf, bool>> = Mutex::new(BTreeMap::new());
    if !path.is_dir() {
        return false;
    }
    let mut known = locked(&KNOWN);
    *known.entry(path.to_owned()).or_insert_with(|| {
        let inside = machines_in(path);
        !inside.is_empty() && !inside.iter().any(is_of_rodin)
    })
}

/// The machines that are named, each once: those named, for a folder those below it, by name, for a pattern what it matches.
///
/// # Errors
/// A pattern that is none, or matches no machine.
pub fn targets(named: &Batch<'_>) -> anyhow::Result<Vec<Target>> {
    let mut all: Vec<Target> = vec![];
    for path in std::iter::once(named.file).chain(named.batch.more.iter().map(PathBuf::as_path)) {
        for file in files_of(path)? {
            // What has no machine in it is a row that says so.
            let components = if named.batch.all { components(&file) } else { vec![] };
            let found = match components.is_empty() {
                true => vec![Target::file(file)],
                false => components
                    .into_iter()
                    .map(|name| Target { file: file.clone(), component: Some(name) })
                    .collect(),
            };
            for target in found {
                if !all.contains(&target) {
                    all.push(target);
                }
            }
        }
    }
    Ok(all)
}

fn files_of(named: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for path in if is_pattern(named) { matching(named)? } else { vec![named.to_owned()] } {
        let mut inside = if path.is_dir() { machines_in(&path) } else { vec![] };
        if inside.iter().any(is_of_rodin) {
            inside.clear();
        }
        if inside.is_empty() { files.push(path) } else { files.extend(inside) }
    }
    Ok(files)
}

/// Returns whether the argument is a pattern that the shell did not expand. A file may have such a name all the same.
fn is_pattern(named: &Path) -> bool {
    named.to_string_lossy().contains(['*', '?', '[']) && !named.exists()
}

/// Machines, projects and folders that a pattern matches, by name.
fn matching(pattern: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let text = pattern.to_string_lossy();
    // Hidden files are left out as in folders.
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let paths = match glob::glob_with(&text, options) {
        Ok(paths) => paths,
        Err(error) => bail!(Refusal::new(format!("`{text}` is no pattern: {}", error.msg)).help(
            "`*` stands for any name, `**` for any folders, `?` for a character, `[ab]` for one of these"
        )),
    };
    let is_project = |p: &Path| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("zip"));
    let wanted = |p: &PathBuf| p.is_dir() || is_machine(p) || is_project(p);
    let found: Vec<PathBuf> = paths.flatten().filter(wanted).collect();
    if found.is_empty() {
        bail!(Refusal::new(format!("no machine matches `{text}`")).help(
            "the pattern is relative to the current folder; `**` goes into folders: 'models/**/*.mch'"
        ));
    }
    Ok(found)
}

/// Returns the names of the machines in a project or package, as for `--machine`; none if it is no such file or cannot
/// be read.
fn components(file: &Path) -> Vec<String> {
    let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    if ["eventb", "bumx"].contains(&extension.as_str()) {
        let mut sources = Sources::default();
        let Ok((id, _)) = files::load(&mut sources, file) else { return vec![] };
        if text::is_text(file, &sources.get(id).text) {
            return text::machines(&sources.get(id).text);
        }
        let machines = package::read(&sources.get(id).text, id).map(|project| project.machines);
        return machines.unwrap_or_default().into_iter().map(|machine| machine.name.name).collect();
    }
    if !file.is_dir() && extension != "zip" {
        return vec![];
    }
    let projects = Archive::open(file).and_then(|archive| rodin::projects(&archive)).unwrap_or_default();
    let is_one = projects.len() == 1;
    let full = |folder: &str, name: &String| match is_one || folder.is_empty() {
        true => name.clone(),
        false => format!("{folder}/{name}"),
    };
    let of = |(folder, files): (&String, &rodin::Files)| -> Vec<String> {
        files.machines.keys().map(|name| full(folder, name)).collect()
    };
    projects.iter().flat_map(of).collect()
}

/// Returns whether a file makes its folder a project of Rodin, which is read as one model.
fn is_of_rodin(file: impl AsRef<Path>) -> bool {
    file.as_ref().extension().is_some_and(|e| e == "bum" || e == "buc")
}

/// Returns the machines below a folder, by name. Hidden folders are left out, and links to folders are not followed.
fn machines_in(folder: &Path) -> Vec<PathBuf> {
    observed::listed(folder);
    let mut found = vec![];
    let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, is_hidden) = (entry.path(), entry.file_name().to_string_lossy().starts_with('.'));
        let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
        if is_folder && !is_hidden {
            found.extend(machines_in(&path));
        } else if !is_folder && is_machine(&path) {
            found.push(path);
        }
    }
    found
}
