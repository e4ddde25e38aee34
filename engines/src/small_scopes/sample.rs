//! A few states that the evaluator reaches, looked at before anything rests on trust.
//!
//! Claims that no solver decides are often wrong a few events away from an initial state. Where an answer would rest on
//! unconfirmed proof status, the first states of the machine are visited breadth first, in the scope of the claim or in
//! small ones that it covers, and judged. A number of transitions ends that, not a clock.

use std::collections::{BTreeSet, VecDeque};

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::replay::violations;
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::verdict::Counterexample;

use crate::options::Job;
use crate::paths::counterexample::{Attempt, confirm, looked_for};
use crate::small_scopes::{evaluate_in, scopes, steps_from, valuations, way_to};
use crate::tuning::tuning;

/// Looks for a violation of what is asked among the first states, as long as it may go on.
pub fn violation(
    job: &Job,
    scope: &Scope,
    may_go_on: &mut dyn FnMut() -> bool,
) -> Option<Box<Counterexample>> {
    scopes(&job.model, scope).take(tuning().sample.scopes).find_map(|scope| {
        evaluate_in(&job.model, &scope, &job.budget, &Cuts::default(), |eval| {
            valuations(eval, tuning().sample.valuations)
                .into_iter()
                .find_map(|constants| search(job, eval, constants, may_go_on))
        })
    })
}

/// A state with the step that led to it, and the position of the one before.
struct Visited {
    step: Step,
    before: Option<usize>,
}

fn search(
    job: &Job,
    eval: &Evaluator<'_>,
    constants: Constants,
    may_go_on: &mut dyn FnMut() -> bool,
) -> Option<Box<Counterexample>> {
    let mut known: BTreeSet<State> = BTreeSet::new();
    let mut visited: Vec<Visited> = vec![];
    let mut queue: VecDeque<(usize, usize)> = VecDeque::new();
    let mut transitions = 0usize;
    // The state before the initialisation comes first.
    let mut next: Option<(Option<usize>, usize)> = Some((None, 0));
    while let Some((from, depth)) = next {
        let state = from.map(|i| visited[i].step.state.clone().unwrap_or_default());
        let steps = steps_from(eval, &constants, state.as_deref(), tuning().sample.branches);
        transitions += steps.len();
        for step in steps {
            let wrong = match &step.state {
                Some(state) if !known.insert(state.clone()) => continue,
                Some(state) => {
                    let found = violations(eval, &constants, state, &looked_for(job));
                    found.map_or(true, |found| !found.is_empty())
                }
                None => true,
            };
            visited.push(Visited { step, before: from });
            let last = visited.len() - 1;
            if !wrong {
                queue.push_back((last, depth + 1));
                continue;
            }
            let steps = way_to(last, |i| visited[i].before).into_iter().map(|i| visited[i].step.clone());
            let trace = Trace::new(eval.scope.clone(), constants.clone(), steps.collect());
            if let Attempt::Found(found) = confirm(job, trace) {
                return Some(found);
            }
        }
        let within = |depth: usize| job.depth.is_none_or(|limit| depth <= limit);
        next = queue
            .pop_front()
            .filter(|&(_, depth)| transitions < tuning().sample.transitions && within(depth) && may_go_on())
            .map(|(i, depth)| (Some(i), depth));
    }
    None
}
