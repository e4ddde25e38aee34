//! From a claim to an answer.
//!
//! A claim is checked in a fresh session before it is reported. A proof that passes has to stand the [`POST_CHECKS`],
//! each of which may find that it answers less than was asked ([`Condition`]) or that the truth is another one. Then
//! the evaluator walks it at random ([`mod@crate::walk`]). Only a proof without conditions that nothing contradicts is
//! a plain `holds`.

mod axioms;
pub(crate) mod dropped;
pub mod existence;
pub(crate) mod wrong_status;

use std::ops::ControlFlow;

use bsym_encodings::session::{self, SolverError};
use bsym_language::model::Model;
use bsym_proofs::check::{self, Represented, check_representations};
use bsym_proofs::claim::{Checked, Claim, Property};
use bsym_proofs::layouts::unsaid;
use bsym_proofs::recorded::Recorded;
use bsym_proofs::sizes::{SmallSizes, check_small};
use bsym_semantics::trace::doubt::{self, Asked};
use bsym_semantics::verdict::{Condition, Counterexample, Reason};

use crate::options::Job;
use crate::problem::{Open, Problem};
use crate::small_scopes::sample;
use crate::tuning::tuning;
use crate::verdict::{Contradicted, Objection, Proof, Verdict};
use crate::vetting::insist;
use crate::walk::{Question, Walked, walk};
use axioms::ill_defined;
use existence::Existence;

/// Result of settling a claim.
pub enum Settled {
    /// The answer.
    Answer(Verdict),
    /// This status is wrong; the engines begin again without it.
    Repeat(Vec<Recorded>),
    /// Without any status: the check found the claim wrong, but not which pair made it so.
    RepeatAlone,
    /// The engine has nothing to show; the checks that did not pass, if there were some.
    Unknown(Reason, Option<Box<Checked>>),
}

/// Finding of a check of a proof.
pub enum Finding {
    /// Nothing is wrong with it.
    Nothing,
    /// It leaves something open.
    Open(Condition),
    /// The answer is another one.
    Instead(Verdict),
    /// Proof status that it rests on is wrong.
    Wrong(Vec<Recorded>),
    /// Other parts of the program say that it is wrong, or that what it rests on is.
    Contradicted(Objection),
}

/// A proof whose checks passed, and what the questions about it may use.
pub struct Passed<'s, 'o> {
    /// The engine's encoding, with the lemmas of the claim.
    pub problem: &'s mut Problem,
    /// The job that the claim answers.
    pub job: &'s Job,
    /// The claim.
    pub claim: &'s Claim,
    /// The outcome of its checks.
    pub checked: &'s mut Checked,
    /// Makes sessions.
    pub open: &'s mut Open<'o>,
    /// Results of the checks in small sizes.
    pub sizes: &'s mut SmallSizes,
    /// Results of the checks that values fit their representations.
    pub represented: &'s mut Represented,
}

/// A question about a proof whose checks passed.
type PostCheck = fn(&mut Passed<'_, '_>) -> Result<Finding, SolverError>;

/// Checks that a proof has to pass before it is a plain `holds`. All are run, in this order, until one finds another
/// answer.
const POST_CHECKS: [PostCheck; 6] = [small_sizes, representations, existence, axioms, trust, not_checked];

/// Checks a claim in a fresh session and asks what it leaves open.
///
/// # Errors
/// If the solver fails.
pub fn settle(
    problem: &mut Problem,
    job: &Job,
    mut claim: Claim,
    open: &mut Open<'_>,
) -> Result<Settled, SolverError> {
    if !problem.is_complete() {
        return Ok(Settled::Unknown(Reason::Unsupported, None));
    }
    let checker = job.checker.clone();
    let mut by_checker = |terms| session::open(terms, &checker.clone().unwrap_or_default());
    let open: &mut Open<'_> = if checker.is_some() { &mut by_checker } else { open };
    // The check may use what is left of the run; a run without a limit gets none either.
    let budget = job.budget.clone();
    let checked = check::check(&mut problem.system, &claim, &job.status, job.trust.recheck, open, &budget)?;
    let mut checked = match passing(checked, job) {
        ControlFlow::Continue(checked) => checked,
        ControlFlow::Break(settled) => return Ok(settled),
    };
    claim.layouts = unsaid(&problem.system, &claim);
    let lemmas: Vec<String> = claim.lemmas().map(|l| bsym_language::print::pred(&job.model, l)).collect();
    let (mut sizes, mut represented) = (SmallSizes::default(), Represented::default());
    let mut passed = Passed {
        problem,
        job,
        claim: &claim,
        checked: &mut checked,
        open,
        sizes: &mut sizes,
        represented: &mut represented,
    };
    let conditions = match post_checks(&mut passed)? {
        ControlFlow::Continue(conditions) => conditions,
        ControlFlow::Break(settled) => return Ok(settled),
    };
    let walked = conditions.and_then(|conditions| Ok((conditions, walked(problem, job, &claim)?)));
    let (conditions, walked) = match walked {
        Ok(both) => both,
        // The status that the proof trusts may be wrong.
        Err(_) if checked.trusts() && !job.status.is_empty() => return Ok(Settled::RepeatAlone),
        Err(objection) => {
            let contradicted = Contradicted { claim: Some((claim, checked)), lemmas, objection: *objection };
            return Ok(Settled::Answer(Verdict::Contradiction(Box::new(contradicted))));
        }
    };
    let witness = match &problem.existence {
        Existence::Shown(trace) => Some(trace.clone()),
        _ => None,
    };
    let proof = Box::new(Proof { claim, checked, lemmas, walked, sizes, represented, witness });
    Ok(Settled::Answer(if conditions.is_empty() {
        Verdict::Holds(proof)
    } else {
        Verdict::Conditional(proof, conditions)
    }))
}

/// The checks of a claim where all of them passed, otherwise what becomes of the claim.
fn passing(checked: Checked, job: &Job) -> ControlFlow<Settled, Checked> {
    if !checked.wrong.is_empty() || !checked.wrong_checks.is_empty() {
        let pairs = checked.wrong.iter().map(|&pair| Recorded::Pair(pair));
        let checks = checked.wrong_checks.iter().map(|&check| Recorded::Check(check));
        return ControlFlow::Break(Settled::Repeat(pairs.chain(checks).collect()));
    }
    if !checked.failed.is_empty() && !job.status.is_empty() {
        return ControlFlow::Break(Settled::RepeatAlone);
    }
    if !checked.passed() {
        let (failed, undecided) = (checked.failed.len(), checked.undecided.len());
        let first = checked.failed.first().or(checked.undecided.first()).cloned();
        let reason = Reason::CheckFailed { failed, undecided, first };
        return ControlFlow::Break(Settled::Unknown(reason, Some(Box::new(checked))));
    }
    ControlFlow::Continue(checked)
}

/// Conditions under which a proof is an answer, or what says that it is wrong.
type Stood = Result<Vec<Condition>, Box<Objection>>;

/// Asks the [`POST_CHECKS`], up to one that gives another answer, for which the claim is settled.
fn post_checks(passed: &mut Passed<'_, '_>) -> Result<ControlFlow<Settled, Stood>, SolverError> {
    let mut conditions = vec![];
    for question in POST_CHECKS {
        match question(passed)? {
            Finding::Nothing => {}
            Finding::Open(condition) => conditions.push(condition),
            Finding::Instead(verdict) => return Ok(ControlFlow::Break(Settled::Answer(verdict))),
            Finding::Wrong(claims) => return Ok(ControlFlow::Break(Settled::Repeat(claims))),
            Finding::Contradicted(found) => return Ok(ControlFlow::Continue(Err(Box::new(found)))),
        }
    }
    conditions.sort();
    Ok(ControlFlow::Continue(Ok(conditions)))
}

/// Walks a claim by the evaluator.
fn walked(problem: &Problem, job: &Job, claim: &Claim) -> Result<Walked, Box<Objection>> {
    // The evaluator would meet the failures that are reported already.
    if !problem.excluded.failures.is_empty() {
        return Ok(Walked::default());
    }
    let cancelled = job.budget.cancellation();
    let (model, scope, seed, interrupt) = (&job.model, &job.scope, job.seed, Some(&*cancelled));
    walk(&Question { model, scope, claim, seed, interrupt }).map_err(|c| Box::new(Objection::Walk(*c)))
}

/// Checks a claim proved for sets of any size again where they are small.
fn small_sizes(passed: &mut Passed<'_, '_>) -> Result<Finding, SolverError> {
    let job = passed.job;
    let found = check_small(&job.model, &job.scope, passed.claim, passed.open, &job.budget)?;
    *passed.sizes = found;
    Ok(match passed.sizes.failed.take() {
        Some(failed) => Finding::Contradicted(Objection::SmallSizes(failed)),
        None => Finding::Nothing,
    })
}

/// Checks that every value fits the representation that the encoding has for it. Undecided cases are reported with the
/// proof.
fn representations(passed: &mut Passed<'_, '_>) -> Result<Finding, SolverError> {
    let budget = passed.job.budget.within(tuning().settle.representations);
    let found = check_representations(&passed.problem.system, passed.claim, passed.open, &budget)?;
    passed.checked.checks += found.checks;
    *passed.represented = found;
    let failed = std::mem::take(&mut passed.represented.failed);
    Ok(if failed.is_empty() {
        Finding::Nothing
    } else {
        Finding::Contradicted(Objection::Representations(failed))
    })
}

/// Checks that the proof is about anything. If that was not known when the engines began, it gets more time now.
fn existence(passed: &mut Passed<'_, '_>) -> Result<Finding, SolverError> {
    if let Existence::Undecided(_) = passed.problem.existence {
        let found = existence::look(passed.problem, passed.job, passed.open, existence::Effort::Thorough)?;
        passed.problem.existence = found;
    }
    Ok(match &passed.problem.existence {
        Existence::Shown(_) => Finding::Nothing,
        Existence::Nothing(what, why) => Finding::Instead(Verdict::Vacuous(*what, why.clone())),
        Existence::Undefined(reason) => {
            Finding::Instead(Verdict::Unknown(Reason::IllDefined(reason.clone())))
        }
        Existence::Contradicted(trace) => Finding::Contradicted(Objection::InitialState(trace.clone())),
        Existence::Undecided(missing) => Finding::Open(Condition::ExistenceUndecided(missing.clone())),
    })
}

/// Checks that the axioms are well-defined under every valuation, left to right.
fn axioms(passed: &mut Passed<'_, '_>) -> Result<Finding, SolverError> {
    if !passed.job.well_definedness {
        return Ok(Finding::Nothing);
    }
    let found = ill_defined(passed.problem, passed.job, passed.open)?;
    Ok(found.map_or(Finding::Nothing, |which| Finding::Open(Condition::Axioms(which))))
}

/// Checks whether the proof rests on status that no real attempt confirms, and whether the user accepts that.
fn trust(passed: &mut Passed<'_, '_>) -> Result<Finding, SolverError> {
    let Passed { problem, checked, job, open, .. } = passed;
    let pairs = checked.trusted.iter().map(|&pair| Recorded::Pair(pair));
    let trusted: Vec<Recorded> =
        pairs.chain(checked.trusted_checks.iter().map(|&check| Recorded::Check(check))).collect();
    if trusted.is_empty() {
        return Ok(Finding::Nothing);
    }
    // A violation that was found before is not part of the claim.
    let is_news = |found: &Counterexample| problem.excluded.lacks(job, found);
    let found = sample::violation(job, &problem.system.scope, &mut || true);
    if let Some(found) = found.filter(|found| is_news(found)) {
        return Ok(Finding::Instead(Verdict::Violated(found)));
    }
    let insisted = insist(job, trusted, tuning().vetting.proof, *open)?;
    if !insisted.wrong.is_empty() {
        return Ok(Finding::Wrong(insisted.wrong));
    }
    checked.trusted.retain(|&pair| !insisted.confirmed.contains(&Recorded::Pair(pair)));
    checked.trusted_checks.retain(|&check| !insisted.confirmed.contains(&Recorded::Check(check)));
    Ok(if checked.trusts() && !job.trust.accept_trusted {
        Finding::Open(Condition::RestsOnTrust)
    } else {
        Finding::Nothing
    })
}

/// Checks whether something was dropped of what was asked.
fn not_checked(passed: &mut Passed<'_, '_>) -> Result<Finding, SolverError> {
    let model = &passed.job.model;
    let parts: Vec<String> = doubt::left_open(model, asked(model, &passed.job.properties))
        .into_iter()
        .map(|d| d.describe(model))
        .collect();
    Ok(if parts.is_empty() { Finding::Nothing } else { Finding::Open(Condition::NotChecked(parts)) })
}

fn asked(model: &Model, properties: &[Property]) -> Asked {
    Asked {
        invariant: (0..model.invariant.len()).all(|i| properties.contains(&Property::Invariant(i))),
        assertions: (0..model.assertions.len()).all(|i| properties.contains(&Property::Assertion(i))),
        deadlock: properties.contains(&Property::DeadlockFree),
    }
}
