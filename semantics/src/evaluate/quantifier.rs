//! Quantifiers and other binders: `!`, `#`, comprehensions, lambda, `UNION`, `INTER`, `SIGMA`, `PI`.
//!
//! The bound names are unknowns of a search (see [`crate::constraint`]); every instance that it finds is evaluated
//! here. A quantifier is ill-defined if any of its instances is: a witness does not hide an ill-defined instance.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, Expr, LocalId, Pred, QuantOp};
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::free_names::{has_binder, names_of_expr, names_of_pred, reads_unassigned};
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::{Closure, ClosureKind, LazySet};
use crate::value::real;

/// Callback with the environment inside a binder and the bound values.
type Found<'f> = &'f mut dyn FnMut(&Env<'_>, &[(Name, Value)]) -> Eval<ControlFlow<()>>;

impl Evaluator<'_> {
    /// Returns whether some binding of the locals gives the predicate the wanted truth.
    ///
    /// Every instance is evaluated unless none can be ill-defined: a witness does not hide an ill-defined instance.
    pub(crate) fn exists(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        literal: (bool, &Pred),
        at: Span,
    ) -> Eval<bool> {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        let total = self.is_total(env, literal.1);
        let mut witness = false;
        let (done, undecided_total) =
            self.solve_for_witness(env, &names, literal, at, total, &mut |_, truth| {
                truth?;
                witness = true;
                let enough = total && !reads_unassigned(env, &names, &names_of_pred(literal.1));
                Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
        match done {
            // A witness remains one whatever the undecided instances become, if they have a truth value.
            Err(e) if e.kind == EvalErrorKind::Undecided && witness && undecided_total => Ok(true),
            done => done.map(|_| witness),
        }
    }

    pub(crate) fn closure(
        &self,
        env: &Env<'_>,
        kind: ClosureKind,
        locals: &[LocalId],
        pred: &Pred,
        body: Option<&Expr>,
    ) -> Value {
        let mut free = names_of_pred(pred);
        if let Some(body) = body {
            free.extend(names_of_expr(body));
        }
        let captured: Vec<_> = free
            .into_iter()
            .filter(|n| !matches!(n, Name::Local(l) if locals.contains(l)))
            .filter_map(|n| Some((n, env.get(n)?.clone())))
            .collect();
        LazySet::Closure(Closure {
            kind,
            locals: locals.into(),
            pred: Arc::new(pred.clone()),
            body: body.map(|b| Arc::new(b.clone())),
            captured: captured.into(),
        })
        .into()
    }

    /// Returns the set of a comprehension or lambda: listed if possible, otherwise a closure.
    pub(crate) fn binder(
        &self,
        env: &Env<'_>,
        kind: ClosureKind,
        locals: &[LocalId],
        pred: &Pred,
        body: Option<&Expr>,
        at: Span,
    ) -> Eval<Value> {
        // A set that is far too large is not listed. Sets with inner binders would be evaluated twice.
        let simple = kind != ClosureKind::Image && !has_binder(pred);
        let size = if simple { self.plain_size(env, locals, pred, at) } else { None };
        let large = |size: Cardinality| match size {
            Cardinality::Exact(n) => n > Int::from(self.limits.listing as i64),
            size => matches!(size, Cardinality::Infinite | Cardinality::Huge),
        };
        if size.is_some_and(large) {
            return Ok(self.closure(env, kind, locals, pred, body));
        }
        match self.list_binder(env, kind, locals, pred, body, at) {
            Err(e) if e.kind == EvalErrorKind::TooLarge => Ok(self.closure(env, kind, locals, pred, body)),
            listed => listed,
        }
    }

    pub(crate) fn list_binder(
        &self,
        env: &Env<'_>,
        kind: ClosureKind,
        locals: &[LocalId],
        pred: &Pred,
        body: Option<&Expr>,
        at: Span,
    ) -> Eval<Value> {
        let mut elements = Vec::new();
        let _every = self.each_binding(env, locals, pred, at, &mut |inner, bound| {
            let tuple = || Value::tuple(bound.iter().map(|(_, v)| v.clone()));
            let element = match (kind, body) {
                (ClosureKind::Image, Some(e)) => self.expr(inner, e)?,
                (ClosureKind::Lambda, Some(e)) => {
                    let value = self.expr(inner, e)?;
                    Value::pair(tuple().ok_or_else(|| self.confused(at))?, value)
                }
                _ => tuple().ok_or_else(|| self.confused(at))?,
            };
            elements.push(element);
            Ok(ControlFlow::Continue(()))
        })?;
        self.make_set(elements, at)
    }

    /// Calls `found` for every binding of the locals that satisfies the predicate, each once.
    pub(crate) fn each_binding(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        pred: &Pred,
        at: Span,
        found: Found<'_>,
    ) -> Eval<ControlFlow<()>> {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        self.solve(env, &names, &[(true, pred)], at, &mut |bound, truth| {
            truth?;
            let frame = env.frame(bound);
            found(&env.within(&frame), bound)
        })
    }

    pub(crate) fn quantified(
        &self,
        env: &Env<'_>,
        op: QuantOp,
        locals: &[LocalId],
        pred: &Pred,
        body: &Expr,
        at: Span,
    ) -> Eval<Value> {
        match op {
            QuantOp::Lambda => return self.binder(env, ClosureKind::Lambda, locals, pred, Some(body), at),
            QuantOp::Image => return self.binder(env, ClosureKind::Image, locals, pred, Some(body), at),
            _ => {}
        }
        let mut values = Vec::new();
        let every = self.each_binding(env, locals, pred, at, &mut |inner, _| {
            values.push(self.eval(inner, body)?);
            Ok(ControlFlow::Continue(()))
        });
        if let Err(e) = every {
            // A sum or product has a value over finitely many numbers only.
            let adds = matches!(op, QuantOp::Sigma | QuantOp::SigmaReal | QuantOp::Pi | QuantOp::PiReal);
            let is_infinite = || {
                let over = self.closure(env, ClosureKind::Comprehension, locals, pred, None);
                self.cardinality(&over, at).is_ok_and(|n| n.is_finite() == Some(false))
            };
            let ill_defined = adds && e.kind == EvalErrorKind::TooLarge && is_infinite();
            return Err(match ill_defined {
                true => EvalError::ill_defined(at, "a sum or product over an infinite set"),
                false => e,
            });
        }
        match op {
            QuantOp::Union => {
                let mut all = Value::empty();
                let mut listed = BTreeSet::new();
                for v in values {
                    match self.try_list(&v, at)? {
                        Some(s) if !v.has_lazy() || !matches!(v, Value::Set(_)) => {
                            listed.extend(s.iter().cloned());
                        }
                        _ => all = self.binary(BinaryOp::Union, all, v, at)?,
                    }
                }
                self.binary(BinaryOp::Union, self.make_set(listed, at)?, all, at)
            }
            QuantOp::Inter => {
                let mut values = values.into_iter();
                let Some(first) = values.next() else {
                    return Err(EvalError::ill_defined(at, "INTER over no sets"));
                };
                values.try_fold(first, |all, v| self.binary(BinaryOp::Intersection, all, v, at))
            }
            QuantOp::Sigma | QuantOp::SigmaReal => {
                let op = if op == QuantOp::Sigma { BinaryOp::Add } else { BinaryOp::AddReal };
                let zero = if op == BinaryOp::Add { Value::int(0) } else { real::value(0) };
                values.into_iter().try_fold(zero, |sum, v| self.binary(op, sum, v, at))
            }
            QuantOp::Pi | QuantOp::PiReal => {
                let op = if op == QuantOp::Pi { BinaryOp::Multiply } else { BinaryOp::MultiplyReal };
                let one = if op == BinaryOp::Multiply { Value::int(1) } else { real::value(1) };
                values.into_iter().try_fold(one, |product, v| self.binary(op, product, v, at))
            }
            QuantOp::Lambda | QuantOp::Image => Err(self.confused(at)),
        }
    }
}
