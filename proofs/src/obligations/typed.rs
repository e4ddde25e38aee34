//! Obligations as sequents of predicates, before they have terms: the input of the first-order form.
//!
//! Each says the same as the terms of the obligation. Conjuncts of a state after a step may be used for later ones if
//! they were proved for the same step.

use bsym_encodings::first_order::{Goal, Sequent};
use bsym_encodings::system::System;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_status::file::{Kind, Status};

use super::extra;
use super::obligation::{Proof, Subject};
use crate::steps::Steps;

/// Makes the sequents of a machine's obligations.
pub(super) struct Typed<'m> {
    model: &'m Model,
    system: &'m System,
    steps: Steps<'m>,
}

impl<'m> Typed<'m> {
    pub fn new(model: &'m Model, system: &'m System) -> Self {
        Typed { model, system, steps: Steps::new(model) }
    }

    /// Returns the sequents that an obligation consists of; `None` if it has no such form.
    pub fn sequents(&self, obligation: usize, all: &[Proof]) -> Option<Vec<Sequent>> {
        let proof = &all[obligation];
        let model = self.model;
        if extra::is_context(model) {
            return self.of_context(proof);
        }
        if !proof.failures.is_empty() {
            return self.of_failures(proof);
        }
        if let Some(says) = &proof.says {
            let invariant = !extra::is_of_start(proof.event, proof.kind);
            let hypotheses = if invariant { self.always() } else { self.axioms() };
            return Some(vec![Sequent { hypotheses, defined: vec![], goal: Goal::Meant(says.clone()) }]);
        }
        let event_b = model.text.notation == Notation::EventB;
        let of_state = |hypotheses, goal| Some(vec![Sequent { hypotheses, defined: vec![], goal }]);
        match (proof.kind, &proof.subject) {
            (Kind::Wd, Subject::Invariant(i)) if event_b => {
                let conjunct = &model.invariant[*i];
                of_state(self.behind(conjunct), Goal::Defined(conjunct.pred.clone()))
            }
            (Kind::Wd, Subject::Invariant(i)) => {
                let before = model.invariant[..*i].iter().map(|c| c.pred.clone());
                let hypotheses = self.axioms().into_iter().chain(before).collect();
                of_state(hypotheses, Goal::Defined(model.invariant[*i].pred.clone()))
            }
            (Kind::Inv | Kind::InvEst, Subject::Invariant(i)) => self.of_step(proof, *i, all),
            (Kind::Wd | Kind::Thm | Kind::Assertion, Subject::Assertion(i)) => {
                let before = model.assertions[..*i].iter().map(|c| c.pred.clone());
                let hypotheses = match event_b {
                    true => self.behind(&model.assertions[*i]),
                    false => self.always().into_iter().chain(before).collect(),
                };
                let p = model.assertions[*i].pred.clone();
                of_state(hypotheses, if proof.kind == Kind::Wd { Goal::Defined(p) } else { Goal::Meant(p) })
            }
            (Kind::Var, _) => self.of_variant(proof),
            _ => None,
        }
    }

    fn axioms(&self) -> Vec<Pred> {
        self.model.axioms.iter().map(|c| c.pred.clone()).collect()
    }

    /// Returns all axioms, and the formulas before a conjunct or theorem of Event-B.
    fn behind(&self, conjunct: &Conjunct) -> Vec<Pred> {
        let all = self.model.invariant.iter().chain(&self.model.assertions);
        let before = all.filter(|c| extra::order(c) < extra::order(conjunct)).map(|c| c.pred.clone());
        self.axioms().into_iter().chain(before).collect()
    }

    /// Returns the axioms and the invariant.
    fn always(&self) -> Vec<Pred> {
        let invariant = self.model.invariant.iter().map(|c| c.pred.clone());
        self.axioms().into_iter().chain(invariant).collect()
    }

    /// Returns the hypotheses besides the axioms before a step: the invariant for an event, none for the
    /// initialisation.
    fn before(&self, event: Option<EventId>) -> Vec<Pred> {
        let invariant = self.model.invariant.iter().filter(|_| event.is_some());
        invariant.map(|c| c.pred.clone()).collect()
    }

    fn of_context(&self, proof: &Proof) -> Option<Vec<Sequent>> {
        let model = self.model;
        let conjunct = match &proof.subject {
            Subject::Assertion(i) => &model.assertions[*i],
            Subject::Axiom(text) => {
                let named = |c: &&Conjunct| {
                    let label = c.label.as_deref().unwrap_or("?");
                    c.origin.index() == 0 && c.text == *text && proof.name == format!("{label}/WD")
                };
                let mut found = model.axioms.iter().filter(named);
                let first = found.next()?;
                found.next().is_none().then_some(first)?
            }
            _ => return None,
        };
        let hypotheses = extra::before(model, conjunct).into_iter().map(|c| c.pred).collect();
        let p = conjunct.pred.clone();
        let goal = match proof.kind {
            Kind::Wd => Goal::Defined(p),
            Kind::Thm => Goal::Meant(p),
            _ => return None,
        };
        Some(vec![Sequent { hypotheses, defined: vec![], goal }])
    }

    /// Returns the sequents for all ways to fail that the obligation excludes, on all paths on which they are met.
    fn of_failures(&self, proof: &Proof) -> Option<Vec<Sequent>> {
        let transition = match proof.event {
            None => &self.system.initialisation,
            Some(e) => &self.system.events[e.index()],
        };
        let failures = proof.failures.iter().map(|i| &transition.failures[*i]);
        self.steps.without_failure(proof.event, &self.before(proof.event), failures)
    }

    /// Returns the sequents stating that a conjunct holds after a step, on all paths.
    fn of_step(&self, proof: &Proof, conjunct: usize, all: &[Proof]) -> Option<Vec<Sequent>> {
        let same_step = |p: &&Proof| (p.event, p.kind) == (proof.event, proof.kind);
        let proved = all.iter().filter(same_step).filter_map(|p| match p.subject {
            Subject::Invariant(i) if matches!(p.status, Status::Discharged | Status::Trivial) => Some(i),
            _ => None,
        });
        let conjunct_at = |i: usize| self.model.invariant[i].pred.clone();
        let earlier: Vec<Pred> = proved.filter(|i| *i < conjunct).map(conjunct_at).collect();
        let goal = &self.model.invariant[conjunct].pred;
        self.steps.after(proof.event, &self.before(proof.event), &earlier, goal)
    }

    /// Returns the sequents stating that an event decreases a variant, or does not increase it if the event is
    /// anticipated.
    fn of_variant(&self, proof: &Proof) -> Option<Vec<Sequent>> {
        let event = proof.event?;
        let variants = self.model.refinement.variants.iter();
        let mut named = variants.filter(|v| proof.name.ends_with(&format!("/{}", extra::prefixed(v, "VAR"))));
        let (variant, None) = (named.next()?, named.next()) else { return None };
        let strictly = match self.model.events[event.index()].convergence {
            Convergence::Ordinary => return None,
            Convergence::Convergent => true,
            Convergence::Anticipated => false,
        };
        let op = extra::decrease(variant.value.ty == Type::Int, strictly).0;
        let paths = self.steps.paths(Some(event))?;
        let before = self.before(Some(event));
        let each = paths.ends.iter().map(|end| {
            let after = end.values.in_expr(&variant.value);
            let p = Pred::compare(op, after, variant.value.clone(), variant.value.span);
            self.steps.at(&before, end, Goal::Meant(p))
        });
        Some(each.collect())
    }
}
