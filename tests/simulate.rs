//! `bsym simulate` as users meet it: seeded walks, why they end, their traces.

mod common;

use std::process::Output;

use common::{answer, assert_valid, bsym, file, json, root, run};
use serde_json::Value as Json;

fn simulate(machine: &str, arguments: &[&str]) -> Output {
    run("simulate", &common::machine(machine), arguments)
}

fn object(machine: &str, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("simulation", "simulate", &common::machine(machine), arguments)
}

#[test]
fn a_walk_takes_the_steps_asked_for_and_replays() {
    let dir = tempfile::tempdir().expect("a folder");
    let trace = dir.path().join("walk.json");
    let name = trace.display().to_string();
    let (code, walk) = object("Peterson.mch", &["--steps", "25", "--seed", "3", "--trace", &name]);
    assert_eq!((code, &walk["ended"], &walk["events"]), (Some(0), &"steps".into(), &25.into()));
    assert_eq!(walk["trace"].as_array().map(Vec::len), Some(26));
    let machine = root().join("explore/tests/models/Peterson.mch");
    let replay = bsym().arg("replay").arg(&trace).arg(machine).output().expect("it runs");
    assert_eq!(replay.status.code(), Some(0), "{}", String::from_utf8_lossy(&replay.stdout));
}

#[test]
fn a_seed_gives_one_walk_and_seeds_differ() {
    let walk = |seed: &str| object("Phonebook.mch", &["--steps", "12", "--seed", seed]).1["trace"].clone();
    assert_eq!(walk("1"), walk("1"));
    let walks: std::collections::HashSet<String> =
        ["1", "2", "3", "4"].iter().map(|s| walk(s).to_string()).collect();
    assert!(walks.len() > 1);
}

#[test]
fn a_walk_stops_at_a_violation_and_in_a_deadlock() {
    let ends = |machine: &str, kind: &str| {
        (0..20).map(|seed| object(machine, &["--seed", &seed.to_string()])).find(|(_, w)| w["ended"] == kind)
    };
    let (code, walk) = ends("PhonebookWrong.mch", "violated").expect("some walk finds the violation");
    assert_eq!((code, &walk["violated"][0]["property"]), (Some(1), &"inv".into()));
    let (code, walk) = ends("ProcessesStuck.mch", "deadlock").expect("some walk gets stuck");
    assert_eq!((code, &walk["violated"]), (Some(0), &serde_json::json!([])));
    let seed = walk["seed"].to_string();
    let text = simulate("ProcessesStuck.mch", &["--seed", &seed]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.starts_with("deadlock: no event of ProcessesStuck is enabled after"), "{text}");
}

#[test]
fn a_step_that_fails_and_a_model_without_states_are_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = |name: &str, text: &str| {
        let path = file(dir.path(), name, text);
        let output = bsym().args(["simulate", "--json"]).arg(path).output().expect("it runs");
        let object = json(&output);
        assert_valid("simulation", &object);
        (output.status.code(), object)
    };
    let (code, walk) = run(
        "Halve.mch",
        "MACHINE Halve VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 3
         OPERATIONS next = BEGIN x := 3 / (x - 2) - 1; ASSERT x < 2 THEN x := x - 1 END END END",
    );
    assert_eq!((code, &walk["ended"]), (Some(1), &"violated".into()), "{walk:#}");
    assert_eq!(walk["violated"][0]["property"], "assert");
    assert!(walk["trace"].as_array().and_then(|t| t.last()).is_some_and(|s| s["state"].is_null()));
    let (code, walk) = run("None.mch", "MACHINE None CONSTANTS c PROPERTIES c : 1..3 & c > 5 END");
    assert_eq!((code, &walk["ended"]), (Some(3), &"vacuous".into()));
}
