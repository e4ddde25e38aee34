//! The first states that the evaluator meets: samples on which candidates for invariants are tested.
//!
//! They are visited breadth first, under some valuations of the constants, in the scope of the job or in a small one
//! that it covers. A number of transitions ends the visit; the clock only where evaluating takes unusually long. States
//! that cannot be evaluated are left out: the samples only decide what is worth asking a solver.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use bsym_language::model::{EventId, Pred};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::env::Env;

use crate::options::Job;
use crate::small_scopes::{evaluate_in, scopes, valuations};
use crate::tuning::tuning;

/// States that were met.
#[derive(Clone, Debug)]
pub struct FirstStates {
    scope: Scope,
    valuations: Vec<Constants>,
    states: Vec<Met>,
}

/// A state, and the event that led to it (`None`: the initialisation).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Met {
    /// Position of the valuation of the constants.
    valuation: usize,
    /// The event.
    pub event: Option<EventId>,
    /// The state.
    pub state: State,
}

impl FirstStates {
    /// Visits them. `None` where there is no scope to do it in.
    pub fn visit(job: &Job) -> Option<FirstStates> {
        let scope = scopes(&job.model, &job.scope).next()?;
        let scope = scope.near_zero(&job.model).unwrap_or(scope);
        let mut found = FirstStates { scope: scope.clone(), valuations: vec![], states: vec![] };
        evaluate_in(
            &job.model,
            &scope,
            &job.budget.within(tuning().first_states.time),
            &Cuts::default(),
            |eval| {
                let listed = valuations(eval, tuning().first_states.listed);
                let step = listed.len().div_ceil(tuning().first_states.valuations).max(1);
                for constants in listed.into_iter().step_by(step) {
                    found.valuations.push(constants);
                    found.visit_under(job, eval);
                }
            },
        );
        Some(found)
    }

    /// All states, in the order they were met.
    pub fn all(&self) -> &[Met] {
        &self.states
    }

    /// The scope that they were visited in.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The constants in a state.
    pub fn constants(&self, met: &Met) -> &Constants {
        &self.valuations[met.valuation]
    }

    /// For each predicate its truth in at most `most` of the states, spread evenly; `None` where it could not be
    /// evaluated in one of them, or not in time.
    pub fn judge(&self, job: &Job, most: usize, predicates: &[&Pred]) -> Vec<Option<Vec<bool>>> {
        let step = self.states.len().div_ceil(most).max(1);
        let mut verdicts = vec![None; predicates.len()];
        evaluate_in(
            &job.model,
            &self.scope,
            &job.budget.within(tuning().first_states.time),
            &Cuts::default(),
            |eval| {
                for (verdict, pred) in verdicts.iter_mut().zip(predicates) {
                    let states = self.states.iter().step_by(step);
                    *verdict = states
                        .map(|met| eval.pred(&Env::new(self.constants(met), &met.state), pred).ok())
                        .collect::<Option<Vec<bool>>>();
                }
            },
        );
        verdicts
    }

    /// Visits breadth first from the initial states of the last valuation.
    fn visit_under(&mut self, job: &Job, eval: &Evaluator<'_>) {
        let valuation = self.valuations.len() - 1;
        let constants = self.valuations[valuation].clone();
        let mut after = vec![BTreeSet::new(); job.model.events.len() + 1];
        let mut known: BTreeSet<State> = BTreeSet::new();
        let mut queue: VecDeque<State> = VecDeque::new();
        let mut transitions = 0;
        let mut from = Some((vec![], vec![None]));
        while let Some((state, events)) = from {
            for event in events {
                let mut reached = vec![];
                let _ = eval.each_edge(event, &constants, &state, &mut |edge| {
                    reached.extend(edge.state().cloned());
                    if reached.len() < tuning().first_states.branches {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
                transitions += reached.len();
                for next in reached {
                    let after = &mut after[event.map_or(0, |e: EventId| e.index() + 1)];
                    if after.len() < tuning().first_states.after_event && after.insert(next.clone()) {
                        self.states.push(Met { valuation, event, state: next.clone() });
                    }
                    if known.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
            }
            let all = || (0..job.model.events.len() as u32).map(|e| Some(EventId(e))).collect();
            from = queue
                .pop_front()
                .filter(|_| transitions < tuning().first_states.transitions)
                .map(|state| (state, all()));
        }
    }
}
