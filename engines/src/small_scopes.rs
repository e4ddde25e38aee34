//! Scopes in which the evaluator looks where sizes of sets are open, and its work there.

use std::ops::ControlFlow;

use bsym_encodings::budget::Budget;
use bsym_language::model::Model;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::state::Constants;

/// Sizes of the deferred sets that have none, in the order in which the evaluator tries them.
pub const SIZES: [usize; 8] = [2, 1, 3, 4, 5, 6, 7, 8];

/// What the evaluator may spend on one formula.
pub const LIMITS: Limits = Limits { listing: 1 << 16, rounds: 1 << 16, branching: 1 << 12 };

/// The scopes that the evaluator tries: the own one where it is finite.
pub fn scopes<'m>(model: &'m Model, scope: &'m Scope) -> impl Iterator<Item = Scope> + 'm {
    let sizes: &[usize] = if scope.is_finite(model) { &SIZES[..1] } else { &SIZES };
    sizes.iter().map(|&size| scope.with_open_sets(model, |_| size))
}

/// Lets an evaluator of a scope work within a budget; choices among infinitely many values are cut, and noted.
pub fn evaluate_in<R>(
    model: &Model,
    scope: &Scope,
    budget: &Budget,
    cuts: &Cuts,
    work: impl FnOnce(&Evaluator<'_>) -> R,
) -> R {
    interruptible(&budget.cancellation(), budget.deadline, |interrupt| {
        let eval = Evaluator::new(model, scope);
        work(&eval.with_limits(LIMITS).with_interrupt(interrupt).with_bounded_choices(cuts))
    })
}

/// The first valuations of the constants, at most so many. What cannot be evaluated is left out.
pub fn valuations(eval: &Evaluator<'_>, most: usize) -> Vec<Constants> {
    let mut all = vec![];
    let _ = eval.each_valuation(&Default::default(), &mut |constants, truth| {
        all.extend(truth.is_ok().then_some(constants));
        if all.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    all
}
