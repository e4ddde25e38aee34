//! Propositional logic, and a solver of unbounded terms for what takes numbers of more than 64 bits.

use std::rc::Rc;

use super::{Backend, RawAnswer, Size, SolverError, TermValue};
use crate::budget::{Budget, Stopped};
use crate::propositional::Propositional;
use crate::term::{Sort, Term, Terms};

/// Makes the other solver.
type Opener = Box<dyn Fn(Rc<Terms>) -> Result<Box<dyn Backend>, SolverError>>;

/// Asks the SAT solver, and another one where a number that is too wide keeps it from an answer.
pub(super) struct Wide {
    terms: Rc<Terms>,
    sat: Propositional,
    /// Opens the solver for wide numbers, once there are some.
    open: Opener,
    other: Option<Box<dyn Backend>>,
    asserted: Vec<Term>,
    /// Number of the asserted terms that the other solver has.
    told: usize,
    /// `true` if the other solver gave the last answer.
    by_other: bool,
    referred: u64,
}

impl Wide {
    pub fn new(terms: Rc<Terms>, open: Opener) -> Wide {
        let sat = Propositional::new(terms.clone());
        Wide { terms, sat, open, other: None, asserted: vec![], told: 0, by_other: false, referred: 0 }
    }

    /// The answer of the other solver, in what is left of the time of the query.
    fn refer(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        let other = match &mut self.other {
            Some(other) => other,
            none => none.insert((self.open)(self.terms.clone())?),
        };
        while let Some(&t) = self.asserted.get(self.told) {
            other.assert(t)?;
            self.told += 1;
        }
        self.referred += 1;
        self.by_other = true;
        other.check(assumptions, budget)
    }

    fn last(&mut self) -> &mut dyn Backend {
        match &mut self.other {
            Some(other) if self.by_other => &mut **other,
            _ => &mut self.sat,
        }
    }
}

impl Backend for Wide {
    fn name(&self) -> String {
        self.sat.name()
    }

    fn is_doubtful(&self) -> bool {
        self.by_other && self.other.as_ref().is_some_and(|other| other.is_doubtful())
    }

    fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        self.asserted.push(t);
        self.sat.assert(t)
    }

    fn alternatives(&mut self, all: &[Term]) {
        self.sat.alternatives(all);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        self.by_other = false;
        // Both together get the time of one query.
        let budget = match budget.query_time() {
            Some(time) => budget.within(time),
            None => budget.clone(),
        };
        let answer = self.sat.check(assumptions, &budget)?;
        match answer {
            RawAnswer::Unknown(Stopped::Incomplete(_)) if self.sat.is_too_wide() => {
                // A solver that is not there leaves the query open, as it was.
                self.refer(assumptions, &budget).or(Ok(answer))
            }
            answer => Ok(answer),
        }
    }

    fn core(&mut self) -> Result<Vec<usize>, SolverError> {
        self.last().core()
    }

    fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        self.last().value(t)
    }

    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError> {
        self.last().universe(sort)
    }

    fn steps(&self) -> u64 {
        self.sat.steps()
    }

    fn size(&self) -> Size {
        Size { referred: self.referred, ..self.sat.size() }
    }
}
