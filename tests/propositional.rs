//! `--solver sat`: the machines of `benches/rich`, with a fault and without one.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value as Json;

fn run(engine: &str, machine: &str, scope: &str, more: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/rich");
    Command::new(env!("CARGO_BIN_EXE_bsym"))
        .args([engine, "--scope", scope, "--json"])
        .arg(folder.join(machine).with_extension("mch"))
        .args(more)
        .output()
        .expect("the program runs")
}

fn answer(engine: &str, machine: &str, scope: &str) -> Json {
    let output = run(engine, machine, scope, &["--solver", "sat"]);
    let text = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{engine} {machine}: {e}: {text}"))
}

#[test]
fn faults_in_sequences_and_relations_are_found() {
    for (machine, scope) in [("QueueWrong", "MESSAGE=3"), ("LibraryWrong", "BOOK=3,READER=2")] {
        let answer = answer("bmc", machine, scope);
        assert_eq!(answer["verdict"], "violated", "{machine}: {answer:#}");
        assert!(answer["trace"].as_array().is_some_and(|t| t.len() > 2), "{machine}: {answer:#}");
    }
}

#[test]
fn a_proof_is_checked_by_another_solver() {
    let answer = answer("kind", "Library", "BOOK=3,READER=2");
    if cfg!(feature = "z3") {
        assert_eq!(answer["verdict"], "holds", "{answer:#}");
        assert!(answer.to_string().contains("z3"), "{answer:#}");
    } else {
        assert_ne!(answer["verdict"], "violated", "{answer:#}");
    }
}

#[test]
fn only_single_engines_take_the_sat_solver() {
    let output = run("check", "Queue", "MESSAGE=2", &["--solver", "sat"]);
    assert_eq!(output.status.code(), Some(2));
    // As JSON a refusal is the answer.
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("bmc, kind and ic3"), "{said}");
}
