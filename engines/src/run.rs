//! Driving engines to a report: slices, checked proofs, wrong statuses, going on after a violation.

use std::collections::BTreeSet;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverError;
use bsym_proofs::claim::{Claim, Property};
use bsym_proofs::recorded::Recorded;
use bsym_semantics::verdict::{Counterexample, Observer, Reason};

use crate::contestant::Opener;
use crate::excluded::Excluded;
use crate::options::Job;
use crate::portfolio::{Course, Round};
use crate::problem::Open;
use crate::proof_graph::{Candidates, failed_proof};
use crate::settle::dropped;
use crate::settle::wrong_status::drop_claim;
use crate::tuning::tuning;
use crate::verdict::{Engine, Progress, PropertyVerdict, Report, Verdict};
use crate::vetting::Vetting;

/// Runs an engine, or with [`Engine::Check`] all of them, until one is conclusive or the budget ends.
///
/// Imported status is checked with the solver first and along the way ([`Vetting`]). A proof is checked in a fresh
/// session before it is reported; a status that is refuted is dropped and the run repeated without it. Solver failures
/// become [`Reason::SolverFailed`].
pub fn run(job: &Job, engine: Engine, opener: &Opener, observer: &mut dyn Observer<Progress>) -> Report {
    let mut report = decide(job, engine, opener, observer);
    dropped::weigh(job, &mut report, &mut |second| decide(second, engine, opener, observer));
    report
}

/// The report of a run, whatever its counterexamples rest on.
fn decide(job: &Job, engine: Engine, opener: &Opener, observer: &mut dyn Observer<Progress>) -> Report {
    let whole = job.budget.clone();
    let mut job = Job { budget: budget_of_engines(job, engine), ..job.clone() };
    let mut report = Report::new(engine, job.scope.clone());
    let mut vetting = Vetting::new(&job);
    if let Err(e) = begin_vetting(&mut vetting, &mut job, &mut |terms| opener(terms), observer, &mut report) {
        report.verdict = Verdict::Unknown(Reason::SolverFailed(e.to_string()));
        return report;
    }
    let mut excluded = Excluded::default();
    // False in the last state of a trace; what is ill-defined there is left out as well, but not said to be false.
    let mut violated = BTreeSet::new();
    let mut first: Option<Box<Counterexample>> = None;
    loop {
        let mut round = Round::new(engine, &job);
        let mut course = Course {
            job: &mut job,
            excluded: &excluded,
            vetting: &mut vetting,
            opener,
            observer,
            report: &mut report,
        };
        let verdict = match round.decide(&mut course) {
            Ok(verdict) => verdict,
            Err(e) => Verdict::Unknown(Reason::SolverFailed(e.to_string())),
        };
        round.finish(&job, &mut report);
        match verdict {
            Verdict::Violated(found) => {
                let news = excluded.add(&job, &found);
                for &property in news.properties.iter().filter(|_| dropped::is_genuine(&job.model, &found)) {
                    observer.progress(&Progress::Violated(property));
                }
                let left = job.properties.iter().any(|p| !excluded.properties.contains(p));
                violated.extend(news.properties);
                let more = job.keep_going && news.any && left;
                if more && first.is_none() && dropped::is_genuine(&job.model, &found) {
                    observer.progress(&Progress::Found(found.clone()));
                }
                match &first {
                    None => first = Some(found),
                    Some(_) if news.any => report.further.push(*found),
                    // A counterexample that is already known is not a further one.
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
                if let (Verdict::Unknown(reason), None) = (&other, &first) {
                    let lemmas = round.candidates();
                    add_failed_proof(&job, &lemmas, reason, &whole, opener, &mut report);
                }
                report.verdict = other;
            }
        }
        if let Some(found) = first {
            report.verdict = Verdict::Violated(found);
        }
        for claim in vetting.unconfirmed() {
            match claim {
                Recorded::Pair(p) if job.status.get(p).is_some() => report.unconfirmed_statuses.push(p),
                Recorded::Check(c) if job.status.check(c).is_some() => report.unconfirmed_checks.push(c),
                Recorded::Pair(_) | Recorded::Check(_) => {}
            }
        }
        return report;
    }
}

/// Returns the budget of the engines: where they look for a proof they end a little before the run, so that there is time to
/// find out what there is of a proof.
fn budget_of_engines(job: &Job, engine: Engine) -> Budget {
    let whole = job.budget.clone();
    match whole.left() {
        Some(left) if looks_for_proof(engine) && !whole.is_counted() => {
            let reserve = (left / tuning().failed_proof.share).min(tuning().failed_proof.time);
            whole.within(left.saturating_sub(reserve))
        }
        _ => whole,
    }
}

fn looks_for_proof(engine: Engine) -> bool {
    matches!(engine, Engine::Kind | Engine::Ic3 | Engine::Check)
}

/// Reports what there is of a proof, made of some lemmas, after a run that ended for some reason. `whole` is the budget of
/// the run, without what the engines left.
fn add_failed_proof(
    job: &Job,
    lemmas: &Candidates,
    reason: &Reason,
    whole: &Budget,
    opener: &Opener,
    report: &mut Report,
) {
    let tuning = &tuning().failed_proof;
    let budget = match reason {
        _ if !looks_for_proof(report.engine) => return,
        Reason::Timeout if whole.is_counted() => Budget::unlimited().within(tuning.last_words),
        Reason::Interrupted if report.engine == Engine::Check => {
            Budget::unlimited().within(tuning.last_words)
        }
        Reason::Interrupted => Budget::unlimited().within(tuning.after_interrupt),
        Reason::Timeout | Reason::DepthLimit(_) | Reason::Exhausted(_) | Reason::SolverUnknown(_) => {
            whole.within(tuning.time)
        }
        _ => return,
    };
    if budget.left().is_some_and(|left| left < tuning.least) {
        return;
    }
    // A solver that fails has nothing to add.
    let found = failed_proof(job, lemmas, &budget, &mut |terms| opener(terms));
    report.attempt.failed_proof = found.ok().flatten();
}

/// The part of the vetting that is done before the engines begin.
fn begin_vetting(
    vetting: &mut Vetting,
    job: &mut Job,
    open: &mut Open<'_>,
    observer: &mut dyn Observer<Progress>,
    report: &mut Report,
) -> Result<(), SolverError> {
    let budget = if job.trust.recheck {
        job.budget.clone()
    } else {
        job.budget.within(tuning().portfolio.first_vetting)
    };
    for claim in vetting.advance(&budget, open)? {
        drop_claim(job, claim, observer, report);
    }
    if job.trust.recheck {
        for claim in vetting.unconfirmed() {
            match claim {
                Recorded::Pair(pair) => drop(job.status.remove(pair)),
                Recorded::Check(check) => drop(job.status.remove_check(check)),
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
