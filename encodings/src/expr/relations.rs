//! Relations and functions.

use std::rc::Rc;

use bsym_language::model::{BinaryOp, Expr, UnaryOp};
use bsym_language::types::Type;

use super::total;
use crate::symbolic::Encoded;
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Place, Set, Symbolic, Universe};
use crate::term::Terms;
use crate::tuning::tuning;

impl Encoder {
    pub(super) fn unary_relation(
        &mut self,
        op: UnaryOp,
        a: &Symbolic,
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        let set = self.as_set(a)?.clone();
        let Some(element) = e.ty.element().cloned() else {
            return self.unsupported("a relation without a type");
        };
        let value = match op {
            UnaryOp::Dom => self.domain(&set)?,
            UnaryOp::Ran => self.range(&set)?,
            UnaryOp::Inverse => self.inverse(&set)?,
            UnaryOp::Id => self.lambda(element, set, Rc::new(|_, x| Ok(x.clone())))?,
            UnaryOp::Fnc => {
                // `fnc(r)` maps every element of the domain to its image.
                let domain = self.domain(&set)?;
                let (_, values) = self.sides(&set)?;
                self.lambda(
                    element,
                    domain,
                    Rc::new(move |e, x| {
                        let (set, x) = (set.clone(), x.clone());
                        let image = e.described(
                            values.clone(),
                            Rc::new(move |e, y| e.is_in(&Symbolic::pair(x.clone(), y.clone()), &set)),
                        )?;
                        Ok(Symbolic::Set(image))
                    }),
                )?
            }
            _ => {
                // `rel(f)` relates x to every element of f(x).
                if !self.surely_functional(&set) {
                    return self.unsupported("`rel` of a relation that is not known to be a function");
                }
                self.described(
                    element,
                    Rc::new(move |e, x| {
                        let (k, y) = e.as_couple(x)?;
                        let inside = e.in_domain(&set, k)?;
                        let values = e.value_at(&set, k)?;
                        let member = e.member(y, &values)?;
                        Ok(e.terms.and([inside, member]))
                    }),
                )?
            }
        };
        Ok(total(Symbolic::Set(value)))
    }

    /// `r~`
    pub(crate) fn inverse(&mut self, set: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        let (keys, values) = self.sides(set)?;
        let element = Type::pair(values, keys);
        match &set.form {
            Form::Product(a, b) => return Ok(Set::new(element, Form::Product(b.clone(), a.clone()))),
            Form::List(_) | Form::Table(..) => {
                let mut items = vec![];
                for (g, x) in self.candidates(set)?.unwrap_or_default() {
                    let (k, v) = self.as_couple(&x)?;
                    items.push((g, Symbolic::pair(v.clone(), k.clone())));
                }
                return self.settle(Set::new(element, Form::List(items)));
            }
            _ => {}
        }
        let set = set.clone();
        let closed = self.is_closed(&set);
        self.described_within(
            element,
            closed,
            Rc::new(move |e, x| {
                let (y, k) = e.as_couple(x)?;
                let swapped = Symbolic::pair(k.clone(), y.clone());
                e.is_in(&swapped, &set)
            }),
        )
    }

    pub(super) fn binary_relation(
        &mut self,
        op: BinaryOp,
        a: &Symbolic,
        b: &Symbolic,
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        let (a, b) = (self.as_set(a)?.clone(), self.as_set(b)?.clone());
        let Some(element) = e.ty.element().cloned() else {
            return self.unsupported("a relation without a type");
        };
        let value = match op {
            BinaryOp::DomainRestriction => self.restrict_domain(&b, &a, true)?,
            BinaryOp::DomainSubtraction => self.restrict_domain(&b, &a, false)?,
            BinaryOp::RangeRestriction | BinaryOp::RangeSubtraction => {
                let keep = op == BinaryOp::RangeRestriction;
                if keep && self.is_everything(&b) {
                    a
                } else {
                    self.filter(
                        &a,
                        Rc::new(move |e, x| {
                            let inside = e.is_in(e.as_couple(x)?.1, &b)?;
                            Ok(if keep { inside } else { e.terms.not(inside) })
                        }),
                    )?
                }
            }
            BinaryOp::Override => self.override_with(&a, &b)?,
            BinaryOp::Composition => self.compose(&a, &b, element)?,
            BinaryOp::Image => self.image(&a, &b)?,
            BinaryOp::DirectProduct => self.direct_product(&a, &b, element)?,
            _ => self.parallel_product(&a, &b, element)?,
        };
        Ok(total(Symbolic::Set(value)))
    }

    /// `S <| r` with `keep`, else `S <<| r`.
    fn restrict_domain(&mut self, r: &Rc<Set>, s: &Rc<Set>, keep: bool) -> Result<Rc<Set>, Unsupported> {
        let element = r.element.clone();
        match &r.form {
            Form::Map { domain, columns, shape } => {
                let (keys, _) = self.sides(r)?;
                let whole = Set::new(keys, Form::Array(*domain));
                let rest = if keep { self.intersection(&whole, s)? } else { self.difference(&whole, s)? };
                let domain = self.as_array(&rest)?;
                return Ok(Set::new(
                    element,
                    Form::Map { domain, columns: columns.clone(), shape: shape.clone() },
                ));
            }
            Form::Lambda(domain, value) => {
                let value = value.clone();
                let rest = if keep { self.intersection(domain, s)? } else { self.difference(domain, s)? };
                return Ok(Set::new(element, Form::Lambda(rest, value)));
            }
            Form::Product(a, b) => {
                let rest = if keep { self.intersection(a, s)? } else { self.difference(a, s)? };
                return Ok(Set::new(element, Form::Product(rest, b.clone())));
            }
            _ => {}
        }
        let s = s.clone();
        self.filter(
            r,
            Rc::new(move |e, x| {
                let inside = e.is_in(e.as_couple(x)?.0, &s)?;
                Ok(if keep { inside } else { e.terms.not(inside) })
            }),
        )
    }

    /// `f <+ g`
    pub(crate) fn override_with(&mut self, f: &Rc<Set>, g: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        let element = f.element.clone();
        if matches!(&g.form, Form::List(items) if items.is_empty()) {
            return Ok(f.clone());
        }
        if matches!(&f.form, Form::List(items) if items.is_empty()) {
            return Ok(g.clone());
        }
        let functional = self.surely_functional(g);
        match &f.form {
            // Other values are left to a caller that knows a shape with room for them.
            Form::Map { shape, .. } if functional && self.values_fit(g, shape) => {
                let shape = shape.clone();
                let (domain, columns) = self.overridden(f, g, &shape)?;
                return Ok(Set::new(element, Form::Map { domain, columns, shape }));
            }
            Form::Table(universe, entries) if functional && self.covers(universe, g)? => {
                let mut new = vec![];
                for (k, (bit, v)) in universe.values().iter().zip(entries) {
                    let inside = self.in_domain(g, k)?;
                    let value = if inside == Terms::FALSE {
                        v.clone()
                    } else {
                        let value = self.value_at(g, k)?;
                        if *bit == Terms::FALSE { value } else { self.ite(inside, &value, v)? }
                    };
                    new.push((self.terms.or([*bit, inside]), value));
                }
                return Ok(Set::new(element, Form::Table(universe.clone(), new)));
            }
            Form::List(items) => {
                if let Form::List(others) = &g.form {
                    let mut all = others.clone();
                    for (guard, x) in items {
                        let overridden = self.in_domain(g, self.as_couple(x)?.0)?;
                        all.push((self.terms.and([*guard, self.terms.not(overridden)]), x.clone()));
                    }
                    return self.settle(Set::new(element, Form::List(all)));
                }
            }
            _ => {}
        }
        let whole = Set::new(element.clone(), Form::Override(f.clone(), g.clone()));
        if let Some(all) = self.whole(&element)
            && !self.surely_functional(&whole)
        {
            let bits = self.vector(&whole)?;
            return Ok(Set::new(element, Form::Vector(all, bits)));
        }
        Ok(whole)
    }

    /// Returns whether every argument of `g` is known to be in a universe.
    fn covers(&mut self, universe: &Universe, g: &Set) -> Result<bool, Unsupported> {
        if universe.is_whole() {
            return Ok(true);
        }
        let (keys, _) = self.sides(g)?;
        let domain = self.domain(g)?;
        Ok(match self.as_known(&domain)? {
            Some((own, _)) => own.values().iter().all(|k| self.place(k, universe, &keys) != Place::Outside),
            None => false,
        })
    }

    /// `(r ; s)`
    pub(crate) fn compose(
        &mut self,
        r: &Rc<Set>,
        s: &Rc<Set>,
        element: Type,
    ) -> Result<Rc<Set>, Unsupported> {
        let (r, s) = (r.clone(), s.clone());
        if self.surely_functional(&r) && self.surely_functional(&s) && !matches!(r.form, Form::List(_)) {
            let (keys, _) = self.sides(&r)?;
            let (f, g) = (r.clone(), s.clone());
            let domain = if matches!(r.form, Form::Table(..)) {
                let inside = self.domain(&r)?;
                let known = Rc::new(move |e: &mut Encoder, x: &Symbolic| {
                    let middle = e.value_at(&f, x)?;
                    e.in_domain(&g, &middle)
                });
                self.filter(&inside, known)?
            } else {
                let closed = self.is_closed(&f);
                self.described_within(
                    keys,
                    closed,
                    Rc::new(move |e, x| {
                        let inside = e.in_domain(&f, x)?;
                        let middle = e.value_at(&f, x)?;
                        let further = e.in_domain(&g, &middle)?;
                        Ok(e.terms.and([inside, further]))
                    }),
                )?
            };
            return self.lambda(
                element,
                domain,
                Rc::new(move |e, x| {
                    let middle = e.value_at(&r, x)?;
                    e.value_at(&s, &middle)
                }),
            );
        }
        if self.count(&element).is_none()
            && let (Some(left), Some(right)) = (self.candidates(&r)?, self.candidates(&s)?)
            && left.len() * right.len() <= tuning().symbolic.relation_pairs
        {
            let mut items = vec![];
            for (g, x) in &left {
                for (h, y) in &right {
                    let ((a, b), (c, d)) = (self.as_couple(x)?, self.as_couple(y)?);
                    let (a, d) = (a.clone(), d.clone());
                    let same = self.equal(&b.clone(), &c.clone())?;
                    let here = self.terms.and([*g, *h, same]);
                    if here != Terms::FALSE {
                        items.push((here, Symbolic::pair(a, d)));
                    }
                }
            }
            return self.settle(Set::new(element, Form::List(items)));
        }
        let (_, middle) = self.sides(&r)?;
        let closed = self.is_closed(&r) && self.is_closed(&s);
        self.described_within(
            element,
            closed,
            Rc::new(move |e, x| {
                let (a, c) = e.as_couple(x)?;
                let (a, c) = (a.clone(), c.clone());
                if e.is_function_form(&r) {
                    let inside = e.in_domain(&r, &a)?;
                    let b = e.value_at(&r, &a)?;
                    let then = e.is_in(&Symbolic::pair(b, c), &s)?;
                    return Ok(e.terms.and([inside, then]));
                }
                for (listed, first) in [(&r, true), (&s, false)] {
                    if let Form::List(items) = &listed.form {
                        let mut any = vec![];
                        for (g, y) in items {
                            let (p, q) = e.as_couple(y)?;
                            let (p, q) = (p.clone(), q.clone());
                            let (same, then) = if first {
                                (e.equal(&a, &p)?, e.is_in(&Symbolic::pair(q, c.clone()), &s)?)
                            } else {
                                (e.equal(&c, &q)?, e.is_in(&Symbolic::pair(a.clone(), p), &r)?)
                            };
                            any.push(e.terms.and([*g, same, then]));
                        }
                        return Ok(e.terms.or(any));
                    }
                }
                let bounded = e.is_closed(&r) || e.is_closed(&s);
                e.exists_within(&middle, bounded, &mut |e, b| {
                    let left = e.is_in(&Symbolic::pair(a.clone(), b.clone()), &r)?;
                    if left == Terms::FALSE {
                        return Ok(left);
                    }
                    let right = e.is_in(&Symbolic::pair(b.clone(), c.clone()), &s)?;
                    Ok(e.terms.and([left, right]))
                })
            }),
        )
    }

    /// `r[S]`
    pub(crate) fn image(&mut self, r: &Rc<Set>, s: &Rc<Set>) -> Result<Rc<Set>, Unsupported> {
        let (_, values) = self.sides(r)?;
        if let Form::Product(a, b) = &r.form {
            let common = self.intersection(a, s)?;
            let none = self.is_empty(&common)?;
            return self.guarded(self.terms.not(none), b);
        }
        if self.surely_functional(r)
            && let Some(items) = self.candidates(s)?
        {
            let mut all = vec![];
            for (g, x) in items {
                let inside = self.in_domain(r, &x)?;
                let here = self.terms.and([g, inside]);
                if here != Terms::FALSE {
                    all.push((here, self.value_at(r, &x)?));
                }
            }
            return self.settle(Set::new(values, Form::List(all)));
        }
        if let Some(items) = self.candidates(r)? {
            let mut all = vec![];
            for (g, x) in items {
                let (k, v) = self.as_couple(&x)?;
                let (k, v) = (k.clone(), v.clone());
                let inside = self.is_in(&k, s)?;
                let here = self.terms.and([g, inside]);
                if here != Terms::FALSE {
                    all.push((here, v));
                }
            }
            return self.settle(Set::new(values, Form::List(all)));
        }
        let (r, s) = (r.clone(), s.clone());
        let closed = self.is_closed(&r);
        self.described_within(
            values,
            closed,
            Rc::new(move |e, y| {
                let y = y.clone();
                e.exists_in(&s, &mut |e, x| e.is_in(&Symbolic::pair(x.clone(), y.clone()), &r))
            }),
        )
    }

    /// `f >< g`: pairs of the values at one argument.
    fn direct_product(&mut self, f: &Rc<Set>, g: &Rc<Set>, element: Type) -> Result<Rc<Set>, Unsupported> {
        let (f, g) = (f.clone(), g.clone());
        if self.is_function_form(&f) && self.is_function_form(&g) {
            let (d, e) = (self.domain(&f)?, self.domain(&g)?);
            let domain = self.intersection(&d, &e)?;
            return self.lambda(
                element,
                domain,
                Rc::new(move |e, x| Ok(Symbolic::pair(e.value_at(&f, x)?, e.value_at(&g, x)?))),
            );
        }
        if self.count(&element).is_none()
            && let (Some(left), Some(right)) = (self.candidates(&f)?, self.candidates(&g)?)
            && left.len() * right.len() <= tuning().symbolic.relation_pairs
        {
            let mut items = vec![];
            for (p, x) in &left {
                for (q, y) in &right {
                    let ((k, v), (l, w)) = (self.as_couple(x)?, self.as_couple(y)?);
                    let same = self.equal(&k.clone(), &l.clone())?;
                    let here = self.terms.and([*p, *q, same]);
                    items.push((here, Symbolic::pair(k.clone(), Symbolic::pair(v.clone(), w.clone()))));
                }
            }
            return self.settle(Set::new(element, Form::List(items)));
        }
        let closed = self.is_closed(&f) && self.is_closed(&g);
        self.described_within(
            element,
            closed,
            Rc::new(move |e, x| {
                let (k, vw) = e.as_couple(x)?;
                let (v, w) = e.as_couple(vw)?;
                let (left, right) =
                    (Symbolic::pair(k.clone(), v.clone()), Symbolic::pair(k.clone(), w.clone()));
                let (p, q) = (e.is_in(&left, &f)?, e.is_in(&right, &g)?);
                Ok(e.terms.and([p, q]))
            }),
        )
    }

    /// `f || g`: couples of arguments to couples of values.
    fn parallel_product(&mut self, f: &Rc<Set>, g: &Rc<Set>, element: Type) -> Result<Rc<Set>, Unsupported> {
        if self.count(&element).is_none()
            && let (Some(left), Some(right)) = (self.candidates(f)?, self.candidates(g)?)
            && left.len() * right.len() <= tuning().symbolic.relation_pairs
        {
            let mut items = vec![];
            for (p, x) in &left {
                for (q, y) in &right {
                    let ((k, v), (l, w)) = (self.as_couple(x)?, self.as_couple(y)?);
                    items.push((
                        self.terms.and([*p, *q]),
                        Symbolic::pair(
                            Symbolic::pair(k.clone(), l.clone()),
                            Symbolic::pair(v.clone(), w.clone()),
                        ),
                    ));
                }
            }
            return self.settle(Set::new(element, Form::List(items)));
        }
        let (f, g) = (f.clone(), g.clone());
        let closed = self.is_closed(&f) && self.is_closed(&g);
        self.described_within(
            element,
            closed,
            Rc::new(move |e, x| {
                let (kl, vw) = e.as_couple(x)?;
                let ((k, l), (v, w)) = (e.as_couple(kl)?, e.as_couple(vw)?);
                let (left, right) =
                    (Symbolic::pair(k.clone(), v.clone()), Symbolic::pair(l.clone(), w.clone()));
                let (p, q) = (e.is_in(&left, &f)?, e.is_in(&right, &g)?);
                Ok(e.terms.and([p, q]))
            }),
        )
    }

    /// `prj1(S, T)`, `prj2(S, T)`
    pub(super) fn projection(
        &mut self,
        element: Type,
        s: Rc<Set>,
        t: Rc<Set>,
        first: bool,
    ) -> Result<Rc<Set>, Unsupported> {
        let keys = Type::pair(s.element.clone(), t.element.clone());
        let domain = Set::new(keys, Form::Product(s, t));
        self.lambda(
            element,
            domain,
            Rc::new(move |e, x| {
                let (a, b) = e.as_couple(x)?;
                Ok(if first { a.clone() } else { b.clone() })
            }),
        )
    }

    /// `S <-> T`, `S +-> T` and the others: the relations that pass a test, which leaves out what
    /// their form and their types already say.
    pub(super) fn relation_space(
        &mut self,
        op: BinaryOp,
        a: &Symbolic,
        b: &Symbolic,
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        let (from, to) = (self.as_set(a)?.clone(), self.as_set(b)?.clone());
        let Some(element) = e.ty.element().cloned() else {
            return self.unsupported("a set of relations without a type");
        };
        let Some(kind) = op.relation_space() else {
            return self.unsupported("an operator that makes no set of relations");
        };
        let test = move |e: &mut Encoder, x: &Symbolic| {
            let r = e.as_set(x)?.clone();
            let mut all = vec![];
            let domain = e.domain(&r)?;
            if kind.total {
                all.push(e.same_sets(&domain, &from)?);
            } else {
                all.push(e.subset(&domain, &from)?);
            }
            if kind.functional {
                all.push(e.functional(&r)?);
            }
            if kind.surjective {
                let range = e.range(&r)?;
                all.push(e.same_sets(&range, &to)?);
            } else if !e.is_everything(&to) {
                all.push(e.values_in(&r, &to)?);
            }
            if kind.injective {
                all.push(e.injective(&r)?);
            }
            Ok(e.terms.and(all))
        };
        let value = self.described(element, Rc::new(test))?;
        Ok(total(Symbolic::Set(value)))
    }

    pub(crate) fn same_sets(&mut self, a: &Rc<Set>, b: &Rc<Set>) -> Result<crate::term::Term, Unsupported> {
        self.equal(&Symbolic::Set(a.clone()), &Symbolic::Set(b.clone()))
    }

    /// `ran(r) <: T`
    pub(crate) fn values_in(&mut self, r: &Set, to: &Set) -> Result<crate::term::Term, Unsupported> {
        self.forall_in(r, &mut |e, x| {
            let (_, v) = e.as_couple(x)?;
            let v = v.clone();
            e.is_in(&v, to)
        })
    }

    /// No two arguments have the same value.
    pub(crate) fn injective(&mut self, r: &Rc<Set>) -> Result<crate::term::Term, Unsupported> {
        let listed = self.candidates(r)?;
        if let Some(items) = listed {
            let mut all = vec![];
            for (i, (g, x)) in items.iter().enumerate() {
                for (h, y) in &items[i + 1..] {
                    let ((k, v), (l, w)) = (self.as_couple(x)?, self.as_couple(y)?);
                    let (k, v, l, w) = (k.clone(), v.clone(), l.clone(), w.clone());
                    let both = self.terms.and([*g, *h]);
                    if both == Terms::FALSE {
                        continue;
                    }
                    let same_value = self.equal(&v, &w)?;
                    let same_key = self.equal(&k, &l)?;
                    let here = self.terms.and([both, same_value]);
                    all.push(self.terms.implies(here, same_key));
                }
            }
            return Ok(self.terms.and(all));
        }
        self.forall_in(r, &mut |e, x| {
            let (k, v) = e.as_couple(x)?;
            let (k, v) = (k.clone(), v.clone());
            e.forall_in(r, &mut |e, y| {
                let (l, w) = e.as_couple(y)?;
                let (l, w) = (l.clone(), w.clone());
                let same_value = e.equal(&v, &w)?;
                let same_key = e.equal(&k, &l)?;
                Ok(e.terms.implies(same_value, same_key))
            })
        })
    }
}
