//! Components of Event-B as text.

use crate::ast::{Convergence, Ident};
use crate::eventb::project::{Action, Context, Event, Formula, Machine, Project};

/// Returns a component of a project as text. `None` if there is no such component, or if it is from a package, which holds
/// no text of its formulas.
pub fn printed(project: &Project, name: &str) -> Option<String> {
    match project.machine(name) {
        Some(machine) => of_machine(machine),
        None => of_context(project.context(name)?),
    }
}

fn names(all: &[Ident]) -> String {
    all.iter().map(|id| id.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn section(out: &mut String, indent: &str, word: &str, all: &[Ident]) {
    if !all.is_empty() {
        out.push_str(&format!("{indent}{word} {}\n", names(all)));
    }
}

/// A line of a formula: its mark, label and text.
fn line(indent: &str, theorem: bool, label: Option<&str>, text: &str) -> String {
    let mark = if theorem { "theorem " } else { "" };
    let label = label.map(|label| format!("@{label} ")).unwrap_or_default();
    format!("{indent}{mark}{label}{text}\n")
}

fn formulas(out: &mut String, indent: &str, word: &str, all: &[Formula]) -> Option<()> {
    if all.is_empty() {
        return Some(());
    }
    out.push_str(&format!("{indent}{word}\n"));
    for formula in all {
        let (label, text) = (formula.label.as_deref(), formula.text.as_deref()?);
        out.push_str(&line(&format!("{indent}  "), formula.theorem, label, text));
    }
    Some(())
}

fn of_context(c: &Context) -> Option<String> {
    let mut out = format!("context {}\n", c.name.name);
    section(&mut out, "", "extends", &c.extends);
    section(&mut out, "", "sets", &c.sets);
    section(&mut out, "", "constants", &c.constants);
    formulas(&mut out, "", "axioms", &c.axioms)?;
    out.push_str("end\n");
    Some(out)
}

fn of_machine(m: &Machine) -> Option<String> {
    let mut out = format!("machine {}\n", m.name.name);
    section(&mut out, "", "refines", m.refines.as_slice());
    section(&mut out, "", "sees", &m.sees);
    section(&mut out, "", "variables", &m.variables);
    formulas(&mut out, "", "invariants", &m.invariants)?;
    formulas(&mut out, "", "variant", &m.variants)?;
    if !m.events.is_empty() {
        out.push_str("events\n");
    }
    for event in &m.events {
        of_event(&mut out, event)?;
    }
    out.push_str("end\n");
    Some(out)
}

fn of_event(out: &mut String, event: &Event) -> Option<()> {
    let status = match event.convergence {
        Convergence::Ordinary => "",
        Convergence::Convergent => "convergent ",
        Convergence::Anticipated => "anticipated ",
    };
    out.push_str(&format!("  {status}event {}", event.name.name));
    match (event.extended, event.refines.is_empty()) {
        (true, true) => out.push_str(" extended"),
        (true, false) => out.push_str(&format!(" extends {}", names(&event.refines))),
        (false, true) => {}
        (false, false) => out.push_str(&format!(" refines {}", names(&event.refines))),
    }
    out.push('\n');
    let inherited = event.inherited;
    section(out, "    ", "any", &event.parameters[inherited.parameters..]);
    formulas(out, "    ", "where", &event.guards[inherited.guards..])?;
    if !event.witnesses.is_empty() {
        out.push_str("    with\n");
    }
    for (name, formula) in &event.witnesses {
        out.push_str(&line("      ", false, Some(&name.name), formula.text.as_deref()?));
    }
    let actions = &event.actions[inherited.actions..];
    if !actions.is_empty() {
        out.push_str("    then\n");
    }
    for Action { label, text, .. } in actions {
        out.push_str(&line("      ", false, label.as_deref(), text.as_deref()?));
    }
    out.push_str("  end\n");
    Some(())
}
