//! IC3 over the predicates of the model (implicit predicate abstraction) with proof information.
//!
//! Cubes are conjunctions of predicates, so each one-step query is the concrete query; only the
//! predecessor that is extracted from a model is abstract: the truth values of all predicates
//! (Cimatti, Griggio, Mover, Tonetta, *IC3 modulo theories via implicit predicate abstraction*, TACAS 2014).
//! Frames imply the assumed conjuncts p. A bad step is `F_k(s) ∧ T_p¬(s, s')`: fully proven events are
//! absent from it, but never from the consecution of a lemma, which they need not preserve.

mod conserved;
pub(crate) mod frame;
mod generalise;
mod goal;
pub(crate) mod predicate;
mod push;
pub(crate) mod queries;
pub(crate) mod seeds;
pub(crate) mod templates;
mod weakest_precondition;

use std::collections::BTreeSet;

use bsym_encodings::session::{SolverError, Statistics};
use bsym_language::model::{EventId, Pred};
use bsym_proofs::claim::{Claim, Evidence};

use crate::bmc::Bmc;
use crate::options::Job;
use crate::outcome::{Outcome, Slice, Work};
use crate::problem::{Open, Problem};
use crate::verdict::{Observer, Progress, Unknown};
use frame::{Cube, Frames};
use goal::Goal;
use predicate::Predicates;
use queries::{Query, Steps};
use seeds::seeds;
use templates::{bounds, templates};
use weakest_precondition::through;

/// An IC3 prover that can be paused.
#[derive(Debug)]
pub struct Ic3 {
    base: Bmc,
    steps: Steps,
    predicates: Predicates,
    frames: Frames,
    /// Rounds of templates already added.
    templates: usize,
    /// Why the search for a proof was given up; what remains is bounded model checking.
    given_up: Option<String>,
}

impl Ic3 {
    /// Begins with the atoms of the model as predicates.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, job: &Job, open: &mut Open<'_>) -> Result<Ic3, SolverError> {
        let base = Bmc::new(problem, open)?;
        let steps = Steps::new(problem, job, open)?;
        let mut ic3 = Ic3 {
            base,
            steps,
            predicates: Predicates::default(),
            frames: Frames::new(),
            templates: 0,
            given_up: None,
        };
        let seeds = seeds(&job.model);
        ic3.add(problem, job, &seeds)?;
        Ok(ic3)
    }

    /// No violation on any trace with up to this many events.
    pub fn clear(&self) -> Option<usize> {
        self.base.clear()
    }

    /// Work of both solvers.
    pub fn statistics(&self) -> Statistics {
        let mut all = self.base.statistics();
        all += self.steps.statistics();
        all
    }

    fn add(&mut self, problem: &mut Problem, job: &Job, candidates: &[Pred]) -> Result<usize, SolverError> {
        self.steps.admit(problem, job, &mut self.predicates, candidates)
    }

    /// Goes on until something is decided or the slice is over.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn advance(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Outcome, SolverError> {
        // The 0- and 1-step cases, with vacuity.
        match self.base.advance(problem, work, Some(1))? {
            Outcome::Reached => {}
            other => return Ok(other),
        }
        if self.given_up.is_none() && self.base.undecided().is_some() {
            self.given_up = self.base.undecided().map(String::from);
        }
        if self.given_up.is_none() {
            if self.frames.last() == 0 {
                self.frames.open();
            }
            match self.search(problem, work)? {
                Search::Outcome(outcome) => return Ok(outcome),
                Search::GaveUp(reason) => {
                    work.observer
                        .progress(&Progress::Undecided { query: "IC3".into(), reason: reason.clone() });
                    self.given_up = Some(reason);
                }
            }
        }
        // A search for a proof that failed ends in deeper bounded model checking.
        match self.base.advance(problem, work, None)? {
            Outcome::Stuck(Unknown::DepthLimit(_)) | Outcome::Reached => {
                Ok(Outcome::Stuck(Unknown::Exhausted(self.given_up.clone().unwrap_or_default())))
            }
            other => Ok(other),
        }
    }

    /// Strengthens frame after frame until one is inductive.
    fn search(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Search, SolverError> {
        loop {
            if let Err(stopped) = work.slice.budget.check() {
                return Ok(Search::Outcome(Outcome::Paused(stopped)));
            }
            let last = self.frames.last();
            match self.steps.bad(problem, self.predicates.all(), last, work.slice)? {
                Query::Sat(found) => {
                    let goal = Goal {
                        frame: last,
                        distance: 1,
                        cube: found.cube,
                        events: found.event.into_iter().collect(),
                        met: found.met,
                    };
                    if let Some(end) = self.block(problem, work, goal)? {
                        return Ok(end);
                    }
                }
                Query::Unsat(_) => {
                    if let Some(end) = self.push(problem, work.slice)? {
                        return Ok(end);
                    }
                    if let Some(inductive) = self.converged() {
                        let cubes = self.steps.minimise(problem, inductive, work.slice)?;
                        return Ok(Search::Outcome(Outcome::Proof(self.claim(problem, work.job, &cubes))));
                    }
                    self.frames.open();
                    work.observer.progress(&Progress::Frame {
                        number: self.frames.last(),
                        lemmas: self.frames.sizes(),
                        predicates: self.predicates.len(),
                    });
                }
                Query::Unknown(reason) => {
                    return Ok(match work.slice.over(&reason) {
                        Some(paused) => Search::Outcome(paused),
                        None => Search::GaveUp(format!("the search for a violating step: {reason}")),
                    });
                }
            }
        }
    }

    fn stopped(&self, slice: &Slice, reason: bsym_encodings::budget::Stopped, what: &str) -> Search {
        match slice.over(&reason) {
            Some(paused) => Search::Outcome(paused),
            None => Search::GaveUp(format!("{what}: {reason}")),
        }
    }

    fn learn(
        &mut self,
        problem: &mut Problem,
        job: &Job,
        lemma: Cube,
        frame: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), SolverError> {
        observer.progress(&Progress::Lemma {
            frame,
            text: bsym_language::print::pred(&job.model, &self.predicates.clause(&lemma)),
        });
        self.steps.learn(problem, &lemma, frame)?;
        self.frames.block(lemma, frame);
        Ok(())
    }

    fn claim(&self, problem: &Problem, job: &Job, cubes: &[Cube]) -> Claim {
        let lemmas = cubes.iter().map(|c| self.predicates.clause(c)).collect();
        problem.claim(job, Evidence::Inductive { lemmas })
    }

    /// An abstract path leads from an initial state to a violation. Either a concrete one of that length
    /// exists, or the predicates are too weak: more are added and the search goes on with all lemmas kept.
    fn refine(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        goals: &[Goal],
    ) -> Result<Option<Search>, SolverError> {
        let length = goals.last().map_or(1, |g| g.distance);
        match self.base.advance(problem, work, Some(length))? {
            Outcome::Reached => {}
            Outcome::Stuck(reason) => return Ok(Some(Search::Outcome(Outcome::Stuck(reason)))),
            other => return Ok(Some(Search::Outcome(other))),
        }
        if let Some(reason) = self.base.undecided() {
            return Ok(Some(Search::GaveUp(reason.to_string())));
        }
        while let Some(round) = templates(&work.job.model, self.templates) {
            self.templates += 1;
            if self.add(problem, work.job, &round)? > 0 {
                return Ok(None);
            }
        }
        let candidates = self.candidates(work.job, goals);
        if self.add(problem, work.job, &candidates)? > 0 {
            return Ok(None);
        }
        Ok(Some(Search::GaveUp("no new predicates exclude the abstract counterexample".into())))
    }

    /// Weakest preconditions along an abstract path, and bounds at the values met on it.
    fn candidates(&self, job: &Job, goals: &[Goal]) -> Vec<Pred> {
        let mut found = vec![];
        let on_path: BTreeSet<EventId> = goals.iter().flat_map(|g| g.events.iter().copied()).collect();
        for event in on_path {
            for p in self.predicates.all() {
                found.extend(through(&job.model.events[event.index()], &p.pred));
            }
        }
        for met in goals.iter().flat_map(|g| &g.met) {
            found.extend(bounds(&job.model, met.variable, &met.value));
        }
        found
    }
}

enum Search {
    Outcome(Outcome),
    GaveUp(String),
}
