//! Rules of Event-B that need no types: what Rodin's static checker refuses or warns of.
//!
//! The rooms: `declarations` (names that clash, variables that come back), `labels`, `reads` (which variables a formula
//! may speak of), `events` (what an event refines and extends, the initialisation, convergence), `witnesses`. Each is
//! plain functions over the levels of a machine; errors are told of all levels, warnings of the component itself alone.
//! `docs/eventb.md` compares them with Rodin's, one by one.

mod declarations;
mod events;
mod labels;
mod reads;
mod witnesses;

use std::collections::BTreeSet;

use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic, Severity, codes};
use crate::eventb::project::{Context, Event, INITIALISATION, Machine, Project};
use crate::text::source::Span;

/// What breaks the rules in a machine with its abstractions, or in a context alone, whose `chain` is empty.
///
/// `chain` begins with the most abstract machine; `contexts` are all that are seen, each after those it extends.
pub(super) fn check<'p>(
    project: &'p Project,
    chain: &[&'p Machine],
    contexts: &[&'p Context],
) -> Vec<Diagnostic> {
    let levels: Vec<Level> = (0..chain.len()).map(|k| Level::new(project, chain, k)).collect();
    let mut found = vec![];
    for context in contexts {
        labels::of_context(context, &mut found);
    }
    if chain.is_empty() {
        declarations::of_contexts(contexts, &mut found);
        if let Some(context) = contexts.last() {
            redundant(project, &context.extends, "extended", &mut found);
        }
    }
    for level in &levels {
        let mut own = vec![];
        if !project.exported {
            labels::of_invariants(level.machine, &mut own);
            reads::of_invariants(level, &mut own);
        }
        labels::of_events(level.machine, &mut own);
        declarations::of_level(level, &mut own);
        reads::of_level(level, &mut own);
        events::of_level(level, &mut own);
        witnesses::of_level(level, &mut own);
        if level.is_last {
            redundant(project, &level.machine.sees, "seen", &mut own);
            level.forgotten_contexts(project, &mut own);
        } else {
            own.retain(|d| d.severity == Severity::Error);
        }
        found.extend(own);
    }
    found
}

/// A machine of the chain with what is above it.
struct Level<'p> {
    machine: &'p Machine,
    /// The machine that it refines.
    abstraction: Option<&'p Machine>,
    /// Its abstractions, the most abstract one first.
    above: Vec<&'p Machine>,
    /// Contexts that it or an abstraction sees, with those that they extend.
    contexts: Vec<&'p Context>,
    /// It is the component that is checked.
    is_last: bool,
}

impl<'p> Level<'p> {
    fn new(project: &'p Project, chain: &[&'p Machine], k: usize) -> Level<'p> {
        let mut contexts = vec![];
        for machine in &chain[..=k] {
            machine.sees.iter().for_each(|id| closure(project, id, &mut contexts));
        }
        Level {
            machine: chain[k],
            abstraction: k.checked_sub(1).map(|above| chain[above]),
            above: chain[..k].to_vec(),
            contexts,
            is_last: k + 1 == chain.len(),
        }
    }

    fn has(&self, name: &str) -> bool {
        declares(self.machine, name)
    }

    /// The machine whose variable this is, where it is one of an abstraction that this machine does not have.
    fn disappeared(&self, name: &str) -> Option<&'p Machine> {
        let declared = || self.above.iter().rev().copied().find(|m| declares(m, name));
        if self.has(name) { None } else { declared() }
    }

    /// As [`disappeared`](Self::disappeared), where the direct abstraction does not have the variable either.
    fn long_disappeared(&self, name: &str) -> Option<&'p Machine> {
        let near = self.abstraction.is_some_and(|m| declares(m, name));
        if near { None } else { self.disappeared(name) }
    }

    /// The abstract events that an event refines.
    fn refined(&self, e: &Event) -> Vec<&'p Event> {
        let Some(abstraction) = self.abstraction else { return vec![] };
        if is_initialisation(e) {
            return abstraction.event(INITIALISATION).into_iter().collect();
        }
        let mut names: Vec<&str> = vec![];
        e.refines.iter().for_each(|id| {
            if !names.contains(&id.name.as_str()) {
                names.push(&id.name);
            }
        });
        names.into_iter().filter_map(|name| abstraction.event(name)).collect()
    }

    // Contexts of the abstraction that the machine does not name: they are seen all the same.
    fn forgotten_contexts(&self, project: &Project, found: &mut Vec<Diagnostic>) {
        let Some(refines) = &self.machine.refines else { return };
        let mut own = vec![];
        self.machine.sees.iter().for_each(|id| closure(project, id, &mut own));
        for context in &self.contexts {
            if own.iter().all(|c| c.name.name != context.name.name) {
                let (machine, context) = (&self.machine.name.name, &context.name.name);
                let message =
                    format!("`{machine}` does not see `{context}`, which its abstraction sees: it is added");
                found.push(Diagnostic::warning(codes::REDUNDANT_CONTEXT, refines.span, message));
            }
        }
    }
}

fn is_initialisation(e: &Event) -> bool {
    e.name.name == INITIALISATION
}

fn declares(m: &Machine, name: &str) -> bool {
    m.variables.iter().any(|v| v.name == name)
}

/// A context after those that it extends; missing ones and circles are reported elsewhere.
fn closure<'p>(project: &'p Project, id: &Ident, found: &mut Vec<&'p Context>) {
    fn visit<'p>(
        project: &'p Project,
        id: &Ident,
        open: &mut BTreeSet<String>,
        found: &mut Vec<&'p Context>,
    ) {
        let known = found.iter().any(|c| c.name.name == id.name);
        let Some(context) = project.context(&id.name).filter(|_| !known) else { return };
        if open.insert(id.name.clone()) {
            context.extends.iter().for_each(|id| visit(project, id, open, found));
            found.push(context);
        }
    }
    visit(project, id, &mut BTreeSet::new(), found);
}

// Contexts that are named twice, or that another one of the list extends.
fn redundant(project: &Project, list: &[Ident], how: &str, found: &mut Vec<Diagnostic>) {
    for (i, id) in list.iter().enumerate() {
        let twice = list[..i].iter().any(|other| other.name == id.name);
        let by = list.iter().filter(|other| other.name != id.name).find(|other| {
            let mut all = vec![];
            closure(project, other, &mut all);
            all.iter().any(|c| c.name.name == id.name)
        });
        let message = match by {
            _ if twice => format!("context `{}` is {how} twice", id.name),
            Some(other) => format!("context `{}` is {how} by way of `{}` already", id.name, other.name),
            None => continue,
        };
        found.push(Diagnostic::warning(codes::REDUNDANT_CONTEXT, id.span, message));
    }
}

/// An error of an event: at the place of what is wrong where the event has that itself, else at the event, which
/// inherits it.
fn in_event(e: &Event, inherited: bool, code: Code, place: Span, message: String) -> Diagnostic {
    if inherited {
        Diagnostic::error(code, e.name.span, message).label(place, "inherited from here")
    } else {
        Diagnostic::error(code, place, message)
    }
}
