//! Diameter of the model: all paths are short.

use bsym_encodings::session::SolverError;
use bsym_encodings::term::Terms;

use super::checker::Checker;
use super::goal::Goal;
use crate::sequent::{Decision, Effort, Hypotheses};

impl Checker<'_> {
    /// Checks that no path from an initial state has `depth` steps (or none with pairwise different states, so that
    /// every reachable state is reached by a shorter one), and that all states up to there are good.
    pub fn diameter(&mut self, depth: usize) -> Result<(), SolverError> {
        let mut hypotheses = Hypotheses::new(self.always(0));
        self.initial_failures(&mut hypotheses)?;
        let initial = self.initial();
        hypotheses.add(&mut self.prover, initial)?;
        for goal in self.goals.conjuncts.clone() {
            self.initially(&goal, &mut hypotheses)?;
        }
        for i in 0..=depth {
            if self.stopped(&format!("states after {i} steps and more")) {
                return Ok(());
            }
            if i > 0 {
                for t in self.states.facts(i).into_iter().chain(self.some_step(i - 1)) {
                    hypotheses.add(&mut self.prover, t)?;
                }
                for goal in self.goals.conjuncts.clone() {
                    self.after_steps(&goal, i, &mut hypotheses)?;
                    let term = self.states.at(goal.term, i);
                    hypotheses.add(&mut self.prover, term)?;
                }
            }
            if i < depth {
                self.properties_after(i, &mut hypotheses)?;
            }
        }
        let outcome = self.with_distinct(&mut hypotheses, Terms::FALSE, depth, &|_| None)?;
        hypotheses.close(&mut self.prover);
        self.note(outcome, &format!("no path has {depth} steps"));
        Ok(())
    }

    /// Checks a conjunct in the states after `i` ≥ 1 steps.
    fn after_steps(&mut self, goal: &Goal, i: usize, hypotheses: &mut Hypotheses) -> Result<(), SolverError> {
        let term = self.states.at(goal.term, i);
        let outcome = hypotheses.prove(&mut self.prover, &[], term, Effort::Full)?;
        let Decision::Undecided(_) = outcome else {
            let name = format!("{} after {i} steps", goal.name);
            self.note(outcome, &name);
            return Ok(());
        };
        // Event by event, some may be decided and others trusted.
        for event in 0..self.system.events.len() {
            let name = format!("{} after {i} steps", self.step_name(Some(event), goal));
            if self.stopped(&name) {
                return Ok(());
            }
            let also = self.event(event, i - 1);
            let effort = self.effort(Some(event), goal);
            let outcome = hypotheses.prove(&mut self.prover, &[also], term, effort)?;
            let trusted =
                matches!(outcome, Decision::Undecided(_)) && self.trust(Some(event), goal, hypotheses, i)?;
            if !trusted {
                self.note(outcome, &name);
            }
        }
        Ok(())
    }

    /// Checks the other properties after `i` steps, and the failures of the next one.
    fn properties_after(&mut self, i: usize, hypotheses: &mut Hypotheses) -> Result<(), SolverError> {
        let terms = self.system.terms.clone();
        for goal in self.goals.others.clone() {
            let term = self.states.at(goal.term, i);
            let outcome = hypotheses.prove(&mut self.prover, &[], term, Effort::Full)?;
            let trusted =
                matches!(outcome, Decision::Undecided(_)) && self.trust_theorem(&goal, hypotheses, i)?;
            if !trusted {
                self.note(outcome, &format!("{} after {i} steps", goal.name));
            }
        }
        for failure in self.goals.failures.clone().iter().filter(|f| f.event.is_some()) {
            let goal = terms.not(self.states.step(failure.way.condition, i));
            let effort = self.effort_for(failure.check);
            let outcome = hypotheses.prove(&mut self.prover, &[], goal, effort)?;
            let trusted = matches!(outcome, Decision::Undecided(_)) && self.trust_check(failure.check);
            if !trusted {
                self.note(outcome, &format!("{} after {i} steps", failure.name));
            }
        }
        Ok(())
    }
}
