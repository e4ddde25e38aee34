//! Table of the answers in Markdown, by construct and engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::Seen;

/// Counts of answers.
#[derive(Clone, Copy, Default)]
struct Counts {
    holds: usize,
    violated: usize,
    vacuous: usize,
    unknown: usize,
}

/// Counts over a run.
#[derive(Default)]
pub struct Table {
    machines: usize,
    /// By construct and engine.
    answers: BTreeMap<(&'static str, &'static str), Counts>,
    with: BTreeMap<&'static str, usize>,
    /// Reachable states that `mc` counted in the largest scope that it visited.
    states: Vec<u64>,
    complete: usize,
    failures: BTreeMap<String, usize>,
    failing: usize,
    violations: BTreeMap<(String, &'static str), usize>,
    reasons: BTreeMap<(&'static str, String), usize>,
    seconds: BTreeMap<&'static str, (usize, f64)>,
}

/// The engines in the order of the columns.
const ENGINES: [&str; 7] = ["mc", "bmc", "tree", "kind", "ic3", "bits", "check"];

impl Table {
    /// Counts a machine.
    pub fn add(&mut self, seen: &Seen) {
        self.machines += 1;
        let mut constructs: BTreeSet<&'static str> = seen.machine.constructs();
        constructs.insert("(all)");
        for c in &constructs {
            *self.with.entry(c).or_default() += 1;
        }
        for answer in &seen.answers {
            for c in &constructs {
                let counts = self.answers.entry((c, answer.question.engine)).or_default();
                match answer.verdict.as_str() {
                    "holds" => counts.holds += 1,
                    "violated" => counts.violated += 1,
                    "vacuous" => counts.vacuous += 1,
                    _ => counts.unknown += 1,
                }
            }
            let kinds: BTreeSet<&String> = answer.violations.iter().map(|(kind, _)| kind).collect();
            for kind in kinds {
                *self.violations.entry((kind.clone(), answer.question.engine)).or_default() += 1;
            }
            if answer.verdict == "unknown" {
                let reason = answer.reason.split(':').next().unwrap_or_default().to_string();
                *self.reasons.entry((answer.question.engine, reason)).or_default() += 1;
            }
            let (n, seconds) = self.seconds.entry(answer.question.engine).or_default();
            *n += 1;
            *seconds += answer.seconds;
        }
        let mc = || seen.answers.iter().filter(|a| a.question.engine == "mc");
        self.states.push(mc().filter_map(|a| a.states).max().unwrap_or(0));
        self.complete += usize::from(mc().any(|a| a.complete));
        self.failing += usize::from(!seen.failures.is_empty());
        let kinds: BTreeSet<String> = seen.failures.iter().map(|f| f.kind().to_string()).collect();
        for kind in kinds {
            *self.failures.entry(kind).or_default() += 1;
        }
    }

    /// The share of machines with 20 reachable states or more.
    pub fn share_of_twenty(&self) -> f64 {
        self.states.iter().filter(|n| **n >= 20).count() as f64 / self.machines.max(1) as f64
    }

    /// The share of answers of an engine that are not `unknown`.
    pub fn decided(&self, engine: &'static str) -> f64 {
        let c = self.answers.get(&("(all)", engine)).copied().unwrap_or_default();
        let decided = c.holds + c.violated + c.vacuous;
        decided as f64 / (decided + c.unknown).max(1) as f64
    }

    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let n = self.machines.max(1);
        let percent = |k: usize| format!("{} %", 100 * k / n);
        let _ = writeln!(
            out,
            "{} machines; `mc` visited every state of {}.\n",
            self.machines,
            percent(self.complete)
        );
        let _ = writeln!(out, "| reachable states | machines | |\n|---|---:|---:|");
        for (name, low, high) in [
            ("0", 0, 1),
            ("1", 1, 2),
            ("2 to 4", 2, 5),
            ("5 to 19", 5, 20),
            ("20 to 99", 20, 100),
            ("100 to 999", 100, 1000),
            ("1000 and more", 1000, u64::MAX),
        ] {
            let k = self.states.iter().filter(|s| (low..high).contains(*s)).count();
            let _ = writeln!(out, "| {name} | {k} | {} |", percent(k));
        }
        let _ = writeln!(out, "\nAnswers: decided (holds / violated / vacuous), unknown.\n");
        let _ = writeln!(out, "| construct | machines | {} |", ENGINES.join(" | "));
        let _ = writeln!(out, "|---|---:|{}", "---|".repeat(ENGINES.len()));
        for (construct, machines) in &self.with {
            let _ = write!(out, "| {construct} | {machines} |");
            for engine in ENGINES {
                let c = self.answers.get(&(*construct, engine)).copied().unwrap_or_default();
                let decided = c.holds + c.violated + c.vacuous;
                let _ =
                    write!(out, " {decided} ({} / {} / {}), {} |", c.holds, c.violated, c.vacuous, c.unknown);
            }
            let _ = writeln!(out);
        }
        let kinds: BTreeSet<&String> = self.violations.keys().map(|(kind, _)| kind).collect();
        let _ = writeln!(out, "\n| violated | {} |", ENGINES.join(" | "));
        let _ = writeln!(out, "|---|{}", "---:|".repeat(ENGINES.len()));
        for kind in kinds {
            let of = |engine| self.violations.get(&(kind.clone(), engine)).copied().unwrap_or(0).to_string();
            let _ = writeln!(out, "| {kind} | {} |", ENGINES.map(of).join(" | "));
        }
        let _ = writeln!(out, "\n| engine | runs | seconds a run |\n|---|---:|---:|");
        for (engine, (runs, seconds)) in &self.seconds {
            let _ = writeln!(out, "| {engine} | {runs} | {:.3} |", seconds / (*runs).max(1) as f64);
        }
        let _ = writeln!(out, "\n| engine | why unknown | answers |\n|---|---|---:|");
        for ((engine, reason), k) in &self.reasons {
            let _ = writeln!(out, "| {engine} | {reason} | {k} |");
        }
        let _ = writeln!(out, "\n{} machines failed.", self.failing);
        if !self.failures.is_empty() {
            let _ = writeln!(out, "\n| failure | machines |\n|---|---:|");
            for (kind, k) in &self.failures {
                let _ = writeln!(out, "| {kind} | {k} |");
            }
        }
        out
    }
}
