//! Audit of a partial order reduction: the events that are left out in a state.
//!
//! The set `T` that is chosen in a state makes claims that need no other state of the search (see
//! [`partial_order`](crate::partial_order)); the reference evaluator looks for steps that refute them:
//!
//! - without an event of `T` no bad state is reached;
//! - without an event of `T` no event of `T` gets enabled or disabled;
//! - an enabled event of `T` and one that is left out lead to the same states in both orders;
//! - the instances of an event lead where the event leads.
//!
//! The steps are a few, and only states before the first bad one count, as in the proof. One refutation shows that
//! violations may have been lost, whatever the search has found.

use std::collections::BTreeMap;

use bsym_language::model::EventId;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::transition::Edges;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::Value;
use fixedbitset::FixedBitSet;

use super::findings::step_key;
use super::verifier::{Space, Verifier};
use super::witness::Failure;
use crate::audit::{Audit, Finding, Opinion, Refutation};
use crate::tuning::tuning;

impl Verifier<'_, '_> {
    /// Audits the events that were left out in a state. Returns the event with a difference, and both sides.
    pub(super) fn audit_left_out(
        &mut self,
        machine: &mut Space<'_>,
        row: &[u32],
        (constants, state): (&Constants, &State),
        opinion: &Opinion,
    ) -> Option<(Option<EventId>, Finding, Finding)> {
        let (checks, cuts) = (&self.checks, &self.session.cuts);
        let audit = self.audit.as_mut()?;
        let is_good = opinion.judged.violations.is_empty();
        if let Some(whole) = self.whole.as_ref().filter(|_| is_good)
            && let Some(edges) = audit.whole(&whole.eval, (constants, state), cuts)
            && let Some(event) = cut_wrongly(&edges, whole.events, opinion)
        {
            return Some((Some(event), Finding::CanWait, Finding::CannotWait(vec![], Refutation::Instances)));
        }
        if wrong(checks, opinion).is_some() {
            return None;
        }
        let enabled = enabled(opinion);
        let chosen = machine.stubborn(row, &enabled)?;
        let mut walk = Walk { audit, checks, cuts, constants, chosen, enabled, opinions: BTreeMap::new() };
        let (steps, refutation) = walk.refutation(state, opinion)?;
        Some((None, Finding::CanWait, Finding::CannotWait(steps, refutation)))
    }
}

/// The first instance of an event whose instances do not lead where it leads.
fn cut_wrongly(edges: &[Edges], events: &[EventId], opinion: &Opinion) -> Option<EventId> {
    (0..).map(EventId).zip(edges).find_map(|(event, whole)| {
        let mine = || (0..).map(EventId).zip(events).filter(|(_, e)| **e == event).map(|(i, _)| i);
        let parts = || mine().flat_map(|i| &opinion.events[i.index()].edges);
        let fails = |failing: bool| whole.edges.iter().any(|edge| edge.state().is_none()) != failing;
        let differs = fails(parts().any(|edge| edge.state().is_none()))
            || whole
                .edges
                .iter()
                .filter_map(|edge| edge.state())
                .any(|target| !has_lazy(target) && !parts().any(|edge| edge.state() == Some(target)));
        differs.then(|| mine().next()).flatten()
    })
}

/// The events with an edge.
fn enabled(opinion: &Opinion) -> FixedBitSet {
    (0..opinion.events.len()).filter(|e| targets(opinion, *e).next().is_some()).collect()
}

/// The states that an event leads to.
fn targets(opinion: &Opinion, event: usize) -> impl Iterator<Item = &State> {
    opinion.events[event].edges.iter().filter_map(|edge| edge.state())
}

/// Returns the reason why a state is bad, if it is.
fn wrong(checks: &Checks, opinion: &Opinion) -> Option<Refutation> {
    if !opinion.judged.violations.is_empty() {
        return Some(Refutation::Wrong(opinion.judged.violations.clone()));
    }
    opinion.events.iter().flat_map(|edges| &edges.edges).filter(|edge| edge.state().is_none()).find_map(
        |edge| {
            let failure = Failure { event: edge.event, outcome: edge.outcome.clone() };
            step_key(checks, &failure).map(|_| Refutation::Fails(edge.event, edge.outcome.clone()))
        },
    )
}

fn has_lazy(state: &[Value]) -> bool {
    state.iter().any(Value::has_lazy)
}

/// A walk from a state by events that were left out.
struct Walk<'w, 'm> {
    audit: &'w mut Audit<'m>,
    checks: &'w Checks,
    cuts: &'w bsym_semantics::evaluator::cuts::Cuts,
    constants: &'w Constants,
    chosen: FixedBitSet,
    enabled: FixedBitSet,
    /// Opinions of the reference evaluator about states.
    opinions: BTreeMap<State, Opinion>,
}

impl Walk<'_, '_> {
    /// Asks the reference evaluator about a state. Returns whether there is an opinion.
    fn ask(&mut self, state: &State) -> bool {
        if self.opinions.contains_key(state) {
            return true;
        }
        if self.opinions.len() >= tuning().audit.left_out || has_lazy(state) {
            return false;
        }
        let Some(opinion) = self.audit.state(self.checks, (self.constants, state), self.cuts, &|_| false)
        else {
            return false;
        };
        self.opinions.insert(state.clone(), opinion);
        true
    }

    /// Steps from a state that refute the claims of its set.
    fn refutation(&mut self, state: &State, opinion: &Opinion) -> Option<(Vec<EventId>, Refutation)> {
        if has_lazy(state) {
            return None;
        }
        let left_out = |chosen: &FixedBitSet, opinion: &Opinion| -> Vec<(EventId, State)> {
            let events = (0..opinion.events.len()).filter(|e| !chosen.contains(*e));
            let edges = events.flat_map(|e| targets(opinion, e).map(move |s| (EventId(e as u32), s.clone())));
            edges.collect()
        };
        let mut level: Vec<(Vec<EventId>, State)> =
            left_out(&self.chosen, opinion).into_iter().map(|(e, s)| (vec![e], s)).collect();
        let mut seen: Vec<State> = vec![state.clone()];
        for _ in 0..tuning().audit.far {
            let mut next = vec![];
            for (steps, at) in level {
                if seen.contains(&at) || !self.ask(&at) {
                    continue;
                }
                let opinion = &self.opinions[&at];
                if let Some(found) = wrong(self.checks, opinion) {
                    return Some((steps, found));
                }
                let now = enabled(opinion);
                let changed = self.chosen.ones().find(|e| now.contains(*e) != self.enabled.contains(*e));
                if let Some(event) = changed {
                    return Some((steps, Refutation::Enabledness(EventId(event as u32))));
                }
                for (event, target) in left_out(&self.chosen, opinion) {
                    next.push(([&steps[..], &[event]].concat(), target));
                }
                seen.push(at);
            }
            level = next;
        }
        self.disorder(opinion)
    }

    /// An event that was left out and a chosen one that lead elsewhere in the other order.
    fn disorder(&mut self, opinion: &Opinion) -> Option<(Vec<EventId>, Refutation)> {
        let waiting: Vec<usize> = self.enabled.difference(&self.chosen).collect();
        let taken: Vec<usize> = self.enabled.intersection(&self.chosen).collect();
        for (first, then) in waiting.iter().flat_map(|e| taken.iter().map(move |t| (*e, *t))) {
            if let (Some(one), Some(other)) =
                (self.both(opinion, first, then), self.both(opinion, then, first))
                && one != other
            {
                return Some((vec![EventId(first as u32)], Refutation::Order(EventId(then as u32))));
            }
        }
        None
    }

    /// The states that one event and then another one lead to; `None` if they are not known, or if a state between them
    /// is bad.
    fn both(&mut self, opinion: &Opinion, first: usize, then: usize) -> Option<Vec<State>> {
        let mut all = vec![];
        for between in targets(opinion, first) {
            if !self.ask(between) || wrong(self.checks, &self.opinions[between]).is_some() {
                return None;
            }
            all.extend(targets(&self.opinions[between], then).cloned());
        }
        all.sort();
        all.dedup();
        (!all.iter().any(|state| has_lazy(state))).then_some(all)
    }
}
