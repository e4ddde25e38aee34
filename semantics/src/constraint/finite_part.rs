//! Finite parts of infinite sets, where some values are useful although there may be others.
//!
//! A part is taken where a witness is searched for, and where choices are truncated to a finite scope
//! ([`crate::evaluator::cuts`] records them). No negative answer rests on a part.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::source::Span;

use num_rational::BigRational;

use crate::constraint::interval::Range;
use crate::evaluator::cuts::Part;
use crate::evaluator::{Eval, Evaluator};
use crate::prob_profile;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::Name;
use crate::value::lazy_set::LazySet;

/// Which part of an infinite set to take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A few small values.
    Sample,
    /// The values within the bounds of the scope.
    Scope,
}

impl Evaluator<'_> {
    /// Returns a finite set of candidates to try as elements of an infinite set. Some may be outside of the set.
    pub(crate) fn finite_part(&self, set: &Value, extent: Extent, at: Span) -> Option<Value> {
        if self.cardinality(set, at).ok()?.is_finite() == Some(true) {
            return Some(set.clone());
        }
        let Value::Lazy(lazy) = set else { return None };
        let part = |s: &Value| self.finite_part(s, extent, at);
        let in_scope = extent == Extent::Scope;
        Some(match &**lazy {
            LazySet::Integers if in_scope => self.integers_in_scope(&Range::default()),
            LazySet::Integers => self.interval((-1).into(), Tuning::DEFAULT.search.integers.into()),
            LazySet::From(low) if in_scope => {
                self.integers_in_scope(&Range { low: Some(low.clone()), high: None })
            }
            LazySet::From(low) => self.interval(low.clone(), low + &Tuning::DEFAULT.search.integers.into()),
            LazySet::Strings if in_scope => Value::set(prob_profile::STRINGS.map(Value::string)),
            LazySet::Strings => Value::set(["", "a", "b"].map(Value::string)),
            LazySet::Reals => Value::set(
                Tuning::DEFAULT
                    .search
                    .reals
                    .map(|(n, d)| Value::Real(Arc::new(BigRational::new(n.into(), d.into())))),
            ),
            LazySet::Power(s) => LazySet::Power(part(s)?).into(),
            LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) if in_scope => {
                self.sequences_in_scope(&part(s)?, at)?
            }
            LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) => {
                let least = usize::from(matches!(&**lazy, LazySet::Unary(UnaryOp::Seq1, _)));
                self.short_sequences(&part(s)?, least, at)?
            }
            LazySet::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1), s) if !in_scope => {
                let few: BTreeSet<_> = self
                    .try_list(&part(s)?, at)
                    .ok()??
                    .iter()
                    .take(Tuning::DEFAULT.search.injective_elements)
                    .cloned()
                    .collect();
                LazySet::Unary(*op, Value::Set(Arc::new(few))).into()
            }
            LazySet::Unary(
                op @ (UnaryOp::Pow
                | UnaryOp::Pow1
                | UnaryOp::Fin
                | UnaryOp::Fin1
                | UnaryOp::Id
                | UnaryOp::Iseq
                | UnaryOp::Iseq1),
                s,
            ) => LazySet::Unary(*op, part(s)?).into(),
            LazySet::Binary(op, a, b) if *op == BinaryOp::Cartesian || op.relation_space().is_some() => {
                LazySet::Binary(*op, part(a)?, part(b)?).into()
            }
            LazySet::Binary(BinaryOp::Intersection, a, b) => {
                let part = part(a).or_else(|| self.finite_part(b, extent, at))?;
                LazySet::Binary(BinaryOp::Intersection, part, set.clone()).into()
            }
            LazySet::Binary(BinaryOp::Difference, a, b) => {
                LazySet::Binary(BinaryOp::Difference, part(a)?, b.clone()).into()
            }
            LazySet::Binary(BinaryOp::Union, a, b) => {
                LazySet::Binary(BinaryOp::Union, part(a)?, part(b)?).into()
            }
            LazySet::Struct(fields) => LazySet::Struct(
                fields.iter().map(|(l, s)| Some((l.clone(), part(s)?))).collect::<Option<_>>()?,
            )
            .into(),
            _ => return None,
        })
    }

    /// Returns sequences over the set, the shorter ones first, up to a few hundred.
    fn short_sequences(&self, set: &Value, least: usize, at: Span) -> Option<Value> {
        let elements = self.try_list(set, at).ok()??;
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..Tuning::DEFAULT.search.sequence_length {
            let until = all.len();
            if (until - from).saturating_mul(elements.len()) > Tuning::DEFAULT.search.sequences_tried {
                break;
            }
            for i in from..until {
                for e in elements.iter() {
                    let mut longer = all[i].clone();
                    longer.push(e.clone());
                    all.push(longer);
                }
            }
            from = until;
        }
        Some(Value::set(all.into_iter().filter(|s| s.len() >= least).map(Value::sequence)))
    }

    /// Notes that the values of a name were taken only from a part of a set.
    pub(crate) fn note_cut(&self, name: Name, set: &Value, part: &Value) {
        self.note(name, self.part_of_cut(set, part));
    }

    /// Returns the part of a set that a name is cut to.
    pub(crate) fn part_of_cut(&self, set: &Value, part: &Value) -> Part {
        if let Value::Lazy(lazy) = part
            && let LazySet::Interval(low, high) = &**lazy
        {
            return Part::Integers(low.clone(), high.clone());
        }
        if let Value::Lazy(lazy) = set
            && let LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) = &**lazy
        {
            let over = self.finite_part(s, Extent::Scope, Span::default()).unwrap_or_else(|| s.clone());
            let longest = &self.scope.maxint;
            return Part::Set(format!(
                "the sequences of at most {longest} elements of {}",
                self.short(&over)
            ));
        }
        Part::Set(self.short(part))
    }

    /// Returns the elements of an infinite set to choose from, if choices may be cut.
    pub(crate) fn choices_in(&self, set: &Value, at: Span) -> Eval<Option<Value>> {
        if self.choosing.cuts.is_none() || self.cardinality(set, at)?.is_finite() == Some(true) {
            return Ok(None);
        }
        let Some(part) = self.finite_part(set, Extent::Scope, at) else { return Ok(None) };
        let mut chosen = BTreeSet::new();
        for v in self.list(&part, at)?.iter() {
            if self.member(v, set, at)? {
                chosen.insert(v.clone());
            }
        }
        Ok(Some(Value::Set(Arc::new(chosen))))
    }

    /// Returns the integers to try between bounds of which one may be missing.
    pub(crate) fn integers_in_scope(&self, range: &Range) -> Value {
        if let Some((least, most)) = self.choosing.cuts.and_then(|cuts| cuts.integers.as_ref()) {
            let width = most - least;
            let (low, high) = match (&range.low, &range.high) {
                (Some(low), Some(high)) => (low.clone(), high.clone().min(low + &width)),
                (Some(low), None) => (low.clone(), low + &width),
                (None, Some(high)) => (high - &width, high.clone()),
                (None, None) => (least.clone(), most.clone()),
            };
            return self.interval(low, high);
        }
        let bounds = (&self.scope.minint, &self.scope.maxint);
        let (low, high) = prob_profile::integers(bounds, range.low.as_ref(), range.high.as_ref());
        self.interval(low.clone(), high.clone())
    }

    /// Returns the sequences over a finite set with at most `MAXINT` elements: listed, or as functions that are built
    /// up, some of which are not sequences.
    fn sequences_in_scope(&self, set: &Value, at: Span) -> Option<Value> {
        let longest = self.scope.maxint.to_i64()?.max(0);
        let n = self.cardinality(set, at).ok()?.within(Tuning::DEFAULT.search.sequences)?;
        let mut lengths = Value::empty();
        let (mut all, mut count) = (Some(0usize), Some(1usize));
        for _ in 0..=longest {
            all = all
                .zip(count)
                .and_then(|(all, count)| all.checked_add(count))
                .filter(|a| *a <= Tuning::DEFAULT.search.sequences);
            count = count.and_then(|c| c.checked_mul(n));
            if all.is_none() {
                break;
            }
        }
        let positions = |k: i64| self.interval(1.into(), k.into());
        if all.is_none() {
            return Some(LazySet::Binary(BinaryOp::PartialFunction, positions(longest), set.clone()).into());
        }
        for k in 0..=longest {
            let of_length = LazySet::Binary(BinaryOp::TotalFunction, positions(k), set.clone()).into();
            lengths = self.binary(BinaryOp::Union, lengths, of_length, at).ok()?;
        }
        Some(lengths)
    }
}
