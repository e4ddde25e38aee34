//! Proving obligations in rounds: all of them get a short time before any gets a long one.
//!
//! A round has phases, and a phase consists of tasks that can be carried out at the same time. An obligation may be
//! used for later ones in its family, and for no other, so no two are ever used for each other, in whatever order they
//! are proved.

use std::ops::Range;
use std::time::Duration;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::SolverError;
use bsym_encodings::term::Term;
use bsym_status::file::Status;

use super::family::{Entry, Family};
use super::first_order::FirstOrder;
use super::obligation::{Form, Proof};
use super::other_prover::{OtherProver, failure};
use super::small::{Small, SmallSizes};
use crate::sequent::{Decision, Effort, Hypotheses, Prover};
use crate::tuning::tuning;

/// Proves obligations, task by task.
pub(super) struct Rounds<'r, 'p> {
    pub prover: &'r mut Prover<'p>,
    pub families: &'r [Family],
    pub all: &'r mut [Proof],
    /// `true` if all hypotheses have terms, so that a model of them refutes.
    pub complete: bool,
    /// Other ways to try.
    pub others: Others<'r>,
    /// Obligations that a longer time may decide.
    pub pending: Vec<bool>,
    /// Obligations that the first-order form does not decide, however long it takes.
    tried: Vec<bool>,
    /// Number of lemmas with which each was asked last; [`NEVER_AGAIN`] if it is not asked with more of them.
    lemmas: Vec<usize>,
}

/// Larger than any number of lemmas.
const NEVER_AGAIN: usize = usize::MAX;

/// Ways to decide an obligation other than its form in terms of arrays.
#[derive(Clone, Copy, Default)]
pub(super) struct Others<'r> {
    /// The form in first-order logic.
    pub first_order: Option<&'r FirstOrder<'r>>,
    /// Small sizes of the deferred sets.
    pub small: Option<&'r SmallSizes<'r>>,
    /// Other provers for the first-order form.
    pub provers: &'r [OtherProver],
}

/// A part of the work of a phase. An obligation is in one task of a phase at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// The open obligations among these entries of a family, in terms of arrays.
    Family { family: usize, entries: Range<usize> },
    /// An obligation in other ways.
    Other(usize),
    /// An undecided obligation by other provers.
    Elsewhere(usize),
    /// A proof in terms of arrays in another form.
    Confirm(usize),
}

/// Parameters that the tasks of a phase share.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub effort: Effort,
    /// Time for each obligation; `None` if the run has no limit.
    pub limit: Option<Duration>,
    pub budget: Budget,
}

/// State of an obligation.
#[derive(Clone, Debug)]
pub(super) struct Update {
    pub obligation: usize,
    pub status: Status,
    pub reason: Option<String>,
    pub form: Option<Form>,
    pub by: Option<String>,
    pub confirmed: bool,
    /// `true` if a longer time may decide it.
    pub pending: bool,
    tried: bool,
    lemmas: usize,
}

/// Exchange of results with other workers on the same obligations.
pub(super) trait Board {
    /// Notes that an obligation is being asked.
    fn asking(&mut self, obligation: usize);
    /// Publishes the result of an obligation, one of `all`. The observer is called only if it `is_decided`.
    fn say(&mut self, all: &[Proof], update: Update, is_decided: bool);
    /// Returns the results of others since the last call.
    fn news(&mut self) -> Vec<Update>;
}

/// Returns the rounds with the given time for each obligation: the effort and the time of each. From the second on,
/// half of the time is for the first-order form and a part for small sizes.
pub(super) fn rounds(limit: Option<Duration>) -> Vec<(Effort, Option<Duration>)> {
    let shorter = tuning().obligations.rounds.into_iter().filter(|r| limit.is_none_or(|l| *r < l)).map(Some);
    let limits: Vec<Option<Duration>> = shorter.chain([limit]).collect();
    let last = limits.len() - 1;
    let effort = |i, limit| match (i, limit) {
        (0, Some(time)) if i != last => Effort::Quick(time),
        _ => Effort::Full,
    };
    limits.into_iter().enumerate().map(|(i, limit)| (effort(i, limit), limit)).collect()
}

impl<'r, 'p> Rounds<'r, 'p> {
    /// Makes rounds in which nothing is pending.
    pub fn new(
        prover: &'r mut Prover<'p>,
        families: &'r [Family],
        all: &'r mut [Proof],
        complete: bool,
        others: Others<'r>,
    ) -> Self {
        let (pending, tried, lemmas) = (vec![false; all.len()], vec![false; all.len()], vec![0; all.len()]);
        Rounds { prover, families, all, complete, others, pending, tried, lemmas }
    }

    /// Returns the state of an obligation.
    pub fn update(&self, i: usize) -> Update {
        let Proof { status, reason, form, by, confirmed, .. } = &self.all[i];
        Update {
            obligation: i,
            status: *status,
            reason: reason.clone(),
            form: *form,
            by: by.clone(),
            confirmed: *confirmed,
            pending: self.pending[i],
            tried: self.tried[i],
            lemmas: self.lemmas[i],
        }
    }

    /// Takes over a result from elsewhere.
    pub fn apply(&mut self, update: Update) {
        let Update { obligation: i, status, reason, form, by, confirmed, pending, tried, lemmas } = update;
        let proof = &mut self.all[i];
        proof.by = by;
        (proof.status, proof.reason, proof.form, proof.confirmed) = (status, reason, form, confirmed);
        (self.pending[i], self.tried[i], self.lemmas[i]) = (pending, tried, lemmas);
    }

    /// Returns the tasks for open obligations in other ways. A counterexample is checked with full effort first.
    pub fn other_tasks(&self) -> Vec<Task> {
        let is_open = |i: &usize| self.pending[*i] && self.all[*i].status != Status::Refuted;
        (0..self.all.len()).filter(is_open).map(Task::Other).collect()
    }

    /// Returns the tasks for undecided obligations among those `asked`, with other provers.
    pub fn elsewhere_tasks(&self, asked: &[bool]) -> Vec<Task> {
        let is_open =
            |i: &usize| asked[*i] && self.all[*i].status == Status::Unknown && self.lemmas[*i] != NEVER_AGAIN;
        let none = self.others.provers.is_empty();
        (0..self.all.len()).filter(|i| !none && is_open(i)).map(Task::Elsewhere).collect()
    }

    /// Returns the tasks for open obligations in families, for `workers` workers.
    pub fn family_tasks(&self, effort: Effort, workers: usize) -> Vec<Task> {
        let open = |family: &Family| -> Vec<usize> {
            let entries = family.entries.iter().enumerate();
            let is_open = |e: &Entry| matches!(e, Entry::Ask { obligation, .. } if self.pending[*obligation]);
            entries.filter(|(_, e)| is_open(e)).map(|(at, _)| at).collect()
        };
        let open: Vec<Vec<usize>> = self.families.iter().map(open).collect();
        let total: usize = open.iter().map(Vec::len).sum();
        // A part of a family asserts the hypotheses once more, and knows fewer lemmas.
        let least = if effort == Effort::Full { 1 } else { tuning().obligations.least_part };
        let most = if workers == 1 { usize::MAX } else { total.div_ceil(2 * workers).max(least) };
        let tasks = open.iter().enumerate().flat_map(|(family, open)| {
            let parts = open.chunks(most.min(open.len().max(1)));
            parts.map(move |part| Task::Family { family, entries: part[0]..part[part.len() - 1] + 1 })
        });
        tasks.collect()
    }

    /// Returns the tasks for proofs that are not confirmed yet.
    pub fn confirm_tasks(&self) -> Vec<Task> {
        let asked = |i: &usize| self.all[*i].form == Some(Form::Arrays) && !self.all[*i].confirmed;
        (0..self.all.len()).filter(asked).map(Task::Confirm).collect()
    }

    /// Makes exactly those obligations pending that are undecided and have lemmas that were not known when they were
    /// asked. Returns those that were pending and are not now.
    pub fn reopen_for_lemmas(&mut self) -> Vec<usize> {
        let before = std::mem::replace(&mut self.pending, vec![false; self.all.len()]);
        for family in self.families {
            let mut known = 0;
            for entry in &family.entries {
                let Entry::Ask { obligation: i, lemma, .. } = *entry else { continue };
                if self.lemmas[i] < known && self.all[i].status == Status::Unknown {
                    (self.pending[i], self.tried[i]) = (true, false);
                }
                known += usize::from(lemma && self.all[i].status == Status::Discharged);
            }
        }
        (0..self.all.len()).filter(|i| before[*i] && !self.pending[*i]).collect()
    }

    /// Gives each obligation that was asked its formula: its hypotheses, with proved lemmas that may be used for it,
    /// and the negated goal.
    pub fn write_formulas(&mut self, asked: &[bool]) {
        let terms = self.prover.terms();
        for family in self.families {
            let mut said = family.said.clone();
            for entry in &family.entries {
                match *entry {
                    Entry::Known(t) => said.push(t),
                    Entry::Ask { obligation, goal, lemma } => {
                        let proof = &mut self.all[obligation];
                        if asked[obligation] {
                            proof.formula.clone_from(&said);
                            proof.formula.push(terms.not(goal));
                        }
                        if lemma && proof.status == Status::Discharged {
                            said.push(goal);
                        }
                    }
                }
            }
        }
    }

    /// Gives up an obligation at which this program panicked.
    pub fn give_up(&mut self, i: usize, why: &str) -> Update {
        let proof = &mut self.all[i];
        (proof.status, proof.form) = (Status::Unknown, None);
        proof.reason = Some(format!("bsym failed: {why}"));
        (self.pending[i], self.lemmas[i]) = (false, NEVER_AGAIN);
        self.update(i)
    }

    /// Carries out a task of a phase, within the phase's budget.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn carry_out(
        &mut self,
        task: &Task,
        phase: &Phase,
        board: &mut dyn Board,
    ) -> Result<(), SolverError> {
        self.catch_up(board);
        match task {
            Task::Family { family, entries } => self.family(*family, entries, phase, board),
            Task::Other(i) => self.in_other_ways(*i, phase, board),
            Task::Elsewhere(i) => self.elsewhere(*i, phase, board),
            Task::Confirm(i) => self.confirm(*i, phase, board),
        }
    }

    fn catch_up(&mut self, board: &mut dyn Board) -> bool {
        let news = board.news();
        let any = !news.is_empty();
        news.into_iter().for_each(|update| self.apply(update));
        any
    }

    /// Tries an open obligation in other ways: half of the time is for the first-order form, a quarter for small sizes.
    fn in_other_ways(&mut self, i: usize, phase: &Phase, board: &mut dyn Board) -> Result<(), SolverError> {
        let (time, budget) = (phase.limit.unwrap_or(tuning().obligations.patience), &phase.budget);
        if !self.pending[i] || budget.check().is_err() {
            return Ok(());
        }
        board.asking(i);
        let proved = self.in_first_order(i, budget, time / tuning().obligations.first_order_share)?;
        // A proof becomes a lemma for other obligations only after small sizes have confirmed it.
        let small = match self.others.small {
            Some(small) => small.ask(
                &self.all[i].name,
                self.all,
                self.prover,
                budget,
                tuning().obligations.small.min(time / tuning().obligations.small_share),
            )?,
            None => Small::Nothing,
        };
        self.settle(i, proved, None, small);
        board.say(self.all, self.update(i), !self.pending[i]);
        Ok(())
    }

    /// Tries an undecided obligation with other provers, in first-order form. A prover that fails is named in the
    /// reason, and the next one is tried.
    fn elsewhere(&mut self, i: usize, phase: &Phase, board: &mut dyn Board) -> Result<(), SolverError> {
        let budget = &phase.budget;
        let Some(first_order) = self.others.first_order else { return Ok(()) };
        if self.all[i].status != Status::Unknown || budget.check().is_err() {
            return Ok(());
        }
        board.asking(i);
        let Some(parts) = first_order.parts(i, self.all) else { return Ok(()) };
        let time = tuning().obligations.elsewhere.min(phase.limit.unwrap_or(tuning().obligations.patience));
        for prover in self.others.provers {
            match prover.proves(&parts, &budget.within(time).per_query(time)) {
                Ok(false) => {}
                Ok(true) => {
                    let small = match self.others.small {
                        Some(small) => small.ask(
                            &self.all[i].name,
                            self.all,
                            self.prover,
                            budget,
                            tuning().obligations.small,
                        )?,
                        None => Small::Nothing,
                    };
                    self.settle(i, true, Some(prover.name().into()), small);
                    board.say(self.all, self.update(i), true);
                    return Ok(());
                }
                Err(error) => {
                    let failed = failure(prover.name(), &error);
                    let reason = self.all[i].reason.take().map(|before| format!("{before}; {failed}"));
                    self.all[i].reason = Some(reason.unwrap_or(failed));
                    board.say(self.all, self.update(i), false);
                }
            }
        }
        Ok(())
    }

    /// Takes over the results of the first-order form, given to the run's solver or to the prover `by`, and of small
    /// sizes.
    fn settle(&mut self, i: usize, proved: bool, by: Option<String>, small: Small) {
        let proof = &mut self.all[i];
        self.pending[i] = false;
        match (proved, small) {
            (true, Small::Refuted(sizes)) => {
                self.lemmas[i] = NEVER_AGAIN;
                proof.reason = Some(format!(
                    "its forms disagree, which is a fault of bsym: there is a proof in first-order logic, and a \
                     counterexample {sizes}"
                ));
            }
            (true, small) => {
                (proof.status, proof.reason, proof.by) = (Status::Discharged, None, by);
                (proof.form, proof.confirmed) = (Some(Form::FirstOrder), small == Small::Holds);
            }
            (false, Small::Refuted(sizes)) => {
                proof.status = Status::Refuted;
                proof.reason = Some(format!("it does not follow from the hypotheses {sizes}"));
            }
            (false, _) => self.pending[i] = true,
        }
    }

    /// Cross-checks a proof in terms of arrays: in first-order logic, else for small deferred sets. Proofs that are not
    /// checked in time stay unconfirmed.
    fn confirm(&mut self, i: usize, phase: &Phase, board: &mut dyn Board) -> Result<(), SolverError> {
        let budget = &phase.budget;
        if budget.check().is_err() {
            return Ok(());
        }
        board.asking(i);
        let proved = self.in_first_order(i, budget, tuning().obligations.confirming)?;
        let small = match self.others.small {
            Some(small) if !proved => small.ask(
                &self.all[i].name,
                self.all,
                self.prover,
                budget,
                tuning().obligations.confirming,
            )?,
            _ => Small::Nothing,
        };
        let proof = &mut self.all[i];
        let is_refuted = matches!(small, Small::Refuted(_));
        match small {
            Small::Refuted(sizes) => {
                (proof.status, proof.form) = (Status::Unknown, None);
                proof.reason = Some(format!(
                    "its forms disagree, which is a fault of bsym: there is a proof in terms of arrays, and a \
                     counterexample {sizes}"
                ));
            }
            small => proof.confirmed = proved || small == Small::Holds,
        }
        board.say(self.all, self.update(i), is_refuted);
        Ok(())
    }

    /// Returns whether the first-order form of an obligation is proved. If it is not, nothing is known.
    fn in_first_order(&mut self, i: usize, budget: &Budget, time: Duration) -> Result<bool, SolverError> {
        let Some(first_order) = self.others.first_order else { return Ok(false) };
        if self.tried[i] {
            return Ok(false);
        }
        let outcome = first_order.attempt(i, self.all, self.prover, budget, time)?;
        self.tried[i] = outcome == Decision::Refuted;
        Ok(outcome == Decision::Proved)
    }

    fn family(
        &mut self,
        number: usize,
        entries: &Range<usize>,
        phase: &Phase,
        board: &mut dyn Board,
    ) -> Result<(), SolverError> {
        let families = self.families;
        let family = &families[number];
        let mut hypotheses = Hypotheses::new(family.said.iter().copied());
        // Hypotheses before the next entry that are used, and those that would be if they were proved.
        let (mut used, mut unproved) = (0, vec![]);
        for (at, entry) in family.entries[..entries.end].iter().enumerate() {
            match *entry {
                Entry::Known(t) => {
                    self.prover.set_budget(phase.budget.clone());
                    hypotheses.add(self.prover, t)?;
                }
                Entry::Ask { obligation, goal, lemma } => {
                    if self.pending[obligation] && at >= entries.start {
                        if self.catch_up(board) {
                            let all = &self.all;
                            let is_proved = |(i, _): &mut (usize, Term)| all[*i].status == Status::Discharged;
                            let proved: Vec<_> = unproved.extract_if(.., is_proved).collect();
                            used += proved.len();
                            self.prover.set_budget(phase.budget.clone());
                            for (_, t) in proved {
                                hypotheses.add(self.prover, t)?;
                            }
                        }
                        self.lemmas[obligation] = used;
                        self.ask(obligation, goal, &mut hypotheses, phase, board)?;
                    }
                    if !lemma {
                        continue;
                    }
                    if self.all[obligation].status == Status::Discharged {
                        self.prover.set_budget(phase.budget.clone());
                        hypotheses.add(self.prover, goal)?;
                        used += 1;
                    } else {
                        unproved.push((obligation, goal));
                    }
                }
            }
        }
        hypotheses.close(self.prover);
        Ok(())
    }

    fn ask(
        &mut self,
        obligation: usize,
        goal: Term,
        hypotheses: &mut Hypotheses,
        phase: &Phase,
        board: &mut dyn Board,
    ) -> Result<(), SolverError> {
        let Phase { effort, limit, budget } = phase;
        let (effort, limit) = (*effort, *limit);
        if let Err(stopped) = budget.check() {
            self.all[obligation].reason.get_or_insert(stopped.to_string());
            board.say(self.all, self.update(obligation), false);
            return Ok(());
        }
        board.asking(obligation);
        self.prover.set_budget(match (limit, effort) {
            // An obligation that the shared session does not decide is asked again alone.
            (Some(time), Effort::Full) => {
                // The rest of the time was for other ways.
                let time = if self.others.first_order.is_some() {
                    time / tuning().obligations.first_order_share
                } else {
                    time
                };
                budget.within(time).per_query(
                    time / if self.prover.reads_otherwise() {
                        tuning().obligations.query_share_of_two
                    } else {
                        tuning().obligations.query_share
                    },
                )
            }
            _ => budget.clone(),
        });
        let outcome = hypotheses.prove(self.prover, &[], goal, effort)?;
        let over = budget.check().is_err();
        let (status, reason, settled) = match outcome {
            Decision::Proved => (Status::Discharged, None, true),
            // A session that only reads arrays may still prove it.
            Decision::Refuted if self.complete => {
                let settled = effort == Effort::Full || !self.prover.reads_otherwise();
                (Status::Refuted, Some("it does not follow from the hypotheses".to_string()), settled)
            }
            // A session with the theory of arrays may still prove it.
            Decision::Refuted => (
                Status::Unknown,
                Some("a hypothesis has no encoding, and without it this does not follow".into()),
                effort == Effort::Full,
            ),
            Decision::Undecided(Stopped::Timeout) if !over => {
                let spent = limit.unwrap_or_default().as_secs_f64();
                (Status::Unknown, Some(format!("not decided in {spent} s")), false)
            }
            Decision::Undecided(Stopped::Incomplete(why)) => {
                let reason = Stopped::Incomplete(why).to_string();
                (Status::Unknown, Some(reason), effort == Effort::Full)
            }
            Decision::Undecided(reason) => (Status::Unknown, Some(reason.to_string()), false),
        };
        let proof = &mut self.all[obligation];
        proof.form = (status == Status::Discharged).then_some(Form::Arrays);
        (proof.status, proof.reason) = (status, reason);
        self.pending[obligation] = !settled;
        board.say(self.all, self.update(obligation), settled);
        Ok(())
    }
}
