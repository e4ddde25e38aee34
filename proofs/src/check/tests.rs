use bsym_language::model::EventId;
use bsym_status::{Check, Formula, Level, PairStatus, ProofStatus};

use crate::certificate::{Certificate, Facts};
use crate::claim::{Property, check_of};
use crate::testing::{Why, checked, checked_within, claim, model, solver, status};

/// Inductive as it is.
const COUNTER: &str = "MACHINE Counter VARIABLES n INVARIANT n : INTEGER & n >= 0 & n <= 10
INITIALISATION n := 0
OPERATIONS inc = SELECT n < 10 THEN n := n + 1 END; reset = BEGIN n := 0 END END";

/// The second conjunct needs x = y, or a look two steps back.
const TWINS: &str = "MACHINE Twins VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & x - y < 1
INITIALISATION x, y := 0, 0
OPERATIONS both = BEGIN x, y := x + 1, y + 1 END; swap = BEGIN x, y := y, x END END";

/// Good states lead to a bad one only through states that are themselves preceded by bad ones.
const RING: &str = "MACHINE Ring VARIABLES s INVARIANT s : INTEGER & s /= 5
INITIALISATION s := 0
OPERATIONS a = SELECT s = 0 THEN s := 1 END; b = SELECT s = 1 THEN s := 0 END; c = SELECT s = 3 THEN s := 4 END;
d = SELECT s = 4 THEN s := 5 END END";

/// Applies a function where the invariant says that it is defined.
const TABLE: &str = "MACHINE Table VARIABLES f, i INVARIANT f : 1..3 --> INTEGER & i : 1..3 & f(i) >= 0
INITIALISATION f, i := {1 |-> 0, 2 |-> 0, 3 |-> 0}, 1
OPERATIONS next = SELECT i < 3 THEN i := i + 1 END;
put(v) = PRE v : INTEGER & v >= 0 THEN f(i) := v END END";

fn run(text: &str, why: Why<'_>) -> crate::claim::Checked {
    let mut m = model(text);
    let claim = claim(&mut m, &why);
    checked(&m, &claim, &ProofStatus::none(), false)
}

fn accepts(text: &str, why: Why<'_>) {
    if solver().is_some() {
        let checked = run(text, why);
        assert!(checked.passed() && checked.checks > 0 && !checked.solver.is_empty(), "{checked:?}");
    }
}

fn refuses(text: &str, why: Why<'_>, part: &str) {
    if solver().is_some() {
        let checked = run(text, why);
        assert!(!checked.passed());
        assert!(checked.failed.iter().any(|f| f.contains(part)), "no `{part}` in {checked:?}");
    }
}

#[test]
fn inductive_invariants_pass() {
    accepts(COUNTER, Why::Inductive(&[]));
    accepts(TWINS, Why::Inductive(&["x = y"]));
    accepts(RING, Why::Inductive(&["s <= 1"]));
}

#[test]
fn a_missing_lemma_is_found_out() {
    refuses(TWINS, Why::Inductive(&[]), "swap: conjunct 3");
    refuses(RING, Why::Inductive(&[]), "d: conjunct 2");
}

#[test]
fn wrong_lemmas_are_found_out() {
    refuses(TWINS, Why::Inductive(&["x = y", "x < 7"]), "both: lemma 2");
    refuses(TWINS, Why::Inductive(&["x = y", "x > 0"]), "initialisation: lemma 2");
    refuses(COUNTER, Why::Inductive(&["1 / n = 1"]), "lemma 1");
}

#[test]
fn an_invariant_that_is_wrong_is_found_out() {
    let wrong = COUNTER.replace("n <= 10", "n <= 9");
    refuses(&wrong, Why::Inductive(&[]), "inc: conjunct 3");
    refuses(&wrong, Why::KInduction(3, &[]), "inc: conjunct 3");
    let wrong = COUNTER.replace("n := 0\nOPERATIONS", "n := 11\nOPERATIONS");
    refuses(&wrong, Why::Inductive(&[]), "initialisation: conjunct 3");
}

#[test]
fn k_induction_needs_enough_steps() {
    accepts(COUNTER, Why::KInduction(0, &[]));
    // 4 is reached from 3 and from nowhere else, and 3 from nowhere at all.
    refuses(RING, Why::KInduction(0, &[]), "d: conjunct 2");
    refuses(RING, Why::KInduction(1, &[]), "d: conjunct 2");
    accepts(RING, Why::KInduction(2, &[]));
    accepts(TWINS, Why::KInduction(0, &["x = y"]));
}

#[test]
fn states_of_a_path_are_different() {
    // Without that, the loop at 3 leads to 5 after any number of steps.
    let idle = RING.replace("s := 5 END END", "s := 5 END; e = SELECT s = 3 THEN s := 3 END END");
    accepts(&idle, Why::KInduction(2, &[]));
}

#[test]
fn a_violation_within_the_base_is_found() {
    let wrong = RING.replace("s := 0\nOPERATIONS", "s := 3\nOPERATIONS");
    refuses(&wrong, Why::KInduction(4, &[]), "step 2 from an initial state");
}

#[test]
fn lemmas_of_k_induction_are_checked() {
    refuses(RING, Why::KInduction(2, &["s < 1"]), "a: lemma 1");
}

#[test]
fn a_finite_machine_has_a_diameter() {
    let once = "MACHINE Once VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
        OPERATIONS up = SELECT n < 3 THEN n := n + 1 END END";
    accepts(once, Why::Diameter(4));
    refuses(once, Why::Diameter(3), "no path has 3 steps");
    refuses(&once.replace("n : 0..3", "n : 0..2"), Why::Diameter(4), "after 3 steps");
    // Only pairwise different states make an end of it.
    accepts(COUNTER, Why::Diameter(11));
    refuses(COUNTER, Why::Diameter(10), "no path has 10 steps");
}

#[test]
fn well_definedness_goes_from_left_to_right() {
    accepts(
        "MACHINE Defined VARIABLES f, i INVARIANT f : 1..3 +-> INTEGER & i : dom(f) & f(i) : INTEGER
         INITIALISATION f, i := {1 |-> 0}, 1 OPERATIONS set = f(i) := 1 END",
        Why::Inductive(&[]),
    );
    refuses(
        "MACHINE Undefined VARIABLES f, i INVARIANT f : 1..3 +-> INTEGER & i : 1..3 & f(i) : INTEGER
         INITIALISATION f, i := {1 |-> 0}, 2 OPERATIONS skip_ = skip END",
        Why::Inductive(&[]),
        "initialisation: conjunct 3",
    );
}

#[test]
fn failures_of_events_are_checked() {
    let fails = "MACHINE Fails VARIABLES n INVARIANT n : INTEGER INITIALISATION n := 0
        OPERATIONS half = n := 10 / n END";
    refuses(fails, Why::Inductive(&[]), "well-definedness of `10 / n` in half");
    accepts(
        &fails
            .replace("n : INTEGER", "n : INTEGER & n > 0")
            .replace("n := 0", "n := 3")
            .replace("10 / n", "10 / n + 1"),
        Why::Inductive(&[]),
    );
    refuses(&fails.replace("n := 10 / n", "ASSERT n > 0 THEN skip END"), Why::Inductive(&[]), "the ASSERT");
    // From 8 to 9, where b fails; but neither is reached.
    let later = "MACHINE Later VARIABLES s INVARIANT s : INTEGER INITIALISATION s := 0
        OPERATIONS a = SELECT s = 0 THEN s := 1 END; b = SELECT s > 3 THEN s := 1 / (s - 9) END;
        c = SELECT s > 3 THEN s := s + 1 END END";
    refuses(later, Why::Inductive(&[]), "in b");
    accepts(later, Why::Inductive(&["s < 2"]));
}

#[test]
fn without_well_definedness_only_assertions_count() {
    if solver().is_none() {
        return;
    }
    let mut m = model(
        "MACHINE Fails VARIABLES n INVARIANT n : INTEGER INITIALISATION n := 0 OPERATIONS half = n := 10 / n END",
    );
    let mut claim = claim(&mut m, &Why::Inductive(&[]));
    claim.well_definedness = false;
    assert!(checked(&m, &claim, &ProofStatus::none(), false).passed());
}

#[test]
fn other_properties_follow_or_are_inductive() {
    if solver().is_none() {
        return;
    }
    let mut m = model(
        "MACHINE Props DEFINITIONS GOAL == n = 7 VARIABLES n INVARIANT n : INTEGER & n mod 2 = 0 & n >= 0
         ASSERTIONS n /= 3; n /= 5 INITIALISATION n := 0
         OPERATIONS up = n := n + 2; down = SELECT n > 2 THEN n := n - 2 END END",
    );
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.properties =
        vec![Property::Assertion(0), Property::Assertion(1), Property::DeadlockFree, Property::NoGoal];
    let outcome = checked(&m, &c, &ProofStatus::none(), false);
    assert!(outcome.passed(), "{outcome:?}");

    let mut m = model(
        "MACHINE Props DEFINITIONS GOAL == n = 4 VARIABLES n INVARIANT n : INTEGER & n >= 0
         ASSERTIONS n /= 6 INITIALISATION n := 0 OPERATIONS up = SELECT n < 8 THEN n := n + 2 END END",
    );
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.properties = vec![Property::Assertion(0), Property::DeadlockFree, Property::NoGoal];
    let outcome = checked(&m, &c, &ProofStatus::none(), false);
    assert_eq!(outcome.failed.len(), 3, "{outcome:?}");
}

#[test]
fn a_property_may_be_inductive_by_itself() {
    if solver().is_none() {
        return;
    }
    let mut m = model(
        "MACHINE Own VARIABLES n INVARIANT n : INTEGER ASSERTIONS n /= 1 INITIALISATION n := 0
         OPERATIONS up = SELECT n >= 2 THEN n := n + 1 END; stay = SELECT n = 0 THEN n := 2 END END",
    );
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.properties.push(Property::Assertion(0));
    let outcome = checked(&m, &c, &ProofStatus::none(), false);
    assert!(outcome.passed(), "{outcome:?}");
}

#[test]
fn a_claim_about_no_states_is_refused() {
    refuses(
        "MACHINE Empty CONSTANTS c PROPERTIES c : INTEGER & c > 3 & c < 2 VARIABLES n INVARIANT n = 1
         INITIALISATION n := 0 END",
        Why::Inductive(&[]),
        "no initial state",
    );
}

#[test]
fn a_subset_of_the_conjuncts_must_stand_alone() {
    if solver().is_none() {
        return;
    }
    let mut m = model(COUNTER);
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.conjuncts = vec![1];
    c.properties = vec![Property::Invariant(1)];
    assert!(checked(&m, &c, &ProofStatus::none(), false).passed());
    let mut m = model(
        "MACHINE Pair VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & x > 0 & y > 0
         INITIALISATION x, y := 1, 1 OPERATIONS add = x := x + y END",
    );
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.conjuncts = vec![2];
    c.properties = vec![Property::Invariant(2)];
    let outcome = checked(&m, &c, &ProofStatus::none(), false);
    assert_eq!(outcome.failed.len(), 1, "{outcome:?}");
    // The pair is proven, but with a conjunct that is not claimed: that makes no status wrong.
    let outcome = checked(&m, &c, &status(&[(Some(0), 2)], Level::Tool), false);
    assert!(outcome.wrong.is_empty() && outcome.failed.len() == 1, "{outcome:?}");
}

#[test]
fn a_wrong_status_is_found_out() {
    if solver().is_none() {
        return;
    }
    let mut m = model(&COUNTER.replace("n <= 10", "n <= 9"));
    let c = claim(&mut m, &Why::Inductive(&[]));
    let wrong = status(&[(Some(0), 2), (Some(1), 2)], Level::Tool);
    let outcome = checked(&m, &c, &wrong, false);
    assert_eq!(outcome.wrong, [(Some(bsym_language::model::EventId(0)), 2)]);
    assert!(!outcome.passed() && outcome.trusted.is_empty());
    // With lemmas in the way the conjuncts alone decide.
    let c = claim(&mut m, &Why::Inductive(&["n < 9"]));
    let outcome = checked(&m, &c, &wrong, false);
    assert!(!outcome.passed(), "{outcome:?}");
}

/// No solver decides this: a Diophantine equation.
const HARD: &str = "MACHINE Hard VARIABLES x, y, z INVARIANT x : INTEGER & y : INTEGER & z : INTEGER
& x * x * x + y * y * y + z * z * z /= 114 INITIALISATION x, y, z := 0, 0, 0
OPERATIONS pick(a, b, c) = PRE a : INTEGER & b : INTEGER & c : INTEGER THEN x, y, z := a, b, c END END";

#[test]
fn undecided_pairs_may_rest_on_their_status() {
    if solver().is_none() {
        return;
    }
    let mut m = model(HARD);
    let c = claim(&mut m, &Why::Inductive(&[]));
    let proven = status(&[(Some(0), 3)], Level::Tool);
    let checked = |claim: &_, status: &_, recheck| checked_within(&m, claim, status, recheck, 300);
    let outcome = checked(&c, &proven, false);
    assert!(outcome.passed(), "{outcome:?}");
    assert_eq!(outcome.trusted, [(Some(bsym_language::model::EventId(0)), 3)]);
    // Not with --recheck-proofs, not on a mere claim, not without one of the hypotheses.
    assert_eq!(checked(&c, &proven, true).undecided.len(), 1);
    assert_eq!(checked(&c, &status(&[(Some(0), 3)], Level::Claim), false).undecided.len(), 1);
    let mut part = c.clone();
    part.conjuncts.remove(0);
    part.properties.remove(0);
    assert_eq!(checked(&part, &proven, false).undecided.len(), 1);
}

#[test]
fn functions_and_sets_of_any_size_pass() {
    accepts(TABLE, Why::Inductive(&["ran(f) <: NATURAL"]));
    accepts(
        "MACHINE Mutex SETS P VARIABLES waiting, critical
         INVARIANT waiting <: P & critical <: P & waiting /\\ critical = {} & !(p, q).(p : critical & q : critical => p = q)
         INITIALISATION waiting, critical := {}, {}
         OPERATIONS ask(p) = PRE p : P - critical THEN waiting := waiting \\/ {p} END;
         enter(p) = PRE p : waiting & critical = {} THEN waiting, critical := waiting - {p}, {p} END;
         leave(p) = PRE p : critical THEN critical := critical - {p} END END",
        Why::Inductive(&[]),
    );
}

#[test]
fn a_stopped_run_leaves_the_rest_undecided() {
    if solver().is_none() {
        return;
    }
    let mut m = model(COUNTER);
    let c = claim(&mut m, &Why::Inductive(&[]));
    let budget = bsym_encodings::budget::Budget::unlimited();
    budget.cancel();
    let outcome = super::check(
        &mut crate::testing::system(&m),
        &c,
        &ProofStatus::none(),
        false,
        &mut crate::testing::open_default,
        &budget,
    )
    .expect("a solver");
    assert!(!outcome.passed() && !outcome.undecided.is_empty());
}

#[test]
fn a_claim_with_an_enormous_k_ends_with_the_budget() {
    if solver().is_none() {
        return;
    }
    let mut m = model(TWINS);
    let c = claim(&mut m, &Why::KInduction(usize::MAX, &[]));
    let begin = std::time::Instant::now();
    let outcome = super::check(
        &mut crate::testing::system(&m),
        &c,
        &ProofStatus::none(),
        false,
        &mut crate::testing::open_default,
        &bsym_encodings::budget::Budget::unlimited().within(std::time::Duration::from_secs(1)),
    )
    .expect("a solver");
    assert!(!outcome.passed() && !outcome.undecided.is_empty(), "{outcome:?}");
    assert!(begin.elapsed() < std::time::Duration::from_secs(30));
}

#[test]
fn a_conjunct_claimed_alone_has_a_meaning_where_those_before_it_hold() {
    if solver().is_none() {
        return;
    }
    // Where x is 3 the first conjunct is false, so the meaning of the second does not matter.
    let mut m = model(
        "MACHINE Alone VARIABLES x INVARIANT x < 3 & 10 mod (3 - x) >= 0 & x : 0..3 INITIALISATION x := 0
         OPERATIONS inc = SELECT x < 3 THEN x := x + 1 END END",
    );
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.conjuncts = vec![1, 2];
    c.properties = vec![Property::Invariant(1), Property::Invariant(2)];
    let outcome = checked(&m, &c, &ProofStatus::none(), false);
    assert!(outcome.passed(), "{outcome:?}");
}

/// The equation x³ + y³ + z³ = 114 in an assertion.
const HARD_THEOREM: &str = "MACHINE Hard VARIABLES x, y, z INVARIANT x : INTEGER & y : INTEGER & z : INTEGER
ASSERTIONS x * x * x + y * y * y + z * z * z /= 114 INITIALISATION x, y, z := 0, 0, 0
OPERATIONS pick(a, b, c) = PRE a : INTEGER & b : INTEGER & c : INTEGER THEN x, y, z := a, b, c END END";

fn checks(all: &[Check], level: Level) -> ProofStatus {
    let mut status = ProofStatus::none();
    for &check in all {
        status.insert_check(check, PairStatus { provers: vec!["test".into()], level });
    }
    status
}

#[test]
fn undecided_theorems_may_rest_on_their_status() {
    if solver().is_none() {
        return;
    }
    let mut m = model(HARD_THEOREM);
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.properties.push(Property::Assertion(0));
    let checked = |claim: &_, status: &_, recheck| checked_within(&m, claim, status, recheck, 300);
    let theorem = [Check::Theorem(0)];
    let outcome = checked(&c, &checks(&theorem, Level::Tool), false);
    assert!(outcome.passed(), "{outcome:?}");
    assert_eq!(outcome.trusted_checks, theorem);
    for (status, recheck) in [
        (checks(&theorem, Level::Tool), true),
        (checks(&theorem, Level::Claim), false),
        (ProofStatus::none(), false),
    ] {
        assert!(!checked(&c, &status, recheck).undecided.is_empty());
    }
    // It was proven from the whole invariant.
    let mut part = c.clone();
    part.conjuncts.remove(0);
    part.properties.remove(0);
    assert!(!checked(&part, &checks(&theorem, Level::Tool), false).undecided.is_empty());
}

#[test]
fn wrong_checks_are_found_out() {
    if solver().is_none() {
        return;
    }
    let mut m = model(&COUNTER.replace("INITIALISATION", "ASSERTIONS n < 5 INITIALISATION"));
    let mut c = claim(&mut m, &Why::Inductive(&[]));
    c.properties.push(Property::Assertion(0));
    let outcome = checked(&m, &c, &checks(&[Check::Theorem(0)], Level::Tool), false);
    assert_eq!((outcome.wrong_checks.as_slice(), outcome.passed()), ([Check::Theorem(0)].as_slice(), false));
    let mut m = model(
        "MACHINE Fails VARIABLES n INVARIANT n : INTEGER INITIALISATION n := 0 OPERATIONS half = n := 10 / n END",
    );
    let c = claim(&mut m, &Why::Inductive(&[]));
    let system = crate::testing::system(&m);
    let meaning = check_of(Some(EventId(0)), &system.events[0].failures[0]).expect("a check");
    let outcome = checked(&m, &c, &checks(&[meaning], Level::Tool), false);
    assert_eq!(outcome.wrong_checks, [meaning], "{outcome:?}");
}

#[test]
fn trusted_checks_are_written_and_read() {
    let mut m = model(&TABLE.replace("INITIALISATION", "ASSERTIONS f(1) >= 0 INITIALISATION"));
    let failure = crate::testing::system(&m).events[1].failures.first().cloned();
    let mut all =
        vec![Check::Theorem(0), Check::Meaning(Formula::Assertion(0)), Check::Meaning(Formula::Invariant(2))];
    all.extend(failure.iter().filter_map(|f| check_of(Some(EventId(1)), f)));
    let status = checks(&all, Level::Tool);
    let facts = Facts {
        model: &m.clone(),
        scope: &crate::testing::scope(&m),
        settings: &Default::default(),
        engine: "kind",
        claim: &claim(&mut m, &Why::Inductive(&[])),
        checked: &crate::claim::Checked { trusted_checks: all.clone(), ..Default::default() },
        witness: None,
        status: &status,
    };
    let certificate = Certificate::new(&facts, "".as_ref());
    let text = certificate.to_text();
    let schema = serde_json::from_str(crate::certificate::SCHEMA).expect("a schema");
    let value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    let again = Certificate::parse("c.json".as_ref(), text.as_bytes()).expect("a certificate");
    let found: Vec<Check> =
        again.trusted_checks.iter().map(|t| t.check.check(&m).expect("a check")).collect();
    assert_eq!(found, all);
    let beyond = crate::certificate::CheckText::Theorem { index: 7 };
    assert!(beyond.check(&m).expect_err("no such assertion").contains("assertion 8"));
}
