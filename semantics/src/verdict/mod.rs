//! The vocabulary of results: the words in which every engine and every search answers.

mod condition;
mod reason;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::trace::{Trace, Violation};

pub use condition::Condition;
pub use reason::{Reason, ReasonCode, bytes};

/// Answer to all properties that were asked together.
///
/// `E` is the evidence of a proof, `C` describes how parts of the program contradict each other, and `F` is the
/// evidence of a violation.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub enum Verdict<E, C, F = Counterexample> {
    /// Everything holds.
    Holds(E),
    /// A proof that answers less than was asked. The conditions that it leaves open are not empty and sorted by
    /// severity.
    Conditional(E, Vec<Condition>),
    /// The counterexample was replayed.
    Violated(Box<F>),
    /// A replayed counterexample that takes an event outside of what B defines. The sentence tells why it shows no
    /// fault.
    Doubtful(Box<F>, String),
    /// There is nothing to check. Gives the reason as a code and in words.
    Vacuous(Vacuous, String),
    /// Not decided.
    Unknown(Reason),
    /// Parts of the program contradict each other: a fault of the program, never an answer.
    Contradiction(C),
}

impl<E, C, F> Verdict<E, C, F> {
    /// Returns the evidence of a proof, including a conditional one.
    pub fn evidence(&self) -> Option<&E> {
        match self {
            Verdict::Holds(evidence) | Verdict::Conditional(evidence, _) => Some(evidence),
            _ => None,
        }
    }

    /// Returns the evidence of a proof for modification.
    pub fn evidence_mut(&mut self) -> Option<&mut E> {
        match self {
            Verdict::Holds(evidence) | Verdict::Conditional(evidence, _) => Some(evidence),
            _ => None,
        }
    }

    /// Returns the counterexample, including a doubtful one.
    pub fn counterexample(&self) -> Option<&F> {
        match self {
            Verdict::Violated(found) | Verdict::Doubtful(found, _) => Some(found),
            _ => None,
        }
    }

    /// Translates evidence, counterexamples and contradictions; the last may become another verdict.
    pub fn map<G, D, H>(
        &self,
        evidence: impl Fn(&E) -> G,
        found: impl Fn(&F) -> H,
        contradiction: impl Fn(&C) -> Verdict<G, D, H>,
    ) -> Verdict<G, D, H> {
        match self {
            Verdict::Holds(proof) => Verdict::Holds(evidence(proof)),
            Verdict::Conditional(proof, conditions) => {
                Verdict::Conditional(evidence(proof), conditions.clone())
            }
            Verdict::Violated(c) => Verdict::Violated(Box::new(found(c))),
            Verdict::Doubtful(c, why) => Verdict::Doubtful(Box::new(found(c)), why.clone()),
            Verdict::Vacuous(what, why) => Verdict::Vacuous(*what, why.clone()),
            Verdict::Unknown(reason) => Verdict::Unknown(reason.clone()),
            Verdict::Contradiction(c) => contradiction(c),
        }
    }

    /// Returns the reason why the verdict is neither `Holds` nor `Violated`, one word for programs.
    pub fn reason_code(&self) -> Option<ReasonCode> {
        match self {
            Verdict::Holds(_) | Verdict::Violated(_) => None,
            Verdict::Conditional(_, conditions) => {
                Some(conditions.first().map_or(ReasonCode::NotChecked, Condition::code))
            }
            Verdict::Doubtful(..) => Some(ReasonCode::NotChecked),
            Verdict::Vacuous(why, _) => Some(why.code()),
            Verdict::Unknown(reason) => Some(reason.code()),
            Verdict::Contradiction(_) => Some(ReasonCode::Contradiction),
        }
    }
}

impl<E, C, F> From<Vacuous> for Verdict<E, C, F> {
    fn from(why: Vacuous) -> Self {
        Verdict::Vacuous(why, why.to_string())
    }
}

/// A replayed trace with the violations at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// From an initial state to the violation.
    pub trace: Trace,
    /// All violations there; not empty.
    pub violations: Vec<Violation>,
}

/// Reason why there is nothing to check.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vacuous {
    /// No valuation of the constants satisfies the axioms.
    NoValuation,
    /// There is a valuation, and no initial state.
    NoInitialState,
}

impl Vacuous {
    /// Returns the code of the reason, one word for programs.
    pub fn code(self) -> ReasonCode {
        match self {
            Vacuous::NoValuation => ReasonCode::NoValuation,
            Vacuous::NoInitialState => ReasonCode::NoInitialState,
        }
    }
}

impl fmt::Display for Vacuous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vacuous::NoValuation => "no valuation of the constants satisfies the properties",
            Vacuous::NoInitialState => "there is no initial state",
        })
    }
}

/// Receives the progress of a run.
pub trait Observer<P> {
    /// Called for every noteworthy event.
    fn progress(&mut self, progress: &P);
}

impl<P, F: FnMut(&P)> Observer<P> for F {
    fn progress(&mut self, progress: &P) {
        self(progress)
    }
}
