//! Results of evaluation on a value that is decided in part: the answer, or the cell that it waits for.

use std::sync::Arc;

use bsym_language::load::{check_predicate, load_text};
use bsym_language::model::ConstId;

use crate::error::EvalErrorKind;
use crate::evaluator::Evaluator;
use crate::scope::{Scope, ScopeRequest};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;
use crate::value::partial::{CellId, Domain, PartialValue, Shape};

/// The truth of a predicate, or the cell, where `f : 1..3 --> 0..5` has the value 0 at 1 and nothing else is decided.
fn check(predicate: &str, expected: Result<bool, u32>) {
    let text = "MACHINE M CONSTANTS f PROPERTIES f : 1..3 --> 0..5 END";
    let mut model = load_text("M.mch", text).model.expect("the machine is right");
    let predicate = check_predicate(&mut model, predicate).expect("the predicate is right");
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked of the scope");
    let open = || Arc::new(Domain::Listed((0..=5).map(|n| Some(Value::int(n))).collect()));
    let shape = Shape::Function {
        from: (1..=3).map(Value::int).collect(),
        to: (0..=5).map(Value::int).collect(),
        total: true,
        injective: false,
        surjective: false,
    };
    let decided = Arc::new(Domain::Listed(vec![Some(Value::int(0))]));
    let cells = Arc::new(vec![decided, open(), open()]);
    let partial = PartialValue { search: u32::MAX, first: 10, shape: Arc::new(shape), cells, trial: None };
    let bound = [(Name::Const(ConstId(0)), LazySet::Partial(partial).into())];
    let base = Env::default();
    let frame = base.frame(&bound);
    let truth = Evaluator::new(&model, &scope).pred(&base.within(&frame), &predicate);
    match expected {
        Ok(expected) => assert_eq!(truth, Ok(expected)),
        Err(cell) => {
            let error = truth.expect_err("it is not decided");
            assert_ne!(error.kind, EvalErrorKind::IllDefined);
            assert_eq!(error.awaits, Some(CellId { search: u32::MAX, cell }), "{error:?}");
        }
    }
}

#[test]
fn what_is_decided_has_a_truth_value() {
    check("f(1) = 0", Ok(true));
    check("f(1) = 0 or f(2) = 0", Ok(true));
    check("3 |-> 9 : f", Ok(false));
    check("dom(f) = 1..3", Ok(true));
    check("#x.(x : 1..3 & f(x) = 0)", Ok(true));
}

#[test]
fn what_is_not_names_the_first_cell_that_it_waits_for() {
    check("f(2) = 0", Err(11));
    check("f(3) = 0 or f(2) = 0", Err(12));
    check("2 |-> 4 : f", Err(11));
    check("4 : {x | x : NATURAL & x < f(3)}", Err(12));
    check("!x.(x : 1..3 => f(x) < 3)", Err(11));
    check("5 : INTEGER - ran(f)", Err(11));
}

#[test]
fn what_is_too_large_names_the_cell_that_may_confine_it() {
    check("!x.(x : NATURAL & x < f(3) => x /= 2)", Err(12));
}
