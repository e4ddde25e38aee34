//! Guards of an event that do not depend on its parameters.

use std::collections::BTreeSet;

use bsym_language::model::Pred;

use super::formulas::{Condition, Formulas};
use super::location::Location;

/// A guard that does not depend on parameters: the event does nothing where it is false.
pub struct Literal<'m> {
    /// The truth that the predicate must have.
    pub positive: bool,
    /// The predicate.
    pub pred: &'m Pred,
    /// What it reads.
    pub reads: BTreeSet<Location>,
    /// The condition that it is, if it speaks of one location.
    pub condition: Option<Condition>,
    /// How many guards of the event are to be evaluated before it.
    pub place: usize,
    /// It is true where another guard of the event is, as `S /= {}` where `x : S` is.
    pub is_implied: bool,
}

impl<'m> Literal<'m> {
    /// A predicate with the truth that it must have.
    pub fn of(formulas: Formulas<'_, '_>, positive: bool, pred: &'m Pred, place: usize) -> Literal<'m> {
        let condition = formulas.condition(positive, pred);
        Literal { positive, pred, reads: formulas.reads_of_pred(pred), condition, place, is_implied: false }
    }
}
