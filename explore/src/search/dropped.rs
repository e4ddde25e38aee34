//! Doubts about parts that a refinement dropped, as part of the answer of a search ([`bsym_semantics::trace::doubt`]).

use bsym_semantics::trace::doubt::{self, Asked};
use bsym_semantics::verdict::{Condition, Counterexample};

use crate::options::{SearchOptions, Suspension};
use crate::report::{SearchReport, Verdict};
use crate::search::Problem;

/// Callback that repeats the search.
type Again<'a> = &'a mut dyn FnMut(&Problem<'_>, &SearchOptions) -> SearchReport;

/// Adds the parts that the answer of a search leaves open, and keeps the counterexamples that show a fault of the
/// machine. If there are none of these, the search is repeated without the doubtful events.
pub fn weigh(
    problem: &Problem<'_>,
    options: &SearchOptions,
    mut report: SearchReport,
    again: Again<'_>,
) -> SearchReport {
    let model = problem.model;
    match &report.verdict {
        Verdict::Holds(evidence) => {
            let checks = &options.checks;
            let asked = Asked {
                invariant: checks.invariant.as_ref().is_none_or(|some| some.len() == model.invariant.len()),
                assertions: checks.assertions || model.assertions.is_empty(),
                deadlock: checks.deadlock,
            };
            let parts: Vec<String> =
                doubt::left_open(model, asked).into_iter().map(|d| d.describe(model)).collect();
            if !parts.is_empty() {
                report.exhausted = false;
                report.verdict = Verdict::Conditional(evidence.clone(), vec![Condition::NotChecked(parts)]);
            }
        }
        Verdict::Violated(first) => {
            let is_genuine = |c: &Counterexample| doubt::doubt(model, &c.trace).is_none();
            let everything = Asked { invariant: true, assertions: true, deadlock: true };
            report.exhausted &= doubt::left_open(model, everything).is_empty();
            if is_genuine(first) && report.further.iter().all(is_genuine) {
                return report;
            }
            // A property of which only a doubtful counterexample was found neither holds nor is violated.
            report.exhausted = false;
            let mut all = vec![(**first).clone()];
            all.append(&mut report.further);
            let (mut genuine, doubtful): (Vec<_>, Vec<_>) = all.into_iter().partition(is_genuine);
            if genuine.is_empty() || options.keep_going {
                for found in without_doubtful_events(problem, options, again) {
                    if !genuine.iter().any(|c| c.violations == found.violations) {
                        genuine.push(found);
                    }
                }
            }
            let mut genuine = genuine.into_iter();
            if let Some(first) = genuine.next() {
                report.verdict = Verdict::Violated(Box::new(first));
                report.further = genuine.collect();
            } else if let Some(first) = doubtful.into_iter().next() {
                let why = doubt::doubt(model, &first.trace).map(|d| doubt::sentence(model, d));
                report.verdict = Verdict::Doubtful(Box::new(first), why.unwrap_or_default());
            }
        }
        _ => {}
    }
    report
}

/// The counterexamples that need none of the doubtful events.
fn without_doubtful_events(
    problem: &Problem<'_>,
    options: &SearchOptions,
    again: Again<'_>,
) -> Vec<Counterexample> {
    let Some(model) = problem.model.without_doubtful_events() else { return vec![] };
    let mut options = SearchOptions { suspension: Suspension::default(), ..options.clone() };
    // Without some events a state may be a spurious deadlock.
    options.checks.deadlock = false;
    let report = again(&Problem { model: &model, ..*problem }, &options);
    match report.verdict {
        Verdict::Violated(first) => std::iter::once(*first).chain(report.further).collect(),
        _ => vec![],
    }
}
