//! Driving engines to a report: slices, checked proofs, wrong statuses, going on after a violation.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use bsym_encodings::budget::Stopped;
use bsym_encodings::session::{SolverError, Statistics};
use bsym_proofs::claim::{Claim, Property};
use bsym_proofs::status::{Pair, ProofStatus};

use crate::bmc::Bmc;
use crate::counterexample::violated_properties;
use crate::dropped;
use crate::excluded::Excluded;
use crate::existence::{self, Existence};
use crate::hunt::{DEEPEST_HUNT, Hunt};
use crate::ic3::Ic3;
use crate::kind::Kind;
use crate::options::Job;
use crate::outcome::{Outcome, Slice, Work};
use crate::problem::{Open, Problem};
use crate::sample;
use crate::settle::{Settled, settle};
use crate::verdict::{
    Contradicted, Counterexample, Engine, Objection, Observer, Progress, PropertyVerdict, Report, Unknown,
    Verdict,
};
use crate::vetting::{Claimed, Vetting};

/// Longest time for one query of an engine that can go on without its answer, unless the job says otherwise. A
/// bounded model checker has none: what it would go on with is harder still.
const PROOF_QUERY: Duration = Duration::from_secs(10);

/// Time to hold the status against the solver before the engines begin. Where everything has to be confirmed
/// there is no such limit.
const FIRST_VETTING: Duration = Duration::from_millis(500);

/// Share of the engines' time that is taken for it afterwards.
const VETTING_SHARE: u32 = 4;

/// How many solvers a run may lose before an engine that loses one is given up.
const LOSSES: usize = 3;

/// First slice of each engine of a portfolio; doubled every round.
const FIRST_SLICE: Duration = Duration::from_millis(100);

/// Runs an engine, or with [`Engine::Check`] all of them in turn, until it knows or the budget ends.
///
/// Imported status is held against the solver first and along the way ([`Vetting`]). A proof is checked in a fresh
/// session before it is reported; a status that is refuted is dropped and the run repeated without it. Solver
/// failures become [`Unknown::Solver`].
pub fn run(job: &Job, engine: Engine, open: &mut Open<'_>, observer: &mut dyn Observer) -> Report {
    let mut report = decide(job, engine, open, observer);
    dropped::weigh(job, engine, &mut report, open, observer);
    report
}

/// The same, whatever its counterexamples rest on.
pub(crate) fn decide(job: &Job, engine: Engine, open: &mut Open<'_>, observer: &mut dyn Observer) -> Report {
    let mut job = job.clone();
    let mut report = Report {
        engine,
        scope: job.scope.clone(),
        verdict: Verdict::Unknown(Unknown::Stopped(Stopped::Timeout)),
        properties: vec![],
        further: vec![],
        depth: None,
        wrong_statuses: vec![],
        unconfirmed_statuses: vec![],
        wrong_checks: vec![],
        unconfirmed_checks: vec![],
        unsupported: vec![],
        counterexample_to_induction: None,
        statistics: Statistics::default(),
        leftovers: Leftovers::default(),
    };
    let mut vetting = Vetting::new(&job);
    if let Err(e) = begin_vetting(&mut vetting, &mut job, open, observer, &mut report) {
        report.verdict = Verdict::Unknown(Unknown::Solver(e.to_string()));
        return report;
    }
    let mut excluded = Excluded::default();
    // False in the last state of a trace; what is ill-defined there is left out as well, but not said to be false.
    let mut violated = BTreeSet::new();
    let mut first: Option<Box<Counterexample>> = None;
    loop {
        let mut round = Round::new(engine);
        let verdict = match round.decide(&mut job, &excluded, &mut vetting, open, observer, &mut report) {
            Ok(verdict) => verdict,
            Err(e) => Verdict::Unknown(Unknown::Solver(e.to_string())),
        };
        round.finish(&mut report);
        match verdict {
            Verdict::Violated(found) => {
                let news = excluded.add(&job, &found);
                for &property in news.properties.iter().filter(|_| dropped::is_genuine(&job.model, &found)) {
                    observer.progress(&Progress::Violated(property));
                }
                let left = job.properties.iter().any(|p| !excluded.properties.contains(p));
                violated.extend(news.properties);
                let more = job.keep_going && news.any && left;
                match &first {
                    None => first = Some(found),
                    Some(_) if news.any => report.further.push(*found),
                    // What is known already is no further counterexample.
                    Some(_) => {}
                }
                if more && job.budget.check().is_ok() {
                    continue;
                }
                report.properties = verdicts(&job, &violated, None);
            }
            Verdict::Holds(proof) => {
                report.properties = verdicts(&job, &violated, Some(&proof.claim));
                report.verdict = Verdict::Holds(proof);
            }
            other => {
                report.properties = verdicts(&job, &violated, None);
                report.verdict = other;
            }
        }
        if let Some(found) = first {
            report.verdict = Verdict::Violated(found);
        }
        for claim in vetting.unconfirmed() {
            match claim {
                Claimed::Pair(p) if job.status.get(p).is_some() => report.unconfirmed_statuses.push(p),
                Claimed::Check(c) if job.status.check(c).is_some() => report.unconfirmed_checks.push(c),
                Claimed::Pair(_) | Claimed::Check(_) => {}
            }
        }
        return report;
    }
}

/// The part of the vetting that is done before the engines begin.
fn begin_vetting(
    vetting: &mut Vetting,
    job: &mut Job,
    open: &mut Open<'_>,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<(), SolverError> {
    let budget = if job.recheck { job.budget.clone() } else { job.budget.within(FIRST_VETTING) };
    for claim in vetting.advance(&budget, open)? {
        drop_claim(job, claim, observer, report);
    }
    if job.recheck {
        for claim in vetting.unconfirmed() {
            match claim {
                Claimed::Pair(pair) => drop(job.status.remove(pair)),
                Claimed::Check(check) => drop(job.status.remove_check(check)),
            }
        }
    }
    Ok(())
}

fn verdicts(
    job: &Job,
    violated: &BTreeSet<Property>,
    claim: Option<&Claim>,
) -> Vec<(Property, PropertyVerdict)> {
    job.properties
        .iter()
        .map(|&p| {
            let verdict = if violated.contains(&p) {
                PropertyVerdict::Violated
            } else if claim.is_some_and(|c| c.properties.contains(&p)) {
                PropertyVerdict::Holds
            } else {
                PropertyVerdict::Unknown
            };
            (p, verdict)
        })
        .collect()
}

/// An engine at work on its own encoding of the job.
enum Worker {
    Bmc(Bmc, Problem),
    Kind(Kind, Problem),
    Ic3(Ic3, Problem),
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
            Engine::Bmc | Engine::Check => Worker::Bmc(Bmc::new(&mut problem, open)?, problem),
            Engine::Kind => Worker::Kind(Kind::new(&mut problem, open)?, problem),
            Engine::Ic3 => Worker::Ic3(Ic3::new(&mut problem, job, open)?, problem),
        })
    }

    fn engine(&self) -> Engine {
        match self {
            Worker::Bmc(..) => Engine::Bmc,
            Worker::Kind(..) => Engine::Kind,
            Worker::Ic3(..) => Engine::Ic3,
        }
    }

    fn problem(&mut self) -> &mut Problem {
        match self {
            Worker::Bmc(_, p) | Worker::Kind(_, p) | Worker::Ic3(_, p) => p,
        }
    }

    fn clear(&self) -> Option<usize> {
        match self {
            Worker::Bmc(b, _) => b.clear(),
            Worker::Kind(k, _) => k.clear(),
            Worker::Ic3(i, _) => i.clear(),
        }
    }

    fn statistics(&self) -> Statistics {
        match self {
            Worker::Bmc(b, _) => b.statistics(),
            Worker::Kind(k, _) => k.statistics(),
            Worker::Ic3(i, _) => i.statistics(),
        }
    }

    /// Longest time that it waits for one query, unless the job says otherwise.
    fn patience(&self) -> Option<Duration> {
        match self {
            Worker::Bmc(..) => None,
            Worker::Kind(..) | Worker::Ic3(..) => Some(PROOF_QUERY),
        }
    }

    fn advance(&mut self, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        match self {
            Worker::Bmc(b, p) => b.advance(p, work, None),
            Worker::Kind(k, p) => k.advance(p, work),
            Worker::Ic3(i, p) => i.advance(p, work),
        }
    }
}

/// One attempt at the properties that are not violated yet.
struct Round {
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
}

impl Round {
    fn new(engine: Engine) -> Round {
        let engines = match engine {
            Engine::Check => vec![Engine::Bmc, Engine::Kind, Engine::Ic3],
            one => vec![one],
        };
        let (statistics, doubtful) = (Statistics::default(), ProofStatus::none());
        Round { engines, workers: vec![], statistics, existence: None, doubtful, losses: 0, sampled: false }
    }

    /// Lets the engines work in turn, in slices that double, until one is conclusive.
    fn decide(
        &mut self,
        job: &mut Job,
        excluded: &Excluded,
        vetting: &mut Vetting,
        open: &mut Open<'_>,
        observer: &mut dyn Observer,
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
            let alone = self.workers.len() == 1;
            let mut length = FIRST_SLICE;
            let mut stuck: Vec<Option<Unknown>> = vec![None; self.workers.len()];
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
                    let worker = &mut self.workers[i];
                    let slice = Slice {
                        budget: if (alone || last_one) && (vetting.is_done() || job.status.is_empty()) {
                            job.budget.clone()
                        } else {
                            job.budget.within(length)
                        },
                        query: job.query_time.or(worker.patience()),
                    };
                    let outcome = match worker.advance(&mut Work { job, slice: &slice, open, observer }) {
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
                        Outcome::Vacuous(reason) => {
                            report.engine = worker.engine();
                            return Ok(Verdict::Vacuous(reason));
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
                    return Ok(Verdict::Unknown(Unknown::Stopped(stopped)));
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
                    let reason = stuck.pop().flatten().unwrap_or(Unknown::Unsupported);
                    return if matches!(reason, Unknown::Unsupported) {
                        self.unsupported(job, excluded, open)
                    } else {
                        Ok(Verdict::Unknown(reason))
                    };
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

    /// Starts an engine anew whose solver is gone, with the loss of what it had found out. After some such
    /// losses there is nothing more to try.
    fn begin_again(
        &mut self,
        worker: usize,
        lost: SolverError,
        job: &Job,
        excluded: &Excluded,
        open: &mut Open<'_>,
    ) -> Option<Unknown> {
        let for_good = !matches!(lost, SolverError::Exited(_) | SolverError::Refused(_));
        if for_good || self.losses >= LOSSES {
            return Some(Unknown::Solver(lost.to_string()));
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
            Err(e) => Some(Unknown::Solver(e.to_string())),
        }
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
            Existence::NoValuation(reason) => Some(Verdict::Vacuous(reason.clone())),
            Existence::Undefined(reason) => Some(Verdict::Unknown(Unknown::Axioms(reason.clone()))),
            Existence::Contradicted(trace) => {
                let objection = Objection::InitialState(trace.clone());
                let contradicted = Contradicted { claim: None, lemmas: vec![], objection };
                Some(Verdict::Unknown(Unknown::Contradiction(Box::new(contradicted))))
            }
            Existence::Shown(_) | Existence::NoInitialState(_) | Existence::Undecided(_) => None,
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
        let mut work = Work { job, slice: &slice, open, observer: &mut |_: &Progress| {} };
        let mut found = None;
        for depth in 0..=job.depth.unwrap_or(DEEPEST_HUNT).min(DEEPEST_HUNT) {
            if found.is_none() && job.budget.check().is_ok() {
                found = hunt.search(&mut work, excluded, depth)?;
            }
        }
        self.statistics += hunt.statistics();
        Ok(found.map_or(Verdict::Unknown(Unknown::Unsupported), Verdict::Violated))
    }

    fn drop_workers(&mut self) {
        for worker in self.workers.drain(..) {
            self.statistics += worker.statistics();
        }
    }

    fn finish(&mut self, report: &mut Report) {
        report.depth = report.depth.max(self.workers.iter().filter_map(Worker::clear).max());
        for worker in &self.workers {
            if let Worker::Kind(kind, _) = worker
                && report.counterexample_to_induction.is_none()
            {
                report.counterexample_to_induction =
                    kind.counterexample_to_induction().map(<[String]>::to_vec);
            }
        }
        for worker in &self.workers {
            self.statistics += worker.statistics();
        }
        report.statistics += self.statistics;
        report.leftovers = Leftovers(std::mem::take(&mut self.workers));
    }
}

/// The solvers and terms of a run that is over.
///
/// To free those of a deep search takes seconds. Whoever has a deadline to keep shows the report first
/// and drops it then, or ends the program without dropping it.
#[derive(Default)]
pub struct Leftovers(Vec<Worker>);

impl fmt::Debug for Leftovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leftovers({})", self.0.len())
    }
}

/// Drops a status that is refuted, and says so.
pub(crate) fn drop_claim(job: &mut Job, claim: Claimed, observer: &mut dyn Observer, report: &mut Report) {
    match claim {
        Claimed::Pair(pair) if job.status.remove(pair).is_some() => {
            observer.progress(&Progress::WrongStatus(pair));
            report.wrong_statuses.push(pair);
        }
        Claimed::Check(check) if job.status.remove_check(check).is_some() => {
            observer.progress(&Progress::WrongCheck(check));
            report.wrong_checks.push(check);
        }
        Claimed::Pair(_) | Claimed::Check(_) => {}
    }
}

/// Drops the status in use that a trace refutes.
fn refuted_by(found: &Counterexample, job: &mut Job, observer: &mut dyn Observer, report: &mut Report) {
    for pair in refuted_pairs(found, job) {
        drop_claim(job, Claimed::Pair(pair), observer, report);
    }
}

/// Reports the doubtful status that a trace refutes: its last event leads from a state in which every
/// conjunct holds to one where the conjunct fails.
fn refute_statuses(
    doubtful: &mut ProofStatus,
    found: &Counterexample,
    job: &Job,
    observer: &mut dyn Observer,
    report: &mut Report,
) {
    for pair in refuted_pairs(found, job) {
        if doubtful.remove(pair).is_some() {
            observer.progress(&Progress::WrongStatus(pair));
            report.wrong_statuses.push(pair);
        }
    }
}

/// The pairs whose status a trace would refute, where all conjuncts hold before its last event.
fn refuted_pairs(found: &Counterexample, job: &Job) -> Vec<Pair> {
    // The obligations of a refinement have hypotheses that the model has not.
    if !job.model.not_checked.is_empty()
        || !(0..job.model.invariant.len()).all(|i| job.properties.contains(&Property::Invariant(i)))
    {
        return vec![];
    }
    let last = found.trace.steps.last().and_then(|step| step.event);
    let properties = found.violations.iter().flat_map(violated_properties);
    let conjuncts = properties.filter_map(|property| match property {
        Property::Invariant(i) => Some((last, i)),
        _ => None,
    });
    conjuncts.collect()
}
