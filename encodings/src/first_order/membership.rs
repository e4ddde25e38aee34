//! Memberships, written out by the definition of the set.

use bsym_language::model::{BinaryOp, Expr, ExprKind, QuantOp, UnaryOp};
use bsym_language::types::Type;
use bsym_semantics::value::env::Name;

use super::application::sides;
use super::{Env, Found, Lowering, name_of, unsupported};
use crate::term::{Term, Terms};

impl Lowering<'_> {
    /// `e : set`
    pub(super) fn belongs(&mut self, e: &Expr, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if let ExprKind::SetExtension(list) = &set.kind {
            let all = list.iter().map(|x| self.equal(e, x, env)).collect::<Found<Vec<_>>>()?;
            return Ok(t.or(all));
        }
        if let Type::Pow(_) = e.ty {
            return self.in_space(e, set, env);
        }
        let value = self.value(e, env)?;
        self.member(&value, set, env)
    }

    /// Membership of a set in a set of sets.
    fn in_space(&mut self, a: &Expr, space: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        Ok(match &space.kind {
            ExprKind::Unary(UnaryOp::Pow, s) => self.subset(a, s, env)?,
            ExprKind::Unary(op @ (UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), s) => {
                let mut all = vec![self.subset(a, s, env)?];
                if *op != UnaryOp::Pow1 {
                    all.push(self.finite(a, env)?);
                }
                if *op != UnaryOp::Fin {
                    all.push(t.not(self.is_empty(a, env)?));
                }
                t.and(all)
            }
            ExprKind::Binary(BinaryOp::Union, l, r) => {
                t.or([self.in_space(a, l, env)?, self.in_space(a, r, env)?])
            }
            ExprKind::Binary(BinaryOp::Intersection, l, r) => {
                t.and([self.in_space(a, l, env)?, self.in_space(a, r, env)?])
            }
            ExprKind::Binary(BinaryOp::Difference, l, r) => {
                t.and([self.in_space(a, l, env)?, t.not(self.belongs(a, r, env)?)])
            }
            ExprKind::SetExtension(_) => self.belongs(a, space, env)?,
            ExprKind::Binary(op, from, to) if op.relation_space().is_some() => {
                self.in_relations(a, *op, from, to, env)?
            }
            ExprKind::Unary(op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1), s) => {
                self.is_sequence_of(a, *op, s, env)?
            }
            _ => {
                let set = self.set(a, env)?;
                self.member(&[set], space, env)?
            }
        })
    }

    /// Membership in `A <-> B` and its kin (B-Book, 2.4 and 2.5).
    fn in_relations(&mut self, a: &Expr, op: BinaryOp, from: &Expr, to: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let Some(space) = op.relation_space() else { return unsupported(a.span, "this set") };
        let (left, right) = sides(a)?;
        let mut all = vec![];
        if let Some((name, _)) = self.function(a, env) {
            let x = self.bind_type(&left)?;
            let inside = self.domain(&x, a, env)?;
            let wanted = self.member(&x, from, env)?;
            let domain = if space.total { t.eq(inside, wanted) } else { t.implies(inside, wanted) };
            all.push(self.forall(&x, domain));
            let value = self.value_at(name, a, &x)?;
            let fits = self.member(&value, to, env)?;
            all.push(self.forall(&x, t.implies(inside, fits)));
            if space.injective {
                let z = self.bind_type(&left)?;
                let other = self.value_at(name, a, &z)?;
                let both = t.and([inside, self.domain(&z, a, env)?, self.same(&value, &other)]);
                let two = [&x[..], &z].concat();
                all.push(self.forall(&two, t.implies(both, self.same(&x, &z))));
            }
        } else {
            let (x, y) = (self.bind_type(&left)?, self.bind_type(&right)?);
            let xy = [&x[..], &y].concat();
            let member = self.member(&xy, a, env)?;
            let (inside, fits) = (self.member(&x, from, env)?, self.member(&y, to, env)?);
            if space.total {
                // Where `a` is an element of a sort, this is `x |-> a(x) : a`, and `a(x)` is a term that the solver can
                // instantiate with.
                let domain = self.domain(&x, a, env)?;
                all.push(self.forall(&x, t.implies(inside, domain)));
            }
            all.push(self.forall(&xy, t.implies(member, inside)));
            all.push(self.forall(&xy, t.implies(member, fits)));
            if space.functional && self.is_bound_or_set(a, env) {
                let value = self.application(a, &x, env)?;
                all.push(self.forall(&xy, t.implies(member, self.same(&y, &value))));
            } else if space.functional {
                all.push(self.functional(a, env)?);
            }
            if space.injective {
                let z = self.bind_type(&left)?;
                let zy = [&z[..], &y].concat();
                let both = t.and([member, self.member(&zy, a, env)?]);
                let three = [&xy[..], &z].concat();
                all.push(self.forall(&three, t.implies(both, self.same(&x, &z))));
            }
        }
        if space.surjective {
            let y = self.bind_type(&right)?;
            let (wanted, reached) = (self.member(&y, to, env)?, self.range(&y, a, env)?);
            all.push(self.forall(&y, t.implies(wanted, reached)));
        }
        Ok(t.and(all))
    }

    /// A relation has at most one image of each element.
    fn functional(&mut self, a: &Expr, env: &Env) -> Found<Term> {
        let (left, _) = sides(a)?;
        let x = self.bind_type(&left)?;
        let one = self.functional_at(a, &x, env)?;
        Ok(self.forall(&x, one))
    }

    /// A relation has at most one image of an element.
    pub(super) fn functional_at(&mut self, a: &Expr, x: &[Term], env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if self.function(a, env).is_some() {
            return Ok(Terms::TRUE);
        }
        match &a.kind {
            ExprKind::Quantified(QuantOp::Lambda, ..) | ExprKind::SeqExtension(_) => return Ok(Terms::TRUE),
            ExprKind::Binary(BinaryOp::Override, l, r) => {
                let inside = self.domain(x, r, env)?;
                let (l, r) = (self.functional_at(l, x, env)?, self.functional_at(r, x, env)?);
                return Ok(t.and([t.implies(inside, r), t.or([inside, l])]));
            }
            ExprKind::Binary(BinaryOp::DomainRestriction, s, r) => {
                let (inside, r) = (self.member(x, s, env)?, self.functional_at(r, x, env)?);
                return Ok(t.implies(inside, r));
            }
            ExprKind::Binary(BinaryOp::DomainSubtraction, s, r) => {
                let (outside, r) = (self.member(x, s, env)?, self.functional_at(r, x, env)?);
                return Ok(t.or([outside, r]));
            }
            _ => {}
        }
        let (_, right) = sides(a)?;
        let (y, z) = (self.bind_type(&right)?, self.bind_type(&right)?);
        let both = [&y, &z].map(|v| [x, v].concat());
        let both = t.and([self.member(&both[0], a, env)?, self.member(&both[1], a, env)?]);
        let two = [&y[..], &z].concat();
        Ok(self.forall(&two, t.implies(both, self.same(&y, &z))))
    }

    /// Two tuples are equal.
    pub(super) fn same(&self, a: &[Term], b: &[Term]) -> Term {
        self.terms.and(a.iter().zip(b).map(|(&a, &b)| self.terms.eq(a, b)))
    }

    /// Membership of a tuple in a set.
    pub(super) fn member(&mut self, tuple: &[Term], set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if let Some(name) = name_of(set) {
            return self.member_of_name(tuple, name, set, env);
        }
        match &set.kind {
            ExprKind::EmptySet => Ok(Terms::FALSE),
            ExprKind::Carrier(_) => Ok(Terms::TRUE),
            ExprKind::Set(builtin) => match self.builtin(*builtin, tuple[0]) {
                Some(found) => Ok(found),
                None => unsupported(set.span, "this set"),
            },
            ExprKind::SetExtension(list) => {
                let all = list.iter().map(|x| self.equals(tuple, x, env)).collect::<Found<Vec<_>>>()?;
                Ok(t.or(all))
            }
            ExprKind::SeqExtension(list) => {
                let mut all = vec![];
                for (i, x) in list.iter().enumerate() {
                    let here = t.eq(tuple[0], t.int(i as i64 + 1));
                    all.push(t.and([here, self.equals(&tuple[1..], x, env)?]));
                }
                Ok(t.or(all))
            }
            ExprKind::Unary(op, a) => self.member_unary(tuple, *op, a, set, env),
            ExprKind::Binary(op, a, b) => self.member_binary(tuple, *op, a, b, set, env),
            ExprKind::Apply(f, x) => self.member_of_value(tuple, f, x, set, env),
            ExprKind::Comprehension(locals, p) => {
                let env = self.bind_to(locals, tuple, env);
                self.pred(p, &env)
            }
            ExprKind::Quantified(op, locals, p, e) => self.member_quantified(tuple, *op, locals, p, e, env),
            ExprKind::Succ => Ok(t.eq(tuple[1], t.add([tuple[0], t.int(1)]))),
            ExprKind::Pred => Ok(t.eq(tuple[0], t.add([tuple[1], t.int(1)]))),
            ExprKind::Prj1(a, b) => {
                let (from, to) =
                    tuple.split_at(Self::width(&a.ty_of_elements()) + Self::width(&b.ty_of_elements()));
                let (x, y) = from.split_at(to.len());
                Ok(t.and([self.member(x, a, env)?, self.member(y, b, env)?, self.same(x, to)]))
            }
            ExprKind::Prj2(a, b) => {
                let (from, to) =
                    tuple.split_at(Self::width(&a.ty_of_elements()) + Self::width(&b.ty_of_elements()));
                let (x, y) = from.split_at(from.len() - to.len());
                Ok(t.and([self.member(x, a, env)?, self.member(y, b, env)?, self.same(y, to)]))
            }
            ExprKind::If(p, a, b) => {
                let (p, a, b) =
                    (self.pred(p, env)?, self.member(tuple, a, env)?, self.member(tuple, b, env)?);
                Ok(t.and([t.implies(p, a), t.or([p, b])]))
            }
            ExprKind::Let(list, body) => {
                let env = self.bind_values(list, env)?;
                self.member(tuple, body, &env)
            }
            ExprKind::Struct(fields) => {
                let mut all = vec![];
                let mut rest = tuple;
                for (_, set) in fields {
                    let (own, others) = rest.split_at(Self::width(&set.ty_of_elements()));
                    all.push(self.member(own, set, env)?);
                    rest = others;
                }
                Ok(t.and(all))
            }
            ExprKind::Field(..) => {
                let element = self.set(set, env)?;
                Ok(self.member_of(tuple, element))
            }
            _ => unsupported(set.span, "this set"),
        }
    }

    fn member_of_name(&mut self, tuple: &[Term], name: Name, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        if let Name::Local(l) = name
            && let Some(terms) = env.get(&l)
        {
            return Ok(self.member_of(tuple, terms[0]));
        }
        if let Some((name, _)) = self.function(set, env) {
            let (left, _) = sides(set)?;
            let (x, y) = tuple.split_at(Self::width(&left));
            let inside = self.domain(x, set, env)?;
            let value = self.value_at(name, set, x)?;
            return Ok(t.and([inside, self.same(y, &value)]));
        }
        if self.elements.contains(&name) {
            let sort = self.leaves(&set.ty)?[0];
            return Ok(self.member_of(tuple, t.symbol(&self.base(name), sort)));
        }
        Ok(self.symbol(&format!("{} has", self.base(name)), tuple, Terms::BOOL))
    }

    /// Membership in a set that is the value of a function.
    fn member_of_value(&mut self, tuple: &[Term], f: &Expr, x: &Expr, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        let apply = |f: &Expr| {
            ExprKind::Apply(Box::new(f.clone()), Box::new(x.clone())).typed(set.ty.clone(), set.span)
        };
        let (condition, yes, no) = match &f.kind {
            ExprKind::Binary(BinaryOp::Override, a, b) => {
                let value = self.value(x, env)?;
                (self.domain(&value, b, env)?, self.member(tuple, &apply(b), env)?, apply(a))
            }
            ExprKind::Binary(BinaryOp::Union, a, b) if matches!(b.kind, ExprKind::SetExtension(_)) => {
                let value = self.value(x, env)?;
                (self.domain(&value, b, env)?, self.member(tuple, &apply(b), env)?, apply(a))
            }
            ExprKind::SetExtension(list) => {
                let couple = |e: &Expr| match &e.kind {
                    ExprKind::Binary(BinaryOp::Maplet, a, b) => Some(((**a).clone(), (**b).clone())),
                    _ => None,
                };
                let Some(couples) = list.iter().map(couple).collect::<Option<Vec<_>>>() else {
                    let element = self.set(set, env)?;
                    return Ok(self.member_of(tuple, element));
                };
                let mut found = Terms::FALSE;
                for (i, (a, b)) in couples.iter().enumerate().rev() {
                    let here = self.equal(x, a, env)?;
                    let own = self.member(tuple, b, env)?;
                    found = match i + 1 == couples.len() {
                        true => own,
                        false => t.and([t.implies(here, own), t.or([here, found])]),
                    };
                }
                return Ok(found);
            }
            ExprKind::Binary(BinaryOp::Cartesian, _, values) => {
                if let ExprKind::SetExtension(list) = &values.kind
                    && let [one] = &list[..]
                {
                    return self.member(tuple, one, env);
                }
                let element = self.set(set, env)?;
                return Ok(self.member_of(tuple, element));
            }
            ExprKind::Quantified(QuantOp::Lambda, locals, _, value) => {
                let x = self.value(x, env)?;
                let env = self.bind_to(locals, &x, env);
                return self.member(tuple, value, &env);
            }
            _ => {
                let element = self.set(set, env)?;
                return Ok(self.member_of(tuple, element));
            }
        };
        let no = self.member(tuple, &no, env)?;
        Ok(t.and([t.implies(condition, yes), t.or([condition, no])]))
    }

    fn member_unary(&mut self, tuple: &[Term], op: UnaryOp, a: &Expr, set: &Expr, env: &Env) -> Found<Term> {
        let t = self.terms.clone();
        match op {
            UnaryOp::Inverse => {
                let (_, to) = sides(a)?;
                let (y, x) = tuple.split_at(Self::width(&to));
                self.member(&[x, y].concat(), a, env)
            }
            UnaryOp::Dom => self.domain(tuple, a, env),
            UnaryOp::Ran => self.range(tuple, a, env),
            UnaryOp::Id => {
                let (x, y) = tuple.split_at(tuple.len() / 2);
                Ok(t.and([self.member(x, a, env)?, self.same(x, y)]))
            }
            UnaryOp::GeneralUnion | UnaryOp::GeneralInter => {
                let element = self.leaves(&set.ty)?[0];
                let s = self.bind_sorts("s", &[element]);
                let (inside, own) = (self.member(&s, a, env)?, self.member_of(tuple, s[0]));
                Ok(match op {
                    UnaryOp::GeneralUnion => self.exists(&s, t.and([inside, own])),
                    _ => self.forall(&s, t.implies(inside, own)),
                })
            }
            UnaryOp::Tail | UnaryOp::Front | UnaryOp::Rev => self.member_of_sequence(tuple, set, env),
            UnaryOp::Pow
            | UnaryOp::Pow1
            | UnaryOp::Fin
            | UnaryOp::Fin1
            | UnaryOp::Seq
            | UnaryOp::Seq1
            | UnaryOp::Iseq
            | UnaryOp::Iseq1 => {
                let Type::Pow(element) = &set.ty else { return unsupported(set.span, "this set") };
                let (given, env) = self.given(element, tuple, env);
                self.in_space(&given, set, &env)
            }
            UnaryOp::Closure | UnaryOp::Closure1 => {
                let closed = self.closure(op, a, set, env)?;
                Ok(self.member_of(tuple, closed))
            }
            _ => unsupported(set.span, "this set"),
        }
    }

    fn member_binary(
        &mut self,
        tuple: &[Term],
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        set: &Expr,
        env: &Env,
    ) -> Found<Term> {
        use BinaryOp::*;
        let t = self.terms.clone();
        let halves = |set: &Expr| sides(set).map(|(from, _)| tuple.split_at(Self::width(&from)));
        Ok(match op {
            Union => t.or([self.member(tuple, a, env)?, self.member(tuple, b, env)?]),
            Intersection => t.and([self.member(tuple, a, env)?, self.member(tuple, b, env)?]),
            Difference => t.and([self.member(tuple, a, env)?, t.not(self.member(tuple, b, env)?)]),
            Interval => {
                let (low, high) = (self.atom(a, env)?, self.atom(b, env)?);
                t.and([t.le(low, tuple[0]), t.le(tuple[0], high)])
            }
            Cartesian => {
                let (x, y) = tuple.split_at(Self::width(&a.ty_of_elements()));
                t.and([self.member(x, a, env)?, self.member(y, b, env)?])
            }
            DomainRestriction | DomainSubtraction => {
                let (x, _) = halves(set)?;
                let inside = self.member(x, a, env)?;
                let kept = if op == DomainRestriction { inside } else { t.not(inside) };
                t.and([kept, self.member(tuple, b, env)?])
            }
            RangeRestriction | RangeSubtraction => {
                let (_, y) = halves(set)?;
                let inside = self.member(y, b, env)?;
                let kept = if op == RangeRestriction { inside } else { t.not(inside) };
                t.and([self.member(tuple, a, env)?, kept])
            }
            Override => {
                let (x, _) = halves(set)?;
                let over = self.domain(x, b, env)?;
                let old = t.and([t.not(over), self.member(tuple, a, env)?]);
                t.or([self.member(tuple, b, env)?, old])
            }
            Composition => {
                let (x, y) = halves(set)?;
                let (_, middle) = sides(a)?;
                let z = self.bind_type(&middle)?;
                let (first, second) = ([x, &z].concat(), [&z[..], y].concat());
                let both = t.and([self.member(&first, a, env)?, self.member(&second, b, env)?]);
                self.exists(&z, both)
            }
            Image => {
                let (from, _) = sides(a)?;
                let x = self.bind_type(&from)?;
                let related = self.member(&[&x[..], tuple].concat(), a, env)?;
                let both = t.and([self.member(&x, b, env)?, related]);
                self.exists(&x, both)
            }
            DirectProduct => {
                let (x, yz) = halves(set)?;
                let (_, left) = sides(a)?;
                let (y, z) = yz.split_at(Self::width(&left));
                let (l, r) = ([x, y].concat(), [x, z].concat());
                t.and([self.member(&l, a, env)?, self.member(&r, b, env)?])
            }
            ParallelProduct => {
                let (from, to) = halves(set)?;
                let (x, y) = sides(a)?;
                let (x1, x2) = from.split_at(Self::width(&x));
                let (y1, y2) = to.split_at(Self::width(&y));
                let (l, r) = ([x1, y1].concat(), [x2, y2].concat());
                t.and([self.member(&l, a, env)?, self.member(&r, b, env)?])
            }
            Append | Prepend | Concat | Take | Drop => self.member_of_sequence(tuple, set, env)?,
            _ if op.relation_space().is_some() => {
                let Type::Pow(element) = &set.ty else { return unsupported(set.span, "this set") };
                let (given, env) = self.given(element, tuple, env);
                self.in_relations(&given, op, a, b, &env)?
            }
            _ => return unsupported(set.span, "this set"),
        })
    }

    fn member_quantified(
        &mut self,
        tuple: &[Term],
        op: QuantOp,
        locals: &[bsym_language::model::LocalId],
        p: &bsym_language::model::Pred,
        e: &Expr,
        env: &Env,
    ) -> Found<Term> {
        let t = self.terms.clone();
        match op {
            QuantOp::Lambda => {
                let (x, y) = tuple.split_at(tuple.len() - Self::width(&e.ty));
                let env = self.bind_to(locals, x, env);
                Ok(t.and([self.pred(p, &env)?, self.equals(y, e, &env)?]))
            }
            QuantOp::Image => {
                let (bound, env) = self.bind(locals, env)?;
                let both = t.and([self.pred(p, &env)?, self.equals(tuple, e, &env)?]);
                Ok(self.exists(&bound, both))
            }
            QuantOp::Union => {
                let (bound, env) = self.bind(locals, env)?;
                let both = t.and([self.pred(p, &env)?, self.member(tuple, e, &env)?]);
                Ok(self.exists(&bound, both))
            }
            QuantOp::Inter => {
                let (bound, env) = self.bind(locals, env)?;
                let inside = t.implies(self.pred(p, &env)?, self.member(tuple, e, &env)?);
                Ok(self.forall(&bound, inside))
            }
            _ => unsupported(e.span, "this quantifier"),
        }
    }

    /// Membership in the domain of a relation.
    pub(super) fn domain(&mut self, x: &[Term], r: &Expr, env: &Env) -> Found<Term> {
        use BinaryOp::*;
        let t = self.terms.clone();
        if let Some((name, total)) = self.function(r, env) {
            return Ok(match total {
                true => Terms::TRUE,
                false => self.symbol(&format!("{} dom", self.base(name)), x, Terms::BOOL),
            });
        }
        match &r.kind {
            ExprKind::Binary(Override | Union, a, b) => {
                return Ok(t.or([self.domain(x, a, env)?, self.domain(x, b, env)?]));
            }
            ExprKind::Binary(DomainRestriction, s, r) => {
                return Ok(t.and([self.member(x, s, env)?, self.domain(x, r, env)?]));
            }
            ExprKind::Binary(DomainSubtraction, s, r) => {
                return Ok(t.and([t.not(self.member(x, s, env)?), self.domain(x, r, env)?]));
            }
            ExprKind::Binary(Cartesian, a, b) => {
                return Ok(t.and([self.member(x, a, env)?, t.not(self.is_empty(b, env)?)]));
            }
            ExprKind::Unary(UnaryOp::Inverse, r) => return self.range(x, r, env),
            ExprKind::Unary(UnaryOp::Id, s) => return self.member(x, s, env),
            ExprKind::SetExtension(list) => {
                let mut all = vec![];
                for item in list {
                    match &item.kind {
                        ExprKind::Binary(Maplet, a, _) => all.push(self.equals(x, a, env)?),
                        _ => {
                            let mut value = self.value(item, env)?;
                            value.truncate(x.len());
                            all.push(self.same(x, &value));
                        }
                    }
                }
                return Ok(t.or(all));
            }
            ExprKind::Quantified(QuantOp::Lambda, locals, p, _) => {
                let env = self.bind_to(locals, x, env);
                return self.pred(p, &env);
            }
            ExprKind::If(p, a, b) => {
                let (p, a, b) = (self.pred(p, env)?, self.domain(x, a, env)?, self.domain(x, b, env)?);
                return Ok(t.and([t.implies(p, a), t.or([p, b])]));
            }
            _ => {}
        }
        if self.is_bound_or_set(r, env) {
            let value = self.application(r, x, env)?;
            return self.member(&[x, &value].concat(), r, env);
        }
        let (_, to) = sides(r)?;
        let y = self.bind_type(&to)?;
        let member = self.member(&[x, &y].concat(), r, env)?;
        Ok(self.exists(&y, member))
    }

    /// Membership in the range of a relation.
    pub(super) fn range(&mut self, y: &[Term], r: &Expr, env: &Env) -> Found<Term> {
        match &r.kind {
            ExprKind::Unary(UnaryOp::Inverse, r) => return self.domain(y, r, env),
            ExprKind::Binary(BinaryOp::Union, a, b) => {
                let (a, b) = (self.range(y, a, env)?, self.range(y, b, env)?);
                return Ok(self.terms.or([a, b]));
            }
            _ => {}
        }
        let (from, _) = sides(r)?;
        let x = self.bind_type(&from)?;
        let member = self.member(&[&x, y].concat(), r, env)?;
        Ok(self.exists(&x, member))
    }
}

/// The type of the elements of a set.
trait Elements {
    fn ty_of_elements(&self) -> Type;
}

impl Elements for Expr {
    fn ty_of_elements(&self) -> Type {
        self.ty.element().cloned().unwrap_or(Type::Bool)
    }
}
