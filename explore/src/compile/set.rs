//! Sets as [`SetValue`]s: described rather than listed wherever an operator allows it.

use std::sync::Arc;

use bsym_language::model::{BinaryOp, BuiltinSet, Expr, ExprKind, UnaryOp};

use super::code::Code;
use super::set_value::SetValue;
use super::{C, Compiler};
use crate::store::rep::Rep;

/// Function that compiles a set that has to be listed.
type Listed<Compiler, Code> = fn(&mut Compiler, &Expr) -> C<Code>;

impl<'m> Compiler<'_, 'm> {
    /// Compiles a set, without listing it if that can be avoided.
    pub(super) fn set(&mut self, e: &Expr) -> C<Code<'m, SetValue>> {
        self.set_with(e, Self::word)
    }

    /// Compiles a set that is an operand. If the set is listed, the list may be a draft.
    pub(super) fn operand_set(&mut self, e: &Expr) -> C<Code<'m, SetValue>> {
        self.set_with(e, Self::operand)
    }

    fn set_with(&mut self, e: &Expr, listed: Listed<Self, Code<'m, u32>>) -> C<Code<'m, SetValue>> {
        let rep = self.rep(e);
        let scope = self.context.eval.scope;
        let bound = |n: &bsym_language::int::Int| n.to_i64().ok_or("a bound beyond 64 bits");
        Ok(match &e.kind {
            ExprKind::Carrier(c) if scope.size(self.context.eval.model, *c).is_some() => {
                Code::literal(SetValue::All)
            }
            ExprKind::Set(set) => Code::literal(match set {
                BuiltinSet::Bool
                | BuiltinSet::Integer
                | BuiltinSet::String
                | BuiltinSet::Real
                | BuiltinSet::Float => SetValue::All,
                BuiltinSet::Natural => SetValue::Range(0, i64::MAX),
                BuiltinSet::Natural1 => SetValue::Range(1, i64::MAX),
                BuiltinSet::Int => SetValue::Range(bound(&scope.minint)?, bound(&scope.maxint)?),
                BuiltinSet::Nat => SetValue::Range(0, bound(&scope.maxint)?),
                BuiltinSet::Nat1 => SetValue::Range(1, bound(&scope.maxint)?),
            }),
            ExprKind::Binary(BinaryOp::Interval, a, b) => {
                let (low, high) = (self.int(a)?, self.int(b)?);
                fold(low.literal, high.literal, SetValue::Range)
                    .unwrap_or_else(|| low.with(high, |_, l, h| Ok(SetValue::Range(l, h))))
            }
            ExprKind::Unary(UnaryOp::Pow | UnaryOp::Fin, s) => {
                self.set_of(s, listed, |s| SetValue::Power(s, false))?
            }
            ExprKind::Unary(UnaryOp::Pow1 | UnaryOp::Fin1, s) => {
                self.set_of(s, listed, |s| SetValue::Power(s, true))?
            }
            ExprKind::Unary(
                op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm),
                s,
            ) => {
                let op = *op;
                let code = self.set_of(s, listed, move |s| SetValue::Sequences(op, s))?;
                if op == UnaryOp::Perm { code.partial() } else { code }
            }
            ExprKind::Binary(BinaryOp::Cartesian, s, t) => {
                self.set_of_both(s, t, listed, SetValue::Product)?
            }
            ExprKind::Binary(op, s, t) if op.relation_space().is_some() => {
                let op = *op;
                self.set_of_both(s, t, listed, move |s, t| SetValue::Space(op, s, t))?
            }
            ExprKind::Binary(
                op @ (BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference),
                s,
                t,
            ) if !matches!(*rep, Rep::Bits(..)) => {
                let op = *op;
                self.set_of_both(s, t, listed, move |s, t| SetValue::Both(op, s, t))?
            }
            _ if matches!(*rep, Rep::Bits(..)) => {
                let bits = self.bits(e)?;
                match bits.literal {
                    Some(bits) => Code::literal(SetValue::Bits(bits)),
                    None => bits.map(|_, bits| Ok(SetValue::Bits(bits))),
                }
            }
            _ => {
                let word = listed(self, e)?;
                match word.literal {
                    Some(word) => Code::literal(SetValue::Listed(word)),
                    None => word.map(|_, word| Ok(SetValue::Listed(word))),
                }
            }
        })
    }

    /// Returns whether the elements of a set come in the same order whatever words they have.
    pub(super) fn is_ordered(&self, set: &Expr) -> bool {
        if self.rep(set).element().is_some_and(|e| e.is_fixed()) {
            return true;
        }
        match &set.kind {
            ExprKind::Carrier(_) | ExprKind::Set(_) | ExprKind::Binary(BinaryOp::Interval, ..) => true,
            ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, s) => {
                self.is_ordered(s)
            }
            ExprKind::Binary(op, s, t) if *op == BinaryOp::Cartesian || op.relation_space().is_some() => {
                self.is_ordered(s) && self.is_ordered(t)
            }
            _ => false,
        }
    }

    fn set_of(
        &mut self,
        s: &Expr,
        listed: Listed<Self, Code<'m, u32>>,
        make: impl Fn(Arc<SetValue>) -> SetValue + 'm,
    ) -> C<Code<'m, SetValue>> {
        let s = self.set_with(s, listed)?;
        Ok(match s.literal {
            Some(s) => Code::literal(make(Arc::new(s)).simplified()),
            None => s.map(move |_, s| Ok(make(Arc::new(s)))),
        })
    }

    fn set_of_both(
        &mut self,
        s: &Expr,
        t: &Expr,
        listed: Listed<Self, Code<'m, u32>>,
        make: impl Fn(Arc<SetValue>, Arc<SetValue>) -> SetValue + 'm,
    ) -> C<Code<'m, SetValue>> {
        let (s, t) = (self.set_with(s, listed)?, self.set_with(t, listed)?);
        Ok(match (&s.literal, &t.literal) {
            (Some(s), Some(t)) => Code::literal(make(Arc::new(s.clone()), Arc::new(t.clone())).simplified()),
            _ => s.with(t, move |_, s, t| Ok(make(Arc::new(s), Arc::new(t)))),
        })
    }
}

fn fold<'m, T>(a: Option<T>, b: Option<T>, f: impl Fn(T, T) -> SetValue) -> Option<Code<'m, SetValue>> {
    Some(Code::literal(f(a?, b?)))
}
