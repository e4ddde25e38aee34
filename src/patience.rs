//! A finder that is not asked again and again where it does not know.
//!
//! A search asks for the values of the same names in every state. Where the solver could not say several
//! times that its values are all there are, everything was enumerated all the same, so that asking only
//! costs time.

use std::cell::RefCell;
use std::collections::BTreeMap;

use bsym_encodings::finder::SolverFinder;
use bsym_language::model::Pred;
use bsym_language::types::Type;
use bsym_semantics::env::{Env, Name};
use bsym_semantics::error::EvalError;
use bsym_semantics::finder::{Found, ValueFinder};
use bsym_semantics::scope::Scope;

/// How often the finder may fail for the same names.
const FAILURES: usize = 3;

/// Asks a solver as long as that helps.
pub struct Patience {
    finder: SolverFinder,
    failures: RefCell<BTreeMap<Vec<Name>, usize>>,
}

impl Patience {
    /// Asks this finder.
    pub fn new(finder: SolverFinder) -> Patience {
        Patience { finder, failures: RefCell::default() }
    }
}

impl ValueFinder for Patience {
    fn find(
        &self,
        env: &Env<'_>,
        scope: &Scope,
        unknowns: &[(Name, Type)],
        conjuncts: &[&Pred],
        limit: usize,
    ) -> Result<Found, EvalError> {
        let names: Vec<Name> = unknowns.iter().map(|(name, _)| *name).collect();
        if self.failures.borrow().get(&names).is_some_and(|n| *n >= FAILURES) {
            return Ok(Found { valuations: vec![], complete: false });
        }
        let found = self.finder.find(env, scope, unknowns, conjuncts, limit);
        if !found.as_ref().is_ok_and(|f| f.complete) {
            *self.failures.borrow_mut().entry(names).or_default() += 1;
        }
        found
    }
}
