//! From literals to constraints on cells: conjunctions are cut, quantifiers over what is known are written
//! out, disjunctions become clauses.

use std::ops::ControlFlow;

use bsym_language::model::{CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};
use bsym_language::types::Type;

use super::term::{Comparison, Term};
use super::{Constraint, Locals, MANY, Plan};
use crate::env::{Env, Name, names_of_pred};
use crate::lazy_set::LazySet;
use crate::solve::effective;
use crate::value::Value;

type Bindings = Vec<Vec<(Name, Value)>>;

impl<'p> Plan<'_, 'p, '_> {
    /// Adds the constraints of a literal. Where it may be ill-defined it is kept in one piece.
    pub(super) fn add(&mut self, env: &Env<'_>, positive: bool, pred: &'p Pred, total: bool) {
        let before = self.constraints.len();
        let whole = Constraint { clause: vec![(positive, pred)], total, ..Constraint::default() };
        if !total || !self.ground(env, positive, pred, &Locals::default()) {
            self.constraints.truncate(before);
            self.constraints.push(whole);
        }
    }

    /// Writes a total literal out; `false` where that would be too much.
    fn ground(&mut self, env: &Env<'_>, positive: bool, pred: &'p Pred, locals: &Locals) -> bool {
        if self.constraints.len() > MANY {
            return false;
        }
        match (&pred.kind, positive) {
            (PredKind::And(ps), true) | (PredKind::Or(ps), false) => {
                ps.iter().all(|p| self.ground(env, positive, p, locals))
            }
            (PredKind::Implies(a, b), false) => {
                self.ground(env, true, a, locals) && self.ground(env, false, b, locals)
            }
            (PredKind::Not(p), _) => self.ground(env, !positive, p, locals),
            (PredKind::Forall(ls, body), true) => self.instances_of(env, ls, (false, body), locals),
            (PredKind::Exists(ls, body), false) => self.instances_of(env, ls, (true, body), locals),
            (PredKind::Or(_), true) | (PredKind::And(_), false) | (PredKind::Implies(..), true) => {
                let mut parts = Vec::new();
                disjuncts(positive, pred, &mut parts);
                self.clause(env, parts, locals)
            }
            _ => self.literal(env, positive, pred, locals),
        }
    }

    /// For each binding of the locals some conjunct of the body is false.
    fn instances_of(
        &mut self,
        env: &Env<'_>,
        ls: &[LocalId],
        (positive, body): (bool, &'p Pred),
        locals: &Locals,
    ) -> bool {
        let mut parts = Vec::new();
        bsym_language::walk::cut_into_literals(positive, body, &mut parts);
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let (closed, open): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(_, p)| self.is_closed_over(&inner, p, ls));
        let instances = match self.instances(&inner, ls, &closed, MANY) {
            Some(instances) => instances,
            None => match self.enclosed_instances(env, ls, &closed, &open, locals) {
                Some(instances) => instances,
                None => return false,
            },
        };
        if self.constraints.len() + instances.len() > MANY {
            return false;
        }
        for bound in instances {
            let all: Locals = bound.into_iter().chain(locals.iter().cloned()).collect();
            let mut refuted = Vec::new();
            open.iter().for_each(|(positive, p)| disjuncts(!positive, p, &mut refuted));
            if !self.clause(env, refuted, &all) {
                return false;
            }
        }
        true
    }

    /// The bindings under which closed literals hold.
    pub(super) fn instances(
        &self,
        env: &Env<'_>,
        ls: &[LocalId],
        literals: &[(bool, &Pred)],
        limit: usize,
    ) -> Option<Bindings> {
        if !literals.iter().all(|(_, p)| self.is_closed_over(env, p, ls)) {
            return None;
        }
        let names: Vec<_> = ls.iter().map(|l| Name::Local(*l)).collect();
        let mut found = Vec::new();
        let done = self.search.eval.solve(env, &names, literals, self.search.at, &mut |bound, truth| {
            truth?;
            found.push(bound.to_vec());
            Ok(if found.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        (matches!(done, Ok(ControlFlow::Continue(())))).then_some(found)
    }

    /// The bindings by the elements that an open set may have.
    fn enclosed_instances(
        &self,
        env: &Env<'_>,
        ls: &[LocalId],
        closed: &[(bool, &'p Pred)],
        open: &[(bool, &'p Pred)],
        locals: &Locals,
    ) -> Option<Bindings> {
        let mut partial: Bindings = vec![Vec::new()];
        for (positive, p) in open {
            let PredKind::Compare(op, x, set) = &p.kind else { continue };
            if effective(*op, *positive) != CompareOp::Member {
                continue;
            }
            let enclosure =
                self.with_env(&self.root, None, locals, |env| self.search.eval.enclosure(env, set));
            let Some(upper) = enclosure.and_then(|e| e.upper) else { continue };
            let mut next = Vec::new();
            for bound in &partial {
                for v in upper.iter() {
                    let mut bound = bound.clone();
                    if bind(x, v, ls, &mut bound) {
                        next.push(bound);
                    }
                }
                if next.len() > MANY {
                    return None;
                }
            }
            next.sort();
            next.dedup();
            partial = next;
        }
        let mut all = Vec::new();
        for bound in partial {
            let rest: Vec<_> =
                ls.iter().copied().filter(|l| !bound.iter().any(|(n, _)| *n == Name::Local(*l))).collect();
            let outer: Vec<_> = bound.iter().chain(locals.iter()).cloned().collect();
            let frame = env.frame(&outer);
            let inner = env.within(&frame);
            for found in self.instances(&inner, &rest, closed, MANY)? {
                all.push(found.into_iter().chain(bound.iter().cloned()).collect());
                if all.len() > MANY {
                    return None;
                }
            }
        }
        Some(all)
    }

    /// Some of the literals hold.
    fn clause(&mut self, env: &Env<'_>, literals: Vec<(bool, &'p Pred)>, locals: &Locals) -> bool {
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let mut open = Vec::new();
        for (positive, p) in literals {
            if self.is_closed_over(&inner, p, &[]) {
                match self.search.eval.pred(&inner, p) {
                    Ok(truth) if truth == positive => return true,
                    Ok(_) => continue,
                    Err(_) => {}
                }
            }
            open.push((positive, p));
        }
        if let [(positive, p)] = open[..] {
            return self.ground(env, positive, p, locals);
        }
        self.push(open, locals);
        true
    }

    fn push(&mut self, clause: Vec<(bool, &'p Pred)>, locals: &Locals) {
        self.constraints.push(Constraint {
            clause,
            locals: locals.clone(),
            total: true,
            ..Constraint::default()
        });
    }

    /// A single literal, with what follows from it for integers.
    fn literal(&mut self, env: &Env<'_>, positive: bool, pred: &'p Pred, locals: &Locals) -> bool {
        self.push(vec![(positive, pred)], locals);
        let PredKind::Compare(op, a, b) = &pred.kind else { return true };
        let op = effective(*op, positive);
        if a.ty == Type::Int && b.ty == Type::Int {
            if op == CompareOp::Equal {
                self.all_different(env, a, b, locals);
                self.all_different(env, b, a, locals);
            }
            if !matches!(op, CompareOp::NotEqual) {
                let (left, right) = (self.term(env, a, locals), self.term(env, b, locals));
                if let Some(last) = self.constraints.last_mut() {
                    last.comparison = Some(Comparison { op, left, right });
                }
            }
        }
        if op == CompareOp::Member && a.ty == Type::Int {
            let frame = env.frame(locals);
            let inner = env.within(&frame);
            let set = self.is_closed(&inner, b).then(|| self.search.eval.eval(&inner, b).ok()).flatten();
            let x = self.term(env, a, locals);
            let (low, high) = match set.as_ref() {
                Some(Value::Lazy(lazy)) => match &**lazy {
                    LazySet::From(low) => (low.to_i64(), None),
                    LazySet::Interval(low, high) => (low.to_i64(), high.to_i64()),
                    _ => return true,
                },
                Some(Value::Set(s)) => {
                    let n = |v: Option<&Value>| v.and_then(Value::as_int).and_then(|n| n.to_i64());
                    (n(s.first()), n(s.last()))
                }
                _ => return true,
            };
            let bounds = [(CompareOp::GreaterEqual, low), (CompareOp::LessEqual, high)];
            for (op, n) in bounds {
                let Some(n) = n else { continue };
                let comparison = Comparison { op, left: x.clone(), right: Term::Constant(n.into()) };
                let comparison = Some(comparison);
                self.constraints.push(Constraint { comparison, total: true, ..Constraint::default() });
            }
        }
        true
    }

    /// `card({e1, …, en}) = n`: no two of the elements are equal.
    fn all_different(&mut self, env: &Env<'_>, a: &'p Expr, b: &'p Expr, locals: &Locals) {
        let ExprKind::Unary(UnaryOp::Card, set) = &a.kind else { return };
        let ExprKind::SetExtension(es) = &set.kind else { return };
        let Term::Constant(n) = self.term(env, b, locals) else { return };
        if n != es.len() as i128 {
            return;
        }
        let last = self.constraints.pop();
        for (i, x) in es.iter().enumerate() {
            for y in &es[i + 1..] {
                self.constraints.push(Constraint {
                    differ: Some((x, y)),
                    locals: locals.clone(),
                    total: true,
                    ..Constraint::default()
                });
            }
        }
        self.constraints.extend(last);
    }

    /// Whether a predicate speaks of nothing but what has a value and the locals.
    fn is_closed_over(&self, env: &Env<'_>, p: &Pred, ls: &[LocalId]) -> bool {
        names_of_pred(p)
            .into_iter()
            .all(|n| matches!(n, Name::Local(l) if ls.contains(&l)) || env.get(n).is_some())
    }
}

/// Cuts a disjunction into literals of which one holds.
fn disjuncts<'p>(positive: bool, pred: &'p Pred, out: &mut Vec<(bool, &'p Pred)>) {
    match (&pred.kind, positive) {
        (PredKind::Or(ps), true) | (PredKind::And(ps), false) => {
            ps.iter().for_each(|p| disjuncts(positive, p, out));
        }
        (PredKind::Implies(a, b), true) => {
            disjuncts(false, a, out);
            disjuncts(true, b, out);
        }
        (PredKind::Not(p), _) => disjuncts(!positive, p, out),
        _ => out.push((positive, pred)),
    }
}

/// Binds locals so that the pattern may equal the value; `false` if it cannot.
fn bind(pattern: &Expr, value: &Value, ls: &[LocalId], bound: &mut Vec<(Name, Value)>) -> bool {
    use bsym_language::model::BinaryOp;
    match (&pattern.kind, value) {
        (ExprKind::Local(l), v) if ls.contains(l) => {
            match bound.iter().find(|(n, _)| *n == Name::Local(*l)) {
                Some((_, known)) => known == v,
                None => {
                    bound.push((Name::Local(*l), v.clone()));
                    true
                }
            }
        }
        (ExprKind::Binary(BinaryOp::Maplet, a, b), Value::Pair(p)) => {
            bind(a, &p.0, ls, bound) && bind(b, &p.1, ls, bound)
        }
        _ => true,
    }
}
