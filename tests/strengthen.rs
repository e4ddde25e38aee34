//! `bsym strengthen`: its output can be pasted, and has the effect that it reports.

mod common;

use std::path::Path;

use common::{answer, bsym, file, has_solver, root, run};
use serde_json::Value as Json;

const GATE: &str = "MACHINE Gate
SETS MODE = {idle, opening, open, closing}
VARIABLES mode, motor
INVARIANT
    mode : MODE & motor : BOOL // what it is
    & (mode = open => motor = FALSE) // nobody is hurt
INITIALISATION mode := idle || motor := FALSE
OPERATIONS
  start = SELECT mode = idle THEN mode := opening || motor := TRUE END;
  stop = SELECT mode = opening THEN mode := closing || motor := FALSE END;
  arrive = SELECT mode = closing THEN mode := open END;
  again = SELECT mode = open THEN mode := idle END
END
";

fn names(list: &Json) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(Json::as_str).collect()
}

/// The text after a unified diff that only adds lines.
fn patched(text: &str, patch: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    for line in patch.lines().skip(2) {
        if let Some(range) = line.strip_prefix("@@ -") {
            let end = range.find([',', ' ']).expect("a range");
            let from: usize = range[..end].parse().expect("a number");
            // Lines that were added before stand in the way.
            at = from - 1 + (lines.len() - text.lines().count());
        } else if let Some(new) = line.strip_prefix('+') {
            lines.insert(at, new);
            at += 1;
        } else {
            assert_eq!(lines[at], &line[1..]);
            at += 1;
        }
    }
    lines.join("\n") + "\n"
}

fn open_of(machine: &Path) -> Vec<String> {
    let (_, again) = answer("strengthen", "strengthen", machine, &[]);
    names(&again["open"]).iter().map(ToString::to_string).collect()
}

/// A second run, with what was found in the machine, has nothing left to do.
#[test]
fn a_patch_closes_what_it_says() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let implication = GATE.replace("mode : MODE & motor : BOOL // what it is\n    & (mode", "(mode");
    for (name, text) in [("Gate", GATE.to_string()), ("Single", implication.replace("Gate", "Single"))] {
        let machine = file(folder.path(), &format!("{name}.mch"), &text);
        let patch = folder.path().join(format!("{name}.patch"));
        let (code, found) =
            answer("strengthen", "strengthen", &machine, &["--patch", patch.to_str().unwrap()]);
        assert_eq!(code, Some(0), "{found:#}");
        assert_eq!(found["open"].as_array().map(Vec::len), Some(1), "{found:#}");
        assert_eq!(found["closed"], found["open"]);
        let auxiliaries = found["auxiliaries"].as_array().expect("a list");
        assert_eq!(auxiliaries.len(), 1, "{found:#}");
        assert_eq!(auxiliaries[0]["text"], "motor = TRUE => mode = opening");
        assert_eq!(auxiliaries[0]["closes"], found["closed"]);
        let text = patched(&text, &std::fs::read_to_string(patch).expect("a patch"));
        assert!(text.contains("& (motor = TRUE => mode = opening)\n"), "{text}");
        std::fs::write(&machine, text).expect("a file");
        assert_eq!(open_of(&machine), Vec::<String>::new());
    }
}

/// An obligation that fails in a reachable state needs no stronger invariant.
#[test]
fn an_obligation_that_fails_is_shown_with_its_trace() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = GATE.replace("mode := closing || motor := FALSE", "mode := closing");
    let machine = file(folder.path(), "Gate.mch", text);
    let (code, found) = answer("strengthen", "strengthen", &machine, &[]);
    assert_eq!(code, Some(1), "{found:#}");
    let violation = &found["violations"][0];
    assert_eq!(names(&violation["obligations"]), ["arrive/inv3/INV"]);
    let trace = violation["counterexample"]["trace"].as_array().expect("a trace");
    let events: Vec<&str> = trace.iter().filter_map(|step| step["event"].as_str()).collect();
    assert_eq!(events, ["INITIALISATION", "start", "stop", "arrive"]);
}

/// A conjunct that is left out of the invariant is found again, with the labels and symbols of Rodin.
#[test]
fn what_is_left_out_is_found_again() {
    if !has_solver() {
        return;
    }
    let tank = root().join("language/tests/eventb/tank.eventb");
    let (code, found) = answer("strengthen", "strengthen", &tank, &["--without", "#1"]);
    assert_eq!(code, Some(0), "{found:#}");
    assert_eq!(found["auxiliaries"][0]["rodin"], "(room + level) = cap");
}

/// Sets of any size need lemmas with quantifiers.
#[test]
fn lemmas_speak_of_all_elements_of_deferred_sets() {
    if !has_solver() {
        return;
    }
    let server = root().join("benches/protocols/LockServer.mch");
    let (code, found) = answer("strengthen", "strengthen", &server, &[]);
    assert_eq!((code, found["left"].as_array().map(Vec::len)), (Some(0), Some(0)), "{found:#}");
    let auxiliaries = found["auxiliaries"].as_array().expect("a list");
    assert!(auxiliaries.iter().all(|a| a["text"].as_str().is_some_and(|t| t.starts_with('!'))), "{found:#}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let tank = root().join("language/tests/eventb/tank.eventb");
    let folder = tempfile::tempdir().expect("a folder");
    let patch = folder.path().join("tank.patch");
    let refused = bsym().arg("strengthen").arg(&tank).arg("--patch").arg(&patch).output().expect("it runs");
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text.contains("no text of classical B") && text.contains("printed with labels"), "{text}");
    let refused = run("strengthen", &root().join("examples/lift.mch"), &["--without", "closed_while_mowing"]);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text.contains("--without") && text.contains("did you mean `closed_while_moving`"), "{text}");
}
