//! Checks of steps and states of a model besides the pairs, and where they come from.
//!
//! The abstraction must allow every step, and every formula that a step evaluates must have a meaning. The second check
//! is listed only for formulas that may have no meaning: an application, a division, a minimum …

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_language::walk::{self, Visitor};

use crate::proven::Formula;
use crate::proven::{Check, StepCheck};

/// Where formulas of a step may lie so that the proof of their meaning applies to the check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Reach {
    /// In events of every level: they are evaluated in the order in which their meaning was proven.
    AllLevels,
    /// In the event of the machine itself: values that abstract events choose are searched for together, in another
    /// order than theirs.
    OwnLevel,
}

/// Proofs that a check needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Needed {
    /// The obligations behind a refinement check.
    Refinement(RefinementId),
    /// The proofs that all of these places have a meaning.
    Meaning(Reach, BTreeSet<Span>),
    /// The well-definedness of a conjunct or assertion.
    State,
    /// The theorem itself.
    Theorem,
}

/// Returns all checks of a model in order.
pub(super) fn of_model(model: &Model) -> BTreeMap<Check, Needed> {
    let mut all = BTreeMap::new();
    let mut places = Places { model, event: None, all: &mut all };
    places.subst(&model.initialisation);
    for (i, event) in model.events.iter().enumerate() {
        places.event = Some(EventId(i as u32));
        places.subst(&event.body);
    }
    for (i, conjunct) in model.invariant.iter().enumerate() {
        if !partial(&conjunct.pred).is_empty() {
            all.insert(Check::Meaning(Formula::Invariant(i)), Needed::State);
        }
    }
    for (i, assertion) in model.assertions.iter().enumerate() {
        all.insert(Check::Theorem(i), Needed::Theorem);
        if !partial(&assertion.pred).is_empty() {
            all.insert(Check::Meaning(Formula::Assertion(i)), Needed::State);
        }
    }
    all
}

/// Returns the places where steps evaluate a formula that may have no meaning: the event, and the place of the formula.
pub fn places_of_meaning(model: &Model) -> Vec<(Option<EventId>, Span)> {
    let place = |check| match check {
        Check::Step(event, StepCheck::Meaning(span)) => Some((event, span)),
        _ => None,
    };
    of_model(model).into_keys().filter_map(place).collect()
}

/// Returns the refinement checks of steps, with their events.
pub fn places_of_refinement(model: &Model) -> Vec<(Option<EventId>, RefinementId)> {
    let place = |check| match check {
        Check::Step(event, StepCheck::Refinement(id)) => Some((event, id)),
        _ => None,
    };
    of_model(model).into_keys().filter_map(place).collect()
}

/// Returns whether a predicate has parts that may have no meaning.
pub fn may_lack_meaning(p: &Pred) -> bool {
    !partial(p).is_empty()
}

/// Returns whether a predicate has parts within a place of the text that may have no meaning.
pub fn may_lack_meaning_within(p: &Pred, span: Span) -> bool {
    partial(p).iter().any(|place| span.contains(*place))
}

struct Places<'a> {
    model: &'a Model,
    event: Option<EventId>,
    all: &'a mut BTreeMap<Check, Needed>,
}

impl Places<'_> {
    fn evaluated(&mut self, span: Span, partial: BTreeSet<Span>, reach: Reach) {
        if partial.is_empty() {
            return;
        }
        let check = Check::Step(self.event, StepCheck::Meaning(span));
        // The step may evaluate the same text at several places.
        match self.all.entry(check).or_insert(Needed::Meaning(reach, BTreeSet::new())) {
            Needed::Meaning(known, places) => {
                *known = (*known).max(reach);
                places.extend(partial);
            }
            _ => unreachable!("a place of a step needs a meaning"),
        }
    }

    fn pred(&mut self, p: &Pred, reach: Reach) {
        self.evaluated(p.span, partial(p), reach);
    }

    /// Adds the conjuncts of a guard, which are evaluated one by one.
    fn guard(&mut self, p: &Pred, reach: Reach) {
        match &p.kind {
            PredKind::And(parts) => parts.iter().for_each(|p| self.guard(p, reach)),
            _ => self.pred(p, reach),
        }
    }

    fn expr(&mut self, e: &Expr) {
        let mut found = Partial::default();
        found.expr(e);
        self.evaluated(e.span, found.0, Reach::AllLevels);
    }

    fn subst(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Assign(list) => list.iter().for_each(|(_, e)| self.expr(e)),
            SubstKind::BecomesIn(_, _, set) => self.expr(set),
            SubstKind::BecomesSuch(_, _, p) => self.guard(p, Reach::AllLevels),
            SubstKind::Pre(p, _) => self.pred(p, Reach::OwnLevel),
            SubstKind::Assert(claim, p, _) => {
                let mut reach = Reach::OwnLevel;
                if let Claim::Refinement(id) = claim {
                    let check = Check::Step(self.event, StepCheck::Refinement(*id));
                    self.all.insert(check, Needed::Refinement(*id));
                    if self.model.refinement.checks[id.index()].kind != RefinementKind::Witness {
                        reach = Reach::AllLevels;
                    }
                }
                self.pred(p, reach);
            }
            SubstKind::Any(_, _, p, _) => self.guard(p, Reach::OwnLevel),
            SubstKind::Let(bindings, _) => bindings.iter().for_each(|(_, e)| self.expr(e)),
            SubstKind::Select { branches, .. } => {
                branches.iter().for_each(|(p, _)| self.guard(p, Reach::AllLevels));
            }
            SubstKind::If(branches, _) => branches.iter().for_each(|(p, _)| self.pred(p, Reach::OwnLevel)),
            SubstKind::Skip
            | SubstKind::Choice(..)
            | SubstKind::Sequence(_)
            | SubstKind::Parallel(_)
            | SubstKind::Var(..)
            | SubstKind::While { .. } => {}
        }
        walk::parts(s).into_iter().for_each(|part| self.subst(part));
    }
}

/// Returns the places in a predicate that may have no meaning.
fn partial(p: &Pred) -> BTreeSet<Span> {
    let mut found = Partial::default();
    found.pred(p);
    found.0
}

#[derive(Default)]
struct Partial(BTreeSet<Span>);

impl Visitor for Partial {
    fn expr(&mut self, e: &Expr) {
        if is_checked(e) {
            self.0.insert(e.span);
        }
        walk::walk_expr(self, e);
    }

    fn pred(&mut self, p: &Pred) {
        if matches!(p.kind, PredKind::External(..) | PredKind::Call(..)) {
            self.0.insert(p.span);
        }
        walk::walk_pred(self, p);
    }
}

/// Returns whether the value of an expression is checked although all its parts have one: it may have none, or no
/// obligation of a tool was compared with it.
fn is_checked(e: &Expr) -> bool {
    use UnaryOp::*;
    e.kind.is_partial()
        || match &e.kind {
            ExprKind::Field(..)
            | ExprKind::WithField(..)
            | ExprKind::Tree(..)
            | ExprKind::External(..)
            | ExprKind::Abstract(_) => true,
            ExprKind::Unary(op, _) => matches!(
                op,
                Closure | Closure1 | Fnc | Rel | Seq | Seq1 | Iseq | Iseq1 | Floor | Ceiling | ToReal
            ),
            _ => false,
        }
}
