//! Whether a formula can be ill-defined, judged by its operators alone.

use bsym_language::external::Support;
use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, Expr, ExprKind, Pred, PredKind, QuantOp, UnaryOp};

use bsym_language::types::Type;

use crate::cardinality::Cardinality;
use crate::env::{Env, FreeNames};
use crate::evaluator::Evaluator;
use crate::value::Value;

impl Evaluator<'_> {
    /// Whether the predicate has a truth value under every binding of the names that the environment
    /// leaves open.
    pub(crate) fn is_total(&self, env: &Env<'_>, pred: &Pred) -> bool {
        match &pred.kind {
            PredKind::True | PredKind::False => true,
            PredKind::And(ps) | PredKind::Or(ps) => ps.iter().all(|p| self.is_total(env, p)),
            PredKind::Implies(a, b) | PredKind::Iff(a, b) => self.is_total(env, a) && self.is_total(env, b),
            PredKind::Not(p) | PredKind::Forall(_, p) | PredKind::Exists(_, p) => self.is_total(env, p),
            PredKind::Compare(_, a, b) => self.is_total_expr(env, a) && self.is_total_expr(env, b),
            PredKind::Finite(e) => self.is_total_expr(env, e),
            PredKind::External(f, args) => {
                f.support() == Support::Total && args.iter().all(|e| self.is_total_expr(env, e))
            }
            PredKind::Call(..) => false,
            PredKind::Partition(e, es) => {
                self.is_total_expr(env, e) && es.iter().all(|e| self.is_total_expr(env, e))
            }
            PredKind::If(p, a, b) => [p, a, b].into_iter().all(|p| self.is_total(env, p)),
            PredKind::Let(defs, p) => {
                defs.iter().all(|(_, e)| self.is_total_expr(env, e)) && self.is_total(env, p)
            }
        }
    }

    fn is_total_expr(&self, env: &Env<'_>, expr: &Expr) -> bool {
        let both = |a: &Expr, b: &Expr| self.is_total_expr(env, a) && self.is_total_expr(env, b);
        let parts = match &expr.kind {
            ExprKind::SetExtension(es) | ExprKind::SeqExtension(es) => {
                es.iter().all(|e| self.is_total_expr(env, e))
            }
            ExprKind::Unary(op, e) => !is_partial_unary(*op) && self.is_total_expr(env, e),
            ExprKind::Binary(BinaryOp::Divide, a, b) => {
                matches!(&b.kind, ExprKind::Integer(n) if !n.is_zero()) && self.is_total_expr(env, a)
            }
            ExprKind::Binary(op, a, b) => !is_partial_binary(*op) && both(a, b),
            ExprKind::Apply(f, x) => self.is_total_expr(env, x) && self.is_total_function(env, f, x),
            ExprKind::BoolOf(p) | ExprKind::Comprehension(_, p) => self.is_total(env, p),
            ExprKind::Quantified(op, _, p, e) => {
                *op != QuantOp::Inter && self.is_total(env, p) && self.is_total_expr(env, e)
            }
            ExprKind::Record(fields) | ExprKind::Struct(fields) => {
                fields.iter().all(|(_, e)| self.is_total_expr(env, e))
            }
            ExprKind::Field(e, _) => self.is_total_expr(env, e),
            ExprKind::WithField(a, _, b) | ExprKind::Prj1(a, b) | ExprKind::Prj2(a, b) => both(a, b),
            ExprKind::If(p, a, b) => self.is_total(env, p) && both(a, b),
            ExprKind::Let(defs, e) => {
                defs.iter().all(|(_, e)| self.is_total_expr(env, e)) && self.is_total_expr(env, e)
            }
            ExprKind::External(f, args) => {
                f.support() == Support::Total && args.iter().all(|e| self.is_total_expr(env, e))
            }
            ExprKind::Iterate(..) | ExprKind::Tree(..) | ExprKind::Call(..) => false,
            ExprKind::Var(_) | ExprKind::Old(_) | ExprKind::Const(_) | ExprKind::Local(_) => true,
            _ => true,
        };
        // What does not depend on an unknown has one value or none.
        parts || (self.is_closed(env, expr) && self.eval(env, expr).is_ok())
    }

    /// Whether all free names have values.
    pub(crate) fn is_closed(&self, env: &Env<'_>, expr: &Expr) -> bool {
        FreeNames::of_expr(expr).into_iter().all(|n| env.get(n).is_some())
    }

    /// Whether `f` has a value and is defined once for everything of the argument's type.
    fn is_total_function(&self, env: &Env<'_>, f: &Expr, x: &Expr) -> bool {
        if !self.is_closed(env, f) {
            return false;
        }
        if let ExprKind::Constructor(id, position) = &f.kind
            && let Some((_, Type::Free(_, arguments))) = f.ty.as_relation()
        {
            let sets: Vec<_> = arguments.iter().map(|t| self.type_values(t)).collect();
            let domain = self.argument_set(*id, *position, &sets, x.span);
            return matches!(domain, Ok(Some(set)) if self.is_universal(&set));
        }
        let Ok(Value::Set(pairs)) = self.eval(env, f) else { return false };
        let all = self.type_values(&x.ty);
        let Ok(Cardinality::Exact(n)) = self.cardinality(&all, x.span) else { return false };
        let mut points: Vec<_> = pairs.iter().filter_map(|p| p.as_pair().map(|p| p.0)).collect();
        points.dedup();
        n == Int::from(pairs.len() as i64) && points.len() == pairs.len()
    }
}

fn is_partial_unary(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(
        op,
        Card | Max
            | Min
            | MaxReal
            | MinReal
            | GeneralInter
            | Perm
            | Size
            | First
            | Last
            | Front
            | Tail
            | Rev
            | Conc
    )
}

fn is_partial_binary(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Divide | Mod | Power | DivideReal | PowerReal | Prepend | Append | Concat | Take | Drop)
}
