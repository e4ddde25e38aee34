//! Sets of couples seen as relations and functions: domain, range, values, functionality.

use std::rc::Rc;

use bsym_language::types::Type;
use rustc_hash::FxHashSet;

use super::shape::key_of;
use super::universe::Place;
use super::{Form, Guarded, Set, Symbolic};
use crate::representation::layout::Layout;
use crate::symbolic::Unsupported;
use crate::symbolic::carriers::Binders;
use crate::symbolic::encoder::Encoder;
use crate::term::{Term, Terms};
use crate::tuning::tuning;

impl Encoder {
    /// Argument and value type of a set of couples.
    pub(crate) fn sides(&self, set: &Set) -> Result<(Type, Type), Unsupported> {
        match set.sides() {
            Some((a, b)) => Ok((a.clone(), b.clone())),
            None => self.unsupported("a relation was expected"),
        }
    }

    /// Arguments and values of couples that are listed.
    fn couples(&self, items: &[Guarded]) -> Result<Vec<(Term, Symbolic, Symbolic)>, Unsupported> {
        items.iter().map(|(g, x)| self.as_couple(x).map(|(k, v)| (*g, k.clone(), v.clone()))).collect()
    }

    /// The values that a listed relation can have at an argument.
    fn matches(&mut self, items: &[Guarded], key: &Symbolic) -> Result<Vec<Guarded>, Unsupported> {
        let mut found = vec![];
        for (g, k, v) in self.couples(items)? {
            let same = self.equal(key, &k)?;
            let here = self.terms.and([g, same]);
            if here != Terms::FALSE {
                found.push((here, v));
            }
        }
        Ok(found)
    }

    /// `key : dom(set)`
    pub(crate) fn in_domain(&mut self, set: &Set, key: &Symbolic) -> Result<Term, Unsupported> {
        match &set.form {
            Form::Table(universe, entries) => {
                match self.place(key, universe, key_of(&set.element)) {
                    Place::At(i) => return Ok(entries[i].0),
                    Place::Outside => return Ok(Terms::FALSE),
                    Place::Open => {}
                }
                let domain = self.domain(set)?;
                self.is_in(key, &domain)
            }
            Form::Map { domain, .. } => {
                let key = self.pack(key)?;
                Ok(self.terms.select(*domain, key))
            }
            Form::Sequence { length, .. } => {
                let key = self.as_atom(key)?;
                Ok(self.terms.and([self.terms.le(self.terms.int(1), key), self.terms.le(key, *length)]))
            }
            Form::Lambda(domain, _) => self.is_in(key, &domain.clone()),
            Form::Product(a, b) => {
                let inside = self.is_in(key, a)?;
                let empty = self.is_empty(b)?;
                Ok(self.terms.and([inside, self.terms.not(empty)]))
            }
            Form::Union(a, b) | Form::Override(a, b) => {
                let left = self.in_domain(a, key)?;
                let right = self.in_domain(b, key)?;
                Ok(self.terms.or([left, right]))
            }
            Form::List(_) | Form::Vector(..) => {
                let items = self.candidates(set)?.unwrap_or_default();
                let found = self.matches(&items, key)?;
                Ok(self.terms.or(found.into_iter().map(|(g, _)| g)))
            }
            Form::Array(_) | Form::Where(..) | Form::Interval(..) | Form::Power { .. } => {
                let (_, values) = self.sides(set)?;
                let key = key.clone();
                let closed = self.is_closed(set);
                self.exists_within(&values, closed, &mut |e, v| {
                    e.is_in(&Symbolic::pair(key.clone(), v.clone()), set)
                })
            }
        }
    }

    /// The value of a function at an argument; some value of the relation if there are several, any
    /// value outside the domain.
    pub(crate) fn value_at(&mut self, set: &Set, key: &Symbolic) -> Result<Symbolic, Unsupported> {
        match &set.form {
            Form::Table(universe, entries) => {
                if let Place::At(i) = self.place(key, universe, key_of(&set.element)) {
                    return Ok(entries[i].1.clone());
                }
                let items = self.candidates(set)?.unwrap_or_default();
                let found = self.matches(&items, key)?;
                self.first_of(found, set)
            }
            Form::Map { columns, shape, .. } | Form::Sequence { columns, shape, .. } => {
                let key = self.pack(key)?;
                let leaves: Vec<Term> = columns.iter().map(|&c| self.terms.select(c, key)).collect();
                let value = self.build(shape, &mut leaves.into_iter());
                let inside = match &set.form {
                    Form::Map { domain, .. } => self.terms.select(*domain, key),
                    Form::Sequence { length, .. } => {
                        self.terms.and([self.terms.le(self.terms.int(1), key), self.terms.le(key, *length)])
                    }
                    _ => Terms::FALSE,
                };
                self.note(inside, &value);
                Ok(value)
            }
            Form::Lambda(_, value) => {
                let value = value.clone();
                value(self, key)
            }
            Form::Union(f, g) | Form::Override(f, g) => {
                let inside = self.in_domain(g, key)?;
                match inside {
                    Terms::TRUE => self.value_at(g, key),
                    Terms::FALSE => self.value_at(f, key),
                    _ => {
                        let (new, old) = (self.value_at(g, key)?, self.value_at(f, key)?);
                        self.ite(inside, &new, &old)
                    }
                }
            }
            Form::List(_) | Form::Vector(..) => {
                let items = self.candidates(set)?.unwrap_or_default();
                let found = self.matches(&items, key)?;
                self.first_of(found, set)
            }
            Form::Product(_, values) => self.some_element(&values.clone(), Some(key)),
            Form::Array(_) | Form::Where(..) | Form::Interval(..) | Form::Power { .. } => {
                let (_, values) = self.sides(set)?;
                let packed = self.pack(key)?;
                let mut depends = vec![packed];
                let known = match &set.form {
                    Form::Array(array) => {
                        depends.push(*array);
                        self.made.choices.get(&(*array, packed)).copied()
                    }
                    _ => None,
                };
                if let Some(known) = known {
                    return Ok(self.unpack(known, &values));
                }
                let sort = self.sort(&values);
                let inside = self.in_domain(set, key)?;
                let couple = |e: &mut Encoder, w: Term| {
                    let x = Symbolic::pair(key.clone(), e.unpack(w, &values));
                    e.is_in(&x, set)
                };
                if !matches!(set.form, Form::Array(_)) {
                    // Dependencies of the relation itself: its membership test at any couple.
                    let (own, x) = self.binder("x", &set.element);
                    let test = self.is_in(&x, set)?;
                    self.forget(own);
                    depends.push(self.terms.exists(&[own], test));
                }
                let w = self.witness("value", sort, &depends, |e, w| {
                    let chosen = couple(e, w)?;
                    let value = e.unpack(w, &values);
                    let there = e.belongs(&value);
                    Ok(e.terms.implies(inside, e.terms.and([chosen, there])))
                })?;
                if let Form::Array(array) = &set.form {
                    self.made.choices.insert((*array, packed), w);
                }
                Ok(self.unpack(w, &values))
            }
        }
    }

    /// The first of the values whose guard holds.
    fn first_of(&mut self, mut found: Vec<Guarded>, set: &Set) -> Result<Symbolic, Unsupported> {
        let Some((_, mut value)) = found.pop() else {
            let (_, values) = self.sides(set)?;
            let shape = self.shape(&values, &Layout::Any);
            return Ok(self.some_value(&shape));
        };
        while let Some((here, v)) = found.pop() {
            value = self.ite(here, &v, &value)?;
        }
        Ok(value)
    }

    /// The relation has two different values at the argument.
    pub(crate) fn clash(&mut self, set: &Set, key: &Symbolic) -> Result<Term, Unsupported> {
        match &set.form {
            Form::Table(..) | Form::Map { .. } | Form::Sequence { .. } | Form::Lambda(..) => Ok(Terms::FALSE),
            Form::Union(a, b) => {
                let (left, right) = (self.clash(a, key)?, self.clash(b, key)?);
                let (inside, also) = (self.in_domain(a, key)?, self.in_domain(b, key)?);
                let (x, y) = (self.value_at(a, key)?, self.value_at(b, key)?);
                let same = self.equal(&x, &y)?;
                let differ = self.terms.and([inside, also, self.terms.not(same)]);
                Ok(self.terms.or([left, right, differ]))
            }
            Form::Override(f, g) => {
                let (left, right) = (self.clash(f, key)?, self.clash(g, key)?);
                let inside = self.in_domain(g, key)?;
                Ok(self.terms.ite(inside, right, left))
            }
            // Known keys that differ are no two places of one key: their values need not be compared.
            Form::List(_) if self.surely_functional(set) => Ok(Terms::FALSE),
            Form::List(_) | Form::Vector(..) => {
                let items = self.candidates(set)?.unwrap_or_default();
                let found = self.matches(&items, key)?;
                self.two_values(&found)
            }
            _ => {
                let value = self.value_at(set, key)?;
                let (_, values) = self.sides(set)?;
                let key = key.clone();
                let closed = self.is_closed(set);
                self.exists_within(&values, closed, &mut |e, v| {
                    let inside = e.is_in(&Symbolic::pair(key.clone(), v.clone()), set)?;
                    let same = e.equal(v, &value)?;
                    Ok(e.terms.and([inside, e.terms.not(same)]))
                })
            }
        }
    }

    /// Two of the guarded values are there and differ.
    fn two_values(&mut self, found: &[Guarded]) -> Result<Term, Unsupported> {
        let mut any = vec![];
        for (i, (g, x)) in found.iter().enumerate() {
            for (h, y) in &found[i + 1..] {
                let both = self.terms.and([*g, *h]);
                if both != Terms::FALSE {
                    let same = self.equal(x, y)?;
                    any.push(self.terms.and([both, self.terms.not(same)]));
                }
            }
        }
        Ok(self.terms.or(any))
    }

    /// Returns whether a relation is known to be a function without asking a solver.
    pub(crate) fn surely_functional(&mut self, set: &Set) -> bool {
        match &set.form {
            Form::Table(..) | Form::Map { .. } | Form::Sequence { .. } | Form::Lambda(..) => true,
            Form::Override(f, g) => self.surely_functional(f) && self.surely_functional(g),
            Form::Product(_, b) => matches!(&b.form, Form::List(items) if items.len() <= 1),
            Form::List(items) => {
                let keys: Vec<Option<Term>> = items
                    .iter()
                    .map(|(_, x)| match x {
                        Symbolic::Pair(k, _) => self.pack_plain(k),
                        _ => None,
                    })
                    .collect();
                let keys_are_values = keys
                    .iter()
                    .map(|k| k.filter(|&k| self.terms.is_value(k)))
                    .collect::<Option<FxHashSet<Term>>>();
                if let Some(different) = keys_are_values {
                    return different.len() == keys.len();
                }
                (0..keys.len()).all(|i| {
                    keys[i + 1..].iter().all(|k| match (keys[i], k) {
                        (Some(a), Some(b)) => self.terms.known_distinct(a, *b),
                        _ => false,
                    })
                })
            }
            _ => false,
        }
    }

    /// The relation is a function: no argument has two values.
    pub fn functional(&mut self, set: &Set) -> Result<Term, Unsupported> {
        if self.surely_functional(set) {
            return Ok(Terms::TRUE);
        }
        let listed = match &set.form {
            Form::List(items) => Some(items.clone()),
            Form::Union(..) | Form::Override(..) => self.candidates(set)?,
            _ => None,
        };
        match (&set.form, listed) {
            (_, Some(items)) => {
                let couples = self.couples(&items)?;
                let mut all = vec![];
                for (i, (g, k, v)) in couples.iter().enumerate() {
                    for (h, l, w) in &couples[i + 1..] {
                        let (same_key, same_value) = (self.equal(k, l)?, self.equal(v, w)?);
                        let here = self.terms.and([*g, *h, same_key]);
                        all.push(self.terms.implies(here, same_value));
                    }
                }
                Ok(self.terms.and(all))
            }
            (Form::Array(_) | Form::Where(..), _) if self.count(&set.element).is_none() => {
                let (keys, values) = self.sides(set)?;
                let closed = self.is_closed(set);
                self.forall_within(&keys, closed, &mut |e, k| {
                    e.forall_within(&values, closed, &mut |e, v| {
                        let first = e.is_in(&Symbolic::pair(k.clone(), v.clone()), set)?;
                        e.forall_within(&values, closed, &mut |e, w| {
                            let second = e.is_in(&Symbolic::pair(k.clone(), w.clone()), set)?;
                            let same = e.equal(v, w)?;
                            let both = e.terms.and([first, second]);
                            Ok(e.terms.implies(both, same))
                        })
                    })
                })
            }
            _ => {
                let (keys, _) = self.sides(set)?;
                let closed = self.is_closed(set);
                self.forall_within(&keys, closed, &mut |e, k| {
                    let clash = e.clash(set, k)?;
                    Ok(e.terms.not(clash))
                })
            }
        }
    }

    /// The domain of a relation.
    pub(crate) fn domain(&mut self, set: &Set) -> Result<Rc<Set>, Unsupported> {
        let (keys, _) = self.sides(set)?;
        match &set.form {
            Form::Table(universe, entries) => {
                let bits = entries.iter().map(|(bit, _)| *bit).collect();
                Ok(Set::new(keys, Form::Vector(universe.clone(), bits)))
            }
            Form::Map { domain, .. } => {
                let domain = *domain;
                Ok(Set::new(keys, Form::Array(domain)))
            }
            Form::Sequence { length, .. } => {
                Ok(Set::new(keys, Form::Interval(Some(self.terms.int(1)), Some(*length))))
            }
            Form::Lambda(domain, _) => Ok(domain.clone()),
            Form::List(items) => {
                let items = self.couples(items)?.into_iter().map(|(g, k, _)| (g, k)).collect();
                self.settle(Set::new(keys, Form::List(items)))
            }
            Form::Product(a, b) => {
                let empty = self.is_empty(b)?;
                self.guarded(self.terms.not(empty), &a.clone())
            }
            Form::Union(a, b) | Form::Override(a, b) => {
                let (left, right) = (self.domain(a)?, self.domain(b)?);
                self.union(&left, &right)
            }
            _ => {
                let whole = Rc::new(set.clone());
                let closed = self.is_closed(set);
                self.described_within(keys, closed, Rc::new(move |e, k| e.in_domain(&whole, k)))
            }
        }
    }

    /// The range of a relation.
    pub(crate) fn range(&mut self, set: &Set) -> Result<Rc<Set>, Unsupported> {
        let (_, values) = self.sides(set)?;
        if let Form::Product(a, b) = &set.form {
            let empty = self.is_empty(a)?;
            return self.guarded(self.terms.not(empty), &b.clone());
        }
        if let Some(items) = self.candidates(set)? {
            let items = self.couples(&items)?.into_iter().map(|(g, _, v)| (g, v)).collect();
            return self.settle(Set::new(values, Form::List(items)));
        }
        if let Form::Union(a, b) = &set.form {
            let (left, right) = (self.range(a)?, self.range(b)?);
            return self.union(&left, &right);
        }
        let whole = Rc::new(set.clone());
        let closed = self.is_closed(set);
        self.described_within(
            values,
            closed,
            Rc::new(move |e, y| {
                let y = y.clone();
                e.exists_with_value(&whole, &y)
            }),
        )
    }

    /// Some argument has the value `y`.
    fn exists_with_value(&mut self, set: &Set, y: &Symbolic) -> Result<Term, Unsupported> {
        let (keys, _) = self.sides(set)?;
        let closed = self.is_closed(set);
        self.exists_within(&keys, closed, &mut |e, k| e.is_in(&Symbolic::pair(k.clone(), y.clone()), set))
    }

    /// Some element of a set, any value if it is empty; the same one for the same argument.
    pub(crate) fn some_element(
        &mut self,
        set: &Set,
        key: Option<&Symbolic>,
    ) -> Result<Symbolic, Unsupported> {
        if let Some(mut items) = self.candidates(set)? {
            let Some((_, mut value)) = items.pop() else {
                let shape = self.shape(&set.element, &Layout::Any);
                return Ok(self.some_value(&shape));
            };
            while let Some((here, v)) = items.pop() {
                value = self.ite(here, &v, &value)?;
            }
            return Ok(value);
        }
        let array = self.as_array(set)?;
        let empty = self.is_empty(set)?;
        let mut depends = vec![array];
        if let Some(key) = key {
            depends.push(self.pack(key)?);
        }
        let element = set.element.clone();
        let sort = self.sort(&element);
        let w = self.witness("element", sort, &depends, |e, w| {
            let inside = e.terms.select(array, w);
            let value = e.unpack(w, &element);
            let there = e.belongs(&value);
            Ok(e.terms.or([empty, e.terms.and([inside, there])]))
        })?;
        Ok(self.unpack(w, &set.element))
    }

    /// A set that is given by a test; a characteristic vector if the type is small.
    pub(crate) fn described(&mut self, element: Type, test: super::Test) -> Result<Rc<Set>, Unsupported> {
        self.described_within(element, false, test)
    }

    /// A set that is given by a test, as [`described`](Self::described) has it. `closed`: the test is false for strays.
    pub(crate) fn described_within(
        &mut self,
        element: Type,
        closed: bool,
        test: super::Test,
    ) -> Result<Rc<Set>, Unsupported> {
        let Some(all) = self.whole(&element) else { return Ok(Set::new(element, Form::Where(test, closed))) };
        let bits: Result<Vec<Term>, _> = all.values().iter().map(|x| test(self, x)).collect();
        Ok(Set::new(element, Form::Vector(all, bits?)))
    }

    /// A function that is given by domain and value; a table if the arguments' type is small or the
    /// possible arguments are known.
    pub(crate) fn lambda(
        &mut self,
        element: Type,
        domain: Rc<Set>,
        value: super::Value,
    ) -> Result<Rc<Set>, Unsupported> {
        let keys = match self.whole(key_of(&element)) {
            Some(whole) => Some(whole),
            None => self
                .as_known(&domain)?
                .map(|known| known.0)
                .filter(|keys| keys.len() <= tuning().symbolic.tabulated_arguments),
        };
        let Some(keys) = keys.filter(|keys| !keys.is_empty()) else {
            return Ok(Set::new(element, Form::Lambda(domain, value)));
        };
        let mut entries = vec![];
        for k in keys.values() {
            entries.push((self.is_in(k, &domain)?, value(self, k)?));
        }
        Ok(Set::new(element, Form::Table(keys, entries)))
    }

    /// `#x. f(x)` over all values of a type; `bounded`: f is false wherever x is no value of B.
    pub(crate) fn exists_within(
        &mut self,
        ty: &Type,
        bounded: bool,
        f: &mut dyn FnMut(&mut Encoder, &Symbolic) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        if let Some(all) = self.elements(ty) {
            let any: Result<Vec<Term>, _> = all.iter().map(|x| f(self, x)).collect();
            return Ok(self.terms.or(any?));
        }
        let (id, x) = self.binder("x", ty);
        let body = f(self, &x)?;
        let range = Binders::one(id, x, bounded);
        let whole = self.some(&range, body);
        self.close(range);
        Ok(whole)
    }

    /// `!x. f(x)` over all values of a type.
    pub(crate) fn forall_over(
        &mut self,
        ty: &Type,
        f: &mut dyn FnMut(&mut Encoder, &Symbolic) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        self.forall_within(ty, false, f)
    }

    /// `!x. f(x)` over all values of a type. `bounded`: f is true wherever x is no value of B.
    pub(crate) fn forall_within(
        &mut self,
        ty: &Type,
        bounded: bool,
        f: &mut dyn FnMut(&mut Encoder, &Symbolic) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        if let Some(all) = self.elements(ty) {
            let every: Result<Vec<Term>, _> = all.iter().map(|x| f(self, x)).collect();
            return Ok(self.terms.and(every?));
        }
        let (id, x) = self.binder("x", ty);
        let body = f(self, &x)?;
        let range = Binders::one(id, x, bounded);
        let whole = self.every(&range, body);
        self.close(range);
        Ok(whole)
    }

    /// `!x. x : set => f(x)`, over the arguments only where the set is a function.
    pub(crate) fn forall_in(
        &mut self,
        set: &Set,
        f: &mut dyn FnMut(&mut Encoder, &Symbolic) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        if let Some(items) = self.candidates(set)? {
            let mut all = vec![];
            for (g, x) in items {
                let then = f(self, &x)?;
                all.push(self.terms.implies(g, then));
            }
            return Ok(self.terms.and(all));
        }
        match &set.form {
            Form::Union(a, b) => {
                let (left, right) = (self.forall_in(a, f)?, self.forall_in(b, f)?);
                Ok(self.terms.and([left, right]))
            }
            Form::Map { .. } | Form::Sequence { .. } | Form::Lambda(..) => {
                let (keys, _) = self.sides(set)?;
                let closed = self.is_closed(set);
                self.forall_within(&keys, closed, &mut |e, k| {
                    let inside = e.in_domain(set, k)?;
                    let value = e.value_at(set, k)?;
                    let then = f(e, &Symbolic::pair(k.clone(), value))?;
                    Ok(e.terms.implies(inside, then))
                })
            }
            Form::Product(a, b) => self.forall_in(a, &mut |e, x| {
                e.forall_in(b, &mut |e, y| f(e, &Symbolic::pair(x.clone(), y.clone())))
            }),
            _ => {
                let element = set.element.clone();
                let closed = self.is_closed(set);
                self.forall_within(&element, closed, &mut |e, x| {
                    let inside = e.is_in(x, set)?;
                    let then = f(e, x)?;
                    Ok(e.terms.implies(inside, then))
                })
            }
        }
    }

    /// `#x. x : set & f(x)`
    pub(crate) fn exists_in(
        &mut self,
        set: &Set,
        f: &mut dyn FnMut(&mut Encoder, &Symbolic) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        let none = self.forall_in(set, &mut |e, x| {
            let here = f(e, x)?;
            Ok(e.terms.not(here))
        })?;
        Ok(self.negated(none))
    }

    /// Negation; a negated universal quantifier becomes an existential one.
    pub(crate) fn negated(&self, t: Term) -> Term {
        let n = self.terms.node(t);
        match &n.op {
            crate::term::Op::Forall(bound) => self.terms.exists(bound, self.negated(n.args[0])),
            _ => self.terms.not(t),
        }
    }
}
