//! Parts that a refinement dropped belong to the verdict.
//!
//! See [`bsym_semantics::trace::doubt`]: a proof leaves open what was dropped, and a trace that executes an event
//! outside of what B speaks of is no counterexample. Where such a trace was found, the machine is searched
//! once more without these events, so that a violation that needs none of them is not hidden.

use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use bsym_semantics::trace::doubt;
use bsym_semantics::verdict::Counterexample;

use crate::options::Job;
use crate::tuning::tuning;
use crate::verdict::{PropertyVerdict, Report, Verdict, violated_properties};

/// Returns whether a counterexample shows a fault of the machine.
pub fn is_genuine(model: &Model, found: &Counterexample) -> bool {
    doubt::doubt(model, &found.trace).is_none()
}

/// Keeps the counterexamples that show a fault of the machine. Where there is none, `decide` looks for them without the
/// doubtful events; if it finds none either, a doubtful trace is all there is to show.
pub fn weigh(job: &Job, report: &mut Report, decide: &mut dyn FnMut(&Job) -> Report) {
    let Verdict::Violated(first) = &report.verdict else { return };
    let is_plain = |c: &Counterexample| is_genuine(&job.model, c);
    if is_plain(first) && report.further.iter().all(is_plain) {
        return;
    }
    let mut all = vec![(**first).clone()];
    all.append(&mut report.further);
    let (mut genuine, doubtful): (Vec<_>, Vec<_>) = all.into_iter().partition(is_plain);
    if (genuine.is_empty() || job.keep_going)
        && let Some(model) = job.model.without_doubtful_events()
    {
        let known: Vec<Property> =
            genuine.iter().flat_map(|c| &c.violations).flat_map(violated_properties).collect();
        // Without some events a state may seem to be a deadlock.
        let open_still = |p: &&Property| **p != Property::DeadlockFree && !known.contains(p);
        let depth = doubtful.iter().map(|c| c.trace.steps.len()).max().unwrap_or(0) + tuning().settle.deeper;
        let second = Job {
            model: model.into(),
            properties: job.properties.iter().filter(open_still).copied().collect(),
            depth: Some(job.depth.map_or(depth, |d| d.min(depth))),
            ..job.clone()
        };
        let second = decide(&second);
        report.statistics += second.statistics;
        if let Verdict::Violated(found) = second.verdict {
            if genuine.is_empty() {
                (report.engine, report.depth) = (second.engine, second.depth);
            }
            genuine.push(*found);
            genuine.extend(second.further);
        }
    }
    let violated: Vec<Property> =
        genuine.iter().flat_map(|c| &c.violations).flat_map(violated_properties).collect();
    for (property, verdict) in &mut report.properties {
        if violated.contains(property) {
            *verdict = PropertyVerdict::Violated;
        } else if *verdict == PropertyVerdict::Violated {
            *verdict = PropertyVerdict::Unknown;
        }
    }
    let mut genuine = genuine.into_iter();
    if let Some(first) = genuine.next() {
        report.verdict = Verdict::Violated(Box::new(first));
        report.further = genuine.collect();
    } else if let Some(first) = doubtful.into_iter().next() {
        let why = doubt::doubt(&job.model, &first.trace).map(|d| doubt::sentence(&job.model, d));
        report.verdict = Verdict::Doubtful(Box::new(first), why.unwrap_or_default());
    }
}
