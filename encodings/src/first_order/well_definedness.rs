//! Conditions under which formulas are well-defined, from left to right (Abrial, Mussat: *On using conditional
//! definitions in formal theories*, ZB 2002): by the operators that have no value everywhere.
//!
//! The evaluator may find a value although a part has none, because it looks at that part only where it matters. There
//! more is asked here than is needed. Goals may ask for more, hypotheses say nothing about it.

use bsym_language::model::{BinaryOp, Expr, ExprKind, LocalId, Pred, PredKind, QuantOp, UnaryOp};
use bsym_language::walk::{Part, expr_parts};

use super::{Env, Found, Lowering, unsupported};
use crate::term::{Term, Terms};

impl Lowering<'_> {
    /// The condition under which a predicate is well-defined.
    pub(super) fn defined(&mut self, p: &Pred, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        Ok(match &p.kind {
            PredKind::True | PredKind::False => Terms::TRUE,
            PredKind::And(list) => self.one_after_another(list, env, false)?,
            PredKind::Or(list) => self.one_after_another(list, env, true)?,
            PredKind::Implies(a, b) => {
                let (first, second) = (self.defined(a, env)?, self.defined(b, env)?);
                match second {
                    Terms::TRUE => first,
                    _ => t.and([first, t.implies(self.pred(a, env)?, second)]),
                }
            }
            PredKind::Iff(a, b) => t.and([self.defined(a, env)?, self.defined(b, env)?]),
            PredKind::Not(p) => self.defined(p, env)?,
            PredKind::Forall(locals, body) | PredKind::Exists(locals, body) => {
                let (bound, env) = self.bind(locals, env)?;
                let defined = self.defined(body, &env)?;
                self.forall(&bound, defined)
            }
            PredKind::Compare(_, a, b) => t.and([self.has_value(a, env)?, self.has_value(b, env)?]),
            PredKind::Finite(e) => self.has_value(e, env)?,
            PredKind::Partition(e, parts) => {
                let mut all = vec![self.has_value(e, env)?];
                for p in parts {
                    all.push(self.has_value(p, env)?);
                }
                t.and(all)
            }
            PredKind::If(c, a, b) => {
                let (first, yes, no) = (self.defined(c, env)?, self.defined(a, env)?, self.defined(b, env)?);
                self.in_cases(first, c, yes, no, env)?
            }
            PredKind::Let(list, body) => {
                let (all, env) = self.definitions(list, env)?;
                t.and([all, self.defined(body, &env)?])
            }
            PredKind::External(..) | PredKind::Call(..) => return unsupported(p.span, "this predicate"),
        })
    }

    /// Conjuncts or disjuncts: each is looked at where those before it do not decide.
    fn one_after_another(&mut self, list: &[Pred], env: &Env, or: bool) -> Found<Term> {
        let t = self.terms.clone();
        let mut before = vec![];
        let mut all = vec![];
        for p in list {
            let defined = self.defined(p, env)?;
            if defined != Terms::TRUE {
                let reached = t.and(before.iter().copied());
                all.push(t.implies(reached, defined));
            }
            let holds = self.pred(p, env)?;
            before.push(if or { t.not(holds) } else { holds });
        }
        Ok(t.and(all))
    }

    fn in_cases(&mut self, first: Term, c: &Pred, yes: Term, no: Term, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if yes == Terms::TRUE && no == Terms::TRUE {
            return Ok(first);
        }
        let c = self.pred(c, env)?;
        Ok(t.and([first, t.implies(c, yes), t.or([c, no])]))
    }

    fn definitions(&mut self, list: &[(LocalId, Expr)], env: &Env) -> Found<(Term, Env)> {
        let mut inner = env.clone();
        let mut all = vec![];
        for (local, e) in list {
            all.push(self.has_value(e, &inner)?);
            let value = self.value(e, &inner)?;
            inner.insert(*local, value.into());
        }
        Ok((self.terms.and(all), inner))
    }

    /// The condition under which an expression is well-defined.
    fn has_value(&mut self, e: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let zero = t.int(0);
        Ok(match &e.kind {
            ExprKind::Unary(op, a) => {
                let own = match op {
                    UnaryOp::Card => self.finite(a, env)?,
                    UnaryOp::Min => self.has_extremum(a, true, env)?,
                    UnaryOp::Max => self.has_extremum(a, false, env)?,
                    UnaryOp::GeneralInter => t.not(self.is_empty(a, env)?),
                    UnaryOp::Size | UnaryOp::Rev => self.is_sequence(a, env)?,
                    UnaryOp::First | UnaryOp::Last | UnaryOp::Front | UnaryOp::Tail => {
                        let size = self.size(a, env)?;
                        t.and([self.is_sequence(a, env)?, t.lt(zero, size)])
                    }
                    op if !op.is_partial() => Terms::TRUE,
                    _ => return unsupported(e.span, "the meaning of this operator"),
                };
                t.and([self.parts_have_values(e, env)?, own])
            }
            ExprKind::Binary(op, a, b) => {
                use BinaryOp::*;
                let own = match op {
                    Divide => t.neq(self.atom(b, env)?, zero),
                    Mod => t.and([t.le(zero, self.atom(a, env)?), t.lt(zero, self.atom(b, env)?)]),
                    Power => t.le(zero, self.atom(b, env)?),
                    Append => self.is_sequence(a, env)?,
                    Prepend => self.is_sequence(b, env)?,
                    Concat => t.and([self.is_sequence(a, env)?, self.is_sequence(b, env)?]),
                    Take | Drop => {
                        let (n, size) = (self.atom(b, env)?, self.size(a, env)?);
                        t.and([self.is_sequence(a, env)?, t.le(zero, n), t.le(n, size)])
                    }
                    AddReal | SubtractReal | MultiplyReal | DivideReal | PowerReal => {
                        return unsupported(e.span, "an operator on reals");
                    }
                    op if !op.is_partial() => Terms::TRUE,
                    _ => return unsupported(e.span, "the meaning of this operator"),
                };
                t.and([self.parts_have_values(e, env)?, own])
            }
            ExprKind::Apply(f, x) => {
                let parts = self.parts_have_values(e, env)?;
                let x = self.value(x, env)?;
                let inside = self.domain(&x, f, env)?;
                let one = self.functional_at(f, &x, env)?;
                t.and([parts, inside, one])
            }
            ExprKind::Comprehension(locals, p) => {
                let (bound, env) = self.bind(locals, env)?;
                let defined = self.defined(p, &env)?;
                self.forall(&bound, defined)
            }
            ExprKind::Quantified(op, locals, p, value) => {
                let (bound, inner) = self.bind(locals, env)?;
                let defined = self.defined(p, &inner)?;
                let own = self.has_value(value, &inner)?;
                let holds = match (own, op) {
                    (Terms::TRUE, QuantOp::Lambda | QuantOp::Image | QuantOp::Union) => Terms::TRUE,
                    _ => self.pred(p, &inner)?,
                };
                let each = self.forall(&bound, t.and([defined, t.implies(holds, own)]));
                match op {
                    QuantOp::Lambda | QuantOp::Image | QuantOp::Union => each,
                    QuantOp::Inter => t.and([each, self.exists(&bound, holds)]),
                    _ => return unsupported(e.span, "the meaning of this quantifier"),
                }
            }
            ExprKind::If(p, a, b) => {
                let (first, yes, no) =
                    (self.defined(p, env)?, self.has_value(a, env)?, self.has_value(b, env)?);
                self.in_cases(first, p, yes, no, env)?
            }
            ExprKind::Let(list, body) => {
                let (all, env) = self.definitions(list, env)?;
                t.and([all, self.has_value(body, &env)?])
            }
            ExprKind::Abstract(_)
            | ExprKind::FreeSet(..)
            | ExprKind::Constructor(..)
            | ExprKind::TypeParameter(_)
            | ExprKind::Tree(..)
            | ExprKind::External(..) => return unsupported(e.span, "the meaning of this expression"),
            kind if kind.is_partial() => return unsupported(e.span, "the meaning of this expression"),
            _ => self.parts_have_values(e, env)?,
        })
    }

    /// The condition under which the parts of an expression that binds no name are well-defined.
    fn parts_have_values(&mut self, e: &Expr, env: &Env) -> Found<Term> {
        let mut parts = vec![];
        expr_parts(e, |part| parts.push(part));
        let mut all = vec![];
        for part in parts {
            match part {
                Part::Expr(e) => all.push(self.has_value(e, env)?),
                Part::Pred(p) => all.push(self.defined(p, env)?),
                _ => {}
            }
        }
        Ok(self.terms.and(all))
    }
}
