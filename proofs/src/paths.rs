//! Paths through the steps of a machine, with everything that can fail on them: the normal form of substitutions
//! ([`bsym_language::model::paths`]) as a step, or several, of a sequent.
//!
//! Nothing binds the locals that stand for choices, so a sequent about them is about all of their values. A failure has
//! the place and the kind that the system of terms gives it, so that both say the same of one obligation.

use bsym_encodings::system::FailureKind;
use bsym_language::model::paths::{Demand, Path, Walker};
use bsym_language::model::*;
use bsym_language::source::Span;

use crate::tuning::tuning;

/// The first of the locals that stand for chosen values.
const CHOSEN: LocalId = LocalId(u32::MAX / 8);

/// Predicate that must hold at a place.
#[derive(Clone, Debug)]
pub(crate) struct Required {
    pub kind: FailureKind,
    pub span: Span,
    /// The path up to this place.
    pub at: Path,
    /// The predicate, with the values at this place.
    pub pred: Pred,
}

/// All paths through the initialisation or an event, or through the last one of several.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    pub ends: Vec<Path>,
    pub required: Vec<Required>,
    /// The first local that stands for no choice yet.
    next: LocalId,
}

/// The paths of an event or of the initialisation; `None` if they cannot be listed.
pub(crate) fn paths(model: &Model, event: Option<EventId>) -> Option<Paths> {
    walk(model, event, vec![Path::default()], CHOSEN)
}

impl Paths {
    /// The paths of an event after these, which are those of the steps before it. All states before it satisfy `known`.
    pub(crate) fn then(&self, model: &Model, event: EventId, known: &[Pred]) -> Option<Paths> {
        let mut before = self.ends.clone();
        for end in &mut before {
            end.begin_next_step();
            end.guard.extend(known.iter().map(|p| end.values.in_pred(p)));
        }
        walk(model, Some(event), before, self.next)
    }
}

/// The paths of an event that begin where others end.
fn walk(model: &Model, event: Option<EventId>, before: Vec<Path>, first: LocalId) -> Option<Paths> {
    let mut required = vec![];
    let mut demand = |at: &Path, demand: Demand, pred: &Pred| {
        let kind = match demand {
            Demand::Defined => FailureKind::IllDefined,
            Demand::Precondition => FailureKind::Precondition,
            Demand::Claim(Claim::Assertion) => FailureKind::Assert,
            Demand::Claim(Claim::Refinement(id)) => FailureKind::Refinement(id),
        };
        required.push(Required { kind, span: pred.span, at: at.clone(), pred: pred.clone() });
    };
    let mut walker = Walker::new(model, tuning().paths.paths, first, &mut demand);
    let mut ends = vec![];
    for start in before {
        ends.extend(walker.event(event, start).ok()?);
        if ends.len() > tuning().paths.paths {
            return None;
        }
    }
    let next = LocalId(first.0 + walker.chosen().len() as u32);
    Some(Paths { ends, required, next })
}
