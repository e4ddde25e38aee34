//! All packages and Rodin projects of the corpus load.

use std::path::{Path, PathBuf};

use bsym_language::archive::Archive;
use bsym_language::diagnostic::Severity;
use bsym_language::{eventb, render};

fn corpus() -> Option<PathBuf> {
    let found = std::env::var_os("BSYM_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"));
    if found.is_dir() {
        return Some(found);
    }
    eprintln!("SKIPPED: there is no corpus at {}", found.display());
    None
}

fn rodin_projects() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rodin-projects");
    if found.is_dir() {
        return Some(found);
    }
    eprintln!("SKIPPED: there are no Rodin projects at {}", found.display());
    None
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

#[test]
fn all_packages_load() {
    let Some(corpus) = corpus() else { return };
    let mut packages = vec![];
    files(&corpus, "eventb", &mut packages);
    let mut failed = vec![];
    let mut slowest = (0, PathBuf::new());
    for path in &packages {
        let start = std::time::Instant::now();
        let loaded = eventb::load(path, None).expect("it is a text");
        let time = start.elapsed().as_millis();
        if time > slowest.0 {
            slowest = (time, path.clone());
        }
        if loaded.model.is_none() {
            let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            let first: Vec<String> =
                errors.take(2).map(|d| render::render_line(&loaded.sources, d)).collect();
            failed.push(first.join("\n"));
        }
    }
    println!(
        "{} of {} packages load; the slowest in {} ms: {}",
        packages.len() - failed.len(),
        packages.len(),
        slowest.0,
        slowest.1.display()
    );
    for f in &failed {
        println!("{f}");
    }
    assert!(
        failed.len() * 20 <= packages.len(),
        "{} of {} packages do not load",
        failed.len(),
        packages.len()
    );
}

#[test]
fn all_rodin_components_load() {
    let mut components: Vec<(PathBuf, Option<String>)> = vec![];
    for folder in corpus().into_iter().chain(rodin_projects()) {
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
        match eventb::load(path, component.as_deref()) {
            Ok(loaded) if loaded.model.is_some() => {}
            Ok(loaded) => {
                let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
                let first: Vec<String> =
                    errors.take(2).map(|d| render::render_line(&loaded.sources, d)).collect();
                failed.push(first.join("\n"));
            }
            Err(e) => failed.push(e.to_string()),
        }
    }
    println!("{} of {} components of Rodin load", components.len() - failed.len(), components.len());
    for f in &failed {
        println!("{f}");
    }
    assert!(failed.len() * 20 <= components.len(), "{} of {} do not load", failed.len(), components.len());
}
