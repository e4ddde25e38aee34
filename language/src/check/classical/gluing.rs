//! The abstraction in the model of a refinement: gluing invariants, and the formulas that are not checked.
//!
//! The state of a refinement is its own variables. Conjuncts of the invariant about variables that have disappeared are
//! gluing. A precondition of the abstraction is also one of the refinement, as far as it is about variables that
//! remain. An `ASSERT` or a loop invariant about variables that have disappeared is left out, with a warning.

use std::collections::BTreeSet;
use std::mem::{replace, take};

use super::Composition;
use crate::check::*;
use crate::model::visit::{self, Names, VisitorMut};
use crate::model::{Conjunct, Expr, Pred, Subst};

impl Composition {
    /// Separates the state from the variables that only abstractions have.
    pub(super) fn separate_abstraction(&mut self, model: &mut Model) {
        if model.variables.len() == self.state {
            return;
        }
        self.inherited_operations(model);
        let state = self.state;
        let speaks = |c: &Conjunct| abstract_names(&Names::of_pred(&c.pred), state).next().is_some();
        let (gluing, invariant) = take(&mut model.invariant).into_iter().partition(speaks);
        (model.invariant, model.refinement.gluing) = (invariant, gluing);
        let (dropped, assertions): (Vec<Conjunct>, Vec<Conjunct>) =
            take(&mut model.assertions).into_iter().partition(speaks);
        model.assertions = assertions;
        for c in dropped.iter().filter(|c| c.origin == ComponentId(0)) {
            self.left_out(model, "this assertion is not checked", &c.pred);
        }
        let as_dropped = |kind| {
            move |c: &Conjunct| Dropped { kind, label: c.label.clone(), text: c.text.clone(), span: c.span }
        };
        // The conjuncts of the machine itself are the most informative.
        let (own, inherited): (Vec<&Conjunct>, Vec<&Conjunct>) =
            model.refinement.gluing.iter().partition(|c| c.origin == ComponentId(0));
        let gluing = own.into_iter().chain(inherited);
        let mut not_checked: Vec<Dropped> = gluing.map(as_dropped(DroppedKind::Gluing)).collect();
        not_checked.extend(dropped.iter().map(as_dropped(DroppedKind::Assertion)));
        not_checked.extend(self.strip(model));
        model.refinement.not_checked = not_checked;
        let mut abstracted = Abstracted(self.state);
        for c in &mut model.refinement.gluing {
            abstracted.pred(&mut c.pred);
        }
        model.refinement.abstract_variables = model.variables.split_off(self.state);
    }

    // An operation that the refinement leaves unchanged must not need variables that have disappeared.
    fn inherited_operations(&mut self, model: &Model) {
        for i in 0..self.instances.len() {
            if !self.instances[i].concrete {
                continue;
            }
            for (name, p) in self.interfaces[i].inherited.clone() {
                let procedure = self.c.procedures[p].clone();
                let names = Names::of_subst(&procedure.body);
                let Some(v) = abstract_names(&names, self.state).next() else { continue };
                let variable = &model.variables[v.index()];
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

    /// Removes the formulas that cannot be decided from the initialisation and the events. Returns them.
    fn strip(&mut self, model: &mut Model) -> Vec<Dropped> {
        let mut stripper = Stripper { state: self.state, event: None, left_out: vec![], variants: vec![] };
        let nothing = SubstKind::Skip.at(Span::default());
        let mut initialisation = replace(&mut model.initialisation, nothing);
        stripper.subst(&mut initialisation);
        model.initialisation = initialisation;
        let mut events = take(&mut model.events);
        for (i, event) in (0..).zip(&mut events) {
            stripper.event = Some(EventId(i));
            stripper.subst(&mut event.body);
        }
        model.events = events;
        for span in stripper.variants {
            let message =
                "the variant of this loop speaks of variables of the abstraction, which have no value";
            self.c.error(codes::ABSTRACT_ONLY, span, message);
        }
        let mut dropped = vec![];
        for (kind, p) in stripper.left_out {
            self.left_out(model, warning(kind), &p);
            let text = print::pred(model, &p);
            dropped.push(Dropped { kind, label: None, text, span: p.span });
        }
        dropped
    }

    fn left_out(&mut self, model: &Model, what: &str, p: &Pred) {
        let names = Names::of_pred(p);
        let Some(v) = abstract_names(&names, self.state).next() else { return };
        let variable = model.variables[v.index()].clone();
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

/// Returns the warning for a part that is dropped.
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

/// Takes away predicates about variables that have no value.
struct Stripper {
    state: usize,
    /// The current event.
    event: Option<EventId>,
    left_out: Vec<(DroppedKind, Pred)>,
    /// Variants about such variables.
    variants: Vec<Span>,
}

impl Stripper {
    fn keep(&mut self, kind: DroppedKind, p: &mut Pred) {
        let span = p.span;
        let list = match replace(&mut p.kind, PredKind::True) {
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
