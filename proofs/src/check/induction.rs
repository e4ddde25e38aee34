//! Initiation, consecution and the steps of k-induction.

use bsym_encodings::first_order::{Goal as Says, Sequent};
use bsym_encodings::session::SolverError;
use bsym_encodings::term::Term;
use bsym_language::model::{EventId, Pred};
use bsym_status::Check;

use super::checker::Checker;
use super::goal::{Goal, Goals};
use crate::sequent::{Decision, Effort, Hypotheses};
use crate::steps::Steps;

/// A pair that one step does not prove.
struct OpenPair {
    event: usize,
    goal: Goal,
    /// Assumptions about the state after the step, over the current state.
    after: Vec<Term>,
    /// The assumptions `after` as predicates of B.
    shown: Vec<Pred>,
    outcome: Decision,
}

/// A property of states, or the impossibility of a failure, that Q does not imply.
enum OpenProperty {
    Other(usize),
    Failure(usize),
}

impl Checker<'_> {
    /// Checks the claim by induction over k + 1 steps.
    pub fn induction(&mut self, k: usize) -> Result<(), SolverError> {
        self.initiation()?;
        let mut open = vec![];
        for event in 0..self.system.events.len() {
            if self.stopped("the remaining events") {
                return Ok(());
            }
            self.consecution(event, k, &mut open)?;
        }
        for pair in open {
            if self.stopped("the remaining pairs") {
                return Ok(());
            }
            self.long_step(&pair, k)?;
        }
        for property in self.implied(k)? {
            if self.stopped("the remaining properties") {
                return Ok(());
            }
            self.long_property(&property, k)?;
        }
        Ok(())
    }

    /// Checks that every initial state is in Q, and that the initialisation does not fail.
    fn initiation(&mut self) -> Result<(), SolverError> {
        let mut hypotheses = Hypotheses::new(self.always(0));
        self.initial_failures(&mut hypotheses)?;
        let initial = self.initial();
        hypotheses.add(&mut self.prover, initial)?;
        for goal in self.goals.conjuncts.clone().iter().chain(&self.goals.lemmas.clone()) {
            self.initially(goal, &mut hypotheses)?;
        }
        hypotheses.close(&mut self.prover);
        Ok(())
    }

    /// Checks the failures on the way of the initialisation.
    pub(super) fn initial_failures(&mut self, hypotheses: &mut Hypotheses) -> Result<(), SolverError> {
        let terms = self.system.terms.clone();
        for failure in self.goals.failures.clone().iter().filter(|f| f.event.is_none()) {
            let goal = terms.not(self.states.initial(failure.way.condition));
            let effort = self.effort_for(failure.check);
            let sequents = |steps: &Steps<'_>| steps.without_failure(None, &[], [&failure.way]);
            let outcome = self.prove(hypotheses, goal, effort, &sequents)?;
            let settled = match &outcome {
                Decision::Proved => true,
                Decision::Refuted => self.wrong_check(failure.check, goal, hypotheses)?,
                Decision::Undecided(_) => self.trust_check(failure.check),
            };
            if !settled {
                self.note(outcome, &failure.name);
            }
        }
        Ok(())
    }

    /// Checks a goal in the initial states, which becomes a hypothesis.
    pub(super) fn initially(&mut self, goal: &Goal, hypotheses: &mut Hypotheses) -> Result<(), SolverError> {
        let effort = self.effort(None, goal);
        let sequents = |steps: &Steps<'_>| steps.after(None, &[], &[], goal.pred.as_ref()?);
        let outcome = self.prove(hypotheses, goal.term, effort, &sequents)?;
        let settled = match &outcome {
            Decision::Proved => true,
            Decision::Refuted => self.wrong(None, goal, hypotheses, 0)?,
            Decision::Undecided(_) => self.trust(None, goal, hypotheses, 0)?,
        };
        if !settled {
            let name = self.step_name(None, goal);
            self.note(outcome, &name);
        }
        hypotheses.add(&mut self.prover, goal.term)
    }

    /// Checks that one event leads from Q into Q. Undecided pairs are noted (k = 0) or added to `open`.
    fn consecution(&mut self, event: usize, k: usize, open: &mut Vec<OpenPair>) -> Result<(), SolverError> {
        let mut hypotheses = self.always(1);
        hypotheses.extend(self.assumed(0));
        hypotheses.push(self.event(event, 0));
        let mut hypotheses = Hypotheses::new(hypotheses);
        let mut after = vec![];
        let id = Some(EventId(event as u32));
        let before = self.assumed_predicates();
        // Predicates that are shown after the step.
        let mut shown: Vec<Pred> = vec![];

        // Lemmas that need nothing about the state after the step may serve the conjuncts there.
        let mut lemmas = self.goals.lemmas.clone();
        if k > 0 {
            let mut left = vec![];
            for lemma in lemmas {
                let goal = self.states.at(lemma.term, 1);
                let sequents = |steps: &Steps<'_>| steps.after(id, &before, &shown, lemma.pred.as_ref()?);
                if self.prove(&mut hypotheses, goal, Effort::Full, &sequents)? == Decision::Proved {
                    hypotheses.add(&mut self.prover, goal)?;
                    after.push(lemma.term);
                    shown.extend(lemma.pred);
                } else {
                    left.push(lemma);
                }
            }
            lemmas = left;
        }
        for goal in self.goals.conjuncts.clone() {
            if self.stopped(&self.step_name(Some(event), &goal)) {
                return Ok(());
            }
            let term = self.states.at(goal.term, 1);
            let effort = self.effort(Some(event), &goal);
            let sequents = |steps: &Steps<'_>| steps.after(id, &before, &shown, goal.pred.as_ref()?);
            let outcome = self.prove(&mut hypotheses, term, effort, &sequents)?;
            let settled = match &outcome {
                Decision::Proved => true,
                Decision::Refuted => self.wrong(Some(event), &goal, &mut hypotheses, 1)?,
                // With k > 0 the path may still prove it; trust comes last.
                Decision::Undecided(_) => k == 0 && self.trust(Some(event), &goal, &mut hypotheses, 1)?,
            };
            if !settled && k > 0 {
                let (after, shown) = (after.clone(), shown.clone());
                open.push(OpenPair { event, goal: goal.clone(), after, shown, outcome });
            } else if !settled {
                let name = self.step_name(Some(event), &goal);
                self.note(outcome, &name);
            }
            hypotheses.add(&mut self.prover, term)?;
            after.push(goal.term);
            shown.extend(goal.pred);
        }
        for lemma in lemmas {
            let term = self.states.at(lemma.term, 1);
            let sequents = |steps: &Steps<'_>| steps.after(id, &before, &shown, lemma.pred.as_ref()?);
            let outcome = self.prove(&mut hypotheses, term, Effort::Full, &sequents)?;
            let name = self.step_name(Some(event), &lemma);
            self.note(outcome, &name);
            hypotheses.add(&mut self.prover, term)?;
            shown.extend(lemma.pred);
        }
        hypotheses.close(&mut self.prover);
        Ok(())
    }

    /// Checks a pair over paths: none of 1..=k steps from an initial state, and none of k + 1 steps in Q, ends with the
    /// event breaking the conjunct.
    fn long_step(&mut self, pair: &OpenPair, k: usize) -> Result<(), SolverError> {
        let goal = &pair.goal;
        let (known, event) = (self.assumed_predicates(), Some(EventId(pair.event as u32)));
        for depth in 1..=k.saturating_add(1) {
            let from_initial = depth <= k;
            let name = self.step_name(Some(pair.event), goal);
            if self.stopped(&format!("{name} (paths of {depth} steps and more)")) {
                return Ok(());
            }
            let mut hypotheses = self.always(depth);
            if from_initial {
                hypotheses.push(self.initial());
            }
            for i in 0..depth {
                hypotheses.extend(self.assumed(i));
                if i + 1 < depth {
                    hypotheses.extend(self.some_step(i));
                }
            }
            hypotheses.push(self.event(pair.event, depth - 1));
            for &t in &pair.after {
                let t = self.states.at(t, depth);
                hypotheses.push(t);
            }
            let mut hypotheses = Hypotheses::new(hypotheses);
            let term = self.states.at(goal.term, depth);
            let sequents = |steps: &Steps<'_>| {
                let mut all = vec![];
                for path in steps.sequences(from_initial, depth - 1, event)? {
                    all.extend(steps.after_all(&path, &known, &pair.shown, goal.pred.as_ref()?)?);
                }
                Some(all)
            };
            let outcome = self.with_distinct(&mut hypotheses, term, depth, &sequents)?;
            if outcome != Decision::Proved {
                // The one step was not refuted if the status may still hold.
                if !matches!(pair.outcome, Decision::Refuted)
                    && matches!(outcome, Decision::Undecided(_))
                    && self.trust(Some(pair.event), goal, &mut hypotheses, depth)?
                {
                    hypotheses.close(&mut self.prover);
                    return Ok(());
                }
                let place = if from_initial {
                    format!("step {depth} from an initial state")
                } else {
                    format!("step of {k}-induction")
                };
                let name = format!("{} ({place})", self.step_name(Some(pair.event), goal));
                let refuted = outcome == Decision::Refuted;
                self.note(outcome, &name);
                if refuted {
                    hypotheses.close(&mut self.prover);
                    return Ok(());
                }
            }
            hypotheses.close(&mut self.prover);
        }
        Ok(())
    }

    /// Proves a goal; if that fails, once more with pairwise different states.
    pub(super) fn with_distinct(
        &mut self,
        hypotheses: &mut Hypotheses,
        goal: Term,
        last: usize,
        sequents: &dyn Fn(&Steps<'_>) -> Option<Vec<Sequent>>,
    ) -> Result<Decision, SolverError> {
        let outcome = self.prove(hypotheses, goal, Effort::Full, sequents)?;
        if outcome == Decision::Proved {
            return Ok(outcome);
        }
        // A path on which states are the same refutes nothing.
        if let Err(stopped) = self.prover.budget().check() {
            return Ok(Decision::Undecided(stopped));
        }
        for t in self.distinct(last) {
            hypotheses.add(&mut self.prover, t)?;
        }
        hypotheses.prove(&mut self.prover, &[], goal, Effort::Full)
    }

    /// Returns the properties that Q does not imply in a state by itself, so that longer paths are needed.
    fn implied(&mut self, k: usize) -> Result<Vec<OpenProperty>, SolverError> {
        let mut hypotheses = self.always(0);
        hypotheses.extend(self.assumed(0));
        let mut hypotheses = Hypotheses::new(hypotheses);
        let mut known = self.assumed_predicates();
        let mut open = vec![];
        for (i, goal) in self.goals.others.clone().iter().enumerate() {
            let effort = self.effort_for(goal.assertion.map(Check::Theorem));
            let sequents =
                |steps: &Steps<'_>| Some(vec![steps.in_state(&known, Says::Meant(goal.pred.clone()?))]);
            let settled = match self.prove(&mut hypotheses, goal.term, effort, &sequents)? {
                Decision::Proved => true,
                Decision::Refuted => match goal.assertion {
                    Some(i) => {
                        let (check, holds) =
                            (Check::Theorem(i), self.system.terms.implies(goal.defined, goal.holds));
                        self.wrong_check(Some(check), holds, &mut hypotheses)?
                    }
                    None => false,
                },
                Decision::Undecided(_) => k == 0 && self.trust_theorem(goal, &mut hypotheses, 0)?,
            };
            match settled {
                true if goal.hypothesis => {
                    hypotheses.add(&mut self.prover, goal.term)?;
                    known.extend(goal.pred.clone());
                }
                true => {}
                false => open.push(OpenProperty::Other(i)),
            }
        }
        let terms = self.system.terms.clone();
        for (i, failure) in self.goals.failures.clone().iter().enumerate() {
            if failure.event.is_none() {
                continue;
            }
            let goal = terms.not(self.states.step(failure.way.condition, 0));
            let effort = self.effort_for(failure.check);
            let event = failure.event.map(|e| EventId(e as u32));
            let sequents = |steps: &Steps<'_>| steps.without_failure(event, &known, [&failure.way]);
            let settled = match self.prove(&mut hypotheses, goal, effort, &sequents)? {
                Decision::Proved => true,
                Decision::Refuted => self.wrong_check(failure.check, goal, &mut hypotheses)?,
                Decision::Undecided(_) => k == 0 && self.trust_check(failure.check),
            };
            if !settled {
                open.push(OpenProperty::Failure(i));
            }
        }
        hypotheses.close(&mut self.prover);
        Ok(open)
    }

    /// Checks a property over paths: it holds 0..=k steps from an initial state, and after k + 1 steps in Q.
    fn long_property(&mut self, property: &OpenProperty, k: usize) -> Result<(), SolverError> {
        let (name, index) = match property {
            OpenProperty::Other(i) => (self.goals.others[*i].name.clone(), *i),
            OpenProperty::Failure(i) => (self.goals.failures[*i].name.clone(), 0),
        };
        let known = self.assumed_predicates();
        let goals = self.goals.clone();
        for depth in 0..=k.saturating_add(1) {
            let from_initial = depth <= k;
            if self.stopped(&format!("{name} (paths of {depth} steps and more)")) {
                return Ok(());
            }
            let mut hypotheses = self.always(depth);
            if from_initial {
                hypotheses.push(self.initial());
            }
            for i in 0..=depth {
                hypotheses.extend(self.assumed(i));
                if i < depth {
                    hypotheses.extend(self.some_step(i));
                    // Before a first failure the property itself holds.
                    if let OpenProperty::Other(p) = property
                        && self.goals.others[*p].hypothesis
                    {
                        let term = self.goals.others[*p].term;
                        let term = self.states.at(term, i);
                        hypotheses.push(term);
                    }
                }
            }
            let mut hypotheses = Hypotheses::new(hypotheses);
            let goal = match property {
                OpenProperty::Other(_) => self.states.at(self.goals.others[index].term, depth),
                OpenProperty::Failure(i) => {
                    let condition = self.goals.failures[*i].way.condition;
                    let terms = self.system.terms.clone();
                    terms.not(self.states.step(condition, depth))
                }
            };
            let sequents =
                |steps: &Steps<'_>| property_after(&goals, steps, property, depth, from_initial, &known);
            let outcome = self.with_distinct(&mut hypotheses, goal, depth, &sequents)?;
            let trusted = matches!(outcome, Decision::Undecided(_))
                && match property {
                    OpenProperty::Other(_) => {
                        let goal = self.goals.others[index].clone();
                        self.trust_theorem(&goal, &mut hypotheses, depth)?
                    }
                    OpenProperty::Failure(i) => self.trust_check(self.goals.failures[*i].check),
                };
            hypotheses.close(&mut self.prover);
            match property {
                // A property that rests on a status about all states with the invariant needs no further depth.
                OpenProperty::Failure(_) if trusted => return Ok(()),
                OpenProperty::Other(_) if trusted => continue,
                _ => {}
            }
            let refuted = outcome == Decision::Refuted;
            self.note(outcome, &format!("{name} (depth {depth})"));
            if refuted {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Notes a sequent that is not proved.
    pub(super) fn note(&mut self, outcome: Decision, name: &str) {
        match outcome {
            Decision::Proved => {}
            Decision::Refuted => self.checked.failed.push(name.to_string()),
            Decision::Undecided(reason) => self.undecided(name, &reason),
        }
    }
}

/// States a property after this many steps as sequents about every sequence of events.
fn property_after(
    goals: &Goals,
    steps: &Steps<'_>,
    property: &OpenProperty,
    depth: usize,
    from_initial: bool,
    known: &[Pred],
) -> Option<Vec<Sequent>> {
    let mut all = vec![];
    match property {
        OpenProperty::Other(i) => {
            let goal = goals.others[*i].pred.as_ref()?;
            for path in steps.sequences(from_initial, depth, None)? {
                all.extend(steps.after_all(&path, known, known, goal)?);
            }
        }
        OpenProperty::Failure(i) => {
            let failure = &goals.failures[*i];
            let event = failure.event.map(|e| EventId(e as u32));
            for path in steps.sequences(from_initial, depth, event)? {
                all.extend(steps.without_failure_after(&path, known, [&failure.way])?);
            }
        }
    }
    Some(all)
}
