//! Traces, and the violations at their end.
//!
//! - [`replay`]: whether a trace is one of the model, and its violations
//! - [`bounds`]: violations that are there only because `MAXINT` is small
//! - [`doubt`]: what an answer about a refinement of classical B leaves open
//! - [`mod@file`], [`itf`], [`prob`]: the formats in which traces are written, and [`mod@file`] read
//! - [`partial`]: traces written by other tools, which [`following`] replays
//! - [`repeats`]: rounds of a cycle that a trace leaves out

pub mod bounds;
pub mod doubt;
pub mod file;
pub mod following;
pub mod itf;
pub mod partial;
pub mod prob;
pub mod repeats;
pub mod replay;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use bsym_language::int::Int;
use bsym_language::model::{EventId, RefinementId};
use bsym_language::source::Span;

use crate::acceleration::Taken;
use crate::acceleration::growth::{after_rounds, difference};
use crate::error::EvalError;
use crate::scope::Scope;
use crate::transition::Outcome;
use crate::transition::state::{Constants, Execution, State};

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The event; `None` is the initialisation.
    pub event: Option<EventId>,
    /// How it was executed.
    pub execution: Execution,
    /// The state after. `None` only for a last step that does not reach a state because it is
    /// ill-defined or violates an assertion or a precondition on the way.
    pub state: Option<State>,
}

impl Step {
    /// Returns this as a step of a cycle, unless it is the initialisation or reaches no state.
    pub fn taken(&self) -> Option<Taken<'_>> {
        Some(Taken { event: self.event?, execution: &self.execution, after: self.state.as_ref()? })
    }
}

/// A path from an initial state. The first step is the initialisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The scope under which the trace exists; every deferred set has a size in it.
    pub scope: Scope,
    /// Values of the constants.
    pub constants: Constants,
    /// Initialisation, then events.
    pub steps: Vec<Step>,
    /// Rounds of cycles that are left out, in their order.
    pub repeats: Vec<Repeat>,
}

/// Rounds of a cycle that a trace leaves out: they add the same numbers to variables as the round before them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeat {
    /// Position of the step before which they are left out.
    pub before: usize,
    /// Number of steps of a round; these steps are those before that position.
    pub length: usize,
    /// Number of rounds that are left out, at least 1.
    pub rounds: Int,
}

impl Trace {
    /// Makes a trace that leaves nothing out.
    pub fn new(scope: Scope, constants: Constants, steps: Vec<Step>) -> Trace {
        Trace { scope, constants, steps, repeats: vec![] }
    }

    /// Returns the state before a step that is not the first; `None` if a step before it reaches no state, or if rounds
    /// that are left out do not add numbers.
    pub fn state_before(&self, step: usize) -> Option<Cow<'_, State>> {
        let before = self.steps.get(step.checked_sub(1)?)?.state.as_ref()?;
        let Some(repeat) = self.repeats.iter().find(|repeat| repeat.before == step) else {
            return Some(Cow::Borrowed(before));
        };
        let start = self.start_of(repeat)?;
        let added = difference(&start, before)?;
        after_rounds(before, &added, &repeat.rounds).map(Cow::Owned)
    }

    /// Returns the state in which the round begins that is repeated.
    pub(crate) fn start_of(&self, repeat: &Repeat) -> Option<Cow<'_, State>> {
        // A round begins behind the initialisation, and ends before the next ones are left out.
        let first =
            repeat.before.checked_sub(repeat.length).filter(|&first| first > 0 && repeat.length > 0)?;
        self.state_before(first)
    }

    /// Returns the number of events, those of the rounds that are left out included.
    pub fn events(&self) -> Int {
        let of = |n: usize| Int::from(i64::try_from(n).unwrap_or(i64::MAX));
        let shown = of(self.steps.len().saturating_sub(1));
        self.repeats.iter().fold(shown, |sum, repeat| &sum + &(&repeat.rounds * &of(repeat.length)))
    }
}

/// Violation at the end of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// Invariant conjuncts that are false in the last state, by position; at least one.
    Invariant(Vec<usize>),
    /// Assertions that are false in the last state, by position; at least one.
    Assertions(Vec<usize>),
    /// No event is enabled in the last state.
    Deadlock,
    /// The definition `GOAL` is true in the last state.
    Goal,
    /// An evaluation is ill-defined: in the last step, or in a predicate about the last state.
    IllDefined(EvalError),
    /// An `ASSERT` in the last step is false.
    Assert(Span),
    /// A `PRE` inside a body, or of a called operation, is false in the last step.
    Precondition(Span),
    /// No abstract event can follow the last step.
    Refinement(RefinementId),
}

impl Violation {
    /// Returns the violation of a step that fails before it reaches a state.
    pub fn of_step(outcome: &Outcome) -> Option<Violation> {
        match outcome {
            Outcome::IllDefined(error) => Some(Violation::IllDefined(error.clone())),
            Outcome::AssertFailed(span) => Some(Violation::Assert(*span)),
            Outcome::PreconditionFailed(span) => Some(Violation::Precondition(*span)),
            Outcome::RefinementFailed(id) => Some(Violation::Refinement(*id)),
            Outcome::Reached { .. } | Outcome::Disabled { .. } => None,
        }
    }
}
