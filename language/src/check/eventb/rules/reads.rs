//! Variables that a formula may use: a variable that has disappeared has no value in a refinement, and no variable has
//! one before the initialisation.

use std::collections::BTreeSet;

use super::level::{Level, in_event, is_initialisation};
use crate::ast::visit::FreeNames;
use crate::ast::{Expr, ExprKind};
use crate::diagnostic::{Diagnostic, codes};
use crate::eventb::project::{Action, ActionKind, Event, Machine};
use crate::text::source::Span;

pub(super) fn of_invariants(level: &Level, found: &mut Vec<Diagnostic>) {
    for formula in &level.machine.invariants {
        for (name, place) in FreeNames::places_in(&formula.tree) {
            if let Some(m) = level.long_disappeared(&name) {
                let abstraction = level.abstraction.map_or("", |m| m.name.name.as_str());
                let message = format!(
                    "`{name}` is a variable of machine `{}` that already `{abstraction}` does not have",
                    m.name.name
                );
                found.push(Diagnostic::error(codes::NOT_VISIBLE, place, message));
            }
        }
    }
}

pub(super) fn of_level(level: &Level, found: &mut Vec<Diagnostic>) {
    for formula in &level.machine.variants {
        for (name, place) in FreeNames::places_in(&formula.tree) {
            if let Some(m) = level.disappeared(&name) {
                found.push(disappeared(&name, m, "the variant", place));
            }
        }
    }
    for e in &level.machine.events {
        of_event(level, e, found);
    }
}

fn of_event(level: &Level, e: &Event, found: &mut Vec<Diagnostic>) {
    let is_parameter = |name: &str| e.parameters.iter().any(|p| p.name == name);
    let mut told: BTreeSet<String> = BTreeSet::new();
    let mut tell = |inherited: bool, name: &str, d: Diagnostic| {
        // An event that inherits formulas is told of each variable once.
        if !inherited || told.insert(name.to_string()) {
            found.push(d);
        }
    };
    for (i, g) in e.guards.iter().enumerate() {
        let inherited = i < e.inherited.guards;
        for (name, place) in FreeNames::places_in(&g.tree) {
            // A theorem follows from guards and invariants, which relate both levels.
            let gone = if g.theorem { level.long_disappeared(&name) } else { level.disappeared(&name) };
            if let Some(m) = gone.filter(|_| !is_parameter(&name)) {
                let what = if g.theorem { "a theorem" } else { "a guard" };
                tell(inherited, &name, reading(e, inherited, &name, m, what, place));
            }
        }
    }
    for (i, a) in e.actions.iter().enumerate() {
        let inherited = i < e.inherited.actions;
        for (name, place) in read_by(a) {
            if is_parameter(&name) {
                continue;
            }
            if let Some(m) = level.disappeared(&name) {
                tell(inherited, &name, reading(e, inherited, &name, m, "an action", place));
            } else if is_initialisation(e) && level.has(&name) {
                let message =
                    format!("the initialisation cannot read `{name}`: no variable has a value before");
                tell(inherited, &name, in_event(e, inherited, codes::NOT_VISIBLE, place, message));
            }
        }
        for (name, place) in assigned_by(a) {
            if let Some(m) = level.disappeared(&name) {
                let message = format!(
                    "`{name}` is a variable of the abstraction `{}` and does not exist here",
                    m.name.name
                );
                let d = in_event(e, inherited, codes::NOT_ASSIGNABLE, place, message);
                let help = format!("a variable that is kept is listed again among the variables: `{name}`");
                tell(inherited, &name, d.help(help));
            }
        }
    }
    assigned_twice(e, found);
}

// Across actions; a list that assigns twice is told where it is typed.
fn assigned_twice(e: &Event, found: &mut Vec<Diagnostic>) {
    let mut taken: Vec<(String, usize)> = vec![];
    for (i, a) in e.actions.iter().enumerate() {
        for (name, _) in assigned_by(a) {
            match taken.iter().find(|(other, _)| *other == name) {
                Some(&(_, first)) if first != i && i >= e.inherited.actions => {
                    let message = format!("`{name}` is assigned twice at the same time");
                    let d = Diagnostic::error(codes::ASSIGNED_TWICE, a.span, message);
                    let help = "all actions of an event happen together: write one value for it";
                    found.push(d.label(e.actions[first].span, "here as well").help(help));
                }
                Some(_) => {}
                None => taken.push((name, i)),
            }
        }
    }
}

fn disappeared(name: &str, m: &Machine, what: &str, place: Span) -> Diagnostic {
    Diagnostic::error(codes::NOT_VISIBLE, place, has_disappeared(name, m, what)).help(help(name))
}

fn reading(e: &Event, inherited: bool, name: &str, m: &Machine, what: &str, place: Span) -> Diagnostic {
    let what = format!("{what} of event `{}`", e.name.name);
    in_event(e, inherited, codes::NOT_VISIBLE, place, has_disappeared(name, m, &what)).help(help(name))
}

fn has_disappeared(name: &str, m: &Machine, what: &str) -> String {
    format!(
        "{what} reads `{name}`, a variable of the abstraction `{}` that has disappeared here",
        m.name.name
    )
}

fn help(name: &str) -> String {
    format!("only invariants, witnesses and theorems relate the levels; list `{name}` again to keep it")
}

/// Returns the names that an action reads, with their first places; `f(i) ≔ E` reads f, i and E.
pub(super) fn read_by(a: &Action) -> Vec<(String, Span)> {
    match &a.kind {
        ActionKind::Assign(left, right) => {
            let parts = left.iter().filter(|e| !matches!(e.kind, ExprKind::Ident(_)));
            parts.chain(right).flat_map(FreeNames::places_in).collect()
        }
        ActionKind::BecomesIn(_, set) => FreeNames::places_in(set),
        ActionKind::BecomesSuch(_, p) => FreeNames::places_in(p),
    }
}

/// Variables that an action assigns to.
pub(super) fn assigned_by(a: &Action) -> Vec<(String, Span)> {
    match &a.kind {
        ActionKind::Assign(left, _) => left.iter().filter_map(assigned).collect(),
        ActionKind::BecomesIn(ids, _) | ActionKind::BecomesSuch(ids, _) => {
            ids.iter().map(|id| (id.name.clone(), id.span)).collect()
        }
    }
}

fn assigned(e: &Expr) -> Option<(String, Span)> {
    match &e.kind {
        ExprKind::Ident(name) => Some((name.clone(), e.span)),
        ExprKind::Apply(f, _) => assigned(f),
        _ => None,
    }
}
