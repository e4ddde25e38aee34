//! What is searched: a model in a scope.

use bsym_language::model::Model;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::Scope;

/// What is searched.
#[derive(Clone, Copy)]
pub struct Problem<'m> {
    /// The model.
    pub model: &'m Model,
    /// The scope; sets of unsettled size make a search incomplete.
    pub scope: &'m Scope,
    /// Finds values where enumeration gives up.
    pub finder: Option<&'m dyn ValueFinder>,
}
