//! Audit of a search: the expansion of a state compared with the reference evaluator.

use std::collections::BTreeSet;
use std::time::Instant;

use bsym_language::model::EventId;
use bsym_semantics::transition::Edges;
use bsym_semantics::transition::state::State;

use super::verifier::{Space, States, Verifier};
use crate::audit::{Audit, Difference, Finding, Opinion, Rows, edges, targets_differ};
use crate::reachability::visitor::Known;
use crate::space::cached::Cached;
use crate::space::dependency_matrix::GroupId;
use crate::space::machine::Machine;
use crate::space::symmetric::stand_in;
use crate::space::system::{Edge, Expansion, Reduce, System};
use crate::space::updates::Updates;
use crate::store::state_table::StateId;

/// The event, and the findings of the search and of the reference about it.
pub(crate) type Sides = (Option<EventId>, Finding, Finding);

impl Verifier<'_, '_> {
    /// Audits a state that was expanded.
    pub(super) fn audit_state(&mut self, machine: &mut Space<'_>, known: Known<'_>, state: StateId) {
        let row = known.table.row(state);
        let values = machine.state(&row);
        let valuation = machine.valuation(&row);
        let constants = machine.context.valuations[valuation].clone();
        let Some(audit) = &mut self.audit else { return };
        let skipped = |event| machine.sampled.has(Some(event));
        let Some(opinion) = audit.state(&self.checks, (&constants, &values), &self.session.cuts, &skipped)
        else {
            return;
        };
        let begin = Instant::now();
        let chooses = machine.chooses();
        let (cached, mut orbits) = machine.apart();
        let is_known = &mut |machine: &mut Machine<'_>, row: &[u32]| {
            if chooses {
                // Not all successors of a state are visited.
                return true;
            }
            let stand_in = orbits.as_deref_mut().and_then(|orbits| stand_in(machine, orbits, row).ok()?);
            let row = stand_in.as_deref().unwrap_or(row);
            known.table.find(row, known.table.hash(row)).is_some()
        };
        // A state that did not pass was judged by the reference evaluator.
        let mut found = disagreement(cached, &row, &opinion, is_known, known.doubtful.contains(&state));
        let took = begin.elapsed();
        if found == Some(None) && chooses {
            found = Some(self.audit_left_out(machine, &row, (&constants, &values), &opinion));
        }
        if let Some(audit) = &mut self.audit {
            audit.compared(took);
            audit.audited += u64::from(found == Some(None));
        }
        if let Some((event, search, reference)) = found.flatten() {
            let difference = Difference { constants, state: values, event, search, reference };
            self.findings.difference.get_or_insert(Box::new(difference));
        }
    }

    /// Audits the initial states of a valuation that compiled code has found.
    pub(super) fn audit_initialisation(
        &mut self,
        reached: &mut States<'_>,
        valuation: usize,
        found: &[Edge],
    ) {
        let due = |audit: &Audit<'_>| audit.is_due(valuation as u64);
        let Some(audit) = self.audit.as_mut().filter(|audit| due(audit)) else { return };
        let constants = reached.system.context.valuations[valuation].clone();
        let Some(reference) = audit.initialisation(&constants, &self.session.cuts) else { return };
        let Some(expected) = rows(&mut reached.system, valuation, &reference) else { return };
        let targets: Rows = found.iter().filter_map(|edge| edge.row()).map(<[u32]>::to_vec).collect();
        let rows = (found.len() as u64, targets);
        if let Some((search, reference)) = compare(&reached.system, &rows, &reference, &expected) {
            let difference = Difference { constants, state: State::new(), event: None, search, reference };
            self.findings.difference.get_or_insert(Box::new(difference));
        }
    }
}

/// Returns the difference between the search and the reference evaluator about a state; `None` if they cannot be
/// compared.
/// `is_known` tells whether the search has met the state of a row, `is_bad` whether it has found something wrong in
/// this state.
pub(crate) fn disagreement(
    machine: &mut Cached<Machine<'_>>,
    row: &[u32],
    opinion: &Opinion,
    is_known: &mut dyn FnMut(&mut Machine<'_>, &[u32]) -> bool,
    is_bad: bool,
) -> Option<Option<Sides>> {
    let valuation = machine.valuation(row);
    for (e, edges) in opinion.events.iter().enumerate() {
        let group = GroupId(e as u32);
        let event = machine.event(group);
        if machine.sampled.has(Some(event)) {
            continue;
        }
        let by_reference = machine.by_reference;
        let mut updates = Updates::default();
        let compiled = match machine.next(group, row, &mut updates) {
            Expansion::Moves(count) => Some((count, targets(machine, group, &updates, row))),
            Expansion::Edges(_) => None,
        };
        machine.by_reference = by_reference;
        if machine.context.stop.is_set {
            return None;
        }
        let expected = rows(machine, valuation, edges)?;
        if let Some(found) = compiled
            && let Some((search, reference)) = compare(machine, &found, edges, &expected)
        {
            return Some(Some((Some(event), search, reference)));
        }
        if let Some(lost) = expected.1.iter().find(|row| !is_known(machine, row)) {
            // A stand-in that was not computed in time is not looked up.
            if machine.context.stop.is_set {
                return None;
            }
            let target = machine.state(lost);
            return Some(Some((Some(event), Finding::Lost(target.clone()), Finding::Reached(target))));
        }
    }
    let wrong = &opinion.judged.violations;
    if !wrong.is_empty() && !is_bad {
        return Some(Some((None, Finding::Good, Finding::Wrong(wrong.clone()))));
    }
    Some(None)
}

/// Returns how both sides differ, if they do.
fn compare(
    machine: &Machine<'_>,
    found: &(u64, Rows),
    reference: &Edges,
    expected: &(u64, Rows),
) -> Option<(Finding, Finding)> {
    let decode = |row: &[u32]| machine.state(row);
    if let Some(failing) = reference.edges.iter().find(|edge| edge.state().is_none()) {
        return Some((edges(found.0, &Rows::new(), &decode), Finding::Fails(failing.outcome.clone())));
    }
    let (more, less) = targets_differ((found.0, &found.1), (expected.0, &expected.1))?;
    Some((edges(found.0, &more, &decode), edges(expected.0, &less, &decode)))
}

/// The rows that updates of a row lead to.
fn targets(machine: &Machine<'_>, group: GroupId, updates: &Updates, row: &[u32]) -> Rows {
    let may_write = &machine.matrix.group(group).may_write;
    updates.iter().map(|update| update.target(may_write, row)).collect()
}

/// The number of different edges, and the rows of their targets; `None` if one cannot be written.
fn rows(machine: &mut Machine<'_>, valuation: usize, edges: &Edges) -> Option<(u64, Rows)> {
    let (mut distinct, mut rows) = (BTreeSet::new(), Rows::new());
    for edge in &edges.edges {
        let Some(state) = edge.state() else { continue };
        let row = machine.row(valuation, state)?;
        distinct.insert((&edge.execution.parameters, &edge.execution.results, row.clone()));
        rows.insert(row);
    }
    Some((distinct.len() as u64, rows))
}
