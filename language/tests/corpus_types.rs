//! Every machine of the corpus that ProB could explore type checks, prints and checks again; every
//! machine that must be refused is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bsym_language::check_codes as codes;
use bsym_language::diagnostic::Severity;
use bsym_language::load::{load_model, load_text};
use bsym_language::model::Model;
use bsym_language::print;
use bsym_language::walk::normalised;
use serde_json::Value;

fn corpus() -> Option<(PathBuf, Vec<Value>)> {
    let root = match std::env::var_os("BSYM_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
    };
    let Ok(text) = std::fs::read_to_string(root.join("manifest.json")) else {
        println!("skipped: no corpus at {}", root.display());
        return None;
    };
    let manifest: Value = serde_json::from_str(&text).expect("manifest.json is JSON");
    Some((root, manifest["entries"].as_array().cloned().unwrap_or_default()))
}

/// First line of what went wrong, `None` if the model loads.
fn failure(path: &Path) -> Result<Model, (u16, String)> {
    let loaded = load_model(path).map_err(|e| (0, e.to_string()))?;
    match loaded.model {
        Some(model) => Ok(model),
        None => {
            let d = loaded.diagnostics.iter().find(|d| d.severity == Severity::Error);
            let d = d.expect("without a model there is an error");
            let place = loaded.sources.position(d.span);
            Err((
                d.code.number,
                format!("{}:{} B{:04} {}", place.line, place.column, d.code.number, d.message),
            ))
        }
    }
}

#[test]
fn explored_machines_type_check_and_print() {
    let Some((root, entries)) = corpus() else { return };
    let folders = ["symbolic", "table1", "symmetry", "laws", "b", "refinement"];
    let (mut good, mut unsupported) = (0, 0);
    let mut failures = vec![];
    let mut unprinted = vec![];
    for e in &entries {
        let path = e["path"].as_str().unwrap_or("");
        let folder = path.split('/').next().unwrap_or("");
        let chosen = folders.contains(&folder)
            && e["formalism"] == "b"
            && e["main"] == true
            && (e["facts"]["states"].is_number() || folder == "symbolic" || folder == "table1");
        if !chosen || e["facts"]["parse_error"] == true || e["facts"]["type_error"] == true {
            continue;
        }
        match failure(&root.join(path)) {
            Ok(model) => {
                good += 1;
                let text = print::machine(&model);
                let again = load_text("printed.mch", text.clone());
                match &again.model {
                    Some(m) if normalised(m) == normalised(&model) => {}
                    Some(_) => unprinted.push(format!("{path}: reads differently")),
                    None => {
                        let d = again.diagnostics.iter().find(|d| d.severity == Severity::Error);
                        let d = d.map(|d| {
                            let p = again.sources.position(d.span);
                            format!("{} in `{}`", d.message, again.sources.get(d.span.source).line(p.line))
                        });
                        unprinted.push(format!("{path}: {}", d.unwrap_or_default()));
                    }
                }
            }
            Err((number, _)) if number == codes::NOT_SUPPORTED.number => unsupported += 1,
            Err((_, message)) => failures.push(format!("{path}: {message}")),
        }
    }
    for f in &failures {
        println!("fails     {f}");
    }
    for f in &unprinted {
        println!("unprinted {f}");
    }
    let total = good + failures.len();
    println!("{good} of {total} machines check, {unsupported} use what is not supported yet");
    println!("{} of {good} print and read the same", good - unprinted.len());
    assert!(good * 100 >= total * 95, "too many failures");
    assert!(unprinted.is_empty());
}

// `{a; b}` in an unused definition is a composition by the grammar; ProB's parser does not get there.
const READ_HERE: &[&str] = &["LexerErrorInIncludedDefinitionFile.mch"];

#[test]
fn wrong_machines_are_refused() {
    let Some((root, entries)) = corpus() else { return };
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut accepted = vec![];
    for e in &entries {
        let path = e["path"].as_str().unwrap_or("");
        let kind = e["facts"]["reject"].as_str().unwrap_or("");
        if !path.starts_with("errors/") || !["parse", "type", "scope", "structure"].contains(&kind) {
            continue;
        }
        let counts = kinds.entry(kind.to_string()).or_default();
        counts.1 += 1;
        match failure(&root.join(path)) {
            // The name of the main file is worth a warning only, as in ProB.
            Ok(_) if e["note"].as_str().is_some_and(|n| n.contains("name differs from file name")) => {
                let loaded = load_model(&root.join(path)).expect("it was read before");
                assert!(loaded.diagnostics.iter().any(|d| d.code == codes::NAME_DIFFERS), "{path}");
                counts.0 += 1;
            }
            Ok(_) if READ_HERE.iter().any(|name| path.ends_with(name)) => counts.0 += 1,
            Ok(_) => accepted.push(format!("{path} ({kind}): {}", e["note"].as_str().unwrap_or(""))),
            Err(_) => counts.0 += 1,
        }
    }
    for a in &accepted {
        println!("accepted  {a}");
    }
    println!("refused by kind, of how many: {kinds:?}");
    assert!(accepted.is_empty());
}
