//! Bounded model checking with proof information (Krings & Leuschel, ABZ 2016, algorithm 1).
//!
//! At depth k the query is `I(s0) ∧ p(s0) ∧ ⋀ T_p(s_i, s_{i+1}) ∧ T_p¬(s_{k-1}, s_k)`: earlier states satisfy
//! the invariant, the last step may only end in a conjunct that its event is not proven to preserve.
//! An `unknown` is remembered and never ends the run: a deeper violation may still be found.
//!
//! Between two depths the [diameter](Diameter) gets a share of the time: where longer paths repeat states, the search
//! was a proof.

use std::time::Duration;

use bsym_encodings::budget::Stopped;
use bsym_encodings::first_order::Sequent;
use bsym_encodings::session::{Answer, Model, Session, SolverError, Statistics};
use bsym_encodings::term::{Term, Terms};
use bsym_proofs::claim::Evidence;
use bsym_proofs::steps::Steps;
use bsym_semantics::verdict::{Reason, Vacuous};

use crate::first_order::{Deduced, assumed, no_failure, no_violation};
use crate::options::Job;
use crate::outcome::{Outcome, Work};
use crate::paths::counterexample::{Attempt, attempt};
use crate::paths::diameter::Diameter;
use crate::paths::{Checked, Path, Start, Taken};
use crate::problem::{Existence, Open, Problem};
use crate::tuning::tuning;
use crate::verdict::{Engine, PathSize, Progress};

/// A bounded model checker.
#[derive(Debug)]
pub struct Bmc {
    path: Path,
    /// Number of states of the path, from the first, that are assumed good: no violation ends there, or it is not
    /// known.
    good: usize,
    /// Number of depths, from 0, at which violations, and failures of the next step, were looked for.
    searched: usize,
    /// Deepest depth that is known to be clear together with all depths before it.
    clear: Option<usize>,
    /// A query was not decided, so deeper depths do not extend `clear`.
    undecided: Option<String>,
    diameter: Option<Diameter>,
    /// Answers what the session does not.
    deduced: Deduced,
    /// Time at work for the diameter.
    compared: Duration,
}

impl Bmc {
    /// Begins at the initialisation.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, open: &mut Open<'_>) -> Result<Bmc, SolverError> {
        let path = Path::in_order(problem, open)?;
        Ok(Bmc {
            path,
            good: 0,
            searched: 0,
            clear: None,
            undecided: None,
            diameter: None,
            deduced: Deduced::default(),
            compared: Duration::ZERO,
        })
    }

    /// No violation on any trace with up to this many events.
    pub fn clear(&self) -> Option<usize> {
        self.clear
    }

    /// The first depth that was not searched yet.
    pub fn next(&self) -> usize {
        self.searched
    }

    /// Returns why some depth was left open.
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
        // The size is that of the path that is searched.
        Statistics { size: search.size, ..all }
    }

    /// Searches depth after depth until something is decided, the limit of the job is reached or the time is up.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn run(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        let begin = work.worked();
        loop {
            if let Some(outcome) = self.deepen(problem, work, false)? {
                return Ok(outcome);
            }
            let time = work.worked().saturating_sub(begin + self.compared) / tuning().bmc.diameter_share;
            if let Some(proof) = self.diameter(problem, work, time)? {
                return Ok(proof);
            }
        }
    }

    /// Searches all depths up to one. `None` if nothing is decided there. The caller has proofs of its own.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn reach(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        depth: usize,
    ) -> Result<Option<Outcome>, SolverError> {
        // No path is needed as long as another engine is ahead.
        while self.searched <= depth && !self.is_ahead(problem, work, depth) {
            if let Some(outcome) = self.deepen(problem, work, true)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Returns true if another engine has searched all depths up to one, which are clear then.
    fn is_ahead(&mut self, problem: &Problem, work: &Work<'_, '_>, depth: usize) -> bool {
        let is_ahead = self.undecided.is_none() && work.exchange.searched() > depth && problem.covers(depth);
        if is_ahead {
            self.clear = self.clear.max(Some(depth));
        }
        is_ahead
    }

    /// Searches the next depth: violations on traces of that many events, and failures of the step after them.
    fn deepen(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        is_base: bool,
    ) -> Result<Option<Outcome>, SolverError> {
        if let Err(stopped) = work.check() {
            return Ok(Some(Outcome::Unknown(stopped.into())));
        }
        problem.hear(work.job, work.exchange);
        let k = self.searched;
        if k == 0
            && self.good == 0
            && let Some(outcome) = self.initialisation(problem, work)?
        {
            return Ok(Some(outcome));
        }
        if self.path.depth() < k {
            // Parts without a term for sets of any size often have one for small sets.
            if !problem.is_complete() {
                work.small_scopes.wish(k - 1);
            }
            if work.job.depth.is_some_and(|limit| k > limit) {
                return Ok(Some(Outcome::Unknown(Reason::DepthLimit(k - 1))));
            }
            self.path.extend(problem)?;
        }
        let is_ahead = self.is_ahead(problem, work, k);
        if self.good <= k {
            if !is_ahead && let Some(outcome) = self.violation(problem, work, k)? {
                return Ok(Some(outcome));
            }
            self.path.assume_conjuncts(problem)?;
            self.good = k + 1;
        }
        let outcome = if is_ahead { None } else { self.failure(problem, work, k, is_base)? };
        if outcome.is_none() {
            self.searched = k + 1;
            // At the limit the search for violations leaves failures out.
            let is_whole = is_base || work.job.depth.is_none_or(|limit| k < limit);
            if is_whole && self.undecided.is_none() && problem.covers(k) {
                work.exchange.tell_searched(k + 1);
            }
        }
        Ok(outcome)
    }

    fn initialisation(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        if let Some(checked) = failing_initialisation(problem, work)? {
            let query = "failure of the initialisation";
            if let Some(outcome) = self.digest(work, query, checked.map(Some))? {
                return Ok(Some(outcome));
            }
        }
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
        k: usize,
    ) -> Result<Option<Outcome>, SolverError> {
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
            work.small_scopes.wish(k);
            checked = self.ask_violation(problem, work, violation, false)?;
        }
        if let Checked::Unsat { without_question: true } = checked
            && k > 0
        {
            if problem.is_complete() {
                return Ok(Some(match &self.undecided {
                    None => Outcome::Proof(problem.claim(work.job, Evidence::Diameter { depth: k })),
                    // No deeper question is left, and one of those before was not decided.
                    Some(why) => Outcome::Unknown(Reason::Exhausted(why.clone())),
                }));
            }
            if k >= tuning().portfolio.deepest_small {
                return Ok(Some(Outcome::Unknown(Reason::Unsupported)));
            }
        }
        if let Some(outcome) = self.digest(work, &format!("depth {k}"), checked)? {
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
            let checked = session(self, problem, &mut Deduced::before(work))?;
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

    /// Checks whether there is such a path at all, where nothing can go wrong at its end. An answer is then of use only
    /// if it is `no`.
    fn possible(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Checked<Option<Attempt>>, SolverError> {
        let checked =
            self.ask_violation(problem, &mut work.with_query(tuning().bmc.possible), Terms::FALSE, true)?;
        Ok(match checked {
            Checked::Unknown(Stopped::Timeout) if work.check().is_ok() => {
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
        let job = work.job;
        // Nothing is concluded from a path that only is possible.
        let is_final = |found: &Option<Attempt>| found.as_ref().is_none_or(Attempt::is_found);
        self.path.session.hold_back(holds_back);
        let checked = work.ask(|budget| {
            let read = |model: &mut Model<'_>, taken| {
                if target { attempt(problem, job, model, taken).map(Some) } else { Ok(None) }
            };
            self.path.check(asked, &[], budget, read, is_final)
        });
        self.path.session.hold_back(false);
        checked
    }

    fn failure(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        k: usize,
        is_base: bool,
    ) -> Result<Option<Outcome>, SolverError> {
        let terms = problem.terms();
        let failures = self.path.failures(problem);
        // A step that fails is an event, too. Beyond the limit only a proof needs to know of it.
        let beyond = work.job.depth.is_some_and(|limit| k >= limit);
        if failures.is_empty() || (beyond && !is_base) {
            return Ok(None);
        }
        let any = terms.or(failures.iter().map(|f| f.1));
        let checked = self.ask(
            problem,
            work,
            |bmc, problem, work| {
                let job = work.job;
                let checked = work.ask(|budget| {
                    let read = |model: &mut Model<'_>, taken| attempt(problem, job, model, taken);
                    bmc.path.check(any, &failures, budget, read, Attempt::is_found)
                })?;
                Ok(checked.map(Some))
            },
            |problem, job, steps| no_failure(problem, steps, &assumed(problem, job), Start::Initial, k),
        )?;
        let outcome = self.digest(work, &format!("failures at depth {k}"), checked)?;
        if beyond && matches!(outcome, Some(Outcome::Violated(_))) {
            return Ok(Some(Outcome::Unknown(Reason::DepthLimit(k))));
        }
        Ok(outcome)
    }

    /// Looks for a length at which paths repeat a state, for some time more than before. Once all depths up to there
    /// are clear, they are all there are.
    fn diameter(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        time: Duration,
    ) -> Result<Option<Outcome>, SolverError> {
        let Some(k) = self.clear.filter(|k| *k >= tuning().bmc.diameter_from && self.searched == k + 1)
        else {
            return Ok(None);
        };
        let time = time.max(tuning().bmc.diameter_first).saturating_sub(self.compared);
        if !problem.is_complete() || time.is_zero() {
            return Ok(None);
        }
        let diameter = match &mut self.diameter {
            Some(diameter) => diameter,
            none => none.insert(Diameter::new(problem, work.open)?),
        };
        let begin = work.worked();
        let found = diameter.find(problem, k, &mut work.within(time))?;
        self.compared += work.worked() - begin;
        Ok(found.map(|depth| Outcome::Proof(problem.claim(work.job, Evidence::Diameter { depth }))))
    }

    /// Handles the result of a check: returns an outcome, or `None` to continue. An undecided check is remembered, and
    /// asked in small scopes.
    fn digest(
        &mut self,
        work: &mut Work<'_, '_>,
        query: &str,
        checked: Checked<Option<Attempt>>,
    ) -> Result<Option<Outcome>, SolverError> {
        let reason = match checked {
            Checked::Sat(Some(Attempt::Found(found))) => return Ok(Some(Outcome::Violated(found))),
            Checked::Sat(None) | Checked::Unsat { .. } => return Ok(None),
            Checked::Sat(Some(Attempt::Failed(why))) => why,
            Checked::Unknown(reason) if work.is_over(&reason) => {
                return Ok(Some(Outcome::Unknown(reason.into())));
            }
            Checked::Unknown(reason) => reason.to_string(),
        };
        work.observer.progress(&Progress::Undecided { query: query.to_string(), reason: reason.clone() });
        self.undecided.get_or_insert(reason);
        work.small_scopes.wish(self.path.depth());
        Ok(None)
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
    let job = work.job;
    let checked = work.ask(|budget| {
        let fails = Taken { events: vec![], last_fails: true };
        Ok(match session.check(&[any], budget)? {
            Answer::Sat(mut model) => Checked::Sat(attempt(problem, job, &mut model, fails)?),
            Answer::Unsat(_) => Checked::Unsat { without_question: false },
            Answer::Unknown(reason) => Checked::Unknown(reason),
        })
    })?;
    Ok(Some(checked))
}
