//! Parts that a run leaves out once it continues after a violation.

use std::collections::BTreeSet;

use bsym_encodings::system::{Failure, FailureKind, System};
use bsym_language::model::EventId;
use bsym_language::source::Span;
use bsym_proofs::claim::Property;
use bsym_semantics::trace::Violation;
use bsym_semantics::verdict::Counterexample;

use crate::options::Job;
use crate::verdict::violated_properties;

/// Violations that earlier rounds of a run found, and that later rounds leave out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Excluded {
    /// Properties: they are neither asked nor assumed.
    pub properties: BTreeSet<Property>,
    /// Ways of steps to fail: the steps are taken up to that point and reach no state.
    pub failures: Vec<Failing>,
}

/// A way of an event (`None`: the initialisation) to fail that was met in a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failing {
    /// The event.
    pub event: Option<EventId>,
    /// Kind of the failure.
    pub kind: FailureKind,
    /// The place that is evaluated there; `None` stands for all failures of the kind.
    pub at: Option<Span>,
}

impl Failing {
    fn covers(&self, event: Option<EventId>, failure: &Failure) -> bool {
        // The evaluator may blame a part of what the encoding calls ill-defined, or the other way round.
        self.event == event
            && self.kind == failure.kind
            && self.at.is_none_or(|at| at.contains(failure.span) || failure.span.contains(at))
    }
}

/// New findings in a counterexample.
pub struct News {
    /// Properties that are false in its last state.
    pub properties: Vec<Property>,
    /// Anything at all.
    pub any: bool,
}

impl Excluded {
    /// Leaves what a counterexample shows out of what is asked from now on: the properties that are false or
    /// ill-defined in its last state, or the way in which its last step fails.
    pub fn add(&mut self, job: &Job, found: &Counterexample) -> News {
        let last = found.trace.steps.last();
        let fails = last.is_some_and(|step| step.state.is_none());
        let event = last.and_then(|step| step.event);
        let mut news = News { properties: vec![], any: false };
        for violation in &found.violations {
            for property in violated_properties(violation) {
                if job.properties.contains(&property) && self.properties.insert(property) {
                    news.properties.push(property);
                    news.any = true;
                }
            }
            let (kind, at) = match violation {
                Violation::IllDefined(e) if fails => (FailureKind::IllDefined, Some(e.span)),
                Violation::IllDefined(e) => {
                    if let Some(property) = property_at(job, e.span) {
                        news.any |= self.properties.insert(property);
                    }
                    continue;
                }
                Violation::Assert(span) => (FailureKind::Assert, Some(*span)),
                Violation::Precondition(span) => (FailureKind::Precondition, Some(*span)),
                Violation::Refinement(id) => (FailureKind::Refinement(*id), None),
                _ => continue,
            };
            let failing = Failing { event, kind, at };
            if !self.failures.contains(&failing) {
                self.failures.push(failing);
                news.any = true;
            } else if self.failures.iter().all(|f| f.at.is_some() || f.kind != kind || f.event != event) {
                // It was left out and came again: the encoding calls the place by another name.
                self.failures.push(Failing { at: None, ..failing });
                news.any = true;
            }
        }
        news
    }

    /// Returns whether a counterexample of the evaluator, which calls places by their names, shows something that is
    /// not left out yet.
    pub fn lacks(&self, job: &Job, found: &Counterexample) -> bool {
        let mut all = self.clone();
        all.add(job, found);
        let is_named = |f: &Failing| f.at.is_some() || matches!(f.kind, FailureKind::Refinement(_));
        all.properties.len() > self.properties.len()
            || all.failures[self.failures.len()..].iter().any(is_named)
    }

    /// Takes the failures out of a system.
    pub fn leave_out(&self, system: &mut System) {
        let known = |event, f: &Failure| self.failures.iter().any(|failing| failing.covers(event, f));
        system.initialisation.failures.retain(|f| !known(None, f));
        for (e, event) in (0u32..).map(EventId).zip(&mut system.events) {
            event.failures.retain(|f| !known(Some(e), f));
        }
    }
}

/// The property asked that contains a place of its text.
fn property_at(job: &Job, at: Span) -> Option<Property> {
    job.properties.iter().copied().find(|property| match property {
        Property::Invariant(i) => job.model.invariant[*i].pred.span.contains(at),
        Property::Assertion(i) => job.model.assertions[*i].pred.span.contains(at),
        Property::NoGoal => job.model.definitions.goal.as_ref().is_some_and(|goal| goal.span.contains(at)),
        Property::DeadlockFree => false,
    })
}
