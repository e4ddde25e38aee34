//! Models: what a solver that answered `sat` says of terms.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::backend::{Backend, SolverError};
use super::evaluate::evaluate;
use super::value::TermValue;
use crate::term::{Sort, Term, Terms};

/// The model of the last check.
pub struct Model<'s> {
    pub(super) terms: &'s Terms,
    pub(super) backend: &'s mut dyn Backend,
    /// The elements of the sorts that have no others.
    pub(super) elements: Option<&'s BTreeMap<Sort, Vec<Term>>>,
}

impl Model<'_> {
    /// The value of a term.
    ///
    /// # Errors
    /// If the solver is gone.
    pub fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        let value = self.backend.value(t)?;
        if !value.is_opaque() || self.terms.as_symbol(t).is_some() {
            return Ok(value);
        }
        // Solvers leave some operators on arrays as they are; the values of the symbols say the rest.
        let mut symbols = FxHashMap::default();
        for id in self.terms.symbols(&[t]) {
            let symbol = self.terms.symbol_term(id);
            symbols.insert(id, self.backend.value(symbol)?);
        }
        Ok(evaluate(self.terms, t, &symbols).unwrap_or(value))
    }

    /// The elements of an uninterpreted sort in the model; none if the solver does not say.
    ///
    /// # Errors
    /// If the solver is gone.
    pub fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError> {
        if let Some(elements) = self.elements.and_then(|all| all.get(&sort)) {
            let values: Result<BTreeSet<TermValue>, SolverError> =
                elements.iter().map(|&e| self.backend.value(e)).collect();
            return Ok(values?.into_iter().collect());
        }
        self.backend.universe(sort)
    }

    /// Returns whether a Boolean term is true in the model.
    ///
    /// # Errors
    /// If the solver is gone.
    pub fn holds(&mut self, t: Term) -> Result<bool, SolverError> {
        Ok(self.value(t)? == TermValue::Bool(true))
    }
}
