//! Unknowns inside expressions: patterns that bind them when they are matched against a value.

use bsym_language::model::{BinaryOp, Expr, ExprKind, LocalId, UnaryOp};

use crate::constraint::search::{Binding, Search};
use crate::value::Value;
use crate::value::env::{Env, Name};

impl Search<'_, '_> {
    /// The position of the unbound unknown that the expression is.
    pub(super) fn unknown(&self, e: &Expr, bound: &Binding) -> Option<usize> {
        self.named(e).filter(|i| bound[*i].is_none())
    }

    /// The position of the unknown that the expression is.
    pub(super) fn named(&self, e: &Expr) -> Option<usize> {
        let name = match &e.kind {
            ExprKind::Local(l) => Name::Local(LocalId(l.0)),
            ExprKind::Const(c) => Name::Const(*c),
            ExprKind::Var(v) => Name::Var(*v),
            _ => return None,
        };
        self.unknowns.iter().position(|n| *n == name)
    }

    pub(super) fn closed_value(&self, env: &Env<'_>, e: &Expr) -> Option<Value> {
        if let Some(fixed) = self.fixed(e) {
            return Some(fixed);
        }
        if !self.eval.is_closed(env, e) {
            return None;
        }
        self.known(self.eval.eval(env, e))
    }

    /// Whether [`Search::matches`] can bind an unknown through the expression.
    pub(super) fn is_pattern(&self, env: &Env<'_>, e: &Expr, bound: &Binding) -> bool {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Maplet, a, b) => {
                (self.is_pattern(env, a, bound)
                    && (self.is_pattern(env, b, bound) || self.eval.is_closed(env, b)))
                    || (self.is_pattern(env, b, bound) && self.eval.is_closed(env, a))
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                (self.is_pattern(env, a, bound) && self.closed_value(env, b).is_some())
                    || (self.is_pattern(env, b, bound) && self.closed_value(env, a).is_some())
            }
            ExprKind::Unary(UnaryOp::Negate, a) => self.is_pattern(env, a, bound),
            _ => self.unknown(e, bound).is_some(),
        }
    }

    /// Binds the unknowns of a pattern so that it equals the value. What it cannot decide it accepts:
    /// the literal itself is evaluated once its unknowns are bound.
    pub(super) fn matches(&self, env: &Env<'_>, pattern: &Expr, value: &Value, bound: &mut Binding) -> bool {
        if let Some(i) = self.unknown(pattern, bound) {
            bound[i] = Some(value.clone());
            return true;
        }
        match (&pattern.kind, value) {
            (ExprKind::Binary(BinaryOp::Maplet, a, b), Value::Pair(p)) => {
                self.matches(env, a, &p.0, bound) && self.matches(env, b, &p.1, bound)
            }
            (ExprKind::Unary(UnaryOp::Negate, a), Value::Int(n)) => {
                self.matches(env, a, &Value::Int(-n), bound)
            }
            (ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b), Value::Int(n)) => {
                match (self.closed_value(env, a), self.closed_value(env, b)) {
                    (_, Some(Value::Int(c))) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { n + &c };
                        self.matches(env, a, &Value::Int(rest), bound)
                    }
                    (Some(Value::Int(c)), _) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { &c - n };
                        self.matches(env, b, &Value::Int(rest), bound)
                    }
                    _ => true,
                }
            }
            _ => match self.closed_value(env, pattern) {
                Some(v) => self.eval.equal(&v, value, self.at).unwrap_or(true),
                None => true,
            },
        }
    }
}
