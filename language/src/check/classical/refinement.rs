//! Parts that a refinement takes from its abstraction: the signatures of its operations, and their preconditions (as in
//! ProB).

use super::*;
use crate::ast::{MachineKind, Operation};
use crate::model::same::same_pred;

impl Composition {
    /// Returns the operation of the abstraction that an operation refines.
    pub(super) fn abstract_operation(&mut self, op: &Operation) -> Option<usize> {
        let link = self.instances[self.current].links.iter().find(|l| l.relation == Relation::Refines);
        let Some(link) = link.cloned() else {
            if let Some(abstraction) = op.refines.as_ref().filter(|_| !self.c.names.uses_others) {
                let message = "there is no abstraction of which an operation could be refined";
                self.c.error(codes::NOT_REFINED, abstraction.span, message);
            }
            return None;
        };
        let wanted = op.refines.as_ref().unwrap_or(&op.name);
        let known = &self.interfaces[self.current].abstraction;
        if let Some(found) = known.get(&wanted.name) {
            return Some(*found);
        }
        if self.interfaces[link.instance].environment.uses_others || self.is_system(link.instance) {
            return None;
        }
        let machine = self.machine_name(link.instance);
        let message = format!("the abstraction `{machine}` has no operation `{}`", wanted.name);
        let d = Diagnostic::error(codes::NOT_REFINED, wanted.span, message);
        let d = match nearest(&wanted.name, known.keys().map(String::as_str)) {
            Some(near) => d.meant(near),
            None => d.help("a refinement has the operations of its abstraction and no others"),
        };
        self.c.report(d);
        None
    }

    // Event-style systems may get new events.
    fn is_system(&self, mut i: usize) -> bool {
        loop {
            if self.project.units[self.instances[i].unit].tree.kind == MachineKind::System {
                return true;
            }
            match self.instances[i].links.iter().find(|l| l.relation == Relation::Refines) {
                Some(link) => i = link.instance,
                None => return false,
            }
        }
    }

    /// Gives parameters and results the types that they have in the abstraction, or in `LOCAL_OPERATIONS`.
    pub(super) fn same_signature(
        &mut self,
        op: &Operation,
        abstraction: usize,
        results: &[LocalId],
        parameters: &[LocalId],
    ) {
        let wanted = self.c.procedures[abstraction].clone();
        let local = self.c.names.operations.get(&op.name.name).is_some_and(|c| c.local);
        let place = if local { "LOCAL_OPERATIONS" } else { "the abstraction" };
        let lists = [("parameters", &wanted.parameters, parameters), ("results", &wanted.results, results)];
        for (what, of_abstraction, own) in lists {
            if of_abstraction.len() != own.len() {
                let message = format!(
                    "operation `{}` has {} {what}, in {place} it has {}",
                    op.name.name,
                    own.len(),
                    of_abstraction.len()
                );
                let d = Diagnostic::error(codes::NOT_REFINED, op.name.span, message);
                self.c.report(d.label(wanted.span, format!("the operation in {place}")));
                continue;
            }
            for (a, l) in of_abstraction.iter().zip(own) {
                let (ty, own) = (self.c.local_type(*a), self.c.local_type(*l));
                if !self.c.types.unify(&own, &ty) {
                    let (ty, own) = (self.c.type_text(&ty), self.c.type_text(&own));
                    let l = &self.c.model.locals[l.index()];
                    let message = format!("`{}` is {ty} in {place}, this is {own}", l.name);
                    self.c.error(codes::TYPE_MISMATCH, l.span, message);
                }
            }
        }
    }

    /// Returns the body of an operation with the outermost precondition of the operation it refines.
    pub(super) fn with_abstract_precondition(
        &mut self,
        body: Subst,
        abstraction: usize,
        parameters: &[LocalId],
    ) -> Subst {
        let procedure = self.c.procedures[abstraction].clone();
        if procedure.parameters.len() != parameters.len() {
            return body;
        }
        let mut conjuncts = vec![];
        preconditions(&procedure.body, &mut conjuncts);
        let mut names = Replacement::default();
        for (old, new) in procedure.parameters.iter().zip(parameters) {
            let Variable { ty, span, .. } = self.c.model.locals[new.index()].clone();
            names.locals.insert(*old, ExprKind::Local(*new).typed(ty, span));
        }
        let mut own = vec![];
        preconditions(&body, &mut own);
        let mut guards = vec![];
        for p in conjuncts {
            let p = names.in_pred(&p);
            if !own.iter().any(|o| same_pred(o, &p)) {
                guards.push(self.c.copied(&p));
            }
        }
        if guards.is_empty() {
            return body;
        }
        let Subst { kind, span } = body;
        let (guard, inner) = match kind {
            SubstKind::Select { mut branches, from_pre: true, .. } if branches.len() == 1 => {
                branches.remove(0)
            }
            kind => (PredKind::True.at(span), kind.at(span)),
        };
        match guard.kind {
            PredKind::True => {}
            PredKind::And(list) => guards.extend(list),
            kind => guards.push(Pred { kind, span: guard.span }),
        }
        let guard = Pred::all(guards, span);
        let choice = self.c.choice();
        let kind =
            SubstKind::Select { choice, branches: vec![(guard, inner)], otherwise: None, from_pre: true };
        kind.at(span)
    }
}

/// Collects the conjuncts of the outermost preconditions.
pub(super) fn preconditions(s: &Subst, out: &mut Vec<Pred>) {
    let SubstKind::Select { branches, from_pre: true, .. } = &s.kind else { return };
    let [(guard, body)] = &branches[..] else { return };
    match &guard.kind {
        PredKind::And(list) => out.extend(list.iter().cloned()),
        PredKind::True => {}
        _ => out.push(guard.clone()),
    }
    preconditions(body, out);
}
