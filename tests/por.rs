//! `bsym mc --por` as users meet it.

mod common;

use common::{answer, bsym, file, has_solver, run};

const COUNTERS: &str = "MACHINE Counters VARIABLES x, y, z INVARIANT x : 0..9 & y : 0..9 & z : 0..9
INITIALISATION x := 0 || y := 0 || z := 0
OPERATIONS ux = SELECT x < 9 THEN x := x + 1 END; uy = SELECT y < 9 THEN y := y + 1 END; uz = SELECT z < 9 THEN z := z + 1 END END";

#[test]
fn the_answer_says_that_states_were_left_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "Counters.mch", COUNTERS);
    let (code, all) = answer("result", "mc", &path, &[]);
    assert_eq!((code, &all["states"]), (Some(0), &1000.into()));
    assert!(all["stats"]["partial_order"].is_null());
    let (code, some) = answer("result", "mc", &path, &["--por"]);
    assert_eq!((code, &some["states"]), (Some(0), &28.into()));
    let left_out = &some["stats"]["partial_order"];
    assert_eq!((&left_out["independent"], &left_out["reduced"]), (&3.into(), &18.into()));
    let text = String::from_utf8_lossy(&run("mc", &path, &["--por"]).stdout).into_owned();
    assert!(text.contains("since the order of some events does not matter"), "{text}");
    // A deadlock is shown by the events of the machine, as early as without reduction.
    for reduced in [&["--prop", "deadlock"][..], &["--prop", "deadlock", "--por"]] {
        let (code, object) = answer("result", "mc", &path, reduced);
        assert_eq!((code, object["depth"].as_u64()), (Some(1), Some(27)), "{object:#}");
    }
}

#[test]
fn an_instance_of_an_event_is_shown_as_the_event() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Sets SETS S = {a, b, c} VARIABLES s, t INVARIANT s <: S & t <: S & (s = S => a : t)
        INITIALISATION s := {} || t := {}
        OPERATIONS r <-- put(x) = PRE x : S & x /: s THEN s := s \\/ {x} || r := x END;
        also = ANY y WHERE y : S - t THEN t := t \\/ {y} END END";
    let path = file(dir.path(), "Sets.mch", text);
    let (code, found) = answer("result", "mc", &path, &["--por"]);
    assert_eq!(code, Some(1));
    let steps = found["trace"].as_array().expect("steps").clone();
    assert!(steps[1..].iter().all(|step| step["event"] == "put"), "{found:#}");
    assert_eq!(found["stats"]["partial_order"]["instances"], 6);
}

#[test]
fn what_is_not_sound_together_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "Counters.mch", COUNTERS);
    let certificate = dir.path().join("c.json").display().to_string();
    for other in [
        &["--symmetry", "canonical"][..],
        &["--certificate", &certificate],
        &["--keep-going"],
        &["--threads", "2"],
        &["--checkpoint", &certificate],
    ] {
        let refused = run("mc", &path, &[&["--por"], other].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && said.contains("--por"), "{other:?}: {said}");
    }
    let nothing = "MACHINE One VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
        OPERATIONS up = SELECT x < 3 THEN x := x + 1 END; other = SELECT x = 1 THEN x := 0 END END";
    let (code, object) = answer("result", "mc", &file(dir.path(), "One.mch", nothing), &["--por"]);
    assert_eq!((code, &object["states"]), (Some(0), &4.into()));
    let warnings = object["warnings"].to_string();
    assert!(warnings.contains("--por: no two events are known to commute"), "{warnings}");
}

/// Proofs make events invisible whose text does not show that they keep the invariant: those of a solver, or those of
/// others that it confirms.
#[test]
fn events_that_are_proven_to_keep_the_invariant_can_wait() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Two VARIABLES x, y, u, v
        INVARIANT x : 0..9 & y : -9..0 & x + y = 0 & u : 0..9 & v : -9..0 & u + v = 0
        INITIALISATION x := 0 || y := 0 || u := 0 || v := 0
        OPERATIONS left = SELECT x < 9 THEN x := x + 1 || y := y - 1 END;
        right = SELECT u < 9 THEN u := u + 1 || v := v - 1 END END";
    let path = file(dir.path(), "Two.mch", text);
    let (_, unproven) = answer("result", "mc", &path, &["--por"]);
    assert_eq!(unproven["states"], 100);
    let status = dir.path().join("po.json").display().to_string();
    let made = bsym().arg("po").arg(&path).args(["-o", &status]).output().expect("it runs");
    assert_eq!(made.status.code(), Some(0));
    // As if another tool had proven them: they are confirmed before the search.
    let recorded = std::fs::read_to_string(&status).expect("it is there");
    let imported = recorded.replace("\"bsym:", "\"");
    for text in [recorded, imported] {
        std::fs::write(&status, text).expect("it is written");
        let (code, proven) = answer("result", "mc", &path, &["--por", "--proofs", &status]);
        assert_eq!((code, &proven["states"]), (Some(0), &19.into()));
    }
}
