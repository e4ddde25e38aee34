//! Facts about events that follow each other, whatever came before: a static analysis of enabling, asked pair by pair
//! when a pair is met for the first time, and longer sequences that are learned from failing ones.
//!
//! Everything here is about paths whose states satisfy the assumed conjuncts, but for the last one, and are pairwise
//! different: a shortest path to a violation is one of them. A succession that is not decided in time counts as
//! possible, so that nothing is lost.

use std::collections::{HashMap, HashSet};

use bsym_encodings::session::{Session, SolverError, Statistics};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::EventId;

use crate::outcome::Work;
use crate::paths::uniqueness::different;
use crate::problem::{Decided, Open, Problem, decide};
use crate::tree::commuting;
use crate::tuning::tuning;

/// Relation of an event to the one directly before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follows {
    /// In no state.
    Never,
    /// Not known.
    Maybe,
    /// After the first the second is always enabled.
    Always,
    /// It may, but the two in the other order reach the same states, and that order is searched.
    Swapped,
}

/// Facts known about successions of events.
#[derive(Debug)]
pub struct Successions {
    /// Paths from any state.
    session: Session,
    /// States of which the facts are asserted.
    states: usize,
    pairs: HashMap<(EventId, EventId), Follows>,
    /// Sequences of three events and more that no path has.
    impossible: HashSet<Vec<EventId>>,
}

impl Successions {
    /// Begins with nothing known.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &Problem, open: &mut Open<'_>) -> Result<Successions, SolverError> {
        let session = problem.session(open)?;
        Ok(Successions { session, states: 0, pairs: HashMap::new(), impossible: HashSet::new() })
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        self.session.statistics()
    }

    /// Returns whether the last event of a sequence may come after those before it.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn last_of(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
    ) -> Result<Follows, SolverError> {
        let [.., first, second] = *events else { return Ok(Follows::Maybe) };
        let pair = self.pair(problem, work, first, second)?;
        let known = |n: usize| self.impossible.contains(&events[events.len() - n..]);
        if (3..=events.len().min(tuning().tree.longest_core)).any(known) {
            return Ok(Follows::Never);
        }
        Ok(pair)
    }

    fn pair(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        first: EventId,
        second: EventId,
    ) -> Result<Follows, SolverError> {
        if let Some(&known) = self.pairs.get(&(first, second)) {
            return Ok(known);
        }
        let steps = [first, second];
        let found = if self.is_impossible(problem, work, &steps)? {
            Follows::Never
        } else if second < first && self.is_swapped(problem, work, first, second)? {
            Follows::Swapped
        } else if self.is_guaranteed(problem, work, first, second)? {
            Follows::Always
        } else {
            Follows::Maybe
        };
        self.pairs.insert((first, second), found);
        Ok(found)
    }

    /// Learns from a sequence that no path from an initial state has: `core` are the positions of the steps that
    /// contradict each other. Where these are the last steps, they may do so after any others.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn learn(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
        core: &HashSet<usize>,
    ) -> Result<(), SolverError> {
        let mut begin = events.len();
        while begin > 0 && core.contains(&(begin - 1)) {
            begin -= 1;
        }
        let segment = &events[begin..];
        if begin > 0
            && (3..=tuning().tree.longest_core).contains(&segment.len())
            && self.is_impossible(problem, work, segment)?
        {
            self.impossible.insert(segment.to_vec());
        }
        Ok(())
    }

    /// Asserts what is true of every state, up to the `last`.
    fn reach(&mut self, problem: &mut Problem, last: usize) -> Result<(), SolverError> {
        while self.states <= last {
            for fact in problem.facts_in(self.states) {
                self.session.assert(fact)?;
            }
            self.states += 1;
        }
        Ok(())
    }

    /// The steps from any state, those before the last in good states.
    fn path(&mut self, problem: &mut Problem, steps: &[EventId]) -> Result<Vec<Term>, SolverError> {
        self.reach(problem, steps.len())?;
        let mut path = vec![];
        for (k, event) in steps.iter().enumerate() {
            path.push(problem.assumed_in(k));
            path.push(step(problem, *event, k));
        }
        Ok(path)
    }

    fn is_unsat(&mut self, asked: &[Term], work: &mut Work<'_, '_>) -> Result<bool, SolverError> {
        let decided = work
            .with_query(tuning().tree.succession)
            .ask(|budget| decide(&mut self.session, asked, budget))?;
        Ok(matches!(decided, Decided::Unsat(_)))
    }

    /// Returns whether no path has these steps, or only one that comes back to a state.
    fn is_impossible(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        steps: &[EventId],
    ) -> Result<bool, SolverError> {
        let mut path = self.path(problem, steps)?;
        for j in 1..=steps.len() {
            path.extend((0..j).map(|i| different(problem, i, j)));
        }
        self.is_unsat(&path, work)
    }

    /// Returns whether `second` is enabled in every good state after `first`. Only asked of a guard without inputs,
    /// which needs no quantifier.
    fn is_guaranteed(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        first: EventId,
        second: EventId,
    ) -> Result<bool, SolverError> {
        let event = &problem.system.events[second.index()];
        let Some(guard) = event.guard.filter(|_| event.inputs.is_empty()) else { return Ok(false) };
        let terms = problem.terms();
        let mut asked = self.path(problem, &[first])?;
        asked.push(problem.assumed_in(1));
        asked.push(terms.not(problem.unrolling.state(guard, 1)));
        self.is_unsat(&asked, work)
    }

    /// Returns whether `second` and then `first` reach all states that `first` and then `second` reach.
    fn is_swapped(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        first: EventId,
        second: EventId,
    ) -> Result<bool, SolverError> {
        match commuting::otherwise_reached(problem, first, second) {
            Some(Terms::TRUE) => Ok(true),
            None => Ok(false),
            Some(other_order) => {
                let terms = problem.terms();
                let mut asked = self.path(problem, &[first, second])?;
                asked.push(terms.not(other_order));
                self.is_unsat(&asked, work)
            }
        }
    }
}

/// The before-after predicate of an event, for the step after `k` others. `false` where it has none.
pub fn step(problem: &mut Problem, event: EventId, k: usize) -> Term {
    match problem.system.events[event.index()].relation {
        Some(relation) => problem.unrolling.step(relation, k),
        None => Terms::FALSE,
    }
}
