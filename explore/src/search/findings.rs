//! Findings of a search, and its gaps: states and steps that it could not see.

use std::collections::{BTreeMap, HashSet};

use bsym_language::model::EventId;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::{Checks, Judgement};
use bsym_semantics::transition::Outcome;
use bsym_semantics::verdict::Vacuous;

use super::witness::Failure;
use crate::audit::Difference;
use crate::report::{Incomplete, OpenProperty};
use crate::store::state_table::StateId;
use crate::tuning::tuning;

/// A property that was found violated, and its place.
pub(super) struct Found {
    pub(super) key: Key,
    pub(super) state: Option<StateId>,
    pub(super) valuation: usize,
    pub(super) failure: Option<Failure>,
}

/// Kind of violation. One counterexample is kept for each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Key {
    Invariant(usize),
    Assertion(usize),
    Deadlock,
    Goal,
    Step(Option<EventId>, String),
    State(String),
}

/// Findings of a search.
#[derive(Default)]
pub(super) struct Findings {
    /// The first violation of each kind.
    pub(super) found: Vec<Found>,
    seen: HashSet<Key>,
    /// States that the interrupted evaluator has not judged.
    pub(super) unjudged: Vec<StateId>,
    /// Properties that are ill-defined somewhere, with the first state where they are.
    pub(super) open: BTreeMap<OpenProperty, StateId>,
    /// Reasons why states or steps may be missing.
    pub(super) gaps: Gaps,
    /// Why there is nothing to search.
    pub(super) vacuous: Option<Vacuous>,
    /// A difference between compiled code and reference evaluator.
    pub(super) difference: Option<Box<Difference>>,
}

impl Findings {
    /// Records that a property is violated.
    pub(super) fn violated(
        &mut self,
        key: Key,
        state: Option<StateId>,
        valuation: usize,
        failure: Option<Failure>,
    ) {
        if self.seen.insert(key.clone()) {
            self.found.push(Found { key, state, valuation, failure });
        }
    }

    /// Records that a step goes wrong.
    pub(super) fn failed(
        &mut self,
        checks: &Checks,
        state: Option<StateId>,
        valuation: usize,
        failure: Failure,
    ) {
        if let Some(key) = step_key(checks, &failure) {
            self.violated(key, state, valuation, Some(failure));
        }
    }

    /// Records that something may be missing.
    pub(super) fn missing(&mut self, place: &str, error: EvalError) {
        self.gaps.missing(place, error);
    }
}

/// Gaps of a search: reasons why it may have missed states or steps.
#[derive(Default)]
pub(crate) struct Gaps {
    /// Reasons why states or steps may be missing.
    pub(crate) incomplete: Vec<Incomplete>,
    /// Error where a solver and the reference evaluator disagree.
    pub(crate) refuted: Option<EvalError>,
}

impl Gaps {
    /// Records that something may be missing.
    pub(crate) fn missing(&mut self, place: &str, error: EvalError) {
        if error.kind == EvalErrorKind::Refuted {
            self.refuted.get_or_insert_with(|| error.clone());
        }
        let reason = Incomplete { place: place.into(), error };
        if self.incomplete.len() < tuning().search.reasons && !self.incomplete.contains(&reason) {
            self.incomplete.push(reason);
        }
    }
}

impl Gaps {
    /// Records that a counterexample is not confirmed by its replay, although another one is shown.
    pub(crate) fn unconfirmed(&mut self, reason: &str) {
        self.missing("a counterexample", unconfirmed(reason));
    }
}

/// Error that says why a counterexample that was found is not shown.
pub(crate) fn unconfirmed(reason: &str) -> EvalError {
    EvalError::unsupported(Default::default(), format!("its replay does not confirm it: {reason}"))
}

/// The kind of violation of a step that goes wrong, if it is one.
pub(crate) fn step_key(checks: &Checks, failure: &Failure) -> Option<Key> {
    let what = match &failure.outcome {
        Outcome::IllDefined(e) if checks.well_definedness => format!("wd {:?}", e.span),
        Outcome::AssertFailed(span) => format!("assert {span:?}"),
        Outcome::PreconditionFailed(span) => format!("pre {span:?}"),
        Outcome::RefinementFailed(id) => format!("refinement {id:?}"),
        Outcome::IllDefined(_) | Outcome::Reached { .. } | Outcome::Disabled { .. } => return None,
    };
    Some(Key::Step(failure.event, what))
}

pub(crate) fn open_properties(judged: &Judgement) -> impl Iterator<Item = OpenProperty> + '_ {
    let conjuncts = judged.ill_defined_conjuncts.iter().map(|i| OpenProperty::Invariant(*i));
    let assertions = judged.ill_defined_assertions.iter().map(|i| OpenProperty::Assertion(*i));
    conjuncts.chain(assertions).chain(judged.ill_defined_goal.then_some(OpenProperty::Goal))
}

pub(crate) fn keys(violation: &Violation) -> Vec<Key> {
    match violation {
        Violation::Invariant(conjuncts) => conjuncts.iter().map(|i| Key::Invariant(*i)).collect(),
        Violation::Assertions(list) => list.iter().map(|i| Key::Assertion(*i)).collect(),
        Violation::Deadlock => vec![Key::Deadlock],
        Violation::Goal => vec![Key::Goal],
        Violation::IllDefined(e) => vec![Key::State(format!("wd {:?}", e.span))],
        Violation::Assert(span) => vec![Key::State(format!("assert {span:?}"))],
        Violation::Precondition(span) => vec![Key::State(format!("pre {span:?}"))],
        Violation::Refinement(id) => vec![Key::State(format!("refinement {id:?}"))],
    }
}

pub(crate) fn is_interrupted(error: &EvalError) -> bool {
    error.kind == EvalErrorKind::Interrupted
}

/// Converts the outcome of a step that goes wrong into the reason why its edge is missing.
pub(crate) fn failure(outcome: &Outcome) -> EvalError {
    let (span, message) = match outcome {
        Outcome::IllDefined(error) => return error.clone(),
        Outcome::AssertFailed(span) => (*span, "an ASSERT is false"),
        Outcome::PreconditionFailed(span) => (*span, "a precondition is false"),
        Outcome::Disabled { span, .. } => (*span, "a guard is false"),
        Outcome::RefinementFailed(_) | Outcome::Reached { .. } => {
            (Default::default(), "no step of the abstraction is as this one")
        }
    };
    EvalError::unsupported(span, message)
}
