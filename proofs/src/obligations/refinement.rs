//! Refinements of classical B, whose own obligations are not encoded.
//!
//! An obligation of a refinement has the invariants of all levels and the abstract precondition among its
//! hypotheses. Only conjuncts and events of the refinement itself are encoded here. What follows from less
//! is proved, but what does not follow from less may still follow: it is open and never refuted.

use bsym_language::model::{Model, Notation, Relation};
use bsym_status::file::{LeftOut, Status};

use super::obligation::Proof;

const REASON: &str = "the gluing invariant and the operations of the abstraction are not encoded (`bsym refine` compares them)";

/// The comparison with the abstraction, where a model of classical B has one.
pub(super) fn left_out(model: &Model) -> Option<LeftOut> {
    let refines = |c: &&bsym_language::model::Component| c.relation == Relation::Refines;
    let abstraction =
        model.components.iter().find(refines).filter(|_| model.notation == Notation::ClassicalB)?;
    Some(LeftOut {
        part: format!("refinement of {}", abstraction.name),
        reason: REASON.into(),
        file: model.sources.iter().next().map(|(_, source)| source.path.display().to_string()),
        line: model.components.first().map(|main| model.sources.position(main.span).line),
    })
}

/// Opens what was refuted, where the model is a refinement of classical B.
pub(super) fn reopen(model: &Model, all: &mut [Proof]) {
    if left_out(model).is_none() {
        return;
    }
    all.iter_mut().for_each(open);
}

/// Calls `observer` with what is left of each obligation of `model` after [`reopen`].
pub(super) fn reopening<'o>(model: &Model, observer: &'o mut dyn FnMut(&Proof)) -> impl FnMut(&Proof) + 'o {
    let is_refinement = left_out(model).is_some();
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
        proof.reason = Some(format!("it does not follow from this machine alone; {REASON}"));
    }
}
