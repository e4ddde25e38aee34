//! Sequents as predicates of B, before they have terms.

use bsym_language::model::*;
use bsym_status::file::Kind;

/// What a sequent says of its goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Says {
    /// It is well-defined and true.
    Holds,
    /// It is well-defined.
    Defined,
    /// An integer that is computed fits into the machine: where its form says so, nothing has to be proved.
    Fits,
    /// It is one of the hypotheses: nothing has to be proved.
    Trivial,
}

/// Hypotheses and a goal, with a name.
#[derive(Clone, Debug)]
pub(super) struct Sequent {
    pub kind: Kind,
    pub name: String,
    /// The goal in words or B.
    pub text: String,
    pub hypotheses: Vec<Pred>,
    pub goal: Pred,
    pub says: Says,
}

/// Sequents with common hypotheses.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub event: Option<EventId>,
    /// Whether they are about what an event or the initialisation does.
    pub of_step: bool,
    /// Whether the invariants of all levels are hypotheses.
    pub invariant: bool,
    pub sequents: Vec<Sequent>,
}

/// A reason for which a part has no obligations: lower case, no full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NoObligations(pub String);

/// The conjuncts of a predicate at any depth of `&`.
pub(super) fn conjuncts(p: &Pred) -> Vec<&Pred> {
    match &p.kind {
        PredKind::And(list) => list.iter().flat_map(conjuncts).collect(),
        PredKind::True => vec![],
        _ => vec![p],
    }
}
