//! Candidates for unknowns that the form of one literal shows.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, PredKind, UnaryOp};
use bsym_language::types::Type;
use bsym_language::walk::cut_into_literals;

use crate::constraint::interval::{Narrowing, Range};
use crate::constraint::pattern::has_sequence_operator;
use crate::constraint::search::{Binding, GO, Generator, Search, effective, equation};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::free_names::{all_bound_in, names_of_pred, reads_unassigned};
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;
use crate::value::partial::{awaited, depends_on_partial};

impl Search<'_, '_> {
    /// Returns the candidates that a literal leaves to unknowns, if its form shows them.
    pub(super) fn candidates_of<'p>(
        &self,
        env: &Env<'_>,
        (positive, pred): (bool, &'p Pred),
        bound: &Binding,
        ranges: &mut [Range],
        confined: &mut [Option<Value>],
    ) -> Option<Generator<'p>> {
        let (op, a, b) = match (&pred.kind, positive) {
            (PredKind::Compare(op, a, b), _) => (effective(*op, positive), a, b),
            (PredKind::Or(ps), true) | (PredKind::And(ps), false) => {
                return self.union_of(env, ps.iter().map(|p| (positive, p)), bound);
            }
            (PredKind::Implies(p, q), true) => {
                return self.union_of(env, [(false, &**p), (true, &**q)].into_iter(), bound);
            }
            (PredKind::Partition(whole, parts), true) => return self.partitioned(env, whole, parts, bound),
            (PredKind::Forall(locals, body), true) => {
                return self.pointwise(env, locals, body, bound, confined);
            }
            _ => return None,
        };
        let closed = |e: &Expr| self.closed_value(env, e);
        let confining = |e: &Expr| match closed(e) {
            Some(set) if depends_on_partial(&set) => {
                awaited(&set).into_iter().for_each(|cell| self.wait(EvalError::undecided(self.at, cell)));
                None
            }
            None if self.eval.is_closed(env, e) => {
                if let Err(e) = self.eval.eval(env, e) {
                    self.wait(e);
                }
                None
            }
            set => set,
        };
        match op {
            CompareOp::Equal => {
                for (pattern, value) in [(a, b), (b, a)] {
                    if self.is_pattern(env, pattern, bound)
                        && let Some(v) = closed(value)
                    {
                        return Some(Generator::Values(pattern, vec![self.eval.normal(v, self.at).ok()?]));
                    }
                    if let Some(part) = self.singleton_part(env, pattern, bound)
                        && let Some(v) = closed(value)
                        && !depends_on_partial(&v)
                    {
                        return Some(Generator::Elements(part, v));
                    }
                }
                None
            }
            CompareOp::Member if self.is_pattern(env, a, bound) => {
                let set = confining(b)?;
                if let Some(i) = self.unknown(a, bound) {
                    if let Some(value) = self.eval.naming_bijection(env, a, &set, self.at) {
                        return Some(Generator::Values(a, vec![value]));
                    }
                    confined[i] = Some(set.clone());
                    if let Value::Lazy(lazy) = &set {
                        match &**lazy {
                            LazySet::From(low) => {
                                ranges[i].narrow(&Range { low: Some(low.clone()), high: None });
                            }
                            LazySet::Interval(low, high) => {
                                let range = Range { low: Some(low.clone()), high: Some(high.clone()) };
                                ranges[i].narrow(&range);
                            }
                            _ => {}
                        }
                    }
                }
                if let ExprKind::Binary(BinaryOp::Maplet, x, y) = &a.kind
                    && let Some(x) = closed(x)
                    && let Ok(Some(images)) = self.eval.images(&set, &x, self.at)
                {
                    let distinct: BTreeSet<_> = images.into_iter().collect();
                    return Some(Generator::Values(y, distinct.into_iter().collect()));
                }
                Some(Generator::Elements(a, set))
            }
            CompareOp::Member => self.bounds_of_domain(env, a, b, bound),
            CompareOp::Subset | CompareOp::StrictSubset => {
                if let ExprKind::SetExtension(es) = &a.kind {
                    let pattern = es.iter().find(|e| self.is_pattern(env, e, bound))?;
                    let set = confining(b)?;
                    return Some(Generator::Elements(pattern, set));
                }
                let i = self.unknown(a, bound)?;
                let set = self.eval.normal(confining(b)?, self.at).ok()?;
                let all: Value = LazySet::Power(set).into();
                confined[i].get_or_insert(all.clone());
                Some(Generator::Range(i, all))
            }
            _ => None,
        }
    }

    fn wait(&self, e: EvalError) {
        if e.kind == EvalErrorKind::Undecided {
            self.waiting.borrow_mut().get_or_insert(e);
        }
    }

    /// Returns the pattern `x` of a set `{x}`, or of `{x} \/ S`.
    fn singleton_part<'p>(&self, env: &Env<'_>, e: &'p Expr, bound: &Binding) -> Option<&'p Expr> {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Union, a, b) => {
                self.singleton_part(env, a, bound).or_else(|| self.singleton_part(env, b, bound))
            }
            ExprKind::SetExtension(es) => es.iter().find(|x| self.is_pattern(env, x, bound)),
            _ => None,
        }
    }

    /// Generates from a disjunction in which every part confines the same unknown.
    fn union_of<'p>(
        &self,
        env: &Env<'_>,
        parts: impl Iterator<Item = (bool, &'p Pred)>,
        bound: &Binding,
    ) -> Option<Generator<'p>> {
        let mut all: Option<(usize, BTreeSet<Value>)> = None;
        for (positive, part) in parts {
            if all_bound_in(env, part) && self.eval.pred(env, part).is_ok_and(|truth| truth != positive) {
                continue;
            }
            let mut literals = Vec::new();
            cut_into_literals(positive, part, &mut literals);
            let mut found = None;
            let mut comparisons = Vec::new();
            for (positive, literal) in literals {
                let mut ranges = vec![Range::default(); self.unknowns.len()];
                let mut confined = vec![None; self.unknowns.len()];
                let generator =
                    self.candidates_of(env, (positive, literal), bound, &mut ranges, &mut confined);
                let generator = generator
                    .filter(|generator| !needs_sequences(generator) || self.eval.is_total(env, literal));
                found = generator.and_then(|generator| self.one_unknown(env, generator, bound));
                let total = || {
                    self.eval.is_total(env, literal)
                        && !reads_unassigned(env, self.unknowns, &names_of_pred(literal))
                };
                if found.is_some() || !total() {
                    break;
                }
                if let PredKind::Compare(op, a, b) = &literal.kind
                    && a.ty == Type::Int
                    && b.ty == Type::Int
                {
                    comparisons.push((effective(*op, positive), &**a, &**b));
                }
            }
            let found = match found {
                Some(found) => Some(found),
                None => self.one_narrowed(env, &comparisons, bound)?,
            };
            let Some((i, values)) = found else { continue };
            match &mut all {
                None => all = Some((i, values)),
                Some((j, known)) if *j == i => known.extend(values),
                Some(_) => return None,
            }
        }
        Some(match all {
            Some((i, values)) => Generator::Range(i, Value::Set(Arc::new(values))),
            None => Generator::Nothing,
        })
    }

    /// Returns the integers between the bounds that comparisons leave to an unknown; `None` in place of an unknown if
    /// the comparisons cannot hold.
    fn one_narrowed(
        &self,
        env: &Env<'_>,
        comparisons: &[(CompareOp, &Expr, &Expr)],
        bound: &Binding,
    ) -> Option<Option<(usize, BTreeSet<Value>)>> {
        let position = |e: &Expr| self.unknown(e, bound);
        let ranges = vec![Range::default(); self.unknowns.len()];
        let mut narrowing = Narrowing::new(self.eval, env, &position, ranges);
        let possible = narrowing.run(comparisons);
        self.note(narrowing.awaits.get());
        if !possible {
            return Some(None);
        }
        let mut ranges = narrowing.ranges.into_iter().enumerate();
        ranges.find_map(|(i, Range { low, high })| {
            let interval = self.eval.interval(low?, high?);
            Some(Some((i, (*self.eval.try_list(&interval, self.at).ok()??).clone())))
        })
    }

    fn one_unknown(
        &self,
        env: &Env<'_>,
        generator: Generator<'_>,
        bound: &Binding,
    ) -> Option<(usize, BTreeSet<Value>)> {
        let (pattern, values) = match generator {
            Generator::Range(i, set) | Generator::Probe(i, set) | Generator::Projected(i, set, _) => {
                return Some((i, (*self.eval.try_list(&set, self.at).ok()??).clone()));
            }
            Generator::Values(pattern, values) => (pattern, values.into_iter().collect()),
            Generator::Elements(pattern, set) => {
                (pattern, (*self.eval.try_list(&set, self.at).ok()??).clone())
            }
            Generator::Nothing => return None,
        };
        let mut found: Option<usize> = None;
        let mut matched = BTreeSet::new();
        for v in values {
            let flow = self.each_way(env, pattern, &v, bound.clone(), &mut |mut next| {
                let mut fresh = (0..next.len()).filter(|i| bound[*i].is_none() && next[*i].is_some());
                let (Some(i), None) = (fresh.next(), fresh.next()) else { return Ok(ControlFlow::Break(())) };
                if found.is_some_and(|f| f != i) {
                    return Ok(ControlFlow::Break(()));
                }
                found = Some(i);
                matched.extend(next[i].take());
                Ok(GO)
            });
            if flow != Ok(GO) {
                return None;
            }
        }
        found.map(|i| (i, matched))
    }

    /// Confines the unknowns of P in `#y.(P)` to a projection of the solutions of P, if fewer than `most` candidates
    /// have to be looked at.
    pub(super) fn projected(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        most: usize,
    ) -> Eval<Option<Generator<'_>>> {
        let eval = Evaluator { candidates: self.eval.candidates.min(most), ..*self.eval };
        for (i, literal) in self.literals.iter().enumerate() {
            if let PredKind::Compare(CompareOp::Member, element, set) = &literal.pred.kind
                && literal.positive
                && !settled[i]
                && self.may_narrow(env, settled, i)
                && let Some((unknown, values)) = self.component(env, element, set, bound)
            {
                return Ok(Some(Generator::Range(unknown, values)));
            }
            let mut equations = Vec::new();
            let (locals, body) = match (&literal.pred.kind, literal.positive) {
                (PredKind::Exists(locals, body), true) | (PredKind::Forall(locals, body), false) => {
                    (locals.clone(), body)
                }
                (PredKind::Let(defs, body), _) => {
                    equations.extend(defs.iter().map(equation));
                    (defs.iter().map(|(l, _)| *l).collect(), body)
                }
                _ => continue,
            };
            if settled[i] || !self.may_narrow(env, settled, i) {
                continue;
            }
            let open: Vec<_> = literal.needs.iter().copied().filter(|n| bound[*n].is_none()).collect();
            let [unknown] = open[..] else { continue };
            let mut unknowns = vec![self.unknowns[unknown]];
            unknowns.extend(locals.iter().map(|l| Name::Local(*l)));
            let mut values = BTreeSet::new();
            let mut is_defined = equations.is_empty();
            let mut literals: Vec<_> = equations.iter().map(|e| (true, e)).collect();
            literals.push((literal.positive, body));
            let done = eval.solve(env, &unknowns, &literals, self.at, &mut |b, truth| {
                // An ill-defined instance is a candidate too: the literal itself reports it.
                is_defined &= truth.is_ok();
                if let Some((name, v)) = b.first()
                    && *name == unknowns[0]
                {
                    values.insert(v.clone());
                }
                Ok(GO)
            });
            if done.is_ok() {
                let values = Value::Set(Arc::new(values));
                // Where every instance is defined, each of these values has a witness.
                return Ok(Some(match is_defined && !values.has_lazy() {
                    true => Generator::Projected(unknown, values, i),
                    false => Generator::Range(unknown, values),
                }));
            }
        }
        Ok(None)
    }

    /// Returns `false` if an operand of a pattern that is not an unknown is ill-defined.
    pub(super) fn has_defined_operands(&self, env: &Env<'_>, pattern: &Expr) -> bool {
        match &pattern.kind {
            _ if self.named(pattern).is_some() => true,
            ExprKind::Binary(BinaryOp::Maplet | BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                self.has_defined_operands(env, a) && self.has_defined_operands(env, b)
            }
            ExprKind::Unary(UnaryOp::Negate, a) => self.has_defined_operands(env, a),
            _ => {
                let is_ill_defined =
                    || matches!(self.eval.eval(env, pattern), Err(e) if e.kind == EvalErrorKind::IllDefined);
                !(self.eval.is_closed(env, pattern) && is_ill_defined())
            }
        }
    }
}

/// Returns whether the pattern of a generator has a value only where unknowns are sequences.
pub(super) fn needs_sequences(generator: &Generator<'_>) -> bool {
    match generator {
        Generator::Values(pattern, _) | Generator::Elements(pattern, _) => has_sequence_operator(pattern),
        Generator::Range(..) | Generator::Probe(..) | Generator::Projected(..) | Generator::Nothing => false,
    }
}
