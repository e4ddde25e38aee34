//! Explanations of open obligations: the state and the step that refute them, and whether they are reachable.

mod common;

use std::path::Path;

use common::{bsym, file, has_solver, json, root};
use serde_json::Value as Json;

const STEPS: &str = "MACHINE Steps VARIABLES x, y, noise
INVARIANT x : NATURAL & y : NATURAL & x <= 10 & noise : BOOL
INITIALISATION x, y, noise := 0, 0, TRUE
OPERATIONS step = SELECT y < 5 THEN x := x + 2 || y := y + 1 || noise := bool(noise = FALSE) END END";

const OVER: &str =
    "MACHINE Over VARIABLES n INVARIANT n : NATURAL & n <= 3 ASSERTIONS n < 3 INITIALISATION n := 0
OPERATIONS inc = BEGIN n := n + 1 END; half(p) = PRE p : NATURAL THEN n := n / p END END";

fn explained(machine: &Path, more: &[&str]) -> Vec<Json> {
    let output =
        bsym().arg("po").arg(machine).args(["--json", "--explain"]).args(more).output().expect("it runs");
    let object = json(&output);
    let all = object["explanations"].as_array().cloned().unwrap_or_else(|| panic!("{object:#}"));
    let schema = std::fs::read_to_string(root().join("schema/explanation.schema.json")).expect("a schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for explanation in &all {
        let wrong: Vec<String> = validator.iter_errors(explanation).map(|e| e.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?} {explanation:#}");
    }
    all
}

#[test]
fn a_state_that_is_not_reachable_is_excluded_by_what_the_invariant_lacks() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Steps.mch", STEPS);
    let all = explained(&machine, &[]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(all[0]["name"], "step/inv3/INV");
    assert_eq!(all[0]["violated"][0]["text"], "x <= 10");
    assert_eq!(all[0]["reach"]["kind"], "excluded", "{:#}", all[0]);
    assert_eq!(all[0]["reach"]["lemmas"], serde_json::json!(["x = 2 * y"]));
    // Variables that neither the goal nor the guard reads are not shown.
    let state = all[0]["step"][0]["state"].as_object().expect("a state");
    assert_eq!(state.keys().collect::<Vec<_>>(), ["x", "y"]);
    assert!(state["x"] == "9" || state["x"] == "10", "{state:?}");
}

#[test]
fn a_state_that_is_reachable_has_its_trace() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Over.mch", OVER);
    let all = explained(&machine, &[]);
    let of = |name: &str| all.iter().find(|e| e["name"] == name).unwrap_or_else(|| panic!("{all:#?}"));
    for name in ["inc/inv2/INV", "ass1/ASSERTION"] {
        assert_eq!(of(name)["reach"]["kind"], "reached");
        assert_eq!(of(name)["reach"]["trace"].as_array().map(Vec::len), Some(4), "{name}");
    }
    let divided = of("half/1/WD");
    assert_eq!(divided["violated"][0]["property"], "wd", "{divided:#}");
    assert_eq!(divided["step"][1]["parameters"]["p"], "0");
    let one = explained(&machine, &["inc/inv2/INV"]);
    assert_eq!(one.len(), 1);
    let output =
        bsym().arg("po").arg(&machine).args(["--explain", "inc/inv9/INV"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("did you mean") && output.status.code() == Some(2), "{text}");
}

/// Elements of a set of any size have the names that traces give them.
#[test]
fn states_over_sets_of_any_size_are_explained() {
    if !has_solver() {
        return;
    }
    let all = explained(&root().join("examples/mutex.mch"), &["enter/exclusion/INV"]);
    assert_eq!(all[0]["violated"][0]["label"], "exclusion", "{all:#?}");
    assert_eq!(all[0]["reach"]["kind"], "excluded", "{all:#?}");
}
