//! Claim of a proof, and the outcome of checking it.

use bsym_encodings::system::{Failure, FailureKind};
use bsym_language::model::{EventId, Pred};
use bsym_status::{Check, Formula, Pair, StepCheck};

/// Claim that some properties hold in every reachable state, with the evidence.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The properties claimed.
    pub properties: Vec<Property>,
    /// Invariant conjuncts, by position, that the proof may assume in the states before a step, and
    /// that it therefore claims too: the conjuncts that are supported and were not violated.
    pub conjuncts: Vec<usize>,
    /// `true` if the well-definedness of every step is claimed as well.
    pub well_definedness: bool,
    /// Assumptions of the encoding about the variables that the conjuncts do not say: invariants that follow from the
    /// assignments alone (see [`layouts`](crate::layouts)).
    pub layouts: Vec<Pred>,
    /// Evidence for the claim.
    pub evidence: Evidence,
}

impl Claim {
    /// Returns the predicates that hold in every reachable state besides the conjuncts: the lemmas of the evidence,
    /// then the layouts.
    pub fn lemmas(&self) -> impl Iterator<Item = &Pred> {
        let of_evidence: &[Pred] = match &self.evidence {
            Evidence::Inductive { lemmas } | Evidence::KInduction { lemmas, .. } => lemmas,
            Evidence::Diameter { .. } | Evidence::Search { .. } => &[],
        };
        of_evidence.iter().chain(&self.layouts)
    }
}

/// A property of all reachable states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Property {
    /// Invariant conjunct, by position.
    Invariant(usize),
    /// Assertion, by position.
    Assertion(usize),
    /// Some event is enabled.
    DeadlockFree,
    /// The goal is never reached.
    NoGoal,
}

impl Property {
    /// The predicate that holds in every reachable state, if it is one of the model's.
    pub fn formula(self) -> Option<Formula> {
        match self {
            Property::Invariant(i) => Some(Formula::Invariant(i)),
            Property::Assertion(i) => Some(Formula::Assertion(i)),
            Property::DeadlockFree | Property::NoGoal => None,
        }
    }
}

/// Evidence for the properties.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The conjuncts together with the lemmas are inductive and imply the properties.
    Inductive {
        /// Auxiliary invariants, over variables and constants.
        lemmas: Vec<Pred>,
    },
    /// k-induction, with states of a path pairwise different.
    KInduction {
        /// Steps in the induction hypothesis: base cases 0..=k, step over k + 1 steps.
        k: usize,
        /// Invariants (with the conjuncts inductive by themselves) that are assumed in every state.
        lemmas: Vec<Pred>,
    },
    /// No path (on which the properties hold) has this many steps.
    Diameter {
        /// Number of steps that no path of pairwise different states has.
        depth: usize,
    },
    /// Every reachable state of a finite scope was visited. No solver can check it; the search is repeated.
    Search {
        /// Reachable states and valuations of the constants.
        states: u64,
        /// Transitions between them.
        transitions: u64,
        /// Digest of the set of states, independent of their order.
        digest: String,
        /// `true` if of states that differ in the roles of interchangeable elements only, the least one was visited.
        symmetric: bool,
    },
}

/// The outcome of checking a claim in a fresh solver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Solver's name and version.
    pub solver: String,
    /// Number of checks made.
    pub checks: usize,
    /// Number of sequents that were proved in first-order logic, because they were not proved in terms of arrays.
    pub in_first_order: usize,
    /// Pairs that the solver could not decide and whose imported status was relied on.
    pub trusted: Vec<Pair>,
    /// Pairs whose imported status the solver refuted.
    pub wrong: Vec<Pair>,
    /// Checks that the solver could not decide and whose imported status was relied on.
    pub trusted_checks: Vec<Check>,
    /// Checks whose imported status the solver refuted.
    pub wrong_checks: Vec<Check>,
    /// Checks that failed, as text: the claim is refuted.
    pub failed: Vec<String>,
    /// Checks that were not decided, as text.
    pub undecided: Vec<String>,
}

impl Checked {
    /// Returns whether every check passed (trusted pairs pass).
    pub fn passed(&self) -> bool {
        self.wrong.is_empty()
            && self.wrong_checks.is_empty()
            && self.failed.is_empty()
            && self.undecided.is_empty()
    }

    /// Returns whether some check rests on imported status.
    pub fn trusts(&self) -> bool {
        !self.trusted.is_empty() || !self.trusted_checks.is_empty()
    }
}

/// Returns the check behind a way to fail; `None` for `ASSERT` and `PRE`.
pub fn check_of(event: Option<EventId>, failure: &Failure) -> Option<Check> {
    let check = match failure.kind {
        FailureKind::Refinement(id) => StepCheck::Refinement(id),
        FailureKind::IllDefined => StepCheck::Meaning(failure.span),
        FailureKind::Assert | FailureKind::Precondition => return None,
    };
    Some(Check::Step(event, check))
}
