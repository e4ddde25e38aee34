//! Truth of predicates.
//!
//! `&`, `or`, `=>` evaluate the second operand only if the first does not decide.

use bsym_language::model::{
    BinaryOp, CompareOp, Expr, ExprKind, ExternalFunction, OperatorDefinition, Pred, PredKind,
};
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::ClosureKind;

impl Evaluator<'_> {
    /// Returns whether a predicate holds.
    ///
    /// # Errors
    /// As [`Evaluator::expr`].
    pub fn pred(&self, env: &Env<'_>, pred: &Pred) -> Eval<bool> {
        let at = pred.span;
        self.proceed(at)?;
        Ok(match &pred.kind {
            PredKind::True => true,
            PredKind::False => false,
            PredKind::And(ps) => {
                for p in ps {
                    if !self.pred(env, p)? {
                        return Ok(false);
                    }
                }
                true
            }
            PredKind::Or(ps) => {
                for p in ps {
                    if self.pred(env, p)? {
                        return Ok(true);
                    }
                }
                false
            }
            PredKind::Implies(a, b) => !self.pred(env, a)? || self.pred(env, b)?,
            PredKind::Iff(a, b) => self.pred(env, a)? == self.pred(env, b)?,
            PredKind::Not(p) => !self.pred(env, p)?,
            PredKind::Forall(ls, p) => !self.exists(env, ls, (false, p), at)?,
            PredKind::Exists(ls, p) => self.exists(env, ls, (true, p), at)?,
            PredKind::Compare(op, a, b) => self.compare(env, *op, a, b, at)?,
            PredKind::Finite(e) => {
                let set = self.eval(env, e)?;
                self.finite(&set, at)?
            }
            PredKind::Partition(whole, parts) => {
                let whole = self.eval(env, whole)?;
                let parts = parts.iter().map(|p| self.eval(env, p)).collect::<Eval<Vec<_>>>()?;
                for (i, p) in parts.iter().enumerate() {
                    for q in &parts[i + 1..] {
                        let common = self.binary(BinaryOp::Intersection, p.clone(), q.clone(), at)?;
                        if !self.is_empty(&common, at)? {
                            return Ok(false);
                        }
                    }
                }
                let union = parts
                    .into_iter()
                    .try_fold(Value::empty(), |all, p| self.binary(BinaryOp::Union, all, p, at))?;
                self.equal(&whole, &union, at)?
            }
            PredKind::External(ExternalFunction::AssertTrue, args) if args.len() == 2 => {
                self.asserted(env, ExternalFunction::AssertTrue, &args[0], &args[1], at)?;
                true
            }
            PredKind::External(f, args) => {
                let args = args.iter().map(|e| self.expr(env, e)).collect::<Eval<Vec<_>>>()?;
                self.external_pred(*f, &args, at)?
            }
            PredKind::Call(id, args) => {
                let bound = self.arguments(env, *id, args)?;
                let inner = self.operator_env(env, *id, at)?;
                let frame = inner.frame(&bound);
                match &self.model.definitions.operators[id.index()].definition {
                    OperatorDefinition::Pred(p) => self.pred(&inner.within(&frame), p)?,
                    _ => return Err(self.without_definition(*id, at)),
                }
            }
            PredKind::If(p, a, b) => {
                let branch = if self.pred(env, p)? { a } else { b };
                self.pred(env, branch)?
            }
            PredKind::Let(defs, p) => {
                let bound = self.definitions(env, defs)?;
                let frame = env.frame(&bound);
                self.pred(&env.within(&frame), p)?
            }
        })
    }

    /// Returns whether a value is in a set, without evaluating unions, intersections and differences.
    fn is_in(&self, env: &Env<'_>, x: &Value, set: &Expr, at: Span) -> Eval<bool> {
        match &set.kind {
            ExprKind::Binary(
                op @ (BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference),
                a,
                b,
            ) => {
                // Both operands must be well-defined; an undecided one may not matter.
                let (left, right) = (self.is_in(env, x, a, at), self.is_in(env, x, b, at));
                let open =
                    |e: &EvalError| matches!(e.kind, EvalErrorKind::TooLarge | EvalErrorKind::Undecided);
                for side in [&left, &right] {
                    if let Err(e) = side
                        && !open(e)
                    {
                        return Err(e.clone());
                    }
                }
                match (op, &left, &right) {
                    (BinaryOp::Union, Ok(true), _) | (BinaryOp::Union, _, Ok(true)) => Ok(true),
                    (BinaryOp::Intersection | BinaryOp::Difference, Ok(false), _) => Ok(false),
                    (BinaryOp::Intersection, _, Ok(false)) | (BinaryOp::Difference, _, Ok(true)) => Ok(false),
                    // A question that a search can decide is asked first.
                    _ if right.as_ref().is_err_and(|e| e.awaits.is_some())
                        && left.as_ref().is_err_and(|e| e.awaits.is_none()) =>
                    {
                        right
                    }
                    (BinaryOp::Union, ..) => Ok(left? || right?),
                    (BinaryOp::Intersection, ..) => Ok(left? && right?),
                    _ => Ok(left? && !right?),
                }
            }
            _ => {
                let set = self.eval(env, set)?;
                self.member(x, &set, at)
            }
        }
    }

    fn compare(&self, env: &Env<'_>, op: CompareOp, a: &Expr, b: &Expr, at: Span) -> Eval<bool> {
        use CompareOp::*;
        if matches!(op, Member | NotMember) {
            // Before its assignment, a local has some value of its type.
            if let ExprKind::Local(l) = &a.kind
                && env.get(Name::Local(*l)).is_none()
                && self.is_closed(env, b)
                && self.is_universal(&self.eval(env, b)?)
            {
                return Ok(op == Member);
            }
            let x = self.expr(env, a)?;
            let inside = match &b.kind {
                // A membership test does not list a comprehension.
                ExprKind::Comprehension(ls, p) => {
                    let set = self.closure(env, ClosureKind::Comprehension, ls, p, None);
                    self.member(&x, &set, at)?
                }
                _ => self.is_in(env, &x, b, at)?,
            };
            return Ok(inside == (op == Member));
        }
        let left = self.eval(env, a)?;
        if op == Equal && self.is_own_definition(&left, b) {
            return Ok(true);
        }
        let right = self.eval(env, b)?;
        Ok(match op {
            Equal => self.equal(&left, &right, at)?,
            NotEqual => !self.equal(&left, &right, at)?,
            Subset => self.subset(&left, &right, at)?,
            NotSubset => !self.subset(&left, &right, at)?,
            StrictSubset => self.subset(&left, &right, at)? && !self.equal(&left, &right, at)?,
            NotStrictSubset => !self.subset(&left, &right, at)? || self.equal(&left, &right, at)?,
            Less => self.int(&left, at)? < self.int(&right, at)?,
            LessEqual => self.int(&left, at)? <= self.int(&right, at)?,
            Greater => self.int(&left, at)? > self.int(&right, at)?,
            GreaterEqual => self.int(&left, at)? >= self.int(&right, at)?,
            LessReal => self.real(&left, at)? < self.real(&right, at)?,
            LessEqualReal => self.real(&left, at)? <= self.real(&right, at)?,
            GreaterReal => self.real(&left, at)? > self.real(&right, at)?,
            GreaterEqualReal => self.real(&left, at)? >= self.real(&right, at)?,
            Member | NotMember => return Err(self.confused(at)),
        })
    }
}
