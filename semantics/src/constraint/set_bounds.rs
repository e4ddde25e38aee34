//! Bounds of set unknowns: elements that must be in and elements that may be in, from unions, intersections,
//! differences, inclusions and memberships with one unknown (set intervals; Gervet, *Interval propagation to reason
//! about sets*, Constraints 1997); and functions of which every point has an equation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, PredKind, UnaryOp};
use bsym_language::operators::RelationSpace;
use bsym_language::types::Type;

use crate::constraint::search::{Binding, Generator, Search};
use crate::evaluator::Eval;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::Env;
use crate::value::lazy_set::LazySet;
use crate::value::partial::depends_on_partial;

/// Bounds of one set.
#[derive(Default)]
struct Bounds {
    must: BTreeSet<Value>,
    may: Option<BTreeSet<Value>>,
    never: BTreeSet<Value>,
}

impl Bounds {
    fn within(&mut self, all: impl Iterator<Item = Value>) {
        let all: BTreeSet<_> = all.collect();
        self.may = Some(match self.may.take() {
            Some(may) => may.intersection(&all).cloned().collect(),
            None => all,
        });
    }
}

impl Search<'_, '_> {
    /// Generates the sets between the bounds of an unknown, if they are few.
    pub(super) fn between_bounds(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        confined: &[Option<Value>],
    ) -> Eval<Option<Generator<'_>>> {
        for (i, name) in self.unknowns.iter().enumerate().filter(|(i, _)| bound[*i].is_none()) {
            if !matches!(self.eval.type_of(*name), Some(Type::Pow(_))) {
                continue;
            }
            let mut bounds = Bounds::default();
            let (mut points, mut sides) = (BTreeMap::new(), Sides::default());
            for (j, literal) in self.literals.iter().enumerate() {
                if literal.positive && !settled[j] && literal.needs.contains(&i) {
                    self.bounds_from(env, literal.pred, (i, bound), &mut bounds);
                    self.point_from(env, literal.pred, (i, bound), &mut points);
                    self.sides_from(env, literal.pred, (i, bound), &mut sides);
                }
                if !settled[j] && !self.is_total(env, j) {
                    break;
                }
            }
            if let Some(generator) = self.few_sets(i, bounds) {
                return Ok(Some(generator));
            }
            if let Some(space) = &confined[i]
                && let Some(generator) =
                    self.function_of(i, space, points)?.or_else(|| self.between_sides(i, space, &sides))
            {
                return Ok(Some(generator));
            }
        }
        Ok(None)
    }

    fn few_sets(&self, unknown: usize, Bounds { must, may, never }: Bounds) -> Option<Generator<'_>> {
        let may: BTreeSet<_> = may?.difference(&never).cloned().collect();
        if !must.is_subset(&may) {
            return Some(Generator::Nothing);
        }
        let open: Vec<&Value> = may.difference(&must).collect();
        if open.len() > Tuning::DEFAULT.search.open_elements {
            return None;
        }
        let sets = (0..1usize << open.len()).map(|chosen| {
            let chosen =
                open.iter().enumerate().filter(|(k, _)| chosen >> k & 1 == 1).map(|(_, v)| (*v).clone());
            Value::set(must.iter().cloned().chain(chosen))
        });
        Some(Generator::Range(unknown, Value::set(sets)))
    }

    /// Returns the elements of a set that needs no unknown, if they can be told apart by form.
    fn elements(&self, env: &Env<'_>, e: &Expr) -> Option<Arc<BTreeSet<Value>>> {
        let set = self.closed_value(env, e)?;
        if depends_on_partial(&set) {
            return None;
        }
        let listed = self.eval.try_list(&set, self.at).ok()??;
        (!listed.iter().any(Value::has_lazy)).then_some(listed)
    }

    fn bounds_from(&self, env: &Env<'_>, pred: &Pred, (i, bound): (usize, &Binding), bounds: &mut Bounds) {
        let is_unknown = |e: &Expr| self.unknown(e, bound) == Some(i);
        match &pred.kind {
            PredKind::Compare(CompareOp::Equal, a, b) => {
                for (side, value) in [(a, b), (b, a)] {
                    if let Some(value) = self.elements(env, value) {
                        self.bounds_of_operation(env, side, &value, &is_unknown, bounds);
                    }
                }
            }
            PredKind::Compare(CompareOp::Subset | CompareOp::StrictSubset, a, b) => {
                if is_unknown(a)
                    && let Some(all) = self.elements(env, b)
                {
                    bounds.within(all.iter().cloned());
                }
                if is_unknown(b)
                    && let Some(some) = self.elements(env, a)
                {
                    bounds.must.extend(some.iter().cloned());
                }
            }
            PredKind::Compare(op @ (CompareOp::Member | CompareOp::NotMember), x, set) if is_unknown(set) => {
                let Some(x) = self.closed_value(env, x).filter(|x| !x.has_lazy()) else { return };
                if *op == CompareOp::Member {
                    bounds.must.insert(x)
                } else {
                    bounds.never.insert(x)
                };
            }
            PredKind::Partition(whole, parts) => {
                let Some(whole) = self.elements(env, whole) else { return };
                let (mine, others): (Vec<_>, Vec<_>) = parts.iter().partition(|p| is_unknown(p));
                let others: Vec<_> = others.iter().map(|p| self.elements(env, p)).collect();
                let taken: BTreeSet<_> = others.iter().flatten().flat_map(|p| p.iter().cloned()).collect();
                if mine.is_empty() {
                    return;
                }
                bounds.within(whole.difference(&taken).cloned());
                if mine.len() == 1 && others.iter().all(Option::is_some) {
                    bounds.must.extend(whole.difference(&taken).cloned());
                }
            }
            _ => {}
        }
    }

    /// Derives bounds of the unknown from the elements of an operation on it.
    fn bounds_of_operation(
        &self,
        env: &Env<'_>,
        operation: &Expr,
        value: &BTreeSet<Value>,
        is_unknown: &dyn Fn(&Expr) -> bool,
        bounds: &mut Bounds,
    ) {
        let ExprKind::Binary(op, a, b) = &operation.kind else { return };
        let operands = match op {
            BinaryOp::Union | BinaryOp::Intersection => {
                let mut operands = Vec::new();
                operands_of(*op, operation, &mut operands);
                operands
            }
            BinaryOp::Difference => vec![&**a, &**b],
            _ => return,
        };
        let at = |k: usize| is_unknown(operands[k]);
        let others: Vec<_> =
            (0..operands.len()).filter(|k| !at(*k)).map(|k| self.elements(env, operands[k])).collect();
        if others.len() + 1 != operands.len() {
            return;
        }
        match op {
            BinaryOp::Union => {
                bounds.within(value.iter().cloned());
                if others.iter().all(Option::is_some) {
                    let beside = |v: &&Value| !others.iter().flatten().any(|o| o.contains(v));
                    bounds.must.extend(value.iter().filter(beside).cloned());
                }
            }
            BinaryOp::Intersection => {
                bounds.must.extend(value.iter().cloned());
                if let [Some(other)] = &others[..] {
                    bounds.never.extend(other.difference(value).cloned());
                }
            }
            _ => {
                let [Some(other)] = &others[..] else { return };
                if at(0) {
                    bounds.must.extend(value.iter().cloned());
                    bounds.within(value.union(other).cloned());
                } else {
                    bounds.must.extend(other.difference(value).cloned());
                    bounds.never.extend(value.iter().cloned());
                }
            }
        }
    }

    /// Reads a point of the unknown `f` from `f(c) = E`.
    fn point_from(
        &self,
        env: &Env<'_>,
        pred: &Pred,
        (i, bound): (usize, &Binding),
        points: &mut BTreeMap<Value, Value>,
    ) {
        let PredKind::Compare(CompareOp::Equal, a, b) = &pred.kind else { return };
        for (side, value) in [(a, b), (b, a)] {
            if let ExprKind::Apply(f, x) = &side.kind
                && self.unknown(f, bound) == Some(i)
                && let Some(x) = self.closed_value(env, x).filter(|x| !x.has_lazy())
                && let Some(value) = self.closed_value(env, value).filter(|v| !v.has_lazy())
            {
                points.entry(x).or_insert(value);
            }
        }
    }

    /// Returns the function with these points, if a function of the space has no others.
    fn function_of(
        &self,
        unknown: usize,
        space: &Value,
        points: BTreeMap<Value, Value>,
    ) -> Eval<Option<Generator<'_>>> {
        let Value::Lazy(space) = space else { return Ok(None) };
        let LazySet::Binary(op, from, _) = &**space else { return Ok(None) };
        let Some(RelationSpace { functional: true, total: true, .. }) = op.relation_space() else {
            return Ok(None);
        };
        let Some(from) = self.eval.try_list(from, self.at)? else { return Ok(None) };
        if points.is_empty() || !from.iter().all(|x| points.contains_key(x)) {
            return Ok(None);
        }
        let pairs = points.into_iter().filter(|(x, _)| from.contains(x));
        let function = Value::set(pairs.map(|(x, y)| Value::pair(x, y)));
        Ok(Some(Generator::Range(unknown, Value::set([function]))))
    }
}

/// Supersets of the domain and the range of a relation, and its size.
#[derive(Default)]
struct Sides {
    domain: Option<Value>,
    range: Option<Value>,
    size: Option<Int>,
}

impl Search<'_, '_> {
    /// Reads `dom(f) = D`, `ran(f) <: R`, `size(f) = n` for the unknown `f`.
    fn sides_from(&self, env: &Env<'_>, pred: &Pred, (i, bound): (usize, &Binding), sides: &mut Sides) {
        let PredKind::Compare(op @ (CompareOp::Equal | CompareOp::Subset), a, b) = &pred.kind else { return };
        let turned = (*op == CompareOp::Equal).then_some((b, a));
        for (side, value) in [(a, b)].into_iter().chain(turned) {
            let ExprKind::Unary(operator, f) = &side.kind else { continue };
            if self.unknown(f, bound) != Some(i) {
                continue;
            }
            let Some(value) = self.closed_value(env, value).filter(|v| !depends_on_partial(v)) else {
                continue;
            };
            match (operator, value) {
                (UnaryOp::Dom, value) if *op == CompareOp::Equal => sides.domain = Some(value),
                (UnaryOp::Ran, value) => sides.range = Some(value),
                (UnaryOp::Size | UnaryOp::Card, Value::Int(n)) => sides.size = Some(n),
                _ => {}
            }
        }
    }

    /// Generates the functions with the known domain and range, for an unknown in a set of functions or sequences.
    fn between_sides(&self, unknown: usize, space: &Value, sides: &Sides) -> Option<Generator<'_>> {
        use UnaryOp::{Iseq, Iseq1, Seq, Seq1};
        let Value::Lazy(space) = space else { return None };
        let (domain, range) = match &**space {
            LazySet::Unary(Seq | Seq1 | Iseq | Iseq1, s) => {
                let positions = || Some(self.eval.interval(Int::ONE, sides.size.clone()?));
                (sides.domain.clone().or_else(positions), s)
            }
            LazySet::Binary(op, _, s) if op.relation_space().is_some_and(|kind| kind.functional) => {
                (sides.domain.clone(), s)
            }
            _ => return None,
        };
        let finite =
            |s: &Value| self.eval.cardinality(s, self.at).ok().and_then(|c| c.is_finite()) == Some(true);
        let range = Some(range).filter(|s| finite(s)).or(sides.range.as_ref().filter(|s| finite(s)))?;
        let domain = domain.filter(|s| finite(s))?;
        let functions = LazySet::Binary(BinaryOp::TotalFunction, domain, range.clone());
        Some(Generator::Range(unknown, functions.into()))
    }
}

/// Collects the operands of nested applications of the same operator.
fn operands_of<'e>(op: BinaryOp, e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(o, a, b) if *o == op => {
            operands_of(op, a, out);
            operands_of(op, b, out);
        }
        _ => out.push(e),
    }
}
