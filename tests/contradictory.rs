//! `bsym po` names hypotheses that contradict each other, and the obligations that follow from that alone.

mod common;

use std::path::Path;

use common::{bsym, file, has_solver, json, root};
use serde_json::Value as Json;

/// The answer of `po`, which is valid as a `po.json`, its text and the exit code.
fn po(machine: &Path, more: &[&str]) -> (Json, String, Option<i32>) {
    let run =
        |flags: &[&str]| bsym().arg("po").arg(machine).args(more).args(flags).output().expect("it runs");
    let object = json(&run(&["--json"]));
    let schema = std::fs::read_to_string(root().join("status/schema/po.schema.json")).expect("a schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&object).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let output = run(&[]);
    (object, String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

/// Returns role, label and text of each hypothesis of a core.
fn core(contradictory: &Json) -> Vec<(&str, Option<&str>, &str)> {
    let all = contradictory["core"].as_array().expect("a core");
    all.iter()
        .map(|h| {
            (h["role"].as_str().expect("a role"), h["label"].as_str(), h["text"].as_str().expect("a text"))
        })
        .collect()
}

fn names(list: &Json) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(Json::as_str).collect()
}

const TANK: &str = "MACHINE Tank CONSTANTS top PROPERTIES top : 1..10
VARIABLES level, log INVARIANT level : 0..top & log <: 0..top
INITIALISATION level := 0 || log := {}
OPERATIONS
  fill = SELECT level < top THEN level := level + 1 END;
  spill = SELECT level > 10 & log /= {} THEN level := level + 1 END;
  note(n) = PRE n : log & n > 20 THEN log := log \\/ {n} END
END";

#[test]
fn an_operation_that_the_invariant_excludes_is_named() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (object, text, code) = po(&file(folder.path(), "Tank.mch", TANK), &[]);
    assert_eq!(code, Some(0), "{text}");
    let all = object["contradictory"].as_array().expect("a list");
    let events: Vec<_> = all.iter().filter_map(|c| c["event"].as_str()).collect();
    assert_eq!(events, ["spill", "note"], "{object:#}");
    let (axiom, level) = (("axiom", None, "top : 1 .. 10"), ("invariant", None, "level : 0 .. top"));
    assert_eq!(core(&all[0]), [axiom, level, ("guard", None, "level > 10")]);
    assert_eq!(all[0]["core"][2]["line"], 6);
    assert_eq!(names(&all[0]["obligations"]), ["spill/inv1/INV"]);
    let log = ("invariant", None, "log <: 0 .. top");
    let (member, large) = (("precondition", None, "n : log"), ("precondition", None, "n > 20"));
    assert_eq!(core(&all[1]), [axiom, log, member, large]);
    assert_eq!(names(&all[1]["obligations"]), ["note/inv2/INV"]);
    let head = "warning: operation spill can never be executed in a state that satisfies the invariant; \
                1 proved obligation follows from that alone";
    assert!(text.contains(head) && text.contains("\n    guard: level > 10   "), "{text}");
}

/// Formulas that are well-defined before a guard is known do not follow from the guard.
#[test]
fn a_guard_has_its_meaning_without_itself() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Share VARIABLES x INVARIANT x : NATURAL1 INITIALISATION x := 1
OPERATIONS halve = SELECT 10 / x > 20 THEN x := 10 / (x - x) END END";
    let (object, ..) = po(&file(folder.path(), "Share.mch", text), &[]);
    let all = object["contradictory"].as_array().expect("a list");
    assert_eq!(core(&all[0]), [("invariant", None, "x : NATURAL1"), ("guard", None, "10 / x > 20")]);
    let discharged = object["obligations"].as_array().expect("a list").iter();
    let discharged: Vec<_> = discharged.filter(|o| o["status"] == "discharged").collect();
    let all_names: Vec<_> = discharged.iter().filter_map(|o| o["source"]["name"].as_str()).collect();
    assert_eq!(all_names, ["INITIALISATION/inv1/INV", "halve/1/WD", "halve/2/WD", "halve/inv1/INV"]);
    assert_eq!(names(&all[0]["obligations"]), ["halve/2/WD", "halve/inv1/INV"], "{object:#}");
}

const BOUNDS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.contextFile version="3">
<org.eventb.core.constant name="a" org.eventb.core.identifier="top"/>
<org.eventb.core.axiom name="b" org.eventb.core.label="type" org.eventb.core.predicate="top ∈ 0‥9"/>
<org.eventb.core.axiom name="c" org.eventb.core.label="low" org.eventb.core.predicate="top &lt; 5"/>
</org.eventb.core.contextFile>
"#;

const RING: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.machineFile version="5">
<org.eventb.core.seesContext name="a" org.eventb.core.target="Bounds"/>
<org.eventb.core.variable name="b" org.eventb.core.identifier="x"/>
<org.eventb.core.invariant name="c" org.eventb.core.label="inv1" org.eventb.core.predicate="x ∈ 0‥top"/>
<org.eventb.core.event name="d" org.eventb.core.label="INITIALISATION" org.eventb.core.convergence="0">
<org.eventb.core.action name="e" org.eventb.core.label="act1" org.eventb.core.assignment="x ≔ 0"/>
</org.eventb.core.event>
<org.eventb.core.event name="f" org.eventb.core.label="leap" org.eventb.core.convergence="0">
<org.eventb.core.parameter name="g" org.eventb.core.identifier="by"/>
<org.eventb.core.guard name="h" org.eventb.core.label="grd1" org.eventb.core.predicate="by ∈ 1‥3"/>
<org.eventb.core.guard name="i" org.eventb.core.label="grd2" org.eventb.core.predicate="12 ÷ by &gt; 0"/>
<org.eventb.core.guard name="j" org.eventb.core.label="grd3" org.eventb.core.predicate="x − by &gt; 4"/>
<org.eventb.core.action name="k" org.eventb.core.label="act1" org.eventb.core.assignment="x :∣ x' ∈ 0‥top ∧ x' &gt; 12 ÷ (x − 9)"/>
</org.eventb.core.event>
</org.eventb.core.machineFile>
"#;

/// Guards and axioms of Event-B have their labels, and the meaning of a guard does not follow from those behind it.
#[test]
fn an_event_that_can_never_fire_is_named() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Bounds.buc", BOUNDS);
    let (object, text, code) = po(&file(folder.path(), "Ring.bum", RING), &[]);
    assert_eq!(code, Some(0), "{text}");
    let all = object["contradictory"].as_array().expect("a list");
    let labels: Vec<_> = core(&all[0]).into_iter().map(|(role, label, _)| (role, label)).collect();
    let guard = |label| ("guard", Some(label));
    let expected = [("axiom", Some("low")), ("invariant", Some("inv1")), guard("grd1"), guard("grd3")];
    assert_eq!((all.len(), &labels[..]), (1, &expected[..]), "{object:#}");
    assert_eq!(
        names(&all[0]["obligations"]),
        ["leap/act1/WD", "leap/inv1/INV", "leap/act1/FIS"],
        "{object:#}"
    );
    assert!(
        text.contains("warning: event leap can never fire in a state that satisfies the invariant"),
        "{text}"
    );
    // A context alone, and a machine that sees it.
    let wrong = BOUNDS.replace("top &lt; 5", "top &lt; 5 ∧ top &gt; 7");
    file(folder.path(), "Bounds.buc", wrong);
    let (object, text, code) = po(&folder.path().join("Ring.bum"), &[]);
    assert_eq!(code, Some(3), "{text}");
    let all = object["contradictory"].as_array().expect("a list");
    assert!(all.len() == 1 && all[0]["event"].is_null(), "{object:#}");
    assert_eq!(core(&all[0]).len(), 1, "{object:#}");
    assert!(text.contains("contradiction: an axiom is never true"), "{text}");
}

/// A name that is used for several things keeps each meaning.
#[test]
fn names_that_are_declared_twice_are_kept_apart() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let live = "MACHINE Twice VARIABLES n INVARIANT n : BOOL INITIALISATION n := TRUE
OPERATIONS pick(k) = SELECT k : 1..3 THEN ANY k WHERE k : {TRUE} THEN n := k END END END";
    let (object, ..) = po(&file(folder.path(), "Twice.mch", live), &[]);
    assert!(object["contradictory"].is_null(), "{object:#}");
    let dead = live.replace("k : {TRUE}", "k : {TRUE} & k /= TRUE");
    let (object, ..) = po(&file(folder.path(), "Twice.mch", dead), &[]);
    let all = object["contradictory"].as_array().expect("a list");
    let guards: Vec<_> = core(&all[0]).into_iter().map(|(role, _, text)| (role, text)).collect();
    assert_eq!(guards.len(), 2, "{object:#}");
    assert!(guards.iter().all(|(role, text)| *role == "guard" && text.contains("TRUE")), "{object:#}");
}

const BELOW: &str = "MACHINE Below CONSTANTS a, b, c PROPERTIES a : NATURAL & b : NATURAL & c : NATURAL & a < b & c < a & b < a
VARIABLES x INVARIANT x : 0..a INITIALISATION x := b
OPERATIONS up = SELECT x > 0 THEN x := x + 1 END END";

#[test]
fn contradicting_properties_are_no_proof() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Below.mch", BELOW);
    let (object, text, code) = po(&machine, &[]);
    assert_eq!(code, Some(3), "{text}");
    let all = object["contradictory"].as_array().expect("a list");
    assert_eq!(all.len(), 1, "{object:#}");
    assert!(all[0]["event"].is_null(), "{object:#}");
    assert_eq!(core(&all[0]), [("axiom", None, "a < b"), ("axiom", None, "b < a")]);
    assert_eq!(names(&all[0]["obligations"]), ["INITIALISATION/inv1/INV", "up/inv1/INV"]);
    assert!(
        text.contains("contradiction: the axioms contradict each other; 2 proved obligations follow"),
        "{text}"
    );
}

#[test]
fn contradicting_invariants_are_no_proof() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Never SETS S VARIABLES s, t INVARIANT s <: S & t <: S & s /= {} & t = {} & s <: t
INITIALISATION s, t := {}, {} OPERATIONS put(e) = PRE e : S THEN s := s \\/ {e} END END";
    let (object, text, code) = po(&file(folder.path(), "Never.mch", text), &[]);
    assert_eq!(code, Some(3), "{text}");
    let all = object["contradictory"].as_array().expect("a list");
    let texts: Vec<_> = core(&all[0]).into_iter().map(|(role, _, text)| (role, text)).collect();
    let expected = [("invariant", "s /= {}"), ("invariant", "t = {}"), ("invariant", "s <: t")];
    assert_eq!(texts, expected, "{object:#}");
    assert_eq!(all[0]["confirmed"], true);
    assert!(text.contains("contradiction: the invariants contradict each other"), "{text}");
    assert!(!names(&all[0]["obligations"]).iter().any(|n| n.starts_with("INITIALISATION")), "{object:#}");
}

const POOL: &str = "MACHINE Pool VARIABLES free INVARIANT free <: 1..3 INITIALISATION free := 1..3
OPERATIONS
  take(k) = PRE k : free THEN free := free - {k} END;
  drop(k) = PRE k : 1..3 & k /: free THEN free := free \\/ {k} END
END";

const FULL: &str = "REFINEMENT Full REFINES Pool VARIABLES list
INVARIANT list <: INTEGER & list = free & list = 1..3
INITIALISATION list := 1..3
OPERATIONS
  take(k) = SELECT k : list & k > 3 THEN list := {} END;
  drop(k) = list := list \\/ {k}
END";

/// The precondition of the abstraction belongs to a call, and so does the guard of the refinement.
#[test]
fn calls_that_a_gluing_invariant_excludes_are_named() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Pool.mch", POOL);
    let (object, text, code) = po(&file(folder.path(), "Full.ref", FULL), &[]);
    assert_eq!(code, Some(0), "{text}");
    let all = object["contradictory"].as_array().unwrap_or_else(|| panic!("{object:#}"));
    let events: Vec<_> = all.iter().filter_map(|c| c["event"].as_str()).collect();
    assert_eq!(events, ["take", "drop"], "{object:#}");
    let roles = |c: &Json| core(c).into_iter().map(|(role, ..)| role.to_string()).collect::<Vec<_>>();
    assert_eq!(roles(&all[0]).last().map(String::as_str), Some("guard"), "{object:#}");
    let drop = core(&all[1]);
    assert!(drop.contains(&("precondition", None, "k /: Pool.free")), "{drop:?}");
    assert!(drop.contains(&("precondition", None, "k : 1 .. 3")), "{drop:?}");
    assert!(drop.contains(&("invariant", None, "list = 1 .. 3")), "{drop:?}");
    assert!(names(&all[1]["obligations"]).iter().all(|n| n.starts_with("drop/")), "{object:#}");
    assert!(text.contains("operation drop can never be called in a state"), "{text}");
}

#[test]
fn an_ordinary_machine_has_no_contradiction() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let live =
        TANK.replace("level > 10", "level > 1").replace("level + 1 END;\n  note", "level - 1 END;\n  note");
    let live = live.replace("n > 20", "n > 0");
    let (object, text, code) = po(&file(folder.path(), "Tank.mch", live), &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(object["contradictory"].is_null(), "{object:#}");
    assert!(!text.contains("warning") && !text.contains("contradiction"), "{text}");
}
