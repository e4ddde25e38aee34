//! Finiteness, cardinalities, least and greatest elements, lengths and closures, with the lemmas that proofs need of
//! them.
//!
//! None of them can be defined in first-order logic. The facts stated here are true of them (B-Book, 3.1.2, 3.5 to 3.7
//! and 3.11), so a proof from these is valid. That the natural numbers are well-founded is not stated.

use bsym_language::model::{BinaryOp, CarrierKind, Expr, ExprKind, Notation, UnaryOp};
use bsym_language::types::Type;

use super::application::sides;
use super::{Env, Found, Lowering, unsupported};
use crate::term::{Sort, Term, Terms};

impl Lowering<'_> {
    /// `finite(set)`
    pub(super) fn finite(&mut self, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if set.ty.element().is_some_and(|ty| self.has_finitely_many(ty)) {
            return Ok(Terms::TRUE);
        }
        Ok(match &set.kind {
            ExprKind::EmptySet | ExprKind::SetExtension(_) | ExprKind::SeqExtension(_) => Terms::TRUE,
            ExprKind::Binary(BinaryOp::Interval, ..) => Terms::TRUE,
            ExprKind::Binary(BinaryOp::Union, a, b) => t.and([self.finite(a, env)?, self.finite(b, env)?]),
            ExprKind::Unary(UnaryOp::Inverse, r) => self.finite(r, env)?,
            _ => {
                let found = self.is_finite(set, env)?;
                // The parts it is made of, where they make it finite.
                match &set.kind {
                    ExprKind::Unary(UnaryOp::Dom | UnaryOp::Ran, r) => {
                        let whole = self.finite(r, env)?;
                        self.fact(t.implies(whole, found));
                    }
                    ExprKind::Binary(BinaryOp::Image, r, _) => {
                        let whole = self.finite(r, env)?;
                        self.fact(t.implies(whole, found));
                    }
                    ExprKind::Binary(BinaryOp::Cartesian | BinaryOp::Override, a, b) => {
                        let both = t.and([self.finite(a, env)?, self.finite(b, env)?]);
                        self.fact(t.implies(both, found));
                    }
                    ExprKind::Binary(BinaryOp::Intersection, a, b) => {
                        let one = t.or([self.finite(a, env)?, self.finite(b, env)?]);
                        self.fact(t.implies(one, found));
                    }
                    ExprKind::Binary(BinaryOp::Difference, a, _) => {
                        let whole = self.finite(a, env)?;
                        self.fact(t.implies(whole, found));
                    }
                    _ => {}
                }
                if self.function(set, env).is_some() {
                    // A function is as large as its domain.
                    let (from, _) = sides(set)?;
                    let ty = Type::pow(from);
                    let domain = ExprKind::Unary(UnaryOp::Dom, Box::new(set.clone())).typed(ty, set.span);
                    if !self.has_finitely_many(domain.ty.element().unwrap_or(&Type::Int)) {
                        let domain = self.is_finite(&domain, env)?;
                        self.fact(t.eq(domain, found));
                    } else {
                        self.fact(found);
                    }
                }
                found
            }
        })
    }

    /// Returns whether a type has finitely many values in every interpretation. In classical B deferred sets are finite
    /// (B-Book, 4.17).
    fn has_finitely_many(&self, ty: &Type) -> bool {
        match ty {
            Type::Bool => true,
            Type::Carrier(id) => {
                let is_enumerated =
                    matches!(self.model.types.carriers[id.index()].kind, CarrierKind::Enumerated(_));
                is_enumerated || self.model.text.notation == Notation::ClassicalB
            }
            Type::Pow(ty) => self.has_finitely_many(ty),
            Type::Pair(a, b) => self.has_finitely_many(a) && self.has_finitely_many(b),
            Type::Record(fields) => fields.iter().all(|(_, ty)| self.has_finitely_many(ty)),
            _ => false,
        }
    }

    /// The predicate that an element of a sort of sets is finite.
    fn is_finite(&mut self, set: &Expr, env: &Env) -> Found<Term> {
        let set = self.set(set, env)?;
        let sort = self.terms.sort_of(set);
        self.sets_of_a_finite_set(sort);
        Ok(self.finite_set(set))
    }

    fn finite_set(&self, set: Term) -> Term {
        self.symbol(&format!("finite {:?}", self.terms.sort_of(set)), &[set], Terms::BOOL)
    }

    /// A part of a finite set is finite.
    fn sets_of_a_finite_set(&mut self, sort: Sort) {
        let key = format!("finite {sort:?}");
        if self.named.insert(key.clone(), key).is_some() {
            return;
        }
        let t = self.terms.clone();
        let sets = self.bind_sorts("s", &[sort, sort]);
        let part = self.part_of(sets[0], sets[1], sort);
        let both = t.and([self.finite_set(sets[1]), part]);
        let empty = self.no_members(sets[0], sort);
        self.fact(t.implies(both, self.finite_set(sets[0])));
        self.fact(t.implies(empty, self.finite_set(sets[0])));
    }

    fn part_of(&mut self, a: Term, b: Term, sort: Sort) -> Term {
        let leaves = self.powers.get(&sort).cloned().unwrap_or_default();
        let x = self.bind_sorts("m", &leaves);
        let (inside, outside) = (self.member_of(&x, a), self.member_of(&x, b));
        self.forall(&x, self.terms.implies(inside, outside))
    }

    fn no_members(&mut self, set: Term, sort: Sort) -> Term {
        let leaves = self.powers.get(&sort).cloned().unwrap_or_default();
        let x = self.bind_sorts("m", &leaves);
        let member = self.member_of(&x, set);
        self.forall(&x, self.terms.not(member))
    }

    /// `card(set)`
    pub(super) fn card(&mut self, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let element = self.set(set, env)?;
        let finite = self.finite(set, env)?;
        let sort = t.sort_of(element);
        self.cards_of_sets(sort);
        let found = self.card_of(element);
        let (zero, one) = (t.int(0), t.int(1));
        // Where the type says that it is finite the axioms about all sets have to know it.
        if finite == Terms::TRUE {
            let known = self.finite_set(element);
            self.fact(known);
        }
        match &set.kind {
            ExprKind::SetExtension(list) => {
                let mut number = zero;
                for (i, x) in list.iter().enumerate() {
                    let again = list[..i].iter().map(|y| self.equal(x, y, env)).collect::<Found<Vec<_>>>()?;
                    let again = t.or(again);
                    if t.quantifiers(&[again]) > 0 {
                        return Ok(found);
                    }
                    number = t.add([number, t.ite(again, zero, one)]);
                }
                self.fact(t.eq(found, number));
            }
            ExprKind::Binary(BinaryOp::Interval, a, b) => {
                let (a, b) = (self.atom(a, env)?, self.atom(b, env)?);
                let number = t.add([t.sub(b, a), one]);
                self.fact(t.eq(found, t.ite(t.le(a, b), number, zero)));
            }
            ExprKind::Binary(
                op @ (BinaryOp::Union | BinaryOp::Difference | BinaryOp::Intersection),
                a,
                b,
            ) => {
                let both = ExprKind::Binary(BinaryOp::Intersection, a.clone(), b.clone());
                let (left, common) = (
                    self.card_of_part(a, env)?,
                    self.card_of_part(&both.typed(set.ty.clone(), set.span), env)?,
                );
                let (fa, fb) = (self.finite(a, env)?, self.finite(b, env)?);
                match op {
                    BinaryOp::Union => {
                        let right = self.card_of_part(b, env)?;
                        let sum = t.eq(t.add([found, common]), t.add([left, right]));
                        self.fact(t.implies(t.and([fa, fb]), sum));
                    }
                    BinaryOp::Difference => {
                        let sum = t.eq(t.add([found, common]), left);
                        self.fact(t.implies(fa, sum));
                    }
                    _ => {}
                }
                // An intersection with one element has it or is empty.
                if let ExprKind::SetExtension(list) = &b.kind
                    && let [one_element] = &list[..]
                {
                    let inside = self.belongs(one_element, a, env)?;
                    let number =
                        t.and([t.implies(inside, t.eq(common, one)), t.or([inside, t.eq(common, zero)])]);
                    self.fact(number);
                }
            }
            ExprKind::Binary(BinaryOp::Cartesian, a, b) => {
                let (left, right) = (self.card(a, env)?, self.card(b, env)?);
                let both = t.and([self.finite(a, env)?, self.finite(b, env)?]);
                self.fact(t.implies(both, t.eq(found, t.mul(left, right))));
            }
            _ => {}
        }
        if self.function(set, env).is_some() {
            let (from, _) = sides(set)?;
            let domain =
                ExprKind::Unary(UnaryOp::Dom, Box::new(set.clone())).typed(Type::pow(from), set.span);
            let domain = self.card(&domain, env)?;
            self.fact(t.implies(finite, t.eq(found, domain)));
        }
        Ok(found)
    }

    /// The cardinality of a part of a set, without what its own parts say of it where it is an intersection.
    fn card_of_part(&mut self, set: &Expr, env: &Env) -> Found<Term> {
        if !matches!(set.kind, ExprKind::Binary(BinaryOp::Intersection, ..)) {
            return self.card(set, env);
        }
        let element = self.set(set, env)?;
        let sort = self.terms.sort_of(element);
        self.cards_of_sets(sort);
        if self.finite(set, env)? == Terms::TRUE {
            let known = self.finite_set(element);
            self.fact(known);
        }
        Ok(self.card_of(element))
    }

    fn card_of(&self, set: Term) -> Term {
        self.symbol(&format!("card {:?}", self.terms.sort_of(set)), &[set], Terms::INT)
    }

    /// Adds facts about the cardinalities of all finite sets of a sort.
    fn cards_of_sets(&mut self, sort: Sort) {
        let key = format!("card {sort:?}");
        if self.named.insert(key.clone(), key).is_some() {
            return;
        }
        self.sets_of_a_finite_set(sort);
        let t = self.terms.clone();
        let zero = t.int(0);
        let sets = self.bind_sorts("s", &[sort, sort]);
        let (a, b) = (sets[0], sets[1]);
        let (finite, number) = (self.finite_set(a), self.card_of(a));
        let empty = self.no_members(a, sort);
        self.fact(t.implies(finite, t.le(zero, number)));
        self.fact(t.implies(finite, t.eq(t.eq(number, zero), empty)));
        // A part has no more elements, and with as many it is the whole.
        let (finite, larger) = (self.finite_set(b), self.card_of(b));
        let part = t.and([finite, self.part_of(a, b, sort)]);
        self.fact(t.implies(part, t.le(number, larger)));
        self.fact(t.implies(t.and([part, t.eq(number, larger)]), t.eq(a, b)));
    }

    /// `min(set)` or `max(set)`
    pub(super) fn extremum(&mut self, set: &Expr, least: bool, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let exists = self.has_extremum(set, least, env)?;
        let (set, env) = (set.clone(), env.clone());
        let found = self.such_that("extremum", &[Terms::INT], |l, value| {
            let own = l.member(value, &set, &env)?;
            let x = l.bind_sorts("x", &[Terms::INT]);
            let member = l.member(&x, &set, &env)?;
            let order = if least { t.le(value[0], x[0]) } else { t.le(x[0], value[0]) };
            let all = l.forall(&x, t.implies(member, order));
            Ok(t.implies(exists, t.and([own, all])))
        })?;
        Ok(found[0])
    }

    /// A set of integers is not empty and bounded.
    pub(super) fn has_extremum(&mut self, set: &Expr, least: bool, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let some = t.not(self.is_empty(set, env)?);
        let finite = self.finite(set, env)?;
        if finite == Terms::TRUE {
            return Ok(some);
        }
        let bound = self.bind_sorts("b", &[Terms::INT]);
        let (x, member) = self.elements(set, env)?;
        let order = if least { t.le(bound[0], x[0]) } else { t.le(x[0], bound[0]) };
        let all = self.forall(&x, t.implies(member, order));
        let bounded = self.exists(&bound, all);
        Ok(t.and([some, t.or([finite, bounded])]))
    }

    /// The number up to which a relation is defined if it is a sequence.
    pub(super) fn size(&mut self, s: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let one = t.int(1);
        Ok(match &s.kind {
            ExprKind::EmptySet => t.int(0),
            ExprKind::SeqExtension(list) => t.int(list.len() as i64),
            ExprKind::Binary(BinaryOp::Append, s, _) | ExprKind::Binary(BinaryOp::Prepend, _, s) => {
                t.add([self.size(s, env)?, one])
            }
            ExprKind::Binary(BinaryOp::Concat, a, b) => t.add([self.size(a, env)?, self.size(b, env)?]),
            ExprKind::Unary(UnaryOp::Rev, s) => self.size(s, env)?,
            ExprKind::Unary(UnaryOp::Tail | UnaryOp::Front, s) => t.sub(self.size(s, env)?, one),
            ExprKind::Binary(BinaryOp::Take, _, n) => self.atom(n, env)?,
            ExprKind::Binary(BinaryOp::Drop, s, n) => t.sub(self.size(s, env)?, self.atom(n, env)?),
            _ => {
                let n = self.bind_sorts("n", &[Terms::INT]);
                let up_to = self.is_defined_up_to(s, n[0], env)?;
                let some = self.exists(&n, up_to);
                let (s, env) = (s.clone(), env.clone());
                let found = self.such_that("size", &[Terms::INT], |l, value| {
                    let own = l.is_defined_up_to(&s, value[0], &env)?;
                    Ok(l.terms.implies(some, own))
                })?;
                found[0]
            }
        })
    }

    /// `n >= 0 & dom(s) = 1..n`
    fn is_defined_up_to(&mut self, s: &Expr, n: Term, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let i = self.bind_sorts("i", &[Terms::INT]);
        let inside = self.domain(&i, s, env)?;
        let within = t.and([t.le(t.int(1), i[0]), t.le(i[0], n)]);
        let all = self.forall(&i, t.eq(inside, within));
        Ok(t.and([t.le(t.int(0), n), all]))
    }

    /// A relation is a sequence, by its length: where there is a number up to which it is defined, that is one.
    pub(super) fn is_sequence(&mut self, s: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let size = self.size(s, env)?;
        let domain = self.is_defined_up_to(s, size, env)?;
        let i = self.bind_sorts("i", &[Terms::INT]);
        let one = self.functional_at(s, &i, env)?;
        Ok(t.and([domain, self.forall(&i, one)]))
    }

    /// Membership in `seq(S)` and its kin.
    pub(super) fn is_sequence_of(&mut self, s: &Expr, op: UnaryOp, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let mut all = vec![self.is_sequence(s, env)?];
        let (from, to) = sides(s)?;
        let (i, y) = (self.bind_type(&from)?, self.bind_type(&to)?);
        let iy = [&i[..], &y].concat();
        let (member, fits) = (self.member(&iy, s, env)?, self.member(&y, set, env)?);
        all.push(self.forall(&iy, t.implies(member, fits)));
        if matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1) {
            all.push(t.le(t.int(1), self.size(s, env)?));
        }
        if matches!(op, UnaryOp::Iseq | UnaryOp::Iseq1) {
            let j = self.bind_type(&from)?;
            let jy = [&j[..], &y].concat();
            let both = t.and([member, self.member(&jy, s, env)?]);
            let three = [&iy[..], &j].concat();
            all.push(self.forall(&three, t.implies(both, self.same(&i, &j))));
        }
        Ok(t.and(all))
    }

    /// Membership in a sequence that is made of others.
    pub(super) fn member_of_sequence(&mut self, tuple: &[Term], s: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let one = t.int(1);
        let (i, value) = (tuple[0], &tuple[1..]);
        let at = |i: Term| [&[i], value].concat();
        Ok(match &s.kind {
            ExprKind::Binary(BinaryOp::Append, s, last) => {
                let end = t.add([self.size(s, env)?, one]);
                let own = t.and([t.eq(i, end), self.equals(value, last, env)?]);
                t.or([own, self.member(tuple, s, env)?])
            }
            ExprKind::Binary(BinaryOp::Prepend, first, s) => {
                let own = t.and([t.eq(i, one), self.equals(value, first, env)?]);
                t.or([own, self.member(&at(t.sub(i, one)), s, env)?])
            }
            ExprKind::Binary(BinaryOp::Concat, a, b) => {
                let size = self.size(a, env)?;
                t.or([self.member(tuple, a, env)?, self.member(&at(t.sub(i, size)), b, env)?])
            }
            ExprKind::Binary(BinaryOp::Take, s, n) => {
                t.and([t.le(i, self.atom(n, env)?), self.member(tuple, s, env)?])
            }
            ExprKind::Binary(BinaryOp::Drop, s, n) => {
                let n = self.atom(n, env)?;
                t.and([t.le(one, i), self.member(&at(t.add([i, n])), s, env)?])
            }
            ExprKind::Unary(UnaryOp::Tail, s) => {
                t.and([t.le(one, i), self.member(&at(t.add([i, one])), s, env)?])
            }
            ExprKind::Unary(UnaryOp::Front, s) => {
                let size = self.size(s, env)?;
                t.and([t.neq(i, size), self.member(tuple, s, env)?])
            }
            ExprKind::Unary(UnaryOp::Rev, s) => {
                let size = self.size(s, env)?;
                self.member(&at(t.sub(t.add([size, one]), i)), s, env)?
            }
            _ => return unsupported(s.span, "this sequence"),
        })
    }

    /// `closure1(r)` as an element: the least transitive relation that has `r` in it (B-Book, 3.11).
    pub(super) fn closure(&mut self, op: UnaryOp, r: &Expr, set: &Expr, env: &Env) -> Found<Term> {
        if op != UnaryOp::Closure1 {
            return unsupported(set.span, "this closure");
        }
        let sort = self.leaves(&set.ty)?[0];
        let (from, _) = sides(set)?;
        let t = self.terms.clone();
        let (r, env) = (r.clone(), env.clone());
        let found = self.such_that("closure", &[sort], |l, closure| {
            let contains = |l: &mut Self, c: Term| -> Found<Term> {
                let (x, y, z) = (l.bind_type(&from)?, l.bind_type(&from)?, l.bind_type(&from)?);
                let [xy, yz, xz] = [[&x[..], &y].concat(), [&y[..], &z].concat(), [&x[..], &z].concat()];
                let own = t.implies(l.member(&xy, &r, &env)?, l.member_of(&xy, c));
                let both = t.and([l.member_of(&xy, c), l.member_of(&yz, c)]);
                let step = t.implies(both, l.member_of(&xz, c));
                let three = [&xy[..], &z].concat();
                Ok(t.and([l.forall(&xy, own), l.forall(&three, step)]))
            };
            let own = contains(l, closure[0])?;
            let other = l.bind_sorts("s", &[sort]);
            let transitive = contains(l, other[0])?;
            let part = l.part_of(closure[0], other[0], sort);
            let least = l.forall(&other, t.implies(transitive, part));
            Ok(t.and([own, least]))
        })?;
        Ok(found[0])
    }
}
