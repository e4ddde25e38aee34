//! Findings about a file, in any output format: each with its place, and a case for each property.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_language::int::Int;
use serde_json::Value as Json;

use crate::answer::finding::{Finding as Identity, FindingStatus};
use crate::answer::several::{Row, RowVerdict};
use crate::answer::trace::{after_all, left_out};

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Wrong input, or something that is violated.
    Error,
    /// There is a model in spite of it, but it is doubtful.
    Warning,
    /// Not decided.
    Note,
}

impl Level {
    /// Returns the word for it, which is that of SARIF.
    pub fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

/// A place in a file. Unknown parts are missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub file: String,
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub end_line: Option<u64>,
    /// Behind the last character.
    pub end_column: Option<u64>,
}

impl Place {
    /// Returns the place that an object of JSON has in its members.
    fn of(object: &Json) -> Option<Place> {
        let number = |name: &str| object[name].as_u64();
        Some(Place {
            file: object["file"].as_str().filter(|f| !f.is_empty())?.into(),
            line: number("line"),
            column: number("column"),
            end_line: number("end_line"),
            end_column: number("end_column"),
        })
    }

    /// A file as a whole.
    fn file(file: &str) -> Option<Place> {
        let nowhere = Place { file: file.into(), line: None, column: None, end_line: None, end_column: None };
        (!file.is_empty()).then_some(nowhere)
    }
}

/// One step of a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The event with its parameters and results.
    pub text: String,
    /// Where the event is written.
    pub place: Option<Place>,
    /// Names with values; empty where the step fails before it reaches a state.
    pub state: Vec<(String, String)>,
    /// The steps of a cycle that are left out before it.
    left_out: Option<Int>,
}

/// A finding about a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub level: Level,
    /// The code of a message, or a word: `violated-inv`, `unknown`, `vacuous`, `input`, `failed`.
    pub rule: String,
    pub message: String,
    pub place: Option<Place>,
    /// The trace to a violation.
    pub trace: Vec<Step>,
    /// The same for a baseline; `None` for messages about the text.
    pub identity: Option<Identity>,
    /// The case that it is about.
    pub case: Option<String>,
}

/// FindingStatus of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CaseOutcome {
    /// The property holds.
    Passed,
    /// The property is violated: in a line, and with the trace.
    Failed(String, String),
    /// The property is not decided, with the reason.
    Skipped(String),
    /// There is no answer, with the reason.
    Broken(String),
}

/// One property of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub name: String,
    pub outcome: CaseOutcome,
}

/// A file and all findings about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    pub file: String,
    /// The machine of a project that was asked for by name.
    pub component: Option<String>,
    pub machine: Option<String>,
    pub seconds: f64,
    /// `true` if there is an answer at all.
    pub answered: bool,
    /// Findings that a baseline knows, if there is one.
    pub known: Option<BTreeSet<Identity>>,
    pub findings: Vec<Finding>,
    pub cases: Vec<Case>,
}

impl Checked {
    /// Collects the findings of a row.
    pub fn of(row: &Row) -> Checked {
        let said = row.result.as_ref().unwrap_or(&Json::Null);
        let violations = violations(row, said);
        let mut findings: Vec<Finding> = each(&said["diagnostics"]).map(of_diagnostic).collect();
        if !matches!(row.verdict, RowVerdict::Refused | RowVerdict::Failed) {
            findings.extend(violations.iter().map(|v| v.finding.clone()));
            findings.extend(open(row, said));
        } else if !findings.iter().any(|f| f.level == Level::Error) {
            findings.push(no_answer(row, said));
        }
        Checked {
            file: row.file.clone(),
            component: row.component.clone(),
            machine: row.machine.clone(),
            seconds: row.seconds,
            answered: !matches!(row.verdict, RowVerdict::Refused | RowVerdict::Failed),
            known: None,
            cases: cases(row, said, &violations),
            findings,
        }
    }
}

impl Checked {
    /// Holds the findings against those that are known: a case that fails by known ones alone is skipped.
    pub fn against(mut self, known: &BTreeSet<Identity>) -> Checked {
        for case in &mut self.cases {
            let (outcome, message) = match &case.outcome {
                CaseOutcome::Failed(message, _) => (FindingStatus::Violated, message),
                CaseOutcome::Skipped(message) => (FindingStatus::Open, message),
                CaseOutcome::Passed | CaseOutcome::Broken(_) => continue,
            };
            let of_case = self.findings.iter().filter(|f| case.is_about(f, outcome));
            let identities: Vec<&Identity> = of_case.filter_map(|f| f.identity.as_ref()).collect();
            if !identities.is_empty() && identities.iter().all(|one| known.contains(one)) {
                case.outcome = CaseOutcome::Skipped(format!("known: {message}"));
            }
        }
        Checked { known: Some(known.clone()), ..self }
    }

    /// Returns whether a finding is new or known; `None` without a baseline, and for messages about the text.
    pub fn is_new(&self, finding: &Finding) -> Option<bool> {
        let (known, identity) = (self.known.as_ref()?, finding.identity.as_ref()?);
        Some(!known.contains(identity))
    }
}

impl Case {
    fn is_about(&self, finding: &Finding, outcome: FindingStatus) -> bool {
        finding.identity.as_ref().is_some_and(|one| one.outcome == outcome)
            && (self.name == VERDICT || finding.case.as_ref() == Some(&self.name))
    }
}

/// The case of a machine as a whole.
const VERDICT: &str = "verdict";

/// Returns a finding about a property, and its key in the list of all properties.
struct Violation {
    finding: Finding,
    name: String,
}

fn each(array: &Json) -> impl Iterator<Item = &Json> {
    array.as_array().into_iter().flatten()
}

fn text(object: &Json, name: &str) -> String {
    object[name].as_str().unwrap_or_default().into()
}

/// Returns the help of an object, on a line of its own.
fn help(object: &Json) -> String {
    object["help"].as_str().map(|help| format!("\nhelp: {help}")).unwrap_or_default()
}

fn of_diagnostic(diagnostic: &Json) -> Finding {
    Finding {
        level: if diagnostic["severity"] == "error" { Level::Error } else { Level::Warning },
        rule: text(diagnostic, "code"),
        message: text(diagnostic, "message") + &help(diagnostic),
        place: Place::of(diagnostic),
        trace: vec![],
        identity: None,
        case: None,
    }
}

/// Reports wrong input without a place, or a process that died.
fn no_answer(row: &Row, said: &Json) -> Finding {
    let rule = if row.verdict == RowVerdict::Refused { "input" } else { "failed" };
    Finding {
        level: Level::Error,
        rule: rule.into(),
        message: reason(row, said) + &help(said),
        place: Place::file(&row.file),
        trace: vec![],
        identity: None,
        case: None,
    }
}

/// Why there is no verdict, or no answer.
fn reason(row: &Row, said: &Json) -> String {
    let known = row.error.as_deref().or(said["message"].as_str());
    known.unwrap_or("bsym ended without an answer").into()
}

/// Returns the violations, each with its trace; none unless the verdict is `violated`.
fn violations(row: &Row, said: &Json) -> Vec<Violation> {
    if row.verdict != RowVerdict::Violated {
        return vec![];
    }
    let mut all: Vec<Violation> = vec![];
    // The first counterexample is in the members of the object itself.
    for found in std::iter::once(said).chain(each(&said["further"])) {
        let trace = steps(&found["trace"]);
        all.extend(each(&found["violated"]).map(|v| violation(v, &trace)));
    }
    let unmatched = &said["counterexample"];
    if all.is_empty() && unmatched.is_object() {
        all.push(unmatched_step(unmatched));
    }
    all
}

fn violation(violated: &Json, trace: &[Step]) -> Violation {
    let kind = text(violated, "property");
    let name = named(violated);
    let what = match kind.as_str() {
        "inv" | "assertions" => format!("{name} is false"),
        "goal" => format!("the goal is reached: {name}"),
        "deadlock" => "deadlock: no event is enabled".into(),
        "wd" => format!("{name} has no meaning"),
        "precondition" => format!("the precondition {name} is false"),
        _ => format!("{kind}: {name} fails"),
    };
    let said = ["message", "only_in_scope"].into_iter().filter_map(|name| violated[name].as_str());
    let why: String = said.map(|m| format!(" ({m})")).collect();
    Violation {
        finding: Finding {
            level: Level::Error,
            rule: format!("violated-{kind}"),
            message: format!("{what}{why} {}", when(trace)),
            place: Place::of(violated).or_else(|| trace.iter().rev().find_map(|s| s.place.clone())),
            trace: trace.to_vec(),
            identity: Some(Identity::of(FindingStatus::Violated, violated)),
            case: Some(case_name(&kind, &name)),
        },
        name: case_name(&kind, &name),
    }
}

fn unmatched_step(unmatched: &Json) -> Violation {
    let trace = steps(&unmatched["trace"]);
    let event = text(unmatched, "event");
    Violation {
        finding: Finding {
            level: Level::Error,
            rule: "violated-refinement".into(),
            message: format!("{event}: {} {}", text(unmatched, "message"), when(&trace)),
            place: Place::of(unmatched),
            trace,
            identity: Some(Identity::whole(FindingStatus::Violated)),
            case: Some(case_name("refinement", &event)),
        },
        name: case_name("refinement", &event),
    }
}

/// Describes where a trace ends.
fn when(trace: &[Step]) -> String {
    let shown = Int::from(i64::try_from(trace.len().saturating_sub(1)).unwrap_or(i64::MAX));
    let all = trace.iter().filter_map(|step| step.left_out.as_ref()).fold(shown, |sum, n| &sum + n);
    after_all(&all)
}

fn steps(trace: &Json) -> Vec<Step> {
    let step = |step: &Json| {
        let pairs = |object: &Json| -> Vec<(String, String)> {
            let value = |v: &Json| v.as_str().map_or_else(|| v.to_string(), String::from);
            object.as_object().into_iter().flatten().map(|(n, v)| (n.clone(), value(v))).collect()
        };
        let list = |object: &Json| {
            pairs(object).iter().map(|(n, v)| format!("{n} = {v}")).collect::<Vec<_>>().join(", ")
        };
        let (parameters, results) = (list(&step["parameters"]), list(&step["results"]));
        let mut call = text(step, "event");
        if !parameters.is_empty() {
            call = format!("{call}({parameters})");
        }
        if !results.is_empty() {
            call = format!("{results} <-- {call}");
        }
        let left_out = left_out(step);
        if let Some(n) = &left_out {
            call = format!("{call} (after {n} more steps of a cycle)");
        }
        Step { text: call, place: Place::of(&step["place"]), state: pairs(&step["state"]), left_out }
    };
    each(trace).map(step).collect()
}

/// Returns findings for what is not decided: each property, or else the reason alone.
fn open(row: &Row, said: &Json) -> Vec<Finding> {
    let note = |rule: String, level: Level, message: String, place: Option<Place>, identity| Finding {
        level,
        rule,
        message,
        place: place.or_else(|| Place::file(&row.file)),
        trace: vec![],
        identity: Some(identity),
        case: None,
    };
    let mut all: Vec<Finding> = vec![];
    if said["verdict"] == "vacuous" {
        return vec![note(
            "vacuous".into(),
            Level::Warning,
            reason(row, said),
            None,
            Identity::whole(FindingStatus::Vacuous),
        )];
    }
    for property in each(&said["properties"]).filter(|p| p["verdict"] == "unknown") {
        let message = format!("not decided: {}{}", named(property), because(row));
        let kind = text(property, "property");
        let identity = Identity::of(FindingStatus::Open, property);
        let open = note(format!("unknown-{kind}"), Level::Note, message, Place::of(property), identity);
        all.push(Finding { case: Some(case_name(&kind, &named(property))), ..open });
    }
    if row.verdict == RowVerdict::Unknown && all.is_empty() {
        let message = format!("not decided: {}", reason(row, said));
        all.push(note("unknown".into(), Level::Note, message, None, Identity::whole(FindingStatus::Open)));
    }
    all
}

fn because(row: &Row) -> String {
    row.error.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default()
}

/// Label and text.
fn named(property: &Json) -> String {
    match property["label"].as_str() {
        Some(label) => format!("{label}: {}", text(property, "text")),
        None => text(property, "text"),
    }
}

fn case_name(kind: &str, name: &str) -> String {
    if kind.is_empty() { name.into() } else { format!("{kind}: {name}") }
}

/// A case for each property, and one for whatever else keeps the file from holding.
fn cases(row: &Row, said: &Json, violations: &[Violation]) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![];
    for property in each(&said["properties"]) {
        let name = case_name(&text(property, "property"), &named(property));
        let outcome = match property["verdict"].as_str() {
            Some("holds") => CaseOutcome::Passed,
            Some("violated") => failed(violations.iter().find(|v| v.name == name)),
            _ => CaseOutcome::Skipped(format!("not decided{}", because(row))),
        };
        cases.push(Case { name, outcome });
    }
    for violation in violations {
        // A violation along the way is no property that was asked; one that was may be reported only here.
        match cases.iter_mut().find(|case| case.name == violation.name) {
            Some(case) => case.outcome = failed(Some(violation)),
            None => cases.push(Case { name: violation.name.clone(), outcome: failed(Some(violation)) }),
        }
    }
    let has = |wanted: fn(&CaseOutcome) -> bool| cases.iter().any(|case| wanted(&case.outcome));
    // The cases never look better than the verdict.
    let whole = match row.verdict {
        RowVerdict::Holds if cases.is_empty() => CaseOutcome::Passed,
        RowVerdict::Violated if !has(|o| matches!(o, CaseOutcome::Failed(..))) => failed(None),
        RowVerdict::Unknown if !has(|o| matches!(o, CaseOutcome::Skipped(_))) => {
            CaseOutcome::Skipped(format!("not decided: {}", reason(row, said)))
        }
        RowVerdict::Refused | RowVerdict::Failed => CaseOutcome::Broken(reason_with_diagnostics(row, said)),
        _ => return cases,
    };
    cases.push(Case { name: VERDICT.into(), outcome: whole });
    cases
}

fn reason_with_diagnostics(row: &Row, said: &Json) -> String {
    let errors = each(&said["diagnostics"]).filter(|d| d["severity"] == "error");
    let lines = errors.map(|d| {
        format!(
            "\n{}:{}:{}: {} {}",
            text(d, "file"),
            d["line"],
            d["column"],
            text(d, "code"),
            text(d, "message")
        )
    });
    reason(row, said) + &lines.collect::<String>()
}

fn failed(violation: Option<&Violation>) -> CaseOutcome {
    let Some(Violation { finding, .. }) = violation else {
        return CaseOutcome::Failed("violated".into(), String::new());
    };
    CaseOutcome::Failed(finding.message.clone(), trace_text(&finding.trace))
}

/// The steps of a trace, each on a line, with what it changes below.
pub fn trace_text(trace: &[Step]) -> String {
    let mut out = String::new();
    let mut before: &[(String, String)] = &[];
    for (i, step) in trace.iter().enumerate() {
        out.push_str(&format!("{i}  {}\n", step.text));
        for pair in step.state.iter().filter(|pair| !before.contains(pair)) {
            out.push_str(&format!("     {} = {}\n", pair.0, pair.1));
        }
        before = &step.state;
    }
    out
}

/// A path as these forms want it: below the current folder without it, and with `/`.
pub fn relative(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = Path::new(file);
    let path = path.strip_prefix(&here).unwrap_or(path);
    let path = path.strip_prefix(".").unwrap_or(path).display().to_string();
    if cfg!(windows) { path.replace('\\', "/") } else { path }
}
