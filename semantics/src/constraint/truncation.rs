//! Truncation of choices that nothing confines to a finite set: the last resort of a search, which may find only some
//! of the solutions.

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Notation, PredKind};
use bsym_language::types::Type;

use crate::constraint::finite_part::Extent;
use crate::constraint::interval::Range;
use crate::constraint::search::{Binding, Generator, Search};
use crate::evaluator::Eval;
use crate::evaluator::cuts::Part;
use crate::evaluator::free_names::names_of_expr;
use crate::prob_profile::TruncationOrder;
use crate::value::Value;
use crate::value::env::Env;
use crate::value::partial::depends_on_partial;

impl Search<'_, '_> {
    /// Generates candidates for an unknown that has infinitely many, if there are fewer than `others`; notes the cut.
    pub(super) fn cut(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        (ranges, confined): (&[Range], &[Option<Value>]),
        others: Option<usize>,
    ) -> Eval<Option<Generator<'_>>> {
        if let Some(generator) = self.behind_partial(env, bound, settled)? {
            return Ok(Some(generator));
        }
        let in_event_b = self.eval.model.text.notation == Notation::EventB;
        let mut best: Option<(TruncationOrder, usize, Value, Value)> = None;
        for i in (0..bound.len()).filter(|i| bound[*i].is_none()) {
            let Some(ty) = self.eval.type_of(self.unknowns[i]) else { continue };
            let all = confined[i].clone().unwrap_or_else(|| self.eval.type_values(ty));
            let Some(part) = self.part_in_bounds(ty, &ranges[i], &all, confined[i].is_some())? else {
                continue;
            };
            let size = self.size(&Generator::Range(i, part.clone()), usize::MAX, settled);
            if others.is_some_and(|n| n <= size) {
                continue;
            }
            let is_int = *ty == Type::Int;
            // Counts elements however they are built up: a set that has few elements comes before the relations over
            // it.
            let candidates = self.eval.cardinality(&part, self.at)?.within(usize::MAX).unwrap_or(usize::MAX);
            let order = TruncationOrder {
                defined: self.is_defined(i, bound, settled),
                no_integer: !is_int,
                late: if in_event_b {
                    ranges[i].is_unbounded()
                } else {
                    is_int && self.bounds_others(i, bound, settled)
                },
                candidates: if is_int && !in_event_b { 0 } else { candidates },
            };
            if best.as_ref().is_none_or(|(o, ..)| order < *o) {
                best = Some((order, i, all, part));
            }
        }
        let Some((_, i, all, part)) = best else { return Ok(None) };
        self.cuts.borrow_mut().push((self.unknowns[i], self.eval.part_of_cut(&all, &part)));
        Ok(Some(Generator::Range(i, part)))
    }

    /// Returns whether an equation gives the unknown a value once sets and functions have theirs.
    fn is_defined(&self, unknown: usize, bound: &Binding, settled: &[bool]) -> bool {
        let by = |name: &Expr, e: &Expr| {
            let others = names_of_expr(e);
            self.unknown(name, bound) == Some(unknown)
                && !others.contains(&self.unknowns[unknown])
                && self.unknowns.iter().zip(bound).any(|(n, v)| {
                    v.is_none() && others.contains(n) && self.eval.type_of(*n) != Some(&Type::Int)
                })
        };
        self.literals.iter().zip(settled).any(|(literal, settled)| match &literal.pred.kind {
            PredKind::Compare(CompareOp::Equal, a, b) if literal.positive && !settled => by(a, b) || by(b, a),
            _ => false,
        })
    }

    /// Returns whether another open unknown is in an interval up to this one.
    fn bounds_others(&self, unknown: usize, bound: &Binding, settled: &[bool]) -> bool {
        self.literals.iter().zip(settled).filter(|(literal, settled)| literal.positive && !**settled).any(
            |(literal, _)| match &literal.pred.kind {
                PredKind::Compare(CompareOp::Member, x, set) => match &set.kind {
                    ExprKind::Binary(BinaryOp::Interval, _, high) => {
                        self.unknown(x, bound).is_some_and(|x| x != unknown)
                            && names_of_expr(high).contains(&self.unknowns[unknown])
                    }
                    _ => false,
                },
                _ => false,
            },
        )
    }

    /// Returns the part of an infinite set, or of the integers in a range, to try.
    fn part_in_bounds(
        &self,
        ty: &Type,
        range: &Range,
        all: &Value,
        is_confined: bool,
    ) -> Eval<Option<Value>> {
        let finite = self.eval.cardinality(all, self.at)?.is_finite() == Some(true);
        if finite || range.low.is_some() && range.high.is_some() {
            return Ok(None);
        }
        if *ty == Type::Int {
            let range = self.eval.integers_in_scope(range);
            if !is_confined {
                return Ok(Some(range));
            }
            return self.eval.binary(BinaryOp::Intersection, range, all.clone(), self.at).map(Some);
        }
        let of_type = || self.eval.finite_part(&self.eval.type_values(ty), Extent::Scope, self.at);
        Ok(self.eval.finite_part(all, Extent::Scope, self.at).or_else(of_type))
    }

    /// Generates from a literal behind one that may be ill-defined. This is a cut, because an instance beyond it may be
    /// ill-defined and is not looked at.
    fn behind_partial(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
    ) -> Eval<Option<Generator<'_>>> {
        let mut ranges = vec![Range::default(); self.unknowns.len()];
        let mut confined = vec![None; self.unknowns.len()];
        let mut best: Option<(usize, usize, Generator<'_>)> = None;
        for (i, literal) in self.literals.iter().enumerate().filter(|(i, _)| !settled[*i]) {
            let form = (literal.positive, literal.pred);
            let Some(generator) = self.candidates_of(env, form, bound, &mut ranges, &mut confined) else {
                continue;
            };
            let size = match &generator {
                Generator::Elements(_, set) | Generator::Range(_, set) if depends_on_partial(set) => continue,
                generator => self.size(generator, i, settled),
            };
            if size <= self.eval.limits.listing && best.as_ref().is_none_or(|(n, ..)| size < *n) {
                best = Some((size, i, generator));
            }
        }
        let Some((_, literal, generator)) = best else { return Ok(None) };
        for n in self.literals[literal].needs.iter().filter(|n| bound[**n].is_none()) {
            self.cuts.borrow_mut().push((self.unknowns[*n], Part::BehindPartial));
        }
        Ok(Some(generator))
    }
}
