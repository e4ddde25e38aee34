//! The solver sessions in which one-step queries are decided: one about sets of any size, and some about small sets.

use std::rc::Rc;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::{Session, SolverError, Statistics};
use bsym_encodings::term::{Sort, Term, Terms};

use crate::problem::{Decided, MayBeOpen, Open, Problem, decide};
use crate::tuning::tuning;

/// Sessions with the same permanent assertions.
#[derive(Debug)]
pub(super) struct Sessions {
    any_size: Session,
    /// Sessions in which states are looked for first, by growing sizes of the sorts; empty if only predicates are used.
    small: Vec<Small>,
    /// Permanent assertions, which the sessions in `small` need as well.
    told: Vec<Term>,
    /// Statistics of sessions that were abandoned.
    done: Statistics,
    /// Current factor on the time limit of a question about sets of any size.
    patience: u32,
    /// Sessions without assertions, to restart in when a session has learned too much to terminate.
    spare: Vec<Session>,
}

impl Sessions {
    /// A single session, about sets of any size.
    pub(super) fn new(any_size: Session) -> Sessions {
        Sessions {
            any_size,
            small: vec![],
            told: vec![],
            done: Statistics::default(),
            patience: 1,
            spare: vec![],
        }
    }

    /// Sessions that only read arrays, some of which look for states with few elements of `sorts`.
    pub(super) fn reading(
        problem: &Problem,
        sorts: &[Sort],
        open: &mut Open<'_>,
    ) -> Result<Sessions, SolverError> {
        let mut any_size = open(problem.terms())?;
        any_size.only_read_arrays(problem.system.whole_carriers());
        let mut sessions = Sessions::new(any_size);
        for size in tuning().diagrams.small {
            let session = open(problem.terms())?;
            sessions.small.push(Small::new(session, sorts, problem.system.whole_carriers(), size)?);
        }
        Ok(sessions)
    }

    /// Adds a session without assertions.
    pub(super) fn add_spare(&mut self, session: Session) {
        self.spare.push(session);
    }

    /// The session about sets of any size.
    pub(super) fn any_size(&mut self) -> &mut Session {
        &mut self.any_size
    }

    pub(super) fn terms(&self) -> &Rc<Terms> {
        self.any_size.terms()
    }

    /// The session that gave an answer.
    pub(super) fn answering(&mut self, small: Option<usize>) -> &mut Session {
        match small {
            Some(i) => &mut self.small[i].session,
            None => &mut self.any_size,
        }
    }

    /// Work of the solvers.
    pub(super) fn statistics(&self) -> Statistics {
        let mut all = self.done;
        all += self.any_size.statistics();
        self.small.iter().for_each(|s| all += s.session.statistics());
        all
    }

    /// Asserts a term for good, in all sessions.
    pub(super) fn tell(&mut self, t: Term) -> Result<(), SolverError> {
        if !self.small.is_empty() {
            self.told.push(t);
        }
        self.any_size.assert(t)
    }

    /// Asks about small sets and about sets of any size in turn. With it the small session that has the model, if one
    /// has it: where the model is to be read, one of them is preferred.
    pub(super) fn decide(
        &mut self,
        problem: &Problem,
        assumptions: &mut Vec<Term>,
        read: bool,
        budget: &Budget,
    ) -> Result<BySize, SolverError> {
        // Where sets are small a state is found soon, and one with few elements says most.
        let tried = self.small.len().min(tuning().diagrams.small_first);
        if let Some(i) = self.find_small(0..tried, assumptions, budget)? {
            return Ok(BySize(Some(i), Decided::Sat));
        }
        // Unsatisfiability is mostly shown soon. A state takes longer to find the larger it may be.
        let mut found = None;
        if tried < self.small.len() {
            match decide(&mut self.any_size, assumptions, &budget.within(tuning().diagrams.any_size_first))? {
                Decided::Unknown(_) => {}
                Decided::Sat if read => found = Some(Decided::Sat),
                decided => return Ok(BySize(None, decided)),
            }
        }
        if let Some(i) = self.find_small(tried..self.small.len(), assumptions, budget)? {
            return Ok(BySize(Some(i), Decided::Sat));
        }
        match found {
            // The session still has its model.
            Some(decided) => Ok(BySize(None, decided)),
            None => Ok(BySize(None, self.decide_any_size(problem, assumptions, budget)?)),
        }
    }

    /// Asks about sets of any size. A new session, which has not learned so much, may decide what an old one does not
    /// decide in time.
    fn decide_any_size(
        &mut self,
        problem: &Problem,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Decided, SolverError> {
        if self.small.is_empty() {
            return decide(&mut self.any_size, assumptions, budget);
        }
        let first = decide(
            &mut self.any_size,
            assumptions,
            &budget.within(tuning().diagrams.any_size * self.patience),
        )?;
        if !matches!(first, Decided::Unknown(_)) || budget.check().is_err() {
            return Ok(first);
        }
        let Some(mut session) = self.spare.pop() else { return Ok(first) };
        session.only_read_arrays(problem.system.whole_carriers());
        for &t in &self.told {
            session.assert(t)?;
        }
        self.done += std::mem::replace(&mut self.any_size, session).statistics();
        decide(&mut self.any_size, assumptions, &budget.within(tuning().diagrams.any_size * self.patience))
    }

    /// Returns whether an undecided question is asked again: for twice as long, and in a new session.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub(super) fn wait_longer(
        &mut self,
        problem: &Problem,
        open: &mut Open<'_>,
    ) -> Result<bool, SolverError> {
        if self.small.is_empty() || self.patience >= tuning().diagrams.most_patience {
            return Ok(false);
        }
        self.patience *= 2;
        self.spare.push(open(problem.terms())?);
        Ok(true)
    }

    /// A session of these in which the assumptions have a model, which is the session's last one: with as few elements
    /// of each sort as can be without more of the sorts before.
    fn find_small(
        &mut self,
        which: std::ops::Range<usize>,
        assumptions: &mut Vec<Term>,
        budget: &Budget,
    ) -> Result<Option<usize>, SolverError> {
        for i in which {
            let small = &mut self.small[i];
            for &t in &self.told[small.told..] {
                small.session.assert(t)?;
            }
            small.told = self.told.len();
            let budget = budget.within(tuning().ic3.smaller);
            if small.session.left_out() > 0
                || decide(&mut small.session, assumptions, &budget)? != Decided::Sat
            {
                continue;
            }
            let mut fresh = true;
            for bounds in &small.bounds {
                for &bound in bounds {
                    assumptions.push(bound);
                    fresh = decide(&mut small.session, assumptions, &budget)? == Decided::Sat;
                    if fresh {
                        break;
                    }
                    assumptions.pop();
                }
            }
            if fresh || decide(&mut small.session, assumptions, &budget)? == Decided::Sat {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }
}

/// An answer, with the small session that has the model if one has it.
pub(super) struct BySize(pub(super) Option<usize>, pub(super) Decided);

impl MayBeOpen for BySize {
    fn stopped(&self) -> Option<&Stopped> {
        self.1.stopped()
    }
}

/// A session in which sorts have a few elements at most.
#[derive(Debug)]
struct Small {
    session: Session,
    /// Number of the permanent assertions that this session has.
    told: usize,
    /// For each sort, literals that it has one element, at most two, …
    bounds: Vec<Vec<Term>>,
}

impl Small {
    fn new(
        mut session: Session,
        sorts: &[Sort],
        carriers: Vec<(Term, Term)>,
        size: usize,
    ) -> Result<Small, SolverError> {
        let terms = session.terms().clone();
        let element =
            |sort: Sort, i: usize| terms.rigid(&format!("one of {} {i}", terms.sort_text(sort)), sort);
        let all = |&sort: &Sort| (sort, (0..size).map(|i| element(sort, i)).collect());
        session.only_read_arrays(carriers);
        session.only_these_elements(sorts.iter().map(all).collect());
        let mut bounds = vec![];
        for &sort in sorts {
            let mut of_sort = vec![];
            for n in 1..size {
                let literal = terms.fresh("bound", Terms::BOOL);
                let same = terms.and((n..size).map(|i| terms.eq(element(sort, i), element(sort, 0))));
                session.assert(terms.implies(literal, same))?;
                of_sort.push(literal);
            }
            bounds.push(of_sort);
        }
        Ok(Small { session, told: 0, bounds })
    }
}
