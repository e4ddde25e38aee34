//! Driving engines to a report: slices, checked proofs, wrong statuses, going on after a violation.

use std::collections::BTreeSet;

use bsym_encodings::session::SolverError;
use bsym_proofs::claim::{Claim, Property};
use bsym_proofs::recorded::Recorded;
use bsym_semantics::verdict::{Counterexample, Observer, Reason};

use crate::contestant::Opener;
use crate::excluded::Excluded;
use crate::options::Job;
use crate::portfolio::{Course, Round};
use crate::problem::Open;
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
    let mut job = job.clone();
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
