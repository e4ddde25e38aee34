//! Explains why a value is not in a set: for functions and relations, which properties of their type they lack.

use std::collections::BTreeMap;

use bsym_language::model::{BinaryOp, Expr, ExprKind, UnaryOp};
use bsym_language::print;

use super::Explainer;
use crate::evaluator::Eval;
use crate::value::Value;
use crate::value::env::Env;

/// Properties that a set of relations requires of its members.
struct Asks {
    function: bool,
    total: bool,
    injective: bool,
    surjective: bool,
}

/// Returns the properties required by an operator; `None` if it does not make a set of relations.
fn asks(op: BinaryOp) -> Option<Asks> {
    use BinaryOp::*;
    let (function, total, injective, surjective) = match op {
        Relation => (false, false, false, false),
        TotalRelation => (false, true, false, false),
        SurjectiveRelation => (false, false, false, true),
        TotalSurjectiveRelation => (false, true, false, true),
        PartialFunction => (true, false, false, false),
        TotalFunction => (true, true, false, false),
        PartialInjection => (true, false, true, false),
        TotalInjection => (true, true, true, false),
        PartialSurjection => (true, false, false, true),
        TotalSurjection => (true, true, false, true),
        PartialBijection => (true, false, true, true),
        TotalBijection => (true, true, true, true),
        _ => return None,
    };
    Some(Asks { function, total, injective, surjective })
}

impl Explainer<'_> {
    /// Explains why the value of one expression is not in that of another.
    pub(super) fn not_in(&mut self, env: &Env<'_>, left: &Expr, right: &Expr) -> Eval<()> {
        let said = match &right.kind {
            ExprKind::Binary(op, from, to) => match asks(*op) {
                Some(asks) => self.lacks(env, left, &asks, from, to)?,
                None => false,
            },
            ExprKind::Unary(UnaryOp::Pow | UnaryOp::Fin, set) => self.beyond(env, left, set)?,
            _ => false,
        };
        if said {
            return Ok(());
        }
        self.value(env, left)?;
        if let ExprKind::Binary(BinaryOp::Interval, low, high) = &right.kind {
            self.value(env, low)?;
            return self.value(env, high);
        }
        self.value(env, right)
    }

    /// Notes the required properties that a relation lacks. Returns whether any were found.
    fn lacks(&mut self, env: &Env<'_>, left: &Expr, asks: &Asks, from: &Expr, to: &Expr) -> Eval<bool> {
        let value = self.eval.expr(env, left)?;
        let Some(pairs) = value.as_set() else { return Ok(false) };
        let mut images: BTreeMap<&Value, Vec<&Value>> = BTreeMap::new();
        let mut preimages: BTreeMap<&Value, Vec<&Value>> = BTreeMap::new();
        for (x, y) in pairs.iter().filter_map(Value::as_pair) {
            images.entry(x).or_default().push(y);
            preimages.entry(y).or_default().push(x);
        }
        let domain = Value::set(images.keys().map(|x| (*x).clone()));
        let range = Value::set(preimages.keys().map(|y| (*y).clone()));
        let (source, target) = (self.eval.expr(env, from)?, self.eval.expr(env, to)?);
        let text = |e: &Expr| print::shown_expr(self.eval.model, e);
        let (name, from_text, to_text) = (text(left), text(from), text(to));
        let several = |of: &BTreeMap<&Value, Vec<&Value>>| -> Vec<Value> {
            of.iter().filter(|(_, others)| others.len() > 1).map(|(one, _)| (*one).clone()).collect()
        };
        let mut said =
            self.outside(format!("in dom({name}) and not in {from_text}"), &domain, &source, left)?;
        said |= self.outside(format!("in ran({name}) and not in {to_text}"), &range, &target, left)?;
        if asks.function {
            said |= self.elements(format!("with several images under {name}"), several(&images));
        }
        if asks.injective {
            said |= self.elements(format!("images of several elements under {name}"), several(&preimages));
        }
        if asks.total {
            said |= self.outside(format!("in {from_text} and not in dom({name})"), &source, &domain, from)?;
        }
        if asks.surjective {
            said |= self.outside(format!("in {to_text} and not in ran({name})"), &target, &range, to)?;
        }
        Ok(said)
    }
}
