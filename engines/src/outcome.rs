//! What an engine hands to whoever drives it.

use std::time::Duration;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::SolverError;
use bsym_proofs::claim::Claim;
use bsym_semantics::verdict::{Counterexample, Observer, Reason, Vacuous};

use crate::excluded::Excluded;
use crate::options::Job;
use crate::problem::Open;
use crate::verdict::Progress;

/// Result of letting an engine work for a while.
#[derive(Debug)]
pub enum Outcome {
    /// A proof, not yet checked.
    Proof(Claim),
    /// A replayed counterexample.
    Violated(Box<Counterexample>),
    /// There is nothing to check: why, and who says so, in words.
    Vacuous(Vacuous, String),
    /// There is nothing more to try.
    Stuck(Reason),
    /// The depth asked for is done.
    Reached,
    /// The slice is over; the engine can go on later.
    Paused(Stopped),
}

/// How long an engine may work before it hands back.
#[derive(Clone, Debug)]
pub struct Slice {
    /// End of the slice; shares the cancellation of the whole run.
    pub budget: Budget,
    /// Longest time for one query.
    pub query: Option<Duration>,
}

impl Slice {
    /// The budget of one query.
    pub fn query(&self) -> Budget {
        match self.query {
            Some(time) => self.budget.per_query(time),
            None => self.budget.clone(),
        }
    }

    /// Whether `reason` for an `unknown` is only that the slice is over or the run cancelled.
    pub fn over(&self, reason: &Stopped) -> Option<Outcome> {
        match reason {
            Stopped::Cancelled => Some(Outcome::Paused(Stopped::Cancelled)),
            Stopped::Timeout => self.budget.check().err().map(Outcome::Paused),
            Stopped::Incomplete(_) => None,
        }
    }
}

/// What an engine works with in one slice of a run.
pub struct Work<'w, 'o> {
    /// What is asked.
    pub job: &'w Job,
    /// How long it may work.
    pub slice: &'w Slice,
    /// Makes sessions.
    pub open: &'w mut Open<'o>,
    /// Is told how it goes.
    pub observer: &'w mut dyn Observer<Progress>,
    /// Looks into small scopes where a question about any size stays open.
    pub beside: &'w mut SmallScopes<'o>,
}

/// Number of events after which a search of small scopes alone ends.
pub const DEEPEST_SMALL: usize = 25;

/// Searches small scopes to a depth: what is asked, for how long, with which solver, and what is left out.
pub type SmallScopes<'w> = dyn FnMut(&Job, &Slice, &mut Open<'_>, &Excluded, usize) -> Result<Option<Box<Counterexample>>, SolverError>
    + 'w;

impl<'o> Work<'_, 'o> {
    /// The same work within another slice.
    pub fn within<'s>(&'s mut self, slice: &'s Slice) -> Work<'s, 'o> {
        Work {
            job: self.job,
            slice,
            open: &mut *self.open,
            observer: &mut *self.observer,
            beside: &mut *self.beside,
        }
    }

    /// A counterexample of at most `depth` events in a small scope.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn look_beside(
        &mut self,
        excluded: &Excluded,
        depth: usize,
    ) -> Result<Option<Box<Counterexample>>, SolverError> {
        (self.beside)(self.job, self.slice, self.open, excluded, depth)
    }
}
