//! The values that bound variables have to be tried with.
//!
//! A conjunct `x : S` with few possible elements, `x = E`, or a small type gives the values of x one
//! by one. The conjunct is used up by that; every conjunct before it must be always defined, so that
//! nothing ill-defined is skipped. Variables without such a conjunct stay to be quantified.

use std::rc::Rc;

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};

use crate::expr::walk::{always_defined, mentions, mentions_in};
use crate::representation::layout::Layout;
use crate::symbolic::Unsupported;
use crate::symbolic::carriers::Binders;
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{Guarded, Set, Symbolic};
use crate::term::{Term, Terms};

/// The condition on bound variables, split at `&`.
pub(crate) struct Body<'a> {
    /// In source order.
    pub conjuncts: Vec<&'a Pred>,
}

impl<'a> Body<'a> {
    /// A predicate as conjuncts.
    pub fn of(p: &'a Pred) -> Body<'a> {
        let mut conjuncts = vec![];
        let mut stack = vec![p];
        while let Some(p) = stack.pop() {
            match &p.kind {
                PredKind::And(all) => stack.extend(all.iter().rev()),
                PredKind::True => {}
                _ => conjuncts.push(p),
            }
        }
        Body { conjuncts }
    }
}

/// One way to bind some of the variables.
#[derive(Clone)]
pub(crate) struct Instance<'a> {
    /// The values are possible.
    pub guard: Term,
    /// With the values.
    pub env: Env,
    /// Conjuncts that are not used up.
    pub rest: Vec<&'a Pred>,
    /// Variables without a value.
    pub unbound: Vec<LocalId>,
    /// Condition that the source of the values is defined.
    pub defined: Term,
}

impl Encoder {
    /// All instances of a body. Together they are equivalent to it.
    pub(crate) fn instances<'a>(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        body: &Body<'a>,
    ) -> Result<Vec<Instance<'a>>, Unsupported> {
        let start = Instance {
            guard: Terms::TRUE,
            env: env.clone(),
            rest: body.conjuncts.clone(),
            unbound: locals.to_vec(),
            defined: Terms::TRUE,
        };
        let mut open = vec![start];
        let mut done = vec![];
        let most = self.written_out;
        while let Some(mut instance) = open.pop() {
            self.spend(1 + instance.rest.len() + instance.env.locals.len())?;
            if most.early && !self.is_possible(&mut instance)? {
                continue;
            }
            let room = most.instances.saturating_sub(open.len() + done.len());
            match self.split(&instance, room)? {
                Some(next) => open.extend(next.into_iter().rev()),
                None => done.push(instance),
            }
        }
        Ok(done)
    }

    /// Leaves out the conjuncts of an instance that are true of its values. `false` if one is false, so that the whole
    /// instance is, and nothing on the way is ill-defined.
    fn is_possible(&mut self, instance: &mut Instance<'_>) -> Result<bool, Unsupported> {
        let mut kept = vec![];
        let mut defined = instance.defined == Terms::TRUE;
        for p in std::mem::take(&mut instance.rest) {
            if !mentions_in(p, &instance.unbound) {
                let truth = self.pred(&instance.env, p)?;
                if truth.defined == Terms::TRUE && truth.holds == Terms::TRUE {
                    continue;
                }
                if defined && truth.defined == Terms::TRUE && truth.holds == Terms::FALSE {
                    return Ok(false);
                }
                defined &= truth.defined == Terms::TRUE;
            } else {
                defined &= always_defined(p, &|e| instance.env.is_perhaps_unassigned(e));
            }
            kept.push(p);
        }
        instance.rest = kept;
        Ok(true)
    }

    /// Binds one more variable in every possible way, if there are at most `room` of them.
    fn split<'a>(
        &mut self,
        instance: &Instance<'a>,
        room: usize,
    ) -> Result<Option<Vec<Instance<'a>>>, Unsupported> {
        if instance.unbound.is_empty() {
            return Ok(None);
        }
        for (i, p) in instance.rest.iter().enumerate() {
            let source = self.source(instance, p, i == 0, room)?;
            if let Some((pattern, values, defined)) = source {
                let mut rest = instance.rest.clone();
                rest.remove(i);
                let defined = self.terms.and([instance.defined, self.terms.implies(instance.guard, defined)]);
                let mut next = vec![];
                for (g, v) in values {
                    let guard = self.terms.and([instance.guard, g]);
                    if guard == Terms::FALSE {
                        continue;
                    }
                    let mut env = instance.env.clone();
                    self.bind_pattern(&mut env, pattern, &v)?;
                    let unbound =
                        instance.unbound.iter().copied().filter(|l| !env.locals.contains_key(l)).collect();
                    next.push(Instance { guard, env, rest: rest.clone(), unbound, defined });
                }
                if next.is_empty() {
                    // No values at all: what is defined still has to be said.
                    next.push(Instance {
                        guard: Terms::FALSE,
                        env: instance.env.clone(),
                        rest: vec![],
                        unbound: vec![],
                        defined,
                    });
                    for &l in &instance.unbound {
                        let ty = self.model.locals[l.index()].ty.clone();
                        let shape = self.shape(&ty, &Layout::Any);
                        let any = self.some_value(&shape);
                        next[0].env.bind(l, any);
                    }
                }
                return Ok(Some(next));
            }
            if !always_defined(p, &|e| instance.env.is_perhaps_unassigned(e)) {
                break;
            }
        }
        for (i, &local) in instance.unbound.iter().enumerate() {
            let Some(values) = self.elements(&self.model.locals[local.index()].ty) else { continue };
            if values.len() > room {
                continue;
            }
            let mut unbound = instance.unbound.clone();
            unbound.remove(i);
            return Ok(Some(
                values
                    .iter()
                    .map(|v| Instance {
                        env: instance.env.with(local, v.clone()),
                        unbound: unbound.clone(),
                        ..instance.clone()
                    })
                    .collect(),
            ));
        }
        Ok(None)
    }

    /// The values that a conjunct allows for a pattern of unbound variables.
    fn source<'a>(
        &mut self,
        instance: &Instance<'a>,
        p: &'a Pred,
        first: bool,
        room: usize,
    ) -> Result<Option<Source<'a>>, Unsupported> {
        let PredKind::Compare(op, a, b) = &p.kind else { return Ok(None) };
        let unbound = &instance.unbound;
        let pattern = |e: &Expr| {
            let mut seen = vec![];
            is_pattern(e, unbound, &mut seen)
        };
        let (pattern, from, one) = match op {
            CompareOp::Member if pattern(a) && !mentions(b, unbound) => (&**a, b, false),
            CompareOp::Equal if pattern(a) && !mentions(b, unbound) => (&**a, b, true),
            CompareOp::Equal if pattern(b) && !mentions(a, unbound) => (&**b, a, true),
            _ => return Ok(None),
        };
        let from = self.expr(&instance.env, from)?;
        // Where something before it is false, its own definedness does not matter.
        if !first && from.defined != Terms::TRUE {
            return Ok(None);
        }
        let values = if one {
            vec![(Terms::TRUE, from.value)]
        } else {
            let set = self.as_set(&from.value)?.clone();
            match self.candidates(&set)? {
                Some(values) if values.len() <= room => values,
                _ => return Ok(None),
            }
        };
        Ok(Some((pattern, values, from.defined)))
    }

    fn bind_pattern(&self, env: &mut Env, pattern: &Expr, v: &Symbolic) -> Result<(), Unsupported> {
        match &pattern.kind {
            ExprKind::Binary(BinaryOp::Maplet, a, b) => {
                let (x, y) = self.as_couple(v)?;
                self.bind_pattern(env, a, x)?;
                self.bind_pattern(env, b, y)
            }
            ExprKind::Local(l) => {
                env.bind(*l, v.clone());
                Ok(())
            }
            _ => self.unsupported("a pattern of this form"),
        }
    }

    /// Symbols for the variables of an instance that have no value.
    pub(crate) fn bind_rest(&mut self, instance: &Instance<'_>) -> (Binders, Env) {
        let mut env = instance.env.clone();
        let bounded = self.bounded(instance);
        let mut range = Binders::none();
        for &local in &instance.unbound {
            let variable = self.model.locals[local.index()].clone();
            let (id, value) = self.binder(&variable.name, &variable.ty);
            range.push(id, value.clone(), bounded.contains(&local));
            env.bind(local, value);
        }
        (range, env)
    }

    /// The variables of an instance that one of the conjuncts puts into a set without strays or says to be the value of
    /// a name, where nothing before it can be ill-defined.
    fn bounded(&self, instance: &Instance<'_>) -> Vec<LocalId> {
        let mut found = vec![];
        for p in &instance.rest {
            match &p.kind {
                PredKind::Compare(CompareOp::Member, x, set) if self.is_named_closed(&instance.env, set) => {
                    parts(x, &instance.unbound, &mut found);
                }
                PredKind::Compare(CompareOp::Equal, x, y) => {
                    for (x, y) in [(x, y), (y, x)] {
                        // No stray is the value of a name.
                        if matches!(y.kind, ExprKind::Var(_) | ExprKind::Const(_)) {
                            parts(x, &instance.unbound, &mut found);
                        }
                    }
                }
                _ => {}
            }
            if !always_defined(p, &|e| instance.env.is_perhaps_unassigned(e)) {
                break;
            }
        }
        found
    }

    /// Returns whether an expression is a set without strays by its names.
    fn is_named_closed(&self, env: &Env, e: &Expr) -> bool {
        let value = match &e.kind {
            ExprKind::Var(v) => env.state.get(v.index()),
            ExprKind::Const(c) => env.constants.get(c.index()),
            ExprKind::Local(l) => env.locals.get(l),
            ExprKind::Unary(UnaryOp::Dom | UnaryOp::Ran, r) => return self.is_named_closed(env, r),
            ExprKind::Binary(BinaryOp::Difference, a, _) => return self.is_named_closed(env, a),
            _ => return false,
        };
        matches!(value, Some(Symbolic::Set(set)) if self.is_closed(set))
    }

    /// The set of the leading conjuncts `x : S`, `x /: T`, with the other conjuncts.
    pub(crate) fn base_set(
        &mut self,
        env: &Env,
        locals: &[LocalId],
        conjuncts: &[Pred],
    ) -> Result<Option<Base>, Unsupported> {
        let mut base: Option<Rc<Set>> = None;
        let mut used = 0;
        for p in conjuncts {
            let PredKind::Compare(op, x, s) = &p.kind else { break };
            let about = matches!((&x.kind, locals), (ExprKind::Local(l), [local]) if l == local);
            if !about || mentions(s, locals) {
                break;
            }
            let next = match (op, base) {
                (CompareOp::Member, base) => {
                    let s = self.expr(env, s)?;
                    let s = self.as_set(&s.value)?.clone();
                    match base {
                        Some(b) => self.intersection(&b, &s)?,
                        None => s,
                    }
                }
                (CompareOp::NotMember, Some(b)) => {
                    let s = self.expr(env, s)?;
                    let s = self.as_set(&s.value)?.clone();
                    self.difference(&b, &s)?
                }
                (_, other) => {
                    base = other;
                    break;
                }
            };
            base = Some(next);
            used += 1;
        }
        Ok(base.map(|set| (set, conjuncts[used..].to_vec())))
    }
}

/// A set of values of a variable, and what is still to be tested.
pub(crate) type Base = (Rc<Set>, Vec<Pred>);

/// A pattern of variables, its possible values, and when they are defined.
type Source<'a> = (&'a Expr, Vec<Guarded>, Term);

/// The unbound variables that a value is or has among its parts.
fn parts(e: &Expr, unbound: &[LocalId], found: &mut Vec<LocalId>) {
    match &e.kind {
        ExprKind::Local(l) if unbound.contains(l) => found.push(*l),
        ExprKind::Binary(BinaryOp::Maplet, a, b) => {
            parts(a, unbound, found);
            parts(b, unbound, found);
        }
        _ => {}
    }
}

/// `x`, `x |-> y`, … of distinct unbound variables.
fn is_pattern(e: &Expr, unbound: &[LocalId], seen: &mut Vec<LocalId>) -> bool {
    match &e.kind {
        ExprKind::Local(l) if unbound.contains(l) && !seen.contains(l) => {
            seen.push(*l);
            true
        }
        ExprKind::Binary(BinaryOp::Maplet, a, b) => {
            is_pattern(a, unbound, seen) && is_pattern(b, unbound, seen)
        }
        _ => false,
    }
}
