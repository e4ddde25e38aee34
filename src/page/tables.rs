//! The table of an answer that can be filtered: properties, formulas, obligations, or machines.

use serde::Serialize;
use serde_json::Value as Json;

use super::fields::{list, text};

/// A table with a verdict in each row.
#[derive(Serialize, Clone, Debug)]
pub struct Rows {
    pub title: String,
    caption: String,
    columns: Vec<&'static str>,
    /// The verdicts that occur.
    verdicts: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Serialize, Clone, Debug)]
struct Row {
    verdict: String,
    name: String,
    cells: Vec<String>,
    file: Option<String>,
    line: Option<u64>,
}

/// The table of a result, if it has one.
pub fn rows(result: &Json) -> Option<Rows> {
    let (title, columns, rows): (&str, &[&str], Vec<Row>) = match result["format"].as_str()? {
        "bsym-result" => {
            let row = |item: &Json| {
                row(item, "verdict", text(item, "text"), vec![text(item, "label"), text(item, "property")])
            };
            (
                "Properties",
                &["verdict", "property", "label", "kind"],
                list(result, "properties").map(row).collect(),
            )
        }
        "bsym-ltl" => {
            let row = |item: &Json| {
                row(item, "verdict", text(item, "text"), vec![text(item, "name"), text(item, "message")])
            };
            (
                "Formulas",
                &["verdict", "formula", "name", "reason"],
                list(result, "formulas").map(row).collect(),
            )
        }
        "bsym-po" => {
            let row = |item: &Json| {
                let provers = list(item, "prover").filter_map(Json::as_str).collect::<Vec<_>>().join(", ");
                let name = text(&item["source"], "name").or_else(|| text(item, "id"));
                row(
                    item,
                    "status",
                    name,
                    vec![text(item, "kind"), text(&item["target"], "text"), Some(provers)],
                )
            };
            (
                "Obligations",
                &["status", "obligation", "kind", "goal", "prover"],
                list(result, "obligations").map(row).collect(),
            )
        }
        "bsym-results" => {
            let row = |item: &Json| {
                let seconds = item["seconds"].as_f64().map(|s| format!("{s:.2}"));
                let violated = list(item, "violated").filter_map(Json::as_str).collect::<Vec<_>>().join(", ");
                let why = text(item, "error").or(Some(violated));
                row(
                    item,
                    "verdict",
                    text(item, "file"),
                    vec![text(item, "component"), text(item, "engine"), seconds, why],
                )
            };
            (
                "Machines",
                &["verdict", "file", "machine", "engine", "seconds", "what is wrong"],
                list(result, "machines").map(row).collect(),
            )
        }
        _ => return None,
    };
    if rows.is_empty() {
        return None;
    }
    let mut verdicts: Vec<String> = rows.iter().map(|row| row.verdict.clone()).collect();
    verdicts.sort();
    verdicts.dedup();
    let counts = verdicts
        .iter()
        .map(|word| format!("{} {word}", rows.iter().filter(|row| row.verdict == *word).count()));
    let caption = counts.collect::<Vec<_>>().join(", ");
    Some(Rows { title: title.into(), caption, columns: columns.to_vec(), verdicts, rows })
}

fn row(item: &Json, verdict: &str, name: Option<String>, cells: Vec<Option<String>>) -> Row {
    Row {
        verdict: text(item, verdict).unwrap_or_default(),
        name: name.unwrap_or_default(),
        cells: cells.into_iter().map(Option::unwrap_or_default).collect(),
        file: text(item, "file"),
        line: item["line"].as_u64(),
    }
}
