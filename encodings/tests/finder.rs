//! Values that propagation cannot reach, found by a solver and checked by the evaluator.

use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::finder::SolverFinder;
use bsym_encodings::session::{SolverChoice, versions};
use bsym_language::load::load_text;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::value::Value;
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
    let finder = SolverFinder::new(shared, SolverChoice::Default, Budget::unlimited(), 100);
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
    let finder = SolverFinder::new(Arc::new(model.clone()), SolverChoice::Default, Budget::unlimited(), 100);
    let valuations = Evaluator::new(&model, &scope).with_finder(&finder).constants(&Default::default());
    assert!(valuations.found.is_empty(), "{:?}", valuations.found);
    assert_eq!(valuations.ill_defined.len(), 1);
    assert_eq!(valuations.incomplete, None);
}
