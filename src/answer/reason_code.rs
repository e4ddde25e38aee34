//! Why there is no answer, in a word for programs.

use bsym_engines::verdict::Condition;

use super::words::words;

words! {
    /// The fixed list of reasons.
    ReasonCode {
        Timeout = "timeout",
        Interrupted = "interrupted",
        Memory = "memory",
        SolverUnknown = "solver-unknown",
        SolverFailed = "solver-failed",
        DepthLimit = "depth-limit",
        StateLimit = "state-limit",
        ValuationLimit = "valuation-limit",
        Incomplete = "incomplete",
        Bounded = "bounded",
        MarkerCollisions = "marker-collisions",
        ReplayFailed = "replay-failed",
        Unsupported = "unsupported",
        CheckFailed = "check-failed",
        Exhausted = "exhausted",
        IllDefined = "ill-defined",
        ExistenceUndecided = "existence-undecided",
        AuditFailed = "audit-failed",
        NotCompared = "not-compared",
        NotChecked = "not-checked",
        RestsOnTrust = "rests-on-trust",
        Contradiction = "contradiction",
        NoValuation = "no-valuation",
        NoInitialState = "no-initial-state",
    }
}

impl From<&Condition> for ReasonCode {
    fn from(condition: &Condition) -> ReasonCode {
        match condition {
            Condition::ExistenceUndecided(_) => ReasonCode::ExistenceUndecided,
            Condition::Axioms(_) => ReasonCode::IllDefined,
            Condition::NotCompared(_) => ReasonCode::NotCompared,
            Condition::NotChecked(_) => ReasonCode::NotChecked,
            Condition::RestsOnTrust => ReasonCode::RestsOnTrust,
        }
    }
}
