//! Runs the examples and compares with the answer in the first comment of each.

mod common;

use std::path::Path;

use common::{bsym, has_solver, json, root};
use serde_json::Value as Json;

/// Expectations in the first comment of an example.
#[derive(Debug, Default)]
struct Expected {
    command: Vec<String>,
    /// Verdict, engine, further flags.
    answers: Vec<(String, String, Vec<String>)>,
    property: Option<String>,
    events: Option<u64>,
}

fn expected(path: &Path) -> Expected {
    let text = std::fs::read_to_string(path).unwrap();
    let comment = text.split("*/").next().unwrap().to_string();
    assert!(comment.starts_with("/*"), "{}: no first comment", path.display());
    let mut found = Expected::default();
    for line in comment.lines().map(str::trim) {
        let words = |s: &str| s.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        if let Some(rest) = line.strip_prefix("command: bsym ") {
            found.command = words(rest);
        } else if let Some(rest) = line.strip_prefix("answer: ") {
            for part in rest.split(';') {
                let (verdict, engines) = part.split_once(" with ").expect("`VERDICT with ENGINE, …`");
                for engine in engines.split(',') {
                    let mut engine = words(engine);
                    let name = engine.remove(0);
                    found.answers.push((verdict.trim().to_string(), name, engine));
                }
            }
        } else if let Some(rest) = line.strip_prefix("property: ") {
            found.property = Some(rest.to_string());
        } else if let Some(rest) = line.strip_prefix("events: ") {
            found.events = Some(rest.parse().unwrap());
        }
    }
    assert!(!found.command.is_empty() && !found.answers.is_empty(), "{}: {found:?}", path.display());
    found
}

fn code(verdict: &str) -> i32 {
    match verdict {
        "holds" => 0,
        "violated" => 1,
        _ => 3,
    }
}

fn check(name: &str) {
    if !has_solver() {
        return;
    }
    let expected = expected(&root().join("examples").join(name));
    for (verdict, engine, flags) in &expected.answers {
        let mut arguments = expected.command.clone();
        arguments[0] = engine.clone();
        arguments.extend(flags.iter().cloned());
        arguments.extend(["--json", "--timeout", "60s"].map(str::to_string));
        let output = bsym().args(&arguments).output().unwrap();
        let result: Json = json(&output);
        assert_eq!(result["verdict"], verdict.as_str(), "{arguments:?}: {result:#}");
        assert_eq!(output.status.code(), Some(code(verdict)), "{arguments:?}");
        common::assert_valid("result", &result);
        if verdict == "violated" {
            if let Some(property) = &expected.property {
                assert_eq!(result["property"], property.as_str(), "{arguments:?}: {result:#}");
            }
            let steps = result["trace"].as_array().unwrap().len() as u64;
            if let Some(events) = expected.events {
                // Only bmc promises the shortest trace.
                assert!(steps > events, "{arguments:?}: {result:#}");
                if engine == "bmc" {
                    assert_eq!(steps, events + 1, "{arguments:?}: {result:#}");
                }
            }
            assert!(!result["violated"].as_array().unwrap().is_empty());
        }
        if verdict == "holds" {
            let searched = result["certificate_kind"] == "search";
            assert!(searched || result["checked"]["checks"].as_u64().unwrap() > 0, "{result:#}");
            assert!(result["certificate_kind"].is_string());
        }
    }
}

macro_rules! examples {
    ($($test:ident $file:literal)*) => {
        $(#[test] fn $test() { check($file); })*

        #[test]
        fn every_example_is_tested() {
            let mut files: Vec<String> = std::fs::read_dir(root().join("examples"))
                .unwrap()
                .map(|e| e.unwrap().file_name().into_string().unwrap())
                .filter(|n| n.ends_with(".mch"))
                .collect();
            files.sort();
            assert_eq!(files, [$($file),*]);
        }
    };
}
examples! {
    claimed "claimed.mch"
    counter "counter.mch"
    crossing "crossing.mch"
    empty "empty.mch"
    library "library.mch"
    lift "lift.mch"
    lookup "lookup.mch"
    mutex "mutex.mch"
    overflow "overflow.mch"
    pump "pump.mch"
    station "station.mch"
    vending "vending.mch"
}

#[test]
fn the_invariant_found_for_mutual_exclusion_is_for_all_sizes() {
    if !has_solver() {
        return;
    }
    let output = bsym().args(["ic3", "examples/mutex.mch", "--json"]).output().unwrap();
    let result = json(&output);
    assert_eq!(result["scope"]["sets"]["PROCESS"], "any");
    assert_eq!(result["certificate_kind"], "inductive");
}

#[test]
fn a_wrong_status_is_found_out() {
    if !has_solver() {
        return;
    }
    let arguments = ["ic3", "examples/claimed.mch", "--proofs", "examples/claimed.po.json"];
    let output = bsym().args(arguments).arg("--json").output().unwrap();
    let result = json(&output);
    assert_eq!(result["proofs"]["wrong"][0]["event"], "take", "{result:#}");
    assert_eq!(result["proofs"]["wrong"][0]["conjunct"], "not_negative");
    let text = bsym().args(arguments).output().unwrap();
    assert!(String::from_utf8_lossy(&text.stdout).contains("WRONG STATUS"));
}
