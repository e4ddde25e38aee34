//! The answer about several machines: a row for each, and a line about all of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::against::BaselineObject;
use crate::answer::trace::counted;
use crate::exit::Exit;
use crate::paint::Paint;

/// What is said of one machine among several.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum RowVerdict {
    /// Exit code 0.
    Holds,
    /// Exit code 1.
    Violated,
    /// Exit code 2: it cannot be read, or a flag does not fit it.
    Refused,
    /// Exit code 3: unknown, vacuous or interrupted.
    Unknown,
    /// Exit code 4, or its process ended without an answer.
    Failed,
}

impl RowVerdict {
    /// The verdict in a word.
    pub fn word(self) -> &'static str {
        match self {
            RowVerdict::Holds => "holds",
            RowVerdict::Violated => "violated",
            RowVerdict::Refused => "refused",
            RowVerdict::Unknown => "unknown",
            RowVerdict::Failed => "failed",
        }
    }

    fn exit(self) -> Exit {
        match self {
            RowVerdict::Holds => Exit::Done,
            RowVerdict::Violated => Exit::Violated,
            RowVerdict::Refused => Exit::Refused,
            RowVerdict::Unknown => Exit::Unknown,
            RowVerdict::Failed => Exit::Failed,
        }
    }

    /// From the least to the worst: what is violated is worse than what nobody knows.
    const ORDER: [RowVerdict; 5] = [
        RowVerdict::Holds,
        RowVerdict::Unknown,
        RowVerdict::Violated,
        RowVerdict::Refused,
        RowVerdict::Failed,
    ];
}

impl From<Exit> for RowVerdict {
    fn from(exit: Exit) -> RowVerdict {
        match exit {
            Exit::Done => RowVerdict::Holds,
            Exit::Violated => RowVerdict::Violated,
            Exit::Refused => RowVerdict::Refused,
            Exit::Unknown => RowVerdict::Unknown,
            Exit::Failed => RowVerdict::Failed,
        }
    }
}

/// One machine.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
pub struct Row {
    /// The file.
    pub file: String,
    /// The machine of a project that was asked for by name, with --all.
    pub component: Option<String>,
    /// The name of the machine, if it was read.
    pub machine: Option<String>,
    /// What is said of it.
    pub verdict: RowVerdict,
    /// Who said it.
    pub engine: Option<String>,
    /// How long its process took, in seconds.
    pub seconds: f64,
    /// What is violated: labels, or else texts.
    pub violated: Vec<String>,
    /// How many properties are neither proved nor refuted; of `po`, how many obligations are not discharged.
    pub open: usize,
    /// Why there is no answer: what is wrong with the input, or the reason of an `unknown`.
    pub error: Option<String>,
    /// What `bsym check --json` says of this machine alone: see result.schema.json and error.schema.json.
    pub result: Option<Json>,
    /// The answer was given before and kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
}

impl Row {
    /// Of the answer about one file and the exit code that it has, `seconds` after the start.
    pub fn of(file: String, answer: &impl Serialize, exit: Exit, seconds: f64) -> Row {
        let verdict = RowVerdict::from(exit);
        match serde_json::to_value(answer) {
            Ok(result) => Row::with_result(file, verdict, result, seconds),
            Err(error) => Row::failed(file, format!("the result has no JSON: {error}"), seconds),
        }
    }

    /// Of a machine whose process ended without an answer.
    pub fn failed(file: String, error: String, seconds: f64) -> Row {
        Row { verdict: RowVerdict::Failed, seconds, error: Some(error), ..Row::interrupted(file) }
    }

    fn with_result(file: String, verdict: RowVerdict, result: Json, seconds: f64) -> Row {
        let text = |name: &str| Some(result.get(name)?.as_str()?.to_string());
        let list = |name: &str| result.get(name).and_then(Json::as_array).into_iter().flatten();
        let of_verdict = |word: &'static str| list("properties").filter(move |p| p["verdict"] == word);
        let left = |o: &&Json| !matches!(o["status"].as_str(), Some("discharged" | "trivial"));
        let named = |p: &Json| {
            let name = p["label"].as_str().or(p["text"].as_str())?;
            // What is not of the invariant says what it is.
            match p["property"].as_str() {
                None | Some("inv" | "assertions") => Some(name.to_string()),
                Some(kind) => Some(format!("{kind}: {name}")),
            }
        };
        let mut violated: Vec<String> =
            list("violated").chain(of_verdict("violated")).filter_map(named).collect();
        // The first thing to mend says more than the number of things.
        let first = list("diagnostics").find(|d| verdict == RowVerdict::Refused && d["severity"] == "error");
        let first = first.and_then(|d| {
            Some(format!("{}:{}: {}", d["line"].as_u64()?, d["column"].as_u64()?, d["message"].as_str()?))
        });
        let mut seen = std::collections::BTreeSet::new();
        violated.retain(|name| seen.insert(name.clone()));
        Row {
            component: None,
            machine: text("machine"),
            engine: text("engine"),
            violated,
            open: of_verdict("unknown").count() + list("obligations").filter(left).count(),
            error: first.or_else(|| text("error")).or_else(|| text("reason")),
            file,
            verdict,
            seconds,
            cached: result["cached"] == true,
            result: Some(result),
        }
    }

    /// Of a machine that was not begun, or not waited for.
    pub fn interrupted(file: String) -> Row {
        let error = Some("interrupted".into());
        let (violated, verdict) = (vec![], RowVerdict::Unknown);
        Row {
            file,
            component: None,
            machine: None,
            verdict,
            engine: None,
            seconds: 0.0,
            violated,
            open: 0,
            error,
            result: None,
            cached: false,
        }
    }

    /// The same of a machine of a project.
    pub fn part(self, component: Option<String>) -> Row {
        Row { component, ..self }
    }

    /// The file, and the machine in it that was asked for.
    pub fn name(&self) -> String {
        match &self.component {
            Some(component) => format!("{} {component}", self.file),
            None => self.file.clone(),
        }
    }

    /// Whether nothing is to be done about it.
    pub fn holds(&self) -> bool {
        self.verdict == RowVerdict::Holds
    }

    /// The line of the table, with files as wide as `width`. Findings that are all known are no bad news.
    pub fn line(&self, width: usize, is_known: bool, paint: Paint) -> String {
        let word = format!("{:<8}", self.verdict.word());
        let word = match self.verdict {
            _ if is_known => paint.faint(&word),
            RowVerdict::Holds => paint.good(&word),
            RowVerdict::Unknown => paint.doubt(&word),
            _ => paint.bad(&word),
        };
        let engine = self.engine.as_deref().unwrap_or("-");
        let cached = if self.cached { "(cached)" } else { "" };
        let known = if is_known { "(known)" } else { "" };
        let parts = [self.note(), known.into(), cached.into()];
        let note = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        let line = format!("{:<width$}  {word}  {engine:<5}  {:>7.2} s  {}", self.name(), self.seconds, note);
        line.trim_end().to_string() + "\n"
    }

    /// Returns the reason for the verdict in one line; empty if the machine holds.
    pub fn note(&self) -> String {
        if let Some(error) = &self.error {
            return error.lines().next().unwrap_or_default().into();
        }
        match (self.verdict, self.violated.first()) {
            (RowVerdict::Violated, Some(first)) if self.violated.len() > 1 => {
                format!("{first}, and {} more", self.violated.len() - 1)
            }
            (RowVerdict::Violated, Some(first)) => first.clone(),
            (RowVerdict::Unknown, _) => format!("{} open", self.open),
            _ => String::new(),
        }
    }
}

/// What bsym prints with --json when it checks several machines
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Several {
    #[schemars(extend("const" = "bsym-results"))]
    format: &'static str,
    #[schemars(extend("const" = 1))]
    version: u32,
    bsym: &'static str,
    /// Since the start of the program.
    seconds: f64,
    /// In the order in which they were named, those of a folder by name.
    machines: Vec<Row>,
    /// What a baseline knows of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineObject>,
}

impl Several {
    /// Of all rows.
    pub fn new(machines: Vec<Row>, seconds: f64) -> Several {
        Several {
            format: "bsym-results",
            version: 1,
            bsym: env!("CARGO_PKG_VERSION"),
            seconds,
            machines,
            baseline: None,
        }
    }

    /// All of them.
    pub fn rows(&self) -> &[Row] {
        &self.machines
    }

    /// That of the worst: failed, refused, violated, unknown, holds.
    pub fn exit(&self) -> Exit {
        let rank = |row: &Row| RowVerdict::ORDER.iter().position(|v| *v == row.verdict);
        self.machines.iter().max_by_key(|row| rank(row)).map_or(Exit::Done, |row| row.verdict.exit())
    }

    /// The line below the table; its rows were shown as they ended.
    pub fn text(&self) -> String {
        let count = |verdict| self.machines.iter().filter(|row| row.verdict == verdict).count();
        let counts = RowVerdict::ORDER.iter().map(|&v| (count(v), v.word())).filter(|(n, _)| *n > 0);
        // `7 hold, 1 holds`
        let agree = |n, word: &'static str| if n != 1 && word == "holds" { "hold" } else { word };
        let counts: Vec<String> = counts.map(|(n, word)| format!("{n} {}", agree(n, word))).collect();
        let machines = counted(self.machines.len(), "machine");
        format!("{machines}: {} ({:.2} s)\n", counts.join(", "), self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::super::refused::Refused;
    use super::*;

    #[test]
    fn the_worst_row_decides_the_exit_code() {
        let exit = |codes: &[Exit]| {
            let rows = codes.iter().map(|&code| Row::of("m.mch".into(), &refused(code), code, 0.5)).collect();
            Several::new(rows, 1.0).exit()
        };
        assert_eq!(exit(&[Exit::Done, Exit::Done]), Exit::Done);
        assert_eq!(exit(&[Exit::Done, Exit::Unknown]), Exit::Unknown);
        assert_eq!(exit(&[Exit::Violated, Exit::Unknown, Exit::Done]), Exit::Violated);
        assert_eq!(exit(&[Exit::Refused, Exit::Violated, Exit::Unknown]), Exit::Refused);
        assert_eq!(exit(&[Exit::Refused, Exit::Failed, Exit::Violated]), Exit::Failed);
    }

    fn refused(exit: Exit) -> Refused {
        Refused::new("why".into(), exit)
    }

    #[test]
    fn a_row_says_why_there_is_no_answer() {
        assert_eq!(
            Row::of("m.mch".into(), &refused(Exit::Refused), Exit::Refused, 0.5).error.as_deref(),
            Some("why")
        );
        let failed = Row::failed("m.mch".into(), "it crashed".into(), 0.5);
        assert_eq!((failed.verdict, failed.error.as_deref()), (RowVerdict::Failed, Some("it crashed")));
    }
}
