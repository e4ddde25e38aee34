//! The predicates that IC3 abstracts states by.
//!
//! They come from [`seeds`](super::seeds). When these do not suffice, [`templates`](super::templates) over the variables
//! are added, then [weakest preconditions](super::weakest_precondition) through deterministic events, then bounds at
//! values met in spurious counterexamples.

use std::collections::BTreeSet;

use bsym_encodings::system::System;
use bsym_encodings::term::Term;
use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Visitor, walk_pred};

use super::frame::Cube;

/// A predicate over one state.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// In B.
    pub pred: Pred,
    /// As a term over the current state; true exactly where the predicate is defined and true.
    pub term: Term,
}

/// The predicates in use, without repetitions.
#[derive(Debug, Default)]
pub struct Predicates {
    all: Vec<Predicate>,
    known: BTreeSet<Term>,
}

impl Predicates {
    /// All predicates in the order they were added.
    pub fn all(&self) -> &[Predicate] {
        &self.all
    }

    /// The negation of a cube in B.
    pub fn clause(&self, cube: &Cube) -> Pred {
        let literals: Vec<(Pred, bool)> =
            cube.literals().iter().map(|l| (self.all[l.position].pred.clone(), !l.positive)).collect();
        clause(&literals)
    }

    /// Number of predicates.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a predicate unless it has no term, says nothing, or is there already (also negated). A
    /// predicate that is not defined everywhere is taken only if `always` says that the condition of
    /// its definedness, over the current state, holds wherever the assumed conjuncts hold.
    pub fn add(
        &mut self,
        system: &mut System,
        pred: &Pred,
        always: &mut dyn FnMut(&mut System, Term) -> bool,
    ) -> bool {
        let Ok(encoded) = system.predicate(pred) else { return false };
        let terms = system.terms.clone();
        let t = encoded.holds;
        if t == terms.bool(true) || t == terms.bool(false) || self.known.contains(&t) {
            return false;
        }
        if encoded.defined != terms.bool(true) && !always(system, encoded.defined) {
            return false;
        }
        // Constants alone say nothing about states.
        let symbols: BTreeSet<Term> = system.state_symbols().into_iter().collect();
        let speaks = terms.symbols(&[t]).iter().any(|&s| symbols.contains(&terms.symbol_term(s)));
        if !speaks || terms.quantifiers(&[t]) > 0 && self.all.len() > 40 {
            return false;
        }
        if !self.known.insert(t) {
            return false;
        }
        self.known.insert(terms.not(t));
        self.all.push(Predicate { pred: pred.clone(), term: t });
        true
    }
}

/// A predicate without a place in the source.
pub(super) fn pred(kind: PredKind) -> Pred {
    Pred { kind, span: Default::default() }
}

/// An expression without a place in the source.
pub(super) fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Default::default() }
}

/// A comparison.
pub(super) fn compare(op: CompareOp, a: Expr, b: Expr) -> Pred {
    pred(PredKind::Compare(op, Box::new(a), Box::new(b)))
}

/// A number.
pub(super) fn integer(n: Int) -> Expr {
    expr(ExprKind::Integer(n), Type::Int)
}

/// A variable as an expression.
pub(super) fn variable(model: &Model, v: VarId) -> Expr {
    expr(ExprKind::Var(v), model.variables[v.index()].ty.clone())
}

/// All variables.
pub(super) fn variables(model: &Model) -> impl Iterator<Item = VarId> {
    (0..model.variables.len() as u32).map(VarId)
}

/// Number of expressions and predicates in a predicate.
pub(super) fn size(p: &Pred) -> usize {
    struct Count(usize);
    impl Visitor for Count {
        fn expr(&mut self, e: &Expr) {
            self.0 += 1;
            bsym_language::walk::walk_expr(self, e);
        }
        fn pred(&mut self, p: &Pred) {
            self.0 += 1;
            walk_pred(self, p);
        }
    }
    let mut count = Count(0);
    count.pred(p);
    count.0
}

/// A clause in B: a disjunction of predicates and negated predicates, comparisons negated in place.
pub fn clause(literals: &[(Pred, bool)]) -> Pred {
    let mut all: Vec<Pred> =
        literals.iter().map(|(p, positive)| if *positive { p.clone() } else { negate(p) }).collect();
    match all.len() {
        0 => pred(PredKind::False),
        1 => all.remove(0),
        _ => pred(PredKind::Or(all)),
    }
}

fn negate(p: &Pred) -> Pred {
    match &p.kind {
        PredKind::Not(inner) => (**inner).clone(),
        PredKind::Compare(op, a, b) => pred(PredKind::Compare(op.negated(), a.clone(), b.clone())),
        _ => pred(PredKind::Not(Box::new(p.clone()))),
    }
}
