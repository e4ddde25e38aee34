//! Hypotheses and goals, before they have terms.

use std::collections::BTreeSet;

use bsym_language::model::{Expr, ExprKind, LocalId, Pred};
use bsym_language::walk::{Names, Replacement, Visitor, conjuncts};
use bsym_semantics::value::env::Name;

/// Which hypotheses are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// Those that share a name with the goal or with a hypothesis of its own.
    Connected,
    /// All.
    All,
}

/// Hypotheses and a goal, before they have terms. Names that nothing binds have any value.
#[derive(Clone, Debug)]
pub struct Sequent {
    /// Predicates that are well-defined and true.
    pub hypotheses: Vec<Pred>,
    /// Predicates that are well-defined, be they true or not.
    pub defined: Vec<Pred>,
    /// The goal that has to follow.
    pub goal: Goal,
}

/// Goal that has to follow from hypotheses.
#[derive(Clone, PartialEq, Debug)]
pub enum Goal {
    /// The predicate is well-defined and true.
    Meant(Pred),
    /// The predicate is true, whatever the value of an application outside of a domain is.
    Holds(Pred),
    /// The predicate is well-defined.
    Defined(Pred),
}

impl Goal {
    /// The predicate.
    pub fn pred(&self) -> &Pred {
        let (Goal::Meant(p) | Goal::Holds(p) | Goal::Defined(p)) = self;
        p
    }
}

/// A part of a sequent: hypotheses of its own, and a goal that is not [`Goal::Meant`].
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub hypotheses: Vec<Pred>,
    /// Predicates that are well-defined.
    pub defined: Vec<Pred>,
    pub goal: Goal,
}

impl Part {
    /// Returns this part with the chosen ones of a sequent's hypotheses.
    pub(super) fn with(&self, sequent: &Sequent, selection: Selection) -> Part {
        let mut hypotheses = vec![];
        sequent.hypotheses.iter().for_each(|p| hypotheses.extend(conjuncts(p).into_iter().cloned()));
        let mut defined = sequent.defined.clone();
        let mut own = vec![];
        self.hypotheses.iter().for_each(|p| own.extend(conjuncts(p).into_iter().cloned()));
        if selection == Selection::Connected {
            let mut near: BTreeSet<Name> = names(self.goal.pred());
            near.extend(own.iter().flat_map(names));
            let is_near = |p: &Pred| {
                let of = names(p);
                of.is_empty() || of.iter().any(|n| near.contains(n))
            };
            hypotheses.retain(is_near);
            defined.retain(is_near);
        }
        hypotheses.append(&mut own);
        Part { hypotheses, defined, goal: self.goal.clone() }
    }
}

/// The name that an expression is.
pub(super) fn name_of(e: &Expr) -> Option<Name> {
    match e.kind {
        ExprKind::Var(v) => Some(Name::Var(v)),
        ExprKind::Const(c) => Some(Name::Const(c)),
        ExprKind::Local(l) => Some(Name::Local(l)),
        ExprKind::Old(v) => Some(Name::Old(v)),
        _ => None,
    }
}

/// The free names of a predicate.
pub(super) fn names(p: &Pred) -> BTreeSet<Name> {
    let found = Names::of_pred(p);
    let locals = found.locals.into_iter().map(Name::Local);
    let constants = found.constants.into_iter().map(Name::Const);
    found.variables.into_iter().map(Name::Var).chain(constants).chain(locals).collect()
}

/// Returns the predicate with expressions for locals, or `None` where it binds a local that is free in one of these: a
/// parameter of an event can be free in one predicate of a sequent and bound in another.
pub(super) fn replaced(by: &Replacement, p: &Pred) -> Option<Pred> {
    struct Binders(BTreeSet<LocalId>);
    impl Visitor for Binders {
        fn binder(&mut self, local: &LocalId) {
            self.0.insert(*local);
        }
    }
    let mut bound = Binders(BTreeSet::new());
    bound.pred(p);
    let is_captured = |e| Names::of_expr(e).locals.iter().any(|l| bound.0.contains(l));
    if by.locals.values().any(is_captured) {
        return None;
    }
    Some(by.in_pred(p))
}
