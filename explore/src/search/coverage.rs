//! Coverage: counts of events and variables in the visited states, computed when a search is over.
//!
//! Only how often events are taken is counted during the search. The reference evaluator determines why an event is
//! never enabled.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

use bsym_language::model::EventId;
use bsym_language::types::Type;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::transition::guards::{Guard, Judged};

use super::verifier::Search;
use crate::reachability::firings::Firings;
use crate::report::coverage::{Coverage, EventCoverage, KeptOff, VariableCoverage};
use crate::space::machine::Machine;
use crate::store::layout::Form;
use crate::store::state_table::{INITIAL, StateId, Table};
use crate::tuning::tuning;

impl Search<'_, '_> {
    /// Returns the coverage of the search, if it was requested.
    pub(super) fn coverage(&mut self) -> Option<Coverage> {
        let fired = self.firings.as_mut().map(Firings::all)?.to_vec();
        let (reached, options) = (&self.reached, self.visitor.options);
        let Machine { context, matrix, .. } = &***reached.system;
        let interrupt = context.eval.interrupt;
        let is_over = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let late = Instant::now() + tuning().search.coverage_grace;
        let is_late = |was_over: bool| if was_over { Instant::now() >= late } else { is_over() };
        let was_over = is_over() || self.visitor.stopped.is_some();
        // A fresh evaluator: the evaluation is finite, and the flag that ended the search would interrupt this as well.
        let eval = Evaluator::new(context.eval.model, context.eval.scope);
        let events = matrix.group_ids().map(|group| {
            let fired = fired[group.index()];
            let event = reached.system.event(group);
            let reads = &matrix.group(group).reads;
            let never = fired.states == 0;
            let kept_off = never.then(|| {
                kept_off(&eval, &reached.system, &reached.table, (event, reads), &|| is_late(was_over))
            });
            EventCoverage { event, states: fired.states, firings: fired.edges, kept_off }
        });
        let events = events.collect();
        let waiting = reached.frontier.len() as u64;
        let states = reached.table.len() as u64;
        debug_assert!(!options.partial_order, "not all events are looked at in all states");
        Some(Coverage {
            states,
            expanded: states.saturating_sub(waiting),
            events,
            variables: variables(&reached.system, &reached.table),
            depths: depths(&reached.table),
        })
    }
}

/// Determines why an event is never enabled.
fn kept_off(
    eval: &Evaluator<'_>,
    machine: &Machine<'_>,
    table: &Table,
    (event, reads): (EventId, &[usize]),
    is_late: &dyn Fn() -> bool,
) -> KeptOff {
    let guard = Guard::of(&eval.model.events[event.index()]);
    let mut found = KeptOff {
        conjuncts: guard.conjuncts.iter().map(|pred| (pred.clone(), 0)).collect(),
        ..KeptOff::default()
    };
    let work = Work::new(u64::MAX);
    let eval = eval.with_work(&work);
    // States that agree in the columns that the event reads need only be evaluated once.
    let mut known: HashMap<Vec<u32>, Judged> = HashMap::new();
    let mut row = vec![0; table.width()];
    for state in 0..table.len() as StateId {
        if is_late() {
            break;
        }
        table.read(state, &mut row);
        let key: Vec<u32> = reads.iter().map(|at| row[*at]).chain([machine.valuation(&row) as u32]).collect();
        let judged = *known.entry(key).or_insert_with(|| {
            work.portion(tuning().search.coverage_work);
            let constants = &machine.context.valuations[machine.valuation(&row)];
            guard.judge(&eval, constants, &machine.state(&row))
        });
        found.looked_at += 1;
        match judged {
            Judged::FalseAt(i) => found.conjuncts[i].1 += 1,
            Judged::True => found.behind += 1,
            Judged::Undecided => found.undecided += 1,
        }
    }
    found
}

/// The values of each variable.
fn variables(machine: &Machine<'_>, table: &Table) -> Vec<VariableCoverage> {
    let context = &machine.context;
    let mut seen: Vec<HashSet<[u32; 2]>> = vec![HashSet::new(); context.variables.len()];
    let mut row = vec![0; table.width()];
    for state in 0..table.len() as StateId {
        table.read(state, &mut row);
        for ((form, at), seen) in context.layout.places().zip(&mut seen) {
            seen.insert(if form == Form::Halves { [row[at], row[at + 1]] } else { [row[at], 0] });
        }
    }
    let range = |(variable, seen): (usize, &HashSet<[u32; 2]>)| {
        let is_word = context.layout.forms()[variable] == Form::Word;
        if context.eval.model.variables[variable].ty != Type::Int || !is_word {
            return None;
        }
        let value = |word: &[u32; 2]| context.store.decode(&context.variables[variable], word[0]);
        let mut all = seen.iter().map(value).filter_map(|value| value.as_int().cloned());
        let first = all.next()?;
        Some(all.fold((first.clone(), first), |(least, greatest), n| {
            if n < least {
                (n, greatest)
            } else if n > greatest {
                (least, n)
            } else {
                (least, greatest)
            }
        }))
    };
    let ranges: Vec<_> = seen.iter().enumerate().map(range).collect();
    seen.iter()
        .zip(ranges)
        .map(|(seen, range)| VariableCoverage { values: seen.len() as u64, range })
        .collect()
}

/// The number of states at each depth. A state is found after the one that it was first reached from.
fn depths(table: &Table) -> Vec<u64> {
    let mut of: Vec<u32> = Vec::with_capacity(table.len());
    let mut counts: Vec<u64> = vec![];
    for state in 0..table.len() as StateId {
        let parent = table.parent(state);
        let depth = if parent == INITIAL { 0 } else { of[parent as usize] + 1 };
        of.push(depth);
        if counts.len() <= depth as usize {
            counts.resize(depth as usize + 1, 0);
        }
        counts[depth as usize] += 1;
    }
    counts
}
