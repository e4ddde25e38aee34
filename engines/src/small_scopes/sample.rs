//! A few states that the evaluator reaches, looked at before anything rests on trust.
//!
//! Claims that no solver decides are often wrong a few events away from an initial state. Where an answer would rest on
//! unconfirmed proof status, the first states of the machine are visited breadth first, in the scope of the claim or in
//! small ones that it covers, and judged. A number of transitions ends that, not a clock.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use bsym_language::model::EventId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::replay::violations;
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::verdict::Counterexample;

use crate::options::Job;
use crate::paths::counterexample::{Attempt, confirm, looked_for};
use crate::small_scopes::{evaluate_in, scopes, valuations};
use crate::tuning::tuning;

/// Looks for a violation of what is asked among the first states.
pub fn violation(job: &Job, scope: &Scope) -> Option<Box<Counterexample>> {
    scopes(&job.model, scope).take(tuning().sample.scopes).find_map(|scope| {
        evaluate_in(&job.model, &scope, &job.budget, &Cuts::default(), |eval| {
            valuations(eval, tuning().sample.valuations)
                .into_iter()
                .find_map(|constants| search(job, eval, constants))
        })
    })
}

/// A state with the step that led to it, and the position of the one before.
struct Visited {
    step: Step,
    before: Option<usize>,
}

fn search(job: &Job, eval: &Evaluator<'_>, constants: Constants) -> Option<Box<Counterexample>> {
    let mut known: BTreeMap<State, usize> = BTreeMap::new();
    let mut visited: Vec<Visited> = vec![];
    let mut queue: VecDeque<(usize, usize)> = VecDeque::new();
    let mut transitions = 0usize;
    // The state before the initialisation comes first.
    let mut next: Option<(Option<usize>, usize)> = Some((None, 0));
    while let Some((from, depth)) = next {
        let state = from.map_or(vec![], |i| visited[i].step.state.clone().unwrap_or_default());
        let events: Vec<Option<EventId>> = match from {
            None => vec![None],
            Some(_) => (0..job.model.events.len() as u32).map(|e| Some(EventId(e))).collect(),
        };
        for event in events {
            let mut steps = vec![];
            let _ = eval.each_edge(event, &constants, &state, &mut |edge| {
                let state = edge.state().cloned();
                steps.push(Step { event: edge.event, execution: edge.execution, state });
                if steps.len() < tuning().sample.branches {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            transitions += steps.len();
            for step in steps {
                let wrong = match &step.state {
                    Some(state) if known.contains_key(state) => continue,
                    Some(state) => {
                        let found = violations(eval, &constants, state, &looked_for(job));
                        found.map_or(true, |found| !found.is_empty())
                    }
                    None => true,
                };
                if let Some(state) = &step.state {
                    known.insert(state.clone(), visited.len());
                }
                visited.push(Visited { step, before: from });
                let last = visited.len() - 1;
                if !wrong {
                    queue.push_back((last, depth + 1));
                } else if let Attempt::Found(found) =
                    confirm(job, trace(eval.scope, &constants, &visited, last))
                {
                    return Some(found);
                }
            }
        }
        let within = |depth: usize| job.depth.is_none_or(|limit| depth <= limit);
        next = queue
            .pop_front()
            .filter(|&(_, depth)| transitions < tuning().sample.transitions && within(depth))
            .map(|(i, depth)| (Some(i), depth));
    }
    None
}

/// The way to a state.
fn trace(scope: &Scope, constants: &Constants, visited: &[Visited], last: usize) -> Trace {
    let mut steps = vec![];
    let mut at = Some(last);
    while let Some(i) = at {
        steps.push(visited[i].step.clone());
        at = visited[i].before;
    }
    steps.reverse();
    Trace::new(scope.clone(), constants.clone(), steps)
}
