//! What the abstractions of a refinement can do while it makes a step: forward simulation by its definition, state by state.
//!
//! An abstract state is one of all levels, as the part of a state of [`SideBySide::model`] behind the refinement's own
//! variables. Related to a state of the refinement are those in which the gluing invariants hold and which steps of the
//! abstractions reach that match those of the refinement: the same operations with the same arguments and results. The
//! refinement is simulated as long as there is one (B-Book, 11.2; sets of states as in the subset construction, so that a
//! choice which the abstraction makes early and the refinement late is no fault).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::model::{EventId, SideBySide};

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
    /// Its arguments; those that the abstract operation does not have are left out of account.
    pub parameters: &'s [Value],
    /// Its results.
    pub results: &'s [Value],
}

/// What the abstractions make of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Following {
    /// The abstract states that are related to the one reached; none means that the step refines nothing.
    States(BTreeSet<State>),
    /// In some abstract state the call is not allowed, or the abstract operation may do anything: nothing is owed.
    Free,
}

/// The levels of a refinement under a valuation of the constants.
pub struct Levels<'e, 'm> {
    /// An evaluator of the model of all levels.
    pub eval: &'e Evaluator<'m>,
    /// What belongs to what.
    pub parts: &'e SideBySide,
    /// The valuation.
    pub constants: &'e [Value],
}

impl Levels<'_, '_> {
    /// Number of variables of the refinement.
    pub fn concrete(&self) -> usize {
        self.parts.levels.first().map_or(self.parts.model.variables.len(), |level| level.variables.start)
    }

    /// The abstract states that are related to an initial state of the refinement.
    ///
    /// # Errors
    /// Something could not be evaluated.
    pub fn initial(&self, concrete: &[Value]) -> Eval<BTreeSet<State>> {
        let edges = self.eval.initial_states(self.constants);
        if let Some((_, why)) = edges.incomplete.into_iter().next() {
            return Err(why);
        }
        let mut related = BTreeSet::new();
        for edge in edges.edges {
            let Outcome::Reached { state, .. } = edge.outcome else { continue };
            if state[..concrete.len()] == *concrete && self.is_glued(&state)? {
                related.insert(state[concrete.len()..].to_vec());
            }
        }
        Ok(related)
    }

    /// The abstract states that are related to the state that a step leads to.
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
                    return Ok(Following::Free);
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
                            _ => return Ok(Following::Free),
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
                if self.is_glued(&way)? {
                    reached.insert(way.split_off(after.len()));
                }
            }
        }
        Ok(Following::States(reached))
    }

    /// Arguments with which the abstractions allow an operation in each of the related states, and the refinement does not.
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
        Ok(common.unwrap_or_default())
    }

    /// Whether what glues the levels together is true.
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
