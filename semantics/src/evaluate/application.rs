//! Application and images of a point under a relation, listed or lazy.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::{Closure, ClosureKind, LazySet};

impl Evaluator<'_> {
    /// `f(x)`
    pub(crate) fn apply(&self, f: &Value, x: &Value, at: Span) -> Eval<Value> {
        let images = match self.images(f, x, at)? {
            Some(images) => images,
            None => {
                let listed = Value::Set(self.list(f, at)?);
                self.images(&listed, x, at)?.ok_or_else(|| self.confused(at))?
            }
        };
        let mut images = images.into_iter();
        let Some(y) = images.next() else {
            let message = format!("{} is not in the domain of {}", self.short(x), self.short(f));
            return Err(EvalError::ill_defined(at, message));
        };
        for z in images {
            if !self.equal(&y, &z, at)? {
                let (x, y, z) = (self.short(x), self.short(&y), self.short(&z));
                let message = format!("{} is no function at {x}: {y} and {z}", self.short(f));
                return Err(EvalError::ill_defined(at, message));
            }
        }
        Ok(y)
    }

    /// Returns all `y` with `x |-> y : r`, perhaps with duplicates; `None` if they cannot be found without listing the
    /// relation.
    pub(crate) fn images(&self, r: &Value, x: &Value, at: Span) -> Eval<Option<Vec<Value>>> {
        let lazy = match r {
            Value::Set(s) => {
                if x.has_lazy() || r.has_lazy() {
                    let mut found = Vec::new();
                    for v in s.iter() {
                        let (a, b) = self.pair(v, at)?;
                        if self.equal(a, x, at)? {
                            found.push(b.clone());
                        }
                    }
                    return Ok(Some(found));
                }
                return Ok(Some(images_in(s, x).cloned().collect()));
            }
            Value::Lazy(lazy) => lazy,
            _ => return Err(self.confused(at)),
        };
        let only = |keep: bool, y: &Value| Ok(Some(if keep { vec![y.clone()] } else { Vec::new() }));
        match &**lazy {
            LazySet::Succ => Ok(Some(vec![Value::Int(self.int(x, at)? + &Int::ONE)])),
            LazySet::Pred => Ok(Some(vec![Value::Int(self.int(x, at)? - &Int::ONE)])),
            LazySet::Prj1(s, t) | LazySet::Prj2(s, t) => {
                let (a, b) = self.pair(x, at)?;
                let inside = self.member(a, s, at)? && self.member(b, t, at)?;
                only(inside, if matches!(&**lazy, LazySet::Prj1(..)) { a } else { b })
            }
            LazySet::Unary(UnaryOp::Id, s) => only(self.member(x, s, at)?, x),
            LazySet::Unary(UnaryOp::Inverse, Value::Lazy(l)) if matches!(&**l, LazySet::Constructor(..)) => {
                self.preimages(l, x, at)
            }
            LazySet::Unary(UnaryOp::Inverse, s) => {
                let Some(listed) = self.try_list(s, at)? else {
                    return match s {
                        Value::Lazy(l) => self.preimages(l, x, at),
                        _ => Ok(None),
                    };
                };
                let mut found = Vec::new();
                for v in listed.iter() {
                    let (a, b) = self.pair(v, at)?;
                    if self.equal(b, x, at)? {
                        found.push(a.clone());
                    }
                }
                Ok(Some(found))
            }
            LazySet::Unary(UnaryOp::Closure1, s) => self.reachable(s, x, at),
            LazySet::Unary(UnaryOp::Fnc, s) => {
                let Some(images) = self.images(s, x, at)? else { return Ok(None) };
                if images.is_empty() {
                    return Ok(Some(Vec::new()));
                }
                Ok(Some(vec![self.make_set(images, at)?]))
            }
            LazySet::Unary(UnaryOp::Rel, f) => {
                let Some(sets) = self.images(f, x, at)? else { return Ok(None) };
                let mut found = Vec::new();
                for s in sets {
                    match self.try_list(&s, at)? {
                        Some(s) => found.extend(s.iter().cloned()),
                        None => return Ok(None),
                    }
                }
                Ok(Some(found))
            }
            LazySet::Recursive(name, d) => self.recursive_images(*name, d, x, at),
            LazySet::Constructor(id, i, sets) => {
                let Some(domain) = self.argument_set(*id, *i, sets, at)? else {
                    return Err(self.confused(at));
                };
                let value = Value::Free(*id, *i, Some(std::sync::Arc::new(x.clone())));
                only(self.member(x, &domain, at)?, &value)
            }
            LazySet::Partial(partial) => {
                partial.images(x).map(Some).map_err(|cell| EvalError::undecided(at, cell))
            }
            LazySet::Binary(op, a, b) => self.operator_images(*op, a, b, x, at),
            LazySet::Closure(c) if c.kind == ClosureKind::Lambda => {
                let bound = self.closure_binding(c, x, c.locals.len(), at)?;
                let body = c.body.as_ref().ok_or_else(|| self.confused(at))?;
                self.within_closure(c, &bound, |env| {
                    if self.pred(env, &c.pred)? {
                        Ok(Some(vec![self.expr(env, body)?]))
                    } else {
                        Ok(Some(vec![]))
                    }
                })
            }
            LazySet::Closure(c) if c.kind == ClosureKind::Comprehension && c.locals.len() > 1 => {
                let last = c.locals.len() - 1;
                let bound = self.closure_binding(c, x, last, at)?;
                let mut found = Vec::new();
                let done = self.within_closure(c, &bound, |env| {
                    self.each_binding(env, &c.locals[last..], &c.pred, at, &mut |_, y| {
                        found.extend(y.first().map(|(_, v)| v.clone()));
                        Ok(ControlFlow::Continue(()))
                    })
                });
                match done {
                    Ok(_) => Ok(Some(found)),
                    Err(e) if e.kind == EvalErrorKind::TooLarge => Ok(None),
                    Err(e) => Err(e),
                }
            }
            _ => {
                let Some(listed) = self.try_list(r, at)? else { return Ok(None) };
                self.images(&Value::Set(listed), x, at)
            }
        }
    }

    /// Returns all points that a relation reaches from `x` in one or more steps.
    fn reachable(&self, r: &Value, x: &Value, at: Span) -> Eval<Option<Vec<Value>>> {
        let mut seen = BTreeSet::new();
        let mut open = vec![x.clone()];
        while let Some(v) = open.pop() {
            let Some(images) = self.images(r, &v, at)? else { return Ok(None) };
            open.extend(images.into_iter().filter(|w| seen.insert(w.clone())));
            if seen.len() > self.limits.listing {
                return Ok(None);
            }
        }
        Ok(Some(seen.into_iter().collect()))
    }

    /// Returns images under the inverse of a relation that is not listed.
    fn preimages(&self, r: &LazySet, y: &Value, at: Span) -> Eval<Option<Vec<Value>>> {
        Ok(match r {
            LazySet::Succ => Some(vec![Value::Int(self.int(y, at)? - &Int::ONE)]),
            LazySet::Pred => Some(vec![Value::Int(self.int(y, at)? + &Int::ONE)]),
            LazySet::Constructor(id, i, sets) => {
                Some(self.destructed((*id, *i), y, sets, at)?.into_iter().collect())
            }
            LazySet::Unary(UnaryOp::Id, s) => {
                Some(if self.member(y, s, at)? { vec![y.clone()] } else { vec![] })
            }
            LazySet::Unary(UnaryOp::Inverse, s) => return self.images(s, y, at),
            LazySet::Binary(BinaryOp::Cartesian, a, b) => {
                if !self.member(y, b, at)? {
                    return Ok(Some(vec![]));
                }
                self.try_list(a, at)?.map(|s| s.iter().cloned().collect())
            }
            _ => None,
        })
    }

    fn operator_images(
        &self,
        op: BinaryOp,
        a: &Value,
        b: &Value,
        x: &Value,
        at: Span,
    ) -> Eval<Option<Vec<Value>>> {
        let none = || Ok(Some(Vec::new()));
        let keep = |images: Option<Vec<Value>>, set: &Value, inside: bool| {
            let Some(images) = images else { return Ok(None) };
            let mut kept = Vec::new();
            for v in images {
                if self.member(&v, set, at)? == inside {
                    kept.push(v);
                }
            }
            Ok(Some(kept))
        };
        match op {
            BinaryOp::Cartesian => {
                if !self.member(x, a, at)? {
                    return none();
                }
                Ok(self.try_list(b, at)?.map(|s| s.iter().cloned().collect()))
            }
            BinaryOp::Union => match (self.images(a, x, at)?, self.images(b, x, at)?) {
                (Some(mut l), Some(r)) => {
                    l.extend(r);
                    Ok(Some(l))
                }
                _ => Ok(None),
            },
            BinaryOp::Intersection | BinaryOp::Difference => {
                let Some(images) = self.images(a, x, at)? else { return Ok(None) };
                let mut kept = Vec::new();
                for v in images {
                    let inside = self.member(&Value::pair(x.clone(), v.clone()), b, at)?;
                    if inside == (op == BinaryOp::Intersection) {
                        kept.push(v);
                    }
                }
                Ok(Some(kept))
            }
            BinaryOp::DomainRestriction if self.member(x, a, at)? => self.images(b, x, at),
            BinaryOp::DomainSubtraction if !self.member(x, a, at)? => self.images(b, x, at),
            BinaryOp::DomainRestriction | BinaryOp::DomainSubtraction => none(),
            BinaryOp::RangeRestriction => keep(self.images(a, x, at)?, b, true),
            BinaryOp::RangeSubtraction => keep(self.images(a, x, at)?, b, false),
            BinaryOp::Override => match self.images(b, x, at)? {
                Some(new) if new.is_empty() => self.images(a, x, at),
                new => Ok(new),
            },
            BinaryOp::Composition => {
                let Some(middle) = self.images(a, x, at)? else { return Ok(None) };
                let mut found = Vec::new();
                for y in middle {
                    let Some(images) = self.images(b, &y, at)? else { return Ok(None) };
                    found.extend(images);
                }
                Ok(Some(found))
            }
            BinaryOp::DirectProduct => match (self.images(a, x, at)?, self.images(b, x, at)?) {
                (Some(l), Some(r)) => Ok(Some(product(&l, &r))),
                _ => Ok(None),
            },
            BinaryOp::ParallelProduct => {
                let (x, y) = self.pair(x, at)?;
                match (self.images(a, x, at)?, self.images(b, y, at)?) {
                    (Some(l), Some(r)) => Ok(Some(product(&l, &r))),
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Binds the first `n` locals of a closure to the components of a couple.
    pub(crate) fn closure_binding(
        &self,
        c: &Closure,
        x: &Value,
        n: usize,
        at: Span,
    ) -> Eval<Vec<(Name, Value)>> {
        let parts = x.untuple(n).ok_or_else(|| self.confused(at))?;
        Ok(c.locals.iter().map(|l| Name::Local(*l)).zip(parts).collect())
    }

    /// Evaluates inside a closure: its captured values and the given bindings.
    pub(crate) fn within_closure<T>(
        &self,
        c: &Closure,
        bound: &[(Name, Value)],
        inside: impl FnOnce(&Env<'_>) -> Eval<T>,
    ) -> Eval<T> {
        let base = Env::default();
        let captured = base.frame(&c.captured);
        let outer = base.within(&captured);
        let frame = outer.frame(bound);
        inside(&outer.within(&frame))
    }
}

/// Returns the images of a point in a listed relation, whose couples are sorted by their left side.
fn images_in<'s>(pairs: &'s BTreeSet<Value>, x: &'s Value) -> impl Iterator<Item = &'s Value> {
    // `FALSE` is the least of all values.
    let first = Value::pair(x.clone(), Value::Bool(false));
    pairs.range(first..).map_while(move |p| match p.as_pair() {
        Some((a, b)) if a == x => Some(b),
        _ => None,
    })
}

fn product(left: &[Value], right: &[Value]) -> Vec<Value> {
    left.iter().flat_map(|l| right.iter().map(move |r| Value::pair(l.clone(), r.clone()))).collect()
}
