//! Rules about refinement and extension of events, the form of the initialisation, and the events that a variant is
//! for.

use super::level::{Level, is_initialisation};
use super::reads::assigned_by;
use crate::ast::visit::{VisitorMut, walk_expr_mut};
use crate::ast::{Constant, Convergence, Expr, ExprKind, Ident};
use crate::diagnostic::{Diagnostic, codes};
use crate::eventb::project::{ActionKind, Event, INITIALISATION};
use crate::text::source::Span;

pub(super) fn of_level(level: &Level, found: &mut Vec<Diagnostic>) {
    for e in &level.machine.events {
        if is_initialisation(e) {
            initialisation(level, e, found);
        } else {
            event(level, e, found);
        }
    }
    refined_by_none(level, found);
    variants(level, found);
}

fn error(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(codes::EVENT_REFINEMENT, span, message)
}

fn warning(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(codes::EVENT_REFINEMENT, span, message)
}

fn initialisation(level: &Level, e: &Event, found: &mut Vec<Diagnostic>) {
    let form = |span, message: String| Diagnostic::error(codes::INITIALISATION_FORM, span, message);
    for p in &e.parameters[e.inherited.parameters..] {
        found.push(form(p.span, format!("the initialisation has a parameter, `{}`", p.name)));
    }
    for g in &e.guards[e.inherited.guards..] {
        let label = g.label.as_deref().unwrap_or_default();
        found.push(form(g.tree.span, format!("the initialisation has a guard, `{label}`")));
    }
    for id in &e.refines {
        if id.name != INITIALISATION {
            found.push(form(
                id.span,
                "the initialisation refines that of the abstraction and nothing else".into(),
            ));
        }
    }
    if e.convergence != Convergence::Ordinary {
        let message = "the initialisation happens once: it is ordinary";
        found.push(Diagnostic::warning(codes::CONVERGENCE, e.name.span, message));
    }
    if let Some(abstraction) = level.abstraction
        && abstraction.event(INITIALISATION).is_none()
        && !abstraction.variables.is_empty()
    {
        let message = format!("machine `{}` has no initialisation to refine", abstraction.name.name);
        found.push(error(e.name.span, message).label(abstraction.name.span, "the abstraction"));
    }
    let assigned: Vec<String> = e.actions.iter().flat_map(assigned_by).map(|(name, _)| name).collect();
    for v in &level.machine.variables {
        if !assigned.contains(&v.name) {
            let message = format!("variable `{}` is not initialised: it may have any value at first", v.name);
            found.push(
                Diagnostic::warning(codes::NOT_INITIALISED, e.name.span, message)
                    .label(v.span, "declared here"),
            );
        }
    }
}

fn event(level: &Level, e: &Event, found: &mut Vec<Diagnostic>) {
    let name = &e.name.name;
    if ["initialisation", "initialization"].contains(&name.to_lowercase().as_str()) {
        let message =
            format!("`{name}` is an event like all others: the first values come from {INITIALISATION}");
        found.push(Diagnostic::warning(codes::INITIALISATION_FORM, e.name.span, message));
    }
    if e.extended && e.refines.is_empty() {
        let help = "name the event that it extends, or do not extend";
        found.push(error(e.name.span, format!("event `{name}` extends, but refines no event")).help(help));
    }
    if let [_, second, ..] = e.refines.as_slice()
        && e.extended
    {
        let message = format!("event `{name}` extends and refines more than one event");
        found.push(
            error(second.span, message).help("an event that merges others repeats what they have in common"),
        );
    }
    for (i, id) in e.refines.iter().enumerate() {
        let known = level.abstraction.map(|m| m.events.as_slice()).unwrap_or_default();
        if id.name == INITIALISATION {
            found.push(error(
                id.span,
                format!("event `{name}` refines {INITIALISATION}, which only that does"),
            ));
        } else if e.refines[..i].iter().any(|other| other.name == id.name) {
            found.push(warning(id.span, format!("event `{name}` refines `{}` twice", id.name)));
        } else if known.iter().all(|a| a.name.name != id.name) {
            let d = match level.abstraction {
                Some(m) => Diagnostic::error(
                    codes::UNKNOWN_IDENTIFIER,
                    id.span,
                    format!("there is no event of machine `{}`: `{}`", m.name.name, id.name),
                ),
                None => Diagnostic::error(
                    codes::UNKNOWN_IDENTIFIER,
                    id.span,
                    format!(
                        "event `{name}` refines `{}`, but machine `{}` refines no machine",
                        id.name, level.machine.name.name
                    ),
                ),
            };
            let names: Vec<&str> =
                known.iter().map(|e| e.name.name.as_str()).filter(|n| *n != INITIALISATION).collect();
            found.push(if names.is_empty() { d } else { d.help(format!("there are: {}", names.join(", "))) });
        }
    }
    if level.abstraction.is_some_and(|m| m.event(name).is_some()) && e.refines.iter().all(|r| r.name != *name)
    {
        let message = format!("event `{name}` does not refine the abstract event of its name");
        found.push(warning(e.name.span, message));
    }
    let refined = level.refined(e);
    merged(e, &refined, found);
    convergence(level, e, &refined, found);
}

// Events that are merged differ in parameters and guards alone.
fn merged(e: &Event, refined: &[&Event], found: &mut Vec<Diagnostic>) {
    let Some((first, others)) = refined.split_first() else { return };
    let actions = |a: &Event| -> Vec<(String, ActionKind)> {
        let mut all: Vec<_> = a
            .actions
            .iter()
            .map(|a| (a.label.clone().unwrap_or_default(), without_places(&a.kind)))
            .collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all
    };
    let wanted = actions(first);
    for other in others {
        let found_here = actions(other);
        if wanted == found_here {
            continue;
        }
        let bare = |list: &[(String, ActionKind)]| list.iter().map(|(_, a)| a.clone()).collect::<Vec<_>>();
        let (a, b) = (bare(&wanted), bare(&found_here));
        let same = a.len() == b.len() && a.iter().all(|x| b.contains(x)) && b.iter().all(|x| a.contains(x));
        let how = if same { "their actions have different labels" } else { "their actions differ" };
        let message = format!(
            "event `{}` merges `{}` and `{}`, but {how}",
            e.name.name, first.name.name, other.name.name
        );
        let help = "events that are merged have the same actions with the same labels";
        let d = error(e.name.span, message)
            .label(first.name.span, "one of them")
            .label(other.name.span, "the other");
        found.push(d.help(help));
    }
}

fn without_places(action: &ActionKind) -> ActionKind {
    struct Clear;
    impl<'t> VisitorMut<'t> for Clear {
        fn expr(&mut self, e: &'t mut Expr) {
            e.span = Span::default();
            if let ExprKind::Quantified(_, ids, ..) | ExprKind::Comprehension(ids, ..) = &mut e.kind {
                ids.iter_mut().for_each(|id| id.span = Span::default());
            }
            walk_expr_mut(self, e);
        }
    }
    let cleared = |ids: &[Ident]| -> Vec<Ident> {
        ids.iter().map(|id| Ident { name: id.name.clone(), span: Span::default() }).collect()
    };
    let mut out = action.clone();
    match &mut out {
        ActionKind::Assign(left, right) => left.iter_mut().chain(right).for_each(|e| Clear.expr(e)),
        ActionKind::BecomesIn(ids, e) | ActionKind::BecomesSuch(ids, e) => {
            *ids = cleared(ids);
            Clear.expr(e);
        }
    }
    out
}

fn refined_by_none(level: &Level, found: &mut Vec<Diagnostic>) {
    let (Some(abstraction), Some(place)) = (level.abstraction, &level.machine.refines) else { return };
    for a in abstraction.events.iter().filter(|a| !is_initialisation(a)) {
        let refined = level.machine.events.iter().any(|e| e.refines.iter().any(|r| r.name == a.name.name));
        let never = a.guards.iter().any(|g| matches!(g.tree.kind, ExprKind::Constant(Constant::Bfalse)));
        if !refined && !never {
            let message =
                format!("no event refines `{}` of machine `{}`", a.name.name, abstraction.name.name);
            found.push(warning(place.span, message).label(a.name.span, "the abstract event"));
        }
    }
}

fn convergence(level: &Level, e: &Event, refined: &[&Event], found: &mut Vec<Diagnostic>) {
    use Convergence::*;
    let mut warn =
        |message: String| found.push(Diagnostic::warning(codes::CONVERGENCE, e.name.span, message));
    let name = &e.name.name;
    let Some(first) = refined.first() else {
        if e.convergence == Convergent && level.machine.variants.is_empty() {
            warn(format!("event `{name}` is convergent, but the machine has no variant"));
        }
        return;
    };
    if refined.iter().any(|a| a.convergence != first.convergence) {
        warn(format!(
            "event `{name}` merges events of which not all are ordinary, anticipated or convergent alike"
        ));
        return;
    }
    match (first.convergence, e.convergence) {
        (Ordinary, Convergent | Anticipated) => {
            warn(format!("event `{name}` refines an ordinary event, so it is ordinary as well"));
        }
        (Anticipated, Ordinary) => {
            warn(format!("event `{name}` refines an anticipated event: it is anticipated or convergent"));
        }
        (Convergent, Anticipated) => {
            warn(format!("event `{name}` refines a convergent event: it cannot be anticipated again"));
        }
        (Anticipated, Convergent) if level.machine.variants.is_empty() => {
            warn(format!("event `{name}` is convergent, but the machine has no variant"));
        }
        _ => {}
    }
}

fn variants(level: &Level, found: &mut Vec<Diagnostic>) {
    let Some(variant) = level.machine.variants.first() else { return };
    if level.machine.events.iter().all(|e| e.convergence == Convergence::Ordinary) {
        let message = "no event is convergent or anticipated: nothing decreases this variant";
        found.push(Diagnostic::warning(codes::CONVERGENCE, variant.tree.span, message));
    }
}
