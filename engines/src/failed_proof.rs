//! The graph of a proof that failed: which lemmas are inductive, what they rest on, and which events break the rest.
//!
//! An inductive invariant is a graph of its conjuncts and lemmas: for each event, one needs the others that the step case
//! needed (Schultz, Ashton, Howard, Tripakis, *Scalable, interpretable distributed protocol verification by inductive
//! proof slicing*, arXiv 2404.18048). Where no proof was found a part of the graph is still there, and its gaps are the
//! pairs of a property and an event for which there is a counterexample to induction. Of its variables only those of the
//! *slice* matter: the ones that the property and the event read.

use std::collections::BTreeSet;

use bsym_language::model::{ConstId, EventId, Pred, VarId};
use bsym_proofs::claim::Property;
use bsym_semantics::trace::Trace;

/// The part of an inductive proof that was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FailedProof {
    /// Inductive together with the conjuncts asked, and with each other.
    pub lemmas: Vec<Pred>,
    /// Edges of the graph: which lemmas and properties an event needs before to keep one true.
    pub supports: Vec<Support>,
    /// The properties that are not inductive, with the event that breaks them.
    pub gaps: Vec<Gap>,
    /// Lemmas that were tried and that few events break: each with all of these.
    pub near: Vec<NearLemma>,
}

/// A property or a lemma of the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Node {
    /// A property that is asked.
    Property(Property),
    /// A lemma by its position among the lemmas.
    Lemma(usize),
}

/// An edge of the graph: an event keeps one true because others hold before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Support {
    /// The one that is kept.
    pub node: Node,
    /// The event; `None` where a property follows from the others in the same state.
    pub event: Option<EventId>,
    /// The others that the solver needed, without the one itself.
    pub by: Vec<Node>,
}

/// A property that an event breaks although all conjuncts and lemmas hold before.
#[derive(Clone, PartialEq, Debug)]
pub struct Gap {
    /// The property.
    pub property: Property,
    /// The event; `None` where the property does not follow from the others in the same state.
    pub event: Option<EventId>,
    /// The variables that the property and the event read.
    pub variables: BTreeSet<VarId>,
    /// The constants that they read.
    pub constants: BTreeSet<ConstId>,
    /// The states before and after, where the evaluator confirms them.
    pub trace: Option<Trace>,
}

/// A lemma that is no invariant of the graph.
#[derive(Clone, PartialEq, Debug)]
pub struct NearLemma {
    /// The lemma.
    pub lemma: Pred,
    /// The events that break it.
    pub events: Vec<EventId>,
    /// The variables that it and these events read.
    pub variables: BTreeSet<VarId>,
}
