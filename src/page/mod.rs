//! A page about an answer: one file of HTML that needs nothing else, for `--html`.
//!
//! [`page`] makes the data of the page from the JSON of the answer, [`template`](self) `page.html` shows them. The page
//! is readable without its script, which steps through traces and filters tables.

mod fields;
mod pictures;
mod sources;
mod tables;
mod traces;

use minijinja::Environment;
use serde::Serialize;
use serde_json::Value as Json;

use self::fields::{list, text};
use self::pictures::Machine;
use crate::answer::Answer;
use crate::answer::several::RowVerdict;
use crate::arguments::PageArguments;
use crate::drawing::STYLE;

/// The data of the template.
#[derive(Serialize)]
struct Page<'a> {
    title: String,
    heading: String,
    verdict: Option<&'static str>,
    reason: Option<String>,
    /// The scope in words.
    scope: String,
    seconds: Option<String>,
    /// The command line.
    command: &'a str,
    sections: Vec<Section>,
    /// The JSON of the answer, as data and as text.
    result: Json,
    json: String,
    version: &'static str,
    css: String,
    js: &'static str,
}

/// A section of the page. The list of sections and the page itself have the same ones.
#[derive(Serialize, Clone, Debug)]
struct Section {
    id: String,
    name: String,
    #[serde(flatten)]
    body: Body,
}

/// What a section shows, for the template by `kind`.
#[derive(Serialize, Clone, Debug)]
#[serde(tag = "kind", content = "of", rename_all = "lowercase")]
enum Body {
    Trace(Box<traces::Trace>),
    Proof,
    Failed,
    Table(tables::Rows),
    Coverage,
    Notes(Vec<Note>),
    Work,
    Source(sources::Source),
    Data,
}

/// A remark, with its place where it has one.
#[derive(Serialize, Clone, Debug)]
struct Note {
    text: String,
    file: Option<String>,
    line: Option<u64>,
}

/// Makes the page of an answer that `command` gave.
///
/// # Errors
/// The answer has no JSON. The template is tested with every kind of answer.
pub fn page(answer: &Answer, command: &str, asked: &PageArguments) -> anyhow::Result<String> {
    let result = serde_json::to_value(answer)?;
    let heading = heading(&result);
    let verdict = verdict(&result, answer);
    let mut environment = Environment::new();
    environment.add_function("anchor", sources::anchor);
    environment.add_template("page.html", include_str!("page.html"))?;
    let seconds = result["stats"]["seconds"].as_f64().or_else(|| result["seconds"].as_f64());
    let title = format!("{heading}{}", verdict.map(|word| format!(": {word}")).unwrap_or_default());
    let page = Page {
        title,
        version: env!("CARGO_PKG_VERSION"),
        css: format!("{}{STYLE}", include_str!("page.css")),
        js: include_str!("page.js"),
        json: serde_json::to_string_pretty(&result)?,
        scope: scope(&result),
        seconds: seconds.map(|seconds| format!("{seconds:.3}")),
        reason: text(&result, "reason").or_else(|| text(&result, "message")),
        sections: sections(&result, Machine::read(asked).as_ref()),
        heading,
        verdict,
        command,
        result,
    };
    Ok(environment.get_template("page.html")?.render(minijinja::value::Serde(&page))?)
}

/// The sections that a result needs, in their order.
fn sections(result: &Json, machine: Option<&Machine>) -> Vec<Section> {
    let mut sections: Vec<Section> = vec![];
    let mut add = |id: String, name: &str, body: Body| sections.push(Section { id, name: name.into(), body });
    for (i, trace) in traces::all(result, machine).into_iter().enumerate() {
        add(format!("trace-{}", i + 1), &trace.title.clone(), Body::Trace(Box::new(trace)));
    }
    let has = |name: &str| result.get(name).is_some_and(|value| !value.is_null());
    if has("checked") || list(result, "invariant").next().is_some() {
        add("proof".into(), "Proof", Body::Proof);
    }
    if has("failed_proof") {
        add("failed-proof".into(), "What there is of a proof", Body::Failed);
    }
    if let Some(rows) = tables::rows(result) {
        add("table".into(), &rows.title.clone(), Body::Table(rows));
    }
    if has("coverage") {
        add("coverage".into(), "Coverage", Body::Coverage);
    }
    let notes = notes(result);
    if !notes.is_empty() {
        add("notes".into(), "Not checked, and warnings", Body::Notes(notes));
    }
    if has("stats") {
        add("work".into(), "Work", Body::Work);
    }
    for (i, source) in sources::all(result).into_iter().enumerate() {
        add(format!("source-{}", i + 1), &source.path.clone(), Body::Source(source));
    }
    add("json".into(), "Data", Body::Data);
    sections
}

fn heading(result: &Json) -> String {
    let model = || result["model"]["main"].as_str().map(str::to_string);
    match result["format"].as_str() {
        Some("bsym-po") => format!("Proof obligations of {}", model().unwrap_or_default()),
        Some("bsym-results") => format!("{} machines", list(result, "machines").count()),
        Some("bsym-error") => "Wrong input".into(),
        _ => text(result, "machine").unwrap_or_else(|| "bsym".into()),
    }
}

/// Returns the verdict as a word; for obligations, the worst that occurs.
fn verdict(result: &Json, answer: &Answer) -> Option<&'static str> {
    if let Some(statuses) = result["summary"]["status"].as_object() {
        let words = ["refuted", "broken", "unknown", "pending", "unattempted", "uncertain", "reviewed"];
        return Some(words.into_iter().find(|word| statuses.contains_key(*word)).unwrap_or("discharged"));
    }
    match result["verdict"].as_str() {
        Some("vacuous") => Some("vacuous"),
        _ => Some(RowVerdict::from(answer.exit()).word()),
    }
}

fn scope(result: &Json) -> String {
    let scope = match &result["scope"] {
        Json::Null => &result["model"]["scope"],
        scope => scope,
    };
    let shown = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let mut parts: Vec<String> = vec![];
    for (sizes, of) in [("sets", "card"), ("sizes", "card"), ("settings", "")] {
        for (name, value) in scope[sizes].as_object().into_iter().flatten() {
            parts.push(match of {
                "" => format!("{name} = {}", shown(value)),
                of => format!("{of}({name}) = {}", shown(value)),
            });
        }
    }
    for (name, word) in [("maxint", "MAXINT"), ("minint", "MININT")] {
        if let Some(value) = scope.get(name) {
            parts.push(format!("{word} = {}", shown(value)));
        }
    }
    parts.join(", ")
}

/// Notes about parts that were not checked, and warnings.
fn notes(result: &Json) -> Vec<Note> {
    let mut notes = vec![];
    let mut add = |item: &Json, text: String| {
        let place = item.as_object();
        notes.push(Note {
            text,
            file: place.and_then(|p| p.get("file")?.as_str().map(str::to_string)),
            line: place.and_then(|p| p.get("line")?.as_u64()),
        });
    };
    let word = |item: &Json, name: &str| item[name].as_str().unwrap_or_default().to_string();
    for item in list(result, "unsupported") {
        add(item, format!("{}: {}", word(item, "part"), word(item, "reason")));
    }
    for item in list(result, "not_checked") {
        add(item, format!("not checked: {}", word(item, "text")));
    }
    for item in list(result, "not_asked") {
        add(item, format!("not asked: {}", word(item, "text")));
    }
    for item in list(result, "core") {
        add(item, format!("one of the axioms that contradict each other: {}", word(item, "text")));
    }
    for item in list(result, "warnings") {
        add(item, item.as_str().unwrap_or_default().into());
    }
    for item in list(result, "diagnostics") {
        add(item, format!("{} {}: {}", word(item, "severity"), word(item, "code"), word(item, "message")));
    }
    notes
}
