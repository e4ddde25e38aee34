//! Membership, and the elements that a set can have.

use std::collections::BTreeSet;

use bsym_language::int::Int;
use bsym_language::types::Type;

use super::universe::Place;
use super::{Form, Guarded, Set, Symbolic};
use crate::symbolic::Unsupported;
use crate::symbolic::carriers::Binders;
use crate::symbolic::encoder::Encoder;
use crate::term::{Term, Terms};
use crate::tuning::tuning;

impl Encoder {
    /// The set that a value is.
    pub(crate) fn as_set<'a>(&self, v: &'a Symbolic) -> Result<&'a std::rc::Rc<Set>, Unsupported> {
        match v {
            Symbolic::Set(s) => Ok(s),
            _ => self.unsupported("a set was expected"),
        }
    }

    /// The term that a value without structure is.
    pub(crate) fn as_atom(&self, v: &Symbolic) -> Result<Term, Unsupported> {
        match v {
            Symbolic::Atom(t) => Ok(*t),
            _ => self.unsupported("a value without structure was expected"),
        }
    }

    /// Both sides of a couple.
    pub(crate) fn as_couple<'a>(&self, v: &'a Symbolic) -> Result<(&'a Symbolic, &'a Symbolic), Unsupported> {
        match v {
            Symbolic::Pair(a, b) => Ok((a, b)),
            _ => self.unsupported("a couple was expected"),
        }
    }

    /// `x : set`
    ///
    /// # Errors
    /// If membership has no term.
    pub fn member(&mut self, x: &Symbolic, set: &Symbolic) -> Result<Term, Unsupported> {
        let set = self.as_set(set)?.clone();
        self.is_in(x, &set)
    }

    /// Consecutive integers among listed elements: that `x` is one of them, a range for each run, and the elements that
    /// are left. Two comparisons say what an equality for each would.
    fn in_runs<'i>(&self, x: &Symbolic, items: &'i [Guarded]) -> (Vec<Term>, Vec<&'i Guarded>) {
        let all = || items.iter().collect();
        let Symbolic::Atom(x) = *x else { return (vec![], all()) };
        if items.len() < tuning().symbolic.run
            || self.terms.sort_of(x) != Terms::INT
            || self.terms.is_value(x)
        {
            return (vec![], all());
        }
        let integer = |(guard, e): &Guarded| match e {
            Symbolic::Atom(e) if *guard == Terms::TRUE => self.terms.as_int(*e),
            _ => None,
        };
        let listed: BTreeSet<Int> = items.iter().filter_map(integer).collect();
        let mut runs: Vec<(Int, Int)> = vec![];
        for n in listed {
            match runs.last_mut() {
                Some((_, last)) if &*last + &Int::from(1) == n => *last = n,
                _ => runs.push((n.clone(), n)),
            }
        }
        runs.retain(|(first, last)| last - first >= Int::from(tuning().symbolic.run as i64 - 1));
        let is_left = |item: &&Guarded| {
            integer(item).is_none_or(|n| !runs.iter().any(|(first, last)| *first <= n && n <= *last))
        };
        let rest = items.iter().filter(is_left).collect();
        let range = |(first, last): &(Int, Int)| {
            let (first, last) = (self.terms.int(first.clone()), self.terms.int(last.clone()));
            self.terms.and([self.terms.le(first, x), self.terms.le(x, last)])
        };
        (runs.iter().map(range).collect(), rest)
    }

    pub(crate) fn is_in(&mut self, x: &Symbolic, set: &Set) -> Result<Term, Unsupported> {
        self.spend(1)?;
        if self.is_everything(set) {
            return Ok(Terms::TRUE);
        }
        match &set.form {
            Form::Vector(universe, bits) => {
                match self.place(x, universe, &set.element) {
                    Place::At(i) => return Ok(bits[i]),
                    Place::Outside => return Ok(Terms::FALSE),
                    Place::Open => {}
                }
                if universe.is_whole() && bits.iter().all(|&b| b == Terms::TRUE) {
                    return Ok(Terms::TRUE);
                }
                let mut any = vec![];
                for (e, &bit) in universe.values().iter().zip(bits) {
                    if bit != Terms::FALSE {
                        let same = self.equal(x, e)?;
                        any.push(self.terms.and([bit, same]));
                    }
                }
                Ok(self.terms.or(any))
            }
            Form::Array(array) => {
                let x = self.pack(x)?;
                Ok(self.terms.select(*array, x))
            }
            Form::Table(..) | Form::Map { .. } | Form::Sequence { .. } | Form::Lambda(..) => {
                let (key, value) = self.as_couple(x)?;
                let inside = self.in_domain(set, key)?;
                if inside == Terms::FALSE {
                    return Ok(Terms::FALSE);
                }
                let at = self.value_at(set, key)?;
                let same = self.equal(value, &at)?;
                Ok(self.terms.and([inside, same]))
            }
            Form::List(items) => {
                let (mut any, rest) = self.in_runs(x, items);
                for (guard, e) in rest {
                    let same = self.equal(x, e)?;
                    any.push(self.terms.and([*guard, same]));
                }
                Ok(self.terms.or(any))
            }
            Form::Interval(low, high) => {
                let x = self.as_atom(x)?;
                let above = low.map_or(Terms::TRUE, |l| self.terms.le(l, x));
                let below = high.map_or(Terms::TRUE, |h| self.terms.le(x, h));
                Ok(self.terms.and([above, below]))
            }
            Form::Product(a, b) => {
                let (x, y) = self.as_couple(x)?;
                let left = self.is_in(x, a)?;
                let right = self.is_in(y, b)?;
                Ok(self.terms.and([left, right]))
            }
            Form::Power { of, non_empty, finite } => {
                let x = self.as_set(x)?.clone();
                let mut all = vec![self.subset(&x, of)?];
                if *non_empty {
                    let empty = self.is_empty(&x)?;
                    all.push(self.terms.not(empty));
                }
                if *finite {
                    all.push(self.finite(&x)?);
                }
                Ok(self.terms.and(all))
            }
            Form::Union(a, b) => {
                let left = self.is_in(x, a)?;
                let right = self.is_in(x, b)?;
                Ok(self.terms.or([left, right]))
            }
            Form::Override(f, g) => {
                let (key, _) = self.as_couple(x)?;
                let key = key.clone();
                let new = self.is_in(x, g)?;
                let overridden = self.in_domain(g, &key)?;
                let old = self.is_in(x, f)?;
                let old = self.terms.and([self.terms.not(overridden), old]);
                Ok(self.terms.or([new, old]))
            }
            Form::Where(test, _) => {
                let test = test.clone();
                test(self, x)
            }
        }
    }

    /// Every element that a set can have, with when it has it, if there are not many; elements with
    /// different guards may be equal.
    pub(crate) fn candidates(&mut self, set: &Set) -> Result<Option<Vec<Guarded>>, Unsupported> {
        let listed = match &set.form {
            Form::List(items) => Some(items.clone()),
            Form::Vector(universe, bits) => {
                Some(bits.iter().copied().zip(universe.values().iter().cloned()).collect())
            }
            Form::Table(universe, entries) => {
                let couple =
                    |(k, (bit, v)): (&Symbolic, &Guarded)| (*bit, Symbolic::pair(k.clone(), v.clone()));
                Some(universe.values().iter().zip(entries).map(couple).collect::<Vec<_>>())
            }
            Form::Override(f, g) if self.count(&set.element).is_none() => {
                match (self.candidates(f)?, self.candidates(g)?) {
                    (Some(old), Some(new)) if old.len() + new.len() <= self.written_out.listed => {
                        let mut items = new;
                        for (guard, x) in old {
                            let key = self.as_couple(&x)?.0.clone();
                            let overridden = self.in_domain(g, &key)?;
                            items.push((self.terms.and([guard, self.terms.not(overridden)]), x));
                        }
                        Some(items)
                    }
                    _ => None,
                }
            }
            Form::Interval(Some(low), Some(high)) => {
                match (self.terms.as_int(*low), self.terms.as_int(*high)) {
                    (Some(low), Some(high)) => {
                        (&high - &low).to_i64().filter(|&d| d < self.written_out.listed as i64).map(|d| {
                            (0..=d)
                                .map(|i| (Terms::TRUE, Symbolic::Atom(self.terms.int(&low + &i.into()))))
                                .collect()
                        })
                    }
                    _ => None,
                }
            }
            Form::Product(a, b) => match (self.candidates(a)?, self.candidates(b)?) {
                (Some(left), Some(right)) if left.len() * right.len() <= self.written_out.listed => Some(
                    left.iter()
                        .flat_map(|(g, x)| {
                            right.iter().map(|(h, y)| {
                                (self.terms.and([*g, *h]), Symbolic::pair(x.clone(), y.clone()))
                            })
                        })
                        .collect(),
                ),
                _ => None,
            },
            Form::Power { of, non_empty, .. } => match self.candidates(of)? {
                Some(items) if items.len() <= 6 => {
                    let mut subsets = vec![];
                    for code in usize::from(*non_empty)..1 << items.len() {
                        let chosen: Vec<Guarded> = items
                            .iter()
                            .enumerate()
                            .filter(|(i, _)| code >> i & 1 == 1)
                            .map(|(_, x)| x.clone())
                            .collect();
                        let guard = self.terms.and(chosen.iter().map(|(g, _)| *g));
                        let chosen = chosen.into_iter().map(|(_, x)| (Terms::TRUE, x)).collect();
                        let subset = self.settle(Set::new(of.element.clone(), Form::List(chosen)))?;
                        subsets.push((guard, Symbolic::Set(subset)));
                    }
                    Some(subsets)
                }
                _ => None,
            },
            Form::Sequence { length, .. } => match self.terms.as_int(*length).and_then(|n| n.to_usize()) {
                Some(n) if n <= self.written_out.listed => {
                    let mut items = vec![];
                    for i in 1..=n as i64 {
                        let key = Symbolic::Atom(self.terms.int(i));
                        let value = self.value_at(set, &key)?;
                        items.push((Terms::TRUE, Symbolic::pair(key, value)));
                    }
                    Some(items)
                }
                _ => None,
            },
            Form::Union(a, b) => match (self.candidates(a)?, self.candidates(b)?) {
                (Some(left), Some(right)) => Some([left, right].concat()),
                _ => None,
            },
            Form::Lambda(domain, value) => match self.candidates(domain)? {
                Some(keys) => {
                    let value = value.clone();
                    let mut items = vec![];
                    for (g, k) in keys {
                        let v = value(self, &k)?;
                        items.push((g, Symbolic::pair(k, v)));
                    }
                    Some(items)
                }
                None => None,
            },
            Form::Array(_) | Form::Map { .. } | Form::Interval(..) | Form::Override(..) | Form::Where(..) => {
                None
            }
        };
        if let Some(items) = listed {
            self.spend(items.len())?;
            return Ok(Some(items.into_iter().filter(|(g, _)| *g != Terms::FALSE).collect()));
        }
        // Whatever the form, a small type has few values.
        let Some(all) = self.elements(&set.element) else { return Ok(None) };
        let mut items = vec![];
        for x in all.iter() {
            let inside = self.is_in(x, set)?;
            if inside != Terms::FALSE {
                items.push((inside, x.clone()));
            }
        }
        Ok(Some(items))
    }

    /// `@finite(S)`
    pub(crate) fn finite(&mut self, set: &Set) -> Result<Term, Unsupported> {
        if self.is_finite(&set.element) {
            return Ok(Terms::TRUE);
        }
        match &set.form {
            Form::Vector(..) | Form::List(_) | Form::Table(..) | Form::Sequence { .. } => Ok(Terms::TRUE),
            Form::Interval(Some(_), Some(_)) => Ok(Terms::TRUE),
            Form::Interval(Some(_), None) | Form::Interval(None, _) => Ok(Terms::FALSE),
            Form::Map { .. } | Form::Lambda(..) => {
                let domain = self.domain(set)?;
                self.finite(&domain)
            }
            Form::Product(a, b) => {
                let (e, f) = (self.is_empty(a)?, self.is_empty(b)?);
                let (g, h) = (self.finite(a)?, self.finite(b)?);
                let both = self.terms.and([g, h]);
                Ok(self.terms.or([e, f, both]))
            }
            Form::Union(a, b) => {
                let (g, h) = (self.finite(a)?, self.finite(b)?);
                Ok(self.terms.and([g, h]))
            }
            Form::Power { of, finite: false, .. } => self.finite(of),
            _ => {
                // Finite means that all numbers in the elements lie between two bounds.
                let low = self.terms.fresh("low", Terms::INT);
                let high = self.terms.fresh("high", Terms::INT);
                let bounds: Vec<_> = [low, high].iter().filter_map(|&t| self.terms.as_symbol(t)).collect();
                self.bound.extend(bounds.iter().map(|&b| (b, Type::Int)));
                let (x, element) = self.binder("x", &set.element);
                let inside = self.is_in(&element, set)?;
                let numbers = match numbers(&element, &set.element) {
                    Some(numbers) if !self.has_infinite_carrier(&set.element) => numbers,
                    _ => {
                        let array = self.as_array(set)?;
                        return Ok(self.finite_array(array));
                    }
                };
                let between = self
                    .terms
                    .and(numbers.into_iter().flat_map(|n| [self.terms.le(low, n), self.terms.le(n, high)]));
                let range = Binders::one(x, element, self.is_closed(set));
                let all = self.every(&range, self.terms.implies(inside, between));
                self.close(range);
                Ok(self.terms.exists(&bounds, all))
            }
        }
    }
}

/// The integers in a value; `None` where boundedness of them does not mean finitely many values.
fn numbers(v: &Symbolic, ty: &Type) -> Option<Vec<Term>> {
    match (v, ty) {
        (Symbolic::Atom(t), Type::Int | Type::String) => Some(vec![*t]),
        (Symbolic::Atom(_), Type::Bool | Type::Carrier(_)) => Some(vec![]),
        (Symbolic::Pair(a, b), Type::Pair(s, t)) => {
            let mut all = numbers(a, s)?;
            all.extend(numbers(b, t)?);
            Some(all)
        }
        (Symbolic::Record(values), Type::Record(fields)) => {
            let mut all = vec![];
            for ((_, v), (_, t)) in values.iter().zip(fields) {
                all.extend(numbers(v, t)?);
            }
            Some(all)
        }
        _ => None,
    }
}
