//! State that the checks of all kinds of evidence share: hypotheses, trust, and the notes for the outcome.

use std::time::Duration;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::first_order::Sequent;
use bsym_encodings::session::SolverError;
use bsym_encodings::system::System;
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{EventId, Pred};
use bsym_status::{Check, Formula, Level, Pair, ProofStatus};

use super::goal::{Goal, Goals};
use crate::claim::{Checked, Claim};
use crate::recorded::{invariant, is_complete};
use crate::sequent::{Decision, Effort, Hypotheses, Opener, Prover};
use crate::states::States;
use crate::steps::Steps;
use crate::tuning::tuning;

/// The checks of one claim.
pub(super) struct Checker<'a> {
    pub system: &'a System,
    pub goals: Goals,
    pub prover: Prover<'a>,
    pub states: States<'a>,
    pub checked: Checked,
    steps: Steps<'a>,
    status: &'a ProofStatus,
    recheck: bool,
    /// `true` if every conjunct of the model is claimed, so that Q implies the hypotheses of statuses.
    whole: bool,
}

impl<'a> Checker<'a> {
    pub fn new(
        system: &'a System,
        goals: Goals,
        claim: &Claim,
        status: &'a ProofStatus,
        recheck: bool,
        open: Opener<'a>,
        budget: &Budget,
    ) -> Self {
        let mut budget = budget.clone();
        budget.query = Some(budget.query.map_or(tuning().check.query, |q| q.min(tuning().check.query)));
        // Obligations are about states in which every conjunct is true and has a meaning.
        let meant = |i: usize| claim.well_definedness || system.invariant[i].defined == Terms::TRUE;
        let whole = (0..system.model.invariant.len()).all(|i| claim.conjuncts.contains(&i) && meant(i));
        let mut prover = Prover::new(system.terms.clone(), open, budget);
        prover.also_reading(system.whole_carriers());
        Checker {
            system,
            goals,
            prover,
            states: States::new(system),
            checked: Checked::default(),
            steps: Steps::new(&system.model),
            status,
            recheck,
            whole,
        }
    }

    /// Returns the outcome.
    pub fn finish(mut self) -> Result<Checked, SolverError> {
        self.prover.name_solver()?;
        self.checked.solver = std::mem::take(&mut self.prover.solver);
        self.checked.checks = self.prover.checks;
        Ok(self.checked)
    }

    /// Returns the hypotheses about the constants, and the facts that are always true of the states up to `last`.
    pub fn always(&mut self, last: usize) -> Vec<Term> {
        let mut all: Vec<Term> = self.system.about_constants().collect();
        for i in 0..=last {
            // When time is up nothing is proved any more, whatever the hypotheses.
            if self.prover.budget().check().is_err() {
                break;
            }
            all.extend(self.states.facts(i));
        }
        all
    }

    /// Returns the claimed conjuncts and the lemmas in state `i`.
    pub fn assumed(&mut self, i: usize) -> Vec<Term> {
        let all: Vec<Term> = self.goals.conjuncts.iter().chain(&self.goals.lemmas).map(|g| g.term).collect();
        all.into_iter().map(|t| self.states.at(t, i)).collect()
    }

    /// Returns the claimed conjuncts and the lemmas as predicates of B, without those that may lack a meaning.
    pub fn assumed_predicates(&self) -> Vec<Pred> {
        let all = self.goals.conjuncts.iter().chain(&self.goals.lemmas);
        all.filter_map(|goal| goal.pred.clone()).collect()
    }

    /// Proves a goal from hypotheses. A goal that a solver does not decide soon in terms of arrays is given to it as
    /// `sequents`, which state the same in first-order logic, before it may take long. If that has succeeded once, it
    /// comes first.
    pub fn prove(
        &mut self,
        hypotheses: &mut Hypotheses,
        goal: Term,
        effort: Effort,
        sequents: &dyn Fn(&Steps<'a>) -> Option<Vec<Sequent>>,
    ) -> Result<Decision, SolverError> {
        if self.system.open_carriers().is_empty() {
            return hypotheses.prove(&mut self.prover, &[], goal, effort);
        }
        let short = match effort {
            Effort::Full => tuning().check.arrays_first,
            Effort::Quick(time) => time.min(tuning().check.arrays_first),
        };
        let has_served = self.checked.in_first_order > 0;
        if has_served
            && goal != Terms::TRUE
            && self.in_first_order(sequents, tuning().check.first_order_first)?
        {
            return Ok(Decision::Proved);
        }
        let mut outcome = hypotheses.prove(&mut self.prover, &[], goal, Effort::Quick(short))?;
        if let Decision::Undecided(_) = outcome
            && self.in_first_order(sequents, tuning().check.first_order)?
        {
            return Ok(Decision::Proved);
        }
        if outcome != Decision::Proved && effort != Effort::Quick(short) {
            let refuted = outcome == Decision::Refuted;
            outcome = hypotheses.prove(&mut self.prover, &[], goal, effort)?;
            let undecided = matches!(outcome, Decision::Undecided(_));
            if refuted && undecided && self.in_first_order(sequents, tuning().check.first_order)? {
                return Ok(Decision::Proved);
            }
        }
        Ok(outcome)
    }

    /// Proves sequents in first-order logic. Returns whether all are proved.
    fn in_first_order(
        &mut self,
        sequents: &dyn Fn(&Steps<'a>) -> Option<Vec<Sequent>>,
        time: Duration,
    ) -> Result<bool, SolverError> {
        if self.prover.budget().check().is_err() {
            return Ok(false);
        }
        let Some(sequents) = sequents(&self.steps) else { return Ok(false) };
        let budget = self.prover.budget().within(time);
        let (model, scope) = (&self.system.model, &self.system.scope);
        let proved = self.prover.prove_in_first_order(model, scope, &sequents, &budget)? == Decision::Proved;
        self.checked.in_first_order += usize::from(proved);
        Ok(proved)
    }

    /// Returns the hypothesis that state 0 is initial.
    pub fn initial(&mut self) -> Term {
        // The claim was refused if the initialisation has no term.
        let relation = self.system.initialisation.relation.unwrap_or(Terms::TRUE);
        self.states.initial(relation)
    }

    /// Returns the hypothesis that one event leads from state `i` to the next one.
    pub fn event(&mut self, event: usize, i: usize) -> Term {
        let relation = self.system.events[event].relation.unwrap_or(Terms::TRUE);
        self.states.step(relation, i)
    }

    /// Returns the hypotheses that some event leads from state `i` to the next one: each event behind a selector.
    pub fn some_step(&mut self, i: usize) -> Vec<Term> {
        let terms = self.system.terms.clone();
        let mut selectors = vec![];
        let mut all = vec![];
        for e in 0..self.system.events.len() {
            let selector = terms.fresh(&format!("step{i}"), Terms::BOOL);
            selectors.push(selector);
            let relation = self.event(e, i);
            all.push(terms.implies(selector, relation));
        }
        all.push(terms.or(selectors));
        all
    }

    /// Returns the hypotheses that the states up to `last` are pairwise different.
    pub fn distinct(&mut self, last: usize) -> Vec<Term> {
        let mut all = vec![];
        for j in 0..=last {
            // Fewer hypotheses prove less, and when time is up nothing is proved any more.
            if self.prover.budget().check().is_err() {
                break;
            }
            for i in 0..j {
                all.push(self.states.differ(i, j));
            }
        }
        all
    }

    /// Refuses a claim about no states at all.
    pub fn not_vacuous(&mut self) -> Result<(), SolverError> {
        let mut hypotheses = self.always(0);
        hypotheses.push(self.initial());
        let mut hypotheses = Hypotheses::new(hypotheses);
        let effort = Effort::Quick(tuning().check.vacuity_query);
        let outcome = hypotheses.prove(&mut self.prover, &[], Terms::FALSE, effort)?;
        hypotheses.close(&mut self.prover);
        if outcome == Decision::Proved {
            self.checked.failed.push("there is no initial state, so the claim is about nothing".into());
        }
        Ok(())
    }

    /// Returns whether the run must end; then the rest is undecided.
    pub fn stopped(&mut self, left: &str) -> bool {
        match self.prover.budget().check() {
            Ok(()) => false,
            Err(reason) => {
                self.undecided(left, &reason);
                true
            }
        }
    }

    pub fn undecided(&mut self, what: &str, reason: &Stopped) {
        self.checked.undecided.push(format!("{what}: {reason}"));
    }

    /// Returns whether a pair that the solver does not decide may rest on its status.
    pub fn may_trust(&self, event: Option<usize>, goal: &Goal) -> bool {
        let Some(pair) = pair(event, goal) else { return false };
        !self.recheck
            && self.status.get(pair).is_some_and(|s| s.level > Level::Claim)
            && (event.is_none() || self.whole)
    }

    /// Effort for a pair.
    pub fn effort(&self, event: Option<usize>, goal: &Goal) -> Effort {
        if self.may_trust(event, goal) { Effort::Quick(tuning().check.trusted_query) } else { Effort::Full }
    }

    /// Rests a pair that was not decided on its status, if that is allowed and the conjunct is
    /// defined after the step (the status says nothing about that).
    pub fn trust(
        &mut self,
        event: Option<usize>,
        goal: &Goal,
        hypotheses: &mut Hypotheses,
        after: usize,
    ) -> Result<bool, SolverError> {
        let (true, Some(pair)) = (self.may_trust(event, goal), pair(event, goal)) else { return Ok(false) };
        let meaning = Check::Meaning(Formula::Invariant(pair.1));
        let defined = self.has_meaning(goal, meaning, hypotheses, after)?;
        if defined && !self.checked.trusted.contains(&pair) {
            self.checked.trusted.push(pair);
        }
        Ok(defined)
    }

    /// Returns whether a goal has a meaning where it is asked, by proof or by status.
    fn has_meaning(
        &mut self,
        goal: &Goal,
        check: Check,
        hypotheses: &mut Hypotheses,
        after: usize,
    ) -> Result<bool, SolverError> {
        let defined = self.states.at(goal.meaning, after);
        let effort = self.effort_for(Some(check));
        Ok(match hypotheses.prove(&mut self.prover, &[], defined, effort)? {
            Decision::Proved => true,
            Decision::Refuted => false,
            Decision::Undecided(_) => self.trust_check(Some(check)),
        })
    }

    /// Returns whether a check that the solver does not decide may rest on its status.
    fn may_trust_check(&self, check: Check) -> bool {
        !self.recheck
            && self.status.check(check).is_some_and(|s| s.level > Level::Claim)
            && (self.whole || matches!(check, Check::Step(None, _)))
    }

    /// Effort for a check.
    pub fn effort_for(&self, check: Option<Check>) -> Effort {
        let trusted = check.is_some_and(|c| self.may_trust_check(c));
        if trusted { Effort::Quick(tuning().check.trusted_query) } else { Effort::Full }
    }

    /// Rests a check that was not decided on its status, if that is allowed.
    pub fn trust_check(&mut self, check: Option<Check>) -> bool {
        let Some(check) = check.filter(|&c| self.may_trust_check(c)) else { return false };
        if !self.checked.trusted_checks.contains(&check) {
            self.checked.trusted_checks.push(check);
        }
        true
    }

    /// Rests an assertion that was not decided on its status as a theorem.
    pub fn trust_theorem(
        &mut self,
        goal: &Goal,
        hypotheses: &mut Hypotheses,
        after: usize,
    ) -> Result<bool, SolverError> {
        let Some(i) = goal.assertion.filter(|&i| self.may_trust_check(Check::Theorem(i))) else {
            return Ok(false);
        };
        let meaning = Check::Meaning(Formula::Assertion(i));
        Ok(self.has_meaning(goal, meaning, hypotheses, after)? && self.trust_check(Some(Check::Theorem(i))))
    }

    /// Returns whether a failure that the assumed conjuncts do not exclude in state 0 makes its status wrong, which is
    /// then noted.
    pub fn wrong_check(
        &mut self,
        check: Option<Check>,
        goal: Term,
        hypotheses: &mut Hypotheses,
    ) -> Result<bool, SolverError> {
        let Some(check) = check.filter(|&c| self.status.check(c).is_some() && is_complete(self.system))
        else {
            return Ok(false);
        };
        let also = match check {
            Check::Step(None, _) => vec![],
            _ => invariant(self.system),
        };
        let outcome = hypotheses.prove(&mut self.prover, &also, goal, Effort::Full)?;
        if outcome == Decision::Refuted && !self.checked.wrong_checks.contains(&check) {
            self.checked.wrong_checks.push(check);
        }
        Ok(outcome == Decision::Refuted)
    }

    /// Returns whether a refuted pair makes its status wrong, which is then noted. The sequent's hypotheses contain Q,
    /// so they are at least those of the status if Q has all conjuncts.
    pub fn wrong(
        &mut self,
        event: Option<usize>,
        goal: &Goal,
        hypotheses: &mut Hypotheses,
        after: usize,
    ) -> Result<bool, SolverError> {
        let Some(pair) = pair(event, goal) else { return Ok(false) };
        if self.status.get(pair).is_none() || !is_complete(self.system) {
            return Ok(false);
        }
        // A status says nothing about an ill-defined conjunct.
        let mut also = vec![self.states.at(goal.defined, after)];
        if event.is_some() {
            also.extend(invariant(self.system));
        }
        let holds = self.states.at(goal.holds, after);
        let outcome = hypotheses.prove(&mut self.prover, &also, holds, Effort::Full)?;
        if outcome == Decision::Refuted && !self.checked.wrong.contains(&pair) {
            self.checked.wrong.push(pair);
        }
        Ok(outcome == Decision::Refuted)
    }

    /// Returns the event and the goal, as `event: goal`, for messages.
    pub fn step_name(&self, event: Option<usize>, goal: &Goal) -> String {
        match event {
            None => format!("initialisation: {}", goal.name),
            Some(e) => format!("{}: {}", self.system.model.events[e].name, goal.name),
        }
    }
}

/// Returns the pair of an event and a conjunct.
fn pair(event: Option<usize>, goal: &Goal) -> Option<Pair> {
    goal.conjunct.map(|i| (event.map(|e| EventId(e as u32)), i))
}
