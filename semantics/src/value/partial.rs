//! Unknowns of a search of which a part is decided: functions point by point, other sets element by
//! element, and whatever else has a finite domain or is an integer as a single cell.
//!
//! While an unknown is [`Growing`] an evaluation may ask for what is decided already. Everything else is
//! an error of kind [`EvalErrorKind::Undecided`], so that a predicate that has a truth value under a
//! growing unknown keeps it whatever the unknown becomes. The first cell that was asked for in vain is
//! remembered, so that the search knows what the predicate waits for.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::operators::RelationSpace;
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::lazy_set::LazySet;

/// Most points of a function, or elements a set may have, that are decided one by one.
const WIDEST: usize = 1 << 10;

/// Most values that are listed as the domain of one cell.
pub(crate) const LISTED: usize = 1 << 12;

thread_local! {
    static ASKED: Cell<Option<(u32, usize)>> = const { Cell::new(None) };
}

/// The search and the cell that were asked for first since this was set; sets it.
pub(crate) fn asked(next: Option<(u32, usize)>) -> Option<(u32, usize)> {
    ASKED.replace(next)
}

/// What a cell may still be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Domain {
    /// One of these, sorted; `None` is a point without a value, or an element that is not in.
    Listed(Vec<Option<Value>>),
    /// An integer between these bounds.
    Span(Option<i128>, Option<i128>),
}

impl Domain {
    /// What it is, if that is decided.
    pub fn decided(&self) -> Option<Option<Value>> {
        match self {
            Domain::Listed(values) => match &values[..] {
                [only] => Some(only.clone()),
                _ => None,
            },
            Domain::Span(Some(l), Some(h)) if l == h => Some(Some(integer(*l))),
            Domain::Span(..) => None,
        }
    }

    /// How many values are left, if they are finitely many.
    pub fn count(&self) -> Option<u128> {
        match self {
            Domain::Listed(values) => Some(values.len() as u128),
            Domain::Span(Some(l), Some(h)) => Some(h.abs_diff(*l).saturating_add(1)),
            Domain::Span(..) => None,
        }
    }

    /// Whether it may still be this value.
    pub fn may_be(&self, value: &Value) -> bool {
        match self {
            Domain::Listed(values) => values.binary_search_by(|v| v.as_ref().cmp(&Some(value))).is_ok(),
            Domain::Span(low, high) => match value.as_int().and_then(Int::to_i64).map(i128::from) {
                Some(n) => low.is_none_or(|l| l <= n) && high.is_none_or(|h| n <= h),
                None => true,
            },
        }
    }
}

/// An integer as a value.
pub(crate) fn integer(n: i128) -> Value {
    match i64::try_from(n) {
        Ok(n) => Value::int(n),
        Err(_) => Value::Int(Int::from(num_bigint::BigInt::from(n))),
    }
}

/// An unknown of which some cells are decided, and not all.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Growing {
    /// The search that it belongs to.
    pub search: u32,
    /// The number of its first cell in that search.
    pub first: usize,
    /// What it may become.
    pub shape: Arc<Shape>,
    /// What each of its points may be, in their order.
    pub cells: Arc<Vec<Arc<Domain>>>,
    /// A cell that is tried with a value.
    pub trial: Option<(usize, Option<Value>)>,
}

/// What a growing unknown may become.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// A value in its only cell.
    Single,
    /// Any part of these elements, sorted.
    Part(Vec<Value>),
    /// A function between these sets.
    Function {
        /// Points, sorted.
        from: Vec<Value>,
        /// Values; empty where they are integers without bound.
        to: Vec<Value>,
        /// Every point has a value.
        total: bool,
        /// No two points have the same value.
        injective: bool,
        /// Every value is that of a point.
        surjective: bool,
    },
}

impl Shape {
    /// The points, or elements.
    pub fn points(&self) -> &[Value] {
        match self {
            Shape::Single => &[],
            Shape::Part(elements) => elements,
            Shape::Function { from, .. } => from,
        }
    }

    /// What the cell of a point adds to the set.
    pub fn element(&self, point: usize, value: Option<Value>) -> Option<Value> {
        match self {
            Shape::Function { from, .. } => value.map(|v| Value::pair(from[point].clone(), v)),
            _ => value,
        }
    }
}

impl Growing {
    fn ask(&self, cell: usize) {
        if ASKED.get().is_none() {
            ASKED.set(Some((self.search, self.first + cell)));
        }
    }

    /// Asks for the first cell that is open.
    pub fn ask_first(&self) {
        if let Some(i) = (0..self.cells.len()).find(|i| self.state(*i).is_none()) {
            self.ask(i);
        }
    }

    /// What a cell is, if that is decided.
    pub fn state(&self, cell: usize) -> Option<Option<Value>> {
        match &self.trial {
            Some((tried, value)) if *tried == cell => Some(value.clone()),
            _ => self.cells[cell].decided(),
        }
    }

    fn position(&self, point: &Value) -> Option<usize> {
        self.shape.points().binary_search(point).ok()
    }

    /// Whether an element is in; `None` if that is not decided.
    pub fn contains(&self, x: &Value) -> Option<bool> {
        let (point, value) = match (&*self.shape, x) {
            (Shape::Part(_), x) => (x, x),
            (Shape::Function { .. }, Value::Pair(p)) => (&p.0, &p.1),
            _ => return Some(false),
        };
        let Some(i) = self.position(point) else { return Some(false) };
        match self.state(i) {
            Some(state) => Some(state.as_ref() == Some(value)),
            None if !self.cells[i].may_be(value) => Some(false),
            None => {
                self.ask(i);
                None
            }
        }
    }

    /// The images of a point; `None` if they are not decided.
    pub fn images(&self, x: &Value) -> Option<Vec<Value>> {
        match &*self.shape {
            Shape::Single => None,
            Shape::Function { .. } => {
                let Some(i) = self.position(x) else { return Some(Vec::new()) };
                let state = self.state(i);
                if state.is_none() {
                    self.ask(i);
                }
                state.map(|v| v.into_iter().collect())
            }
            Shape::Part(elements) => {
                let mut found = Vec::new();
                for (i, element) in elements.iter().enumerate() {
                    let Some((_, right)) = element.as_pair().filter(|(left, _)| *left == x) else { continue };
                    match self.state(i) {
                        Some(Some(_)) => found.push(right.clone()),
                        Some(None) => {}
                        None => {
                            self.ask(i);
                            return None;
                        }
                    }
                }
                Some(found)
            }
        }
    }

    /// The domain, where it is decided.
    pub fn domain(&self) -> Option<Value> {
        match &*self.shape {
            Shape::Function { from, total: true, .. } => Some(Value::set(from.iter().cloned())),
            _ => None,
        }
    }

    /// Whether application is defined at the point whatever the set becomes.
    pub fn is_defined_at(&self, x: &Value) -> bool {
        match &*self.shape {
            Shape::Single => false,
            Shape::Function { total: true, .. } => self.position(x).is_some(),
            Shape::Function { .. } => {
                self.position(x).and_then(|i| self.state(i)).is_some_and(|v| v.is_some())
            }
            Shape::Part(_) => {
                let before = asked(None);
                let images = self.images(x);
                asked(before);
                images.is_some_and(|images| images.len() == 1)
            }
        }
    }

    /// The least and the greatest number of elements that it may get.
    pub fn size(&self) -> (usize, usize) {
        let (mut least, mut greatest) = (0, 0);
        for i in 0..self.cells.len() {
            match self.state(i) {
                Some(Some(_)) => (least, greatest) = (least + 1, greatest + 1),
                Some(None) => {}
                None => {
                    greatest += 1;
                    least += usize::from(!matches!(&*self.cells[i], Domain::Listed(v) if v[0].is_none()));
                }
            }
        }
        (least, greatest)
    }

    /// The elements that it has whatever it becomes, and those that it may have if they are finitely many.
    pub fn bounds(&self) -> (BTreeSet<Value>, Option<BTreeSet<Value>>) {
        self.bounds_at(&|_| true)
    }

    /// The same for the couples whose left side is one of some points.
    pub fn bounds_at(&self, at: &dyn Fn(&Value) -> bool) -> (BTreeSet<Value>, Option<BTreeSet<Value>>) {
        let (mut lower, mut upper) = (BTreeSet::new(), Some(BTreeSet::new()));
        for i in 0..self.cells.len() {
            let wanted = match &*self.shape {
                Shape::Function { from, .. } => at(&from[i]),
                Shape::Part(elements) => elements[i].as_pair().is_none_or(|(left, _)| at(left)),
                Shape::Single => true,
            };
            if !wanted {
                continue;
            }
            match (self.state(i), &*self.cells[i]) {
                (Some(state), _) => {
                    let element = self.shape.element(i, state);
                    upper.iter_mut().for_each(|u| u.extend(element.clone()));
                    lower.extend(element);
                }
                (None, Domain::Listed(values)) => {
                    let elements = values.iter().filter_map(|v| self.shape.element(i, v.clone()));
                    upper.iter_mut().for_each(|u| u.extend(elements.clone()));
                }
                (None, Domain::Span(..)) => upper = None,
            }
        }
        (lower, upper)
    }
}

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

/// The growing unknown that a value is.
pub(crate) fn growing(value: &Value) -> Option<&Growing> {
    match value {
        Value::Lazy(lazy) => match &**lazy {
            LazySet::Growing(growing) => Some(growing),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a value asks for a set that is growing.
pub(crate) fn depends_on_growing(value: &Value) -> bool {
    match value {
        Value::Pair(p) => depends_on_growing(&p.0) || depends_on_growing(&p.1),
        Value::Record(fields) => fields.iter().any(|(_, v)| depends_on_growing(v)),
        Value::Set(s) => value.has_lazy() && s.iter().any(depends_on_growing),
        Value::Lazy(lazy) => match &**lazy {
            LazySet::Growing(_) => true,
            LazySet::Power(s) | LazySet::Unary(_, s) => depends_on_growing(s),
            LazySet::Prj1(a, b) | LazySet::Prj2(a, b) | LazySet::Binary(_, a, b) => {
                depends_on_growing(a) || depends_on_growing(b)
            }
            LazySet::Struct(fields) => fields.iter().any(|(_, s)| depends_on_growing(s)),
            LazySet::Closure(c) => c.captured.iter().any(|(_, v)| depends_on_growing(v)),
            _ => false,
        },
        _ => false,
    }
}

impl Evaluator<'_> {
    /// The error for an unknown of which more is wanted than is decided.
    pub(crate) fn still_growing(&self, growing: &Growing, at: Span) -> EvalError {
        growing.ask_first();
        self.undecided(at)
    }

    /// The error for what is not decided yet.
    pub(crate) fn undecided(&self, at: Span) -> EvalError {
        EvalError {
            kind: EvalErrorKind::Undecided,
            span: at,
            message: "this part of the set is not decided yet".into(),
        }
    }

    /// How many ways there are to decide the first point of an element of the set, if its elements can
    /// be built up.
    pub(crate) fn first_options(&self, set: &Value, at: Span) -> Option<usize> {
        let Value::Lazy(lazy) = set else { return None };
        let size = |s: &Value| self.cardinality(s, at).ok().and_then(|c| c.within(WIDEST));
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
                    false => (n.saturating_mul(m) <= WIDEST).then_some(2),
                }
            }
            _ => None,
        }
    }

    /// What an element of the set looks like before anything of it is decided, with what each of its
    /// points may be.
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
                list(s, WIDEST)?.map(part)
            }
            LazySet::Unary(UnaryOp::Perm, s) => list(s, WIDEST)?.and_then(|to| {
                let kind = BinaryOp::TotalBijection.relation_space()?;
                let from = (1..=to.len() as i64).map(Value::int).collect();
                Some(function(from, to, kind))
            }),
            LazySet::Binary(op, a, b) => match op.relation_space() {
                Some(kind) if kind.functional => {
                    let Some(from) = list(a, WIDEST)? else { return Ok(None) };
                    match (list(b, LISTED)?, integers(b)) {
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
                    list(&product, WIDEST)?.map(part)
                }
                None => None,
            },
            _ => None,
        })
    }

    /// A finite part of an infinite set, for a search that cannot look at all of it.
    pub(crate) fn finite_part(&self, set: &Value, at: Span) -> Option<Value> {
        const WIDTH: i64 = 16;
        if self.cardinality(set, at).ok()?.is_finite() == Some(true) {
            return Some(set.clone());
        }
        let Value::Lazy(lazy) = set else { return None };
        let part = |s: &Value| self.finite_part(s, at);
        Some(match &**lazy {
            LazySet::Integers => self.interval((-1).into(), WIDTH.into()),
            LazySet::From(low) => self.interval(low.clone(), low + &WIDTH.into()),
            LazySet::Strings => Value::set(["", "a", "b"].map(Value::string)),
            LazySet::Power(s) => LazySet::Power(part(s)?).into(),
            LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) => {
                let least = usize::from(matches!(&**lazy, LazySet::Unary(UnaryOp::Seq1, _)));
                self.short_sequences(&part(s)?, least, at)?
            }
            LazySet::Unary(op @ (UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1 | UnaryOp::Id), s) => {
                LazySet::Unary(*op, part(s)?).into()
            }
            LazySet::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1), s) => {
                let few: BTreeSet<_> = self.try_list(&part(s)?, at).ok()??.iter().take(3).cloned().collect();
                LazySet::Unary(*op, Value::Set(Arc::new(few))).into()
            }
            LazySet::Binary(op, a, b) if *op == BinaryOp::Cartesian || op.relation_space().is_some() => {
                LazySet::Binary(*op, part(a)?, part(b)?).into()
            }
            LazySet::Binary(op @ (BinaryOp::Difference | BinaryOp::Intersection), a, b) => {
                LazySet::Binary(*op, part(a)?, b.clone()).into()
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

    /// Sequences over the set, the shorter ones first, as many as a few hundred.
    fn short_sequences(&self, set: &Value, least: usize, at: Span) -> Option<Value> {
        let elements = self.try_list(set, at).ok()??;
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..4 {
            let until = all.len();
            if (until - from).saturating_mul(elements.len()) > 512 {
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

    /// Bounds of the number of elements, also of a set that is growing.
    pub(crate) fn size_bounds(&self, set: &Value, at: Span) -> Option<(usize, usize)> {
        if let Some(growing) = growing(set) {
            return Some(growing.size());
        }
        match self.cardinality(set, at).ok()? {
            Cardinality::Exact(n) => n.to_usize().map(|n| (n, n)),
            Cardinality::AtMost(n) => n.to_usize().map(|n| (0, n)),
            _ => None,
        }
    }
}
