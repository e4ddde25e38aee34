//! Rounds of a search: if an event has too many executions in a state, a few are taken, and in the next round more.
//!
//! So violations near the initial states are found although a choice on the way has more values than can be listed. A
//! round in which nothing was sampled is the whole search, and the only one. The last round lists everything that can
//! be listed in time, and samples the rest; its answer is the answer.

use bsym_semantics::verdict::Reason;

use crate::options::SearchOptions;
use crate::report::{SearchReport, Verdict};
use crate::space::machine::Machine;
use crate::space::sampling::Sampling;
use crate::tuning::{Extent, Tuning, tuning};

/// One round.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// Conditions and extent of sampling.
    pub(super) sampling: Option<Sampling>,
    /// Transitions after which the round ends once something is sampled, in addition to as many as there were by then;
    /// `None` for the last round.
    transitions: Option<u64>,
    /// `true` if the round ends when states have so many listed executions that later events would wait for long.
    is_first: bool,
}

/// Kind of round that follows a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// No further round: the answer of this round is final.
    Nothing,
    /// A round with wider limits.
    Wider,
    /// Rounds with narrower limits, and then the last one.
    Narrower,
}

impl Round {
    /// The only round of a search that lists all or nothing.
    pub(super) const WHOLE: Round = Round { sampling: None, transitions: None, is_first: false };

    /// The last round: it lists what can be listed in time.
    fn last() -> Round {
        let all =
            Sampling { listed: usize::MAX, executed: u64::MAX, values: Some(tuning().search.last_values) };
        Round { sampling: Some(all), ..Round::WHOLE }
    }

    fn early(extent: Extent) -> Round {
        let Extent { evaluated: listed, compiled: executed, values, transitions } = extent;
        Round {
            sampling: Some(Sampling { listed, executed, values: Some(values) }),
            transitions: Some(transitions),
            is_first: false,
        }
    }

    /// The rounds of a search.
    pub(super) fn of(options: &SearchOptions) -> Vec<Round> {
        if options.suspension.checkpoint.is_some() || options.suspension.resume.is_some() {
            return vec![Round::WHOLE];
        }
        if options.keep_going || options.coverage {
            return vec![Round::last()];
        }
        let [first, second] = tuning().search.wide.map(Round::early);
        vec![Round { is_first: true, ..first }, second, Round::last()]
    }

    /// The rounds after one that has found too much in each state.
    pub(super) fn narrower() -> Vec<Round> {
        let [first, second] = tuning().search.dense.map(Round::early);
        vec![first, second, Round::last()]
    }
}

/// Progress of a round.
pub(super) struct Course {
    round: Round,
    /// Number of transitions at which the round ends, if something was sampled.
    end: Option<u64>,
    /// States that were expanded.
    expanded: u64,
    /// `true` if it has ended because states have many executions.
    is_dense: bool,
}

impl Course {
    pub(super) fn new(round: Round) -> Course {
        Course { round, end: None, expanded: 0, is_dense: false }
    }

    /// Counts a state that was expanded. Returns whether the round ends with it, after this number of transitions.
    pub(super) fn ends_after(&mut self, machine: &Machine<'_>, transitions: u64) -> bool {
        let Some(more) = self.round.transitions else { return false };
        self.expanded += 1;
        if !machine.sampled.has_any() {
            self.is_dense = self.round.is_first
                && transitions >= Tuning::DEFAULT.search.dense_look
                && transitions / Tuning::DEFAULT.search.dense_many >= self.expanded;
            return self.is_dense;
        }
        let end = *self.end.get_or_insert(transitions.saturating_mul(2).saturating_add(more));
        transitions >= end
    }

    /// Returns the kind of the next round. A round follows if this one has ended early, or has found nothing in a part
    /// of the states.
    /// `sampled` tells whether something was sampled.
    pub(super) fn next(&self, sampled: bool, report: &SearchReport) -> Next {
        let is_open = matches!(
            report.verdict,
            Verdict::Unknown(Reason::Bounded(_) | Reason::Incomplete(_) | Reason::ReplayFailed(_))
        );
        if self.round.transitions.is_none() || !is_open {
            Next::Nothing
        } else if self.is_dense {
            Next::Narrower
        } else if sampled {
            Next::Wider
        } else {
            Next::Nothing
        }
    }
}
