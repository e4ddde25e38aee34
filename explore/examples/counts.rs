//! Compares counts of states and transitions with the facts of the corpus in `$BSYM_CORPUS`:
//! `counts [--formalism b|eventb-package] [--timeout SECONDS] [--max STATES] [--reference] [--verdicts] [--assertions]
//! [--all] [SUBSTRING]`. Both formalisms are looked at if none is chosen. Prints a line for each difference; with `--all`
//! for each machine. `--verdicts` takes every machine with a known fact, whether its counts are comparable or
//! not, and compares only invariant and deadlock. With `--assertions` these are checked as well, and a state in
//! which one is false counts as violating. Each machine is searched by a process of its own.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bsym_explore::options::SearchOptions;
use bsym_explore::report::{SearchReport, Unknown, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::state::Violation;
use serde_json::Value;

fn main() {
    with_large_stack(run);
}

fn run() {
    let Some(corpus) = bsym_testing::corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("manifest.json")).expect("the manifest is a text");
    let manifest: Value = serde_json::from_str(&text).expect("the manifest is JSON");
    let asked = Asked::read();
    let facts_of = |entry: &Value| Facts::of(&entry["facts"]);
    let entries = manifest["entries"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    if asked.one {
        if let Some(entry) = entries.iter().find(|e| e["path"] == asked.wanted.as_str()) {
            let (class, line) = compare(&corpus.join(&asked.wanted), &facts_of(entry), &asked);
            println!("{class} {line}");
        }
        return;
    }
    let mut tallies: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    for entry in entries.iter().filter(|e| asked.about(e)) {
        let path = entry["path"].as_str().unwrap_or_default();
        let begin = std::time::Instant::now();
        let (class, line) = in_process(path, &asked);
        tallies.entry(entry["formalism"].as_str().unwrap_or_default()).or_default()[class] += 1;
        if class > 0 || asked.all {
            println!("{path}: {line} [{:.2} s]", begin.elapsed().as_secs_f64());
        }
    }
    let mut total = [0; 6];
    for (formalism, tally) in &tallies {
        println!("{formalism}: {}", summary(tally));
        total.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
    }
    println!("all: {}", summary(&total));
}

fn summary([same, differ, unknown, unfinished, unread, otherwise]: &[usize; 6]) -> String {
    let all = same + differ + unknown + unfinished + unread + otherwise;
    format!(
        "{all} models, {same} equal, {otherwise} equal with another verdict, {differ} differ, \
         {unknown} incomplete, {unfinished} not finished, {unread} not read"
    )
}

/// What the command line says.
struct Asked {
    timeout: f64,
    max: u64,
    all: bool,
    reference: bool,
    verdicts: bool,
    assertions: bool,
    /// Look at the machine `wanted` in this process.
    one: bool,
    formalisms: Vec<String>,
    wanted: String,
}

impl Asked {
    fn read() -> Asked {
        let mut asked = Asked {
            timeout: 5.0,
            max: u64::MAX,
            all: false,
            reference: false,
            verdicts: false,
            assertions: false,
            one: false,
            formalisms: Vec::new(),
            wanted: String::new(),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--timeout" => asked.timeout = args.next().and_then(|s| s.parse().ok()).unwrap_or(5.0),
                "--max" => asked.max = args.next().and_then(|s| s.parse().ok()).unwrap_or(u64::MAX),
                "--formalism" => asked.formalisms.extend(args.next()),
                "--all" => asked.all = true,
                "--reference" => asked.reference = true,
                "--verdicts" => asked.verdicts = true,
                "--assertions" => asked.assertions = true,
                "--one" => asked.one = true,
                other => asked.wanted = other.into(),
            }
        }
        if asked.formalisms.is_empty() {
            asked.formalisms = vec!["b".into(), "eventb-package".into()];
        }
        asked
    }

    /// Whether the question is about the model of `entry`.
    fn about(&self, entry: &Value) -> bool {
        let (path, facts) = (entry["path"].as_str().unwrap_or_default(), &entry["facts"]);
        let known = ["invariant_violated", "deadlock"].iter().any(|fact| facts[fact].is_boolean());
        let chosen = if self.verdicts { known } else { facts["comparable"] == true };
        chosen
            && self.formalisms.iter().any(|formalism| entry["formalism"] == formalism.as_str())
            && path.contains(&self.wanted)
            && facts["states"].as_u64().unwrap_or(0) <= self.max
    }
}

/// Lets another process of this program look at one machine, and ends it where it does not stop itself.
fn in_process(path: &str, asked: &Asked) -> (usize, String) {
    let exe = std::env::current_exe().expect("this program is a file");
    let mut command = Command::new(exe);
    command.args(["--one", "--timeout", &asked.timeout.to_string(), path]).stdout(Stdio::piped());
    command.args(asked.reference.then_some("--reference"));
    command.args(asked.verdicts.then_some("--verdicts"));
    command.args(asked.assertions.then_some("--assertions"));
    let Ok(mut child) = command.spawn() else { return (4, "no process".into()) };
    let begin = std::time::Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if begin.elapsed().as_secs_f64() > 2.0 * asked.timeout + 1.0 {
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
    states: Option<u64>,
    transitions: Option<u64>,
    deadlock: Option<bool>,
    violated: Option<bool>,
}

impl Facts {
    fn of(facts: &Value) -> Facts {
        Facts {
            states: facts["states"].as_u64(),
            transitions: facts["transitions"].as_u64(),
            deadlock: facts["deadlock"].as_bool(),
            violated: facts["invariant_violated"].as_bool(),
        }
    }
}

fn compare(path: &Path, facts: &Facts, asked: &Asked) -> (usize, String) {
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
    let mut options =
        SearchOptions { keep_going: true, reference_only: asked.reference, ..SearchOptions::default() };
    options.checks.assertions = asked.assertions;
    options.limits.time = Some(Duration::from_secs_f64(asked.timeout));
    options.limits.memory = Some(4 << 30);
    let problem = Problem { model: &model, scope: &scope, finder: None };
    let report = search(&problem, &options, &mut |_: &_| ());
    judge(&report, facts, asked)
}

fn judge(report: &SearchReport, facts: &Facts, asked: &Asked) -> (usize, String) {
    let s = &report.statistics;
    let counts = format!(
        "{} states, {} transitions, {} deadlocks, {} violating; facts {:?}, {:?}, {:?}, {:?}; {:.0}/s",
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
    let shown = Shown::by(report);
    let wrong =
        facts.deadlock == Some(false) && shown.deadlock || facts.violated == Some(false) && shown.violated;
    if asked.verdicts && wrong {
        return (1, format!("OTHERWISE: {counts}"));
    }
    if let Some(reason) = report.incomplete.first() {
        return (2, format!("incomplete: {}: {}; {counts}", reason.place, reason.error));
    }
    match &report.verdict {
        Verdict::Unknown(Unknown::Bounded)
        | Verdict::Holds(_)
        | Verdict::Violated(_)
        | Verdict::Vacuous(_) => {}
        Verdict::Unknown(reason) => return (3, format!("{reason:?}: {counts}")),
    }
    let counted =
        facts.states.is_none_or(|n| n == s.states) && facts.transitions.is_none_or(|n| n == s.transitions);
    if !counted && !asked.verdicts {
        return (1, format!("DIFFERS: {counts}"));
    }
    // Where choices were cut, a deadlock that is not shown may be none.
    let missed = !shown.bounded
        && (facts.deadlock == Some(true) && s.deadlocks == 0
            || facts.violated == Some(true) && s.violating == 0);
    if wrong || missed { (5, format!("OTHERWISE: {counts}")) } else { (0, counts) }
}

/// What a search has a counterexample for.
struct Shown {
    deadlock: bool,
    violated: bool,
    bounded: bool,
}

impl Shown {
    fn by(report: &SearchReport) -> Shown {
        let first = match &report.verdict {
            Verdict::Violated(counterexample) => Some(&**counterexample),
            _ => None,
        };
        let all = || first.into_iter().chain(&report.further).flat_map(|c| &c.violations);
        Shown {
            deadlock: all().any(|v| matches!(v, Violation::Deadlock)),
            violated: all().any(|v| matches!(v, Violation::Invariant(..))),
            bounded: !report.cuts.is_empty(),
        }
    }
}
