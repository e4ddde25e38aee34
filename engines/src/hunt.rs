//! Looking for a counterexample in small finite scopes.
//!
//! Where the question about sets of any size has no term, is not decided, or its model does not replay, the same depth
//! is searched with every open deferred set of one, two, three … elements. A trace found there is a trace for any size;
//! if none is found, nothing follows.

use bsym_encodings::session::{SolverError, Statistics};
use bsym_semantics::verdict::Counterexample;

use crate::bmc::Bmc;
use crate::exchange::Exchange;
use crate::excluded::Excluded;
use crate::options::Job;
use crate::outcome::{Outcome, Work};
use crate::problem::{Open, Problem};
use crate::tuning::tuning;
use crate::verdict::Progress;
use crate::wishes::Wishes;

/// Bounded model checkers in small scopes.
#[derive(Debug, Default)]
pub struct Hunt {
    scopes: Option<Vec<(Job, Problem, Bmc)>>,
}

impl Hunt {
    /// Searches all scopes to the depths that are wanted, those of now and of later, until the round ends.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn run(
        &mut self,
        excluded: &Excluded,
        wishes: &Wishes,
        work: &mut Work<'_, '_>,
    ) -> Result<Outcome, SolverError> {
        loop {
            if let Some(found) = self.fulfil(excluded, wishes, work)? {
                return Ok(Outcome::Violated(found));
            }
            if let Err(stopped) = work.check() {
                return Ok(Outcome::Unknown(stopped.into()));
            }
            work.turn.hand_on();
        }
    }

    /// Searches all scopes to the depths that are wanted now.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn fulfil(
        &mut self,
        excluded: &Excluded,
        wishes: &Wishes,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Box<Counterexample>>, SolverError> {
        while let Some(depth) = wishes.next() {
            if work.check().is_err() {
                break;
            }
            if let Some(found) = self.search(excluded, work, depth)? {
                return Ok(Some(found));
            }
            wishes.fulfilled(depth);
        }
        Ok(None)
    }

    /// Searches all scopes to `depth`. `None` also where the scope is finite already.
    fn search(
        &mut self,
        excluded: &Excluded,
        work: &mut Work<'_, '_>,
        depth: usize,
    ) -> Result<Option<Box<Counterexample>>, SolverError> {
        let scopes = match &mut self.scopes {
            Some(scopes) => scopes,
            none => none.insert(start(work.job, excluded, work.open)?),
        };
        let limit = work.job.depth;
        for (job, problem, bmc) in scopes {
            // Nothing is left open in the size of a set, and what is true of one size is no news for the others.
            let (mut observer, small_scopes) = (|_: &Progress| {}, &Wishes::default());
            let exchange = &Exchange::default();
            let mut part = Work {
                job,
                observer: &mut observer,
                small_scopes,
                exchange,
                ..work.within(tuning().contestant.hunt_time)
            };
            if let Some(Outcome::Violated(found)) = bmc.reach(problem, &mut part, depth)?
                && limit.is_none_or(|limit| found.trace.steps.len() <= limit + 1)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Work of the solvers.
    pub fn statistics(&self) -> Statistics {
        let mut all = Statistics::default();
        for (_, _, bmc) in self.scopes.iter().flatten() {
            all += bmc.statistics();
        }
        all
    }
}

fn start(
    job: &Job,
    excluded: &Excluded,
    open: &mut Open<'_>,
) -> Result<Vec<(Job, Problem, Bmc)>, SolverError> {
    let mut scopes = vec![];
    if job.scope.is_finite(&job.model) {
        return Ok(scopes);
    }
    for size in 1..=tuning().contestant.hunt_largest {
        let scope = job.scope.with_open_sets(&job.model, |_| size);
        let job = Job { scope, depth: None, ..job.clone() };
        let mut problem = Problem::new(&job, excluded, open)?;
        let bmc = Bmc::new(&mut problem, open)?;
        scopes.push((job, problem, bmc));
    }
    Ok(scopes)
}
