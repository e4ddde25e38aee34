//! Claims that are wrong, held against the evaluator: each has to be contradicted where it is wrong, and none
//! that is right.
#![cfg(feature = "z3")]

mod common;

use bsym_engines::walk::{Broken, Contradiction, Question, Walked, walk};
use bsym_language::load::check_predicate;
use bsym_language::model::Model;
use bsym_proofs::claim::{Claim, Evidence, Property};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use common::*;

fn inductive(model: &Model, lemmas: &[&str]) -> Evidence {
    let mut model = model.clone();
    let lemmas = lemmas.iter().map(|l| check_predicate(&mut model, l).expect("the lemma is right")).collect();
    Evidence::Inductive { lemmas }
}

/// The claim that the invariant, the assertions and well-definedness hold, for this evidence.
fn claim(model: &Model, evidence: Evidence) -> Claim {
    let conjuncts: Vec<usize> = (0..model.invariant.len()).collect();
    let mut properties: Vec<Property> = conjuncts.iter().map(|&i| Property::Invariant(i)).collect();
    properties.extend((0..model.assertions.len()).map(Property::Assertion));
    Claim { properties, conjuncts, well_definedness: true, layouts: vec![], evidence }
}

fn walked(text: &str, claims: impl Fn(&Model) -> Claim) -> Result<Walked, Box<Contradiction>> {
    let model = model(text);
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("the scope is right");
    let claim = claims(&model);
    let ask = |seed| walk(&Question { model: &model, scope: &scope, claim: &claim, seed, interrupt: None });
    assert_eq!(ask(7), ask(7), "the same seed gives the same walk");
    ask(0)
}

fn contradicted(text: &str, claims: impl Fn(&Model) -> Claim) -> Contradiction {
    *walked(text, claims).expect_err("the claim is wrong")
}

/// A counter that runs to a limit.
const LAMP: &str = "MACHINE Lamp VARIABLES on, age INVARIANT on : BOOL & age : 0..9
INITIALISATION on, age := FALSE, 0
OPERATIONS flip = SELECT age < 9 THEN on := bool(on = FALSE) || age := age + 1 END END";

#[test]
fn a_right_claim_is_walked() {
    let walked = walked(LAMP, |m| claim(m, inductive(m, &["age /= 10"]))).expect("the claim is right");
    assert!(walked.states > 10 && walked.steps >= 9, "{walked:?}");
    assert!(walked.from_invariant > 0, "{walked:?}");
}

#[test]
fn a_conjunct_that_is_violated_in_a_reachable_state() {
    let found =
        contradicted(&LAMP.replace("age < 9", "age < 10"), |m| claim(m, Evidence::Diameter { depth: 20 }));
    assert!(!found.from_invariant);
    assert_eq!(found.trace.steps.len(), 11);
    assert_eq!(found.broken, [Broken::Violation(Violation::Invariant(vec![1]))]);
}

#[test]
fn a_lemma_that_is_false_in_a_reachable_state() {
    let found = contradicted(LAMP, |m| claim(m, inductive(m, &["age < 20", "age < 5"])));
    assert_eq!(found.broken, [Broken::Lemma(1)]);
}

#[test]
fn a_step_out_of_an_invariant_that_no_reachable_state_takes() {
    let odd = "MACHINE Odd VARIABLES n INVARIANT n : NATURAL & n /= 51 INITIALISATION n := 0
        OPERATIONS up = n := n + 2 END";
    let found = contradicted(odd, |m| claim(m, inductive(m, &[])));
    assert!(found.from_invariant, "{found:?}");
    assert_eq!(found.broken, [Broken::Violation(Violation::Invariant(vec![1]))]);
    // With two steps of induction it is not yet proved either, with the lemma it is.
    contradicted(odd, |m| claim(m, Evidence::KInduction { k: 2, lemmas: vec![] }));
    walked(odd, |m| claim(m, inductive(m, &["n mod 2 = 0"]))).expect("the claim is right");
}

#[test]
fn the_states_of_an_induction_over_several_steps_may_be_followed_by_a_bad_one() {
    // From 4 one step leads to 5; nothing leads to 4.
    let text = "MACHINE Jump VARIABLES n INVARIANT n : 0..9 & n /= 5 INITIALISATION n := 0
        OPERATIONS up = SELECT n : {0, 1, 4, 5} THEN n := n + 1 END END";
    walked(text, |m| claim(m, Evidence::KInduction { k: 1, lemmas: vec![] })).expect("the claim is right");
    contradicted(text, |m| claim(m, inductive(m, &[])));
}

#[test]
fn a_path_that_is_longer_than_the_diameter() {
    walked(LAMP, |m| claim(m, Evidence::Diameter { depth: 10 })).expect("the claim is right");
    let found = contradicted(LAMP, |m| claim(m, Evidence::Diameter { depth: 9 }));
    assert_eq!(found.broken, [Broken::Diameter(9)]);
}

#[test]
fn failures_of_steps_and_of_other_properties() {
    let text = "MACHINE Stock VARIABLES left, price INVARIANT left : 0..4 & price : NATURAL
        ASSERTIONS left * price >= 0 INITIALISATION left, price := 4, 12
        OPERATIONS take = SELECT left > 0 THEN left := left - 1 || price := 12 / left END END";
    walked(text, |m| claim(m, inductive(m, &[]))).expect("the claim is right");
    let wd = text.replace("left > 0 THEN left := left - 1", "left >= 0 THEN left := max({left - 1, 0})");
    let found = contradicted(&wd, |m| claim(m, inductive(m, &[])));
    assert!(matches!(found.broken[..], [Broken::Violation(Violation::IllDefined(_))]), "{found:?}");
    let unclaimed = |m: &Model| Claim { well_definedness: false, ..claim(m, inductive(m, &[])) };
    walked(&wd, unclaimed).expect("well-definedness is not claimed");
    let asserted = text.replace("price := 12 / left", "price := 12 / left; ASSERT left /= 2 THEN skip END");
    let asserted = asserted.replace("left - 1 ||", "left - 1;").replace("12 / left", "left");
    let found = contradicted(&asserted, |m| claim(m, inductive(m, &[])));
    assert!(matches!(found.broken[..], [Broken::Violation(Violation::Assert(_))]), "{found:?}");
    let assertion = text.replace("left * price >= 0", "left /= 1");
    let found = contradicted(&assertion, |m| claim(m, inductive(m, &[])));
    assert_eq!(found.broken, [Broken::Violation(Violation::Assertions(vec![0]))]);
    let deadlock = |m: &Model| {
        let mut claim = claim(m, inductive(m, &[]));
        claim.properties.push(Property::DeadlockFree);
        claim
    };
    let found = contradicted(text, deadlock);
    assert_eq!(found.broken, [Broken::Violation(Violation::Deadlock)]);
}

#[test]
fn a_claim_about_sets_of_any_size_is_walked_with_several() {
    let text = "MACHINE Door SETS USERS CONSTANTS guest PROPERTIES guest : USERS
        VARIABLES inside INVARIANT inside <: USERS & GOOD INITIALISATION inside := {}
        OPERATIONS enter = SELECT inside = {} THEN inside := {guest} END END";
    for (good, size) in [("(card(USERS) = 3 => inside = {})", 3), ("inside /= USERS", 1)] {
        let found = contradicted(&text.replace("GOOD", good), |m| claim(m, inductive(m, &[])));
        assert_eq!(found.trace.scope.sizes.into_values().collect::<Vec<_>>(), [size]);
    }
}

#[test]
fn a_set_that_the_axioms_count_has_that_size() {
    let text = "MACHINE Week SETS DAYS CONSTANTS sunday PROPERTIES card(DAYS) = 7 & sunday : DAYS
        VARIABLES free INVARIANT free <: DAYS & card(free) < 3 INITIALISATION free := {}
        OPERATIONS rest = SELECT free = {} THEN free := {sunday} END END";
    let walked = walked(text, |m| claim(m, inductive(m, &["free = {} or sunday : free"]))).expect("right");
    assert!(walked.states > 1, "{walked:?}");
}

#[test]
fn constants_are_those_that_the_axioms_allow() {
    let text = "MACHINE Cap CONSTANTS top PROPERTIES top : NATURAL & top > 3
        VARIABLES n INVARIANT n : NATURAL & n <= top INITIALISATION n := 0
        OPERATIONS up(d) = PRE d : NATURAL & n + d <= top THEN n := n + d END END";
    let walked = walked(text, |m| claim(m, inductive(m, &[]))).expect("the claim is right");
    assert!(walked.states > 3, "{walked:?}");
    contradicted(&text.replace("n + d <= top", "n + d <= top + 1"), |m| claim(m, inductive(m, &[])));
}

#[test]
fn a_model_that_cannot_be_walked_gives_no_states_and_no_contradiction() {
    let text = "MACHINE Far CONSTANTS f PROPERTIES f : NATURAL --> NATURAL & !x.(x : NATURAL => f(x) > x)
        VARIABLES n INVARIANT n : NATURAL INITIALISATION n := f(0)
        OPERATIONS up = n := f(n) END";
    let walked = walked(text, |m| claim(m, inductive(m, &[]))).expect("nothing can be said against it");
    assert_eq!((walked.states, walked.steps), (0, 0));
    assert!(walked.skipped > 0);
}

#[test]
fn what_the_assignments_show_of_a_variable_is_part_of_the_claim() {
    // No lemma says that the table is total: nothing else is ever assigned to it.
    let text = "MACHINE Table SETS D CONSTANTS c PROPERTIES c : D VARIABLES table, at INVARIANT table : D +-> D & at : D
        INITIALISATION table := D * {c} || at := c
        OPERATIONS look(p) = PRE p : D THEN at := table(p) END END";
    let total = |m: &Model| {
        let layout = check_predicate(&mut m.clone(), "table : D --> D").expect("it is B");
        Claim { layouts: vec![layout], ..claim(m, inductive(m, &[])) }
    };
    let walked = walked(text, total).expect("the claim is right");
    assert!(walked.steps > 0, "{walked:?}");
    // Where nobody says so it is a claim about the partial functions, too.
    contradicted(text, |m| claim(m, inductive(m, &[])));
    // And where something else is assigned, it is wrong to say so.
    let text = text.replace("END END", "END; forget(p) = PRE p : D THEN table := {p} <<| table END END");
    let found = contradicted(&text, total);
    assert_eq!(found.broken, [Broken::Lemma(0)]);
}
