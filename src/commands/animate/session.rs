//! A session: a path through the transition system, and a place on it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bsym_encodings::patience::Patience;
use bsym_language::model::{EventId, Model};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::replay::{Checks, violations};
use bsym_semantics::trace::{Repeat, Step, Trace, Violation};
use bsym_semantics::transition::state::{Constants, State};

use super::choices::{Choice, Choices};
use crate::commands::eval::{Place, name_elements};
use crate::tuning::tuning;

/// A path and the current position on it.
pub struct Session {
    /// The machine.
    pub model: Arc<Model>,
    /// The machine with printed names for the elements of deferred sets: for formulas that the user types.
    pub named: Model,
    /// Sizes of sets and bounds of integers.
    pub scope: Scope,
    /// The values of the constants; `None` before they are chosen.
    pub constants: Option<Constants>,
    /// The path, including the steps that the user went back from.
    pub steps: Vec<Step>,
    /// Rounds of cycles that the path leaves out.
    pub repeats: Vec<Repeat>,
    /// Number of these steps that lead to the current position.
    pub at: usize,
    /// Choices for the next step.
    pub choices: Choices,
    /// Most steps of one event that are listed, and most valuations of the constants.
    pub most: usize,
    /// Finds values where enumeration gives up.
    finder: Patience,
    /// State of the random number generator.
    dice: u64,
}

impl Session {
    /// A session before anything is chosen.
    pub fn new(model: Arc<Model>, scope: Scope, finder: Patience, seed: u64) -> Session {
        let mut named = (*model).clone();
        name_elements(&mut named, &scope);
        Session {
            model,
            named,
            scope,
            constants: None,
            steps: vec![],
            repeats: vec![],
            at: 0,
            choices: Choices::default(),
            most: tuning().sessions.steps,
            finder,
            dice: seed,
        }
    }

    /// The evaluator that finds steps, stopped by the flag; cuts of choices are noted.
    pub fn evaluator<'s>(&'s self, interrupt: &'s AtomicBool, cuts: &'s Cuts) -> Evaluator<'s> {
        let eval = Evaluator::new(&self.model, &self.scope).with_interrupt(interrupt);
        eval.with_finder(&self.finder).with_bounded_choices(cuts)
    }

    /// The event of a name.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.model.events.iter().position(|e| e.name == name).map(|i| EventId(i as u32))
    }

    /// Returns the current state.
    pub fn state(&self) -> Option<&State> {
        self.steps[..self.at].last()?.state.as_ref()
    }

    /// Returns the path up to the current position.
    pub fn trace(&self) -> Option<Trace> {
        let constants = self.constants.clone()?;
        let mut trace = Trace::new(self.scope.clone(), constants, self.steps[..self.at].to_vec());
        trace.repeats.extend(self.repeats.iter().filter(|repeat| repeat.before < self.at).cloned());
        Some(trace)
    }

    /// Returns the place where formulas are evaluated: without constants or a state, their names have no values.
    pub fn place(&self) -> Place {
        Place {
            scope: self.scope.clone(),
            constants: self.constants.clone().unwrap_or_default(),
            state: self.state().cloned().unwrap_or_default(),
        }
    }

    /// Restarts the session, and takes steps as long as there is exactly one choice.
    ///
    /// # Errors
    /// There is no initial state.
    pub fn begin(&mut self, interrupt: &AtomicBool) -> Result<(), String> {
        (self.constants, self.at) = (None, 0);
        self.steps.clear();
        self.repeats.clear();
        self.look(interrupt);
        while self.state().is_none() && self.choices.is_only_one() {
            self.take(0, interrupt)?;
        }
        match self.state() {
            None if self.choices.list.is_empty() => {
                Err(format!("{} cannot begin: {}", self.model.name, self.choices.why_none()))
            }
            _ => Ok(()),
        }
    }

    /// Computes the choices for the next step.
    pub fn look(&mut self, interrupt: &AtomicBool) {
        self.choices = Choices::of(self, interrupt);
    }

    /// Takes the choice at a position of the list.
    ///
    /// # Errors
    /// There is no such position.
    pub fn take(&mut self, position: usize, interrupt: &AtomicBool) -> Result<(), String> {
        let Some(choice) = self.choices.list.get(position).cloned() else {
            let last = self.choices.list.len();
            return Err(match last {
                0 => "there is no step to take here; `back` goes back".into(),
                _ => format!("there is no step {}, the last one is {last}", position + 1),
            });
        };
        self.go(choice);
        self.look(interrupt);
        Ok(())
    }

    /// Goes where a choice leads.
    pub fn go(&mut self, choice: Choice) {
        match choice {
            Choice::Valuation(constants) => self.constants = Some(constants),
            Choice::Edge(edge) => {
                self.push(Step { event: edge.event, state: edge.state().cloned(), execution: edge.execution })
            }
        }
    }

    /// Adds a step at the current position. The steps behind are dropped unless it is the next of them.
    pub fn push(&mut self, step: Step) {
        if self.steps.get(self.at) != Some(&step) {
            self.steps.truncate(self.at);
            self.repeats.retain(|repeat| repeat.before < self.at);
            self.steps.push(step);
        }
        self.at += 1;
    }

    /// Goes to the position behind this many steps.
    ///
    /// # Errors
    /// The path is shorter, or does not begin there.
    pub fn jump(&mut self, at: usize, interrupt: &AtomicBool) -> Result<(), String> {
        if at > self.steps.len() {
            return Err(format!("the path ends with step {}", self.steps.len().saturating_sub(1)));
        }
        if at == 0 && self.at < 2 {
            return Err("this is the first step; `restart` chooses another one".into());
        }
        self.at = at.max(1);
        self.look(interrupt);
        Ok(())
    }

    /// Returns the violations at the current position.
    ///
    /// # Errors
    /// They could not be evaluated.
    pub fn violations(&self, interrupt: &AtomicBool) -> Result<Vec<Violation>, String> {
        let checks = Checks { assertions: true, ..Checks::default() };
        let (Some(constants), Some(step)) = (&self.constants, self.steps[..self.at].last()) else {
            return Ok(vec![]);
        };
        let eval = Evaluator::new(&self.model, &self.scope).with_interrupt(interrupt);
        if let Some(state) = &step.state {
            return violations(&eval, constants, state, &checks).map_err(|e| e.message);
        }
        let before = self.steps[..self.at - 1].last().and_then(|s| s.state.clone()).unwrap_or_default();
        let outcome = eval.execute(constants, &before, step.event, &step.execution).map_err(|e| e.message)?;
        Ok(Violation::of_step(&outcome).into_iter().collect())
    }

    /// Returns a random number below another one.
    pub fn throw(&mut self, below: usize) -> usize {
        // Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
        self.dice = self.dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.dice;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below.max(1) as u64) as usize
    }
}
