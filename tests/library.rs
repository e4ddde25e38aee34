//! The library says what the program says.

mod common;

use bsym::{Conclusion, Question};
use common::{bsym, has_solver, json, root};

#[test]
fn the_library_agrees_with_the_program() {
    if !has_solver() {
        return;
    }
    for name in ["lift.mch", "library.mch", "vending.mch"] {
        let path = root().join("examples").join(name);
        let machine = bsym::load(&path).expect("it is right");
        let question = Question::default();
        let run = |command: &str, more: &[&str]| {
            let output = bsym().arg(command).arg(&path).args(more).arg("--json").output().expect("it runs");
            json(&output)
        };
        let word = |verdict: &Conclusion| match verdict {
            Conclusion::Holds => "holds",
            Conclusion::Violated(_) => "violated",
            Conclusion::Vacuous(_) => "vacuous",
            Conclusion::Unknown(_) => "unknown",
        };
        let answer = bsym::check(&machine, &question).expect("it fits");
        assert_eq!(run("check", &["--prop", "inv"])["verdict"], word(&answer.verdict), "{name}: {answer:?}");
        let answer = bsym::mc(&machine, &question).expect("it fits");
        let program = run("mc", &["--prop", "inv", "--scope", "prob"]);
        assert_eq!(program["verdict"], word(&answer.verdict), "{name}: {answer:?}");
        assert_eq!(program["states"].as_u64(), answer.states.map(|n| n as u64), "{name}");
        let obligations = bsym::po(&machine, &question).expect("it fits");
        let program = run("po", &["--no-proofs"]);
        let mut known: Vec<&str> = program["obligations"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|o| o["source"]["name"].as_str())
            .collect();
        let mut names: Vec<&str> = obligations.iter().map(|o| o.name.as_str()).collect();
        known.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, known, "{name}");
    }
}

#[test]
fn mistakes_are_errors_with_their_place() {
    let path = root().join("tests/machines/no_such_machine.mch");
    assert!(bsym::load(&path).unwrap_err().to_string().contains("no such file"));
    let text = "MACHINE M SETS S VARIABLES x INVARIANT x : S INITIALISATION x :: S END";
    let machine = bsym::Machine::from_text("M.mch", text).expect("it is right");
    let sizes = [("T".to_string(), 2)].into();
    let wrong = bsym::mc(&machine, &Question { sizes, ..Question::default() }).unwrap_err();
    assert!(matches!(wrong, bsym::Error::Scope(_)), "{wrong}");
    let explorer = bsym::explore(&machine, &Question::default()).expect("it fits");
    let state = explorer.initial_states().expect("they can be listed").remove(0);
    assert!(matches!(explorer.eval(&state, "x +"), Err(bsym::Error::Rejected(_))));
    assert!(matches!(explorer.eval(&state, "1 / 0"), Err(bsym::Error::NoValue(_))));
}
