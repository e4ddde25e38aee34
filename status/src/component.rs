//! A model in the terms of status files: its component, its conjuncts as targets of obligations, and the parts that no
//! obligation is about.

use bsym_language::model::{Conjunct, Model};
use bsym_language::print;

use super::digest::{self, INITIALISATION};
use super::file::{Component, ComponentKind, NamedEvent, NamedPredicate, Target, TargetRole};
use super::matching::owner;

/// Value of `exporter` in the files that this program writes.
pub const EXPORTER: &str = concat!("bsym ", env!("CARGO_PKG_VERSION"));

/// Returns the parts of a model that no obligation is about. If a refinement was composed with its abstractions, its
/// obligations cover the variables of both, so there are none.
pub fn not_checked(model: &Model) -> Vec<String> {
    if model.refinement.refined.is_some() {
        return vec![];
    }
    model.refinement.not_checked.iter().map(|d| d.describe(model)).collect()
}

/// Returns a conjunct or an assertion of the model as the target of an obligation.
pub fn target(model: &Model, role: TargetRole, list: &[Conjunct], i: usize) -> Target {
    let c = &list[i];
    let position = position(model, list, i);
    Target {
        role: Some(role),
        key: Some(c.label.clone().unwrap_or_else(|| format!("#{}", position.unwrap_or(i)))),
        label: c.label.clone(),
        index: position,
        owner: Some(owner(model, c)),
        text: Some(c.text.clone()),
        hash: Some(digest::predicate(model, &c.pred)),
    }
}

/// Returns the position among the conjuncts of the same component, including those about an abstraction.
fn position(model: &Model, list: &[Conjunct], i: usize) -> Option<usize> {
    let own = owner(model, &list[i]);
    let before = |c: &Conjunct| (c.span.source.0, c.span.start) < (list[i].span.source.0, list[i].span.start);
    let same = list[..i].iter().filter(|c| owner(model, c) == own).count();
    let is_invariant = std::ptr::eq(list, model.invariant.as_slice());
    let gluing = model
        .refinement
        .gluing
        .iter()
        .filter(|c| is_invariant && before(c) && owner(model, c) == own)
        .count();
    Some(same + gluing)
}

/// Returns the component of a model, with the hashes that tell later whether it has changed.
pub fn component(model: &Model) -> Component {
    let named = |list: &[Conjunct]| -> Vec<NamedPredicate> {
        let entry = |(i, c): (usize, &Conjunct)| NamedPredicate {
            key: c.label.clone().unwrap_or_else(|| format!("#{i}")),
            label: c.label.clone(),
            index: Some(i),
            theorem: false,
            text: print::pred(model, &c.pred),
            hash: Some(digest::predicate(model, &c.pred)),
        };
        list.iter().enumerate().map(entry).collect()
    };
    let mut events = vec![NamedEvent {
        name: INITIALISATION.into(),
        refines: vec![],
        hash: Some(digest::event(model, None)),
    }];
    events.extend(model.events.iter().map(|e| NamedEvent {
        name: e.name.clone(),
        refines: vec![],
        hash: Some(digest::event(model, Some(e))),
    }));
    Component {
        name: model.name.clone(),
        kind: ComponentKind::Machine,
        refines: None,
        sees: vec![],
        model_hash: digest::model(model),
        declarations_hash: Some(digest::declarations(model)),
        axioms: Some(named(&model.axioms)),
        invariants: named(&model.invariant),
        events,
    }
}
