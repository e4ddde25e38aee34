//! Deep counterexamples: violations that are reached after many rounds of a cycle of events.
//!
//! The states are visited breadth first by the evaluator. Where the last events led back to a state that differs in
//! integers only, they are a cycle, and [`acceleration`](bsym_semantics::acceleration) says how often it can be repeated
//! and when a guard or a property changes its truth value on the way. The states around these rounds are visited next,
//! whether they are ten rounds away or a thousand million. A trace leaves the rounds in between out and is replayed as
//! any other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bsym_encodings::budget::Stopped;
use bsym_language::int::Int;
use bsym_language::model::{EventId, Model, Pred};
use bsym_language::types::Type;
use bsym_semantics::acceleration::growth::{Growth, after_rounds, difference};
use bsym_semantics::acceleration::linear::{Rounds, Until};
use bsym_semantics::acceleration::{Accelerator, Cycle, Taken};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::replay::violations;
use bsym_semantics::trace::{Repeat, Step, Trace};
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::verdict::Counterexample;

use crate::excluded::Excluded;
use crate::options::Job;
use crate::outcome::{Outcome, Work};
use crate::paths::counterexample::{Attempt, confirm, looked_for};
use crate::problem::Existence;
use crate::small_scopes::{evaluate_in, scopes, steps_from, valuations, way_to};
use crate::tuning::tuning;

/// Returns whether a model can have deep counterexamples of this form: it has integers, or functions to them, that
/// change.
pub(crate) fn is_possible(model: &Model) -> bool {
    let is_table = |ty: &Type| match ty {
        Type::Pow(couple) => matches!(&**couple, Type::Pair(_, to) if **to == Type::Int),
        _ => false,
    };
    model.variables.iter().any(|v| v.ty == Type::Int || is_table(&v.ty))
}

/// Looks for violations that are not known yet. `existence`: an initial state that a solver found, which may have
/// constants that no enumeration reaches.
pub(crate) fn run(
    job: &Job,
    excluded: &Excluded,
    existence: Option<&Existence>,
    work: &mut Work<'_, '_>,
) -> Outcome {
    let mut starts: Vec<(Scope, Option<Constants>)> = vec![];
    if let Some(Existence::Shown(trace)) = existence {
        starts.push((trace.scope.clone(), Some(trace.constants.clone())));
    }
    starts.extend(scopes(&job.model, &job.scope).take(tuning().deep.scopes).map(|scope| (scope, None)));
    for (scope, constants) in starts {
        let (cuts, budget) = (Cuts::default(), job.budget.clone());
        let found = evaluate_in(&job.model, &scope, &budget, &cuts, |eval| {
            let all = match constants {
                Some(constants) => vec![constants],
                None => valuations(eval, tuning().deep.valuations),
            };
            all.into_iter().find_map(|constants| {
                let mut search = Search::new(job, excluded, eval, constants);
                search.run(&mut || work.check())
            })
        });
        if let Some(found) = found {
            return Outcome::Violated(found);
        }
        if let Err(stopped) = work.check() {
            return Outcome::Unknown(stopped.into());
        }
    }
    Outcome::Unknown(Stopped::Incomplete("no deep counterexample of a few cycles".into()).into())
}

/// A state with the step that led to it.
struct Visited {
    step: Step,
    before: Option<usize>,
    /// Length of the cycle of which rounds are left out before the step, and their number.
    repeat: Option<(usize, Int)>,
    /// Number of events on the way here.
    events: Int,
    /// Cycles that end here.
    cycles: Vec<(Vec<Option<EventId>>, Vec<Growth>)>,
}

fn int(n: usize) -> Int {
    Int::from(i64::try_from(n).unwrap_or(i64::MAX))
}

struct Search<'s> {
    job: &'s Job,
    excluded: &'s Excluded,
    eval: &'s Evaluator<'s>,
    constants: Constants,
    accelerator: Accelerator<'s>,
    /// Predicates whose truth values matter.
    watched: Vec<Pred>,
    known: BTreeMap<State, usize>,
    visited: Vec<Visited>,
    queue: VecDeque<usize>,
    transitions: usize,
    found: Option<Box<Counterexample>>,
}

impl<'s> Search<'s> {
    fn new(
        job: &'s Job,
        excluded: &'s Excluded,
        eval: &'s Evaluator<'s>,
        constants: Constants,
    ) -> Search<'s> {
        let mut accelerator = Accelerator::new(&job.model);
        let model = &job.model;
        let mut watched = accelerator.guards();
        watched.extend(model.invariant.iter().chain(&model.assertions).map(|c| c.pred.clone()));
        watched.extend(model.definitions.goal.clone());
        Search {
            job,
            excluded,
            eval,
            constants,
            accelerator,
            watched,
            known: BTreeMap::new(),
            visited: vec![],
            queue: VecDeque::new(),
            transitions: 0,
            found: None,
        }
    }

    /// Visits states until a violation is found, or a limit is reached.
    fn run(&mut self, check: &mut dyn FnMut() -> Result<(), Stopped>) -> Option<Box<Counterexample>> {
        let mut from = None;
        loop {
            self.expand(from);
            if self.found.is_some() || self.transitions > tuning().deep.transitions || check().is_err() {
                return self.found.take();
            }
            from = Some(self.queue.pop_front()?);
        }
    }

    /// Visits the successors of a state, or the initial states.
    fn expand(&mut self, from: Option<usize>) {
        let state = from.map(|i| self.visited[i].step.state.clone().unwrap_or_default());
        let steps = steps_from(self.eval, &self.constants, state.as_deref(), tuning().deep.branches);
        self.transitions += steps.len();
        for step in steps {
            if let Some(new) = self.visit(step, from, None)
                && self.found.is_none()
            {
                self.accelerate(new);
            }
        }
    }

    /// Visits what a step leads to. Returns its position if it is a new state.
    fn visit(&mut self, step: Step, before: Option<usize>, repeat: Option<(usize, Int)>) -> Option<usize> {
        let position = self.visited.len();
        let wrong = match &step.state {
            Some(state) if self.known.contains_key(state) => return None,
            Some(state) => {
                self.known.insert(state.clone(), position);
                violations(self.eval, &self.constants, state, &looked_for(self.job))
                    .map_or(true, |v| !v.is_empty())
            }
            None => true,
        };
        let is_end = step.state.is_none();
        let events = before.map_or(Int::ZERO, |before| {
            let next = &self.visited[before].events + &Int::ONE;
            repeat.iter().fold(next, |sum, (length, rounds)| &sum + &(rounds * &int(*length)))
        });
        let is_within = self.job.depth.is_none_or(|limit| events <= int(limit));
        self.visited.push(Visited { step, before, repeat, events, cycles: vec![] });
        if wrong
            && is_within
            && self.found.is_none()
            && let Attempt::Found(found) = confirm(self.job, self.trace(position))
            && self.excluded.lacks(self.job, &found)
        {
            self.found = Some(found);
        }
        if is_end || !is_within {
            return None;
        }
        self.queue.push_back(position);
        Some(position)
    }

    /// Looks for cycles that end in a state, and visits what their rounds lead to.
    fn accelerate(&mut self, end: usize) {
        let mut steps: Vec<usize> = vec![];
        let mut at = end;
        while steps.len() < tuning().deep.cycle {
            let Visited { before: Some(before), repeat: None, .. } = &self.visited[at] else { return };
            steps.insert(0, at);
            at = *before;
            self.cycle(at, &steps);
            if self.found.is_some() {
                return;
            }
        }
    }

    fn cycle(&mut self, start: usize, steps: &[usize]) {
        let end = steps[steps.len() - 1];
        let state = |i: usize| self.visited[i].step.state.clone();
        let (Some(first), Some(last)) = (state(start), state(end)) else { return };
        let Some(added) = difference(&first, &last).filter(|added| !added.iter().all(Growth::is_none)) else {
            return;
        };
        let word = steps.iter().map(|&i| self.visited[i].step.event).collect();
        let cycle = (word, added);
        // The rounds of a cycle that has been here were looked at.
        let is_known = self.visited[start].cycles.contains(&cycle);
        self.visited[end].cycles.push(cycle);
        if is_known {
            return;
        }
        let round: Vec<Step> = steps.iter().map(|&i| self.visited[i].step.clone()).collect();
        let taken: Vec<Taken<'_>> = round.iter().filter_map(Step::taken).collect();
        let found = self.accelerator.cycle(self.eval, &self.constants, &first, &taken);
        let Some(cycle) = found else { return };
        for rounds in self.rounds(&round, &cycle) {
            self.jump(end, &round, &cycle, &rounds);
            if self.found.is_some() {
                return;
            }
        }
    }

    /// The rounds around which something changes, in their order, the second and later ones.
    fn rounds(&self, round: &[Step], cycle: &Cycle) -> Vec<Int> {
        let mut all = BTreeSet::new();
        let mut around = |until: &Until| {
            if let Until::Round(last) = until {
                all.extend([last.clone(), last + &Int::ONE]);
            }
        };
        around(&cycle.until);
        for state in round.iter().filter_map(|step| step.state.as_ref()) {
            let rounds = Rounds::new(self.eval, &self.constants, state, &cycle.added);
            self.watched.iter().filter_map(|p| rounds.truth(p)).for_each(|truth| around(&truth.until));
        }
        let is_possible = |n: &Int| match &cycle.until {
            // All rounds before it are possible.
            Until::Round(last) => *n <= last + &Int::ONE,
            Until::Forever => true,
        };
        let later = Int::from(2);
        all.into_iter().filter(|n| *n >= later && is_possible(n)).take(tuning().deep.rounds).collect()
    }

    /// Visits the states of a round, of which those between it and the first are left out.
    fn jump(&mut self, end: usize, round: &[Step], cycle: &Cycle, number: &Int) {
        let left_out = number - &Int::ONE;
        let mut repeat = Some((round.len(), left_out.clone()));
        let Some(mut state) =
            self.visited[end].step.state.as_ref().and_then(|s| after_rounds(s, &cycle.added, &left_out))
        else {
            return;
        };
        let mut before = end;
        for step in round {
            let Some(wanted) = step.state.as_ref().and_then(|s| after_rounds(s, &cycle.added, number)) else {
                return;
            };
            let Some(edge) = self.eval.edge_to(step.event, &self.constants, &state, &wanted) else { return };
            let step = Step { event: edge.event, execution: edge.execution, state: Some(wanted.clone()) };
            before = match self.known.get(&wanted) {
                // Visited on another way, which is not continued here.
                Some(_) => return,
                None => match self.visit(step, Some(before), repeat.take()) {
                    Some(new) => new,
                    None => return,
                },
            };
            if self.found.is_some() {
                return;
            }
            state = wanted;
        }
    }

    /// The way to a state.
    fn trace(&self, last: usize) -> Trace {
        let way = way_to(last, |i| self.visited[i].before);
        let repeats = way.iter().enumerate().filter_map(|(before, &i)| {
            let (length, rounds) = self.visited[i].repeat.clone()?;
            Some(Repeat { before, length, rounds })
        });
        let repeats = repeats.collect();
        let steps = way.iter().map(|&i| self.visited[i].step.clone()).collect();
        Trace { scope: self.eval.scope.clone(), constants: self.constants.clone(), steps, repeats }
    }
}
