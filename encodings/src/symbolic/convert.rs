//! Loosening: the same value in another form or shape, and equations for fresh values.

use std::rc::Rc;

use bsym_language::types::Type;

use super::shape::key_of;
use super::{Form, Guarded, Place, Set, Shape, Symbolic, Universe, is_total};
use crate::representation::layout::Layout;
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::term::{Term, Terms};

/// Domain array and value arrays of a function.
pub(crate) type Arrays = (Term, Vec<Term>);

impl Encoder {
    /// A set as an array to `Bool`, with a lambda where nothing else is possible.
    pub(crate) fn as_array(&mut self, set: &Set) -> Result<Term, Unsupported> {
        match &set.form {
            Form::Array(t) => return Ok(*t),
            Form::Interval(None, None) => return Ok(self.terms.full_set(self.terms.set_sort(Terms::INT))),
            Form::Vector(universe, bits) => {
                if let Some(t) = self.vector_array(&set.element, universe, bits) {
                    return Ok(t);
                }
            }
            Form::List(items) => {
                let empty = self.terms.empty_set(self.terms.set_sort(self.sort(&set.element)));
                return self.store_items(empty, items);
            }
            Form::Union(a, b) => {
                let (x, y) = (self.as_array(a)?, self.as_array(b)?);
                return Ok(self.terms.set_union(x, y));
            }
            Form::Table(..) | Form::Interval(Some(_), Some(_)) if self.is_listed(set)? => {
                let items = self.candidates(set)?.unwrap_or_default();
                let empty = self.terms.empty_set(self.terms.set_sort(self.sort(&set.element)));
                return self.store_items(empty, &items);
            }
            _ => {}
        }
        if let (Some(all), false) = (self.whole(&set.element), matches!(set.form, Form::Vector(..))) {
            let bits: Result<Vec<Term>, _> = all.values().iter().map(|x| self.is_in(x, set)).collect();
            if let Some(t) = self.vector_array(&set.element, &all, &bits?) {
                return Ok(t);
            }
        }
        let (id, x) = self.binder("x", &set.element);
        let inside = self.is_in(&x, set)?;
        let there = if self.is_closed(set) { Terms::TRUE } else { self.belongs(&x) };
        self.forget(id);
        Ok(self.terms.lambda(id, self.terms.and([there, inside])))
    }

    fn is_listed(&mut self, set: &Set) -> Result<bool, Unsupported> {
        Ok(self.candidates(set)?.is_some())
    }

    /// An array of a set with guarded elements added.
    pub(crate) fn store_items(&mut self, mut array: Term, items: &[Guarded]) -> Result<Term, Unsupported> {
        for (guard, x) in items {
            let x = self.pack(x)?;
            // An element that is not there leaves the set as it is.
            let value = match *guard {
                Terms::TRUE => Terms::TRUE,
                Terms::FALSE => continue,
                g => self.terms.or([g, self.terms.select(array, x)]),
            };
            array = self.terms.store(array, x, value);
        }
        Ok(array)
    }

    /// A value in a shape, as its leaves.
    pub(crate) fn leaves_in(&mut self, v: &Symbolic, shape: &Shape) -> Result<Vec<Term>, Unsupported> {
        let value = self.coerce_to(v, shape)?;
        let mut leaves = vec![];
        shape.leaves_of(&value, &mut leaves);
        Ok(leaves)
    }

    /// Domain and value arrays of a set of couples, under the assumption that it is a function.
    pub(crate) fn as_map(&mut self, set: &Set, shape: &Shape) -> Result<Arrays, Unsupported> {
        let key = self.sort(key_of(&set.element));
        let columns = |e: &mut Encoder, f: &mut dyn FnMut(&mut Encoder, Term) -> Term| -> Vec<Term> {
            e.leaf_sorts(shape)
                .into_iter()
                .map(|s| {
                    let start = e.some_term(s);
                    let start = e.terms.const_array(e.terms.array_sort(key, s), start);
                    f(e, start)
                })
                .collect()
        };
        match &set.form {
            Form::Map { domain, columns, shape: own } if **own == *shape => {
                return Ok((*domain, columns.clone()));
            }
            Form::List(_) | Form::Table(..) => {
                let items = self.candidates(set)?.unwrap_or_default();
                let domain = self.terms.empty_set(self.terms.set_sort(key));
                let arrays = columns(self, &mut |_, start| start);
                return self.with_couples((domain, arrays), &items, shape);
            }
            Form::Union(f, g) | Form::Override(f, g) => {
                return self.overridden(f, g, shape);
            }
            Form::Product(a, b) => {
                let value = self.some_element(b, None)?;
                let empty = self.is_empty(b)?;
                let domain = self.guarded(self.terms.not(empty), a)?;
                let domain = self.as_array(&domain)?;
                let leaves = self.leaves_in(&value, shape)?;
                let arrays = leaves
                    .into_iter()
                    .map(|l| self.terms.const_array(self.terms.array_sort(key, self.terms.sort_of(l)), l))
                    .collect();
                return Ok((domain, arrays));
            }
            Form::Sequence { columns, shape: own, .. } if **own == *shape => {
                let columns = columns.clone();
                let domain = self.domain(set)?;
                return Ok((self.as_array(&domain)?, columns));
            }
            _ => {}
        }
        let domain = self.domain(set)?;
        let domain = self.as_array(&domain)?;
        let columns = self.columns_in(set, key_of(&set.element), shape)?;
        Ok((domain, columns))
    }

    /// The values of a function in a shape, as arrays.
    fn columns_in(&mut self, set: &Set, keys: &Type, shape: &Shape) -> Result<Vec<Term>, Unsupported> {
        let (id, k) = self.binder("k", keys);
        let value = self.value_at(set, &k)?;
        let leaves = self.leaves_in(&value, shape)?;
        self.forget(id);
        Ok(leaves.into_iter().map(|l| self.terms.lambda(id, l)).collect())
    }

    /// Returns whether the form of a value shows that a shape has room for it: no bound of the shape takes anything
    /// away.
    pub(crate) fn surely_fits(&mut self, v: &Symbolic, shape: &Shape) -> bool {
        match (v, shape) {
            (Symbolic::Atom(_), Shape::Atom(_)) => true,
            (Symbolic::Pair(a, b), Shape::Pair(s, t)) => self.surely_fits(a, s) && self.surely_fits(b, t),
            (Symbolic::Record(values), Shape::Record(shapes)) => {
                values.iter().zip(shapes).all(|((_, v), (_, s))| self.surely_fits(v, s))
            }
            (Symbolic::Set(_), Shape::Array(_)) => true,
            (Symbolic::Set(set), Shape::Vector(element, universe)) => {
                universe.is_whole()
                    || match &set.form {
                        Form::Vector(own, _) => {
                            own.values().iter().all(|x| self.is_among(x, universe, element))
                        }
                        Form::List(items) => items.iter().all(|(_, x)| self.is_among(x, universe, element)),
                        _ => false,
                    }
            }
            (Symbolic::Set(set), Shape::Table { keys, total, value, .. }) => match &set.form {
                Form::Table(own, entries) => {
                    own == keys
                        && entries.iter().all(|(bit, v)| {
                            (!total || *bit == Terms::TRUE)
                                && (*bit == Terms::FALSE || self.surely_fits(v, value))
                        })
                }
                Form::List(items) => items.is_empty() && !total,
                _ => false,
            },
            (Symbolic::Set(set), Shape::Map(_, inner)) => {
                self.surely_functional(set) && self.values_fit(set, inner)
            }
            (Symbolic::Set(set), Shape::Sequence(_, inner)) => match &set.form {
                Form::Sequence { shape, .. } => shape == inner,
                Form::List(items) => items.is_empty(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether the form of a function shows that a shape has room for all its values.
    pub(crate) fn values_fit(&mut self, set: &Set, shape: &Shape) -> bool {
        if shape.has_room_for_all() {
            return true;
        }
        match &set.form {
            Form::Map { shape: own, .. } | Form::Sequence { shape: own, .. } => **own == *shape,
            Form::List(items) => items.iter().all(|(_, x)| match x {
                Symbolic::Pair(_, v) => self.surely_fits(v, shape),
                _ => false,
            }),
            Form::Table(_, entries) => {
                entries.iter().all(|(bit, v)| *bit == Terms::FALSE || self.surely_fits(v, shape))
            }
            Form::Union(f, g) | Form::Override(f, g) => {
                self.values_fit(f, shape) && self.values_fit(g, shape)
            }
            _ => false,
        }
    }

    fn is_among(&self, x: &Symbolic, universe: &Universe, ty: &Type) -> bool {
        matches!(self.place(x, universe, ty), Place::At(_))
    }

    /// Arrays of `f <+ g`, both being functions.
    pub(crate) fn overridden(&mut self, f: &Set, g: &Set, shape: &Shape) -> Result<Arrays, Unsupported> {
        let (domain, arrays) = self.as_map(f, shape)?;
        if let Form::List(items) = &g.form {
            return self.with_couples((domain, arrays), items, shape);
        }
        let (new, values) = self.as_map(g, shape)?;
        let arrays =
            arrays.into_iter().zip(values).map(|(old, v)| self.terms.array_ite(new, v, old)).collect();
        Ok((self.terms.set_union(domain, new), arrays))
    }

    /// Arrays of a function with guarded couples added that replace what it has for their arguments.
    fn with_couples(
        &mut self,
        (mut domain, mut arrays): Arrays,
        items: &[Guarded],
        shape: &Shape,
    ) -> Result<Arrays, Unsupported> {
        for (guard, x) in items {
            let (k, v) = self.as_couple(x)?;
            let k = self.pack(k)?;
            let leaves = self.leaves_in(v, shape)?;
            let inside = self.terms.or([*guard, self.terms.select(domain, k)]);
            domain = self.terms.store(domain, k, inside);
            for (array, leaf) in arrays.iter_mut().zip(leaves) {
                let stored = self.terms.store(*array, k, leaf);
                *array = self.terms.ite(*guard, stored, *array);
            }
        }
        Ok((domain, arrays))
    }

    /// Converts a value to another shape. A value that is to become a function or a sequence must be one.
    ///
    /// # Errors
    /// If the conversion has no term.
    pub fn coerce(&mut self, v: &Symbolic, shape: &Shape, _ty: &Type) -> Result<Symbolic, Unsupported> {
        self.coerce_to(v, shape)
    }

    pub(crate) fn coerce_to(&mut self, v: &Symbolic, shape: &Shape) -> Result<Symbolic, Unsupported> {
        match (v, shape) {
            (Symbolic::Atom(_), Shape::Atom(_)) => Ok(v.clone()),
            (Symbolic::Pair(a, b), Shape::Pair(s, t)) => {
                Ok(Symbolic::pair(self.coerce_to(a, s)?, self.coerce_to(b, t)?))
            }
            (Symbolic::Record(values), Shape::Record(shapes)) => {
                let mut fields = vec![];
                for ((label, v), (_, s)) in values.iter().zip(shapes) {
                    fields.push((label.clone(), self.coerce_to(v, s)?));
                }
                Ok(Symbolic::Record(fields))
            }
            (Symbolic::Set(set), Shape::Vector(element, universe)) => {
                let bits = match &set.form {
                    Form::Vector(own, bits) if own == universe => bits.clone(),
                    _ => universe.values().iter().map(|x| self.is_in(x, set)).collect::<Result<_, _>>()?,
                };
                Ok(Symbolic::set(element.clone(), Form::Vector(universe.clone(), bits)))
            }
            (Symbolic::Set(set), Shape::Array(element)) => {
                let array = self.as_array(set)?;
                Ok(Symbolic::set(element.clone(), Form::Array(array)))
            }
            (Symbolic::Set(set), Shape::Table { element, keys, total, value: inner }) => {
                let mut entries = vec![];
                for k in keys.values() {
                    let bit = if *total { Terms::TRUE } else { self.in_domain(set, k)? };
                    let value = if bit == Terms::FALSE {
                        self.some_value(inner)
                    } else {
                        let value = self.value_at(set, k)?;
                        self.coerce_to(&value, inner)?
                    };
                    entries.push((bit, value));
                }
                Ok(Symbolic::set(element.clone(), Form::Table(keys.clone(), entries)))
            }
            (Symbolic::Set(set), Shape::Map(element, inner)) => {
                let (domain, columns) = self.as_map(set, inner)?;
                Ok(Symbolic::set(element.clone(), Form::Map { domain, columns, shape: inner.clone() }))
            }
            (Symbolic::Set(set), Shape::Sequence(element, inner)) => {
                if let Some(values) = self.listed_values(set) {
                    let length = self.terms.int(values.len() as i64);
                    let (_, columns) = self.as_map(set, inner)?;
                    let form = Form::Sequence { length, columns, shape: inner.clone() };
                    return Ok(Symbolic::set(element.clone(), form));
                }
                let sequence = self.as_sequence(set)?;
                let Form::Sequence { length, columns, shape: own } = &sequence.form else {
                    return self.unsupported("a value that is not known to be a sequence");
                };
                let columns = if own == inner {
                    columns.clone()
                } else {
                    self.columns_in(&sequence, &Type::Int, inner)?
                };
                let form = Form::Sequence { length: *length, columns, shape: inner.clone() };
                Ok(Symbolic::set(element.clone(), form))
            }
            _ => self.unsupported("a value of another type was expected"),
        }
    }

    /// A set in the form of a sequence, under the assumption that it is one.
    pub(crate) fn as_sequence(&mut self, set: &Set) -> Result<Rc<Set>, Unsupported> {
        let (_, values) = self.sides(set)?;
        let (length, columns, shape) = match &set.form {
            Form::Sequence { .. } => return Ok(Rc::new(set.clone())),
            Form::Override(f, g) | Form::Union(f, g) => {
                let whole = self.as_sequence(f)?;
                let (Form::Sequence { length, .. }, Some(items)) = (&whole.form, self.candidates(g)?) else {
                    return self.unsupported("the length of this sequence has no term");
                };
                let mut length = *length;
                let couples: Result<Vec<_>, Unsupported> =
                    items.iter().map(|(_, x)| Ok(self.as_couple(x)?.1)).collect();
                let (mut columns, shape) = self.roomy(&whole, &couples?)?;
                for (g, x) in items {
                    let (k, v) = self.as_couple(&x)?;
                    let (k, v) = (self.as_atom(k)?, v.clone());
                    let longer = self.terms.and([g, self.terms.lt(length, k)]);
                    length = self.terms.ite(longer, k, length);
                    let leaves = self.leaves_in(&v, &shape)?;
                    for (c, leaf) in columns.iter_mut().zip(leaves) {
                        let stored = self.terms.store(*c, k, leaf);
                        *c = self.terms.ite(g, stored, *c);
                    }
                }
                (length, columns, shape)
            }
            _ => {
                let shape = Rc::new(self.shape(&values, &Layout::Any));
                let domain = self.domain(set)?;
                let length = self.size_of(&domain)?;
                let (_, columns) = self.as_map(set, &shape)?;
                (length, columns, shape)
            }
        };
        Ok(Set::new(set.element.clone(), Form::Sequence { length, columns, shape }))
    }

    /// The values of a sequence as arrays in a shape that has room for further values as well: its own, if they are
    /// seen to fit.
    pub(crate) fn roomy(
        &mut self,
        sequence: &Set,
        further: &[&Symbolic],
    ) -> Result<(Vec<Term>, Rc<Shape>), Unsupported> {
        let Form::Sequence { columns, shape, .. } = &sequence.form else {
            return self.unsupported("a sequence was expected");
        };
        if further.iter().all(|v| self.surely_fits(v, shape)) {
            return Ok((columns.clone(), shape.clone()));
        }
        let (_, values) = self.sides(sequence)?;
        let shape = Rc::new(self.shape(&values, &Layout::Any));
        Ok((self.columns_in(sequence, &Type::Int, &shape)?, shape))
    }

    /// The value `a` where the condition holds, else `b`.
    ///
    /// # Errors
    /// If the choice has no term.
    pub fn ite(&mut self, c: Term, a: &Symbolic, b: &Symbolic) -> Result<Symbolic, Unsupported> {
        match c {
            Terms::TRUE => return Ok(a.clone()),
            Terms::FALSE => return Ok(b.clone()),
            _ => {}
        }
        match (a, b) {
            (Symbolic::Atom(x), Symbolic::Atom(y)) => Ok(Symbolic::Atom(self.terms.ite(c, *x, *y))),
            (Symbolic::Pair(x, y), Symbolic::Pair(v, w)) => {
                Ok(Symbolic::pair(self.ite(c, x, v)?, self.ite(c, y, w)?))
            }
            (Symbolic::Record(x), Symbolic::Record(y)) => {
                let mut fields = vec![];
                for ((label, v), (_, w)) in x.iter().zip(y) {
                    fields.push((label.clone(), self.ite(c, v, w)?));
                }
                Ok(Symbolic::Record(fields))
            }
            (Symbolic::Set(x), Symbolic::Set(y)) => Ok(Symbolic::Set(self.ite_set(c, x, y)?)),
            _ => self.unsupported("a choice between values of different types"),
        }
    }

    fn ite_set(&mut self, c: Term, a: &Rc<Set>, b: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        let element = a.element.clone();
        // A sequence that is written out is one like the other, where it fits.
        for (sequence, listed) in [(a, b), (b, a)] {
            if let Form::Sequence { shape, .. } = &sequence.form
                && self.listed_values(listed).is_some()
                && self.values_fit(listed, shape)
            {
                let shape = Shape::Sequence(element.clone(), shape.clone());
                let same = self.coerce_to(&Symbolic::Set(listed.clone()), &shape)?;
                let same = self.as_set(&same)?;
                return if Rc::ptr_eq(listed, b) {
                    self.ite_set(c, a, same)
                } else {
                    self.ite_set(c, same, b)
                };
            }
        }
        let no = self.terms.not(c);
        if let (Form::Vector(..), _) | (_, Form::Vector(..)) = (&a.form, &b.form)
            && let Some((universe, x, y)) = self.aligned(a, b)?
        {
            let bits = x.iter().zip(&y).map(|(&p, &q)| self.terms.ite(c, p, q)).collect();
            return Ok(Set::new(element, Form::Vector(universe, bits)));
        }
        let form = match (&a.form, &b.form) {
            (Form::Vector(u, x), Form::Vector(v, y)) if u == v => {
                Form::Vector(u.clone(), x.iter().zip(y).map(|(&p, &q)| self.terms.ite(c, p, q)).collect())
            }
            (Form::Array(x), Form::Array(y)) => Form::Array(self.terms.ite(c, *x, *y)),
            (Form::Table(u, x), Form::Table(v, y)) if u == v => {
                let mut entries = vec![];
                for ((p, v), (q, w)) in x.iter().zip(y) {
                    // A value outside the domain does not matter.
                    let value = match (*p, *q) {
                        (Terms::FALSE, _) => w.clone(),
                        (_, Terms::FALSE) => v.clone(),
                        _ => self.ite(c, v, w)?,
                    };
                    entries.push((self.terms.ite(c, *p, *q), value));
                }
                Form::Table(u.clone(), entries)
            }
            (
                Form::Map { domain: d, columns: x, shape: s },
                Form::Map { domain: e, columns: y, shape: t },
            ) if s == t => Form::Map {
                domain: self.terms.ite(c, *d, *e),
                columns: x.iter().zip(y).map(|(&p, &q)| self.terms.ite(c, p, q)).collect(),
                shape: s.clone(),
            },
            (
                Form::Sequence { length: d, columns: x, shape: s },
                Form::Sequence { length: e, columns: y, shape: t },
            ) if s == t => Form::Sequence {
                length: self.terms.ite(c, *d, *e),
                columns: x.iter().zip(y).map(|(&p, &q)| self.terms.ite(c, p, q)).collect(),
                shape: s.clone(),
            },
            (Form::Interval(Some(x), Some(y)), Form::Interval(Some(v), Some(w))) => {
                Form::Interval(Some(self.terms.ite(c, *x, *v)), Some(self.terms.ite(c, *y, *w)))
            }
            (Form::List(x), Form::List(y)) => {
                let under = |g: Term, items: &[Guarded]| -> Vec<Guarded> {
                    items.iter().map(|(h, x)| (self.terms.and([g, *h]), x.clone())).collect()
                };
                Form::List([under(c, x), under(no, y)].concat())
            }
            _ if self.is_function_form(a) && self.is_function_form(b)
                || (matches!(a.form, Form::Map { .. } | Form::Table(..)) && self.surely_functional(b))
                || (matches!(b.form, Form::Map { .. } | Form::Table(..)) && self.surely_functional(a)) =>
            {
                let (f, g) = (a.clone(), b.clone());
                let (keys, _) = self.sides(a)?;
                let (d, e) = (self.domain(a)?, self.domain(b)?);
                let domain = if let Some(whole) = self.whole(&keys) {
                    let (x, y) = (self.vector(&d)?, self.vector(&e)?);
                    let bits = x.iter().zip(&y).map(|(&p, &q)| self.terms.ite(c, p, q)).collect();
                    Set::new(keys, Form::Vector(whole, bits))
                } else {
                    self.ite_set(c, &d, &e)?
                };
                let shape = [(a, b), (b, a)].into_iter().find_map(|(own, other)| match &own.form {
                    Form::Map { shape, .. } if self.values_fit(other, shape) => Some(shape.clone()),
                    _ => None,
                });
                if let Some(shape) = shape {
                    let ((d, x), (e, y)) = (self.as_map(a, &shape)?, self.as_map(b, &shape)?);
                    Form::Map {
                        domain: self.terms.ite(c, d, e),
                        columns: x.iter().zip(&y).map(|(&p, &q)| self.terms.ite(c, p, q)).collect(),
                        shape,
                    }
                } else {
                    return self.lambda(
                        element,
                        domain,
                        Rc::new(move |e, k| {
                            let (v, w) = (e.value_at(&f, k)?, e.value_at(&g, k)?);
                            e.ite(c, &v, &w)
                        }),
                    );
                }
            }
            _ if self.count(&element).is_some() => {
                let (x, y) = (self.vector(a)?, self.vector(b)?);
                let Some(whole) = self.whole(&element) else {
                    return self.unsupported("a small type without elements");
                };
                Form::Vector(whole, x.iter().zip(&y).map(|(&p, &q)| self.terms.ite(c, p, q)).collect())
            }
            (Form::Vector(..), Form::List(_)) | (Form::List(_), Form::Vector(..)) => {
                let mut items = vec![];
                for (g, set) in [(c, a), (no, b)] {
                    for (h, x) in self.candidates(set)?.unwrap_or_default() {
                        items.push((self.terms.and([g, h]), x));
                    }
                }
                Form::List(items)
            }
            _ if self.is_plain_array(a) && self.is_plain_array(b) => {
                let (x, y) = (self.as_array(a)?, self.as_array(b)?);
                Form::Array(self.terms.ite(c, x, y))
            }
            _ => {
                let (x, y) = (a.clone(), b.clone());
                let closed = self.is_closed(a) && self.is_closed(b);
                let test: super::Test = Rc::new(move |e, v| {
                    let (left, right) = (e.is_in(v, &x)?, e.is_in(v, &y)?);
                    Ok(e.terms.ite(c, left, right))
                });
                Form::Where(test, closed)
            }
        };
        Ok(Set::new(element, form))
    }

    /// `variable = value` where `variable` is a fresh value: leaf by leaf, so it may fix more than
    /// equality of B does. Some representation of the value always satisfies it.
    ///
    /// # Errors
    /// If the value cannot be brought into the variable's shape.
    pub fn define(&mut self, variable: &Symbolic, value: &Symbolic, ty: &Type) -> Result<Term, Unsupported> {
        let shape = self.shape_of(variable, ty)?;
        let leaves = self.leaves_in(value, &shape)?;
        let pairs: Vec<(Term, Term)> = variable.leaves().into_iter().zip(leaves).collect();
        Ok(self.terms.and(pairs.into_iter().map(|(a, b)| self.terms.eq(a, b))))
    }

    /// The shape that a value of a type has.
    fn shape_of(&self, v: &Symbolic, ty: &Type) -> Result<Shape, Unsupported> {
        Ok(match (v, ty) {
            (Symbolic::Atom(_), _) => Shape::Atom(ty.clone()),
            (Symbolic::Pair(a, b), Type::Pair(s, t)) => {
                Shape::Pair(Box::new(self.shape_of(a, s)?), Box::new(self.shape_of(b, t)?))
            }
            (Symbolic::Record(values), Type::Record(fields)) => {
                let mut all = vec![];
                for ((_, v), (label, t)) in values.iter().zip(fields) {
                    all.push((label.clone(), self.shape_of(v, t)?));
                }
                Shape::Record(all)
            }
            (Symbolic::Set(set), _) => {
                let element = set.element.clone();
                match &set.form {
                    Form::Vector(universe, _) => Shape::Vector(element, universe.clone()),
                    Form::Array(_) => Shape::Array(element),
                    Form::Map { shape, .. } => Shape::Map(element, shape.clone()),
                    Form::Sequence { shape, .. } => Shape::Sequence(element, shape.clone()),
                    Form::Table(keys, entries) => match (entries.first(), set.sides()) {
                        (Some((_, v)), Some((_, t))) => {
                            let value = Rc::new(self.shape_of(v, t)?);
                            Shape::Table { element, keys: keys.clone(), total: is_total(entries), value }
                        }
                        _ => return self.unsupported("a table without arguments"),
                    },
                    _ => return self.unsupported("a described set is no variable"),
                }
            }
            _ => return self.unsupported("a value of another type was expected"),
        })
    }
}
