//! Parts of a refinement of classical B that are dropped appear in every answer about it.

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
        // Obligations speak of both.
        let said = text(&["po"]);
        assert!(!said.contains("not checked") && said.contains("discharged"), "{said}");
    }
}

#[test]
fn a_step_outside_of_the_abstract_precondition_is_no_violation() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = counter(folder.path(), "n := n - 1", "n := 4");
    // A check of the abstraction as well shows that this step may not be taken.
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

/// A trace means the same to the engine that found it and to the command that replays it.
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

/// A violation without such a step is reported, even if another one is nearer.
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

/// An answer about a single conjunct covers only that conjunct.
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

fn said(arguments: &[&str], machine: &Path) -> (Option<i32>, String) {
    let output = bsym().args(arguments).arg(machine).args(["--timeout", "60"]).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

const DICE: &str = "MACHINE Dice SETS FACE VARIABLES next INVARIANT next : FACE INITIALISATION next :: FACE
OPERATIONS n <-- throw = BEGIN n := next || next :: FACE END END";

/// The comparison is part of the promise of `check`: where it is undecided, no form of the answer is `holds`.
#[test]
fn an_undecided_comparison_leaves_the_answer_open() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Dice.mch", DICE);
    // Nothing determines what the abstraction has chosen, so that it holds with two faces, and it is open for other
    // sizes.
    let text = "REFINEMENT Late REFINES Dice OPERATIONS n <-- throw = n :: FACE END";
    let machine = file(folder.path(), "Late.ref", text);
    let (code, object) = answer("check", &machine);
    assert_eq!((code, &object["verdict"]), (Some(3), &"unknown".into()), "{object:#}");
    assert_eq!(object["reason_code"], "not-compared", "{object:#}");
    assert_eq!(object["conditions"][0]["code"], "not-compared", "{object:#}");
    assert_eq!(object["refinement"]["scope"]["sets"]["FACE"], 2, "{object:#}");
    let reason = object["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("holds with card(FACE) = 2"), "{reason}");
    let (code, text) = said(&["check"], &machine);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.starts_with("unknown: "), "{text}");
    for form in ["junit", "sarif", "github"] {
        let (code, text) = said(&["check", "--format", form], &machine);
        assert_eq!(code, Some(3), "{form}: {text}");
        assert!(text.contains("comparison with the abstraction"), "{form}: {text}");
    }
    // A row among others.
    let (code, text) = said(&["check", folder.path().join("Dice.mch").to_str().unwrap()], &machine);
    assert_eq!(code, Some(3), "{text}");
    let row = text.lines().find(|line| line.contains("Late.ref")).unwrap_or_default();
    assert!(row.contains("unknown") && row.contains("not-compared"), "{text}");
    // With a size it is decided.
    let output =
        bsym().args(["check", "--scope", "FACE=3", "--json"]).arg(&machine).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{:#}", json(&output));
    // A question about one part alone is answered with the parts that are not asked.
    let (_, text) = said(&["kind"], &machine);
    assert!(text.contains("that it refines Dice (`bsym refine`)"), "{text}");
}

/// Choices among all of NAT, in the scope of 32 bits: a wrong step is found, a right one is proved.
#[test]
fn comparisons_are_decided_with_bounds_of_32_bits() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(
        folder.path(),
        "Gauge.mch",
        "MACHINE Gauge VARIABLES now, most INVARIANT now : NAT & most : NAT & now <= most
INITIALISATION now, most : (now : NAT & most : NAT & now <= most)
OPERATIONS up = SELECT now < most THEN now := now + 1 END; set(k) = PRE k : NAT & k <= most THEN now := k END; n <-- get = n := now END",
    );
    let text = "REFINEMENT Gauge_r REFINES Gauge VARIABLES now, most INITIALISATION now := 10 ; most := 90
OPERATIONS up = IF now < most THEN now := now + 1 ELSE SELECT 1 > 2 THEN skip END END; set(k) = now := k; n <-- get = n := now END";
    let ask = |changes: &[(&str, &str)]| {
        let mut text = text.to_string();
        for (old, new) in changes {
            assert!(text.contains(old), "{old}");
            text = text.replacen(old, new, 1);
        }
        let machine = file(folder.path(), "Gauge_r.ref", text);
        answer("check", &machine)
    };
    let (code, object) = ask(&[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    let (code, object) =
        ask(&[("IF now < most THEN now := now + 1", "IF now < most - 1 THEN now := now + 2")]);
    assert_eq!((code, &object["property"]), (Some(1), &"refinement".into()), "{object:#}");
    assert_eq!(object["engine"], "refine", "{object:#}");
    let (code, object) = ask(&[("n := now", "n := now + 1")]);
    assert_eq!((code, &object["property"]), (Some(1), &"refinement".into()), "{object:#}");
    // With a wrong beginning there is at least no `holds`.
    let (code, object) = ask(&[("most := 90", "most := 9")]);
    assert!(code == Some(1) || code == Some(3), "{object:#}");
}

/// States that are reachable by calls the abstraction allows are proved together with the refinement.
#[test]
fn a_proof_of_all_levels_answers_for_the_refinement() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(
        folder.path(),
        "Walk.mch",
        "MACHINE Walk CONCRETE_CONSTANTS end PROPERTIES end : NAT ABSTRACT_VARIABLES left INVARIANT left <: 0..end
INITIALISATION left := 0..end
OPERATIONS e <-- step = PRE left /= {} THEN ANY c WHERE c : left THEN e := c || left := left - {c} END END END",
    );
    let text =
        "IMPLEMENTATION Walk_i REFINES Walk CONCRETE_VARIABLES at INVARIANT at : 0..end + 1 & left = at..end
INITIALISATION at := 0 OPERATIONS e <-- step = BEGIN e := at ; at := at + 1 END END";
    let machine = file(folder.path(), "Walk_i.imp", text);
    let (code, object) = answer("check", &machine);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    assert_eq!(object["scope"]["maxint"], 2147483647, "{object:#}");
    assert_ne!(object["engine"], "mc", "{object:#}");
    // It has no certificate, and a request for one does not end with exit code 0.
    let certificate = folder.path().join("walk.json");
    let (code, text) = said(&["check", "--certificate", certificate.to_str().unwrap()], &machine);
    assert_eq!((code, certificate.exists()), (Some(4), false), "{text}");
    assert!(text.contains("`") && text.contains("was not written: the proof is about the machine"), "{text}");
    let wrong = file(folder.path(), "Walk_i.imp", text_with_a_fault(&machine));
    let (code, text) = said(&["check", "--certificate", certificate.to_str().unwrap()], &wrong);
    assert_eq!((code, certificate.exists()), (Some(1), false), "{text}");
    assert!(text.contains("was not written: nothing is proved"), "{text}");
}

fn text_with_a_fault(machine: &Path) -> String {
    std::fs::read_to_string(machine).expect("a file").replace("at := at + 1 END", "at := at + 2 END")
}

/// A trace that no caller may cause is not shown as if it were one of a fault.
#[test]
fn a_trace_outside_of_the_abstract_precondition_is_not_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = counter(folder.path(), "n := n - 1", "n := 4");
    for command in if has_solver() { &["bmc", "ldd", "simulate"][..] } else { &["ldd", "simulate"] } {
        let (code, text) = said(&[command], &machine);
        assert_eq!(code, Some(3), "{command}: {text}");
        assert!(!text.contains("false: n : 0..4"), "{command}: {text}");
        assert!(text.contains("so it does not count as a violation"), "{command}: {text}");
    }
}

/// The search has an answer long before the limit, which ends the attempt at a proof.
#[cfg(unix)]
#[test]
fn what_was_compared_is_said_although_the_solver_never_answers() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let machine = |head: &str, v: &str, gluing: &str| {
        format!(
            "{head} VARIABLES {v} INVARIANT {v} : 0..4{gluing} INITIALISATION {v} := 0
             OPERATIONS step = SELECT {v} < 4 THEN {v} := {v} + 1 END; back = {v} := 0 END"
        )
    };
    file(folder.path(), "Up.mch", machine("MACHINE Up", "n", ""));
    let refinement = file(folder.path(), "Up_r.ref", machine("REFINEMENT Up_r REFINES Up", "m", " & n = m"));
    let script = "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
        *:name*) echo '(:name \"silent\")';; *:version*) echo '(:version \"1\")';;\n\
        *check-sat*) sleep 60;; esac; done\n";
    let solver = file(folder.path(), "silent", script);
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = bsym()
        .arg("refine")
        .arg(&refinement)
        .arg("--solver")
        .arg(&solver)
        .args(["--json", "--timeout", "2"])
        .output()
        .expect("it runs");
    let answer = json(&output);
    assert_valid("refine", &answer);
    assert_eq!((&answer["verdict"], output.status.code()), (&Json::from("holds"), Some(0)), "{answer:#}");
    assert!(answer["stats"]["steps"].as_u64() > Some(0), "{answer:#}");
    assert!(answer["simulation"]["proof"].is_null(), "{answer:#}");
}
