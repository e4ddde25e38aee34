//! Event-B: ProB's `.eventb` packages and Rodin's projects, to what is written in them.
//!
//! Both end in a [`project::Project`] whose formulas are the trees of classical B (`ast`), so that one
//! checker types and composes them: `check::compose_levels`.

pub mod formula;
pub mod package;
pub mod project;
pub mod prolog;
mod rodin;
mod terms;
mod theories;
mod tuf;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check;
use crate::diagnostic::Diagnostic;
use crate::load::Loaded;
use crate::stack::with_large_stack;
use crate::text::archive::{Archive, ArchiveError};
use crate::text::decode::{self, ReadError};
use crate::text::source::Sources;
use project::Project;

/// Why nothing of a package or project can be read.
#[derive(thiserror::Error, Debug)]
pub enum ProjectError {
    /// The folder, the archive or a file in it.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// There is no machine or context.
    #[error("{}: there is no machine (.bum) and no context (.buc) in it", .0.display())]
    Nothing(PathBuf),
    /// There is more than one that may be meant.
    #[error("{}: {what} could be meant; choose one with --machine: {}", path.display(), names.join(", "))]
    Several {
        /// The folder or archive.
        path: PathBuf,
        /// `several machines`, `several projects`
        what: &'static str,
        /// What can be chosen.
        names: Vec<String>,
    },
    /// No component has the name that is asked for.
    #[error("{}: there is no component `{name}`; there are: {}", path.display(), names.join(", "))]
    Unknown {
        /// The package, folder or archive.
        path: PathBuf,
        /// The name.
        name: String,
        /// What can be chosen.
        names: Vec<String>,
    },
}

/// Whether a path is a package or project of Event-B, to be read by [`load`].
pub fn is_eventb(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    matches!(extension.as_str(), "eventb" | "bum" | "buc" | "zip") || path.is_dir()
}

/// Reads a package (`.eventb`), a machine or context of Rodin's (`.bum`, `.buc`), or a project of Rodin's (a
/// folder or `.zip`), and composes one component of it: the one that is asked for, else the first machine
/// of a package, the file that is named, the last refinement of a project.
///
/// # Errors
/// When a file cannot be read, or it is not clear which component is meant.
pub fn load(path: &Path, component: Option<&str>) -> Result<Loaded, ReadError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    with_large_stack(|| match extension.as_str() {
        "eventb" => package_at(path, component),
        "bum" | "buc" => {
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
            let archive = Archive::beside(path).map_err(ProjectError::from)?;
            if !archive.contains(path.file_name().and_then(|n| n.to_str()).unwrap_or_default()) {
                return Err(ReadError::Missing(path.to_owned()));
            }
            project_in(&archive, component.unwrap_or(stem))
        }
        _ if path.is_dir() => {
            let archive = Archive::open(path).map_err(ProjectError::from)?;
            project_in(&archive, component.unwrap_or("")).map_err(|e| match e {
                // No project at all: the folder is the mistake.
                ReadError::Project(ProjectError::Nothing(path)) => ReadError::Directory(path),
                e => e,
            })
        }
        _ => {
            let archive = Archive::open(path).map_err(ProjectError::from)?;
            project_in(&archive, component.unwrap_or(""))
        }
    })
}

fn package_at(path: &Path, component: Option<&str>) -> Result<Loaded, ReadError> {
    let mut sources = Sources::default();
    let (id, diagnostics) = decode::load(&mut sources, path)?;
    let sources = Arc::new(sources);
    match package::read(&sources.get(id).text, id) {
        Ok(project) => {
            let name = component.or_else(|| project.main()).unwrap_or_default().to_string();
            let names: Vec<String> = (project.machines.iter().map(|m| &m.name.name))
                .chain(project.contexts.iter().map(|c| &c.name.name))
                .cloned()
                .collect();
            if !names.contains(&name) {
                return Err(ProjectError::Unknown { path: path.to_owned(), name, names }.into());
            }
            Ok(composed(sources, &project, &name, diagnostics))
        }
        Err(d) => Ok(refused(sources, diagnostics, d)),
    }
}

fn refused(sources: Arc<Sources>, mut diagnostics: Vec<Diagnostic>, mistake: Diagnostic) -> Loaded {
    diagnostics.push(mistake);
    Loaded { sources, model: None, diagnostics }
}

fn composed(
    sources: Arc<Sources>,
    project: &Project,
    component: &str,
    mut diagnostics: Vec<Diagnostic>,
) -> Loaded {
    let broken = diagnostics.iter().any(|d| d.severity == crate::diagnostic::Severity::Error);
    let (model, found) = check::compose_levels(sources.clone(), project, component);
    // What the checker misses may stand in what could not be read.
    if !broken {
        diagnostics.extend(found);
    }
    diagnostics.sort_by_key(|d| (d.span.source, d.span.start));
    Loaded { sources, model: model.filter(|_| !broken), diagnostics }
}

// `component` may be empty, `Machine`, or `Folder/Machine`.
fn project_in(archive: &Archive, component: &str) -> Result<Loaded, ReadError> {
    let projects = rodin::projects(archive).map_err(ProjectError::from)?;
    let path = archive.path().to_owned();
    if projects.is_empty() {
        return Err(ProjectError::Nothing(path).into());
    }
    let (folder, name) = component.rsplit_once('/').unwrap_or(("", component));
    let is_folder = |f: &str| folder.is_empty() || f == folder || f.ends_with(&format!("/{folder}"));
    let has = |files: &rodin::Files| {
        name.is_empty() || files.machines.contains_key(name) || files.contexts.contains_key(name)
    };
    let matching: Vec<_> = projects.iter().filter(|(f, files)| is_folder(f) && has(files)).collect();
    let full = |folder: &str, name: &str| {
        if projects.len() == 1 || folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") }
    };
    let (folder, files) = match matching.as_slice() {
        [one] => *one,
        [] => {
            let names = projects.iter().flat_map(|(f, files)| files.all().into_iter().map(|n| full(f, &n)));
            let (name, names) = (component.to_string(), names.collect());
            return Err(ProjectError::Unknown { path, name, names }.into());
        }
        several => {
            let names = several.iter().flat_map(|(f, files)| {
                let names = if name.is_empty() { files.last() } else { vec![name.to_string()] };
                names.into_iter().map(|n| full(f, &n)).collect::<Vec<_>>()
            });
            return Err(
                ProjectError::Several { path, what: "several projects", names: names.collect() }.into()
            );
        }
    };
    let name = match name {
        "" => match files.last().as_slice() {
            [one] => one.clone(),
            several => {
                let names = several.to_vec();
                return Err(ProjectError::Several { path, what: "several components", names }.into());
            }
        },
        name => name.to_string(),
    };
    let (mut sources, mut diagnostics) = (Sources::default(), vec![]);
    let project = rodin::read(archive, folder, files, &name, &mut sources, &mut diagnostics)
        .map_err(ProjectError::from)?;
    Ok(composed(Arc::new(sources), &project, &name, diagnostics))
}
