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
mod pairs;
pub(crate) mod predicate;
pub(crate) mod solver;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use bsym_encodings::budget::Stopped;
use bsym_encodings::session::{SolverError, Statistics};
use bsym_language::model::{EventId, Pred};
use bsym_proofs::claim::{Claim, Evidence};

use crate::bmc::Bmc;
use crate::options::Job;
use crate::outcome::{Outcome, Slice, Work};
use crate::problem::{Open, Problem};
use crate::verdict::{Observer, Progress, Unknown};
use frame::{Cube, Frames};
use predicate::Predicates;
use solver::{Met, Query, Steps};

/// From this frame on, what is inductive by itself is blocked for ever.
const UNAIDED: usize = 2;

/// An IC3 prover that can be paused.
#[derive(Debug)]
pub struct Ic3 {
    base: Bmc,
    steps: Steps,
    predicates: Predicates,
    frames: Frames,
    /// Cubes blocked in all frames: inductive without the lemmas of the frames.
    forever: Vec<Cube>,
    /// Those of two literals have been looked for.
    paired: bool,
    /// Rounds of templates already added.
    templates: usize,
    /// Why the search for a proof was given up; what remains is bounded model checking.
    given_up: Option<String>,
}

/// A cube that must be blocked up to a frame, and the way from it to a violation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Goal {
    frame: usize,
    /// Steps from the cube to the violation.
    distance: usize,
    cube: Cube,
    /// Events on the way, next one first; `None` where the violation itself comes next.
    events: Vec<EventId>,
    /// Integer values met in the cube's state.
    met: Vec<Met>,
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
            forever: vec![],
            paired: false,
            templates: 0,
            given_up: None,
        };
        let seeds = predicate::seeds(&job.model);
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
            if last >= UNAIDED && !self.paired {
                let Some(cubes) = self.steps.pairs(problem, work.slice)? else {
                    return Ok(Search::Outcome(Outcome::Paused(Stopped::Timeout)));
                };
                for cube in &cubes {
                    self.steps.learn_forever(problem, cube)?;
                }
                self.forever.extend(cubes);
                self.paired = true;
            }
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
                    if let Some(end) = self.propagate(problem, work.slice)? {
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

    /// Blocks a goal and everything that leads to it. `None` when it is done.
    fn block(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        first: Goal,
    ) -> Result<Option<Search>, SolverError> {
        let mut goals = BinaryHeap::from([Reverse(first)]);
        while let Some(Reverse(goal)) = goals.pop() {
            if let Err(stopped) = work.slice.budget.check() {
                return Ok(Some(Search::Outcome(Outcome::Paused(stopped))));
            }
            let last = self.frames.last();
            if let Some(frame) = self.frames.contains(&goal.cube, goal.frame) {
                if frame < last {
                    goals.push(Reverse(Goal { frame: frame + 1, ..goal }));
                }
                continue;
            }
            match self.steps.initial(problem, &goal.cube, work.slice)? {
                Query::Sat(_) => {
                    // The rest of the queue speaks of predicates that may no longer suffice.
                    let all: Vec<Goal> = goals.into_iter().map(|g| g.0).chain([goal]).collect();
                    return self.refine(problem, work, &all);
                }
                Query::Unknown(reason) => {
                    return Ok(Some(self.stopped(work.slice, reason, "a cube against the initialisation")));
                }
                Query::Unsat(_) => {}
            }
            match self.steps.consecution(
                problem,
                self.predicates.all(),
                &goal.cube,
                goal.frame - 1,
                work.slice,
            )? {
                Query::Unsat(core) => {
                    let lemma =
                        self.steps.generalise(problem, &goal.cube, core, goal.frame - 1, work.slice)?;
                    let mut frame = goal.frame;
                    while frame < last
                        && matches!(
                            self.steps.consecution(problem, &[], &lemma, frame, work.slice)?,
                            Query::Unsat(_)
                        )
                    {
                        frame += 1;
                    }
                    self.learn(problem, work.job, lemma, frame, work.observer)?;
                    if frame < last {
                        goals.push(Reverse(Goal { frame: frame + 1, ..goal }));
                    }
                }
                Query::Sat(found) => {
                    let mut events: Vec<EventId> = found.event.into_iter().collect();
                    events.extend(&goal.events);
                    let before = Goal {
                        frame: goal.frame - 1,
                        distance: goal.distance + 1,
                        cube: found.cube,
                        events,
                        met: found.met,
                    };
                    if before.frame == 0 {
                        // The predecessor is an initial state.
                        let all: Vec<Goal> = goals.into_iter().map(|g| g.0).chain([goal, before]).collect();
                        return self.refine(problem, work, &all);
                    }
                    goals.push(Reverse(before));
                    goals.push(Reverse(goal));
                }
                Query::Unknown(reason) => {
                    return Ok(Some(self.stopped(work.slice, reason, "consecution of a cube")));
                }
            }
        }
        Ok(None)
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

    /// Moves lemmas to the next frame where they still hold.
    fn propagate(&mut self, problem: &mut Problem, slice: &Slice) -> Result<Option<Search>, SolverError> {
        for frame in 1..self.frames.last() {
            for cube in self.frames.cubes(frame).to_vec() {
                if let Err(stopped) = slice.budget.check() {
                    return Ok(Some(Search::Outcome(Outcome::Paused(stopped))));
                }
                if let Query::Unsat(_) = self.steps.consecution(problem, &[], &cube, frame, slice)? {
                    self.frames.remove(frame, &cube);
                    self.steps.learn(problem, &cube, frame + 1)?;
                    self.frames.block(cube, frame + 1);
                }
            }
        }
        Ok(None)
    }

    /// The lemmas of the first frame that equals the next one. The last frame equals p when it has no
    /// lemma of its own, and then p alone is inductive, because no violating step leaves it.
    fn converged(&self) -> Option<Vec<Cube>> {
        (1..=self.frames.last())
            .find(|&i| self.frames.cubes(i).is_empty())
            .map(|i| self.frames.blocked_in(i + 1).chain(&self.forever).cloned().collect())
    }

    fn claim(&self, problem: &Problem, job: &Job, cubes: &[Cube]) -> Claim {
        Claim {
            properties: problem.targets.iter().map(|t| t.property).collect(),
            conjuncts: problem.assumed.clone(),
            well_definedness: job.well_definedness,
            evidence: Evidence::Inductive { lemmas: cubes.iter().map(|c| self.predicates.clause(c)).collect() },
        }
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
        while let Some(round) = predicate::templates(&work.job.model, self.templates) {
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
                found.extend(predicate::through(&job.model.events[event.index()], &p.pred));
            }
        }
        for met in goals.iter().flat_map(|g| &g.met) {
            found.extend(predicate::bounds(&job.model, met.variable, &met.value));
        }
        found
    }
}

enum Search {
    Outcome(Outcome),
    GaveUp(String),
}
