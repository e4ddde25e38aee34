//! States and traces.

use bsym_language::model::{ChoiceId, EventId, RefinementId};

use crate::scope::Scope;
use crate::value::Value;

/// Values of all constants, by [`ConstId`](bsym_language::model::ConstId).
pub type Constants = Vec<Value>;

/// Values of all variables, by [`VarId`](bsym_language::model::VarId).
pub type State = Vec<Value>;

/// How one execution of an event or of the initialisation went: enough to repeat it without search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Execution {
    /// Values of the parameters, in the order of the event's declaration.
    pub parameters: Vec<Value>,
    /// Values of the results, in the order of the event's declaration.
    pub results: Vec<Value>,
    /// Value of each non-deterministic choice that was made: for `ANY` the values of its locals as a
    /// left-nested couple, for `::` and `:(P)` the new values of the targets likewise, for `CHOICE`
    /// and `SELECT` the position of the branch as an integer. Sorted by choice.
    pub choices: Vec<(ChoiceId, Value)>,
}

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

/// What is wrong at the end of a trace.
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
    IllDefined(crate::error::EvalError),
    /// An `ASSERT` in the last step is false.
    Assert(bsym_language::source::Span),
    /// A `PRE` inside a body, or of a called operation, is false in the last step.
    Precondition(bsym_language::source::Span),
    /// No abstract event can follow the last step.
    Refinement(RefinementId),
}
