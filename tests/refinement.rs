//! What a refinement of classical B drops is part of every answer about it.

mod common;

use std::path::{Path, PathBuf};

use common::{assert_valid, bsym, file, has_solver, json};
use serde_json::Value as Json;

/// Tokens that are out, as a set; the refinement counts them.
const TOKENS: &str = "MACHINE Tokens
VARIABLES out
INVARIANT out <: 0..3
INITIALISATION out := {}
OPERATIONS
  take = PRE out /= {} THEN ANY x WHERE x : out THEN out := out - {x} END END;
  more = out := 0..3
END
";

/// The refinement with given bodies of `take` and `more`.
fn counter(folder: &Path, take: &str, more: &str) -> PathBuf {
    file(folder, "Tokens.mch", TOKENS);
    let text = format!(
        "REFINEMENT Counter REFINES Tokens
VARIABLES n
INVARIANT n : 0..4 & n = card(out)
INITIALISATION n := 0
OPERATIONS
  take = BEGIN {take} END;
  more = BEGIN {more} END
END
"
    );
    file(folder, "Counter.ref", text)
}

fn answer(command: &str, machine: &Path) -> (Option<i32>, Json) {
    let output =
        bsym().arg(command).arg(machine).args(["--json", "--timeout", "60"]).output().expect("it runs");
    let object = json(&output);
    assert_valid(if command == "simulate" { "simulation" } else { "result" }, &object);
    (output.status.code(), object)
}

#[test]
fn a_proof_that_leaves_out_the_gluing_is_no_plain_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    // It is wrong: three tokens are counted where four are out.
    let machine = counter(folder.path(), "IF n > 0 THEN n := n - 1 END", "n := 3");
    for command in if has_solver() { &["mc", "check"][..] } else { &["mc"] } {
        let (code, object) = answer(command, &machine);
        assert_eq!((code, &object["property"]), (Some(1), &"refinement".into()), "{command}: {object:#}");
        assert_eq!(object["refinement"]["counterexample"]["related"][0][0]["Tokens.out"], "{}", "{command}");
        assert_eq!(object["trace"].as_array().map(Vec::len), Some(2), "{command}");
    }
    for command in if has_solver() { &["kind", "ic3"][..] } else { &[] } {
        let (code, object) = answer(command, &machine);
        assert_eq!(code, Some(3), "{command}: {object:#}");
        assert_eq!((&object["verdict"], &object["reason_code"]), (&"unknown".into(), &"not-checked".into()));
        assert!(object["certificate"].is_object(), "{command}: {object:#}");
        assert_eq!(object["conditions"][0]["code"], "not-checked", "{command}");
        let parts = object["not_checked"].as_array().expect("a list");
        let texts: Vec<_> = parts.iter().map(|p| (p["kind"].as_str(), p["text"].as_str())).collect();
        assert_eq!(
            texts,
            [
                (Some("invariant"), Some("n = card(out)")),
                (Some("invariant"), Some("out <: 0..3")),
                (Some("abstract-precondition"), Some("out /= {}"))
            ],
            "{command}"
        );
        assert_eq!((&parts[0]["line"], &parts[2]["event"]), (&3.into(), &"take".into()));
    }
    let text = |arguments: &[&str]| {
        let output = bsym().args(arguments).arg(&machine).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let said = text(&["ldd"]);
    assert!(said.contains("not checked: 3 parts of the machine"), "{said}");
    assert!(said.contains("`n = card(out)`"), "{said}");
    if has_solver() {
        let certificate = folder.path().join("counter.cert.json");
        let written = certificate.display().to_string();
        text(&["kind", "--certificate", &written]);
        let output = bsym().args(["certify", &written, "--json"]).output().expect("it runs");
        let certified = json(&output);
        assert_valid("certify", &certified);
        assert_eq!(certified["claim"]["not_checked"][0]["text"], "n = card(out)", "{certified:#}");
        let said = text(&["po"]);
        assert!(said.contains("not checked: 3 parts of the machine"), "{said}");
    }
}

#[test]
fn a_step_outside_of_the_abstract_precondition_is_no_violation() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = counter(folder.path(), "n := n - 1", "n := 4");
    // Whoever looks at the abstraction as well knows that nobody may take that step.
    for command in if has_solver() { &["mc", "check"][..] } else { &["mc"] } {
        let (code, object) = answer(command, &machine);
        assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{command}: {object:#}");
        assert_eq!(object["refinement"]["verdict"], "holds", "{command}: {object:#}");
        assert_eq!(object["not_checked"], Json::Array(vec![]), "{command}: {object:#}");
    }
    for command in if has_solver() { &["bmc", "kind", "ic3"][..] } else { &[] } {
        let (code, object) = answer(command, &machine);
        assert_eq!(code, Some(3), "{command}: {object:#}");
        assert_eq!(object["reason_code"], "not-checked", "{command}");
        let reason = object["reason"].as_str().expect("a reason");
        assert!(reason.contains("take") && reason.contains("out /= {}"), "{command}: {reason}");
        assert_eq!(object["trace"].as_array().map(Vec::len), Some(2), "{command}");
        assert!(object["certificate"].is_null());
        let properties = object["properties"].as_array().expect("a list");
        assert!(properties.iter().all(|p| p["verdict"] != "violated"), "{command}: {object:#}");
    }
    let (code, object) = answer("simulate", &machine);
    assert_eq!((code, &object["ended"]), (Some(3), &"unknown".into()), "{object:#}");
    assert_eq!(object["not_checked"].as_array().map(Vec::len), Some(3), "{object:#}");
}

/// A trace means the same to whoever found it and to whoever replays it.
#[test]
fn a_replayed_trace_is_judged_as_the_engines_judge_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let replay = |take: &str, more: &str| {
        let machine = counter(folder.path(), take, more);
        let trace = folder.path().join("t.json");
        let found = bsym().arg("ldd").arg(&machine).arg("--trace").arg(&trace).output().expect("it runs");
        let output = bsym().arg("replay").arg(&trace).arg(&machine).arg("--json").output().expect("it runs");
        let object = json(&output);
        assert_valid("replay", &object);
        assert_eq!(object["replayed"], true, "{object:#}");
        assert_eq!(object["not_checked"].as_array().map(Vec::len), Some(3), "{object:#}");
        (found.status.code(), output.status.code(), object)
    };
    let (found, code, doubtful) = replay("n := n - 1", "n := 4");
    assert_eq!((found, code), (Some(3), Some(3)), "{doubtful:#}");
    assert!(doubtful["doubt"].as_str().expect("why").contains("out /= {}"), "{doubtful:#}");
    let (found, code, violated) = replay("n := n - 1", "n := n + 3");
    assert_eq!((found, code), (Some(1), Some(0)), "{violated:#}");
    assert_eq!((&violated["doubt"], violated["violated"].as_array().map(Vec::len)), (&Json::Null, Some(1)));
}

/// A violation that needs no such step is one, also where another one is nearer.
#[test]
fn a_violation_within_the_abstract_precondition_is_not_hidden() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = counter(folder.path(), "n := n - 1", "n := n + 3");
    let engines: &[&str] = if has_solver() { &["mc", "bmc", "kind", "ic3", "check"] } else { &["mc"] };
    for command in engines {
        let (code, object) = answer(command, &machine);
        assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{command}: {object:#}");
        let steps = object["trace"].as_array().expect("a trace");
        let events: Vec<_> = steps.iter().filter_map(|s| s["event"].as_str()).collect();
        assert_eq!(events, ["INITIALISATION", "more", "more"], "{command}");
        assert_eq!(object["properties"][0]["verdict"], "violated", "{command}");
    }
}

#[test]
fn a_refinement_that_keeps_all_variables_has_plain_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Tokens.mch", TOKENS);
    let machine = file(
        folder.path(),
        "Logged.ref",
        "REFINEMENT Logged REFINES Tokens
VARIABLES out, taken
INVARIANT taken : BOOL & (taken = TRUE => out /= 0..3)
INITIALISATION out := {}; taken := FALSE
OPERATIONS
  take = ANY x WHERE x : out THEN out := out - {x} || taken := TRUE END;
  more = BEGIN out := 0..3; taken := FALSE END
END
",
    );
    let engines: &[&str] = if has_solver() { &["mc", "kind", "check"] } else { &["mc"] };
    for command in engines {
        let (code, object) = answer(command, &machine);
        assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{command}: {object:#}");
        assert_eq!(object["not_checked"], Json::Array(vec![]));
    }
}

/// A conjunct that is asked for alone is all that its answer is about.
#[test]
fn a_conjunct_of_the_refinement_alone_is_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(
        folder.path(),
        "Both.ref",
        "REFINEMENT Both REFINES Tokens VARIABLES n, m
INVARIANT n : 0..4 & m : 0..1 & n = card(out) INITIALISATION n := 0; m := 0
OPERATIONS take = m := 1; more = n := 3 END
",
    );
    file(folder.path(), "Tokens.mch", TOKENS);
    let output =
        bsym().args(["mc", "--json", "--conjunct", "m : 0..1"]).arg(&machine).output().expect("it runs");
    let object = json(&output);
    assert_eq!(object["verdict"], "holds", "{object:#}");
}
