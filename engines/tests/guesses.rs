//! Invariants that are guessed from the first states: what they prove, and that chance proves nothing.
#![cfg(feature = "z3")]

mod common;

use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_engines::verdict::{Engine, Verdict};
use bsym_semantics::scope::ScopeRequest;
use common::*;

const PROVERS: &[Engine] = &[Engine::Kind, Engine::Ic3];

/// A tank is filled from two pipes, one after the other, and emptied; what was poured in follows from the phase.
const TANK: &str = "MACHINE Tank CONSTANTS a, b PROPERTIES a : NATURAL & b : NATURAL
VARIABLES poured, level, phase
INVARIANT poured : INTEGER & level : INTEGER & phase : INTEGER & (phase = 2 & poured < a + b => level > 0)
INITIALISATION poured, level, phase := 0, 0, 0
OPERATIONS
  open = SELECT phase = 0 & poured < a THEN poured, level := poured + 1, level + 1 END;
  turn = SELECT phase = 0 & poured >= a THEN poured, phase := 0, 1 END;
  pour = SELECT phase = 1 & poured < b THEN poured, level := poured + 1, level + 1 END;
  close = SELECT phase = 1 & poured >= b THEN poured, phase := 0, 2 END;
  empty = SELECT phase = 2 & poured < a + b THEN poured, level := poured + 1, level - 1 END
END";

#[test]
fn what_is_poured_in_follows_from_the_phase() {
    check(TANK, PROVERS, "holds");
    check(
        &TANK.replace("poured, level := poured + 1, level - 1", "poured, level := poured + 1, level - 2"),
        PROVERS,
        "violated 5",
    );
}

#[test]
fn a_certificate_has_only_the_guesses_that_are_needed() {
    let model = model(
        "MACHINE Stairs VARIABLES x, y, z INVARIANT x : INTEGER & y : INTEGER & z : INTEGER & x /= 7
        INITIALISATION x, y, z := 0, 0, 0
        OPERATIONS up = x, y := x + 4, y + 4; on = y, z := y + 2, z + 6; down = SELECT z > 6 THEN x, z := x - 2, z - 6 END END",
    );
    let job = job(&model, &ScopeRequest::default());
    for &engine in PROVERS {
        let Verdict::Holds(proof) = report(&job, engine).verdict else {
            panic!("{} finds the remainder", engine.name())
        };
        assert_eq!(proof.lemmas, ["x - 2 * (x / 2) = 0"], "{}", engine.name());
    }
}

#[test]
fn what_held_by_chance_is_not_assumed() {
    // All states that are looked at first have small numbers, and each of the two leads to the other.
    let model = model(
        "MACHINE Far VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & (x > 5000 => y <= x - 2)
        INITIALISATION x, y := 0, 0
        OPERATIONS both = x, y := x + 1, y + 1 END",
    );
    let mut job = job(&model, &ScopeRequest::default());
    job.budget = Budget::unlimited().within(Duration::from_secs(1));
    for &engine in PROVERS {
        let found = report(&job, engine);
        assert!(matches!(found.verdict, Verdict::Unknown(_)), "{}: {}", engine.name(), answer(&found));
    }
}

#[test]
fn without_a_proof_the_invariants_that_were_found_are_reported() {
    // It is violated, but far away.
    let model = model(
        "MACHINE Steps VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & y /= 1000
        INITIALISATION x, y := 2, 0 OPERATIONS grow = x, y := x + 4, y + 1 END",
    );
    let mut job = job(&model, &ScopeRequest::default());
    job.depth = Some(3);
    let found = report(&job, Engine::Kind);
    assert_eq!(answer(&found), "unknown DepthLimit(3)");
    assert!(
        found.attempt.found_invariants.iter().any(|i| i == "x = 4 * y + 2"),
        "{:?}",
        found.attempt.found_invariants
    );
}
