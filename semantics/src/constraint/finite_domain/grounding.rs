//! From literals to constraints on cells: conjunctions are split, quantifiers over known sets are expanded,
//! disjunctions become clauses.

use std::ops::ControlFlow;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, QuantOp, UnaryOp};
use bsym_language::types::Type;
use bsym_language::walk::cut_into_literals;

use crate::constraint::finite_domain::problem::{Constraint, Disjunct, Problem};
use crate::constraint::finite_domain::term::{Comparison, Locals, Term};
use crate::constraint::search::effective;
use crate::evaluator::Evaluator;
use crate::evaluator::free_names::names_of_pred;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;
use crate::value::partial::Shape;

type Bindings = Vec<Vec<(Name, Value)>>;

impl<'p> Problem<'_, 'p, '_> {
    /// Adds the constraints of a literal. A literal that may be ill-defined is kept in one piece.
    pub(super) fn add(&mut self, env: &Env<'_>, positive: bool, pred: &'p Pred, total: bool) {
        let before = self.constraints.len();
        let locals = Locals::default();
        let disjunct = Disjunct { parts: vec![(positive, pred)], locals, atom: None, comparison: None };
        let whole = Constraint { clause: vec![disjunct], total, ..Constraint::default() };
        if !total || !self.ground(env, positive, pred, &Locals::default()) {
            self.constraints.truncate(before);
            self.constraints.push(whole);
        }
    }

    /// Expands a total literal; `false` where that would be too large.
    fn ground(&mut self, env: &Env<'_>, positive: bool, pred: &'p Pred, locals: &Locals) -> bool {
        if self.constraints.len() > Tuning::DEFAULT.finite_domain.constraints {
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

    /// Expands a universal literal: for each binding of the locals some conjunct of the body is false.
    fn instances_of(
        &mut self,
        env: &Env<'_>,
        ls: &[LocalId],
        (positive, body): (bool, &'p Pred),
        locals: &Locals,
    ) -> bool {
        let mut parts = Vec::new();
        cut_into_literals(positive, body, &mut parts);
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let (closed, open): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(_, p)| self.is_closed_over(&inner, p, ls));
        let instances = match self.instances(&inner, ls, &closed, Tuning::DEFAULT.finite_domain.constraints) {
            Some(instances) => instances,
            None => match self.enclosed_instances(env, ls, &closed, &open, locals) {
                Some(instances) => instances,
                None => return false,
            },
        };
        if self.constraints.len() + instances.len() > Tuning::DEFAULT.finite_domain.constraints {
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

    /// Returns the bindings under which closed literals hold.
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
        // Names confined by nothing but their type are not expanded.
        let eval = Evaluator {
            candidates: Tuning::DEFAULT.finite_domain.constraints.min(self.search.eval.candidates),
            ..*self.search.eval
        };
        let done = eval.solve(env, &names, literals, self.search.at, &mut |bound, truth| {
            truth?;
            found.push(bound.to_vec());
            Ok(if found.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        (matches!(done, Ok(ControlFlow::Continue(())))).then_some(found)
    }

    /// Returns the bindings by the elements that an open set may have.
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
                if next.len() > Tuning::DEFAULT.finite_domain.constraints {
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
            for found in self.instances(&inner, &rest, closed, Tuning::DEFAULT.finite_domain.constraints)? {
                all.push(found.into_iter().chain(bound.iter().cloned()).collect());
                if all.len() > Tuning::DEFAULT.finite_domain.constraints {
                    return None;
                }
            }
        }
        Some(all)
    }

    /// Adds the clause that some of the literals hold.
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
        self.push(env, open, locals);
        true
    }

    fn push(&mut self, env: &Env<'_>, literals: Vec<(bool, &'p Pred)>, locals: &Locals) {
        let mut clause = Vec::new();
        let mut holds = false;
        for literal in literals {
            holds |= !self.alternatives(env, literal, locals, &mut clause);
        }
        if holds {
            return;
        }
        self.constraints.push(Constraint {
            clause,
            locals: locals.clone(),
            total: true,
            ..Constraint::default()
        });
    }

    /// Adds a literal to a clause; an existential literal over known sets is added as all its instances. `false` if the
    /// literal holds.
    fn alternatives(
        &self,
        env: &Env<'_>,
        (positive, pred): (bool, &'p Pred),
        locals: &Locals,
        out: &mut Vec<Disjunct<'p>>,
    ) -> bool {
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        if let (PredKind::Exists(ls, body), true) | (PredKind::Forall(ls, body), false) =
            (&pred.kind, positive)
        {
            let mut parts = Vec::new();
            cut_into_literals(positive, body, &mut parts);
            let (closed, open): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|(_, p)| self.is_closed_over(&inner, p, ls));
            if let Some(instances) =
                self.instances(&inner, ls, &closed, Tuning::DEFAULT.finite_domain.existential)
            {
                for bound in instances {
                    if open.is_empty() {
                        return false;
                    }
                    out.push(self.said(env, open.clone(), bound.into(), locals));
                }
                return true;
            }
        }
        out.push(self.said(env, vec![(positive, pred)], Locals::default(), locals));
        true
    }

    /// Builds a disjunct of literals with the facts about cells that it states.
    fn said(
        &self,
        env: &Env<'_>,
        parts: Vec<(bool, &'p Pred)>,
        own: Locals,
        locals: &Locals,
    ) -> Disjunct<'p> {
        let (mut atom, mut comparison) = (None, None);
        if let [(positive, pred)] = parts[..] {
            let all: Locals = own.iter().chain(locals.iter()).cloned().collect();
            atom = self.atom(env, pred, &all).map(|(cell, value, is)| (cell, value, is == positive));
            if let PredKind::Compare(op, a, b) = &pred.kind
                && a.ty == Type::Int
                && b.ty == Type::Int
                && atom.is_none()
            {
                let (left, right) = (self.term(env, a, &all), self.term(env, b, &all));
                let said = Comparison { op: effective(*op, positive), left, right };
                comparison = said.is_exact().then_some(said);
            }
        }
        Disjunct { parts, locals: own, atom, comparison }
    }

    /// Adds a single literal with its consequences for integers.
    fn literal(&mut self, env: &Env<'_>, positive: bool, pred: &'p Pred, locals: &Locals) -> bool {
        self.push(env, vec![(positive, pred)], locals);
        let PredKind::Compare(op, a, b) = &pred.kind else { return true };
        let op = effective(*op, positive);
        if a.ty == Type::Int && b.ty == Type::Int {
            if op == CompareOp::Equal
                && (self.distinct_elements(env, a, b, locals) || self.distinct_elements(env, b, a, locals))
            {
                return true;
            }
            let (left, right) = (self.term(env, a, locals), self.term(env, b, locals));
            if let Some(last) = self.constraints.last_mut() {
                last.comparison = Some(Comparison { op, left, right });
            }
        }
        if op == CompareOp::Member && a.ty == Type::Int {
            self.bounded(env, a, b, locals);
        }
        if op == CompareOp::Member {
            self.lambda(env, a, b, locals);
        }
        true
    }

    /// Confines an integer to the range between the least and the greatest element of a known set.
    fn bounded(&mut self, env: &Env<'_>, x: &'p Expr, set: &'p Expr, locals: &Locals) {
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let set = self.is_closed(&inner, set).then(|| self.search.eval.eval(&inner, set).ok()).flatten();
        let x = self.term(env, x, locals);
        let (low, high) = match set.as_ref() {
            Some(Value::Lazy(lazy)) => match &**lazy {
                LazySet::From(low) => (low.to_i64(), None),
                LazySet::Interval(low, high) => (low.to_i64(), high.to_i64()),
                _ => return,
            },
            Some(Value::Set(s)) => {
                let n = |v: Option<&Value>| v.and_then(Value::as_int).and_then(|n| n.to_i64());
                (n(s.first()), n(s.last()))
            }
            _ => return,
        };
        for (op, n) in [(CompareOp::GreaterEqual, low), (CompareOp::LessEqual, high)] {
            let Some(n) = n else { continue };
            let comparison = Comparison { op, left: x.clone(), right: Term::Constant(n.into()) };
            let comparison = Some(comparison);
            self.constraints.push(Constraint { comparison, total: true, ..Constraint::default() });
        }
    }

    /// `card({e1, …, en}) = n`: no two of the elements are equal. Takes the place of the last constraint.
    fn distinct_elements(&mut self, env: &Env<'_>, a: &'p Expr, b: &'p Expr, locals: &Locals) -> bool {
        let ExprKind::Unary(UnaryOp::Card, set) = &a.kind else { return false };
        let ExprKind::SetExtension(es) = &set.kind else { return false };
        let Term::Constant(n) = self.term(env, b, locals) else { return false };
        if n != es.len() as i128 {
            return false;
        }
        self.constraints.pop();
        for (i, x) in es.iter().enumerate() {
            for y in &es[i + 1..] {
                self.differ(env, (x, locals), (y, locals));
            }
        }
        true
    }

    /// Requires that two expressions have different values.
    fn differ(&mut self, env: &Env<'_>, (x, of_x): (&'p Expr, &Locals), (y, of_y): (&'p Expr, &Locals)) {
        let mut constraint = Constraint { total: true, ..Constraint::default() };
        if x.ty == Type::Int {
            let (left, right) = (self.term(env, x, of_x), self.term(env, y, of_y));
            let comparison = Comparison { op: CompareOp::NotEqual, left, right };
            if comparison.is_exact() {
                constraint.comparison = Some(comparison);
                self.constraints.push(constraint);
                return;
            }
        }
        constraint.differ = Some(((x, of_x.clone()), (y, of_y.clone())));
        self.constraints.push(constraint);
    }

    /// Adds the constraints of a lambda in a set of functions: its values are in the range, and differ where it is
    /// injective.
    fn lambda(&mut self, env: &Env<'_>, lambda: &'p Expr, space: &'p Expr, locals: &Locals) {
        let ExprKind::Quantified(QuantOp::Lambda, ls, p, body) = &lambda.kind else { return };
        let ExprKind::Binary(op, _, to) = &space.kind else { return };
        let Some(kind) = op.relation_space() else { return };
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let Some(points) =
            self.instances(&inner, ls, &[(true, p)], Tuning::DEFAULT.finite_domain.constraints)
        else {
            return;
        };
        let with = |bound: Vec<_>| -> Locals { bound.into_iter().chain(locals.iter().cloned()).collect() };
        let points: Vec<Locals> = points.into_iter().map(with).collect();
        for (i, point) in points.iter().enumerate() {
            if body.ty == Type::Int && self.is_closed(&inner, to) {
                self.bounded(env, body, to, point);
            }
            for other in points[i + 1..].iter().filter(|_| kind.injective) {
                if self.constraints.len() > Tuning::DEFAULT.finite_domain.constraints {
                    return;
                }
                self.differ(env, (body, point), (body, other));
            }
        }
    }

    /// Returns the fact that a literal states about one cell: that it has this value, or does not have it.
    fn atom(&self, env: &Env<'_>, pred: &'p Pred, locals: &Locals) -> Option<(usize, Value, bool)> {
        let PredKind::Compare(op, a, b) = &pred.kind else { return None };
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let closed = |e: &Expr| {
            let value = self.is_closed(&inner, e).then(|| self.search.eval.expr(&inner, e).ok()).flatten();
            value.filter(|v| !v.has_lazy())
        };
        let is = matches!(op, CompareOp::Equal | CompareOp::Member);
        match op {
            CompareOp::Equal | CompareOp::NotEqual => [(a, b), (b, a)].into_iter().find_map(|(x, v)| {
                let cell = match &x.kind {
                    ExprKind::Apply(f, point) => {
                        let u = self.unknown_of(f)?;
                        let Shape::Function { from, total: true, .. } = &*u.shape else { return None };
                        u.first + from.binary_search(&closed(point)?).ok()?
                    }
                    _ => self.unknown_of(x).filter(|u| *u.shape == Shape::Single)?.first,
                };
                Some((cell, closed(v)?, is))
            }),
            CompareOp::Member | CompareOp::NotMember => {
                let (u, x) = (self.unknown_of(b)?, closed(a)?);
                match &*u.shape {
                    Shape::Part(elements) => Some((u.first + elements.binary_search(&x).ok()?, x, is)),
                    Shape::Function { from, .. } => {
                        let (point, value) = x.as_pair()?;
                        Some((u.first + from.binary_search(point).ok()?, value.clone(), is))
                    }
                    Shape::Single => None,
                }
            }
            _ => None,
        }
    }

    /// Translates an integer expression into a term.
    fn term(&self, env: &Env<'_>, e: &'p Expr, locals: &Locals) -> Term<'p> {
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        if self.is_closed(&inner, e) {
            let value = self.search.eval.eval(&inner, e).ok();
            let n = value.as_ref().and_then(Value::as_int).and_then(Int::to_i64);
            return n.map_or(Term::Unknown, |n| Term::Constant(n.into()));
        }
        let of = |e: &'p Expr| self.term(env, e, locals);
        match &e.kind {
            ExprKind::Local(_) | ExprKind::Const(_) | ExprKind::Var(_) => match self.unknown_of(e) {
                Some(u) if matches!(*u.shape, Shape::Single) => Term::Cell(u.first),
                _ => Term::Unknown,
            },
            ExprKind::Apply(f, x) => {
                let cell = || {
                    let u = self.unknown_of(f)?;
                    let Shape::Function { from, total: true, .. } = &*u.shape else { return None };
                    let x = self.is_closed(&inner, x).then(|| self.search.eval.expr(&inner, x).ok())??;
                    Some(Term::Cell(u.first + from.binary_search(&x).ok()?))
                };
                cell().unwrap_or(Term::Unknown)
            }
            ExprKind::Unary(UnaryOp::Negate, a) => Term::Negated(Box::new(of(a))),
            ExprKind::Unary(UnaryOp::Card, s) => {
                self.count(env, s, locals).unwrap_or_else(|| Term::Size(s, locals.clone()))
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => Term::Sum(vec![of(a), of(b)]),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => {
                Term::Sum(vec![of(a), Term::Negated(Box::new(of(b)))])
            }
            ExprKind::Binary(BinaryOp::Multiply, a, b) => Term::Product(vec![of(a), of(b)]),
            ExprKind::Binary(BinaryOp::Mod, a, b) => match of(b) {
                Term::Constant(n) if n > 0 => Term::Modulo(Box::new(of(a)), n),
                _ => Term::Unknown,
            },
            ExprKind::Quantified(op @ (QuantOp::Sigma | QuantOp::Pi), ls, p, body) => {
                let Some(instances) =
                    self.instances(&inner, ls, &[(true, p)], Tuning::DEFAULT.finite_domain.summands)
                else {
                    return Term::Unknown;
                };
                let parts = instances.into_iter().map(|bound| {
                    let all: Locals = bound.into_iter().chain(locals.iter().cloned()).collect();
                    self.term(env, body, &all)
                });
                let parts = parts.collect();
                if *op == QuantOp::Sigma { Term::Sum(parts) } else { Term::Product(parts) }
            }
            _ => Term::Unknown,
        }
    }

    /// Translates the number of elements of a comprehension: known conjuncts supply the candidates.
    fn count(&self, env: &Env<'_>, set: &'p Expr, locals: &Locals) -> Option<Term<'p>> {
        let ExprKind::Comprehension(ls, pred) = &set.kind else { return None };
        let frame = env.frame(locals);
        let inner = env.within(&frame);
        let mut parts = Vec::new();
        cut_into_literals(true, pred, &mut parts);
        let (closed, open): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(_, p)| self.is_closed_over(&inner, p, ls));
        let found = self.instances(&inner, ls, &closed, Tuning::DEFAULT.finite_domain.summands)?;
        let with = |bound: Vec<_>| bound.into_iter().chain(locals.iter().cloned()).collect();
        Some(Term::Count(open, found.into_iter().map(with).collect()))
    }

    /// Returns whether all names of a predicate have values or are among the locals.
    pub(super) fn is_closed_over(&self, env: &Env<'_>, p: &Pred, ls: &[LocalId]) -> bool {
        names_of_pred(p)
            .into_iter()
            .all(|n| matches!(n, Name::Local(l) if ls.contains(&l)) || env.get(n).is_some())
    }
}

/// Splits a disjunction into its literals.
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
