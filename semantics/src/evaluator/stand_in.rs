//! Values for what has none: whether an answer depends on an ill-defined part.
//!
//! An evaluator with stand-ins gives an ill-defined expression a value of its type. Where all choices lead
//! to the same answer, the ill-defined part has no influence on it.

use std::hash::{DefaultHasher, Hash, Hasher};

use bsym_language::model::{BinaryOp, Expr, ExprKind, Model};
use bsym_language::types::Type;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::scope::Scope;
use crate::value::Value;
use crate::value::env::Env;

/// What an evaluator takes for what is ill-defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StandIns {
    /// A value for every expression, other ones for other seeds.
    Values(u64),
    /// False for every comparison with an ill-defined part.
    False,
    /// The least of the images for the application of a relation to a point with several.
    LeastImage,
}

impl Evaluator<'_> {
    /// The value of an ill-defined expression; the error where there is none.
    pub(crate) fn stand_in(
        &self,
        env: &Env<'_>,
        expr: &Expr,
        choice: StandIns,
        error: EvalError,
    ) -> Eval<Value> {
        let mut hasher = DefaultHasher::new();
        (expr.span.start, expr.span.end).hash(&mut hasher);
        match (choice, &expr.kind) {
            (StandIns::Values(seed), _) => {
                seed.hash(&mut hasher);
                let mut draw = Draw { state: hasher.finish() | 1, model: self.model, scope: self.scope };
                draw.value(&expr.ty).ok_or(error)
            }
            (StandIns::LeastImage, ExprKind::Apply(f, x)) => {
                let point = Value::set([self.expr(env, x)?]);
                let images = self.binary(BinaryOp::Image, self.eval(env, f)?, point, expr.span)?;
                let images = self.list(&images, expr.span)?;
                images.first().cloned().ok_or(error)
            }
            _ => Err(error),
        }
    }
}

struct Draw<'m> {
    state: u64,
    model: &'m Model,
    scope: &'m Scope,
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % n as u64) as usize
    }

    fn value(&mut self, ty: &Type) -> Option<Value> {
        Some(match ty {
            Type::Bool => Value::Bool(self.below(2) == 1),
            Type::Int => Value::int(self.below(20) as i64 - 6),
            Type::Real => crate::value::real::value(self.below(20) as i64 - 6),
            Type::String => Value::string(["", "a", "b", "ab"][self.below(4)]),
            Type::Carrier(id) => {
                let size = self.scope.size(self.model, *id).unwrap_or(1).max(1);
                Value::Element(*id, self.below(size) as u32)
            }
            Type::Pow(t) => {
                let n = self.below(4);
                Value::set((0..n).map(|_| self.value(t)).collect::<Option<Vec<_>>>()?)
            }
            Type::Pair(a, b) => Value::pair(self.value(a)?, self.value(b)?),
            Type::Record(fields) => Value::Record(
                fields
                    .iter()
                    .map(|(l, t)| Some((l.as_str().into(), self.value(t)?)))
                    .collect::<Option<Vec<_>>>()?
                    .into(),
            ),
            Type::Free(..) | Type::Parameter(_) => return None,
        })
    }
}
