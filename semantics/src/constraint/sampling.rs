//! Samples of choices that have too many values to be listed, or more than the caller wants.
//!
//! A sample consists of some of the first values and some pseudo-random ones: the first values differ in a few points
//! only. A choice has the same sample wherever it is met, so that a step can be found again. Values left out are noted
//! as a cut ([`crate::evaluator::cuts`]); no negative answer rests on a sample.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, ExprKind, LocalId, Pred, PredKind, UnaryOp};
use bsym_language::operators::RelationSpace;
use bsym_language::source::Span;
use bsym_language::walk::cut_into_literals;

use crate::constraint::finite_part::Extent;
use crate::constraint::search::{Generator, Search};
use crate::constraint::solutions::Bound;
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::cuts::Part;
use crate::evaluator::free_names::names_of_expr;
use crate::evaluator::{Choosing, Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;

type Flow = Eval<ControlFlow<()>>;
/// Values of the unknowns, and whether they are a solution or make a predicate ill-defined.
type Solution = (Vec<(Name, Value)>, Eval<()>);
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// Deterministic pseudo-random number generator (splitmix64).
struct Dice(u64);

impl Dice {
    fn new() -> Dice {
        Dice(0x0123_4567_89AB_CDEF)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.roll() & 1 == 1
    }
}

impl<'m> Evaluator<'m> {
    /// Returns this evaluator with sampled choices: a choice with more than `values` values, or with values that cannot
    /// be listed, takes a sample of at most `values`. The cuts are noted where choices may be cut; elsewhere nothing is
    /// sampled.
    pub fn with_samples(self, values: usize) -> Self {
        Evaluator { choosing: Choosing { samples: Some(values.max(1)), ..self.choosing }, ..self }
    }

    /// Returns the number of values that a choice may take.
    fn sample_size(&self) -> Option<usize> {
        self.choosing.samples.filter(|_| self.choosing.cuts.is_some())
    }

    /// Returns a sample of a set to choose from, if it has more elements than wanted.
    pub(crate) fn sample_of(&self, set: &Value, at: Span) -> Eval<Option<Vec<Value>>> {
        let Some(wanted) = self.sample_size() else { return Ok(None) };
        let finite = self.cardinality(set, at)?.is_finite() == Some(true);
        let part = if finite { None } else { self.finite_part(set, Extent::Scope, at) };
        let part = part.as_ref().unwrap_or(set);
        if self.cardinality(part, at)?.within(wanted).is_some() {
            return Ok(None);
        }
        let mut first = vec![];
        let mut looked_at = 0;
        // The empty set, relation or sequence is an element of most.
        if matches!(part, Value::Lazy(_)) && self.member(&Value::empty(), set, at).unwrap_or(false) {
            first.push(Value::empty());
        }
        let listed = if self.is_deep(part, at) {
            Ok(ControlFlow::Break(()))
        } else {
            self.each(part, at, &mut |v| {
                looked_at += 1;
                if !first.contains(&v) && (finite || self.member(&v, set, at)?) {
                    first.push(v);
                }
                let enough = first.len() > wanted || looked_at > wanted * Tuning::DEFAULT.sampling.candidates;
                Ok(if enough { ControlFlow::Break(()) } else { GO })
            })
        };
        match listed {
            // The set has no more elements after all.
            Ok(ControlFlow::Continue(())) if finite && first.len() <= wanted => return Ok(None),
            Err(e) if e.kind != EvalErrorKind::TooLarge => return Err(e),
            _ => {}
        }
        let mut dice = Dice::new();
        let mut sample = first[..first.len().min(wanted.div_ceil(2))].to_vec();
        for _ in 0..wanted * Tuning::DEFAULT.sampling.throws {
            if sample.len() >= wanted {
                break;
            }
            if let Some(v) = self.thrown(part, &mut dice, at)
                && !sample.contains(&v)
                && self.member(&v, set, at)?
            {
                sample.push(v);
            }
        }
        for v in first {
            if sample.len() < wanted && !sample.contains(&v) {
                sample.push(v);
            }
        }
        Ok((!sample.is_empty()).then_some(sample))
    }

    /// Returns whether elements of a set are relations over too many points to build even the first one point by point.
    fn is_deep(&self, set: &Value, at: Span) -> bool {
        let Value::Lazy(lazy) = set else { return false };
        let points = match &**lazy {
            LazySet::Binary(op, a, _) if op.relation_space().is_some() => a,
            LazySet::Unary(UnaryOp::Perm, s) => s,
            _ => return false,
        };
        self.cardinality(points, at).is_ok_and(|n| n.within(Tuning::DEFAULT.sampling.points).is_none())
    }

    /// Reports a sample of the solutions of predicates as [`Evaluator::each_solution`] does; `None` if no sample is
    /// wanted.
    pub(super) fn sampled_solutions(
        &self,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        found: Bound<'_>,
    ) -> Option<Flow> {
        let wanted = self.sample_size()?;
        Some(self.sample_solutions(wanted, env, names, preds, at, found))
    }

    fn sample_solutions(
        &self,
        wanted: usize,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        found: Bound<'_>,
    ) -> Flow {
        let mut first = vec![];
        let candidates = self.choosing.candidates.min(wanted * Tuning::DEFAULT.sampling.candidates);
        let limited = Evaluator { choosing: Choosing { candidates, ..self.choosing }, ..*self };
        let listed = limited.search_alone(env, names, preds, at, &mut |bound, truth| {
            first.push((bound, truth));
            Ok(if first.len() > wanted { ControlFlow::Break(()) } else { GO })
        });
        let whole = match listed {
            Ok(flow) => flow.is_continue(),
            Err(e) if e.kind != EvalErrorKind::TooLarge => return Err(e),
            Err(_) => false,
        };
        let mut sample = first;
        if !whole {
            let rest = sample.split_off(sample.len().min(wanted.div_ceil(2)));
            self.throw_solutions(wanted, env, names, preds, at, &mut sample)?;
            for solution in rest {
                if sample.len() < wanted && sample.iter().all(|(bound, _)| *bound != solution.0) {
                    sample.push(solution);
                }
            }
            if sample.is_empty() {
                let message = format!("no values are found for {} among many", self.names_in_words(names));
                return Err(EvalError::too_large(at, message).for_want_of(names.iter().copied()));
            }
            names.iter().for_each(|name| self.note(*name, Part::Sample(wanted)));
        }
        for (bound, truth) in sample {
            if found(bound, truth)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(GO)
    }

    pub(super) fn names_in_words(&self, names: &[Name]) -> String {
        let names: Vec<_> = names.iter().map(|name| format!("`{}`", self.name(*name))).collect();
        names.join(", ")
    }

    /// Adds random solutions: each name is an element of the set that a conjunct gives for it alone, or of its type.
    fn throw_solutions(
        &self,
        wanted: usize,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        sample: &mut Vec<Solution>,
    ) -> Eval<()> {
        let mut sets = Vec::with_capacity(names.len());
        for name in names {
            let Some(ty) = self.type_of(*name) else { return Ok(()) };
            sets.push(self.set_of(env, *name, names, preds).unwrap_or_else(|| self.type_values(ty)));
        }
        let mut dice = Dice::new();
        let found_before = sample.len();
        'throws: for throw in 0..wanted * Tuning::DEFAULT.sampling.throws {
            self.proceed(at)?;
            // If the first ones are not solutions, random values are unlikely to satisfy the predicates.
            let hopeless = throw >= wanted && sample.len() == found_before;
            if sample.len() >= wanted || hopeless {
                break;
            }
            let mut bound = Vec::with_capacity(names.len());
            for (name, set) in names.iter().zip(&sets) {
                let Some(value) = self.thrown(set, &mut dice, at) else { continue 'throws };
                bound.push((*name, value));
            }
            if sample.iter().any(|(known, _)| *known == bound) {
                continue;
            }
            let frame = env.frame(&bound);
            let inner = env.within(&frame);
            let mut truth = Ok(());
            for pred in preds {
                match self.pred(&inner, pred) {
                    Ok(true) => {}
                    Err(e) if e.kind == EvalErrorKind::IllDefined => {
                        truth = Err(e);
                        break;
                    }
                    Err(e) if e.kind == EvalErrorKind::Interrupted => return Err(e),
                    Ok(false) | Err(_) => continue 'throws,
                }
            }
            sample.push((bound, truth));
        }
        Ok(())
    }

    /// Returns the set that a conjunct makes a name an element of, if that needs none of the unknowns.
    fn set_of(&self, env: &Env<'_>, name: Name, unknowns: &[Name], preds: &[&Pred]) -> Option<Value> {
        let mut literals = vec![];
        preds.iter().for_each(|pred| cut_into_literals(true, pred, &mut literals));
        literals.into_iter().find_map(|(positive, pred)| {
            let PredKind::Compare(op @ (CompareOp::Member | CompareOp::Subset), x, set) = &pred.kind else {
                return None;
            };
            let is_name = match (&x.kind, name) {
                (ExprKind::Local(LocalId(x)), Name::Local(LocalId(l))) => *x == l,
                (ExprKind::Const(x), Name::Const(c)) => *x == c,
                _ => false,
            };
            let needs = names_of_expr(set);
            if !positive || !is_name || unknowns.iter().any(|unknown| needs.contains(unknown)) {
                return None;
            }
            let set = self.eval(env, set).ok()?;
            Some(if *op == CompareOp::Subset { LazySet::Power(set).into() } else { set })
        })
    }

    /// Returns a random value that may be an element of a set.
    fn thrown(&self, set: &Value, dice: &mut Dice, at: Span) -> Option<Value> {
        let lazy = match set {
            Value::Set(elements) if elements.is_empty() => return None,
            Value::Set(elements) => return elements.iter().nth(dice.below(elements.len())).cloned(),
            Value::Lazy(lazy) => lazy,
            _ => return None,
        };
        match &**lazy {
            LazySet::Interval(low, high) => {
                let width = (high - low).to_i64().and_then(|n| u64::try_from(n).ok());
                // An interval wider than 64 bits is sampled in its first part only.
                let values = width.and_then(|n| n.checked_add(1)).unwrap_or(1 << 62);
                Some(Value::Int(low + &Int::from(i64::try_from(dice.roll() % values).ok()?)))
            }
            LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow | UnaryOp::Fin, s) => {
                self.thrown_subset(s, dice, at)
            }
            LazySet::Unary(UnaryOp::Pow1 | UnaryOp::Fin1, s) => {
                let part = self.thrown_subset(s, dice, at)?;
                let one = Value::set([self.thrown(s, dice, at)?]);
                self.binary(BinaryOp::Union, part, one, at).ok()
            }
            LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1, s) => {
                let elements = (0..dice.roll() % (Tuning::DEFAULT.sampling.longest + 1))
                    .map(|_| self.thrown(s, dice, at));
                Some(Value::sequence(elements.collect::<Option<Vec<_>>>()?))
            }
            LazySet::Unary(UnaryOp::Perm, s) => {
                let mut rest: Vec<Value> = self.try_list(s, at).ok()??.iter().cloned().collect();
                let mut sequence = Vec::with_capacity(rest.len());
                while !rest.is_empty() {
                    sequence.push(rest.swap_remove(dice.below(rest.len())));
                }
                Some(Value::sequence(sequence))
            }
            LazySet::Struct(fields) => {
                let field =
                    |(label, s): &(_, Value)| Some((std::sync::Arc::clone(label), self.thrown(s, dice, at)?));
                let fields: Option<Vec<_>> = fields.iter().map(field).collect();
                Some(Value::Record(fields?.into()))
            }
            LazySet::Binary(BinaryOp::Cartesian, a, b) => {
                Some(Value::pair(self.thrown(a, dice, at)?, self.thrown(b, dice, at)?))
            }
            LazySet::Binary(BinaryOp::Union, a, b) => {
                let (one, other) = if dice.coin() { (a, b) } else { (b, a) };
                self.thrown(one, dice, at).or_else(|| self.thrown(other, dice, at))
            }
            LazySet::Binary(BinaryOp::Intersection | BinaryOp::Difference, a, _) => self.thrown(a, dice, at),
            LazySet::Binary(BinaryOp::Relation, a, b) => {
                let product = LazySet::Binary(BinaryOp::Cartesian, a.clone(), b.clone());
                self.thrown_subset(&product.into(), dice, at)
            }
            LazySet::Binary(op, a, b) if op.relation_space().is_some() => {
                self.thrown_relation(op.relation_space()?, a, b, dice, at)
            }
            _ => {
                let part = self.finite_part(set, Extent::Scope, at)?;
                if part == *set {
                    let listed = self.try_list(set, at).ok()??;
                    return listed.iter().nth(dice.below(listed.len().max(1))).cloned();
                }
                self.thrown(&part, dice, at)
            }
        }
    }

    /// Returns a random subset of a set: of one that is not listed, a few elements.
    fn thrown_subset(&self, set: &Value, dice: &mut Dice, at: Span) -> Option<Value> {
        let few =
            self.cardinality(set, at).ok()?.within(self.limits.listing.min(Tuning::DEFAULT.sampling.listed));
        if few.is_some()
            && let Ok(Some(elements)) = self.try_list(set, at)
        {
            return Some(Value::set(elements.iter().filter(|_| dice.coin()).cloned()));
        }
        let elements =
            (0..dice.roll() % (Tuning::DEFAULT.sampling.longest + 1)).map(|_| self.thrown(set, dice, at));
        Some(Value::set(elements.collect::<Option<Vec<_>>>()?))
    }

    /// Returns a random relation of a kind. It may fail to be surjective where that is required.
    fn thrown_relation(
        &self,
        kind: RelationSpace,
        from: &Value,
        to: &Value,
        dice: &mut Dice,
        at: Span,
    ) -> Option<Value> {
        let points = self.try_list(from, at).ok()??;
        let mut open: Vec<Value> = match kind.injective {
            true => self.try_list(to, at).ok()??.iter().cloned().collect(),
            false => vec![],
        };
        let mut pairs = BTreeSet::new();
        for x in points.iter() {
            if !kind.functional {
                let mut images = self.thrown_subset(to, dice, at)?;
                if kind.total && self.is_empty(&images, at).ok()? {
                    images = Value::set([self.thrown(to, dice, at)?]);
                }
                let images = self.try_list(&images, at).ok()??;
                pairs.extend(images.iter().map(|y| Value::pair(x.clone(), y.clone())));
                continue;
            }
            if !kind.total && dice.coin() {
                continue;
            }
            let y = match kind.injective {
                true if open.is_empty() => break,
                true => open.swap_remove(dice.below(open.len())),
                false => self.thrown(to, dice, at)?,
            };
            pairs.insert(Value::pair(x.clone(), y));
        }
        Some(Value::set(pairs))
    }
}

impl<'m> Search<'_, 'm> {
    /// Returns a generator of some of the candidates of one that has too many, and notes the cut.
    pub(super) fn sampled<'g>(&self, generator: &Generator<'g>) -> Eval<Option<Generator<'g>>> {
        let (Generator::Elements(_, set) | Generator::Range(_, set)) = generator else { return Ok(None) };
        if self.eval.cardinality(set, self.at)?.within(self.eval.limits.listing).is_some() {
            return Ok(None);
        }
        let Some(sample) = self.eval.sample_of(set, self.at)? else { return Ok(None) };
        let part = Part::Sample(sample.len());
        let set = Value::set(sample);
        let (unknowns, generator): (Vec<Name>, _) = match generator {
            Generator::Elements(pattern, _) => {
                let names = names_of_expr(pattern);
                let unknowns = self.unknowns.iter().filter(|name| names.contains(name));
                (unknowns.copied().collect(), Generator::Elements(pattern, set))
            }
            Generator::Range(i, _) => (vec![self.unknowns[*i]], Generator::Range(*i, set)),
            _ => return Ok(None),
        };
        self.cuts.borrow_mut().extend(unknowns.into_iter().map(|name| (name, part.clone())));
        Ok(Some(generator))
    }
}
