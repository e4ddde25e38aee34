//! SARIF 2.1.0 (OASIS): one run, a result for each finding, a violation with its trace as a code flow.

use std::collections::BTreeMap;

use bsym_language::diagnostic::codes::DOCUMENTATION;
use serde_json::{Map, Value as Json, json};

use super::findings::{Checked, Finding, Place, Step, relative};
use crate::uri::encoded;

/// Writes all files into one log.
pub fn write(checked: &[Checked], exit: i32) -> String {
    let findings: Vec<&Finding> = checked.iter().flat_map(|c| &c.findings).collect();
    let mut rules: BTreeMap<&str, usize> = findings.iter().map(|f| (f.rule.as_str(), 0)).collect();
    rules.values_mut().enumerate().for_each(|(i, place)| *place = i);
    let all = checked.iter().flat_map(|c| c.findings.iter().map(move |f| (f, c.is_new(f))));
    let results: Vec<Json> = all.map(|(f, is_new)| result(f, rules[f.rule.as_str()], is_new)).collect();
    // Several machines may be of one project.
    let mut files: Vec<&str> = checked.iter().map(|c| c.file.as_str()).filter(|f| !f.is_empty()).collect();
    files.dedup();
    let artifacts: Vec<Json> = files.iter().map(|file| json!({ "location": artifact(file) })).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "bsym",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.keys().map(|id| rule(id)).collect::<Vec<_>>(),
            }},
            // A run is successful even if the machine is unknown or violated.
            "invocations": [{
                "executionSuccessful": checked.iter().all(|c| c.answered),
                "exitCode": exit,
            }],
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts,
            "results": results,
        }],
    });
    // It is made of strings and numbers.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn rule(id: &str) -> Json {
    let documented = DOCUMENTATION.iter().find(|(code, _)| code.to_string() == id);
    let (description, level) = match (documented, id.split_once('-')) {
        (Some((_, doc)), _) => (doc.trim().to_string(), "error"),
        (None, Some(("violated", kind))) => (format!("A property is violated: {}.", subject(kind)), "error"),
        (None, Some(("unknown", kind))) => (format!("A property is not decided: {}.", subject(kind)), "note"),
        (None, _) => match id {
            "vacuous" => ("There is no valuation of the constants or no initial state.".into(), "warning"),
            "unknown" => ("The machine is not decided.".into(), "note"),
            "failed" => ("bsym ended without an answer.".into(), "error"),
            _ => ("The input or a flag cannot be used.".into(), "error"),
        },
    };
    json!({
        "id": id,
        "shortDescription": { "text": description },
        "defaultConfiguration": { "level": level },
    })
}

/// A kind of property in words.
fn subject(kind: &str) -> &str {
    match kind {
        "inv" => "the invariant",
        "assertions" => "the assertions",
        "deadlock" => "deadlock freedom",
        "goal" => "that the goal is not reached",
        "wd" => "well-definedness",
        "assert" => "an ASSERT or theorem",
        "precondition" => "a precondition",
        "refinement" => "the refinement",
        other => other,
    }
}

fn result(finding: &Finding, rule: usize, is_new: Option<bool>) -> Json {
    let mut result = Map::new();
    result.insert("ruleId".into(), json!(finding.rule));
    result.insert("ruleIndex".into(), json!(rule));
    result.insert("level".into(), json!(finding.level.word()));
    result.insert("message".into(), json!({ "text": finding.message }));
    if let Some(is_new) = is_new {
        result.insert("baselineState".into(), json!(if is_new { "new" } else { "unchanged" }));
        if !is_new {
            let why = "known: the baseline has it";
            result.insert("suppressions".into(), json!([{ "kind": "external", "justification": why }]));
        }
    }
    if let Some(place) = &finding.place {
        result.insert("locations".into(), json!([{ "physicalLocation": physical(place) }]));
    }
    if !finding.trace.is_empty() {
        let flow = json!([{ "threadFlows": [{ "locations": flow(finding) }] }]);
        result.insert("codeFlows".into(), flow);
    }
    Json::Object(result)
}

/// Returns the steps, then the violation at the end.
fn flow(finding: &Finding) -> Vec<Json> {
    let mut all: Vec<Json> = finding.trace.iter().map(step).collect();
    let message = &finding.message;
    all.push(json!({ "location": location(message, finding.place.as_ref()), "importance": "essential" }));
    for (i, step) in all.iter_mut().enumerate() {
        step["executionOrder"] = json!(i);
    }
    all
}

fn step(step: &Step) -> Json {
    let state: Map<String, Json> =
        step.state.iter().map(|(name, value)| (name.clone(), json!({ "text": value }))).collect();
    json!({ "location": location(&step.text, step.place.as_ref()), "importance": "important", "state": state })
}

fn location(message: &str, place: Option<&Place>) -> Json {
    let mut location = json!({ "message": { "text": message } });
    if let Some(place) = place {
        location["physicalLocation"] = physical(place);
    }
    location
}

fn physical(place: &Place) -> Json {
    let mut object = json!({ "artifactLocation": artifact(&place.file) });
    let Some(line) = place.line else { return object };
    let mut region = Map::new();
    region.insert("startLine".into(), json!(line));
    let members =
        [("startColumn", place.column), ("endLine", place.end_line), ("endColumn", place.end_column)];
    for (name, value) in members {
        region.extend(value.map(|value| (name.to_string(), json!(value))));
    }
    object["region"] = Json::Object(region);
    object
}

/// A path as a URI: below the current folder a relative one.
fn artifact(file: &str) -> Json {
    let path = relative(file);
    let uri = encoded(&path);
    match path.starts_with('/') {
        true => json!({ "uri": format!("file://{uri}") }),
        false => json!({ "uri": uri }),
    }
}
