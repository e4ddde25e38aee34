//! Why there is no answer: what is known of it, and from that its word and its sentence.

use std::collections::BTreeMap;

use bsym_encodings::budget::Stopped;
use bsym_engines::verdict::{Condition, Unknown};
use bsym_language::model::Model;
use bsym_semantics::scope::Scope;

use super::proof::{CertificateObject, CheckedObject, ContradictionObject, ProofObject};
use super::reason_code::ReasonCode;
use super::trace::CounterexampleObject;

/// A reason.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The time limit.
    Timeout,
    /// Ctrl-C, or somebody else's answer.
    Interrupted,
    /// The limit on the memory of the program, in bytes.
    Memory(u64),
    /// The limit on the memory of the states of a search, in bytes.
    MemoryOfStates(u64),
    /// More different values than a search can number.
    TooManyValues,
    /// A solver does not know.
    SolverUnknown(String),
    /// A solver failed, or there is none.
    SolverFailed(String),
    /// The limit on the number of events.
    DepthLimit(usize),
    /// The limit on the number of states.
    StateLimit(usize),
    /// The limit on the number of valuations of the constants.
    ValuationLimit(usize),
    /// Something could not be evaluated.
    Incomplete(String),
    /// Only a part of infinitely many values was looked at.
    Bounded(String),
    /// Symmetric states were left out by their markers.
    MarkerCollisions,
    /// A trace could not be repeated.
    ReplayFailed(String),
    /// A part of the machine has no encoding.
    Unsupported,
    /// A proof did not pass its checks.
    CheckFailed(CheckedObject),
    /// The engine has nothing more to try.
    Exhausted(String),
    /// The axioms have no truth value.
    IllDefined(String),
    /// No state is known.
    ExistenceUndecided(String),
    /// The search and the reference evaluator contradict each other.
    AuditFailed(String),
    /// A proof that leaves something open; the gravest first.
    Conditional(Box<ProofObject>, Vec<Condition>),
    /// The same of a search that visited every state.
    Visited(Box<ProofObject>, Condition),
    /// What was found wrong need not be, and the comparison with the abstraction that would decide it is open: why.
    NotCompared(String),
    /// A trace that shows no fault, why, and the file that it was written to.
    Doubtful(Box<CounterexampleObject>, String, Option<String>),
    /// Parts of the program contradict each other; with the certificate of the proof that is contradicted.
    Contradiction(Box<ContradictionObject>, Option<CertificateObject>),
}

impl Reason {
    /// The reason of an engine.
    pub fn of(
        model: &Model,
        scope: &Scope,
        settings: &BTreeMap<String, String>,
        unknown: &Unknown,
    ) -> Reason {
        match unknown {
            Unknown::Stopped(Stopped::Timeout) => Reason::Timeout,
            Unknown::Stopped(Stopped::Cancelled) => Reason::Interrupted,
            Unknown::Stopped(Stopped::Incomplete(why)) => Reason::SolverUnknown(why.clone()),
            Unknown::DepthLimit(depth) => Reason::DepthLimit(*depth),
            Unknown::ReplayFailed(why) => Reason::ReplayFailed(why.clone()),
            Unknown::Unsupported => Reason::Unsupported,
            Unknown::CheckFailed(checked) => Reason::CheckFailed(checked.into()),
            Unknown::Solver(why) => Reason::SolverFailed(why.clone()),
            Unknown::Exhausted(why) => Reason::Exhausted(why.clone()),
            Unknown::Axioms(why) => Reason::IllDefined(why.clone()),
            Unknown::Conditional { proof, conditions } => {
                Reason::Conditional(Box::new(ProofObject::new(model, proof)), conditions.clone())
            }
            Unknown::Contradiction(wrong) => {
                Reason::Contradiction(Box::new(ContradictionObject::of(model, scope, settings, wrong)), None)
            }
            Unknown::Doubtful { counterexample, why } => {
                let found = &**counterexample;
                let object = CounterexampleObject::new(model, &found.trace, &found.violations);
                Reason::Doubtful(Box::new(object), why.clone(), None)
            }
        }
    }

    /// The reason in one word.
    pub fn code(&self) -> ReasonCode {
        match self {
            Reason::Timeout => ReasonCode::Timeout,
            Reason::Interrupted => ReasonCode::Interrupted,
            Reason::Memory(_) | Reason::MemoryOfStates(_) | Reason::TooManyValues => ReasonCode::Memory,
            Reason::SolverUnknown(_) => ReasonCode::SolverUnknown,
            Reason::SolverFailed(_) => ReasonCode::SolverFailed,
            Reason::DepthLimit(_) => ReasonCode::DepthLimit,
            Reason::StateLimit(_) => ReasonCode::StateLimit,
            Reason::ValuationLimit(_) => ReasonCode::ValuationLimit,
            Reason::Incomplete(_) => ReasonCode::Incomplete,
            Reason::Bounded(_) => ReasonCode::Bounded,
            Reason::MarkerCollisions => ReasonCode::MarkerCollisions,
            Reason::ReplayFailed(_) => ReasonCode::ReplayFailed,
            Reason::Unsupported => ReasonCode::Unsupported,
            Reason::CheckFailed(_) => ReasonCode::CheckFailed,
            Reason::Exhausted(_) => ReasonCode::Exhausted,
            Reason::IllDefined(_) => ReasonCode::IllDefined,
            Reason::ExistenceUndecided(_) => ReasonCode::ExistenceUndecided,
            Reason::AuditFailed(_) => ReasonCode::AuditFailed,
            Reason::Conditional(_, conditions) => {
                conditions.first().map_or(ReasonCode::NotChecked, ReasonCode::from)
            }
            Reason::Visited(_, condition) => condition.into(),
            Reason::NotCompared(_) => ReasonCode::NotCompared,
            Reason::Doubtful(..) => ReasonCode::NotChecked,
            Reason::Contradiction(..) => ReasonCode::Contradiction,
        }
    }

    /// The reason in a sentence that begins with the word, so that either can stand alone.
    pub fn text(&self) -> String {
        let explanation = match self {
            Reason::Timeout => "the time limit was reached".into(),
            Reason::Interrupted => return self.code().word().into(),
            Reason::Memory(limit) => format!("the limit of {} was reached", bytes(*limit)),
            Reason::MemoryOfStates(limit) => format!("the states take more than {}", bytes(*limit)),
            Reason::TooManyValues => {
                "there are more different sets, relations and large integers than can be numbered; smaller scopes have fewer"
                    .into()
            }
            Reason::DepthLimit(depth) => format!("the limit of {depth} events was reached"),
            Reason::StateLimit(n) => format!("the limit of {n} states was reached"),
            Reason::ValuationLimit(n) => format!("only {n} valuations of the constants were looked at"),
            Reason::SolverUnknown(why)
            | Reason::SolverFailed(why)
            | Reason::Incomplete(why)
            | Reason::Bounded(why)
            | Reason::ReplayFailed(why)
            | Reason::Exhausted(why)
            | Reason::IllDefined(why)
            | Reason::ExistenceUndecided(why)
            | Reason::AuditFailed(why)
            | Reason::Doubtful(_, why, _) => why.clone(),
            Reason::NotCompared(why) => {
                format!(
                    "something is violated behind calls that the abstraction may forbid, and the comparison with it is not \
                     decided: {why}"
                )
            }
            Reason::MarkerCollisions => {
                "every state that was visited is as it should be, but states that are not symmetric may have the same marker".into()
            }
            Reason::Unsupported => "a part of the machine cannot be encoded".into(),
            Reason::CheckFailed(CheckedObject { failed, undecided, .. }) => {
                let first = failed.first().or(undecided.first());
                let first = first.map(|f| format!(", first: {f}")).unwrap_or_default();
                let (failed, undecided) = (failed.len(), undecided.len());
                format!("the proof did not pass its checks ({failed} failed, {undecided} undecided{first})")
            }
            Reason::Conditional(_, conditions) => {
                let all: Vec<String> = conditions.iter().map(Condition::message).collect();
                format!("a proof was found and checked, but {}", all.join("; and "))
            }
            Reason::Visited(_, condition) => format!("every state was visited, but {}", condition.message()),
            Reason::Contradiction(found, _) => {
                format!("{}; this is a mistake of bsym", found.sentence())
            }
        };
        let word = self.code().word();
        if explanation.is_empty() { word.into() } else { format!("{word}: {explanation}") }
    }
}

/// A number of bytes in the largest unit in which it is not below one.
pub fn bytes(n: u64) -> String {
    match n {
        0..0x400 => format!("{n} bytes"),
        0x400..0x10_0000 => format!("{} KiB", n >> 10),
        _ => format!("{} MiB", n >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_named_in_a_unit_that_says_something() {
        let check = |n: u64, text: &str| assert_eq!(bytes(n), text);
        check(1, "1 bytes");
        check(1 << 10, "1 KiB");
        check(1 << 20, "1 MiB");
        check(2 << 30, "2048 MiB");
        assert_eq!(Reason::Memory(1 << 10).text(), "memory: the limit of 1 KiB was reached");
        assert_eq!(Reason::Interrupted.text(), "interrupted");
    }
}
