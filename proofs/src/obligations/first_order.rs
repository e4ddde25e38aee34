//! Discharging obligations by their form in first-order logic.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::first_order::{Lowered, Sequent};
use bsym_encodings::session::SolverError;
use bsym_encodings::system::System;
use bsym_language::model::Model;
use bsym_semantics::scope::Scope;

use super::classical::Asked;
use super::obligation::Proof;
use super::typed::Typed;
use crate::sequent::{Decision, Prover};
use crate::steps;

/// The first-order form of obligations.
pub(super) struct FirstOrder<'m> {
    scope: &'m Scope,
    of: Of<'m>,
}

/// Origin of the obligations.
enum Of<'m> {
    Machine(&'m Model, Typed<'m>),
    /// A refinement of classical B, whose obligations are sequents from the beginning.
    Refinement(&'m BTreeMap<String, (Arc<Model>, Asked)>),
}

impl<'m> FirstOrder<'m> {
    /// First-order form of a machine's obligations, or of those of a refinement, by name.
    pub fn new(
        model: &'m Model,
        system: Option<&'m System>,
        asked: &'m BTreeMap<String, (Arc<Model>, Asked)>,
        scope: &'m Scope,
    ) -> Self {
        let of = match system {
            Some(system) => Of::Machine(model, Typed::new(model, system)),
            None => Of::Refinement(asked),
        };
        FirstOrder { scope, of }
    }

    /// Tries to prove an obligation within the time, as [`Prover::prove_in_first_order`] does.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn attempt(
        &self,
        obligation: usize,
        all: &[Proof],
        prover: &mut Prover<'_>,
        budget: &Budget,
        time: Duration,
    ) -> Result<Decision, SolverError> {
        let Some((model, sequents)) = self.sequents(obligation, all) else {
            return Ok(Decision::Refuted);
        };
        let budget = budget.within(time).per_query(time);
        prover.prove_in_first_order(model, self.scope, &sequents, &budget)
    }

    /// Returns the parts that have to be refuted one by one; `None` if there is no such form.
    pub fn parts(&self, obligation: usize, all: &[Proof]) -> Option<Vec<Lowered>> {
        let (model, sequents) = self.sequents(obligation, all)?;
        steps::parts(model, self.scope, &sequents)
    }

    /// Returns the sequents that an obligation consists of, with the model of their names.
    pub fn sequents(&self, obligation: usize, all: &[Proof]) -> Option<(&Model, Vec<Sequent>)> {
        match &self.of {
            Of::Machine(model, typed) => Some((*model, typed.sequents(obligation, all)?)),
            Of::Refinement(asked) => {
                let (model, asked) = asked.get(&all[obligation].name)?;
                Some((&**model, vec![asked.in_first_order(model)]))
            }
        }
    }
}
