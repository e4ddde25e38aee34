//! Searching lemmas that make goals hold in all reachable states.

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::SolverError;
use bsym_language::model::Pred;
use bsym_language::print;
use bsym_semantics::verdict::{Counterexample, Observer, Reason};

use super::goal::Question;
use crate::exchange::Exchange;
use crate::hunt::Hunt;
use crate::ic3::Ic3;
use crate::options::{Domains, Job};
use crate::outcome::{Outcome, Work};
use crate::problem::{Open, Problem};
use crate::tuning::tuning;
use crate::turn::Turn;
use crate::verdict::Progress;
use crate::wishes::Wishes;

/// Result of a search for lemmas.
#[derive(Debug)]
pub(super) enum LemmaSearch {
    /// Lemmas that are inductive together with the invariant and exclude every failure, as one solver says: in B.
    Lemmas(Vec<String>),
    /// A goal fails in a reachable state; replayed.
    Violated(Box<Counterexample>),
    /// No lemmas and no violation: invariants that were met on the way, in B, and why the search ended: lower case, no
    /// full stop.
    Nothing(Vec<String>, String),
}

/// Lets IC3 look for lemmas within a budget.
///
/// # Errors
/// If the solver fails.
pub(super) fn search(
    question: &Question,
    budget: &Budget,
    open: &mut Open<'_>,
    observer: &mut dyn Observer<Progress>,
) -> Result<LemmaSearch, SolverError> {
    let job = Job { budget: budget.clone(), ..question.job.clone() };
    let mut problem = Problem::new(&job, &question.excluded, open)?;
    if !problem.is_complete() {
        return Ok(LemmaSearch::Nothing(vec![], "a part of the machine has no encoding".into()));
    }
    let mut ic3 = Ic3::new(&mut problem, &job, Domains::All, open)?;
    let (wishes, exchange, mut turn) = (Wishes::default(), Exchange::default(), Turn::alone());
    let small_scopes = &wishes;
    let mut work = Work {
        job: &job,
        open,
        observer,
        small_scopes,
        exchange: &exchange,
        query: Some(tuning().auxiliary.query),
        turn: &mut turn,
        end: None,
    };
    let mut outcome = ic3.run(&mut problem, &mut work)?;
    if matches!(outcome, Outcome::Unknown(_))
        && let Some(found) = Hunt::default().fulfil(&question.excluded, &wishes, &mut work)?
    {
        outcome = Outcome::Violated(found);
    }
    let in_b = |all: &[Pred]| all.iter().map(|p| print::pred(&job.model, p)).collect();
    let nothing = |why: String| LemmaSearch::Nothing(in_b(ic3.guessed()), why);
    Ok(match outcome {
        Outcome::Proof(claim) => {
            LemmaSearch::Lemmas(claim.lemmas().map(|p| print::pred(&job.model, p)).collect())
        }
        Outcome::Violated(found) => LemmaSearch::Violated(found),
        Outcome::Vacuous(..) => nothing("the machine has no initial state".into()),
        Outcome::Unknown(Reason::Timeout) => nothing(Stopped::Timeout.to_string()),
        Outcome::Unknown(Reason::Interrupted) => nothing(Stopped::Cancelled.to_string()),
        Outcome::Unknown(_) => nothing("nothing more to try".into()),
    })
}
