//! Proving obligations in rounds: all of them get a short time before any gets a long one.

use std::time::Duration;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::SolverError;
use bsym_encodings::term::Term;
use bsym_status::file::Status;

use super::family::{Entry, Family};
use super::first_order::FirstOrder;
use super::obligation::{Form, Proof};
use super::small::{Small, SmallSizes};
use crate::sequent::{Effort, Hypotheses, Outcome, Prover};

/// Time for each obligation in the rounds; the last one has what the run allows for each.
const ROUNDS: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(2)];

/// Time for the first-order form of an obligation where the run has no limit for each.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest time for cross-checking a proof in one way.
const CONFIRMING: Duration = Duration::from_millis(200);

/// Longest time for small sizes of one obligation.
const SMALL: Duration = Duration::from_millis(500);

/// Asks families of obligations until they are decided or there is no time for them.
pub(super) struct Rounds<'r, 'p> {
    pub prover: &'r mut Prover<'p>,
    pub all: &'r mut [Proof],
    /// All hypotheses have terms, so a model of them refutes.
    pub complete: bool,
    pub observer: &'r mut dyn FnMut(&Proof),
    /// What else is tried.
    pub others: Others<'r>,
    /// Those that a longer time may decide.
    pending: Vec<bool>,
    /// Those that the first-order form does not decide, however long it takes.
    tried: Vec<bool>,
}

/// Ways to decide an obligation beside its form in terms of arrays.
#[derive(Clone, Copy, Default)]
pub(super) struct Others<'r> {
    /// The form in first-order logic.
    pub first_order: Option<&'r FirstOrder<'r>>,
    /// Small sizes of the deferred sets.
    pub small: Option<&'r SmallSizes<'r>>,
}

impl<'r, 'p> Rounds<'r, 'p> {
    /// `pending`: for each of the obligations, whether it is asked.
    pub fn new(
        prover: &'r mut Prover<'p>,
        all: &'r mut [Proof],
        pending: Vec<bool>,
        complete: bool,
        observer: &'r mut dyn FnMut(&Proof),
        others: Others<'r>,
    ) -> Self {
        let tried = vec![false; all.len()];
        Rounds { prover, all, complete, observer, others, pending, tried }
    }

    /// All rounds. The budget's time for a query is that for one obligation; from the second round on, half of it is for the
    /// first-order form and a part for small sizes.
    pub fn prove(&mut self, families: &[Family]) -> Result<(), SolverError> {
        let budget = self.prover.budget().clone();
        let limit = budget.query;
        let shorter = ROUNDS.into_iter().filter(|r| limit.is_none_or(|l| *r < l)).map(Some);
        let limits: Vec<Option<Duration>> = shorter.chain([limit]).collect();
        for (i, limit) in limits.iter().enumerate() {
            let last = i + 1 == limits.len();
            let effort = match (i, limit) {
                (0, Some(time)) if !last => Effort::Quick(*time),
                _ => Effort::Full,
            };
            if effort == Effort::Full {
                self.other_ways(limit.unwrap_or(PATIENCE), &budget)?;
            }
            for family in families {
                self.family(family, effort, *limit, &budget)?;
            }
        }
        self.prover.set_budget(budget);
        for i in 0..self.all.len() {
            if self.pending[i] {
                (self.observer)(&self.all[i]);
            }
        }
        Ok(())
    }

    /// Tries all that is open in other ways: half of the time is for the first-order form, a quarter for small sizes.
    fn other_ways(&mut self, time: Duration, budget: &Budget) -> Result<(), SolverError> {
        for i in 0..self.all.len() {
            // A counterexample is looked at with full effort first.
            if !self.pending[i] || self.all[i].status == Status::Refuted || budget.check().is_err() {
                continue;
            }
            let proved = self.in_first_order(i, budget, time / 2)?;
            // What was proved is a lemma for others only when this has confirmed it.
            let small = match self.others.small {
                Some(small) => {
                    small.ask(&self.all[i].name, self.all, self.prover, budget, SMALL.min(time / 4))?
                }
                None => Small::Nothing,
            };
            let proof = &mut self.all[i];
            match (proved, small) {
                (true, Small::Refuted(sizes)) => {
                    proof.reason = Some(format!(
                        "its forms disagree, which is a fault of bsym: there is a proof in first-order logic, and a \
                         counterexample {sizes}"
                    ));
                }
                (true, small) => {
                    (proof.status, proof.reason) = (Status::Discharged, None);
                    (proof.form, proof.confirmed) = (Some(Form::FirstOrder), small == Small::Holds);
                }
                (false, Small::Refuted(sizes)) => {
                    proof.status = Status::Refuted;
                    proof.reason = Some(format!("it does not follow from the hypotheses {sizes}"));
                }
                (false, _) => continue,
            }
            self.pending[i] = false;
            (self.observer)(&self.all[i]);
        }
        Ok(())
    }

    /// Cross-checks what was proved in terms of arrays: in first-order logic, else where the deferred sets are small. What
    /// there is no time for stays unconfirmed.
    pub fn confirm(&mut self, budget: &Budget) -> Result<(), SolverError> {
        for i in 0..self.all.len() {
            if budget.check().is_err() {
                break;
            }
            if self.all[i].form != Some(Form::Arrays) || self.all[i].confirmed {
                continue;
            }
            let proved = self.in_first_order(i, budget, CONFIRMING)?;
            let small = match self.others.small {
                Some(small) if !proved => {
                    small.ask(&self.all[i].name, self.all, self.prover, budget, CONFIRMING)?
                }
                _ => Small::Nothing,
            };
            let proof = &mut self.all[i];
            match small {
                Small::Refuted(sizes) => {
                    (proof.status, proof.form) = (Status::Unknown, None);
                    proof.reason = Some(format!(
                        "its forms disagree, which is a fault of bsym: there is a proof in terms of arrays, and a \
                         counterexample {sizes}"
                    ));
                    (self.observer)(proof);
                }
                small => proof.confirmed = proved || small == Small::Holds,
            }
        }
        Ok(())
    }

    /// Whether the first-order form of an obligation is proved. Where it is not, nothing is known.
    fn in_first_order(&mut self, i: usize, budget: &Budget, time: Duration) -> Result<bool, SolverError> {
        let Some(first_order) = self.others.first_order else { return Ok(false) };
        if self.tried[i] {
            return Ok(false);
        }
        let outcome = first_order.attempt(i, self.all, self.prover, budget, time)?;
        self.tried[i] = outcome == Outcome::Refuted;
        Ok(outcome == Outcome::Proved)
    }

    fn family(
        &mut self,
        family: &Family,
        effort: Effort,
        limit: Option<Duration>,
        budget: &Budget,
    ) -> Result<(), SolverError> {
        let is_open = |e: &Entry| matches!(e, Entry::Ask { obligation, .. } if self.pending[*obligation]);
        let Some(last) = family.entries.iter().rposition(is_open) else { return Ok(()) };
        let mut said = family.said.clone();
        let mut hypotheses = Hypotheses::new(said.iter().copied());
        for entry in &family.entries[..=last] {
            let known = match *entry {
                Entry::Known(t) => Some(t),
                Entry::Ask { obligation, goal, lemma } => {
                    if self.pending[obligation] {
                        self.ask(obligation, goal, &said, &mut hypotheses, effort, limit, budget)?;
                    }
                    let proved = self.all[obligation].status == Status::Discharged;
                    (lemma && proved).then_some(goal)
                }
            };
            if let Some(t) = known {
                self.prover.set_budget(budget.clone());
                hypotheses.add(self.prover, t)?;
                said.push(t);
            }
        }
        hypotheses.close(self.prover);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn ask(
        &mut self,
        obligation: usize,
        goal: Term,
        said: &[Term],
        hypotheses: &mut Hypotheses,
        effort: Effort,
        limit: Option<Duration>,
        budget: &Budget,
    ) -> Result<(), SolverError> {
        let terms = self.prover.terms();
        let proof = &mut self.all[obligation];
        proof.formula = said.to_vec();
        proof.formula.push(terms.not(goal));
        if let Err(stopped) = budget.check() {
            proof.reason.get_or_insert(stopped.to_string());
            return Ok(());
        }
        self.prover.set_budget(match (limit, effort) {
            // What the shared session does not decide is asked again alone.
            (Some(time), Effort::Full) => {
                // The rest was for other ways.
                let time = if self.others.first_order.is_some() { time / 2 } else { time };
                budget.within(time).per_query(time / if self.prover.reads_otherwise() { 3 } else { 2 })
            }
            _ => budget.clone(),
        });
        let outcome = hypotheses.prove(self.prover, &[], goal, effort)?;
        let over = budget.check().is_err();
        let (status, reason, settled) = match outcome {
            Outcome::Proved => (Status::Discharged, None, true),
            // What only reads arrays may still prove it.
            Outcome::Refuted if self.complete => {
                let settled = effort == Effort::Full || !self.prover.reads_otherwise();
                (Status::Refuted, Some("it does not follow from the hypotheses".to_string()), settled)
            }
            // What takes arrays as a theory of its own may still prove it.
            Outcome::Refuted => (
                Status::Unknown,
                Some("a hypothesis has no encoding, and without it this does not follow".into()),
                effort == Effort::Full,
            ),
            Outcome::Undecided(Stopped::Timeout) if !over => {
                let spent = limit.unwrap_or_default().as_secs_f64();
                (Status::Unknown, Some(format!("not decided in {spent} s")), false)
            }
            Outcome::Undecided(Stopped::Incomplete(why)) => {
                let reason = Stopped::Incomplete(why).to_string();
                (Status::Unknown, Some(reason), effort == Effort::Full)
            }
            Outcome::Undecided(reason) => (Status::Unknown, Some(reason.to_string()), false),
        };
        proof.form = (status == Status::Discharged).then_some(Form::Arrays);
        (proof.status, proof.reason) = (status, reason);
        if settled {
            self.pending[obligation] = false;
            (self.observer)(&self.all[obligation]);
        }
        Ok(())
    }
}
