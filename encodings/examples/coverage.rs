//! What of some machines has an encoding: `coverage FOLDER… FILE…`, of a folder the machines (`.mch`) below it.
//!
//! Prints one line a machine (quantifiers in all its terms, unsupported parts), then the reasons why
//! parts have no encoding, most frequent first. A machine is read with what it sees, includes and refines, as the
//! program does it; those with errors are counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use bsym_encodings::system::build::encode;
use bsym_encodings::term::{Term, Terms};
use bsym_language::load::load_model;
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};

fn machines(folder: &Path, all: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return all.push(folder.into()) };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            machines(&path, all);
        } else if path.extension().is_some_and(|e| e == "mch") {
            all.push(path);
        }
    }
}

fn read(path: &Path) -> Option<Arc<Model>> {
    load_model(path).ok()?.model.map(Arc::new)
}

fn main() {
    with_large_stack(list);
}

fn list() {
    let mut all = vec![];
    for folder in std::env::args().skip(1) {
        machines(Path::new(&folder), &mut all);
    }
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut unread, mut complete, mut encoded) = (0, 0, 0);
    for path in &all {
        let Some(model) = read(path) else {
            unread += 1;
            continue;
        };
        let Ok(scope) = Scope::settle(&model, &ScopeRequest::default()) else { continue };
        let terms = Rc::new(Terms::new());
        let start = Instant::now();
        let system = encode(terms.clone(), model.clone(), &scope);
        encoded += 1;
        let mut roots: Vec<Term> = system.axioms.assumed().copied().collect();
        roots.extend(&system.facts.background);
        roots.extend(&system.facts.state);
        for t in system.events.iter().chain([&system.initialisation]) {
            roots.extend(t.relation);
            roots.extend(t.failures.iter().map(|f| f.condition));
        }
        roots.extend(system.invariant.iter().flat_map(|p| [p.holds, p.defined]));
        roots.extend(system.assertions.iter().flat_map(|p| [p.holds, p.defined]));
        println!(
            "{:4} quantifiers {:3} unsupported {:6} terms {:5} ms  {}",
            terms.quantifiers(&roots),
            system.left_out.parts.len(),
            terms.len(),
            start.elapsed().as_millis(),
            path.display()
        );
        complete += usize::from(system.left_out.parts.is_empty());
        let mut seen = std::collections::BTreeSet::new();
        for u in &system.left_out.parts {
            let text: String =
                model.text.sources.text(u.span).split_whitespace().collect::<Vec<_>>().join(" ");
            let text: String = text.chars().take(100).collect();
            if seen.insert(u.reason.clone()) {
                let entry = reasons.entry(u.reason.clone()).or_insert((0, String::new()));
                entry.0 += 1;
                entry.1 = format!(
                    "{}: {} `{text}`",
                    path.file_name().unwrap_or_default().to_string_lossy(),
                    u.part
                );
            }
        }
    }
    println!("\n{} files, {unread} with errors, {encoded} encoded, {complete} of them completely", all.len());
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    for (reason, (n, example)) in reasons {
        println!("{n:5}  {reason}\n         {example}");
    }
}
