//! Compares counts of states and transitions with the facts of the corpus: `counts [--timeout SECONDS]
//! [--max STATES] [--reference] [--all] [--verdicts] [SUBSTRING]`, with the corpus in `$BSYM_CORPUS`. Prints a line for each
//! difference; with `--all` for each machine. With `--verdicts` it looks at the machines of which the counts
//! cannot be compared, but what is known about invariant and deadlocks can. Each machine is searched by a process of its own.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bsym_explore::options::SearchOptions;
use bsym_explore::report::{SearchReport, Unknown, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use serde_json::Value;

fn main() {
    with_large_stack(run);
}

fn run() {
    let corpus = PathBuf::from(std::env::var("BSYM_CORPUS").unwrap_or("../shared/corpus".into()));
    let Ok(text) = std::fs::read_to_string(corpus.join("manifest.json")) else {
        println!("skipped: no corpus in {}", corpus.display());
        return;
    };
    let manifest: Value = serde_json::from_str(&text).expect("the manifest is JSON");
    let (mut timeout, mut max, mut all, mut wanted, mut reference) =
        (5.0, u64::MAX, false, String::new(), false);
    let (mut one, mut verdicts) = (false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--timeout" => timeout = args.next().and_then(|s| s.parse().ok()).unwrap_or(timeout),
            "--max" => max = args.next().and_then(|s| s.parse().ok()).unwrap_or(max),
            "--all" => all = true,
            "--reference" => reference = true,
            "--one" => one = true,
            "--verdicts" => verdicts = true,
            other => wanted = other.into(),
        }
    }
    let mut tally = [0usize; 5];
    for entry in manifest["entries"].as_array().into_iter().flatten() {
        let (path, facts) = (entry["path"].as_str().unwrap_or_default(), &entry["facts"]);
        let states = facts["states"].as_u64().unwrap_or(0);
        let known = |fact: &str| facts[fact].is_boolean();
        let wanted_kind = match verdicts {
            false => facts["comparable"] == true,
            true => facts["comparable"] != true && (known("invariant_violated") || known("deadlock")),
        };
        if !wanted_kind || entry["formalism"] != "b" || !path.contains(&wanted) || states > max {
            continue;
        }
        if one {
            if path == wanted {
                let facts = Facts { only_verdicts: verdicts, ..Facts::of(facts) };
                let (class, line) = compare(&corpus.join(path), &facts, timeout, reference);
                println!("{class} {line}");
                return;
            }
            continue;
        }
        let begin = std::time::Instant::now();
        let (class, line) = in_process(path, timeout, reference, verdicts);
        tally[class] += 1;
        if class > 0 || all {
            println!("{path}: {line} [{:.2} s]", begin.elapsed().as_secs_f64());
        }
    }
    if one {
        return;
    }
    let [same, differ, unknown, unfinished, unread] = tally;
    println!(
        "{same} equal, {differ} differ, {unknown} incomplete, {unfinished} not finished, {unread} not read"
    );
}

/// Lets another process of this program look at one machine, and ends it where it does not stop itself.
fn in_process(path: &str, timeout: f64, reference: bool, verdicts: bool) -> (usize, String) {
    let exe = std::env::current_exe().expect("this program is a file");
    let mut command = Command::new(exe);
    command.args(["--one", "--timeout", &timeout.to_string(), path]).stdout(Stdio::piped());
    if reference {
        command.arg("--reference");
    }
    if verdicts {
        command.arg("--verdicts");
    }
    let Ok(mut child) = command.spawn() else { return (4, "no process".into()) };
    let begin = std::time::Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if begin.elapsed().as_secs_f64() > 2.0 * timeout + 1.0 {
            let _gone = child.kill();
            let _status = child.wait();
            return (3, "did not stop".into());
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    let mut text = String::new();
    let _read = child.stdout.take().map(|mut out| out.read_to_string(&mut text));
    match text.split_once(' ').and_then(|(class, line)| Some((class.parse().ok()?, line.trim_end()))) {
        Some((class, line)) => (class, line.to_owned()),
        None => (1, "CRASHED".into()),
    }
}

struct Facts {
    only_verdicts: bool,
    states: u64,
    transitions: u64,
    deadlock: Option<bool>,
    violated: Option<bool>,
}

impl Facts {
    fn of(facts: &Value) -> Facts {
        Facts {
            only_verdicts: false,
            states: facts["states"].as_u64().unwrap_or(0),
            transitions: facts["transitions"].as_u64().unwrap_or(0),
            deadlock: facts["deadlock"].as_bool(),
            violated: facts["invariant_violated"].as_bool(),
        }
    }
}

fn compare(path: &Path, facts: &Facts, timeout: f64, reference_only: bool) -> (usize, String) {
    let Ok(loaded) = load_model(path) else { return (4, "cannot be read".into()) };
    let Some(model) = loaded.model else {
        let first = loaded.diagnostics.first().map_or(String::new(), |d| d.message.clone());
        return (4, format!("not loaded: {first}"));
    };
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = match Scope::settle(&model, &request) {
        Ok(scope) => scope,
        Err(e) => return (4, e.to_string()),
    };
    let mut options = SearchOptions { keep_going: true, reference_only, ..SearchOptions::default() };
    options.limits.time = Some(Duration::from_secs_f64(timeout));
    options.limits.memory = Some(4 << 30);
    let problem = Problem { model: &model, scope: &scope, finder: None };
    let report = search(&problem, &options, &mut |_: &_| ());
    judge(&report, facts)
}

fn judge(report: &SearchReport, facts: &Facts) -> (usize, String) {
    let s = &report.statistics;
    let counts = format!(
        "{} states, {} transitions, {} deadlocks, {} violating; facts {}, {}, {:?}, {:?}; {:.0}/s",
        s.states,
        s.transitions,
        s.deadlocks,
        s.violating,
        facts.states,
        facts.transitions,
        facts.deadlock,
        facts.violated,
        s.rate()
    );
    let uncompiled: String =
        s.uncompiled.iter().map(|(e, why)| format!("\n    {e} not compiled: {why}")).collect();
    let cut = if report.cuts.is_empty() { "" } else { "; bounded" };
    let counts = format!(
        "{counts}{cut}; memo {}/{}, {} by reference{uncompiled}",
        s.memo_hits,
        s.memo_hits + s.memo_misses,
        s.by_reference
    );
    if let Verdict::Unknown(Unknown::ReplayFailed(e)) = &report.verdict {
        return (1, format!("REPLAY FAILED: {e}; {counts}"));
    }
    // What was found is there, however the search ended.
    let known_not = |fact: Option<bool>, found: u64| fact == Some(false) && found > 0;
    let deadlocks = if report.cuts.is_empty() && report.incomplete.is_empty() { s.deadlocks } else { 0 };
    if facts.only_verdicts && (known_not(facts.violated, s.violating) || known_not(facts.deadlock, deadlocks))
    {
        return (1, format!("DIFFERS: {counts}"));
    }
    if let Some(reason) = report.incomplete.first() {
        return (2, format!("incomplete: {}: {}; {counts}", reason.place, reason.error));
    }
    if let Verdict::Unknown(reason) = &report.verdict
        && *reason != Unknown::Bounded
    {
        return (3, format!("{reason:?}: {counts}"));
    }
    let same = (facts.only_verdicts || s.states == facts.states && s.transitions == facts.transitions)
        && facts.deadlock.is_none_or(|d| d == (s.deadlocks > 0))
        && facts.violated.is_none_or(|v| v == (s.violating > 0));
    if same { (0, counts) } else { (1, format!("DIFFERS: {counts}")) }
}
