//! Partial values: unknowns of a search that are decided in part. Functions are decided point by point, other sets
//! element by element, and other values with a finite domain and integers in a single cell.
//!
//! An evaluation may query a [`PartialValue`] for its decided parts. A query beyond them returns the cell that has to
//! be decided first, and the evaluation ends in an error of kind [`Undecided`](crate::error::EvalErrorKind::Undecided)
//! that names this cell. So a predicate that has a truth value under a partial value keeps it whatever the unknown
//! becomes.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::int::Int;

use crate::value::Value;
use crate::value::lazy_set::LazySet;

/// A cell of a search: a point of a function, an element of a set, or a whole unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId {
    /// The search that decides it.
    pub search: u32,
    /// Its number in that search.
    pub cell: u32,
}

/// Possible contents of a cell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Domain {
    /// One of these, sorted; `None` is a point without a value, or an element that is not in the set.
    Listed(Vec<Option<Value>>),
    /// An integer between these bounds.
    Span(Option<i128>, Option<i128>),
}

impl Domain {
    /// Returns whether only one value is left.
    pub fn is_decided(&self) -> bool {
        match self {
            Domain::Listed(values) => values.len() == 1,
            Domain::Span(low, high) => low.is_some() && low == high,
        }
    }

    /// Returns the contents, if they are decided.
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

    /// Returns the number of values left, if they are finitely many.
    pub fn count(&self) -> Option<u128> {
        match self {
            Domain::Listed(values) => Some(values.len() as u128),
            Domain::Span(Some(l), Some(h)) => Some(h.abs_diff(*l).saturating_add(1)),
            Domain::Span(..) => None,
        }
    }

    /// Returns whether the cell may still have this value.
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

/// An unknown with some cells decided, and not all.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PartialValue {
    /// The search that it belongs to.
    pub search: u32,
    /// The number of its first cell in that search.
    pub first: usize,
    /// The values that it may become.
    pub shape: Arc<Shape>,
    /// The possible contents of each of its points, in their order.
    pub cells: Arc<Vec<Arc<Domain>>>,
    /// A cell that is tried with a value.
    pub trial: Option<(usize, Option<Value>)>,
}

/// Values that an unknown may become.
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
    /// Returns the points, or elements.
    pub fn points(&self) -> &[Value] {
        match self {
            Shape::Single => &[],
            Shape::Part(elements) => elements,
            Shape::Function { from, .. } => from,
        }
    }

    /// Returns the element that the cell of a point adds to the set.
    pub fn element(&self, point: usize, value: Option<Value>) -> Option<Value> {
        match self {
            Shape::Function { from, .. } => value.map(|v| Value::pair(from[point].clone(), v)),
            _ => value,
        }
    }
}

impl PartialValue {
    fn id(&self, cell: usize) -> CellId {
        CellId { search: self.search, cell: (self.first + cell) as u32 }
    }

    /// Returns the first open cell.
    pub fn first_open(&self) -> CellId {
        self.id((0..self.cells.len()).find(|i| !self.is_decided(*i)).unwrap_or(0))
    }

    fn is_decided(&self, cell: usize) -> bool {
        let tried = self.trial.as_ref().is_some_and(|(tried, _)| *tried == cell);
        tried || self.cells[cell].is_decided()
    }

    /// Returns the contents of a cell, if they are decided.
    pub fn state(&self, cell: usize) -> Option<Option<Value>> {
        match &self.trial {
            Some((tried, value)) if *tried == cell => Some(value.clone()),
            _ => self.cells[cell].decided(),
        }
    }

    fn position(&self, point: &Value) -> Option<usize> {
        self.shape.points().binary_search(point).ok()
    }

    /// Returns whether an element is in the set.
    ///
    /// # Errors
    /// The cell that decides it.
    pub fn contains(&self, x: &Value) -> Result<bool, CellId> {
        let (point, value) = match (&*self.shape, x) {
            (Shape::Part(_), x) => (x, x),
            (Shape::Function { .. }, Value::Pair(p)) => (&p.0, &p.1),
            _ => return Ok(false),
        };
        let Some(i) = self.position(point) else { return Ok(false) };
        match self.state(i) {
            Some(state) => Ok(state.as_ref() == Some(value)),
            None if !self.cells[i].may_be(value) => Ok(false),
            None => Err(self.id(i)),
        }
    }

    /// Returns the images of a point.
    ///
    /// # Errors
    /// The first cell that decides about them.
    pub fn images(&self, x: &Value) -> Result<Vec<Value>, CellId> {
        match &*self.shape {
            Shape::Single => Err(self.first_open()),
            Shape::Function { .. } => {
                let Some(i) = self.position(x) else { return Ok(Vec::new()) };
                self.state(i).map(|v| v.into_iter().collect()).ok_or_else(|| self.id(i))
            }
            Shape::Part(elements) => {
                let mut found = Vec::new();
                for (i, element) in elements.iter().enumerate() {
                    let Some((_, right)) = element.as_pair().filter(|(left, _)| *left == x) else { continue };
                    match self.state(i) {
                        Some(Some(_)) => found.push(right.clone()),
                        Some(None) => {}
                        None => return Err(self.id(i)),
                    }
                }
                Ok(found)
            }
        }
    }

    /// Returns the domain, if it is decided.
    pub fn domain(&self) -> Option<Value> {
        match &*self.shape {
            Shape::Function { from, total: true, .. } => Some(Value::set(from.iter().cloned())),
            _ => None,
        }
    }

    /// Returns whether application is defined at the point whatever the set becomes.
    pub fn is_defined_at(&self, x: &Value) -> bool {
        match &*self.shape {
            Shape::Single => false,
            Shape::Function { total: true, .. } => self.position(x).is_some(),
            Shape::Function { .. } => {
                self.position(x).and_then(|i| self.state(i)).is_some_and(|v| v.is_some())
            }
            Shape::Part(_) => self.images(x).is_ok_and(|images| images.len() == 1),
        }
    }

    /// Returns the least and the greatest number of elements that the set may get.
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

    /// Returns the elements that the set has whatever it becomes, and those that it may have if they are finitely many.
    pub fn bounds(&self) -> (BTreeSet<Value>, Option<BTreeSet<Value>>) {
        self.bounds_at(&|_| true)
    }

    /// Returns the bounds as [`Self::bounds`], restricted to the couples whose left side satisfies `at`.
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

/// Returns the partial value, if the value is one.
pub(crate) fn as_partial(value: &Value) -> Option<&PartialValue> {
    match value {
        Value::Lazy(lazy) => match &**lazy {
            LazySet::Partial(partial) => Some(partial),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a value depends on a partial one.
pub(crate) fn depends_on_partial(value: &Value) -> bool {
    partial_in(value).is_some()
}

/// Returns the first open cell of the first partial value that a value depends on.
pub(crate) fn awaited(value: &Value) -> Option<CellId> {
    partial_in(value).map(PartialValue::first_open)
}

fn partial_in(value: &Value) -> Option<&PartialValue> {
    match value {
        Value::Pair(p) => partial_in(&p.0).or_else(|| partial_in(&p.1)),
        Value::Record(fields) => fields.iter().find_map(|(_, v)| partial_in(v)),
        Value::Set(s) if value.has_lazy() => s.iter().find_map(partial_in),
        Value::Lazy(lazy) => match &**lazy {
            LazySet::Partial(partial) => Some(partial),
            LazySet::Power(s) | LazySet::Unary(_, s) => partial_in(s),
            LazySet::Prj1(a, b) | LazySet::Prj2(a, b) | LazySet::Binary(_, a, b) => {
                partial_in(a).or_else(|| partial_in(b))
            }
            LazySet::Struct(fields) => fields.iter().find_map(|(_, s)| partial_in(s)),
            LazySet::Closure(c) => c.captured.iter().find_map(|(_, v)| partial_in(v)),
            _ => None,
        },
        _ => None,
    }
}
