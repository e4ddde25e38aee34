//! Audit of a finished refinement search: pairs compared with the reference reading. A refinement that holds rests on
//! all of them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bsym_language::model::EventId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::refinement::{Following, Levels, Seen};
use bsym_semantics::transition::Outcome;
use bsym_semantics::value::Value;

use super::pairs::{Follow, Pairs};
use crate::space::system::System;
use crate::store::index::mix;
use crate::store::state_table::{StateId, Table};
use crate::tuning::tuning;

/// Audits pairs of a search that took this long. Returns the difference in the first pair that differs.
pub(super) fn audit(
    pairs: &mut Pairs<'_>,
    nodes: &Table,
    reference: &Evaluator<'_>,
    took: Duration,
    no_well_definedness: bool,
) -> Option<String> {
    let begin = Instant::now();
    let n = nodes.len() as u64;
    for number in 0..tuning().audit.chosen.min(n) {
        if begin.elapsed() > tuning().audit.chosen_time.max(took / tuning().audit.share)
            || pairs.machine.is_stopped()
        {
            return None;
        }
        // A small search is audited whole.
        let chosen = if n <= tuning().audit.chosen { number } else { mix(0, number) % n };
        let row = nodes.row(chosen as StateId);
        // Where nothing is owed, no follower is reported.
        if row[2] != 0 {
            continue;
        }
        let found = differs(pairs, nodes, (row[0], row[1]), reference, no_well_definedness);
        if found.is_some() {
            return found;
        }
    }
    None
}

fn differs(
    pairs: &mut Pairs<'_>,
    nodes: &Table,
    pair: (StateId, u32),
    reference: &Evaluator<'_>,
    no_well_definedness: bool,
) -> Option<String> {
    let constants = pairs.machine.context.valuations[pairs.valuation(pair.0)].clone();
    let levels = Levels { eval: reference, parts: pairs.parts, constants: &constants };
    let (state, related) = (pairs.concrete_state(pair), pairs.abstract_states(pair));
    let steps = pairs.steps(pair).reached;
    let here: Vec<Value> = state.iter().chain(related.first()?).cloned().collect();
    let mut expected = 0;
    for event in (0..pairs.parts.operations.len() as u32).map(EventId) {
        let name = &pairs.parts.model.events[event.index()].name;
        let edges = reference.successors_of(event, &constants, &here);
        if !edges.incomplete.is_empty() {
            return None;
        }
        if !levels.narrowed(&state, &related, event).ok()?.is_empty() {
            return Some(format!("the search has overlooked arguments that {name} does not allow"));
        }
        for edge in edges.edges {
            let Outcome::Reached { state: to, results } = edge.outcome else {
                let is_ill_defined = matches!(edge.outcome, Outcome::IllDefined(_));
                let counts = !(is_ill_defined && no_well_definedness);
                if counts && levels.must_end(&state, &related, event, &edge.execution.parameters).ok()? {
                    return Some(format!("the search has overlooked that {name} aborts"));
                }
                continue;
            };
            expected += 1;
            let after = &to[..state.len()];
            let seen = Seen { event, parameters: &edge.execution.parameters, results: &results };
            let following = levels.follow(&state, &related, seen, after).ok()?;
            let found = steps.iter().find(|s| {
                s.event == event
                    && s.parameters == edge.execution.parameters
                    && s.results == results
                    && pairs.concrete_values(s.to) == after
            });
            let Some(found) = found.cloned() else {
                return Some(format!("the search has overlooked a step of {name}"));
            };
            let same = match (pairs.follow(pair, &found), following) {
                (Follow::Set(set, _), Following::States(states)) => {
                    let row = [found.to, set, 0];
                    nodes.find(&row, nodes.hash(&row)).is_some()
                        && pairs.abstract_states((found.to, set)) == states
                }
                (Follow::Nothing, Following::States(states)) => states == BTreeSet::new(),
                (Follow::Free(..), Following::Free) => true,
                _ => false,
            };
            if !same {
                return Some(format!(
                    "the search and the definition disagree about what matches a step of {name}"
                ));
            }
        }
    }
    (expected != steps.len()).then(|| "the search has steps that the reference evaluator has not".to_owned())
}
