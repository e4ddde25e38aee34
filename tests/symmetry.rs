//! `bsym mc --symmetry` as users meet it.

mod common;

use std::path::Path;
use std::process::{Output, Stdio};

use common::{answer, bsym, file, machine, run};
use serde_json::Value as Json;

const METHODS: [&str; 5] = ["canonical", "flood", "markers", "canonical+markers", "representatives"];

fn mc(path: &Path, arguments: &[&str]) -> Output {
    run("mc", path, arguments)
}

fn result(path: &Path, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("result", "mc", path, arguments)
}

#[test]
fn one_state_of_each_orbit_is_visited() {
    let scope = ["--scope", "PROCESS=4"];
    for method in METHODS {
        let (code, object) =
            result(&machine("Scheduler.mch"), &[&scope[..], &["--symmetry", method]].concat());
        assert_eq!(code, Some(0), "{method}");
        assert_eq!((&object["states"], &object["transitions"]), (&15.into(), &75.into()), "{method}");
        let symmetry = &object["stats"]["symmetry"];
        assert_eq!((&symmetry["method"], &symmetry["exact"]), (&method.into(), &true.into()));
        assert_eq!(symmetry["sets"][0]["set"], "PROCESS");
    }
    let text = mc(&machine("Scheduler.mch"), &[&scope[..], &["--symmetry", "canonical"]].concat());
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("the 4 elements of PROCESS"), "{text}");
}

#[test]
fn markers_do_not_prove_what_they_may_have_missed() {
    let arguments = ["--scope", "Philosopher=2", "--scope", "Fork=2", "--symmetry", "markers"];
    let (code, object) = result(&machine("Philosophers.mch"), &arguments);
    assert_eq!((code, &object["reason_code"]), (Some(3), &"marker-collisions".into()));
}

#[test]
fn a_certificate_of_a_reduced_search_is_checked() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("certificate.json");
    let name = path.display().to_string();
    for (model, scope) in [("Scheduler.mch", "PROCESS=4"), ("Philosophers.mch", "Philosopher=3")] {
        let arguments = ["--scope", scope, "--symmetry", "canonical", "--certificate", &name];
        assert_eq!(mc(&machine(model), &arguments).status.code(), Some(0));
        let certify = || bsym().arg("certify").arg(&path).stdin(Stdio::null()).output().expect("it runs");
        let good = certify();
        let said = String::from_utf8_lossy(&good.stdout).into_owned();
        assert_eq!(good.status.code(), Some(0), "{said}");
        assert!(said.contains("of symmetric ones one"), "{said}");
        let text = std::fs::read_to_string(&path).expect("it is there");
        // Without the reduction there are more states.
        let wrong = text.replace("\"symmetric\": true", "\"symmetric\": false");
        assert_ne!(text, wrong);
        file(dir.path(), "certificate.json", &wrong);
        assert_eq!(certify().status.code(), Some(1));
    }
    for method in &METHODS[1..] {
        let refused = mc(&machine("Scheduler.mch"), &["--symmetry", method, "--certificate", &name]);
        assert_eq!(refused.status.code(), Some(2), "{method}");
    }
}

#[test]
fn a_reduced_search_is_put_aside_and_continued() {
    let dir = tempfile::tempdir().expect("a folder");
    let name = dir.path().join("aside").display().to_string();
    for method in METHODS {
        let reduced = ["--scope", "Name=4", "--scope", "Number=4", "--symmetry", method];
        let (_, all) = result(&machine("Phonebook.mch"), &reduced);
        let stop = [&reduced[..], &["--checkpoint", &name, "--max-states", "5"]].concat();
        let (code, _) = result(&machine("Phonebook.mch"), &stop);
        assert_eq!(code, Some(3));
        let other =
            mc(&machine("Phonebook.mch"), &["--scope", "Name=4", "--scope", "Number=4", "--resume", &name]);
        assert_eq!(other.status.code(), Some(2));
        let (code, object) =
            result(&machine("Phonebook.mch"), &[&reduced[..], &["--resume", &name]].concat());
        assert_eq!(code, if method == "markers" { Some(3) } else { Some(0) }, "{method}");
        for count in ["states", "transitions"] {
            assert_eq!(object[count], all[count], "{method}");
        }
    }
}

#[test]
fn what_cannot_be_reduced_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let named = file(
        dir.path(),
        "Named.mch",
        "MACHINE Named SETS C = {a, b, c}\nVARIABLES s INVARIANT s <: C INITIALISATION s := {}\n\
         OPERATIONS add(x) = PRE x : C & x /= a THEN s := s \\/ {x} END;\n once = SELECT s = {b, c} THEN s := {} END END\n",
    );
    let (code, object) = result(&named, &["--symmetry", "canonical"]);
    assert_eq!((code, &object["states"]), (Some(0), &4.into()));
    let warnings = object["warnings"].to_string();
    assert!(warnings.contains("a, b, c (") && warnings.contains("Named.mch:3"), "{warnings}");
    assert!(warnings.contains("all states were visited"), "{warnings}");
    let many = ["--scope", "PROCESS=9", "--symmetry", "flood", "--max-states", "300"];
    let (_, object) = result(&machine("Scheduler.mch"), &many);
    assert!(object["warnings"].to_string().contains("362880 permutations"), "{object}");
}

/// An audit does not count states that there was no time to reduce.
#[test]
fn time_may_end_while_a_state_is_reduced() {
    for limit in ["60ms", "120ms", "240ms"] {
        let arguments = ["--scope", "PROCESS=8", "--symmetry", "flood", "--keep-going", "--timeout", limit];
        let (code, object) = result(&machine("Scheduler.mch"), &arguments);
        assert!(matches!(code, Some(0 | 3)), "{object:#}");
    }
}
