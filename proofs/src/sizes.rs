//! Small sizes: a claim about deferred sets of any size, checked again where they are small.
//!
//! A statement that holds in every size holds in each. A solver that assumes a deferred set to be infinite, or an
//! encoding that lets it, is exposed by a set of one element or two. So each claim about open sizes is checked once
//! more in a few settled ones, where sets are enumerations and the encoding is another one. A check that fails there
//! shows a bug in bsym (or, if the claim rests on imported status, in that status): the claim must not be believed. An
//! undecided check in the short time available says nothing.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Answer, SolverError};
use bsym_encodings::system::build::encode;
use bsym_encodings::term::Terms;
use bsym_language::model::Model;
use bsym_language::types::CarrierId;
use bsym_semantics::scope::Scope;
use bsym_status::ProofStatus;

use crate::check::check;
use crate::claim::Claim;
use crate::sequent::Opener;
use crate::tuning::tuning;

/// Outcome of the checks in small sizes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SmallSizes {
    /// Sizes in which every check passed, or in which there is no initial state.
    pub passed: Vec<String>,
    /// Sizes in which some check was not decided or not asked.
    pub undecided: Vec<String>,
    /// The first sizes in which a check fails.
    pub failed: Option<SmallFailure>,
}

/// Sizes in which a claim about any size is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmallFailure {
    /// The scope with these sizes.
    pub scope: Scope,
    /// The sizes in words: `card(S) = 1`.
    pub sizes: String,
    /// The checks that fail.
    pub checks: Vec<String>,
}

/// Checks a claim in small sizes of the deferred sets that have none in the scope, until it fails in one.
///
/// # Errors
/// If the solver cannot be started.
pub fn check_small(
    model: &Arc<Model>,
    scope: &Scope,
    claim: &Claim,
    open: Opener<'_>,
    budget: &Budget,
) -> Result<SmallSizes, SolverError> {
    let mut found = SmallSizes::default();
    let budget = budget.within(tuning().sizes.time).per_query(tuning().sizes.query);
    for small in small_scopes(model, scope) {
        let name = sizes_text(model, scope, &small);
        if budget.check().is_err() {
            found.undecided.push(name);
            continue;
        }
        let mut system = encode(Rc::new(Terms::new()), model.clone(), &small);
        let Some(initial) = system.initialisation.relation.filter(|_| system.is_complete()) else {
            found.undecided.push(name);
            continue;
        };
        let mut session = open(system.terms.clone())?;
        system.about_constants().chain([initial]).try_for_each(|t| session.assert(t))?;
        // If axioms or the initialisation need more elements, a size says nothing.
        match session.check(&[], &budget)? {
            Answer::Unsat(_) => {
                found.passed.push(name);
                continue;
            }
            Answer::Unknown(_) => {
                found.undecided.push(name);
                continue;
            }
            Answer::Sat(_) => {}
        }
        drop(session);
        let checked = check(&mut system, claim, &ProofStatus::none(), true, open, &budget)?;
        // A claim that has no terms in these sizes was not asked.
        if checked.checks == 0 || checked.failed.is_empty() && !checked.undecided.is_empty() {
            found.undecided.push(name);
        } else if checked.failed.is_empty() {
            found.passed.push(name);
        } else {
            found.failed = Some(SmallFailure { scope: small, sizes: name, checks: checked.failed });
            return Ok(found);
        }
    }
    Ok(found)
}

/// Returns the scope with all its open deferred sets of one, two, … elements, then with each of them of one element
/// while the others have three; none if nothing is open.
fn small_scopes(model: &Model, scope: &Scope) -> Vec<Scope> {
    let open: Vec<CarrierId> = scope.open_sets(model).collect();
    if open.is_empty() {
        return vec![];
    }
    let mut all: Vec<Scope> =
        (1..=tuning().sizes.largest).map(|n| scope.with_open_sets(model, |_| n)).collect();
    if (2..=tuning().sizes.mixed).contains(&open.len()) {
        let one_small = |&one: &CarrierId| scope.with_open_sets(model, |id| if id == one { 1 } else { 3 });
        all.extend(open.iter().map(one_small));
    }
    all
}

/// `card(S) = 1, card(T) = 3`
fn sizes_text(model: &Model, scope: &Scope, small: &Scope) -> String {
    let own = small.sizes.iter().filter(|(id, _)| !scope.sizes.contains_key(id));
    let all: Vec<String> =
        own.map(|(id, n)| format!("card({}) = {n}", model.types.carriers[id.index()].name)).collect();
    all.join(", ")
}

#[cfg(all(test, feature = "z3"))]
mod tests {
    use bsym_encodings::session::linked;
    use bsym_language::load::load_text;
    use bsym_semantics::scope::ScopeRequest;

    use super::*;
    use crate::claim::{Evidence, Property};

    /// The outcome for the claim that the invariant is inductive.
    fn outcome(text: &str) -> SmallSizes {
        let model = Arc::new(load_text("m.mch", text).model.expect("the machine is right"));
        let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked of the scope");
        let all: Vec<usize> = (0..model.invariant.len()).collect();
        let claim = Claim {
            properties: all.iter().map(|&i| Property::Invariant(i)).collect(),
            conjuncts: all,
            well_definedness: true,
            layouts: vec![],
            evidence: Evidence::Inductive { lemmas: vec![] },
        };
        let mut open = |terms: Rc<Terms>| Ok(linked(terms).expect("libz3 is linked in tests"));
        let budget = Budget::unlimited();
        check_small(&model, &scope, &claim, &mut open, &budget).expect("the solver is linked")
    }

    #[test]
    fn a_claim_that_fails_with_one_element_is_refuted_there() {
        let seats = "MACHINE Seats SETS SEAT VARIABLES taken INVARIANT taken <: SEAT & taken /= SEAT
            INITIALISATION taken := {} OPERATIONS take(s) = PRE s : SEAT THEN taken := {s} END END";
        let failed = outcome(seats).failed.expect("one seat that is taken is all of them");
        assert_eq!(failed.sizes, "card(SEAT) = 1");
        assert!(failed.checks.iter().any(|c| c.starts_with("take")), "{:?}", failed.checks);
    }

    #[test]
    fn sizes_that_the_axioms_exclude_pass() {
        let pair = "MACHINE Pair SETS END_ CONSTANTS a, b PROPERTIES a : END_ & b : END_ & a /= b
            VARIABLES here INVARIANT here <: END_ & here /= END_
            INITIALISATION here := {} OPERATIONS go(e) = PRE e : END_ THEN here := {e} END END";
        let found = outcome(pair);
        assert_eq!(found.failed, None);
        assert_eq!(found.passed.len(), tuning().sizes.largest, "{found:?}");
    }

    #[test]
    fn several_sets_are_tried_with_different_sizes() {
        let keys = "MACHINE Keys SETS DOOR; KEY VARIABLES opens INVARIANT opens : DOOR +-> KEY
            INITIALISATION opens := {} OPERATIONS cut(d, k) = PRE d : DOOR & k : KEY THEN opens(d) := k END END";
        let found = outcome(keys);
        assert_eq!(
            (found.failed, found.passed.len()),
            (None, tuning().sizes.largest + 2),
            "{:?}",
            found.undecided
        );
    }
}
