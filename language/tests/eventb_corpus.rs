//! All packages and Rodin projects of the corpus load.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bsym_language::archive::Archive;
use bsym_language::diagnostic::Severity;
use bsym_language::load::{LoadRequest, load_model, load_text, load_with};
use bsym_language::model::{Model, Variable};
use bsym_language::{print, render};
use bsym_testing::{Known, corpus, rodin_projects};

/// A path as it is seen from a folder.
fn relative(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

fn component(name: Option<&str>) -> LoadRequest {
    LoadRequest { component: name.map(String::from), ..LoadRequest::default() }
}

#[test]
fn all_packages_load() {
    let Some(corpus) = corpus() else { return };
    let mut packages = vec![];
    files(&corpus, "eventb", &mut packages);
    let mut failed = vec![];
    let mut slowest = (0, PathBuf::new());
    for path in &packages {
        let start = std::time::Instant::now();
        let loaded = load_model(path).expect("it is a text");
        let time = start.elapsed().as_millis();
        if time > slowest.0 {
            slowest = (time, path.clone());
        }
        if loaded.model.is_none() {
            let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            let first: Vec<String> =
                errors.take(2).map(|d| render::render_line(&loaded.sources, d)).collect();
            failed.push(format!("{}: {}", relative(path, &corpus), first.join("\n")));
        }
    }
    println!(
        "{} of {} packages load; the slowest in {} ms: {}",
        packages.len() - failed.len(),
        packages.len(),
        slowest.0,
        slowest.1.display()
    );
    assert_eq!(failed, Vec::<String>::new(), "packages that do not load");
}

/// What is printed of a model of Event-B is a machine of classical B with the same states and events.
#[test]
fn packages_print_as_machines_that_read_again() {
    let Some(corpus) = corpus() else { return };
    let mut packages = vec![];
    files(&corpus.join("eventb"), "eventb", &mut packages);
    let (mut same, mut failed) = (0, vec![]);
    for path in packages.iter().step_by(3) {
        let Some(model) = load_model(path).expect("it is a text").model else { continue };
        let text = print::machine(&model);
        let again = load_text("printed.mch", text);
        let messages = again.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        match again.model {
            Some(m) if m.variables.len() == model.variables.len() && m.events.len() == model.events.len() => {
                same += 1
            }
            _ => failed.push(format!(
                "{}: {}",
                relative(path, &corpus),
                messages.map(|d| render::render_line(&again.sources, d)).next().unwrap_or_default()
            )),
        }
    }
    println!("{same} packages print as machines that read again, {} do not", failed.len());
    let surprises = Known::read(include_str!("eventb/not_printed.tsv")).surprises(&failed);
    assert!(surprises.is_empty(), "{surprises:#?}");
}

/// The same machines, once from Rodin and once from ProB's exporter.
#[test]
fn a_project_and_its_packages_are_the_same_models() {
    let (Some(corpus), Some(projects)) = (corpus(), rodin_projects()) else { return };
    let packages = corpus.join("eventb/EventBPrologPackages/Abrial_Teaching/ch2_car");
    for name in ["m0", "m1", "m2", "m3"] {
        let package = load_model(&packages.join(format!("{name}_mch.eventb"))).expect("a text");
        let project = load_with(&projects.join("cars-on-bridge"), &component(Some(name))).expect("a project");
        let (package, project) = (package.model.expect("a model"), project.model.expect("a model"));
        let names = |list: &[Variable]| list.iter().map(|v| v.name.clone()).collect::<BTreeSet<_>>();
        assert_eq!(names(&package.variables), names(&project.variables), "{name}");
        // One of them was edited after the other was exported, so texts differ here and there.
        let labels = |m: &Model| m.invariant.iter().map(|c| c.label.clone()).collect::<Vec<_>>();
        assert_eq!(labels(&package), labels(&project), "{name}");
        let events = |m: &Model| {
            m.events.iter().map(|e| (e.name.clone(), e.refines.clone())).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(events(&package), events(&project), "{name}");
    }
}

#[test]
fn all_rodin_components_load() {
    let (Some(corpus), Some(projects)) = (corpus(), rodin_projects()) else { return };
    let shared = corpus.parent().expect("the corpus is in a folder");
    let mut components: Vec<(PathBuf, Option<String>)> = vec![];
    for folder in [corpus.clone(), projects] {
        for extension in ["bum", "buc"] {
            let mut found = vec![];
            files(&folder, extension, &mut found);
            components.extend(found.into_iter().map(|path| (path, None)));
        }
        let mut archives = vec![];
        files(&folder, "zip", &mut archives);
        for path in archives {
            let archive = Archive::open(&path).expect("it is an archive");
            for name in archive.names() {
                if name.ends_with(".bum") || name.ends_with(".buc") {
                    let name = name.rsplit_once('.').map(|(stem, _)| stem.to_string());
                    components.push((path.clone(), name));
                }
            }
        }
    }
    let mut failed = vec![];
    for (path, component) in &components {
        match load_with(path, &self::component(component.as_deref())) {
            Ok(loaded) if loaded.model.is_some() => {}
            outcome => {
                let why = match outcome {
                    Ok(loaded) => {
                        let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
                        errors
                            .take(2)
                            .map(|d| render::render_line(&loaded.sources, d))
                            .collect::<Vec<_>>()
                            .join("\n")
                    }
                    Err(e) => e.to_string(),
                };
                let name = component.as_deref().map(|c| format!("#{c}")).unwrap_or_default();
                failed.push(format!("{}{name}: {why}", relative(path, shared)));
            }
        }
    }
    println!("{} of {} components of Rodin load", components.len() - failed.len(), components.len());
    let surprises = Known::read(include_str!("eventb/not_loaded.tsv")).surprises(&failed);
    assert!(surprises.is_empty(), "{surprises:#?}");
}
