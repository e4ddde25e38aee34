//! ProB's `.eventb` packages: the fact `package(load_event_b_project(Machines, Contexts, Info, Error))`.

use super::project::*;
use super::terms::{
    Read, formula, formulas, identifier, identifiers, list, malformed, name, position, undescribed,
};
use super::theories;
use crate::ast::{Convergence, Expr, ExprKind, Ident};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::eventb::prolog::{self, Term};
use crate::text::source::{SourceId, Span};

/// Reads the text of a package. Its first machine is the one it is named after.
///
/// # Errors
/// The first place that is not part of a package.
pub fn read(text: &str, source: SourceId) -> Result<Project, Diagnostic> {
    let facts = prolog::read(text, source)?;
    let package = facts.iter().find_map(|f| f.arguments("package", 1));
    let Some([package]) = package else {
        let span = facts.first().map_or(Span { source, start: 0, end: 0 }, |f| f.span);
        return Err(Diagnostic::error(codes::MALFORMED_PACKAGE, span, "the fact `package/1` is missing")
            .help("export the model again: ProB for Rodin, `Export to ProB Classic`"));
    };
    let Some(("load_event_b_project", [machines, contexts, rest @ ..])) = package.parts() else {
        return Err(malformed(package, "load_event_b_project/4"));
    };
    let mut project = Project { exported: true, ..Project::default() };
    let machines = list(machines, "machines")?;
    let names: Vec<Ident> = machines.iter().map(|m| machine_name(m)).collect::<Read<_>>()?;
    for m in machines {
        project.machines.push(machine(m, &names)?);
    }
    for c in list(contexts, "contexts")? {
        project.contexts.push(context(c)?);
    }
    // Without further facts the third argument is the error.
    for fact in rest.first().and_then(Term::list).unwrap_or_default() {
        if matches!(fact.parts(), Some(("theory", _))) {
            project.theories.push(theories::theory(fact)?);
        }
    }
    Ok(project)
}

fn machine_name(t: &Term) -> Read<Ident> {
    Ok(parts(undescribed(t), "event_b_model")?.0)
}

fn parts<'t, 'a>(t: &'t Term<'a>, functor: &str) -> Read<(Ident, &'t [Term<'a>])> {
    match t.parts() {
        Some((f, [_, n, parts])) if f == functor => Ok((name(n)?, list(parts, "sections")?)),
        _ => Err(malformed(t, &format!("{functor}/3"))),
    }
}

fn machine(t: &Term, machines: &[Ident]) -> Read<Machine> {
    let (name, sections) = parts(undescribed(t), "event_b_model")?;
    // Some exporters repeat the declarations that a machine inherits.
    let others: Vec<&str> = machines.iter().map(|m| m.name.as_str()).filter(|m| *m != name.name).collect();
    let is_own = |t: &Term| file_of(t).is_none_or(|file| !others.contains(&file.as_str()));
    let mut m = Machine {
        name,
        refines: None,
        sees: vec![],
        variables: vec![],
        invariants: vec![],
        variants: vec![],
        events: vec![],
        span: t.span,
    };
    for section in sections {
        let section = undescribed(section);
        let Some((functor, [_, content])) = section.parts() else {
            return Err(malformed(section, "a section of a machine"));
        };
        match functor {
            "sees" => m.sees = names(content)?,
            "refines" => m.refines = names(content)?.into_iter().next(),
            "variables" => m.variables = identifiers(content)?,
            "invariant" => {
                let own = labelled_where(content, false, is_own)?;
                m.invariants.splice(0..0, own).for_each(drop);
            }
            "theorems" => m.invariants.extend(labelled_where(content, true, is_own)?),
            "variant" => {
                let content = content.list().unwrap_or(std::slice::from_ref(content));
                for v in content {
                    m.variants.push(one_labelled(v, false)?);
                }
            }
            "events" => {
                m.events = list(content, "events")?.iter().map(event).collect::<Read<_>>()?;
            }
            _ => return Err(malformed(section, "a section of a machine")),
        }
    }
    Ok(m)
}

fn context(t: &Term) -> Read<Context> {
    let (name, sections) = parts(undescribed(t), "event_b_context")?;
    let mut c =
        Context { name, extends: vec![], sets: vec![], constants: vec![], axioms: vec![], span: t.span };
    for section in sections {
        let section = undescribed(section);
        let Some((functor, [_, content])) = section.parts() else {
            return Err(malformed(section, "a section of a context"));
        };
        match functor {
            "extends" => c.extends = names(content)?,
            "sets" => c.sets = list(content, "sets")?.iter().map(deferred_set).collect::<Read<_>>()?,
            "constants" | "abstract_constants" => c.constants.extend(identifiers(content)?),
            "axioms" => c.axioms.splice(0..0, labelled(content, false)?).for_each(drop),
            "theorems" => c.axioms.extend(labelled(content, true)?),
            _ => return Err(malformed(section, "a section of a context")),
        }
    }
    Ok(c)
}

fn deferred_set(t: &Term) -> Read<Ident> {
    match undescribed(t).parts() {
        Some(("deferred_set", [_, n])) => Ok(Ident { name: name(n)?.name, span: t.span }),
        Some(("identifier", _)) => identifier(t),
        _ => Err(malformed(t, "deferred_set/2")),
    }
}

// A bare atom represents a list of one.
fn names(t: &Term) -> Read<Vec<Ident>> {
    match t.list() {
        Some(items) => items.iter().map(name).collect(),
        None => Ok(vec![name(t)?]),
    }
}

fn labelled(t: &Term, theorem: bool) -> Read<Vec<Formula>> {
    labelled_where(t, theorem, |_| true)
}

fn labelled_where(t: &Term, theorem: bool, wanted: impl Fn(&Term) -> bool) -> Read<Vec<Formula>> {
    list(t, "predicates")?.iter().filter(|p| wanted(p)).map(|p| one_labelled(p, theorem)).collect()
}

fn one_labelled(t: &Term, theorem: bool) -> Read<Formula> {
    let t = undescribed(t);
    Ok(Formula { label: position_of(t).0, text: None, theorem, tree: formula(t)? })
}

/// The name of the file that a formula is from, where it is told.
fn file_of(t: &Term) -> Option<String> {
    position_of(undescribed(t)).1
}

/// Label and file.
fn position_of(t: &Term) -> (Option<String>, Option<String>) {
    t.parts().and_then(|(_, arguments)| arguments.first()).map(position).unwrap_or_default()
}

fn event(t: &Term) -> Read<Event> {
    let t = undescribed(t);
    let (convergence, rest) = match t.parts() {
        Some(("event", [_, n, status, rest @ ..])) if matches!(rest.len(), 5 | 6) => {
            (convergence(status)?, (n, rest))
        }
        Some(("event", [_, n, rest @ ..])) if rest.len() == 5 => (Convergence::Ordinary, (n, rest)),
        _ => return Err(malformed(t, "event/9")),
    };
    let (n, rest) = rest;
    let (refines, parameters, guards, theorems, actions, witnesses) = match rest {
        [r, p, g, t, a, w] => (r, p, g, Some(t), a, w),
        [r, p, g, a, w] => (r, p, g, None, a, w),
        _ => return Err(malformed(t, "event/9")),
    };
    let mut event = Event {
        name: name(n)?,
        convergence,
        extended: false,
        inherited: Inherited::default(),
        // Hand-written packages have the empty name if there is none.
        refines: names(refines)?.into_iter().filter(|id| !id.name.is_empty()).collect(),
        parameters: identifiers(parameters)?,
        guards: labelled(guards, false)?,
        actions: vec![],
        witnesses: vec![],
        span: t.span,
    };
    if let Some(theorems) = theorems {
        event.guards.extend(labelled(theorems, true)?);
    }
    for a in list(actions, "actions")? {
        event.actions.push(action(a)?);
    }
    for w in list(witnesses, "witnesses")? {
        let Some(("witness", [_, id, p])) = undescribed(w).parts() else {
            return Err(malformed(w, "witness/3"));
        };
        let formula = Formula { label: None, text: None, theorem: false, tree: formula(p)? };
        event.witnesses.push((identifier(id)?, formula));
    }
    Ok(event)
}

fn convergence(t: &Term) -> Read<Convergence> {
    match t.parts() {
        Some(("ordinary", _)) => Ok(Convergence::Ordinary),
        Some(("convergent", _)) => Ok(Convergence::Convergent),
        Some(("anticipated", _)) => Ok(Convergence::Anticipated),
        _ => Err(malformed(t, "ordinary/1, convergent/1 or anticipated/1")),
    }
}

fn action(t: &Term) -> Read<Action> {
    let inner = undescribed(t);
    let kind = match inner.parts() {
        Some(("assign", [_, left, right])) => ActionKind::Assign(formulas(left)?, formulas(right)?),
        Some(("becomes_element_of", [_, left, set])) => {
            ActionKind::BecomesIn(identifiers(left)?, formula(set)?)
        }
        Some(("becomes_such", [_, left, p])) => ActionKind::BecomesSuch(identifiers(left)?, formula(p)?),
        _ => return Err(malformed(t, "an action")),
    };
    if let ActionKind::Assign(left, _) = &kind
        && let Some(wrong) = left.iter().find(|l| !assignable(l))
    {
        let message = "this cannot be assigned to";
        return Err(Diagnostic::error(codes::UNASSIGNABLE_FORM, wrong.span, message));
    }
    Ok(Action { label: position_of(inner).0, text: None, kind, span: t.span })
}

fn assignable(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Ident(_) => true,
        ExprKind::Apply(f, _) => assignable(f),
        _ => false,
    }
}
