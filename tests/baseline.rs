//! Known findings: only new ones fail.

mod common;

use std::path::Path;
use std::process::{Output, Stdio};

use common::{assert_valid, bsym, file, has_solver, json};
use serde_json::Value as Json;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = bsym();
    command.current_dir(folder).stdin(Stdio::null()).args(arguments).output().expect("it runs")
}

fn asked(folder: &Path, arguments: &[&str]) -> (Option<i32>, Json) {
    let output = run(folder, &[arguments, &["--json"]].concat());
    (output.status.code(), json(&output))
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn names(list: &Json) -> Vec<String> {
    let name = |f: &Json| format!("{} {}", f["outcome"].as_str().unwrap(), f["name"].as_str().unwrap());
    list.as_array().expect("a list").iter().map(name).collect()
}

const COUNTER: &str = "MACHINE Counter VARIABLES n, k INVARIANT n : INTEGER & k : INTEGER &
  /*@ label low */ n <= 3 & /*@ label small */ k <= 2
INITIALISATION n, k := 0, 0
OPERATIONS up = SELECT n < 5 THEN n := n + 1 END; other = SELECT k < 2 THEN k := k + 1 END END";

#[test]
fn only_what_is_new_fails_and_what_is_gone_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mend = |from: &str, to: &str| {
        assert!(COUNTER.contains(from));
        COUNTER.replace(from, to)
    };
    file(folder, "Counter.mch", COUNTER);
    let question = ["mc", "Counter.mch"];
    assert_eq!(run(folder, &question).status.code(), Some(1));
    let missing = run(folder, &[question.as_slice(), &["--baseline", "known.json"]].concat());
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("--write-baseline"));
    let written = run(folder, &[question.as_slice(), &["--write-baseline", "known.json"]].concat());
    assert_eq!(written.status.code(), Some(0), "{}", out(&written));
    let known = [question.as_slice(), &["--baseline", "known.json"]].concat();
    let (code, object) = asked(folder, &known);
    assert_valid("result", &object);
    assert_eq!((code, &object["verdict"]), (Some(0), &Json::from("violated")), "{object:#}");
    assert_eq!(object["baseline"]["known"], 1, "{object:#}");
    // Other lines make no difference.
    file(folder, "Counter.mch", COUNTER.replace("OPERATIONS", "\n\n/* more */\n\nOPERATIONS"));
    assert_eq!(asked(folder, &known).0, Some(0));
    // A new one beside the known one, which does not hide it.
    file(folder, "Counter.mch", mend("k < 2", "k < 3"));
    let (code, object) = asked(folder, &known);
    assert_eq!(code, Some(1), "{object:#}");
    assert_eq!(names(&object["baseline"]["new"]), ["violated small"]);
    let text = out(&run(folder, &known));
    assert!(text.contains("baseline: 1 known, 1 new, 0 gone"), "{text}");
    assert!(text.contains("new   Counter.mch: violated: inv small"), "{text}");
    // One that is gone.
    file(folder, "Counter.mch", mend("n < 5", "n < 3"));
    let (code, object) = asked(folder, &known);
    assert_eq!((code, &object["verdict"]), (Some(0), &Json::from("holds")), "{object:#}");
    assert_eq!(names(&object["baseline"]["gone"]), ["violated low"]);
    // What was violated may be open, but what was open may not be violated.
    file(folder, "Counter.mch", COUNTER);
    let (code, object) = asked(folder, &[known.as_slice(), &["--max-states", "2"]].concat());
    assert_eq!(code, Some(3), "{object:#}");
    let new = names(&object["baseline"]["new"]);
    assert!(new.contains(&"open small".into()) && !new.contains(&"open low".into()), "{new:?}");
    run(folder, &["mc", "Counter.mch", "--max-states", "2", "--write-baseline", "open.json"]);
    let (code, object) = asked(folder, &["mc", "Counter.mch", "--baseline", "open.json"]);
    assert_eq!((code, names(&object["baseline"]["new"])), (Some(1), vec!["violated low".to_string()]));
    // Wrong input is never known.
    file(folder, "Counter.mch", "MACHINE Counter VARIABLES n END");
    assert_eq!(
        run(folder, &[question.as_slice(), &["--write-baseline", "known.json"]].concat()).status.code(),
        Some(2)
    );
    assert_eq!(run(folder, &known).status.code(), Some(2));
    for wrong in ["", "{}", "[1", "{\"format\":\"bsym-po\",\"version\":1,\"findings\":[]}"] {
        file(folder, "known.json", wrong);
        assert_eq!(run(folder, &known).status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn several_machines_share_a_baseline() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir_all(folder.join("all")).expect("a folder");
    std::fs::create_dir_all(folder.join("ci")).expect("a folder");
    let machine = |name: &str, most: u32| {
        let text = COUNTER.replace("MACHINE Counter", &format!("MACHINE {name}"));
        file(folder, &format!("all/{name}.mch"), text.replace("n < 5", &format!("n < {most}")));
    };
    machine("A", 5);
    machine("B", 3);
    machine("C", 5);
    let question = ["mc", "all"];
    let base = ["--baseline", "ci/known.json"];
    assert_eq!(
        run(folder, &[question.as_slice(), &["--write-baseline", "ci/known.json"]].concat()).status.code(),
        Some(0)
    );
    let known = [question.as_slice(), &base].concat();
    let (code, object) = asked(folder, &known);
    assert_valid("results", &object);
    assert_eq!((code, &object["baseline"]["known"]), (Some(0), &Json::from(2)), "{object:#}");
    let text = out(&run(folder, &known));
    assert_eq!(text.matches("(known)").count(), 2, "{text}");
    let quiet = out(&run(folder, &[known.as_slice(), &["-q"]].concat()));
    assert!(!quiet.contains("A.mch"), "{quiet}");
    // From another folder it is the same file.
    let inside = run(&folder.join("all"), &["mc", "A.mch", "--baseline", "../ci/known.json"]);
    assert_eq!(inside.status.code(), Some(0), "{}", out(&inside));
    machine("B", 5);
    machine("C", 3);
    let (code, object) = asked(folder, &known);
    assert_eq!(code, Some(1));
    let (new, gone) = (&object["baseline"]["new"], &object["baseline"]["gone"]);
    assert_eq!((new[0]["file"].as_str(), gone[0]["file"].as_str()), (Some("all/B.mch"), Some("all/C.mch")));
    let lines = run(folder, &[known.as_slice(), &["--jsonl"]].concat());
    assert_eq!(lines.status.code(), Some(1));
    // One machine is written for itself.
    run(folder, &["mc", "all/B.mch", "--write-baseline", "ci/known.json"]);
    assert_eq!(asked(folder, &known).0, Some(0));

    let form = |name: &str| out(&run(folder, &[known.as_slice(), &["--format", name]].concat()));
    assert!(!form("github").contains("::error"), "{}", form("github"));
    let sarif: Json = serde_json::from_str(&form("sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results").clone();
    let violated = results.iter().filter(|r| r["ruleId"] == "violated-inv");
    assert!(
        violated.clone().count() == 2 && violated.clone().all(|r| r["baselineState"] == "unchanged"),
        "{results:#?}"
    );
    assert!(violated.clone().all(|r| r["suppressions"][0]["kind"] == "external"));
    let junit = form("junit");
    assert!(junit.contains("failures=\"0\"") && junit.contains("known: "), "{junit}");
    machine("C", 5);
    file(
        folder,
        "all/C.mch",
        std::fs::read_to_string(folder.join("all/C.mch")).unwrap().replace("k < 2", "k < 3"),
    );
    assert_eq!(form("github").matches("::error").count(), 1, "{}", form("github"));
    assert!(form("junit").contains("failures=\"1\""), "{}", form("junit"));
    assert!(form("sarif").contains("\"new\""));
}

#[test]
fn formulas_refinements_and_obligations_have_a_baseline() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    file(folder, "Counter.mch", COUNTER);
    file(
        folder,
        "R.ref",
        "REFINEMENT R REFINES Counter VARIABLES n, k INITIALISATION n, k := 1, 0
OPERATIONS up = SELECT n < 5 THEN n := n + 1 END; other = SELECT k < 2 THEN k := k + 1 END END",
    );
    let questions: [(&str, &[&str]); 3] = [
        ("ltl", &["ltl", "Counter.mch", "-f", "G {n < 2}"]),
        ("refine", &["refine", "R.ref"]),
        ("", &["po", "Counter.mch"]),
    ];
    for (schema, question) in questions {
        let alone = run(folder, question).status.code();
        assert!(alone == Some(1) || alone == Some(3), "{question:?} {alone:?}");
        let (code, _) = asked(folder, &[question, &["--write-baseline", "known.json"]].concat());
        assert_eq!(code, Some(0), "{question:?}");
        let (code, object) = asked(folder, &[question, &["--baseline", "known.json"]].concat());
        assert_eq!(code, Some(0), "{question:?}: {object:#}");
        if !schema.is_empty() {
            assert_valid(schema, &object);
        }
    }
    // The file has the findings of all three; another formula is new.
    let known: Json = serde_json::from_slice(&std::fs::read(folder.join("known.json")).unwrap()).unwrap();
    let commands: std::collections::BTreeSet<&str> =
        known["findings"].as_array().unwrap().iter().filter_map(|f| f["command"].as_str()).collect();
    assert_eq!(commands, ["ltl", "po", "refine"].into());
    let other = ["ltl", "Counter.mch", "-f", "G {n < 3}", "--baseline", "known.json"];
    assert_eq!(run(folder, &other).status.code(), Some(1));
    file(folder, "Counter.mch", COUNTER.replace("other =", "more = k := 9; other ="));
    let (code, object) = asked(folder, &["po", "Counter.mch", "--baseline", "known.json"]);
    assert_eq!((code, names(&object["baseline"]["new"])), (Some(3), vec!["open more/small/INV".to_string()]));
}
