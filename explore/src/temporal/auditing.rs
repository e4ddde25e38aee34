//! Audit of a temporal search: states of the graph compared with the reference evaluator, by their edges and the truth
//! of the formula's propositions. A formula that holds rests on all of them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bsym_language::model::EventId;
use bsym_language::temporal::Atom;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::transition::Outcome;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::graph::{Label, ModelGraph};
use super::propositions::Propositions;
use crate::space::cached::Cached;
use crate::space::machine::Machine;
use crate::space::system::System;
use crate::store::index::mix;
use crate::store::state_table::StateId;
use crate::tuning::tuning;

/// An edge: its target, and its label.
type Named = (Vec<Value>, Label);

/// Audits states of a finished search that took this long. Returns the difference in the first state that differs.
pub(super) fn audit<'m>(
    graph: &mut ModelGraph<'m>,
    propositions: &mut Propositions<Cached<Machine<'m>>>,
    atoms: &[Atom],
    reference: &Evaluator<'_>,
    took: Duration,
) -> Option<String> {
    let begin = Instant::now();
    let states = graph.table.len() as u64;
    for number in 0..tuning().audit.chosen.min(states) {
        if begin.elapsed() > tuning().audit.chosen_time.max(took / tuning().audit.share)
            || graph.system.is_stopped()
        {
            return None;
        }
        // A small search is audited whole.
        let chosen = if states <= tuning().audit.chosen { number } else { mix(0, number) % states };
        let found = differs(graph, propositions, atoms, reference, chosen as StateId);
        if found.is_some() {
            return found;
        }
    }
    None
}

fn differs<'m>(
    graph: &mut ModelGraph<'m>,
    propositions: &mut Propositions<Cached<Machine<'m>>>,
    atoms: &[Atom],
    reference: &Evaluator<'_>,
    state: StateId,
) -> Option<String> {
    // Where the search has no answer, there is nothing to compare.
    let arcs = graph.arcs(state)?.to_vec();
    let truth = propositions.in_state(graph, state)?;
    let row = graph.table.row(state);
    let values = graph.system.state(&row);
    let constants = graph.system.context.valuations[graph.system.valuation(&row)].clone();
    let named = |arc: &super::graph::Arc| {
        (graph.system.state(&graph.table.row(arc.to)), graph.labels[arc.label as usize].clone())
    };
    let found: BTreeSet<Named> = arcs.iter().map(named).collect();
    let mut expected: BTreeSet<Named> = BTreeSet::new();
    for event in (0..reference.model.events.len() as u32).map(EventId) {
        let edges = reference.successors_of(event, &constants, &values);
        if !edges.incomplete.is_empty() {
            return None;
        }
        for edge in edges.edges {
            let Outcome::Reached { state, results } = edge.outcome else { continue };
            let values = graph.is_detailed().then_some((edge.execution.parameters, results));
            expected.insert((state, Label { event, values }));
        }
    }
    if let Some((_, label)) = found.symmetric_difference(&expected).next() {
        let name = &reference.model.events[label.event.index()].name;
        return Some(format!("the search and the reference evaluator have other edges of {name}"));
    }
    let env = Env::new(&constants, &values);
    let mut atoms = atoms.iter().enumerate();
    atoms.find_map(|(i, atom)| {
        let Atom::Predicate(pred) = atom else { return None };
        let expected = reference.pred(&env, pred).ok()?;
        (expected != (truth >> i & 1 == 1)).then(|| {
            "the search and the reference evaluator disagree about a predicate of the formula".to_owned()
        })
    })
}
