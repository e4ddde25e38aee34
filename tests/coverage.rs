//! `mc --coverage`: the counts agree with each other and with the machine, for every way to search.

mod common;

use common::{answer, machine, root, run};
use serde_json::{Value as Json, json};

#[cfg(unix)]
#[test]
fn the_document_says_what_is_printed() {
    common::document::check_document("docs/coverage.md", &[("examples", "examples")]);
}

#[test]
fn the_conjunct_that_keeps_an_event_off_is_counted() {
    let (code, result) = answer("result", "mc", &root().join("examples/vending.mch"), &["--coverage"]);
    assert_eq!(code, Some(0));
    let coverage = &result["coverage"];
    assert_eq!(coverage["complete"], true);
    let refill = &coverage["events"][3];
    assert_eq!((&refill["event"], &refill["firings"]), (&json!("refill"), &json!(0)));
    let found: Vec<_> = refill["kept_off"]["conjuncts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (&c["text"], &c["states"]))
        .collect();
    assert_eq!(
        found,
        [
            (&json!("stock = 0"), &json!(30)),
            (&json!("credit = 5"), &json!(15)),
            (&json!("served /= {}"), &json!(0))
        ]
    );
    let credit = json!({ "variable": "credit", "values": 5, "least": 0, "greatest": 4 });
    assert_eq!(coverage["variables"][0], credit);
    assert!(coverage["events"][0]["kept_off"].is_null());
}

/// Every transition is counted once, and every state. The results have `states` with one node for each valuation.
fn agrees(result: &Json) {
    let coverage = &result["coverage"];
    let firings: u64 =
        coverage["events"].as_array().unwrap().iter().map(|e| e["firings"].as_u64().unwrap()).sum();
    let depths: u64 = coverage["depths"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(coverage["states"].as_u64(), Some(depths));
    let valuations = result["states"].as_u64().unwrap() - depths;
    let initial = coverage["depths"][0].as_u64().unwrap();
    assert_eq!(firings + valuations + initial, result["transitions"].as_u64().unwrap(), "{coverage:#}");
}

#[test]
fn firings_are_the_transitions_with_one_thread_and_with_several() {
    for name in ["Peterson.mch", "Scheduler.mch"] {
        let of = |arguments: &[&str]| {
            let (_, result) = answer("result", "mc", &machine(name), &[&["--coverage"], arguments].concat());
            result
        };
        let one = of(&[]);
        agrees(&one);
        assert_eq!(of(&["--threads", "2"])["coverage"], one["coverage"], "{name}");
        assert!(of(&[])["coverage"].is_object() && one["coverage"]["expanded"] == one["coverage"]["states"]);
    }
}

#[test]
fn what_a_limit_leaves_is_said_of_what_was_visited() {
    let vending = root().join("examples/vending.mch");
    let (_, result) = answer("result", "mc", &vending, &["--coverage", "--max-states", "10"]);
    agrees(&result);
    assert_eq!(result["coverage"]["complete"], false);
    assert!(result["coverage"]["expanded"].as_u64() < result["coverage"]["states"].as_u64());
    // A violation ends the search as well, unless it is to go on.
    let library = root().join("examples/library.mch");
    let (_, result) = answer("result", "mc", &library, &["--coverage"]);
    agrees(&result);
    assert_eq!(result["coverage"]["complete"], false);
    let (_, result) = answer("result", "mc", &library, &["--coverage", "--keep-going"]);
    agrees(&result);
    assert_eq!((&result["coverage"]["complete"], &result["coverage"]["states"]), (&json!(true), &json!(27)));
}

#[test]
fn searches_that_leave_states_out_refuse_to_count() {
    let vending = root().join("examples/vending.mch");
    for (arguments, reason) in [
        (&["--por"][..], "leaves out events"),
        (&["--symmetry", "canonical"], "stands for several"),
        (&["--resume", "x"], "not kept"),
    ] {
        let output = run("mc", &vending, &[&["--coverage"], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("--coverage") && said.contains(reason), "{said}");
    }
    let (_, result) = answer("result", "mc", &vending, &[]);
    assert!(result["coverage"].is_null());
}
