//! `bsym eval` as users meet it.

mod common;

use std::io::Write;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use common::{assert_valid, bsym, file};
use serde_json::Value as Json;

fn run(arguments: &[&str]) -> Output {
    bsym().arg("eval").args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn run_on(arguments: &[&str], input: &str) -> Output {
    let mut command = bsym();
    command.arg("eval").args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut writer = child.stdin.take().unwrap();
    let input = input.to_owned();
    // Written from another thread: the answers come while lines are still being sent.
    let sent = std::thread::spawn(move || drop(writer.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    sent.join().unwrap();
    output
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn objects(output: &Output) -> Vec<Json> {
    let lines: Vec<Json> = out(output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    lines.iter().for_each(|line| assert_valid("eval", line));
    lines
}

#[test]
fn values_and_truth_values_come_in_the_order_of_the_inputs() {
    let output = run(&["1 + 2", "{3, 1} \\/ {2}", "2 > 1 & 3 : NATURAL", "(-7) / 2", "5 : {1}"]);
    assert_eq!(out(&output), "3\n{1,2,3}\nTRUE\n-3\nFALSE\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn every_line_has_an_object_with_its_kind() {
    let sums = "SIGMA(x).(x : POW(NATURAL) & card(x) = 1 | 1)\nSIGMA(x).(x : NATURAL | x)\n";
    let lines = format!("card({{1,2}})\n\n1 = 2\n1 / 0\n1 +\n{{1}} = 2\n{sums}");
    let output = run_on(&["--json"], &lines);
    let objects = objects(&output);
    let kinds: Vec<_> = objects.iter().map(|o| o["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["expression", "predicate", "ill-defined", "error", "error", "error", "ill-defined"]);
    assert_eq!(objects[0]["value"], "2");
    assert_eq!(objects[1]["value"], "FALSE");
    assert_eq!(objects[2]["column"], 1);
    assert!(objects[2]["message"].as_str().unwrap().contains("division by zero"));
    assert!(objects[4]["message"].as_str().unwrap().contains("INTEGER"), "{}", objects[4]);
    // The message names the set that cannot be listed.
    let message = objects[5]["message"].as_str().unwrap();
    assert!(message.contains("NATURAL") || message.contains("`x`"), "{message}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn what_is_ill_defined_inside_the_machine_is_shown_there() {
    let folder = tempfile::tempdir().unwrap();
    let text = "MACHINE Share CONSTANTS share\nPROPERTIES\n  share = %n.(n : INTEGER | 100 / n)\nEND";
    let path = file(folder.path(), "Share.mch", text);
    let output = run(&["--json", path.to_str().unwrap(), "share(0)", "share(4) + 1 / 0"]);
    let objects = objects(&output);
    assert_eq!((&objects[0]["line"], &objects[0]["column"]), (&3.into(), &29.into()), "{}", objects[0]);
    assert_eq!(objects[0]["file"], path.to_str().unwrap());
    assert_eq!((&objects[1]["line"], &objects[1]["column"]), (&Json::Null, &12.into()), "{}", objects[1]);
}

#[test]
fn a_machine_gives_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let text = "MACHINE Tank SETS PUMP = {left, right} CONSTANTS limit PROPERTIES limit = 9
VARIABLES level, on INVARIANT level : 0..limit & on <: PUMP
INITIALISATION level, on := 4, {left}
OPERATIONS fill = PRE level < limit THEN level := level + 1 END END";
    let path = file(folder.path(), "Tank.mch", text);
    let output = run(&[path.to_str().unwrap(), "limit - level", "on = {right}", "PUMP - on", "flow"]);
    let text = out(&output);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[..3], ["5", "FALSE", "{right}"]);
    assert!(lines[3].starts_with("error: ") && lines[3].contains("flow"), "{}", lines[3]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_machine_gives_its_definitions() {
    let folder = tempfile::tempdir().unwrap();
    let text = "MACHINE Rates DEFINITIONS
  low(s) == {x | x : s & x < 3};
  share == %x.(x : 1..9 | 10 / x);
  busy == n > 4
VARIABLES n INVARIANT n : 0..9 INITIALISATION n := 5 END";
    let path = file(folder.path(), "Rates.mch", text);
    let path = path.to_str().unwrap();
    let output = run(&[path, "low(1..9)", "busy & share(n) = 2", "low({n}) = {}", "share(0)", "low(TRUE)"]);
    let text = out(&output);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[..3], ["{1,2}", "TRUE", "TRUE"]);
    assert!(lines[3].starts_with("ill-defined: "), "{}", lines[3]);
    assert!(lines[4].starts_with("error: "), "{}", lines[4]);
}

#[test]
fn the_first_of_several_states_is_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let text = "MACHINE Die VARIABLES face INVARIANT face : 1..6 INITIALISATION face :: 1..6 END";
    let path = file(folder.path(), "Die.mch", text);
    let output = run(&[path.to_str().unwrap(), "face : 1..6"]);
    assert_eq!(out(&output), "TRUE\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("several initial states"));
}

#[test]
fn the_time_limit_is_one_of_each_line() {
    // A seventh of 9 ** 9 functions: to count them could go on for very long.
    let hard = "card({f | f : 1..9 --> 1..9 & SIGMA(i).(i : 1..9 | f(i) * f(i)) mod 7 = 5}) = 1";
    let begin = Instant::now();
    let output = run_on(&["--json", "--timeout", "500ms"], &format!("{hard}\n1 + 1\n"));
    assert!(begin.elapsed() < Duration::from_secs(20));
    let objects = objects(&output);
    assert_eq!(objects[0]["kind"], "error", "{}", objects[0]);
    assert!(objects[0]["message"].as_str().unwrap().contains("time"), "{}", objects[0]);
    assert_eq!(objects[1]["value"], "2");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn thousands_of_lines_take_one_process() {
    let lines: String = (0..3000).map(|i| format!("{{x | x : 0..{} & x mod 3 = 0}}\n", i % 20)).collect();
    let begin = Instant::now();
    let output = run_on(&[], &lines);
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(out(&output).lines().count(), 3000);
    assert!(out(&output).starts_with("{0}\n{0}\n{0}\n{0,3}\n"));
    eprintln!("3000 lines in {seconds:.1} s");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_folder_with_a_project_is_a_machine() {
    let folder = common::root().join("language/tests/eventb/Tank");
    let folder = if folder.is_dir() { folder } else { panic!("{}", folder.display()) };
    let output = run(&[&folder.display().to_string(), "1 + 1"]);
    assert_eq!(out(&output), "2\n", "{}", String::from_utf8_lossy(&output.stderr));
    // A folder without machines is no machine, so that its name is a formula.
    let empty = tempfile::tempdir().unwrap();
    let output = run(&[&empty.path().display().to_string(), "1 + 1"]);
    assert_eq!(output.status.code(), Some(2));
}

/// On a terminal there is a prompt with the name of the machine, and a mistake does not decide the exit code.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(
        folder.path(),
        "Lamp.mch",
        "MACHINE Lamp VARIABLES on INVARIANT on : BOOL INITIALISATION on := TRUE END",
    );
    let line = format!("{} eval --color never {}", env!("CARGO_BIN_EXE_bsym"), machine.display());
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env("XDG_STATE_HOME", folder.path()).env("TERM", "xterm");
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else {
        println!("SKIPPED: there is no `script`");
        return;
    };
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"on = TRUE\r").unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    input.write_all(b"1 +\r").unwrap();
    std::thread::sleep(Duration::from_millis(500));
    input.write_all(b"\x04").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = out(&output);
    assert!(text.contains("Lamp> ") && text.contains("TRUE") && text.contains("Ctrl-D ends"), "{text}");
    assert_eq!(output.status.code(), Some(0), "{text}");
    let history = std::fs::read_to_string(folder.path().join("bsym/eval.history")).unwrap_or_default();
    assert!(history.contains("on = TRUE"), "{history}");
}
