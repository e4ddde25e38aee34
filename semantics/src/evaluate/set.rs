//! Sets, listed or lazy: membership, inclusion, equality.
//!
//! Equality is extensional. Sets are listed before they are compared if possible. A set known to be infinite differs
//! from one known to be finite. Any other comparison is an error of kind [`EvalErrorKind::TooLarge`].

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::model::{BinaryOp, Expr, ExprKind, UnaryOp};
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::Name;
use crate::value::lazy_set::{Closure, ClosureKind, LazySet};

impl Evaluator<'_> {
    /// Lists a set that can be listed within the limits; other values are left as they are.
    pub(crate) fn normal(&self, value: Value, at: Span) -> Eval<Value> {
        if !matches!(value, Value::Lazy(_)) {
            return Ok(value);
        }
        Ok(match self.try_list(&value, at)? {
            Some(listed) => Value::Set(listed),
            None => value,
        })
    }

    /// Creates a listed set of normal elements; elements that are lazy sets are compared by extension.
    pub(crate) fn make_set(&self, elements: impl IntoIterator<Item = Value>, at: Span) -> Eval<Value> {
        let set: BTreeSet<Value> = elements.into_iter().collect();
        let set = Value::Set(Arc::new(set));
        if !set.has_lazy() {
            return Ok(set);
        }
        let mut distinct: Vec<Value> = Vec::new();
        if let Value::Set(s) = &set {
            'next: for v in s.iter() {
                for d in &distinct {
                    if self.equal(v, d, at)? {
                        continue 'next;
                    }
                }
                distinct.push(v.clone());
            }
        }
        Ok(Value::set(distinct))
    }

    /// Returns the elements, if they can be listed within the limits.
    pub(crate) fn try_list(&self, set: &Value, at: Span) -> Eval<Option<Arc<BTreeSet<Value>>>> {
        if let Value::Set(s) = set {
            return Ok(Some(s.clone()));
        }
        let limit = self.limits.listing;
        match self.cardinality(set, at)? {
            Cardinality::Unknown => {}
            known if known.within(limit).is_some() => {}
            // An upper bound tells little if the set is a part of a large one.
            Cardinality::AtMost(_) | Cardinality::Huge if is_selection(set) => {}
            _ => return Ok(None),
        }
        let mut elements = Vec::new();
        let done = self.each(set, at, &mut |v| {
            elements.push(v);
            Ok(if elements.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        match done {
            Ok(ControlFlow::Continue(())) => match self.make_set(elements, at)? {
                Value::Set(s) => Ok(Some(s)),
                _ => Ok(None),
            },
            Ok(ControlFlow::Break(())) => Ok(None),
            Err(e) if e.kind == EvalErrorKind::TooLarge => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Returns the elements.
    ///
    /// # Errors
    /// The set is infinite or larger than the limit.
    pub fn list(&self, set: &Value, at: Span) -> Eval<Arc<BTreeSet<Value>>> {
        self.try_list(set, at)?.ok_or_else(|| self.not_listed(set, at))
    }

    pub(crate) fn not_listed(&self, set: &Value, at: Span) -> EvalError {
        EvalError::too_large(at, format!("the elements of {} cannot be listed", self.short(set)))
    }

    /// Returns whether a set has no elements.
    pub fn is_empty(&self, set: &Value, at: Span) -> Eval<bool> {
        match self.cardinality(set, at)? {
            Cardinality::Exact(n) => return Ok(n.is_zero()),
            Cardinality::Infinite => return Ok(false),
            _ => {}
        }
        if let Value::Lazy(lazy) = set {
            match &**lazy {
                LazySet::Carrier(_) | LazySet::Power(_) | LazySet::Unary(UnaryOp::Fin, _) => {
                    return Ok(false);
                }
                LazySet::Binary(BinaryOp::Relation | BinaryOp::PartialFunction, ..) => return Ok(false),
                LazySet::Binary(BinaryOp::PartialInjection, ..) => return Ok(false),
                LazySet::Binary(op, a, b) if is_relation_space(*op) => {
                    if let Some(known) = self.is_empty_space(*op, a, b, at)? {
                        return Ok(known);
                    }
                }
                LazySet::Binary(BinaryOp::Union | BinaryOp::Override, a, b) => {
                    return Ok(self.is_empty(a, at)? && self.is_empty(b, at)?);
                }
                LazySet::Unary(UnaryOp::Dom | UnaryOp::Ran | UnaryOp::Inverse, r) => {
                    return self.is_empty(r, at);
                }
                LazySet::Recursive(name, d) => {
                    return self.unfolded(*name, d, at, |r| self.is_empty(r, at));
                }
                LazySet::Closure(c) => {
                    return self.within_closure(c, &[], |env| {
                        Ok(!self.exists(env, &c.locals, (true, &c.pred), at)?)
                    });
                }
                _ => {}
            }
        }
        let first = self.each(set, at, &mut |_| Ok(ControlFlow::Break(())))?;
        Ok(first == ControlFlow::Continue(()))
    }

    /// Returns whether no relation of the kind exists between the two sets, as far as their sizes tell.
    fn is_empty_space(&self, op: BinaryOp, a: &Value, b: &Value, at: Span) -> Eval<Option<bool>> {
        let Some(kind) = op.relation_space() else { return Ok(None) };
        let (no_point, no_value) = (self.is_empty(a, at)?, self.is_empty(b, at)?);
        if no_point || no_value {
            return Ok(Some(kind.total && !no_point || kind.surjective && !no_value));
        }
        // Any relation is a subset of the one with all couples.
        let narrow = kind.functional && kind.surjective || kind.injective && kind.total;
        if !narrow || a == b {
            return Ok(Some(false));
        }
        let (points, values) = (self.cardinality(a, at)?, self.cardinality(b, at)?);
        let exceeds = |many: &Cardinality, few: &Cardinality| {
            few.is_finite() == Some(true) && *many == Cardinality::Infinite
        };
        let (onto, into) = (kind.functional && kind.surjective, kind.injective && kind.total);
        Ok(if onto && exceeds(&values, &points) || into && exceeds(&points, &values) {
            Some(true)
        } else if (!onto || exceeds(&points, &values)) && (!into || exceeds(&values, &points)) {
            Some(false)
        } else {
            None
        })
    }

    /// Returns whether `x` is an element of the set.
    pub fn member(&self, x: &Value, set: &Value, at: Span) -> Eval<bool> {
        let lazy = match set {
            Value::Set(s) => {
                if s.contains(x) {
                    return Ok(true);
                }
                if x.has_lazy() || (s.first().is_some_and(|v| v.has_lazy()) || set.has_lazy()) {
                    for v in s.iter() {
                        if self.equal(x, v, at)? {
                            return Ok(true);
                        }
                    }
                }
                return Ok(false);
            }
            Value::Lazy(lazy) => lazy,
            _ => return Err(self.confused(at)),
        };
        Ok(match &**lazy {
            LazySet::Integers | LazySet::Strings | LazySet::Reals | LazySet::Carrier(_) => true,
            LazySet::Partial(partial) => partial.contains(x).map_err(|c| EvalError::undecided(at, c))?,
            LazySet::From(low) => self.int(x, at)? >= low,
            LazySet::Interval(low, high) => {
                let n = self.int(x, at)?;
                low <= n && n <= high
            }
            LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow, s) => self.subset(x, s, at)?,
            LazySet::Unary(UnaryOp::Pow1, s) => !self.is_empty(x, at)? && self.subset(x, s, at)?,
            // A set that is infinite by its form need not be compared element by element.
            LazySet::Unary(UnaryOp::Fin | UnaryOp::Fin1, _)
                if self.cardinality(x, at)? == Cardinality::Infinite =>
            {
                false
            }
            LazySet::Unary(UnaryOp::Fin, s) => self.subset(x, s, at)? && self.finite(x, at)?,
            LazySet::Unary(UnaryOp::Fin1, s) => {
                !self.is_empty(x, at)? && self.subset(x, s, at)? && self.finite(x, at)?
            }
            LazySet::Unary(
                op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm),
                s,
            ) => self.is_sequence_over(*op, x, s, at)?,
            LazySet::Unary(UnaryOp::Inverse, r) => {
                let (a, b) = self.pair(x, at)?;
                self.member(&Value::pair(b.clone(), a.clone()), r, at)?
            }
            LazySet::Unary(UnaryOp::Dom, r) => match self.images(r, x, at)? {
                Some(images) => !images.is_empty(),
                None => self.list(set, at)?.contains(x),
            },
            LazySet::Unary(UnaryOp::GeneralUnion, family) => {
                for s in self.list(family, at)?.iter() {
                    if self.member(x, s, at)? {
                        return Ok(true);
                    }
                }
                false
            }
            LazySet::Struct(fields) => match x {
                Value::Record(values) if values.len() == fields.len() => {
                    for ((_, v), (_, s)) in values.iter().zip(fields) {
                        if !self.member(v, s, at)? {
                            return Ok(false);
                        }
                    }
                    true
                }
                _ => return Err(self.confused(at)),
            },
            LazySet::Binary(op, a, b) => match op {
                BinaryOp::Union => self.member(x, a, at)? || self.member(x, b, at)?,
                BinaryOp::Intersection => self.member(x, a, at)? && self.member(x, b, at)?,
                BinaryOp::Difference => self.member(x, a, at)? && !self.member(x, b, at)?,
                BinaryOp::Cartesian => {
                    let (l, r) = self.pair(x, at)?;
                    self.member(l, a, at)? && self.member(r, b, at)?
                }
                op if is_relation_space(*op) => self.is_in_space(*op, x, a, b, at)?,
                _ => self.is_related(x, set, at)?,
            },
            LazySet::Recursive(name, d) => self.unfolded(*name, d, at, |r| self.member(x, r, at))?,
            LazySet::Free(id, sets) => self.is_in_free_type(*id, x, sets, at)?,
            LazySet::Trees(binary, labels) => self.is_tree(*binary, x, labels, at)?,
            LazySet::Unary(UnaryOp::Ran, r) => {
                let inverse = LazySet::Unary(UnaryOp::Inverse, r.clone()).into();
                match self.images(&inverse, x, at)? {
                    Some(points) => !points.is_empty(),
                    None => self.list(set, at)?.contains(x),
                }
            }
            LazySet::Closure(c) if c.kind == ClosureKind::Comprehension => {
                let bound = self.closure_binding(c, x, c.locals.len(), at)?;
                self.within_closure(c, &bound, |env| self.pred(env, &c.pred))?
            }
            LazySet::Closure(c) if c.kind == ClosureKind::Image => {
                if let Some(found) = self.has_image(c, x, at)? {
                    return Ok(found);
                }
                let mut found = false;
                let _every = self.each(set, at, &mut |v| {
                    found |= self.equal(&v, x, at)?;
                    Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
                })?;
                found
            }
            _ if matches!(x, Value::Pair(_)) => self.is_related(x, set, at)?,
            _ => self.member(x, &Value::Set(self.list(set, at)?), at)?,
        })
    }

    /// Returns whether `x` is an element of `{y, … . P | E}`, where E is a tuple of the bound names.
    fn has_image(&self, c: &Closure, x: &Value, at: Span) -> Eval<Option<bool>> {
        let mut bound = Vec::new();
        let named = c.body.as_ref().is_some_and(|body| components(body, x, &mut bound));
        if !named {
            return Ok(None);
        }
        let open: Vec<_> =
            c.locals.iter().copied().filter(|l| bound.iter().all(|(n, _)| *n != Name::Local(*l))).collect();
        self.within_closure(c, &bound, |env| self.exists(env, &open, (true, &c.pred), at)).map(Some)
    }

    fn is_related(&self, x: &Value, relation: &Value, at: Span) -> Eval<bool> {
        let (l, r) = self.pair(x, at)?;
        match self.images(relation, l, at)? {
            Some(images) => {
                for v in &images {
                    if self.equal(v, r, at)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            None => self.member(x, &Value::Set(self.list(relation, at)?), at),
        }
    }

    /// Returns whether every element of `a` is one of `b`.
    pub fn subset(&self, a: &Value, b: &Value, at: Span) -> Eval<bool> {
        if let (Value::Set(s), Value::Set(t)) = (a, b) {
            if s.is_subset(t) {
                return Ok(true);
            }
            if !a.has_lazy() && !b.has_lazy() {
                return Ok(false);
            }
        }
        if a == b || self.is_universal(b) {
            return Ok(true);
        }
        if matches!(b, Value::Set(s) if s.is_empty()) {
            return self.is_empty(a, at);
        }
        if let (Value::Lazy(s), Value::Lazy(t)) = (a, b) {
            match (&**s, &**t) {
                (LazySet::Interval(l, h), LazySet::Interval(l2, h2)) => {
                    return Ok(l > h || (l2 <= l && h <= h2));
                }
                (LazySet::Interval(l, h), LazySet::From(l2)) => return Ok(l > h || l2 <= l),
                (LazySet::From(l), LazySet::From(l2)) => return Ok(l2 <= l),
                (LazySet::From(_) | LazySet::Integers, LazySet::Interval(..)) => return Ok(false),
                (LazySet::Integers, LazySet::From(_)) => return Ok(false),
                (LazySet::Power(s), LazySet::Power(t)) => return self.subset(s, t, at),
                (
                    LazySet::Binary(BinaryOp::Cartesian, s, t),
                    LazySet::Binary(BinaryOp::Cartesian, s2, t2),
                ) => {
                    return Ok(self.is_empty(s, at)?
                        || self.is_empty(t, at)?
                        || (self.subset(s, s2, at)? && self.subset(t, t2, at)?));
                }
                (LazySet::Binary(op, s, t), LazySet::Binary(op2, s2, t2))
                    if is_relation_space(*op)
                        && s == s2
                        && matches!(
                            (op, op2),
                            (BinaryOp::TotalFunction, BinaryOp::PartialFunction)
                                | (BinaryOp::TotalFunction | BinaryOp::PartialFunction, BinaryOp::Relation)
                        )
                        && self.subset(t, t2, at)? =>
                {
                    return Ok(true);
                }
                (LazySet::Binary(BinaryOp::Union, s, t), _) => {
                    return Ok(self.subset(s, b, at)? && self.subset(t, b, at)?);
                }
                (LazySet::Binary(BinaryOp::Intersection, s, t), _) if s == b || t == b => return Ok(true),
                (LazySet::Binary(BinaryOp::Difference, s, _), _) if s == b => return Ok(true),
                _ => {}
            }
        }
        let (many, few) = (self.cardinality(a, at)?, self.cardinality(b, at)?);
        if many == Cardinality::Infinite && few.is_finite() == Some(true) {
            return Ok(false);
        }
        if let (Some(m), Cardinality::Exact(n) | Cardinality::AtMost(n)) = (many.exact(), &few)
            && m > n
        {
            return Ok(false);
        }
        let mut inside = true;
        let mut seen = 0usize;
        let done = self.each(a, at, &mut |v| {
            seen += 1;
            inside = self.member(&v, b, at)?;
            Ok(if inside && seen <= self.limits.listing {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        if done == ControlFlow::Break(()) && inside {
            return Err(self.not_listed(a, at));
        }
        Ok(inside)
    }

    /// Returns whether the form of a set shows that it contains all values of its type.
    pub(crate) fn is_universal(&self, set: &Value) -> bool {
        match set {
            Value::Lazy(lazy) => match &**lazy {
                LazySet::Integers | LazySet::Strings | LazySet::Reals | LazySet::Carrier(_) => true,
                LazySet::Power(s) => self.is_universal(s),
                LazySet::Binary(BinaryOp::Cartesian | BinaryOp::Relation, a, b) => {
                    self.is_universal(a) && self.is_universal(b)
                }
                LazySet::Struct(fields) => fields.iter().all(|(_, s)| self.is_universal(s)),
                LazySet::Free(_, sets) => sets.iter().all(|s| self.is_universal(s)),
                _ => false,
            },
            Value::Set(s) => match s.first() {
                Some(Value::Bool(_)) => s.len() == 2,
                Some(Value::Element(c, _)) => self.scope.size(self.model, *c) == Some(s.len()),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether two values are equal.
    pub fn equal(&self, a: &Value, b: &Value, at: Span) -> Eval<bool> {
        // Values of equal form are equal; values without lazy sets differ if their forms differ.
        if a == b {
            return Ok(true);
        }
        if !a.has_lazy() && !b.has_lazy() {
            return Ok(false);
        }
        match (a, b) {
            (Value::Pair(p), Value::Pair(q)) => {
                Ok(self.equal(&p.0, &q.0, at)? && self.equal(&p.1, &q.1, at)?)
            }
            (Value::Record(p), Value::Record(q)) => {
                for ((_, v), (_, w)) in p.iter().zip(q.iter()) {
                    if !self.equal(v, w, at)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Free(s, i, p), Value::Free(t, j, q)) => match (p, q) {
                (Some(p), Some(q)) if (s, i) == (t, j) => self.equal(p, q, at),
                _ => Ok(false),
            },
            (Value::Set(_), Value::Set(_)) => Ok(self.subset(a, b, at)? && self.subset(b, a, at)?),
            _ => self.equal_lazy(a, b, at),
        }
    }

    fn equal_lazy(&self, a: &Value, b: &Value, at: Span) -> Eval<bool> {
        let (m, n) = (self.cardinality(a, at)?, self.cardinality(b, at)?);
        if let (Some(f), Some(g)) = (m.is_finite(), n.is_finite())
            && f != g
        {
            return Ok(false);
        }
        if let (Cardinality::Exact(m), Cardinality::Exact(n)) = (&m, &n)
            && m != n
        {
            return Ok(false);
        }
        if let (Value::Lazy(s), Value::Lazy(t)) = (a, b) {
            match (&**s, &**t) {
                (
                    LazySet::Integers | LazySet::From(_) | LazySet::Interval(..),
                    LazySet::Integers | LazySet::From(_) | LazySet::Interval(..),
                ) => return Ok(self.subset(a, b, at)? && self.subset(b, a, at)?),
                (LazySet::Power(s), LazySet::Power(t)) => return self.equal(s, t, at),
                (
                    LazySet::Binary(BinaryOp::Cartesian, s, t),
                    LazySet::Binary(BinaryOp::Cartesian, s2, t2),
                ) => {
                    if self.is_empty(a, at)? || self.is_empty(b, at)? {
                        return Ok(self.is_empty(a, at)? && self.is_empty(b, at)?);
                    }
                    return Ok(self.equal(s, s2, at)? && self.equal(t, t2, at)?);
                }
                _ => {}
            }
        }
        if let Some(equal) = self.equal_changes(a, b, at)? {
            return Ok(equal);
        }
        match (self.try_list(a, at)?, self.try_list(b, at)?) {
            (Some(s), Some(t)) => {
                if s == t {
                    return Ok(true);
                }
                let (s, t) = (Value::Set(s), Value::Set(t));
                if !s.has_lazy() && !t.has_lazy() {
                    return Ok(false);
                }
                Ok(self.subset(&s, &t, at)? && self.subset(&t, &s, at)?)
            }
            (Some(s), None) if s.is_empty() => self.is_empty(b, at),
            (None, Some(t)) if t.is_empty() => self.is_empty(a, at),
            // A listed set with an element outside the other one differs from it.
            (Some(s), None) if !self.subset(&Value::Set(s.clone()), b, at)? => Ok(false),
            (None, Some(t)) if !self.subset(&Value::Set(t.clone()), a, at)? => Ok(false),
            _ if self.differ(a, b, at) || self.differ(b, a, at) => Ok(false),
            _ => Err(EvalError::too_large(
                at,
                format!("cannot decide whether {} and {} are equal", self.short(a), self.short(b)),
            )),
        }
    }
}

/// Binds distinct local names, of which an expression is a tuple, to the components of its value.
fn components(e: &Expr, value: &Value, bound: &mut Vec<(Name, Value)>) -> bool {
    match (&e.kind, value) {
        (ExprKind::Local(l), _) => {
            let name = Name::Local(*l);
            let fresh = bound.iter().all(|(n, _)| *n != name);
            bound.push((name, value.clone()));
            fresh
        }
        (ExprKind::Binary(BinaryOp::Maplet, a, b), Value::Pair(p)) => {
            components(a, &p.0, bound) && components(b, &p.1, bound)
        }
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Returns whether an element that one set is known to have is missing in the other.
    fn differ(&self, a: &Value, b: &Value, at: Span) -> bool {
        match a {
            Value::Set(s) => s.iter().any(|x| matches!(self.member(x, b, at), Ok(false))),
            Value::Lazy(lazy) => match &**lazy {
                LazySet::Binary(BinaryOp::Union, s, t) => self.differ(s, b, at) || self.differ(t, b, at),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns whether the operator makes a set of relations: `A <-> B`, `A --> B` and so on.
pub(crate) fn is_relation_space(op: BinaryOp) -> bool {
    op.relation_space().is_some()
}

/// Returns whether the elements are a selection from a set that may be far larger.
fn is_selection(set: &Value) -> bool {
    match set {
        Value::Lazy(lazy) => match &**lazy {
            LazySet::Binary(op, ..) => {
                matches!(
                    op,
                    BinaryOp::Intersection
                        | BinaryOp::Difference
                        | BinaryOp::DomainRestriction
                        | BinaryOp::RangeRestriction
                )
            }
            _ => false,
        },
        _ => false,
    }
}
