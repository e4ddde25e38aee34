//! `bsym mc` as users meet it: verdicts, counts, certificates, limits, interrupts.

mod common;

use std::process::{Output, Stdio};

use common::{answer, assert_valid, bsym, file, json, root, run};
use serde_json::Value as Json;

fn mc(machine: &str, arguments: &[&str]) -> Output {
    run("mc", &common::machine(machine), arguments)
}

fn result(machine: &str, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("result", "mc", &common::machine(machine), arguments)
}

#[test]
fn a_finished_search_is_a_proof_in_its_scope() {
    let (code, object) = result("Peterson.mch", &["--prop", "inv,deadlock"]);
    assert_eq!(code, Some(0));
    assert_eq!((&object["states"], &object["transitions"]), (&48.into(), &96.into()));
    assert_eq!(object["scope"]["sets"]["Process"], 2);
    assert_eq!(object["certificate_kind"], "search");
    let (_, object) = result("Peterson.mch", &["--scope", "Process=3"]);
    assert_eq!((&object["states"], &object["transitions"]), (&883.into(), &2648.into()));
}

#[test]
fn a_certificate_of_a_search_is_checked_by_searching_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("certificate.json");
    let name = path.display().to_string();
    assert_eq!(mc("Scheduler.mch", &["--certificate", &name]).status.code(), Some(0));
    let certify = || bsym().arg("certify").arg(&path).stdin(Stdio::null()).output().expect("it runs");
    let good = certify();
    assert_eq!(good.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&good.stdout).contains("reference evaluator"));
    let text = std::fs::read_to_string(&path).expect("it is there");
    let wrong = text.replace("\"states\": 10", "\"states\": 9");
    assert_ne!(text, wrong);
    file(dir.path(), "certificate.json", &wrong);
    assert_eq!(certify().status.code(), Some(1));
}

#[test]
fn violations_come_with_a_shortest_trace() {
    let (code, object) = result("PhonebookWrong.mch", &[]);
    assert_eq!(code, Some(1));
    assert_eq!(object["property"], "inv");
    assert_eq!(object["trace"].as_array().map(Vec::len), Some(4));
    let (code, object) = result("ProcessesStuck.mch", &["--prop", "deadlock"]);
    assert_eq!((code, &object["property"]), (Some(1), &"deadlock".into()));
    // With --keep-going the whole graph is visited.
    let (code, object) = result("ProcessesStuck.mch", &["--prop", "deadlock", "--keep-going"]);
    assert_eq!((code, &object["states"]), (Some(1), &15.into()));
}

#[test]
fn orders_and_seeds_visit_the_same_states() {
    for order in ["breadth-first", "depth-first", "mixed", "random"] {
        for seed in ["0", "7"] {
            let (code, object) = result("Padlocks.mch", &["--order", order, "--seed", seed]);
            assert_eq!((code, &object["states"], &object["transitions"]), (Some(0), &80.into(), &177.into()));
        }
    }
}

#[test]
fn threads_give_the_same_answer() {
    let answer = |arguments: &[&str]| {
        let (code, object) = result("PetersonWrong.mch", arguments);
        (code, object["states"].clone(), object["transitions"].clone(), object["trace"].clone())
    };
    let scope = ["--scope", "Process=3"];
    let one = answer(&[&scope[..], &["--threads", "1"]].concat());
    assert_eq!(answer(&[&scope[..], &["--threads", "3"]].concat()), one);
    // By default there is one for each core.
    assert_eq!(answer(&scope), one);
    assert_eq!(mc("PetersonWrong.mch", &["--threads", "0"]).status.code(), Some(2));
}

#[test]
fn limits_give_the_result_so_far() {
    let (code, object) = result("Phonebook.mch", &["--max-states", "100", "--scope", "Name=4,Number=4"]);
    assert_eq!((code, &object["verdict"]), (Some(3), &"unknown".into()));
    assert!(object["reason"].as_str().is_some_and(|r| r.starts_with("state-limit")));
    assert!(object["states"].as_u64().is_some_and(|n| n > 100));
    let output = mc("Peterson.mch", &["--depth", "3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--max-states"));
}

#[test]
fn progress_is_told_in_events() {
    let output = mc("Phonebook.mch", &["--scope", "Name=7,Number=7", "--timeout", "6s", "--jsonl"]);
    let lines: Vec<Json> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|l| serde_json::from_str(l).expect("an object a line"))
        .collect();
    lines.iter().for_each(|l| assert_valid("events", l));
    let searches: Vec<u64> =
        lines.iter().filter(|l| l["event"] == "search").filter_map(|l| l["states"].as_u64()).collect();
    assert!(searches.len() > 1 && searches.is_sorted(), "{searches:?}");
    let last = lines.last().expect("a result");
    assert_eq!((&last["event"], output.status.code()), (&"result".into(), Some(3)));
    assert!(last["result"]["reason"].as_str().is_some_and(|r| r.starts_with("timeout")));
}

/// A machine whose constant is out of the reach of enumeration.
const NEEDLE: &str = "MACHINE Needle CONSTANTS a PROPERTIES a : 1..3000000 & a mod 1000003 = 7 & a > 1500000
VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS step = PRE x < a mod 4 + 2 THEN x := x + 1 END END";

#[test]
fn a_solver_finds_the_constants_that_enumeration_cannot_reach() {
    if !common::has_solver() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "Needle.mch", NEEDLE);
    let certificate = dir.path().join("needle.json");
    let output = bsym()
        .args(["mc", "--json", "--certificate"])
        .arg(&certificate)
        .arg(&path)
        .output()
        .expect("it runs");
    let object = json(&output);
    assert_valid("result", &object);
    assert_eq!(output.status.code(), Some(0), "{object:#}");
    assert_eq!((&object["states"], &object["transitions"]), (&5.into(), &5.into()));
    let output = bsym().arg("certify").arg(&certificate).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_time_limit_ends_a_long_evaluation() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Slow VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS
step = SELECT x = 0 & (SIGMA(a, b).(a : 0..9000 & b : 0..9000 & (a * b) mod 7 = x | a + b)) > x
            & card({s | s : POW(1..18) & card(s) mod 7 = x}) > 1
       THEN x := 1 END END";
    let path = file(dir.path(), "Slow.mch", text);
    let begin = std::time::Instant::now();
    let output = bsym().args(["mc", "--timeout", "300ms", "--json"]).arg(&path).output().expect("it runs");
    let object = json(&output);
    assert_valid("result", &object);
    assert_eq!((output.status.code(), &object["verdict"]), (Some(3), &"unknown".into()));
    assert!(object["reason"].as_str().is_some_and(|r| r.starts_with("timeout")), "{object:#}");
    assert_eq!(object["unsupported"], serde_json::json!([]));
    // Less than the time after which the program ends without waiting for the search.
    assert!(begin.elapsed() < std::time::Duration::from_secs(4), "{:?}", begin.elapsed());
}

#[test]
fn a_search_is_put_aside_and_continued() {
    let dir = tempfile::tempdir().expect("a folder");
    let aside = dir.path().join("aside.search");
    let name = aside.display().to_string();
    let scope = ["--scope", "Name=4,Number=4"];
    let (code, whole) = result("Phonebook.mch", &scope);
    assert_eq!(code, Some(0));
    let with = |more: &[&str]| result("Phonebook.mch", &[&scope[..], more].concat());
    let (code, part) = with(&["--checkpoint", &name, "--max-states", "100"]);
    assert_eq!((code, &part["warnings"]), (Some(3), &serde_json::json!([])));
    assert!(part["states"].as_u64() < whole["states"].as_u64());
    let (code, rest) = with(&["--resume", &name]);
    assert_eq!(code, Some(0));
    assert_eq!((&rest["states"], &rest["transitions"]), (&whole["states"], &whole["transitions"]));
    // Ended by the time limit, as often as needed.
    let long = ["--scope", "Name=5,Number=5"];
    let (_, whole) = result("Phonebook.mch", &long);
    let mut arguments = [&long[..], &["--checkpoint", &name, "--timeout", "150ms"]].concat();
    let mut rounds = 0;
    let last = loop {
        let (code, object) = result("Phonebook.mch", &arguments);
        if code == Some(0) {
            break object;
        }
        assert_eq!(code, Some(3), "{object:#}");
        rounds += 1;
        assert!(rounds < 100, "it gets nowhere");
        if rounds == 1 {
            arguments.extend(["--resume", &name]);
        }
        // A machine that is busy needs more time to begin with.
        if rounds % 10 == 0 {
            arguments = [&long[..], &["--checkpoint", &name, "--timeout", "5s", "--resume", &name]].concat();
        }
    };
    assert_eq!((&last["states"], &last["transitions"]), (&whole["states"], &whole["transitions"]));
}

#[test]
fn only_the_same_search_is_continued() {
    let dir = tempfile::tempdir().expect("a folder");
    let aside = dir.path().join("aside.search");
    let name = aside.display().to_string();
    let scope = ["--scope", "Name=4,Number=4"];
    let stop = [&scope[..], &["--checkpoint", &name, "--max-states", "100"]].concat();
    assert_eq!(result("Phonebook.mch", &stop).0, Some(3));
    let refused = |machine: &str, arguments: &[&str], words: &str| {
        let output = mc(machine, arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(words), "{text}");
    };
    refused("Scheduler.mch", &["--resume", &name], "another model");
    refused("Phonebook.mch", &["--resume", &name, "--scope", "Name=4,Number=3"], "another scope");
    let other = [&scope[..], &["--resume", &name, "--no-wd"]].concat();
    refused("Phonebook.mch", &other, "other properties");
    refused("Phonebook.mch", &["--resume", &format!("{name}.not")], "cannot be read");
    refused("Phonebook.mch", &["--resume", &dir.path().display().to_string()], "is a folder");
    refused("Phonebook.mch", &["--checkpoint", &format!("{name}/x")], "--checkpoint");
    let junk = file(dir.path(), "junk", "not a search").display().to_string();
    refused("Phonebook.mch", &["--resume", &junk], "put aside");
    let bytes = std::fs::read(&aside).expect("it is there");
    let cut = file(dir.path(), "cut", &bytes[..bytes.len() / 2]).display().to_string();
    refused("Phonebook.mch", &[&scope[..], &["--resume", &cut]].concat(), "damaged");
}

#[test]
fn a_constant_without_bounds_is_named_with_what_to_do() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Open CONSTANTS d PROPERTIES d : NATURAL VARIABLES x INVARIANT x : 0..d
        INITIALISATION x := 0 OPERATIONS step = PRE x < d THEN x := x + 1 END END";
    let path = file(dir.path(), "Open.mch", text);
    let run = |more: &[&str]| {
        let output = bsym().args(["mc", "--json", "--timeout", "20s"]).args(more).arg(&path).output();
        let output = output.expect("it runs");
        (output.status.code(), json(&output))
    };
    let (code, object) = run(&["--max-valuations", "5"]);
    assert_eq!((code, &object["verdict"]), (Some(3), &"unknown".into()));
    let (code, object) = run(&[]);
    assert_eq!(code, Some(3));
    let reason = object["reason"].as_str().unwrap_or_default();
    let expected = "bounded: the values of `d` (";
    assert!(
        reason.starts_with(expected) && reason.contains("Open.mch:1) were taken from 0..3 only"),
        "{reason}"
    );
    assert!(reason.contains("--maxint N widens it") && reason.contains("--set d="), "{reason}");
    assert_eq!((&object["states"], &object["certificate"]), (&14.into(), &Json::Null), "{object:#}");
    let (_, wider) = run(&["--maxint", "5"]);
    assert_eq!(wider["states"], 27, "{wider:#}");
    let (code, object) = run(&["--set", "d=4"]);
    assert_eq!((code, &object["states"]), (Some(0), &6.into()), "{object:#}");
}

#[test]
fn a_search_does_not_believe_a_wrong_status() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Steps VARIABLES n INVARIANT n : 0..5 & n >= 0 INITIALISATION n := 0
OPERATIONS up = SELECT n < 9 THEN n := n + 1 END END";
    let path = file(dir.path(), "Steps.mch", text);
    let status = dir.path().join("po.json");
    let output = bsym().arg("po").arg(&path).arg("-o").arg(&status).output().expect("it runs");
    if !status.exists() {
        let why = format!("solver ({})", String::from_utf8_lossy(&output.stderr).trim());
        bsym_testing::present::<()>(bsym_testing::Part::Solver, None, &why);
        return;
    }
    let told = std::fs::read_to_string(&status).expect("a status");
    assert!(told.contains("\"refuted\""), "{told}");
    let mut told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    told.as_object_mut().expect("a file").remove("summary");
    let wrong = told.to_string().replace("\"refuted\"", "\"discharged\"");
    std::fs::write(&status, wrong).expect("a wrong status");
    let output = bsym().args(["mc", "--json", "--proofs"]).arg(&status).arg(&path).output().expect("it runs");
    let object = json(&output);
    assert_valid("result", &object);
    assert_eq!((output.status.code(), &object["verdict"]), (Some(1), &"violated".into()), "{object:#}");
    assert_eq!(object["depth"], 6);
}

#[test]
fn where_every_state_was_visited_each_property_has_an_answer() {
    let run = |arguments: &[&str]| {
        let mut command = bsym();
        command.current_dir(root()).args(["mc", "examples/crossing.mch", "--prop", "inv,deadlock", "--json"]);
        let object = json(&command.args(arguments).stdin(Stdio::null()).output().expect("it runs"));
        assert_valid("result", &object);
        let verdicts = object["properties"].as_array().expect("a list").clone();
        verdicts.iter().map(|p| p["verdict"].as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>()
    };
    let all = run(&["--keep-going"]);
    assert!(all.iter().any(|v| v == "violated") && all.iter().any(|v| v == "holds"), "{all:?}");
    assert!(!all.iter().any(|v| v == "unknown"), "{all:?}");
    // A search that ends at the first violation has no verdict on the others.
    assert!(run(&[]).iter().any(|v| v == "unknown"));
}

/// The result about a machine with these sets, constants and properties, and one variable in `S`.
fn about(sets: &str, constants: &str, properties: &str, arguments: &[&str]) -> Json {
    let dir = tempfile::tempdir().expect("a folder");
    let text = format!(
        "MACHINE Sized SETS {sets} CONSTANTS {constants} PROPERTIES {properties} VARIABLES v INVARIANT v : S \
         INITIALISATION v :: S OPERATIONS set(x) = PRE x : S THEN v := x END END"
    );
    file(dir.path(), "Sized.mch", &text);
    let path = dir.path().join("Sized.mch");
    let mut command = bsym();
    command.arg("mc").arg(path).args(arguments).arg("--json").stdin(Stdio::null());
    let object = json(&command.output().expect("it runs"));
    assert_valid("result", &object);
    object
}

#[test]
fn a_set_is_as_large_as_the_properties_need() {
    // Three colours are kept apart, so that there are three; two owners are the default.
    let object = about(
        "S; OWNERS",
        "red, green, blue, home",
        "red : S & green : S & blue : S & red /= green & red /= blue & green /= blue & home : OWNERS",
        &[],
    );
    assert_eq!((&object["verdict"], &object["scope"]["sets"]["S"]), (&"holds".into(), &3.into()));
    assert_eq!(
        (&object["scope"]["sets"]["OWNERS"], object["scopes_tried"].as_array()),
        (&2.into(), Some(&vec![]))
    );
}

#[test]
fn larger_sizes_are_tried_before_the_axioms_are_blamed() {
    let properties = "f : S --> NAT & #(x, y, z).(f(x) = 1 & f(y) = 2 & f(z) = 3)";
    let object = about("S", "f", properties, &[]);
    assert_eq!((&object["verdict"], &object["scope"]["sets"]["S"]), (&"holds".into(), &3.into()));
    assert_eq!(object["scopes_tried"][0]["sets"]["S"], 2);
    // A size that the user asks for is kept.
    let object = about("S", "f", properties, &["--scope", "S=2"]);
    assert_eq!((&object["verdict"], &object["scope"]["sets"]["S"]), (&"vacuous".into(), &2.into()));
    // So is MAXINT.
    let object = about("S", "n", "n : NAT & n > 5", &[]);
    assert_eq!((&object["verdict"], &object["scope"]["maxint"]), (&"holds".into(), &7.into()));
    let object = about("S", "n", "n : NAT & n > 5", &["--maxint", "4"]);
    assert_eq!((&object["verdict"], &object["reason_code"]), (&"vacuous".into(), &"no-valuation".into()));
    // They are not blamed either for an initialisation that needs room.
    let object = about("S", "a", "a : S & card(S - {a}) > 2", &[]);
    assert_eq!((&object["verdict"], &object["scope"]["sets"]["S"]), (&"holds".into(), &4.into()));
}

#[test]
fn axioms_are_blamed_where_no_size_satisfies_them() {
    let object = about("S", "a, n", "a : S & n : 1..3 & n > 2 & S - {a} = S & n /= 2", &[]);
    if object["verdict"] == "unknown" {
        // Without a solver only the sizes that were tried are known.
        assert_eq!(object["reason_code"], "existence-undecided");
        assert!(object["scopes_tried"].as_array().is_some_and(|tried| tried.len() > 4));
        return;
    }
    assert_eq!(object["verdict"], "vacuous");
    assert!(object["reason"].as_str().is_some_and(|reason| reason.contains("were tried")), "{object}");
    let core: Vec<_> = object["core"].as_array().expect("a list").iter().map(|a| a["text"].clone()).collect();
    assert!(core.contains(&"S - {a} = S".into()) && !core.contains(&"n /= 2".into()), "{core:?}");
}

#[test]
fn where_no_size_is_found_the_answer_is_open() {
    // An infinite set would satisfy it, but a deferred set is finite.
    let object = about("S", "f", "f : NATURAL >-> S", &["--timeout", "20"]);
    assert_ne!(object["verdict"], "holds");
    if object["verdict"] == "unknown" {
        assert!(object["reason_code"].is_string());
    }
}

#[test]
fn a_constant_that_nobody_can_evaluate_is_advised() {
    let text = "MACHINE Endless CONSTANTS next, other
PROPERTIES next : INTEGER --> INTEGER & next = %n.(n : INTEGER | next(n + 1)) & other = 1
VARIABLES x INVARIANT x = next(other) INITIALISATION x := 0 END";
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "Endless.mch", text);
    let object = json(&bsym().args(["mc", "--json"]).arg(path).output().unwrap());
    assert_eq!(object["reason_code"], "incomplete");
    let reason = object["reason"].as_str().unwrap_or_default();
    assert!(reason.ends_with("; --set next=EXPR fixes it"), "{reason}");
}

/// A conjunct, a step and a deadlock that are wrong only because the user has not chosen a larger MAXINT are marked so.
#[test]
fn what_is_violated_because_of_maxint_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Hall VARIABLES people INVARIANT people : NAT INITIALISATION people := 0
OPERATIONS enter = SELECT people < 40 THEN people := people + 1 END END";
    let path = file(folder.path(), "Hall.mch", text);
    for (command, schema) in [("mc", "result"), ("ldd", "result"), ("simulate", "simulation")] {
        let (code, object) = answer(schema, command, &path, &[]);
        assert_eq!(code, Some(1), "{command}: {object:#}");
        let only = object["violated"][0]["only_in_scope"].as_str();
        assert_eq!(only, Some("false because MAXINT is 3: try `--maxint 40`"), "{command}: {object:#}");
        let output = run(command, &path, &[]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("false because MAXINT is 3: try `--maxint 40`"), "{command}: {text}");
    }
    let (code, object) = answer("result", "mc", &path, &["--maxint", "40"]);
    assert_eq!(code, Some(0), "{object:#}");
    let deadlock = text.replace("people < 40", "people + 1 : NAT");
    let path = file(folder.path(), "Hall.mch", deadlock);
    let (code, object) = answer("result", "mc", &path, &["--prop", "deadlock"]);
    let only = object["violated"][0]["only_in_scope"].as_str();
    assert_eq!((code, only), (Some(1), Some("only because MAXINT is 3: try `--maxint 7`")), "{object:#}");
    // A violation with any bounds is not marked.
    let path = file(folder.path(), "Hall.mch", text.replace("people : NAT", "people : NAT & people < 2"));
    let (_, object) = answer("result", "mc", &path, &[]);
    assert_eq!(object["violated"][0]["only_in_scope"], Json::Null, "{object:#}");
}
