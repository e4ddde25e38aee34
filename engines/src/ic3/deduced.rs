//! Questions about cubes in first-order logic, where a session does not decide them soon.

use std::collections::BTreeSet;
use std::time::Duration;

use bsym_encodings::budget::Stopped;
use bsym_encodings::first_order::Sequent;
use bsym_encodings::session::SolverError;
use bsym_language::model::{EventId, Pred};
use bsym_proofs::steps::Steps;

use super::queries::{Query, Question};
use super::search::Search;
use crate::first_order::{Deduced, no_failure, no_unassumed, no_violation};
use crate::invariants::cube::Cube;
use crate::options::Job;
use crate::outcome::Work;
use crate::paths::Start;
use crate::problem::Problem;
use crate::tuning::tuning;

/// Answer to a question, and its source.
pub(super) struct Answer<T> {
    pub query: Query<T>,
    /// `true` if only first-order logic gives the answer. A session does not know what the answer rests on.
    pub is_deduced: bool,
}

impl Search {
    /// Asks a session, and first-order logic where the session does not answer soon. `all`: what the answer `no` of the
    /// latter rests on.
    ///
    /// # Errors
    /// If the solver fails.
    pub(super) fn ask<T>(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        question: Question<'_>,
        all: T,
        mut session: impl FnMut(&mut Search, &mut Problem, &mut Work<'_, '_>) -> Result<Query<T>, SolverError>,
    ) -> Result<Answer<T>, SolverError> {
        if self.deduced.may_serve(problem) {
            let query = session(self, problem, &mut Deduced::before(work))?;
            if !matches!(query, Query::Unknown(Stopped::Timeout)) {
                return Ok(Answer { query, is_deduced: false });
            }
            if self.is_impossible(problem, work, question, None)? {
                return Ok(Answer { query: Query::Unsat(all), is_deduced: true });
            }
        }
        Ok(Answer { query: session(self, problem, work)?, is_deduced: false })
    }

    /// Returns true if the answer is `no` in first-order logic.
    fn is_impossible(
        &mut self,
        problem: &Problem,
        work: &mut Work<'_, '_>,
        question: Question<'_>,
        time: Option<Duration>,
    ) -> Result<bool, SolverError> {
        let mut deduced = std::mem::take(&mut self.deduced);
        let job = work.job;
        let sequents = |steps: &Steps<'_>| self.sequents(problem, job, steps, question);
        let proved = match time {
            Some(time) => deduced.proves_within(problem, work, time, sequents),
            None => deduced.proves(problem, work, sequents),
        };
        self.deduced = deduced;
        proved
    }

    /// As [`generalise`](super::queries::Steps::generalise) for a cube that only first-order logic blocks.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub(super) fn generalise_deduced(
        &mut self,
        problem: &Problem,
        work: &mut Work<'_, '_>,
        cube: &Cube,
        frame: usize,
    ) -> Result<Cube, SolverError> {
        let mut lemma = cube.clone();
        let mut kept = BTreeSet::new();
        while let Some(literal) = self.steps.first_to_drop(&lemma, &kept) {
            if lemma.literals().len() == 1 || work.check().is_err() {
                break;
            }
            let smaller = lemma.without(literal);
            let mut dropped = true;
            for question in [Question::Initially(&smaller), Question::Into(&smaller, frame)] {
                dropped = dropped
                    && self.is_impossible(problem, work, question, Some(tuning().deduction.smaller))?;
            }
            match dropped {
                true => lemma = smaller,
                false => drop(kept.insert(literal)),
            }
        }
        Ok(lemma)
    }

    fn sequents(
        &self,
        problem: &Problem,
        job: &Job,
        steps: &Steps<'_>,
        question: Question<'_>,
    ) -> Option<Vec<Sequent>> {
        let clause = |cube: &Cube| self.abstraction.predicates.clause(&job.model, cube);
        match question {
            Question::Initially(cube) => steps.after(None, &[], &[], &clause(cube)),
            Question::Into(cube, frame) => {
                let outside = clause(cube);
                let mut before = self.known_in(problem, job, frame);
                before.push(outside.clone());
                let mut all = vec![];
                for event in (0..job.model.events.len() as u32).map(EventId) {
                    all.extend(steps.after(Some(event), &before, &[], &outside)?);
                }
                Some(all)
            }
            Question::Violating(frame) => {
                let before = self.known_in(problem, job, frame);
                let mut all = no_violation(problem, job, steps, &before, Start::Anywhere, 1)?;
                all.extend(no_failure(problem, steps, &before, Start::Anywhere, 0)?);
                all.extend(no_unassumed(problem, job, steps, &before)?);
                Some(all)
            }
        }
    }

    /// The assumed conjuncts, and what is blocked in a frame. Of the initial states nothing more is said.
    fn known_in(&self, problem: &Problem, job: &Job, frame: usize) -> Vec<Pred> {
        let mut all: Vec<Pred> =
            problem.assumed.iter().map(|i| job.model.invariant[*i].pred.clone()).collect();
        if frame > 0 {
            all.extend(self.steps.guesses().iter().map(|g| g.pred.clone()));
            let blocked = self.frames.blocked_in(frame);
            all.extend(blocked.map(|cube| self.abstraction.predicates.clause(&job.model, cube)));
        }
        all
    }
}
