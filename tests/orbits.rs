//! IC3 over bits with orbits (`--domain bits`), as the program answers: at sizes of the user's choice, and for any size.

mod common;

use std::path::PathBuf;
use std::process::Stdio;

use common::{answer, bsym, file, has_solver};
use serde_json::Value as Json;
use tempfile::TempDir;

/// What is opened was granted by someone, and what is sealed was opened. That a grant exists is not part of the
/// property.
const VAULT: &str = "MACHINE Vault SETS GUARD; DOOR
VARIABLES granted, opened, sealed
INVARIANT granted : GUARD <-> DOOR & opened <: DOOR & sealed <: DOOR & !d.(d : sealed => #g.(g |-> d : granted))
INITIALISATION granted, opened, sealed := {}, {}, {}
OPERATIONS
  grant(g, d) = SELECT g : GUARD & d : DOOR THEN granted := granted \\/ {g |-> d} END;
  open(g, d) = SELECT g |-> d : granted THEN opened := opened \\/ {d} END;
  seal(d) = SELECT d : opened THEN sealed := sealed \\/ {d} END
END";

/// A token goes from room to room; nobody is in two rooms, and the hall is no ordinary room.
const ROOMS: &str = "MACHINE Rooms SETS ROOM = {hall, red, green, blue, black}
VARIABLES lit, visited
INVARIANT lit <: ROOM & visited <: ROOM & hall /: lit & (red : lit or green : lit => lit <: visited)
INITIALISATION lit, visited := {}, {}
OPERATIONS
  visit(r) = SELECT r : ROOM - {hall} THEN visited := visited \\/ {r} END;
  light(r) = SELECT r : visited THEN lit := lit \\/ {r} END;
  dark(r) = SELECT r : lit THEN lit := lit - {r} END
END";

/// Nothing can change places: a counter and two switches.
const PUMP: &str = "MACHINE Pump
VARIABLES level, on, full
INVARIANT level : 0..4 & on : BOOL & full : BOOL & (level = 4 => full = TRUE)
INITIALISATION level, on, full := 0, FALSE, FALSE
OPERATIONS
  start = SELECT on = FALSE & full = FALSE THEN on := TRUE END;
  rise = SELECT on = TRUE & level < 3 THEN level := level + 1 END;
  fill = SELECT on = TRUE & level = 3 THEN level, full, on := 4, TRUE, FALSE END;
  drain = SELECT full = TRUE THEN level, full := 0, FALSE END
END";

struct Machine {
    _folder: TempDir,
    path: PathBuf,
}

fn machine(text: &str) -> Machine {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "Machine.mch", text);
    Machine { _folder: folder, path }
}

fn bits(machine: &Machine, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("result", "ic3", &machine.path, &[&["--domain", "bits", "--timeout", "60s"], arguments].concat())
}

fn invariant(object: &Json) -> Vec<String> {
    let all = object["invariant"].as_array().expect("an invariant");
    all.iter().map(|p| p.as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn an_existential_quantifier_comes_from_a_cell_that_covers_its_set() {
    if !has_solver() {
        return;
    }
    let (code, object) = bits(&machine(VAULT), &[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    assert_eq!(object["scope"]["sets"]["GUARD"], "any", "{object:#}");
    assert!(
        invariant(&object).iter().any(|p| p.contains("d") && p.contains('#') && p.contains("opened")),
        "{object:#}"
    );
}

#[test]
fn a_proof_at_a_size_is_said_with_quantifiers_and_certified() {
    if !has_solver() {
        return;
    }
    let made = machine(VAULT);
    let path = made.path.with_file_name("certificate.json");
    let name = path.display().to_string();
    let (code, object) = bits(&made, &["--scope", "GUARD=3", "--scope", "DOOR=4", "--certificate", &name]);
    assert_eq!(code, Some(0), "{object:#}");
    assert!(invariant(&object).iter().any(|p| p.starts_with('!')), "{object:#}");
    let certify = bsym().arg("certify").arg(&path).stdin(Stdio::null()).output().expect("it runs");
    assert_eq!(certify.status.code(), Some(0), "{}", String::from_utf8_lossy(&certify.stdout));
}

#[test]
fn a_named_element_is_told_apart_from_the_others() {
    if !has_solver() {
        return;
    }
    let (code, object) = bits(&machine(ROOMS), &[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    // With the hall in it the machine is wrong.
    let wrong = ROOMS.replace("ROOM - {hall}", "ROOM");
    let (code, object) = bits(&machine(&wrong), &[]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
}

#[test]
fn bits_alone_prove_where_nothing_is_symmetric() {
    if !has_solver() {
        return;
    }
    let (code, object) = bits(&machine(PUMP), &[]);
    assert_eq!((code, &object["verdict"]), (Some(0), &"holds".into()), "{object:#}");
    let (code, object) = bits(&machine(&PUMP.replace("4, TRUE, FALSE", "4, FALSE, FALSE")), &[]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
}

#[test]
fn a_fault_at_a_small_size_is_a_replayed_trace() {
    if !has_solver() {
        return;
    }
    let wrong = VAULT.replace("d : opened THEN", "d : DOOR THEN");
    for scope in [&[][..], &["--scope", "GUARD=2", "--scope", "DOOR=2"]] {
        let (code, object) = bits(&machine(&wrong), scope);
        assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
    }
}
