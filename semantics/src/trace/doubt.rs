//! Limits of an answer about a refinement of classical B.
//!
//! A refinement is correct if its abstraction can follow every execution (B-Book, 11.2). The model has the states of
//! the refinement alone, so formulas about variables of the abstraction were dropped from it ([`not_checked`](bsym_language::model::Refinement::not_checked)).
//! Without the dropped conjuncts a proof covers less than the machine says. Without a part of the abstract
//! precondition, an event is executed where B claims nothing: a trace with such an event shows no fault of the machine.

use bsym_language::model::{Dropped, DroppedKind, Model};

use crate::trace::Trace;

/// Properties asked of a model, as far as dropped formulas affect them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The invariant as a whole, not some of its conjuncts.
    pub invariant: bool,
    /// All assertions.
    pub assertions: bool,
    /// That some event is enabled.
    pub deadlock: bool,
}

/// Returns the dropped formulas that affect the properties asked for.
pub fn left_open(model: &Model, asked: Asked) -> Vec<&Dropped> {
    let counts = |d: &&Dropped| match d.kind {
        DroppedKind::Gluing => asked.invariant,
        DroppedKind::Assertion => asked.assertions,
        DroppedKind::Assert | DroppedKind::LoopInvariant | DroppedKind::Precondition => true,
        // With a weaker guard there are more steps, of which all are good; but there may be a deadlock
        // where the guard is false.
        DroppedKind::AbstractPrecondition(_) => asked.deadlock,
    };
    model.refinement.not_checked.iter().filter(counts).collect()
}

/// Returns why a trace shows no fault of the machine: the precondition that the first doubtful step may break.
pub fn doubt<'m>(model: &'m Model, trace: &Trace) -> Option<&'m Dropped> {
    trace.steps.iter().filter_map(|s| s.event).find_map(|event| model.dropped_precondition(event))
}

/// Returns why a trace shows no fault of the machine, in a sentence.
pub fn sentence(model: &Model, dropped: &Dropped) -> String {
    let DroppedKind::AbstractPrecondition(event) = dropped.kind else { return dropped.describe(model) };
    let name = model.events.get(event.index()).map_or("?", |e| e.name.as_str());
    format!(
        "the trace may call {name} outside its abstract precondition `{}`, so it does not count as a violation",
        dropped.text
    )
}
