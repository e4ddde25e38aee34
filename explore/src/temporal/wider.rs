//! Formulas that are false on a path only because `MAXINT` is as small as it is.

use std::cell::Cell;

use bsym_language::int::Int;
use bsym_language::model::Model;
use bsym_language::temporal::Temporal;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::scope::Scope;
use bsym_semantics::temporal::{Continuation, holds};
use bsym_semantics::trace::bounds::{is_path, larger_maxint};

use super::counterexample::{Reading, Refutation};

use crate::tuning::tuning;

/// Returns a larger `MAXINT` with which the formula is not false on the path, if the bounds of the scope are the
/// reason.
///
/// `None` if the formula is false with the bounds of 32 bits as well, if these do not allow the path, if it cannot be
/// evaluated with little work, or if the model has chosen its bounds.
pub fn maxint_without(model: &Model, temporal: &Temporal, found: &Refutation) -> Option<Int> {
    let is_gone = |scope: &Scope| {
        is_gone(model, temporal, found, scope) == Some(true) && is_path(model, &found.trace, scope)
    };
    larger_maxint(model, &found.trace.scope, &is_gone)
}

/// Returns whether the path no longer shows that the formula is false, in another scope; `None` if that is not known.
fn is_gone(model: &Model, temporal: &Temporal, found: &Refutation, scope: &Scope) -> Option<bool> {
    let work = Work::new(tuning().temporal.wider_work);
    work.portion(tuning().temporal.wider_work);
    let eval = Evaluator::new(model, scope).with_work(&work);
    let reading = Reading::on_demand(&eval, found);
    // `true` if an atom has no truth value although it does not depend on the continuation of the path.
    let has_failed = Cell::new(false);
    let truth = |continuation| {
        let truth = holds(&temporal.formula, reading.positions, continuation, &|at, atom| {
            let atom = &temporal.atoms[atom];
            let truth = reading.atom(at, atom);
            has_failed.set(has_failed.get() || truth.is_none() && !reading.is_open(at, atom));
            truth
        });
        (!has_failed.get()).then_some(truth)
    };
    match found.continuation {
        Continuation::Loop(begin) => match truth(found.continuation)?? {
            true => Some(true),
            false => reading.is_fair(temporal, begin).map(|is_fair| !is_fair),
        },
        Continuation::Ends if reading.is_dead(reading.positions.checked_sub(1)?)? => {
            truth(Continuation::Ends)?
        }
        // A path that ends in the smaller scope can be continued in this one.
        Continuation::Ends | Continuation::Open => Some(truth(Continuation::Open)? != Some(false)),
    }
}
