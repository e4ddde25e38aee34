//! Witnesses: one for each choice of the abstract event that the concrete one does not make itself.

use super::level::{Level, is_initialisation};
use super::reads::assigned_by;
use crate::ast::Ident;
use crate::ast::visit::FreeNames;
use crate::diagnostic::{Diagnostic, codes};
use crate::eventb::project::{ActionKind, Event};
use crate::text::source::Span;

pub(super) fn of_level(level: &Level, found: &mut Vec<Diagnostic>) {
    for e in &level.machine.events {
        let needed = needed(level, e);
        let mut given: Vec<&Ident> = vec![];
        for (id, formula) in &e.witnesses {
            let name = &id.name;
            if let Some(first) = given.iter().find(|other| other.name == *name) {
                let message = format!("event `{}` has two witnesses for `{name}`", e.name.name);
                found.push(
                    Diagnostic::error(codes::WITNESS, id.span, message).label(first.span, "the first one"),
                );
                continue;
            }
            given.push(id);
            if !needed.contains(name) {
                let message = format!("event `{}` needs no witness for `{name}`", e.name.name);
                let help = match name.strip_suffix('\'') {
                    Some(_) => {
                        "a primed name needs one where the abstract event chooses the new value of a variable \
                                that has disappeared"
                    }
                    None => {
                        "a parameter of the abstract event needs one where the event has none of this name"
                    }
                };
                found.push(Diagnostic::error(codes::WITNESS, id.span, message).help(help));
            }
            for (used, place) in FreeNames::places_in(&formula.tree) {
                if let Some(d) = may_not_speak(level, e, name, &used, place) {
                    found.push(d);
                }
            }
        }
        for name in needed.iter().filter(|name| given.iter().all(|id| id.name != **name)) {
            let message = format!("event `{}` has no witness for `{name}`", e.name.name);
            let help = "it may be anything that the abstract event allows; provers ask for a witness";
            found.push(Diagnostic::warning(codes::WITNESS, e.name.span, message).help(help));
        }
    }
}

// Parameters of the abstract events that the event does not have, and chosen values of variables that it does not have.
fn needed(level: &Level, e: &Event) -> Vec<String> {
    let refined = level.refined(e);
    let mut names: Vec<String> = vec![];
    for a in &refined {
        for p in &a.parameters {
            if e.parameters.iter().all(|own| own.name != p.name) && !names.contains(&p.name) {
                names.push(p.name.clone());
            }
        }
    }
    // Events that are merged have the same actions.
    for a in refined.first().iter().flat_map(|a| &a.actions) {
        if matches!(a.kind, ActionKind::Assign(..)) {
            continue;
        }
        names.extend(assigned_by(a).into_iter().filter(|(v, _)| !level.has(v)).map(|(v, _)| format!("{v}'")));
    }
    names
}

fn may_not_speak(level: &Level, e: &Event, label: &str, name: &str, place: Span) -> Option<Diagnostic> {
    if name == label || e.parameters.iter().any(|p| p.name == name) {
        return None;
    }
    let variable = name.strip_suffix('\'').unwrap_or(name);
    let message = if let Some(m) = level.long_disappeared(variable) {
        format!("`{variable}` is a variable of machine `{}` that the abstraction does not have", m.name.name)
    } else if variable != name && level.disappeared(variable).is_some() {
        format!("the witness for `{label}` cannot speak of `{name}`, which has one of its own")
    } else if variable == name
        && is_initialisation(e)
        && (level.has(name) || level.disappeared(name).is_some())
    {
        format!("a witness of the initialisation cannot read `{name}`: no variable has a value before")
    } else if level.refined(e).iter().any(|a| a.parameters.iter().any(|p| p.name == name)) {
        format!("the witness for `{label}` cannot speak of `{name}`, another parameter of the abstract event")
    } else {
        return None;
    };
    Some(Diagnostic::error(codes::NOT_VISIBLE, place, message))
}
