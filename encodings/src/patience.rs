//! A finder that is not asked again and again where it does not know.
//!
//! A search asks for the values of the same names in every state. Where a solver could not say several
//! times that its values are all there are, everything was enumerated all the same, so that asking only
//! costs time.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bsym_language::model::Model;
use bsym_language::source::Span;
use bsym_semantics::constraint::methods::Method;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::finder::{Question, ValueFinder, Visit};
use bsym_semantics::tuning::Tuning;
use bsym_semantics::value::env::Name;

use crate::budget::Budget;
use crate::finder::SolverFinder;
use crate::session::SolverChoice;

/// Method that was asked, with its number of steps of writing, and the names whose values were wanted.
type Asked = (Method, u64, Vec<Name>);

/// Asks solvers as long as that helps.
#[derive(Debug)]
pub struct Patience {
    finder: SolverFinder,
    /// Number of questions of each size that were not answered.
    failures: RefCell<BTreeMap<Asked, usize>>,
    /// Names of which all values were known.
    answered: RefCell<BTreeSet<Vec<Name>>>,
}

impl Patience {
    /// The finder of a search: by the SAT solver that is built in, and an SMT solver if there is one.
    pub fn new(model: Arc<Model>, smt: Option<SolverChoice>, budget: &Budget) -> Patience {
        Patience {
            finder: SolverFinder::new(model, smt, budget.clone()),
            failures: RefCell::default(),
            answered: RefCell::default(),
        }
    }
}

impl ValueFinder for Patience {
    fn is_worth_asking(&self, unknowns: &[Name]) -> bool {
        let failures = self.failures.borrow();
        let has_failed = |method| {
            let failed = failures.get(&(method, Tuning::DEFAULT.methods.writing_steps, unknowns.to_vec()));
            failed.is_some_and(|n| *n >= Tuning::DEFAULT.methods.failures)
        };
        failures.is_empty() || !Method::FINDERS.into_iter().all(has_failed)
    }

    fn has_answered(&self, unknowns: &[Name]) -> bool {
        let answered = self.answered.borrow();
        !answered.is_empty() && answered.contains(unknowns)
    }

    fn find(&self, question: &Question<'_>, found: Visit<'_>) -> Result<bool, EvalError> {
        let unknowns: Vec<Name> = question.unknowns.iter().map(|(name, _)| *name).collect();
        let asked = (question.method, question.writing, unknowns.clone());
        if self.failures.borrow().get(&asked).is_some_and(|n| *n >= Tuning::DEFAULT.methods.failures) {
            let message = "no values are looked for by a solver that did not know them several times";
            return Err(EvalError::too_large(Span::default(), message));
        }
        let mut broken = false;
        let complete = self.finder.find(question, &mut |candidate| {
            let flow = found(candidate);
            broken = flow.is_break();
            flow
        });
        if complete.as_ref().is_ok_and(|complete| *complete) {
            self.answered.borrow_mut().insert(unknowns);
        } else if !broken {
            *self.failures.borrow_mut().entry(asked).or_default() += 1;
        }
        complete
    }
}
