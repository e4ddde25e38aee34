//! Bounded enumeration: a choice among infinitely many values, made among a finite part of them.
//!
//! In a finite scope a constant, a parameter or a choice that nothing confines to a finite set takes its
//! values from `MININT..MAXINT`, its sequences from those of at most `MAXINT` elements, its strings from
//! two, as in ProB. What is found so exists; what is not found may exist all the same: every such cut is
//! noted. Quantifiers and comprehensions are never cut, because their truth would rest on it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, Model, UnaryOp, Variable};
use bsym_language::source::Span;

use crate::constraint::interval::Range;
use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::Name;
use crate::value::lazy_set::LazySet;

/// Sequences that are listed; more of them are built up.
const LISTED: usize = 1 << 12;

/// Where a choice was cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Whose values were cut.
    pub name: Name,
    /// The part that they were taken from, as B text.
    pub values: String,
}

impl Cut {
    /// Where the name is declared.
    pub fn declaration(&self, model: &Model) -> Span {
        self.variable(model).map_or(Span::default(), |v| v.span)
    }

    fn variable<'m>(&self, model: &'m Model) -> Option<&'m Variable> {
        match self.name {
            Name::Local(l) => model.locals.get(l.index()),
            Name::Const(c) => model.constants.get(c.index()),
            Name::Var(v) | Name::Old(v) => model.variables.get(v.index()),
        }
    }

    /// The name, and what its values were taken from.
    pub fn message(&self, model: &Model) -> String {
        let name = self.variable(model).map_or("?", |v| &v.name);
        format!("the values of `{name}` were taken from {} only", self.values)
    }

    /// The cut as the reason why values may be missing.
    pub fn error(&self, model: &Model) -> EvalError {
        EvalError::too_large(self.declaration(model), self.message(model))
    }
}

/// The part of its values that a name was cut to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// All integers that were tried are between these.
    Integers(Int, Int),
    /// A set, as B text.
    Set(String),
    /// What a conjunct allows that stands behind one that may be ill-defined.
    BehindPartial,
}

/// The cuts that were made, one for each name.
#[derive(Debug, Default)]
pub struct Cuts {
    made: RefCell<BTreeMap<Name, Part>>,
    /// Integers that are tried, if they are not those of the scope.
    integers: Option<(Int, Int)>,
}

impl Cuts {
    /// Choices among integers are made between these and not between `MININT` and `MAXINT`. Where they are
    /// confined to others, the first of those are tried.
    pub fn between(low: Int, high: Int) -> Cuts {
        Cuts { integers: Some((low, high)), ..Cuts::default() }
    }

    /// Whether every choice was made among all its values.
    pub fn is_empty(&self) -> bool {
        self.made.borrow().is_empty()
    }

    /// All of them, in the order of the names.
    pub fn list(&self) -> Vec<Cut> {
        let text = |part: &Part| match part {
            Part::Integers(low, high) => format!("{low}..{high}"),
            Part::Set(text) => text.clone(),
            Part::BehindPartial => "what a conjunct behind one that may be ill-defined allows".into(),
        };
        self.made.borrow().iter().map(|(name, part)| Cut { name: *name, values: text(part) }).collect()
    }

    /// Notes a cut that was made before.
    pub fn restore(&self, cut: Cut) {
        self.made.borrow_mut().entry(cut.name).or_insert(Part::Set(cut.values));
    }

    fn note(&self, name: Name, part: Part) {
        let mut cuts = self.made.borrow_mut();
        let Some(known) = cuts.get_mut(&name) else {
            cuts.insert(name, part);
            return;
        };
        if let (Part::Integers(low, high), Part::Integers(l, h)) = (known, part) {
            *low = std::mem::replace(low, Int::ZERO).min(l);
            *high = std::mem::replace(high, Int::ZERO).max(h);
        }
    }
}

impl<'m> Evaluator<'m> {
    /// The same, where choices among infinitely many values are made among a finite part of them; the cuts
    /// are noted.
    pub fn with_bounded_choices(self, cuts: &'m Cuts) -> Self {
        Evaluator { cuts: Some(cuts), ..self }
    }

    /// The same, where every choice is made among all values, or is an error.
    pub fn with_all_choices(self) -> Self {
        Evaluator { cuts: None, ..self }
    }

    /// Notes a cut.
    pub(crate) fn note(&self, name: Name, part: Part) {
        if let Some(cuts) = self.cuts {
            cuts.note(name, part);
        }
    }

    /// Notes that the values of a name were taken from a part of a set only.
    pub(crate) fn note_cut(&self, name: Name, set: &Value, part: &Value) {
        self.note(name, self.part_of_cut(set, part));
    }

    /// The part of a set that a name is cut to.
    pub(crate) fn part_of_cut(&self, set: &Value, part: &Value) -> Part {
        if let Value::Lazy(lazy) = part
            && let LazySet::Interval(low, high) = &**lazy
        {
            return Part::Integers(low.clone(), high.clone());
        }
        if let Value::Lazy(lazy) = set
            && let LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) = &**lazy
        {
            let over = self.bounded_part(s, Span::default()).unwrap_or_else(|| s.clone());
            let longest = &self.scope.maxint;
            return Part::Set(format!(
                "the sequences of at most {longest} elements of {}",
                self.short(&over)
            ));
        }
        Part::Set(self.short(part))
    }

    /// The elements of an infinite set among which a choice is made, if choices may be cut.
    pub(crate) fn choices_in(&self, set: &Value, at: Span) -> Eval<Option<Value>> {
        if self.cuts.is_none() || self.cardinality(set, at)?.is_finite() == Some(true) {
            return Ok(None);
        }
        let Some(part) = self.bounded_part(set, at) else { return Ok(None) };
        let mut chosen = BTreeSet::new();
        for v in self.list(&part, at)?.iter() {
            if self.member(v, set, at)? {
                chosen.insert(v.clone());
            }
        }
        Ok(Some(Value::Set(Arc::new(chosen))))
    }

    /// The integers that are tried between bounds of which one may be missing.
    pub(crate) fn bounded_integers(&self, range: &Range) -> Value {
        if let Some((least, most)) = self.cuts.and_then(|cuts| cuts.integers.as_ref()) {
            let width = most - least;
            let (low, high) = match (&range.low, &range.high) {
                (Some(low), Some(high)) => (low.clone(), high.clone().min(low + &width)),
                (Some(low), None) => (low.clone(), low + &width),
                (None, Some(high)) => (high - &width, high.clone()),
                (None, None) => (least.clone(), most.clone()),
            };
            return self.interval(low, high);
        }
        let (least, most) = (&self.scope.minint, &self.scope.maxint);
        let (low, high) = match (&range.low, &range.high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low.max(most)),
            (None, Some(high)) => (high.min(least), high),
            (None, None) => (least, most),
        };
        self.interval(low.clone(), high.clone())
    }

    /// A finite set of candidates that are worth a try for an element of an infinite set. Some may be
    /// outside of the set.
    pub(crate) fn bounded_part(&self, set: &Value, at: Span) -> Option<Value> {
        if self.cardinality(set, at).ok()?.is_finite() == Some(true) {
            return Some(set.clone());
        }
        let Value::Lazy(lazy) = set else { return None };
        let part = |s: &Value| self.bounded_part(s, at);
        Some(match &**lazy {
            LazySet::Integers => self.bounded_integers(&Range::default()),
            LazySet::From(low) => self.bounded_integers(&Range { low: Some(low.clone()), high: None }),
            LazySet::Strings => Value::set(["STRING1", "STRING2"].map(Value::string)),
            LazySet::Power(s) => LazySet::Power(part(s)?).into(),
            LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) => self.bounded_sequences(&part(s)?, at)?,
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
                let part = part(a).or_else(|| self.bounded_part(b, at))?;
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

    /// The sequences over a finite set with at most `MAXINT` elements: listed, or as functions that are
    /// built up, of which some are no sequences.
    fn bounded_sequences(&self, set: &Value, at: Span) -> Option<Value> {
        let longest = self.scope.maxint.to_i64()?.max(0);
        let n = self.cardinality(set, at).ok()?.within(LISTED)?;
        let mut lengths = Value::empty();
        let (mut all, mut count) = (Some(0usize), Some(1usize));
        for _ in 0..=longest {
            all = all.zip(count).and_then(|(all, count)| all.checked_add(count)).filter(|a| *a <= LISTED);
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
