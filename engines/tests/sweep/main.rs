//! Holds every engine against the known verdicts of the corpus of foreign machines.
//!
//! `cargo test` runs a sample. All of it, and other questions:
//!
//! `cargo test --release -p bsym-engines --features z3 --test sweep -- [FOLDER…] [--every N [--offset N]] [--seconds S]
//! [--jobs N] [--only TEXT] [--mode facts|any-size|claimed] [--unknown-too]`
//!
//! Each engine runs on each machine in a process of its own, so that a crash or a hang is one line of
//! the table. One line per run (class, seconds, engine, machine, detail), and the counts at the end.
//!
//! It fails on every answer that contradicts the facts, a crash or a hang that is not in
//! `known_differences.tsv` with a reason, and on every line there that a run contradicts.
//! `--one FILE ENGINE SECONDS DEPTH MODE` is the process of one run.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bsym_encodings::budget::Budget;
use bsym_encodings::session::linked;
use bsym_engines::contestant::Opener;
use bsym_engines::options::{Job, Trust};
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress, Verdict};
use bsym_language::int::Int;
use bsym_language::load::load_model;
use bsym_language::model::{EventId, Model};
use bsym_proofs::claim::Property;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::verdict::Reason;
use bsym_status::{Level, PairStatus, ProofStatus};

/// Events in the traces that BMC looks at.
const DEPTH: usize = 25;
/// What a run may take beyond its budget before it counts as overshoot.
const GRACE: f64 = 2.0;
/// After this much beyond its budget a run is killed.
const HARD: Duration = Duration::from_secs(12);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == "--one") {
        let [_, file, engine, seconds, depth, mode] = &arguments[..] else { usage() };
        let mode = Mode::named(mode).unwrap_or_else(|| usage());
        let (file, engine) = (PathBuf::from(file), engine.clone());
        let seconds = seconds.parse().unwrap_or_else(|_| usage());
        let depth = depth.parse().unwrap_or_else(|_| usage());
        let work = move || one(&file, &engine, seconds, depth, mode);
        let one = std::thread::Builder::new().stack_size(1 << 30).spawn(work);
        std::process::exit(i32::from(one.is_ok_and(|t| t.join().is_err())) * 101);
    }
    sweep(&arguments);
}

fn usage() -> ! {
    eprintln!(
        "sweep [FOLDER…] [--every N [--offset N]] [--seconds S] [--jobs N] [--only TEXT] [--mode facts|any-size|claimed] [--unknown-too]"
    );
    std::process::exit(2)
}

/// What is asked of the engines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The scope of the facts.
    Facts,
    /// The integers of the facts, deferred sets of any size: a proof must agree, a violation need not.
    AnySize,
    /// The scope of the facts, and every conjunct claimed to be proven for every event.
    Claimed,
}

impl Mode {
    fn named(name: &str) -> Option<Mode> {
        match name {
            "facts" => Some(Mode::Facts),
            "any-size" => Some(Mode::AnySize),
            "claimed" => Some(Mode::Claimed),
            _ => None,
        }
    }

    fn request(self, model: &Model) -> ScopeRequest {
        match self {
            Mode::Facts | Mode::Claimed => ScopeRequest { prob: true, ..ScopeRequest::default() },
            Mode::AnySize => ScopeRequest {
                maxint: model.definitions.hints.maxint.clone().or(Some(Int::from(3))),
                minint: model.definitions.hints.minint.clone().or(Some(Int::from(-1))),
                ..ScopeRequest::default()
            },
        }
    }

    fn status(self, model: &Model) -> ProofStatus {
        let mut status = ProofStatus::none();
        if self == Mode::Claimed {
            for e in 0..model.events.len() as u32 {
                for i in 0..model.invariant.len() {
                    let claim = PairStatus { provers: vec!["sweep".into()], level: Level::Claim };
                    status.insert((Some(EventId(e)), i), claim);
                }
            }
        }
        status
    }
}

/// Runs one engine on one machine and prints `answer TAB seconds TAB detail`.
fn one(file: &Path, engine: &str, seconds: f64, depth: usize, mode: Mode) {
    let loaded = match load_model(file) {
        Ok(loaded) => loaded,
        Err(e) => return println!("no-load\t0\t{e}"),
    };
    let Some(model) = loaded.model else {
        let first = loaded.diagnostics.first().map(|d| d.message.clone()).unwrap_or_default();
        return println!("no-load\t0\t{first}");
    };
    let model = Arc::new(model);
    let scope = match Scope::settle(&model, &mode.request(&model)) {
        Ok(scope) => scope,
        Err(e) => return println!("no-load\t0\t{e}"),
    };
    if model.invariant.is_empty() {
        return println!("no-invariant\t0\t");
    }
    let engine = match engine {
        "bmc" => Engine::Bmc,
        "kind" => Engine::Kind,
        "ic3" => Engine::Ic3,
        _ => Engine::Check,
    };
    let start = Instant::now();
    let properties = (0..model.invariant.len()).map(Property::Invariant).collect();
    let budget = Budget::unlimited().within(Duration::from_secs_f64(seconds));
    let job = Job {
        well_definedness: true,
        status: mode.status(&model),
        trust: Trust { recheck: mode == Mode::Claimed, ..Trust::default() },
        depth: (engine == Engine::Bmc).then_some(depth),
        representations: Default::default(),
        query_time: Some(Duration::from_secs(5)),
        ..Job::new(model.clone(), scope, properties, budget)
    };
    let opener: Opener = Arc::new(|terms| Ok(linked(terms).expect("libz3 is linked")));
    let report = run(&job, engine, &opener, &mut |_: &Progress| {});
    let taken = start.elapsed().as_secs_f64();
    let (answer, detail) = match &report.verdict {
        Verdict::Holds(proof) => ("holds", format!("{} lemmas", proof.lemmas.len())),
        Verdict::Violated(c) => {
            let kinds: Vec<String> = c.violations.iter().map(|v| format!("{v:?}")).collect();
            let invariant = kinds.iter().any(|k| k.starts_with("Invariant"));
            let answer = match kinds.first() {
                _ if invariant => "violated",
                Some(k) if k.starts_with("IllDefined") => "ill-defined",
                _ => "assert",
            };
            (answer, format!("{} events: {}", c.trace.steps.len().saturating_sub(1), kinds.join("; ")))
        }
        Verdict::Vacuous(_, why) => ("vacuous", why.clone()),
        Verdict::Unknown(why) => {
            let depth = report.depth.map_or("-".into(), |d| d.to_string());
            match why {
                Reason::Timeout | Reason::Interrupted | Reason::SolverUnknown(_) => {
                    ("timeout", format!("depth {depth}, {why:?}"))
                }
                Reason::DepthLimit(d) => ("depth", d.to_string()),
                Reason::Unsupported => {
                    let parts: Vec<_> =
                        report.unsupported.iter().map(|u| format!("{}: {}", u.part, u.reason)).collect();
                    ("unsupported", format!("depth {depth}, {}", parts.join("; ")))
                }
                Reason::SolverFailed(s) => ("solver", s.clone()),
                Reason::IllDefined(s) => ("axioms", s.clone()),
                other => (other.code().word(), other.text()),
            }
        }
        Verdict::Conditional(_, conditions) => (conditions[0].code().word(), format!("{conditions:?}")),
        Verdict::Doubtful(_, why) => ("not-checked", why.clone()),
        Verdict::Contradiction(found) => ("contradiction", format!("{found:?}")),
    };
    let detail: String = detail.replace(['\n', '\t'], " ").chars().take(400).collect();
    println!("{answer}\t{taken:.2}\t{detail}");
    // Without freeing what the run leaves.
    std::process::exit(0);
}

struct Machine {
    path: String,
    violated: Option<bool>,
    setup_fails: bool,
    comparable: bool,
}

fn sweep(arguments: &[String]) {
    let mut folders = vec![];
    // The sample of `cargo test`: a minute or so without optimisation.
    let (mut every, mut offset, mut seconds, mut jobs) = (60usize, 7usize, 1.0f64, 2usize);
    let (mut only, mut all) = (String::new(), false);
    let mut mode = "facts".to_string();
    let mut rest = arguments.iter();
    let Some(corpus) = bsym_testing::corpus() else { return };
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().unwrap_or_else(|| usage());
        match argument.as_str() {
            "--every" => every = value().parse().unwrap_or_else(|_| usage()),
            "--offset" => offset = value().parse().unwrap_or_else(|_| usage()),
            "--seconds" => seconds = value().parse().unwrap_or_else(|_| usage()),
            "--jobs" => jobs = value().parse().unwrap_or_else(|_| usage()),
            "--mode" => mode = value(),
            "--only" => only = value(),
            "--unknown-too" => all = true,
            folder if corpus.join(folder).is_dir() => {
                folders.push(folder.trim_end_matches('/').to_string() + "/");
            }
            // `cargo test NAME` gives its filter and its options to every test program.
            other => {
                return println!(
                    "the sweep is not run: {other} is neither an option of it nor a folder of the corpus"
                );
            }
        }
    }
    let known = Known::read(&mode);
    let text = std::fs::read_to_string(corpus.join("manifest.json")).expect("the corpus has a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("the manifest is JSON");
    let mut machines: Vec<Machine> = vec![];
    for entry in manifest["entries"].as_array().into_iter().flatten() {
        let path = entry["path"].as_str().unwrap_or_default();
        let facts = &entry["facts"];
        let machine = Machine {
            path: path.to_string(),
            violated: facts["invariant_violated"].as_bool(),
            setup_fails: facts["setup_fails"] == true,
            comparable: facts["comparable"] == true,
        };
        if entry["formalism"] == "b"
            && entry["kind"] == "machine"
            && (folders.is_empty() || folders.iter().any(|f| path.starts_with(f)))
            && path.contains(&only)
            && (all || machine.setup_fails || machine.violated.is_some())
            && corpus.join(path).exists()
        {
            machines.push(machine);
        }
    }
    let mut machines: Vec<Machine> =
        machines.into_iter().enumerate().filter(|(i, _)| i % every == offset).map(|(_, m)| m).collect();
    machines.sort_by_key(|m| !m.comparable);
    let next = AtomicUsize::new(0);
    let failures: Mutex<Vec<String>> = Mutex::new(vec![]);
    let counts: Mutex<BTreeMap<(String, &str), usize>> = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(machine) = machines.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for engine in ["bmc", "kind", "ic3"] {
                        let (answer, taken, detail) =
                            child(&corpus.join(&machine.path), engine, seconds, &mode);
                        let class = class(machine, &answer, taken > seconds + GRACE);
                        println!("{class}\t{taken:.1}\t{engine}\t{}\t{detail}", machine.path);
                        if let (Some(failure), Ok(mut failures)) =
                            (known.judge(machine, &class), failures.lock())
                        {
                            failures.push(format!("{}, {engine}: {failure}; {detail}", machine.path));
                        }
                        if let Ok(mut counts) = counts.lock() {
                            *counts.entry((class, engine)).or_default() += 1;
                        }
                        if matches!(answer.as_str(), "no-load" | "no-invariant") {
                            break;
                        }
                    }
                }
            });
        }
    });
    println!("\n{} machines", machines.len());
    let counts = counts.into_inner().unwrap_or_default();
    let classes: std::collections::BTreeSet<&String> = counts.keys().map(|(c, _)| c).collect();
    println!("{:24} {:>5} {:>5} {:>5}", "", "bmc", "kind", "ic3");
    for class in classes {
        let n = |engine| counts.get(&(class.clone(), engine)).copied().unwrap_or(0);
        println!("{class:24} {:5} {:5} {:5}", n("bmc"), n("kind"), n("ic3"));
    }
    let failures = failures.into_inner().unwrap_or_default();
    assert!(machines.is_empty() || !counts.is_empty(), "nothing was run");
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Differences from the facts that somebody looked at: machine, mode (or `*`), class, reason.
struct Known(Vec<[String; 2]>);

impl Known {
    /// Those of one mode.
    fn read(mode: &str) -> Known {
        let lines =
            include_str!("known_differences.tsv").lines().filter(|l| !l.starts_with('#') && !l.is_empty());
        let mut known = vec![];
        for line in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let [path, modes, class, reason] = fields[..] else { panic!("four fields, by tabs: {line}") };
            assert!(!reason.trim().is_empty(), "a difference has a reason: {line}");
            if modes == "*" || modes == mode {
                known.push([path.to_string(), class.to_string()]);
            }
        }
        Known(known)
    }

    /// What is wrong with an answer of a class, if anything is: a difference that nobody looked at, or the
    /// agreement of a machine that is said to differ.
    fn judge(&self, machine: &Machine, class: &str) -> Option<String> {
        let listed = self.0.iter().find(|[path, _]| *path == machine.path).map(|[_, class]| class.as_str());
        let differs = ["WRONG", "extra", "PANIC", "HANG"].iter().any(|c| class.starts_with(c));
        match listed {
            Some(known) if known == class => None,
            Some(known) if differs || class.starts_with("agree") => {
                Some(format!("{class}, but it is listed with `{known}`"))
            }
            None if differs => Some(format!("{class}, and not in known_differences.tsv")),
            _ => None,
        }
    }
}

/// What an answer is worth, given what is known.
fn class(machine: &Machine, answer: &str, late: bool) -> String {
    let agrees = match (answer, machine.setup_fails, machine.violated) {
        ("vacuous", fails, _) => Some(fails),
        // The evaluator contradicts a proof.
        ("contradiction", ..) => Some(false),
        ("holds" | "violated" | "ill-defined" | "assert", true, _) => Some(false),
        ("violated", _, known) => known,
        ("ill-defined" | "assert", _, Some(true)) => Some(true),
        ("holds", _, known) => known.map(|v| !v),
        _ => None,
    };
    match agrees {
        Some(true) => format!("agree {answer}"),
        Some(false) => format!("WRONG {answer}"),
        None if matches!(answer, "ill-defined" | "assert") && machine.violated == Some(false) => {
            format!("extra {answer}")
        }
        None if matches!(answer, "holds" | "violated" | "ill-defined" | "assert") => {
            format!("no fact, {answer}")
        }
        None if late => "OVERSHOOT".into(),
        None => answer.into(),
    }
}

/// Runs the engine in a process: its answer, the seconds it took, and details.
fn child(file: &Path, engine: &str, seconds: f64, mode: &str) -> (String, f64, String) {
    let start = Instant::now();
    let me = std::env::current_exe().unwrap_or_else(|_| usage());
    let spawned = Command::new(me)
        .arg("--one")
        .arg(file)
        .args([engine, &seconds.to_string(), &DEPTH.to_string(), mode])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(e) => return ("panic".into(), 0.0, e.to_string()),
    };
    let limit = Duration::from_secs_f64(seconds) + HARD;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let taken = start.elapsed().as_secs_f64();
    let (mut out, mut err) = (String::new(), String::new());
    let _ = child.stdout.take().map(|mut o| o.read_to_string(&mut out));
    let _ = child.stderr.take().map(|mut e| e.read_to_string(&mut err));
    let mut fields = out.trim_end().splitn(3, '\t');
    let answer = fields.next().unwrap_or_default().to_string();
    let detail = fields.nth(1).unwrap_or_default().to_string();
    match status {
        None => ("HANG".into(), taken, answer),
        Some(status) if !status.success() => {
            let text: String = err.replace(['\n', '\t'], " ").chars().take(300).collect();
            ("PANIC".into(), taken, format!("{status} {text}"))
        }
        Some(_) => (answer, taken, detail),
    }
}
