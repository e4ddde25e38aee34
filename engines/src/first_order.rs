//! Questions that first-order logic answers where terms of arrays keep a solver busy.
//!
//! A session is asked in terms of arrays whether a step or a path exists. Questions that this does not decide soon, and
//! where sets have any size, are asked in first-order logic ([`bsym_encodings::first_order`]), one sequence of events
//! after the other, before the session may take long. First-order logic only ever answers `no`: a formula that does not
//! follow there is no state.

use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::first_order::{Goal, Sequent};
use bsym_encodings::session::SolverError;
use bsym_language::model::Pred;
use bsym_proofs::claim::Property;
use bsym_proofs::sequent::{Decision, Prover};
use bsym_proofs::steps::Steps;

use crate::options::Job;
use crate::outcome::Work;
use crate::paths::Start;
use crate::problem::Problem;
use crate::tuning::tuning;

/// Answers questions in first-order logic.
#[derive(Debug, Default)]
pub(crate) struct Deduced {
    /// Questions in a row that had no answer.
    in_vain: usize,
}

impl Deduced {
    /// Returns whether questions about this problem are worth asking.
    pub fn may_serve(&self, problem: &Problem) -> bool {
        // Hypotheses are predicates that have a meaning. Where all sets have a size, terms of arrays say enough.
        self.in_vain < tuning().deduction.in_vain
            && !problem.system.open_carriers().is_empty()
            && problem.status_applies()
    }

    /// The work of a session that is asked before.
    pub fn before<'w, 'o>(work: &'w mut Work<'_, 'o>) -> Work<'w, 'o> {
        work.with_query(tuning().deduction.session_first)
    }

    /// Returns true if sequents are proved, which say that what is asked is impossible.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn proves(
        &mut self,
        problem: &Problem,
        work: &mut Work<'_, '_>,
        sequents: impl FnOnce(&Steps<'_>) -> Option<Vec<Sequent>>,
    ) -> Result<bool, SolverError> {
        self.proves_within(problem, work, tuning().deduction.question, sequents)
    }

    /// Works like [`proves`](Self::proves) within another time.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn proves_within(
        &mut self,
        problem: &Problem,
        work: &mut Work<'_, '_>,
        time: Duration,
        sequents: impl FnOnce(&Steps<'_>) -> Option<Vec<Sequent>>,
    ) -> Result<bool, SolverError> {
        if !self.may_serve(problem) || work.check().is_err() {
            return Ok(false);
        }
        // The session has the other half of the time.
        let time = work.left().map_or(time, |left| time.min(left / tuning().deduction.question_share));
        let budget = work.job.budget.within(time).per_query(time);
        let model = Arc::clone(&work.job.model);
        let proved = match sequents(&Steps::new(&model)) {
            Some(sequents) => {
                let mut prover = Prover::new(problem.terms(), &mut *work.open, budget.clone());
                prover.prove_in_first_order(&model, &work.job.scope, &sequents, &budget)? == Decision::Proved
            }
            None => false,
        };
        self.in_vain = if proved { 0 } else { self.in_vain + 1 };
        Ok(proved)
    }
}

/// Returns the sequents that no sequence of `number` events, or for 0 the initialisation, leads from states that
/// satisfy `known`, as all states before the last do, to a violation ([`Problem::violated_after`]).
pub(crate) fn no_violation(
    problem: &Problem,
    job: &Job,
    steps: &Steps<'_>,
    known: &[Pred],
    start: Start,
    number: usize,
) -> Option<Vec<Sequent>> {
    let mut all = vec![];
    for path in steps.sequences(start == Start::Initial, number, None)? {
        let last = *path.last()?;
        for target in problem.targets.iter().filter(|t| !problem.is_proven(job, last, t)) {
            let goal = match target.property {
                Property::Invariant(i) => &job.model.invariant[i].pred,
                Property::Assertion(i) => &job.model.assertions[i].pred,
                Property::NoGoal | Property::DeadlockFree => return None,
            };
            all.extend(steps.after_all(&path, known, &[], goal)?);
        }
    }
    Some(all)
}

/// Returns the sequents that no event fails after a sequence of `number` ones, where all states before satisfy `known`
/// ([`Problem::failures_at`]).
pub(crate) fn no_failure(
    problem: &Problem,
    steps: &Steps<'_>,
    known: &[Pred],
    start: Start,
    number: usize,
) -> Option<Vec<Sequent>> {
    let mut all = vec![];
    for &(event, condition) in &problem.failures {
        let failures = &problem.system.events[event.index()].failures;
        let here = failures.iter().filter(|f| f.condition == condition);
        for path in steps.sequences(start == Start::Initial, number, Some(event))? {
            all.extend(steps.without_failure_after(&path, known, here.clone())?);
        }
    }
    Some(all)
}

/// Returns the sequents that the properties that are no conjuncts of the invariant hold wherever `known` does
/// ([`Problem::unassumed_violated_in`]).
pub(crate) fn no_unassumed(
    problem: &Problem,
    job: &Job,
    steps: &Steps<'_>,
    known: &[Pred],
) -> Option<Vec<Sequent>> {
    let mut all = vec![];
    for target in problem.targets.iter().filter(|t| !problem.is_proven(job, None, t)) {
        match target.property {
            Property::Invariant(_) => {}
            Property::Assertion(i) => {
                all.push(steps.in_state(known, Goal::Meant(job.model.assertions[i].pred.clone())));
            }
            Property::NoGoal | Property::DeadlockFree => return None,
        }
    }
    Some(all)
}

/// The conjuncts that all states before a violation satisfy ([`Problem::assumed_in`]).
pub(crate) fn assumed(problem: &Problem, job: &Job) -> Vec<Pred> {
    let conjuncts = problem.targets.iter().filter_map(|t| match t.property {
        Property::Invariant(i) => Some(job.model.invariant[i].pred.clone()),
        _ => None,
    });
    conjuncts.collect()
}

#[cfg(all(test, feature = "z3"))]
mod tests {
    use std::sync::Arc;

    use bsym_encodings::budget::Budget;
    use bsym_encodings::session::linked;
    use bsym_encodings::term::Terms;
    use bsym_language::load::load_text;
    use bsym_semantics::scope::{Scope, ScopeRequest};

    use super::*;
    use crate::exchange::Exchange;
    use crate::excluded::Excluded;
    use crate::turn::Turn;
    use crate::verdict::Progress;
    use crate::wishes::Wishes;

    /// That `old` has one element at most only follows from two steps.
    const QUEUE: &str = "MACHINE queue SETS D VARIABLES new, old
        INVARIANT new <: D & old <: D & !(a, b).(a : old & b : old => a = b)
        INITIALISATION new, old := {}, {}
        OPERATIONS put(d) = PRE d : D THEN new := {d} || old := new END; skip_one = BEGIN new := {} || old := new END END";

    #[test]
    fn longer_paths_prove_more() {
        let model = Arc::new(load_text("m.mch", QUEUE).model.expect("a machine"));
        let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked");
        let properties = (0..3).map(Property::Invariant).collect();
        let job = Job { well_definedness: true, ..Job::new(model, scope, properties, Budget::unlimited()) };
        let mut open = |terms: std::rc::Rc<Terms>| Ok(linked(terms).expect("libz3 is linked"));
        let problem = Problem::new(&job, &Excluded::default(), &mut open).expect("a solver");
        let mut deduced = Deduced::default();
        assert!(deduced.may_serve(&problem));
        let mut proves = |start, number| {
            let mut work = Work {
                job: &job,
                open: &mut open,
                observer: &mut |_: &Progress| {},
                small_scopes: &Wishes::default(),
                exchange: &Exchange::default(),
                query: None,
                turn: &mut Turn::alone(),
                end: None,
            };
            let sequents = |steps: &Steps<'_>| {
                no_violation(&problem, &job, steps, &assumed(&problem, &job), start, number)
            };
            deduced.proves(&problem, &mut work, sequents).expect("a solver")
        };
        let all = [(Start::Anywhere, 1), (Start::Anywhere, 2), (Start::Initial, 0), (Start::Initial, 2)];
        assert_eq!(all.map(|(start, number)| proves(start, number)), [false, true, true, true]);
        // Too many sequences are no proof. After some questions without success no more are asked.
        let in_vain = (0..tuning().deduction.in_vain)
            .map(|_| proves(Start::Anywhere, 20))
            .filter(|&proved| proved)
            .count();
        assert_eq!(in_vain, 0);
        assert!(!deduced.may_serve(&problem));
    }
}
