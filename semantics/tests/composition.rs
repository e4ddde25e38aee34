//! Machines made of several machines: numbers of states and transitions, as ProB finds them.
//!
//! States count one node for each valuation of the constants, transitions the edges to these nodes
//! and to the initial states. The sets and constants are such that ProB sees no symmetry.

use std::collections::BTreeSet;

use bsym_language::files::Texts;
use bsym_language::load::load_from;
use bsym_language::render::render_line;
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::{Edge, Outcome};
use bsym_semantics::value::env::Env;

/// Machines that others are made of.
const PARTS: &[&str] = &[
    "MACHINE Sensor SETS LAMP = {red, green} CONSTANTS least PROPERTIES least : 1..2
     VARIABLES level INVARIANT level : 0..2 INITIALISATION level :: {0, 1}
     OPERATIONS rise = PRE level < 2 THEN level := level + 1 END; r <-- read = r := level END",
    "MACHINE Display SEES Sensor VARIABLES shown INVARIANT shown : 0..2 INITIALISATION shown := level
     OPERATIONS copy = shown := level; ask = shown <-- read END",
    "MACHINE Bound USES Sensor VARIABLES low INVARIANT low : 0..2 & low <= level INITIALISATION low := 0
     OPERATIONS lift = PRE low + 1 <= level THEN low := low + 1 END END",
    "MACHINE Gauge(ITEMS, top) CONSTRAINTS top : 1..2 VARIABLES fill INVARIANT fill : 0..top INITIALISATION fill := 0
     OPERATIONS up = PRE fill < top THEN fill := fill + 1 END END",
    "MACHINE Watch SEES Gauge OPERATIONS wait = skip END",
    "MACHINE Bag(ITEMS) VARIABLES bag INVARIANT bag <: ITEMS INITIALISATION bag := {}
     OPERATIONS add(e) = PRE e : ITEMS THEN bag := bag \\/ {e} END END",
    "MACHINE Counter VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
     OPERATIONS inc(n) = PRE n : 1..2 & x + n <= 3 THEN x := x + n END;
       r <-- get = r := x; a, b <-- two = a, b := x, x + 1; r <-- even = r := bool(x mod 2 = 0) END",
    "MACHINE Tank SEES Sensor DEFINITIONS full == 3 VARIABLES water INVARIANT water : 0..full
     INITIALISATION water := level
     OPERATIONS stir = BEGIN water :: 0..3 END; pour = PRE water < 2 THEN water := water + 1 END END",
    "MACHINE Budget VARIABLES n INVARIANT n : 0..4 INITIALISATION n := 0
     OPERATIONS bump = PRE n < 4 THEN n := n + 1 END; r <-- rest = r := 4 - n END",
];

struct Counts {
    states: usize,
    transitions: usize,
    /// Reachable states that violate the invariant.
    violating: usize,
    /// Calls outside a precondition.
    preconditions: usize,
}

/// Explores `main`, written in `file`, with all parts beside it.
fn explore(file: &str, main: &str) -> Counts {
    let name = |text: &str| text.split([' ', '(']).nth(1).unwrap_or_default().to_string();
    let parts = PARTS.iter().map(|text| (format!("{}.mch", name(text)), text.to_string()));
    let files: Texts = parts.chain([(file.to_string(), main.to_string())]).collect();
    let loaded = load_from(&files, file.as_ref()).expect("the file is there");
    let messages: Vec<String> = loaded.diagnostics.iter().map(|d| render_line(&loaded.sources, d)).collect();
    let model = loaded.model.unwrap_or_else(|| panic!("{main}\n{messages:#?}"));
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = Scope::settle(&model, &request).expect("the scope is possible");
    with_large_stack(|| {
        let eval = Evaluator::new(&model, &scope);
        let mut counts = Counts { states: 0, transitions: 0, violating: 0, preconditions: 0 };
        let valuations = eval.constants(&Default::default());
        assert!(valuations.incomplete.is_none(), "{main}: {:?}", valuations.incomplete);
        for constants in &valuations.found {
            if !model.constants.is_empty() {
                counts.states += 1;
                counts.transitions += 1;
            }
            let mut known = BTreeSet::new();
            let mut todo = vec![];
            let mut edges = eval.initial_states(constants);
            loop {
                assert!(edges.incomplete.is_empty(), "{main}: {:?}", edges.incomplete);
                for Edge { outcome, .. } in edges.edges {
                    match outcome {
                        Outcome::Reached { state, .. } => {
                            counts.transitions += 1;
                            if known.insert(state.clone()) {
                                todo.push(state);
                            }
                        }
                        Outcome::PreconditionFailed(_) => counts.preconditions += 1,
                        other => panic!("{main}: {other:?}"),
                    }
                }
                let Some(state) = todo.pop() else { break };
                let fine = |c: &bsym_language::model::Conjunct| {
                    eval.pred(&Env::new(constants, &state), &c.pred).expect("the invariant is defined")
                };
                counts.violating += usize::from(!model.invariant.iter().all(fine));
                edges = eval.successors(constants, &state);
            }
            counts.states += known.len();
        }
        counts
    })
}

fn check(main: &str, states: usize, transitions: usize) {
    let name = main.split([' ', '(']).nth(1).unwrap_or_default();
    let extension = match main.split(' ').next() {
        Some("REFINEMENT") => "ref",
        Some("IMPLEMENTATION") => "imp",
        _ => "mch",
    };
    let counts = explore(&format!("{name}.{extension}"), main);
    assert_eq!((counts.states, counts.transitions), (states, transitions), "{main}");
    assert_eq!((counts.violating, counts.preconditions), (0, 0), "{main}");
}

#[test]
fn operations_of_a_seen_machine_belong_to_its_environment() {
    check(PARTS[1], 14, 48);
    check("MACHINE M SEES Display OPERATIONS idle = skip; r <-- q = r := shown END", 14, 72);
    check("MACHINE M INCLUDES Display OPERATIONS idle = skip; r <-- q = r := shown END", 12, 42);
}

#[test]
fn a_used_machine_is_the_one_that_is_included() {
    check(PARTS[2], 14, 30);
    check("MACHINE M INCLUDES Bound, Sensor PROMOTES lift, rise END", 14, 18);
}

#[test]
fn parameters_are_free_until_the_machine_is_included() {
    check(PARTS[4], 7, 12);
    check("MACHINE M INCLUDES Watch, Gauge(BOOL, 2) PROMOTES up END", 4, 4);
    check("MACHINE M SETS COLOUR = {c, d} EXTENDS Bag(COLOUR) END", 5, 10);
    check("MACHINE M EXTENDS Bag(1..2) END", 5, 10);
    check("MACHINE M SETS ANY_SET EXTENDS Bag(ANY_SET) END", 5, 10);
}

#[test]
fn two_instances_have_their_own_variables() {
    check(
        "MACHINE M EXTENDS Counter INCLUDES q.Counter
         OPERATIONS both = PRE x <= 1 & q.x = 0 THEN inc(1) || q.inc(2) END END",
        7,
        32,
    );
}

#[test]
fn calls_stand_wherever_a_substitution_does() {
    check(
        "MACHINE M INCLUDES Counter VARIABLES y INVARIANT y : 0..3 INITIALISATION y := 0
         OPERATIONS
           twice = PRE x <= 1 THEN BEGIN inc(1); inc(1); y := x END END;
           by_local = VAR z IN z <-- get; y := z END;
           branch = IF x = 3 THEN y <-- get ELSE skip END;
           loop = PRE x < 3 THEN VAR c IN c := 0;
             WHILE c < 1 DO inc(1); c := c + 1 INVARIANT c : 0..1 VARIANT 1 - c END END END END",
        10,
        30,
    );
    check(
        "MACHINE M INCLUDES Counter VARIABLES y, g INVARIANT y : 0..4 & g : BOOL
         INITIALISATION y <-- get || g := TRUE
         OPERATIONS
           r, s <-- results = BEGIN r, s <-- two || y <-- get END;
           between = PRE y < 3 THEN VAR a, b IN a, b <-- two;
             IF a < 3 THEN inc(b - a); y <-- get ELSE skip END END END;
           choices = PRE g = TRUE THEN g <-- even ||
             CHOICE y := 0 OR ANY z WHERE z : {1, 2} & x + z <= 3 THEN inc(z) END END END;
           reset = SELECT x = 3 THEN g := TRUE END END",
        17,
        57,
    );
}

#[test]
fn results_may_be_stored_in_parts() {
    // By hand: ProB wants a variable here. `f(1)` is x or 0, x goes from 0 to 3.
    check(
        "MACHINE M INCLUDES Counter VARIABLES f INVARIANT f : 1..2 --> 0..4 INITIALISATION f := {1 |-> 0, 2 |-> 0}
         OPERATIONS keep = PRE f(1) = 0 THEN f(1) <-- get END; up = PRE x < 3 THEN inc(1) END END",
        10,
        // 6 of `up` where x < 3, 4 of `keep` where f(1) = 0, the initialisation
        11,
    );
}

#[test]
fn a_call_outside_its_precondition_is_found() {
    let counts = explore(
        "M.mch",
        "MACHINE M INCLUDES Counter OPERATIONS wrong = inc(3); right = PRE x <= 1 THEN inc(1) END END",
    );
    assert_eq!((counts.states, counts.preconditions), (3, 3));
}

#[test]
fn a_refinement_has_its_own_state_and_its_sees() {
    check(
        "REFINEMENT R REFINES Tank VARIABLES gg INVARIANT gg : 0..3 & gg = water INITIALISATION gg := 0
         OPERATIONS stir = BEGIN gg := 3 - gg END; pour = gg := 1 END",
        26,
        94,
    );
}

#[test]
fn preconditions_of_the_abstraction_guard_what_is_kept() {
    // `pour` of the abstraction needs water < 2, and the refinement does not say so again.
    check(
        "REFINEMENT R REFINES Budget VARIABLES n INVARIANT n <= 4 INITIALISATION n := 0
         OPERATIONS bump = n := n + 1; r <-- rest = r := 4 - n END",
        5,
        10,
    );
}

#[test]
fn local_operations_are_no_events() {
    // By hand: ProB refuses them. `bump` does nothing when m = 4.
    check(
        "IMPLEMENTATION R REFINES Budget CONCRETE_VARIABLES m, t
         INVARIANT m : 0..4 & t : 0..4 & m + t = 4 & n = m INITIALISATION m := 0; t := 4
         LOCAL_OPERATIONS
           r <-- next(k) = PRE k : 0..3 THEN r := k + 1 END;
           shift(d) = PRE d : 0..1 THEN t := t - d END
         OPERATIONS
           bump = IF m < 4 THEN m <-- next(m); shift(1) END;
           shift(d) = BEGIN t := t - d END;
           r <-- rest = r := t END",
        5,
        11,
    );
}
