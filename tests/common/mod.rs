//! Helpers that the end-to-end tests share.
#![allow(dead_code)] // each test program uses a part of it

#[cfg(unix)]
pub mod document;

use bsym_testing::process::Limited;
use bsym_testing::{Part, present};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value as Json;

/// The folder of the repository; commands run there.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The program with a time limit, started in [`root`].
pub fn bsym() -> Limited {
    let mut command = Limited::new(env!("CARGO_BIN_EXE_bsym"));
    command.current_dir(root()).env_remove("RUST_LOG").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// Returns whether there is any solver; reports a skipped test otherwise.
pub fn has_solver() -> bool {
    let version = bsym().arg("--version").output().unwrap();
    let found = String::from_utf8_lossy(&version.stdout).contains("solver: ");
    present(Part::Solver, found.then_some(()), "solver").is_some()
}

/// The value of an environment variable that holds a number.
pub fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: `{text}` is no number")))
}

/// A machine of `explore/tests/models`.
pub fn machine(name: &str) -> PathBuf {
    root().join("explore/tests/models").join(name)
}

/// Runs a command on a machine.
pub fn run(command: &str, machine: &Path, arguments: &[&str]) -> Output {
    bsym().arg(command).arg(machine).args(arguments).stdin(Stdio::null()).output().expect("it runs")
}

/// Runs a command with `--json`. Returns the exit code and the object, valid against `schema/SCHEMA.schema.json`.
pub fn answer(schema: &str, command: &str, machine: &Path, arguments: &[&str]) -> (Option<i32>, Json) {
    let output = run(command, machine, &[arguments, &["--json"]].concat());
    let object = json(&output);
    assert_valid(schema, &object);
    (output.status.code(), object)
}

/// The JSON on standard output.
pub fn json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        panic!("no JSON ({e}): {out}\n{err}")
    })
}

/// Fails unless a value is valid against `schema/NAME.schema.json`.
pub fn assert_valid(name: &str, value: &Json) {
    let path = root().join(format!("schema/{name}.schema.json"));
    let schema: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{value:#}");
}

/// A file in a new folder.
pub fn file(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}
