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
    // Parts that a search of the refinement alone leaves out are checked here.
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
    // The trace replays on the refinement.
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

/// An `ASSERT` about a variable of the abstraction is not compared: this one is false, and everything else is right.
#[test]
fn an_assert_about_the_abstraction_leaves_it_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = "BEGIN n := first(list) || list := tail(list) END";
    let text = LIST.replace(body, &format!("ASSERT free = {{}} THEN {body} END"));
    let path = list(folder.path(), &text);
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["verdict"]), (Some(3), &"unknown".into()), "{object:#}");
    assert_eq!((&object["reason"], &object["engine"]), (&"not-compared".into(), &Json::Null), "{object:#}");
    let message = object["message"].as_str().unwrap_or_default();
    assert!(message.contains("ASSERT `free = {}`"), "{message}");
    assert_eq!(object["not_checked"][0]["kind"], "assert", "{object:#}");
    // A violation in addition is reported.
    let path = list(folder.path(), &text.replace("list <- k", "k -> (list <- k)"));
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
    assert_eq!(object["reason"], Json::Null, "{object:#}");
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
fn what_has_no_before_after_predicate_says_why() {
    if !has_solver() {
        return;
    }
    let start = "x, y := 0, 0";
    let rounds = "WHILE x < 2 DO x := x + 1 INVARIANT x : 0..2 VARIANT 2 - x END";
    let many = ["CHOICE x := 0 OR x := 1 END"; 7].join("; ");
    let large = ["y := y + y"; 20].join("; ");
    let unassigned = "VAR l IN IF x = 0 THEN l := 0 END; y := l END";
    for (initialisation, body, concrete, why) in [
        (start, rounds, rounds, "go of M has no before-after predicate: a loop has any number of paths"),
        (
            start,
            unassigned,
            "skip",
            "go of M has no before-after predicate: a name is read before it has a value",
        ),
        (start, &many, "skip", "go of M has no before-after predicate: there are too many paths"),
        (
            start,
            &large,
            "skip",
            "go of M has no before-after predicate: a value is too large in terms of the state before",
        ),
        (
            "x := 0; IF x = 0 THEN y := 0 END",
            "skip",
            "skip",
            "INITIALISATION of M has no before-after predicate: a variable gets no value",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let variables = "VARIABLES x, y INVARIANT x : 0..2 & y : 0..2";
        let machine = format!(
            "MACHINE M {variables} INITIALISATION {initialisation} OPERATIONS go = BEGIN {body} END END"
        );
        file(folder.path(), "M.mch", &machine);
        let text = format!(
            "REFINEMENT R REFINES M {variables} INITIALISATION {start} OPERATIONS go = BEGIN {concrete} END END"
        );
        let path = file(folder.path(), "R.ref", &text);
        let (code, object) = refine(&path, &[]);
        assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{why}: {object:#}");
        assert_eq!(object["simulation"]["message"], why);
        let output = run("refine", &path, &[]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            said.contains(&format!(
                "\n  not proved for all integers; MININT -2147483648, MAXINT 2147483647: {why}\n"
            )),
            "{said}"
        );
    }
}

#[test]
fn limits_leave_it_open() {
    let folder = tempfile::tempdir().expect("a folder");
    // No equation determines the value of the abstraction, so that no proof is tried.
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

/// The members of a counterexample, as texts.
fn texts<'j>(list: &'j Json, member: &str) -> Vec<&'j str> {
    list.as_array().into_iter().flatten().filter_map(|o| o[member].as_str()).collect()
}

#[test]
fn an_operation_that_aborts_is_shown_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path =
        list(folder.path(), &LIST.replace("list := list <- k", "list := list <- (k + 0 * (1 / size(list)))"));
    let trace = folder.path().join("t.json");
    let (code, object) = refine(&path, &["--trace", trace.to_str().unwrap()]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
    let found = &object["counterexample"];
    assert_eq!(
        (&found["kind"], &found["event"], &found["line"]),
        (&"abort".into(), &"give".into(), &6.into())
    );
    assert_eq!(texts(&found["aborts"], "text"), ["1 / size(list)"], "{found:#}");
    assert_eq!(found["trace"].as_array().map(Vec::len), Some(5), "{found:#}");
    // It calls `take`, of which a replay does not know the whole precondition.
    let replayed = bsym().arg("replay").arg(&trace).arg(&path).arg("--json").output().expect("it runs");
    let replayed: Json = serde_json::from_slice(&replayed.stdout).expect("JSON");
    assert_eq!((&replayed["replayed"], texts(&replayed["violated"], "property").len()), (&true.into(), 1));
    let text = String::from_utf8_lossy(&run("refine", &path, &[]).stdout).into_owned();
    assert!(text.contains("it aborts, and Pool allows this call and cannot abort"), "{text}");
    assert!(text.contains("division by zero"), "{text}");
    // The check of the refinement finds it as well.
    for command in if has_solver() { &["mc", "check"][..] } else { &["mc"] } {
        let output = run(command, &path, &["--json", "--timeout", "60s"]);
        assert_eq!(output.status.code(), Some(1), "{command}");
    }
}

#[test]
fn the_gluing_that_is_false_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = list(folder.path(), &LIST.replace("list := [1,2,3]", "list := [1,2]"));
    let (code, object) = refine(&path, &[]);
    let found = &object["counterexample"];
    assert_eq!((code, &found["kind"]), (Some(1), &"initialisation".into()), "{object:#}");
    assert_eq!(texts(&found["gluing"], "text"), ["free <: ran(list)"], "{found:#}");
    let text = String::from_utf8_lossy(&run("refine", &path, &[]).stdout).into_owned();
    assert!(text.contains("false: free <: ran(list)") && text.contains("List.ref:2"), "{text}");
    let path = list(folder.path(), &LIST.replace("list := list <- k", "skip"));
    let (_, object) = refine(&path, &[]);
    assert_eq!(texts(&object["counterexample"]["gluing"], "text"), ["free <: ran(list)"], "{object:#}");
}

const TANK: &str = "MACHINE Tank VARIABLES level INVARIANT level : NAT INITIALISATION level :: NAT
OPERATIONS
  fill(k) = PRE k : NAT & k > level THEN level := k END;
  n <-- read = n := level
END";

/// The bounds of the integers are defaults: that they are small is no fault of the refinement.
#[test]
fn literals_above_maxint_enlarge_the_scope() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Tank.mch", TANK);
    let text = "REFINEMENT Tank_r REFINES Tank VARIABLES level INITIALISATION level := 12
OPERATIONS fill(k) = level := k; n <-- read = n := level END";
    let path = file(folder.path(), "Tank_r.ref", text);
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    assert_eq!(object["scope"]["maxint"], 12, "{object:#}");
    // Bounds that the user chose are kept, and the answer names what it depends on.
    let (code, object) = refine(&path, &["--maxint", "3"]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
    // A fault remains one with the larger bounds.
    let path = file(folder.path(), "Tank_r.ref", text.replace("n := level", "n := level + 1"));
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["counterexample"]["event"]), (Some(1), &"read".into()), "{object:#}");
    assert_eq!(object["counterexample"]["only_in_scope"], Json::Null, "{object:#}");
    // So is one that needs the larger bounds.
    let late = text
        .replace("level := 12", "level := 0")
        .replace("n := level", "IF level > 9 THEN n := 0 ELSE n := level END");
    let path = file(folder.path(), "Tank_r.ref", late);
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["counterexample"]["event"]), (Some(1), &"read".into()), "{object:#}");
}

#[test]
fn values_above_maxint_enlarge_the_scope() {
    let folder = tempfile::tempdir().expect("a folder");
    file(
        folder.path(),
        "Ration.mch",
        "MACHINE Ration CONCRETE_CONSTANTS most PROPERTIES most : NAT1 OPERATIONS n <-- ask = n :: 1..most END",
    );
    let text = "IMPLEMENTATION Ration_i REFINES Ration VALUES most = 40 OPERATIONS n <-- ask = n := most END";
    let path = file(folder.path(), "Ration_i.imp", text);
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    let path = file(folder.path(), "Ration_i.imp", text.replace("n := most", "n := most + 1"));
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
}

/// A violation that a larger MAXINT removes is marked so.
#[test]
fn a_violation_of_the_scope_is_told_from_one_of_the_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let guess = "MACHINE Limit VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0
OPERATIONS up(k) = PRE k : 0..9 THEN x := k END END";
    file(folder.path(), "Limit.mch", guess);
    let text = "REFINEMENT Limit_r REFINES Limit VARIABLES x INITIALISATION x := 0
OPERATIONS up(k) = PRE k : NAT THEN x := k END END";
    let path = file(folder.path(), "Limit_r.ref", text);
    let (code, object) = refine(&path, &["--maxint", "5"]);
    assert_eq!((code, &object["counterexample"]["kind"]), (Some(1), &"precondition".into()), "{object:#}");
    let only = object["counterexample"]["only_in_scope"].as_str().unwrap_or_default();
    assert_eq!(only, "violated because MAXINT is 5: try `--maxint 9`", "{object:#}");
    let (code, object) = refine(&path, &[]);
    assert_eq!((code, &object["scope"]["maxint"]), (Some(0), &9.into()), "{object:#}");
}
