//! `bsym animate` with lines from a pipe, as scripts use it.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::{Output, Stdio};

use common::{assert_valid, bsym, file, root};

/// Runs a session with some lines and returns its output.
fn session(arguments: &[&str], lines: &[&str]) -> Output {
    let mut command = bsym();
    command
        .arg("animate")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all((lines.join("\n") + "\n").as_bytes()).expect("it reads");
    drop(input);
    child.wait_with_output().expect("it ends")
}

/// Runs a session and returns its text; every line must be understood.
fn says(arguments: &[&str], lines: &[&str]) -> String {
    let output = session(arguments, lines);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

const LIBRARY: &str = "examples/library.mch";

#[test]
fn the_document_says_what_a_session_says() {
    let document = std::fs::read_to_string(root().join("docs/animate.md")).unwrap();
    let mut compared = 0;
    for block in document.split("```").skip(1).step_by(2) {
        let Some(rest) = block.trim_start().strip_prefix("$ bsym animate ") else { continue };
        let (command, rest) = rest.split_once('\n').unwrap();
        let (typed, said): (Vec<&str>, Vec<&str>) = rest.lines().partition(|line| line.starts_with("> "));
        let typed: Vec<&str> = typed.iter().map(|line| &line[2..]).collect();
        let arguments: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(says(&arguments, &typed).trim_end(), said.join("\n").trim_end());
        compared += 1;
    }
    assert!(compared > 0, "the document shows no session");
}

#[test]
fn steps_are_chosen_by_number_and_by_name_as_they_are_printed() {
    let text = says(
        &[LIBRARY],
        &["1", "lend(b = b2, r = r1)", "back 2", "lend(b3,r2)", "who_has", "eval loans", "trace"],
    );
    assert!(text.contains("step 2: lend(b = b2, r = r1)"), "{text}");
    assert!(text.contains("card(loans~[{r}]) = 2, limit = 1, with r = r1"), "{text}");
    assert!(text.contains("step 2: reader = r2 <-- who_has(b = b3)"), "{text}");
    assert!(text.contains("\n{(b3|->r2)}\n"), "{text}");
    assert!(text.ends_with("  2  reader = r2 <-- who_has(b = b3)\n       (nothing changes)\n"), "{text}");
    // An event that is not unique leads to a question.
    let text = says(&[LIBRARY], &["lend(b2)", "2", "state"]);
    assert!(text.contains("lend has 2 such steps") && text.contains("  loans = {(b2|->r2)}\n"), "{text}");
}

#[test]
fn the_path_stays_when_one_goes_back_until_one_goes_elsewhere() {
    let text = says(&[LIBRARY], &["1", "1", "goto 0", "forward 2", "back", "5", "trace"]);
    assert_eq!(text.matches("step 2: lend(b = b2, r = r1)").count(), 2, "{text}");
    assert!(text.ends_with("  2  give_back(b = b1)\n       loans = {}\n"), "{text}");
}

#[test]
fn the_nearest_state_is_found_and_what_is_not_there_is_said() {
    let text =
        says(&["examples/vending.mch"], &["find stock = 0", "why refill", "goto 0", "find served = {1}"]);
    assert!(
        text.contains("stock = 0\n") && text.contains("refill is disabled by credit = 5\n    credit = "),
        "{text}"
    );
    let output = session(&["examples/vending.mch"], &["find credit = 5"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("error: not true in any state reachable from here (45 states looked at)"),
        "{text}"
    );
}

#[test]
fn paths_are_saved_and_loaded_in_all_formats() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    for name in ["t.json", "t.itf.json", "t.prob2trace"] {
        let (save, load) = (format!("save {}", at(name)), format!("load {}", at(name)));
        says(&[LIBRARY], &["lend(b3, r2)", "lend(b1, r2)", &save]);
        let text = says(&[LIBRARY], &[&load, "back"]);
        assert!(text.contains("replayed 2 of 2 events\nstep 2: lend(b = b1, r = r2)\n"), "{name}: {text}");
        assert!(text.contains("step 1: lend(b = b3, r = r2)\n"), "{name}: {text}");
    }
    let replayed = bsym().args(["replay", &at("t.json"), LIBRARY]).output().unwrap();
    assert_eq!(replayed.status.code(), Some(0));
    // A file that the machine cannot follow to its end is followed as far as it goes.
    let trace = std::fs::read_to_string(folder.path().join("t.prob2trace")).unwrap();
    let (head, tail) = trace.rsplit_once("(b1|->r2)").expect("the last state");
    let other = file(folder.path(), "other.prob2trace", format!("{head}(b2|->r2){tail}"));
    let text = says(&[LIBRARY, "--load", &other.display().to_string()], &[]);
    assert!(text.contains("replayed 1 of 2 events\n  stopped: step 2 (lend): "), "{text}");
}

#[test]
fn what_is_wrong_is_said_and_the_session_goes_on() {
    let lines = [
        "nonsense",
        "99",
        "lend(b9)",
        "lend(b1, r1, b2)",
        "give_back(b1)",
        "eval b +",
        "goto 7",
        "save x.txt",
        "back",
        "1",
    ];
    let output = session(&[LIBRARY], &lines);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("error: ").count(), lines.len() - 1, "{text}");
    assert!(text.contains("give_back is not enabled with these arguments"), "{text}");
    assert!(text.contains("step 1: lend(b = b1, r = r1)"), "{text}");
    let refused = session(&[LIBRARY, "--json", "--load", "path.json"], &[]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn constants_and_initial_states_are_chosen_where_there_are_several() {
    let folder = tempfile::tempdir().unwrap();
    let text = "MACHINE choose SETS D CONSTANTS k PROPERTIES k : {3, 5} VARIABLES n, d INVARIANT n : 0..9 & d : D \
        INITIALISATION n :: {1, k} || d :: D OPERATIONS halve = PRE n > 1 THEN n := n / 2 END; \
        break = BEGIN ASSERT n < 2 THEN skip END END END";
    let machine = file(folder.path(), "choose.mch", text).display().to_string();
    let text =
        says(&[&machine, "--scope", "D=1"], &["2", "2", "halve", "eval D1 = d", "invariant", "restart"]);
    assert!(text.starts_with("   1  k = 3\n   2  k = 5\n"), "{text}");
    assert!(text.contains("   2  INITIALISATION   n = 5, d = D1\n"), "{text}");
    assert!(text.contains("break   goes wrong: "), "{text}");
    assert!(text.contains("step 1: halve\n       n = 2\n") && text.contains("\nTRUE\n"), "{text}");
    assert!(text.ends_with("   1  k = 3\n   2  k = 5\n"), "{text}");
    // The same seed takes the same random steps, and a step that fails ends them.
    let random =
        |seed: &str| says(&[&machine, "--scope", "D=1", "--seed", seed], &["1", "1", "random 9", "trace"]);
    assert_eq!(random("3"), random("3"));
}

#[test]
fn events_of_event_b_have_labels_and_guards() {
    let Some(projects) = bsym_testing::rodin_projects() else { return };
    let path = projects.join("cars-on-bridge");
    let text = says(&[&path.display().to_string()], &["random 5", "invariant"]);
    assert!(text.contains("step 3: "), "{text}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_what_is_computed_and_not_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(
        folder.path(),
        "large.mch",
        "MACHINE large VARIABLES s INVARIANT s <: 1..18 INITIALISATION s := {} OPERATIONS \
         put(i) = PRE i : 1..18 & i /: s THEN s := s \\/ {i} END; take(i) = PRE i : s THEN s := s - {i} END END",
    );
    let mut command = bsym();
    command.arg("animate").arg(&machine).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    writeln!(input, "find card(s) = 19").unwrap();
    // The first list is over before the search begins.
    let mut next = || lines.next().expect("a line").expect("text");
    while !next().contains("not enabled: take") {}
    std::thread::sleep(std::time::Duration::from_millis(300));
    let killed = child.signal("INT").expect("it runs");
    assert!(killed.success());
    let said = next();
    assert!(said.contains("error: not true in") && said.contains("stopped"), "{said}");
    writeln!(input, "put(7)\neval s").unwrap();
    drop(input);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(rest.last().map(String::as_str), Some("{7}"), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

/// Runs `animate --json` with requests and returns the answers.
fn answers(machine: &str, requests: &[&str]) -> Vec<serde_json::Value> {
    let output = session(&[machine, "--json"], requests);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<_> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), requests.len(), "{text}");
    answers
}

#[test]
fn requests_of_a_program_are_answered_one_by_one() {
    let answers = answers(
        LIBRARY,
        &[
            r#"{"ask":"constants"}"#,
            r#"{"ask":"successors","constants":{"limit":"1"}}"#,
            r#"{"ask":"successors","constants":{"limit":"1"},"state":{"loans":"{(b1|->r2)}"},"most":2}"#,
            r#"{"ask":"eval","constants":{"limit":"1"},"state":{"loans":"{(b1|->r2)}"},"formula":"loans~[{r2}]"}"#,
        ],
    );
    for answer in &answers[..3] {
        assert_valid("choices", answer);
    }
    assert_valid("eval", &answers[3]);
    assert_eq!(answers[0]["constants"], serde_json::json!([{ "limit": "1" }]));
    assert_eq!(answers[1]["steps"][0]["step"]["event"], "INITIALISATION");
    let steps: Vec<_> = answers[2]["steps"].as_array().unwrap().iter().map(|one| &one["step"]).collect();
    let events: Vec<_> = steps.iter().map(|step| step["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["lend", "lend", "give_back", "who_has"]);
    assert_eq!(steps[2]["state"]["loans"], "{}");
    let note = answers[2]["notes"][0].as_str().unwrap();
    assert!(note.contains("lend has more steps than these 2"), "{note}");
    assert_eq!(answers[3]["value"], "{b1}");
}

#[test]
fn a_request_that_is_wrong_is_refused_and_the_next_one_answered() {
    let answers = answers(
        LIBRARY,
        &[
            "successors",
            r#"{"ask":"successors"}"#,
            r#"{"ask":"successors","constants":{},"state":{}}"#,
            r#"{"ask":"successors","constants":{"limit":"TRUE"},"state":{}}"#,
            r#"{"ask":"successors","constants":{"limit":"1"},"state":{"loan":"{}"}}"#,
            r#"{"ask":"eval","constants":{"limit":"1"},"state":{"loans":"{}"},"formula":"loans +"}"#,
            r#"{"ask":"eval","constants":{"limit":"1"},"state":{"loans":"{}"},"formula":"1 + limit"}"#,
        ],
    );
    for answer in &answers[..5] {
        assert_valid("error", answer);
    }
    let said = |i: usize| answers[i]["error"].as_str().unwrap();
    assert!(said(1).contains("missing field `constants`"), "{}", said(1));
    assert!(said(2).contains("no value for `limit`"), "{}", said(2));
    assert!(said(3).contains("not of type INTEGER"), "{}", said(3));
    assert!(said(4).contains("has no `loan`"), "{}", said(4));
    assert_eq!((&answers[5]["kind"], &answers[6]["value"]), (&"error".into(), &"2".into()));
}

#[test]
fn a_step_that_goes_wrong_says_what_is_violated() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "MACHINE w VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS d = x := 10 / x END";
    let machine = file(folder.path(), "w.mch", text);
    let machine = machine.to_str().unwrap();
    let answers = answers(machine, &[r#"{"ask":"successors","constants":{},"state":{"x":"0"}}"#]);
    assert_valid("choices", &answers[0]);
    let only = &answers[0]["steps"][0];
    assert!(only["step"]["state"].is_null(), "{only}");
    assert_eq!(only["violated"][0]["message"], "division by zero: 10 / 0");
}
