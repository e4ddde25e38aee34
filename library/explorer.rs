//! States and steps, computed by the reference evaluator.

use std::collections::BTreeMap;
use std::sync::Arc;

use bsym_language::load::{check_expression, check_predicate};
use bsym_language::model::Model;
use bsym_language::render::render_line;
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::{Edge, Edges, Outcome};
use bsym_semantics::value::env::Env;

use crate::Error;
use crate::answer::{State, Step, named_step, state};

/// The states and steps of a machine in a finite scope, one by one.
#[derive(Clone, Debug)]
pub struct Explorer {
    model: Arc<Model>,
    scope: Scope,
}

/// The steps from a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Successors {
    /// The steps, in the order of the events.
    pub steps: Vec<Step>,
    /// Why steps may be missing; empty if none is.
    pub incomplete: Vec<String>,
}

impl Explorer {
    pub(crate) fn new(model: Arc<Model>, scope: Scope) -> Explorer {
        Explorer { model, scope }
    }

    /// Returns the initial states for all values of the constants.
    ///
    /// # Errors
    /// The values of the constants or the initial states cannot all be listed.
    pub fn initial_states(&self) -> Result<Vec<State>, Error> {
        with_large_stack(|| {
            let eval = Evaluator::new(&self.model, &self.scope);
            let valuations = eval.constants(&BTreeMap::new());
            if let Some(error) = valuations.incomplete {
                return Err(Error::NoValue(error.message));
            }
            let mut found: Vec<State> = vec![];
            for constants in &valuations.found {
                let Edges { edges, incomplete } = eval.initial_states(constants);
                if let Some((_, error)) = incomplete.into_iter().next() {
                    return Err(Error::NoValue(error.message));
                }
                let states = edges.iter().filter_map(Edge::state);
                found.extend(states.map(|values| state(&eval, &self.model, constants, values)));
            }
            found.dedup();
            Ok(found)
        })
    }

    /// Returns the steps from a state.
    pub fn successors(&self, from: &State) -> Successors {
        with_large_stack(|| {
            let eval = Evaluator::new(&self.model, &self.scope);
            let Edges { edges, incomplete } = eval.successors(&from.constants, &from.values);
            let step = |edge: &Edge| {
                let reached = match &edge.outcome {
                    Outcome::Reached { state: values, .. } => {
                        Some(state(&eval, &self.model, &from.constants, values))
                    }
                    _ => None,
                };
                let event = edge.event.map(|e| e.index());
                named_step(&eval, &self.model, event, &edge.execution.parameters, reached)
            };
            Successors {
                steps: edges.iter().map(step).collect(),
                incomplete: incomplete.into_iter().map(|(_, error)| error.message).collect(),
            }
        })
    }

    /// Returns the value of an expression or predicate of classical B in a state, as text.
    ///
    /// # Errors
    /// The formula has a mistake, or no value.
    pub fn eval(&self, state: &State, formula: &str) -> Result<String, Error> {
        with_large_stack(|| {
            let mut model = Model::clone(&self.model);
            let env = Env::new(&state.constants, &state.values);
            let no_value = |error: bsym_semantics::error::EvalError| Error::NoValue(error.message);
            match check_expression(&mut model, formula) {
                Ok(expression) => {
                    let eval = Evaluator::new(&model, &self.scope);
                    Ok(eval.text(&eval.expr(&env, &expression).map_err(no_value)?))
                }
                Err(of_expression) => match check_predicate(&mut model, formula) {
                    Ok(predicate) => {
                        let eval = Evaluator::new(&model, &self.scope);
                        let truth = eval.pred(&env, &predicate).map_err(no_value)?;
                        Ok(if truth { "TRUE" } else { "FALSE" }.into())
                    }
                    Err(_) => {
                        let lines = of_expression.iter().map(|d| render_line(&model.text.sources, d));
                        Err(Error::Rejected(lines.collect()))
                    }
                },
            }
        })
    }
}
