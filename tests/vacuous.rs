//! Axioms that contradict each other are named by every command.

mod common;

use std::path::Path;

use common::{answer, file, has_solver, run};
use serde_json::Value as Json;

const BELOW: &str = "MACHINE Below CONSTANTS a, b, c PROPERTIES a : NAT & b : NAT & c : BOOL & a < b & b < a
VARIABLES x INVARIANT x : NAT INITIALISATION x := a OPERATIONS set = x := b END";

const BELOW_R: &str = "REFINEMENT Below_r REFINES Below VARIABLES x INITIALISATION x := a
OPERATIONS set = x := b END";

const LIMIT: &str = "MACHINE Limit CONSTANTS top PROPERTIES top : NAT1 & top = 20
VARIABLES x INVARIANT x : 0..top INITIALISATION x := 0 OPERATIONS set(v) = PRE v : 0..top THEN x := v END END";

const STUCK: &str =
    "MACHINE Stuck VARIABLES x INVARIANT x : 0..3 INITIALISATION ANY v WHERE v : 0..3 & v > 3 THEN x := v END
OPERATIONS set = x := 1 END";

const CONTEXT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.contextFile version="3">
<org.eventb.core.constant name="a" org.eventb.core.identifier="top"/>
<org.eventb.core.axiom name="b" org.eventb.core.label="type" org.eventb.core.predicate="top ∈ 0‥9"/>
<org.eventb.core.axiom name="c" org.eventb.core.label="low" org.eventb.core.predicate="top &lt; 2"/>
<org.eventb.core.axiom name="d" org.eventb.core.label="even" org.eventb.core.predicate="top mod 2 = 0"/>
<org.eventb.core.axiom name="e" org.eventb.core.label="high" org.eventb.core.predicate="top &gt; 4"/>
</org.eventb.core.contextFile>
"#;

const RING: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.machineFile version="5">
<org.eventb.core.seesContext name="a" org.eventb.core.target="Bounds"/>
<org.eventb.core.variable name="b" org.eventb.core.identifier="x"/>
<org.eventb.core.invariant name="c" org.eventb.core.label="inv1" org.eventb.core.predicate="x ∈ 0‥3"/>
<org.eventb.core.event name="d" org.eventb.core.label="INITIALISATION" org.eventb.core.convergence="0">
<org.eventb.core.action name="e" org.eventb.core.label="act1" org.eventb.core.assignment="x ≔ 0"/>
</org.eventb.core.event>
</org.eventb.core.machineFile>
"#;

fn texts(core: &Json) -> Vec<&str> {
    core.as_array().expect("a list").iter().filter_map(|axiom| axiom["text"].as_str()).collect()
}

fn engines() -> &'static [&'static str] {
    if has_solver() { &["check", "bmc", "kind", "ic3", "tree", "mc", "ldd"] } else { &["mc", "ldd"] }
}

/// The core of a command, whose text names it as well.
fn core(schema: &str, command: &str, machine: &Path, more: &[&str]) -> Json {
    let (code, object) = answer(schema, command, machine, more);
    assert_eq!(code, Some(3), "{command}: {object:#}");
    let text = String::from_utf8_lossy(&run(command, machine, more).stdout).into_owned();
    assert!(text.contains("these axioms contradict each other"), "{command}: {text}");
    object["core"].clone()
}

#[test]
fn a_contradiction_is_named_by_each_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = file(folder.path(), "Below.mch", BELOW);
    for command in engines() {
        assert_eq!(texts(&core("result", command, &below, &[])), ["a < b", "b < a"], "{command}");
    }
    if !has_solver() {
        return;
    }
    let limit = file(folder.path(), "Limit.mch", LIMIT);
    let core = core("result", "check", &limit, &["--set", "top=9"]);
    assert_eq!(texts(&core), ["top = 20", "top = 9"]);
    assert_eq!(core[1]["label"], "--set");
}

#[test]
fn a_contradiction_is_named_by_each_search() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let below = file(folder.path(), "Below.mch", BELOW);
    let refined = file(folder.path(), "Below_r.ref", BELOW_R);
    for (schema, command, machine, more) in [
        ("ltl", "ltl", &below, &["-f", "G {x > 0}"][..]),
        ("simulation", "simulate", &below, &[]),
        ("refine", "refine", &refined, &[]),
    ] {
        assert_eq!(texts(&core(schema, command, machine, more)), ["a < b", "b < a"], "{command}");
    }
    let (code, object) = answer("graph", "graph", &below, &[]);
    assert_eq!((code, texts(&object["core"])), (Some(3), vec!["a < b", "b < a"]), "{object:#}");
}

/// Axioms of an Event-B context have their labels.
#[test]
fn a_contradiction_of_a_context_has_labels() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Bounds.buc", CONTEXT);
    let machine = file(folder.path(), "Ring.bum", RING);
    for command in ["check", "ic3", "mc"] {
        let core = core("result", command, &machine, &[]);
        let labels: Vec<&str> =
            core.as_array().expect("a list").iter().filter_map(|a| a["label"].as_str()).collect();
        assert_eq!(labels, ["low", "high"], "{command}: {core:#}");
    }
}

#[test]
fn an_initialisation_without_an_outcome_is_blamed_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let stuck = file(folder.path(), "Stuck.mch", STUCK);
    for command in engines() {
        let (code, object) = answer("result", command, &stuck, &[]);
        assert_eq!((code, &object["verdict"]), (Some(3), &"vacuous".into()), "{command}: {object:#}");
        assert_eq!(object["reason_code"], "no-initial-state", "{command}");
        assert_eq!(object["core"], Json::Array(vec![]), "{command}");
        let text = String::from_utf8_lossy(&run(command, &stuck, &[]).stdout).into_owned();
        assert!(text.contains("look at the initialisation"), "{command}: {text}");
    }
}
