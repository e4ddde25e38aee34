//! `unknown` names commands worth trying; they exist, and ask a different question.

mod common;

use common::{answer, bsym, file, has_solver, run};

fn suggested(command: &str, machine: &str, arguments: &[&str]) -> Vec<Vec<String>> {
    let output = run(command, std::path::Path::new(machine), arguments);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().skip_while(|line| !line.starts_with("next:")).skip(1);
    let commands = lines.filter_map(|line| line.strip_prefix("  bsym ")?.split("   ").next());
    commands.map(|line| line.split_whitespace().map(String::from).collect()).collect()
}

#[test]
fn commands_worth_trying_are_commands() {
    if !has_solver() {
        return;
    }
    for (command, machine, arguments) in [
        ("bmc", "examples/counter.mch", &["-k", "2"] as &[&str]),
        ("mc", "examples/lift.mch", &[]),
        ("check", "examples/lift.mch", &["--timeout", "100ms"]),
    ] {
        let all = suggested(command, machine, arguments);
        assert!((1..=3).contains(&all.len()), "{command}: {all:?}");
        for words in all {
            assert!(words.contains(&machine.to_string()), "{words:?}");
            let ran: Vec<&str> = [command, machine].into_iter().chain(arguments.iter().copied()).collect();
            assert_ne!(words, ran);
            let timed = words.iter().any(|w| w == "--timeout");
            let more: &[&str] = if timed { &[] } else { &["--timeout", "200ms"] };
            if words.contains(&"10s".to_string()) {
                continue; // The same with more time.
            }
            let exit = bsym().args(&words).args(more).output().expect("it runs").status.code();
            assert!(matches!(exit, Some(0 | 1 | 3)), "{words:?}: {exit:?}");
        }
    }
}

const COUNT: &str = "MACHINE Count VARIABLES v, w INVARIANT v : NAT & w : 0..2 INITIALISATION v, w := 0, 0
OPERATIONS more = SELECT v * v >= 0 THEN v := v + 1 END; turn = w := (w + 1) mod 3 END";

/// An integer that is counted up leaves NAT after MAXINT steps, under a guard that keeps the rounds from being counted: small integers come first among what is worth trying.
#[test]
fn small_integers_are_suggested_where_an_overflow_is_far() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machine = file(folder.path(), "Count.mch", COUNT);
    let path = machine.display().to_string();
    for command in ["check", "kind", "ic3", "bmc"] {
        let all = suggested(command, &path, &["--timeout", "2s"]);
        let first = all.first().unwrap_or_else(|| panic!("{command} suggests nothing"));
        assert_eq!(first[first.len() - 2..], ["--maxint", "10"], "{command}: {all:?}");
        assert_eq!(all[1][0], "mc", "{command}: {all:?}");
        let text = String::from_utf8_lossy(&run(command, &machine, &["--timeout", "1s"]).stdout).into_owned();
        assert!(text.contains("next: --maxint 10 "), "{command}: {text}");
    }
    for (command, more) in [("check", &["--maxint", "10"][..]), ("mc", &[])] {
        let (code, object) = answer("result", command, &machine, more);
        assert_eq!(code, Some(1), "{command}: {object:#}");
    }
    // Where nothing depends on MAXINT, the answer does not mention it.
    let text =
        COUNT.replace("NAT ", "NATURAL ").replace("v + 1", "v + w").replace("0..2", "0..2 & v /= 777777");
    let other = file(folder.path(), "Other.mch", text);
    let text = String::from_utf8_lossy(&run("bmc", &other, &["-k", "2"]).stdout).into_owned();
    assert!(text.contains("next:") && !text.contains("--maxint"), "{text}");
}

/// Both ends of a long path are shown, and all of it in JSON and with -v.
#[test]
fn the_middle_of_a_long_path_is_left_out() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        "MACHINE Far VARIABLES v INVARIANT v : NAT INITIALISATION v := 0 OPERATIONS more = v := v + 1 END";
    let machine = file(folder.path(), "Far.mch", text);
    let limit = ["-k", "9"];
    let (_, object) = answer("result", "kind", &machine, &limit);
    let steps = object["counterexample_to_induction"]["trace"].as_array().map_or(0, Vec::len);
    assert!(steps >= 9, "{object:#}");
    let said = |more: &[&str]| {
        let output = run("kind", &machine, &[&limit[..], more].concat());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = said(&[]);
    assert!(text.contains(&format!("… {} steps …", steps - 4)), "{text}");
    assert_eq!(text.matches("  more\n").count(), 3, "{text}");
    let whole = said(&["-v"]);
    assert_eq!(whole.matches("  more\n").count(), steps - 1, "{whole}");
}

#[test]
fn a_limit_that_allows_nothing_is_not_suggested_again() {
    if !has_solver() {
        return;
    }
    let all = suggested("check", "examples/lift.mch", &["--memory", "1K"]);
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(!all[0].contains(&"1K".to_string()) && all[0].contains(&"--memory".to_string()), "{all:?}");
}
