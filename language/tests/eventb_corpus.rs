//! All packages and Rodin projects of the corpus load.

use std::path::{Path, PathBuf};

use bsym_language::diagnostic::Severity;
use bsym_language::{eventb, render};

fn corpus() -> Option<PathBuf> {
    let found = std::env::var_os("BSYM_CORPUS").map(PathBuf::from).unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")
    });
    if found.is_dir() {
        return Some(found);
    }
    eprintln!("SKIPPED: there is no corpus at {}", found.display());
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
        let loaded = eventb::load_package(path, None).expect("it is a text");
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
    println!("{} of {} packages load; the slowest in {} ms: {}", packages.len() - failed.len(), packages.len(), slowest.0, slowest.1.display());
    for f in &failed {
        println!("{f}");
    }
    assert!(failed.len() * 20 <= packages.len(), "{} of {} packages do not load", failed.len(), packages.len());
}
