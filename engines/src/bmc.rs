//! Bounded model checking with proof information (Krings & Leuschel, ABZ 2016, algorithm 1).
//!
//! At depth k the query is `I(s0) ∧ p(s0) ∧ ⋀ T_p(s_i, s_{i+1}) ∧ T_p¬(s_{k-1}, s_k)`: earlier states satisfy
//! the invariant, the last step may only end in a conjunct that its event is not proven to preserve.
//! An `unknown` is remembered and never ends the run: a deeper violation may still be found.
//!
//! Between two depths the [diameter](Diameter) gets a share of the time: where longer paths repeat states, the search was a proof.

use std::time::{Duration, Instant};

use bsym_encodings::budget::Stopped;
use bsym_encodings::first_order::Sequent;
use bsym_encodings::session::{Answer, Model, Session, SolverError, Statistics};
use bsym_encodings::term::{Term, Terms};
use bsym_proofs::claim::Evidence;
use bsym_proofs::steps::Steps;
use bsym_semantics::verdict::{Reason, Vacuous};

use crate::first_order::{Deduced, assumed, no_failure, no_violation};
use crate::options::Job;
use crate::outcome::{DEEPEST_SMALL, Outcome, Slice, Work};
use crate::paths::counterexample::{Attempt, attempt};
use crate::paths::diameter::Diameter;
use crate::paths::{Checked, Path, Start, Taken};
use crate::problem::{Existence, Open, Problem};
use crate::verdict::{Engine, PathSize, Progress};

/// Depth from which the [diameter](Diameter) is looked for, its share of the time, and what it may take at first.
const SHORTEST: usize = 2;
const DIAMETER_SHARE: u32 = 3;
const DIAMETER_FIRST: Duration = Duration::from_millis(100);

/// How long it may take to find out whether there is a path on which nothing can go wrong.
const POSSIBLE: Duration = Duration::from_secs(1);

/// What is to be done next at the current depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Initialisation,
    Violation,
    Failure,
    Diameter,
    Extend,
}

/// A bounded model checker that can be paused.
#[derive(Debug)]
pub struct Bmc {
    path: Path,
    stage: Stage,
    /// Deepest depth that is known to be clear together with all depths before it.
    clear: Option<usize>,
    /// A query was not decided, so deeper depths do not extend `clear`.
    undecided: Option<String>,
    diameter: Option<Diameter>,
    /// Answers what the session does not.
    deduced: Deduced,
    /// Time for the search, and for the diameter.
    searched: Duration,
    compared: Duration,
}

impl Bmc {
    /// Begins at the initialisation.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, open: &mut Open<'_>) -> Result<Bmc, SolverError> {
        let path = Path::new(problem, Start::Initial, open)?;
        Ok(Bmc {
            path,
            stage: Stage::Initialisation,
            clear: None,
            undecided: None,
            diameter: None,
            deduced: Deduced::default(),
            searched: Duration::ZERO,
            compared: Duration::ZERO,
        })
    }

    /// No violation on any trace with up to this many events.
    pub fn clear(&self) -> Option<usize> {
        self.clear
    }

    /// Number of steps of the path at hand.
    pub fn depth(&self) -> usize {
        self.path.depth()
    }

    /// Why some depth was left open.
    pub fn undecided(&self) -> Option<&str> {
        self.undecided.as_deref()
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        let search = self.path.session.statistics();
        let mut all = search;
        if let Some(diameter) = &self.diameter {
            all += diameter.statistics();
        }
        // How large the path is, which is what is searched.
        Statistics { size: search.size, ..all }
    }

    /// Goes on until something is decided, the slice is over, or depth `to` is done.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn advance(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        to: Option<usize>,
    ) -> Result<Outcome, SolverError> {
        loop {
            if let Err(stopped) = work.slice.budget.check() {
                return Ok(Outcome::Paused(stopped));
            }
            if to.is_some_and(|to| self.done_with(to)) {
                return Ok(Outcome::Reached);
            }
            let (begin, stage) = (Instant::now(), self.stage);
            let outcome = match stage {
                Stage::Initialisation => self.initialisation(problem, work)?,
                Stage::Violation => self.violation(problem, work)?,
                Stage::Failure => self.failure(problem, work, to)?,
                Stage::Diameter => self.diameter(problem, work, to)?,
                Stage::Extend => self.extend(problem, work)?,
            };
            match stage {
                Stage::Diameter => self.compared += begin.elapsed(),
                _ => self.searched += begin.elapsed(),
            }
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
        }
    }

    /// Whether violations on traces with `depth` events, and failures from their last states, were looked for.
    fn done_with(&self, depth: usize) -> bool {
        let past = matches!(self.stage, Stage::Diameter | Stage::Extend);
        self.path.depth() > depth || (self.path.depth() == depth && past)
    }

    fn initialisation(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        if let Some(checked) = failing_initialisation(problem, work)? {
            let query = "failure of the initialisation";
            if let Some(outcome) = self.digest(problem, work, query, checked.map(Some))? {
                return Ok(Some(outcome));
            }
        }
        self.stage = Stage::Violation;
        Ok(match &problem.existence {
            Existence::Nothing(what @ Vacuous::NoInitialState, why) => {
                Some(Outcome::Vacuous(*what, why.clone()))
            }
            _ => None,
        })
    }

    fn violation(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        let k = self.path.depth();
        let violation = self.path.violation(problem, work.job);
        let mut checked = match violation {
            Terms::FALSE => self.possible(problem, work)?,
            _ => self.ask(
                problem,
                work,
                |bmc, problem, work| bmc.ask_violation(problem, work, violation, true),
                |problem, job, steps| {
                    no_violation(problem, job, steps, &assumed(problem, job), Start::Initial, k)
                },
            )?,
        };
        if let Checked::Unknown(reason) = &checked
            && Session::is_held_back(reason)
        {
            // In small scopes the evaluator may say of axioms what keeps a solver busy for long.
            if let Some(found) = work.look_beside(&problem.excluded, k)? {
                return Ok(Some(Outcome::Violated(found)));
            }
            checked = self.ask_violation(problem, work, violation, false)?;
        }
        if let Checked::Unsat { without_question: true } = checked
            && k > 0
        {
            if problem.is_complete() {
                return Ok(Some(match &self.undecided {
                    None => Outcome::Proof(problem.claim(work.job, Evidence::Diameter { depth: k })),
                    // No deeper question is left, and nobody decided one of those before.
                    Some(why) => Outcome::Stuck(Reason::Exhausted(why.clone())),
                }));
            }
            if k >= DEEPEST_SMALL {
                return Ok(Some(Outcome::Stuck(Reason::Unsupported)));
            }
        }
        if let Some(outcome) = self.digest(problem, work, &format!("depth {k}"), checked)? {
            return Ok(Some(outcome));
        }
        if self.undecided.is_none() && problem.covers(k) {
            self.clear = Some(k);
        }
        work.observer.progress(&Progress::Depth {
            engine: Engine::Bmc,
            depth: k,
            undecided: self.undecided.is_some(),
            size: Some(PathSize {
                terms: problem.terms().len(),
                propositional: self.path.session.statistics().size,
            }),
        });
        self.path.assume_conjuncts(problem)?;
        self.stage = Stage::Failure;
        Ok(None)
    }

    /// Asks the session, and first-order logic where the session does not answer soon.
    fn ask(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        session: impl Fn(
            &mut Bmc,
            &mut Problem,
            &mut Work<'_, '_>,
        ) -> Result<Checked<Option<Attempt>>, SolverError>,
        sequents: impl FnOnce(&Problem, &Job, &Steps<'_>) -> Option<Vec<Sequent>>,
    ) -> Result<Checked<Option<Attempt>>, SolverError> {
        if self.deduced.may_serve(problem) {
            let soon = Deduced::before(work.slice);
            let checked = session(self, problem, &mut work.within(&soon))?;
            if !matches!(checked, Checked::Unknown(Stopped::Timeout)) {
                return Ok(checked);
            }
            let job = work.job;
            if self.deduced.proves(problem, work, |steps| sequents(problem, job, steps))? {
                return Ok(Checked::Unsat { without_question: false });
            }
        }
        session(self, problem, work)
    }

    /// Whether there is such a path at all, where nothing can go wrong at its end: then an answer is of use only if it is `no`.
    fn possible(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Checked<Option<Attempt>>, SolverError> {
        let query = work.slice.query.map_or(POSSIBLE, |q| q.min(POSSIBLE));
        let soon = Slice { query: Some(query), ..work.slice.clone() };
        Ok(match self.ask_violation(problem, &mut work.within(&soon), Terms::FALSE, true)? {
            Checked::Unknown(Stopped::Timeout) if work.slice.budget.check().is_ok() => {
                Checked::Unsat { without_question: false }
            }
            checked => checked,
        })
    }

    /// Asks for a path that ends in a violation; may hold back what the solver finds hard.
    fn ask_violation(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        violation: Term,
        holds_back: bool,
    ) -> Result<Checked<Option<Attempt>>, SolverError> {
        // Where nothing can go wrong, what is asked is only whether there is such a path.
        let target = violation != Terms::FALSE;
        let asked = if target { violation } else { Terms::TRUE };
        let read = |model: &mut Model<'_>, taken| {
            if target { attempt(problem, work.job, model, taken).map(Some) } else { Ok(None) }
        };
        // Nothing is concluded from a path that only is possible.
        let is_final = |found: &Option<Attempt>| found.as_ref().is_none_or(Attempt::is_found);
        self.path.session.hold_back(holds_back);
        let checked = self.path.check(asked, &[], &work.slice.query(), read, is_final);
        self.path.session.hold_back(false);
        checked
    }

    fn failure(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        to: Option<usize>,
    ) -> Result<Option<Outcome>, SolverError> {
        let terms = problem.terms();
        let k = self.path.depth();
        let failures = self.path.failures(problem);
        self.stage = Stage::Diameter;
        // A step that fails is an event, too. Beyond the limit only a proof needs to know of it.
        let beyond = work.job.depth.is_some_and(|limit| k >= limit);
        if failures.is_empty() || (beyond && to.is_none()) {
            return Ok(None);
        }
        let any = terms.or(failures.iter().map(|f| f.1));
        let checked = self.ask(
            problem,
            work,
            |bmc, problem, work| {
                let read = |model: &mut Model<'_>, taken| attempt(problem, work.job, model, taken);
                let checked = bmc.path.check(any, &failures, &work.slice.query(), read, Attempt::is_found)?;
                Ok(checked.map(Some))
            },
            |problem, job, steps| no_failure(problem, steps, &assumed(problem, job), Start::Initial, k),
        )?;
        let outcome = self.digest(problem, work, &format!("failures at depth {k}"), checked)?;
        if matches!(outcome, Some(Outcome::Paused(_))) {
            self.stage = Stage::Failure;
        }
        if beyond && matches!(outcome, Some(Outcome::Violated(_))) {
            return Ok(Some(Outcome::Stuck(Reason::DepthLimit(k))));
        }
        Ok(outcome)
    }

    /// Looks for a length at which paths repeat a state. Once all depths up to there are clear, they are all there are.
    fn diameter(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        to: Option<usize>,
    ) -> Result<Option<Outcome>, SolverError> {
        let k = self.path.depth();
        self.stage = Stage::Extend;
        // Whoever drives this search to a depth has proofs of its own.
        if k < SHORTEST || to.is_some() || self.clear != Some(k) || !problem.is_complete() {
            return Ok(None);
        }
        let most = (self.searched / DIAMETER_SHARE).max(DIAMETER_FIRST).saturating_sub(self.compared);
        let diameter = match &mut self.diameter {
            Some(diameter) => diameter,
            none => none.insert(Diameter::new(problem, work.open)?),
        };
        let found = diameter.find(problem, k, &work.slice.query().within(most))?;
        Ok(found.map(|depth| Outcome::Proof(problem.claim(work.job, Evidence::Diameter { depth }))))
    }

    fn extend(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        let k = self.path.depth();
        // What has no term for sets of any size often has one for small ones.
        if !problem.is_complete()
            && let Some(found) = work.look_beside(&problem.excluded, k)?
        {
            return Ok(Some(Outcome::Violated(found)));
        }
        if work.job.depth.is_some_and(|limit| k >= limit) {
            return Ok(Some(Outcome::Stuck(Reason::DepthLimit(k))));
        }
        self.path.extend(problem)?;
        self.stage = Stage::Violation;
        Ok(None)
    }

    /// What a check leads to: an outcome, or `None` to go on. What is not decided is remembered, after a
    /// look at the depth in small scopes.
    fn digest(
        &mut self,
        problem: &Problem,
        work: &mut Work<'_, '_>,
        query: &str,
        checked: Checked<Option<Attempt>>,
    ) -> Result<Option<Outcome>, SolverError> {
        let reason = match checked {
            Checked::Sat(Some(Attempt::Found(found))) => return Ok(Some(Outcome::Violated(found))),
            Checked::Sat(None) | Checked::Unsat { .. } => return Ok(None),
            Checked::Sat(Some(Attempt::Failed(why))) => why,
            Checked::Unknown(reason) => match work.slice.over(&reason) {
                Some(paused) => return Ok(Some(paused)),
                None => reason.to_string(),
            },
        };
        work.observer.progress(&Progress::Undecided { query: query.to_string(), reason: reason.clone() });
        self.undecided.get_or_insert(reason);
        let found = work.look_beside(&problem.excluded, self.path.depth())?;
        Ok(found.map(Outcome::Violated))
    }
}

/// Asks whether the initialisation fails, where it can.
///
/// # Errors
/// If the solver fails.
pub(crate) fn failing_initialisation(
    problem: &mut Problem,
    work: &mut Work<'_, '_>,
) -> Result<Option<Checked<Attempt>>, SolverError> {
    if problem.initial_failures.is_empty() {
        return Ok(None);
    }
    // The session of a path asserts that the initialisation succeeds, so failing needs one of its own.
    let mut session = problem.session(work.open)?;
    let any = problem.terms().or(problem.initial_failures.iter().copied());
    let any = problem.unrolling.init(any);
    let fails = Taken { events: vec![], last_fails: true };
    Ok(Some(match session.check(&[any], &work.slice.query())? {
        Answer::Sat(mut model) => Checked::Sat(attempt(problem, work.job, &mut model, fails)?),
        Answer::Unsat(_) => Checked::Unsat { without_question: false },
        Answer::Unknown(reason) => Checked::Unknown(reason),
    }))
}
