//! Proofs about sets of any size that follow from how relations are composed: engines find them in first-order logic.
#![cfg(feature = "z3")]

mod common;

use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_engines::options::Job;
use bsym_engines::verdict::{Engine, Verdict};
use bsym_semantics::scope::ScopeRequest;
use bsym_semantics::verdict::Reason;
use common::*;

/// Blocks of a railway are reserved, each for one route.
const ROUTES: &str = "MACHINE routes SETS BLOCK; ROUTE CONSTANTS parts PROPERTIES parts : BLOCK <-> ROUTE
    VARIABLES reserved, blocks, serves
    INVARIANT reserved <: ROUTE & blocks <: BLOCK & serves : blocks --> reserved & serves <: parts &
      !(a, b).(a : blocks & b : blocks & serves(a) = serves(b) => parts~[{serves(a)}] = parts~[{serves(b)}])
    INITIALISATION reserved := {} || blocks := {} || serves := {}
    OPERATIONS
      reserve(r) = SELECT r : ROUTE & r /: reserved & parts~[{r}] /\\ blocks = {} THEN
        reserved := reserved \\/ {r} || blocks := blocks \\/ parts~[{r}] || serves := serves \\/ (parts |> {r}) END;
      release(b) = SELECT b : blocks THEN blocks := blocks - {b} || serves := {b} <<| serves END;
      cancel(r) = SELECT r : reserved & r /: serves[blocks] THEN reserved := reserved - {r} END;
      clear(r) = SELECT r : reserved THEN
        blocks := blocks - serves~[{r}] || serves := serves |>> {r} || reserved := reserved - {r} END
    END";

#[test]
fn reservations_stay_functions_for_any_number_of_blocks() {
    let model = model(ROUTES);
    let job = Job {
        budget: Budget::unlimited().within(Duration::from_secs(60)),
        ..job(&model, &ScopeRequest::default())
    };
    let report = report(&job, Engine::Ic3);
    let Verdict::Holds(proof) = &report.verdict else { panic!("{}", answer(&report)) };
    assert!(proof.checked.in_first_order > 0, "{:?}", proof.checked);
}

#[test]
fn a_bounded_search_goes_on_where_every_step_is_proved() {
    let model = model(ROUTES);
    let budget = Budget::unlimited().within(Duration::from_secs(120));
    let job = Job { budget, depth: Some(4), ..job(&model, &ScopeRequest::default()) };
    let report = report(&job, Engine::Bmc);
    assert!(matches!(report.verdict, Verdict::Unknown(Reason::DepthLimit(4))), "{}", answer(&report));
    // On a busy machine the last depth may be left open: a single question has four seconds.
    assert!(report.depth >= Some(3), "{:?}", report.depth);
}
