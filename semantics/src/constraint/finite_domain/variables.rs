//! Selection of the unknowns that a search cuts into cells, if that is worthwhile.

use std::sync::Arc;

use bsym_language::model::{CompareOp, Expr, PredKind, UnaryOp};
use bsym_language::types::Type;

use crate::constraint::finite_domain::problem::Unknown;
use crate::constraint::finite_domain::shape::integers;
use crate::constraint::search::{Binding, Search, effective};
use crate::evaluator::free_names::names_of_expr;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;
use crate::value::partial::{Domain, Shape};

impl Search<'_, '_> {
    /// Returns the open unknowns that can be cut into cells, their domains, and the literals that are equivalent to
    /// these domains.
    pub(super) fn in_cells(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        without: &[usize],
    ) -> Option<(Vec<Unknown>, Vec<Domain>, Vec<usize>)> {
        let mut sets: Vec<Vec<(usize, Value)>> = vec![Vec::new(); bound.len()];
        let mut joined = vec![false; bound.len()];
        for (i, literal) in self.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            if let PredKind::Compare(op, x, set) = &literal.pred.kind {
                let closed = |e: &Expr| self.closed_value(env, e);
                match effective(*op, literal.positive) {
                    CompareOp::Member => match self.unknown(x, bound) {
                        Some(u) => sets[u].extend(closed(set).map(|s| (i, s))),
                        None if self.is_pattern(env, x, bound) => {
                            let names = names_of_expr(x);
                            (0..bound.len())
                                .filter(|u| names.contains(&self.unknowns[*u]))
                                .for_each(|u| joined[u] = true);
                        }
                        None => {}
                    },
                    op @ (CompareOp::Subset | CompareOp::StrictSubset) => {
                        if let Some(u) = self.unknown(x, bound) {
                            let set = closed(set).and_then(|s| self.eval.normal(s, self.at).ok());
                            // A proper subset is more than a subset: the literal stays.
                            let i = if op == CompareOp::Subset { i } else { usize::MAX };
                            sets[u].extend(set.map(|s| (i, LazySet::Power(s).into())));
                        }
                    }
                    _ => {}
                }
            }
            if !self.is_total(env, i) {
                break;
            }
        }
        let (mut unknowns, mut domains, mut exact) = (Vec::new(), Vec::new(), Vec::new());
        let mut combinations = 1.0f64;
        let mut structured = false;
        for (position, name) in self.unknowns.iter().enumerate() {
            if bound[position].is_some() || without.contains(&position) {
                continue;
            }
            let Some((shape, cells, literal)) = self.cells_of(*name, &sets[position]) else { continue };
            let size = |d: &Domain| d.count().map_or(f64::INFINITY, |n| n as f64);
            let all: f64 = cells.iter().map(size).product();
            if shape == Shape::Single {
                if !joined[position] && all.is_finite() {
                    combinations *= all;
                }
            } else if all > Tuning::DEFAULT.search.few as f64 && self.is_needed(position, literal, settled) {
                structured = true;
            }
            exact.extend(literal);
            unknowns.push(Unknown {
                position,
                name: *name,
                first: domains.len(),
                shape: Arc::new(shape),
                cells: cells.len(),
            });
            domains.extend(cells);
        }
        (structured || (combinations > Tuning::DEFAULT.finite_domain.worthwhile && unknowns.len() > 1))
            .then_some((unknowns, domains, exact))
    }

    /// Marks the cells of sets that an equation gives in terms of other unknowns.
    pub(super) fn defined(&self, unknowns: &[Unknown], settled: &[bool]) -> Vec<bool> {
        let is_defined = |u: &Unknown| {
            let equations = self.literals.iter().enumerate().filter(|(i, l)| l.positive && !settled[*i]);
            let mut sides = equations.filter_map(|(_, l)| match &l.pred.kind {
                PredKind::Compare(CompareOp::Equal, a, b) if self.named(a) == Some(u.position) => Some(b),
                PredKind::Compare(CompareOp::Equal, a, b) if self.named(b) == Some(u.position) => Some(a),
                _ => None,
            });
            u.shape != Shape::Single.into() && sides.any(|e| !names_of_expr(e).contains(&u.name))
        };
        unknowns.iter().flat_map(|u| vec![is_defined(u); u.cells]).collect()
    }

    /// Returns whether a literal other than the given one needs an unknown.
    fn is_needed(&self, unknown: usize, literal: Option<usize>, settled: &[bool]) -> bool {
        (0..self.literals.len())
            .any(|i| Some(i) != literal && !settled[i] && self.literals[i].needs.contains(&unknown))
    }

    /// Cuts an unknown into cells. Also returns the literal that this makes redundant.
    fn cells_of(&self, name: Name, sets: &[(usize, Value)]) -> Option<(Shape, Vec<Domain>, Option<usize>)> {
        let ty = self.eval.type_of(name)?;
        let of_type = self.eval.type_values(ty);
        if let Type::Pow(_) = ty {
            let mut best: Option<(f64, Shape, Vec<Domain>, Option<usize>)> = None;
            let all = sets.iter().map(|(i, s)| (Some(*i).filter(|i| *i != usize::MAX), s));
            let all = all.chain([(None, &of_type)]);
            for (literal, set) in all {
                let Ok(Some((shape, cells))) = self.eval.shape(set, self.at) else { continue };
                let size = |d: &Domain| d.count().map_or(1e6, |n| n as f64).ln();
                let bits: f64 = cells.iter().map(size).sum();
                if best.as_ref().is_none_or(|(b, ..)| bits < *b) {
                    best = Some((bits, shape, cells, literal.filter(|_| says_no_more(set))));
                }
            }
            return best.map(|(_, shape, cells, literal)| (shape, cells, literal));
        }
        let listed = |set: &Value| {
            self.eval.cardinality(set, self.at).ok()?.within(Tuning::DEFAULT.search.listed)?;
            let listed = self.eval.try_list(set, self.at).ok()??;
            let plain = !listed.first().is_some_and(Value::has_lazy);
            (plain && !listed.is_empty()).then(|| Domain::Listed(listed.iter().cloned().map(Some).collect()))
        };
        let mut domains: Vec<Domain> = sets.iter().filter_map(|(_, s)| listed(s)).collect();
        domains.sort_by_key(|d| d.count());
        let domain = match domains.into_iter().next() {
            Some(domain) => domain,
            None if *ty == Type::Int => {
                let spans = sets.iter().filter_map(|(_, s)| integers(s));
                spans.fold(Domain::Span(None, None), |all, span| match (all, span) {
                    (Domain::Span(l, h), Domain::Span(m, i)) => {
                        let high = h.into_iter().chain(i).min();
                        Domain::Span(l.max(m), high)
                    }
                    (all, _) => all,
                })
            }
            None => listed(&of_type)?,
        };
        Some((Shape::Single, vec![domain], None))
    }
}

/// Returns whether membership in this set states no more than the cells do.
fn says_no_more(set: &Value) -> bool {
    match set {
        Value::Lazy(lazy) => match &**lazy {
            LazySet::Power(_) | LazySet::Unary(UnaryOp::Perm | UnaryOp::Fin, _) => true,
            LazySet::Binary(op, ..) => {
                op.relation_space().is_some_and(|k| k.functional || !(k.total || k.surjective || k.injective))
            }
            _ => false,
        },
        _ => false,
    }
}
