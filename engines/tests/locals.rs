//! Names that are read before they have a value: a failure in every engine, found and replayed.
#![cfg(feature = "z3")]

mod common;

use bsym_engines::verdict::{Engine, Verdict};
use bsym_semantics::scope::ScopeRequest;
use bsym_semantics::trace::Violation;
use common::*;

const ALL: &[Engine] = &[Engine::Bmc, Engine::Kind, Engine::Ic3, Engine::Check];
const PROVERS: &[Engine] = &[Engine::Kind, Engine::Ic3, Engine::Check];

/// Asserts that all engines find the same name read in vain after a number of events.
fn check_read(text: &str, name: &str, events: usize) {
    let model = model(text);
    let job = job(&model, &ScopeRequest::default());
    for &engine in ALL {
        let report = report(&job, engine);
        assert_eq!(answer(&report), format!("violated {events}"), "{engine:?}: {text}");
        let Verdict::Violated(found) = report.verdict else { unreachable!() };
        let message = found.violations.iter().find_map(|v| match v {
            Violation::IllDefined(e) => Some(e.message.clone()),
            _ => None,
        });
        let expected = format!("`{name}` is read before it has a value");
        assert_eq!(message, Some(expected), "{engine:?}: {text}");
    }
}

fn lamp(operations: &str) -> String {
    format!(
        "MACHINE Lamp VARIABLES on, times INVARIANT on : BOOL & times : 0..2 INITIALISATION on := FALSE || times := 0
         OPERATIONS {operations} END"
    )
}

#[test]
fn a_local_without_a_value_is_not_read() {
    check_read(&lamp("press = VAR old IN IF old = TRUE THEN on := FALSE ELSE on := TRUE END END"), "old", 1);
    let press = "press = VAR n IN IF on = FALSE THEN n := 1; on := TRUE END; times := n END";
    check_read(&lamp(press), "n", 2);
    let press = "press = VAR n IN CHOICE n := 1 OR skip END; times := n END";
    check_read(&lamp(press), "n", 1);
    let press = "press = VAR n IN n := 1; times := n; on := bool(n = 1) END";
    check(&lamp(press), PROVERS, "holds");
}

#[test]
fn a_result_without_a_value_is_not_read() {
    let ask = "press = on := TRUE; n <-- ask = BEGIN IF on = FALSE THEN n := 0 END; IF n = 1 THEN times := 5 END END";
    check_read(&lamp(ask), "n", 2);
    let ask = "press = on := TRUE; n <-- ask = BEGIN IF on = FALSE THEN n := 0 ELSE n := 2 END; IF n = 1 THEN times := 5 END END";
    check(&lamp(ask), PROVERS, "holds");
}

#[test]
fn a_relation_without_a_value_is_not_taken_for_a_function() {
    let press = "press = VAR r IN IF card(r) = 2 & r = {0 |-> 1, 0 |-> 2} THEN times := 7 ELSE r := {0 |-> 1} END END";
    check_read(&lamp(press), "r", 1);
    let press = "press = VAR r IN r := {0 |-> 1}; r := r \\/ {0 |-> 2}; times := card(r); r := [0] END";
    check(&lamp(press), PROVERS, "holds");
    check(&lamp(&press.replace("{0 |-> 2}", "{0 |-> 2, 0 |-> 3}")), ALL, "violated 1");
}

#[test]
fn a_variable_is_initialised_before_it_is_read() {
    let init = |init: &str| {
        format!(
            "MACHINE Pair VARIABLES a, b INVARIANT a : 0..1 & b : 0..1 INITIALISATION {init} OPERATIONS
             swap = BEGIN a := b || b := a END END"
        )
    };
    check_read(&init("a := b; b := 0"), "b", 0);
    check_read(&init("CHOICE b := 1 OR skip END; a := b; b := 0"), "b", 0);
    check(&init("b := 0; a := b"), PROVERS, "holds");
    check(&init("b :: 0..1; IF b = 0 THEN a := 1 END; IF b = 1 THEN a := 0 END"), PROVERS, "holds");
}
