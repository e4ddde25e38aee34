//! Two solvers in one session: the second is asked what the first does not decide.

use std::rc::Rc;
use std::time::Duration;

use super::{Backend, RawAnswer, Size, SolverError, TermValue};
use crate::budget::{Budget, Stopped};
use crate::term::{Sort, Term, Terms};
use crate::tuning::tuning;

/// Makes the second solver.
type Opener = Box<dyn Fn(Rc<Terms>) -> Result<Box<dyn Backend>, SolverError>>;

/// When the second solver is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    /// Where a number is too wide for the first one.
    TooWide,
    /// Where the first one does not decide in a part of the time.
    Undecided,
}

/// Asks a solver, and another one where the first does not decide.
pub(super) struct Second {
    terms: Rc<Terms>,
    first: Box<dyn Backend>,
    when: When,
    /// Opens the second solver, once it is asked.
    open: Opener,
    second: Option<Box<dyn Backend>>,
    asserted: Vec<Term>,
    /// Number of the asserted terms that the second solver has.
    told: usize,
    /// `true` if the second solver gave the last answer.
    by_second: bool,
    referred: u64,
    /// Time that the first solver has, where the second is asked what it does not decide.
    share: Duration,
}

impl Second {
    pub fn new(terms: Rc<Terms>, first: Box<dyn Backend>, when: When, open: Opener) -> Second {
        let share = tuning().session.first_of_two;
        Second {
            terms,
            first,
            when,
            open,
            second: None,
            asserted: vec![],
            told: 0,
            by_second: false,
            referred: 0,
            share,
        }
    }

    /// The answer of the second solver, in what is left of the time of the query.
    fn refer(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        let second = match &mut self.second {
            Some(second) => second,
            none => none.insert((self.open)(self.terms.clone())?),
        };
        while let Some(&t) = self.asserted.get(self.told) {
            second.assert(t)?;
            self.told += 1;
        }
        self.referred += 1;
        self.by_second = true;
        second.check(assumptions, budget)
    }

    fn last(&self) -> &dyn Backend {
        match &self.second {
            Some(second) if self.by_second => &**second,
            _ => &*self.first,
        }
    }

    fn last_mut(&mut self) -> &mut dyn Backend {
        match &mut self.second {
            Some(second) if self.by_second => &mut **second,
            _ => &mut *self.first,
        }
    }
}

impl Backend for Second {
    fn name(&self) -> String {
        match &self.second {
            Some(second) if self.when == When::Undecided => {
                format!("{} and {}", self.first.name(), second.name())
            }
            _ => self.first.name(),
        }
    }

    fn is_doubtful(&self) -> bool {
        self.last().is_doubtful()
    }

    fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        self.asserted.push(t);
        self.first.assert(t)
    }

    fn alternatives(&mut self, all: &[Term]) {
        self.first.alternatives(all);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        self.by_second = false;
        // Both together get the time of one query.
        let budget = match budget.query_time() {
            Some(time) => budget.within(time),
            None => budget.clone(),
        };
        let first = match self.when {
            When::TooWide => budget.clone(),
            When::Undecided => budget.per_query(self.share),
        };
        let answer = self.first.check(assumptions, &first)?;
        let is_referred = match (&answer, self.when) {
            (RawAnswer::Unknown(Stopped::Incomplete(_)), When::TooWide) => self.first.is_too_wide(),
            (RawAnswer::Unknown(_), When::Undecided) => budget.check().is_ok(),
            _ => false,
        };
        if !is_referred {
            return Ok(answer);
        }
        // A solver that is not there leaves the query open, as it was.
        let referred = self.refer(assumptions, &budget).or(Ok(answer))?;
        if !matches!(referred, RawAnswer::Unknown(_)) {
            self.share /= tuning().session.second_serves;
        }
        Ok(referred)
    }

    fn core(&mut self) -> Result<Vec<usize>, SolverError> {
        self.last_mut().core()
    }

    fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        self.last_mut().value(t)
    }

    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError> {
        self.last_mut().universe(sort)
    }

    fn steps(&self) -> u64 {
        self.first.steps()
    }

    fn size(&self) -> Size {
        Size { referred: self.referred, ..self.first.size() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Answer, Session};

    /// Decides nothing.
    struct Undecided;

    impl Backend for Undecided {
        fn name(&self) -> String {
            "undecided".into()
        }

        fn assert(&mut self, _: Term) -> Result<(), SolverError> {
            Ok(())
        }

        fn check(&mut self, _: &[Term], _: &Budget) -> Result<RawAnswer, SolverError> {
            Ok(RawAnswer::Unknown(Stopped::Timeout))
        }

        fn core(&mut self) -> Result<Vec<usize>, SolverError> {
            unreachable!("it never says unsat")
        }

        fn value(&mut self, _: Term) -> Result<TermValue, SolverError> {
            unreachable!("it never says sat")
        }

        fn universe(&mut self, _: Sort) -> Result<Vec<TermValue>, SolverError> {
            unreachable!("it never says sat")
        }
    }

    fn session(terms: &Rc<Terms>, when: When) -> Session {
        let open = Box::new(|terms: Rc<Terms>| {
            Ok(Box::new(crate::propositional::Propositional::proving(terms)) as Box<dyn Backend>)
        });
        Session::new(terms.clone(), Box::new(Second::new(terms.clone(), Box::new(Undecided), when, open)))
    }

    #[test]
    fn the_second_solver_knows_all_that_was_asserted_and_is_named_with_its_answer() {
        let terms = Rc::new(Terms::new());
        let mut session = session(&terms, When::Undecided);
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.symbol(name, Terms::BOOL));
        let budget = Budget::unlimited();
        session.assert(terms.or([a, b])).unwrap();
        assert_eq!(session.solver(), "undecided");
        let Answer::Sat(mut model) = session.check(&[terms.not(a), c], &budget).unwrap() else {
            panic!("it is satisfiable")
        };
        assert_eq!(model.value(b).unwrap(), TermValue::Bool(true));
        assert!(session.solver().starts_with("undecided and batsat"), "{}", session.solver());
        session.assert(terms.not(b)).unwrap();
        let Answer::Unsat(core) = session.check(&[c, terms.not(a)], &budget).unwrap() else {
            panic!("it is unsatisfiable")
        };
        assert!(core.contains(terms.not(a)) && !core.contains(c));
    }

    #[test]
    fn a_first_solver_that_numbers_do_not_stop_is_alone() {
        let terms = Rc::new(Terms::new());
        let mut session = session(&terms, When::TooWide);
        session.assert(terms.symbol("a", Terms::BOOL)).unwrap();
        assert!(matches!(session.check(&[], &Budget::unlimited()).unwrap(), Answer::Unknown(_)));
        assert_eq!(session.solver(), "undecided");
    }
}
