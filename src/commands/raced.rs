//! What the engines and the search of `check` have to say together, and how long the search is waited for.

use std::time::Duration;

use bsym_engines::verdict::Report;
use bsym_explore::report::SearchReport;
use bsym_semantics::verdict::{Condition, Verdict};

use crate::answer::verification::BesideObject;
use crate::commands::run::Run;
use crate::tuning::tuning;

/// What the engines and the search have to say.
pub(super) struct Raced {
    /// The run, with the encoding that the report comes from.
    pub(super) run: Run,
    /// The report of the engines; `None` without a solver.
    pub(super) report: Option<Report>,
    /// The answer of the search, where it has one.
    pub(super) answer: Option<SearchReport>,
    /// Report of the search about itself.
    pub(super) said: Option<BesideObject>,
}

/// Time to wait for the search after the engines have ended.
pub(super) enum Patience {
    /// The search cannot say more.
    None,
    /// The search might say more.
    For(Duration),
    /// Nothing else can.
    Unlimited,
}

impl Patience {
    pub(super) fn with<E, C, F>(verdict: &Verdict<E, C, F>, taken: Duration) -> Patience {
        match verdict {
            Verdict::Conditional(_, conditions) => {
                // Parts that the model itself leaves unchecked are not checked by the search either.
                match conditions.iter().all(|c| matches!(c, Condition::NotChecked(_))) {
                    true => Patience::None,
                    false => Patience::For(taken.max(tuning().beside.race_patience)),
                }
            }
            Verdict::Unknown(_) | Verdict::Doubtful(..) => Patience::Unlimited,
            _ => Patience::None,
        }
    }
}
