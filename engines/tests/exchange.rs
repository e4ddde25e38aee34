//! Facts that engines tell each other: together they prove what none of them proves alone.
#![cfg(feature = "z3")]

mod common;

use std::time::Duration;

use bsym_engines::exchange::Exchange;
use bsym_engines::excluded::Excluded;
use bsym_engines::problem::Problem;
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress, Verdict};
use bsym_language::model::EventId;
use bsym_language::print;
use bsym_proofs::claim::Evidence;
use bsym_proofs::recorded::Recorded;
use bsym_semantics::scope::ScopeRequest;
use bsym_status::{Level, PairStatus, ProofStatus};
use common::*;

/// The values of `x`, `y` and `z` go round, by choices of which no weakest precondition is known: the conjunct about
/// `x` needs paths of three steps. What `good` needs are two clauses of three literals that need each other: no path is
/// long enough for them.
const BOTH: &str = "MACHINE Both VARIABLES x, y, z, n, a, b, c, d, e, f, good
INVARIANT x : INTEGER & y : INTEGER & z : INTEGER & n : INTEGER & a : BOOL & b : BOOL & c : BOOL & d : BOOL & e : BOOL & f : BOOL &
  good : BOOL & x mod 7 /= 3 & good = TRUE
INITIALISATION
  ANY i WHERE i : 0..1000 THEN x, y, z := 7 * i, 7 * i + 1, 7 * i + 2 END || n := 0 || good := TRUE ||
  ANY o, p, q, r, s, t WHERE o : BOOL & p : BOOL & q : BOOL & r : BOOL & s : BOOL & t : BOOL &
    (o = TRUE or p = TRUE or q = TRUE) & (r = TRUE or s = TRUE or t = TRUE)
  THEN a, b, c, d, e, f := o, p, q, r, s, t END
OPERATIONS
  swap = ANY u, v, w WHERE u : INTEGER & v : INTEGER & w : INTEGER & u <= y & u >= y & v <= z & v >= z & w <= x & w >= x
    THEN x, y, z := u, v, w || n := n + 1 || a, b, c, d, e, f := d, e, f, a, b, c END;
  look = ANY u, v, w WHERE u : INTEGER & v : INTEGER & w : INTEGER & u <= y & u >= y & v <= z & v >= z & w <= x & w >= x
    THEN x, y, z := u, v, w || good := bool(a = TRUE or b = TRUE or c = TRUE) END
END";

#[test]
fn two_engines_prove_what_neither_proves_alone() {
    let model = model(BOTH);
    let asked = job(&model, &ScopeRequest::default());
    for engine in [Engine::Kind, Engine::Ic3] {
        let mut alone = asked.clone();
        alone.budget = alone.budget.within(Duration::from_secs(4));
        assert!(answer(&report(&alone, engine)).starts_with("unknown"), "{engine:?}");
    }
    for threads in [1, 3] {
        let mut together = asked.clone();
        together.sharing.threads = threads;
        let report = report(&together, Engine::Check);
        let Verdict::Holds(proof) = &report.verdict else { panic!("{threads}: {}", answer(&report)) };
        // k is 2 where the clauses come early.
        let Evidence::KInduction { lemmas, .. } = &proof.claim.evidence else {
            panic!("{:?}", proof.claim.evidence)
        };
        let lemmas: Vec<String> = lemmas.iter().map(|l| print::pred(&model, l)).collect();
        assert!(lemmas.iter().any(|l| l.contains("a = FALSE")), "{lemmas:?}");
        assert!(proof.checked.passed());
    }
}

#[test]
fn a_violation_of_one_property_does_not_hide_behind_what_is_shown_of_another() {
    // The second clause is not true at the start.
    let text = BOTH.replace(" & (r = TRUE or s = TRUE or t = TRUE)", "");
    for threads in [1, 3] {
        let mut job = job(&model(&text), &ScopeRequest::default());
        job.sharing.threads = threads;
        assert_eq!(answer(&report(&job, Engine::Check)), "violated 2");
    }
}

/// Sets of any size, one conjunct about steps and one about division.
const STEPS: &str = "MACHINE Steps SETS S VARIABLES s, n INVARIANT s <: S & n : NATURAL1
INITIALISATION s := {} || n := 1
OPERATIONS add = ANY x WHERE x : S & 7 / n >= 0 THEN s := s \\/ {x} || n := n + 1 END
END";

#[test]
fn what_is_proved_of_single_steps_is_not_asked_any_more() {
    let job = job(&model(STEPS), &ScopeRequest::default());
    let exchange = Exchange::new(true, ProofStatus::none());
    let mut problem = Problem::new(&job, &Excluded::default(), &mut open).unwrap();
    let event = Some(EventId(0));
    let targets = problem.targets.clone();
    let is_proven = |problem: &Problem, i: usize| problem.is_proven(&job, event, &targets[i]);
    assert!((0..2).all(|i| !is_proven(&problem, i)));
    let mut proved = ProofStatus::none();
    let mut prove = |i| {
        let status = PairStatus { provers: vec!["bsym".into()], level: Level::Checked };
        Recorded::Pair((event, i)).insert(&mut proved, status);
        exchange.tell_proved(proved.clone());
    };
    let first = problem.hear(&job, &exchange);
    prove(0);
    let second = problem.hear(&job, &exchange);
    assert!(second > first);
    assert!(is_proven(&problem, 0) && !is_proven(&problem, 1) && !problem.is_settled(&job));
    prove(1);
    assert!(problem.hear(&job, &exchange) > second);
    assert_eq!(problem.hear(&job, &exchange), problem.hear(&job, &exchange));
    assert!(problem.is_settled(&job));
}

#[test]
fn diagrams_and_predicates_search_at_the_same_time_and_begin_once() {
    let text = "MACHINE Lock SETS NODE CONSTANTS start PROPERTIES start : NODE
VARIABLES holds, sent INVARIANT holds <: NODE & sent <: NODE &
  !(x, y).(x : holds & y : holds => x = y)
INITIALISATION holds := {start} || sent := {}
OPERATIONS
  send = ANY x, y WHERE x : holds & y : NODE THEN holds := holds - {x} || sent := sent \\/ {y} END;
  take = ANY x WHERE x : sent THEN sent := sent - {x} || holds := holds \\/ {x} END
END";
    for threads in [1, 2] {
        let mut job = job(&model(text), &ScopeRequest::default());
        job.sharing.threads = threads;
        let mut begun = 0;
        let mut observer =
            |progress: &Progress| begun += usize::from(matches!(progress, Progress::Started(_)));
        let report = run(&job, Engine::Ic3, &opener(open), &mut observer);
        assert_eq!(answer(&report), "holds", "{threads}");
        assert_eq!(begun, 1, "{threads}");
    }
}
