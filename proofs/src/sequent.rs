//! Sequents: hypotheses that a goal is proved from.
//!
//! Everything that this crate asks a solver is `hypotheses ⊢ goal`: it is proved when the
//! hypotheses with the negated goal are unsatisfiable, and refuted when they have a model. A
//! solver that dies or cannot express a formula has not decided the sequent; only a solver that
//! cannot be started ends the run.

use std::rc::Rc;
use std::time::Duration;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::{Answer, Session, SolverError, Statistics};
use bsym_encodings::term::{Term, Terms};

/// Opens a session without assertions.
pub type Opener<'a> = &'a mut dyn FnMut(Rc<Terms>) -> Result<Session, SolverError>;

/// The answer to a sequent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The goal follows.
    Proved,
    /// There is a model of the hypotheses in which the goal is false.
    Refuted,
    /// Not decided.
    Undecided(Stopped),
}

/// Effort for a sequent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// One attempt, at most this long.
    Quick(Duration),
    /// Within the budget's limit of a query. A sequent that an incremental session does not decide is asked again in a
    /// session of its own, where solvers use other and often stronger tactics.
    Full,
}

/// Proves sequents in sessions of one solver, within a budget.
pub struct Prover<'a> {
    terms: Rc<Terms>,
    open: Opener<'a>,
    budget: Budget,
    /// Stand-ins for carriers if arrays are only read; see [`Prover::only_read_arrays`].
    carriers: Option<Vec<(Term, Term)>>,
    /// Stand-ins for carriers in a second attempt; see [`Prover::also_reading`].
    otherwise: Vec<(Term, Term)>,
    /// Name and version of the solver, once a session was opened.
    pub solver: String,
    /// Sequents asked, those that needed no solver included.
    pub checks: usize,
    /// Work of the sessions that are closed.
    pub statistics: Statistics,
}

impl<'a> Prover<'a> {
    /// A prover that opens its sessions with `open`.
    pub fn new(terms: Rc<Terms>, open: Opener<'a>, budget: Budget) -> Self {
        Prover {
            terms,
            open,
            budget,
            carriers: None,
            otherwise: vec![],
            solver: String::new(),
            checks: 0,
            statistics: Statistics::default(),
        }
    }

    /// Makes the sessions only read arrays from now on ([`Session::only_read_arrays`]), so that quantifiers over
    /// deferred sets are over all elements of their sorts: a lemma over them needs no facts about carriers.
    pub fn only_read_arrays(&mut self, carriers: Vec<(Term, Term)>) {
        self.carriers = Some(carriers);
    }

    /// Makes full effort ask each sequent that it does not prove again in a session that only reads arrays. In the
    /// theory of arrays a solver may use elements outside of the deferred sets, and make a spurious model of them.
    pub fn also_reading(&mut self, carriers: Vec<(Term, Term)>) {
        self.otherwise = carriers;
    }

    /// Returns whether full effort asks once more in another way ([`Prover::also_reading`]).
    pub fn reads_otherwise(&self) -> bool {
        !self.otherwise.is_empty()
    }

    /// Proves sequents within this budget from now on.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Returns the table of the terms.
    pub fn terms(&self) -> Rc<Terms> {
        self.terms.clone()
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Opens a session once, so that the solver's name is known even if no sequent needs it.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn name_solver(&mut self) -> Result<(), SolverError> {
        if self.solver.is_empty() {
            self.session()?;
        }
        Ok(())
    }

    /// Makes a prover of the same kind over other terms. Its work must be counted when it is done.
    pub fn over(&mut self, terms: Rc<Terms>, budget: Budget) -> Prover<'_> {
        Prover::new(terms, &mut *self.open, budget)
    }

    fn session(&mut self) -> Result<Session, SolverError> {
        let mut session = (self.open)(self.terms.clone())?;
        if let Some(carriers) = &self.carriers {
            session.only_read_arrays(carriers.iter().copied());
        }
        self.name(&session);
        Ok(session)
    }

    /// Notes the solver of a session; once one had to ask a second solver, that one as well.
    fn name(&mut self, session: &Session) {
        let name = session.solver();
        if !self.solver.starts_with(&name) {
            self.solver = name;
        }
    }
}

impl Prover<'_> {
    /// Asks whether terms of another table, in which arrays are only read, are unsatisfiable: then their negation is
    /// proved. A model of them refutes nothing, but more time is of no use.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn refute(
        &mut self,
        terms: &Rc<Terms>,
        assertions: &[Term],
        budget: &Budget,
    ) -> Result<Decision, SolverError> {
        self.checks += 1;
        if assertions.contains(&Terms::FALSE) {
            return Ok(Decision::Proved);
        }
        if let Err(stopped) = budget.check() {
            return Ok(Decision::Undecided(stopped));
        }
        let mut session = (self.open)(terms.clone())?;
        self.name(&session);
        session.only_read_arrays([]);
        let asserted = assertions.iter().try_for_each(|&t| session.assert(t));
        let answer = asserted.and_then(|()| {
            Ok(match session.check(&[], budget)? {
                Answer::Unsat(_) => Decision::Proved,
                Answer::Sat(_) => Decision::Refuted,
                Answer::Unknown(why) => Decision::Undecided(why),
            })
        });
        self.statistics += session.statistics();
        answer.or_else(|e| Ok(Decision::Undecided(undecided(e)?)))
    }

    /// Returns the positions of terms that the solver needs to refute all of them together with `always`; `None` where
    /// it does not refute them.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn used(&mut self, always: &[Term], terms: &[Term]) -> Result<Option<Vec<usize>>, SolverError> {
        self.checks += 1;
        if self.budget.check().is_err() {
            return Ok(None);
        }
        let budget = self.budget.clone();
        let mut session = self.session()?;
        let asserted = always.iter().try_for_each(|&t| session.assert(t));
        let used = asserted.and_then(|()| {
            Ok(match session.check(terms, &budget)? {
                Answer::Unsat(core) => {
                    let positions = 0..terms.len();
                    Some(positions.filter(|&i| core.contains(terms[i])).collect())
                }
                Answer::Sat(_) | Answer::Unknown(_) => None,
            })
        });
        self.statistics += session.statistics();
        used.or_else(|e| undecided(e).map(|_| None))
    }
}

/// Hypotheses of a family of sequents; they share an incremental session.
#[derive(Debug, Default)]
pub struct Hypotheses {
    terms: Vec<Term>,
    session: Option<Session>,
}

impl Hypotheses {
    /// These hypotheses. A session is opened with the first sequent that needs it.
    pub fn new(terms: impl IntoIterator<Item = Term>) -> Self {
        Hypotheses { terms: terms.into_iter().filter(|&t| t != Terms::TRUE).collect(), session: None }
    }

    /// Adds a hypothesis for all later sequents.
    ///
    /// # Errors
    /// If the solver cannot be started again.
    pub fn add(&mut self, prover: &mut Prover<'_>, t: Term) -> Result<(), SolverError> {
        if t == Terms::TRUE {
            return Ok(());
        }
        self.terms.push(t);
        if let Some(session) = &mut self.session
            && let Err(e) = session.assert(t)
        {
            undecided(e)?;
            self.close(prover);
        }
        Ok(())
    }

    /// Asks the solver whether the goal follows from the hypotheses and `also`.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn prove(
        &mut self,
        prover: &mut Prover<'_>,
        also: &[Term],
        goal: Term,
        effort: Effort,
    ) -> Result<Decision, SolverError> {
        prover.checks += 1;
        let mut assumptions = also.to_vec();
        assumptions.push(prover.terms.not(goal));
        if assumptions.contains(&Terms::FALSE) || self.terms.contains(&Terms::FALSE) {
            return Ok(Decision::Proved);
        }
        let mut budget = prover.budget.clone();
        if let Effort::Quick(time) = effort {
            budget.query = Some(budget.query.map_or(time, |q| q.min(time)));
        }
        let mut outcome = self.ask(prover, &assumptions, &budget)?;
        let over = |prover: &Prover<'_>| effort != Effort::Full || prover.budget.check().is_err();
        if matches!(outcome, Decision::Undecided(_)) && !over(prover) {
            match self.ask_alone(prover, &assumptions, &budget)? {
                Decision::Undecided(_) => {}
                decided => outcome = decided,
            }
        }
        let reads = prover.carriers.is_some() || prover.otherwise.is_empty();
        if outcome != Decision::Proved && !reads && effort == Effort::Full {
            // A sequent for which no time is left is undecided.
            prover.carriers = Some(prover.otherwise.clone());
            let read = self.ask_alone(prover, &assumptions, &budget);
            prover.carriers = None;
            match read? {
                Decision::Refuted => {}
                read => outcome = read,
            }
        }
        Ok(outcome)
    }

    /// Asks in a session of its own.
    fn ask_alone(
        &self,
        prover: &mut Prover<'_>,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Decision, SolverError> {
        let mut alone = Hypotheses::new(self.terms.iter().chain(assumptions).copied());
        let outcome = alone.ask(prover, &[], budget)?;
        alone.close(prover);
        Ok(outcome)
    }

    fn ask(
        &mut self,
        prover: &mut Prover<'_>,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Decision, SolverError> {
        if let Err(stopped) = budget.check() {
            return Ok(Decision::Undecided(stopped));
        }
        match self.try_ask(prover, assumptions, budget) {
            Ok(outcome) => Ok(outcome),
            Err(e) => {
                let reason = undecided(e)?;
                // The session may be gone or in an unknown state.
                self.close(prover);
                Ok(Decision::Undecided(reason))
            }
        }
    }

    fn try_ask(
        &mut self,
        prover: &mut Prover<'_>,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Decision, SolverError> {
        let session = match &mut self.session {
            Some(session) => session,
            None => {
                let mut session = prover.session()?;
                for &t in &self.terms {
                    session.assert(t)?;
                }
                self.session.insert(session)
            }
        };
        let outcome = match session.check(assumptions, budget)? {
            Answer::Sat(_) => Decision::Refuted,
            Answer::Unsat(_) => Decision::Proved,
            Answer::Unknown(reason) => Decision::Undecided(reason),
        };
        prover.name(session);
        Ok(match outcome {
            // A hypothesis that was left out might exclude the model.
            Decision::Refuted if session.left_out() > 0 => {
                Decision::Undecided(Stopped::Incomplete("arrays of arrays are left out".into()))
            }
            outcome => outcome,
        })
    }

    /// Closes the session and counts its work.
    pub fn close(&mut self, prover: &mut Prover<'_>) {
        if let Some(session) = self.session.take() {
            prover.statistics += session.statistics();
        }
    }
}

/// Converts a solver's failure into the reason why the current sequent is undecided.
fn undecided(error: SolverError) -> Result<Stopped, SolverError> {
    match error {
        SolverError::NotStarted(..) => Err(error),
        SolverError::Exited(_) | SolverError::Refused(_) | SolverError::Inexpressible(_) => {
            Ok(Stopped::Incomplete(error.to_string()))
        }
    }
}
