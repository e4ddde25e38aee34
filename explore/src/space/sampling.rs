//! Sampling: if an event has too many executions in a state, some are taken.

use bsym_language::model::EventId;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::transition::Edges;

/// Bounds on the executions of one event in one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// Executions that the reference evaluator lists.
    pub listed: usize,
    /// Executions that compiled code lists.
    pub executed: u64,
    /// Number of values that each choice takes if there are more executions. With `None`, further edges are missing.
    pub values: Option<usize>,
}

/// The events that were found to have too many executions.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The bounds, if there are any.
    pub bounds: Option<Sampling>,
    /// `true` if steps are found again that were found when fewer events were known to be sampled.
    pub finds_again: bool,
    /// For the initialisation and then each event, whether it was sampled.
    wide: Vec<bool>,
}

impl Sampled {
    /// Nothing sampled so far, for `events` events.
    pub(super) fn new(events: usize) -> Sampled {
        Sampled { bounds: None, finds_again: false, wide: vec![false; 1 + events] }
    }

    /// Tests whether an event, or the initialisation, was sampled somewhere.
    #[inline]
    pub fn has(&self, event: Option<EventId>) -> bool {
        self.wide[place(event)]
    }

    /// Tests whether any event was sampled.
    pub fn has_any(&self) -> bool {
        self.wide.contains(&true)
    }

    /// Most executions that compiled code may find of an event; `None` if compiled code is not used.
    #[inline]
    pub(super) fn most(&self, event: Option<EventId>) -> Option<u64> {
        let is_asked = !self.has(event) || self.finds_again;
        is_asked.then(|| self.bounds.map_or(u64::MAX, |bounds| bounds.executed))
    }

    /// Notes that an event has too many executions, if that was found.
    #[inline]
    pub(super) fn note(&mut self, event: Option<EventId>, has_too_many: bool) {
        self.wide[place(event)] |= has_too_many;
    }

    /// Asks the reference evaluator for the edges of an event; only some of them if there are too many.
    pub(super) fn edges(
        &mut self,
        event: Option<EventId>,
        eval: &Evaluator<'_>,
        edges: &dyn Fn(&Evaluator<'_>) -> Edges,
    ) -> Edges {
        let Some(Sampling { listed, values, .. }) = self.bounds else { return edges(eval) };
        let mut all = Edges::default();
        if !self.has(event) || self.finds_again {
            all = edges(&eval.listing(listed));
            if all.incomplete.iter().all(|(_, e)| e.kind != EvalErrorKind::TooLarge) {
                return all;
            }
        }
        let Some(values) = values else { return all };
        let mut sample = edges(&eval.with_samples(values));
        self.note(event, true);
        if self.finds_again {
            sample.edges.append(&mut all.edges);
        }
        sample
    }
}

fn place(event: Option<EventId>) -> usize {
    event.map_or(0, |event| 1 + event.index())
}
