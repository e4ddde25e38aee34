//! The explicit search of a refinement together with its abstractions, in one scope or in several.

use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::patience::Patience;
use bsym_encodings::session::open::SolverChoice;
use bsym_explore::options::Limits;
use bsym_explore::refinement::{
    Own, RefinementOptions, RefinementReport, Repeated, Unmatched, check, repeat,
};
use bsym_explore::report::Progress;
use bsym_explore::search::Problem;
use bsym_language::int::Int;
use bsym_language::model::{Model, SideBySide};
use bsym_language::walk::{Bounds, LargestLiteral, walk_model, walk_operators};
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::prob_profile;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::bounds::with_maxint;
use bsym_semantics::verdict::{Observer, Reason, Verdict};

use crate::arguments::ScopeArguments;
use crate::tuning::tuning;

/// Input of the explicit search of a refinement together with its abstractions.
pub(super) struct Explicit<'m> {
    pub(super) model: &'m Arc<Model>,
    pub(super) parts: &'m SideBySide,
    pub(super) solver: Option<SolverChoice>,
    pub(super) states: Option<usize>,
    pub(super) valuations: Option<usize>,
    /// In bytes.
    pub(super) memory: Option<usize>,
    pub(super) no_well_definedness: bool,
    pub(super) budget: Budget,
}

/// The result of a search in one scope.
#[derive(Clone)]
pub(super) struct Searched {
    pub(super) scope: Scope,
    pub(super) report: RefinementReport,
}

/// The result of all searches.
pub(super) struct Found {
    /// The scope that decides.
    pub(super) scope: Scope,
    pub(super) report: RefinementReport,
    /// Search of a smaller scope whose result is not known to be true in the scope that was asked about.
    pub(super) smaller: Option<Searched>,
    /// `true` if the scope is the one that was asked about, with sizes for sets that it leaves open.
    pub(super) is_asked: bool,
}

impl Found {
    /// Makes the result of a search of the scope that was asked about.
    pub(super) fn of_asked(searched: Searched) -> Found {
        Found { scope: searched.scope, report: searched.report, smaller: None, is_asked: true }
    }
}

impl Explicit<'_> {
    /// Searches one scope, at most for the given time.
    pub(super) fn ask(&self, scope: &Scope, longest: Option<Duration>) -> Searched {
        self.ask_with(scope, longest, &mut |_: &Progress| {})
    }

    /// Searches one scope and reports progress.
    pub(super) fn ask_with(
        &self,
        scope: &Scope,
        longest: Option<Duration>,
        observer: &mut dyn Observer<Progress>,
    ) -> Searched {
        let time = [self.budget.left(), longest].into_iter().flatten().min();
        let options = RefinementOptions {
            limits: Limits { time, memory: self.memory, states: self.states, valuations: self.valuations },
            cancelled: self.budget.cancellation(),
            no_well_definedness: self.no_well_definedness,
            reference_only: false,
        };
        let finder = Patience::new(Arc::new(self.parts.model.clone()), self.solver.clone(), &self.budget);
        let finder = Some(&finder as &dyn ValueFinder);
        let problem = Problem { model: &self.parts.model, scope, finder };
        let report = check(&problem, self.parts, self.model, &options, observer);
        Searched { scope: scope.clone(), report }
    }

    /// Checks whether a violation is also one with the bounds of another scope.
    pub(super) fn repeat(&self, found: &Unmatched, bounds: &Scope) -> Repeated {
        let Scope { maxint, minint, .. } = bounds.clone();
        let scope = Scope { maxint, minint, ..found.trace.scope.clone() };
        let problem = Problem { model: &self.parts.model, scope: &scope, finder: None };
        repeat(&problem, self.parts, self.model, found, tuning().scopes.repeated, &self.budget.cancellation())
    }

    /// Searches small scopes for a while, then the one that is asked about, and at last the small ones without a limit.
    pub(super) fn small_first(&self, arguments: &ScopeArguments, asked: &Scope) -> Found {
        let small = smaller(&self.parts.model, arguments, asked);
        let mut smaller: Option<Searched> = None;
        let mut unfinished = vec![];
        for scope in small {
            let searched = self.ask(&scope, Some(tuning().scopes.small));
            match self.lifted(&searched, asked) {
                Ok(found) => return found,
                Err(is_finished) if !is_finished => unfinished.push(scope),
                Err(_) => {}
            }
            if says_something(&searched) {
                smaller = Some(searched);
            }
        }
        let searched = self.ask(asked, None);
        let is_open = matches!(searched.report.verdict, Verdict::Unknown(_));
        for scope in unfinished.into_iter().filter(|_| is_open) {
            let again = self.ask(&scope, None);
            if let Ok(found) = self.lifted(&again, asked) {
                return found;
            }
            if says_something(&again) {
                smaller = Some(again);
            }
        }
        Found { smaller, ..Found::of_asked(searched) }
    }

    /// Repeats a violation of a smaller scope in the scope that is asked about. If it is none there, returns whether
    /// the search of the smaller scope ended.
    fn lifted(&self, searched: &Searched, asked: &Scope) -> Result<Found, bool> {
        match &searched.report.verdict {
            Verdict::Violated(found) => match self.repeat(found, asked) {
                Repeated::Unmatched(found) => {
                    let scope = found.trace.scope.clone();
                    let report = RefinementReport {
                        verdict: Verdict::Violated(found),
                        // The verdict on the refinement itself was found with other bounds.
                        own: Own::Unclear,
                        ..searched.report.clone()
                    };
                    Ok(Found { scope, report, smaller: None, is_asked: true })
                }
                Repeated::Gone | Repeated::Undecided(_) => Err(true),
            },
            Verdict::Unknown(Reason::Timeout) => Err(false),
            _ => Err(true),
        }
    }
}

fn says_something(searched: &Searched) -> bool {
    matches!(searched.report.verdict, Verdict::Holds(()) | Verdict::Violated(_))
}

/// Returns smaller scopes to search where formulas read the bounds and the user did not choose them: the scope with
/// small bounds of the integers, and the one in which the largest integer of the model is `MAXINT`.
fn smaller(joint: &Model, arguments: &ScopeArguments, asked: &Scope) -> Vec<Scope> {
    if arguments.maxint.is_some() || joint.definitions.hints.maxint.is_some() || !reads_bounds(joint) {
        return vec![];
    }
    let small = Scope {
        maxint: Int::from(prob_profile::MAXINT),
        minint: match arguments.minint.is_some() || joint.definitions.hints.minint.is_some() {
            true => asked.minint.clone(),
            false => Int::from(prob_profile::MININT),
        },
        ..asked.clone()
    };
    if small.maxint >= asked.maxint {
        return vec![];
    }
    let literal = literal_scope(joint, &small).filter(|scope| scope.maxint < asked.maxint);
    std::iter::once(small).chain(literal).collect()
}

/// Returns the scope in which the largest integer that the levels write is `MAXINT`, if it is above that of a scope.
pub(super) fn literal_scope(joint: &Model, scope: &Scope) -> Option<Scope> {
    let widest = Int::from(2147483647i64);
    let literal = LargestLiteral::of(joint).filter(|n| *n > scope.maxint && *n <= widest)?;
    Some(with_maxint(scope, &literal))
}

/// Returns whether any formula of a model depends on MAXINT or MININT.
pub(super) fn reads_bounds(model: &Model) -> bool {
    let mut bounds = Bounds::default();
    walk_model(&mut bounds, model);
    walk_operators(&mut bounds, model);
    bounds.found
}
