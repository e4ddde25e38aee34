//! Refinements of classical B: the parts that are left out, and why none of their obligations is refuted.
//!
//! An obligation that does not follow from its hypotheses shows a pair of states of the refinement and its abstraction
//! in which it fails. Whether such a pair is reachable is not checked, so the obligation is open.

use bsym_language::model::{Model, Notation, Relation};
use bsym_status::file::{LeftOut, Status};

use super::obligation::Proof;

const OPEN: &str = "it does not follow from the hypotheses";

const REASON: &str = "the abstraction could not be composed with it";

/// Returns whether a model is a refinement of classical B.
pub(super) fn is_refinement(model: &Model) -> bool {
    model.text.notation == Notation::ClassicalB
        && model.text.components.iter().any(|c| c.relation == Relation::Refines)
}

/// Returns the comparison with the abstraction as a part without obligations, if a model of classical B has an
/// abstraction that was not composed.
pub(super) fn left_out(model: &Model) -> Option<LeftOut> {
    let refines = |c: &&bsym_language::model::Component| c.relation == Relation::Refines;
    let whole = model.text.notation != Notation::ClassicalB || model.refinement.refined.is_some();
    let abstraction = model.text.components.iter().find(refines).filter(|_| !whole)?;
    Some(LeftOut {
        part: format!("refinement of {}", abstraction.name),
        reason: REASON.into(),
        file: model.text.sources.iter().next().map(|(_, source)| source.path.display().to_string()),
        line: model.text.components.first().map(|main| model.text.sources.position(main.span).line),
    })
}

/// Marks refuted obligations as open, if the model is a refinement of classical B.
pub(super) fn reopen(model: &Model, all: &mut [Proof]) {
    if !is_refinement(model) {
        return;
    }
    all.iter_mut().for_each(open);
}

/// Returns an observer that calls `observer` with each obligation of `model` after [`reopen`].
pub(super) fn reopening<'o>(model: &Model, observer: &'o mut dyn FnMut(&Proof)) -> impl FnMut(&Proof) + 'o {
    let is_refinement = is_refinement(model);
    move |proof| match is_refinement && proof.status == Status::Refuted {
        true => {
            let mut proof = proof.clone();
            open(&mut proof);
            observer(&proof)
        }
        false => observer(proof),
    }
}

fn open(proof: &mut Proof) {
    if proof.status == Status::Refuted {
        proof.status = Status::Unknown;
        proof.reason = Some(OPEN.into());
    }
}

/// Returns whether an obligation of a refinement has a counterexample.
pub(super) fn does_not_follow(proof: &Proof) -> bool {
    proof.status == Status::Unknown && proof.reason.as_deref() == Some(OPEN)
}
