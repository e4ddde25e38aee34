//! The soundness of symmetry reduction (`examples/symmetry`): its obligations are proved for sets of any size, `mc` and
//! `refine` agree where the set of states is small, and wrong variants are found out.

mod common;

use std::path::{Path, PathBuf};

use common::{bsym, has_solver, json, root};

const FILES: [&str; 5] = ["mc0.mch", "mc1.ref", "mc2.ref", "rmc1.ref", "rmc2.ref"];

fn example(name: &str) -> PathBuf {
    root().join("examples/symmetry").join(name)
}

/// Returns how many obligations a component has, and the names of those that are open.
fn obligations(machine: &Path, each: &str) -> (usize, Vec<String>) {
    let output = bsym().arg("po").arg(machine).args(["--each", each, "--json"]).output().unwrap();
    let result = json(&output);
    let all = result["obligations"].as_array().unwrap();
    let is_open = |status: &str| !matches!(status, "discharged" | "trivial");
    let open = all.iter().filter(|o| is_open(o["status"].as_str().unwrap()));
    (all.len(), open.map(|o| o["id"].as_str().unwrap().to_string()).collect())
}

/// The exit code of `mc` or `refine` where there are two states.
fn with_two_states(command: &str, machine: &Path) -> Option<i32> {
    bsym().arg(command).arg(machine).args(["--scope", "S=2"]).output().unwrap().status.code()
}

#[test]
fn the_searches_are_proved_for_any_number_of_states() {
    if !has_solver() {
        return;
    }
    for (name, count) in [("mc1.ref", 16), ("mc2.ref", 37), ("rmc2.ref", 42)] {
        assert_eq!(obligations(&example(name), "10s"), (count, vec![]), "{name}");
    }
}

/// The solver finds the proofs of two lemmas in most runs and not in all.
#[test]
fn the_symmetric_search_is_proved_for_any_number_of_states() {
    if !has_solver() {
        return;
    }
    let (count, mut open) = obligations(&example("rmc1.ref"), "2s");
    open.retain(|id| !["rmc1/INITIALISATION/2/ASSERT", "rmc1/INITIALISATION/4/ASSERT"].contains(&&**id));
    assert_eq!((count, open), (104, vec![]));
}

#[test]
fn the_chain_holds_where_there_are_two_states() {
    for name in FILES {
        if name != "rmc2.ref" {
            assert_eq!(with_two_states("mc", &example(name)), Some(0), "{name}");
        }
        if name != "mc0.mch" {
            assert_eq!(with_two_states("refine", &example(name)), Some(0), "{name}");
        }
    }
}

/// A copy of the example in which one file has another text.
fn variant(file: &str, right: &str, wrong: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for name in FILES {
        let mut text = std::fs::read_to_string(example(name)).unwrap();
        if name == file {
            assert_eq!(text.matches(right).count(), 1, "{name}: {right}");
            text = text.replace(right, wrong);
        }
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join(file);
    (folder, path)
}

#[test]
fn a_forgotten_update_and_a_forgotten_guard_are_found_out() {
    let both = "rrac := rrac \\/ {rep(t)} || runex := runex \\/ {rep(t)}\n  END;";
    for (file, right, wrong, open) in [
        ("rmc2.ref", both, "rrac := rrac \\/ {rep(t)} END;", "rmc2/add_inv/FOLLOW"),
        ("mc2.ref", "s : unex & tr[{s}] <: rac \\/ err THEN", "s : unex THEN", "mc2/remove/inv3/REF"),
    ] {
        let (_folder, path) = variant(file, right, wrong);
        assert_eq!(with_two_states("refine", &path), Some(1), "{file}");
        if has_solver() {
            assert_eq!(obligations(&path, "2s").1, [open], "{file}");
        }
    }
}

#[test]
fn representatives_of_another_orbit_are_found_out() {
    let (_folder, path) = variant("rmc1.ref", " & rep <: orbit", "");
    assert_eq!(with_two_states("refine", &path), Some(1));
    assert_eq!(with_two_states("mc", &path), Some(1));
    if has_solver() {
        let (_, open) = obligations(&path, "200ms");
        for name in ["rmc1/INITIALISATION/inv3/REF", "rmc1/ass1/ASSERTION", "rmc1/ass3/ASSERTION"] {
            assert!(open.iter().any(|id| id == name), "{name}: {open:?}");
        }
    }
}
