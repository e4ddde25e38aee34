//! Small machines through every engine: the same verdicts, replayed or checked.
#![cfg(feature = "z3")]

mod common;

use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_engines::paths::counterexample::confirm_induction;
use bsym_engines::verdict::{Engine, Verdict};
use bsym_proofs::claim::{Evidence, Property};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::ScopeRequest;
use bsym_semantics::trace::Violation;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;
use common::*;

const ALL: &[Engine] = &[Engine::Bmc, Engine::Tree, Engine::Kind, Engine::Ic3, Engine::Check];
const PROVERS: &[Engine] = &[Engine::Kind, Engine::Ic3, Engine::Check];

/// Steps of 1 to 64 towards a limit that is one of two powers of two, less one.
const COUNTER: &str = "MACHINE Meter CONSTANTS top PROPERTIES top : {127, 255}
VARIABLES level INVARIANT level >= 0 & level <= top INITIALISATION level := 0
OPERATIONS pour(n) = PRE n : 1..64 THEN level := level + n END END";

#[test]
fn a_counter_without_a_guard_overflows_in_two_steps() {
    check(COUNTER, ALL, "violated 2");
}

#[test]
fn a_property_that_is_not_inductive_needs_one_more_step_or_a_lemma() {
    let text = COUNTER.replace("level >= 0 & level <= top", "level >= -2 & level /= -1");
    let model = model(&text);
    let job = job(&model, &ScopeRequest::default());
    let by_kind = report(&job, Engine::Kind);
    let Verdict::Holds(proof) = by_kind.verdict else { panic!("{}", answer(&by_kind)) };
    assert!(matches!(proof.claim.evidence, Evidence::KInduction { k: 1, .. }), "{:?}", proof.claim.evidence);
    let by_ic3 = report(&job, Engine::Ic3);
    let Verdict::Holds(proof) = by_ic3.verdict else { panic!("{}", answer(&by_ic3)) };
    // Levels below -2 and -1 itself are excluded by the property, -2 has to be excluded by a lemma.
    let Evidence::Inductive { lemmas } = &proof.claim.evidence else { panic!("{:?}", proof.claim.evidence) };
    let eval = Evaluator::new(&model, &job.scope);
    let (constants, state) = ([Value::int(127)], [Value::int(-2)]);
    let env = Env::new(&constants, &state);
    assert!(lemmas.iter().any(|l| eval.pred(&env, l) == Ok(false)), "{:?}", proof.lemmas);
}

#[test]
fn one_bounded_and_one_unbounded_counter() {
    let text = "MACHINE Two VARIABLES a, b INVARIANT a : INTEGER & a < 5 & b : INTEGER
INITIALISATION a, b := 0, 0
OPERATIONS up = PRE a < 4 THEN a := a + 1 END; free = b := b + 1; reset = PRE a = 4 THEN a := 0 END END";
    check(text, PROVERS, "holds");
    check(&text.replace("a < 5", "a < 4"), ALL, "violated 4");
}

#[test]
fn a_path_that_ends_gives_a_proof_to_bounded_model_checking() {
    let text = "MACHINE Fuse VARIABLES left, x INVARIANT left : 0..3 & x < 4 INITIALISATION left, x := 3, 0
OPERATIONS burn = SELECT left > 0 THEN left, x := left - 1, x + 1 END END";
    check(text, ALL, "holds");
}

#[test]
fn mutual_exclusion_for_any_number_of_processes() {
    let text = "MACHINE Mutex SETS PROCESS; LOCK = {free, taken}
VARIABLES waiting, critical, lock
INVARIANT waiting <: PROCESS & critical <: PROCESS & lock : LOCK & waiting /\\ critical = {} &
  !(p, q).(p : critical & q : critical => p = q)
INITIALISATION waiting, critical, lock := {}, {}, free
OPERATIONS
  request(p) = SELECT p : PROCESS & p /: waiting & p /: critical THEN waiting := waiting \\/ {p} END;
  enter(p) = SELECT p : waiting & lock = free THEN waiting := waiting - {p} || critical := critical \\/ {p} || lock := taken END;
  leave(p) = SELECT p : critical THEN critical := critical - {p} || lock := free END
END";
    let model = model(text);
    let job = job(&model, &ScopeRequest::default());
    assert!(job.scope.sizes.is_empty(), "the deferred set has any size");
    let report = report(&job, Engine::Ic3);
    assert_eq!(answer(&report), "holds");
    check(&text.replace("& lock = free THEN", "THEN"), ALL, "violated 4");
}

/// Runners hand a baton over, which is nobody's while it is offered.
const RELAY: &str = "MACHINE Relay SETS RUNNER VARIABLES holding, offered, started
INVARIANT holding <: RUNNER & offered : RUNNER <-> RUNNER & started : BOOL
  & !(p, q).(p : holding & q : holding => p = q)
INITIALISATION holding, offered := {}, {} || started := FALSE
OPERATIONS
  start(r) = SELECT r : RUNNER & started = FALSE THEN holding := holding \\/ {r} || started := TRUE END;
  offer(r, s) = SELECT r : holding & s : RUNNER THEN
    holding := holding - {r} || offered := offered \\/ {r |-> s} END;
  take(r, s) = SELECT r |-> s : offered THEN
    offered := offered - {r |-> s} || holding := holding \\/ {s} END
END";

#[test]
fn lemmas_about_all_elements_prove_a_protocol_for_every_size() {
    let model = model(RELAY);
    let job = job(&model, &ScopeRequest::default());
    assert!(job.scope.sizes.is_empty(), "the deferred set has any size");
    let Verdict::Holds(proof) = report(&job, Engine::Ic3).verdict else {
        panic!("a runner holds the baton, or offers it, or it is not started")
    };
    assert!(proof.lemmas.iter().any(|l| l.starts_with("!(runner1, runner2")), "{:?}", proof.lemmas);
    // What is written is B, and says the same when it is read again.
    let mut model = (*model).clone();
    for lemma in &proof.lemmas {
        let read = bsym_language::load::check_predicate(&mut model, lemma).expect("it is B");
        assert_eq!(&bsym_language::print::pred(&model, &read), lemma);
    }
}

#[test]
fn no_lemma_hides_a_violation_of_a_protocol() {
    check(&RELAY.replace("offered := offered - {r |-> s} || ", ""), &[Engine::Ic3], "violated 6");
    // Not a lemma about all elements, but about the number of them.
    let text = "MACHINE Pairs SETS ITEM VARIABLES left, right INVARIANT left <: ITEM & right <: ITEM
&  (left = {} <=> right = {})
INITIALISATION left, right := {}, {}
OPERATIONS put(i, j) = SELECT i : ITEM & j : ITEM THEN left := left \\/ {i} || right := right \\/ {j} END;
  clear = BEGIN left, right := {}, {} END END";
    check(text, &[Engine::Ic3], "holds");
}

#[test]
fn sums_that_start_as_constants_are_conserved() {
    let text = "MACHINE Twins CONSTANTS i, j PROPERTIES i : NATURAL & j : NATURAL VARIABLES x, y
INVARIANT x : INTEGER & y : INTEGER & (x = 0 & i = j => y = 0)
INITIALISATION x, y := i, j
OPERATIONS down = SELECT x /= 0 THEN x := x - 1 || y := y - 1 END END";
    check(text, &[Engine::Ic3], "holds");
    check(&text.replace("y := y - 1", "y := y - 2"), &[Engine::Ic3], "violated 1");
}

/// Functions to functions, and functions to sets of numbers.
const PANEL: &str = "MACHINE Panel SETS POSITION = {nose, port, starboard} VARIABLES sensors, valid
INVARIANT sensors : POSITION --> (1..3 --> BOOL) & valid : POSITION --> POW(1..3) &
  !p.(p : POSITION => valid(p) <: dom(sensors(p)))
INITIALISATION sensors := POSITION * {(1..3) * {TRUE}} || valid := POSITION * {1..3}
OPERATIONS
  read(p, s, v) = SELECT p : POSITION & s : valid(p) & v : BOOL THEN
    sensors(p) := %x.(x : (1..3) - {s} | TRUE) \\/ {s |-> v} END;
  flip(p, s) = SELECT p : POSITION & s : valid(p) THEN sensors(p) := sensors(p) <+ {s |-> FALSE} END;
  exclude(p) = SELECT p : POSITION & card(sensors(p)[valid(p)]) > 1 THEN
    valid(p) := {s | s : valid(p) & sensors(p)(s) = TRUE} END
END";

#[test]
fn functions_to_functions_are_decided() {
    check(PANEL, PROVERS, "holds");
    check(&PANEL.replace("s : valid(p) & v : BOOL", "s : 0..3 & v : BOOL"), ALL, "violated 1");
    check(&PANEL.replace("valid(p) <: dom(sensors(p)))", "valid(p) /= {1})"), ALL, "violated 3");
}

#[test]
fn k_induction_excludes_long_paths_from_unreachable_states_by_lemmas() {
    // From the state where both are up, the ticks lead along paths of many different good states.
    let text = "MACHINE Lamps SETS LAMP = {left_lamp, right_lamp} VARIABLES lit, tick, alarm
INVARIANT lit : LAMP --> BOOL & tick : 0..200 & alarm = FALSE
INITIALISATION lit := LAMP * {FALSE} || tick := 0 || alarm := FALSE
OPERATIONS
  go = SELECT tick < 200 THEN tick := tick + 1 END;
  back = SELECT tick > 0 THEN tick := tick - 1 END;
  swap = SELECT lit(left_lamp) = lit(right_lamp) THEN lit := LAMP * {bool(lit(left_lamp) = FALSE)} END;
  fail = SELECT tick = 100 & lit(left_lamp) = TRUE & lit(right_lamp) = FALSE THEN alarm := TRUE END
END";
    let model = model(text);
    let report = report(&job(&model, &ScopeRequest::default()), Engine::Kind);
    assert_eq!(answer(&report), "holds");
    let Verdict::Holds(proof) = report.verdict else { panic!() };
    let Evidence::KInduction { k, lemmas } = &proof.claim.evidence else {
        panic!("{:?}", proof.claim.evidence)
    };
    assert!(*k < 5 && !lemmas.is_empty(), "k = {k}, {} lemmas", lemmas.len());
}

#[test]
fn every_conjunct_that_fails_is_reported() {
    let text = "MACHINE M VARIABLES x INVARIANT x : INTEGER & x < 1 & x /= 1 INITIALISATION x := 0 OPERATIONS go = x := 1 END";
    let model = model(text);
    let report = report(&job(&model, &ScopeRequest::default()), Engine::Bmc);
    let Verdict::Violated(c) = report.verdict else { panic!() };
    assert_eq!(c.violations, [Violation::Invariant(vec![1, 2])]);
}

#[test]
fn going_on_after_a_violation_decides_the_other_conjuncts() {
    let text = "MACHINE M VARIABLES x, y INVARIANT x < 2 & y < 1 & y >= 0 INITIALISATION x, y := 0, 0
OPERATIONS up = x := x + 1; wrap = SELECT y >= 0 THEN y := 0 END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.keep_going = true;
    let report = report(&job, Engine::Ic3);
    use bsym_engines::verdict::PropertyVerdict::*;
    assert_eq!(
        report.properties,
        [
            (Property::Invariant(0), Violated),
            (Property::Invariant(1), Holds),
            (Property::Invariant(2), Holds)
        ]
    );
}

#[test]
fn reachable_ill_definedness_is_a_violation() {
    let text = "MACHINE M VARIABLES f, x INVARIANT f : 0..3 +-> INTEGER & x : INTEGER
INITIALISATION f, x := {0 |-> 5, 1 |-> 7}, 0
OPERATIONS read = x := f(x); clear = SELECT x = 0 THEN x := 1 END END";
    let model = model(text);
    for &engine in ALL {
        let report = report(&job(&model, &ScopeRequest::default()), engine);
        let Verdict::Violated(c) = report.verdict else { panic!("{engine:?} {}", answer(&report)) };
        assert!(matches!(c.violations[..], [Violation::IllDefined(_)]), "{engine:?} {:?}", c.violations);
        assert_eq!(c.trace.steps.len(), 3, "{engine:?}");
    }
}

#[test]
fn guarded_applications_are_well_defined() {
    let text = "MACHINE M VARIABLES f, x INVARIANT f : 0..3 +-> INTEGER & x : INTEGER
INITIALISATION f, x := {0 |-> 5}, 0
OPERATIONS read(k) = SELECT k : dom(f) THEN x := f(k) END; put(k, v) = SELECT k : 0..3 & v : INTEGER THEN f(k) := v END END";
    check(text, PROVERS, "holds");
}

#[test]
fn unsatisfiable_constants_and_initialisations_are_vacuous() {
    check(
        "MACHINE M CONSTANTS c PROPERTIES c : INTEGER & c > 1 & c < 2 VARIABLES x INVARIANT x = c INITIALISATION x := c END",
        ALL,
        "vacuous",
    );
    check(
        "MACHINE M VARIABLES x INVARIANT x : INTEGER INITIALISATION ANY y WHERE y > 1 & y < 2 THEN x := y END END",
        ALL,
        "vacuous",
    );
}

#[test]
fn ill_defined_properties_do_not_make_a_machine_vacuous() {
    let text =
        "MACHINE M CONSTANTS f PROPERTIES f = %x.(x : INTEGER | 100 / x) VARIABLES n INVARIANT n : 0..20
INITIALISATION n := 20 OPERATIONS step = PRE n > 5 THEN n := f(n) END END";
    let model = model(text);
    let job = job(&model, &ScopeRequest::default());
    for &engine in ALL {
        let said = answer(&report(&job, engine));
        assert!(
            said.starts_with("unknown IllDefined") && said.contains("test.mch:1:34"),
            "{engine:?}: {said}"
        );
    }
    let text = "MACHINE M CONSTANTS c PROPERTIES c : 1..2 & 5 mod (1 - c) = 7 & c > 2 END";
    check(text, ALL, "vacuous");
}

#[test]
fn a_wrong_status_is_found_out_and_never_gives_a_proof() {
    let text = "MACHINE M VARIABLES x INVARIANT x < 3 INITIALISATION x := 0 OPERATIONS up = x := x + 1 END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.status = full_status(&model);
    for &engine in ALL {
        let report = report(&job, engine);
        assert_eq!(answer(&report), "violated 3", "{engine:?}");
        assert_eq!(report.wrong_statuses.len(), 1, "{engine:?}");
    }
}

#[test]
fn statuses_do_not_change_the_verdict_of_a_correct_machine() {
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0
OPERATIONS up = SELECT x < 9 THEN x := x + 1 END; down = SELECT x > 0 THEN x := x - 1 END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.status = full_status(&model);
    for &engine in PROVERS {
        assert_eq!(answer(&report(&job, engine)), "holds", "{engine:?}");
    }
}

#[test]
fn deadlocks_assertions_and_goals() {
    let text = "MACHINE M DEFINITIONS GOAL == (x = 2) VARIABLES x INVARIANT x : 0..3 ASSERTIONS x /= 3
INITIALISATION x := 0 OPERATIONS up = SELECT x < 3 THEN x := x + 1 END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    for (property, expected) in [
        (Property::DeadlockFree, "violated 3"),
        (Property::Assertion(0), "violated 3"),
        (Property::NoGoal, "violated 2"),
    ] {
        job.properties = vec![property];
        for &engine in ALL {
            assert_eq!(answer(&report(&job, engine)), expected, "{engine:?} {property:?}");
        }
    }
}

#[test]
fn assertions_and_preconditions_inside_bodies() {
    let text = "MACHINE M VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
OPERATIONS up = x := x + 1; test = SELECT x > 1 THEN ASSERT x < 2 THEN skip END END END";
    let model = model(text);
    for &engine in ALL {
        let report = report(&job(&model, &ScopeRequest::default()), engine);
        let Verdict::Violated(c) = report.verdict else { panic!("{engine:?} {}", answer(&report)) };
        assert!(matches!(c.violations[..], [Violation::Assert(_)]), "{engine:?} {:?}", c.violations);
    }
}

#[test]
fn a_conserved_sum_proves_that_a_place_is_safe() {
    let text = "MACHINE M VARIABLES free, used, done, idle
INVARIANT free : NATURAL & used : NATURAL & done : NATURAL & idle : NATURAL & used < 2
INITIALISATION free, used, done, idle := 1, 0, 0, 5
OPERATIONS
  take = SELECT free > 0 & idle > 0 THEN free := free - 1 || used := used + 1 || idle := idle - 1 END;
  stop = SELECT used > 0 THEN used := used - 1 || done := done + 1 END;
  give = SELECT done > 0 THEN done := done - 1 || free := free + 1 || idle := idle + 1 END
END";
    check(text, &[Engine::Ic3], "holds");
}

#[test]
fn what_has_no_term_for_any_size_is_searched_in_small_scopes() {
    let text = "MACHINE M SETS GUEST VARIABLES inside, n INVARIANT inside <: GUEST & n : INTEGER & SIGMA(g).(g : inside | 1) + n < 4
INITIALISATION inside, n := {}, 0
OPERATIONS enter(g) = PRE g : GUEST - inside THEN inside, n := inside \\/ {g}, n + 1 END END";
    let model = model(text);
    for &engine in ALL {
        let report = report(&job(&model, &ScopeRequest::default()), engine);
        let Verdict::Violated(c) = &report.verdict else { panic!("{engine:?} {}", answer(&report)) };
        assert_eq!(c.violations, [Violation::Invariant(vec![2])], "{engine:?}");
        assert_eq!(c.trace.scope.sizes.values().copied().collect::<Vec<_>>(), [2], "{engine:?}");
        assert!(report.scope.sizes.is_empty(), "the question stays one about any size");
    }
}

#[test]
fn axioms_of_second_order_keep_no_engine_busy() {
    // The axioms say of every set of ends and of every net that it can be painted, which no step has to do with.
    let text = "MACHINE Wires SETS PAINT CONSTANTS ends, wire
PROPERTIES ends = 1..2 & wire = {1 |-> 2, 2 |-> 1} &
  !s.(s <: ends & s /= {} & wire[s] <: s => ends <: s) &
  !g.(g : ends <-> ends & g /= {} =>
    #p.(p : ends --> PAINT & !(m, n).(m |-> n : g & m /= n => p(m) /= p(n))))
VARIABLES seen INVARIANT seen <: ends INITIALISATION seen := {}
OPERATIONS visit(n) = PRE n : ends THEN seen := seen \\/ wire[{n}] END END";
    check(text, &[Engine::Kind], "holds");
    check(&text.replace("wire[{n}] END", "{n + 1} END"), &[Engine::Bmc], "violated 1");
}

#[test]
fn axioms_of_second_order_answer_questions_of_second_order() {
    let text = "MACHINE Desks SETS CLERK; DESK CONSTANTS own, other
PROPERTIES own : CLERK >->> DESK & other : CLERK >->> DESK &
  !s.(s <: CLERK & s /= {} & s /= CLERK => other~[own[s]] /= s)
ASSERTIONS !s.(s <: CLERK & s /= {} & s /= CLERK => own~[other[s]] /= s)
VARIABLES free INVARIANT free <: DESK INITIALISATION free := {}
OPERATIONS leave(d) = PRE d : DESK THEN free := free \\/ {d} END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.properties.push(Property::Assertion(0));
    assert_eq!(answer(&report(&job, Engine::Kind)), "holds");
}

/// The invariant is false after one event: `bmc` finds it, and no proof engine says that it holds.
#[track_caller]
fn false_after_one_step(text: &str) {
    let model = model(text);
    let job = job(&model, &ScopeRequest::default());
    for engine in [Engine::Kind, Engine::Ic3] {
        assert!(!answer(&report(&job, engine)).starts_with("holds"), "{engine:?}");
    }
    check(text, &[Engine::Bmc], "violated 1");
}

/// What `f` is known to hold bounded the values of `f <+ {x |-> {7}}` too, so that a false invariant was proved.
#[test]
fn an_override_may_bring_values_that_the_function_never_has() {
    let text = "MACHINE Kept VARIABLES f, g
INVARIANT f : NATURAL +-> POW(2..3) & g : NATURAL +-> POW(INTEGER) & !x.(x : dom(g) => 7 /: g(x))
INITIALISATION f := {} || g := {}
OPERATIONS set(x) = PRE x : NATURAL THEN f := f <+ {x |-> {2}} END;
  other(x) = PRE x : NATURAL THEN g := f <+ {x |-> {7}} END END";
    false_after_one_step(text);
}

/// What is appended to a sequence was cut to what its own elements are known to be.
#[test]
fn a_sequence_may_get_elements_that_it_never_has_itself() {
    let text = "MACHINE Grown VARIABLES f, g
INVARIANT f : seq(POW(2..3)) & g : seq(POW(INTEGER)) & !x.(x : dom(g) => 7 /: g(x))
INITIALISATION f := [] || g := []
OPERATIONS add = f := f <- {2}; other = g := f <- {7} END";
    false_after_one_step(text);
}

/// A short way to a violation that a solver does not find: an account may get two balances, each of any size.
#[test]
fn what_keeps_a_solver_busy_is_looked_for_among_the_first_states() {
    let text = "MACHINE Purses SETS PURSE VARIABLES coins INVARIANT coins : PURSE +-> 0..7 INITIALISATION coins := {}
OPERATIONS
  buy(p) = PRE p : PURSE - dom(coins) THEN coins(p) := 0 END;
  fill(p, n) = PRE p : dom(coins) & n : 1..7 & coins(p) + n <= 7 THEN coins(p) := coins(p) + n END;
  pass(p, q, n) = PRE p : dom(coins) & q : dom(coins) & n : 1..7 & n <= coins(p) & coins(q) + n <= 7 THEN
    coins := coins <+ {p |-> coins(p) - n, q |-> coins(q) + n} END
END";
    check(text, &[Engine::Bmc, Engine::Kind], "violated 3");
}

/// The choice between a sequence and one that is written out had no length.
#[test]
fn a_sequence_may_begin_anew() {
    let text = "MACHINE Waiting SETS BOOK = {b1, b2}; READER = {r1, r2}
VARIABLES waiting INVARIANT waiting : BOOK +-> iseq(READER) INITIALISATION waiting := {}
OPERATIONS
  acquire(b) = PRE b : BOOK & b /: dom(waiting) THEN waiting(b) := [] END;
  reserve(b, r) = PRE b : dom(waiting) & r : READER - ran(waiting(b)) THEN waiting(b) := waiting(b) <- r END
END";
    check(text, &[Engine::Kind, Engine::Ic3], "holds");
    check(&text.replace(" - ran(waiting(b))", ""), &[Engine::Bmc], "violated 3");
}

/// Of the closure of roads between any number of towns it is known what a new road changes.
#[test]
fn a_closure_grows_with_its_relation() {
    let text = "MACHINE Roads SETS TOWN VARIABLES road, far INVARIANT road : TOWN <-> TOWN & far : TOWN <-> TOWN & far <: closure1(road)
INITIALISATION road, far := {}, {}
OPERATIONS
  build(a, b) = PRE a : TOWN & b : TOWN THEN road := road \\/ {a |-> b} END;
  travel(a, b, c) = PRE a |-> b : road & b |-> c : closure1(road) THEN far := far \\/ {a |-> c} END
END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    // Half a dozen seconds on a machine with nothing else to do.
    job.query_time = Some(Duration::from_secs(30));
    job.budget = Budget::unlimited().within(Duration::from_secs(120));
    assert_eq!(answer(&report(&job, Engine::Kind)), "holds");
}

#[test]
fn a_closure_that_is_only_asked_does_not_keep_a_solver_busy() {
    let text =
        "MACHINE Ways SETS TOWN VARIABLES road INVARIANT road : TOWN <-> TOWN INITIALISATION road := {}
OPERATIONS
  build(a, b) = PRE a : TOWN & b : TOWN THEN road := road \\/ {a |-> b} END;
  r <-- joined(a, b) = PRE a : TOWN & b : TOWN THEN r := bool(a |-> b : closure1(road \\/ road~)) END END";
    check(text, &[Engine::Kind], "holds");
}

#[test]
fn what_a_closure_says_of_a_circle_is_replayed() {
    let acyclic = "MACHINE Tree SETS NODE VARIABLES above INVARIANT above : NODE <-> NODE & closure1(above) /\\ id(NODE) = {}
INITIALISATION above := {}
OPERATIONS hang(a, b) = PRE a : NODE & b : NODE & a /= b & b |-> a /: closure1(above) THEN above := above \\/ {a |-> b} END;
  cut(a, b) = PRE a : NODE & b : NODE THEN above := above - {a |-> b} END END";
    check(&acyclic.replace("b |-> a /: closure1(above)", "b |-> a /: above"), &[Engine::Bmc], "violated 3");
}

#[test]
fn elements_outside_of_deferred_sets_refute_no_proof() {
    // That travellers have tickets for trains only is a fact about couples, which no term says without a quantifier.
    let text = "MACHINE Station SETS TRAVELLER; TRAIN; TOWN CONSTANTS goal, home
PROPERTIES goal : TRAIN --> TOWN & home : TRAVELLER --> TOWN
VARIABLES tickets INVARIANT tickets : TRAVELLER <-> TRAIN INITIALISATION tickets := {}
OPERATIONS
  buy(p, t) = PRE p : TRAVELLER & t : TRAIN THEN tickets := tickets \\/ {p |-> t} END;
  leave(p) = PRE p : TRAVELLER & #t.(t : TRAIN & p |-> t : tickets & goal(t) = home(p)) THEN tickets := {p} <<| tickets END
END";
    check(text, PROVERS, "holds");
    check(&text.replace("goal : TRAIN --> TOWN", "goal : TRAIN +-> TOWN"), PROVERS, "violated 2");
}

/// Goes round and round: paths of any length, nine states.
const ROUND: &str = "MACHINE Dial VARIABLES turned, lit INVARIANT turned : 0..2 & lit : 0..2 & turned + lit < 5
INITIALISATION turned, lit := 0, 0
OPERATIONS turn = turned := (turned + 1) mod 3; light = SELECT lit < 2 & turned + lit < 3 THEN lit := lit + 1 END;
  dark = SELECT lit > 0 THEN lit := lit - 1 END END";

#[test]
fn bounded_model_checking_proves_where_longer_paths_repeat_a_state() {
    let text = ROUND.replace("turned + lit < 5", "turned + lit < 6");
    let model = model(&text);
    let job = job(&model, &ScopeRequest::default());
    let found = report(&job, Engine::Bmc);
    let Verdict::Holds(proof) = found.verdict else { panic!("{}", answer(&found)) };
    let Evidence::Diameter { depth } = proof.claim.evidence else { panic!("{:?}", proof.claim.evidence) };
    assert!((5..=9).contains(&depth), "{depth}");
    check(&text.replace("< 6", "< 3"), &[Engine::Bmc], "violated 3");
}

#[test]
fn a_path_that_never_repeats_a_state_proves_nothing() {
    let text = "MACHINE Clock VARIABLES hour, day INVARIANT hour : 0..1 & day : NATURAL INITIALISATION hour, day := 0, 0
OPERATIONS tick = SELECT hour = 0 THEN hour := 1 END; midnight = SELECT hour = 1 THEN hour, day := 0, day + 1 END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.depth = Some(12);
    assert_eq!(answer(&report(&job, Engine::Bmc)), "unknown DepthLimit(12)");
}

#[test]
fn a_counterexample_to_induction_is_a_path_that_the_evaluator_confirms() {
    let text =
        "MACHINE Odd VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & x /= 7 INITIALISATION x, y := 0, 0
OPERATIONS two(n) = PRE n : 1..3 THEN x, y := x + 2, n END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.depth = Some(1);
    let found = report(&job, Engine::Kind).attempt.counterexample_to_induction.expect("three leads to seven");
    let x = |i: usize| found.trace.steps[i].state.as_ref().map(|state| state[0].clone());
    assert_eq!([x(0), x(1), x(2)], [3, 5, 7].map(|n| Some(Value::int(n))));
    assert_eq!(found.violations, [Violation::Invariant(vec![2])]);
    // Nothing is violated within 5 events, so that the first state is not reached within 3.
    let known = confirm_induction(&job, found.trace.clone(), Some(5)).unwrap();
    assert_eq!(known.not_reached_within, Some(3));
    let mut wrong = found.trace;
    wrong.steps[1].state = Some(vec![Value::int(6), Value::int(1)]);
    assert_eq!(confirm_induction(&job, wrong, Some(5)), None);
}
