//! Looking for a counterexample in small finite scopes.
//!
//! Where the question about sets of any size has no term, is not decided, or its model does not replay, the
//! same depth is searched with every open deferred set of one, two, three … elements. A trace found there is
//! a trace for any size; that nothing is found there says nothing.

use std::time::Duration;

use bsym_encodings::session::{SolverError, Statistics};
use bsym_semantics::verdict::Counterexample;

use crate::bmc::Bmc;
use crate::excluded::Excluded;
use crate::options::Job;
use crate::outcome::{Outcome, Slice, Work};
use crate::problem::{Open, Problem};
use crate::verdict::Progress;

/// Largest number of elements that a deferred set gets.
const LARGEST: usize = 3;
/// Longest time for one scope at one depth.
const TIME: Duration = Duration::from_secs(2);

/// Bounded model checkers in small scopes.
#[derive(Debug, Default)]
pub struct Hunt {
    scopes: Option<Vec<(Job, Problem, Bmc)>>,
}

impl Hunt {
    /// Searches all scopes to `depth`. `None` also where the scope is finite already. One search serves all engines of a
    /// portfolio: what one of them looked at needs no second look.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn search(
        &mut self,
        asked: &Job,
        slice: &Slice,
        open: &mut Open<'_>,
        excluded: &Excluded,
        depth: usize,
    ) -> Result<Option<Box<Counterexample>>, SolverError> {
        if self.scopes.is_none() {
            self.scopes = Some(start(asked, excluded, open)?);
        }
        for (job, problem, bmc) in self.scopes.iter_mut().flatten() {
            let slice = Slice { budget: slice.budget.within(TIME), query: slice.query };
            let observer = &mut |_: &Progress| {};
            // Nothing is left open in the size of a set.
            let beside = &mut |_: &Job, _: &Slice, _: &mut Open<'_>, _: &Excluded, _: usize| Ok(None);
            let mut quietly = Work { job, slice: &slice, open, observer, beside };
            if let Outcome::Violated(found) = bmc.advance(problem, &mut quietly, Some(depth))?
                && asked.depth.is_none_or(|limit| found.trace.steps.len() <= limit + 1)
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
    for size in 1..=LARGEST {
        let scope = job.scope.with_open_sets(&job.model, |_| size);
        let job = Job { scope, depth: None, ..job.clone() };
        let mut problem = Problem::new(&job, excluded, open)?;
        let bmc = Bmc::new(&mut problem, open)?;
        scopes.push((job, problem, bmc));
    }
    Ok(scopes)
}
