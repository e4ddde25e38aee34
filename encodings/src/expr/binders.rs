//! Comprehensions and the other binders with a value.

use std::rc::Rc;

use bsym_language::model::{Expr, ExprKind, LocalId, Pred, QuantOp};

use crate::pred::instances::{Body, Instance};
use crate::representation::layout::Layout;
use crate::symbolic::Encoded;
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{Form, Guarded, Place, Set, Symbolic};
use crate::term::{Term, Terms};

/// Guarded environments, and that everything in them is defined.
type Listed = (Vec<(Term, Env)>, Term);

impl Encoder {
    /// The left-nested couple of the locals.
    fn tuple_of(&self, env: &Env, locals: &[LocalId]) -> Result<Symbolic, Unsupported> {
        let mut values = locals.iter().map(|l| env.locals.get(l).cloned());
        let Some(Some(mut whole)) = values.next() else {
            return self.unsupported("a binder without variables");
        };
        for v in values {
            match v {
                Some(v) => whole = Symbolic::pair(whole, v),
                None => return self.unsupported("a variable without a value"),
            }
        }
        Ok(whole)
    }

    /// The environment where the locals are the parts of a left-nested couple.
    pub(crate) fn take_apart(&self, env: &Env, locals: &[LocalId], x: &Symbolic) -> Result<Env, Unsupported> {
        let mut inner = env.clone();
        let mut rest = x;
        for &l in locals.iter().skip(1).rev() {
            let (before, last) = self.as_couple(rest)?;
            inner.bind(l, last.clone());
            rest = before;
        }
        if let Some(&first) = locals.first() {
            inner.bind(first, rest.clone());
        }
        Ok(inner)
    }

    /// Instances of a body that is evaluated with every local bound: guard (with the body's
    /// predicate), environment; and that the predicate is defined. `None` where a local ranges
    /// over too many values.
    fn listed_instances(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        p: &Pred,
    ) -> Result<Option<Listed>, Unsupported> {
        let body = Body::of(p);
        let instances = self.instances(env, locals, &body)?;
        if instances.iter().any(|i| !i.unbound.is_empty()) {
            return Ok(None);
        }
        let mut found = vec![];
        let mut defined = vec![];
        for Instance { guard, env, rest, defined: bound, .. } in instances {
            let p = self.conjunction(&env, &rest)?;
            defined.push(bound);
            defined.push(self.terms.implies(guard, p.defined));
            let here = self.terms.and([guard, p.holds]);
            if here != Terms::FALSE {
                found.push((here, env));
            }
        }
        Ok(Some((found, self.terms.and(defined))))
    }

    /// Returns the condition that `then` is defined for all values of the locals that satisfy the predicate, which must
    /// be defined for all.
    fn defined_for_all(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        p: &Pred,
        then: Option<&Expr>,
    ) -> Result<Term, Unsupported> {
        let body = Body::of(p);
        let mut all = vec![];
        for i in self.instances(env, locals, &body)? {
            let (range, inner) = self.bind_rest(&i);
            let p = self.conjunction(&inner, &i.rest)?;
            let mut defined = p.defined;
            if let Some(then) = then {
                let v = self.expr(&inner, then)?;
                defined = self.terms.and([defined, self.terms.implies(p.holds, v.defined)]);
            }
            all.push(i.defined);
            let whole = self.every(&range, self.terms.implies(i.guard, defined));
            all.push(whole);
            self.close(range);
        }
        Ok(self.terms.and(all))
    }

    /// The values of the locals that satisfy the predicate.
    pub(crate) fn satisfying(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        p: &Pred,
        element: bsym_language::types::Type,
    ) -> Result<Encoded, Unsupported> {
        if let Some((found, defined)) = self.listed_instances(env, locals, p)? {
            let mut items = vec![];
            for (guard, env) in found {
                items.push((guard, self.tuple_of(&env, locals)?));
            }
            let set = self.settle(Set::new(element, Form::List(items)))?;
            return Ok(Encoded { value: Symbolic::Set(set), defined });
        }
        let defined = self.defined_for_all(env, locals, p, None)?;
        let conjuncts: Vec<Pred> = Body::of(p).conjuncts.into_iter().cloned().collect();
        // `x : S & Q` keeps the elements of S.
        if let ([local], Some((base, rest))) = (locals, self.base_set(env, locals, &conjuncts)?) {
            let (env, local) = (env.clone(), *local);
            if rest.is_empty() {
                return Ok(Encoded { value: Symbolic::Set(base), defined });
            }
            let set = self.filter(
                &base,
                Rc::new(move |e, x| {
                    let inner = env.with(local, x.clone());
                    let rest: Vec<&Pred> = rest.iter().collect();
                    Ok(e.conjunction(&inner, &rest)?.holds)
                }),
            )?;
            return Ok(Encoded { value: Symbolic::Set(set), defined });
        }
        let (env, locals) = (env.clone(), locals.to_vec());
        let set = self.described(
            element,
            Rc::new(move |e, x| {
                let inner = e.take_apart(&env, &locals, x)?;
                let all: Vec<&Pred> = conjuncts.iter().collect();
                Ok(e.conjunction(&inner, &all)?.holds)
            }),
        )?;
        Ok(Encoded { value: Symbolic::Set(set), defined })
    }

    /// `{x, y | P}`
    pub(super) fn comprehension(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        p: &Pred,
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        match e.ty.element().cloned() {
            Some(element) => self.satisfying(env, locals, p, element),
            None => self.unsupported("a set without a type"),
        }
    }

    /// A lambda at the place of its use: only the argument has to be in its domain, and its value there
    /// defined.
    pub(super) fn lambda_at(&mut self, env: &Env, f: &Expr, x: &Expr) -> Result<Encoded, Unsupported> {
        let ExprKind::Quantified(QuantOp::Lambda, locals, p, body) = &f.kind else {
            return self.unsupported("a lambda was expected");
        };
        let x = self.expr(env, x)?;
        let inner = self.take_apart(env, locals, &x.value)?;
        let p = self.pred(&inner, p)?;
        let v = self.expr(&inner, body)?;
        let defined = self.terms.and([x.defined, p.defined, p.holds, v.defined]);
        Ok(Encoded { value: v.value, defined })
    }

    pub(super) fn binder_with_value(
        &mut self,
        env: &Env,
        op: QuantOp,
        locals: &[LocalId],
        p: &Pred,
        body: &Expr,
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        let listed = self.listed_instances(env, locals, p)?;
        let Some((found, mut defined)) = listed else {
            return self.described_binder(env, op, locals, p, body, e);
        };
        let mut values: Vec<(Term, Symbolic, Env)> = vec![];
        for (guard, env) in found {
            let v = self.expr(&env, body)?;
            defined = self.terms.and([defined, self.terms.implies(guard, v.defined)]);
            values.push((guard, v.value, env));
        }
        match op {
            QuantOp::Lambda | QuantOp::Image => {
                let Some(element) = e.ty.element().cloned() else {
                    return self.unsupported("a set without a type");
                };
                let mut items = vec![];
                for (guard, value, env) in values {
                    let value = if op == QuantOp::Lambda {
                        Symbolic::pair(self.tuple_of(&env, locals)?, value)
                    } else {
                        value
                    };
                    items.push((guard, value));
                }
                if op == QuantOp::Lambda
                    && let Some(table) = self.as_table(&element, &items)?
                {
                    return Ok(Encoded { value: Symbolic::Set(table), defined });
                }
                let set = self.settle(Set::new(element, Form::List(items)))?;
                Ok(Encoded { value: Symbolic::Set(set), defined })
            }
            QuantOp::Union => {
                let Some(element) = e.ty.element().cloned() else {
                    return self.unsupported("a set without a type");
                };
                let mut whole = Set::empty(element);
                for (guard, value, _) in values {
                    let set = self.as_set(&value)?.clone();
                    let set = self.guarded(guard, &set)?;
                    whole = self.union(&whole, &set)?;
                }
                Ok(Encoded { value: Symbolic::Set(whole), defined })
            }
            QuantOp::Inter => {
                let Some(element) = e.ty.element().cloned() else {
                    return self.unsupported("a set without a type");
                };
                let some = self.terms.or(values.iter().map(|(g, ..)| *g));
                let set = self.described(
                    element,
                    Rc::new(move |e, x| {
                        let mut all = vec![];
                        for (guard, set, _) in &values {
                            let inside = e.member(x, set)?;
                            all.push(e.terms.implies(*guard, inside));
                        }
                        Ok(e.terms.and(all))
                    }),
                )?;
                Ok(Encoded { value: Symbolic::Set(set), defined: self.terms.and([defined, some]) })
            }
            QuantOp::Sigma | QuantOp::Pi | QuantOp::SigmaReal | QuantOp::PiReal => {
                // Equal arguments count once.
                let mut keys: Vec<Guarded> = vec![];
                let mut terms = vec![];
                let sum = matches!(op, QuantOp::Sigma | QuantOp::SigmaReal);
                let number = |n: i64, e: &Encoder| {
                    let n = e.terms.int(n);
                    if matches!(op, QuantOp::SigmaReal | QuantOp::PiReal) { e.terms.to_real(n) } else { n }
                };
                let neutral = number(if sum { 0 } else { 1 }, self);
                for (guard, value, env) in values {
                    let key = self.tuple_of(&env, locals)?;
                    let mut here = vec![guard];
                    for (g, k) in &keys {
                        let same = self.equal(&key, k)?;
                        let before = self.terms.and([*g, same]);
                        here.push(self.terms.not(before));
                    }
                    keys.push((guard, key));
                    let value = self.as_atom(&value)?;
                    terms.push(self.terms.ite(self.terms.and(here), value, neutral));
                }
                let value = if sum {
                    terms.push(neutral);
                    self.terms.add(terms)
                } else {
                    terms.into_iter().fold(neutral, |p, v| self.terms.mul(p, v))
                };
                Ok(Encoded { value: Symbolic::Atom(value), defined })
            }
        }
    }

    /// A listed function over a small type as a table.
    fn as_table(
        &mut self,
        element: &bsym_language::types::Type,
        items: &[Guarded],
    ) -> Result<Option<Rc<Set>>, Unsupported> {
        let bsym_language::types::Type::Pair(keys, values) = element else { return Ok(None) };
        let universe = match self.whole(keys) {
            Some(whole) => whole,
            None => {
                let arguments: Result<Vec<Guarded>, Unsupported> =
                    items.iter().map(|(g, x)| Ok((*g, self.as_couple(x)?.0.clone()))).collect();
                match self.known_items(&arguments?) {
                    Some((known, _)) if !known.is_empty() => known,
                    _ => return Ok(None),
                }
            }
        };
        let mut entries: Vec<Option<Guarded>> = vec![None; universe.len()];
        for (g, x) in items {
            let (k, v) = self.as_couple(x)?;
            match self.place(k, &universe, keys) {
                Place::At(i) if entries[i].is_none() => entries[i] = Some((*g, v.clone())),
                _ => return Ok(None),
            }
        }
        let shape = self.shape(values, &Layout::Any);
        let entries = entries
            .into_iter()
            .map(|e| e.unwrap_or_else(|| (Terms::FALSE, self.some_value(&shape))))
            .collect();
        Ok(Some(Set::new(element.clone(), Form::Table(universe, entries))))
    }

    /// The binders with a value over locals that range over too many values to be listed.
    fn described_binder(
        &mut self,
        env: &Env,
        op: QuantOp,
        locals: &[LocalId],
        p: &Pred,
        body: &Expr,
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        let Some(element) = e.ty.element().cloned() else {
            return self.unsupported("a sum or product over a set that cannot be listed");
        };
        let mut defined = self.defined_for_all(env, locals, p, Some(body))?;
        let (inner, locals, p, body) = (env.clone(), locals.to_vec(), p.clone(), body.clone());
        let value = match op {
            QuantOp::Lambda => {
                let bsym_language::types::Type::Pair(keys, _) = &element else {
                    return self.unsupported("a function without a type");
                };
                let domain = self.satisfying(env, &locals, &p, (**keys).clone())?;
                let domain = self.as_set(&domain.value)?.clone();
                self.lambda(
                    element,
                    domain,
                    Rc::new(move |e, x| {
                        let env = e.take_apart(&inner, &locals, x)?;
                        Ok(e.expr(&env, &body)?.value)
                    }),
                )?
            }
            QuantOp::Image | QuantOp::Union => self.described(
                element,
                Rc::new(move |e, y| {
                    let y = y.clone();
                    e.exists_such(&inner, &locals, &p, &mut |e, env| {
                        let v = e.expr(env, &body)?.value;
                        if op == QuantOp::Image { e.equal(&y, &v) } else { e.member(&y, &v) }
                    })
                }),
            )?,
            QuantOp::Inter => {
                let some = self.exists_such(env, &locals, &p, &mut |_, _| Ok(Terms::TRUE))?;
                defined = self.terms.and([defined, some]);
                self.described(
                    element,
                    Rc::new(move |e, y| {
                        let y = y.clone();
                        let missing = e.exists_such(&inner, &locals, &p, &mut |e, env| {
                            let v = e.expr(env, &body)?.value;
                            let inside = e.member(&y, &v)?;
                            Ok(e.terms.not(inside))
                        })?;
                        Ok(e.terms.not(missing))
                    }),
                )?
            }
            _ => return self.unsupported("a sum or product over a set that cannot be listed"),
        };
        Ok(Encoded { value: Symbolic::Set(value), defined })
    }

    /// `#locals. P & f`
    fn exists_such(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        p: &Pred,
        f: &mut dyn FnMut(&mut Encoder, &Env) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        let body = Body::of(p);
        let mut any = vec![];
        for i in self.instances(env, locals, &body)? {
            let (range, inner) = self.bind_rest(&i);
            let p = self.conjunction(&inner, &i.rest)?;
            let then = f(self, &inner)?;
            let whole = self.some(&range, self.terms.and([i.guard, p.holds, then]));
            any.push(whole);
            self.close(range);
        }
        Ok(self.terms.or(any))
    }
}
