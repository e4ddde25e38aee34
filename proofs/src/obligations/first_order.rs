//! Discharging obligations by their form in first-order logic.

use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::first_order::{Lowered, Selection, lower};
use bsym_encodings::session::SolverError;
use bsym_language::model::Model;
use bsym_semantics::scope::Scope;

use super::obligation::Proof;
use super::typed::Typed;
use crate::sequent::{Outcome, Prover};

/// The first-order form of a machine's obligations.
pub(super) struct FirstOrder<'m> {
    pub model: &'m Model,
    pub scope: &'m Scope,
    pub typed: Typed<'m>,
}

/// What became of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attempt {
    /// All parts are proved.
    Proved,
    /// There is no such form, or a part does not follow in it. Nothing is known, and more time changes nothing.
    Useless,
    /// A longer time may do.
    TooShort,
}

impl FirstOrder<'_> {
    /// Tries to prove all parts of an obligation within the time.
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
    ) -> Result<Attempt, SolverError> {
        let Some(parts) = self.parts(obligation, all) else { return Ok(Attempt::Useless) };
        let budget = budget.within(time).per_query(time);
        for Lowered { terms, assertions, .. } in &parts {
            match prover.refute(terms, assertions, &budget)? {
                Outcome::Proved => {}
                Outcome::Refuted => return Ok(Attempt::Useless),
                Outcome::Undecided(_) => return Ok(Attempt::TooShort),
            }
        }
        Ok(Attempt::Proved)
    }

    fn parts(&self, obligation: usize, all: &[Proof]) -> Option<Vec<Lowered>> {
        let sequents = self.typed.sequents(obligation, all)?;
        let mut parts = vec![];
        for sequent in &sequents {
            parts.extend(lower(self.model, self.scope, sequent, Selection::All).ok()?);
        }
        Some(parts)
    }
}
