//! Instances of hypotheses about all sets.
//!
//! A least fixpoint is defined by `!p.(p <: S & i : p & tr[p] <: p => reach <: p)`, and the instance for `done` proves
//! `reach <: done`. First-order logic has no comprehension, so a solver knows no element of the sort of sets that it
//! could instantiate `p` with. Therefore each hypothesis about all sets that mentions the lesser set of a goal `lesser
//! <: greater` is also assumed for `greater`.
//!
//! The hypothesis is well-defined for all sets and true, so its instance is true for whatever set `greater` is.

use bsym_language::model::visit::Replacement;
use bsym_language::model::{CompareOp, LocalId, Model, Pred, PredKind};

use super::sequent::{Part, name_of, names, replaced};

/// Returns the instances that the goal suggests.
pub(super) fn suggested(model: &Model, part: &Part) -> Vec<Pred> {
    let PredKind::Compare(CompareOp::Subset, lesser, greater) = &part.goal.pred().kind else { return vec![] };
    let Some(lesser) = name_of(lesser) else { return vec![] };
    let is_of_type =
        |local: &LocalId| model.locals.get(local.index()).is_some_and(|local| local.ty == greater.ty);
    let mut all = vec![];
    for p in &part.hypotheses {
        let PredKind::Forall(locals, body) = &p.kind else { continue };
        if !names(p).contains(&lesser) {
            continue;
        }
        for &local in locals.iter().filter(|local| is_of_type(local)) {
            let mut by = Replacement::default();
            by.locals.insert(local, (**greater).clone());
            let Some(body) = replaced(&by, body) else { continue };
            let others: Vec<LocalId> = locals.iter().copied().filter(|other| *other != local).collect();
            all.push(match others.is_empty() {
                true => body,
                false => PredKind::Forall(others, Box::new(body)).at(p.span),
            });
        }
    }
    all
}
