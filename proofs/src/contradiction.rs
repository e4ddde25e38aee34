//! Contradictory axioms.
//!
//! The answer is a core: axioms that no valuation of the constants satisfies together, none of which can be left out as
//! far as there was time to try. Each query is about a model with these axioms alone, encoded again: facts that the
//! other axioms determine must not be used unseen.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Answer, SolverError};
use bsym_encodings::system::build::encode;
use bsym_encodings::term::Terms;
use bsym_language::model::{
    Expr, ExprKind, Model, ModelDefinitions, ModelText, Refinement, Subst, SubstKind, Target, VarId, Variable,
};
use bsym_language::source::Span;
use bsym_semantics::scope::Scope;

use crate::sequent::Opener;

/// Returns the part of a model that its constants are about, with some of the axioms.
pub fn with_axioms(model: &Model, axioms: &[usize]) -> Model {
    Model {
        axioms: axioms.iter().filter_map(|&i| model.axioms.get(i).cloned()).collect(),
        variables: vec![],
        invariant: vec![],
        initialisation: Subst { kind: SubstKind::Skip, span: Span::default() },
        ..without_events(model)
    }
}

/// Returns the part of a model that its states are about: constants, variables, axioms and invariant. Every variable
/// keeps its value.
pub(crate) fn without_events(model: &Model) -> Model {
    let span = Span::default();
    let keep = |(i, v): (usize, &Variable)| {
        let id = VarId(i as u32);
        (Target::Var(id), ExprKind::Var(id).typed(v.ty.clone(), span))
    };
    let kept: Vec<(Target, Expr)> = model.variables.iter().enumerate().map(keep).collect();
    let initialisation = if kept.is_empty() { SubstKind::Skip } else { SubstKind::Assign(kept) };
    Model {
        assertions: vec![],
        initialisation: initialisation.at(span),
        events: vec![],
        text: ModelText { formulas: vec![], ..model.text.clone() },
        refinement: Refinement { not_checked: model.refinement.not_checked.clone(), ..Refinement::default() },
        definitions: ModelDefinitions { goal: None, ..model.definitions.clone() },
        ..model.clone()
    }
}

/// Returns whether a solver shows that no valuation satisfies some axioms, at any size of the sets that the scope
/// leaves open. An axiom that has no term is left out, which makes the question harder and the answer no less true.
///
/// # Errors
/// If the solver fails.
pub fn is_refuted(
    model: &Model,
    axioms: &[usize],
    scope: &Scope,
    budget: &Budget,
    open: Opener<'_>,
) -> Result<bool, SolverError> {
    let terms = Rc::new(Terms::new());
    let system = encode(terms.clone(), Arc::new(with_axioms(model, axioms)), scope);
    let mut session = open(terms)?;
    // Where an axiom is ill-defined, its truth value is arbitrary, so its meaning is not part of the query.
    for &term in system.facts.background.iter().chain(system.axioms.assumed_to_hold()) {
        session.assert(term)?;
    }
    Ok(matches!(session.check(&[], budget)?, Answer::Unsat(_)))
}

/// Reduces a refutation to a minimal core: drops large parts first, then single elements. `refutes` must be true of
/// all.
pub fn minimal_core(all: Vec<usize>, refutes: &mut dyn FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut core = all;
    let mut width = core.len() / 2;
    while width > 0 {
        let mut from = 0;
        while from < core.len() && core.len() > 1 {
            let to = (from + width).min(core.len());
            let rest = [&core[..from], &core[to..]].concat();
            if refutes(&rest) { core = rest } else { from = to }
        }
        width = if width == 1 { 0 } else { width.div_ceil(2) };
    }
    core
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_has_nothing_that_can_be_left_out() {
        let mut asked = 0;
        let core = minimal_core((0..40).collect(), &mut |rest| {
            asked += 1;
            [3, 17, 38].iter().all(|i| rest.contains(i))
        });
        assert_eq!(core, [3, 17, 38]);
        assert!(asked < 60, "{asked} questions");
        assert_eq!(minimal_core(vec![5], &mut |_| true), [5]);
        assert_eq!(minimal_core(vec![1, 2, 3], &mut |rest| rest.contains(&2)), [2]);
        assert_eq!(minimal_core(vec![1, 2], &mut |_| false), [1, 2]);
    }
}
