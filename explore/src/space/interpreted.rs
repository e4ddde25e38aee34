//! Meanings of rows and edges: additions to [`System`](super::system::System) for drawing, temporal formulas and walks.

use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Eval;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::trace::{Step, Violation};
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;

use super::dependency_matrix::{GroupId, LabelId};
use super::system::{Edge, Edges, Measured};

/// A system whose states have values, and whose answers can be confirmed by a reference that is independent of the code
/// that searches it.
///
/// If a group is requested, `None` is the initialisation. In steps and traces a group is the event with its number.
pub trait Interpreted: Measured {
    /// The values of a state.
    fn values(&self, row: &[u32]) -> State;

    /// Evaluates a label by the reference.
    ///
    /// # Errors
    /// If it is ill-defined there, or could not be evaluated.
    fn confirmed(&self, label: LabelId, row: &[u32]) -> Eval<bool>;

    /// The first `limit` edges of a group out of a state, which need not be a row.
    fn edges_of(&mut self, group: Option<GroupId>, root: usize, state: &[Value], limit: usize) -> Edges;

    /// Returns the step of the reference for an edge.
    ///
    /// # Errors
    /// If the reference does not find the edge, with the reason if it is known.
    fn step(
        &self,
        group: Option<GroupId>,
        root: usize,
        state: &[Value],
        edge: &Edge,
    ) -> Result<Step, Option<EvalError>>;

    /// Returns all violations in a state, according to the reference.
    ///
    /// # Errors
    /// If a property could not be evaluated.
    fn violations(&self, root: usize, state: &[Value], checks: &Checks) -> Eval<Vec<Violation>>;

    /// Tests with the reference evaluator whether no group is enabled, not even with values beyond those that were
    /// tried.
    ///
    /// # Errors
    /// If the guards could not be evaluated.
    fn is_deadlock(&self, root: usize, state: &[Value]) -> Eval<bool>;

    /// Returns why there may be values beyond those that were tried, if there may be any.
    fn cut(&self) -> Option<EvalError>;

    /// Replays some steps from an initial state. Returns all violations at their end.
    ///
    /// # Errors
    /// If the steps do not replay, with the reason.
    fn replay(&self, root: usize, steps: &[Step], checks: &Checks) -> Result<Vec<Violation>, String>;
}
