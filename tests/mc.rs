//! `bsym mc` as users meet it: verdicts, counts, certificates, limits, interrupts.

mod common;

use std::process::{Output, Stdio};

use common::{assert_valid, bsym, file, json, root};
use serde_json::Value as Json;

const MODELS: &str = "explore/tests/models";

fn mc(machine: &str, arguments: &[&str]) -> Output {
    let path = root().join(MODELS).join(machine);
    bsym().arg("mc").arg(path).args(arguments).stdin(Stdio::null()).output().expect("it runs")
}

fn result(machine: &str, arguments: &[&str]) -> (Option<i32>, Json) {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let output = mc(machine, &arguments);
    let object = json(&output);
    assert_valid("result", &object);
    (output.status.code(), object)
}

#[test]
fn a_finished_search_is_a_proof_in_its_scope() {
    let (code, object) = result("Peterson.mch", &["--prop", "inv,deadlock"]);
    assert_eq!(code, Some(0));
    assert_eq!((&object["states"], &object["transitions"]), (&48.into(), &96.into()));
    assert_eq!(object["scope"]["sets"]["Process"], 2);
    assert_eq!(object["certificate_kind"], "search");
    let (_, object) = result("Peterson.mch", &["--scope", "Process=3"]);
    assert_eq!((&object["states"], &object["transitions"]), (&883.into(), &2648.into()));
}

#[test]
fn a_certificate_of_a_search_is_checked_by_searching_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("certificate.json");
    let name = path.display().to_string();
    assert_eq!(mc("Scheduler.mch", &["--certificate", &name]).status.code(), Some(0));
    let certify = || bsym().arg("certify").arg(&path).stdin(Stdio::null()).output().expect("it runs");
    let good = certify();
    assert_eq!(good.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&good.stdout).contains("reference evaluator"));
    let text = std::fs::read_to_string(&path).expect("it is there");
    let wrong = text.replace("\"states\": 10", "\"states\": 9");
    assert_ne!(text, wrong);
    file(dir.path(), "certificate.json", &wrong);
    assert_eq!(certify().status.code(), Some(1));
}

#[test]
fn violations_come_with_a_shortest_trace() {
    let (code, object) = result("PhonebookWrong.mch", &[]);
    assert_eq!(code, Some(1));
    assert_eq!(object["property"], "inv");
    assert_eq!(object["trace"].as_array().map(Vec::len), Some(4));
    let (code, object) = result("ProcessesStuck.mch", &["--prop", "deadlock"]);
    assert_eq!((code, &object["property"]), (Some(1), &"deadlock".into()));
    // With --keep-going the whole graph is visited.
    let (code, object) = result("ProcessesStuck.mch", &["--prop", "deadlock", "--keep-going"]);
    assert_eq!((code, &object["states"]), (Some(1), &15.into()));
}

#[test]
fn orders_and_seeds_visit_the_same_states() {
    for order in ["breadth-first", "depth-first", "mixed", "random"] {
        for seed in ["0", "7"] {
            let (code, object) = result("Padlocks.mch", &["--order", order, "--seed", seed]);
            assert_eq!((code, &object["states"], &object["transitions"]), (Some(0), &80.into(), &177.into()));
        }
    }
}

#[test]
fn limits_give_the_result_so_far() {
    let (code, object) = result("Phonebook.mch", &["--max-states", "100", "--scope", "Name=4,Number=4"]);
    assert_eq!((code, &object["verdict"]), (Some(3), &"unknown".into()));
    assert!(object["reason"].as_str().is_some_and(|r| r.starts_with("state-limit")));
    assert!(object["states"].as_u64().is_some_and(|n| n > 100));
    let output = mc("Peterson.mch", &["--depth", "3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--max-states"));
}

#[test]
fn progress_is_told_in_events() {
    let output = mc("Phonebook.mch", &["--scope", "Name=7,Number=7", "--timeout", "2s", "--jsonl"]);
    let lines: Vec<Json> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|l| serde_json::from_str(l).expect("an object a line"))
        .collect();
    lines.iter().for_each(|l| assert_valid("events", l));
    let searches: Vec<u64> =
        lines.iter().filter(|l| l["event"] == "search").filter_map(|l| l["states"].as_u64()).collect();
    assert!(searches.len() > 1 && searches.is_sorted(), "{searches:?}");
    let last = lines.last().expect("a result");
    assert_eq!((&last["event"], output.status.code()), (&"result".into(), Some(3)));
    assert!(last["result"]["reason"].as_str().is_some_and(|r| r.starts_with("timeout")));
}
