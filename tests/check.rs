//! `check`: its default properties, the properties that it reports as not asked, and the search in parallel to the
//! engines.

mod common;

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use bsym_testing::process::Limited;
use common::{assert_valid, bsym, file, has_solver, json};
use serde_json::Value as Json;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    bsym().args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn result(folder: &Path, text: &str, flags: &[&str]) -> Json {
    let path = file(folder, "m.mch", text).display().to_string();
    let mut arguments = vec!["check", &path, "--json"];
    arguments.extend(flags);
    if !flags.contains(&"--timeout") {
        arguments.extend(["--timeout", "60s"]);
    }
    let object = json(&run(&arguments));
    assert_valid("result", &object);
    object
}

/// A loop has no encoding, so that only the search decides.
const LOOP: &str = "MACHINE loop VARIABLES x INVARIANT x : 0..LAST INITIALISATION x := 0
OPERATIONS go = WHILE x < 3 DO x := x + 1 INVARIANT x : 0..3 VARIANT 3 - x END; back = x := 0 END";

/// The same machine with a set of any size.
const SETS: &str = "MACHINE sets SETS S VARIABLES x, seen INVARIANT x : 0..LAST & seen <: S INITIALISATION x, seen := 0, {}
OPERATIONS go(s) = PRE s : S THEN seen := seen \\/ {s} || WHILE x < 3 DO x := x + 1 INVARIANT x : 0..3 VARIANT 3 - x END END;
  back = x := 0 END";

#[test]
fn the_search_decides_what_the_engines_do_not() {
    let dir = folder();
    let certificate = dir.path().join("c.json").display().to_string();
    let holds = result(dir.path(), &LOOP.replace("LAST", "3"), &["--certificate", &certificate]);
    assert_eq!((&holds["verdict"], &holds["engine"]), (&"holds".into(), &"mc".into()), "{holds:#}");
    assert_eq!(holds["certificate_kind"], "search");
    assert_eq!(holds["scope"]["maxint"], 2147483647);
    let certified = run(&["certify", &certificate]);
    assert_eq!(certified.status.code(), Some(0), "{}", String::from_utf8_lossy(&certified.stdout));

    let trace = dir.path().join("t.json").display().to_string();
    let bad = result(dir.path(), &LOOP.replace("LAST", "2"), &["--trace", &trace]);
    assert_eq!((&bad["verdict"], &bad["engine"]), (&"violated".into(), &"mc".into()), "{bad:#}");
    let replayed = run(&["replay", &trace, &dir.path().join("m.mch").display().to_string()]);
    assert_eq!(replayed.status.code(), Some(0), "{}", String::from_utf8_lossy(&replayed.stdout));
}

#[test]
fn a_search_with_two_elements_refutes_any_size_and_proves_none() {
    let dir = folder();
    let bad = result(dir.path(), &SETS.replace("LAST", "2"), &[]);
    assert_eq!(bad["verdict"], "violated", "{bad:#}");
    assert!(bad["scope"]["sets"]["S"].is_u64(), "{bad:#}");
    let open = result(dir.path(), &SETS.replace("LAST", "3"), &["--timeout", "5s"]);
    assert_eq!(open["verdict"], "unknown", "{open:#}");
    assert_eq!(open["search"]["verdict"], "holds", "{open:#}");
    assert_eq!(open["search"]["scope"]["sets"]["S"], 2, "{open:#}");
    // Where the user chooses the size, it is a proof.
    let holds = result(dir.path(), &SETS.replace("LAST", "3"), &["--scope", "S=2"]);
    assert_eq!(holds["verdict"], "holds", "{holds:#}");
}

#[test]
fn values_that_were_left_out_prove_nothing() {
    // The search takes a part of infinitely many values, and the user did not choose a small MAXINT.
    let text = "MACHINE wide VARIABLES x INVARIANT x /= 70000 INITIALISATION x := 0
        OPERATIONS go(n) = PRE n : NAT THEN WHILE x < n DO x := n INVARIANT x <= n VARIANT n - x END END END";
    let dir = folder();
    let found = result(dir.path(), text, &["--timeout", "5s"]);
    assert_ne!(found["verdict"], "holds", "{found:#}");
}

#[test]
fn assertions_are_asked_too_and_the_rest_is_named() {
    let dir = folder();
    let text =
        "MACHINE dim DEFINITIONS ASSERT_LTL1 == \"G {x < 4}\"; GOAL == x = 2 VARIABLES x INVARIANT x : 0..3
        ASSERTIONS x < 2 INITIALISATION x := 0 OPERATIONS up = SELECT x < 3 THEN x := x + 1 END END";
    for engine in ["check", "mc", "bmc"] {
        if engine != "mc" && !has_solver() {
            continue;
        }
        let path = file(dir.path(), "m.mch", text).display().to_string();
        let found = json(&run(&[engine, &path, "--json"]));
        assert_eq!(
            (&found["verdict"], &found["property"]),
            (&"violated".into(), &"assertions".into()),
            "{found:#}"
        );
        let left: Vec<&str> =
            found["not_asked"].as_array().unwrap().iter().map(|n| n["property"].as_str().unwrap()).collect();
        assert_eq!(left, ["deadlock", "goal", "temporal"]);
    }
    let alone = result(dir.path(), text, &["--prop", "inv"]);
    assert_eq!((&alone["verdict"], &alone["property"]), (&"holds".into(), &"inv".into()), "{alone:#}");
    let path = dir.path().join("m.mch").display().to_string();
    let said = String::from_utf8_lossy(&run(&["check", &path, "--prop", "inv"]).stdout).into_owned();
    let line = said.lines().find(|l| l.contains("not asked")).unwrap();
    for part in ["assertions", "deadlock freedom", "goal", "ASSERT_LTL1"] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn a_machine_without_an_invariant_is_checked_for_what_it_evaluates() {
    let dir = folder();
    let ill = "MACHINE none OPERATIONS r <-- share(n) = PRE n : 0..2 THEN r := 6 / n END END";
    for engine in ["check", "mc"] {
        let path = file(dir.path(), "m.mch", ill).display().to_string();
        let found = json(&run(&[engine, &path, "--json"]));
        assert_eq!((&found["verdict"], &found["property"]), (&"violated".into(), &"wd".into()), "{found:#}");
    }
    let fine = ill.replace("/ n", "/ (n + 1)");
    let found = result(dir.path(), &fine, &[]);
    assert_eq!((&found["verdict"], &found["property"]), (&"holds".into(), &"wd".into()), "{found:#}");
}

#[test]
fn where_everything_was_visited_nothing_stays_unknown() {
    let arguments = ["mc", "examples/crossing.mch", "--prop", "inv,deadlock", "--keep-going", "--json"];
    let found = json(&run(&arguments));
    assert_valid("result", &found);
    let verdicts: Vec<&str> =
        found["properties"].as_array().unwrap().iter().map(|p| p["verdict"].as_str().unwrap()).collect();
    assert!(verdicts.contains(&"violated") && verdicts.contains(&"holds"), "{verdicts:?}");
    assert!(!verdicts.contains(&"unknown"), "{verdicts:?}");
}

#[test]
fn a_text_says_what_matters() {
    let dir = folder();
    let text = |text: &str| {
        let path = file(dir.path(), "m.mch", text).display().to_string();
        String::from_utf8_lossy(&run(&["mc", &path]).stdout).into_owned()
    };
    // Conjuncts that were not checked any more are counted if there are many.
    let said = text(
        "MACHINE m VARIABLES x INVARIANT x : 0..1 & x < 9 & x < 8 & x < 7 & x < 6 INITIALISATION x := 0
        OPERATIONS up = x := x + 1 END",
    );
    assert!(said.contains("unknown   4 others") && !said.contains("x < 9"), "{said}");
    // Omitted values do not count as an unsupported part.
    let said = text(
        "MACHINE m VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0
        OPERATIONS set(n) = PRE n : NATURAL THEN x := n END END",
    );
    assert!(said.contains("not all values were looked at") && said.contains("`bsym check` asks"), "{said}");
    assert!(!said.contains("not supported"), "{said}");
}

#[test]
fn events_of_the_search_are_events_of_check() {
    let dir = folder();
    let path = file(dir.path(), "m.mch", LOOP.replace("LAST", "2")).display().to_string();
    let output = run(&["mc", &path, "--jsonl"]);
    let lines: Vec<Json> =
        String::from_utf8_lossy(&output.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for line in &lines {
        assert_valid("events", line);
    }
    assert!(lines.iter().any(|l| l["event"] == "trace"));
}

/// A machine with so many states that no search ends.
const ENDLESS: &str = "MACHINE endless VARIABLES x, y INVARIANT x : NATURAL & y : NATURAL & y /= 1000003
INITIALISATION x, y := 0, 0
OPERATIONS step = WHILE y < x DO y := y + 1 INVARIANT y <= x VARIANT x - y END; up = BEGIN x := x + 1 || y := 0 END END";

/// Process ids of searches of this file.
#[cfg(target_os = "linux")]
fn searches(path: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = all.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let is = |id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains("worker\0search") && line.contains(path)
    };
    ids.filter(is).collect()
}

#[cfg(target_os = "linux")]
fn until(what: &str, mut reached: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !reached() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_search_ends_with_the_program_that_started_it() {
    let dir = folder();
    let path = file(dir.path(), "endless.mch", ENDLESS).display().to_string();
    let start = || {
        let mut command = bsym();
        command.args(["check", &path, "--json"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.stderr(Stdio::null()).spawn().unwrap();
        until("no search was started", || !searches(&path).is_empty());
        child
    };
    // A signal, with a result.
    let child = start();
    child.signal("INT").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &json(&output)["reason_code"]), (Some(3), &"interrupted".into()));
    until("the search goes on", || searches(&path).is_empty());
    // Killed, without a chance to report.
    let mut child = start();
    child.kill().unwrap();
    child.wait().unwrap();
    until("the search goes on", || searches(&path).is_empty());
    // The time limit.
    let begin = Instant::now();
    let output = run(&["check", &path, "--timeout", "1s", "--json"]);
    assert_eq!((output.status.code(), &json(&output)["reason_code"]), (Some(3), &"timeout".into()));
    assert!(begin.elapsed() < Duration::from_secs(20));
    until("the search goes on", || searches(&path).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn the_death_of_the_search_is_survived_and_named() {
    let dir = folder();
    let path = file(dir.path(), "endless.mch", ENDLESS).display().to_string();
    let mut command = bsym();
    command.args(["check", &path, "--json", "--timeout", "4s"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::null()).spawn().unwrap();
    until("no search was started", || !searches(&path).is_empty());
    for id in searches(&path) {
        Limited::new("kill").args(["-9", &id.to_string()]).status().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let found = json(&output);
    assert_valid("result", &found);
    assert_eq!((output.status.code(), &found["verdict"]), (Some(3), &"unknown".into()), "{found:#}");
    let reason = found["search"]["reason"].as_str().unwrap();
    assert!(reason.contains("ended without an answer") && reason.contains("signal"), "{reason}");
}

/// The process that works for another one.
#[cfg(all(target_os = "linux", feature = "z3"))]
fn working_for(id: u32) -> Option<u32> {
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

#[cfg(all(target_os = "linux", feature = "z3"))]
#[test]
fn a_crash_of_the_solver_library_is_survived_and_named() {
    let dir = folder();
    let path = file(dir.path(), "endless.mch", ENDLESS).display().to_string();
    let start = || {
        let mut command = bsym();
        command.args(["check", &path, "--json", "--timeout", "20s"]).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let crash = |child: &bsym_testing::process::Running, before: Option<u32>| {
        let id = child.id();
        until("nobody works", || {
            working_for(id).is_some_and(|w| Some(w) != before && !searches(&path).is_empty())
        });
        let (working, searches) = (working_for(id).unwrap(), searches(&path));
        // Not SEGV: the first that is sent only takes the handler for stack overflows away.
        Limited::new("kill").args(["-ABRT", &working.to_string()]).status().unwrap();
        (Some(working), searches)
    };
    // Once: the other process continues, and prints what it knows when it is interrupted.
    let child = start();
    let (crashed, of_crashed) = crash(&child, None);
    until("nobody goes on", || working_for(child.id()).is_some_and(|w| Some(w) != crashed));
    // The search of the process that has crashed may not have ended yet.
    until("no search was started", || searches(&path).iter().any(|id| !of_crashed.contains(id)));
    child.signal("INT").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the solver crashed") && said.contains("beginning anew"), "{said}");
    assert_eq!((output.status.code(), &json(&output)["reason_code"]), (Some(3), &"interrupted".into()));
    // After two crashes the question is given up.
    let child = start();
    let (crashed, _) = crash(&child, None);
    crash(&child, crashed);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(json(&output).to_string().contains("the process with the solver ended by SIGABRT"));
    until("the search goes on", || searches(&path).is_empty());
}
