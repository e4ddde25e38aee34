//! Shapes of unknowns in a set before any part is decided: their cells and domains.

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::operators::RelationSpace;
use bsym_language::source::Span;

use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::lazy_set::LazySet;
use crate::value::partial::{Domain, Shape};

/// A set of integers between bounds.
pub(crate) fn integers(set: &Value) -> Option<Domain> {
    let Value::Lazy(lazy) = set else { return None };
    let bound = |n: &Int| n.to_i64().map(i128::from);
    match &**lazy {
        LazySet::Integers => Some(Domain::Span(None, None)),
        LazySet::From(low) => Some(Domain::Span(Some(bound(low)?), None)),
        LazySet::Interval(low, high) => Some(Domain::Span(Some(bound(low)?), Some(bound(high)?))),
        _ => None,
    }
}

impl Evaluator<'_> {
    /// Returns the number of ways to decide the first point of an element of the set; `None` if its elements cannot be
    /// built up.
    pub(crate) fn first_options(&self, set: &Value, at: Span) -> Option<usize> {
        let Value::Lazy(lazy) = set else { return None };
        let size = |s: &Value| {
            self.cardinality(s, at).ok().and_then(|c| c.within(Tuning::DEFAULT.finite_domain.points))
        };
        match &**lazy {
            LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, s) => {
                size(s).map(|_| 2)
            }
            LazySet::Unary(UnaryOp::Perm, s) => size(s),
            LazySet::Binary(op, a, b) => {
                let kind = op.relation_space()?;
                let (n, m) = (size(a)?, size(b)?);
                match kind.functional {
                    true => Some(m + usize::from(!kind.total)),
                    false => (n.saturating_mul(m) <= Tuning::DEFAULT.finite_domain.points).then_some(2),
                }
            }
            _ => None,
        }
    }

    /// Returns the shape of an undecided element of the set, with the domain of each of its points.
    pub(crate) fn shape(&self, set: &Value, at: Span) -> Eval<Option<(Shape, Vec<Domain>)>> {
        let Value::Lazy(lazy) = set else { return Ok(None) };
        let list = |s: &Value, limit: usize| -> Eval<Option<Vec<Value>>> {
            if self.cardinality(s, at)?.is_finite() == Some(false) {
                return Ok(None);
            }
            let Some(listed) = self.try_list(s, at)? else { return Ok(None) };
            let listed: Vec<_> = listed.iter().cloned().collect();
            Ok((listed.len() <= limit && !listed.iter().any(Value::has_lazy)).then_some(listed))
        };
        let part = |elements: Vec<Value>| {
            let cells = elements.iter().map(|e| Domain::Listed(vec![None, Some(e.clone())])).collect();
            (Shape::Part(elements), cells)
        };
        let function = |from: Vec<Value>, to: Vec<Value>, kind: RelationSpace| {
            let absent = (!kind.total).then_some(None);
            let values: Vec<_> = absent.into_iter().chain(to.iter().cloned().map(Some)).collect();
            let cells = vec![Domain::Listed(values); from.len()];
            let RelationSpace { total, injective, surjective, .. } = kind;
            (Shape::Function { from, to, total, injective, surjective }, cells)
        };
        Ok(match &**lazy {
            LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, s) => {
                list(s, Tuning::DEFAULT.finite_domain.points)?.map(part)
            }
            LazySet::Unary(UnaryOp::Perm, s) => {
                list(s, Tuning::DEFAULT.finite_domain.points)?.and_then(|to| {
                    let kind = BinaryOp::TotalBijection.relation_space()?;
                    let from = (1..=to.len() as i64).map(Value::int).collect();
                    Some(function(from, to, kind))
                })
            }
            LazySet::Binary(op, a, b) => match op.relation_space() {
                Some(kind) if kind.functional => {
                    let Some(from) = list(a, Tuning::DEFAULT.finite_domain.points)? else { return Ok(None) };
                    match (list(b, Tuning::DEFAULT.search.listed)?, integers(b)) {
                        (Some(to), _) if !(to.is_empty() && kind.total && !from.is_empty()) => {
                            Some(function(from, to, kind))
                        }
                        (None, Some(span)) if kind.total && !kind.injective && !kind.surjective => {
                            let cells = vec![span; from.len()];
                            let (injective, surjective, total) = (false, false, true);
                            Some((Shape::Function { from, to: vec![], total, injective, surjective }, cells))
                        }
                        _ => None,
                    }
                }
                Some(_) => {
                    let product = self.binary(BinaryOp::Cartesian, a.clone(), b.clone(), at)?;
                    list(&product, Tuning::DEFAULT.finite_domain.points)?.map(part)
                }
                None => None,
            },
            _ => None,
        })
    }
}
