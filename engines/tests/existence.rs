//! A proof about a machine without states is no `holds`.
#![cfg(feature = "z3")]

mod common;

use std::sync::Arc;

use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress, Verdict};
use bsym_language::model::Model;
use bsym_semantics::scope::ScopeRequest;
use bsym_semantics::verdict::{Condition, ReasonCode};
use common::*;

const ALL: [Engine; 4] = [Engine::Bmc, Engine::Kind, Engine::Ic3, Engine::Check];
const PROVERS: [Engine; 3] = [Engine::Kind, Engine::Ic3, Engine::Check];

/// The proof of each engine says that nobody knows a state.
fn undecided(model: &Arc<Model>, engines: &[Engine]) {
    let job = job(model, &ScopeRequest::default());
    for &engine in engines {
        let report = run(&job, engine, &opener(open), &mut |_: &Progress| {});
        let said = answer(&report);
        let Verdict::Conditional(proof, conditions) = &report.verdict else { panic!("{engine:?}: {said}") };
        assert_eq!(report.verdict.reason_code(), Some(ReasonCode::ExistenceUndecided), "{engine:?}");
        assert!(matches!(conditions[..], [Condition::ExistenceUndecided(_)]), "{engine:?}");
        assert!(proof.checked.passed(), "{engine:?}");
    }
}

#[test]
fn axioms_without_a_term_do_not_vanish_from_the_question_whether_there_is_a_state() {
    let text =
        "MACHINE M SETS S CONSTANTS c PROPERTIES c <: S & SIGMA(x).(x : c | 1) > 9 & SIGMA(x).(x : c | 1) < 9
    VARIABLES v INVARIANT v : 0..1 INITIALISATION v := 0 OPERATIONS set = v := 1 END";
    undecided(&model(text), &PROVERS);
}

#[test]
fn axioms_without_a_term_may_be_satisfied_by_what_the_evaluator_finds() {
    let text = "MACHINE M SETS S CONSTANTS c PROPERTIES c <: S & SIGMA(x).(x : c | 1) > 2
    VARIABLES v INVARIANT v : 0..1 INITIALISATION v := 0 OPERATIONS set = v := 1 END";
    check(text, &PROVERS, "holds");
}

#[test]
fn what_the_evaluator_refutes_in_a_finite_machine_is_vacuous() {
    // Of pigeons and holes a solver knows nothing in any time.
    let constants = "MACHINE M CONSTANTS f PROPERTIES f : 0..8 >-> 1..8
    VARIABLES v INVARIANT v : 0..3 INITIALISATION v := 0
    OPERATIONS up = SELECT v < 3 THEN v := v + 1 END END";
    check(constants, &ALL, "vacuous");
    let initialisation = "MACHINE M VARIABLES v INVARIANT v : 0..3
    INITIALISATION ANY f WHERE f : 0..8 >-> 1..8 THEN v := f(0) END
    OPERATIONS up = SELECT v < 3 THEN v := v + 1 END END";
    check(initialisation, &ALL, "vacuous");
}

#[test]
fn what_the_evaluator_refutes_in_some_sizes_only_is_not_vacuous() {
    let text = "MACHINE M SETS S CONSTANTS f PROPERTIES f : NATURAL >-> S
    VARIABLES v INVARIANT v : 0..3 INITIALISATION v := 0
    OPERATIONS up = SELECT v < 3 THEN v := v + 1 END END";
    undecided(&model(text), &[Engine::Check]);
}

#[test]
fn a_machine_without_initial_states_has_no_longest_path() {
    let text = "MACHINE M VARIABLES v INVARIANT v : 0..3
    INITIALISATION ANY p WHERE p : 5..9 & p < 5 THEN v := p END
    OPERATIONS up = SELECT v < 3 THEN v := v + 1 END END";
    check(text, &ALL, "vacuous");
}

#[test]
fn an_initialisation_that_fails_is_no_reason_to_be_vacuous() {
    let text = "MACHINE M VARIABLES v INVARIANT v : 0..3 INITIALISATION v := 1 / 0
    OPERATIONS up = SELECT v < 3 THEN v := v + 1 END END";
    check(text, &ALL, "violated 0");
}

#[test]
fn axioms_without_a_meaning_under_some_values_are_a_condition_of_the_proof() {
    let text = "MACHINE M CONSTANTS c PROPERTIES c : 0..3 & 6 / c > 1
    VARIABLES v INVARIANT v : 0..1 INITIALISATION v := 0 OPERATIONS set = v := 1 END";
    let model = model(text);
    let job = job(&model, &ScopeRequest::default());
    for engine in PROVERS {
        let report = run(&job, engine, &opener(open), &mut |_: &Progress| {});
        let said = answer(&report);
        let Verdict::Conditional(_, conditions) = &report.verdict else { panic!("{engine:?}: {said}") };
        assert_eq!(report.verdict.reason_code(), Some(ReasonCode::IllDefined), "{engine:?}");
        assert!(
            matches!(&conditions[..], [Condition::Axioms(which)] if which.contains("6 / c > 1")),
            "{said}"
        );
    }
    // Where the axioms before exclude such values nothing is left open.
    check(&text.replace("c : 0..3", "c : 1..3"), &PROVERS, "holds");
}

#[test]
fn a_proof_carries_its_first_state() {
    let text = "MACHINE M SETS S CONSTANTS c PROPERTIES c <: S & c /= {}
    VARIABLES v INVARIANT v <: c INITIALISATION v :: POW(c) OPERATIONS clear = v := {} END";
    let model = model(text);
    let job = job(&model, &ScopeRequest::default());
    for engine in PROVERS {
        let report = run(&job, engine, &opener(open), &mut |_: &Progress| {});
        let Verdict::Holds(proof) = &report.verdict else { panic!("{engine:?}: {}", answer(&report)) };
        let trace = proof.witness.as_ref().expect("a plain `holds` is about something");
        assert_eq!(trace.steps.len(), 1, "{engine:?}");
        let witness = bsym_proofs::witness::Witness::new(&model, &job.scope, trace);
        assert_eq!(witness.replay(&model, &job.scope, &job.budget), Ok(()), "{engine:?}");
        assert_eq!(witness.sizes.len(), 1, "{engine:?}: the size of S is open");
        let mut other = witness.clone();
        other.constants.insert("c".into(), "{}".into());
        assert!(other.replay(&model, &job.scope, &job.budget).is_err(), "{engine:?}");
        let fixed = bsym_semantics::scope::Scope::settle(
            &model,
            &ScopeRequest { sizes: [("S".to_string(), 9)].into(), ..ScopeRequest::default() },
        );
        let fixed = fixed.expect("a scope");
        assert!(witness.replay(&model, &fixed, &job.budget).is_err(), "the claim says how large S is");
    }
}

#[test]
fn sets_of_integers_that_nothing_confines_have_values_near_zero() {
    // The solver's sets are infinite, and the first of the evaluator's have too many subsets.
    let text = "MACHINE M CONSTANTS likes, king, people
    PROPERTIES people <: NATURAL & king : people & likes : (people - {king}) <-> people
        & likes~[{king}] = people - {king} & likes /\\ id(INTEGER) = {}
    VARIABLES found INVARIANT found : people INITIALISATION found :: people OPERATIONS see = found := king END";
    check(text, &PROVERS, "holds");
}
