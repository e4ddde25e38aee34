//! Obligations that no section of the machine itself states: constraints of included machines, theorems in guards.

mod common;

use std::path::Path;

use common::{assert_valid, bsym, file, has_solver, json, root};
use serde_json::Value as Json;

fn result(command: &str, machine: &Path) -> Json {
    let arguments = ["--prop", "inv,assertions", "--json", "--timeout", "60"];
    let output = bsym().arg(command).arg(machine).args(arguments).output().expect("it runs");
    let object = json(&output);
    assert_valid("result", &object);
    object
}

fn engines() -> &'static [&'static str] {
    if has_solver() { &["mc", "bmc", "kind", "ic3", "check"] } else { &["mc"] }
}

const BOX: &str =
    "MACHINE Box(top) CONSTRAINTS top : 1..2 VARIABLES n INVARIANT n : 0..top INITIALISATION n := 0
OPERATIONS put = PRE n < top THEN n := n + 1 END END";

/// An argument that breaks a constraint does not mean that there is nothing to check.
#[test]
fn constraints_of_an_included_machine_are_checked_and_not_assumed() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Box.mch", BOX);
    let room = |name: &str, width: &str| {
        let text =
            format!("MACHINE {name} CONSTANTS w PROPERTIES w : {width} INCLUDES Box(w) PROMOTES put END");
        file(folder.path(), &format!("{name}.mch"), text)
    };
    let (wide, narrow) = (room("Wide", "{3}"), room("Narrow", "1..2"));
    for command in engines() {
        let object = result(command, &wide);
        assert_eq!((&object["verdict"], &object["property"]), (&"violated".into(), &"assertions".into()));
        assert_eq!(object["violated"][0]["text"], "Box.top : 1 .. 2", "{command}: {object:#}");
    }
    for command in engines().iter().filter(|c| **c != "bmc") {
        let object = result(command, &narrow);
        assert_eq!(object["verdict"], "holds", "{command}: {object:#}");
    }
}

/// Theorems in guards, from a project of Rodin and from a package.
#[test]
fn theorems_in_guards_are_checked() {
    let folder = root().join("language/tests/eventb/Claims");
    for name in ["Claims.bum", "claims.eventb"] {
        let machine = folder.join(name);
        for command in engines() {
            let object = result(command, &machine);
            assert_eq!(
                (&object["verdict"], &object["property"]),
                (&"violated".into(), &"assert".into()),
                "{command} {name}: {object:#}"
            );
            assert_eq!(object["trace"].as_array().map(Vec::len), Some(4), "{command} {name}");
            assert_eq!(object["violated"][0]["text"], "x < 2", "{command} {name}");
        }
        let output = bsym().args(["parse", "--print"]).arg(&machine).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("ASSERT x < 2") && text.contains("3 - x"), "{text}");
    }
}

#[test]
fn wrong_refinements_are_explained_by_values() {
    if !has_solver() {
        return;
    }
    let folder = root().join("tests/po/classical");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("a file").path()).collect();
    files.retain(|path| path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("_w")));
    assert!(files.len() >= 20, "{files:?}");
    for machine in files {
        let output = bsym().arg("po").arg(&machine).arg("--explain").output().expect("it runs");
        assert_eq!(output.status.code(), Some(3), "{machine:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        // The evaluator judges the values that are shown.
        let shown = text.matches("(some values)").count();
        let open = text.lines().filter(|l| l.starts_with("  unknown ")).count();
        assert!(open > 0 && shown == open, "{machine:?}: {text}");
        assert!(text.contains("  false: ") || text.contains("  ill-defined: "), "{machine:?}: {text}");
    }
}
