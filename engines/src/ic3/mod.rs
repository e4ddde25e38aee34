//! IC3 over the predicates of the model (implicit predicate abstraction) with proof information.
//!
//! Cubes are conjunctions of predicates, so each one-step query is the concrete query; only the
//! predecessor that is extracted from a model is abstract: the truth values of all predicates
//! (Cimatti, Griggio, Mover, Tonetta, *IC3 modulo theories via implicit predicate abstraction*, TACAS 2014).
//! Frames imply the assumed conjuncts p. A bad step is `F_k(s) ∧ T_p¬(s, s')`: fully proven events are
//! absent from it, but never from the consecution of a lemma, which they need not preserve.
//!
//! A `domain` decides what is extracted: the truth values of predicates, or the diagram of the state, which says what
//! is true of the elements of deferred sets. Predicates begin; where variables speak of such sets without a size, both
//! work in turn.

mod abstract_path;
mod candidates;
mod deduced;
pub(crate) mod domain;
pub(crate) mod frame;
mod generalise;
mod goal;
mod houdini;
mod inductive;
mod minimise;
mod orbits;
mod push;
pub(crate) mod queries;
pub(crate) mod search;
mod sessions;

use std::time::Duration;

use bsym_encodings::session::{SolverError, Statistics};
use bsym_language::model::{CarrierKind, Pred};
use bsym_proofs::claim::Evidence;
use bsym_semantics::verdict::Reason;

use crate::bmc::Bmc;
use crate::options::{Domains, Job};
use crate::outcome::{Outcome, Work};
use crate::problem::{Open, Problem};
use crate::strongest::vocabulary::Vocabulary;
use crate::tuning::tuning;
use crate::verdict::Progress;
use abstract_path::Goal;
use domain::diagrams::Diagrams;
use search::{End, Search};

/// An IC3 prover.
#[derive(Debug)]
pub struct Ic3 {
    base: Bmc,
    domains: Domains,
    /// There is nothing to search: what is asked is inductive.
    is_settled: bool,
    /// A search for each domain that serves, in the order of their turns.
    turns: Vec<Turn>,
    /// A domain that serves as well, and is used once predicates have had their first turn.
    waiting: Option<Domains>,
    /// Length of a turn where there is more than one search.
    turn: Duration,
    /// Reason for giving up the search for a proof; only bounded model checking remains.
    given_up: Option<String>,
    /// Invariants that were guessed, together with the conjuncts.
    guessed: Vec<Pred>,
}

/// A search and what it waits for.
#[derive(Debug)]
struct Turn {
    search: Search,
    /// An abstract path to a violation, while it is not known whether the model has one so short.
    path: Option<Vec<Goal>>,
    /// It has nothing more to try.
    given_up: bool,
}

impl Ic3 {
    /// Begins with the atoms of the model as predicates; with diagrams as well, where variables are sets and relations
    /// over deferred sets of any size; or with one of them.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(
        problem: &mut Problem,
        job: &Job,
        domains: Domains,
        open: &mut Open<'_>,
    ) -> Result<Ic3, SolverError> {
        let base = Bmc::new(problem, open)?;
        let is_settled = problem.is_settled(job);
        let (mut turns, mut waiting) = (vec![], None);
        if !is_settled && matches!(domains, Domains::All | Domains::Predicates) {
            let search = Search::over_predicates(problem, job, open)?;
            turns.push(Turn { search, path: None, given_up: false });
        }
        let is_finite = job.scope.is_finite(&job.model);
        if !is_settled && matches!(domains, Domains::All | Domains::Diagrams) && !is_finite {
            waiting = Diagrams::of(problem, job).map(|_| Domains::Diagrams);
        }
        // Without a deferred set predicates are better left alone.
        let is_deferred = job.model.types.carriers.iter().any(|c| c.kind == CarrierKind::Deferred);
        let has_bits = domains == Domains::Bits || domains == Domains::All && is_deferred;
        if !is_settled && has_bits && is_finite {
            waiting = Some(Domains::Bits);
        }
        Ok(Ic3 {
            base,
            domains,
            is_settled,
            turns,
            waiting,
            turn: tuning().ic3.first_turn,
            given_up: None,
            guessed: vec![],
        })
    }

    /// No violation on any trace with up to this many events.
    pub fn clear(&self) -> Option<usize> {
        self.base.clear()
    }

    /// Invariants that were guessed: inductive together with the assumed conjuncts.
    pub fn guessed(&self) -> &[Pred] {
        &self.guessed
    }

    /// Work of all solvers.
    pub fn statistics(&self) -> Statistics {
        let mut all = self.base.statistics();
        for turn in &self.turns {
            all += turn.search.statistics();
        }
        all
    }

    /// Searches for an inductive invariant until something is decided or the time is up.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn run(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        work.exchange.search(true);
        // The 0- and 1-step cases, with vacuity.
        if let Some(outcome) = self.base.reach(problem, work, 1)? {
            return Ok(outcome);
        }
        if let Some(reason) = self.base.undecided() {
            self.given_up.get_or_insert(reason.into());
            // The check of a proof over diagrams asks again what the proof says of the first states.
            self.turns.retain(|t| !t.search.abstraction.domain.sorts().is_empty());
        }
        if self.is_settled && self.base.undecided().is_none() {
            return Ok(Outcome::Proof(problem.claim(work.job, Evidence::Inductive { lemmas: vec![] })));
        }
        while self.waiting.is_some() || !self.turns.is_empty() {
            if let Some(outcome) = self.take_turns(problem, work)? {
                return Ok(outcome);
            }
        }
        work.exchange.search(false);
        if matches!(self.domains, Domains::Diagrams | Domains::Bits) {
            return Ok(Outcome::Unknown(Reason::Exhausted(self.given_up.clone().unwrap_or_default())));
        }
        // A search for a proof that failed ends in deeper bounded model checking.
        match self.base.run(problem, work)? {
            Outcome::Unknown(Reason::DepthLimit(_)) => {
                Ok(Outcome::Unknown(Reason::Exhausted(self.given_up.clone().unwrap_or_default())))
            }
            other => Ok(other),
        }
    }

    /// One turn of each search.
    fn take_turns(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        for i in 0..self.turns.len() {
            // Diagrams have the larger part, for they take up less of what they began before.
            let turn = match i {
                0 => self.turn,
                _ => self.turn / tuning().ic3.later_turn_share,
            };
            let outcome = match self.turns.len() == 1 && self.waiting.is_none() {
                true => self.take(i, problem, work)?,
                false => self.take(i, problem, &mut work.within(turn))?,
            };
            let of_turn = matches!(outcome, Some(Outcome::Unknown(Reason::Timeout))) && work.check().is_ok();
            if outcome.is_some() && !of_turn {
                return Ok(outcome);
            }
        }
        if let Err(stopped) = work.check() {
            return Ok(Some(Outcome::Unknown(stopped.into())));
        }
        self.turns.retain(|t| !t.given_up);
        let begins = match self.waiting.take() {
            Some(Domains::Bits) => self.over_bits(problem, work)?.map(|search| (self.turns.len(), search)),
            Some(_) => Search::over_diagrams(problem, work.job, work.open)?.map(|search| (0, search)),
            None => None,
        };
        if let Some((place, search)) = begins {
            self.turns.insert(place, Turn { search, path: None, given_up: false });
        }
        self.turn *= 2;
        Ok(None)
    }

    /// A search over bits, if there is one; else it is said why not.
    fn over_bits(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Search>, SolverError> {
        let schemas = Vocabulary::suggested(work.job);
        Ok(match Search::over_bits(problem, work.job, &schemas, work.open)? {
            Ok(search) => Some(search),
            Err(reason) => {
                work.observer.progress(&Progress::GaveUp { domain: "bits", reason: reason.clone() });
                self.given_up.get_or_insert(reason);
                None
            }
        })
    }

    /// One turn of a search. `None` if it has nothing more to try.
    fn take(
        &mut self,
        i: usize,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        let turn = &mut self.turns[i];
        let reason = loop {
            if let Some(path) = &turn.path {
                // Either there is a path of that length, or the abstraction is too coarse; all lemmas are kept.
                let length = path.last().map_or(1, |g| g.distance);
                if let Some(outcome) = self.base.reach(problem, work, length)? {
                    return Ok(Some(outcome));
                }
                if let Some(reason) = self.base.undecided() {
                    break reason.to_string();
                }
                let refined = turn.search.refine(problem, work, path)?;
                let guesses = turn.search.steps.guesses();
                if guesses.len() > self.guessed.len() {
                    self.guessed = guesses.iter().map(|g| g.pred.clone()).collect();
                }
                if !refined {
                    break turn.search.abstraction.domain.exhausted().to_string();
                }
                turn.path = None;
            }
            match turn.search.run(problem, work)? {
                End::Proof(claim) => return Ok(Some(Outcome::Proof(claim))),
                End::Over(stopped) => return Ok(Some(Outcome::Unknown(stopped.into()))),
                End::Reached(path) => turn.path = Some(path),
                End::GaveUp(reason) => break reason,
            }
        };
        let domain = turn.search.abstraction.domain.name();
        work.observer.progress(&Progress::GaveUp { domain, reason: reason.clone() });
        self.given_up.get_or_insert(reason);
        turn.given_up = true;
        Ok(None)
    }
}
