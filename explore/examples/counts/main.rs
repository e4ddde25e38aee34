//! Compares counts of states and transitions with the facts of the corpus in `$BSYM_CORPUS`:
//! `counts [--formalism b|eventb-package] [--timeout SECONDS] [--max STATES] [--reference] [--verdicts] [--assertions]
//! [--expected FILE] [--all] [SUBSTRING]`. Both formalisms are looked at if none is chosen. Prints a line for each
//! difference; with `--all` for each machine. `--verdicts` takes every machine with a known fact, whether its counts are
//! comparable or not, and compares only invariant and deadlock. With `--assertions` these are checked as well, and a
//! state in which one is false counts as violating. With `--expected` what is not as the list in the file says is
//! printed, and the exit code is 1 if anything is. Each machine is searched by a process of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use bsym_language::stack::with_large_stack;
use serde_json::Value;

use compare::{Class, Facts, Question, compare};
use expected::Expected;

mod compare;
mod expected;

fn main() -> ExitCode {
    with_large_stack(run)
}

fn run() -> ExitCode {
    let Some(corpus) = bsym_testing::corpus() else { return ExitCode::SUCCESS };
    let text = std::fs::read_to_string(corpus.join("manifest.json")).expect("the manifest is a text");
    let manifest: Value = serde_json::from_str(&text).expect("the manifest is JSON");
    let asked = Asked::read();
    let entries = manifest["entries"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    if asked.one {
        if let Some(entry) = entries.iter().find(|e| e["path"] == asked.wanted.as_str()) {
            let path = corpus.join(&asked.wanted);
            let (class, figures, line) = compare(&path, &Facts::of(&entry["facts"]), &asked.question);
            println!("{} {figures} {line}", class as usize);
        }
        return ExitCode::SUCCESS;
    }
    let expected = asked.expected.as_ref().map(|file| {
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        Expected::read(&text).unwrap_or_else(|e| panic!("{file}: {e}"))
    });
    let question = if asked.question.verdicts { "verdicts" } else { "counts" };
    let mut tallies: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    let (mut complaints, mut seen) = (Vec::new(), BTreeSet::new());
    for entry in entries.iter().filter(|e| asked.about(e)) {
        let path = entry["path"].as_str().unwrap_or_default();
        let begin = std::time::Instant::now();
        let (class, figures, line) = in_process(path, &asked);
        tallies.entry(entry["formalism"].as_str().unwrap_or_default()).or_default()[class as usize] += 1;
        if class != Class::Equal || asked.all {
            println!("{path}: {line} [{:.2} s]", begin.elapsed().as_secs_f64());
        }
        complaints.extend(expected.as_ref().and_then(|e| e.complaint(question, path, class, &figures)));
        seen.insert(path);
    }
    let mut total = [0; 6];
    for (formalism, tally) in &tallies {
        println!("{formalism}: {}", summary(tally));
        total.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
    }
    println!("all: {}", summary(&total));
    let Some(expected) = expected else { return ExitCode::SUCCESS };
    if asked.is_about_all() {
        let lost = expected.listed(question).filter(|path| !seen.contains(path));
        complaints.extend(lost.map(|path| format!("{path}: listed, and not in the corpus")));
    }
    complaints.iter().for_each(|complaint| println!("NOT AS EXPECTED: {complaint}"));
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
    question: Question,
    max: u64,
    all: bool,
    expected: Option<String>,
    /// Look at the machine `wanted` in this process.
    one: bool,
    formalisms: Vec<String>,
    wanted: String,
}

impl Asked {
    fn read() -> Asked {
        let mut asked = Asked {
            question: Question { timeout: 5.0, reference: false, verdicts: false, assertions: false },
            max: u64::MAX,
            all: false,
            expected: None,
            one: false,
            formalisms: Vec::new(),
            wanted: String::new(),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--timeout" => {
                    asked.question.timeout = args.next().and_then(|s| s.parse().ok()).unwrap_or(5.0)
                }
                "--max" => asked.max = args.next().and_then(|s| s.parse().ok()).unwrap_or(u64::MAX),
                "--formalism" => asked.formalisms.extend(args.next()),
                "--expected" => asked.expected = args.next(),
                "--all" => asked.all = true,
                "--reference" => asked.question.reference = true,
                "--verdicts" => asked.question.verdicts = true,
                "--assertions" => asked.question.assertions = true,
                "--one" => asked.one = true,
                other => asked.wanted = other.into(),
            }
        }
        if asked.formalisms.is_empty() {
            asked.formalisms = vec!["b".into(), "eventb-package".into()];
        }
        asked
    }

    fn is_about_all(&self) -> bool {
        self.wanted.is_empty() && self.max == u64::MAX && self.formalisms.len() == 2
    }

    /// Whether the question is about the model of `entry`.
    fn about(&self, entry: &Value) -> bool {
        let (path, facts) = (entry["path"].as_str().unwrap_or_default(), &entry["facts"]);
        let known = ["invariant_violated", "deadlock"].iter().any(|fact| facts[fact].is_boolean());
        let chosen = if self.question.verdicts { known } else { facts["comparable"] == true };
        chosen
            && self.formalisms.iter().any(|formalism| entry["formalism"] == formalism.as_str())
            && path.contains(&self.wanted)
            && facts["states"].as_u64().unwrap_or(0) <= self.max
    }
}

/// Lets another process of this program look at one machine, and ends it where it does not stop itself.
fn in_process(path: &str, asked: &Asked) -> (Class, String, String) {
    let exe = std::env::current_exe().expect("this program is a file");
    let mut command = Command::new(exe);
    command.args(["--one", "--timeout", &asked.question.timeout.to_string(), path]).stdout(Stdio::piped());
    command.args(asked.question.reference.then_some("--reference"));
    command.args(asked.question.verdicts.then_some("--verdicts"));
    command.args(asked.question.assertions.then_some("--assertions"));
    let Ok(mut child) = command.spawn() else {
        return (Class::Unread, "-".into(), "no process".into());
    };
    let begin = std::time::Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if begin.elapsed().as_secs_f64() > 2.0 * asked.question.timeout + 1.0 {
            let _gone = child.kill();
            let _status = child.wait();
            return (Class::Unfinished, "-".into(), "did not stop".into());
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    let mut text = String::new();
    let _read = child.stdout.take().map(|mut out| out.read_to_string(&mut text));
    let mut parts = text.splitn(3, ' ');
    let class = parts.next().and_then(|n| n.parse::<usize>().ok()).and_then(|n| Class::ALL.get(n).copied());
    match (class, parts.next(), parts.next()) {
        (Some(class), Some(figures), Some(line)) => (class, figures.into(), line.trim_end().into()),
        _ => (Class::Differs, "-".into(), "CRASHED".into()),
    }
}
