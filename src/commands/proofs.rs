//! `bsym proofs`: the proof status that other tools recorded, counted, explained and converted.

use std::path::{Path, PathBuf};

use bsym_language::load::{LoadRequest, is_eventb, load_with};
use bsym_language::model::Model;
use bsym_status::file::PoFile;
use bsym_status::import::import;
use bsym_status::sources::{attach, convert, convert_for};
use bsym_status::{ImportOptions, PoError};

use crate::answer::Answer;
use crate::answer::recorded::Recorded;
use crate::arguments::{ComponentArguments, ProofsArguments};
use crate::input;
use crate::output;
use crate::refusal::Refusal;
use crate::settings::Settings;

/// Runs the command.
pub fn run(arguments: &ProofsArguments) -> anyhow::Result<Answer> {
    let path = &arguments.file;
    let folder = arguments.output_file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    if let Some(output) = &arguments.output_file {
        output::check_writable(output, "-o", &[path])?;
    }
    let converted = convert(path, folder).map_err(|e| refuse(path, &e))?;
    let (mut file, mut warnings) = (converted.file, converted.warnings);
    let model = match machine(arguments, &file)? {
        Ok(model) => Some(model),
        Err(why) => {
            warnings.push(why);
            None
        }
    };
    if let Some(model) = &model {
        // The files of the machine may be in other folders.
        let converted = convert_for(path, folder, model).map_err(|e| refuse(path, &e))?;
        (file, warnings) = (converted.file, converted.warnings);
    }
    let options = ImportOptions { trust_reviewed: arguments.trust_reviewed, scope: None };
    let import = match &model {
        Some(model) => Some(import(path, &file, model, &options).map_err(|e| refuse(path, &e))?),
        None => None,
    };
    let mut answer = Recorded::new(path, &file, model.as_ref().zip(import.as_ref()), warnings);
    if let Some(model) = &model {
        attach(&mut file, model);
    }
    if let Some(path) = &arguments.output_file
        && output::write(path, &file.to_text())
    {
        answer.output_file = Some(path.display().to_string());
    }
    Ok(Answer::Recorded(Box::new(answer)))
}

/// Returns the machine whose pairs are counted: the one that is named, else the one in the input; or why there is no
/// such machine.
fn machine(arguments: &ProofsArguments, file: &PoFile) -> anyhow::Result<Result<Model, String>> {
    if let Some(named) = &arguments.machine {
        let path = Path::new(named);
        // A name of the project, unless there is such a file.
        let chosen = is_eventb(&arguments.file) && !path.exists();
        let path = if chosen { &arguments.file } else { path };
        let component = ComponentArguments {
            component: chosen.then(|| named.clone()),
            include: include_path(arguments, path)?,
            no_project: true,
        };
        return input::machine(path, &component, &arguments.output).map(|input| Ok(input.model));
    }
    let named = file.model.as_ref().and_then(|m| m.main.clone());
    let help = "so its pairs are not counted; `--machine NAME|FILE` names a machine";
    let Some(path) = machine_file(&arguments.file, file) else {
        return Ok(Err(format!("the machine is not there, {help}")));
    };
    let request = LoadRequest { component: None, include_path: include_path(arguments, &path)? };
    Ok(match load_with(&path, &request) {
        Ok(loaded) => match loaded.model {
            Some(model) if named.as_ref().is_none_or(|n| *n == model.name) => Ok(model),
            Some(model) => Err(format!("{} holds {}, {help}", path.display(), model.name)),
            None => Err(format!("{} has errors (`bsym parse` shows them), {help}", path.display())),
        },
        Err(error) => Err(format!("{error}; {help}")),
    })
}

/// The folders of the command line, then those of the settings for a machine.
fn include_path(arguments: &ProofsArguments, machine: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = arguments.include.clone();
    if !arguments.no_project {
        folders.extend(Settings::of(machine)?.include_path().iter().cloned());
    }
    Ok(folders)
}

/// Path of the model of an input.
fn machine_file(given: &Path, file: &PoFile) -> Option<PathBuf> {
    let extension = given.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let named = file.model.as_ref().and_then(|m| m.main.clone());
    match extension.as_str() {
        "eventb" | "zip" | "bum" | "buc" => Some(given.to_owned()),
        _ if given.is_dir() => match named.map(|n| given.join(format!("{n}.bum"))) {
            Some(machine) if machine.is_file() => Some(machine),
            _ => Some(given.to_owned()),
        },
        "bps" | "bpo" | "bpr" | "bcm" => Some(given.with_extension("bum")).filter(|p| p.is_file()),
        "bcc" => Some(given.with_extension("buc")).filter(|p| p.is_file()),
        "pog" | "pos" | "po" | "pmi" => bsym_status::sources::atelier_machine(given),
        _ => {
            let folder = given.parent()?;
            let model = file.sources.iter().find(|s| s.component == named && !s.path.contains("!/"))?;
            Some(folder.join(&model.path)).filter(|p| p.is_file())
        }
    }
}

fn refuse(path: &Path, error: &PoError) -> Refusal {
    let refusal = Refusal::new(error.to_string());
    match error {
        PoError::Read { .. } if !path.exists() => refusal.help("check the path"),
        PoError::OtherFormat { .. } => refusal.help(
            "Rodin projects (folder, .zip, .bum, .bps), ProB packages (.eventb), Atelier B (.pog, .pos, .pmi) \
             and po.json are read",
        ),
        _ => refusal,
    }
}
