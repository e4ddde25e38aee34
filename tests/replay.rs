//! `bsym replay`: traces of all formats, and what is said of one that is none of the machine.

mod common;

use std::path::Path;

use common::{assert_valid, bsym, file, json, root};
use serde_json::Value as Json;

const LIBRARY: &str = "examples/library.mch";
const ALL: [&str; 3] = ["t.json", "t.itf.json", "t.prob2trace"];

/// Replays a trace. Returns the exit code and the object.
fn replay(trace: &Path, machine: &str, more: &[&str]) -> (Option<i32>, Json) {
    let output =
        bsym().arg("replay").arg(trace).arg(machine).args(more).arg("--json").output().expect("it runs");
    let object = json(&output);
    assert_valid("replay", &object);
    (output.status.code(), object)
}

fn text(trace: &Path, machine: &str) -> String {
    let output = bsym().arg("replay").arg(trace).arg(machine).output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Writes a random walk in a format.
fn walk(folder: &Path, name: &str, machine: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    let arguments = ["simulate", machine, "--steps", "6", "--seed", "3", "--trace"];
    let output = bsym().args(arguments).arg(&path).output().expect("it runs");
    assert!(path.exists(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

#[test]
fn traces_of_all_formats_are_replayed_on_both_notations() {
    let folder = tempfile::tempdir().unwrap();
    let tank = root().join("language/tests/eventb/tank.eventb").display().to_string();
    let shelf = root().join("language/tests/eventb/Shelf/Shelf.bum").display().to_string();
    for machine in [LIBRARY, &tank, &shelf] {
        let traces: Vec<Json> = ALL
            .iter()
            .map(|name| {
                let (code, object) = replay(&walk(folder.path(), name, machine), machine, &[]);
                assert_eq!(code, Some(0), "{machine} {name}: {object:#}");
                assert_eq!((&object["replayed"], &object["unread"]), (&true.into(), &Json::Array(vec![])));
                object["trace"].clone()
            })
            .collect();
        assert_eq!(traces[0].as_array().map(Vec::len), Some(7), "{:#}", traces[0]);
        assert!(traces.iter().all(|trace| *trace == traces[0]), "{machine}");
    }
}

/// The trace says which step fails, and the machine what is possible there.
#[test]
fn a_trace_that_fails_names_the_step_and_what_is_possible() {
    let folder = tempfile::tempdir().unwrap();
    let machine =
        "MACHINE m VARIABLES x, done INVARIANT x : 0..9 & done : BOOL INITIALISATION x, done := 0, FALSE
        OPERATIONS
          add(n) = SELECT n : 1..2 & x + n <= 4 THEN x := x + n END;
          stop = SELECT x = 4 THEN done := TRUE END
        END";
    let machine = file(folder.path(), "m.mch", machine).display().to_string();
    let step = |event: &str, n: Option<&str>, x: &str| {
        let parameters = n.map(|n| format!(r#""n": "{n}""#)).unwrap_or_default();
        format!(
            r#"{{"name": "{event}", "params": {{{parameters}}}, "results": {{}}, "destState": {{"x": "{x}"}}}}"#
        )
    };
    let trace = |name: &str, steps: &[String]| {
        let text = format!(
            r#"{{"transitionList": [{}, {}]}}"#,
            step("$initialise_machine", None, "0"),
            steps.join(",")
        );
        file(folder.path(), name, text)
    };
    let failing = |path: &Path| {
        let (code, object) = replay(path, &machine, &[]);
        assert_eq!((code, &object["replayed"]), (Some(1), &Json::Bool(false)), "{object:#}");
        object["failure"].clone()
    };
    // A wrong value.
    let failure =
        failing(&trace("a.prob2trace", &[step("add", Some("2"), "2"), step("add", Some("1"), "4")]));
    assert_eq!(failure["step"], 2, "{failure:#}");
    assert_eq!(failure["expected"]["state"]["x"], "4");
    assert_eq!(failure["allowed"][0]["state"]["x"], "3");
    // A guard that is false, with its place; other events are offered.
    let path = trace("b.prob2trace", &[step("add", Some("2"), "2"), step("stop", None, "2")]);
    let failure = failing(&path);
    assert_eq!((&failure["step"], &failure["line"]), (&2.into(), &4.into()), "{failure:#}");
    assert_eq!(failure["allowed"].as_array().map(Vec::len), Some(2), "{failure:#}");
    let said = text(&path, &machine);
    assert!(said.contains("step 2 (stop): it is disabled"), "{said}");
    assert!(
        said.contains("expected: stop: x = 2\n  steps of the machine there:\n    add(n = 1): x = 3\n"),
        "{said}"
    );
    // An event that is not there, and a name that is not read.
    let failure = failing(&trace("c.prob2trace", &[step("sub", Some("2"), "2")]));
    assert!(failure["reason"].as_str().unwrap().contains("no event `sub`"), "{failure:#}");
    let other = step("stop", None, "4").replace("\"x\"", "\"y\"");
    let path = trace("d.prob2trace", &[step("add", Some("2"), "2"), step("add", Some("2"), "4"), other]);
    let (code, object) = replay(&path, &machine, &[]);
    assert_eq!((code, &object["unread"][0]), (Some(0), &"step 3: y".into()), "{object:#}");
    // Our own format says the same.
    let own = folder.path().join("own.json");
    bsym().args(["simulate", &machine, "--steps", "2", "--trace"]).arg(&own).output().expect("it runs");
    let forged = std::fs::read_to_string(&own).unwrap().replacen("\"n\": \"", "\"n\": \"9", 1);
    let own = file(folder.path(), "forged.json", forged);
    let failure = failing(&own);
    assert_eq!((&failure["step"], &failure["expected"]["event"]), (&1.into(), &"add".into()), "{failure:#}");
    assert_eq!(failure["allowed"].as_array().map(Vec::len), Some(2), "{failure:#}");
}

/// Where an early step may lead to several states, a later one decides which it was.
#[test]
fn later_steps_decide_what_earlier_ones_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let machine =
        "MACHINE m CONSTANTS k PROPERTIES k : 1..3 VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0
        OPERATIONS pick = SELECT x = 0 THEN x :: 1..3 END; on = SELECT x = 3 & k = 2 THEN x := 9 END END";
    let machine = file(folder.path(), "m.mch", machine).display().to_string();
    let itf = r##"{"states": [{"#meta": {"index": 0}, "x": 0}, {"#meta": {"index": 1}}, {"x": 9}]}"##;
    let (code, object) = replay(&file(folder.path(), "t.itf.json", itf), &machine, &[]);
    assert_eq!(code, Some(0), "{object:#}");
    assert_eq!((&object["constants"]["k"], &object["trace"][1]["state"]["x"]), (&"2".into(), &"3".into()));
    let (code, object) = replay(&file(folder.path(), "t.itf.json", itf), &machine, &["--set", "k=1"]);
    assert_eq!((code, &object["failure"]["step"]), (Some(1), &2.into()), "{object:#}");
    // Without the values that were left out, nothing is known to be wrong.
    let open = "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION x :: INTEGER OPERATIONS up = x := x + 1 END";
    let open = file(folder.path(), "open.mch", open).display().to_string();
    let itf = r##"{"states": [{"x": 77}]}"##;
    let (code, object) = replay(&file(folder.path(), "o.itf.json", itf), &open, &[]);
    assert!(code == Some(0) || code == Some(3) && object["is_open"] == true, "{object:#}");
}
