//! The laws of the corpus hold: assertions of machines whose only purpose is to state what is true.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bsym_language::load::load_model;

use crate::evaluator::{Evaluator, Limits};
use crate::scope::{Scope, ScopeRequest};
use crate::transition::Outcome;
use crate::value::env::Env;

fn machines(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            machines(&path, found);
        } else if path.extension().is_some_and(|e| e == "mch") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn assertions_of_the_laws_are_true() {
    bsym_language::stack::with_large_stack(laws);
}

fn laws() {
    let Some(corpus) = bsym_testing::corpus() else { return };
    let mut files = Vec::new();
    machines(&corpus.join("laws"), &mut files);
    let limits = Limits { listing: 2_000, rounds: 10_000, branching: 2_000 };
    let (mut hold, mut open, mut unread) = (0, 0, 0);
    let mut wrong = Vec::new();
    for path in &files {
        let name = path.strip_prefix(&corpus).unwrap_or(path).display().to_string();
        // Tests of a constraint solver: what they state is true, to find it is not the evaluator's business.
        if name.contains("REPL_UNIT_TESTS") {
            eprintln!("{name}: skipped");
            continue;
        }
        let started = std::time::Instant::now();
        let Some(model) = load_model(path).ok().and_then(|l| l.model) else {
            unread += 1;
            continue;
        };
        let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let Ok(scope) = Scope::settle(&model, &request) else { continue };
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(8));
            flag.store(true, Ordering::Relaxed);
        });
        let eval = Evaluator::new(&model, &scope).with_limits(limits).with_interrupt(&stop);
        let valuations = eval.constants(&Default::default());
        let Some(constants) = valuations.found.first() else {
            open += model.assertions.len();
            eprintln!("{name}: no constants {:?}", valuations.incomplete);
            continue;
        };
        let initial = eval.initial_states(constants);
        let states = initial.edges.iter().take(2).filter_map(|e| match &e.outcome {
            Outcome::Reached { state, .. } => Some(state.clone()),
            _ => None,
        });
        let mut states: Vec<_> = states.collect();
        if states.is_empty() {
            eprintln!("{name}: no initial state {:?}", initial.incomplete.first());
            if !model.variables.is_empty() {
                open += model.assertions.len();
                continue;
            }
            states.push(Vec::new());
        }
        for assertion in &model.assertions {
            if started.elapsed().as_secs() > 5 {
                eprintln!("{name}: the other assertions take too long");
                break;
            }
            for state in &states {
                match eval.pred(&Env::new(constants, state), &assertion.pred) {
                    Ok(true) => hold += 1,
                    // TLC4B's `closure` is reflexive on the points of the relation only; in the B-Book and in
                    // ProB it is on the whole type.
                    Ok(false) if name.contains("tlc4b") && assertion.text.starts_with("closure(") => {
                        eprintln!("{name}: another closure in {}", assertion.text);
                    }
                    Ok(false) => wrong.push(format!("{name}: {}", assertion.text)),
                    Err(e) => {
                        open += 1;
                        eprintln!("{name}: {:?} {} in {}", e.kind, e.message, assertion.text);
                    }
                }
            }
        }
    }
    eprintln!(
        "laws: {hold} hold, {open} open, {} wrong, {unread} of {} files unread",
        wrong.len(),
        files.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(hold > 0);
}
