//! The valuations of the constants that a search begins with.

use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::prob_profile::only_names_elements;
use bsym_semantics::transition::state::Constants;

use super::findings::is_interrupted;
use crate::options::SearchOptions;
use crate::report::{Unknown, Vacuous};

/// Valuations, and what follows from how they were found.
pub(crate) struct Valuations {
    pub(crate) found: Vec<Constants>,
    /// What may be missing, with its place.
    pub(crate) missing: Vec<(&'static str, EvalError)>,
    /// There is none.
    pub(crate) vacuous: Option<Vacuous>,
    /// There are more.
    pub(crate) limited: Option<Unknown>,
    /// How many nodes of a state space they are.
    pub(crate) nodes: u64,
    /// Somebody asked to stop, or time is over.
    pub(crate) interrupted: bool,
}

impl Valuations {
    /// Looks for as many as the limits allow.
    pub(crate) fn of(eval: &Evaluator<'_>, cuts: &Cuts, options: &SearchOptions) -> Valuations {
        let most = options.limits.valuations.unwrap_or(usize::MAX);
        let valuations = eval.some_constants_up_to_names(&options.fixed, most);
        let interrupted = valuations.incomplete.as_ref().is_some_and(is_interrupted);
        let ill_defined = valuations.ill_defined.into_iter().next();
        let open = ill_defined.map(|(_, e)| ("the properties of the constants", e));
        let missing = valuations.incomplete.map(|e| ("the constants", e)).into_iter().chain(open);
        let missing: Vec<_> = missing.filter(|(_, e)| !is_interrupted(e)).collect();
        let mut found = valuations.found;
        let none = found.is_empty() && missing.is_empty() && cuts.is_empty() && !interrupted;
        let mut limited = None;
        if let Some(limit) = options.limits.valuations
            && found.len() > limit
        {
            found.truncate(limit);
            limited = Some(Unknown::ValuationLimit(limit));
        }
        Valuations {
            missing,
            vacuous: none.then_some(Vacuous::NoValuation),
            limited,
            // Where only properties are given, of the sizes of sets, there is a set-up as well.
            nodes: if only_names_elements(eval.model) { 0 } else { found.len() as u64 },
            interrupted,
            found,
        }
    }
}
