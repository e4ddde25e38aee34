//! Valuations and transitions found by propagation, with what is ill-defined reported on the way.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bsym_language::load::load_text;
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::Valuations;

fn model(text: &str) -> Model {
    let loaded = load_text("M.mch", text);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn scope(model: &Model) -> Scope {
    Scope::settle(model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap()
}

/// The valuations of constants, under few candidates: blind enumeration would not end.
fn solve(constants: &str, properties: &str) -> (Valuations, Vec<String>) {
    let text = format!("MACHINE M CONSTANTS {constants} PROPERTIES {properties} END");
    with_large_stack(move || {
        let model = model(&text);
        let scope = scope(&model);
        let eval = Evaluator::new(&model, &scope);
        let eval = eval.with_limits(Limits { listing: 5_000, ..Limits::default() });
        let valuations = eval.constants(&Default::default());
        let texts = valuations.found.iter().map(|c| {
            let values: Vec<_> = c.iter().map(|v| eval.text(v)).collect();
            values.join(" ; ")
        });
        let texts = texts.collect();
        (valuations, texts)
    })
}

fn check(constants: &str, properties: &str, expected: &[&str]) {
    let (valuations, texts) = solve(constants, properties);
    assert_eq!(valuations.incomplete, None, "{properties}");
    assert_eq!(texts, expected, "{properties}");
}

#[test]
fn integers_are_confined_by_comparisons() {
    check("x", "x * x = 49 & x < 0", &["-7"]);
    check("x, y", "x + y = 10 & x > y & y > 3", &["6 ; 4"]);
    check("x, y, z", "x : 0..9 & y : 0..9 & z : 0..9 & 100 * x + 10 * y + z = 725", &["7 ; 2 ; 5"]);
    check("x, y", "x : 1..100000 & y : 1..100000 & x + y = 3 & x > y", &["2 ; 1"]);
    check("x", "x : 0..100 & 3 * x = 7", &[]);
}

#[test]
fn unknowns_that_occur_more_than_once_are_confined() {
    check("x", "x + x + x = 60", &["20"]);
    check("x", "x + 5 = 2 * x - 1", &["6"]);
    check("x", "x + x + x = 61", &[]);
    check("x", "x + 3 = x", &[]);
    check("x", "2 * x - 7 > x & 3 * x < 20 + x", &["8", "9"]);
    check("x, y", "y : 1..3 & x + y + x + x = 4 * y + 6", &["3 ; 1", "4 ; 2", "5 ; 3"]);
    check("s", "s = {x | x + x + x = 60} & s = {20}", &["{20}"]);
}

#[test]
fn functions_are_built_up_point_by_point() {
    // The four ways to place six queens, out of 46,656 functions.
    let queens = "q : 1..6 --> 1..6 & !(i, j).(i : 1..6 & j : 1..6 & i < j =>
        q(i) /= q(j) & q(i) + j - i /= q(j) & q(i) - j + i /= q(j))";
    let (valuations, texts) = solve("q", queens);
    assert_eq!(valuations.incomplete, None);
    assert_eq!(texts.len(), 4, "{texts:?}");
    check(
        "f",
        "f : 1..9 --> 0..9 & !i.(i : 1..8 => f(i) < f(i + 1)) & f(1) = 1",
        &["{(1|->1),(2|->2),(3|->3),(4|->4),(5|->5),(6|->6),(7|->7),(8|->8),(9|->9)}"],
    );
}

#[test]
fn sets_are_built_up_element_by_element() {
    check("s", "s <: 1..20 & card(s) = 2 & 19 : s & 20 : s", &["{19,20}"]);
    check("s", "s : POW(1..18) & !x.(x : 1..18 => (x : s <=> x mod 9 = 0))", &["{9,18}"]);
}

#[test]
fn sequence_operators_are_inverted() {
    let both = "x : seq(INTEGER) & y : seq(INTEGER)";
    check(
        "x, y",
        &format!("{both} & x ^ y = [1, 2]"),
        &["{} ; {(1|->1),(2|->2)}", "{(1|->1)} ; {(1|->2)}", "{(1|->1),(2|->2)} ; {}"],
    );
    check("x", "x : seq(INTEGER) & [1] ^ x = [1, 2, 3]", &["{(1|->2),(2|->3)}"]);
    check("x", "x : seq(INTEGER) & [2] ^ x = [1, 2, 3]", &[]);
    check("x", "x : seq(INTEGER) & x ^ x = [1, 2, 1, 2]", &["{(1|->1),(2|->2)}"]);
    check("x", "x : seq(INTEGER) & x <- 3 = [1, 3]", &["{(1|->1)}"]);
    check("x, y", "x : seq(INTEGER) & y -> x = [7, 8, 9]", &["{(1|->8),(2|->9)} ; 7"]);
    check("x", "x : seq(INTEGER) & rev(x) = [1, 2, 3]", &["{(1|->3),(2|->2),(3|->1)}"]);
    check("x", "x : seq1(5..7) & front(x) = [1]", &[]);
    check(
        "x",
        "x : seq1(1..3) & front(x) = [2]",
        &["{(1|->2),(2|->1)}", "{(1|->2),(2|->2)}", "{(1|->2),(2|->3)}"],
    );
    check("x", "x : iseq1(1..3) & tail(x) = [2]", &["{(1|->1),(2|->2)}", "{(1|->3),(2|->2)}"]);
    check("x", "x : seq(INTEGER) & conc([[1], x, [9]]) = [1, 5, 6, 9]", &["{(1|->5),(2|->6)}"]);
    check("x", "x : seq(INTEGER) & conc([x, [1], x]) = [4, 1, 4]", &["{(1|->4)}"]);
    check("x, y", "[x, 2, y + 1] = [1, 2, 3]", &["1 ; 2"]);
    check("x, y", "[x, y] = [1, 2, 3]", &[]);
    check("x", "x : seq(INTEGER) & rev(x) <- 4 : {[1, 2, 4], [5, 6], {2 |-> 4}}", &["{(1|->2),(2|->1)}"]);
}

#[test]
fn inverted_sequence_operators_find_what_enumeration_finds() {
    let sequences = "x : POW((1..3) * (1..2)) & y : POW((1..3) * (1..2)) & x : seq(1..2) & y : seq(1..2)";
    for equation in [
        "x ^ y = [1, 2, 1]",
        "x <- 2 = 1 -> [1, 2] & y ^ y = [2, 2]",
        "rev(x) ^ y = [2, 1]",
        "rev(x ^ y) = [2, 1]",
        "conc([x, [2], y]) = [1, 2, 2]",
        "x /= [] & front(x) ^ y = [1, 1]",
        "y /= [] & x ^ tail(y) = [2, 1]",
        "[x, y] = [[1], [2]]",
        "x |-> rev(y) : {[1] |-> [1, 2], [2] |-> [2, 1]}",
    ] {
        let (found, found_texts) = solve("x, y", &format!("x : seq(1..2) & y : seq(1..2) & {equation}"));
        // What has a number of its own is judged where all is bound.
        let hidden = format!("{sequences} & bool({equation}) = TRUE");
        let (all, all_texts) = solve("x, y", &hidden);
        assert_eq!((found.incomplete, all.incomplete), (None, None), "{equation}");
        let sorted = |mut texts: Vec<String>| {
            texts.sort();
            texts
        };
        assert_eq!(sorted(found_texts), sorted(all_texts), "{equation}");
    }
}

#[test]
fn a_sequence_operator_on_what_may_be_no_sequence_is_not_inverted() {
    for properties in ["x : POW((1..2) * (1..2)) & rev(x) = [2, 1]", "x : seq(1..1) & front(x) = [1]"] {
        let (valuations, _) = solve("x", properties);
        assert!(!valuations.ill_defined.is_empty(), "{properties}");
    }
}

#[test]
fn what_is_ill_defined_is_reported_although_it_could_be_cut_off() {
    // f(1) = 0 makes the second conjunct ill-defined, whatever the third says of the rest.
    let (valuations, texts) = solve("f", "f : 1..3 --> 0..2 & 6 / f(1) = 3 & f(2) = f(1) & f(3) = 1");
    assert_eq!(texts, ["{(1|->2),(2|->2),(3|->1)}"]);
    assert_eq!(valuations.ill_defined.len(), 9);
    // One instance of the quantifier is false, another one ill-defined.
    let (valuations, texts) = solve("f", "f : 1..5 --> 0..1 & !i.(i : 1..5 => 1 / f(i) = 1)");
    assert_eq!(texts.len(), 1);
    assert_eq!(valuations.ill_defined.len(), 31);
    // An operand that is ill-defined for every instance is not hidden by a set that cannot be listed.
    let (valuations, _) = solve("x", "x : {1 |-> {5}}(2)");
    assert_eq!(valuations.ill_defined.len(), 1);
}

#[test]
fn an_infinite_set_is_no_finite_part_whatever_its_elements_are() {
    check("x", "x = bool({y | y > 2} : FIN(NATURAL))", &["FALSE"]);
    check("x", "x = bool({y | y > 2} /: FIN1(NATURAL))", &["TRUE"]);
}

#[test]
fn of_infinitely_many_valuations_some_are_found() {
    let (valuations, texts) = solve("m, n", "m : NATURAL & n : NATURAL1 & n > m");
    assert_eq!(texts[0], "0 ; 1");
    assert!(texts.len() > 10);
    assert_eq!(valuations.incomplete.map(|e| e.kind), Some(EvalErrorKind::TooLarge));
}

#[test]
fn edges_come_one_by_one() {
    let model = model(
        "MACHINE M VARIABLES x INVARIANT x : NATURAL INITIALISATION x :: NATURAL
         OPERATIONS jump = ANY y WHERE y : NATURAL & y > x THEN x := y END END",
    );
    let scope = scope(&model);
    let eval = Evaluator::new(&model, &scope);
    let mut states = Vec::new();
    let done = eval.each_edge(None, &[], &[], &mut |edge| {
        states.extend(edge.state().cloned());
        if states.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(done, Ok(ControlFlow::Break(())));
    assert_eq!(states.len(), 3);
    let edges = eval.successors(&[], &states[0]);
    assert!(edges.edges.len() > 3);
    assert_eq!(edges.incomplete.len(), 1);
}

#[test]
fn an_evaluation_stops_when_it_is_asked_to() {
    let model = model("MACHINE M CONSTANTS f PROPERTIES f : 1..12 --> 1..12 & f(1) + f(12) = 0 END");
    let scope = scope(&model);
    let stop = AtomicBool::new(true);
    let valuations = Evaluator::new(&model, &scope).with_interrupt(&stop).constants(&Default::default());
    assert_eq!(valuations.incomplete.map(|e| e.kind), Some(EvalErrorKind::Interrupted));
}

#[test]
fn a_loop_stops_when_it_is_asked_to() {
    let model = model(
        "MACHINE M VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0
         OPERATIONS go = WHILE x < 10000000 DO x := x + 1 INVARIANT TRUE = TRUE VARIANT 10000000 - x END END",
    );
    let scope = scope(&model);
    let stop = AtomicBool::new(false);
    let eval = Evaluator::new(&model, &scope).with_interrupt(&stop);
    let started = Instant::now();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        let initial = eval.initial_states(&[]).edges.into_iter().find_map(|edge| edge.state().cloned());
        let edges = eval.successors(&[], &initial.expect("the machine has an initial state"));
        assert_eq!(edges.incomplete.len(), 1);
    });
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn a_closure_of_a_dense_relation_stops_when_it_is_asked_to() {
    // Its closure is the relation itself, and there are some hundred million edges to follow.
    let model = model("MACHINE M CONSTANTS n PROPERTIES n = card(closure1((1..600) * (1..600))) END");
    let scope = scope(&model);
    let stop = AtomicBool::new(false);
    let begin = Instant::now();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        let eval = Evaluator::new(&model, &scope).with_interrupt(&stop);
        let valuations = eval.constants(&Default::default());
        assert_eq!(valuations.incomplete.map(|e| e.kind), Some(EvalErrorKind::Interrupted));
    });
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
}

#[test]
fn a_disjunction_of_equations_confines_what_they_solve() {
    let half = "{x, r | x : NATURAL & (r * 2 = x or r * 2 = x - 1)}";
    check("y", &format!("y = {half}(1001)"), &["500"]);
    check("y", &format!("y = {half}[{{6, 7}}]"), &["{3}"]);
    check("x", "x * 3 = 7 or x + x = 8 or (x > 20 & x < 23)", &["4", "21", "22"]);
    check("x", "x * 3 = 7 or x + x = 9", &[]);
}

#[test]
fn the_elements_of_an_included_extension_are_confined_each() {
    let digits = "{t, w, o, f, u, r} <: 0..9 & card({t, w, o, f, u, r}) = 6 & {t, f} <: 1..9";
    let sum = "2 * (100 * t + 10 * w + o) = 1000 * f + 100 * o + 10 * u + r & o > 6";
    let solutions = ["8 ; 6 ; 7 ; 1 ; 3 ; 4", "9 ; 2 ; 8 ; 1 ; 5 ; 6", "9 ; 3 ; 8 ; 1 ; 7 ; 6"];
    check("t, w, o, f, u, r", &format!("{digits} & {sum}"), &solutions);
    check("x, y", "{x, y} <: {z | z : 1..4 & z mod 2 = 0} & x < y", &["2 ; 4"]);
}

#[test]
fn a_recursive_function_leaves_the_names_of_what_it_calls_to_later_conjuncts() {
    let run = "step : (0..3) * (0..2) --> POW(0..3) &
        run = %(z, s).(z <: 0..3 & s = [] | z) \\/
            %(z, s).(z <: 0..3 & s /= [] | UNION(x).(x : z | run(step(x, first(s)), tail(s)))) &
        step = {x, i, z | x : 0..3 & i : 0..2 & z = {x, (x + i) mod 4}} & end = run({0}, [1, 2])";
    let (valuations, texts) = solve("run, step, end", run);
    assert_eq!((valuations.incomplete, valuations.ill_defined.len()), (None, 0));
    assert_eq!(texts.len(), 1);
    assert!(texts[0].ends_with("; {0,1,2,3}"), "{texts:?}");
}
