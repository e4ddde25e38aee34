//! Problem of a search: a model in a scope.

use std::sync::atomic::AtomicBool;

use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::Scope;

/// Problem of a search: a model in a scope, with a finder of values.
#[derive(Clone, Copy)]
pub struct Problem<'m> {
    /// The model.
    pub model: &'m Model,
    /// The scope; sets of unsettled size make a search incomplete.
    pub scope: &'m Scope,
    /// Finds values where enumeration gives up.
    pub finder: Option<&'m dyn ValueFinder>,
}

impl<'m> Problem<'m> {
    /// Returns an evaluator that the flag stops, and that notes its cuts of choices.
    pub(crate) fn evaluator(&self, interrupt: &'m AtomicBool, cuts: &'m Cuts) -> Evaluator<'m> {
        let eval = Evaluator::new(self.model, self.scope);
        let mut eval = eval.with_interrupt(interrupt).with_bounded_choices(cuts);
        eval.finder = self.finder;
        eval
    }

    /// Returns the evaluator that audits a search: without a finder, and without narrowing where types are small.
    pub(crate) fn reference(&self, interrupt: &'m AtomicBool, cuts: &'m Cuts) -> Evaluator<'m> {
        let eval = Evaluator::new(self.model, self.scope)
            .plain(bsym_semantics::tuning::tuning().evaluate.small_types);
        eval.with_interrupt(interrupt).with_bounded_choices(cuts)
    }
}
