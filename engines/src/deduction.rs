//! Deduction in parallel to the engines: pairs and checks are proved in first-order logic.
//!
//! Where sets have any size, much of what an engine asks about a step follows from how sets are composed, which terms
//! of arrays hide from a solver ([`bsym_encodings::first_order`]). So each pair of an event and a conjunct, and each
//! check, is tried as an obligation while the engines are at work: first for a short time, then for a longer one.
//! What is proved is told after each round ([`Exchange`](crate::exchange::Exchange)); engines need not ask about it, as with
//! imported proof status (Krings & Leuschel, ABZ 2016). A claim does not rest on it: its check proves it again.

use std::collections::VecDeque;
use std::sync::Arc;

use bsym_encodings::budget::Stopped;
use bsym_encodings::session::SolverError;
use bsym_language::model::visit::Names;
use bsym_language::model::{EventId, Pred};
use bsym_proofs::claim::{Property, check_of};
use bsym_proofs::recorded::Recorded;
use bsym_proofs::sequent::{Decision, Prover};
use bsym_proofs::steps::Steps;
use bsym_status::{Check, Formula, Level, PairStatus, ProofStatus};

use crate::options::Job;
use crate::outcome::Work;
use crate::problem::Problem;
use crate::tuning::tuning;

/// The claims that are still to be tried.
#[derive(Debug, Default)]
pub(crate) struct Deduction {
    /// Number of rounds that are over.
    round: usize,
    left: VecDeque<Recorded>,
    /// For the next round.
    undecided: VecDeque<Recorded>,
}

impl Deduction {
    /// Everything that engines have to ask about a model with deferred sets of any size.
    pub fn new(problem: &Problem, job: &Job) -> Deduction {
        let model = &job.model;
        if problem.system.open_carriers().is_empty() || !problem.status_applies() {
            return Deduction::default();
        }
        let mut left = VecDeque::new();
        let targets = |p: Property| problem.targets.iter().any(|t| t.property == p);
        let conjuncts = (0..model.invariant.len()).filter(|i| targets(Property::Invariant(*i)));
        let theorems = (0..model.assertions.len()).filter(|i| targets(Property::Assertion(*i)));
        let meanings =
            conjuncts.clone().map(Formula::Invariant).chain(theorems.clone().map(Formula::Assertion));
        if job.well_definedness {
            left.extend(meanings.map(|f| Recorded::Check(Check::Meaning(f))));
        }
        let system = &problem.system;
        let starts = std::iter::once((None, &system.initialisation));
        let events = system.events.iter().enumerate().map(|(e, t)| (Some(EventId(e as u32)), t));
        for (event, transition) in starts.chain(events) {
            let failures = transition.failures.iter().filter_map(|f| check_of(event, f));
            for check in failures.map(Recorded::Check) {
                if !left.contains(&check) {
                    left.push_back(check);
                }
            }
            left.extend(conjuncts.clone().map(|i| Recorded::Pair((event, i))));
        }
        left.extend(theorems.map(|i| Recorded::Check(Check::Theorem(i))));
        left.retain(|claim| !claim.is_in(&job.status));
        Deduction { round: 0, left, undecided: VecDeque::new() }
    }

    /// Tries all claims, or as many as there is time for. Returns [`Job::proved`] with those that are proved.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn run(mut self, problem: &Problem, work: &mut Work<'_, '_>) -> Result<ProofStatus, SolverError> {
        let job = &mut work.job.clone();
        let model = Arc::clone(&job.model);
        let steps = Steps::new(&model);
        let mut news = false;
        while work.check().is_ok() {
            let Some(claim) = self.left.pop_front() else {
                self.round += 1;
                if std::mem::take(&mut news) {
                    work.exchange.tell_proved(job.proved.clone());
                }
                std::mem::swap(&mut self.left, &mut self.undecided);
                match self.left.is_empty() {
                    true => break,
                    false => continue,
                }
            };
            let Some(&time) = tuning().deduction.rounds.get(self.round) else {
                self.left.clear();
                break;
            };
            let proved = is_unchanged(job, claim) || {
                let after = proved_after(job, claim);
                let Some(sequents) = steps.recorded(&problem.system, claim, &after) else { continue };
                let mut prover = Prover::new(problem.terms(), &mut *work.open, job.budget.clone());
                let budget = job.budget.within(time).per_query(time);
                match prover.prove_in_first_order(&model, &job.scope, &sequents, &budget)? {
                    Decision::Proved => true,
                    Decision::Refuted => false,
                    Decision::Undecided(why) => {
                        if !matches!(why, Stopped::Incomplete(_)) {
                            self.undecided.push_back(claim);
                        }
                        false
                    }
                }
            };
            if proved {
                let status = PairStatus { provers: vec!["bsym".into()], level: Level::Checked };
                claim.insert(&mut job.proved, status);
                news = true;
            }
        }
        Ok(std::mem::take(&mut job.proved))
    }
}

/// Returns true if the claim is about a conjunct of which the event writes no variable.
fn is_unchanged(job: &Job, claim: Recorded) -> bool {
    let Recorded::Pair((Some(event), i)) = claim else { return false };
    let written = Names::of_subst(&job.model.events[event.index()].body).written;
    let read = Names::of_pred(&job.model.invariant[i].pred).variables;
    written.is_disjoint(&read)
}

/// The conjuncts before one that the run has proved for the same step. Imported status may be wrong, and is no lemma.
fn proved_after(job: &Job, claim: Recorded) -> Vec<Pred> {
    let Recorded::Pair((event, i)) = claim else { return vec![] };
    let proved = (0..i).filter(|j| Recorded::Pair((event, *j)).is_in(&job.proved));
    proved.map(|j| job.model.invariant[j].pred.clone()).collect()
}
