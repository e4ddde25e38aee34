//! Union, intersection, difference, and sets under a condition.

use std::rc::Rc;

use super::{Form, Guarded, Set};
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::term::{Term, Terms};

impl Encoder {
    /// The elements of a listed set, where it is one by form.
    fn listed<'a>(&self, set: &'a Set) -> Option<&'a [Guarded]> {
        match &set.form {
            Form::List(items) => Some(items),
            _ => None,
        }
    }

    /// A characteristic vector.
    fn is_vector(&self, set: &Set) -> bool {
        matches!(set.form, Form::Vector(..))
    }

    /// The characteristic vector of a set over a small type.
    pub(crate) fn vector(&mut self, set: &Set) -> Result<Vec<Term>, Unsupported> {
        if let Form::Vector(universe, bits) = &set.form
            && universe.is_whole()
        {
            return Ok(bits.clone());
        }
        let Some(all) = self.elements(&set.element) else {
            return self.unsupported("a set over a large type has no characteristic vector");
        };
        all.iter().map(|x| self.is_in(x, set)).collect()
    }

    /// A list over a small type whose elements are concrete becomes a characteristic vector; guards
    /// that are false go.
    pub(crate) fn settle(&mut self, set: Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        let Form::List(items) = &set.form else { return Ok(set) };
        if items.is_empty() {
            return Ok(set);
        }
        let concrete = items.iter().all(|(_, x)| self.position(x, &set.element).is_some());
        if let Some(whole) = self.whole(&set.element)
            && (concrete || items.len() > whole.len())
        {
            let bits = self.vector(&set)?;
            return Ok(Set::new(set.element.clone(), Form::Vector(whole, bits)));
        }
        if items.iter().any(|(g, _)| *g == Terms::FALSE) {
            let items = items.iter().filter(|(g, _)| *g != Terms::FALSE).cloned().collect();
            return Ok(Set::new(set.element.clone(), Form::List(items)));
        }
        Ok(set)
    }

    /// The set where the condition holds, `{}` where it does not.
    pub(crate) fn guarded(&mut self, condition: Term, set: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        if condition == Terms::TRUE {
            return Ok(set.clone());
        }
        if condition == Terms::FALSE {
            return Ok(Set::empty(set.element.clone()));
        }
        let both = |g: Term| self.terms.and([condition, g]);
        let form = match &set.form {
            Form::Vector(universe, bits) => {
                Form::Vector(universe.clone(), bits.iter().map(|&b| both(b)).collect())
            }
            Form::List(items) => Form::List(items.iter().map(|(g, x)| (both(*g), x.clone())).collect()),
            Form::Table(universe, items) => {
                Form::Table(universe.clone(), items.iter().map(|(g, x)| (both(*g), x.clone())).collect())
            }
            Form::Array(t) => {
                let empty = self.terms.empty_set(self.terms.sort_of(*t));
                Form::Array(self.terms.ite(condition, *t, empty))
            }
            Form::Map { domain, columns, shape } => {
                let empty = self.terms.empty_set(self.terms.sort_of(*domain));
                let domain = self.terms.ite(condition, *domain, empty);
                Form::Map { domain, columns: columns.clone(), shape: shape.clone() }
            }
            Form::Sequence { length, columns, shape } => {
                let length = self.terms.ite(condition, *length, self.terms.int(0));
                Form::Sequence { length, columns: columns.clone(), shape: shape.clone() }
            }
            Form::Lambda(domain, value) => {
                let (domain, value) = (domain.clone(), value.clone());
                Form::Lambda(self.guarded(condition, &domain)?, value)
            }
            _ => {
                let set = set.clone();
                let closed = self.is_closed(&set);
                let test: super::Test = Rc::new(move |e, x| {
                    let inside = e.is_in(x, &set)?;
                    Ok(e.terms.and([condition, inside]))
                });
                Form::Where(test, closed)
            }
        };
        Ok(Set::new(set.element.clone(), form))
    }

    /// `a \/ b`
    pub(crate) fn union(&mut self, a: &Rc<Set>, b: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        let element = a.element.clone();
        for (x, y) in [(a, b), (b, a)] {
            if matches!(&x.form, Form::List(items) if items.is_empty()) {
                return Ok(y.clone());
            }
            if self.is_everything(x) {
                return Ok(x.clone());
            }
        }
        if let (Some(x), Some(y)) = (self.listed(a), self.listed(b)) {
            let both = [x, y].concat();
            return self.settle(Set::new(element, Form::List(both)));
        }
        // Functions stay what they are, for the case that their union is a function too.
        if !(self.is_function_form(a) || self.is_function_form(b)) {
            if let Some(whole) = self.whole(&element) {
                let (x, y) = (self.vector(a)?, self.vector(b)?);
                let bits = x.iter().zip(&y).map(|(&p, &q)| self.terms.or([p, q])).collect();
                return Ok(Set::new(element, Form::Vector(whole, bits)));
            }
            if self.is_vector(a) || self.is_vector(b) {
                if let Some((universe, x, y)) = self.aligned(a, b)? {
                    let bits = x.iter().zip(&y).map(|(&p, &q)| self.terms.or([p, q])).collect();
                    return Ok(Set::new(element, Form::Vector(universe, bits)));
                }
                if let (Some(x), Some(y)) = (self.candidates(a)?, self.candidates(b)?) {
                    return Ok(Set::new(element, Form::List([x, y].concat())));
                }
            }
            let array = matches!(a.form, Form::Array(_)) || matches!(b.form, Form::Array(_));
            if array && self.is_plain_array(a) && self.is_plain_array(b) {
                // An element is added by storing it.
                let (array, list) = if self.listed(a).is_some() { (b, a) } else { (a, b) };
                if let Some(items) = self.listed(list) {
                    let start = self.as_array(array)?;
                    let items = items.to_vec();
                    let whole = self.store_items(start, &items)?;
                    return Ok(Set::new(element, Form::Array(whole)));
                }
                let (x, y) = (self.as_array(a)?, self.as_array(b)?);
                return Ok(Set::new(element, Form::Array(self.terms.set_union(x, y))));
            }
        }
        Ok(Set::new(element, Form::Union(a.clone(), b.clone())))
    }

    /// `a /\ b`
    pub(crate) fn intersection(&mut self, a: &Rc<Set>, b: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        for (x, y) in [(a, b), (b, a)] {
            if matches!(&x.form, Form::List(items) if items.is_empty()) {
                return Ok(x.clone());
            }
            if self.is_everything(x) {
                return Ok(y.clone());
            }
        }
        if let (Form::Interval(l, h), Form::Interval(m, n)) = (&a.form, &b.form) {
            let low = match (l, m) {
                (Some(l), Some(m)) => Some(self.terms.ite(self.terms.le(*l, *m), *m, *l)),
                (l, m) => l.or(*m),
            };
            let high = match (h, n) {
                (Some(h), Some(n)) => Some(self.terms.ite(self.terms.le(*h, *n), *h, *n)),
                (h, n) => h.or(*n),
            };
            return Ok(Set::new(a.element.clone(), Form::Interval(low, high)));
        }
        if matches!(a.form, Form::Array(_)) && matches!(b.form, Form::Array(_)) {
            let (x, y) = (self.as_array(a)?, self.as_array(b)?);
            return Ok(Set::new(a.element.clone(), Form::Array(self.terms.set_inter(x, y))));
        }
        let filtered = |s: &Set| matches!(s.form, Form::Where(..) | Form::Interval(..) | Form::Power { .. });
        let (kept, filter) = if filtered(a)
            || (self.is_vector(b) && !self.is_vector(a))
            || (self.listed(b).is_some() && self.listed(a).is_none())
        {
            (b.clone(), a.clone())
        } else {
            (a.clone(), b.clone())
        };
        self.filter(&kept, Rc::new(move |e, x| e.is_in(x, &filter)))
    }

    /// `a - b`
    pub(crate) fn difference(&mut self, a: &Rc<Set>, b: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        if matches!(&b.form, Form::List(items) if items.is_empty()) {
            return Ok(a.clone());
        }
        if matches!(a.form, Form::Array(_)) && self.is_plain_array(b) {
            if let Some(items) = self.listed(b).map(<[Guarded]>::to_vec)
                && items.iter().all(|(g, _)| *g == Terms::TRUE)
            {
                let mut array = self.as_array(a)?;
                for (_, x) in items {
                    let x = self.pack(&x)?;
                    array = self.terms.store(array, x, Terms::FALSE);
                }
                return Ok(Set::new(a.element.clone(), Form::Array(array)));
            }
            let (x, y) = (self.as_array(a)?, self.as_array(b)?);
            return Ok(Set::new(a.element.clone(), Form::Array(self.terms.set_minus(x, y))));
        }
        let removed = b.clone();
        self.filter(
            a,
            Rc::new(move |e, x| {
                let inside = e.is_in(x, &removed)?;
                Ok(e.terms.not(inside))
            }),
        )
    }

    /// The elements of a set that pass a test.
    pub(crate) fn filter(&mut self, set: &Rc<Set>, test: super::Test) -> Result<Rc<Set>, Unsupported> {
        if let Form::Interval(..) = &set.form
            && let Some((universe, bits)) = self.as_known(set)?
        {
            let vector = Set::new(set.element.clone(), Form::Vector(universe, bits));
            return self.filter(&vector, test);
        }
        let form = match &set.form {
            Form::List(items) => {
                let mut kept = vec![];
                for (g, x) in items {
                    let passed = test(self, x)?;
                    kept.push((self.terms.and([*g, passed]), x.clone()));
                }
                return self.settle(Set::new(set.element.clone(), Form::List(kept)));
            }
            Form::Vector(universe, bits) => {
                let mut kept = vec![];
                for (x, &bit) in universe.values().iter().zip(bits) {
                    let passed = if bit == Terms::FALSE { bit } else { test(self, x)? };
                    kept.push(self.terms.and([bit, passed]));
                }
                Form::Vector(universe.clone(), kept)
            }
            Form::Table(universe, entries) => {
                let mut kept = vec![];
                for (k, (g, v)) in universe.values().iter().zip(entries) {
                    let passed = test(self, &super::Symbolic::pair(k.clone(), v.clone()))?;
                    kept.push((self.terms.and([*g, passed]), v.clone()));
                }
                Form::Table(universe.clone(), kept)
            }
            Form::Map { columns, shape, .. } => {
                let (keys, _) = self.sides(set)?;
                let (id, k) = self.binder("k", &keys);
                let inside = self.in_domain(set, &k)?;
                let value = self.value_at(set, &k)?;
                let passed = test(self, &super::Symbolic::pair(k, value))?;
                self.forget(id);
                let domain = self.terms.lambda(id, self.terms.and([inside, passed]));
                Form::Map { domain, columns: columns.clone(), shape: shape.clone() }
            }
            Form::Sequence { .. } | Form::Lambda(..) => {
                let (keys, _) = self.sides(set)?;
                let (whole, whole2) = (set.clone(), set.clone());
                let closed = self.is_closed(set);
                let domain = self.described_within(
                    keys,
                    closed,
                    Rc::new(move |e, k| {
                        let inside = e.in_domain(&whole, k)?;
                        let value = e.value_at(&whole, k)?;
                        let passed = test(e, &super::Symbolic::pair(k.clone(), value))?;
                        Ok(e.terms.and([inside, passed]))
                    }),
                )?;
                return self.lambda(set.element.clone(), domain, Rc::new(move |e, k| e.value_at(&whole2, k)));
            }
            _ => {
                let whole = set.clone();
                let closed = self.is_closed(set);
                return self.described_within(
                    set.element.clone(),
                    closed,
                    Rc::new(move |e, x| {
                        let inside = e.is_in(x, &whole)?;
                        if inside == Terms::FALSE {
                            return Ok(inside);
                        }
                        let passed = test(e, x)?;
                        Ok(e.terms.and([inside, passed]))
                    }),
                );
            }
        };
        Ok(Set::new(set.element.clone(), form))
    }
}
