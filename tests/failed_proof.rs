//! A proof that was not found: which event breaks what, over which variables, and which lemmas are inductive all the same.

mod common;

use common::{answer, file, has_solver, run};
use serde_json::Value as Json;

/// That a process is not ready and waiting needs two lemmas, which are found. That the sum of 1000 rows is 500500 needs
/// one that no engine has: `2 * total = row * (row + 1)`.
const TRIANGLE: &str =
    "MACHINE Triangle SETS PID = {p1, p2, p3} VARIABLES active, ready, waiting, row, total, log
INVARIANT active <: PID & ready <: PID & waiting <: PID & row : INTEGER & total : INTEGER & log : INTEGER &
  ready /\\ waiting = {} & (row = 1000 => total = 500500)
INITIALISATION active := {} || ready := {} || waiting := {} || row := 0 || total := 0 || log := 0
OPERATIONS
  new(p) = SELECT p : PID & p /: active \\/ ready \\/ waiting THEN waiting := waiting \\/ {p} END;
  prepare(p) = SELECT p : waiting THEN waiting := waiting - {p} || ready := ready \\/ {p} END;
  go(p) = SELECT p : ready & active = {} THEN active := {p} || ready := ready - {p} END;
  stop = SELECT active /= {} THEN waiting := waiting \\/ active || active := {} END;
  add = BEGIN row := row + 1 || total := total + row + 1 || log := log + 1 END
END";

const OPEN: &str = "row = 1000 => total = 500500";

fn texts(list: &Json) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

/// Requires the one gap: the event and the variables, and values of these alone.
fn has_the_gap(object: &Json) {
    let gaps = object["failed_proof"]["gaps"].as_array().unwrap_or_else(|| panic!("{object:#}"));
    assert_eq!(gaps.len(), 1, "{gaps:#?}");
    let gap = &gaps[0];
    assert_eq!((gap["text"].as_str(), gap["event"].as_str()), (Some(OPEN), Some("add")), "{gap:#}");
    assert_eq!(texts(&gap["variables"]), ["row", "total"]);
    assert_eq!(gap["others"], 4);
    assert_eq!(gap["before"]["row"], "999", "{gap:#}");
    assert_eq!(gap["after"]["row"], "1000", "{gap:#}");
    assert!(gap["before"].get("log").is_none() && gap["before"].get("active").is_none(), "{gap:#}");
}

#[test]
fn a_failed_proof_names_the_event_that_breaks_the_property_and_the_variables() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Triangle.mch", TRIANGLE);
    let (code, object) = answer("result", "kind", &machine, &["-k", "3"]);
    assert_eq!(code, Some(3), "{object:#}");
    has_the_gap(&object);
    // The graph: what `stop` keeps rests on the lemma.
    let supports = object["failed_proof"]["supports"].as_array().expect("supports");
    let stop = supports.iter().find(|s| s["text"] == "ready /\\ waiting = {}" && s["event"] == "stop");
    let by = &stop.unwrap_or_else(|| panic!("{supports:#?}"))["by"];
    assert_eq!(texts(by), ["active /\\ ready = {}"], "{by:#}");

    let output = run("kind", &machine, &["-k", "3"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&format!("add breaks {OPEN}")), "{text}");
    assert!(text.contains("reads row, total and none of the 4 others"), "{text}");
    // `log` is not read on the path that k-induction stopped at.
    assert!(!text.contains("       log = "), "{text}");
    assert!(text.contains("not read on this path; -v writes all"), "{text}");
    let output = run("kind", &machine, &["-k", "3", "-v"]);
    let whole = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        whole.contains("       log = ") && whole.contains("stop keeps ready /\\ waiting = {}"),
        "{whole}"
    );
}

#[test]
fn lemmas_of_a_failed_proof_are_invariants() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Triangle.mch", TRIANGLE);
    for (engine, limit) in [("kind", ["-k", "3"]), ("ic3", ["--timeout", "6s"])] {
        let (_, object) = answer("result", engine, &machine, &limit);
        has_the_gap(&object);
        let lemmas = texts(&object["failed_proof"]["lemmas"]);
        assert!(lemmas.contains(&"active /\\ ready = {}"), "{engine}: {lemmas:?}");
        // In place of what is not proved, they are an inductive invariant.
        let all: Vec<String> = lemmas.iter().map(|lemma| format!("({lemma})")).collect();
        let text = TRIANGLE.replace(&format!("({OPEN})"), &all.join(" & "));
        let stronger = file(folder.path(), "Stronger.mch", text.replace("Triangle", "Stronger"));
        let (code, object) = answer("result", "kind", &stronger, &[]);
        assert_eq!(code, Some(0), "{engine}: {object:#}");
        assert_eq!(object["depth"], 0, "{engine}: {object:#}");
    }
}

#[test]
fn the_page_shows_what_there_is_of_a_proof() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Triangle.mch", TRIANGLE);
    let page = folder.path().join("page.html");
    let output = run("kind", &machine, &["-k", "3", "--html", page.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = std::fs::read_to_string(&page).expect("the page");
    for part in [
        "What there is of a proof",
        "<code>add</code>",
        "row, total",
        "What rests on what",
        "<code>stop</code>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_short_run_says_nothing_of_a_proof() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Triangle.mch", TRIANGLE);
    let (code, object) = answer("result", "kind", &machine, &["--timeout", "1ms"]);
    assert_eq!((code, &object["failed_proof"]), (Some(3), &Json::Null), "{object:#}");
}
