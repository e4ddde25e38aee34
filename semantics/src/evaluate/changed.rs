//! Sets that cannot be listed, changed at finitely many elements.
//!
//! A machine that takes single elements out of `NATURAL` and puts them back has finitely many states, but a search
//! recognises that only if each state has a single form. The forms are, for a base S that is not listed: `(S - M) \/ P`
//! with M inside of S and P outside, `S <+ A` where A differs from S at each point, and `D <<| S` with D inside of the
//! domain of S.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::model::BinaryOp;
use bsym_language::source::Span;

use crate::error::EvalErrorKind;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::lazy_set::LazySet;

/// `(base - gone) \/ new`
struct Changed<'v> {
    base: &'v Value,
    gone: BTreeSet<Value>,
    new: BTreeSet<Value>,
}

impl Evaluator<'_> {
    /// Returns the union or difference of a set that is not listed and one that is. If the first one does not tell
    /// whether it has an element, the operator is left as it is.
    ///
    /// # Errors
    /// The evaluation was interrupted.
    pub(crate) fn changed(
        &self,
        op: BinaryOp,
        set: &Value,
        by: &BTreeSet<Value>,
        at: Span,
    ) -> Eval<Option<Value>> {
        let mut changed = Changed::of(set);
        for v in by {
            self.proceed(at)?;
            let Some(inside) = told(self.member(v, changed.base, at))? else { return Ok(None) };
            if op == BinaryOp::Union {
                changed.gone.remove(v);
                if !inside {
                    changed.new.insert(v.clone());
                }
            } else {
                changed.new.remove(v);
                if inside {
                    changed.gone.insert(v.clone());
                }
            }
        }
        Ok(Some(changed.value()))
    }

    /// Returns `relation <+ by` for a relation that is not listed and one that is.
    ///
    /// # Errors
    /// The evaluation was interrupted.
    pub(crate) fn overridden(&self, relation: &Value, by: &BTreeSet<Value>, at: Span) -> Eval<Value> {
        let (base, before) = overriding(relation).unwrap_or((relation, None));
        let points = by.iter().map(|p| Ok(self.pair(p, at)?.0.clone())).collect::<Eval<BTreeSet<_>>>()?;
        let mut pairs = by.clone();
        for p in before.into_iter().flatten() {
            if !points.contains(self.pair(p, at)?.0) {
                pairs.insert(p.clone());
            }
        }
        for x in points {
            self.proceed(at)?;
            let wanted = self.images(&Value::Set(Arc::new(by.clone())), &x, at)?;
            let Some(Some(old)) = told(self.images(base, &x, at))? else { continue };
            let old: BTreeSet<Value> = old.into_iter().collect();
            if wanted.is_some_and(|new| new.into_iter().collect::<BTreeSet<_>>() == old) {
                for y in old {
                    pairs.remove(&Value::pair(x.clone(), y));
                }
            }
        }
        Ok(if pairs.is_empty() {
            base.clone()
        } else {
            LazySet::Binary(BinaryOp::Override, base.clone(), Value::set(pairs)).into()
        })
    }

    /// Returns `points <<| relation` for a relation that is not listed and points that are.
    ///
    /// # Errors
    /// The evaluation was interrupted.
    pub(crate) fn without_points(&self, points: &BTreeSet<Value>, relation: &Value, at: Span) -> Eval<Value> {
        let (base, mut all) = match relation {
            Value::Lazy(lazy) => match &**lazy {
                LazySet::Binary(BinaryOp::DomainSubtraction, Value::Set(s), r) if !has_lazy(s) => {
                    (r, (**s).clone())
                }
                _ => (relation, BTreeSet::new()),
            },
            _ => (relation, BTreeSet::new()),
        };
        for x in points {
            self.proceed(at)?;
            let images = told(self.images(base, x, at))?.flatten();
            if images.is_none_or(|images| !images.is_empty()) {
                all.insert(x.clone());
            }
        }
        Ok(if all.is_empty() {
            base.clone()
        } else {
            LazySet::Binary(BinaryOp::DomainSubtraction, Value::set(all), base.clone()).into()
        })
    }

    /// Returns whether two changes of one set are equal; `None` if they do not change the same set, or if membership is
    /// not decided.
    ///
    /// # Errors
    /// The evaluation was interrupted.
    pub(crate) fn equal_changes(&self, a: &Value, b: &Value, at: Span) -> Eval<Option<bool>> {
        let (left, right) = (Changed::of(a), Changed::of(b));
        if left.base == right.base {
            for v in [&left.gone, &left.new, &right.gone, &right.new].into_iter().flatten() {
                self.proceed(at)?;
                let (Some(l), Some(r)) = (told(self.member(v, a, at))?, told(self.member(v, b, at))?) else {
                    return Ok(None);
                };
                if l != r {
                    return Ok(Some(false));
                }
            }
            return Ok(Some(true));
        }
        let (left, right) = (overriding(a).unwrap_or((a, None)), overriding(b).unwrap_or((b, None)));
        if left.0 != right.0 {
            return Ok(None);
        }
        for p in left.1.into_iter().chain(right.1).flatten() {
            self.proceed(at)?;
            let x = self.pair(p, at)?.0;
            let (Some(Some(l)), Some(Some(r))) = (told(self.images(a, x, at))?, told(self.images(b, x, at))?)
            else {
                return Ok(None);
            };
            if l.iter().chain(&r).any(Value::has_lazy) {
                return Ok(None);
            }
            if l.into_iter().collect::<BTreeSet<_>>() != r.into_iter().collect() {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }
}

impl<'v> Changed<'v> {
    fn of(set: &'v Value) -> Changed<'v> {
        let (base, new) = operand(set, BinaryOp::Union);
        let (base, gone) = operand(base, BinaryOp::Difference);
        Changed { base, gone, new }
    }

    fn value(self) -> Value {
        let mut value = self.base.clone();
        if !self.gone.is_empty() {
            value = LazySet::Binary(BinaryOp::Difference, value, Value::set(self.gone)).into();
        }
        if !self.new.is_empty() {
            value = LazySet::Binary(BinaryOp::Union, value, Value::set(self.new)).into();
        }
        value
    }
}

/// Returns the set to which an operator was applied with a listed set, and that listed set; the whole set and the empty
/// set if it has another form.
fn operand(set: &Value, op: BinaryOp) -> (&Value, BTreeSet<Value>) {
    if let Value::Lazy(lazy) = set
        && let LazySet::Binary(applied, base @ Value::Lazy(_), Value::Set(by)) = &**lazy
        && *applied == op
        && !has_lazy(by)
    {
        return (base, (**by).clone());
    }
    (set, BTreeSet::new())
}

/// Returns the relation that is overridden by a listed one, and that listed one.
fn overriding(relation: &Value) -> Option<(&Value, Option<&BTreeSet<Value>>)> {
    let Value::Lazy(lazy) = relation else { return None };
    match &**lazy {
        LazySet::Binary(BinaryOp::Override, base @ Value::Lazy(_), Value::Set(by)) if !has_lazy(by) => {
            Some((base, Some(by)))
        }
        _ => None,
    }
}

/// Returns whether equality of elements requires more than comparing their forms.
fn has_lazy(set: &BTreeSet<Value>) -> bool {
    set.iter().any(Value::has_lazy)
}

/// Returns the answer, or `None` if there is none.
fn told<T>(answer: Eval<T>) -> Eval<Option<T>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.kind == EvalErrorKind::Interrupted => Err(e),
        Err(_) => Ok(None),
    }
}
