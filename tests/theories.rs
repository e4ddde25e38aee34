//! Conditions of operators of theories, whatever file the theory comes from.

mod common;

use common::{assert_valid, bsym, has_solver, json, root};
use serde_json::Value as Json;

fn result(command: &str, file: &str) -> Json {
    let path = root().join("language/tests/eventb/Ration").join(file);
    let output =
        bsym().arg(command).arg(&path).args(["--json", "--timeout", "60"]).output().expect("it runs");
    let object = json(&output);
    assert_valid("result", &object);
    object
}

/// Checks that a project of Rodin and a package give the same answer, from `mc` and from the engines.
fn check(machine: &str, commands: &[&str], expected: &dyn Fn(&Json, &str)) {
    let engines = has_solver();
    for file in [format!("{machine}.bum"), format!("{}.eventb", machine.to_lowercase())] {
        for command in commands.iter().filter(|c| **c == "mc" || engines) {
            let object = result(command, &file);
            expected(&object, &format!("{command} {file}: {object:#}"));
        }
    }
}

fn outside(events: usize, text: &'static str, message: &'static str) -> impl Fn(&Json, &str) {
    move |object, said| {
        assert_eq!((&object["verdict"], &object["property"]), (&"violated".into(), &"wd".into()), "{said}");
        assert_eq!(object["trace"].as_array().map(Vec::len), Some(events + 1), "{said}");
        let violated = &object["violated"][0];
        assert_eq!((&violated["text"], &violated["message"]), (&text.into(), &message.into()), "{said}");
    }
}

const ALL: [&str; 5] = ["mc", "bmc", "kind", "ic3", "check"];

#[test]
fn a_direct_operator_outside_of_its_condition_is_ill_defined() {
    check("Halved", &ALL, &outside(4, "x > 0", "operator half is used outside of its condition"));
}

#[test]
fn a_predicate_outside_of_its_condition_is_ill_defined() {
    check("Evened", &ALL, &outside(2, "x > 0", "operator even is used outside of its condition"));
}

/// Free types have no encoding, so only the search decides.
#[test]
fn an_operator_by_cases_outside_of_its_condition_is_ill_defined() {
    let message = "operator foremost is used outside of its condition";
    check("Popped", &["mc"], &outside(2, "c /= stop", message));
}

#[test]
fn an_operator_under_its_condition_is_no_obstacle() {
    check("Guarded", &["mc", "kind", "ic3", "check"], &|object, said| {
        assert_eq!(object["verdict"], "holds", "{said}");
    });
}
