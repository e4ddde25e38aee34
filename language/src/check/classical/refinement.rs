//! What a refinement takes from its abstraction, and what is left of the abstraction in the model.
//!
//! The state of a refinement is its own variables. A precondition of the abstraction is also one of
//! the refinement, as far as it speaks of what is still there (as in ProB); conjuncts of the
//! invariant that speak of variables that are gone are gluing. An `ASSERT` or an invariant of a loop
//! that speaks of them is left out, with a warning.

use std::collections::BTreeSet;

use super::*;
use crate::ast::{MachineKind, Operation};
use crate::model::same::same_pred;
use crate::model::visit::{self, Names, Replacement, VisitorMut};

impl Composition {
    /// The operation of the abstraction that an operation refines.
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
        let help = match nearest(&wanted.name, known.keys().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a refinement has the operations of its abstraction and no others".into(),
        };
        let machine = self.machine_name(link.instance);
        let message = format!("the abstraction `{machine}` has no operation `{}`", wanted.name);
        self.c.report(Diagnostic::error(codes::NOT_REFINED, wanted.span, message).help(help));
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

    /// Gives parameters and results the types that they have in the abstraction.
    pub(super) fn same_signature(
        &mut self,
        op: &Operation,
        abstraction: usize,
        results: &[LocalId],
        parameters: &[LocalId],
    ) {
        let wanted = self.c.procedures[abstraction].clone();
        let lists = [("parameters", &wanted.parameters, parameters), ("results", &wanted.results, results)];
        for (what, of_abstraction, own) in lists {
            if of_abstraction.len() != own.len() {
                let message = format!(
                    "operation `{}` has {} {what}, in the abstraction it has {}",
                    op.name.name,
                    own.len(),
                    of_abstraction.len()
                );
                let d = Diagnostic::error(codes::NOT_REFINED, op.name.span, message);
                self.c.report(d.label(wanted.span, "the operation of the abstraction"));
                continue;
            }
            for (a, l) in of_abstraction.iter().zip(own) {
                let (ty, own) = (self.c.local_type(*a), self.c.local_type(*l));
                if !self.c.types.unify(&own, &ty) {
                    let (ty, own) = (self.c.type_text(&ty), self.c.type_text(&own));
                    let l = &self.c.model.locals[l.index()];
                    let message = format!("`{}` is {ty} in the abstraction, this is {own}", l.name);
                    self.c.error(codes::TYPE_MISMATCH, l.span, message);
                }
            }
        }
    }

    /// The body of an operation with the outermost precondition of the operation it refines.
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

    /// Separates the state from the variables that only abstractions have.
    pub(super) fn finish_composition(&mut self) {
        if self.c.model.variables.len() == self.state {
            return;
        }
        self.inherited_operations();
        let state = self.state;
        let speaks = |c: &Conjunct| abstract_names(&Names::of_pred(&c.pred), state).next().is_some();
        let (gluing, invariant) = std::mem::take(&mut self.c.model.invariant).into_iter().partition(speaks);
        (self.c.model.invariant, self.c.model.gluing) = (invariant, gluing);
        let (dropped, assertions): (Vec<Conjunct>, Vec<Conjunct>) =
            std::mem::take(&mut self.c.model.assertions).into_iter().partition(speaks);
        self.c.model.assertions = assertions;
        for c in dropped.iter().filter(|c| c.origin == ComponentId(0)) {
            self.left_out("this assertion is not checked", &c.pred);
        }
        let as_dropped = |kind| {
            move |c: &Conjunct| Dropped { kind, label: c.label.clone(), text: c.text.clone(), span: c.span }
        };
        // What the machine says itself is the most telling.
        let (own, inherited): (Vec<&Conjunct>, Vec<&Conjunct>) =
            self.c.model.gluing.iter().partition(|c| c.origin == ComponentId(0));
        let gluing = own.into_iter().chain(inherited);
        let mut not_checked: Vec<Dropped> = gluing.map(as_dropped(DroppedKind::Gluing)).collect();
        not_checked.extend(dropped.iter().map(as_dropped(DroppedKind::Assertion)));
        not_checked.extend(self.strip());
        self.c.model.not_checked = not_checked;
        let mut abstracted = Abstracted(self.state);
        for c in &mut self.c.model.gluing {
            abstracted.pred(&mut c.pred);
        }
        self.c.model.abstract_variables = self.c.model.variables.split_off(self.state);
    }

    // An operation that the refinement leaves as it is must not need what is gone.
    fn inherited_operations(&mut self) {
        for i in 0..self.instances.len() {
            if !self.instances[i].concrete {
                continue;
            }
            for (name, p) in self.interfaces[i].inherited.clone() {
                let procedure = self.c.procedures[p].clone();
                let names = Names::of_subst(&procedure.body);
                let Some(v) = abstract_names(&names, self.state).next() else { continue };
                let variable = &self.c.model.variables[v.index()];
                let tree = &self.project.units[self.instances[i].unit].tree;
                let message = format!(
                    "`{}` does not refine operation `{name}`, which needs `{}`, a variable of the abstraction",
                    tree.name.name, variable.name
                );
                let d = Diagnostic::error(codes::NOT_REFINED, tree.name.span, message)
                    .label(procedure.span, "the operation of the abstraction")
                    .help("write the operation for the variables of the refinement");
                self.c.report(d);
            }
        }
    }

    /// Takes what cannot be decided out of the initialisation and the events, and says what it was.
    fn strip(&mut self) -> Vec<Dropped> {
        let mut stripper = Stripper { state: self.state, event: None, left_out: vec![], variants: vec![] };
        let nothing = SubstKind::Skip.at(Span::default());
        let mut initialisation = std::mem::replace(&mut self.c.model.initialisation, nothing);
        stripper.subst(&mut initialisation);
        self.c.model.initialisation = initialisation;
        let mut events = std::mem::take(&mut self.c.model.events);
        for (i, event) in (0..).zip(&mut events) {
            stripper.event = Some(EventId(i));
            stripper.subst(&mut event.body);
        }
        self.c.model.events = events;
        for span in stripper.variants {
            let message =
                "the variant of this loop speaks of variables of the abstraction, which have no value";
            self.c.error(codes::ABSTRACT_ONLY, span, message);
        }
        let mut dropped = vec![];
        for (kind, p) in stripper.left_out {
            self.left_out(warning(kind), &p);
            let text = print::pred(&self.c.model, &p);
            dropped.push(Dropped { kind, label: None, text, span: p.span });
        }
        dropped
    }

    fn left_out(&mut self, what: &str, p: &Pred) {
        let names = Names::of_pred(p);
        let Some(v) = abstract_names(&names, self.state).next() else { return };
        let variable = self.c.model.variables[v.index()].clone();
        let message = format!("{what}: `{}` is a variable of the abstraction", variable.name);
        self.c.report(
            Diagnostic::warning(codes::ABSTRACT_ONLY, p.span, message)
                .label(variable.span, "it has no value in the states of the refinement"),
        );
    }
}

fn abstract_names(names: &Names, state: usize) -> impl Iterator<Item = VarId> {
    let all: BTreeSet<VarId> = names.variables.iter().chain(&names.written).copied().collect();
    all.into_iter().filter(move |v| v.index() >= state)
}

/// What the user is told of a part that is dropped.
fn warning(kind: DroppedKind) -> &'static str {
    match kind {
        DroppedKind::Gluing | DroppedKind::Assertion => "this is not checked",
        DroppedKind::Assert => "this part of the assertion is not checked",
        DroppedKind::LoopInvariant => "this part of the loop's invariant is not checked",
        DroppedKind::Precondition => "this part of the precondition is not checked",
        DroppedKind::AbstractPrecondition(_) => {
            "this part of the abstraction's precondition does not guard the refinement"
        }
    }
}

/// The conjuncts of the outermost preconditions.
fn preconditions(s: &Subst, out: &mut Vec<Pred>) {
    let SubstKind::Select { branches, from_pre: true, .. } = &s.kind else { return };
    let [(guard, body)] = &branches[..] else { return };
    match &guard.kind {
        PredKind::And(list) => out.extend(list.iter().cloned()),
        PredKind::True => {}
        _ => out.push(guard.clone()),
    }
    preconditions(body, out);
}

/// Takes away predicates about variables that have no value.
struct Stripper {
    state: usize,
    /// The event at hand.
    event: Option<EventId>,
    left_out: Vec<(DroppedKind, Pred)>,
    /// Variants that speak of such variables.
    variants: Vec<Span>,
}

impl Stripper {
    fn keep(&mut self, kind: DroppedKind, p: &mut Pred) {
        let span = p.span;
        let list = match std::mem::replace(&mut p.kind, PredKind::True) {
            PredKind::And(list) => list,
            kind => vec![kind.at(span)],
        };
        let state = self.state;
        let (gone, kept): (Vec<Pred>, Vec<Pred>) =
            list.into_iter().partition(|p| abstract_names(&Names::of_pred(p), state).next().is_some());
        self.left_out.extend(gone.into_iter().map(|p| (kind, p)));
        *p = Pred::all(kept, span);
    }
}

impl VisitorMut for Stripper {
    fn expr(&mut self, _: &mut Expr) {}
    fn pred(&mut self, _: &mut Pred) {}
    fn subst(&mut self, s: &mut Subst) {
        match &mut s.kind {
            SubstKind::Assert(_, p, _) => self.keep(DroppedKind::Assert, p),
            SubstKind::Pre(p, _) => self.keep(DroppedKind::Precondition, p),
            SubstKind::Select { branches, from_pre: true, .. } => {
                let kind = self.event.map_or(DroppedKind::Precondition, DroppedKind::AbstractPrecondition);
                for (p, _) in branches {
                    self.keep(kind, p);
                }
            }
            SubstKind::While { invariant, variant, .. } => {
                self.keep(DroppedKind::LoopInvariant, invariant);
                if abstract_names(&Names::of_expr(variant), self.state).next().is_some() {
                    self.variants.push(variant.span);
                }
            }
            _ => {}
        }
        visit::walk_subst_mut(self, s);
    }
}

/// Variables of the abstraction get a form of their own.
struct Abstracted(usize);

impl VisitorMut for Abstracted {
    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Var(v) | ExprKind::Old(v) = e.kind
            && v.index() >= self.0
        {
            e.kind = ExprKind::Abstract(AbstractId((v.index() - self.0) as u32));
        }
        visit::walk_expr_mut(self, e);
    }
}
