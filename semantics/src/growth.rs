//! Sets that a search builds up: point by point for functions, element by element for other sets.
//!
//! While a set is [`Growing`] an evaluation may ask for what is decided already. Everything else is an
//! error of kind [`EvalErrorKind::Undecided`], so that a predicate that has a truth value under a
//! growing set keeps it whatever the set becomes.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::source::Span;

use crate::cardinality::Cardinality;
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::lazy_set::LazySet;
use crate::value::Value;

/// Most points of a function, or elements a set may have, that are decided one by one.
const WIDEST: usize = 1 << 10;

/// A set of which some elements are decided.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Growing {
    /// What it may become.
    pub shape: Arc<Shape>,
    /// How many of the points are decided, in their order.
    pub decided: usize,
    /// The elements that are known to be in.
    pub chosen: Arc<BTreeSet<Value>>,
}

/// What a growing set may become.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// Any part of these elements, sorted.
    Part(Vec<Value>),
    /// A function between these sets.
    Function {
        /// Points, sorted.
        from: Vec<Value>,
        /// Values.
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
    fn points(&self) -> &[Value] {
        match self {
            Shape::Part(elements) => elements,
            Shape::Function { from, .. } => from,
        }
    }
}

impl Growing {
    /// Nothing is decided.
    pub fn new(shape: Shape) -> Growing {
        Growing { shape: Arc::new(shape), decided: 0, chosen: Arc::default() }
    }

    /// The set, if all of it is decided.
    pub fn finished(&self) -> Option<Value> {
        (self.decided == self.shape.points().len()).then(|| Value::Set(self.chosen.clone()))
    }

    /// How many ways there are to decide the next point, at most.
    pub fn options(&self) -> usize {
        match &*self.shape {
            Shape::Part(_) => 2,
            Shape::Function { to, total, .. } => to.len() + usize::from(!total),
        }
    }

    /// The sets with one more point decided.
    pub fn next(&self) -> Vec<Growing> {
        let Some(point) = self.shape.points().get(self.decided) else { return Vec::new() };
        let decided = self.decided + 1;
        let without = || Growing { shape: self.shape.clone(), decided, chosen: self.chosen.clone() };
        let with = |element: Value| {
            let mut chosen = (*self.chosen).clone();
            chosen.insert(element);
            Growing { shape: self.shape.clone(), decided, chosen: Arc::new(chosen) }
        };
        match &*self.shape {
            Shape::Part(_) => vec![without(), with(point.clone())],
            Shape::Function { from, to, total, injective, surjective } => {
                let used: BTreeSet<&Value> =
                    self.chosen.iter().filter_map(|p| p.as_pair().map(|p| p.1)).collect();
                let open = from.len() - self.decided;
                let missed = to.len() - used.len();
                if *surjective && missed > open {
                    return Vec::new();
                }
                let mut all = Vec::new();
                if !(*total || *surjective && missed == open) {
                    all.push(without());
                }
                for y in to {
                    let fresh = !used.contains(y);
                    if (*injective && !fresh) || (*surjective && missed == open && !fresh) {
                        continue;
                    }
                    all.push(with(Value::pair(point.clone(), y.clone())));
                }
                all
            }
        }
    }

    fn position(&self, point: &Value) -> Option<usize> {
        self.shape.points().binary_search(point).ok()
    }

    /// Whether an element is in; `None` if that is not decided.
    pub fn contains(&self, x: &Value) -> Option<bool> {
        let point = match (&*self.shape, x) {
            (Shape::Part(_), x) => x,
            (Shape::Function { .. }, Value::Pair(p)) => &p.0,
            _ => return Some(false),
        };
        match self.position(point) {
            None => Some(false),
            Some(i) if i < self.decided => Some(self.chosen.contains(x)),
            Some(_) => None,
        }
    }

    /// The images of a point; `None` if they are not decided.
    pub fn images(&self, x: &Value) -> Option<Vec<Value>> {
        let decided = match &*self.shape {
            Shape::Function { .. } => self.position(x).is_none_or(|i| i < self.decided),
            Shape::Part(elements) => {
                !elements[self.decided..].iter().any(|e| e.as_pair().is_some_and(|(l, _)| l == x))
            }
        };
        let found = || self.chosen.iter().filter_map(Value::as_pair).filter(|(l, _)| *l == x);
        decided.then(|| found().map(|(_, r)| r.clone()).collect())
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
            Shape::Function { total: true, .. } => self.position(x).is_some(),
            _ => self.images(x).is_some_and(|images| images.len() == 1),
        }
    }

    /// The least and the greatest number of elements that it may get.
    pub fn size(&self) -> (usize, usize) {
        let open = self.shape.points().len() - self.decided;
        match &*self.shape {
            Shape::Function { total: true, from, .. } => (from.len(), from.len()),
            _ => (self.chosen.len(), self.chosen.len() + open),
        }
    }
}

/// The growing set that a value is.
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

    /// What an element of the set looks like before anything of it is decided.
    pub(crate) fn shape(&self, set: &Value, at: Span) -> Eval<Option<Shape>> {
        let Value::Lazy(lazy) = set else { return Ok(None) };
        let list = |s: &Value| -> Eval<Option<Vec<Value>>> {
            let listed: Vec<_> = self.list(s, at)?.iter().cloned().collect();
            Ok((listed.len() <= WIDEST && !listed.iter().any(Value::has_lazy)).then_some(listed))
        };
        Ok(match &**lazy {
            LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, s) => {
                list(s)?.map(Shape::Part)
            }
            LazySet::Unary(UnaryOp::Perm, s) => list(s)?.map(|to| Shape::Function {
                from: (1..=to.len() as i64).map(Value::int).collect(),
                to,
                total: true,
                injective: true,
                surjective: true,
            }),
            LazySet::Binary(op, a, b) => match op.relation_space() {
                Some(kind) if kind.functional => match (list(a)?, list(b)?) {
                    (Some(from), Some(to)) => Some(Shape::Function {
                        from,
                        to,
                        total: kind.total,
                        injective: kind.injective,
                        surjective: kind.surjective,
                    }),
                    _ => None,
                },
                Some(_) => {
                    let product = self.binary(BinaryOp::Cartesian, a.clone(), b.clone(), at)?;
                    list(&product)?.map(Shape::Part)
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
