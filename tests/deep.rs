//! Violations behind millions of steps: found, with the rounds that a trace leaves out, replayed, and exported.

mod common;

use common::{file, has_solver, run};
use serde_json::Value as Json;

const TANK: &str = "MACHINE Tank SETS MODE = {fill, drain} VARIABLES level, mode, alarm
    INVARIANT level : INTEGER & mode : MODE & alarm : BOOL & alarm = FALSE
    INITIALISATION level, mode, alarm := 0, fill, FALSE
    OPERATIONS add = SELECT mode = fill & level < 900 THEN level := level + 3 END;
      full = SELECT mode = fill & level >= 900 THEN mode := drain END;
      leak = SELECT mode = drain & level > 1 THEN level := level - 2 END;
      empty = SELECT mode = drain & level <= 1 THEN mode := fill || alarm := TRUE END END";

fn answer(command: &str, machine: &std::path::Path, arguments: &[&str]) -> Json {
    common::answer("result", command, machine, arguments).1
}

fn shown(answer: &Json) -> Vec<(String, Option<(u64, String)>)> {
    let steps = answer["trace"].as_array().expect("a trace");
    let repeated = |step: &Json| {
        let repeated = step.get("repeated")?;
        Some((repeated["steps"].as_u64()?, repeated["rounds"].as_str()?.to_owned()))
    };
    steps.iter().map(|step| (step["event"].as_str().unwrap_or_default().into(), repeated(step))).collect()
}

#[test]
fn a_violation_after_two_thousand_million_steps_is_found() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let speed = file(
        folder.path(),
        "Speed.mch",
        "MACHINE Speed VARIABLES v INVARIANT v : NAT INITIALISATION v := 0 OPERATIONS faster = v := v + 1 END",
    );
    for command in ["check", "bmc", "kind", "ic3"] {
        let answer = answer(command, &speed, &["--timeout", "60s"]);
        assert_eq!(answer["verdict"], "violated", "{command}");
        let round = Some((1, "2147483646".to_owned()));
        let expected = [("INITIALISATION", None), ("faster", None), ("faster", round)];
        assert_eq!(shown(&answer), expected.map(|(event, round)| (event.to_owned(), round)), "{command}");
    }
    let text = run("check", &speed, &["--timeout", "60s"]);
    let text = String::from_utf8_lossy(&text.stdout);
    assert!(text.contains("after 2147483648 events"), "{text}");
    assert!(text.contains("… the last step, 2147483646 more times …\n  2147483648  faster"), "{text}");
    let page = folder.path().join("speed.html");
    run("bmc", &speed, &["--timeout", "60s", "--html", page.to_str().expect("a name")]);
    let page = std::fs::read_to_string(page).expect("a page");
    for part in [
        "<caption>2147483648 events",
        "data-number=\"2147483648\"",
        "… the last step, 2147483646 more times …",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // A limit to the depth is one of the whole trace.
    let limited = answer("bmc", &speed, &["--depth", "20", "--timeout", "60s"]);
    assert_eq!(limited["verdict"], "unknown");
}

#[test]
fn phases_and_turns_are_behind_each_other() {
    if !has_solver() {
        return;
    }
    for name in ["Tank", "Drift", "Chase", "Watchdog", "Budget", "Stairs", "Residue", "Odometer"] {
        let machine = std::path::PathBuf::from(format!("benches/loops/{name}.mch"));
        let answer = answer("check", &machine, &["--timeout", "60s"]);
        assert_eq!(answer["verdict"], "violated", "{name}");
        assert!(
            shown(&answer).iter().any(|(_, repeated)| repeated.is_some()),
            "{name}: {:?}",
            shown(&answer)
        );
    }
}

#[test]
fn a_trace_that_leaves_rounds_out_is_replayed_and_exported() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let tank = file(folder.path(), "Tank.mch", TANK);
    let trace = |name: &str| folder.path().join(name);
    for name in ["tank.json", "tank.itf.json", "tank.prob2trace"] {
        let path = trace(name);
        let answer = answer("bmc", &tank, &["--timeout", "60s", "--trace", path.to_str().expect("a name")]);
        assert_eq!(answer["verdict"], "violated");
    }
    let own = std::fs::read_to_string(trace("tank.json")).expect("a trace");
    let mut own: Json = serde_json::from_str(&own).expect("JSON");
    let replay = |name: &str| run("replay", &trace(name), &[tank.to_str().expect("a name")]);
    assert_eq!(replay("tank.json").status.code(), Some(0), "{own:#}");
    // A session that begins with the trace writes it as it was; of one that fails it keeps what is possible.
    let animate = |name: &str, commands: &str| {
        let load = trace(name).display().to_string();
        let said = file(folder.path(), "commands", commands);
        let said = std::fs::File::open(said).expect("the commands");
        let mut command = common::bsym();
        let output = command.arg("animate").arg(&tank).args(["--load", &load]).stdin(said).output();
        String::from_utf8_lossy(&output.expect("it runs").stdout).into_owned()
    };
    let saved = trace("saved.json").display().to_string();
    animate("tank.json", &format!("save {saved}\n"));
    assert_eq!(replay("saved.json").status.code(), Some(0));
    // All 300 + 1 + 450 + 1 steps.
    let itf = std::fs::read_to_string(trace("tank.itf.json")).expect("a trace");
    let itf: Json = serde_json::from_str(&itf).expect("JSON");
    assert_eq!(itf["states"].as_array().map(Vec::len), Some(753));
    let prob = std::fs::read_to_string(trace("tank.prob2trace")).expect("a trace");
    assert_eq!(prob.matches("\"name\": \"leak\"").count(), 450);

    // One round more is not possible: the guard ends the cycle.
    let repeated =
        own["steps"].as_array_mut().expect("steps").iter_mut().find(|s| s.get("repeated").is_some());
    let repeated = repeated.expect("rounds that are left out");
    let rounds: i64 = repeated["repeated"]["rounds"].as_str().and_then(|n| n.parse().ok()).expect("a number");
    for (more, expected) in [(1, "`changed`"), (1_000_000, "can be repeated"), (-rounds, "step 2")] {
        let mut wrong = own.clone();
        let steps = wrong["steps"].as_array_mut().expect("steps");
        let step = steps.iter_mut().find(|s| s.get("repeated").is_some()).expect("it");
        step["repeated"]["rounds"] = (rounds + more).to_string().into();
        std::fs::write(trace("wrong.json"), wrong.to_string()).expect("a file");
        let output = replay("wrong.json");
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "{text}");
        assert!(text.contains(expected), "{more}: {text}");
        if more == 1_000_000 {
            let text = animate("wrong.json", "");
            assert!(text.contains("replayed 1 of ") && text.contains("stopped: step 2"), "{text}");
        }
    }
}
