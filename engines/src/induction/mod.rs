//! k-induction with proof information and lazy uniqueness constraints.
//!
//! Base: [`Bmc`] to depth k, and beyond as long as it takes no more time than the step cases. Step: `p(s0) ∧ ⋀ T_p(s_i,
//! s_{i+1}) ∧ T_p¬(s_k, s_{k+1})` from any state. States that a model repeats are made different for that pair only
//! (Eén & Sörensson, *Temporal induction by incremental SAT solving*, 2003). Where short paths do not suffice, a
//! counterexample to induction is excluded by a lemma if there is one (`lemmas`), and only else by a longer path.

mod lemmas;

use std::collections::BTreeSet;
use std::time::Duration;

use bsym_encodings::budget::Stopped;
use bsym_encodings::concretize::read_trace;
use bsym_encodings::session::{Model, SolverError, Statistics, TermValue};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{EventId, Pred};
use bsym_proofs::claim::{Evidence, Property};
use bsym_proofs::steps::Steps;
use bsym_semantics::trace::Trace;
use bsym_semantics::verdict::Reason;

use crate::bmc::Bmc;
use crate::exchange::Shown;
use crate::first_order::{Deduced, assumed, no_failure, no_unassumed, no_violation};
use crate::invariants::cube::Cube;
use crate::options::Job;
use crate::outcome::{Outcome, Work};
use crate::paths::counterexample::confirm_induction;
use crate::paths::uniqueness::{different, repetitions};
use crate::paths::{Checked, Path, Start, Taken};
use crate::problem::{Open, Problem, Target};
use crate::tuning::tuning;
use crate::verdict::{CounterexampleToInduction, Engine, Progress};
use lemmas::{Lemmas, Source};

/// A k-induction prover.
#[derive(Debug)]
pub struct Kind {
    base: Bmc,
    /// The path of the step case: k steps, all assumed good.
    step: Path,
    /// The violating step beyond it is made when it is asked for.
    extended: bool,
    /// Pairs of states already made different.
    distinct: Vec<(usize, usize)>,
    /// Made when paths get longer.
    lemmas: Option<Lemmas>,
    /// The lemmas that are supposed in the states of the path.
    supposed: Vec<Supposed>,
    /// Answers what the session of the step does not.
    deduced: Deduced,
    /// The last counterexample to induction.
    cti: Option<Trace>,
    /// Time at work for the base, and for the step cases.
    base_time: Duration,
    step_time: Duration,
}

/// A lemma that is supposed in the states of a path.
#[derive(Debug)]
struct Supposed {
    /// Implies it.
    literal: Term,
    lemma: Pred,
    /// The lemma over the current state.
    clause: Term,
    source: Source,
}

impl Kind {
    /// Begins with k = 0.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, open: &mut Open<'_>) -> Result<Kind, SolverError> {
        let base = Bmc::new(problem, open)?;
        let mut step = Path::new(problem, Start::Anywhere, open)?;
        step.assume_conjuncts(problem)?;
        Ok(Kind {
            base,
            step,
            extended: false,
            distinct: vec![],
            lemmas: None,
            supposed: vec![],
            deduced: Deduced::default(),
            cti: None,
            base_time: Duration::ZERO,
            step_time: Duration::ZERO,
        })
    }

    /// No violation on any trace with up to this many events.
    pub fn clear(&self) -> Option<usize> {
        self.base.clear()
    }

    /// Returns the counterexample that kept the last step case from being a proof, if the evaluator confirms it.
    pub fn counterexample_to_induction(&self, job: &Job) -> Option<CounterexampleToInduction> {
        confirm_induction(job, self.cti.clone()?, self.clear())
    }

    /// Invariants that were guessed: inductive together with the assumed conjuncts.
    pub fn guessed(&self) -> Vec<Pred> {
        let guesses = self.lemmas.iter().flat_map(Lemmas::guesses);
        guesses.map(|g| g.pred.clone()).collect()
    }

    /// Work of both solvers.
    pub fn statistics(&self) -> Statistics {
        let mut all = self.base.statistics();
        all += self.step.session.statistics();
        if let Some(lemmas) = &self.lemmas {
            all += lemmas.statistics();
        }
        all
    }

    /// Base and step case with longer and longer paths, until something is decided or the time is up.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn run(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        for k in 0.. {
            if let Some(outcome) = self.base(problem, work, k)? {
                return Ok(outcome);
            }
            if let Some(why) = self.base.undecided()
                && self.base.clear().is_none_or(|clear| clear < k)
            {
                let why = why.to_string();
                return self.only_refute(problem, work, why);
            }
            self.hear(problem, work, k)?;
            let begin = work.worked();
            let step = self.induction_step(problem, work)?;
            let time = work.worked() - begin;
            self.step_time += time;
            if work.exchange.is_shared() && !matches!(step, Step::Proved | Step::Over(_)) {
                let violated = if let Step::NotInductive(violated) = &step { &violated[..] } else { &[] };
                self.show(problem, &mut work.within(time), k, violated)?;
            }
            match step {
                Step::Proved => return self.proof(problem, work, k),
                Step::Over(stopped) => return Ok(Outcome::Unknown(stopped.into())),
                Step::NotInductive(_) => {}
                Step::Undecided(reason) => {
                    work.observer
                        .progress(&Progress::Undecided { query: format!("induction step, k = {k}"), reason });
                }
            }
            work.observer.progress(&Progress::Depth {
                engine: Engine::Kind,
                depth: k,
                undecided: false,
                size: None,
            });
            if work.job.depth.is_some_and(|limit| k >= limit) {
                return Ok(Outcome::Unknown(Reason::DepthLimit(k)));
            }
            if let Some(outcome) = self.base_ahead(problem, work)? {
                return Ok(outcome);
            }
            self.lengthen(problem)?;
        }
        unreachable!("there is no longest path")
    }

    /// The base case: no violation on paths of up to `k` steps.
    fn base(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        k: usize,
    ) -> Result<Option<Outcome>, SolverError> {
        let begin = work.worked();
        let outcome = self.base.reach(problem, work, k)?;
        self.base_time += work.worked() - begin;
        Ok(outcome)
    }

    /// Takes over what other engines tell. Where short paths do not suffice, or others have lemmas, begins with lemmas.
    fn hear(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>, k: usize) -> Result<(), SolverError> {
        problem.hear(work.job, work.exchange);
        if self.lemmas.is_none() && (k >= tuning().induction.plain || work.exchange.has_lemmas()) {
            self.lemmas = Some(Lemmas::new(problem, work)?);
            // The predicates may have brought definitions along.
            for i in 0..=self.step.depth() {
                for fact in problem.facts_in(i) {
                    self.step.session.assert(fact)?;
                }
            }
        }
        let Some(lemmas) = &mut self.lemmas else { return Ok(()) };
        lemmas.hear(problem, work)?;
        let is_guessed = |s: &&Supposed| matches!(s.source, Source::Guessed(_));
        let known = self.supposed.iter().filter(is_guessed).count();
        let news: Vec<(Pred, Term)> =
            lemmas.guesses().iter().skip(known).map(|g| (g.pred.clone(), g.term)).collect();
        for (i, lemma) in news.into_iter().enumerate() {
            self.suppose(problem, lemma, Source::Guessed(known + i), k)?;
        }
        Ok(())
    }

    /// Tells which properties are shown by this step, where not all are: it leads to no state in which one of them is
    /// violated. It is known to lead to one in which those in `violated` are.
    fn show(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        k: usize,
        violated: &[Property],
    ) -> Result<(), SolverError> {
        let is_open = |t: &&Target| {
            let events = (0..problem.system.events.len() as u32).map(|e| Some(EventId(e)));
            events.into_iter().any(|e| !problem.is_proven(work.job, e, t))
        };
        let mut open: BTreeSet<Property> =
            problem.targets.iter().filter(is_open).map(|t| t.property).collect();
        open.retain(|property| !violated.contains(property));
        while !open.is_empty() {
            let asked = self.step.violation_among(problem, work.job, &open);
            match self.ask(problem, work, asked, &[])? {
                Step::Proved => break,
                Step::NotInductive(violated) if !violated.is_empty() => {
                    open.retain(|property| !violated.contains(property));
                }
                _ => return Ok(()),
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let lemmas = self.needed(problem, work)?;
        for property in open {
            work.exchange.tell_shown(Shown { property, k, lemmas: lemmas.clone() });
        }
        Ok(())
    }

    /// The proof, with the lemmas that it needs.
    fn proof(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        k: usize,
    ) -> Result<Outcome, SolverError> {
        let lemmas = self.needed(problem, work)?;
        Ok(Outcome::Proof(problem.claim(work.job, Evidence::KInduction { k, lemmas })))
    }

    /// The lemmas that the answers about this path rest on, with those that these need.
    fn needed(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Vec<Pred>, SolverError> {
        let needed: Vec<Source> =
            self.supposed.iter().filter(|s| self.step.needs(s.literal)).map(|s| s.source).collect();
        match &mut self.lemmas {
            Some(lemmas) => lemmas.preds(problem, needed, work),
            None => Ok(vec![]),
        }
    }

    /// Makes the path of the step case one step longer: the violating step becomes a step to a good state.
    fn lengthen(&mut self, problem: &mut Problem) -> Result<(), SolverError> {
        self.step.assume_conjuncts(problem)?;
        for Supposed { literal, lemma, clause, .. } in &self.supposed {
            self.step.suppose(problem, *literal, (lemma, *clause), self.step.depth())?;
        }
        self.step.forget();
        self.extended = false;
        Ok(())
    }

    /// Lets the base continue while it has taken less time than the step cases. A violation is often nearer than a
    /// proof, and the depth that the base has searched tells how far a counterexample to induction is from the initial
    /// states.
    fn base_ahead(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        // In a portfolio there is an engine that does nothing else.
        let is_alone = !work.exchange.is_shared();
        while is_alone && self.base_time < self.step_time && self.base.undecided().is_none() {
            let (next, time) = (self.base.next(), self.step_time - self.base_time);
            match self.base(problem, &mut work.within(time), next)? {
                None => {}
                // The step cases go on, up to the same limits.
                Some(Outcome::Unknown(_)) => break,
                decided => return Ok(decided),
            }
        }
        Ok(work.check().err().map(|stopped| Outcome::Unknown(stopped.into())))
    }

    /// Continues with the base alone: without a clear base there is no proof, but there may still be a counterexample.
    fn only_refute(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        why: String,
    ) -> Result<Outcome, SolverError> {
        match self.base.run(problem, work)? {
            Outcome::Unknown(reason) if !is_end_of_run(&reason) => {
                Ok(Outcome::Unknown(Reason::Exhausted(why)))
            }
            other => Ok(other),
        }
    }

    fn induction_step(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Step, SolverError> {
        let terms = problem.terms();
        // Failures are asked from the last good state, before the violating step is there.
        let mut questions = self.step.failures(problem);
        let unassumed = problem.unassumed_violated_in(work.job, self.step.depth());
        let any = terms.or(questions.iter().map(|q| q.1).chain([unassumed]));
        questions.retain(|q| q.1 != Terms::FALSE);
        let failure = match any {
            Terms::FALSE => Step::Proved,
            _ => self.ask_twice(problem, work, any, &questions)?,
        };
        // Longer paths need the step in place.
        self.step.extend(problem)?;
        self.extended = true;
        if !matches!(failure, Step::Proved) {
            return Ok(failure);
        }
        let asked = self.step.violation(problem, work.job);
        self.ask_twice(problem, work, asked, &[])
    }

    /// Asks the session, and where it does not answer soon first-order logic, and with the elements of the first state
    /// in order.
    fn ask_twice(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        asked: Term,
        failures: &[(EventId, Term)],
    ) -> Result<Step, SolverError> {
        if self.deduced.may_serve(problem) {
            let step = self.ask(problem, &mut Deduced::before(work), asked, failures)?;
            if !matches!(step, Step::Undecided(_)) {
                return Ok(step);
            }
            let (job, depth, extended) = (work.job, self.step.depth(), self.extended);
            let sequents = |steps: &Steps<'_>| {
                let known = assumed(problem, job);
                if extended {
                    return no_violation(problem, job, steps, &known, Start::Anywhere, depth);
                }
                let mut all = no_failure(problem, steps, &known, Start::Anywhere, depth)?;
                all.extend(no_unassumed(problem, job, steps, &known)?);
                Some(all)
            };
            if self.deduced.proves(problem, work, sequents)? {
                return Ok(Step::Proved);
            }
        }
        if self.step.may_be_ordered() {
            // Most questions have a model, which is found sooner without an order of the elements.
            let unordered = tuning().induction.unordered;
            let step = self.ask(problem, &mut work.with_query(unordered), asked, failures)?;
            if !matches!(step, Step::Undecided(_)) {
                return Ok(step);
            }
            self.step.order_first_state(problem)?;
        }
        self.ask(problem, work, asked, failures)
    }

    fn ask(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        asked: Term,
        failures: &[(EventId, Term)],
    ) -> Result<Step, SolverError> {
        let last = self.step.depth();
        let good = last - usize::from(self.extended);
        let targets: Vec<(Property, Term)> =
            problem.targets.iter().map(|t| (t.property, t.ok)).filter(|_| self.extended).collect();
        let targets: Vec<(Property, Term)> =
            targets.into_iter().map(|(p, ok)| (p, problem.unrolling.state(ok, last))).collect();
        let watched = self.lemmas.as_ref().map_or_else(Vec::new, Lemmas::predicates);
        loop {
            // A step that is not inductive is so under all hypotheses.
            let checked = work.ask(|budget| {
                let read = |model: &mut Model<'_>, taken: Taken| {
                    read_step(problem, model, &taken, good, &watched, &targets)
                };
                self.step.check(asked, failures, budget, read, |_| false)
            })?;
            match checked {
                Checked::Sat(StepFailure::Repeats(i, j)) if !self.distinct.contains(&(i, j)) => {
                    self.distinct.push((i, j));
                    let differ = different(problem, i, j);
                    self.step.session.assert(differ)?;
                }
                Checked::Sat(StepFailure::Repeats(..)) => return Ok(Step::NotInductive(vec![])),
                Checked::Sat(StepFailure::Cti { trace, cubes, violated }) => {
                    self.cti = trace.or(self.cti.take());
                    if !self.exclude(problem, &cubes, good, work)? {
                        return Ok(Step::NotInductive(violated));
                    }
                    if let Err(stopped) = work.check() {
                        return Ok(Step::Over(stopped));
                    }
                }
                Checked::Unsat { .. } => return Ok(Step::Proved),
                Checked::Unknown(reason) if work.is_over(&reason) => return Ok(Step::Over(reason)),
                Checked::Unknown(reason) => return Ok(Step::Undecided(reason.to_string())),
            }
        }
    }
}

impl Kind {
    /// Learns a lemma that is false in one of the states, and assumes it in the good states.
    fn exclude(
        &mut self,
        problem: &mut Problem,
        states: &[Cube],
        good: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<bool, SolverError> {
        let Some(lemmas) = &mut self.lemmas else { return Ok(false) };
        let Some(found) = lemmas.exclude(problem, states, work)? else { return Ok(false) };
        self.suppose(problem, (found.lemma, found.clause), found.source, good)?;
        Ok(true)
    }

    /// Supposes a lemma in the states up to one.
    fn suppose(
        &mut self,
        problem: &mut Problem,
        (lemma, clause): (Pred, Term),
        source: Source,
        last: usize,
    ) -> Result<(), SolverError> {
        let literal = problem.terms().fresh("lemma", Terms::BOOL);
        for k in 0..=last {
            self.step.suppose(problem, literal, (&lemma, clause), k)?;
        }
        self.supposed.push(Supposed { literal, lemma, clause, source });
        Ok(())
    }
}

enum Step {
    Proved,
    /// The properties that a counterexample to induction violates, if it is known.
    NotInductive(Vec<Property>),
    Undecided(String),
    /// The time is up.
    Over(Stopped),
}

/// Returns true if an engine ends for this reason because the run does.
fn is_end_of_run(reason: &Reason) -> bool {
    matches!(reason, Reason::Timeout | Reason::Interrupted)
}

/// Reads what keeps the step case from holding. `watched` are the predicates of the lemmas, `good` is the last good
/// state, `targets` are true of the last state where the properties hold.
fn read_step(
    problem: &mut Problem,
    model: &mut Model<'_>,
    taken: &Taken,
    good: usize,
    watched: &[Term],
    targets: &[(Property, Term)],
) -> Result<StepFailure, SolverError> {
    if let Some((i, j)) = repetitions(problem, model, good)?.next() {
        return Ok(StepFailure::Repeats(i, j));
    }
    let mut cubes = vec![];
    for k in (0..=good).rev().filter(|_| !watched.is_empty()) {
        cubes.push(lemmas::cube(problem, model, watched, k)?);
    }
    let mut violated = vec![];
    for &(property, ok) in targets {
        if matches!(model.value(ok)?, TermValue::Bool(false)) {
            violated.push(property);
        }
    }
    let (system, unrolling) = (&problem.system, &mut problem.unrolling);
    let trace = read_trace(system, unrolling, model, &taken.events, taken.last_fails).ok();
    Ok(StepFailure::Cti { trace, cubes, violated })
}

/// A model in which the induction step fails.
enum StepFailure {
    Repeats(usize, usize),
    /// A counterexample to induction.
    Cti {
        /// Its path, if the values can be read.
        trace: Option<Trace>,
        /// Its states by the predicates of the lemmas, last state first.
        cubes: Vec<Cube>,
        /// The properties that its last state violates.
        violated: Vec<Property>,
    },
}
