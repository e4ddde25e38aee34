//! The whole model, whose events were cut into instances.

use bsym_language::model::EventId;
use bsym_semantics::evaluator::Evaluator;

/// The model whose events were cut into instances.
pub(super) struct Whole<'m> {
    /// Evaluator of the whole model.
    pub(super) eval: Evaluator<'m>,
    /// The event of each instance.
    pub(super) events: &'m [EventId],
}
