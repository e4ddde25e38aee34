//! Predicates.

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, PredKind, UnaryOp};
use bsym_language::types::Type;
use bsym_semantics::value::env::Name;

use super::{Env, Found, Lowering, name_of, unsupported};
use crate::term::{Term, Terms};

impl Lowering<'_> {
    /// The formula of a predicate: true where the predicate has a value and is true, false where it has one and is
    /// false.
    pub(super) fn pred(&mut self, p: &Pred, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        Ok(match &p.kind {
            PredKind::True => Terms::TRUE,
            PredKind::False => Terms::FALSE,
            PredKind::And(list) => {
                let all = list.iter().map(|p| self.pred(p, env)).collect::<Found<Vec<_>>>()?;
                t.and(all)
            }
            PredKind::Or(list) => {
                let all = list.iter().map(|p| self.pred(p, env)).collect::<Found<Vec<_>>>()?;
                t.or(all)
            }
            PredKind::Implies(a, b) => t.implies(self.pred(a, env)?, self.pred(b, env)?),
            PredKind::Iff(a, b) => t.eq(self.pred(a, env)?, self.pred(b, env)?),
            PredKind::Not(p) => t.not(self.pred(p, env)?),
            PredKind::Forall(locals, body) => {
                let (bound, env) = self.bind(locals, env)?;
                let body = self.pred(body, &env)?;
                self.forall(&bound, body)
            }
            PredKind::Exists(locals, body) => {
                let (bound, env) = self.bind(locals, env)?;
                let body = self.pred(body, &env)?;
                self.exists(&bound, body)
            }
            PredKind::Compare(op, a, b) => self.comparison(*op, a, b, env)?,
            PredKind::Finite(e) => self.finite(e, env)?,
            PredKind::Partition(whole, parts) => {
                let (x, whole) = self.elements(whole, env)?;
                let parts = parts.iter().map(|p| self.member(&x, p, env)).collect::<Found<Vec<_>>>()?;
                let mut all = vec![t.eq(whole, t.or(parts.iter().copied()))];
                for (i, &a) in parts.iter().enumerate() {
                    all.extend(parts[i + 1..].iter().map(|&b| t.not(t.and([a, b]))));
                }
                let all: Vec<Term> = all.into_iter().map(|p| self.forall(&x, p)).collect();
                t.and(all)
            }
            PredKind::If(c, a, b) => {
                let (c, a, b) = (self.pred(c, env)?, self.pred(a, env)?, self.pred(b, env)?);
                t.and([t.implies(c, a), t.or([c, b])])
            }
            PredKind::Let(list, body) => {
                let env = self.bind_values(list, env)?;
                self.pred(body, &env)?
            }
            PredKind::External(..) | PredKind::Call(..) => return unsupported(p.span, "this predicate"),
        })
    }

    /// The environment with definitions.
    pub(super) fn bind_values(
        &mut self,
        list: &[(bsym_language::model::LocalId, Expr)],
        env: &Env,
    ) -> Found<Env> {
        let mut inner = env.clone();
        for (local, e) in list {
            let value = self.value(e, &inner)?;
            inner.insert(*local, value.into());
        }
        Ok(inner)
    }

    fn comparison(&mut self, op: CompareOp, a: &Expr, b: &Expr, env: &Env) -> Found<Term> {
        use CompareOp::*;
        let t = self.terms.clone();
        Ok(match op {
            Equal => self.equal(a, b, env)?,
            NotEqual => t.not(self.equal(a, b, env)?),
            Member => self.belongs(a, b, env)?,
            NotMember => t.not(self.belongs(a, b, env)?),
            Subset => self.subset(a, b, env)?,
            NotSubset => t.not(self.subset(a, b, env)?),
            StrictSubset | NotStrictSubset => {
                let strict = t.and([self.subset(a, b, env)?, t.not(self.subset(b, a, env)?)]);
                if op == StrictSubset { strict } else { t.not(strict) }
            }
            Less | LessEqual | Greater | GreaterEqual | LessReal | LessEqualReal | GreaterReal
            | GreaterEqualReal => {
                let (a, b) = (self.atom(a, env)?, self.atom(b, env)?);
                match op {
                    Less | LessReal => t.lt(a, b),
                    LessEqual | LessEqualReal => t.le(a, b),
                    Greater | GreaterReal => t.lt(b, a),
                    _ => t.le(b, a),
                }
            }
        })
    }

    /// Fresh bound symbols for an element, and its membership in a set.
    pub(super) fn elements(&mut self, set: &Expr, env: &Env) -> Found<(Vec<Term>, Term)> {
        let Type::Pow(element) = &set.ty else { return unsupported(set.span, "a set of another type") };
        let x = self.bind_type(element)?;
        let member = self.member(&x, set, env)?;
        Ok((x, member))
    }

    /// `a <: b`
    pub(super) fn subset(&mut self, a: &Expr, b: &Expr, env: &Env) -> Found<Term> {
        let (x, inside) = self.elements(a, env)?;
        let outside = self.member(&x, b, env)?;
        Ok(self.forall(&x, self.terms.implies(inside, outside)))
    }

    /// `set = {}`
    pub(super) fn is_empty(&mut self, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        match &set.kind {
            ExprKind::EmptySet => return Ok(Terms::TRUE),
            ExprKind::SetExtension(_) | ExprKind::SeqExtension(_) | ExprKind::Carrier(_) => {
                return Ok(Terms::FALSE);
            }
            // They have the empty set as an element.
            ExprKind::Unary(UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Seq | UnaryOp::Iseq, _) => {
                return Ok(Terms::FALSE);
            }
            ExprKind::Binary(op, from, to) => match op {
                BinaryOp::Relation | BinaryOp::PartialFunction | BinaryOp::PartialInjection => {
                    return Ok(Terms::FALSE);
                }
                // There is a total function unless something has no possible value.
                BinaryOp::TotalFunction | BinaryOp::TotalRelation => {
                    return Ok(t.and([t.not(self.is_empty(from, env)?), self.is_empty(to, env)?]));
                }
                BinaryOp::Cartesian => return Ok(t.or([self.is_empty(from, env)?, self.is_empty(to, env)?])),
                BinaryOp::Union => return Ok(t.and([self.is_empty(from, env)?, self.is_empty(to, env)?])),
                BinaryOp::Interval => return Ok(t.lt(self.atom(to, env)?, self.atom(from, env)?)),
                _ => {}
            },
            _ => {}
        }
        let (x, member) = self.elements(set, env)?;
        Ok(self.forall(&x, t.not(member)))
    }

    /// `a = b`
    pub(super) fn equal(&mut self, a: &Expr, b: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if let Type::Pow(_) = a.ty {
            return match (&a.kind, &b.kind) {
                (ExprKind::EmptySet, _) => self.is_empty(b, env),
                (_, ExprKind::EmptySet) => self.is_empty(a, env),
                _ if self.is_element(a, env) && self.is_element(b, env) => {
                    Ok(t.eq(self.set(a, env)?, self.set(b, env)?))
                }
                _ => {
                    let (x, left) = self.elements(a, env)?;
                    let right = self.member(&x, b, env)?;
                    Ok(self.forall(&x, t.eq(left, right)))
                }
            };
        }
        if let (ExprKind::Binary(BinaryOp::Maplet, a1, a2), ExprKind::Binary(BinaryOp::Maplet, b1, b2)) =
            (&a.kind, &b.kind)
        {
            return Ok(t.and([self.equal(a1, b1, env)?, self.equal(a2, b2, env)?]));
        }
        let (a, b) = (self.value(a, env)?, self.value(b, env)?);
        Ok(t.and(a.into_iter().zip(b).map(|(a, b)| t.eq(a, b))))
    }

    /// Returns whether a set is an element of a sort without a name that is defined for it.
    pub(super) fn is_element(&self, e: &Expr, env: &Env) -> bool {
        match name_of(e) {
            Some(Name::Local(l)) if env.contains_key(&l) => true,
            Some(name) => self.elements.contains(&name) && !self.functions.contains_key(&name),
            None => match &e.kind {
                ExprKind::Apply(f, _) => {
                    name_of(f).is_some_and(|f| !matches!(f, Name::Local(l) if env.contains_key(&l)))
                }
                _ => false,
            },
        }
    }

    /// The equation of a value and an expression; an expression that is a couple is taken apart.
    pub(super) fn equals(&mut self, tuple: &[Term], e: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if let ExprKind::Binary(BinaryOp::Maplet, a, b) = &e.kind {
            let (left, right) = tuple.split_at(Self::width(&a.ty));
            return Ok(t.and([self.equals(left, a, env)?, self.equals(right, b, env)?]));
        }
        if matches!((&e.ty, &e.kind), (Type::Pow(_), ExprKind::EmptySet)) {
            let (given, env) = self.given(&e.ty, tuple, env);
            return self.is_empty(&given, &env);
        }
        let value = self.value(e, env)?;
        Ok(t.and(tuple.iter().zip(value).map(|(&a, b)| t.eq(a, b))))
    }
}
