//! Every command under signals, a time limit and a memory limit, on machines that are hard for it. The result so far is
//! printed, and the limit is kept.
#![cfg(target_os = "linux")]

mod common;
#[path = "limits/models.rs"]
mod models;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use common::{bsym, file, has_solver};

/// Interruptions of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    /// SIGTERM after a while, this many times.
    Signals(usize),
    /// `--timeout 1s`.
    Timeout,
    /// `--memory 200M`, for a command that needs less in two seconds.
    Memory,
    /// `--memory 200M`, for a command that needs more.
    MemoryReached,
}

const EVENTS: [Event; 3] = [Event::Signals(1), Event::Signals(2), Event::Timeout];

/// Time before signals are sent: the program has begun to work.
const BEFORE_SIGNAL: Duration = Duration::from_millis(1500);
/// A machine with much else to do makes a run late; on one without, it ends within a second of the limit.
const LATE: Duration = Duration::from_secs(8);
/// Limit for the measured memory, which is sampled from time to time.
const MOST_MEMORY: u64 = 240 << 20;

/// A command and its arguments.
type Arguments = Vec<String>;

/// Returns the largest peak memory of a process or of those that it started, as far as it is seen.
fn memory(process: &str) -> u64 {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
    let status = read("status");
    let peak = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let children = read(&format!("task/{process}/children"));
    let below = children.split_whitespace().map(memory).max().unwrap_or(0);
    below.max(peak.unwrap_or(0) << 10)
}

/// Runs a command. Returns its output, its duration after the event, and its peak memory.
fn run(arguments: &[String], event: Event) -> (Output, Duration, u64) {
    let mut command = bsym();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let limit = match event {
        Event::Signals(_) => BEFORE_SIGNAL,
        Event::Timeout => Duration::from_secs(1),
        Event::Memory => Duration::from_secs(2),
        // A solver that is given more time in all gets more for each question, and so reaches the limit on any machine.
        Event::MemoryReached => Duration::from_secs(300),
    };
    command.limit(limit + Duration::from_secs(60));
    match event {
        Event::Signals(_) => {}
        Event::Timeout => drop(command.args(["--timeout", "1s"])),
        Event::Memory => drop(command.args(["--memory", "200M", "--timeout", "2s"])),
        Event::MemoryReached => drop(command.args(["--memory", "200M", "--timeout", "300s"])),
    }
    let begin = Instant::now();
    let child = command.spawn().expect("it starts");
    let id = child.id().to_string();
    if let Event::Signals(times) = event {
        std::thread::sleep(BEFORE_SIGNAL);
        for _ in 0..times {
            let _ = child.signal("TERM").expect("there is a program that sends signals");
        }
    }
    let waiting = std::thread::spawn(move || child.wait_with_output().expect("it ends in time"));
    let mut most = 0;
    while !waiting.is_finished() {
        most = most.max(memory(&id));
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = waiting.join().expect("it ends in time");
    (output, begin.elapsed().saturating_sub(limit), most)
}

/// Returns the fault of a run of a command, if it has one.
fn fault(arguments: &[String], event: Event) -> Option<String> {
    let (output, late, memory) = run(arguments, event);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let wrong = match output.status.code() {
        None => Some(format!("killed: {}", output.status)),
        // Some commands have no partial result, and report why they did not end.
        Some(3) if err.contains("error: stopped: ") => None,
        Some(0 | 1 | 3) if out.trim().is_empty() => Some("no result".into()),
        Some(3)
            if !["unknown", "undecided", "incomplete", "stopped", "obligations", "error"]
                .iter()
                .any(|w| out.contains(w)) =>
        {
            Some("no verdict".into())
        }
        Some(0 | 1 | 3) => None,
        Some(code) => Some(format!("exit code {code}")),
    };
    let wrong = wrong.or_else(|| (late > LATE).then(|| format!("{late:?} late"))).or_else(|| {
        let is_limited = matches!(event, Event::Memory | Event::MemoryReached);
        (is_limited && memory > MOST_MEMORY).then(|| format!("{} MiB", memory >> 20))
    });
    let wrong = wrong.or_else(|| {
        let is_told =
            [&out, &err].iter().any(|text| text.contains("memory: the limit of 200 MiB was reached"));
        // Its questions share the time: on a slow machine none of them gets enough to reach the limit.
        let has_ended = arguments.first().is_some_and(|a| a == "strengthen") && out.contains("still open:");
        (event == Event::MemoryReached && !is_told && !has_ended).then(|| "the limit is not told".into())
    });
    if std::env::var_os("BSYM_TABLE").is_some() {
        println!(
            "{}\t{event:?}\t{:?}\t{late:?}\t{} MiB",
            arguments.join(" "),
            output.status.code(),
            memory >> 20
        );
    }
    wrong.map(|wrong| format!("bsym {} ({event:?}): {wrong}\n{out}{err}", arguments.join(" ")))
}

/// Runs all rows, some at a time, and fails with those that are wrong.
fn all_good(rows: VecDeque<(Arguments, Event)>) {
    let (rows, faults) = (Mutex::new(rows), Mutex::new(Vec::new()));
    std::thread::scope(|threads| {
        for _ in 0..6 {
            threads.spawn(|| {
                loop {
                    let row = rows.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((arguments, event)) = row else { return };
                    // The lock is taken when the run is over.
                    let fault = fault(&arguments, event);
                    faults.lock().unwrap_or_else(PoisonError::into_inner).extend(fault);
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn words(text: &str, machine: &Path) -> Arguments {
    text.split(' ')
        .map(|word| if word == "M" { machine.display().to_string() } else { word.to_string() })
        .collect()
}

#[test]
fn every_command_keeps_its_limits_and_says_what_it_knows() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| -> PathBuf { file(folder.path(), name, text) };
    let (steps, choices) = (write("steps.mch", models::STEPS), write("choices.mch", &models::choices()));
    let (refinement, cubes) = (write("steps_r.ref", models::REFINEMENT), write("cubes.mch", models::CUBES));
    let (sets, long) = (write("sets.mch", models::SETS), write("long.mch", &models::long()));
    let trace = write("sets.json", models::SETS_TRACE);
    // With each command whether it needs more than 200 MiB.
    let mut commands = vec![
        (words("mc M", &steps), false),
        (words("mc --symmetry canonical M", &choices), true),
        (words("ldd M", &steps), false),
        (words("ldd M", &choices), true),
        (words("graph --max-nodes 100000000 M", &choices), true),
        (words("ltl M -f G{x>0}", &steps), false),
        (words("ltl M -f G{p:BOOL}", &choices), true),
        (words("simulate --steps 100000000 M", &steps), false),
        (words("refine M", &refinement), false),
        (words("parse M", &long), true),
        (words("animate M", &sets), true),
        (words(&format!("replay {} M", trace.display()), &sets), true),
        (words("certify M", &certificate(&choices, "mc --set p=FALSE", "FALSE", "TRUE")), true),
    ];
    if has_solver() {
        let asked = ["check M", "bmc M", "kind M", "ic3 M", "tree M"];
        commands.extend(asked.map(|text| (words(text, &steps), false)));
        commands.push((words("check M", &refinement), false));
        // The memory of a solver that is a process of its own is not bsym's.
        let version = bsym().arg("--version").output().expect("it ends");
        let is_linked = String::from_utf8_lossy(&version.stdout).contains("(linked)");
        commands.extend(["po --jobs 1 M", "strengthen M"].map(|text| (words(text, &cubes), is_linked)));
        // Several of these run at the same time, and many workers take longer to reach the limit.
        commands.push((words("po --jobs 4 M", &cubes), false));
        let lemma = r#""lemmas": ["x * x * x + y * y * y + z * z * z /= 114"]"#;
        let certificate = certificate(&cubes, "ic3 --conjunct #0", r#""lemmas": []"#, lemma);
        commands.push((words("certify M", &certificate), false));
    }
    let rows = commands.into_iter().flat_map(|(command, reaches)| {
        let memory = if reaches { Event::MemoryReached } else { Event::Memory };
        EVENTS.into_iter().chain([memory]).map(move |event| (command.clone(), event))
    });
    all_good(rows.collect());
}

/// The certificate of a command about a machine, with one text in place of another: what it claims then takes long to
/// check.
fn certificate(machine: &Path, command: &str, from: &str, to: &str) -> PathBuf {
    let path = machine.with_extension("json");
    let output = bsym()
        .args(words(command, machine))
        .arg(machine)
        .arg("--certificate")
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&path).expect("a certificate");
    assert!(text.contains(from), "{text}");
    std::fs::write(&path, text.replace(from, to)).expect("it is written");
    path
}

#[test]
fn evaluations_keep_the_time_limit() {
    let formulas = [
        "card({f | f : 1..9 --> 1..9 & !x.(x : 1..9 => f(x) /= x)})",
        "card(perm(1..12))",
        "card(closure1(%x.(x : 1..3000 | x + 1)))",
        "!(a,b,c,d,e,f).(a : 1..99 & b : 1..99 & c : 1..99 & d : 1..99 & e : 1..99 & f : 1..99 => a+b+c+d+e+f > 0)",
        "PI(i).(i : 1..1000000 | i)",
        "SIGMA(i).(i : 1..10**12 | i * i)",
        "{s | s : POW(POW(1..20)) & card(s) = 3}",
        "(7 ** 1000000) mod 10",
    ];
    let eval = |f: &&str| vec!["eval".to_string(), f.to_string()];
    all_good(formulas.iter().map(|f| (eval(f), Event::Timeout)).collect());
}

#[test]
fn sizes_above_the_limit_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |properties: &str| {
        format!(
            "MACHINE large SETS D {properties} VARIABLES s INVARIANT s <: D & card(s) <= 1 INITIALISATION s := {{}} \
             OPERATIONS add(d) = PRE d : D THEN s := s \\/ {{d}} END END"
        )
    };
    let open = file(folder.path(), "large.mch", text(""));
    let counted = folder.path().join("counted");
    std::fs::create_dir(&counted).expect("a folder");
    let said = file(&counted, "large.mch", text("PROPERTIES card(D) = 4294967297"));
    let defined = folder.path().join("defined");
    std::fs::create_dir(&defined).expect("a folder");
    let defined = file(&defined, "large.mch", text("DEFINITIONS scope_D == 1000000000000"));
    let trace = file(
        folder.path(),
        "trace.json",
        r#"{"format": "bsym-trace", "version": 1, "machine": "large", "scope": {"sizes": {"D": 1000000000000},
            "maxint": "3", "minint": "-1"}, "constants": {}, "steps": [{"event": "INITIALISATION", "parameters": {},
            "results": {}, "changed": {"s": "{}"}, "state": {"s": "{}"}, "choices": []}]}"#,
    );
    let mut rows = vec![];
    for size in ["4294967297", "1000000000000", "18446744073709551615"] {
        let scope = format!("--scope D={size}");
        let all = ["mc M", "ldd M", "ltl -f G{s<:D} M", "graph M", "simulate M", "mc --symmetry canonical M"];
        let solved = ["check M", "bmc M", "kind M", "ic3 M", "po M"].iter().filter(|_| has_solver());
        rows.extend(all.iter().chain(solved).map(|c| words(&format!("{c} {scope}"), &open)));
    }
    for machine in [&said, &defined] {
        rows.extend(["mc M", "ldd M", "graph M", "simulate M", "eval M card(D)"].map(|c| words(c, machine)));
    }
    rows.push(words(&format!("replay {} M", trace.display()), &open));
    rows.push(words(&format!("eval --trace {} M card(D)", trace.display()), &open));
    for row in rows {
        let output = bsym().args(&row).stdin(Stdio::null()).output().expect("it ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{row:?}: {error}");
        assert!(error.contains("more than 1000000"), "{row:?}: {error}");
    }
}
