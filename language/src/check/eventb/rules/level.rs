//! A machine with its abstractions, its contexts and the events that its own ones refine.

use std::collections::BTreeSet;

use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::eventb::project::{Context, Event, INITIALISATION, Machine, Project};
use crate::text::source::Span;

/// A machine of the chain with the levels above it.
pub(super) struct Level<'p> {
    pub machine: &'p Machine,
    /// The machine that it refines.
    pub abstraction: Option<&'p Machine>,
    /// Its abstractions, the most abstract one first.
    pub above: Vec<&'p Machine>,
    /// Contexts that it or an abstraction sees, with those that they extend.
    pub contexts: Vec<&'p Context>,
    /// It is the component that is checked.
    pub is_last: bool,
}

impl<'p> Level<'p> {
    pub fn new(project: &'p Project, chain: &[&'p Machine], k: usize) -> Level<'p> {
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

    pub fn has(&self, name: &str) -> bool {
        declares(self.machine, name)
    }

    /// Returns the machine whose variable this is, where it is one of an abstraction that this machine does not have.
    pub fn disappeared(&self, name: &str) -> Option<&'p Machine> {
        let declared = || self.above.iter().rev().copied().find(|m| declares(m, name));
        if self.has(name) { None } else { declared() }
    }

    /// As [`disappeared`](Self::disappeared), where the direct abstraction does not have the variable either.
    pub fn long_disappeared(&self, name: &str) -> Option<&'p Machine> {
        let near = self.abstraction.is_some_and(|m| declares(m, name));
        if near { None } else { self.disappeared(name) }
    }

    /// Returns the abstract events that an event refines.
    pub fn refined(&self, e: &Event) -> Vec<&'p Event> {
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

    /// Contexts of the abstraction that the machine does not name: they are seen all the same.
    pub fn forgotten_contexts(&self, project: &Project, found: &mut Vec<Diagnostic>) {
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

/// Tests whether an event gives the variables their first values.
pub(super) fn is_initialisation(e: &Event) -> bool {
    e.name.name == INITIALISATION
}

/// Tests whether a machine has a variable of this name.
pub(super) fn declares(m: &Machine, name: &str) -> bool {
    m.variables.iter().any(|v| v.name == name)
}

/// Adds a context after those that it extends; missing ones and cycles are reported elsewhere.
pub(super) fn closure<'p>(project: &'p Project, id: &Ident, found: &mut Vec<&'p Context>) {
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

/// Creates an error of an event: at the place of the mistake if the event has it itself, else at the event, which
/// inherits it.
pub(super) fn in_event(e: &Event, inherited: bool, code: Code, place: Span, message: String) -> Diagnostic {
    if inherited {
        Diagnostic::error(code, e.name.span, message).label(place, "inherited from here")
    } else {
        Diagnostic::error(code, place, message)
    }
}
