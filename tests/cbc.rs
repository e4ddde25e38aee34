//! `bsym cbc`: states and short runs that a solver finds, and what it says of those that are not there.
//!
//! ProB 1.8.2 gives the same answers on the first machine to `-cbc_deadlock`, `-cbc_sequence` and `-cbc all`.

mod common;

use std::path::Path;

use common::{answer, bsym, file, has_solver, root, run};
use serde_json::Value as Json;

const MACHINE: &str = "MACHINE c
SETS D
VARIABLES x, s
INVARIANT x : 0..10 & s <: D & x /= 7
ASSERTIONS x < 10; x : INTEGER
INITIALISATION x := 0 || s := {}
OPERATIONS
  up = SELECT x < 9 THEN x := x + 1 END;
  jump = SELECT x = 3 THEN x := 11 END;
  add(d) = SELECT d : D & d /: s & x < 5 THEN s := s \\/ {d} END;
  back = SELECT x = 9 & s = {} THEN x := 0 END
END";

fn ask(machine: &Path, arguments: &[&str]) -> (Option<i32>, Vec<Json>) {
    let (code, object) = answer("cbc", "cbc", machine, arguments);
    (code, object["constraints"].as_array().expect("constraints").clone())
}

fn results(all: &[Json]) -> Vec<(&str, &str)> {
    let word = |c: &Json, name: &str| c[name].as_str().unwrap_or("-").to_string().leak() as &str;
    all.iter().map(|c| (word(c, "about"), word(c, "result"))).collect()
}

#[test]
fn all_that_is_wrong_is_found_and_what_is_right_is_proved() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "c.mch", MACHINE);
    for encoding in [&[][..], &["--solver", "sat", "--scope", "D=2"]] {
        let (code, all) = ask(&machine, encoding);
        assert_eq!(code, Some(1));
        let expected = [
            ("INITIALISATION", "none"),
            ("up", "found"),
            ("jump", "found"),
            ("add", "none"),
            ("back", "none"),
            ("x < 10", "found"),
            ("x : INTEGER", "none"),
            ("-", "found"),
        ];
        assert_eq!(results(&all), expected, "{encoding:?}");
        // The step from 6 to 7.
        let steps = all[1]["finding"]["trace"].as_array().unwrap();
        let value = |i: usize| steps[i]["state"]["x"].as_str().unwrap();
        assert_eq!((value(0), value(1)), ("6", "7"), "{steps:?}");
        // A state where the invariant holds and nothing is enabled; it is one that no run reaches.
        let state = &all[7]["finding"]["trace"][0]["state"];
        let is_stuck = state["x"] == "10" || state["x"] == "9" && state["s"] != "{}";
        assert!(is_stuck && all[7]["finding"]["is_initial"] == false, "{state:#}");
    }
}

#[test]
fn a_predicate_narrows_the_deadlock() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "c.mch", MACHINE);
    let (code, all) = ask(&machine, &["--deadlock=x < 10 & card(s) = 2"]);
    assert_eq!((code, &all[0]["result"]), (Some(1), &"found".into()), "{all:#?}");
    assert_eq!(all[0]["finding"]["trace"][0]["state"]["x"], "9");
    let (code, all) = ask(&machine, &["--deadlock=x < 9"]);
    assert_eq!((code, &all[0]["result"]), (Some(0), &"none".into()), "{all:#?}");
    let (code, all) = ask(&machine, &["--invariant=add,back"]);
    assert_eq!((code, all.len()), (Some(0), 2), "{all:#?}");
}

#[test]
fn a_sequence_is_a_run_from_an_initial_state_or_says_where_it_ends() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "c.mch", MACHINE);
    let trace = folder.path().join("t.json");
    let shown = trace.display().to_string();
    let (code, all) = ask(&machine, &["--sequence", "up;up;add;up;jump", "--trace", &shown]);
    assert_eq!((code, &all[0]["result"]), (Some(0), &"found".into()), "{all:#?}");
    assert_eq!(all[0]["finding"]["trace"].as_array().map(Vec::len), Some(6));
    let replayed = bsym().arg("replay").arg(&trace).arg(&machine).output().expect("it runs");
    assert_eq!(replayed.status.code(), Some(0), "{}", String::from_utf8_lossy(&replayed.stdout));
    let (code, all) = ask(&machine, &["--sequence", "up;jump"]);
    assert_eq!(
        (code, &all[0]["result"], &all[0]["possible"]),
        (Some(1), &"none".into(), &1.into()),
        "{all:#?}"
    );
    let (code, all) = ask(&machine, &["--sequence", "up;jump", "--from-any-state"]);
    assert_eq!((code, &all[0]["finding"]["trace"][0]["state"]["x"]), (Some(0), &"2".into()), "{all:#?}");
    let (code, all) = ask(&machine, &["--sequence", "up;up", "--end", "x = 3"]);
    assert_eq!((code, &all[0]["possible"]), (Some(1), &2.into()), "{all:#?}");
    let said = run("cbc", &machine, &["--sequence", "up;jump"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("none: sequence: up; jump\n  up is possible, then jump is not\n"), "{said}");
}

#[test]
fn event_b_is_asked_and_wrong_flags_are_refused() {
    if !has_solver() {
        return;
    }
    let tank = root().join("language/tests/eventb/tank.eventb");
    let (_, all) = ask(&tank, &["--invariant"]);
    assert!(!all.is_empty() && all.iter().all(|c| c["result"] != "unknown"), "{all:#?}");
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "c.mch", MACHINE);
    for (arguments, said) in [
        (&["--sequence", "up;dwon"][..], "no event `dwon`"),
        (&["--deadlock=x <"], "--deadlock: column"),
        (&["--end", "x = 1"], "--sequence"),
    ] {
        let output = run("cbc", &machine, arguments);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && err.contains(said), "{arguments:?}: {err}");
    }
}
