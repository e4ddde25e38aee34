//! `bsym refine` as users meet it.

mod common;

use std::path::{Path, PathBuf};

use common::{answer, bsym, file, has_solver, run};
use serde_json::Value as Json;

const POOL: &str = "MACHINE Pool VARIABLES free INVARIANT free <: 1..3 INITIALISATION free := 1..3
OPERATIONS
  n <-- take = PRE free /= {} THEN ANY k WHERE k : free THEN free := free - {k} || n := k END END;
  give(k) = PRE k : 1..3 & k /: free THEN free := free \\/ {k} END
END";
const LIST: &str = "REFINEMENT List REFINES Pool VARIABLES list
INVARIANT list : iseq(1..3) & ran(list) <: free & free <: ran(list)
INITIALISATION list := [1,2,3]
OPERATIONS
  n <-- take = BEGIN n := first(list) || list := tail(list) END;
  give(k) = BEGIN list := list <- k END
END";

/// The machine and a refinement of it in a folder.
fn list(folder: &Path, text: &str) -> PathBuf {
    file(folder, "Pool.mch", POOL);
    file(folder, "List.ref", text)
}

fn refine(path: &Path, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("refine", "refine", path, arguments)
}

#[test]
fn a_right_refinement_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = list(folder.path(), LIST);
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()));
    assert_eq!((&object["refines"], &object["stats"]["states"]), (&Json::from(vec!["Pool"]), &16.into()));
    let output = run("refine", &path, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("holds: List refines Pool\n"), "{text}");
    // What a search of the refinement alone leaves out is looked at here.
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_holds_is_proved_for_every_size() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(
        folder.path(),
        "Debts.mch",
        "MACHINE Debts SETS USER VARIABLES owed INVARIANT owed : USER --> NATURAL INITIALISATION owed := USER * {0}
OPERATIONS
  lend(u) = PRE u : USER & owed(u) < 2 THEN owed(u) := owed(u) + 1 END;
  n <-- debt(u) = PRE u : USER THEN n := owed(u) END
END",
    );
    let text = "REFINEMENT Sets REFINES Debts VARIABLES one, two
INVARIANT one <: USER & two <: USER & !u.(u : USER =>
  (u : two => owed(u) = 2) & (u : one - two => owed(u) = 1) & (u /: one => owed(u) = 0))
INITIALISATION one, two := {}, {}
OPERATIONS
  lend(u) = IF u : one THEN two := two \\/ {u} ELSE one := one \\/ {u} END;
  n <-- debt(u) = IF u : two THEN n := 2 ELSIF u : one THEN n := 1 ELSE n := 0 END
END";
    let path = file(folder.path(), "Sets.ref", text);
    let (code, object) = refine(&path, &["--timeout", "60s"]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    assert_eq!(object["simulation"]["scope"]["sets"]["USER"], "any", "{object:#}");
    assert!(object["simulation"]["proof"].is_object(), "{object:#}");
    let output = run("check", &path, &["--json", "--timeout", "60s"]);
    let checked: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &checked["verdict"]), (Some(0), &"holds".into()), "{checked:#}");
    assert_eq!(checked["refinement"]["scope"]["sets"]["USER"], "any", "{checked:#}");
}

#[test]
fn a_fault_is_shown_on_both_levels() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = list(folder.path(), &LIST.replace("n := first(list)", "n := last(list)"));
    let trace = folder.path().join("t.json");
    let (code, object) = refine(&path, &["--trace", trace.to_str().unwrap()]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()));
    let found = &object["counterexample"];
    assert_eq!(
        (&found["kind"], &found["event"], &found["line"]),
        (&"step".into(), &"take".into(), &5.into())
    );
    assert_eq!(found["trace"].as_array().map(Vec::len), Some(2));
    assert_eq!(found["related"][0][0]["Pool.free"], "{1,2,3}");
    assert_eq!(found["instead"].as_array().map(Vec::len), Some(3));
    // The trace is one of the refinement.
    let replayed = bsym().arg("replay").arg(&trace).arg(&path).output().expect("it runs");
    assert_eq!(replayed.status.code(), Some(0), "{}", String::from_utf8_lossy(&replayed.stdout));
    let text = String::from_utf8_lossy(&run("refine", &path, &[]).stdout).into_owned();
    assert!(text.contains("the abstraction could have done: n = 1 with Pool.free = {2,3}"), "{text}");
}

#[test]
fn a_narrowed_precondition_is_named_with_its_arguments() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = list(folder.path(), &LIST.replace("give(k) = BEGIN", "give(k) = PRE k > 1 THEN"));
    let (code, object) = refine(&path, &[]);
    assert_eq!(code, Some(1));
    let found = &object["counterexample"];
    assert_eq!((&found["kind"], &found["parameters"]["k"]), (&"precondition".into(), &"1".into()));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let pool = file(folder.path(), "Pool.mch", POOL);
    let output = run("refine", &pool, &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("Pool refines nothing"), "{text}");
    let alone = file(folder.path(), "Alone.ref", LIST.replace("Pool", "Pond").replace("List", "Alone"));
    let output = run("refine", &alone, &[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("Pond"), "{text}");
}

#[test]
fn limits_leave_it_open() {
    let folder = tempfile::tempdir().expect("a folder");
    // No equation says which value the abstraction takes, so that no proof is tried.
    let guess = "MACHINE Guess VARIABLES x INVARIANT x : 0..9 INITIALISATION x :: 0..9
OPERATIONS tick = x :: 0..9; n <-- see = n := x END";
    file(folder.path(), "Guess.mch", guess);
    let count = "REFINEMENT Count REFINES Guess VARIABLES y INVARIANT y : 0..9 & y <= x INITIALISATION y := 0
OPERATIONS tick = y := (y + 1) mod 10; n <-- see = n := y END";
    let path = file(folder.path(), "Count.ref", count);
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    let why = object["simulation"]["message"].as_str().unwrap_or_default();
    assert!(!has_solver() || why.contains("no equation says which value"), "{object:#}");
    let (code, object) = refine(&path, &["--max-states", "3"]);
    assert_eq!(
        (code, &object["verdict"], &object["reason"]),
        (Some(3), &"unknown".into(), &"state-limit".into())
    );
}
