//! Proof status that turned out to be wrong: it is dropped, and said.

use bsym_proofs::claim::Property;
use bsym_proofs::recorded::Recorded;
use bsym_semantics::verdict::{Counterexample, Observer};
use bsym_status::{Pair, ProofStatus};

use crate::options::Job;
use crate::verdict::{Progress, Report, violated_properties};

/// Drops a status that is refuted, and reports it.
pub(crate) fn drop_claim(
    job: &mut Job,
    claim: Recorded,
    observer: &mut dyn Observer<Progress>,
    report: &mut Report,
) {
    match claim {
        Recorded::Pair(pair) if job.status.remove(pair).is_some() => {
            observer.progress(&Progress::WrongStatus(pair));
            report.wrong_statuses.push(pair);
        }
        Recorded::Check(check) if job.status.remove_check(check).is_some() => {
            observer.progress(&Progress::WrongCheck(check));
            report.wrong_checks.push(check);
        }
        Recorded::Pair(_) | Recorded::Check(_) => {}
    }
}

/// Drops the status in use that a trace refutes.
pub(crate) fn refuted_by(
    found: &Counterexample,
    job: &mut Job,
    observer: &mut dyn Observer<Progress>,
    report: &mut Report,
) {
    for pair in refuted_pairs(found, job) {
        drop_claim(job, Recorded::Pair(pair), observer, report);
    }
}

/// Reports the doubtful status that a trace refutes: its last event leads from a state in which every
/// conjunct holds to one where the conjunct fails.
pub(crate) fn refute_statuses(
    doubtful: &mut ProofStatus,
    found: &Counterexample,
    job: &Job,
    observer: &mut dyn Observer<Progress>,
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
    if !job.model.refinement.not_checked.is_empty()
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
