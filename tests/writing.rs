//! Files that cannot be written are never reported as written, and the program ends with exit code 4.

#![cfg(target_os = "linux")]

mod common;

use std::path::Path;
use std::process::{Output, Stdio};

use common::{bsym, file, has_solver, json};
use tempfile::TempDir;

/// A device that opens for writing and takes nothing.
const FULL: &str = "/dev/full";

const TURN: &str = "MACHINE turn VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS go = SELECT x < 3 THEN x := x + 1 END; back = SELECT x = 3 THEN x := 0 END END";

const OVER: &str = "MACHINE over VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS go = x := x + 1 END";

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        file(folder.0.path(), "turn.mch", TURN);
        file(folder.0.path(), "over.mch", OVER);
        folder
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// A name with an ending that a flag wants, on the device.
    fn full(&self, name: &str) -> String {
        let link = self.0.path().join(name);
        std::os::unix::fs::symlink(FULL, &link).unwrap();
        link.display().to_string()
    }
}

fn run(arguments: &[&str]) -> Output {
    bsym().args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Runs the command as text and as JSON: both end with 4, say which file failed, and do not announce it.
fn fails(arguments: &[&str], path: &str) {
    let output = run(arguments);
    let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "{arguments:?}: {text}{said}");
    assert!(!text.contains("written to") && !said.contains("written to"), "{arguments:?}: {text}{said}");
    assert!(said.contains("cannot be written") || said.contains("cannot write"), "{arguments:?}: {said}");
    assert!(said.contains(path), "{arguments:?}: {said}");
    assert!(!text.is_empty(), "{arguments:?}: the result is lost as well");
}

#[test]
fn evidence_of_engines() {
    if !has_solver() {
        return;
    }
    let folder = Folder::new();
    let (trace, certificate) = (folder.full("t.json"), folder.full("c.json"));
    for engine in ["check", "bmc", "kind", "ic3", "mc"] {
        fails(&[engine, &folder.at("over.mch"), "--trace", &trace], &trace);
        if engine != "bmc" {
            fails(&[engine, &folder.at("turn.mch"), "--certificate", &certificate], &certificate);
        }
    }
    let output = run(&["ic3", &folder.at("turn.mch"), "--certificate", &certificate, "--json"]);
    assert_eq!(output.status.code(), Some(4));
    let result = json(&output);
    // A certificate that was not written is in the result instead.
    assert_eq!(result["certificate"]["format"], "bsym-certificate", "{result:#}");
    assert!(result["warnings"][0].as_str().unwrap().contains("was not written"), "{result:#}");
    let output = run(&["bmc", &folder.at("over.mch"), "--trace", &trace, "--json"]);
    assert_eq!(json(&output)["trace_file"], serde_json::Value::Null);
}

#[test]
fn walks_and_searches_put_aside() {
    let folder = Folder::new();
    let trace = folder.full("t.json");
    fails(&["simulate", &folder.at("turn.mch"), "--steps", "3", "--trace", &trace], &trace);
    // A search is written to a new file next to its place first.
    let aside = folder.at("aside");
    folder.full("aside.new");
    fails(&["mc", &folder.at("turn.mch"), "--max-states", "2", "--checkpoint", &aside], &aside);
    assert!(!Path::new(&aside).exists());
}

#[test]
fn status_and_obligations() {
    let folder = Folder::new();
    let status = folder.full("po.json");
    fails(&["proofs", "examples/counter.po.json", "-o", &status], &status);
    if !has_solver() {
        return;
    }
    fails(&["po", &folder.at("over.mch"), "-o", &status], &status);
    // A folder stands where an obligation should be written.
    let export = folder.at("open");
    assert_eq!(run(&["po", &folder.at("over.mch"), "--export", &export]).status.code(), Some(3));
    let name = std::fs::read_dir(&export).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_dir_all(&export).unwrap();
    std::fs::create_dir_all(&name).unwrap();
    fails(&["po", &folder.at("over.mch"), "--export", &export], &name.display().to_string());
}

#[test]
fn standard_output() {
    let folder = Folder::new();
    let path = folder.at("turn.mch");
    for arguments in [
        &["parse", &path, "--print"][..],
        &["mc", &path],
        &["mc", &path, "--json"],
        &["--version"],
        &["--help"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open(FULL).unwrap();
        let output = bsym().args(arguments).stdout(full).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {said}");
        assert!(said.contains("cannot be written"), "{arguments:?}: {said}");
    }
}
