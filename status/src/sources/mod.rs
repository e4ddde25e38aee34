//! The files of other tools as `po.json`.
//!
//! Every fact of a file becomes an obligation, even one that fits nothing; then it gives the reason. The import decides
//! what the facts mean for a model.

mod atelier;
mod builder;
mod package;
mod rodin;
#[cfg(test)]
mod testing;
mod xml;

use std::path::{Path, PathBuf};

use bsym_language::archive::Archive;
use bsym_language::model::Model;
use bsym_language::observed;

use self::builder::Builder;
use super::component::component;
use super::digest;
use super::error::PoError;
use super::file::{Kind, Language, PoFile};
use super::fresh::same_files;
use super::matching::{Matched, Texts, find_target};

/// Converted content of a file or folder, with warnings.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The status.
    pub file: PoFile,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Kinds of input, distinguished by name and content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Input {
    PoJson,
    Project,
    RodinFile,
    Package,
    AtelierFile,
}

/// Reads the status in a file or folder of any known kind: a `po.json`, a Rodin project (folder, zip or one of its
/// files), a ProB package, the files of Atelier B. Paths become relative to `folder`, where the result will be.
///
/// # Errors
/// The input cannot be read, is damaged, or has no proof data.
pub fn convert(path: &Path, folder: &Path) -> Result<Converted, PoError> {
    convert_with(path, folder, &[])
}

/// Returns the status for a machine as [`convert`] does. The files of the machine may be in any folder: what Atelier B
/// records about the text that it proved is compared with them.
///
/// # Errors
/// As [`convert`].
pub fn convert_for(path: &Path, folder: &Path, model: &Model) -> Result<Converted, PoError> {
    let files: Vec<PathBuf> = model.text.sources.iter().map(|(_, source)| source.path.clone()).collect();
    convert_with(path, folder, &files)
}

fn convert_with(path: &Path, folder: &Path, machine: &[PathBuf]) -> Result<Converted, PoError> {
    match kind(path)? {
        Input::PoJson => Ok(Converted { file: PoFile::read(path)?, warnings: vec![] }),
        Input::Project => project(&Archive::open(path)?, path, None, folder, machine),
        Input::RodinFile => project(&Archive::beside(path)?, path, Some(&stem(path)), folder, machine),
        Input::Package => {
            let archive = Archive::beside(path)?;
            let mut out = Builder::new(&archive, folder, machine);
            let main = package::convert(&mut out, &file_name(path))?;
            let (file, warnings) = out.finish(main.as_deref(), Language::EventB);
            Ok(Converted { file, warnings })
        }
        Input::AtelierFile => {
            let archive = Archive::beside(path)?;
            let mut out = Builder::new(&archive, folder, machine);
            let stem = stem(path);
            atelier::convert(&mut out, "", &stem)?;
            let (file, warnings) = out.finish(Some(&stem), Language::ClassicalB);
            Ok(Converted { file, warnings })
        }
    }
}

/// Returns the whole name of a file.
fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns the name of the component that a file is about.
fn stem(path: &Path) -> String {
    path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn kind(path: &Path) -> Result<Input, PoError> {
    observed::looked_at(path);
    if path.is_dir() {
        return Ok(Input::Project);
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match extension.as_str() {
        "zip" => return Ok(Input::Project),
        "eventb" => return Ok(Input::Package),
        e if rodin::EXTENSIONS.contains(&e) => return Ok(Input::RodinFile),
        e if atelier::EXTENSIONS.contains(&e) => return Ok(Input::AtelierFile),
        "json" => return Ok(Input::PoJson),
        _ => {}
    }
    // Files with other names are recognised by their first bytes.
    let mut start = [0; 512];
    let read = std::fs::File::open(path).and_then(|mut f| std::io::Read::read(&mut f, &mut start));
    let length = read.map_err(|source| PoError::Read { path: path.to_owned(), source })?;
    let start = String::from_utf8_lossy(&start[..length]);
    match start.trim_start() {
        s if s.starts_with("PK\u{3}\u{4}") => Ok(Input::Project),
        s if s.starts_with("package(") => Ok(Input::Package),
        _ => Ok(Input::PoJson),
    }
}

/// Converts a Rodin project or the database of an Atelier B project.
fn project(
    archive: &Archive,
    path: &Path,
    main: Option<&str>,
    folder: &Path,
    machine: &[PathBuf],
) -> Result<Converted, PoError> {
    let projects = rodin::projects(archive);
    let databases = atelier::components(archive);
    let mut out = Builder::new(archive, folder, machine);
    let fail = |message: String, help: &str| {
        Err(PoError::NoStatus { path: path.to_owned(), message, help: help.into() })
    };
    if projects.len() > 1 {
        let names: Vec<String> = projects.iter().take(5).map(|p| format!("`{}`", shown(p))).collect();
        return fail(
            format!("there are {} Rodin projects in it: {}", projects.len(), names.join(", ")),
            if archive.is_zip() { "unpack it and name one of them" } else { "name one of them" },
        );
    }
    if let Some(project) = projects.first() {
        rodin::convert(&mut out, project)?;
        let main = main.map(String::from).or_else(|| most_concrete(&out));
        let (file, warnings) = out.finish(main.as_deref(), Language::EventB);
        return Ok(Converted { file, warnings });
    }
    if databases.is_empty() {
        let packages = archive.with_extension("eventb").len();
        return match packages {
            0 => fail(
                "there are no proofs in it".into(),
                "a Rodin project has .bpo and .bps files, Atelier B's database .pog and .pos",
            ),
            n => fail(format!("there are {n} packages of ProB in it"), "name one of them"),
        };
    }
    let only = (databases.len() == 1).then(|| databases[0].1.clone());
    for (place, component) in databases {
        atelier::convert(&mut out, &place, &component)?;
    }
    let (file, warnings) = out.finish(only.as_deref(), Language::ClassicalB);
    Ok(Converted { file, warnings })
}

fn shown(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}

/// Returns the only machine that no other one refines.
fn most_concrete(out: &Builder<'_>) -> Option<String> {
    let machines = || out.components.iter().filter(|c| c.kind != super::file::ComponentKind::Context);
    let mut last = machines().filter(|c| !machines().any(|d| d.refines.as_ref() == Some(&c.name)));
    let found = last.next()?.name.clone();
    last.next().is_none().then_some(found)
}

/// Adds the hashes of the present machine to a status; they tell later whether it has changed. Does so only if the
/// status is about exactly the machine's files, because otherwise it may have been proven for another text. Existing
/// records stay: they may include an axiom that a flag added, without which nothing was proven.
pub fn attach(file: &mut PoFile, model: &Model) {
    if !same_files(file, model) {
        return;
    }
    let mut now = component(model);
    if let Some(known) = file.components.iter_mut().find(|c| c.name == model.name) {
        if known.declarations_hash.is_some() {
            return;
        }
        now.kind = known.kind;
        now.refines = known.refines.take();
        now.sees = std::mem::take(&mut known.sees);
        for event in &mut now.events {
            if let Some(before) = known.events.iter_mut().find(|e| e.name == event.name) {
                event.refines = std::mem::take(&mut before.refines);
            }
        }
        *known = now;
    } else {
        file.components.push(now);
    }
    let mut texts = Texts::new(model).count(file);
    for o in &mut file.obligations {
        if !matches!(o.kind, Kind::Inv | Kind::InvEst) || o.unmatched.is_some() {
            continue;
        }
        if let Matched::At(conjuncts) = find_target(o, model, &mut texts)
            && let (Some(target), [first, ..]) = (&mut o.target, conjuncts.as_slice())
            && target.hash.is_none()
        {
            target.hash = Some(digest::predicate(model, &model.invariant[*first].pred));
        }
    }
}

/// Returns the machine that a file of Atelier B is about: in the same folder, or in the source folder of the project.
pub fn atelier_machine(path: &Path) -> Option<PathBuf> {
    atelier::machine_of(path)
}
