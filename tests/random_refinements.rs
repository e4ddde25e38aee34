//! Random refinements, some of them wrong: the answer of `refine` is compared with tables.
//!
//! `BSYM_MACHINES=5000 cargo test --release --test random_refinements -- --nocapture` checks more of them,
//! `BSYM_FIRST_MACHINE=N` begins at another one.

mod common;
#[path = "random_refinements/draw.rs"]
mod draw;
#[path = "random_refinements/semantics.rs"]
mod semantics;

use std::collections::BTreeMap;

use common::{bsym, file, json, number};
use draw::Draw;
use semantics::{Fault, faults};
use serde_json::Value as Json;

/// Returns the content of an answer of `refine` without its reasons: the number of steps before the fault and the
/// fault, if there is one. `None` where the answer is undecided.
fn said(answer: &Json) -> Option<Option<(usize, Fault)>> {
    match answer["verdict"].as_str().unwrap() {
        "holds" => return Some(None),
        "violated" => {}
        _ => return None,
    }
    let found = &answer["counterexample"];
    let event = || found["event"].as_str().unwrap().to_string();
    let (fault, more) = match found["kind"].as_str().unwrap() {
        "initialisation" => (Fault::Initialisation, 1),
        "precondition" => (Fault::Precondition(event()), 1),
        "abort" => (Fault::Abort(event()), 2),
        "step" => (Fault::Step(event()), 2),
        other => panic!("{other}"),
    };
    Some(Some((found["trace"].as_array().unwrap().len() - more, fault)))
}

#[test]
fn refine_says_what_tables_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = number("BSYM_FIRST_MACHINE").unwrap_or(0);
    let machines = number("BSYM_MACHINES").unwrap_or(24);
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for n in first..first + machines {
        let (abstraction, refinement) = Draw(fastrand::Rng::with_seed(n)).levels();
        let above = abstraction.text("MACHINE Above", None);
        let below = refinement.text("REFINEMENT Below REFINES Above", Some(&abstraction));
        file(folder.path(), "Above.mch", &above);
        let path = file(folder.path(), "Below.ref", &below);
        let (steps, expected) = faults(&abstraction, &refinement);
        let show =
            |answer: &Json| format!("{n}: after {steps} steps {expected:?}\n{above}\n{below}\n{answer:#}");
        let mut count = |what: String| *seen.entry(what).or_default() += 1;
        for (command, limit) in [("refine", "20"), ("check", "3")] {
            let output = bsym().arg(command).arg(&path).args(["--json", "--timeout", limit]).output();
            let output = output.expect("it runs");
            let answer = json(&output);
            if command == "check" {
                // The questions may be answered in any order.
                let verdict = answer["verdict"].as_str().unwrap();
                assert!(verdict != "holds" || expected.is_empty(), "{command} {}", show(&answer));
                count(format!("check: {verdict}, {}", if expected.is_empty() { "right" } else { "wrong" }));
                continue;
            }
            match said(&answer) {
                None => {
                    count(format!("refine: {} for one that is {}", answer["reason"]["code"], expected.len()))
                }
                Some(None) => {
                    assert!(expected.is_empty(), "{}", show(&answer));
                    count("refine: holds".into());
                }
                Some(Some((after, fault))) => {
                    assert!(expected.contains(&fault) && after == steps, "{}", show(&answer));
                    let kind = format!("{fault:?}");
                    count(format!("refine: {} after {steps}", kind.split('(').next().unwrap()));
                }
            }
        }
    }
    for (what, n) in &seen {
        println!("{n:5}  {what}");
    }
}
