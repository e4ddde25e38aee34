//! Carriers of unsettled size: a part of a universe.
//!
//! A deferred set S that has no size in the scope, and every other set of which only equality of elements is
//! known (free types, type parameters), becomes an uninterpreted sort. The theory of arrays of a solver may take
//! the index sort of an array for infinite, as Z3 does: it answers `unsat` to `{z} = S` where S is the set that is
//! true everywhere, although S may have one element. No encoding in which the elements of the sort are the elements
//! of S can prevent this. So the sort U is only a *universe*: S is a part of it, the array constant `carrier S`,
//! and outside of it there are as many *strays* as the solver likes.
//!
//! # The lifting lemma
//!
//! Take any B interpretation of the model: S of any size, finite or not, not empty. Choose U as S together with
//! infinitely many strays, and `carrier S` as S. Each B value is then *lifted* to terms:
//! - an element of S is itself, as an element of U; numbers, truth values and elements of settled sets are themselves;
//! - couples and records are lifted part by part;
//! - a set is true for the lifted elements of it and for nothing else: false for strays and for whatever contains one;
//! - a function has its domain as a set, and lifted values for the arguments in it; its value elsewhere is arbitrary,
//!   as it always was.
//!
//! Every construct of this crate keeps the lemma: *on lifted values, a formula has the truth that the predicate has
//! in B, and an expression the lifted value*. So a query that has a model in B, in any size, has a model over U, and
//! `unsat` means that there is none in any size, whether the solver takes U for infinite or not. What the constructs
//! owe for this:
//! - S as a set is `carrier S`, never the array that is true everywhere ([`Encoder::everything`]). That a value of
//!   type S is in S needs no question: it is true of every lifted value.
//! - A quantifier ranges over lifted values only ([`Encoder::every`], [`Encoder::some`]), and so does what depends on
//!   bound variables ([`Encoder::witness`]).
//! - An array that is made from a test is false for strays, whatever the test says of them ([`Encoder::as_array`]).
//! - Set operations work point by point and keep this; the complement is always relative to `carrier S`.
//! - The columns of a function are compared on its domain only.
//! - A quantifier over the inputs of a step, as in a question about deadlocks, finds in
//!   [`Transition::guard`](crate::system::Transition::guard) that the inputs are lifted values.
//!
//! # Facts
//!
//! That variables, constants, inputs and results of functions are lifted values is no part of the argument: without it
//! a solver finds models that are none, never the other way round. It is asserted as far as this needs no quantifier
//! ([`Encoder::facts`], [`Encoder::note`]), so that such models are rare, and only of carriers that occur in the terms
//! of the model at all ([`encode`](crate::system::build)): where `carrier S` occurs in facts only, they are satisfied
//! by the carrier that is all of U, so that they say nothing.
//!
//! # Without the theory of arrays
//!
//! Where arrays are only read ([`Session::only_read_arrays`](crate::session::Session::only_read_arrays)) they are
//! functions, and no sort is taken for infinite. Then the interpretation in which U is S itself is there for every B
//! interpretation, and `carrier S` may be everything: nothing has to be known of strays, for there are none.
//!
//! # Finiteness
//!
//! In classical B a deferred set is finite (B-Book, 4.1: the given sets of a machine are finite and not empty); in
//! Event-B it may be infinite unless an axiom says otherwise. Finiteness of sets over it is then the rigid constant
//! `finite sets of U`, which holds what it says in every interpretation; it is only ever used at such sets.

use std::collections::BTreeSet;

use bsym_language::types::{CarrierId, Type};

use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Set, Symbolic};
use crate::term::{Op, Sort, SortKind, SymbolId, Term, Terms};

/// Bound symbols as values of B.
pub(crate) struct Binders {
    bound: Vec<Binder>,
}

struct Binder {
    id: SymbolId,
    value: Symbolic,
    /// `true` if a condition of its own decides for strays what is quantified.
    bounded: bool,
}

impl Binders {
    /// No symbols.
    pub fn none() -> Binders {
        Binders { bound: vec![] }
    }

    /// One symbol. `bounded`: for strays, the body of the quantifier is true under a universal and false under an
    /// existential one.
    pub fn one(id: SymbolId, value: Symbolic, bounded: bool) -> Binders {
        Binders { bound: vec![Binder { id, value, bounded }] }
    }

    /// One more symbol.
    pub fn push(&mut self, id: SymbolId, value: Symbolic, bounded: bool) {
        self.bound.push(Binder { id, value, bounded });
    }
}

impl Encoder {
    /// The part of an uninterpreted sort that is there.
    pub(crate) fn carrier(&self, sort: Sort) -> Option<Term> {
        if let Some(known) = self.carriers.borrow().get(&sort) {
            return *known;
        }
        let carrier = match self.terms.sort_kind(sort) {
            SortKind::Uninterpreted(name) => {
                Some(self.terms.rigid(&format!("carrier {name}"), self.terms.set_sort(sort)))
            }
            _ => None,
        };
        self.carriers.borrow_mut().insert(sort, carrier);
        carrier
    }

    /// The carriers of all sorts that were asked for.
    pub(crate) fn every_carrier(&self) -> BTreeSet<Term> {
        self.carriers.borrow().values().flatten().copied().collect()
    }

    /// An element of an uninterpreted sort that is there.
    pub(crate) fn some_element_of(&self, sort: Sort) -> Option<Term> {
        match self.terms.sort_kind(sort) {
            SortKind::Uninterpreted(name) => Some(self.terms.rigid(&format!("some {name}"), sort)),
            _ => None,
        }
    }

    /// Returns facts about the carriers that facts are asserted of: they are not empty.
    pub(crate) fn carriers_exist(&self) -> Vec<Term> {
        let mut all = vec![];
        for &sort in &self.compared {
            if let (Some(carrier), Some(element)) = (self.carrier(sort), self.some_element_of(sort)) {
                all.push(self.terms.select(carrier, element));
            }
        }
        all
    }

    /// The sorts of all deferred sets that have no size.
    pub(crate) fn open_sorts(&self) -> BTreeSet<Sort> {
        let sorts =
            (0..self.model.types.carriers.len()).map(|i| self.sort(&Type::Carrier(CarrierId(i as u32))));
        sorts.filter(|&s| self.carrier(s).is_some()).collect()
    }

    /// Returns the open sorts whose carrier occurs in terms.
    pub(crate) fn occurring(&self, terms: &[Term]) -> BTreeSet<Sort> {
        let symbols = self.terms.symbols(terms);
        let occurs = |&s: &Sort| {
            let id = self.carrier(s).and_then(|c| self.terms.as_symbol(c));
            id.is_some_and(|id| symbols.contains(&id))
        };
        self.open_sorts().into_iter().filter(occurs).collect()
    }

    /// Returns whether terms of a sort can have strays in them.
    pub(crate) fn is_open(&self, sort: Sort) -> bool {
        match self.terms.sort_kind(sort) {
            SortKind::Uninterpreted(_) => true,
            SortKind::Array(index, value) => self.is_open(index) || self.is_open(value),
            SortKind::Tuple(fields) => fields.iter().any(|&f| self.is_open(f)),
            SortKind::Bool | SortKind::Int | SortKind::Real | SortKind::Enum(..) => false,
        }
    }

    /// A value made of symbols is a lifted one.
    pub(crate) fn belongs(&mut self, v: &Symbolic) -> Term {
        match v {
            Symbolic::Atom(t) => self.atom_belongs(*t),
            Symbolic::Pair(a, b) => {
                let sides = [self.belongs(a), self.belongs(b)];
                self.terms.and(sides)
            }
            Symbolic::Record(fields) => {
                let all: Vec<Term> = fields.iter().map(|(_, v)| self.belongs(v)).collect();
                self.terms.and(all)
            }
            Symbolic::Set(set) if !self.is_open(self.sort(&set.element)) => Terms::TRUE,
            Symbolic::Set(set) => match &set.form {
                Form::Array(t) => self.array_belongs(*t, &set.element),
                Form::Table(_, entries) => {
                    let mut all = vec![];
                    for (bit, v) in entries {
                        let inside = self.belongs(v);
                        all.push(self.terms.implies(*bit, inside));
                    }
                    self.terms.and(all)
                }
                Form::Map { domain, .. } | Form::Sequence { length: domain, .. } => {
                    let Some((keys, values)) = set.sides().map(|(a, b)| (a.clone(), b.clone())) else {
                        return Terms::TRUE;
                    };
                    let mut all = vec![];
                    if matches!(set.form, Form::Map { .. }) {
                        all.push(self.array_belongs(*domain, &keys));
                    }
                    if self.is_open(self.sort(&values)) {
                        let (id, k) = self.binder("k", &keys);
                        let here = (self.in_domain(set, &k), self.value_at(set, &k));
                        if let (Ok(inside), Ok(value)) = here {
                            let there = self.belongs(&value);
                            all.push(self.terms.forall(&[id], self.terms.implies(inside, there)));
                        }
                        self.forget(id);
                    }
                    self.terms.and(all)
                }
                // Its elements are values of their own.
                _ => Terms::TRUE,
            },
        }
    }

    fn atom_belongs(&self, t: Term) -> Term {
        match self.carrier(self.terms.sort_of(t)) {
            Some(carrier) => self.terms.select(carrier, t),
            None => Terms::TRUE,
        }
    }

    fn array_belongs(&mut self, array: Term, element: &Type) -> Term {
        let sort = self.sort(element);
        if let Some(carrier) = self.carrier(sort) {
            return self.terms.subset(array, carrier);
        }
        if !self.is_open(sort) {
            return Terms::TRUE;
        }
        let (id, x) = self.binder("x", element);
        let inside = self.terms.select(array, self.symbol(id));
        let there = self.belongs(&x);
        self.terms.forall(&[id], self.terms.implies(inside, there))
    }

    /// Returns the facts that hold of every value that [`Encoder::fresh`] may stand for, without quantifiers.
    pub fn facts(&self, s: &Symbolic) -> Vec<Term> {
        let known = |sort: Sort, fact: &dyn Fn(Term) -> Term| -> Vec<Term> {
            let carrier = self.carrier(sort).filter(|_| self.compared.contains(&sort));
            carrier.map(fact).filter(|&t| t != Terms::TRUE).into_iter().collect()
        };
        match s {
            Symbolic::Atom(t) => known(self.terms.sort_of(*t), &|c| self.terms.select(c, *t)),
            Symbolic::Pair(a, b) => [self.facts(a), self.facts(b)].concat(),
            Symbolic::Record(fields) => fields.iter().flat_map(|(_, v)| self.facts(v)).collect(),
            Symbolic::Set(set) => match &set.form {
                Form::Sequence { length, .. } => vec![self.terms.ge(*length, self.terms.int(0))],
                Form::Table(_, entries) => {
                    let under = |(bit, v): &(Term, Symbolic)| -> Vec<Term> {
                        self.facts(v).into_iter().map(|t| self.terms.implies(*bit, t)).collect()
                    };
                    entries.iter().flat_map(under).collect()
                }
                Form::Array(t) | Form::Map { domain: t, .. } => {
                    let (index, _) = self.terms.array_parts(self.terms.sort_of(*t));
                    known(index, &|c| self.terms.subset(*t, c))
                }
                _ => vec![],
            },
        }
    }

    /// Returns the facts that are asserted of a constant, a variable or an input of a step.
    pub(crate) fn every_fact(&mut self, s: &Symbolic) -> Vec<Term> {
        let mut all = self.facts(s);
        if self.complete {
            let belongs = self.belongs(s);
            all.extend(Some(belongs).filter(|&t| t != Terms::TRUE));
        }
        all
    }

    /// Notes that a value that was read from a function where `inside` holds is a lifted one.
    pub(crate) fn note(&mut self, inside: Term, value: &Symbolic) {
        if inside == Terms::FALSE {
            return;
        }
        for fact in self.facts(value) {
            let fact = self.terms.implies(inside, fact);
            self.note_fact(fact);
        }
    }

    /// Forgets what was noted of values that depend on a bound symbol.
    pub(crate) fn forget(&mut self, id: SymbolId) {
        self.made.noted.retain(|(_, bound)| !bound.contains(&id));
    }

    /// `!bound. body`, over the values of B.
    pub(crate) fn every(&mut self, binders: &Binders, body: Term) -> Term {
        let (ids, known) = self.ranges(binders, body);
        self.terms.forall(&ids, self.terms.implies(known, body))
    }

    /// `#bound. body`, over the values of B.
    pub(crate) fn some(&mut self, binders: &Binders, body: Term) -> Term {
        let (ids, known) = self.ranges(binders, body);
        self.terms.exists(&ids, self.terms.and([known, body]))
    }

    /// No further quantifier binds these symbols: what was noted of them has served.
    pub(crate) fn close(&mut self, binders: Binders) {
        binders.bound.iter().for_each(|b| self.forget(b.id));
    }

    /// The symbols that occur in a body, and that they stand for values of B, with what was noted of values that
    /// depend on them.
    fn ranges(&mut self, binders: &Binders, body: Term) -> (Vec<SymbolId>, Term) {
        let free = self.terms.symbols(&[body]);
        let mut known = vec![];
        let mut ids = vec![];
        for Binder { id, value, bounded } in &binders.bound {
            // Types are never empty, so what does not speak of a symbol needs no value for it.
            if !free.contains(id) {
                continue;
            }
            ids.push(*id);
            if !bounded {
                known.push(self.belongs(value));
            }
        }
        let unused = |b: &SymbolId| !ids.contains(b) && binders.bound.iter().any(|own| own.id == *b);
        let noted = self
            .made
            .noted
            .iter()
            .filter(|(_, bound)| bound.iter().any(|b| ids.contains(b)) && !bound.iter().any(unused));
        known.extend(noted.map(|(fact, _)| *fact));
        (ids, self.terms.and(known))
    }

    /// Returns whether membership in a set is false for strays by itself.
    pub(crate) fn is_closed(&self, set: &Set) -> bool {
        if !self.is_open(self.sort(&set.element)) {
            return true;
        }
        match &set.form {
            Form::Array(_) => !self.is_everything(set),
            Form::Vector(..) | Form::Table(..) | Form::List(_) | Form::Map { .. } | Form::Sequence { .. } => {
                true
            }
            Form::Product(a, b) | Form::Union(a, b) | Form::Override(a, b) => {
                self.is_closed(a) && self.is_closed(b)
            }
            Form::Lambda(domain, _) => self.is_closed(domain),
            Form::Interval(..) => true,
            Form::Where(_, closed) => *closed,
            Form::Power { .. } => false,
        }
    }

    /// Returns whether values of a type have parts of which there may be infinitely many in an interpretation, while no
    /// number tells them apart.
    pub(crate) fn has_infinite_carrier(&self, ty: &Type) -> bool {
        match ty {
            Type::Carrier(_) | Type::Free(..) | Type::Parameter(_) => !self.is_finite(ty),
            Type::Bool | Type::Int | Type::Real | Type::String => false,
            Type::Pow(t) => self.has_infinite_carrier(t),
            Type::Pair(a, b) => self.has_infinite_carrier(a) || self.has_infinite_carrier(b),
            Type::Record(fields) => fields.iter().any(|(_, t)| self.has_infinite_carrier(t)),
        }
    }

    /// Finiteness of a set over a carrier that may be infinite.
    pub(crate) fn finite_array(&mut self, array: Term) -> Term {
        let t = self.terms.clone();
        let node = t.node(array);
        match node.op {
            // Adding or taking away an element changes nothing.
            Op::Store => self.finite_array(node.args[0]),
            Op::ConstArray(_) if node.args[0] == Terms::FALSE => Terms::TRUE,
            Op::SetUnion => {
                let both = [self.finite_array(node.args[0]), self.finite_array(node.args[1])];
                t.and(both)
            }
            Op::Ite => {
                let (a, b) = (self.finite_array(node.args[1]), self.finite_array(node.args[2]));
                t.ite(node.args[0], a, b)
            }
            _ => {
                let sort = t.sort_of(array);
                let name = format!("finite sets of {}", t.sort_text(sort));
                let whole = t.select(t.rigid(&name, t.set_sort(sort)), array);
                // A part of a finite set is finite.
                let parts: Vec<Term> = match node.op {
                    Op::SetInter => vec![self.finite_array(node.args[0]), self.finite_array(node.args[1])],
                    Op::SetMinus => vec![self.finite_array(node.args[0])],
                    _ => vec![],
                };
                for part in parts {
                    let fact = t.implies(part, whole);
                    if fact != Terms::TRUE {
                        let bound = self.bound_in(&[fact]);
                        self.made.noted.push((fact, bound));
                    }
                }
                whole
            }
        }
    }
}

impl Encoder {
    /// A variable that takes a value is finite where the value is: for sets over carriers that may be infinite, where
    /// the model asks for finiteness at all.
    pub(crate) fn same_finiteness(
        &mut self,
        variable: &Symbolic,
        value: &Symbolic,
    ) -> Result<Vec<Term>, Unsupported> {
        let (Symbolic::Set(own), Symbolic::Set(new)) = (variable, value) else { return Ok(vec![]) };
        if !self.set_uses.asks_finite || !self.has_infinite_carrier(&own.element) {
            return Ok(vec![]);
        }
        let (before, after) = match &own.form {
            Form::Array(t) => (*t, self.as_array(new)?),
            Form::Map { domain, .. } => {
                let domain = *domain;
                let new = self.domain(new)?;
                (domain, self.as_array(&new)?)
            }
            _ => return Ok(vec![]),
        };
        let (before, after) = (self.finite_array(before), self.finite_array(after));
        Ok(vec![self.terms.eq(before, after)])
    }
}
