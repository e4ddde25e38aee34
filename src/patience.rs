//! A finder that is not asked again and again where it does not know.
//!
//! A search asks for the values of the same names in every state. Where the solver could not say several
//! times that its values are all there are, everything was enumerated all the same, so that asking only
//! costs time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::finder::SolverFinder;
use bsym_encodings::session::open::SolverChoice;
use bsym_language::model::{Model, Pred};
use bsym_language::types::Type;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::finder::{Found, ValueFinder};
use bsym_semantics::scope::Scope;
use bsym_semantics::value::env::{Env, Name};

/// How often the finder may fail for the same names.
const FAILURES: usize = 3;
/// Longest time of one question to the solver for values.
const QUERY: Duration = Duration::from_secs(2);
/// Most valuations that the solver is asked for at one place.
const SOLUTIONS: usize = 64;

/// Asks a solver as long as that helps.
pub struct Patience {
    finder: SolverFinder,
    failures: RefCell<BTreeMap<Vec<Name>, usize>>,
}

impl Patience {
    /// The finder of a search: it has to be quick, because everything is enumerated where it does not know.
    pub fn new(model: Arc<Model>, solver: SolverChoice, budget: &Budget) -> Patience {
        let finder = SolverFinder::new(model, solver, budget.per_query(QUERY), SOLUTIONS);
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
