//! The loop of IC3 over one domain: frame after frame, until one is inductive.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use bsym_encodings::budget::Stopped;
use bsym_encodings::session::{SolverError, Statistics};
use bsym_language::model::Pred;
use bsym_proofs::claim::{Claim, Evidence};
use bsym_semantics::verdict::Observer;

use super::abstract_path::Goal;
use super::domain::Domain;
use super::domain::bits::States;
use super::domain::diagrams::Diagrams;
use super::domain::predicates::Atoms;
use super::frame::Frames;
use super::orbits::Orbits;
use super::queries::{Abstraction, Query, Question, Steps};
use crate::exchange::Listener;
use crate::first_order::Deduced;
use crate::invariants::bits::{Bits, Schema};
use crate::invariants::cube::Cube;
use crate::invariants::guess::Guess;
use crate::invariants::predicate::Predicates;
use crate::invariants::seeds::seeds;
use crate::options::Job;
use crate::outcome::Work;
use crate::problem::{Open, Problem};
use crate::verdict::Progress;

/// One search for an inductive invariant.
#[derive(Debug)]
pub(crate) struct Search {
    pub steps: Steps,
    pub abstraction: Abstraction,
    pub frames: Frames,
    /// Answers what sessions do not.
    pub(super) deduced: Deduced,
    /// Invariants are still to be guessed where the first predicates do not suffice.
    guesses: bool,
    pub(super) listener: Listener,
    /// Number of facts about targets and single steps that are not asked.
    heard: usize,
    /// Time at work for looking for lemmas that are inductive by themselves.
    pub(super) kept_time: Duration,
    /// The bits, in a search over them.
    bits: Option<Rc<Bits>>,
    /// The cubes that a proof blocks.
    proved: Vec<Cube>,
}

/// Result of the search.
pub(crate) enum End {
    /// A proof, not yet checked.
    Proof(Claim),
    /// The time is up; the search can be resumed later.
    Over(Stopped),
    /// There is an abstract path from an initial state to a violation.
    Reached(Vec<Goal>),
    /// The search gave up for good, without an answer.
    GaveUp(String),
}

impl Search {
    /// A search over the predicates of the model.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn over_predicates(
        problem: &mut Problem,
        job: &Job,
        open: &mut Open<'_>,
    ) -> Result<Search, SolverError> {
        let steps = Steps::new(problem, job, open)?;
        let atoms = Box::new(Atoms::default());
        let search = Search::with(problem, job, steps, atoms, Predicates::default(), &seeds(&job.model))?;
        Ok(Search { guesses: true, ..search })
    }

    /// A search over diagrams, if the variables are of such types.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn over_diagrams(
        problem: &mut Problem,
        job: &Job,
        open: &mut Open<'_>,
    ) -> Result<Option<Search>, SolverError> {
        let Some(diagrams) = Diagrams::of(problem, job) else { return Ok(None) };
        let mut seeds = seeds(&job.model);
        seeds.retain(|p| diagrams.leaves_out(p));
        let steps = Steps::reading(problem, job, diagrams.sorts(), open)?;
        Search::with(problem, job, steps, Box::new(diagrams), Predicates::default(), &seeds).map(Some)
    }

    /// A search over bits with their orbits, where all sets have a size; or why there is none. `schemas`: predicates
    /// about elements, each of which gives bits as well.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn over_bits(
        problem: &mut Problem,
        job: &Job,
        schemas: &[Schema],
        open: &mut Open<'_>,
    ) -> Result<Result<Search, String>, SolverError> {
        let (bits, predicates) = match Bits::of(problem, job, schemas) {
            Ok((bits, predicates)) => (Rc::new(bits), predicates),
            Err(why) => return Ok(Err(why)),
        };
        let mut seeds = seeds(&job.model);
        seeds.retain(|p| bits.leaves_out(p));
        let mut steps = Steps::new(problem, job, open)?;
        steps.block_orbits(Orbits::new(bits.clone()));
        let states = Box::new(States::new(bits.clone()));
        let search = Search::with(problem, job, steps, states, predicates, &seeds)?;
        Ok(Ok(Search { bits: Some(bits), ..search }))
    }

    fn with(
        problem: &mut Problem,
        job: &Job,
        mut steps: Steps,
        domain: Box<dyn Domain>,
        mut predicates: Predicates,
        seeds: &[Pred],
    ) -> Result<Search, SolverError> {
        steps.admit(problem, job, &mut predicates, seeds)?;
        Ok(Search {
            steps,
            abstraction: Abstraction { domain, predicates },
            frames: Frames::new(),
            deduced: Deduced::default(),
            guesses: false,
            listener: Listener::default(),
            heard: 0,
            kept_time: Duration::ZERO,
            bits: None,
            proved: vec![],
        })
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        self.steps.statistics()
    }

    /// Strengthens frame after frame until one is inductive.
    pub fn run(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<End, SolverError> {
        if self.frames.last() == 0 {
            self.frames.open();
        }
        loop {
            if let Err(stopped) = work.check() {
                return Ok(End::Over(stopped));
            }
            self.hear(problem, work)?;
            if self.heard > 0 && problem.is_settled(work.job) {
                return Ok(self.claim(problem, work.job, vec![], vec![]));
            }
            let last = self.frames.last();
            let question = Question::Violating(last);
            let answer = self.ask(problem, work, question, (), |search, problem, work| {
                search.steps.bad(problem, &mut search.abstraction, last, work)
            })?;
            match answer.query {
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
                    if let Some(end) = self.push(problem, work)? {
                        return Ok(end);
                    }
                    self.keep_inductive(problem, work)?;
                    if let Some(inductive) = self.converged() {
                        let (cubes, guesses) = self.steps.minimise(problem, inductive, work)?;
                        return Ok(self.claim(problem, work.job, cubes, guesses));
                    }
                    self.frames.open();
                    work.observer.progress(&Progress::Frame {
                        number: self.frames.last(),
                        lemmas: self.frames.sizes(),
                        predicates: self.abstraction.predicates.len(),
                    });
                }
                Query::Unknown(reason) => {
                    if let Some(end) =
                        self.undecided(problem, work, reason, "the search for a violating step")?
                    {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Takes over what others have told.
    fn hear(&mut self, problem: &mut Problem, work: &Work<'_, '_>) -> Result<(), SolverError> {
        for lemma in work.exchange.lemmas(&mut self.listener) {
            self.steps.adopt(problem, &lemma)?;
        }
        let heard = problem.hear(work.job, work.exchange);
        if std::mem::replace(&mut self.heard, heard) < heard {
            self.steps.ask_open(problem, work.job)?;
        }
        Ok(())
    }

    /// Returns how the search ends at an undecided question, or `None` if there is patience to restart the frame.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn undecided(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        reason: Stopped,
        what: &str,
    ) -> Result<Option<End>, SolverError> {
        if work.is_over(&reason) {
            return Ok(Some(End::Over(reason)));
        }
        let heard = self.heard;
        self.hear(problem, work)?;
        Ok(match self.heard > heard || self.steps.wait_longer(problem, work.open)? {
            true => None,
            false => Some(End::GaveUp(format!("{what}: {reason}"))),
        })
    }

    pub fn learn(
        &mut self,
        problem: &mut Problem,
        job: &Job,
        lemma: Cube,
        frame: usize,
        observer: &mut dyn Observer<Progress>,
    ) -> Result<(), SolverError> {
        let Abstraction { domain, predicates } = &mut self.abstraction;
        let lemma = domain.canonical(problem, predicates, lemma);
        self.steps.declare(problem, predicates)?;
        for clause in domain.said(&job.model, predicates, &lemma).into_iter().flatten() {
            let text = bsym_language::print::pred(&job.model, &clause);
            observer.progress(&Progress::Lemma { frame, text });
        }
        self.steps.learn(problem, &lemma, frame)?;
        let domain = &self.abstraction.domain;
        self.frames.block(lemma, frame, &|a, b| domain.subsumes(a, b));
        Ok(())
    }

    /// The formulas that say that a cube is blocked; none where they cannot be said in B.
    pub(super) fn said(&self, job: &Job, cube: &Cube) -> Option<Vec<Pred>> {
        self.abstraction.domain.said(&job.model, &self.abstraction.predicates, cube)
    }

    /// A proof that blocks cubes and rests on guesses.
    fn claim(&mut self, problem: &Problem, job: &Job, cubes: Vec<Cube>, guesses: Vec<Guess>) -> End {
        self.proved = cubes.into_iter().collect::<BTreeSet<Cube>>().into_iter().collect();
        let said: Option<Vec<Vec<Pred>>> = self.proved.iter().map(|c| self.said(job, c)).collect();
        let Some(said) = said else {
            return End::GaveUp("a lemma is about more elements of a set than it has names for".into());
        };
        let lemmas = guesses.into_iter().map(|g| g.pred).chain(said.into_iter().flatten()).collect();
        End::Proof(problem.claim(job, Evidence::Inductive { lemmas }))
    }

    /// All readings of the lemmas of a proof over bits in formulas that may hold in larger sets as well.
    pub fn readings(&self) -> Vec<Pred> {
        let Some(bits) = &self.bits else { return vec![] };
        let of = |cube: &Cube| bits.readings(&self.abstraction.predicates, cube);
        self.proved.iter().flat_map(of).flatten().collect()
    }

    /// Learns from an abstract path that no path of the model is like. Whether there is something new.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn refine(
        &mut self,
        problem: &mut Problem,
        work: &Work<'_, '_>,
        path: &[Goal],
    ) -> Result<bool, SolverError> {
        let known = self.steps.guesses().len();
        self.hear(problem, work)?;
        let (job, exchange) = (work.job, work.exchange);
        if std::mem::take(&mut self.guesses) && !exchange.has_guesses() {
            let own = self.steps.guesses().len();
            self.steps.guess(problem, job)?;
            let news = self.steps.guesses().iter().skip(own).map(|g| g.pred.clone());
            exchange.tell_lemmas(&mut self.listener, news);
            exchange.tell_guessed();
        }
        if self.steps.guesses().len() > known {
            return Ok(true);
        }
        let Abstraction { domain, predicates } = &mut self.abstraction;
        let steps = &mut self.steps;
        domain.refine(problem, job, predicates, path, &mut |problem, predicates, candidates| {
            steps.admit(problem, job, predicates, candidates)
        })
    }
}
