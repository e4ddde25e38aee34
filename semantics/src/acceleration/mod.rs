//! Acceleration: many rounds of a cycle of events at once.
//!
//! A cycle that adds the same amounts to some integers, or to values of functions, in every round, and leaves everything else as it was, reaches
//! `s + i·d` after `i` rounds from `s`. Whether it can be repeated so often, and which predicates are true in between,
//! follows from arithmetic in `i` instead of `i` evaluations (Finkel and Leroux: *How to compose Presburger
//! accelerations*, FSTTCS 2002; here for one state and one vector `d`).
//!
//! - [`growth`]: what a round adds to a value
//! - [`linear`]: values and predicates that depend on the number of the round
//! - [`Cycle`]: how often the steps of a trace can be repeated

pub mod growth;
pub mod linear;

use std::collections::BTreeMap;

use bsym_language::int::Int;
use bsym_language::model::paths::{Demand, Path, Walker};
use bsym_language::model::{EventId, LocalId, Model, Pred, VarId};

use crate::evaluator::Evaluator;
use crate::transition::state::{Execution, State};
use crate::tuning::tuning;
use crate::value::Value;
use growth::{Growth, difference};
use linear::{Number, Rounds, Until};

/// The paths through the events of a model, computed when they are asked for.
#[derive(Debug)]
pub struct Accelerator<'m> {
    model: &'m Model,
    paths: BTreeMap<EventId, Option<Vec<Path>>>,
}

/// A step of a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'t> {
    /// The event.
    pub event: EventId,
    /// How it was executed.
    pub execution: &'t Execution,
    /// The state after it.
    pub after: &'t State,
}

/// A cycle of events and what its rounds add.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// What a round adds to each variable; nothing to those that it leaves as they were.
    pub added: Vec<Growth>,
    /// The last round that is possible; that of the steps themselves is round 0.
    pub until: Until,
}

impl<'m> Accelerator<'m> {
    /// Makes an accelerator without computed paths.
    pub fn new(model: &'m Model) -> Accelerator<'m> {
        Accelerator { model, paths: BTreeMap::new() }
    }

    /// Returns how often steps from `start` can be repeated, with the same choices, or with choices that grow as the
    /// variables do. `None` if they are no cycle, or if it is not known that they can be repeated at all.
    pub fn cycle(
        &mut self,
        eval: &Evaluator<'_>,
        constants: &[Value],
        start: &State,
        steps: &[Taken<'_>],
    ) -> Option<Cycle> {
        let added = difference(start, steps.last()?.after)?;
        let (mut until, mut before) = (Until::Forever, start);
        for step in steps {
            let rounds = Rounds::new(eval, constants, before, &added);
            let last = self.step(&rounds, step, &added)?;
            (until, before) = (until.min(last), step.after);
        }
        (until >= Until::Round(Int::ONE)).then_some(Cycle { added, until })
    }

    /// Returns the last round `i` in which a step leads from its state before plus `i·added` to the one after plus `i·added`; `None` if this is not
    /// known even of the first.
    fn step(&mut self, rounds: &Rounds<'_>, step: &Taken<'_>, added: &[Growth]) -> Option<Until> {
        let event = step.event;
        let paths = self.paths.entry(event).or_insert_with(|| paths(self.model, event)).as_ref()?;
        paths.iter().filter_map(|path| along(self.model, rounds, path, step, added)).max()
    }

    /// Returns the guards of all paths through the events that are listed, in terms of the state before and of the choices.
    pub fn guards(&mut self) -> Vec<Pred> {
        let mut all = vec![];
        for event in (0..self.model.events.len() as u32).map(EventId) {
            let paths = self.paths.entry(event).or_insert_with(|| paths(self.model, event));
            all.extend(paths.iter().flatten().flat_map(|path| path.guard.iter().cloned()));
        }
        all
    }
}

/// The first local that represents a choice: no local of the model has its number.
const CHOSEN: LocalId = LocalId(u32::MAX / 8);

fn paths(model: &Model, event: EventId) -> Option<Vec<Path>> {
    let mut ignored = |_: &Path, _: Demand, _: &Pred| {};
    let mut walker = Walker::new(model, tuning().acceleration.paths, CHOSEN, &mut ignored);
    walker.event(Some(event), Path::default()).ok()
}

/// The last round in which a path is one of the step.
fn along(
    model: &Model,
    rounds: &Rounds<'_>,
    path: &Path,
    step: &Taken<'_>,
    added: &[Growth],
) -> Option<Until> {
    let chosen = chosen_values(model, path, step)?;
    let mut ways: Vec<BTreeMap<LocalId, Number>> = vec![BTreeMap::new()];
    for (local, value) in chosen {
        // A choice stays, or grows as one of the variables does.
        let growth: Vec<Int> = match &value {
            Value::Int(_) => {
                let mut growth: Vec<Int> = added.iter().flat_map(Growth::numbers).collect();
                growth.push(Int::ZERO);
                growth.sort();
                growth.dedup();
                growth
            }
            _ => vec![Int::ZERO],
        };
        if ways.len() * growth.len() > tuning().acceleration.ways {
            return None;
        }
        let with = |way: &BTreeMap<LocalId, Number>, by: &Int| {
            let mut way = way.clone();
            way.insert(local, Number::new(&value, &Growth::Number(by.clone()))?);
            Some(way)
        };
        ways = growth.iter().flat_map(|by| ways.iter().filter_map(move |way| with(way, by))).collect();
    }
    ways.into_iter().filter_map(|way| possible(rounds, way, path, step.after, added)).max()
}

/// The last round in which a path with these choices is one of the step.
fn possible(
    rounds: &Rounds<'_>,
    choices: BTreeMap<LocalId, Number>,
    path: &Path,
    after: &State,
    added: &[Growth],
) -> Option<Until> {
    let rounds = rounds.with(choices);
    let mut until = Until::Forever;
    for p in path.guard.iter().chain(&path.evaluated) {
        let truth = rounds.truth(p)?;
        // What is evaluated has a meaning as long as its value is known, whatever that is.
        until = until.min(truth.until);
    }
    if !path.guard.iter().all(|p| rounds.truth(p).is_some_and(|truth| truth.value)) {
        return None;
    }
    for (i, (value, by)) in after.iter().zip(added).enumerate() {
        let wanted = Number::new(value, by)?;
        let reached = match path.values.variables.get(&VarId(i as u32)) {
            Some(e) => rounds.expr(e)?,
            None => rounds.variable(VarId(i as u32))?.into(),
        };
        if reached.number != wanted {
            return None;
        }
        until = until.min(reached.until);
    }
    Some(until)
}

/// The values of the choices of a path in a step; `None` if the step does not tell them.
fn chosen_values(model: &Model, path: &Path, step: &Taken<'_>) -> Option<Vec<(LocalId, Value)>> {
    let parameters = &model.events[step.event.index()].parameters;
    if parameters.len() != step.execution.parameters.len() {
        return None;
    }
    let mut all: Vec<(LocalId, Value)> =
        path.choices.iter().copied().zip(step.execution.parameters.iter().cloned()).collect();
    for (choice, locals) in &path.made {
        let (_, value) = step.execution.choices.iter().find(|(c, _)| c == choice)?;
        let mut value = value.clone();
        // A left-nested couple.
        for &local in locals.iter().skip(1).rev() {
            let Value::Pair(couple) = &value else { return None };
            let (rest, last) = (couple.0.clone(), couple.1.clone());
            all.push((local, last));
            value = rest;
        }
        all.push((*locals.first()?, value));
    }
    (all.len() == path.choices.len()).then_some(all)
}

#[cfg(test)]
mod tests;
