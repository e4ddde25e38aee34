//! Checking a claim in a fresh solver.
//!
//! Nothing that an engine found out is believed: every sequent of the proof is asked again. Let Q
//! be the claimed conjuncts together with the lemmas.
//!
//! *Inductive* evidence and *k-induction* are one argument, the first with k = 0. Let a shortest
//! path from an initial state to a state outside Q have n steps.
//! 1. Every initial state is in Q, so n > 0.
//! 2. Every event leads from a state in Q to one that satisfies the lemmas: they are inductive
//!    *relative to the claimed conjuncts*, which is more than being inductive alone and enough,
//!    for the state before the last one of the path is in Q. So a conjunct fails at the end.
//! 3. A pair (event, conjunct) with Q ∧ BA_e ⊢ p' cannot be the last step. For the other pairs the
//!    base says n > k, and the step says that no k + 1 states in Q, with pairwise different states
//!    on the way (a shortest path repeats none), lead by the event to a state where the conjunct
//!    fails. So there is no such path, and every reachable state is in Q.
//!
//! Where lemmas and conjuncts of the state after a step are used for one another, the order keeps
//! the argument free of circles: lemmas that follow from the state before alone, then conjuncts from
//! left to right, then the other lemmas.
//!
//! A property of states that is no conjunct, and every failure on the way of an event, follows
//! from Q, or from Q by the same argument over a shortest path to a state where it fails.
//!
//! *Diameter*: no path of `depth` steps exists, or none with pairwise different states, and the
//! states up to that depth are good.
//!
//! Parts without a term in the encoding: an axiom is a missing hypothesis and hurts no proof; an event, the
//! initialisation or a claimed predicate refuses the claim; a conjunct that is not claimed does not matter.
//!
//! Imported status (DESIGN §1.3) was established with all conjuncts as hypotheses. So a pair that
//! is not decided may rest on it only if all conjuncts are claimed, and a pair that is refuted makes
//! it wrong only if the sequent with all conjuncts is refuted.

mod checker;
mod diameter;
mod goal;
mod induction;
mod representations;
#[cfg(test)]
mod tests;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverError;
use bsym_encodings::system::System;
use bsym_language::model::PredKind;
use bsym_status::ProofStatus;

use crate::claim::{Checked, Claim, Evidence};
use crate::sequent::Opener;

use checker::Checker;
use goal::Goals;

pub use representations::{Represented, check_representations};

/// Checks every sequent of a claim, in sessions opened for it.
///
/// `status` is what may be relied on where the solver does not decide a pair, unless `recheck`
/// forbids it; pairs of [`Level::Claim`](bsym_status::Level::Claim) are never relied on. The
/// lemmas are encoded into `system`. The limit of one query is the budget's, at most half a minute.
///
/// The outcome's texts are one line each. When the budget ends, what was not asked is undecided.
///
/// # Errors
/// If the solver cannot be started.
pub fn check(
    system: &mut System,
    claim: &Claim,
    status: &ProofStatus,
    recheck: bool,
    open: Opener<'_>,
    budget: &Budget,
) -> Result<Checked, SolverError> {
    if let Evidence::Search { .. } = claim.evidence {
        let undecided = vec!["the search: it is checked by searching again, not by a solver".into()];
        return Ok(Checked { undecided, ..Checked::default() });
    }
    // A lemma about all elements of sets of any size: where arrays are only read, nothing else is in their sorts.
    let quantifies = claim.lemmas().any(|l| matches!(l.kind, PredKind::Forall(..)));
    if quantifies && !system.open_carriers().is_empty() {
        let checked = attempt(system, claim, status, recheck, open, budget, Arrays::OnlyRead)?;
        if checked.passed() {
            return Ok(checked);
        }
    }
    attempt(system, claim, status, recheck, open, budget, Arrays::Any)
}

/// Treatment of arrays in a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrays {
    /// By the solver's theory of arrays.
    Any,
    /// As functions ([`only_read_arrays`](bsym_encodings::session::Session::only_read_arrays)).
    OnlyRead,
}

fn attempt(
    system: &mut System,
    claim: &Claim,
    status: &ProofStatus,
    recheck: bool,
    open: Opener<'_>,
    budget: &Budget,
    arrays: Arrays,
) -> Result<Checked, SolverError> {
    let goals = match Goals::of(system, claim) {
        Ok(goals) => goals,
        Err(failed) => return Ok(Checked { failed, ..Checked::default() }),
    };
    let mut checker = Checker::new(system, goals, claim, status, recheck, open, budget);
    if arrays == Arrays::OnlyRead {
        checker.prover.only_read_arrays(system.whole_carriers());
    }
    checker.not_vacuous()?;
    match &claim.evidence {
        Evidence::Inductive { .. } => checker.induction(0)?,
        Evidence::KInduction { k, .. } => checker.induction(*k)?,
        Evidence::Diameter { depth } => checker.diameter(*depth)?,
        Evidence::Search { .. } => {}
    }
    checker.finish()
}
