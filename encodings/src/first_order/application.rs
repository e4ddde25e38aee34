//! Application of relations: by cases where the relation is composed, as a function symbol where it is a name.

use bsym_language::model::{BinaryOp, Expr, ExprKind, QuantOp, UnaryOp};
use bsym_language::types::Type;
use bsym_semantics::value::env::Name;

use super::{Env, Found, Lowering, name_of, unsupported};
use crate::term::{Term, Terms};

/// The types of the two sides of a relation.
pub(super) fn sides(e: &Expr) -> Found<(Type, Type)> {
    match e.ty.as_relation() {
        Some((from, to)) => Ok((from.clone(), to.clone())),
        None => unsupported(e.span, "a relation of another type"),
    }
}

impl Lowering<'_> {
    /// The name of a relation that is represented as a function, and whether it is total.
    pub(super) fn function(&self, e: &Expr, env: &Env) -> Option<(Name, bool)> {
        let name = name_of(e)?;
        if matches!(name, Name::Local(l) if env.contains_key(&l)) {
            return None;
        }
        self.functions.get(&name).map(|&total| (name, total))
    }

    /// The value of a name that is a function.
    pub(super) fn value_at(&mut self, name: Name, e: &Expr, x: &[Term]) -> Found<Vec<Term>> {
        let (_, to) = sides(e)?;
        let sorts = self.leaves(&to)?;
        Ok(self.symbols(&format!("{} ()", self.base(name)), x, &sorts))
    }

    /// `f(x)`. Whatever it is where `x` is not in the domain, or has several images.
    pub(super) fn application(&mut self, f: &Expr, x: &[Term], env: &Env) -> Found<Vec<Term>> {
        if let Some((name, _)) = self.function(f, env) {
            return self.value_at(name, f, x);
        }
        let t = self.terms.clone();
        match &f.kind {
            ExprKind::Binary(BinaryOp::Override, a, b) => {
                let inside = self.domain(x, b, env)?;
                let (b, a) = (self.application(b, x, env)?, self.application(a, x, env)?);
                return self.choice(inside, b, a);
            }
            ExprKind::Binary(BinaryOp::Union, a, b) => {
                let (a, b) = if matches!(a.kind, ExprKind::SetExtension(_)) { (a, b) } else { (b, a) };
                let inside = self.domain(x, a, env)?;
                let (a, b) = (self.application(a, x, env)?, self.application(b, x, env)?);
                return self.choice(inside, a, b);
            }
            ExprKind::Binary(BinaryOp::DomainRestriction | BinaryOp::DomainSubtraction, _, r)
            | ExprKind::Binary(
                BinaryOp::RangeRestriction
                | BinaryOp::RangeSubtraction
                | BinaryOp::Intersection
                | BinaryOp::Difference,
                r,
                _,
            ) if self.is_function(r, env) => {
                return self.application(r, x, env);
            }
            ExprKind::Binary(BinaryOp::Cartesian, _, set) => {
                if let ExprKind::SetExtension(list) = &set.kind
                    && let [one] = &list[..]
                {
                    return self.value(one, env);
                }
            }
            ExprKind::Binary(BinaryOp::Composition, r, s) if self.is_function(r, env) => {
                let y = self.application(r, x, env)?;
                return self.application(s, &y, env);
            }
            ExprKind::Binary(BinaryOp::Append, s, last) => {
                let size = self.size(s, env)?;
                let is_last = t.eq(x[0], t.add([size, t.int(1)]));
                let (last, other) = (self.value(last, env)?, self.application(s, x, env)?);
                return self.choice(is_last, last, other);
            }
            ExprKind::Binary(BinaryOp::Prepend, first, s) => {
                let is_first = t.eq(x[0], t.int(1));
                let (first, before) = (self.value(first, env)?, t.sub(x[0], t.int(1)));
                let other = self.application(s, &[before], env)?;
                return self.choice(is_first, first, other);
            }
            ExprKind::Binary(BinaryOp::Concat, r, s) => {
                let size = self.size(r, env)?;
                let first = self.application(r, x, env)?;
                let second = self.application(s, &[t.sub(x[0], size)], env)?;
                return self.choice(t.le(x[0], size), first, second);
            }
            ExprKind::Binary(BinaryOp::Take, s, _) | ExprKind::Unary(UnaryOp::Front, s) => {
                return self.application(s, x, env);
            }
            ExprKind::Binary(BinaryOp::Drop, s, n) => {
                let n = self.atom(n, env)?;
                return self.application(s, &[t.add([x[0], n])], env);
            }
            ExprKind::Unary(UnaryOp::Tail, s) => {
                return self.application(s, &[t.add([x[0], t.int(1)])], env);
            }
            ExprKind::Unary(UnaryOp::Rev, s) => {
                let size = self.size(s, env)?;
                return self.application(s, &[t.sub(t.add([size, t.int(1)]), x[0])], env);
            }
            ExprKind::Unary(UnaryOp::Id, _) => return Ok(x.to_vec()),
            ExprKind::Succ => return Ok(vec![t.add([x[0], t.int(1)])]),
            ExprKind::Pred => return Ok(vec![t.sub(x[0], t.int(1))]),
            ExprKind::Prj1(..) => {
                let (_, to) = sides(f)?;
                return Ok(x[..Self::width(&to)].to_vec());
            }
            ExprKind::Prj2(..) => {
                let (_, to) = sides(f)?;
                return Ok(x[x.len() - Self::width(&to)..].to_vec());
            }
            ExprKind::SetExtension(list) => {
                let mut couples = vec![];
                for item in list {
                    let ExprKind::Binary(BinaryOp::Maplet, a, b) = &item.kind else {
                        return self.any_image(f, x, env);
                    };
                    couples.push((self.equals(x, a, env)?, self.value(b, env)?));
                }
                return self.first_case(couples);
            }
            ExprKind::SeqExtension(list) => {
                let mut couples = vec![];
                for (i, item) in list.iter().enumerate() {
                    couples.push((t.eq(x[0], t.int(i as i64 + 1)), self.value(item, env)?));
                }
                return self.first_case(couples);
            }
            ExprKind::Quantified(QuantOp::Lambda, locals, _, value) => {
                let env = self.bind_to(locals, x, env);
                return self.value(value, &env);
            }
            ExprKind::If(p, a, b) => {
                let p = self.pred(p, env)?;
                let (a, b) = (self.application(a, x, env)?, self.application(b, x, env)?);
                return self.choice(p, a, b);
            }
            ExprKind::Let(list, body) => {
                let env = self.bind_values(list, env)?;
                return self.application(body, x, &env);
            }
            _ => {}
        }
        self.any_image(f, x, env)
    }

    /// The value of the first case, and that of the last one where none holds.
    fn first_case(&mut self, cases: Vec<(Term, Vec<Term>)>) -> Found<Vec<Term>> {
        let mut all = cases.into_iter().rev();
        let mut found = all.next().map(|c| c.1).unwrap_or_default();
        for (condition, value) in all {
            found = self.choice(condition, value, found)?;
        }
        Ok(found)
    }

    /// Returns whether a relation has at most one image of each element, by its form.
    fn is_function(&self, e: &Expr, env: &Env) -> bool {
        use BinaryOp::*;
        if self.function(e, env).is_some() {
            return true;
        }
        match &e.kind {
            ExprKind::Quantified(QuantOp::Lambda, ..) | ExprKind::Succ | ExprKind::Pred => true,
            ExprKind::Prj1(..) | ExprKind::Prj2(..) | ExprKind::SeqExtension(_) => true,
            ExprKind::Unary(UnaryOp::Id, _) => true,
            ExprKind::SetExtension(list) => list.len() == 1,
            ExprKind::Binary(Override | Composition, a, b) => {
                self.is_function(a, env) && self.is_function(b, env)
            }
            ExprKind::Binary(DomainRestriction | DomainSubtraction, _, r) => self.is_function(r, env),
            ExprKind::Binary(RangeRestriction | RangeSubtraction | Intersection | Difference, r, _) => {
                self.is_function(r, env)
            }
            ExprKind::Binary(Cartesian, _, set) => {
                matches!(&set.kind, ExprKind::SetExtension(list) if list.len() == 1)
            }
            _ => false,
        }
    }

    /// Returns whether a relation is an element of the sort of its type. Its images are then values of one function of
    /// relation and argument.
    pub(super) fn is_bound_or_set(&self, f: &Expr, env: &Env) -> bool {
        match name_of(f) {
            Some(Name::Local(l)) if env.contains_key(&l) => true,
            Some(name) => self.elements.contains(&name),
            None => matches!(f.kind, ExprKind::Apply(..)),
        }
    }

    /// Some image under a relation. For the same element of the same relation it is the same.
    fn any_image(&mut self, f: &Expr, x: &[Term], env: &Env) -> Found<Vec<Term>> {
        let (_, to) = sides(f)?;
        let sorts = self.leaves(&to)?;
        let y = self.bind_type(&to)?;
        let xy = [x, &y].concat();
        if self.is_bound_or_set(f, env) {
            let set = self.set(f, env)?;
            let base = format!("image {:?}", self.terms.sort_of(set));
            let arguments = [x, &[set]].concat();
            let value = self.symbols(&base, &arguments, &sorts);
            // For all sets of this type and all arguments.
            let sets: Vec<_> = arguments.iter().map(|&a| self.terms.sort_of(a)).collect();
            let all = self.bind_sorts("a", &sets);
            let (any, set) = all.split_at(x.len());
            let image = self.symbols(&base, &all, &sorts);
            let some = self.member_of(&[any, &y].concat(), set[0]);
            let own = self.member_of(&[any, &image].concat(), set[0]);
            if !self.named.contains_key(&base) {
                self.named.insert(base.clone(), base);
                self.fact(self.terms.implies(some, own));
            }
            return Ok(value);
        }
        let member = self.member(&xy, f, env)?;
        if member == Terms::FALSE {
            // It is applied nowhere: any value, and not one for all types.
            let base = format!("nothing of {:?} in {sorts:?}", f.ty);
            return Ok(self.symbols(&base, x, &sorts));
        }
        let any = self.exists(&y, member);
        let f = f.clone();
        let (x, env) = (x.to_vec(), env.clone());
        self.such_that("image", &sorts, |l, value| {
            let own = l.member(&[&x[..], value].concat(), &f, &env)?;
            Ok(l.terms.implies(any, own))
        })
    }
}
