//! `check` of several machines: one row each, whatever becomes of the others.

mod common;

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use bsym_testing::process::Limited;
use common::{assert_valid, bsym, file, has_solver, json};
use serde_json::Value as Json;

const HOLDS: &str = "MACHINE good VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS go = SELECT x < 3 THEN x := x + 1 END END";
const VIOLATED: &str = "MACHINE bad VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS go = x := x + 1 END";
/// A machine with more states than a few seconds visit, and products that no solver decides.
const HARD: &str = "MACHINE hard VARIABLES x, y, z INVARIANT x : NATURAL & y : NATURAL & z : NATURAL & x*x*x + y*y*y /= z*z*z + 1234567
INITIALISATION x, y, z := 1, 1, 1 OPERATIONS a = x := x + 1; b = y := y + 1; c = z := z + 1 END";

/// Two machines that are decided, one of them in a subfolder, a machine with a mistake, and a file of another kind.
fn models(folder: &Path) {
    std::fs::create_dir_all(folder.join("below")).unwrap();
    file(folder, "good.mch", HOLDS);
    file(&folder.join("below"), "bad.mch", VIOLATED);
    file(folder, "wrong.mch", "MACHINE wrong INVARIANT END");
    file(folder, "notes.txt", "no machine");
}

fn check(arguments: &[&str], paths: &[&Path]) -> Output {
    bsym().arg("check").args(paths).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn rows(object: &Json) -> Vec<(&str, &str)> {
    let machines = object["machines"].as_array().unwrap().iter();
    let name = |r: &'_ Json| Path::new(r["file"].as_str().unwrap()).file_name().unwrap().to_owned();
    let names: Vec<&str> =
        machines.clone().map(|r| r["file"].as_str().unwrap().rsplit('/').next().unwrap()).collect();
    assert!(machines.clone().zip(&names).all(|(r, n)| name(r) == **n));
    names.into_iter().zip(machines.map(|r| r["verdict"].as_str().unwrap())).collect()
}

#[test]
fn a_folder_is_checked_whole_and_a_wrong_file_is_a_row() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    models(dir.path());
    let output = check(&["--json", "--jobs", "2"], &[dir.path()]);
    let object = json(&output);
    assert_valid("results", &object);
    let expected = [("bad.mch", "violated"), ("good.mch", "holds"), ("wrong.mch", "refused")];
    assert_eq!(rows(&object), expected, "{object:#}");
    assert_eq!(object["machines"][0]["violated"], serde_json::json!(["x : 0..3"]));
    assert_valid("result", &object["machines"][0]["result"]);
    assert_valid("error", &object["machines"][2]["result"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_table_has_a_line_each_and_quiet_leaves_out_what_holds() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    models(dir.path());
    let (good, bad) = (dir.path().join("good.mch"), dir.path().join("below/bad.mch"));
    let text = |arguments: &[&str]| {
        let output = check(arguments, &[&good, &bad, &good]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap()
    };
    let all = text(&[]);
    assert_eq!(all.lines().count(), 3, "{all}");
    assert!(all.contains("x : 0..3") && all.contains("2 machines: 1 holds, 1 violated"), "{all}");
    let quiet = text(&["-q"]);
    assert!(quiet.lines().count() == 2 && !quiet.contains("good.mch"), "{quiet}");
    let lines = text(&["--jsonl"]);
    let lines: Vec<Json> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 2);
}

#[test]
fn limits_are_for_each_machine_and_flags_of_one_are_refused() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (good, hard) = (file(dir.path(), "good.mch", HOLDS), file(dir.path(), "hard.mch", HARD));
    let object = json(&check(&["--json", "--timeout", "1s", "--jobs", "1"], &[&hard, &good]));
    assert_eq!(rows(&object), [("hard.mch", "unknown"), ("good.mch", "holds")], "{object:#}");
    let refused = check(&["--trace", "t.json"], &[&good, &hard]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--trace goes with one machine"));
}

#[cfg(unix)]
/// Every machine of a project, and what a pattern matches that no shell expanded.
#[test]
fn all_machines_of_a_project_and_the_files_of_a_pattern_are_rows() {
    if !has_solver() {
        return;
    }
    let project = common::root().join("language/tests/eventb/Tank");
    let object = json(&check(&["--all", "--json"], &[&project]));
    assert_valid("results", &object);
    let of = |name: &str| -> Vec<String> {
        let rows = object["machines"].as_array().expect("rows");
        rows.iter().filter_map(|row| row[name].as_str()).map(ToString::to_string).collect()
    };
    assert_eq!(of("component"), ["Tank0", "Tank1", "Tank2"], "{object:#}");
    assert_eq!(of("machine"), ["Tank0", "Tank1", "Tank2"], "{object:#}");
    let folder = tempfile::tempdir().expect("a folder");
    models(folder.path());
    let pattern = folder.path().join("**/*.mch");
    let (named, whole) = (check(&["--json"], &[&pattern]), check(&["--json"], &[folder.path()]));
    let (named, whole) = (json(&named), json(&whole));
    assert_eq!(rows(&named), rows(&whole));
    let none = check(&[], &[&folder.path().join("*.imp")]);
    let text = String::from_utf8_lossy(&none.stderr).into_owned();
    assert_eq!(none.status.code(), Some(2), "{text}");
    assert!(text.contains("no machine matches"), "{text}");
}

#[test]
fn an_interrupt_stops_all_and_shows_what_is_there() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (good, hard) = (file(dir.path(), "good.mch", HOLDS), file(dir.path(), "hard.mch", HARD));
    let mut command = bsym();
    command.arg("check").args([&good, &hard]).args(["--json", "--jobs", "1"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let begin = Instant::now();
    assert!(child.signal("INT").unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    assert_eq!(rows(&json(&output)), [("good.mch", "holds"), ("hard.mch", "unknown")]);
    assert_eq!(output.status.code(), Some(3));
}

/// The processes that check this file.
#[cfg(target_os = "linux")]
fn workers(path: &Path) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let title = format!("worker\0check\0{}", path.display());
    let is_worker = |id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&title)
    };
    ids.filter(is_worker).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_crash_costs_an_attempt_at_one_machine_and_two_cost_its_row() {
    let dir = tempfile::tempdir().unwrap();
    let (good, hard) = (file(dir.path(), "good.mch", HOLDS), file(dir.path(), "hard.mch", HARD));
    let mut command = bsym();
    command.arg("check").args([&hard, &good]).args(["--json", "--jobs", "2"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut crashed: Vec<u32> = vec![];
    let begin = Instant::now();
    while crashed.len() < 2 {
        assert!(begin.elapsed() < Duration::from_secs(60), "no process was begun after {crashed:?}");
        for id in workers(&hard).into_iter().filter(|id| !crashed.contains(id)).collect::<Vec<_>>() {
            std::thread::sleep(Duration::from_millis(300));
            assert!(Limited::new("kill").args(["-ABRT", &id.to_string()]).status().unwrap().success());
            crashed.push(id);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let found = json(&output);
    assert_eq!(rows(&found), [("hard.mch", "failed"), ("good.mch", "holds")]);
    let error = found["machines"][0]["error"].as_str().unwrap();
    assert!(error.contains("ended without an answer") && error.contains("signal: 6"), "{error}");
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn a_row_of_a_wrong_file_says_what_is_to_be_mended_first() {
    let dir = tempfile::tempdir().unwrap();
    file(
        dir.path(),
        "and.mch",
        "MACHINE and1 VARIABLES x INVARIANT x : 0..3 and x < 3 INITIALISATION x := 0 END",
    );
    file(dir.path(), "good.mch", HOLDS);
    let found = json(&check(&["--json"], &[dir.path()]));
    assert_eq!(found["machines"][0]["error"], "1:45: `and` is no operator here");
}

#[test]
fn commands_of_other_tools_lead_to_ours_and_forms_that_do_not_work_are_not_offered() {
    let said = |arguments: &[&str]| {
        let output = bsym().args(arguments).stdin(Stdio::null()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&text).into_owned())
    };
    assert!(said(&["verify", "m.mch"]).1.contains("`bsym check` does that"));
    assert!(said(&["lint", "m.mch"]).1.contains("`bsym parse` does that"));
    let depth = said(&["bmc", "m.mch", "--depth=-1"]);
    assert!(depth.0 == Some(2) && depth.1.contains("natural number"), "{}", depth.1);
    assert!(!said(&["ltl", "--help"]).1.contains("sarif") && said(&["check", "--help"]).1.contains("sarif"));
    let form = said(&["po", "m.mch", "--format", "junit"]);
    assert!(form.0 == Some(2) && form.1.contains("possible values: text, json"), "{}", form.1);
}

#[test]
fn a_worker_is_not_for_people() {
    let output = bsym().arg("worker").stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("standard input has no assignment"), "{said}");
}

/// A machine whose library is in another folder, with settings that lead there.
fn project(folder: &Path, settings: &str) -> std::path::PathBuf {
    for inside in ["spec/deep", "lib"] {
        std::fs::create_dir_all(folder.join(inside)).unwrap();
    }
    file(&folder.join("lib"), "Lib.mch", "MACHINE Lib CONSTANTS top PROPERTIES top : 1..5 END");
    file(folder, "bsym.toml", settings);
    file(
        &folder.join("spec/deep"),
        "M.mch",
        "MACHINE M SEES Lib VARIABLES x INVARIANT x : 0..top INITIALISATION x := 0
        OPERATIONS up = SELECT x < 3 THEN x := x + 1 END END",
    )
}

#[test]
fn settings_are_found_above_the_machine_and_flags_come_before_them() {
    let dir = tempfile::tempdir().unwrap();
    let machine =
        project(dir.path(), "include = [\"lib\"]\nset = { top = 4 }\nmaxint = 9\nwarnings = false\n");
    let run = |arguments: &[&str]| {
        let output = bsym().args(arguments).arg(&machine).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), json(&output))
    };
    let (code, found) = run(&["mc", "--json"]);
    assert_eq!((code, &found["verdict"]), (Some(0), &"holds".into()), "{found:#}");
    assert_eq!((&found["scope"]["maxint"], &found["scope"]["settings"]["top"]), (&9.into(), &"4".into()));
    let (code, found) = run(&["mc", "--json", "--set", "top=2", "--maxint", "8"]);
    assert_eq!((code, &found["verdict"]), (Some(1), &"violated".into()), "{found:#}");
    assert_eq!(found["scope"]["maxint"], 8);
    // Without input nothing is read, and the message says what is missing.
    let (code, found) = run(&["parse", "--json", "--no-project"]);
    assert_eq!(code, Some(2), "{found:#}");
    assert!(found["diagnostics"][0]["help"].as_str().unwrap().contains("-I "), "{found:#}");
    let lib = dir.path().join("lib").display().to_string();
    assert_eq!(run(&["parse", "--json", "--no-project", "-I", &lib]).0, Some(0));
}

#[test]
fn settings_count_where_they_have_a_meaning() {
    let dir = tempfile::tempdir().unwrap();
    let settings = "include = [\"lib\"]\nset = { top = 4, other = 1 }\nscope = { NO = 3 }\ndepth = 7\nencoding = \"sat\"\n";
    let machine = project(dir.path(), settings);
    let run = |arguments: &[&str], more: &[&str]| {
        let mut command = bsym();
        let output =
            command.current_dir(dir.path()).args(arguments).args(more).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let path = machine.display().to_string();
    for arguments in [&["mc"][..], &["ldd"], &["check", "--engine", "mc"], &["eval"]] {
        let more: &[&str] = if arguments == ["eval"] { &[&path, "top"] } else { &[&path] };
        let (code, text) = run(arguments, more);
        assert_eq!(code, Some(0), "{arguments:?}: {text}");
    }
    // A formula belongs to no machine, and a flag that has no meaning is refused as ever.
    assert_eq!(run(&["eval", "1+1"], &[]).0, Some(0));
    assert_eq!(run(&["mc", "--set", "other=1"], &[&path]).0, Some(2));
    assert_eq!(run(&["mc", "--scope", "NO=2"], &[&path]).0, Some(2));
}

#[test]
fn settings_of_machines_that_match_hold_for_check_of_several() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let settings =
        "include = [\"lib\"]\n[[machine]]\nmatch = \"spec/**/*.mch\"\nset = { top = 2 }\nengine = \"mc\"\n";
    project(dir.path(), settings);
    let found = json(&check(&["--json"], &[dir.path()]));
    assert_eq!(rows(&found), [("Lib.mch", "holds"), ("M.mch", "violated")]);
    assert_eq!(found["machines"][1]["engine"], "mc");
    // From inside the folder, by a relative path.
    let inside =
        bsym().current_dir(dir.path()).args(["check", "--json", "spec/deep/M.mch"]).output().unwrap();
    assert_eq!(json(&inside)["verdict"], "violated", "{inside:?}");
    // A certificate has the folders that the machine needs.
    let machine = project(dir.path(), "include = [\"lib\"]\nset = { top = 4 }\n");
    let certificate = dir.path().join("c.json");
    let output = bsym().arg("ic3").arg(&machine).arg("--certificate").arg(&certificate).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    file(dir.path(), "bsym.toml", "");
    let output = bsym().arg("certify").arg(&certificate).output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn wrong_settings_are_refused_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let said = |settings: &str| {
        let machine = project(dir.path(), settings);
        let output = bsym().arg("parse").arg(&machine).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{settings}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (settings, place, expected) in [
        ("maxnt = 3", "bsym.toml:1:1:", "did you mean `maxint`?"),
        ("\nmaxint = \"3\"", "bsym.toml:2:10:", "without quotes"),
        ("maxint = ", "bsym.toml:1:", "no TOML"),
        ("include = [\"lbi\"]", "bsym.toml:1:11:", "there is no folder `lbi`"),
        ("timeout = \"soon\"", "bsym.toml:1:11:", "`60s`"),
        ("engine = \"ic4\"", "bsym.toml:1:10:", "did you mean `ic3`?"),
        ("[[machine]]\nengine = \"ic3\"", "bsym.toml:1:", "which machines"),
        ("[[machine]]\nmatch = \"x/[\"", "bsym.toml:2:9:", "no pattern"),
        ("[[machine]]\nmatch = \"x\"\ndepht = 3", "bsym.toml:3:1:", "did you mean `depth`?"),
        ("scope = 3", "bsym.toml:1:9:", "SET = 3"),
        ("warnings = 1", "bsym.toml:1:12:", "true or false"),
        ("properties = [\"inf\"]", "bsym.toml:1:14:", "did you mean `inv`?"),
    ] {
        let text = said(settings);
        assert!(text.contains(place) && text.contains(expected), "{settings}: {text}");
    }
}

#[test]
fn warnings_about_style_are_counted_and_can_be_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let machine = file(
        dir.path(),
        "m.mch",
        "MACHINE m SETS S VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS up = x := 1 END",
    );
    let said = |arguments: &[&str]| {
        let output = bsym().args(arguments).arg(&machine).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let whole = said(&["parse"]);
    assert!(whole.contains("B0501") && !whole.contains("about style"), "{whole}");
    let counted = said(&["mc"]);
    assert!(
        counted.contains("note: 2 warnings about style: `bsym parse ") && !counted.contains("B0501"),
        "{counted}"
    );
    assert_eq!(said(&["mc", "--no-warnings"]), "");
}

#[test]
fn parse_mc_ltl_po_and_refine_take_several_machines() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    models(dir.path());
    let run = |arguments: &[&str]| {
        let output = bsym().args(arguments).arg(dir.path()).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), output)
    };
    let (code, output) = run(&["parse", "--json"]);
    assert_eq!(rows(&json(&output)), [("bad.mch", "holds"), ("good.mch", "holds"), ("wrong.mch", "refused")]);
    assert_eq!(code, Some(2));
    let (code, output) = run(&["mc", "--json", "--jsonl"]);
    assert_eq!(code, Some(2), "{output:?}");
    let (_, output) = run(&["mc", "--jsonl"]);
    let lines: Vec<Json> =
        String::from_utf8_lossy(&output.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    // In the order of the machines, whichever ends first.
    let names: Vec<&str> =
        lines.iter().map(|l| l["file"].as_str().unwrap().rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["bad.mch", "good.mch", "wrong.mch"]);
    assert_eq!((&lines[0]["verdict"], &lines[1]["verdict"]), (&"violated".into(), &"holds".into()));
    let (_, output) = run(&["ltl", "--formula", "G {x < 3}", "--json"]);
    assert_eq!(
        rows(&json(&output)),
        [("bad.mch", "violated"), ("good.mch", "violated"), ("wrong.mch", "refused")]
    );
    let (code, output) = run(&["po", "--json", "--each", "5s"]);
    assert_eq!(
        rows(&json(&output)),
        [("bad.mch", "unknown"), ("good.mch", "holds"), ("wrong.mch", "refused")]
    );
    assert_eq!(code, Some(2));
    for (command, flag) in [("parse", "--print"), ("po", "--explain"), ("mc", "--trace=t.json")] {
        let output = bsym().arg(command).arg(dir.path()).arg(flag).stdin(Stdio::null()).output().unwrap();
        let code = output.status.code();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let name = flag.split('=').next().unwrap();
        assert!(code == Some(2) && said.contains(&format!("{name} goes with one machine")), "{said}");
    }
}

#[test]
fn the_table_is_written_for_spreadsheets() {
    let dir = tempfile::tempdir().unwrap();
    file(dir.path(), "a,b.mch", "MACHINE wrong INVARIANT END");
    file(dir.path(), "good.mch", HOLDS);
    let output =
        bsym().arg("mc").arg(dir.path()).args(["--format", "csv"]).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "file,component,machine,verdict,engine,seconds,note");
    assert!(lines[1].starts_with('"') && lines[1].contains("a,b.mch\",,,refused,"), "{text}");
    assert!(lines[2].contains("good.mch,,good,holds,mc,"), "{text}");
    assert_eq!((lines.len(), output.status.code()), (3, Some(2)));
    // One machine has one line.
    let one = dir.path().join("good.mch");
    let output = bsym().arg("mc").arg(one).args(["--format", "csv"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
}
