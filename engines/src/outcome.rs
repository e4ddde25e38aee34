//! Resources and outcome of an engine: what it works with, and what it ends with.

use std::time::Duration;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::SolverError;
use bsym_proofs::claim::Claim;
use bsym_semantics::verdict::{Counterexample, Observer, Reason, Vacuous};

use crate::exchange::Exchange;
use crate::options::Job;
use crate::problem::{MayBeOpen, Open};
use crate::tuning::tuning;
use crate::turn::Turn;
use crate::verdict::Progress;
use crate::wishes::Wishes;

/// Result of an engine.
#[derive(Debug)]
pub enum Outcome {
    /// A proof, not yet checked.
    Proof(Claim),
    /// A replayed counterexample.
    Violated(Box<Counterexample>),
    /// There is nothing to check; the reason, with an explanation.
    Vacuous(Vacuous, String),
    /// Nothing more to try, or the time is up.
    Unknown(Reason),
}

/// Resources of an engine: the question, a solver, an observer, and its time.
pub struct Work<'w, 'o> {
    /// The question.
    pub job: &'w Job,
    /// Makes sessions.
    pub open: &'w mut Open<'o>,
    /// Observer of the progress.
    pub observer: &'w mut dyn Observer<Progress>,
    /// Asks for a search of small scopes where a question about any size stays open.
    pub small_scopes: &'w Wishes,
    /// Facts that other engines tell, and are told.
    pub exchange: &'w Exchange,
    /// Longest time for one query.
    pub query: Option<Duration>,
    /// Shares the cores with others.
    pub turn: &'w mut Turn,
    /// The time at work at which this part ends.
    pub end: Option<Duration>,
}

impl<'o> Work<'_, 'o> {
    /// A part that takes at most some time at work.
    pub fn within(&mut self, time: Duration) -> Work<'_, 'o> {
        let end = self.turn.worked() + time;
        Work { end: Some(self.end.map_or(end, |own| own.min(end))), ..self.again() }
    }

    /// A part in which no query takes longer than some time.
    pub fn with_query(&mut self, time: Duration) -> Work<'_, 'o> {
        let query = Some(self.query.map_or(time, |own| own.min(time)));
        Work { query, ..self.again() }
    }

    /// A part in which a query may take some time, whatever others may.
    pub fn with_patience(&mut self, time: Duration) -> Work<'_, 'o> {
        Work { query: Some(time), ..self.again() }
    }

    fn again(&mut self) -> Work<'_, 'o> {
        Work {
            job: self.job,
            open: &mut *self.open,
            observer: &mut *self.observer,
            small_scopes: self.small_scopes,
            exchange: self.exchange,
            query: self.query,
            turn: &mut *self.turn,
            end: self.end,
        }
    }

    /// `Err` once this part, or the run, has to end. Lets others work if it is their turn.
    ///
    /// # Errors
    /// The reason why the engine has to end.
    pub fn check(&mut self) -> Result<(), Stopped> {
        self.job.budget.check()?;
        if self.end.is_some_and(|end| self.turn.worked() >= end) {
            return Err(Stopped::Timeout);
        }
        if self.turn.is_over() {
            self.turn.hand_on();
        }
        if self.turn.is_closed() { Err(Stopped::Cancelled) } else { self.job.budget.check() }
    }

    /// Lets others work until the next slice, if this one is all but over.
    fn next_slice(&mut self) -> Result<(), Stopped> {
        if self.turn.left().is_some_and(|left| left <= tuning().portfolio.sliver) {
            self.turn.hand_on();
        }
        self.check()
    }

    /// Returns true if `reason` for a missing answer is only that this part or the run is over.
    pub fn is_over(&mut self, reason: &Stopped) -> bool {
        match reason {
            Stopped::Cancelled => true,
            Stopped::Timeout => {
                let is_at_end = |end: Duration| self.turn.worked() + tuning().portfolio.sliver >= end;
                self.end.is_some_and(is_at_end) || self.check().is_err()
            }
            Stopped::Incomplete(_) => false,
        }
    }

    /// Asks a question, again in each slice until there is an answer or its own time is over.
    ///
    /// # Errors
    /// Those of the question.
    pub fn ask<T: MayBeOpen>(
        &mut self,
        mut question: impl FnMut(&Budget) -> Result<T, SolverError>,
    ) -> Result<T, SolverError> {
        loop {
            let of_slice = self.turn.left();
            let of_part = self.end.map(|end| end.saturating_sub(self.turn.worked()));
            let left = [of_slice, of_part].into_iter().flatten().min();
            let mut budget =
                left.map_or_else(|| self.job.budget.clone(), |left| self.job.budget.within(left));
            budget.query = self.query.or(budget.query);
            let answer = question(&budget)?;
            let is_at_end = self.turn.left().is_some_and(|left| left <= tuning().portfolio.sliver);
            let is_cut = answer.stopped() == Some(&Stopped::Timeout) && of_slice.is_some() && is_at_end;
            // A question whose own time is over is not asked again.
            let had_its_time = self.query.is_some_and(|query| of_slice.is_some_and(|slice| query <= slice));
            if !is_cut || had_its_time || self.next_slice().is_err() {
                return Ok(answer);
            }
        }
    }

    /// Returns the time that is left of this part, or of the run if that is less.
    pub fn left(&self) -> Option<Duration> {
        let of_part = self.end.map(|end| end.saturating_sub(self.turn.worked()));
        [of_part, self.job.budget.left()].into_iter().flatten().min()
    }

    /// The time at work so far.
    pub fn worked(&self) -> Duration {
        self.turn.worked()
    }
}
