//! Scopes in which the evaluator looks where sizes of sets are open, and what it may spend there.

use bsym_language::model::Model;
use bsym_semantics::evaluator::Limits;
use bsym_semantics::scope::Scope;

/// Sizes of the deferred sets that have none, in the order in which the evaluator tries them.
pub const SIZES: [usize; 8] = [2, 1, 3, 4, 5, 6, 7, 8];

/// What the evaluator may spend on one formula.
pub const LIMITS: Limits = Limits { listing: 1 << 16, rounds: 1 << 16, branching: 1 << 12 };

/// The scopes that the evaluator tries: the own one where it is finite.
pub fn scopes<'m>(model: &'m Model, scope: &'m Scope) -> impl Iterator<Item = Scope> + 'm {
    let sizes: &[usize] = if scope.is_finite(model) { &SIZES[..1] } else { &SIZES };
    sizes.iter().map(|&size| scope.with_open_sets(model, |_| size))
}
