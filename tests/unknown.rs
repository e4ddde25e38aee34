//! `unknown` names commands worth trying; they exist, and ask something else.

mod common;

use common::{bsym, has_solver, run};

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
