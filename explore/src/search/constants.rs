//! The valuations of the constants that a search begins with.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::ConstId;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::prob_profile::only_names_elements;
use bsym_semantics::transition;
use bsym_semantics::transition::open_constants::{LeftOpen, unread_constants};
use bsym_semantics::transition::state::Constants;
use bsym_semantics::value::Value;
use bsym_semantics::verdict::{Reason, Vacuous};

use super::findings::is_interrupted;

use crate::options::Limits;
use crate::space::sampling::Sampling;
use crate::tuning::tuning;

/// Valuations to use if there are too many to list.
#[derive(Clone, Copy, Default)]
pub(crate) struct Question {
    /// A sample of the valuations.
    pub(crate) sampling: Option<Sampling>,
    /// One value of each constant that neither the model nor any other part of the question reads.
    pub(crate) may_leave_open: bool,
}

impl Question {
    /// Only the model reads its constants.
    pub(crate) const OF_THE_MODEL: Question = Question { sampling: None, may_leave_open: true };
}

/// Valuations of the constants, and how they were found.
pub(crate) struct Valuations {
    pub(crate) found: Vec<Constants>,
    /// Reasons why valuations may be missing, each with its place.
    pub(crate) missing: Vec<(&'static str, EvalError)>,
    /// Why there is no valuation.
    pub(crate) vacuous: Option<Vacuous>,
    /// Limit that was reached: there are more valuations.
    pub(crate) limited: Option<Reason>,
    /// Number of nodes of a state space that they count as.
    pub(crate) nodes: u64,
    /// Constants that nothing reads, of which one value was taken.
    pub(crate) left_open: BTreeSet<ConstId>,
    /// `true` if there are too many valuations and some were sampled.
    pub(crate) sampled: bool,
    /// `true` if the search was interrupted or the time is over.
    pub(crate) interrupted: bool,
}

impl Valuations {
    /// Finds as many valuations as the limits allow.
    ///
    /// If they are many or cannot be listed, constants that nothing reads take one value each. After that, if it is
    /// requested, a sample is taken.
    pub(crate) fn of(
        eval: &Evaluator<'_>,
        cuts: &Cuts,
        (limits, fixed): (&Limits, &BTreeMap<ConstId, Value>),
        question: Question,
    ) -> Valuations {
        let Many { valuations, left_open, sampled } = Many::of(eval, cuts, (limits, fixed), question);
        let interrupted = valuations.incomplete.as_ref().is_some_and(is_interrupted);
        let ill_defined = valuations.ill_defined.into_iter().next();
        let open = ill_defined.map(|(_, e)| ("the properties of the constants", e));
        let missing = valuations.incomplete.map(|e| ("the constants", e)).into_iter().chain(open);
        let missing: Vec<_> = missing.filter(|(_, e)| !is_interrupted(e)).collect();
        let mut found = valuations.found;
        let none = found.is_empty() && missing.is_empty() && cuts.is_empty() && !interrupted;
        let mut limited = None;
        if let Some(limit) = limits.valuations
            && found.len() > limit
        {
            found.truncate(limit);
            limited = Some(Reason::ValuationLimit(limit));
        }
        Valuations {
            missing,
            vacuous: none.then_some(Vacuous::NoValuation),
            limited,
            // Where only properties are given, of the sizes of sets, there is a set-up as well.
            nodes: if only_names_elements(eval.model) { 0 } else { found.len() as u64 },
            interrupted,
            left_open,
            sampled,
            found,
        }
    }
}

/// Valuations, however many there are.
#[derive(Default)]
struct Many {
    valuations: transition::Valuations,
    left_open: BTreeSet<ConstId>,
    sampled: bool,
}

impl Many {
    fn of(
        eval: &Evaluator<'_>,
        cuts: &Cuts,
        (limits, fixed): (&Limits, &BTreeMap<ConstId, Value>),
        question: Question,
    ) -> Many {
        let Question { sampling, may_leave_open } = question;
        let most = limits.valuations.unwrap_or(usize::MAX);
        let all = |eval: &Evaluator<'_>| eval.some_constants_up_to_names(fixed, most);
        if may_leave_open
            && limits.valuations.is_none()
            && !unread_constants(eval.model).is_empty()
            && let Some(many) = Many::leaving_open(eval, cuts, fixed, &all)
        {
            return many;
        }
        let valuations = all(&sampling.map_or(*eval, |sampling| eval.listing(sampling.listed)));
        let too_large = valuations.incomplete.as_ref().is_some_and(|e| e.kind == EvalErrorKind::TooLarge);
        match sampling.and_then(|sampling| sampling.values) {
            Some(values) if too_large => {
                let valuations = all(&eval.with_samples(values));
                Many { valuations, sampled: true, ..Many::default() }
            }
            _ => Many { valuations, ..Many::default() },
        }
    }
}

impl Many {
    /// Finds valuations soon, with one value of each constant that nothing reads where they are not all listed: by a
    /// short search at first, then by the finder.
    fn leaving_open(
        eval: &Evaluator<'_>,
        cuts: &Cuts,
        fixed: &BTreeMap<ConstId, Value>,
        all: &dyn Fn(&Evaluator<'_>) -> transition::Valuations,
    ) -> Option<Many> {
        let steps = tuning().search.valuation_work;
        let (first, second) = (Work::new(steps), Work::new(steps));
        [&first, &second].into_iter().for_each(|work| work.portion(steps));
        let listing = eval.listing(tuning().search.valuations);
        let asking =
            eval.finder.is_some().then(|| (eval.without_last_resort(), listing.without_last_resort()));
        let by_search =
            (listing.with_work(&first).without_finder(), listing.with_work(&second).without_finder());
        for (listed, open) in [Some(by_search), asking].into_iter().flatten() {
            let valuations = all(&listed);
            let is_whole = valuations.incomplete.is_none();
            if is_whole && cuts.is_empty() {
                return Some(Many { valuations, ..Many::default() });
            }
            match open.valuations_leaving_open(fixed, &valuations.found) {
                // The value that was taken stands for all others.
                Some(open) if is_whole && covers(&valuations.found, &open) => {
                    cuts.clear();
                    return Some(Many { valuations, left_open: open.constants, ..Many::default() });
                }
                Some(open) if !is_whole => {
                    cuts.clear();
                    let valuations = transition::Valuations { found: open.valuations, ..Default::default() };
                    return Some(Many { valuations, left_open: open.constants, ..Many::default() });
                }
                _ => cuts.clear(),
            }
            if eval.is_interrupted() {
                break;
            }
        }
        None
    }
}

/// Returns whether valuations give all values to the constants that are read.
fn covers(found: &[Constants], open: &LeftOpen) -> bool {
    let read = |constants: &Constants| -> Vec<Value> {
        let all = (0..).map(ConstId).zip(constants);
        all.filter(|(c, _)| !open.constants.contains(c)).map(|(_, value)| value.clone()).collect()
    };
    let known: BTreeSet<_> = found.iter().map(read).collect();
    open.valuations.iter().all(|valuation| known.contains(&read(valuation)))
}
