//! Forward simulation between a refinement and its abstractions, by its definition, state by state.
//!
//! An abstract state is one of all abstract levels: the part of a state of [`SideBySide::model`] behind the
//! refinement's own variables. It is related to a state of the refinement if the gluing invariants hold and if steps of
//! the abstractions reach it that match those of the refinement: the same operations with the same arguments and
//! results. The refinement is simulated as long as there is a related state (B-Book, 11.2; sets of states as in the
//! subset construction, so that a choice which the abstraction makes early and the refinement late is no fault).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::model::{ComponentId, Convergence, Event, EventId, SideBySide, SubstKind};

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::transition::Outcome;
use crate::transition::state::State;
use crate::value::Value;
use crate::value::env::Env;

/// A step of a refinement as its environment sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s> {
    /// The event.
    pub event: EventId,
    /// Its arguments; those that the abstract operation does not have are ignored.
    pub parameters: &'s [Value],
    /// Its results.
    pub results: &'s [Value],
}

/// Abstract states after a step of the refinement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Following {
    /// The abstract states that are related to the one reached; an empty set means that the step refines nothing.
    States(BTreeSet<State>),
    /// In some abstract state the call is not allowed, or the abstract operation may do anything: the refinement owes
    /// nothing.
    Free,
}

/// States of all levels that a step leads to, whether or not the gluing invariants hold in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ways {
    /// The states.
    States(BTreeSet<State>),
    /// As [`Following::Free`].
    Free,
}

/// A gluing conjunct that no abstract state satisfies together with a state of the refinement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FalseGluing {
    /// The conjunct, by position in the invariant of the model of all levels.
    pub conjunct: usize,
    /// The state of all levels in which it is false: the only one, or the one with the fewest false conjuncts.
    pub state: Option<State>,
}

/// The levels of a refinement under a valuation of the constants.
pub struct Levels<'e, 'm> {
    /// An evaluator of the model of all levels.
    pub eval: &'e Evaluator<'m>,
    /// The model of all levels, and the level that each of its parts belongs to.
    pub parts: &'e SideBySide,
    /// The valuation.
    pub constants: &'e [Value],
}

impl Levels<'_, '_> {
    /// Number of variables of the refinement.
    pub fn concrete(&self) -> usize {
        self.parts.levels.first().map_or(self.parts.model.variables.len(), |level| level.variables.start)
    }

    /// Returns the abstract states that are related to an initial state of the refinement.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn initial(&self, concrete: &[Value]) -> Eval<BTreeSet<State>> {
        self.glued(self.initial_ways(concrete)?, concrete.len())
    }

    /// Returns the initial states of all levels with this state of the refinement, whether or not the gluing invariants
    /// hold.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn initial_ways(&self, concrete: &[Value]) -> Eval<BTreeSet<State>> {
        let edges = self.eval.initial_states(self.constants);
        if let Some((_, why)) = edges.incomplete.into_iter().next() {
            return Err(why);
        }
        let mut ways = BTreeSet::new();
        for edge in edges.edges {
            let Outcome::Reached { state, .. } = edge.outcome else { continue };
            if state[..concrete.len()] == *concrete {
                ways.insert(state);
            }
        }
        Ok(ways)
    }

    /// Returns the abstract states that are related to the state that a step leads to.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn follow(
        &self,
        before: &[Value],
        related: &BTreeSet<State>,
        seen: Seen<'_>,
        after: &[Value],
    ) -> Eval<Following> {
        match self.ways(before, related, seen, after)? {
            Ways::Free => Ok(Following::Free),
            Ways::States(ways) => Ok(Following::States(self.glued(ways, after.len())?)),
        }
    }

    /// Returns the states of all levels that a step leads to, whether or not the gluing invariants hold.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn ways(
        &self,
        before: &[Value],
        related: &BTreeSet<State>,
        seen: Seen<'_>,
        after: &[Value],
    ) -> Eval<Ways> {
        let followed = self.parts.operations[seen.event.index()].as_ref();
        let mut reached = BTreeSet::new();
        for state in related {
            let here: State = before.iter().chain(state).cloned().collect();
            let mut ways = vec![here.clone()];
            if let Some(followed) = followed {
                let arguments = &seen.parameters[..followed.parameters];
                if let Some(precondition) = followed.precondition
                    && self.executions(precondition, arguments, &here)?.is_empty()
                {
                    return Ok(Ways::Free);
                }
                for (level, by) in self.parts.levels.iter().zip(&followed.by) {
                    let Some(by) = *by else { continue };
                    let mut next = BTreeSet::new();
                    for outcome in self.executions(by, arguments, &here)? {
                        match outcome {
                            Outcome::Reached { state, results } if results == seen.results => {
                                next.insert(state[level.variables.clone()].to_vec());
                            }
                            Outcome::Reached { .. } | Outcome::Disabled { .. } => {}
                            _ => return Ok(Ways::Free),
                        }
                    }
                    let put = |way: &State, part: &State| {
                        let mut way = way.clone();
                        way[level.variables.clone()].clone_from_slice(part);
                        way
                    };
                    ways = ways.iter().flat_map(|way| next.iter().map(move |part| put(way, part))).collect();
                }
            }
            for mut way in ways {
                way[..after.len()].clone_from_slice(after);
                reached.insert(way);
            }
        }
        Ok(Ways::States(reached))
    }

    /// Returns whether an operation of the refinement must not abort with these arguments: in each of the related
    /// states the preconditions of the abstractions hold and no abstract operation can abort. `false` for an operation
    /// that no abstraction has, because nothing is owed for it.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn must_end(
        &self,
        before: &[Value],
        related: &BTreeSet<State>,
        event: EventId,
        parameters: &[Value],
    ) -> Eval<bool> {
        let Some(followed) = self.parts.operations[event.index()].as_ref() else { return Ok(false) };
        let arguments = &parameters[..followed.parameters];
        for state in related {
            let here: State = before.iter().chain(state).cloned().collect();
            if let Some(precondition) = followed.precondition
                && self.executions(precondition, arguments, &here)?.is_empty()
            {
                return Ok(false);
            }
            for by in followed.by.iter().flatten() {
                let aborts = |o: &Outcome| !matches!(o, Outcome::Reached { .. } | Outcome::Disabled { .. });
                if self.executions(*by, arguments, &here)?.iter().any(aborts) {
                    return Ok(false);
                }
            }
        }
        Ok(!related.is_empty())
    }

    /// Returns whether the initialisation of an abstraction can abort, so that nothing is owed for that of the
    /// refinement.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn abstract_initialisation_aborts(&self) -> Eval<bool> {
        let mut model = self.parts.model.clone();
        let span = model.initialisation.span;
        let SubstKind::Sequence(all) = &model.initialisation.kind else { return Ok(false) };
        // The first part is the initialisation of the refinement.
        let body = SubstKind::Sequence(all.iter().skip(1).cloned().collect()).at(span);
        let event = Event {
            name: "INITIALISATION".into(),
            parameters: vec![],
            results: vec![],
            body,
            origin: ComponentId(0),
            convergence: Convergence::Ordinary,
            refines: vec![],
            span,
        };
        let id = EventId(model.events.len() as u32);
        model.events.push(event);
        // It writes every variable that it reads, so the state before makes no difference.
        let before: State = model.variables.iter().map(|v| self.eval.some_value(&v.ty)).collect();
        let eval = Evaluator { model: &model, finder: None, ..*self.eval };
        let mut aborts = false;
        let _rest = eval.each_edge_with(id, &[], self.constants, &before, &mut |edge| {
            aborts |= edge.state().is_none();
            if aborts { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(aborts)
    }

    /// Returns the gluing conjuncts that prevent these states of all levels from being related: those that are false in
    /// each state; if there are none, those that are false in the state with the fewest.
    pub fn false_gluing(&self, ways: &BTreeSet<State>) -> Vec<FalseGluing> {
        let invariant = &self.parts.model.invariant;
        let false_in = |state: &State| -> BTreeSet<usize> {
            let env = Env::new(self.constants, state);
            let is_false = |i: &usize| self.eval.pred(&env, &invariant[*i].pred) == Ok(false);
            (0..invariant.len()).filter(is_false).collect()
        };
        let all: Vec<(&State, BTreeSet<usize>)> = ways.iter().map(|way| (way, false_in(way))).collect();
        let common = all.iter().map(|(_, found)| found.clone()).reduce(|l, r| &l & &r).unwrap_or_default();
        let single = all.len() == 1;
        if !common.is_empty() {
            let state = |_| single.then(|| all[0].0.clone());
            return common.into_iter().map(|conjunct| FalseGluing { conjunct, state: state(()) }).collect();
        }
        let Some((state, found)) = all.iter().min_by_key(|(_, found)| found.len()) else { return vec![] };
        found.iter().map(|&conjunct| FalseGluing { conjunct, state: Some((*state).clone()) }).collect()
    }

    /// Returns arguments with which the abstractions allow an operation in each of the related states without a way to
    /// abort, and the refinement does not allow it.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn narrowed(
        &self,
        before: &[Value],
        related: &BTreeSet<State>,
        event: EventId,
    ) -> Eval<BTreeSet<Vec<Value>>> {
        let followed = self.parts.operations[event.index()].as_ref();
        let Some(narrowed) = followed.and_then(|followed| followed.narrowed) else {
            return Ok(BTreeSet::new());
        };
        let mut common: Option<BTreeSet<Vec<Value>>> = None;
        for state in related {
            let here: State = before.iter().chain(state).cloned().collect();
            let edges = self.eval.successors_of(narrowed, self.constants, &here);
            if let Some((_, why)) = edges.incomplete.into_iter().next() {
                return Err(why);
            }
            let mut arguments = BTreeSet::new();
            for edge in edges.edges {
                match edge.outcome {
                    Outcome::IllDefined(why) => return Err(why),
                    _ => drop(arguments.insert(edge.execution.parameters)),
                }
            }
            common = Some(match common {
                None => arguments,
                Some(known) => known.intersection(&arguments).cloned().collect(),
            });
        }
        let mut owed = BTreeSet::new();
        for arguments in common.unwrap_or_default() {
            if self.must_end(before, related, event, &arguments)? {
                owed.insert(arguments);
            }
        }
        Ok(owed)
    }

    /// Returns those of some abstract states that are related to a state of the refinement.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn glued_beside(&self, concrete: &[Value], states: &BTreeSet<State>) -> Eval<BTreeSet<State>> {
        let ways = states.iter().map(|state| concrete.iter().chain(state).cloned().collect());
        self.glued(ways.collect(), concrete.len())
    }

    /// Tests for arguments with which the abstractions allow an operation in each of the related states without a way
    /// to abort, and the refinement does not allow it.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn is_narrowed(
        &self,
        before: &[Value],
        related: &BTreeSet<State>,
        event: EventId,
        parameters: &[Value],
    ) -> Eval<bool> {
        let followed = self.parts.operations[event.index()].as_ref();
        let Some(narrowed) = followed.and_then(|followed| followed.narrowed) else { return Ok(false) };
        for state in related {
            let here: State = before.iter().chain(state).cloned().collect();
            if self.executions(narrowed, parameters, &here)?.is_empty() {
                return Ok(false);
            }
        }
        self.must_end(before, related, event, parameters)
    }

    /// Returns the abstract parts of those states in which the gluing invariants hold.
    fn glued(&self, ways: BTreeSet<State>, width: usize) -> Eval<BTreeSet<State>> {
        let mut related = BTreeSet::new();
        for mut way in ways {
            if self.is_glued(&way)? {
                related.insert(way.split_off(width));
            }
        }
        Ok(related)
    }

    /// Returns whether the gluing invariants hold.
    fn is_glued(&self, state: &[Value]) -> Eval<bool> {
        let env = Env::new(self.constants, state);
        for conjunct in &self.parts.model.invariant {
            if !self.eval.pred(&env, &conjunct.pred)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All ways to execute an event with these arguments.
    fn executions(
        &self,
        event: EventId,
        arguments: &[Value],
        state: &[Value],
    ) -> Result<Vec<Outcome>, EvalError> {
        let mut outcomes = Vec::new();
        let _every = self.eval.each_edge_with(event, arguments, self.constants, state, &mut |edge| {
            outcomes.push(edge.outcome);
            ControlFlow::Continue(())
        })?;
        match outcomes.iter().find_map(|outcome| match outcome {
            Outcome::IllDefined(why) => Some(why.clone()),
            _ => None,
        }) {
            Some(why) => Err(why),
            None => Ok(outcomes),
        }
    }
}
