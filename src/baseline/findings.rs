//! The findings in the answer about a machine.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::answer::finding::{Finding, FindingStatus};
use crate::answer::several::{Row, RowVerdict};

/// Returns all findings about a machine. There is one unless it holds or has no answer.
pub fn all(row: &Row) -> BTreeSet<Finding> {
    let said = row.result.as_ref().unwrap_or(&Json::Null);
    if matches!(row.verdict, RowVerdict::Holds | RowVerdict::Refused | RowVerdict::Failed) || said.is_null() {
        return BTreeSet::new();
    }
    let mut all = match said["format"].as_str() {
        Some("bsym-result") => of_result(said),
        Some("bsym-ltl") => of_formulas(said),
        Some("bsym-po") => of_obligations(said),
        _ => BTreeSet::new(),
    };
    let is_there = |outcome: FindingStatus| all.iter().any(|finding| finding.outcome == outcome);
    // The findings are never better than the verdict.
    let whole = match row.verdict {
        RowVerdict::Violated if !is_there(FindingStatus::Violated) => Some(FindingStatus::Violated),
        _ if said["verdict"] == "vacuous" => Some(FindingStatus::Vacuous),
        RowVerdict::Unknown if all.is_empty() => Some(FindingStatus::Open),
        _ => None,
    };
    all.extend(whole.map(Finding::whole));
    all
}

fn each(array: &Json) -> impl Iterator<Item = &Json> {
    array.as_array().into_iter().flatten()
}

fn of_result(said: &Json) -> BTreeSet<Finding> {
    let mut all = BTreeSet::new();
    if said["verdict"] == "vacuous" {
        return all;
    }
    if said["verdict"] == "violated" {
        for found in std::iter::once(said).chain(each(&said["further"])) {
            all.extend(
                each(&found["violated"]).map(|property| Finding::of(FindingStatus::Violated, property)),
            );
        }
    }
    for property in each(&said["properties"]) {
        match property["verdict"].as_str() {
            Some("violated") => drop(all.insert(Finding::of(FindingStatus::Violated, property))),
            Some("unknown") => drop(all.insert(Finding::of(FindingStatus::Open, property))),
            _ => {}
        }
    }
    let decided: Vec<Finding> =
        all.iter().filter(|f| f.outcome == FindingStatus::Violated).cloned().collect();
    all.retain(|finding| {
        finding.outcome == FindingStatus::Violated || !decided.iter().any(|one| one.covers(finding))
    });
    all
}

fn of_formulas(said: &Json) -> BTreeSet<Finding> {
    let of = |formula: &Json| {
        let outcome = match formula["verdict"].as_str() {
            Some("violated") => FindingStatus::Violated,
            Some("holds") => return None,
            Some("vacuous") => FindingStatus::Vacuous,
            _ => FindingStatus::Open,
        };
        Some(Finding::new(
            outcome,
            "ltl",
            formula["name"].as_str().or(formula["text"].as_str()).unwrap_or_default(),
        ))
    };
    each(&said["formulas"]).filter_map(of).collect()
}

fn of_obligations(said: &Json) -> BTreeSet<Finding> {
    let text = |object: &Json, name: &str| object[name].as_str().unwrap_or_default().to_string();
    let mut all = BTreeSet::new();
    for obligation in each(&said["obligations"]) {
        if !matches!(obligation["status"].as_str(), Some("discharged" | "trivial")) {
            let name = obligation["source"]["name"].as_str().or(obligation["id"].as_str());
            all.insert(Finding::new(FindingStatus::Open, "po", name.unwrap_or_default()));
        }
    }
    for name in each(&said["of_status"]["unknown"]).filter_map(Json::as_str) {
        all.insert(Finding::new(FindingStatus::Open, "po", name));
    }
    for part in each(&said["left_out"]) {
        all.insert(Finding::new(FindingStatus::Open, "left out", &text(part, "part")));
    }
    for part in each(&said["not_checked"]).filter_map(Json::as_str) {
        all.insert(Finding::new(FindingStatus::Open, "not checked", part));
    }
    for found in each(&said["contradictory"]) {
        let event = found["event"].as_str().unwrap_or_default();
        all.insert(Finding::new(FindingStatus::Open, "contradictory", event));
    }
    all
}
