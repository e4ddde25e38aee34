//! Guards of an event that do not depend on its parameters.

use std::collections::BTreeSet;

use bsym_language::model::Pred;

use super::formulas::{Condition, Formulas};
use super::location::Location;

/// A guard that does not depend on parameters: the event does nothing where it is false.
pub struct Literal<'m> {
    /// The truth value that the predicate must have.
    pub positive: bool,
    /// The predicate.
    pub pred: &'m Pred,
    /// Locations that the literal reads.
    pub reads: BTreeSet<Location>,
    /// The condition that the literal stands for, if it is about one location.
    pub condition: Option<Condition>,
    /// Number of guards of the event to evaluate before it.
    pub place: usize,
    /// The literal is true wherever another guard of the event is, as `S /= {}` where `x : S` is.
    pub is_implied: bool,
}

impl<'m> Literal<'m> {
    /// A predicate with the truth value that it must have.
    pub fn of(formulas: Formulas<'_, '_>, positive: bool, pred: &'m Pred, place: usize) -> Literal<'m> {
        let condition = formulas.condition(positive, pred);
        Literal { positive, pred, reads: formulas.reads_of_pred(pred), condition, place, is_implied: false }
    }
}
