//! Relations and functions: the relational operators, spaces of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::error::EvalError;
use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::lazy_set::{Closure, ClosureKind, LazySet};

impl Evaluator<'_> {
    pub(crate) fn relational_unary(&self, op: UnaryOp, v: Value, ty: &Type, at: Span) -> Eval<Value> {
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
                        (LazySet::Constructor(id, i, sets), UnaryOp::Dom) => {
                            return self.argument_set(*id, *i, sets, at)?.ok_or_else(|| self.confused(at));
                        }
                        (LazySet::Partial(partial), UnaryOp::Dom) => {
                            let open = || EvalError::undecided(at, partial.first_open());
                            return partial.domain().ok_or_else(open);
                        }
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

    pub(crate) fn transitive(&self, pairs: &BTreeSet<Value>, at: Span) -> Eval<Value> {
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
                // A dense relation has a thousand times more edges to follow than couples in its closure.
                self.proceed(at)?;
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
        // Computes r^n by squaring; n may be large while r is small.
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
                    if op == DomainSubtraction
                        && let Some(points) = self.try_list(&a, at)?
                        && !points.iter().any(Value::has_lazy)
                    {
                        return self.without_points(&points, &b, at);
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
                let (r, s) = match (self.try_list(&a, at)?, self.try_list(&b, at)?) {
                    (Some(r), Some(s)) => (r, s),
                    (None, Some(by)) if !by.iter().any(Value::has_lazy) => {
                        return self.overridden(&a, &by, at);
                    }
                    _ => return lazy(a, b),
                };
                let new = Value::Set(s.clone());
                let mut pairs = (*s).clone();
                for p in r.iter() {
                    self.proceed(at)?;
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
                let mut most = 8 * self.limits.listing;
                for p in r.iter() {
                    self.proceed(at)?;
                    // Many paths may lead to few couples.
                    if pairs.len() > most {
                        pairs.sort_unstable();
                        pairs.dedup();
                        most = most.max(2 * pairs.len());
                        if pairs.len() > 4 * self.limits.listing {
                            return Err(EvalError::too_large(at, "the relation is too large to list"));
                        }
                    }
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
                let all = self.cardinality(&a, at)?.times(&self.cardinality(&b, at)?);
                if all.within(Tuning::DEFAULT.evaluate.parallel_product).is_none()
                    && all.is_finite() == Some(true)
                {
                    return lazy(a, b);
                }
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
            // Iterates over the smaller of both.
            let few =
                s.as_set().is_some_and(|s| s.len() < pairs.len() / Tuning::DEFAULT.evaluate.image_share);
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

    /// Returns whether `x` is in `A <-> B`, `A --> B`, ….
    pub(crate) fn is_in_space(&self, op: BinaryOp, x: &Value, a: &Value, b: &Value, at: Span) -> Eval<bool> {
        let Some(kind) = op.relation_space() else { unreachable!("{op:?} makes no set of relations") };
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
        if kind.functional && points != pairs.len() || kind.injective && images != pairs.len() {
            return Ok(false);
        }
        let covers = |set: &Value, n: usize| match self.cardinality(set, at)? {
            Cardinality::Infinite => Ok(false),
            Cardinality::Exact(m) => Ok(m == Int::from(n as i64)),
            _ => Ok(self.list(set, at)?.len() == n),
        };
        Ok((!kind.total || covers(a, points)?) && (!kind.surjective || covers(b, images)?))
    }

    /// Returns whether a relation that cannot be listed is in a space of relations, as far as its form shows.
    fn lazy_is_in_space(&self, op: BinaryOp, x: &Value, a: &Value, b: &Value, at: Span) -> Eval<bool> {
        use BinaryOp::*;
        let undecided = || {
            let message = format!("cannot decide whether {} is a relation of that kind", self.short(x));
            EvalError::too_large(at, message)
        };
        let Value::Lazy(lazy) = x else { return Err(undecided()) };
        if let LazySet::Recursive(name, d) = &**lazy {
            return self.unfolded(*name, d, at, |r| self.is_in_space(op, r, a, b, at));
        }
        if op == Relation {
            let product = self.binary(Cartesian, a.clone(), b.clone(), at)?;
            return self.subset(x, &product, at);
        }
        let functional = match &**lazy {
            LazySet::Succ | LazySet::Pred | LazySet::Prj1(..) | LazySet::Prj2(..) => true,
            LazySet::Unary(UnaryOp::Id | UnaryOp::Fnc, _) | LazySet::Constructor(..) => true,
            LazySet::Closure(c) => c.kind == ClosureKind::Lambda,
            _ => false,
        };
        let constructor = matches!(&**lazy, LazySet::Constructor(..));
        let partial = op == PartialFunction || (op == PartialInjection && constructor);
        let total = op == TotalFunction || (op == TotalInjection && constructor);
        if !functional || !(partial || total) {
            return Err(undecided());
        }
        let domain = self.unary(UnaryOp::Dom, x.clone(), &Type::Bool, at)?;
        let domain = self.domain_set(&domain, at)?;
        let fits = if total { self.equal(&domain, a, at)? } else { self.subset(&domain, a, at)? };
        if !fits {
            return Ok(false);
        }
        if self.is_universal(b) { Ok(true) } else { Err(undecided()) }
    }

    /// Simplifies `{x | x : S}` to `S`.
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
}
