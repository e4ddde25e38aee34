//! `bsym ldd` as users meet it: the verdicts and counts of `mc`, traces, limits.

mod common;

use std::process::Output;

use common::{answer, assert_valid, bsym, file, json, run};
use serde_json::Value as Json;

fn ldd(machine: &str, arguments: &[&str]) -> Output {
    run("ldd", &common::machine(machine), arguments)
}

fn result(machine: &str, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("result", "ldd", &common::machine(machine), arguments)
}

#[test]
fn counts_are_those_of_single_states() {
    let (code, object) = result("Peterson.mch", &["--prop", "inv,deadlock", "--scope", "Process=3"]);
    assert_eq!((code, &object["engine"]), (Some(0), &"ldd".into()));
    assert_eq!((&object["states"], &object["transitions"]), (&883.into(), &2648.into()));
    assert_eq!(object["stats"]["diagram"]["states"], "883");
}

#[test]
fn a_violation_has_a_trace() {
    let (code, object) = result("PhonebookWrong.mch", &[]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()));
    assert!(!object["trace"].as_array().expect("a trace").is_empty());
    let (code, object) = result("ProcessesStuck.mch", &["--prop", "deadlock", "--strategy", "breadth-first"]);
    assert_eq!((code, &object["property"]), (Some(1), &"deadlock".into()));
}

#[test]
fn variables_can_be_put_in_order() {
    let (_, computed) = result("Peterson.mch", &["--scope", "Process=3"]);
    let order = ["--scope", "Process=3", "--order", "polite,aim"];
    let (code, object) = result("Peterson.mch", &order);
    assert_eq!((code, &object["states"]), (Some(0), &computed["states"]));
    let refused = ldd("Peterson.mch", &["--order", "aim,polit"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.contains("has no variable `polit`") && error.contains("did you mean `polite`?"), "{error}");
}

#[test]
fn more_states_than_a_number_can_say() {
    let names: Vec<String> = (0..60).map(|i| format!("x{i}")).collect();
    let each = |text: &dyn Fn(&String) -> String, between: &str| {
        names.iter().map(text).collect::<Vec<_>>().join(between)
    };
    let text = format!(
        "MACHINE Many VARIABLES {} INVARIANT {} INITIALISATION {} OPERATIONS {} END",
        names.join(", "),
        each(&|x| format!("{x} : 0..2"), " & "),
        each(&|x| format!("{x} := 0"), " || "),
        each(&|x| format!("up_{x} = SELECT {x} < 2 THEN {x} := {x} + 1 END"), "; "),
    );
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "Many.mch", &text);
    let output = bsym().args(["ldd", "--prop", "inv", "--json"]).arg(&path).output().expect("it runs");
    let object = json(&output);
    assert_valid("result", &object);
    assert_eq!((output.status.code(), &object["states"]), (Some(0), &Json::Null));
    assert_eq!(object["stats"]["diagram"]["states"], 3u128.pow(60).to_string());
}

#[test]
fn what_it_does_not_do_is_refused() {
    for arguments in [["--depth", "3"], ["--encoding", "sat"], ["--certificate", "x.json"]] {
        assert_eq!(ldd("Peterson.mch", &arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// A search that is stopped says how far it came.
#[test]
fn a_search_that_is_stopped_says_how_far_it_came() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Long VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
        OPERATIONS up = SELECT x < 100000000 THEN x := x + 1 END END";
    let path = file(dir.path(), "Long.mch", text);
    let said = |arguments: &[&str]| {
        let output =
            bsym().arg("ldd").arg(&path).args(["--timeout", "1s"]).args(arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let by_depth = said(&["--strategy", "breadth-first"]);
    assert!(by_depth.contains("no violation within ") && !by_depth.contains("within 0"), "{by_depth}");
    let chaining = said(&[]);
    assert!(
        chaining.contains("no violation in the first ") && chaining.contains(" rounds of the search"),
        "{chaining}"
    );
}
