//! Selection of the next unknown to bind: the literal, range or type with the fewest candidates.

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, PredKind};
use bsym_language::types::Type;

use crate::constraint::candidates::needs_sequences;
use crate::constraint::finite_part::Extent;
use crate::constraint::interval::{Narrowing, Range};
use crate::constraint::search::{Binding, Generator, Literal, Probing, Search, effective};
use crate::error::EvalError;
use crate::evaluator::Eval;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::Env;
use crate::value::lazy_set::LazySet;
use crate::value::partial::depends_on_partial;

/// Candidates for the next unknown.
struct Offers<'s> {
    /// The generator with the fewest candidates, and their number.
    best: Option<(usize, Generator<'s>)>,
    /// Bounds of each unknown.
    ranges: Vec<Range>,
    /// The set that each unknown is an element of, if one is known.
    confined: Vec<Option<Value>>,
    /// Comparisons of integers.
    comparisons: Vec<(CompareOp, &'s Expr, &'s Expr)>,
    /// A part of the candidates for an integer that has infinitely many.
    infinite: Option<Generator<'s>>,
}

impl<'s> Offers<'s> {
    fn offer(&mut self, size: usize, generator: Generator<'s>) {
        if self.best.as_ref().is_none_or(|(n, _)| size < *n) {
            self.best = Some((size, generator));
        }
    }

    fn compare(&mut self, literal: &Literal<'s>) {
        let PredKind::Compare(op, a, b) = &literal.pred.kind else { return };
        let op = effective(*op, literal.positive);
        if a.ty == Type::Int && b.ty == Type::Int {
            self.comparisons.push((op, a, b));
        }
        if let ExprKind::Binary(BinaryOp::Interval, low, high) = &b.kind
            && op == CompareOp::Member
        {
            self.comparisons.push((CompareOp::LessEqual, low, a));
            self.comparisons.push((CompareOp::LessEqual, a, high));
        }
    }
}

impl Search<'_, '_> {
    /// Returns the generator with the fewest candidates.
    pub(super) fn generator(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Eval<Generator<'_>> {
        self.waiting.take();
        let mut offers = self.offers(env, bound, settled);
        if let Some((_, generator)) = offers.best.take_if(|(n, _)| *n <= 1) {
            return Ok(generator);
        }
        if !self.between_integers(env, bound, &mut offers)? {
            return Ok(Generator::Nothing);
        }
        if let Some((n, generator)) = offers.best.take_if(|(n, _)| *n <= self.eval.limits.listing) {
            // What follows from a predicate about other names may leave far fewer.
            let all = match &generator {
                Generator::Elements(_, set) | Generator::Range(_, set) => {
                    self.eval.cardinality(set, self.at)?.within(usize::MAX).unwrap_or(n)
                }
                _ => n,
            };
            let many = all > Tuning::DEFAULT.search.projected && self.probe == Probing::No;
            let projected = if many { self.projected(env, bound, settled, all)? } else { None };
            return Ok(projected.unwrap_or(generator));
        }
        if let Some(generator) = self.between_bounds(env, bound, settled, &offers.confined)? {
            return Ok(generator);
        }
        if let Some(generator) = self.of_type(bound, settled)? {
            // Listing all values of a type is useless if the search around this one will leave few.
            if let Some(e) = self
                .waiting
                .take()
                .filter(|_| self.size(&generator, usize::MAX, settled) > Tuning::DEFAULT.search.few)
            {
                return Err(e);
            }
            return Ok(generator);
        }
        if let Some(e) = self.waiting.take() {
            return Err(e);
        }
        if let Some(generator) = self.projected(env, bound, settled, usize::MAX)? {
            return Ok(generator);
        }
        if let Some(generator) = self.recursive(env, bound, settled) {
            return Ok(generator);
        }
        self.of_many(env, bound, settled, offers)
    }

    /// Collects what the literals offer, up to a generator with at most one candidate.
    fn offers(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Offers<'_> {
        let mut offers = Offers {
            best: None,
            ranges: vec![Range::default(); self.unknowns.len()],
            confined: vec![None; self.unknowns.len()],
            comparisons: vec![],
            infinite: None,
        };
        for (i, literal) in self.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            let literals = (literal.positive, literal.pred);
            let found = self.candidates_of(env, literals, bound, &mut offers.ranges, &mut offers.confined);
            // A set that depends on a partial value is not a generator yet.
            let found = found.filter(|generator| match generator {
                Generator::Elements(_, set) | Generator::Range(_, set) => !depends_on_partial(set),
                _ => true,
            });
            let found = found.filter(|generator| !needs_sequences(generator) || self.is_total(env, i));
            // A generator that binds the names in a pattern must not pass over an operand of it that has no value.
            let found = found.filter(|generator| match generator {
                Generator::Elements(pattern, _) | Generator::Values(pattern, _) => {
                    self.is_total(env, i) || self.has_defined_operands(env, pattern)
                }
                _ => true,
            });
            if let Some(generator) = found {
                let size = self.size(&generator, i, settled);
                offers.offer(size, generator);
                if size <= 1 {
                    break;
                }
            }
            if !self.is_total(env, i) {
                break;
            }
            offers.compare(literal);
        }
        offers
    }

    /// Narrows the ranges of integers by the comparisons, and offers those that are finite. Returns `false` if a range
    /// is empty.
    fn between_integers<'s>(&'s self, env: &Env<'_>, bound: &Binding, offers: &mut Offers<'s>) -> Eval<bool> {
        let position = |e: &Expr| self.unknown(e, bound);
        let mut narrowing = Narrowing::new(self.eval, env, &position, std::mem::take(&mut offers.ranges));
        if !narrowing.run(&offers.comparisons) {
            return Ok(false);
        }
        self.note(narrowing.awaits.get());
        offers.ranges = narrowing.ranges;
        for (i, Range { low, high }) in offers.ranges.clone().into_iter().enumerate() {
            if bound[i].is_some() {
                continue;
            }
            let range = match (low.clone(), high.clone()) {
                (Some(low), Some(high)) => self.eval.interval(low, high),
                (Some(low), None) => LazySet::From(low).into(),
                _ => LazySet::Integers.into(),
            };
            let is_int = self.eval.type_of(self.unknowns[i]) == Some(&Type::Int);
            if matches!(self.probe, Probing::Witness | Probing::Some) && offers.infinite.is_none() && is_int {
                offers.infinite = Some(Generator::Probe(i, self.probed(low.as_ref(), high.as_ref())));
            }
            if low.is_none() && (high.is_none() || !is_int) {
                continue;
            }
            let range = match &offers.confined[i] {
                Some(set) => self.eval.binary(BinaryOp::Intersection, range, set.clone(), self.at)?,
                None => range,
            };
            if let Some(n) = self.eval.cardinality(&range, self.at)?.within(usize::MAX) {
                offers.offer(n, Generator::Range(i, range));
            }
        }
        Ok(true)
    }

    /// Returns a generator where all have too many candidates, if a part of them is enough.
    fn of_many<'s>(
        &'s self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        offers: Offers<'s>,
    ) -> Eval<Generator<'s>> {
        let Offers { mut best, ranges, confined, infinite, .. } = offers;
        if self.probe == Probing::Bounded {
            let least = best.as_ref().map(|(n, _)| *n);
            if let Some(generator) = self.cut(env, bound, settled, (&ranges, &confined), least)? {
                return Ok(generator);
            }
            if let Some((_, generator)) = &best
                && let Some(generator) = self.sampled(generator)?
            {
                return Ok(generator);
            }
        }
        if let Some((_, generator)) = best.take_if(|(n, _)| *n < usize::MAX) {
            // If every solution is wanted, looking at a part of them is useless.
            if let Generator::Elements(_, set) | Generator::Range(_, set) = &generator
                && self.probe == Probing::No
                && self
                    .eval
                    .cardinality(set, self.at)?
                    .exact()
                    .is_some_and(|n| *n > Int::from(self.eval.limits.listing as i64))
            {
                return Err(self.too_many());
            }
            return Ok(generator);
        }
        if self.probe == Probing::Some
            && let Some(generator) = self.part_of(bound, &confined)
        {
            return Ok(generator);
        }
        match (infinite, best) {
            (Some(generator), _) => Ok(generator),
            (None, Some((_, Generator::Elements(_, set) | Generator::Range(_, set)))) => {
                Err(self.eval.not_listed(&set, self.at))
            }
            _ => {
                let open = bound.iter().position(Option::is_none).unwrap_or(0);
                Err(self.unconfined(open))
            }
        }
    }

    /// Solves `c = E` where E is a relation that needs c itself.
    pub(super) fn recursive(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
    ) -> Option<Generator<'_>> {
        self.literals.iter().enumerate().find_map(|(i, literal)| {
            let PredKind::Compare(CompareOp::Equal, a, b) = &literal.pred.kind else { return None };
            let ExprKind::Const(c) = a.kind else { return None };
            self.unknown(a, bound)?;
            let value = self.eval.recursive(env, c, b).filter(|_| literal.positive && !settled[i])?;
            self.may_narrow(env, settled, i).then(|| Generator::Values(a, vec![value]))
        })
    }

    /// Returns the number of candidates of a generator, or of ways to decide the first point where sets are built up.
    pub(super) fn size(&self, generator: &Generator<'_>, literal: usize, settled: &[bool]) -> usize {
        match generator {
            Generator::Values(_, values) => values.len(),
            Generator::Elements(_, set)
            | Generator::Range(_, set)
            | Generator::Probe(_, set)
            | Generator::Projected(_, set, _) => {
                let all = self.eval.cardinality(set, self.at).ok().and_then(|c| c.within(usize::MAX));
                match self.growable(generator, literal, settled) {
                    Some(_) if all.is_none_or(|n| n > Tuning::DEFAULT.search.few) => {
                        self.eval.first_options(set, self.at).or(all).unwrap_or(usize::MAX)
                    }
                    _ => all.unwrap_or(usize::MAX),
                }
            }
            Generator::Nothing => 0,
        }
    }

    /// Returns the unknown whose values are the elements of the generator, if building them up pays: another literal
    /// may refute a part.
    pub(super) fn growable(
        &self,
        generator: &Generator<'_>,
        literal: usize,
        settled: &[bool],
    ) -> Option<usize> {
        let index = match generator {
            Generator::Range(i, _) | Generator::Projected(i, ..) => *i,
            Generator::Elements(pattern, _) => self.named(pattern)?,
            _ => return None,
        };
        (0..self.literals.len())
            .any(|i| {
                i != literal
                    && !settled[i]
                    && self.literals[i].needs.contains(&index)
                    && !self.is_universal(i)
            })
            .then_some(index)
    }

    pub(super) fn probed(&self, low: Option<&Int>, high: Option<&Int>) -> Value {
        let width = if self.probe == Probing::Witness {
            Tuning::DEFAULT.search.probed
        } else {
            Tuning::DEFAULT.search.few as i64
        };
        let half = Int::from(width / 2);
        let (from, to) = match (low, high) {
            (Some(low), _) => (low.clone(), low + &Int::from(width)),
            (None, Some(high)) => (high - &Int::from(width), high.clone()),
            (None, None) => (-&half, half),
        };
        self.eval.interval(from, to)
    }

    /// Generates the values of the type of an unknown, the smallest type first.
    pub(super) fn of_type(&self, bound: &Binding, settled: &[bool]) -> Eval<Option<Generator<'_>>> {
        let mut best: Option<(usize, Generator<'_>)> = None;
        for (i, name) in self.unknowns.iter().enumerate() {
            let Some(ty) = self.eval.type_of(*name).filter(|_| bound[i].is_none()) else { continue };
            let values = self.eval.type_values(ty);
            let generator = Generator::Range(i, values);
            let n = self.size(&generator, usize::MAX, settled);
            if n <= self.eval.limits.listing && best.as_ref().is_none_or(|(m, _)| n < *m) {
                best = Some((n, generator));
            }
        }
        Ok(best.map(|(_, generator)| generator))
    }

    /// Generates a few elements of an infinite set that confines an unknown.
    pub(super) fn part_of(&self, bound: &Binding, confined: &[Option<Value>]) -> Option<Generator<'_>> {
        let of = |i: usize| {
            let set = match &confined[i] {
                Some(set) => set.clone(),
                None => self.eval.type_values(self.eval.type_of(self.unknowns[i])?),
            };
            self.eval.finite_part(&set, Extent::Sample, self.at)
        };
        let is_int = |i: usize| self.eval.type_of(self.unknowns[i]) == Some(&Type::Int);
        let open = || (0..bound.len()).filter(|i| bound[*i].is_none());
        let some = open()
            .filter(|i| !is_int(*i) && confined[*i].is_some())
            .chain(open().filter(|i| !is_int(*i)))
            .find_map(|i| Some((i, of(i)?)));
        // Integers have their own range.
        if open().any(is_int) {
            return None;
        }
        some.map(|(i, set)| Generator::Probe(i, set))
    }

    pub(super) fn unconfined(&self, index: usize) -> EvalError {
        let name = self.unknowns.get(index).map_or("?", |n| self.eval.name(*n));
        let message = format!("nothing confines `{name}` to values that can be enumerated");
        EvalError::too_large(self.at, message).for_want_of(self.unknowns.get(index).copied())
    }
}
