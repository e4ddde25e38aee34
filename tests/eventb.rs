//! Event-B end to end: our tank as a package with its proofs, and as a Rodin project.

mod common;

use std::path::PathBuf;
use std::process::Output;

use common::{assert_valid, bsym, file, has_solver, json as result_of, root};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Facts that a Rodin plug-in would export for the tank: everything is proven but that `drain` keeps `inv1` of Tank1.
const FACTS: &str = "exporter_version(3),po('Valve','Theorem',[axiom(thm1)],true),\
    po('Tank0','Theorem',[invariant(thm1)],true),\
    po('Tank0','Invariant  establishment',[event('INITIALISATION'),invariant(inv1)],true),\
    po('Tank0','Invariant  preservation',[event(fill),invariant(inv1)],true),\
    po('Tank0','Invariant  preservation',[event(drain),invariant(inv1)],true),\
    po('Tank1','Invariant  establishment',[event('INITIALISATION'),event('INITIALISATION'),invariant(inv1)],true),\
    po('Tank1','Invariant  preservation',[event(fill),event(drop),invariant(inv1)],true),\
    po('Tank1','Guard strengthening (split)',[event(fill),event(drop),guard(grd1)],true),\
    po('Tank1','Guard strengthening (split)',[event(fill),event(drop),guard(grd2)],true),\
    po('Tank1','Invariant  preservation',[event(drain),event(drain),invariant(inv1)],false),\
    po('Tank1','Guard strengthening (split)',[event(drain),event(drain),guard(grd1)],true),\
    po('Tank1','Action simulation',[event(drain),event(drain),action(act1)],true)";

fn ours(name: &str) -> PathBuf {
    root().join("language/tests/eventb").join(name)
}

/// A package of ours with proofs in it.
fn proven(folder: &TempDir, name: &str) -> String {
    let text = std::fs::read_to_string(ours(name)).unwrap();
    let with_facts = text.replace("exporter_version(3)", FACTS);
    assert_ne!(text, with_facts);
    file(folder.path(), name, with_facts).display().to_string()
}

fn run(arguments: &[&str]) -> Output {
    bsym().args(arguments).output().unwrap()
}

/// The result of a run, valid against its schema.
fn result(arguments: &[&str]) -> Json {
    let output = run(&[arguments, &["--timeout", "60s", "--json"]].concat());
    let result = result_of(&output);
    assert_valid("result", &result);
    result
}

fn used(result: &Json) -> usize {
    result["proofs"]["used"].as_array().unwrap().len()
}

#[test]
fn a_package_is_proved_with_its_own_status_and_without() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tank = proven(&folder, "tank.eventb");
    for engine in ["ic3", "kind"] {
        let with = result(&[engine, &tank]);
        assert_eq!(with["verdict"], "holds", "{with:#}");
        assert!(used(&with) > 8, "{with:#}");
        assert_eq!(with["proofs"]["source"], tank.as_str());
        let without = result(&[engine, &tank, "--no-proofs"]);
        assert_eq!((&without["verdict"], used(&without)), (&Json::from("holds"), 0), "{without:#}");
    }
}

#[test]
fn the_certificate_of_a_package_is_accepted() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tank = proven(&folder, "tank.eventb");
    let certificate = folder.path().join("tank.cert.json").display().to_string();
    assert_eq!(result(&["ic3", &tank, "--certificate", &certificate])["verdict"], "holds");
    let output = run(&["certify", &certificate]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_refinement_that_is_none_is_violated() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Its facts are those of the correct machine, so some of them are wrong.
    for weak in [ours("tank_weak.eventb").display().to_string(), proven(&folder, "tank_weak.eventb")] {
        for engine in ["ic3", "kind", "bmc"] {
            let found = result(&[engine, &weak]);
            assert_eq!(found["verdict"], "violated", "{found:#}");
            let violated = &found["violated"][0];
            assert_eq!(violated["property"], "refinement", "{found:#}");
            let message = violated["message"].as_str().unwrap();
            assert!(message.contains("abstract event fill (Tank0)"), "{message}");
            let last = found["trace"].as_array().unwrap().last().unwrap();
            assert_eq!(last["event"], "drop", "{last:#}");
        }
        let text = String::from_utf8(run(&["bmc", &weak]).stdout).unwrap();
        assert!(text.contains("refinement fails"), "{text}");
    }
}

#[test]
fn every_level_is_a_model_of_its_own() {
    if !has_solver() {
        return;
    }
    let project = ours("Tank").display().to_string();
    for (level, conjuncts) in [("Tank0", 1), ("Tank1", 3), ("Tank2", 4)] {
        let found = result(&["ic3", &project, "--machine", level]);
        assert_eq!(found["verdict"], "holds", "{level}: {found:#}");
        assert_eq!(found["machine"], level);
        let invariants = found["properties"].as_array().unwrap().iter().filter(|p| p["property"] == "inv");
        assert_eq!(invariants.count(), conjuncts, "{level}: {found:#}");
    }
    let refused = run(&["ic3", &project, "--machine", "Tank3"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("Tank0"), "{refused:?}");
}

#[test]
fn the_proofs_of_a_package_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let tank = proven(&folder, "tank.eventb");
    let output = run(&["proofs", &tank, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let pairs = &result_of(&output)["pairs"];
    // Three events and the initialisation, three conjuncts.
    assert_eq!((&pairs["machine"], pairs["total"].as_u64()), (&Json::from("Tank1"), Some(12)));
    let open = pairs["open_pairs"].as_array().unwrap();
    let open: Vec<(&str, &str)> =
        open.iter().map(|p| (p["event"].as_str().unwrap(), p["conjunct"].as_str().unwrap())).collect();
    assert!(open.iter().all(|p| p.0 == "drain"), "{open:?}");
    assert!(!open.is_empty(), "{pairs:#}");
}

#[test]
fn theories_are_evaluated_as_far_as_they_have_values() {
    let shelf = ours("Shelf/Shelf.bum").display().to_string();
    // Seven stacks of at most two items; six ways to put, six to take, and one to begin.
    let found = result(&["mc", &shelf, "--prop", "inv,deadlock"]);
    assert_eq!(
        (&found["verdict"], &found["states"], &found["transitions"]),
        (&Json::from("holds"), &Json::from(7), &Json::from(13)),
        "{found:#}"
    );
    let outside = ours("Shelf/Outside.bum").display().to_string();
    for engine in ["mc", "bmc"] {
        if engine == "mc" || has_solver() {
            let found = result(&[engine, &outside]);
            assert_eq!(found["verdict"], "violated", "{found:#}");
            assert_eq!(found["violated"][0]["property"], "wd", "{found:#}");
        }
    }
    let priced = ours("Shelf/Priced.bum").display().to_string();
    let output = run(&["mc", &priced, "--json"]);
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.code() != Some(0) && said.contains("price"), "{said}");
}

#[test]
fn proved_refinement_answers_checks_and_a_wrong_one_is_found_out() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tank = proven(&folder, "tank.eventb");
    let checks = |result: &Json, word: &str| -> Vec<String> {
        let all = result["proofs"]["checks"][word].as_array().unwrap().iter();
        all.map(|c| c["check"].as_str().unwrap().to_string()).collect()
    };
    let with = result(&["kind", &tank]);
    assert!(checks(&with, "used").iter().any(|c| c.contains("refines")), "{with:#}");
    assert_eq!((checks(&with, "wrong"), &with["verdict"]), (vec![], &Json::from("holds")));
    let weak = proven(&folder, "tank_weak.eventb");
    for engine in ["bmc", "ic3"] {
        let found = result(&[engine, &weak]);
        assert_eq!(found["verdict"], "violated", "{found:#}");
        let wrong = checks(&found, "wrong");
        assert!(wrong.iter().any(|c| c.starts_with("drop refines fill: guard")), "{wrong:?}");
    }
    let summary = result_of(&run(&["proofs", &tank, "--json"]));
    let total: u64 = summary["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|k| {
            let o = &k["outcome"];
            ["used", "stale", "unmatched", "ambiguous", "ignored"]
                .iter()
                .map(|w| o[*w].as_u64().unwrap())
                .sum::<u64>()
        })
        .sum();
    assert_eq!(Json::from(total), summary["obligations"]["total"], "{summary:#}");
    let text = String::from_utf8(run(&["proofs", &tank]).stdout).unwrap();
    assert!(text.contains("by kind:") && text.contains("refinement: "), "{text}");
}

/// A machine of a Rodin project whose gauge is a function although no invariant says so.
const GAUGE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<org.eventb.core.machineFile org.eventb.core.configuration="org.eventb.core.fwd" version="5">
<org.eventb.core.variable name="v1" org.eventb.core.identifier="level"/>
<org.eventb.core.invariant name="i1" org.eventb.core.label="inv1" org.eventb.core.predicate="level ∈ ℤ ↔ ℤ"/>
<org.eventb.core.invariant name="i2" org.eventb.core.label="inv2" org.eventb.core.predicate="∀p,n·p ↦ n ∈ level ⇒ n ≥ 0"/>
<org.eventb.core.event name="e0" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="INITIALISATION">
<org.eventb.core.action name="a0" org.eventb.core.label="act1" org.eventb.core.assignment="level ≔ ∅"/>
</org.eventb.core.event>
<org.eventb.core.event name="e1" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="open">
<org.eventb.core.parameter name="p1" org.eventb.core.identifier="p"/>
<org.eventb.core.guard name="g1" org.eventb.core.label="grd1" org.eventb.core.predicate="p ∈ 1‥2"/>
<org.eventb.core.action name="a1" org.eventb.core.label="act1" org.eventb.core.assignment="level(p) ≔ 0"/>
</org.eventb.core.event>
<org.eventb.core.event name="e2" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="fill">
<org.eventb.core.parameter name="p2" org.eventb.core.identifier="p"/>
<org.eventb.core.guard name="g2" org.eventb.core.label="grd1" org.eventb.core.predicate="p ∈ dom(level)"/>
<org.eventb.core.action name="a2" org.eventb.core.label="act1" org.eventb.core.assignment="level(p) ≔ level(p) + 1"/>
</org.eventb.core.event>
</org.eventb.core.machineFile>
"#;

#[test]
fn what_the_proof_of_a_project_takes_for_granted_is_in_its_invariant() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let gauge = file(folder.path(), "Gauge.bum", GAUGE).display().to_string();
    let certificate = folder.path().join("gauge.json").display().to_string();
    for engine in ["ic3", "kind"] {
        let found = result(&[engine, &gauge, "--certificate", &certificate]);
        assert_eq!(found["verdict"], "holds", "{engine}: {found:#}");
        let invariant = found["invariant"].as_array().unwrap();
        assert!(invariant.contains(&Json::from("level ∈ ((1 ‥ 2) ⇸ ℤ)")), "{engine}: {invariant:?}");
        let output = run(&["certify", &certificate]);
        assert_eq!(output.status.code(), Some(0), "{engine}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Labels are unique in a machine, not in all levels of a project.
#[test]
fn a_label_of_several_machines_has_its_machine_in_front() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tank = proven(&folder, "tank.eventb");
    let found = result(&["ic3", &tank]);
    let used = found["proofs"]["used"].as_array().unwrap();
    let names: Vec<&str> = used.iter().filter_map(|pair| pair["conjunct"].as_str()).collect();
    assert!(names.contains(&"Tank0.inv1") && names.contains(&"Tank1.inv1"), "{names:?}");
}

/// What a run says, without its time.
fn counted(arguments: &[&str]) -> (Option<i32>, Vec<Json>) {
    let output = run(&[arguments, &["--json", "--timeout", "60s"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("proof status"), "{said}");
    let object = result_of(&output);
    let names = ["verdict", "states", "transitions", "violated", "summary"];
    let mut found: Vec<Json> = names.iter().map(|name| object[name].clone()).collect();
    let obligations = object["obligations"].as_array().into_iter().flatten();
    found.extend(obligations.map(|o| json!([o["id"], o["status"]])));
    (output.status.code(), found)
}

#[test]
fn a_text_has_the_verdicts_counts_and_obligations_of_the_files_of_rodin() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(ours("Text")).unwrap().flatten() {
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    for (machine, text) in [("Tank0", "Tank0.bumx"), ("Tank1", "tanks.eventb"), ("Tank2", "tanks.eventb")] {
        let rodin = ours("Tank").join(format!("{machine}.bum")).display().to_string();
        let text = folder.path().join(text).display().to_string();
        for command in [&["mc", "--no-proofs"][..], &["check", "--no-proofs"], &["po", "--no-proofs"]] {
            let of = |file: &str| {
                let (first, rest) = command.split_first().unwrap();
                counted(&[&[*first, file, "--machine", machine], rest].concat())
            };
            assert_eq!(of(&text), of(&rodin), "{machine} {command:?}");
        }
    }
    // Without a flag no status is looked for, and -I finds the context elsewhere.
    let (lib, text) = (folder.path().join("lib"), folder.path().join("Tank0.bumx").display().to_string());
    std::fs::create_dir(&lib).unwrap();
    std::fs::rename(folder.path().join("Valve.bucx"), lib.join("Valve.bucx")).unwrap();
    let missing = run(&["check", &text]);
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(missing.status.code() == Some(2) && said.contains("there is no context `Valve`"), "{said}");
    let lib = lib.display().to_string();
    let certificate = folder.path().join("c.json").display().to_string();
    let (code, _) = counted(&["ic3", &text, "-I", &lib, "--certificate", &certificate]);
    assert_eq!(code, Some(0));
    let certified = run(&["certify", &certificate]);
    assert_eq!(certified.status.code(), Some(0), "{}", String::from_utf8_lossy(&certified.stdout));
}

#[test]
fn the_text_of_the_page_holds() {
    let page = std::fs::read_to_string(root().join("docs/eventb-text.md")).unwrap();
    let text = page.split("```eventb\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "doors.eventb", text).display().to_string();
    let (code, found) = counted(&["mc", &path]);
    assert_eq!((code, &found[0]), (Some(0), &json!("holds")));
}
