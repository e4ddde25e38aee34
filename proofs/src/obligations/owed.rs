//! Obligations of a refinement of Event-B that are not checked at a step: `GRD`, `SIM`, `EQL`, `WFIS`, `WWD`.
//!
//! If a model has nothing left to check, the goal is equal to a hypothesis or an identity: it is `trivial`. If it
//! checks in another form whether the abstract event can follow, they are predicates of the state before the step.

use std::collections::BTreeSet;

use bsym_encodings::system::System;
use bsym_language::model::*;
use bsym_status::digest::INITIALISATION;
use bsym_status::file::Kind;

use super::extra::{Extra, where_enabled};
use super::names::{ABSTRACTION, written};
use super::obligation::{Question, Subject};

/// Obligations that a model owes to its abstraction, in the order of the model.
#[derive(Debug, Default)]
pub(super) struct Owes {
    /// Obligations of which nothing is left to prove.
    pub trivial: Vec<Question>,
    /// Obligations to prove.
    pub asked: Vec<Extra>,
}

/// Returns the obligations that the events of a model owe to the nearest abstraction, without those that are `listed`.
pub(super) fn owes(system: &mut System, listed: &BTreeSet<String>) -> Owes {
    let model = system.model.clone();
    let mut known = listed.clone();
    let mut all = Owes::default();
    for owed in &model.refinement.owed {
        let Some(event) = event(&model, &owed.event) else { continue };
        let (kind, short) = kind(owed.kind);
        let name = format!("{}/{}/{short}", owed.event, owed.label);
        if !known.insert(name.clone()) {
            continue;
        }
        let text = match owed.kind {
            OwedKind::Unchanged => format!("{} is not changed", owed.label),
            OwedKind::Witness => format!("there is a value for {}", owed.label),
            _ => written(&model, owed.span),
        };
        let subject = Subject::Action(text);
        let Some(goal) = owed.goal.clone() else {
            all.trivial.push(Question { kind, name, event, subject });
            continue;
        };
        let goal = match owed.kind {
            OwedKind::Meaning if !bsym_status::may_lack_meaning_within(&goal.pred, owed.span) => continue,
            OwedKind::Meaning => OwedGoal { pred: tautology(goal.pred), ..goal },
            _ => goal,
        };
        let says = where_enabled(&model, event, goal.into_pred());
        let goal = system.predicate(&says);
        all.asked.push(Extra { kind, name, event, subject, goal, says: Some(says), after: false });
    }
    all
}

/// Returns whether a check about all values that an abstract event chooses is split into the parts that Rodin has: each
/// of the names has a witness of its own.
pub(super) fn is_split(model: &Model, event: &str, check: &RefinementCheck) -> bool {
    let is_owed = |name: &str| {
        let mut owed =
            model.refinement.owed.iter().filter(|o| o.event == event && o.kind == OwedKind::Witness);
        owed.any(|o| o.label == name)
    };
    let names = check.label.as_deref().unwrap_or_default();
    let is_choice = check.kind == RefinementKind::Witness && check.origin == ABSTRACTION;
    is_choice && names.split(", ").all(is_owed)
}

/// Returns the event of this name; `Some(None)` is the initialisation.
fn event(model: &Model, name: &str) -> Option<Option<EventId>> {
    if name == INITIALISATION {
        return Some(None);
    }
    let at = model.events.iter().position(|e| e.name == name)?;
    Some(Some(EventId(at as u32)))
}

fn kind(kind: OwedKind) -> (Kind, &'static str) {
    match kind {
        OwedKind::Guard => (Kind::Grd, "GRD"),
        OwedKind::Simulation => (Kind::Sim, "SIM"),
        OwedKind::Unchanged => (Kind::Eql, "EQL"),
        OwedKind::Witness => (Kind::Wfis, "WFIS"),
        OwedKind::Meaning => (Kind::Wwd, "WWD"),
    }
}

/// Returns a predicate that holds if and only if another one is well-defined.
fn tautology(p: Pred) -> Pred {
    let span = p.span;
    let negated = PredKind::Not(Box::new(p.clone())).at(span);
    PredKind::Or(vec![p, negated]).at(span)
}

#[cfg(test)]
mod tests;
