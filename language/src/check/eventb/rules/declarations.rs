//! Rules about names: each denotes one set, constant, variable or parameter.

use std::collections::{BTreeMap, BTreeSet};

use super::level::{Level, declares, in_event};
use crate::ast::Ident;
use crate::diagnostic::{Diagnostic, codes};
use crate::eventb::project::{Context, Event, Machine};
use crate::text::source::Span;

/// Names that are taken: the kind of each, with the place of its declaration.
type Taken<'p> = BTreeMap<&'p str, (String, Span)>;

fn clash(id: &Ident, what: &str, (other, first): &(String, Span)) -> Diagnostic {
    let name = &id.name;
    let message = if what == other {
        format!("`{name}` is declared twice")
    } else {
        format!("{} `{name}` has the name of {other}", what.trim_start_matches("a "))
    };
    Diagnostic::error(codes::DUPLICATE_DECLARATION, id.span, message).label(*first, "first declared here")
}

fn take<'p>(taken: &mut Taken<'p>, id: &'p Ident, what: &str, found: &mut Vec<Diagnostic>) {
    match taken.get(id.name.as_str()) {
        Some(first) => found.push(clash(id, what, first)),
        None => drop(taken.insert(&id.name, (what.to_string(), id.span))),
    }
}

pub(super) fn of_contexts(contexts: &[&Context], found: &mut Vec<Diagnostic>) {
    statics(contexts, found);
}

fn statics<'p>(contexts: &[&'p Context], found: &mut Vec<Diagnostic>) -> Taken<'p> {
    let mut taken = Taken::new();
    for context in contexts {
        context.sets.iter().for_each(|id| take(&mut taken, id, "a set", found));
        context.constants.iter().for_each(|id| take(&mut taken, id, "a constant", found));
    }
    taken
}

pub(super) fn of_level(level: &Level, found: &mut Vec<Diagnostic>) {
    let mut taken = statics(&level.contexts, found);
    // Names of the abstractions were checked with them.
    let mut ignored = vec![];
    for m in &level.above {
        m.variables.iter().for_each(|id| take(&mut taken, id, "a variable", &mut ignored));
    }
    // A variable of an abstraction may stay, unless it has gone before; one that a newly seen context takes may not.
    let mut own = BTreeSet::new();
    for id in &level.machine.variables {
        if !own.insert(id.name.as_str()) {
            let first =
                level.machine.variables.iter().find(|v| v.name == id.name).map_or(id.span, |v| v.span);
            found.push(clash(id, "a variable", &("a variable".into(), first)));
            continue;
        }
        match taken.get(id.name.as_str()) {
            Some((what, _)) if what == "a variable" => {
                if let Some(m) = gone_before(level, &id.name) {
                    let message = format!(
                        "variable `{}` of machine `{}` has disappeared before and cannot come back",
                        id.name, m.name.name
                    );
                    let d = Diagnostic::error(codes::DUPLICATE_DECLARATION, id.span, message);
                    let first =
                        m.variables.iter().find(|v| v.name == id.name).map_or(m.name.span, |v| v.span);
                    found.push(
                        d.label(first, "first declared here").help("give the new variable a name of its own"),
                    );
                }
            }
            Some(first) => found.push(clash(id, "a variable", first)),
            None => drop(taken.insert(&id.name, ("a variable".into(), id.span))),
        }
    }
    for m in &level.above {
        for id in &m.variables {
            if let Some(context) = level.contexts.iter().find(|c| names(c).any(|other| other.name == id.name))
                && !level.has(&id.name)
                && let Some(first) = names(context).find(|other| other.name == id.name)
            {
                found.push(clash(first, "a set or constant", &("a variable".into(), id.span)));
            }
        }
    }
    for e in &level.machine.events {
        of_event(e, &taken, found);
    }
}

fn names(c: &Context) -> impl Iterator<Item = &Ident> {
    c.sets.iter().chain(&c.constants)
}

// The machine that last had the variable, where the direct abstraction has it no more.
fn gone_before<'p>(level: &Level<'p>, name: &str) -> Option<&'p Machine> {
    if level.abstraction.is_some_and(|m| declares(m, name)) {
        return None;
    }
    level.above.iter().rev().copied().find(|m| declares(m, name))
}

fn of_event(e: &Event, taken: &Taken, found: &mut Vec<Diagnostic>) {
    for (i, id) in e.parameters.iter().enumerate() {
        let inherited = i < e.inherited.parameters;
        let name = &id.name;
        if let Some((what, first)) = taken.get(name.as_str()) {
            let message = format!("parameter `{name}` of event `{}` has the name of {what}", e.name.name);
            let d = in_event(e, inherited, codes::DUPLICATE_DECLARATION, id.span, message);
            found.push(d.label(*first, "declared here"));
        }
        let Some(at) = e.parameters[..i].iter().position(|other| other.name == *name) else { continue };
        if inherited {
            // One of the abstract event.
            continue;
        }
        let message = if at < e.inherited.parameters {
            format!("parameter `{name}` of event `{}` is inherited already", e.name.name)
        } else {
            format!("`{name}` occurs twice in this list")
        };
        let d = Diagnostic::error(codes::DUPLICATE_DECLARATION, id.span, message);
        found.push(d.label(e.parameters[at].span, "the first one"));
    }
}
