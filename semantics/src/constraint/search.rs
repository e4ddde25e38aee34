//! A search for values of unknowns: its literals, the facts about them, and the candidates of a round.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;

use bsym_language::model::{CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, QuantOp};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::error::EvalError;
use crate::evaluate::recursion::is_recursive;
use crate::evaluator::cuts::Part;
use crate::evaluator::free_names::{has_binder_in, names_of_expr};
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::partial::CellId;

pub(super) type Flow = Eval<ControlFlow<()>>;
pub(super) const GO: ControlFlow<()> = ControlFlow::Continue(());

/// Callback with the unknowns in order and `Ok(())` for a solution, or the error of an ill-defined instance; in the
/// latter case perhaps only some of the unknowns are bound.
pub(crate) type Report<'r> = &'r mut dyn FnMut(&[(Name, Value)], Eval<()>) -> Flow;

pub(super) struct Literal<'p> {
    pub(super) positive: bool,
    pub(super) pred: &'p Pred,
    /// Unknowns that occur, by position.
    pub(super) needs: Vec<usize>,
    /// `true` if it reads a name that is not an unknown and has no value: a local or result before its assignment.
    pub(super) reads_unassigned: bool,
    /// `true` if it cannot be ill-defined whatever the unknowns are.
    pub(super) total: OnceCell<bool>,
    /// Number of times it was not total, by the unknowns that were bound.
    pub(super) refused: RefCell<HashMap<u64, u32>>,
    /// `true` if it holds for all values of the type.
    pub(super) universal: OnceCell<bool>,
}

pub(super) struct Search<'s, 'm> {
    pub(super) eval: &'s Evaluator<'m>,
    pub(super) env: &'s Env<'s>,
    pub(super) unknowns: &'s [Name],
    pub(super) literals: Vec<Literal<'s>>,
    pub(super) at: Span,
    pub(super) candidates: Cell<usize>,
    /// The part of an infinite set that is tried, if any.
    pub(super) probe: Probing,
    /// The reason why some candidate could not be judged: it needs an undecided part of a partial value.
    pub(super) undecided: RefCell<Option<EvalError>>,
    /// `true` if an error comes from the callback.
    pub(super) refused: Cell<bool>,
    /// Cuts of the current generator, to be noted if it is used.
    pub(super) cuts: RefCell<Vec<(Name, Part)>>,
    /// The reason why candidates may be missing although the search continues.
    pub(super) incomplete: RefCell<Option<EvalError>>,
    /// `true` if every such candidate has a truth value whatever the partial value becomes.
    pub(super) undecided_total: Cell<bool>,
    /// The reason why a set that would confine an unknown has no elements to list: an enclosing search has not settled
    /// it yet.
    pub(super) waiting: RefCell<Option<EvalError>>,
    /// The first cell of an enclosing search that is needed to evaluate a part of this one.
    pub(super) awaits: Cell<Option<CellId>>,
    pub(super) remembered: Remembered,
}

/// Values of parts of the formulas, by their place, so that they are not evaluated again.
#[derive(Default)]
pub(super) struct Remembered {
    /// Values of the parts that need no unknown.
    fixed: RefCell<HashMap<*const Expr, Value>>,
    /// The last values of parts that need unknowns, with the values of their names.
    made: RefCell<HashMap<*const Expr, Made>>,
}

impl Remembered {
    /// Returns the last value of an expression if its names have the same values as then.
    fn made(&self, env: &Env<'_>, e: &Expr) -> Option<Value> {
        let made = self.made.borrow();
        let Made { names, value } = made.get(&std::ptr::from_ref(e))?;
        names.iter().all(|(name, then)| env.get(*name) == Some(then)).then(|| value.clone())
    }
}

/// The last value of an expression.
struct Made {
    /// The values of its names at that time.
    names: Vec<(Name, Value)>,
    value: Value,
}

/// Treatment of an unknown that nothing confines to a finite set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Probing {
    /// Tries nothing.
    No,
    /// Looks for one solution among the integers nearest to the bounds, because one is enough.
    Witness,
    /// Reports the solutions among a few candidates, then an error that there may be others.
    Some,
    /// Reports the solutions among the candidates in bounds, and notes that there may be others.
    Bounded,
}

/// A way to bind one or more unknowns.
pub(super) enum Generator<'p> {
    /// The pattern equals a value, or a component of the images of a bound point.
    Values(&'p Expr, Vec<Value>),
    /// The pattern is an element of a set.
    Elements(&'p Expr, Value),
    /// One unknown is in a set.
    Range(usize, Value),
    /// One unknown is perhaps in this part of its values.
    Probe(usize, Value),
    /// One unknown is in a set for each element of which a literal holds.
    Projected(usize, Value, usize),
    /// No candidate is left.
    Nothing,
}

pub(super) fn effective(op: CompareOp, positive: bool) -> CompareOp {
    if positive { op } else { op.negated() }
}

pub(super) type Binding = Vec<Option<Value>>;

impl<'m> Search<'_, 'm> {
    pub(super) fn names(&self, bound: &Binding) -> Vec<(Name, Value)> {
        self.unknowns.iter().zip(bound).filter_map(|(n, v)| Some((*n, v.clone()?))).collect()
    }

    /// Remembers the first cell of an enclosing search that this search depends on.
    pub(super) fn note(&self, cell: Option<CellId>) {
        self.awaits.set(self.awaits.get().or(cell));
    }

    /// Returns the value, if there is one.
    pub(super) fn known<T>(&self, evaluated: Eval<T>) -> Option<T> {
        evaluated.map_err(|e| self.note(e.awaits)).ok()
    }

    /// Returns the value of an expression that needs no unknown, evaluated once in a search.
    pub(super) fn fixed(&self, e: &Expr) -> Option<Value> {
        if !self.eval.is_closed(self.env, e) {
            return None;
        }
        if let Some(known) = self.remembered.fixed.borrow().get(&std::ptr::from_ref(e)) {
            return Some(known.clone());
        }
        let value = self.known(self.eval.eval(self.env, e))?;
        self.remembered.fixed.borrow_mut().insert(e, value.clone());
        Some(value)
    }

    /// Returns the value of an expression whose names all have values; a large set, and what is made from binders, is
    /// made once for the same values.
    pub(super) fn made(&self, env: &Env<'_>, e: &Expr) -> Eval<Value> {
        if let Some(known) = self.remembered.made(env, e) {
            return Ok(known);
        }
        let value = self.eval.eval(env, e)?;
        let is_kept = match &value {
            Value::Set(elements) => elements.len() > Tuning::DEFAULT.search.kept && is_made_by_binders(e),
            Value::Lazy(_) => false,
            _ => has_binder_in(e),
        };
        if is_kept {
            let names = names_of_expr(e).into_iter().filter_map(|name| Some((name, env.get(name)?.clone())));
            self.remembered
                .made
                .borrow_mut()
                .insert(e, Made { names: names.collect(), value: value.clone() });
        }
        Ok(value)
    }

    /// Returns whether a literal holds under a binding of its unknowns.
    pub(super) fn holds(&self, env: &Env<'_>, literal: &Literal<'_>) -> Eval<bool> {
        if let PredKind::Compare(op @ (CompareOp::Member | CompareOp::NotMember), x, set) = &literal.pred.kind
            && let Some(set) = self.fixed(set)
        {
            let x = self.eval.eval(env, x)?;
            let positive = (*op == CompareOp::Member) == literal.positive;
            return Ok(self.eval.member(&x, &set, literal.pred.span)? == positive);
        }
        // The equation that gave an unknown its value, or numbers that binders make.
        let is_made = |side: &Expr| {
            side.ty == Type::Int && has_binder_in(side) || self.remembered.made(env, side).is_some()
        };
        if let PredKind::Compare(CompareOp::Equal, a, b) = &literal.pred.kind
            && [a, b].iter().any(|side| is_made(side))
        {
            let (a, b) = (self.made(env, a)?, self.made(env, b)?);
            return Ok(self.eval.equal(&a, &b, literal.pred.span)? == literal.positive);
        }
        Ok(self.eval.pred(env, literal.pred)? == literal.positive)
    }

    /// Returns whether a literal is `x : S` or `x <: S` with the set of all values of the type.
    pub(super) fn is_universal(&self, literal: usize) -> bool {
        let this = &self.literals[literal];
        *this.universal.get_or_init(|| match &this.pred.kind {
            PredKind::Compare(CompareOp::Member | CompareOp::Subset, _, set) if this.positive => {
                self.fixed(set).is_some_and(|set| self.eval.is_universal(&set))
            }
            _ => false,
        })
    }

    /// Returns whether a literal has a truth value wherever all literals before it hold.
    pub(super) fn is_total(&self, env: &Env<'_>, literal: usize) -> bool {
        let this = &self.literals[literal];
        if this.reads_unassigned {
            return false;
        }
        if self.is_only_definition(literal) {
            return true;
        }
        let total = |env: &Env<'_>| {
            let mut before = self.literals[..literal].iter().filter(|l| l.positive).map(|l| l.pred);
            self.eval.is_total_behind(env, &mut before, this.pred)
        };
        // A literal that is total before anything is bound stays total.
        if *this.total.get_or_init(|| total(self.env)) {
            return true;
        }
        // A literal that was not total under several values of the same unknowns is not tested again.
        let bound = this.needs.iter().filter(|n| env.get(self.unknowns[**n]).is_some());
        let bound = bound.fold(0u64, |all, n| all | 1 << (n % 64));
        let refused = this.refused.borrow().get(&bound).copied().unwrap_or(0);
        if refused >= Tuning::DEFAULT.search.refused {
            return false;
        }
        let is = total(env);
        if !is {
            this.refused.borrow_mut().insert(bound, refused + 1);
        }
        is
    }

    /// Returns whether a literal is `c = E`, where E is made by binders and needs c itself, and nothing else gives
    /// values to c. Such a literal holds, because it defines the value of c.
    fn is_only_definition(&self, literal: usize) -> bool {
        let this = &self.literals[literal];
        let PredKind::Compare(CompareOp::Equal, name, body) = &this.pred.kind else { return false };
        let ExprKind::Const(c) = name.kind else { return false };
        let gives_value = |other: &Literal<'_>| match &other.pred.kind {
            PredKind::Compare(_, a, b) => [a, b].iter().any(|e| e.kind == name.kind),
            _ => other.needs.iter().any(|i| self.unknowns[*i] == Name::Const(c)),
        };
        this.positive
            && self.unknowns.contains(&Name::Const(c))
            && is_recursive(c, body)
            && !self.literals.iter().enumerate().any(|(i, other)| i != literal && gives_value(other))
    }

    /// Returns whether every literal before this one holds or cannot be ill-defined.
    pub(super) fn may_narrow(&self, env: &Env<'_>, settled: &[bool], literal: usize) -> bool {
        (0..literal).all(|i| settled[i] || self.is_total(env, i))
    }

    /// Returns the largest number of candidates to look at.
    pub(super) fn most_candidates(&self) -> usize {
        match self.probe {
            Probing::No | Probing::Witness => self.eval.candidates,
            Probing::Some | Probing::Bounded => self.eval.candidates.min(self.eval.choosing.candidates),
        }
    }

    /// Counts a candidate.
    pub(super) fn count(&self) -> Eval<()> {
        self.candidates.set(self.candidates.get() + 1);
        if self.candidates.get() > self.most_candidates() { Err(self.too_many()) } else { Ok(()) }
    }

    pub(super) fn too_many(&self) -> EvalError {
        let message = format!("more than {} candidates for {}", self.most_candidates(), self.open_names());
        EvalError::too_large(self.at, message).for_want_of(self.unknowns.iter().copied())
    }

    pub(super) fn open_names(&self) -> String {
        let names: Vec<_> = self.unknowns.iter().map(|n| format!("`{}`", self.eval.name(*n))).collect();
        names.join(", ")
    }
}

/// Returns whether an expression lists the values that satisfy a predicate.
fn is_made_by_binders(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Comprehension(..) | ExprKind::Quantified(QuantOp::Lambda, ..))
}

/// Returns a definition of a `LET` as an equation.
pub(super) fn equation((local, value): &(LocalId, Expr)) -> Pred {
    let name = Expr { kind: ExprKind::Local(*local), ty: value.ty.clone(), span: value.span };
    let kind = PredKind::Compare(CompareOp::Equal, Box::new(name), Box::new(value.clone()));
    Pred { kind, span: value.span }
}
