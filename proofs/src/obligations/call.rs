//! Conditions for an event to happen: its guards, as far as they stand before all of its effects.

use bsym_language::model::*;
use bsym_language::walk::{Replacement, conjuncts};
use bsym_status::file::TargetRole;

/// A condition of an event, over variables and constants alone.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Guard {
    pub role: TargetRole,
    pub pred: Pred,
    pub depth: Depth,
}

/// Depth at which a guard stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Depth {
    /// In the outermost guard.
    Outermost,
    /// Below another guard or a choice.
    Nested,
    /// Behind a claim, which may fail before the guard is evaluated.
    BehindClaim,
}

/// An event with its guards. Parameters and names that are chosen before a guard are variables of the model.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub event: EventId,
    pub guards: Vec<Guard>,
    /// The names in the source of these variables, which have names of their own in the model.
    pub names: Vec<(VarId, String)>,
}

/// Returns the guards of an event of a machine. `model` gets variables for the locals in them.
pub(super) fn of_machine(model: &mut Model, event: EventId) -> Call {
    let Event { parameters, body, .. } = model.events[event.index()].clone();
    let mut originals = vec![];
    let mut value = |local: LocalId| {
        let Variable { name, ty, span } = model.locals[local.index()].clone();
        let v = VarId(model.variables.len() as u32);
        let others = model.variables.iter().chain(&model.constants);
        let count = others.filter(|o| o.name == name || o.name.starts_with(&format!("{name}$"))).count();
        let own = if count == 0 { name.clone() } else { format!("{name}${count}") };
        model.variables.push(Variable { name: own, ty: ty.clone(), span });
        originals.push((v, name));
        ExprKind::Var(v).typed(ty, span)
    };
    let mut names = Replacement::default();
    for local in parameters {
        names.locals.insert(local, value(local));
    }
    let mut guards = guards(&body, names, &mut value);
    if model.text.notation == Notation::EventB {
        guards.iter_mut().for_each(|g| g.role = TargetRole::Guard);
    }
    Call { event, guards, names: originals }
}

/// Returns the guards at the head of a substitution. `value` stands for chosen names.
pub(super) fn guards(
    body: &Subst,
    mut names: Replacement,
    value: &mut dyn FnMut(LocalId) -> Expr,
) -> Vec<Guard> {
    let mut found = vec![];
    let (mut at, mut depth) = (body, Depth::Outermost);
    loop {
        let (role, known, inner) = match &at.kind {
            SubstKind::Select { branches, otherwise: None, from_pre, .. } if branches.len() == 1 => {
                let role = if *from_pre { TargetRole::Precondition } else { TargetRole::Guard };
                (role, &branches[0].0, &branches[0].1)
            }
            SubstKind::Any(_, locals, p, inner) => {
                for &local in locals {
                    names.locals.insert(local, value(local));
                }
                depth = depth.max(Depth::Nested);
                (TargetRole::Guard, p, &**inner)
            }
            SubstKind::Pre(_, inner) | SubstKind::Assert(_, _, inner) => {
                (at, depth) = (inner, Depth::BehindClaim);
                continue;
            }
            SubstKind::Sequence(parts) if !parts.is_empty() => {
                at = &parts[0];
                continue;
            }
            _ => return found,
        };
        for p in conjuncts(known) {
            let pred = Pred { span: p.span, ..names.in_pred(p) };
            found.push(Guard { role, pred, depth });
        }
        (at, depth) = (inner, depth.max(Depth::Nested));
    }
}
