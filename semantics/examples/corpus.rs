//! What the evaluator can do with the machines of a corpus: `corpus [--all] [--seconds N] [NAME…]`.
//!
//! For each classical machine whose state space is known (`facts.comparable` in `manifest.json`; with
//! `--all` for every main machine) it computes the valuations of the constants, the initial states and the
//! successors of the first of them, each within a time limit. Prints a line for each machine that could
//! not be evaluated completely, then the reasons, most frequent first. The corpus is looked for in
//! `$BSYM_CORPUS`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bsym_language::load::load_model;
use bsym_language::model::Model;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};

/// States of which the successors are computed.
const STATES: usize = 20;
const STACK: usize = 1 << 30;

struct Entry {
    path: String,
    vacuous: bool,
}

fn entries(corpus: &Path, all: bool, names: &[String]) -> Vec<Entry> {
    let text = std::fs::read_to_string(corpus.join("manifest.json")).expect("the corpus has a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("the manifest is JSON");
    let mut found = Vec::new();
    for entry in manifest["entries"].as_array().into_iter().flatten() {
        let facts = &entry["facts"];
        let path = entry["path"].as_str().unwrap_or_default().to_owned();
        let wanted = entry["formalism"] == "b"
            && entry["kind"] == "machine"
            && facts["parse_error"] != true
            && facts["type_error"] != true
            && (facts["comparable"] == true || all && entry["main"] == true)
            && (names.is_empty() || names.iter().any(|n| path.contains(n.as_str())));
        if wanted {
            found.push(Entry { path, vacuous: facts["setup_fails"] == true });
        }
    }
    found
}

/// What could not be done, by phase.
struct Problem {
    /// Whether something was found all the same.
    partly: bool,
    phase: &'static str,
    reason: String,
    place: String,
}

fn place(model: &Model, error: &EvalError) -> String {
    let text: Vec<_> = model.text.sources.text(error.span).split_whitespace().collect();
    text.join(" ").chars().take(100).collect()
}

fn problem(model: &Model, phase: &'static str, partly: bool, error: &EvalError) -> Problem {
    let reason = format!("{:?}: {}", error.kind, error.message);
    Problem { partly, phase, reason: reason.chars().take(160).collect(), place: place(model, error) }
}

fn evaluate(model: &Model, vacuous: bool, stop: &AtomicBool) -> Vec<Problem> {
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let Ok(scope) = Scope::settle(model, &request) else { return vec![] };
    let limits = Limits { listing: 200_000, rounds: 20_000_000, branching: 20_000 };
    let eval = Evaluator::new(model, &scope).with_limits(limits).with_interrupt(stop);
    let mut problems = Vec::new();
    let valuations = eval.constants(&BTreeMap::new());
    let partly = !valuations.found.is_empty();
    problems.extend(valuations.incomplete.iter().map(|e| problem(model, "constants", partly, e)));
    problems
        .extend(valuations.ill_defined.iter().take(1).map(|(_, e)| problem(model, "constants", partly, e)));
    let Some(constants) = valuations.found.first() else {
        if problems.is_empty() && !vacuous {
            let reason = "no valuation found".to_owned();
            problems.push(Problem { partly: false, phase: "constants", reason, place: String::new() });
        }
        return problems;
    };
    let initial = eval.initial_states(constants);
    problems.extend(
        initial
            .incomplete
            .iter()
            .map(|(_, e)| problem(model, "initial states", !initial.edges.is_empty(), e)),
    );
    if initial.edges.is_empty() && problems.is_empty() && !vacuous {
        let reason = "no initial state found".to_owned();
        problems.push(Problem { partly: false, phase: "initial states", reason, place: String::new() });
    }
    for state in initial.edges.iter().filter_map(|e| e.state()).take(STATES) {
        let edges = eval.successors(constants, state);
        let of = |event| edges.edges.iter().any(|e| e.event == event);
        let open = edges.incomplete.iter().map(|(event, e)| problem(model, "successors", of(*event), e));
        problems.extend(open);
        if !problems.is_empty() || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    problems
}

fn main() {
    let (mut all, mut seconds, mut names) = (false, 5.0, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--all" => all = true,
            "--seconds" => seconds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(seconds),
            _ => names.push(argument),
        }
    }
    let Some(corpus) = bsym_testing::corpus() else { return };
    let entries = entries(&corpus, all, &names);
    let limit = Duration::from_secs_f64(seconds);
    let (mut unread, mut complete, mut partial) = (0, 0, 0);
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Entry { path, vacuous } in &entries {
        let Some(model) = load_model(&corpus.join(path)).ok().and_then(|l| l.model) else {
            unread += 1;
            continue;
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (done, waiting) = mpsc::channel();
        let (flag, vacuous) = (stop.clone(), *vacuous);
        let start = Instant::now();
        let work = move || drop(done.send(evaluate(&model, vacuous, &flag)));
        std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
        let result = waiting.recv_timeout(limit).or_else(|_| {
            stop.store(true, Ordering::Relaxed);
            waiting.recv_timeout(Duration::from_secs(5))
        });
        let took = start.elapsed().as_secs_f64();
        let problems = result.unwrap_or_else(|_| {
            vec![Problem {
                partly: false,
                phase: "all",
                reason: "does not stop or panicked".into(),
                place: String::new(),
            }]
        });
        if problems.is_empty() {
            complete += 1;
            if took > 1.0 {
                println!("{path}: complete, {took:.1} s");
            }
        }
        let worst = problems.into_iter().min_by_key(|p| p.partly);
        if let Some(Problem { partly, phase, reason, place }) = worst {
            partial += usize::from(partly);
            let phase = if partly { format!("some {phase}") } else { phase.to_owned() };
            println!("{path}: {phase}: {reason} in `{place}` ({took:.1} s)");
            reasons.entry(format!("{phase}: {reason}")).or_default().push(path.clone());
        }
    }
    println!(
        "\n{} machines, {unread} not read, {complete} evaluated completely, {partial} in part",
        entries.len()
    );
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    for (reason, files) in reasons {
        println!("{:5}  {reason}\n       {}", files.len(), files[0]);
    }
}
