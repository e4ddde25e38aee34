//! Traces, and the violations at their end.
//!
//! - [`replay`]: whether a trace is one of the model, and its violations
//! - [`bounds`]: violations that are there only because `MAXINT` is small
//! - [`doubt`]: what an answer about a refinement of classical B leaves open
//! - [`file`], [`itf`], [`prob`]: the formats in which traces are written, and [`file`] read
//! - [`partial`]: traces written by other tools, which [`following`] replays

pub mod bounds;
pub mod doubt;
pub mod file;
pub mod following;
pub mod itf;
pub mod partial;
pub mod prob;
pub mod replay;

#[cfg(test)]
mod tests;

use bsym_language::model::{EventId, RefinementId};
use bsym_language::source::Span;

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

/// A path from an initial state. The first step is the initialisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The scope under which the trace exists; every deferred set has a size in it.
    pub scope: Scope,
    /// Values of the constants.
    pub constants: Constants,
    /// Initialisation, then events.
    pub steps: Vec<Step>,
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
