//! Proofs for sets of any size by the strongest clauses of a small vocabulary.

use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverChoice;
use bsym_engines::contestant::opener;
use bsym_engines::options::Job;
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress, Verdict};
use bsym_language::load::load_text;
use bsym_language::print;
use bsym_proofs::claim::Property;
use bsym_semantics::scope::{Scope, ScopeRequest};

/// The lemmas of the proof of a machine, or its verdict where there is none.
fn lemmas(text: &str) -> Result<Vec<String>, String> {
    let model = Arc::new(load_text("m.mch", text).model.expect("the machine is right"));
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked of the scope");
    let properties = (0..model.invariant.len()).map(Property::Invariant).collect();
    let budget = Budget::unlimited().within(Duration::from_secs(120));
    let mut job = Job { well_definedness: true, ..Job::new(model, scope, properties, budget) };
    job.sharing.threads = 2;
    let report = run(&job, Engine::Ic3, &opener(SolverChoice::Default), &mut |_: &Progress| {});
    match report.verdict {
        Verdict::Holds(proof) => Ok(proof.claim.lemmas().map(|p| print::pred(&job.model, p)).collect()),
        Verdict::Violated(_) => Err("violated".into()),
        other => Err(format!("{other:?}")),
    }
}

/// What a client has received is what some request of it asks for: that it was answered so has a quantifier over
/// requests, which no lemma without an existential quantifier says.
fn post(answer: &str) -> String {
    format!(
        "MACHINE Post SETS CLIENT; REQUEST; RESPONSE CONSTANTS match PROPERTIES match : REQUEST <-> RESPONSE
        VARIABLES asked, answered, received
        INVARIANT asked : CLIENT <-> REQUEST & answered : CLIENT <-> RESPONSE & received : CLIENT <-> RESPONSE
          & !(c, p).(c |-> p : received => #r.(c |-> r : asked & r |-> p : match))
        INITIALISATION asked, answered, received := {{}}, {{}}, {{}}
        OPERATIONS
          ask(c, r) = SELECT c : CLIENT & r : REQUEST THEN asked := asked \\/ {{c |-> r}} END;
          answer(c, r, p) = SELECT {answer} & r |-> p : match THEN answered := answered \\/ {{c |-> p}} END;
          receive(c, p) = SELECT c |-> p : answered THEN received := received \\/ {{c |-> p}} END
        END"
    )
}

#[test]
fn a_property_with_another_relation_in_it_is_a_lemma() {
    let found = lemmas(&post("c |-> r : asked")).expect("it is proved");
    assert!(found.iter().any(|l| l.contains(": answered =>") && l.contains('#')), "{found:?}");
}

#[test]
fn a_fault_is_no_proof() {
    assert_eq!(lemmas(&post("c : CLIENT & r : ran(asked)")), Err("violated".into()));
}

#[test]
fn the_condition_of_an_event_stays_true_of_what_it_added() {
    let text = "MACHINE Votes SETS NODE; QUORUM; VALUE CONSTANTS member
        PROPERTIES member : NODE <-> QUORUM
          & !(q1, q2).(q1 : QUORUM & q2 : QUORUM => #n.(n |-> q1 : member & n |-> q2 : member))
        VARIABLES voted, vote, decided
        INVARIANT voted <: NODE & vote : NODE <-> VALUE & decided <: VALUE
          & !(v1, v2).(v1 : decided & v2 : decided => v1 = v2)
        INITIALISATION voted, vote, decided := {}, {}, {}
        OPERATIONS
          cast(n, v) = SELECT n : NODE & v : VALUE & n /: voted THEN
            vote := vote \\/ {n |-> v} || voted := voted \\/ {n}
          END;
          decide(v, q) = SELECT v : VALUE & q : QUORUM & !n.(n |-> q : member => n |-> v : vote) THEN
            decided := decided \\/ {v}
          END
        END";
    let found = lemmas(text).expect("it is proved");
    assert!(found.iter().any(|l| l.contains(": decided =>") && l.contains("#q")), "{found:?}");
}
