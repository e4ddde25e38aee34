//! Layouts: assumptions of the encoding about the variables, as part of a claim.
//!
//! An analysis of the assignments finds that a relation always is a function, that a set has few numbers
//! ([`representation`](bsym_encodings::representation)), and the encoding represents values accordingly. A proof in
//! this encoding shows that conjuncts and lemmas are inductive *together with these layouts*. So they belong to what is
//! claimed: those that the claimed conjuncts do not say are listed with the claim, and
//! [`check_representations`](crate::check::check_representations) proves them with the analysis off. Then conjuncts,
//! lemmas and layouts are inductive whatever the encoding, and can be pasted into the machine.

use bsym_encodings::representation::Functional;
use bsym_encodings::representation::predicate::{is_stated, of_variable};
use bsym_encodings::system::System;
use bsym_language::model::same::same_pred;
use bsym_language::model::{Pred, VarId};

use crate::claim::Claim;

/// A layout that proofs in an encoding rest on.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The variable that has it.
    pub variable: VarId,
    /// The layout as a predicate of B.
    pub pred: Pred,
    /// How a claim states it, if it does.
    pub said: Said,
}

/// Relation of a claim to a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// In the same words.
    Verbatim,
    /// One of the claimed conjuncts should imply it.
    Implied,
    /// The claim does not state it recognisably.
    No,
}

/// Returns the layouts that a claim does not state yet.
pub fn unsaid(system: &System, claim: &Claim) -> Vec<Pred> {
    let all = layouts(system, system.needed(), claim);
    all.into_iter().filter(|l| l.said == Said::No).map(|l| l.pred).collect()
}

/// Returns the layouts among some bounds, and whether a claim states them.
pub fn layouts(system: &System, known: &Functional, claim: &Claim) -> Vec<Layout> {
    let model = &system.model;
    let conjuncts: Vec<&Pred> =
        claim.conjuncts.iter().filter_map(|&i| model.invariant.get(i)).map(|c| &c.pred).collect();
    let mut found = vec![];
    for (v, layout) in known.variables.iter().enumerate() {
        let variable = VarId(v as u32);
        let Some(pred) = of_variable(model, variable, layout) else { continue };
        let verbatim = || conjuncts.iter().copied().chain(claim.lemmas()).any(|p| same_pred(p, &pred));
        let said = if verbatim() {
            Said::Verbatim
        } else if is_stated(model, known, &conjuncts, variable, layout) {
            Said::Implied
        } else {
            Said::No
        };
        found.push(Layout { variable, pred, said });
    }
    found
}
