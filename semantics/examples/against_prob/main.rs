//! Compares the evaluator with ProB on random closed formulas: `against_prob PEER [COUNT [SEED [FOLDER]]]`, or on
//! those of a file, one a line: `against_prob PEER FILE [SEED [FOLDER]]`.
//!
//! PEER is a program that is started as `PEER prob-eval FILE --timeout SECONDS` and prints one JSON object
//! `{input, value, raw}` for each line of FILE: ProB's value of an expression, `TRUE` or `FALSE` of a
//! predicate, `ill-defined`, or `error` (with what it said) where ProB has no answer. Formulas go to it in
//! batches. With a FOLDER its answers are kept there, so that a run that was stopped goes on where it was,
//! and a changed evaluator is compared with the answers that are known; `-` for PEER asks for no others.
//!
//! Prints every difference that is not explained, a table of the operators, and how many formulas were
//! compared. The reasons for differences, which are checked for each formula: `semantics/DIFFERENCES.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use bsym_language::load::load_text;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};

#[path = "../../tests/formulas/coverage.rs"]
mod coverage;
#[path = "../../tests/formulas/generate.rs"]
mod generate;
mod judge;
mod readings;
mod totalize;

use coverage::Coverage;
use judge::{Judge, Judgement, Theirs};

/// Formulas whose answers are kept in one file.
const BATCH: usize = 1000;

/// Formulas of one process of ProB.
const CHUNK: usize = 250;

struct Line {
    input: String,
    value: String,
    raw: String,
}

/// ProB's answers about the formulas of one batch. Where it does not come back from a formula, it is
/// started again behind it.
fn answers(peer: &str, lines: &[String], kept: Option<&Path>) -> Vec<Line> {
    let known = kept.and_then(|path| std::fs::read_to_string(path).ok()).map(|text| parsed(&text));
    if let Some(known) = known
        && known.iter().map(|line| &line.input).eq(lines)
    {
        return known;
    }
    if peer == "-" {
        return vec![];
    }
    let mut all: Vec<Line> = vec![];
    while all.len() < lines.len() {
        let chunk = &lines[all.len()..lines.len().min(all.len() + CHUNK)];
        let mut answered = ask(peer, chunk);
        if answered.len() < chunk.len() {
            answered.pop_if(|line| line.value == "error" && line.raw.is_empty());
            let input = chunk[answered.len()].clone();
            answered.push(Line { input, value: "error".into(), raw: "TIME-OUT of the process".into() });
        }
        all.extend(answered);
    }
    if let Some(path) = kept {
        let line =
            |l: &Line| serde_json::json!({"input": l.input, "value": l.value, "raw": l.raw}).to_string();
        let text: Vec<String> = all.iter().map(line).collect();
        std::fs::write(path, text.join("\n") + "\n").expect("the folder can be written");
    }
    all
}

fn ask(peer: &str, lines: &[String]) -> Vec<Line> {
    let file = std::env::temp_dir().join(format!("against_prob_{}.txt", std::process::id()));
    std::fs::write(&file, lines.join("\n") + "\n").expect("a temporary file");
    let output = Command::new(peer)
        .args(["prob-eval", &file.to_string_lossy(), "--timeout", "60"])
        .output()
        .expect("the peer runs");
    let _ = std::fs::remove_file(&file);
    parsed(&String::from_utf8_lossy(&output.stdout))
}

fn parsed(text: &str) -> Vec<Line> {
    let field = |line: &serde_json::Value, name: &str| line[name].as_str().unwrap_or("").to_owned();
    text.lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("the peer prints JSON");
            Line { input: field(&line, "input"), value: field(&line, "value"), raw: field(&line, "raw") }
        })
        .collect()
}

/// What came of all formulas.
struct Summary {
    judgements: BTreeMap<Judgement, usize>,
    coverage: Coverage,
}

impl Summary {
    fn add(&mut self, judge: &mut Judge, line: &Line, negation: Option<&str>) {
        let theirs = Theirs { value: &line.value, raw: &line.raw, negation };
        let (answer, operators, judgement) = judge.judge(&line.input, &theirs);
        let column = match &judgement {
            Judgement::Same(how) => how,
            Judgement::Explained(_) => "explained",
            Judgement::Unexplained => "unexplained",
            Judgement::Open(..) => "no answer",
        };
        if judgement == Judgement::Unexplained || std::env::var("SHOW").is_ok_and(|s| s == column) {
            println!("{column}: {}\n    ours: {}\n    ProB: {}", line.input, answer.text(), line.value);
        }
        self.coverage.add(&operators, column);
        *self.judgements.entry(judgement).or_default() += 1;
    }

    fn print(&self) {
        println!("{}", self.coverage.table());
        let missing = self.coverage.missing();
        if !missing.is_empty() {
            println!("not drawn: {}", missing.join(", "));
        }
        let total = |wanted: &dyn Fn(&Judgement) -> bool| -> usize {
            self.judgements.iter().filter(|(j, _)| wanted(j)).map(|(_, n)| n).sum()
        };
        for (judgement, n) in &self.judgements {
            match judgement {
                Judgement::Same(how) => println!("{n:8} the same: {how}"),
                Judgement::Explained(class) => println!("{n:8} explained: {class}"),
                Judgement::Open(whose, why) => println!("{n:8} without an answer, {whose}: {why}"),
                Judgement::Unexplained => {}
            }
        }
        println!(
            "{} compared, {} explained by class, {} unexplained; {} without an answer on a side",
            total(&|j| !matches!(j, Judgement::Open(..))),
            total(&|j| matches!(j, Judgement::Explained(_))),
            total(&|j| *j == Judgement::Unexplained),
            total(&|j| matches!(j, Judgement::Open(..))),
        );
    }
}

/// Where formulas come from.
enum Formulas {
    Random(usize),
    Listed(Vec<String>),
}

impl Formulas {
    fn count(&self) -> usize {
        match self {
            Formulas::Random(count) => *count,
            Formulas::Listed(lines) => lines.len(),
        }
    }

    fn batch(&self, seed: u64, number: usize) -> Vec<String> {
        let (from, to) = (number * BATCH, self.count().min((number + 1) * BATCH));
        match self {
            Formulas::Random(_) => generate::batch(seed, number as u64, to - from, false),
            Formulas::Listed(lines) => lines[from..to].to_vec(),
        }
    }
}

fn compare(peer: &str, formulas: &Formulas, seed: u64, folder: Option<PathBuf>) {
    let model = load_text("Empty.mch", "MACHINE Empty END").model.expect("the empty machine");
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let mut judge = Judge::new(model, scope);
    let columns = ["true", "false", "value", "ill-defined", "explained", "unexplained", "no answer"];
    let mut summary =
        Summary { judgements: BTreeMap::new(), coverage: Coverage::new(&[coverage::ALL], &columns) };
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder).expect("the folder can be made");
    }
    for number in 0..formulas.count().div_ceil(BATCH) {
        let lines = formulas.batch(seed, number);
        let kept = folder.as_ref().map(|f| f.join(format!("{seed}-{number}.jsonl")));
        let answers = answers(peer, &lines, kept.as_deref());
        for (i, answer) in answers.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| &answers[i]);
            let negation = answers.get(i + 1).filter(|next| next.input == format!("not({})", answer.input));
            let negated = before.filter(|before| answer.input == format!("not({})", before.input));
            let partner = negation.or(negated).map(|line| line.value.as_str());
            summary.add(&mut judge, answer, partner);
        }
        eprintln!("batch {number}: {} formulas", answers.len());
    }
    summary.print();
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let peer = arguments.next().expect("against_prob PEER [COUNT [SEED [FOLDER]]]");
    let formulas = match arguments.next() {
        None => Formulas::Random(1000),
        Some(count) => count.parse().map(Formulas::Random).unwrap_or_else(|_| {
            let text = std::fs::read_to_string(&count).expect("a number, or a file of formulas");
            Formulas::Listed(text.lines().map(String::from).collect())
        }),
    };
    let seed = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let folder = arguments.next().map(PathBuf::from);
    with_large_stack(|| compare(&peer, &formulas, seed, folder));
}
