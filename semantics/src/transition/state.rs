//! States, and how one of them is reached from another.

use bsym_language::model::ChoiceId;

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
