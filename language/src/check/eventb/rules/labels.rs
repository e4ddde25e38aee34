//! Labels: each names one thing of its context, machine or event.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, codes};
use crate::eventb::project::{Context, Event, Machine};
use crate::text::source::Span;

/// Labels that are taken, with the place of the first use.
#[derive(Default)]
struct Taken<'p>(BTreeMap<&'p str, (&'static str, Span)>);

impl<'p> Taken<'p> {
    /// Takes a label; where it is taken already, the first use of it.
    fn take(&mut self, label: &'p str, what: &'static str, place: Span) -> Option<(&'static str, Span)> {
        match self.0.get(label) {
            Some(first) => Some(*first),
            None => {
                self.0.insert(label, (what, place));
                None
            }
        }
    }
}

fn twice(label: &str, owner: &str, what: &str, other: &str) -> String {
    if what == other {
        format!("two {what}s of {owner} have the label `{label}`")
    } else {
        format!("label `{label}` of {owner} is both that of {} and of {}", article(other), article(what))
    }
}

fn article(what: &str) -> String {
    let vowel = what.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {what}", if vowel { "an" } else { "a" })
}

pub(super) fn of_context(context: &Context, found: &mut Vec<Diagnostic>) {
    let mut taken = Taken::default();
    let owner = format!("context `{}`", context.name.name);
    for axiom in &context.axioms {
        let Some(label) = axiom.label.as_deref() else { continue };
        let what = if axiom.theorem { "theorem" } else { "axiom" };
        if let Some((other, first)) = taken.take(label, what, axiom.tree.span) {
            let message = twice(label, &owner, what, other);
            found.push(duplicate(axiom.tree.span, message, first));
        }
    }
}

/// Invariants share their labels with events.
pub(super) fn of_invariants(machine: &Machine, found: &mut Vec<Diagnostic>) {
    let owner = format!("machine `{}`", machine.name.name);
    let mut taken = Taken::default();
    for formula in &machine.invariants {
        let Some(label) = formula.label.as_deref() else { continue };
        let what = if formula.theorem { "theorem" } else { "invariant" };
        if let Some((other, first)) = taken.take(label, what, formula.tree.span) {
            found.push(duplicate(formula.tree.span, twice(label, &owner, what, other), first));
        }
    }
    for e in &machine.events {
        let name = &e.name.name;
        if let Some((other, first)) = taken.0.get(name.as_str()) {
            found.push(duplicate(e.name.span, twice(name, &owner, "event", other), *first));
        }
    }
}

pub(super) fn of_events(machine: &Machine, found: &mut Vec<Diagnostic>) {
    let (mut taken, mut variants) = (Taken::default(), Taken::default());
    for formula in &machine.variants {
        let Some(label) = formula.label.as_deref() else { continue };
        if let Some((other, first)) = variants.take(label, "variant", formula.tree.span) {
            let owner = format!("machine `{}`", machine.name.name);
            found.push(duplicate(formula.tree.span, twice(label, &owner, "variant", other), first));
        }
    }
    for e in &machine.events {
        let name = &e.name.name;
        if let Some((_, first)) = taken.take(name, "event", e.name.span) {
            let message = format!("event `{name}` is declared twice");
            let d = Diagnostic::error(codes::DUPLICATE_DECLARATION, e.name.span, message);
            found.push(d.label(first, "first declared here"));
        }
        of_event(e, found);
    }
}

// Guards and actions share their labels, also with those that are inherited.
fn of_event(e: &Event, found: &mut Vec<Diagnostic>) {
    let mut taken = Taken::default();
    let owner = format!("event `{}`", e.name.name);
    let guards = e.guards.iter().enumerate().map(|(i, g)| {
        let what = if g.theorem { "theorem" } else { "guard" };
        (i < e.inherited.guards, g.label.as_deref(), what, g.tree.span)
    });
    let actions = e
        .actions
        .iter()
        .enumerate()
        .map(|(i, a)| (i < e.inherited.actions, a.label.as_deref(), "action", a.span));
    // Inherited labels come first: the event's own label is the one that clashes.
    let (inherited, own): (Vec<_>, Vec<_>) = guards.chain(actions).partition(|(inherited, ..)| *inherited);
    for (_, label, what, place) in inherited {
        // A clash among these is one of the abstract event.
        label.map(|label| taken.take(label, what, place));
    }
    for (_, label, what, place) in own {
        let Some(label) = label else { continue };
        if let Some((other, first)) = taken.take(label, what, place) {
            found.push(duplicate(place, twice(label, &owner, what, other), first));
        }
    }
}

fn duplicate(place: Span, message: String, first: Span) -> Diagnostic {
    Diagnostic::error(codes::DUPLICATE_LABEL, place, message)
        .label(first, "the first one")
        .help("answers and proof obligations go by the label: give one of the two another")
}
