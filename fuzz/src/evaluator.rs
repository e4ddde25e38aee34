//! Text to a closed formula to a value: under small limits evaluation ends, without a panic.

use bsym_language::load::{check_expression, check_predicate, load_text};
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::value::env::Env;

const NAMES: &str = "MACHINE Fuzz SETS S; C = {red, green} END";

/// Runs the target on one input.
pub fn run(text: &str) {
    with_large_stack(|| {
        let mut model = load_text("Fuzz.mch", NAMES).model.expect("the names are right");
        let expression = check_expression(&mut model, text).ok();
        let predicate = check_predicate(&mut model, text).ok();
        let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked of it");
        let limits = Limits { listing: 1 << 10, rounds: 1 << 10, branching: 1 << 10 };
        let evaluator = Evaluator::new(&model, &scope).with_limits(limits);
        let env = Env::default();
        if let Some(Ok(value)) = expression.map(|e| evaluator.expr(&env, &e)) {
            evaluator.text(&value);
        }
        _ = predicate.map(|p| evaluator.pred(&env, &p));
    });
}
