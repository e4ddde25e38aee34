//! Audit of a search: states that compiled code has expanded and judged are expanded and judged again by the reference
//! evaluator, and both must agree.
//!
//! All states of a small search are audited, and of a large one those that a seed chooses, as long as that takes a
//! small part of the time. The audit compares what the search has done, with all that it remembers and assumes to be
//! proven: how many edges an event has, where they lead, whether something goes wrong on the way, whether every target
//! is among the states that were found, and whether a state that passed as good is good.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bsym_language::model::EventId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::{Checks, Judgement, judgement};
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::transition::{Edges, Outcome};
use bsym_semantics::value::Value;

use crate::store::index::mix;
use crate::tuning::tuning;

/// A state about which compiled code and reference evaluator disagree. One of them is wrong, and so may be everything
/// that the search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Values of the constants.
    pub constants: Constants,
    /// The state; empty if the difference is about the initialisation.
    pub state: State,
    /// The event; `None` if the difference is about the initialisation or the properties of the state.
    pub event: Option<EventId>,
    /// Finding of the search.
    pub search: Finding,
    /// Finding of the reference evaluator.
    pub reference: Finding,
}

/// Finding of one side, the search or the reference evaluator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The number of edges, and targets that the other side does not have: the first ones, and how many they are.
    Edges(u64, Vec<State>, usize),
    /// A step goes wrong.
    Fails(Outcome),
    /// A target was never added to the states.
    Lost(State),
    /// A state that was reached although it should not be.
    Reached(State),
    /// Nothing is wrong in the state.
    Good,
    /// The state has these violations.
    Wrong(Vec<Violation>),
    /// The events that were left out in the state can wait.
    CanWait,
    /// The events that were left out cannot wait, as these steps of theirs show.
    CannotWait(Vec<EventId>, Refutation),
}

/// Why events that a partial order reduction has left out in a state cannot wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// The state after the steps has these violations.
    Wrong(Vec<Violation>),
    /// This event goes wrong after the steps.
    Fails(Option<EventId>, Outcome),
    /// The steps enable or disable this event, which was chosen.
    Enabledness(EventId),
    /// Taken after the step, this event leads elsewhere than before it.
    Order(EventId),
    /// The instances of the event do not lead where the event leads.
    Instances,
}

impl Difference {
    /// Returns this finding with events numbered otherwise.
    pub fn with_events(mut self, number: impl Fn(EventId) -> EventId) -> Difference {
        self.event = self.event.map(&number);
        for side in [&mut self.search, &mut self.reference] {
            let Finding::CannotWait(steps, why) = side else { continue };
            steps.iter_mut().for_each(|event| *event = number(*event));
            match why {
                Refutation::Enabledness(event) | Refutation::Order(event) => *event = number(*event),
                Refutation::Fails(event, _) => *event = event.map(&number),
                Refutation::Wrong(_) | Refutation::Instances => {}
            }
        }
        self
    }
}

/// Time of audits. A watching thread ends those that take too long.
#[derive(Debug, Default)]
pub struct Clock {
    /// When the current audit began, in milliseconds after the beginning of the search and from 1; 0 without one.
    since: AtomicU64,
    /// Set to interrupt the audit.
    interrupt: AtomicBool,
}

impl Clock {
    /// Watches audits until `over` is dropped.
    pub fn watch(&self, begin: Instant, stop: &AtomicBool, over: &std::sync::mpsc::Receiver<()>) {
        use std::sync::mpsc::RecvTimeoutError::Timeout;
        while over.recv_timeout(tuning().audit.tick) == Err(Timeout) {
            let since = self.since.load(Ordering::Relaxed);
            let late = since > 0 && millis(begin.elapsed()) > since + millis(tuning().audit.longest);
            if late || stop.load(Ordering::Relaxed) {
                self.interrupt.store(true, Ordering::Relaxed);
            }
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Clock {
    /// Flag that is set when an audit takes too long.
    pub fn flag(&self) -> &AtomicBool {
        &self.interrupt
    }
}

/// Chooses what to audit, and asks the reference evaluator.
pub struct Audit<'m> {
    /// The reference evaluator. It shares nothing with the search but the model.
    eval: Evaluator<'m>,
    cuts: &'m Cuts,
    clock: &'m Clock,
    seed: u64,
    begin: Instant,
    spent: Duration,
    /// Number of audited states that agree with the search.
    pub audited: u64,
}

impl<'m> Audit<'m> {
    /// An audit by an evaluator that is interrupted by the clock's flag and notes its cuts.
    pub fn new(
        eval: Evaluator<'m>,
        cuts: &'m Cuts,
        clock: &'m Clock,
        seed: u64,
        begin: Instant,
    ) -> Audit<'m> {
        Audit { eval, cuts, clock, seed, begin, spent: Duration::ZERO, audited: 0 }
    }

    /// Returns whether a state is one of those to audit, by its number.
    pub fn is_due(&self, number: u64) -> bool {
        let first = self.audited < tuning().audit.first && self.spent < tuning().audit.first_time;
        first
            || self.spent < tuning().audit.free
            || mix(self.seed, number).is_multiple_of(tuning().audit.every)
                && self.spent * tuning().audit.share < self.begin.elapsed()
    }

    /// Asks about a state, without the events of which the search has taken a part only; `None` if the reference has no
    /// answer, or none in time.
    pub fn state(
        &mut self,
        checks: &Checks,
        (constants, state): (&[Value], &[Value]),
        search: &Cuts,
        skipped: &dyn Fn(EventId) -> bool,
    ) -> Option<Opinion> {
        let begin = self.start();
        let opinion = opinion(&self.eval, checks, constants, state, skipped);
        self.end(begin, opinion, search)
    }

    /// Asks another evaluator, that of the whole model before its events were cut into instances, where events lead.
    pub fn whole(
        &mut self,
        eval: &Evaluator<'m>,
        (constants, state): (&[Value], &[Value]),
        search: &Cuts,
    ) -> Option<Vec<Edges>> {
        let begin = self.start();
        let events = (0..eval.model.events.len() as u32).map(EventId);
        let edges: Vec<Edges> = events.map(|event| eval.successors_of(event, constants, state)).collect();
        let edges = edges.iter().all(|edges| edges.incomplete.is_empty()).then_some(edges);
        self.end(begin, edges, search)
    }

    /// Asks about the initialisation.
    pub fn initialisation(&mut self, constants: &[Value], search: &Cuts) -> Option<Edges> {
        let begin = self.start();
        let edges = self.eval.initial_states(constants);
        let edges = edges.incomplete.is_empty().then_some(edges);
        self.end(begin, edges, search)
    }

    /// Adds the time that a comparison took.
    pub fn compared(&mut self, took: Duration) {
        self.spent += took;
    }

    fn start(&self) -> Instant {
        self.clock.interrupt.store(false, Ordering::Relaxed);
        self.clock.since.store(millis(self.begin.elapsed()).max(1), Ordering::Relaxed);
        Instant::now()
    }

    /// Ends an audit. An answer counts only if it is about all values, unless the search has not tried all of them
    /// either: it has a finder, which may know values where the reference has cut.
    fn end<T>(&mut self, begin: Instant, answer: Option<T>, search: &Cuts) -> Option<T> {
        self.clock.since.store(0, Ordering::Relaxed);
        self.spent += begin.elapsed();
        let interrupted = self.clock.interrupt.load(Ordering::Relaxed);
        answer.filter(|_| !interrupted && self.cuts.agree_with(search))
    }
}

/// Edges and judgement that the reference evaluator gives for a state.
pub struct Opinion {
    /// Edges of each event. Skipped events have none.
    pub events: Vec<Edges>,
    /// Violations and errors in the state.
    pub judged: Judgement,
}

/// Returns the opinion about a state, if it is complete.
fn opinion(
    eval: &Evaluator<'_>,
    checks: &Checks,
    constants: &[Value],
    state: &[Value],
    skipped: &dyn Fn(EventId) -> bool,
) -> Option<Opinion> {
    let mut events = Vec::with_capacity(eval.model.events.len());
    for event in 0..eval.model.events.len() as u32 {
        if skipped(EventId(event)) {
            events.push(Edges::default());
            continue;
        }
        let edges = eval.successors_of(EventId(event), constants, state);
        if !edges.incomplete.is_empty() {
            return None;
        }
        events.push(edges);
    }
    Some(Opinion { events, judged: judgement(eval, constants, state, checks).ok()? })
}

/// Rows of states that one side reaches.
pub type Rows = BTreeSet<Vec<u32>>;

/// The rows that only the search has, and those that only the reference has; `None` if both agree.
pub fn targets_differ((count, found): (u64, &Rows), (edges, expected): (u64, &Rows)) -> Option<(Rows, Rows)> {
    let more: Rows = found.difference(expected).cloned().collect();
    let less: Rows = expected.difference(found).cloned().collect();
    (count != edges || !more.is_empty() || !less.is_empty()).then_some((more, less))
}

/// A finding about edges that lists the first of these states.
pub fn edges(count: u64, states: &Rows, decode: &dyn Fn(&[u32]) -> State) -> Finding {
    Finding::Edges(
        count,
        states.iter().take(tuning().audit.listed).map(|row| decode(row)).collect(),
        states.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_target_and_a_wrong_count_are_differences() {
        let rows = |list: &[u32]| list.iter().map(|word| vec![*word]).collect::<Rows>();
        assert_eq!(targets_differ((2, &rows(&[1, 2])), (2, &rows(&[1, 2]))), None);
        assert_eq!(targets_differ((2, &rows(&[1, 3])), (2, &rows(&[1, 2]))), Some((rows(&[3]), rows(&[2]))));
        // Edges with other parameters to the same state count.
        assert_eq!(targets_differ((1, &rows(&[1])), (2, &rows(&[1]))), Some((Rows::new(), Rows::new())));
    }
}
