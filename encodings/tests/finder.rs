//! Values that propagation cannot reach, found by a solver and checked by the evaluator.

use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::finder::SolverFinder;
use bsym_encodings::session::{SolverChoice, versions};
use bsym_language::load::load_text;
use bsym_language::model::{ConstId, Pred};
use bsym_language::types::Type;
use bsym_semantics::constraint::methods::{Answered, Method, Tally};
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::finder::{Question, ValueFinder};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::tuning::Methods;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::{Env, Name};
use bsym_testing::{Part, present};

fn has_solver() -> bool {
    present(Part::Solver, (!versions().is_empty()).then_some(()), "solver").is_some()
}

#[test]
fn a_solver_finds_all_valuations_and_says_so() {
    if !has_solver() {
        return;
    }
    let text = "MACHINE M CONSTANTS x, y, s PROPERTIES x : INTEGER & y : INTEGER & s <: BOOL &
        x + y = 10 & x - y = 4 & (x > y => TRUE : s) END";
    let model = load_text("M.mch", text).model.unwrap();
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
    let eval = Evaluator::new(&model, &scope);
    let alone = eval.constants(&Default::default());
    assert_eq!(alone.incomplete.map(|e| e.kind), Some(EvalErrorKind::TooLarge));
    let shared = Arc::new(model.clone());
    let finder = SolverFinder::new(shared, Some(SolverChoice::Default), Budget::unlimited());
    let with = eval.with_finder(&finder).constants(&Default::default());
    assert_eq!(with.incomplete, None);
    assert_eq!(with.found.len(), 2, "{:?}", with.found);
    assert!(with.found.iter().all(|c| c[0] == Value::int(7) && c[1] == Value::int(3)));
}

#[test]
fn a_valuation_that_makes_an_axiom_ill_defined_is_found_as_well() {
    if !has_solver() {
        return;
    }
    let text =
        "MACHINE M CONSTANTS x, y PROPERTIES x : INTEGER & y : INTEGER & x + y = 4 & x - y = 4 & 8 / y = 2
        END";
    let model = load_text("M.mch", text).model.unwrap();
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
    let finder = SolverFinder::new(Arc::new(model.clone()), Some(SolverChoice::Default), Budget::unlimited());
    let valuations = Evaluator::new(&model, &scope).with_finder(&finder).constants(&Default::default());
    assert!(valuations.found.is_empty(), "{:?}", valuations.found);
    assert_eq!(valuations.ill_defined.len(), 1);
    assert_eq!(valuations.incomplete, None);
}

/// The valuations of the constants of a machine with SAT alone, in their order, and what each method has answered.
fn by_sat(text: &str) -> (Vec<Vec<Value>>, Answered) {
    let model = load_text("M.mch", text).model.unwrap();
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
    let finder = SolverFinder::new(Arc::new(model.clone()), None, Budget::unlimited());
    let tally = Tally::default();
    let mut eval = Evaluator::new(&model, &scope).with_finder(&finder);
    eval.tally = Some(&tally);
    let found = eval.constants(&Default::default());
    assert_eq!((found.incomplete, found.ill_defined), (None, vec![]), "{text}");
    (found.found, tally.answered())
}

const QUEENS: &str =
    "MACHINE M CONSTANTS n, q PROPERTIES n = 6 & q : 1..n --> 1..n & !(i, j).(i : 1..n & j : 1..n & i < j =>
    q(i) /= q(j) & q(i) + i /= q(j) + j & q(i) - i /= q(j) - j) END";

/// What SAT says of the constants of a machine, in at most so many steps: their valuations, and whether these are all.
fn asked_of_sat(text: &str, budget: Budget) -> (Vec<Vec<Value>>, Result<bool, EvalError>) {
    let model = load_text("M.mch", text).model.unwrap();
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
    let finder = SolverFinder::new(Arc::new(model.clone()), None, budget);
    let unknowns: Vec<(Name, Type)> =
        model.constants.iter().zip(0..).map(|(c, i)| (Name::Const(ConstId(i)), c.ty.clone())).collect();
    let predicates: Vec<&Pred> = model.axioms.iter().map(|a| &a.pred).collect();
    let (method, env, limit) = (Method::Sat, Env::new(&[], &[]), 100);
    let question = Question {
        method,
        writing: Methods::DEFAULT.writing_steps,
        env: &env,
        scope: &scope,
        unknowns: &unknowns,
        predicates: &predicates,
        limit,
    };
    let mut valuations = vec![];
    let answer = finder.find(&question, &mut |found| {
        valuations.push(found.values);
        ControlFlow::Continue(())
    });
    (valuations, answer)
}

#[test]
fn sat_counts_all_solutions_once_and_in_the_same_order_each_time() {
    let (found, complete) = asked_of_sat(QUEENS, Budget::unlimited());
    assert_eq!((found.len(), complete), (4, Ok(true)));
    let mut different = found.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 4);
    assert_eq!(asked_of_sat(QUEENS, Budget::unlimited()).0, found);
}

/// The functions of 1..9 into itself are too many to list.
#[test]
fn what_the_search_gives_up_is_found_by_sat() {
    let (found, answered) = by_sat(
        "MACHINE M CONSTANTS f PROPERTIES f : 1..2 --> (1..9 --> 1..9) &
         !(r, c).(r : 1..2 & c : 1..9 => f(r)(c) = (r * c) mod 9 + 1) END",
    );
    assert_eq!((found.len(), answered), (1, Answered { sat: 1, ..Answered::default() }));
}

/// SAT could list some of infinitely many values, and say that there are no others only up to the width of a number.
#[test]
fn what_nothing_bounds_is_not_asked_of_sat() {
    let (found, answer) =
        asked_of_sat("MACHINE M CONSTANTS x PROPERTIES x : INTEGER & x * x = 900 END", Budget::unlimited());
    assert_eq!(found, Vec::<Vec<Value>>::new());
    assert!(answer.as_ref().is_err_and(|e| e.message.contains("nothing bounds")), "{answer:?}");
}

#[test]
fn what_the_search_finds_in_few_steps_is_asked_of_nobody() {
    let (found, answered) = by_sat("MACHINE M CONSTANTS x, f PROPERTIES x : 1..3 & f : 1..2 --> BOOL END");
    assert_eq!((found.len(), answered), (12, Answered { search: 1, ..Answered::default() }));
}

#[test]
fn quantifiers_are_written_out_over_sets_that_equations_settle() {
    // Latin squares of order 4 with a first row.
    let (found, answered) = by_sat(
        "MACHINE M CONSTANTS d, s PROPERTIES d = 1..4 & s : d --> (d >->> d) & s(1) = [1, 2, 3, 4] &
         !(i, j, k).(i : d & j : d & k : d & i < j => s(i)(k) /= s(j)(k)) & card({k | k : d & s(2)(k) > s(3)(k)}) : 0..4 END",
    );
    assert_eq!((found.len(), answered.search + answered.sat), (24, 1));
}

/// Nothing is lost by it: the next method is asked.
#[test]
fn what_takes_too_much_to_write_out_is_refused() {
    let (found, answer) = asked_of_sat(QUEENS, Budget::unlimited().in_steps(1_000));
    assert_eq!(found, Vec::<Vec<Value>>::new());
    assert!(answer.as_ref().is_err_and(|e| e.message.contains("1000 steps")), "{answer:?}");
}
