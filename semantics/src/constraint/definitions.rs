//! Literals that determine an unknown without being an equation with it: `partition`, a function given point by point,
//! the domain of a known function, membership in a comprehension.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};

use crate::constraint::search::{Binding, GO, Generator, Search};
use crate::error::EvalError;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::{ClosureKind, LazySet};
use crate::value::partial::depends_on_partial;

impl<'m> Search<'_, 'm> {
    /// Solves `partition(S, A, …)` where all sets but one are known, or where unknown elements are among the rest.
    pub(super) fn partitioned<'p>(
        &self,
        env: &Env<'_>,
        whole: &'p Expr,
        parts: &'p [Expr],
        bound: &Binding,
    ) -> Option<Generator<'p>> {
        let listed = |e: &Expr| self.eval.try_list(&self.closed_value(env, e)?, self.at).ok()?;
        let mut known = BTreeSet::new();
        let mut open = Vec::new();
        for part in parts {
            match self.eval.is_closed(env, part) {
                true => known.extend(listed(part)?.iter().cloned()),
                false => open.push(part),
            }
        }
        if known.iter().any(depends_on_partial) {
            return None;
        }
        if !self.eval.is_closed(env, whole) {
            let determined = open.is_empty() && self.is_pattern(env, whole, bound);
            return determined.then(|| Generator::Values(whole, vec![Value::set(known)]));
        }
        let rest: BTreeSet<Value> = listed(whole)?.difference(&known).cloned().collect();
        if rest.iter().any(depends_on_partial) {
            return None;
        }
        if let [part] = open[..]
            && self.is_pattern(env, part, bound)
        {
            return Some(Generator::Values(part, vec![Value::set(rest)]));
        }
        open.iter().find_map(|part| match &part.kind {
            ExprKind::SetExtension(items) => match &items[..] {
                [item] if self.is_pattern(env, item, bound) => {
                    Some(Generator::Values(item, rest.iter().cloned().collect()))
                }
                _ => None,
            },
            _ => {
                let part = self.unknown(part, bound)?;
                Some(Generator::Range(part, LazySet::Power(Value::set(rest.iter().cloned())).into()))
            }
        })
    }

    /// Solves `!x.(x : D => f(x) = E)` for a function with a known domain, where every point gets a value.
    pub(super) fn pointwise<'p>(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        body: &'p Pred,
        bound: &Binding,
        confined: &[Option<Value>],
    ) -> Option<Generator<'p>> {
        let (condition, equations) = match &body.kind {
            PredKind::Implies(p, q) => (Some(&**p), &**q),
            _ => (None, body),
        };
        let parts = match &equations.kind {
            PredKind::And(parts) => parts.as_slice(),
            _ => std::slice::from_ref(equations),
        };
        parts.iter().find_map(|part| {
            let PredKind::Compare(CompareOp::Equal, a, b) = &part.kind else { return None };
            [(a, b), (b, a)].into_iter().find_map(|(applied, value)| {
                let ExprKind::Apply(function, point) = &applied.kind else { return None };
                let index = self.unknown(function, bound)?;
                let domain = self.domain_of(confined[index].as_ref()?)?;
                let points = self.points(env, locals, condition, (point, value))?;
                let mut defined = BTreeSet::new();
                for pair in &points {
                    defined.insert(pair.as_pair()?.0.clone());
                }
                if defined != *domain {
                    return None;
                }
                // Two values for one point: there is no such function.
                let functions = if defined.len() == points.len() { vec![Value::set(points)] } else { vec![] };
                Some(Generator::Values(function, functions))
            })
        })
    }

    /// Returns the domain of a set of total functions.
    fn domain_of(&self, functions: &Value) -> Option<Arc<BTreeSet<Value>>> {
        let Value::Lazy(lazy) = functions else { return None };
        let LazySet::Binary(op, from, _) = &**lazy else { return None };
        op.relation_space().filter(|kind| kind.total && kind.functional)?;
        self.eval.try_list(from, self.at).ok()?
    }

    /// Returns all couples of the values of two expressions where the condition on the locals holds.
    fn points(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        condition: Option<&Pred>,
        (point, value): (&Expr, &Expr),
    ) -> Option<BTreeSet<Value>> {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        let literals: Vec<_> = condition.iter().map(|p| (true, *p)).collect();
        let mut points = BTreeSet::new();
        let done = self.eval.solve(env, &names, &literals, self.at, &mut |instance, truth| {
            truth?;
            let frame = env.frame(instance);
            let inside = env.within(&frame);
            let couple = Value::pair(self.eval.eval(&inside, point)?, self.eval.eval(&inside, value)?);
            if couple.has_lazy() {
                return Err(EvalError::unsupported(self.at, "a couple is not known by its form"));
            }
            points.insert(couple);
            Ok(GO)
        });
        done.is_ok().then_some(points)
    }

    /// Derives a bound of the interval in `f : a..b --> S` where the function is known and not empty.
    pub(super) fn bounds_of_domain<'p>(
        &self,
        env: &Env<'_>,
        function: &Expr,
        space: &'p Expr,
        bound: &Binding,
    ) -> Option<Generator<'p>> {
        let ExprKind::Binary(op, domain, _) = &space.kind else { return None };
        let ExprKind::Binary(BinaryOp::Interval, low, high) = &domain.kind else { return None };
        op.relation_space().filter(|kind| kind.total)?;
        let function = self.closed_value(env, function).filter(|f| !depends_on_partial(f))?;
        let points = self.eval.try_list(&LazySet::Unary(UnaryOp::Dom, function).into(), self.at).ok()??;
        let (first, last) = (points.first()?, points.last()?);
        if self.is_pattern(env, low, bound) {
            return Some(Generator::Values(low, vec![first.clone()]));
        }
        self.is_pattern(env, high, bound).then(|| Generator::Values(high, vec![last.clone()]))
    }

    /// Confines `x` in `x |-> E : {y, z | P}` to the solutions of P for one value of `z`.
    pub(super) fn component(
        &self,
        env: &Env<'_>,
        element: &Expr,
        set: &Expr,
        bound: &Binding,
    ) -> Option<(usize, Value)> {
        let Value::Lazy(lazy) = self.closed_value(env, set)? else { return None };
        let LazySet::Closure(closure) = &*lazy else { return None };
        if closure.kind != ClosureKind::Comprehension {
            return None;
        }
        let mut parts = vec![element];
        while parts.len() < closure.locals.len() {
            let ExprKind::Binary(BinaryOp::Maplet, a, b) = &parts[0].kind else { return None };
            parts.splice(0..1, [&**a, &**b]);
        }
        let (mut given, mut open) = (Vec::new(), None);
        for (local, part) in closure.locals.iter().zip(parts) {
            match self.unknown(part, bound) {
                Some(index) if open.is_none() => open = Some((index, Name::Local(*local))),
                _ => given.push((Name::Local(*local), self.closed_value(env, part)?)),
            }
        }
        let (index, local) = open?;
        let mut values = BTreeSet::new();
        let done = self.eval.within_closure(closure, &given, |env| {
            self.eval.solve(env, &[local], &[(true, &closure.pred)], self.at, &mut |instance, _| {
                // An ill-defined instance is a candidate too: the literal itself reports it.
                values.extend(instance.first().map(|(_, v)| v.clone()));
                Ok(GO)
            })
        });
        done.is_ok().then(|| (index, Value::set(values)))
    }
}
