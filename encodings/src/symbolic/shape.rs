//! Shapes: how a value of a type is laid out in terms, fresh values, and packing into one term.

use std::rc::Rc;

use bsym_language::types::Type;
use bsym_semantics::value::Value;
use bsym_semantics::value::lazy_set::LazySet;

use super::{Form, Set, Symbolic, Universe};
use crate::representation::layout::{Function, Layout};
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::term::{Op, Sort, SortKind, Term, Terms};
use crate::tuning::tuning;

/// Representation of a value by terms. The leaves of a shape are the terms that a value of it consists of, in a fixed
/// order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One term.
    Atom(Type),
    /// A couple.
    Pair(Box<Shape>, Box<Shape>),
    /// A record.
    Record(Vec<(String, Shape)>),
    /// A set by its characteristic vector; type of the elements and the possible ones.
    Vector(Type, Universe),
    /// A set as an array to `Bool`.
    Array(Type),
    /// A function whose possible arguments are known.
    Table {
        /// Type of the couples.
        element: Type,
        /// Possible arguments.
        keys: Universe,
        /// All of them are in the domain, which then has no terms.
        total: bool,
        /// Shape of the values.
        value: Rc<Shape>,
    },
    /// A function as domain and value arrays; element type and shape of the values.
    Map(Type, Rc<Shape>),
    /// A sequence; element type and shape of the values.
    Sequence(Type, Rc<Shape>),
}

impl Shape {
    /// Number of leaves.
    pub(crate) fn size(&self) -> usize {
        match self {
            Shape::Atom(_) | Shape::Array(_) => 1,
            Shape::Pair(a, b) => a.size().saturating_add(b.size()),
            Shape::Record(fields) => fields.iter().map(|(_, s)| s.size()).fold(0, usize::saturating_add),
            Shape::Vector(_, universe) => universe.len(),
            Shape::Table { keys, total, value, .. } => {
                keys.len().saturating_mul(value.size().saturating_add(usize::from(!total)))
            }
            Shape::Map(_, value) | Shape::Sequence(_, value) => value.size().saturating_add(1),
        }
    }

    /// Returns whether every value of its type has this shape.
    pub(crate) fn has_room_for_all(&self) -> bool {
        match self {
            Shape::Atom(_) | Shape::Array(_) => true,
            Shape::Pair(a, b) => a.has_room_for_all() && b.has_room_for_all(),
            Shape::Record(fields) => fields.iter().all(|(_, s)| s.has_room_for_all()),
            Shape::Vector(_, universe) => universe.is_whole(),
            Shape::Table { .. } | Shape::Map(..) | Shape::Sequence(..) => false,
        }
    }

    /// Adds the leaves of a value that has this shape.
    pub(crate) fn leaves_of(&self, v: &Symbolic, all: &mut Vec<Term>) {
        match (self, v) {
            (Shape::Pair(s, t), Symbolic::Pair(a, b)) => {
                s.leaves_of(a, all);
                t.leaves_of(b, all);
            }
            (Shape::Record(shapes), Symbolic::Record(fields)) => {
                shapes.iter().zip(fields).for_each(|((_, s), (_, v))| s.leaves_of(v, all));
            }
            (Shape::Table { total, value, .. }, Symbolic::Set(set)) => {
                let Form::Table(_, entries) = &set.form else { return };
                for (bit, v) in entries {
                    if !total {
                        all.push(*bit);
                    }
                    value.leaves_of(v, all);
                }
            }
            _ => all.extend(v.leaves()),
        }
    }
}

impl Encoder {
    /// The shape for values of a type that all are of a layout.
    pub fn shape(&self, ty: &Type, layout: &Layout) -> Shape {
        match ty {
            Type::Bool
            | Type::Int
            | Type::Real
            | Type::String
            | Type::Carrier(_)
            | Type::Free(..)
            | Type::Parameter(_) => Shape::Atom(ty.clone()),
            Type::Pair(a, b) => {
                let (l, m) = layout.sides();
                Shape::Pair(Box::new(self.shape(a, &l)), Box::new(self.shape(b, &m)))
            }
            Type::Record(fields) => {
                Shape::Record(fields.iter().map(|(l, t)| (l.clone(), self.shape(t, &Layout::Any))).collect())
            }
            Type::Pow(element) => match (&**element, layout) {
                (Type::Pair(a, b), Layout::Function(f)) => self.function_shape(element, a, b, f),
                _ => match self.universe(element, &layout.element()) {
                    Some(universe) => Shape::Vector((**element).clone(), universe),
                    None => Shape::Array((**element).clone()),
                },
            },
        }
    }

    /// The shape for functions from `a` to `b`.
    fn function_shape(&self, element: &Type, a: &Type, b: &Type, f: &Function) -> Shape {
        let element = element.clone();
        let sequence = f.sequence && *a == Type::Int;
        if let Some(keys) = self.universe(a, &f.keys)
            && (f.total || !sequence)
        {
            let mut value = self.shape(b, &f.value);
            if value.size().saturating_mul(keys.len()) > self.written_out.leaves {
                value = self.shape(b, &Layout::Any);
            }
            let total = f.total && (!keys.is_whole() || f.keys.is_unrestricted());
            if keys.is_whole() || value.size().saturating_mul(keys.len()) <= self.written_out.leaves {
                return Shape::Table { element, keys, total, value: Rc::new(value) };
            }
        }
        // Values in arrays are compared leaf by leaf.
        let tight = self.shape(b, &f.value);
        let fits = canonical(&tight) && tight.size() <= tuning().symbolic.columns;
        let value = Rc::new(if fits { tight } else { self.shape(b, &Layout::Any) });
        if sequence { Shape::Sequence(element, value) } else { Shape::Map(element, value) }
    }

    /// Sorts of a shape's leaves, with a suffix that names each.
    fn columns(&self, shape: &Shape) -> Vec<(String, Sort)> {
        let below = |prefix: &str, inner: &Shape| -> Vec<(String, Sort)> {
            self.columns(inner).into_iter().map(|(n, s)| (format!(".{prefix}{n}"), s)).collect()
        };
        let arrays = |index: Sort, inner: &Shape| -> Vec<(String, Sort)> {
            let columns = self.columns(inner);
            columns.into_iter().map(|(n, s)| (n, self.terms.array_sort(index, s))).collect()
        };
        match shape {
            Shape::Atom(ty) => vec![(String::new(), self.sort(ty))],
            Shape::Pair(a, b) => [below("1", a), below("2", b)].concat(),
            Shape::Record(fields) => fields.iter().flat_map(|(label, s)| below(label, s)).collect(),
            Shape::Vector(element, universe) => {
                let labels = self.labels(element, universe);
                labels.into_iter().map(|l| (format!(".{l}"), Terms::BOOL)).collect()
            }
            Shape::Array(element) => vec![(String::new(), self.terms.set_sort(self.sort(element)))],
            Shape::Table { element, keys, total, value } => {
                let mut all = vec![];
                for label in self.labels(key_of(element), keys) {
                    if !total {
                        all.push((format!(".dom.{label}"), Terms::BOOL));
                    }
                    all.extend(below(&label, value));
                }
                all
            }
            Shape::Map(element, inner) => {
                let key = self.sort(key_of(element));
                let mut all = vec![(".dom".to_string(), self.terms.set_sort(key))];
                all.extend(arrays(key, inner));
                all
            }
            Shape::Sequence(_, inner) => {
                let mut all = vec![(".size".to_string(), Terms::INT)];
                all.extend(arrays(Terms::INT, inner));
                all
            }
        }
    }

    /// A name for each value of a universe.
    fn labels(&self, ty: &Type, universe: &Universe) -> Vec<String> {
        let plain = self.count(ty).is_some() || !universe.is_whole();
        universe
            .values()
            .iter()
            .enumerate()
            .map(|(i, v)| match v {
                Symbolic::Atom(t) => self.terms.text(*t),
                Symbolic::Pair(..) if plain && v.leaves().len() <= 4 => {
                    v.leaves().iter().map(|&t| self.terms.text(t)).collect::<Vec<_>>().join("_")
                }
                _ => i.to_string(),
            })
            .collect()
    }

    /// Sorts of a shape's leaves.
    pub(crate) fn leaf_sorts(&self, shape: &Shape) -> Vec<Sort> {
        self.columns(shape).into_iter().map(|(_, s)| s).collect()
    }

    /// A value of a shape from its leaves.
    pub(crate) fn build(&self, shape: &Shape, leaves: &mut dyn Iterator<Item = Term>) -> Symbolic {
        let mut next = || leaves.next().expect("a shape has as many terms as leaves");
        match shape {
            Shape::Atom(_) => Symbolic::Atom(next()),
            Shape::Pair(a, b) => {
                let left = self.build(a, leaves);
                Symbolic::pair(left, self.build(b, leaves))
            }
            Shape::Record(fields) => {
                Symbolic::Record(fields.iter().map(|(l, s)| (l.clone(), self.build(s, leaves))).collect())
            }
            Shape::Vector(element, universe) => {
                let bits = universe.values().iter().map(|_| next()).collect();
                Symbolic::set(element.clone(), Form::Vector(universe.clone(), bits))
            }
            Shape::Array(element) => Symbolic::set(element.clone(), Form::Array(next())),
            Shape::Table { element, keys, total, value } => {
                let mut entries = vec![];
                for _ in keys.values() {
                    let bit = if *total {
                        Terms::TRUE
                    } else {
                        leaves.next().expect("a shape has as many terms as leaves")
                    };
                    entries.push((bit, self.build(value, leaves)));
                }
                Symbolic::set(element.clone(), Form::Table(keys.clone(), entries))
            }
            Shape::Map(element, inner) => {
                let domain = next();
                let columns = self.leaf_sorts(inner).iter().map(|_| next()).collect();
                Symbolic::set(element.clone(), Form::Map { domain, columns, shape: inner.clone() })
            }
            Shape::Sequence(element, inner) => {
                let length = next();
                let columns = self.leaf_sorts(inner).iter().map(|_| next()).collect();
                Symbolic::set(element.clone(), Form::Sequence { length, columns, shape: inner.clone() })
            }
        }
    }

    /// A value made of symbols that are named `name`, `name.1`, `name.dom` and so on, or after
    /// [`name_for`](crate::term::Terms::name_for) where another shape has taken these names.
    pub fn fresh(&mut self, name: &str, _ty: &Type, shape: &Shape) -> Symbolic {
        let columns = self.columns(shape);
        let name = self.terms.name_for(name, columns.iter().map(|(n, sort)| (n.as_ref(), *sort)));
        let leaves: Vec<Term> =
            columns.into_iter().map(|(n, s)| self.terms.symbol(&format!("{name}{n}"), s)).collect();
        self.build(shape, &mut leaves.into_iter())
    }

    /// A value of a type from its packed term.
    pub(crate) fn unpack(&self, term: Term, ty: &Type) -> Symbolic {
        match ty {
            Type::Bool
            | Type::Int
            | Type::Real
            | Type::String
            | Type::Carrier(_)
            | Type::Free(..)
            | Type::Parameter(_) => Symbolic::Atom(term),
            Type::Pair(a, b) => Symbolic::pair(
                self.unpack(self.terms.field(term, 0), a),
                self.unpack(self.terms.field(term, 1), b),
            ),
            Type::Record(fields) => Symbolic::Record(
                fields
                    .iter()
                    .enumerate()
                    .map(|(i, (l, t))| (l.clone(), self.unpack(self.terms.field(term, i as u32), t)))
                    .collect(),
            ),
            Type::Pow(t) => match self.whole(t) {
                Some(universe) => {
                    let bits = universe
                        .values()
                        .iter()
                        .map(|x| self.pack_plain(x).map(|x| self.terms.select(term, x)))
                        .collect::<Option<Vec<Term>>>();
                    match bits {
                        Some(bits) => Symbolic::set((**t).clone(), Form::Vector(universe, bits)),
                        None => Symbolic::set((**t).clone(), Form::Array(term)),
                    }
                }
                None => Symbolic::set((**t).clone(), Form::Array(term)),
            },
        }
    }

    /// The packed term of a value that needs no conversion which could fail.
    pub(crate) fn pack_plain(&self, v: &Symbolic) -> Option<Term> {
        match v {
            Symbolic::Atom(t) => Some(*t),
            Symbolic::Pair(a, b) => {
                let sides = [self.pack_plain(a)?, self.pack_plain(b)?];
                Some(self.terms.tuple(&sides))
            }
            Symbolic::Record(fields) => {
                let values: Option<Vec<Term>> = fields.iter().map(|(_, v)| self.pack_plain(v)).collect();
                Some(self.terms.tuple(&values?))
            }
            Symbolic::Set(set) => match &set.form {
                Form::Array(t) => Some(*t),
                Form::Vector(universe, bits) => self.vector_array(&set.element, universe, bits),
                _ => None,
            },
        }
    }

    /// A characteristic vector as an array.
    pub(crate) fn vector_array(&self, element: &Type, universe: &Universe, bits: &[Term]) -> Option<Term> {
        let sort = self.terms.set_sort(self.sort(element));
        let elements = universe.values();
        // A vector that was read off an array is that array again.
        let mut origin = None;
        for (x, &bit) in elements.iter().zip(bits) {
            let n = self.terms.node(bit);
            let index = self.pack_plain(x)?;
            let from = (n.op == Op::Select && n.args[1] == index).then(|| n.args[0]);
            match (origin, from) {
                (None, Some(a)) if self.terms.sort_of(a) == sort => origin = Some(Some(a)),
                (Some(Some(o)), Some(a)) if o == a => {}
                _ => origin = Some(None),
            }
        }
        if let Some(Some(whole)) = origin
            && universe.is_whole()
        {
            return Some(whole);
        }
        let majority =
            universe.is_whole() && bits.iter().filter(|&&b| b == Terms::TRUE).count() * 2 > bits.len();
        let mut array = self.terms.const_array(sort, self.terms.bool(majority));
        for (x, &bit) in elements.iter().zip(bits) {
            if bit != self.terms.bool(majority) {
                array = self.terms.store(array, self.pack_plain(x)?, bit);
            }
        }
        Some(array)
    }

    /// The packed term of a value. Sets that are not arrays become arrays.
    pub(crate) fn pack(&mut self, v: &Symbolic) -> Result<Term, Unsupported> {
        match v {
            Symbolic::Atom(t) => Ok(*t),
            Symbolic::Pair(a, b) => {
                let sides = [self.pack(a)?, self.pack(b)?];
                Ok(self.terms.tuple(&sides))
            }
            Symbolic::Record(fields) => {
                let values: Result<Vec<Term>, _> = fields.iter().map(|(_, v)| self.pack(v)).collect();
                Ok(self.terms.tuple(&values?))
            }
            Symbolic::Set(set) => self.as_array(set),
        }
    }

    /// Some term of a sort, always the same one.
    pub(crate) fn some_term(&mut self, sort: Sort) -> Term {
        match self.terms.sort_kind(sort) {
            SortKind::Bool => Terms::FALSE,
            SortKind::Int => self.terms.int(0),
            SortKind::Real => self.terms.to_real(self.terms.int(0)),
            SortKind::Enum(..) => self.terms.constructor(sort, 0),
            SortKind::Array(_, value) => {
                let value = self.some_term(value);
                self.terms.const_array(sort, value)
            }
            SortKind::Tuple(fields) => {
                let fields: Vec<Term> = fields.iter().map(|&f| self.some_term(f)).collect();
                self.terms.tuple(&fields)
            }
            SortKind::Uninterpreted(name) => match self.some_element_of(sort) {
                Some(element) => element,
                None => unreachable!("{name} is an uninterpreted sort"),
            },
        }
    }

    /// Some value of a shape.
    pub(crate) fn some_value(&mut self, shape: &Shape) -> Symbolic {
        let leaves: Vec<Term> = self.leaf_sorts(shape).into_iter().map(|s| self.some_term(s)).collect();
        self.build(shape, &mut leaves.into_iter())
    }

    /// A concrete value.
    ///
    /// # Errors
    /// If it holds an element of a carrier whose size is not settled, whose elements have no names.
    pub fn value(&mut self, v: &Value, ty: &Type) -> Result<Symbolic, Unsupported> {
        self.spend(1)?;
        match (v, ty) {
            (Value::Bool(b), _) => Ok(Symbolic::Atom(self.terms.bool(*b))),
            (Value::Int(n), _) => Ok(Symbolic::Atom(self.terms.int(n.clone()))),
            (Value::Real(r), _) => Ok(Symbolic::Atom(self.terms.real((**r).clone()))),
            (Value::String(s), _) => {
                let code = self.string_code(s);
                Ok(Symbolic::Atom(self.terms.int(code as i64)))
            }
            (Value::Element(id, i), _) => {
                let sort = self.sort(&Type::Carrier(*id));
                match self.terms.sort_kind(sort) {
                    SortKind::Enum(_, names) if (*i as usize) < names.len() => {
                        Ok(Symbolic::Atom(self.terms.constructor(sort, *i)))
                    }
                    _ => self.unsupported("an element of a set of unsettled size has no name"),
                }
            }
            (Value::Pair(p), Type::Pair(a, b)) => {
                Ok(Symbolic::pair(self.value(&p.0, a)?, self.value(&p.1, b)?))
            }
            (Value::Record(values), Type::Record(fields)) => {
                let mut all = vec![];
                for ((_, v), (label, t)) in values.iter().zip(fields) {
                    all.push((label.clone(), self.value(v, t)?));
                }
                Ok(Symbolic::Record(all))
            }
            (Value::Set(elements), Type::Pow(t)) => {
                let mut items = vec![];
                for x in elements.iter() {
                    items.push((Terms::TRUE, self.value(x, t)?));
                }
                let list = Set::new((**t).clone(), Form::List(items));
                Ok(Symbolic::Set(self.settle(list)?))
            }
            (Value::Lazy(set), Type::Pow(t)) => Ok(Symbolic::Set(match &**set {
                LazySet::Integers | LazySet::Strings | LazySet::Reals => self.everything(t),
                LazySet::Carrier(id) => self.everything(&Type::Carrier(*id)),
                LazySet::From(low) => {
                    Set::new(Type::Int, Form::Interval(Some(self.terms.int(low.clone())), None))
                }
                LazySet::Interval(low, high) => Set::new(
                    Type::Int,
                    Form::Interval(Some(self.terms.int(low.clone())), Some(self.terms.int(high.clone()))),
                ),
                LazySet::Power(of) => match self.value(of, t)? {
                    Symbolic::Set(of) => {
                        Set::new((**t).clone(), Form::Power { of, non_empty: false, finite: false })
                    }
                    _ => return self.unsupported("a value of another type was expected"),
                },
                _ => return self.unsupported("a set that is only described as a concrete value"),
            })),
            _ => self.unsupported("a value of another type was expected"),
        }
    }
}

/// Type of the first component of couples.
pub(crate) fn key_of(element: &Type) -> &Type {
    match element {
        Type::Pair(a, _) => a,
        other => other,
    }
}

/// Returns whether equal values of a shape have equal leaves.
pub(crate) fn canonical(shape: &Shape) -> bool {
    match shape {
        Shape::Atom(_) | Shape::Vector(..) | Shape::Array(_) => true,
        Shape::Table { total: true, value, .. } => canonical(value),
        Shape::Pair(a, b) => canonical(a) && canonical(b),
        Shape::Record(fields) => fields.iter().all(|(_, s)| canonical(s)),
        Shape::Table { .. } | Shape::Map(..) | Shape::Sequence(..) => false,
    }
}
