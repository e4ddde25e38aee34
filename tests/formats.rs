//! `--format`: SARIF, JUnit and the annotations of GitHub have the content of the text.

mod common;

use std::path::Path;
use std::process::{Output, Stdio};

use common::{bsym, file, has_solver, json, root};
use serde_json::{Value as Json, json as object};

const VIOLATED: &str = "MACHINE bad
VARIABLES x
INVARIANT x : 0..3 & x /= 9
INITIALISATION x := 0
OPERATIONS
  go(n) = SELECT n : 1..2 THEN
    x := x + n
  END
END";
const HOLDS: &str = "MACHINE good VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS go = SELECT x < 3 THEN x := x + 1 END END";
const WRONG: &str = "MACHINE wrong\nVARIABLES x\nINVARIANT x : 0..3 & y > 0\nINITIALISATION x := 0\nEND";

fn run(folder: &Path, command: &str, arguments: &[&str]) -> Output {
    bsym().current_dir(folder).arg(command).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Schema of the part of SARIF 2.1.0 that is used, and nothing else: members, types, and the words of the standard.
fn sarif_schema() -> Json {
    let closed = |properties: Json, required: Json| object!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let list = |items: Json| object!({ "type": "array", "items": items });
    let (string, count) = (object!({ "type": "string" }), object!({ "type": "integer", "minimum": 0 }));
    let from_one = object!({ "type": "integer", "minimum": 1 });
    let level = object!({ "enum": ["none", "note", "warning", "error"] });
    let message = closed(object!({ "text": string }), object!(["text"]));
    let uri = object!({ "type": "string", "pattern": "^(file:///)?[A-Za-z0-9._~/%-]+$" });
    let artifact = closed(object!({ "uri": uri }), object!(["uri"]));
    let region = closed(
        object!({ "startLine": from_one, "startColumn": from_one, "endLine": from_one, "endColumn": from_one }),
        object!(["startLine"]),
    );
    let physical =
        closed(object!({ "artifactLocation": artifact, "region": region }), object!(["artifactLocation"]));
    let location = closed(object!({ "physicalLocation": physical, "message": message }), object!([]));
    let step = closed(
        object!({
            "location": location,
            "state": { "type": "object", "additionalProperties": message },
            "importance": { "enum": ["important", "essential", "unimportant"] },
            "executionOrder": count,
        }),
        object!(["location"]),
    );
    let thread = closed(object!({ "locations": list(step) }), object!(["locations"]));
    let result = closed(
        object!({
            "ruleId": string,
            "ruleIndex": count,
            "level": level,
            "message": message,
            "locations": list(location),
            "codeFlows": list(closed(object!({ "threadFlows": list(thread) }), object!(["threadFlows"]))),
        }),
        object!(["message"]),
    );
    let configuration = closed(object!({ "level": level }), object!([]));
    let rule = closed(
        object!({ "id": string, "shortDescription": message, "defaultConfiguration": configuration }),
        object!(["id"]),
    );
    let driver = closed(
        object!({ "name": string, "semanticVersion": string, "rules": list(rule) }),
        object!(["name"]),
    );
    let invocation = closed(
        object!({ "executionSuccessful": { "type": "boolean" }, "exitCode": { "type": "integer" } }),
        object!(["executionSuccessful"]),
    );
    let run = closed(
        object!({
            "tool": closed(object!({ "driver": driver }), object!(["driver"])),
            "invocations": list(invocation),
            "columnKind": { "enum": ["utf16CodeUnits", "unicodeCodePoints"] },
            "artifacts": list(closed(object!({ "location": artifact }), object!([]))),
            "results": list(result),
        }),
        object!(["tool"]),
    );
    closed(
        object!({ "$schema": string, "version": { "const": "2.1.0" }, "runs": list(run) }),
        object!(["version", "runs"]),
    )
}

/// Returns the only run of a log, which conforms to the standard, also where no schema checks it.
fn sarif(output: &Output) -> Json {
    let log = json(output);
    let validator = jsonschema::validator_for(&sarif_schema()).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{log:#}");
    let run = log["runs"][0].clone();
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
    }
    run
}

fn found(run: &Json) -> Vec<(&str, &str)> {
    let results = run["results"].as_array().unwrap().iter();
    results.map(|r| (r["ruleId"].as_str().unwrap(), r["level"].as_str().unwrap())).collect()
}

#[test]
fn sarif_has_places_with_ends_and_the_trace_as_a_flow() {
    let dir = tempfile::tempdir().unwrap();
    file(dir.path(), "a bad.mch", VIOLATED);
    let output = run(dir.path(), "mc", &["a bad.mch", "--format", "sarif"]);
    assert_eq!(output.status.code(), Some(1));
    let run = sarif(&output);
    // The diagnostic that the file has another name than the machine is included.
    assert_eq!(found(&run)[..2], [("B0409", "warning"), ("violated-inv", "error")]);
    let result = &run["results"][1];
    let place = |line: u32, column: u32, end_line: u32, end: u32| {
        let region =
            object!({ "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end });
        object!({ "artifactLocation": { "uri": "a%20bad.mch" }, "region": region })
    };
    assert_eq!(result["locations"][0]["physicalLocation"], place(3, 11, 3, 19));
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    // INITIALISATION, two events, and what is false then.
    assert_eq!(steps.len(), 4, "{steps:#?}");
    assert_eq!(steps[2]["location"]["message"]["text"], "go(n = 2)");
    assert_eq!(steps[2]["location"]["physicalLocation"], place(6, 3, 8, 6));
    assert_eq!(steps[2]["state"], object!({ "x": { "text": "4" } }));
    assert_eq!(steps[3]["location"]["physicalLocation"], place(3, 11, 3, 19));
}

#[test]
fn wrong_input_is_reported_with_its_code_or_at_least_its_file() {
    let dir = tempfile::tempdir().unwrap();
    file(dir.path(), "wrong.mch", WRONG);
    let output = run(dir.path(), "check", &["wrong.mch", "--format=sarif"]);
    assert_eq!(output.status.code(), Some(2));
    let log = sarif(&output);
    assert_eq!(log["invocations"][0], object!({ "executionSuccessful": false, "exitCode": 2 }));
    let region = &log["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*region, object!({ "startLine": 3, "startColumn": 22, "endLine": 3, "endColumn": 23 }));
    let rule = &log["tool"]["driver"]["rules"][0];
    assert!(
        rule["id"].as_str().unwrap().starts_with('B') && rule["shortDescription"]["text"] != "",
        "{rule}"
    );
    // The annotations report the same.
    let line = text(&run(dir.path(), "parse", &["wrong.mch", "--format", "github"]));
    assert!(
        line.starts_with("::error file=wrong.mch,line=3,endLine=3,col=22,endColumn=23,title=bsym B"),
        "{line}"
    );
    assert_eq!(line.lines().count(), 1, "{line}");
    let missing = sarif(&run(dir.path(), "check", &["missing.mch", "--format", "sarif"]));
    assert_eq!(found(&missing), [("input", "error")]);
    let junit = text(&run(dir.path(), "check", &["wrong.mch", "--format", "junit"]));
    assert!(junit.contains("errors=\"1\"") && junit.contains("wrong.mch:3:22: B"), "{junit}");
}

#[test]
fn several_machines_are_in_one_report() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    file(dir.path(), "good.mch", HOLDS);
    file(dir.path(), "bad.mch", VIOLATED);
    file(dir.path(), "wrong.mch", WRONG);
    let output = run(dir.path(), "check", &[".", "--format", "junit", "--keep-going"]);
    assert_eq!(output.status.code(), Some(2));
    let xml = text(&output);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let all = document.root_element();
    assert_eq!(all.tag_name().name(), "testsuites");
    let suites: Vec<_> = all.children().filter(roxmltree::Node::is_element).collect();
    let names: Vec<_> = suites.iter().map(|s| s.attribute("name").unwrap()).collect();
    assert_eq!(names, ["bad.mch", "good.mch", "wrong.mch"]);
    for suite in &suites {
        let cases = || suite.children().filter(|n| n.has_tag_name("testcase"));
        let with =
            |tag: &str| cases().filter(|c| c.children().any(|n| n.has_tag_name(tag))).count().to_string();
        assert_eq!(suite.attribute("tests"), Some(cases().count().to_string().as_str()));
        for (attribute, tag) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
            assert_eq!(suite.attribute(attribute), Some(with(tag).as_str()), "{xml}");
        }
    }
    let failure = suites[0].descendants().find(|n| n.has_tag_name("failure")).unwrap();
    assert!(failure.attribute("message").unwrap().contains("x : 0..3 is false after "), "{xml}");
    assert!(failure.text().unwrap().contains("1  go(n = "), "{xml}");
    assert_eq!((suites[1].attribute("failures"), suites[2].attribute("errors")), (Some("0"), Some("1")));
    let output = run(dir.path(), "check", &["--format", "sarif", "good.mch", "bad.mch"]);
    let log = sarif(&output);
    assert_eq!(log["artifacts"].as_array().unwrap().len(), 2);
    assert_eq!(found(&log)[0], ("violated-inv", "error"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_is_not_decided_is_a_note_and_never_a_passed_case() {
    let dir = tempfile::tempdir().unwrap();
    file(dir.path(), "bad.mch", VIOLATED);
    let stopped = ["bad.mch", "--max-states", "1", "--format"];
    let arguments = |form| [&stopped[..], &[form]].concat();
    let output = run(dir.path(), "mc", &arguments("sarif"));
    assert_eq!(output.status.code(), Some(3));
    let log = sarif(&output);
    assert!(!found(&log).is_empty() && found(&log).iter().all(|(_, level)| *level == "note"), "{log:#}");
    let xml = text(&run(dir.path(), "mc", &arguments("junit")));
    assert!(xml.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\""), "{xml}");
    let annotations = text(&run(dir.path(), "mc", &arguments("github")));
    assert!(annotations.starts_with("::notice file=bad.mch,line=3"), "{annotations}");
    // What is undecided is one annotation, with -v one for each conjunct.
    assert_eq!(annotations.lines().count(), 1, "{annotations}");
    let all = text(&run(dir.path(), "mc", &[&arguments("github")[..], &["-v"]].concat()));
    assert!(all.lines().count() > 1, "{all}");
}

#[test]
fn json_is_a_format_and_other_commands_say_that_they_have_no_report() {
    let arguments = ["parse", "examples/counter.mch", "--format", "json"];
    let output = bsym().args(arguments).output().unwrap();
    common::assert_valid("parse", &json(&output));
    let refused = run(&root(), "simulate", &["examples/counter.mch", "--format", "sarif"]);
    assert_eq!((refused.status.code(), text(&refused).as_str()), (Some(2), ""));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("[possible values: text, json]"));
    let both = run(&root(), "check", &["examples/counter.mch", "--json", "--format", "text"]);
    assert_eq!(both.status.code(), Some(2));
}
