//! Relations and functions: images, application, the relational operators, spaces of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::env::{Env, Name};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::lazy_set::{Closure, ClosureKind, LazySet};
use crate::value::Value;

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

    /// All `y` with `x |-> y : r`, some perhaps more than once; `None` if they cannot be told without
    /// listing the relation.
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

    /// All points that a relation reaches from `x` in one or more steps.
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

    /// Images under the inverse of a relation that is not listed.
    fn preimages(&self, r: &LazySet, y: &Value, at: Span) -> Eval<Option<Vec<Value>>> {
        Ok(match r {
            LazySet::Succ => Some(vec![Value::Int(self.int(y, at)? - &Int::ONE)]),
            LazySet::Pred => Some(vec![Value::Int(self.int(y, at)? + &Int::ONE)]),
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

    pub(crate) fn relational_unary(&self, op: UnaryOp, v: Value, ty: &Type, at: Span) -> Eval<Value> {
        let _ = ty;
        let lazy = |v: Value| Ok(Value::from(LazySet::Unary(op, v)));
        match op {
            UnaryOp::Id => lazy(self.normal(v, at)?),
            UnaryOp::Dom | UnaryOp::Ran => {
                if let Value::Lazy(l) = &v {
                    match (&**l, op) {
                        (LazySet::Binary(BinaryOp::Cartesian, a, b), _) => {
                            let (kept, other) = if op == UnaryOp::Dom { (a, b) } else { (b, a) };
                            return Ok(if self.is_empty(other, at)? { Value::empty() } else { kept.clone() });
                        }
                        (LazySet::Unary(UnaryOp::Id, s), _) => return Ok(s.clone()),
                        (LazySet::Succ | LazySet::Pred, _) => return Ok(LazySet::Integers.into()),
                        (LazySet::Prj1(s, t) | LazySet::Prj2(s, t), UnaryOp::Dom) => {
                            return self.binary(BinaryOp::Cartesian, s.clone(), t.clone(), at);
                        }
                        (LazySet::Closure(c), UnaryOp::Dom) if c.kind == ClosureKind::Lambda => {
                            if let Some(listed) = self.try_list(&v, at)? {
                                return self.side(&listed, op, at);
                            }
                            let domain =
                                Closure { kind: ClosureKind::Comprehension, body: None, ..c.clone() };
                            return Ok(LazySet::Closure(domain).into());
                        }
                        _ => {}
                    }
                }
                match self.try_list(&v, at)? {
                    Some(listed) => self.side(&listed, op, at),
                    None => lazy(v),
                }
            }
            UnaryOp::Inverse => match self.try_list(&v, at)? {
                Some(listed) => {
                    let mut turned = BTreeSet::new();
                    for p in listed.iter() {
                        let (a, b) = self.pair(p, at)?;
                        turned.insert(Value::pair(b.clone(), a.clone()));
                    }
                    Ok(Value::Set(Arc::new(turned)))
                }
                None => lazy(v),
            },
            UnaryOp::Fnc => {
                let Some(listed) = self.try_list(&v, at)? else { return lazy(v) };
                let mut sets: BTreeMap<Value, BTreeSet<Value>> = BTreeMap::new();
                for p in listed.iter() {
                    let (a, b) = self.pair(p, at)?;
                    sets.entry(a.clone()).or_default().insert(b.clone());
                }
                Ok(Value::set(sets.into_iter().map(|(a, s)| Value::pair(a, Value::Set(Arc::new(s))))))
            }
            UnaryOp::Rel => {
                let Some(listed) = self.try_list(&v, at)? else { return lazy(v) };
                let mut pairs = Vec::new();
                for p in listed.iter() {
                    let (a, s) = self.pair(p, at)?;
                    match self.try_list(s, at)? {
                        Some(s) => pairs.extend(s.iter().map(|b| Value::pair(a.clone(), b.clone()))),
                        None => return lazy(Value::Set(listed.clone())),
                    }
                }
                self.make_set(pairs, at)
            }
            UnaryOp::Closure1 => match self.try_list(&v, at)? {
                Some(listed) => self.transitive(&listed, at),
                None => lazy(v),
            },
            UnaryOp::Closure => {
                // Reflexive on the whole type (B-Book, 3.2.3), not only on the points of the relation.
                let points = match ty.as_relation() {
                    Some((t, _)) => self.type_values(t),
                    None => return Err(self.confused(at)),
                };
                let identity = self.relational_unary(UnaryOp::Id, points, ty, at)?;
                let closed = self.relational_unary(UnaryOp::Closure1, v, ty, at)?;
                self.binary(BinaryOp::Union, identity, closed, at)
            }
            _ => Err(self.confused(at)),
        }
    }

    fn side(&self, pairs: &BTreeSet<Value>, op: UnaryOp, at: Span) -> Eval<Value> {
        let mut found = BTreeSet::new();
        for p in pairs {
            let (a, b) = self.pair(p, at)?;
            found.insert(if op == UnaryOp::Dom { a.clone() } else { b.clone() });
        }
        self.make_set(found, at)
    }

    fn transitive(&self, pairs: &BTreeSet<Value>, at: Span) -> Eval<Value> {
        let mut next: BTreeMap<&Value, Vec<&Value>> = BTreeMap::new();
        for p in pairs {
            let (a, b) = self.pair(p, at)?;
            next.entry(a).or_default().push(b);
        }
        let mut closed = BTreeSet::new();
        for start in next.keys() {
            let mut seen: BTreeSet<&Value> = BTreeSet::new();
            let mut open = vec![*start];
            while let Some(v) = open.pop() {
                for w in next.get(v).into_iter().flatten() {
                    if seen.insert(w) {
                        open.push(w);
                    }
                }
            }
            closed.extend(seen.into_iter().map(|w| Value::pair((*start).clone(), w.clone())));
            if closed.len() > self.limits.listing {
                return Err(EvalError::too_large(at, "the transitive closure is too large to list"));
            }
        }
        Ok(Value::Set(Arc::new(closed)))
    }

    /// `iterate(r, n)`
    pub(crate) fn iterate(&self, r: &Value, n: &Int, ty: &Type, at: Span) -> Eval<Value> {
        if n.is_negative() {
            return Err(EvalError::ill_defined(at, format!("iterate with the negative number {n}")));
        }
        if n.is_zero() {
            let points = match ty.as_relation() {
                Some((t, _)) => self.type_values(t),
                None => return Err(self.confused(at)),
            };
            return self.relational_unary(UnaryOp::Id, points, ty, at);
        }
        // r^n by squaring; n may be large while r is small.
        let mut result: Option<Value> = None;
        let mut square = self.normal(r.clone(), at)?;
        let mut rest = n.clone();
        let two = Int::from(2);
        loop {
            if rest.modulo(&two).is_some_and(|bit| !bit.is_zero()) {
                result = Some(match result {
                    None => square.clone(),
                    Some(done) => self.binary(BinaryOp::Composition, done, square.clone(), at)?,
                });
            }
            rest = rest.div_trunc(&two).unwrap_or(Int::ZERO);
            if rest.is_zero() {
                return result.ok_or_else(|| self.confused(at));
            }
            square = self.binary(BinaryOp::Composition, square.clone(), square, at)?;
        }
    }

    pub(crate) fn relational_binary(&self, op: BinaryOp, a: Value, b: Value, at: Span) -> Eval<Value> {
        use BinaryOp::*;
        if op == Image {
            return self.image(&a, &b, at);
        }
        let lazy = |a: Value, b: Value| {
            Ok(Value::from(LazySet::Binary(op, self.normal(a, at)?, self.normal(b, at)?)))
        };
        match op {
            DomainRestriction | DomainSubtraction => {
                let Some(r) = self.try_list(&b, at)? else {
                    if op == DomainRestriction
                        && let Some(s) = self.try_list(&a, at)?
                    {
                        let mut pairs = Vec::new();
                        for x in s.iter() {
                            match self.images(&b, x, at)? {
                                Some(ys) => pairs.extend(ys.into_iter().map(|y| Value::pair(x.clone(), y))),
                                None => return lazy(a.clone(), b),
                            }
                        }
                        return self.make_set(pairs, at);
                    }
                    return lazy(a, b);
                };
                self.filter(&r, at, |p| {
                    Ok(self.member(self.pair(p, at)?.0, &a, at)? == (op == DomainRestriction))
                })
            }
            RangeRestriction | RangeSubtraction => {
                let Some(r) = self.try_list(&a, at)? else { return lazy(a, b) };
                self.filter(&r, at, |p| {
                    Ok(self.member(self.pair(p, at)?.1, &b, at)? == (op == RangeRestriction))
                })
            }
            Override => {
                let (Some(r), Some(s)) = (self.try_list(&a, at)?, self.try_list(&b, at)?) else {
                    return lazy(a, b);
                };
                let new = Value::Set(s.clone());
                let mut pairs = (*s).clone();
                for p in r.iter() {
                    let (x, _) = self.pair(p, at)?;
                    if self.images(&new, x, at)?.is_some_and(|i| i.is_empty()) {
                        pairs.insert(p.clone());
                    }
                }
                self.make_set(pairs, at)
            }
            Composition | DirectProduct => {
                let Some(r) = self.try_list(&a, at)? else { return lazy(a, b) };
                let b = self.normal(b, at)?;
                let mut pairs = Vec::new();
                for p in r.iter() {
                    let (x, y) = self.pair(p, at)?;
                    let Some(images) = self.images(&b, if op == Composition { y } else { x }, at)? else {
                        return lazy(Value::Set(r.clone()), b);
                    };
                    pairs.extend(images.into_iter().map(|z| {
                        Value::pair(x.clone(), if op == Composition { z } else { Value::pair(y.clone(), z) })
                    }));
                }
                self.make_set(pairs, at)
            }
            ParallelProduct => {
                let (Some(r), Some(s)) = (self.try_list(&a, at)?, self.try_list(&b, at)?) else {
                    return lazy(a, b);
                };
                if r.len().saturating_mul(s.len()) > self.limits.listing {
                    return lazy(a, b);
                }
                let both = Value::from(LazySet::Binary(op, Value::Set(r), Value::Set(s)));
                Ok(Value::Set(self.list(&both, at)?))
            }
            _ => Err(self.confused(at)),
        }
    }

    fn image(&self, r: &Value, s: &Value, at: Span) -> Eval<Value> {
        if let Value::Set(pairs) = r {
            // Over the smaller one of both.
            let few = s.as_set().is_some_and(|s| s.len() < pairs.len() / 4);
            if !few {
                let mut found = BTreeSet::new();
                for p in pairs.iter() {
                    let (x, y) = self.pair(p, at)?;
                    if self.member(x, s, at)? {
                        found.insert(y.clone());
                    }
                }
                return self.make_set(found, at);
            }
        }
        if let Some(points) = self.try_list(s, at)? {
            let mut found = Vec::new();
            let mut every = true;
            for x in points.iter() {
                match self.images(r, x, at)? {
                    Some(images) => found.extend(images),
                    None => {
                        every = false;
                        break;
                    }
                }
            }
            if every {
                return self.make_set(found, at);
            }
        }
        let restricted = self.relational_binary(BinaryOp::DomainRestriction, s.clone(), r.clone(), at)?;
        self.unary(UnaryOp::Ran, restricted, &Type::Bool, at)
    }

    /// Whether `x` is in `A <-> B`, `A --> B`, ….
    pub(crate) fn is_in_space(&self, op: BinaryOp, x: &Value, a: &Value, b: &Value, at: Span) -> Eval<bool> {
        use BinaryOp::*;
        let total = matches!(
            op,
            TotalRelation
                | TotalSurjectiveRelation
                | TotalFunction
                | TotalInjection
                | TotalSurjection
                | TotalBijection
        );
        let functional =
            !matches!(op, Relation | TotalRelation | SurjectiveRelation | TotalSurjectiveRelation);
        let injective = matches!(op, PartialInjection | TotalInjection | PartialBijection | TotalBijection);
        let surjective = matches!(
            op,
            SurjectiveRelation
                | TotalSurjectiveRelation
                | PartialSurjection
                | TotalSurjection
                | PartialBijection
                | TotalBijection
        );
        let Some(pairs) = self.try_list(x, at)? else {
            return self.lazy_is_in_space(op, x, a, b, at);
        };
        let mut points = BTreeSet::new();
        let mut images = BTreeSet::new();
        for p in pairs.iter() {
            let (l, r) = self.pair(p, at)?;
            if !self.member(l, a, at)? || !self.member(r, b, at)? {
                return Ok(false);
            }
            points.insert(l.clone());
            images.insert(r.clone());
        }
        let count = |set: BTreeSet<Value>| Ok(self.make_set(set, at)?.as_set().map_or(0, BTreeSet::len));
        let (points, images) = (count(points)?, count(images)?);
        if functional && points != pairs.len() || injective && images != pairs.len() {
            return Ok(false);
        }
        let covers = |set: &Value, n: usize| match self.cardinality(set, at)? {
            crate::sets::Cardinality::Infinite => Ok(false),
            crate::sets::Cardinality::Exact(m) => Ok(m == Int::from(n as i64)),
            _ => Ok(self.list(set, at)?.len() == n),
        };
        Ok((!total || covers(a, points)?) && (!surjective || covers(b, images)?))
    }

    /// The same for a relation that cannot be listed, as far as its form tells.
    fn lazy_is_in_space(&self, op: BinaryOp, x: &Value, a: &Value, b: &Value, at: Span) -> Eval<bool> {
        use BinaryOp::*;
        let undecided = || {
            let message = format!("cannot decide whether {} is a relation of that kind", self.short(x));
            EvalError::too_large(at, message)
        };
        let Value::Lazy(lazy) = x else { return Err(undecided()) };
        if op == Relation {
            let product = self.binary(Cartesian, a.clone(), b.clone(), at)?;
            return self.subset(x, &product, at);
        }
        let functional = match &**lazy {
            LazySet::Succ | LazySet::Pred | LazySet::Prj1(..) | LazySet::Prj2(..) => true,
            LazySet::Unary(UnaryOp::Id | UnaryOp::Fnc, _) => true,
            LazySet::Closure(c) => c.kind == ClosureKind::Lambda,
            _ => false,
        };
        if !functional || !matches!(op, PartialFunction | TotalFunction) {
            return Err(undecided());
        }
        let domain = self.unary(UnaryOp::Dom, x.clone(), &Type::Bool, at)?;
        let domain = self.domain_set(&domain, at)?;
        let fits = match op {
            TotalFunction => self.equal(&domain, a, at)?,
            _ => self.subset(&domain, a, at)?,
        };
        if !fits {
            return Ok(false);
        }
        if self.is_universal(b) { Ok(true) } else { Err(undecided()) }
    }

    /// `{x | x : S}` as `S`.
    fn domain_set(&self, domain: &Value, at: Span) -> Eval<Value> {
        use bsym_language::model::{CompareOp, ExprKind, PredKind};
        if let Value::Lazy(lazy) = domain
            && let LazySet::Closure(c) = &**lazy
            && let [local] = *c.locals
            && let PredKind::Compare(CompareOp::Member, x, set) = &c.pred.kind
            && x.kind == ExprKind::Local(local)
        {
            return self.within_closure(c, &[], |env| self.expr(env, set));
        }
        self.normal(domain.clone(), at)
    }

    /// Whether a value is of a type, and its elements of deferred sets are within the scope.
    pub fn has_type(&self, value: &Value, ty: &Type) -> bool {
        match (value, ty) {
            (Value::Bool(_), Type::Bool)
            | (Value::Int(_), Type::Int)
            | (Value::Real(_), Type::Real)
            | (Value::String(_), Type::String)
            | (Value::Lazy(_), Type::Pow(_)) => true,
            (Value::Element(c, i), Type::Carrier(d)) => {
                c == d && self.scope.size(self.model, *c).is_none_or(|n| (*i as usize) < n)
            }
            (Value::Pair(p), Type::Pair(a, b)) => self.has_type(&p.0, a) && self.has_type(&p.1, b),
            (Value::Record(values), Type::Record(fields)) => {
                values.len() == fields.len()
                    && values.iter().zip(fields).all(|((l, v), (m, t))| **l == **m && self.has_type(v, t))
            }
            (Value::Set(s), Type::Pow(t)) => s.iter().all(|v| self.has_type(v, t)),
            _ => false,
        }
    }

    /// All values of a type as a set, lazy where it is infinite.
    pub(crate) fn type_values(&self, ty: &Type) -> Value {
        let lazy = Value::from;
        match ty {
            Type::Bool => Value::set([Value::Bool(false), Value::Bool(true)]),
            Type::Int => lazy(LazySet::Integers),
            Type::Real => lazy(LazySet::Reals),
            Type::String => lazy(LazySet::Strings),
            Type::Carrier(c) => self.carrier(*c),
            Type::Pow(t) => lazy(LazySet::Power(self.type_values(t))),
            Type::Pair(a, b) => {
                lazy(LazySet::Binary(BinaryOp::Cartesian, self.type_values(a), self.type_values(b)))
            }
            Type::Record(fields) => lazy(LazySet::Struct(
                fields.iter().map(|(l, t)| (Arc::from(l.as_str()), self.type_values(t))).collect(),
            )),
        }
    }
}

/// The images of a point in a listed relation: its couples are sorted by their left side.
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
