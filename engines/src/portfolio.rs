//! The portfolio: engines at work in turn, in slices that double, until one is conclusive.
//!
//! A proof is settled before it is believed; status that is refuted on the way is dropped, and the engines begin again
//! without it.

use std::time::{Duration, Instant};

use bsym_encodings::session::{SolverError, Statistics};
use bsym_language::print;
use bsym_semantics::verdict::{Counterexample, Observer, Reason, Vacuous};
use bsym_status::ProofStatus;

use crate::bmc::Bmc;
use crate::deduction::Deduction;
use crate::excluded::Excluded;
use crate::hunt::Hunt;
use crate::ic3::Ic3;
use crate::induction::Kind;
use crate::options::Job;
use crate::outcome::{DEEPEST_SMALL, Outcome, Slice, Work};
use crate::problem::{Existence, Open, Problem};
use crate::settle::existence;
use crate::settle::wrong_status::{drop_claim, refute_statuses, refuted_by};
use crate::settle::{Settled, settle};
use crate::small_scopes::sample;
use crate::tree::Tree;
use crate::verdict::{Contradicted, Engine, Leftovers, Objection, Progress, Report, Verdict};
use crate::vetting::Vetting;

/// Longest time for one query of an engine that can go on without its answer, unless the job says otherwise. A
/// bounded model checker has none: what it would go on with is harder still.
const PROOF_QUERY: Duration = Duration::from_secs(10);

/// Share of the engines' time that is taken for it afterwards.
const VETTING_SHARE: u32 = 4;

/// How many solvers a run may lose before an engine that loses one is given up.
const LOSSES: usize = 3;

/// Invariants found on the way that are reported where there is no proof.
const FOUND: usize = 12;

/// How long the engines work before deduction begins beside them. What it proves makes them begin anew, which costs more than
/// it saves where a violation is found within a second (`benches/before_after --only own`).
const DEDUCTION: Duration = Duration::from_secs(1);

/// First slice of each engine of a portfolio; doubled every round.
const FIRST_SLICE: Duration = Duration::from_millis(100);

/// What the engines have not decided in the first of these times is looked for among the first states, for the second one: a short
/// way to a violation may keep a solver busy for very long, where what it has to choose is far from what the
/// violation is about. Once more, where that was too short.
const LOOKS: [(Duration, Duration); 2] = [
    (Duration::from_millis(600), Duration::from_millis(200)),
    (Duration::from_secs(3), Duration::from_secs(1)),
];

/// An engine at work on its own encoding of the job.
enum Worker {
    Bmc(Box<Bmc>, Problem),
    Tree(Box<Tree>, Problem),
    Kind(Box<Kind>, Problem),
    Ic3(Box<Ic3>, Problem),
}

impl Worker {
    fn start(
        engine: Engine,
        job: &Job,
        excluded: &Excluded,
        open: &mut Open<'_>,
    ) -> Result<Worker, SolverError> {
        let mut problem = Problem::new(job, excluded, open)?;
        Ok(match engine {
            Engine::Bmc | Engine::Check => Worker::Bmc(Box::new(Bmc::new(&mut problem, open)?), problem),
            Engine::Tree => Worker::Tree(Box::new(Tree::new(&mut problem, open)?), problem),
            Engine::Kind => Worker::Kind(Box::new(Kind::new(&mut problem, open)?), problem),
            Engine::Ic3 => Worker::Ic3(Box::new(Ic3::new(&mut problem, job, open)?), problem),
        })
    }

    fn engine(&self) -> Engine {
        match self {
            Worker::Bmc(..) => Engine::Bmc,
            Worker::Tree(..) => Engine::Tree,
            Worker::Kind(..) => Engine::Kind,
            Worker::Ic3(..) => Engine::Ic3,
        }
    }

    fn problem(&mut self) -> &mut Problem {
        match self {
            Worker::Bmc(_, p) | Worker::Tree(_, p) | Worker::Kind(_, p) | Worker::Ic3(_, p) => p,
        }
    }

    fn clear(&self) -> Option<usize> {
        match self {
            Worker::Bmc(b, _) => b.clear(),
            Worker::Tree(t, _) => t.clear(),
            Worker::Kind(k, _) => k.clear(),
            Worker::Ic3(i, _) => i.clear(),
        }
    }

    fn statistics(&self) -> Statistics {
        match self {
            Worker::Bmc(b, _) => b.statistics(),
            Worker::Tree(t, _) => t.statistics(),
            Worker::Kind(k, _) => k.statistics(),
            Worker::Ic3(i, _) => i.statistics(),
        }
    }

    /// Longest time that it waits for one query, unless the job says otherwise.
    fn patience(&self) -> Option<Duration> {
        match self {
            Worker::Bmc(..) => None,
            Worker::Tree(..) | Worker::Kind(..) | Worker::Ic3(..) => Some(PROOF_QUERY),
        }
    }

    fn advance(&mut self, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        match self {
            Worker::Bmc(b, p) => b.advance(p, work, None),
            Worker::Tree(t, p) => t.advance(p, work),
            Worker::Kind(k, p) => k.advance(p, work),
            Worker::Ic3(i, p) => i.advance(p, work),
        }
    }
}

/// One attempt at the properties that are not violated yet.
pub(crate) struct Round {
    engines: Vec<Engine>,
    workers: Vec<Worker>,
    statistics: Statistics,
    /// Whether there is anything to check, once that was asked.
    existence: Option<Existence>,
    /// Status that a failed check made doubtful as a whole, out of use since.
    doubtful: ProofStatus,
    /// How often a solver was lost.
    losses: usize,
    /// The first states were looked at.
    sampled: bool,
    /// How often they were looked at in a hurry.
    looks: usize,
    /// Searches small scopes for all engines.
    hunt: Hunt,
    /// Tries pairs and checks for all engines, once it is known what there is to ask.
    deduction: Option<Deduction>,
}

impl Round {
    pub(crate) fn new(engine: Engine) -> Round {
        let engines = match engine {
            Engine::Check => vec![Engine::Bmc, Engine::Kind, Engine::Ic3],
            one => vec![one],
        };
        let (statistics, doubtful) = (Statistics::default(), ProofStatus::none());
        Round {
            engines,
            workers: vec![],
            statistics,
            existence: None,
            doubtful,
            losses: 0,
            sampled: false,
            looks: 0,
            hunt: Hunt::default(),
            deduction: None,
        }
    }

    /// Lets the engines work in turn, in slices that double, until one is conclusive.
    ///
    /// # Errors
    /// If the solver fails for good.
    pub(crate) fn decide(
        &mut self,
        job: &mut Job,
        excluded: &Excluded,
        vetting: &mut Vetting,
        open: &mut Open<'_>,
        observer: &mut dyn Observer<Progress>,
        report: &mut Report,
    ) -> Result<Verdict, SolverError> {
        'restart: loop {
            self.drop_workers();
            for engine in self.engines.clone() {
                observer.progress(&Progress::Started(engine));
                self.workers.push(Worker::start(engine, job, excluded, open)?);
            }
            report.unsupported = self.workers[0].problem().system.unsupported.clone();
            if let Some(verdict) = self.begin(job, open)? {
                return Ok(verdict);
            }
            let problem = self.workers[0].problem();
            if problem.targets.is_empty() && (!problem.unclear.is_empty() || !job.well_definedness) {
                return self.unsupported(job, excluded, open);
            }
            self.deduction.get_or_insert_with(|| Deduction::new(problem, job));
            let alone = self.workers.len() == 1;
            let begun = Instant::now();
            let mut length = FIRST_SLICE;
            let mut stuck: Vec<Option<Reason>> = vec![None; self.workers.len()];
            loop {
                // Status that no solver confirmed is often wrong after a few events, and an engine that rests on it
                // may search until the time is up: nobody would look later.
                if vetting.is_done()
                    && vetting.unconfirmed().any(|claim| claim.is_in(&job.status))
                    && let Some(found) = self.sample(job, excluded)
                {
                    refuted_by(&found, job, observer, report);
                    return Ok(Verdict::Violated(found));
                }
                for i in 0..self.workers.len() {
                    if stuck[i].is_some() {
                        continue;
                    }
                    let last_one = stuck.iter().filter(|s| s.is_none()).count() == 1;
                    let look = self.next_look(begun);
                    let worker = &mut self.workers[i];
                    let slice = Slice {
                        budget: if (alone || last_one)
                            && (vetting.is_done() || job.status.is_empty())
                            && self.deduction.as_ref().is_some_and(Deduction::is_done)
                        {
                            match look {
                                Some((left, _)) => job.budget.within(left),
                                None => job.budget.clone(),
                            }
                        } else {
                            job.budget.within(length)
                        },
                        query: job.query_time.or(worker.patience()),
                    };
                    let hunt = &mut self.hunt;
                    let beside =
                        &mut |job: &Job, slice: &Slice, open: &mut Open<'_>, out: &Excluded, depth| {
                            hunt.search(job, slice, open, out, depth)
                        };
                    let mut work = Work { job, slice: &slice, open, observer, beside };
                    let outcome = match worker.advance(&mut work) {
                        Ok(outcome) => outcome,
                        Err(lost) => {
                            stuck[i] = self.begin_again(i, lost, job, excluded, open);
                            continue;
                        }
                    };
                    match outcome {
                        Outcome::Violated(found) => {
                            if excluded.properties.is_empty() {
                                refute_statuses(&mut self.doubtful, &found, job, observer, report);
                            }
                            report.engine = worker.engine();
                            report.depth = worker.clear();
                            return Ok(Verdict::Violated(found));
                        }
                        Outcome::Vacuous(what, why) => {
                            report.engine = worker.engine();
                            return Ok(Verdict::Vacuous(what, why));
                        }
                        Outcome::Proof(claim) => {
                            let settled = match settle(worker.problem(), job, claim, open, observer, report) {
                                Ok(settled) => settled,
                                Err(lost) => {
                                    stuck[i] = self.begin_again(i, lost, job, excluded, open);
                                    continue;
                                }
                            };
                            match settled {
                                Settled::Answer(verdict) => {
                                    if let Verdict::Violated(found) = &verdict {
                                        refuted_by(found, job, observer, report);
                                    }
                                    report.engine = worker.engine();
                                    report.depth = worker.clear();
                                    return Ok(verdict);
                                }
                                Settled::Repeat => continue 'restart,
                                Settled::RepeatAlone => {
                                    self.doubtful = std::mem::take(&mut job.status);
                                    continue 'restart;
                                }
                                Settled::Unknown(reason) => stuck[i] = Some(reason),
                            }
                        }
                        Outcome::Stuck(reason) => stuck[i] = Some(reason),
                        Outcome::Reached => {}
                        Outcome::Paused(_) => {}
                    }
                }
                if let Err(stopped) = job.budget.check() {
                    return Ok(Verdict::Unknown(stopped.into()));
                }
                if let Some((Duration::ZERO, time)) = self.next_look(begun)
                    && let Some(found) = self.look(job, excluded, time)
                {
                    refuted_by(&found, job, observer, report);
                    return Ok(Verdict::Violated(found));
                }
                if stuck.iter().all(Option::is_some) {
                    // What no solver decided is often wrong after a few events.
                    if let Some(found) = self.sample(job, excluded) {
                        refuted_by(&found, job, observer, report);
                        return Ok(Verdict::Violated(found));
                    }
                    // A depth rests on the status that was used on the way to it. A solver that is gone refutes
                    // nothing.
                    let wrong = vetting.insist(job, open).unwrap_or_default();
                    if !wrong.is_empty() {
                        wrong.into_iter().for_each(|claim| drop_claim(job, claim, observer, report));
                        continue 'restart;
                    }
                    // The most telling reason: that of the last engine.
                    let reason = stuck.pop().flatten().unwrap_or(Reason::Unsupported);
                    return if matches!(reason, Reason::Unsupported) {
                        self.unsupported(job, excluded, open)
                    } else {
                        Ok(Verdict::Unknown(reason))
                    };
                }
                if begun.elapsed() >= DEDUCTION && self.deduce(job, length, open)? {
                    continue 'restart;
                }
                if !vetting.is_done() && !job.status.is_empty() {
                    let wrong = vetting.advance(&job.budget.within(length / VETTING_SHARE), open)?;
                    if !wrong.is_empty() {
                        wrong.into_iter().for_each(|claim| drop_claim(job, claim, observer, report));
                        continue 'restart;
                    }
                }
                length *= 2;
            }
        }
    }

    /// Tries to prove pairs and checks for some time. Returns true if the engines should begin anew, since all were tried and some
    /// are proved, which need not be asked any more.
    fn deduce(&mut self, job: &mut Job, time: Duration, open: &mut Open<'_>) -> Result<bool, SolverError> {
        let Some(deduction) = self.deduction.as_mut().filter(|d| !d.is_done()) else { return Ok(false) };
        let budget = job.budget.within(time);
        deduction.advance(self.workers[0].problem(), job, &budget, open)?;
        Ok(deduction.is_done() && !job.proved.is_empty())
    }

    /// Starts an engine anew whose solver is gone, with the loss of what it had found out. After some such
    /// losses there is nothing more to try.
    fn begin_again(
        &mut self,
        worker: usize,
        lost: SolverError,
        job: &Job,
        excluded: &Excluded,
        open: &mut Open<'_>,
    ) -> Option<Reason> {
        let for_good = !matches!(lost, SolverError::Exited(_) | SolverError::Refused(_));
        if for_good || self.losses >= LOSSES {
            return Some(Reason::SolverFailed(lost.to_string()));
        }
        self.losses += 1;
        match Worker::start(self.workers[worker].engine(), job, excluded, open) {
            Ok(mut anew) => {
                if let Some(existence) = &self.existence {
                    anew.problem().existence = existence.clone();
                }
                self.statistics += std::mem::replace(&mut self.workers[worker], anew).statistics();
                None
            }
            Err(e) => Some(Reason::SolverFailed(e.to_string())),
        }
    }

    /// When the first states are looked at while the engines wait, from now on, and for how long.
    fn next_look(&self, begun: Instant) -> Option<(Duration, Duration)> {
        let &(after, time) = LOOKS.get(self.looks).filter(|_| !self.sampled)?;
        Some((after.saturating_sub(begun.elapsed()), time))
    }

    /// Looks at the first states for some time.
    fn look(&mut self, job: &Job, excluded: &Excluded, time: Duration) -> Option<Box<Counterexample>> {
        self.looks += 1;
        let within = Job { budget: job.budget.within(time), ..job.clone() };
        let found = self.sample(&within, excluded);
        self.sampled = within.budget.check().is_ok();
        found
    }

    /// A violation that was not known among the first states; they are looked at once.
    fn sample(&mut self, job: &Job, excluded: &Excluded) -> Option<Box<Counterexample>> {
        if std::mem::replace(&mut self.sampled, true) {
            return None;
        }
        let scope = self.workers[0].problem().system.scope.clone();
        sample::violation(job, &scope).filter(|found| excluded.clone().add(job, found).any)
    }

    /// Looks for something to check, and tells all workers.
    fn begin(&mut self, job: &Job, open: &mut Open<'_>) -> Result<Option<Verdict>, SolverError> {
        if self.existence.is_none() {
            let problem = self.workers[0].problem();
            let found = existence::look(problem, job, open, existence::Effort::Quick);
            // A proof asks again.
            self.existence = Some(found.or_else(|e| match e {
                SolverError::Exited(_) | SolverError::Refused(_) => Ok(Existence::Undecided(e.to_string())),
                other => Err(other),
            })?);
        }
        let Some(existence) = &self.existence else { return Ok(None) };
        for worker in &mut self.workers {
            worker.problem().existence = existence.clone();
        }
        Ok(match existence {
            Existence::Nothing(what @ Vacuous::NoValuation, why) => {
                Some(Verdict::Vacuous(*what, why.clone()))
            }
            Existence::Undefined(reason) => Some(Verdict::Unknown(Reason::IllDefined(reason.clone()))),
            Existence::Contradicted(trace) => {
                let objection = Objection::InitialState(trace.clone());
                let contradicted = Contradicted { claim: None, lemmas: vec![], objection };
                Some(Verdict::Contradiction(Box::new(contradicted)))
            }
            Existence::Shown(_) | Existence::Nothing(..) | Existence::Undecided(_) => None,
        })
    }

    /// Where parts of the model have no term for sets of any size, small sets may still show a violation.
    fn unsupported(
        &mut self,
        job: &Job,
        excluded: &Excluded,
        open: &mut Open<'_>,
    ) -> Result<Verdict, SolverError> {
        let mut hunt = Hunt::default();
        let slice = Slice { budget: job.budget.clone(), query: job.query_time };
        let mut found = None;
        for depth in 0..=job.depth.unwrap_or(DEEPEST_SMALL).min(DEEPEST_SMALL) {
            if found.is_none() && job.budget.check().is_ok() {
                found = hunt.search(job, &slice, open, excluded, depth)?;
            }
        }
        self.statistics += hunt.statistics();
        Ok(found.map_or(Verdict::Unknown(Reason::Unsupported), Verdict::Violated))
    }

    fn drop_workers(&mut self) {
        for worker in self.workers.drain(..) {
            self.statistics += worker.statistics();
        }
        self.statistics += std::mem::take(&mut self.hunt).statistics();
    }

    /// Adds what the engines did to the report.
    pub(crate) fn finish(&mut self, job: &Job, report: &mut Report, leftovers: &mut Leftovers) {
        report.depth = report.depth.max(self.workers.iter().filter_map(Worker::clear).max());
        for worker in &self.workers {
            if let Worker::Kind(kind, _) = worker
                && report.counterexample_to_induction.is_none()
            {
                report.counterexample_to_induction = kind.counterexample_to_induction(job);
            }
        }
        let guessed = self.workers.iter().map(|worker| match worker {
            Worker::Kind(kind, _) => kind.guessed(),
            Worker::Ic3(ic3, _) => ic3.guessed().to_vec(),
            Worker::Bmc(..) | Worker::Tree(..) => vec![],
        });
        let most = guessed.max_by_key(Vec::len).unwrap_or_default();
        let mut texts: Vec<String> = most.iter().map(|p| print::pred(&job.model, p)).collect();
        texts.sort_by_key(String::len);
        texts.truncate(FOUND);
        report.found_invariants = texts;
        for worker in &self.workers {
            self.statistics += worker.statistics();
        }
        self.statistics += self.hunt.statistics();
        report.statistics += self.statistics;
        leftovers.keep(std::mem::take(&mut self.workers));
    }
}
