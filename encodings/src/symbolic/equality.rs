//! Equality and inclusion of values.

use super::shape::canonical;
use super::{Form, Set, Symbolic};
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::term::{Term, Terms};

impl Encoder {
    /// Equality of B.
    ///
    /// # Errors
    /// If it has no term.
    pub fn equal(&mut self, a: &Symbolic, b: &Symbolic) -> Result<Term, Unsupported> {
        self.spend(1)?;
        match (a, b) {
            (Symbolic::Atom(x), Symbolic::Atom(y)) => Ok(self.terms.eq(*x, *y)),
            (Symbolic::Pair(x, y), Symbolic::Pair(v, w)) => {
                let left = self.equal(x, v)?;
                if left == Terms::FALSE {
                    return Ok(Terms::FALSE);
                }
                let right = self.equal(y, w)?;
                Ok(self.terms.and([left, right]))
            }
            (Symbolic::Record(x), Symbolic::Record(y)) => {
                let mut all = vec![];
                for ((_, v), (_, w)) in x.iter().zip(y) {
                    all.push(self.equal(v, w)?);
                }
                Ok(self.terms.and(all))
            }
            (Symbolic::Set(x), Symbolic::Set(y)) => self.same_set(x, y),
            _ => self.unsupported("values of different types are compared"),
        }
    }

    fn same_set(&mut self, a: &Set, b: &Set) -> Result<Term, Unsupported> {
        match (&a.form, &b.form) {
            (Form::List(items), _) if items.is_empty() => return self.is_empty(b),
            (_, Form::List(items)) if items.is_empty() => return self.is_empty(a),
            (Form::Vector(u, x), Form::Vector(v, y)) if u == v => {
                return Ok(self.terms.and(x.iter().zip(y).map(|(&p, &q)| self.terms.eq(p, q))));
            }
            (Form::Array(x), Form::Array(y)) => return Ok(self.terms.eq(*x, *y)),
            (Form::Table(u, x), Form::Table(v, y)) if u == v => {
                let mut all = vec![];
                for ((p, v), (q, w)) in x.iter().zip(y) {
                    all.push(self.terms.eq(*p, *q));
                    let both = self.terms.and([*p, *q]);
                    if both != Terms::FALSE {
                        let same = self.equal(v, w)?;
                        all.push(self.terms.implies(both, same));
                    }
                }
                return Ok(self.terms.and(all));
            }
            (
                Form::Map { domain: d, columns: x, shape: s },
                Form::Map { domain: e, columns: y, shape: t },
            ) if s == t && canonical(s) => {
                // The arrays agree on the domain: overwritten there by each other they are the same.
                let mut all = vec![self.terms.eq(*d, *e)];
                for (&p, &q) in x.iter().zip(y) {
                    all.push(self.terms.eq(self.terms.array_ite(*d, p, q), q));
                }
                return Ok(self.terms.and(all));
            }
            (Form::Sequence { length: n, columns: x, .. }, Form::Sequence { length: m, columns: y, .. })
                if x == y =>
            {
                return Ok(self.terms.eq(*n, *m));
            }
            (Form::Interval(Some(a), Some(b)), Form::Interval(Some(c), Some(d))) => {
                let same = self.terms.and([self.terms.eq(*a, *c), self.terms.eq(*b, *d)]);
                let empty = self.terms.and([self.terms.lt(*b, *a), self.terms.lt(*d, *c)]);
                return Ok(self.terms.or([same, empty]));
            }
            (Form::Interval(l, h), Form::Interval(m, n)) => {
                let (empty, also) = (self.is_empty(a)?, self.is_empty(b)?);
                let bound = |x: &Option<Term>, y: &Option<Term>| match (x, y) {
                    (Some(x), Some(y)) => self.terms.eq(*x, *y),
                    (None, None) => Terms::TRUE,
                    _ => Terms::FALSE,
                };
                let same = self.terms.and([bound(l, m), bound(h, n)]);
                let neither = self.terms.and([empty, also]);
                return Ok(self.terms.or([same, neither]));
            }
            _ => {}
        }
        if self.count(&a.element).is_some() {
            let (x, y) = (self.vector(a)?, self.vector(b)?);
            return Ok(self.terms.and(x.iter().zip(&y).map(|(&p, &q)| self.terms.eq(p, q))));
        }
        if let Some((_, x, y)) = self.aligned(a, b)? {
            return Ok(self.terms.and(x.iter().zip(&y).map(|(&p, &q)| self.terms.eq(p, q))));
        }
        if self.is_function_form(a) && self.is_function_form(b) {
            let (d, e) = (self.domain(a)?, self.domain(b)?);
            let domains = self.same_set(&d, &e)?;
            if domains == Terms::FALSE {
                return Ok(Terms::FALSE);
            }
            let (keys, _) = self.sides(a)?;
            let listed = self.candidates(&d)?.or(self.candidates(&e)?);
            let values = if let Some(keys) = listed {
                let mut all = vec![];
                for (g, k) in keys {
                    let (v, w) = (self.value_at(a, &k)?, self.value_at(b, &k)?);
                    let same = self.equal(&v, &w)?;
                    all.push(self.terms.implies(g, same));
                }
                self.terms.and(all)
            } else {
                let closed = self.is_closed(a);
                self.forall_within(&keys, closed, &mut |e, k| {
                    let inside = e.in_domain(a, k)?;
                    let (v, w) = (e.value_at(a, k)?, e.value_at(b, k)?);
                    let same = e.equal(&v, &w)?;
                    Ok(e.terms.implies(inside, same))
                })?
            };
            return Ok(self.terms.and([domains, values]));
        }
        for (list, other) in [(a, b), (b, a)] {
            // A listed relation equals a function if the domains agree and every couple is in it.
            if let (Form::List(items), true) = (&list.form, self.is_function_form(other)) {
                let items = items.clone();
                let (d, e) = (self.domain(list)?, self.domain(other)?);
                let mut all = vec![self.same_set(&d, &e)?];
                for (g, x) in items {
                    let inside = self.is_in(&x, other)?;
                    all.push(self.terms.implies(g, inside));
                }
                return Ok(self.terms.and(all));
            }
        }
        if self.is_plain_array(a) && self.is_plain_array(b) {
            let both_listed = matches!((&a.form, &b.form), (Form::List(_), Form::List(_)));
            if !both_listed {
                let (x, y) = (self.as_array(a)?, self.as_array(b)?);
                return Ok(self.terms.eq(x, y));
            }
        }
        if let (
            Form::Power { of: s, non_empty: m, finite: f },
            Form::Power { of: t, non_empty: n, finite: g },
        ) = (&a.form, &b.form)
            && (m, f) == (n, g)
        {
            return self.same_set(s, t);
        }
        let (left, right) = (self.subset(a, b)?, self.subset(b, a)?);
        Ok(self.terms.and([left, right]))
    }

    /// `a <: b`
    pub(crate) fn subset(&mut self, a: &Set, b: &Set) -> Result<Term, Unsupported> {
        if self.is_everything(b) {
            return Ok(Terms::TRUE);
        }
        match (&a.form, &b.form) {
            (Form::Vector(u, x), Form::Vector(v, y)) if u == v => {
                return Ok(self.terms.and(x.iter().zip(y).map(|(&p, &q)| self.terms.implies(p, q))));
            }
            (Form::Array(x), _) if self.is_plain_array(b) => {
                let b = self.as_array(b)?;
                return Ok(self.terms.subset(*x, b));
            }
            (Form::Interval(Some(l), Some(h)), Form::Interval(m, n)) => {
                let empty = self.terms.lt(*h, *l);
                let low = m.map_or(Terms::TRUE, |m| self.terms.le(m, *l));
                let high = n.map_or(Terms::TRUE, |n| self.terms.le(*h, n));
                let within = self.terms.and([low, high]);
                return Ok(self.terms.or([empty, within]));
            }
            (Form::Product(s, t), Form::Product(u, v)) => {
                let (e, f) = (self.is_empty(s)?, self.is_empty(t)?);
                let (g, h) = (self.subset(s, u)?, self.subset(t, v)?);
                let both = self.terms.and([g, h]);
                return Ok(self.terms.or([e, f, both]));
            }
            (
                Form::Power { of: s, finite: false, .. },
                Form::Power { of: t, non_empty: false, finite: false },
            ) => {
                return self.subset(s, t);
            }
            (_, Form::Product(u, v)) if self.is_function_form(a) && self.is_everything(v) => {
                let domain = self.domain(a)?;
                return self.subset(&domain, u);
            }
            _ => {}
        }
        self.forall_in(a, &mut |e, x| e.is_in(x, b))
    }

    /// `set = {}`
    pub(crate) fn is_empty(&mut self, set: &Set) -> Result<Term, Unsupported> {
        match &set.form {
            Form::Vector(_, bits) => Ok(self.terms.and(bits.iter().map(|&b| self.terms.not(b)))),
            Form::List(items) | Form::Table(_, items) => {
                Ok(self.terms.and(items.iter().map(|(g, _)| self.terms.not(*g))))
            }
            Form::Array(t) | Form::Map { domain: t, .. } => {
                let empty = self.terms.empty_set(self.terms.sort_of(*t));
                Ok(self.terms.eq(*t, empty))
            }
            Form::Sequence { length, .. } => Ok(self.terms.le(*length, self.terms.int(0))),
            Form::Interval(Some(a), Some(b)) => Ok(self.terms.lt(*b, *a)),
            Form::Interval(..) => Ok(Terms::FALSE),
            Form::Product(a, b) => {
                let (e, f) = (self.is_empty(a)?, self.is_empty(b)?);
                Ok(self.terms.or([e, f]))
            }
            Form::Power { non_empty: false, .. } => Ok(Terms::FALSE),
            Form::Power { of, .. } => self.is_empty(of),
            Form::Union(a, b) | Form::Override(a, b) => {
                let (e, f) = (self.is_empty(a)?, self.is_empty(b)?);
                Ok(self.terms.and([e, f]))
            }
            Form::Lambda(domain, _) => self.is_empty(domain),
            Form::Where(..) => {
                let element = set.element.clone();
                self.forall_over(&element, &mut |e, x| {
                    let inside = e.is_in(x, set)?;
                    Ok(e.terms.not(inside))
                })
            }
        }
    }

    /// A set that keeps arguments and values apart.
    pub(crate) fn is_function_form(&self, set: &Set) -> bool {
        matches!(set.form, Form::Table(..) | Form::Map { .. } | Form::Sequence { .. } | Form::Lambda(..))
    }

    /// A set that becomes an array without a quantifier.
    pub(crate) fn is_plain_array(&self, set: &Set) -> bool {
        match &set.form {
            Form::Array(_) | Form::Vector(..) => true,
            Form::List(items) => items.iter().all(|(_, x)| self.is_plain(x)),
            Form::Union(a, b) => self.is_plain_array(a) && self.is_plain_array(b),
            Form::Interval(None, None) => true,
            Form::Interval(Some(low), Some(high)) => {
                match (self.terms.as_int(*low), self.terms.as_int(*high)) {
                    (Some(low), Some(high)) => {
                        (&high - &low).to_i64().is_some_and(|d| d < self.written_out.listed as i64)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_plain(&self, v: &Symbolic) -> bool {
        match v {
            Symbolic::Atom(_) => true,
            Symbolic::Pair(a, b) => self.is_plain(a) && self.is_plain(b),
            Symbolic::Record(fields) => fields.iter().all(|(_, v)| self.is_plain(v)),
            Symbolic::Set(s) => self.is_plain_array(s),
        }
    }
}
