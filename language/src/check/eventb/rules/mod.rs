//! Rules of Event-B that need no types: those for which Rodin's static checker reports an error or a warning.
//!
//! The modules: `level` (a machine with the levels above it), `declarations` (names that clash, variables that
//! reappear), `labels`, `reads` (the variables that a formula may use), `events` (refinement and extension of events,
//! the initialisation, convergence), `witnesses`. Each consists of plain functions over the levels of a machine. Errors
//! are reported for all levels, warnings only for the component itself. `docs/eventb.md` compares the rules with
//! Rodin's, one by one.

mod declarations;
mod events;
mod labels;
mod level;
mod reads;
mod witnesses;

use crate::ast::Ident;
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::eventb::project::{Context, Machine, Project};
use level::{Level, closure};

/// Returns the violations of the rules in a machine with its abstractions, or in a context alone, whose `chain` is
/// empty.
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
