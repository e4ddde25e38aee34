//! The command line as users meet it: flags, bad input, exit codes, formats, interrupts.

mod common;

use std::io::Read;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use bsym_testing::process::Limited;
use common::{assert_valid, bsym, file, has_solver, json, root};
use serde_json::Value as Json;
use tempfile::TempDir;

fn run(arguments: &[&str]) -> Output {
    bsym().args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Expects a refusal whose message has all the parts, on standard error and as JSON.
fn refused(arguments: &[&str], parts: &[&str]) {
    let output = run(arguments);
    let text = err(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    assert!(out(&output).is_empty(), "{arguments:?}: {}", out(&output));
    assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{arguments:?}: no {part:?} in\n{text}");
    }
}

fn refused_as_json(arguments: &[&str]) -> Json {
    let mut arguments = arguments.to_vec();
    arguments.push("--json");
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    let object = json(&output);
    assert_valid("error", &object);
    object
}

/// A machine that no engine decides soon: a long counter under one test of its square.
const LONG: &str = "MACHINE long VARIABLES x, y INVARIANT x : NATURAL & y : NATURAL & y /= 1000003
INITIALISATION x, y := 0, 0
OPERATIONS step = BEGIN x := x + 1 || y := (x * x + y) mod 1000033 END END";

#[test]
fn help_and_version() {
    let output = run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).contains("Exit codes"));
    let output = run(&["ic3", "--help"]);
    for flag in
        ["--proofs", "--set", "--scope", "--minint", "--timeout", "--trace", "--certificate", "--jsonl"]
    {
        assert!(out(&output).contains(flag), "{flag}");
    }
    let output = run(&["--version"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).starts_with(concat!("bsym ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn completions_and_manual() {
    assert!(out(&run(&["completions", "bash"])).contains("_bsym"));
    let page = out(&run(&["manual"]));
    assert!(page.contains(".TH bsym"));
    // Every page that is referred to exists.
    let folder = tempfile::tempdir().expect("a folder");
    run(&["manual", "--folder", folder.path().to_str().expect("a path")]);
    let referred = page.lines().filter(|line| line.starts_with("bsym\\-") && line.ends_with("(1)"));
    let names: Vec<String> = referred.map(|line| line.replace("\\-", "-").replace("(1)", ".1")).collect();
    assert!(names.contains(&"bsym-check.1".to_string()) && names.len() > 15, "{names:?}");
    for name in names.iter().map(String::as_str).chain(["bsym.1"]) {
        let page = std::fs::read_to_string(folder.path().join(name)).expect(name);
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(out(&run(&["manual", "check"])).contains("bsym\\-check"));
    assert_eq!(run(&["manual", "chekc"]).status.code(), Some(2));
}

/// A shell completes commands and flags, where there is a bash.
#[test]
fn bash_completes() {
    let script = "source <(\"$BSYM\" completions bash)
        complete_line() { COMP_WORDS=(\"$@\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
            _bsym bsym \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; echo \"${COMPREPLY[@]}\"; }
        complete_line bsym ch; complete_line bsym mc --cov; complete_line bsym check --color al";
    let bash =
        Limited::new("bash").args(["--norc", "-c", script]).env("BSYM", env!("CARGO_BIN_EXE_bsym")).output();
    let Ok(bash) = bash else {
        eprintln!("skipped: there is no bash");
        return;
    };
    let said = String::from_utf8_lossy(&bash.stdout);
    let lines: Vec<&str> = said.lines().collect();
    let errors = String::from_utf8_lossy(&bash.stderr);
    assert_eq!(lines, ["check", "--coverage", "always"], "{errors}");
}

#[test]
fn wrong_usage() {
    assert_eq!(run(&[]).status.code(), Some(2));
    refused(&["prove", "m.mch"], &["prove"]);
    refused(&["ic3"], &["FILE"]);
    refused(&["ic3", "examples/mutex.mch", "--no-such-flag"], &["--no-such-flag"]);
    refused(&["ic3", "examples/mutex.mch", "--timeout", "0"], &["zero"]);
    refused(&["ic3", "examples/mutex.mch", "--timeout", "0s"], &["zero"]);
    refused(&["ic3", "examples/mutex.mch", "--timeout", "soon"], &["60s"]);
    refused(&["ic3", "examples/mutex.mch", "--depth", "-1"], &["-1"]);
    refused(&["ic3", "examples/mutex.mch", "--prop", "safety"], &["inv", "deadlock"]);
    refused(&["ic3", "examples/mutex.mch", "--json", "--jsonl"], &["--jsonl"]);
    refused(&["ic3", "examples/mutex.mch", "--proofs", "x", "--no-proofs"], &["--no-proofs"]);
}

#[test]
fn files_that_are_no_machine() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name).display().to_string();
    file(dir.path(), "lift.mch", "MACHINE lift END");
    file(dir.path(), "binary.mch", [0u8, 159, 146, 150, 0, 1, 2, 3, 0, 0]);
    refused(&["ic3", &at("lifl.mch")], &["no such file", "did you mean", "lift.mch"]);
    refused(&["check", "examples/lift"], &["no such file", "did you mean `examples/lift.mch`"]);
    refused(&["examples/lift.mch"], &["`bsym check examples/lift.mch`"]);
    refused(&["ic3", &at("none/lift.mch")], &["no such file", "folder"]);
    refused(&["ic3", &at("")], &["directory", "lift.mch"]);
    refused(&["ic3", &at("binary.mch")], &["binary"]);
    for name in ["m.tla", "m.als", "m.pog"] {
        file(dir.path(), name, "x");
        refused(&["ic3", &at(name)], &["not supported yet", ".mch"]);
    }
    file(dir.path(), "m.json", "{}");
    refused(&["ic3", &at("m.json")], &["no machine", "--proofs"]);
    let object = refused_as_json(&["ic3", &at("lifl.mch")]);
    assert!(object["help"].as_str().unwrap().contains("lift.mch"));
}

#[test]
fn every_mistake_of_a_machine_is_reported_with_its_place() {
    let dir = folder();
    let wrong = "MACHINE wrong\nVARIABLES x, y\nINVARIANT x : NAT & y : BOOL\n\
                 INITIALISATION x := TRUE || y := zz\nEND";
    let path = file(dir.path(), "wrong.mch", wrong).display().to_string();
    refused(&["check", &path], &["wrong.mch:4:", "zz", "2 errors"]);
    let object = refused_as_json(&["check", &path]);
    let diagnostics = object["diagnostics"].as_array().unwrap();
    let kinds: Vec<&str> = diagnostics.iter().map(|d| d["kind"].as_str().unwrap()).collect();
    assert_eq!((kinds.contains(&"type"), kinds.contains(&"scope")), (true, true), "{object:#}");
    assert!(diagnostics.iter().all(|d| d["line"] == 4), "{object:#}");
    let open = file(dir.path(), "open.mch", "MACHINE open /* never closed\nEND").display().to_string();
    refused(&["check", &open], &["open.mch:1:14"]);
    let parse = run(&["parse", &path, "--json"]);
    assert_eq!(parse.status.code(), Some(2));
    assert_eq!(json(&parse)["ok"], false);
}

#[test]
fn conjuncts_constants_and_scopes_that_do_not_exist() {
    refused(
        &["ic3", "examples/counter.mch", "--conjunct", "never_behin"],
        &["never_behin", "did you mean `never_behind`", "#2  never_behind: low <= total"],
    );
    refused(&["ic3", "examples/counter.mch", "--conjunct", "#3"], &["#3"]);
    refused(&["ic3", "examples/overflow.mch", "--set", "dispaly=127"], &["did you mean `display`"]);
    refused(&["ic3", "examples/overflow.mch", "--set", "shown=1"], &["variable"]);
    refused(&["ic3", "examples/overflow.mch", "--set", "display=TRUE"], &["--set", "BOOL"]);
    refused(&["ic3", "examples/overflow.mch", "--set", "display=shown"], &["`shown` is a variable"]);
    refused(&["ic3", "examples/overflow.mch", "--set", "display=(1"], &["--set"]);
    refused(&["ic3", "examples/overflow.mch", "--set", "display"], &["CONSTANT=EXPR"]);
    refused(&["ic3", "examples/mutex.mch", "--scope", "PROCES=3"], &["PROCES", "did you mean `PROCESS`"]);
    refused(&["ic3", "examples/mutex.mch", "--scope", "PROCESS=0"], &["at least 1"]);
    refused(&["ic3", "examples/mutex.mch", "--scope", "PROCESS=x"], &["SET=SIZE"]);
    refused(&["ic3", "examples/mutex.mch", "--scope", "PROCESS=2", "--scope", "PROCESS=3"], &["two sizes"]);
    refused(&["ic3", "examples/mutex.mch", "--maxint", "3", "--minint", "3"], &["MININT"]);
    refused(&["ic3", "examples/mutex.mch", "--prop", "goal"], &["GOAL"]);
    refused(&["ic3", "examples/mutex.mch", "--prop", "assertions"], &["ASSERTIONS"]);
}

#[test]
fn status_files_that_cannot_be_used() {
    let dir = folder();
    let with = |path: &Path, parts: &[&str]| {
        let path = path.display().to_string();
        let mut all = vec!["--proofs"];
        all.extend(parts);
        refused(&["ic3", "examples/mutex.mch", "--proofs", &path], &all);
    };
    with(&dir.path().join("none.json"), &["cannot read"]);
    with(dir.path(), &["there are no proofs in it"]);
    with(&file(dir.path(), "a.json", "{"), &["a.json:1"]);
    with(&file(dir.path(), "b.json", "{\"format\": \"other\"}"), &["bsym-po"]);
    with(&file(dir.path(), "c.json", ""), &["empty"]);
    with(&root().join("examples/counter.po.json"), &["counter", "mutex"]);
}

#[test]
fn solvers_that_are_not_there() {
    refused(&["ic3", "examples/mutex.mch", "--solver", "no-such-solver"], &["no-such-solver"]);
    refused(&["ic3", "examples/mutex.mch", "--solver", "/no/such/solver"], &["/no/such/solver"]);
    refused(&["ic3", "examples/mutex.mch", "--solver", "/bin/true"], &["does not answer"]);
}

#[test]
fn output_files_are_checked_before_the_run() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name).display().to_string();
    refused(&["ic3", "examples/mutex.mch", "--trace", &at("none/t.json")], &["--trace", "does not exist"]);
    refused(&["ic3", "examples/mutex.mch", "--trace", &at("t.txt")], &[".prob2trace"]);
    refused(&["ic3", "examples/mutex.mch", "--certificate", &at("")], &["folder"]);
    refused(&["ic3", "examples/mutex.mch", "--certificate", "examples/mutex.mch"], &["input"]);
    let both = at("t.json");
    refused(&["ic3", "examples/mutex.mch", "--trace", &both, "--certificate", &both], &["same file"]);
    refused(&["po", "examples/mutex.mch", "-o", &at("none/po.json")], &["does not exist"]);
}

#[test]
fn elements_have_the_names_that_answers_print() {
    let dir = folder();
    let text = "MACHINE Loans SETS READER; BOOK VARIABLES loans INVARIANT loans : BOOK +-> READER\n\
        INITIALISATION loans := {} OPERATIONS borrow(b, r) = PRE b : BOOK & r : READER THEN loans(b) := r END END";
    let machine = file(dir.path(), "Loans.mch", text).display().to_string();
    let output = run(&["eval", &machine, "{BOOK1} <| {BOOK1 |-> READER2, BOOK2 |-> READER1}"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("{(BOOK1|->READER2)}"), "{}", out(&output));
    let output = run(&["eval", &machine, "BOOK0"]);
    assert!(out(&output).contains("`BOOK0` is not declared"), "{}", out(&output));
}

#[test]
fn traces_are_written_and_replayed() {
    if !has_solver() {
        return;
    }
    let dir = folder();
    let at = |name: &str| dir.path().join(name).display().to_string();
    for name in ["t.json", "t.itf.json", "t.prob2trace"] {
        let output = run(&["bmc", "examples/crossing.mch", "--trace", &at(name)]);
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        assert!(out(&output).contains("trace written to"));
        let text = std::fs::read_to_string(at(name)).unwrap();
        let trace: Json = serde_json::from_str(&text).unwrap();
        let steps = match name {
            "t.json" => trace["steps"].as_array(),
            "t.itf.json" => trace["states"].as_array(),
            _ => trace["transitionList"].as_array(),
        };
        assert_eq!(steps.map(Vec::len), Some(8), "{trace:#}");
    }
    let output = run(&["replay", &at("t.json"), "examples/crossing.mch"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("one_green"));
    let output = run(&["replay", &at("t.json"), "examples/crossing.mch", "--json"]);
    assert_valid("replay", &json(&output));
    let text = std::fs::read_to_string(at("t.json")).unwrap().replace("\"amber\"", "\"green\"");
    let forged = file(dir.path(), "forged.json", text).display().to_string();
    // The recorded changes no longer match the states.
    refused(&["replay", &forged, "examples/crossing.mch"], &["forged.json", "step"]);
    refused(&["replay", &at("t.json"), "examples/lift.mch"], &["crossing", "lift"]);
    refused(&["replay", &at("t.json"), "examples/crossing.mch", "--maxint", "9"], &["says its scope"]);
    refused(&["replay", &at("none.json"), "examples/crossing.mch"], &["cannot be read"]);
}

#[test]
fn results_are_valid_and_carry_what_was_asked() {
    if !has_solver() {
        return;
    }
    let output = run(&["ic3", "examples/overflow.mch", "--set", "display=255", "--minint", "-1", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(err(&output).is_empty(), "{}", err(&output));
    let result = json(&output);
    assert_valid("result", &result);
    assert_eq!(result["scope"]["settings"]["display"], "255");
    assert_eq!(result["scope"]["minint"], -1);
    assert_eq!(result["property"], "inv");

    let output =
        run(&["check", "examples/mutex.mch", "--scope", "PROCESS=3", "--conjunct", "exclusion", "--json"]);
    let result = json(&output);
    assert_valid("result", &result);
    assert_eq!(result["scope"]["sets"]["PROCESS"], 3);
    assert_eq!(result["properties"].as_array().unwrap().len(), 1);

    let output = run(&["bmc", "examples/mutex.mch", "--depth", "2", "--no-wd", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let result = json(&output);
    assert_valid("result", &result);
    assert_eq!((&result["verdict"], &result["depth"]), (&"unknown".into(), &2.into()));
    assert_eq!(result["well_definedness"], false);
    assert!(result["reason"].as_str().unwrap().starts_with("depth-limit"));
}

#[test]
fn the_text_says_what_is_violated_and_where() {
    if !has_solver() {
        return;
    }
    let text = out(&run(&["bmc", "examples/overflow.mch", "--set", "display=127"]));
    assert!(text.starts_with("violated: "), "{text}");
    for part in
        ["after 2 events", "advance(by = ", "display = 127", "shown <= display", "examples/overflow.mch:"]
    {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
    assert!(out(&run(&["bmc", "examples/overflow.mch", "--color", "always"])).contains('\u{1b}'));
}

#[test]
fn events_come_one_a_line() {
    if !has_solver() {
        return;
    }
    let output = run(&["check", "examples/lift.mch", "--jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let lines: Vec<Json> = out(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for line in &lines {
        assert_valid("events", line);
    }
    let last = lines.last().unwrap();
    assert_eq!(last["event"], "result");
    assert_valid("result", &last["result"]);
    for name in ["timing", "started", "depth"] {
        assert!(lines.iter().any(|l| l["event"] == name), "no {name}");
    }
}

#[test]
fn obligations_are_written_and_used() {
    if !has_solver() {
        return;
    }
    let dir = folder();
    let po = dir.path().join("po.json").display().to_string();
    let export = dir.path().join("open").display().to_string();
    let output = run(&["po", "examples/mutex.mch", "--jsonl"]);
    let lines: Vec<Json> = out(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    lines.iter().for_each(|line| assert_valid("events", line));
    assert_eq!(lines.last().unwrap()["result"]["format"], "bsym-po");
    let output = run(&["po", "examples/mutex.mch", "-o", &po, "--export", &export]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(out(&output).contains("not provable"), "{}", out(&output));
    assert!(std::fs::read_dir(&export).unwrap().count() > 0);
    let output = run(&["ic3", "examples/mutex.mch", "--proofs", &po, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let result = json(&output);
    assert!(result["proofs"]["used"].as_array().unwrap().len() > 3, "{result:#}");
    let output = run(&["ic3", "examples/mutex.mch", "--proofs", "auto", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(!json(&output)["proofs"]["used"].as_array().unwrap().is_empty());
}

#[test]
fn certificates_are_written_and_checked_again() {
    if !has_solver() {
        return;
    }
    let dir = folder();
    let path = dir.path().join("c.json").display().to_string();
    let output = run(&["ic3", "examples/mutex.mch", "--certificate", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let output = run(&["certify", &path]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(out(&output).starts_with("certified"), "{}", out(&output));
    let text = std::fs::read_to_string(&path).unwrap();
    // Several invariants prove it.
    let [from, to] = match text.contains("free = TRUE") {
        true => ["free = TRUE", "free = FALSE"],
        false => ["free = FALSE", "free = TRUE"],
    };
    let forged = text.replace(from, to);
    assert_ne!(text, forged);
    std::fs::write(&path, forged).unwrap();
    let output = run(&["certify", &path]);
    assert_eq!(output.status.code(), Some(1), "{}{}", out(&output), err(&output));
    refused(&["certify", "examples/counter.po.json"], &["counter.po.json"]);
}

#[test]
fn time_limits_are_kept() {
    if !has_solver() {
        return;
    }
    let dir = folder();
    let path = file(dir.path(), "long.mch", LONG).display().to_string();
    let begin = Instant::now();
    let output = run(&["bmc", &path, "--timeout", "1500ms", "--json"]);
    assert!(begin.elapsed() < Duration::from_secs(12), "{:?}", begin.elapsed());
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let result = json(&output);
    assert_valid("result", &result);
    assert!(result["reason"].as_str().unwrap().starts_with("timeout"), "{result:#}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_limit_of_memory_is_named_in_a_unit_that_says_something() {
    let dir = folder();
    let path = file(dir.path(), "long.mch", LONG).display().to_string();
    let text = out(&run(&["mc", &path, "--memory", "1K"]));
    assert!(text.contains("memory: ") && text.contains("1 KiB"), "{text}");
    assert!(text.contains("next: a larger --memory"), "{text}");
}

#[test]
#[cfg(unix)]
fn an_interrupt_gives_the_result_so_far() {
    if !has_solver() {
        return;
    }
    let dir = folder();
    let path = file(dir.path(), "long.mch", LONG).display().to_string();
    let mut child =
        bsym().args(["bmc", &path, "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    // Twice, as `timeout` of coreutils does. Not SIGINT, which a shell may have set to be ignored.
    assert!(child.signal("TERM").unwrap().success());
    assert!(child.signal("TERM").unwrap().success());
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it goes on after a signal");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(3));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let result: Json = serde_json::from_str(&text).unwrap();
    assert_valid("result", &result);
    assert_eq!((&result["verdict"], &result["reason"]), (&"unknown".into(), &"interrupted".into()));
}

#[test]
fn old_encodings_and_line_ends_are_read() {
    let dir = folder();
    let check = |name: &str, bytes: &[u8], warned: bool| {
        let path = file(dir.path(), name, bytes).display().to_string();
        let output = run(&["parse", &path]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", err(&output));
        assert_eq!(err(&output).contains("warning"), warned, "{name}: {}", err(&output));
    };
    let machine =
        |name: &str| format!("MACHINE {name} VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 END");
    check("bom.mch", &[b"\xEF\xBB\xBF", machine("bom").as_bytes()].concat(), false);
    check("cr.mch", machine("cr").replace(' ', "\r").as_bytes(), false);
    check("crlf.mch", machine("crlf").replace(' ', "\r\n").as_bytes(), false);
    check("latin.mch", &[b"/* caf\xE9 */ ", machine("latin").as_bytes()].concat(), true);
    let cr = "MACHINE m\rVARIABLES x\rINVARIANT x : NAT\rINITIALISATION x := TRUE\rEND";
    let path = file(dir.path(), "m.mch", cr).display().to_string();
    refused(&["parse", &path], &["m.mch:4:"]);
}

#[test]
fn the_machine_is_printed_as_understood() {
    let output = run(&["parse", "examples/lift.mch", "--print"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let dir = folder();
    let again = file(dir.path(), "lift.mch", out(&output)).display().to_string();
    let output = run(&["parse", &again]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

#[test]
fn recorded_proofs_are_counted_and_converted() {
    let dir = folder();
    let name = "Lamp's.eventb";
    let text = "package(load_event_b_project([event_b_model(none,'Lamp',[sees(none,[]),\
        variables(none,[identifier(none,n)]),invariant(none,[member(rodinpos('Lamp',inv1,'_1'),identifier(none,n),\
        natural_set(none))]),theorems(none,[]),events(none,[])])],[],[exporter_version(3),\
        po('Lamp','Invariant  establishment',[event('INITIALISATION'),invariant(inv1)],true),\
        po('Lamp','Invariant  preservation',[event(press),invariant(inv1)],false),new_fact(a)],_E)).";
    let package = file(dir.path(), name, text).display().to_string();
    let machine = file(
        dir.path(),
        "Lamp.mch",
        "MACHINE Lamp VARIABLES n INVARIANT /*@ label inv1 */ n : NATURAL INITIALISATION n := 0
         OPERATIONS press = n := n + 1; look = skip END",
    );
    let machine = machine.display().to_string();
    let po = dir.path().join("po.json").display().to_string();
    let output = run(&["proofs", &package, "--machine", &machine, "-o", &po, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let summary = json(&output);
    assert_valid("proofs", &summary);
    let counts = &summary["obligations"];
    assert_eq!(
        (counts["total"].as_u64(), counts["proven"].as_u64(), counts["open"].as_u64()),
        (Some(3), Some(1), Some(2))
    );
    assert_eq!(summary["unmatched"].as_array().unwrap().len(), 1, "{summary:#}");
    // The machine is another text than the package's: what was proven is stale, and the frame is ours.
    let pairs = &summary["pairs"];
    assert_eq!((pairs["total"].as_u64(), pairs["trivial"].as_u64()), (Some(3), Some(1)), "{summary:#}");
    assert_eq!((pairs["open"]["stale"].as_u64(), pairs["open"]["unproven"].as_u64()), (Some(1), Some(1)));
    let text = out(&run(&["proofs", &po, "--machine", &machine]));
    assert!(text.starts_with("3 obligations: 1 proven, 2 open"), "{text}");
    assert!(text.contains("Lamp: 2 events and the initialisation, 1 conjunct: 3 pairs"), "{text}");
    refused(&["proofs", &machine], &["found a machine"]);
    refused(&["proofs", &dir.path().join("none.zip").display().to_string()], &["no such file"]);
    refused(&["proofs", &package, "-o", &package], &["is an input of this command"]);
}

#[test]
fn the_structure_of_a_machine_is_told() {
    let dir = folder();
    let text = "MACHINE lamp\nSETS S = {on, off}; T\nCONSTANTS k PROPERTIES k : NAT\nVARIABLES s, f\n\
                INVARIANT s : S & /*@ label total */ f : T --> NAT\nINITIALISATION s := on || f := T * {k}\n\
                OPERATIONS r <-- get(t) = PRE t : T THEN r := f(t) || s := off END\nEND";
    let path = file(dir.path(), "lamp.mch", text).display().to_string();
    let object = json(&run(&["parse", &path, "--types", "--json"]));
    assert_valid("parse", &object);
    let model = &object["model"];
    assert_eq!(model["variables"][1]["type"], "POW(T * INTEGER)");
    assert_eq!(model["carriers"][0]["elements"], serde_json::json!(["on", "off"]));
    assert_eq!(
        (&model["invariant"][1]["label"], &model["invariant"][1]["line"]),
        (&"total".into(), &5.into())
    );
    let event = &model["events"][0];
    assert_eq!((&event["reads"], &event["writes"]), (&serde_json::json!(["f"]), &serde_json::json!(["s"])));
    assert_eq!(event["parameters"], serde_json::json!([{ "name": "t", "type": "T" }]));
    let printed = object["print"].as_str().unwrap();
    assert!(printed.contains("r /* INTEGER */ <-- get(t /* T */)"), "{printed}");
    // The printed text is a machine of the same structure.
    let again = file(dir.path(), "again.mch", printed).display().to_string();
    let again = json(&run(&["parse", &again, "--json"]));
    assert_eq!(again["model"]["events"][0]["reads"], event["reads"]);
    let wrong = file(dir.path(), "wrong.mch", "MACHINE wrong VARIABLES x END").display().to_string();
    assert_valid("parse", &json(&run(&["parse", &wrong, "--json"])));
}

/// Proofs that need an axiom of a flag do not count without the flag, also after a conversion.
#[test]
fn a_converted_status_keeps_the_axioms_that_a_flag_added() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let text =
        "MACHINE h CONSTANTS c PROPERTIES c : 0..9 VARIABLES n INVARIANT n <= 5 INITIALISATION n := c END";
    file(dir.path(), "h.mch", text);
    let at = |name: &str| dir.path().join(name).display().to_string();
    let (machine, made, converted) = (at("h.mch"), at("made.json"), at("converted.json"));
    run(&["po", &machine, "--set", "c=3", "-o", &made]);
    run(&["proofs", &made, "--machine", &machine, "-o", &converted]);
    for status in [made, converted] {
        let output = run(&["proofs", &status, "--machine", &machine, "--json"]);
        assert_eq!(json(&output)["pairs"]["proven"], 0, "{status}");
    }
}

/// Two sessions in one context of Z3: what the first one frees, the second one gets, so that its models depend on the
/// order. The array's elements grow with its index, so that a model may give it by a formula without a last value.
#[test]
#[cfg(feature = "z3")]
fn the_trace_into_an_open_array_is_the_same_in_each_run() {
    let machine = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/table1/SearchEvents.mch");
    let constants = || {
        let output = bsym().arg("bmc").arg(&machine).args(["--json", "--timeout", "60s"]).output().unwrap();
        let answer = json(&output);
        assert_eq!(answer["verdict"], "violated", "{answer}");
        answer["constants"].clone()
    };
    let first = constants();
    assert!(first["length"].is_string(), "{first}");
    for _ in 0..3 {
        assert_eq!(constants(), first);
    }
}
