//! Solving a predicate for unknowns by propagation.
//!
//! The predicate is cut into literals. Each round takes a literal that confines an unknown to few
//! candidates (`x = E`, `x : S`, `x |-> y : r`, bounds of an integer), binds it to each of them in turn
//! and drops what a literal refutes. A complete binding is judged by the literals from left to right, so
//! that the answer is that of the predicate as written.
//!
//! A literal may narrow the search only where every literal before it is known to hold or cannot be
//! ill-defined: otherwise dropping a candidate could hide an ill-defined instance.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::env::{Env, FreeNames, Name};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::lazy_set::LazySet;
use crate::value::Value;

type Flow = Eval<ControlFlow<()>>;
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// How many integers are tried for a witness where infinitely many come into question.
const PROBED: i64 = 512;

/// Called with the unknowns in order and `Ok(())` for a solution, or an ill-defined instance; in the
/// latter case perhaps only some of the unknowns are bound.
pub(crate) type Report<'r> = &'r mut dyn FnMut(&[(Name, Value)], Eval<()>) -> Flow;

struct Literal<'p> {
    positive: bool,
    pred: &'p Pred,
    /// Unknowns that occur, by position.
    needs: Vec<usize>,
}

struct Search<'s, 'm> {
    eval: &'s Evaluator<'m>,
    env: &'s Env<'s>,
    unknowns: &'s [Name],
    literals: Vec<Literal<'s>>,
    at: Span,
    candidates: Cell<usize>,
    /// Whether one solution is enough, so that a part of an infinite set is worth looking through.
    probe: bool,
}

/// A way to bind one or more unknowns.
enum Source<'p> {
    /// The pattern equals a value, or a component of the images of a bound point.
    Values(&'p Expr, Vec<Value>),
    /// The pattern is an element of a set.
    Elements(&'p Expr, Value),
    /// One unknown is in a set.
    Range(usize, Value),
    /// One unknown is perhaps in this part of its values.
    Probe(usize, Value),
}

impl<'m> Evaluator<'m> {
    /// Reports every binding of the unknowns under which all literals hold, each once, and every
    /// binding under which one is ill-defined.
    ///
    /// # Errors
    /// An unknown is not confined to a set that can be enumerated, or a literal cannot be decided.
    pub(crate) fn solve(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        report: Report<'_>,
    ) -> Flow {
        self.solve_with(env, unknowns, literals, at, false, report)
    }

    /// Whether some binding of the locals gives the predicate the wanted truth.
    ///
    /// Every instance is looked at unless none can be ill-defined: a witness does not hide an ill-defined
    /// instance.
    pub(crate) fn exists(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        literal: (bool, &Pred),
        at: Span,
    ) -> Eval<bool> {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        let total = self.is_total(env, literal.1);
        let mut witness = false;
        let done = self.solve_with(env, &names, &[literal], at, total, &mut |_, truth| {
            truth?;
            witness = true;
            Ok(if total { ControlFlow::Break(()) } else { GO })
        });
        done.map(|_| witness)
    }

    fn solve_with(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        probe: bool,
        report: Report<'_>,
    ) -> Flow {
        let mut flat = Vec::new();
        for (positive, pred) in literals {
            flatten(*positive, pred, &mut flat);
        }
        let literals = flat
            .into_iter()
            .map(|(positive, pred)| {
                let free = FreeNames::of_pred(pred);
                let needs = (0..unknowns.len()).filter(|i| free.contains(&unknowns[*i])).collect();
                Literal { positive, pred, needs }
            })
            .collect::<Vec<_>>();
        let settled = vec![false; literals.len()];
        let search = Search { eval: self, env, unknowns, literals, at, candidates: Cell::new(0), probe };
        search.round(&mut vec![None; unknowns.len()], settled, report)
    }
}

/// Cuts a predicate, or its negation, into literals that all hold if it does; in the order of evaluation.
fn flatten<'p>(positive: bool, pred: &'p Pred, out: &mut Vec<(bool, &'p Pred)>) {
    match (&pred.kind, positive) {
        (PredKind::And(ps), true) | (PredKind::Or(ps), false) => {
            ps.iter().for_each(|p| flatten(positive, p, out));
        }
        (PredKind::Implies(a, b), false) => {
            flatten(true, a, out);
            flatten(false, b, out);
        }
        (PredKind::Not(p), _) => flatten(!positive, p, out),
        (PredKind::True, true) | (PredKind::False, false) => {}
        _ => out.push((positive, pred)),
    }
}

fn effective(op: CompareOp, positive: bool) -> CompareOp {
    if positive { op } else { op.negated() }
}

type Binding = Vec<Option<Value>>;

impl<'m> Search<'_, 'm> {
    fn names(&self, bound: &Binding) -> Vec<(Name, Value)> {
        self.unknowns.iter().zip(bound).filter_map(|(n, v)| Some((*n, v.clone()?))).collect()
    }

    fn holds(&self, env: &Env<'_>, literal: &Literal<'_>) -> Eval<bool> {
        Ok(self.eval.pred(env, literal.pred)? == literal.positive)
    }

    /// Whether every literal before this one holds or cannot be ill-defined.
    fn may_narrow(&self, env: &Env<'_>, settled: &[bool], literal: usize) -> bool {
        (0..literal).all(|i| settled[i] || self.eval.is_total(env, self.literals[i].pred))
    }

    fn round(&self, bound: &mut Binding, mut settled: Vec<bool>, report: Report<'_>) -> Flow {
        let names = self.names(bound);
        let outer = self.env;
        let frame = outer.frame(&names);
        let env = outer.within(&frame);
        let mut narrow: Vec<Option<bool>> = vec![None; self.literals.len()];
        for i in 0..self.literals.len() {
            let literal = &self.literals[i];
            if settled[i] || literal.needs.iter().any(|n| bound[*n].is_none()) {
                continue;
            }
            let first = settled[..i].iter().all(|s| *s);
            if !first && !*narrow[i].get_or_insert_with(|| self.may_narrow(&env, &settled, i)) {
                continue;
            }
            match self.holds(&env, literal) {
                Ok(true) => settled[i] = true,
                Ok(false) => return Ok(GO),
                Err(e) if first && e.kind == EvalErrorKind::IllDefined => return report(&names, Err(e)),
                Err(_) => {}
            }
        }
        if bound.iter().all(Option::is_some) {
            for (i, literal) in self.literals.iter().enumerate() {
                if settled[i] {
                    continue;
                }
                match self.holds(&env, literal) {
                    Ok(true) => {}
                    Ok(false) => return Ok(GO),
                    Err(e) if e.kind == EvalErrorKind::IllDefined => return report(&names, Err(e)),
                    Err(e) => return Err(e),
                }
            }
            return report(&names, Ok(()));
        }
        let source = self.source(&env, bound, &settled)?;
        let (pattern, index, set) = match source {
            Source::Values(pattern, values) => {
                for v in values {
                    let mut next = bound.clone();
                    if self.matches(&env, pattern, &v, &mut next)
                        && let ControlFlow::Break(()) = self.candidate(&mut next, &settled, report)?
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                return Ok(GO);
            }
            Source::Elements(pattern, set) => (Some(pattern), 0, set),
            Source::Range(index, set) => (None, index, set),
            Source::Probe(index, set) => {
                for v in self.eval.list(&set, self.at)?.iter() {
                    let mut next = bound.clone();
                    next[index] = Some(v.clone());
                    if let ControlFlow::Break(()) = self.candidate(&mut next, &settled, report)? {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                return Err(self.unconfined(bound));
            }
        };
        // Where elements may be visited twice they are listed first.
        let set = match self.eval.try_list(&set, self.at)? {
            Some(listed) => Value::Set(listed),
            None => set,
        };
        let eval = self.eval;
        eval.each(&set, self.at, &mut |v| {
            let mut next = bound.clone();
            match pattern {
                Some(pattern) if !self.matches(&env, pattern, &v, &mut next) => return Ok(GO),
                Some(_) => {}
                None => next[index] = Some(v),
            }
            self.candidate(&mut next, &settled, report)
        })
    }

    fn candidate(&self, next: &mut Binding, settled: &[bool], report: Report<'_>) -> Flow {
        self.candidates.set(self.candidates.get() + 1);
        if self.candidates.get() > self.eval.limits.listing {
            return Err(EvalError::too_large(
                self.at,
                format!("more than {} candidates for {}", self.eval.limits.listing, self.open_names(next)),
            ));
        }
        self.round(next, settled.to_vec(), report)
    }

    fn open_names(&self, _bound: &Binding) -> String {
        let names: Vec<_> = self.unknowns.iter().map(|n| format!("`{}`", self.eval.name(*n))).collect();
        names.join(", ")
    }

    /// The source with the fewest candidates.
    fn source(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Eval<Source<'_>> {
        let mut best: Option<(usize, Source<'_>)> = None;
        let mut bounds: Vec<(Option<Int>, Option<Int>)> = vec![(None, None); self.unknowns.len()];
        let mut confined: Vec<Option<Value>> = vec![None; self.unknowns.len()];
        let mut all_before = true;
        for (i, literal) in self.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            let usable = all_before;
            all_before = all_before && self.eval.is_total(env, literal.pred);
            if !usable {
                break;
            }
            let found =
                self.candidates_of(env, literal.positive, literal.pred, bound, &mut bounds, &mut confined);
            let Some(source) = found else { continue };
            let size = match &source {
                Source::Values(_, values) => values.len(),
                Source::Elements(_, set) | Source::Range(_, set) | Source::Probe(_, set) => {
                    match self.eval.cardinality(set, self.at) {
                        Ok(c) => c.within(usize::MAX).unwrap_or(usize::MAX),
                        Err(_) => continue,
                    }
                }
            };
            if size <= 1 {
                return Ok(source);
            }
            if best.as_ref().is_none_or(|(n, _)| size < *n) {
                best = Some((size, source));
            }
        }
        let mut probe = None;
        for (i, (low, high)) in bounds.into_iter().enumerate() {
            if bound[i].is_some() {
                continue;
            }
            if self.probe && probe.is_none() && self.eval.type_of(self.unknowns[i]) == Some(&Type::Int) {
                let half = Int::from(PROBED / 2);
                let (from, to) = match (&low, &high) {
                    (Some(low), _) => (low.clone(), low + &Int::from(PROBED)),
                    (None, Some(high)) => (high - &Int::from(PROBED), high.clone()),
                    (None, None) => (-&half, half),
                };
                probe = Some(Source::Probe(i, self.eval.interval(from, to)));
            }
            let range = match (low, high) {
                (Some(low), Some(high)) => self.eval.interval(low, high),
                (Some(low), None) => LazySet::From(low).into(),
                _ => continue,
            };
            let range = match &confined[i] {
                Some(set) => self.eval.binary(BinaryOp::Intersection, range, set.clone(), self.at)?,
                None => range,
            };
            if let Some(n) = self.eval.cardinality(&range, self.at)?.within(usize::MAX)
                && best.as_ref().is_none_or(|(m, _)| n < *m)
            {
                best = Some((n, Source::Range(i, range)));
            }
        }
        let limit = self.eval.limits.listing;
        if !matches!(&best, Some((n, _)) if *n <= limit) {
            // The values of a type, the smallest first.
            for (i, name) in self.unknowns.iter().enumerate() {
                let Some(ty) = self.eval.type_of(*name).filter(|_| bound[i].is_none()) else { continue };
                let values = self.eval.type_values(ty);
                if let Some(n) = self.eval.cardinality(&values, self.at)?.within(limit)
                    && best.as_ref().is_none_or(|(m, _)| n < *m)
                {
                    best = Some((n, Source::Range(i, values)));
                }
            }
        }
        if !matches!(&best, Some((n, _)) if *n <= limit)
            && let Some(source) = self.projected(env, bound, settled)?
        {
            return Ok(source);
        }
        if !matches!(&best, Some((n, _)) if *n <= limit)
            && let Some(source) = self.recursive(env, bound, settled)
        {
            return Ok(source);
        }
        match (best, probe) {
            (Some((_, source)), None) => Ok(source),
            (Some((n, source)), Some(_)) if n <= limit => Ok(source),
            (_, Some(source)) => Ok(source),
            (None, None) => Err(self.unconfined(bound)),
        }
    }

    /// `c = E` where E is a relation that needs c itself.
    fn recursive(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Option<Source<'_>> {
        self.literals.iter().enumerate().find_map(|(i, literal)| {
            let PredKind::Compare(CompareOp::Equal, a, b) = &literal.pred.kind else { return None };
            let ExprKind::Const(c) = a.kind else { return None };
            self.unknown(a, bound)?;
            let value = self.eval.recursive(env, c, b).filter(|_| literal.positive && !settled[i])?;
            self.may_narrow(env, settled, i).then(|| Source::Values(a, vec![value]))
        })
    }

    fn unconfined(&self, bound: &Binding) -> EvalError {
        let open = self.unknowns.iter().zip(bound).find(|(_, v)| v.is_none()).map(|(n, _)| *n);
        let name = open.map_or("?", |n| self.eval.name(n));
        let message = format!("nothing confines `{name}` to values that can be enumerated");
        EvalError::too_large(self.at, message)
    }

    /// `#y.(P)` confines the unknowns in P to a projection of the solutions of P.
    fn projected(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Eval<Option<Source<'_>>> {
        for (i, literal) in self.literals.iter().enumerate() {
            let (locals, body) = match (&literal.pred.kind, literal.positive) {
                (PredKind::Exists(locals, body), true) | (PredKind::Forall(locals, body), false) => {
                    (locals, body)
                }
                _ => continue,
            };
            if settled[i] || !self.may_narrow(env, settled, i) {
                continue;
            }
            let open: Vec<_> = literal.needs.iter().copied().filter(|n| bound[*n].is_none()).collect();
            let [unknown] = open[..] else { continue };
            let mut unknowns = vec![self.unknowns[unknown]];
            unknowns.extend(locals.iter().map(|l| Name::Local(*l)));
            let mut values = BTreeSet::new();
            let done = self.eval.solve(env, &unknowns, &[(literal.positive, body)], self.at, &mut |b, _| {
                // An ill-defined instance is a candidate too: the literal itself reports it.
                if let Some((name, v)) = b.first()
                    && *name == unknowns[0]
                {
                    values.insert(v.clone());
                }
                Ok(GO)
            });
            if done.is_ok() {
                return Ok(Some(Source::Range(unknown, Value::Set(Arc::new(values)))));
            }
        }
        Ok(None)
    }

    /// What a literal says about the candidates of unknowns, if it says so by its form.
    fn candidates_of<'p>(
        &self,
        env: &Env<'_>,
        positive: bool,
        pred: &'p Pred,
        bound: &Binding,
        bounds: &mut [(Option<Int>, Option<Int>)],
        confined: &mut [Option<Value>],
    ) -> Option<Source<'p>> {
        let (op, a, b) = match (&pred.kind, positive) {
            (PredKind::Compare(op, a, b), _) => (effective(*op, positive), a, b),
            (PredKind::Or(ps), true) | (PredKind::And(ps), false) => {
                return self.union_of(env, ps.iter().map(|p| (positive, p)), bound);
            }
            (PredKind::Implies(p, q), true) => {
                return self.union_of(env, [(false, &**p), (true, &**q)].into_iter(), bound);
            }
            _ => return None,
        };
        let closed = |e: &Expr| self.closed_value(env, e);
        match op {
            CompareOp::Equal => {
                for (pattern, value) in [(a, b), (b, a)] {
                    if self.is_pattern(env, pattern, bound)
                        && let Some(v) = closed(value)
                    {
                        return Some(Source::Values(pattern, vec![self.eval.normal(v, self.at).ok()?]));
                    }
                }
                None
            }
            CompareOp::Member if self.is_pattern(env, a, bound) => {
                let set = closed(b)?;
                if let Some(i) = self.unknown(a, bound) {
                    confined[i] = Some(set.clone());
                    if let Value::Lazy(lazy) = &set {
                        match &**lazy {
                            LazySet::From(low) => raise(&mut bounds[i].0, low.clone()),
                            LazySet::Interval(low, high) => {
                                raise(&mut bounds[i].0, low.clone());
                                lower(&mut bounds[i].1, high.clone());
                            }
                            _ => {}
                        }
                    }
                }
                if let ExprKind::Binary(BinaryOp::Maplet, x, y) = &a.kind
                    && let Some(x) = closed(x)
                    && let Ok(Some(images)) = self.eval.images(&set, &x, self.at)
                {
                    let distinct: BTreeSet<_> = images.into_iter().collect();
                    return Some(Source::Values(y, distinct.into_iter().collect()));
                }
                Some(Source::Elements(a, set))
            }
            CompareOp::Subset | CompareOp::StrictSubset => {
                let i = self.unknown(a, bound)?;
                let set = self.eval.normal(closed(b)?, self.at).ok()?;
                Some(Source::Range(i, LazySet::Power(set).into()))
            }
            CompareOp::Less | CompareOp::LessEqual | CompareOp::Greater | CompareOp::GreaterEqual => {
                let strict = matches!(op, CompareOp::Less | CompareOp::Greater);
                let (small, large) =
                    if matches!(op, CompareOp::Less | CompareOp::LessEqual) { (a, b) } else { (b, a) };
                let step = if strict { Int::ONE } else { Int::ZERO };
                if let Some(i) = self.unknown(small, bound)
                    && let Some(Value::Int(n)) = closed(large)
                {
                    lower(&mut bounds[i].1, &n - &step);
                }
                if let Some(i) = self.unknown(large, bound)
                    && let Some(Value::Int(n)) = closed(small)
                {
                    raise(&mut bounds[i].0, &n + &step);
                }
                None
            }
            _ => None,
        }
    }

    /// A disjunction of which every part confines the same unknown.
    fn union_of<'p>(
        &self,
        env: &Env<'_>,
        parts: impl Iterator<Item = (bool, &'p Pred)>,
        bound: &Binding,
    ) -> Option<Source<'p>> {
        let mut all: Option<(usize, BTreeSet<Value>)> = None;
        for (positive, part) in parts {
            let mut literals = Vec::new();
            flatten(positive, part, &mut literals);
            let mut found = None;
            for (positive, literal) in literals {
                let mut bounds = vec![(None, None); self.unknowns.len()];
                let mut confined = vec![None; self.unknowns.len()];
                let source = self.candidates_of(env, positive, literal, bound, &mut bounds, &mut confined);
                found = source.and_then(|source| self.one_unknown(env, source, bound));
                if found.is_some() || !self.eval.is_total(env, literal) {
                    break;
                }
            }
            let (i, values) = found?;
            match &mut all {
                None => all = Some((i, values)),
                Some((j, known)) if *j == i => known.extend(values),
                Some(_) => return None,
            }
        }
        all.map(|(i, values)| Source::Range(i, Value::Set(Arc::new(values))))
    }

    fn one_unknown(
        &self,
        env: &Env<'_>,
        source: Source<'_>,
        bound: &Binding,
    ) -> Option<(usize, BTreeSet<Value>)> {
        let (pattern, values) = match source {
            Source::Range(i, set) | Source::Probe(i, set) => {
                return Some((i, (*self.eval.try_list(&set, self.at).ok()??).clone()));
            }
            Source::Values(pattern, values) => (pattern, values.into_iter().collect()),
            Source::Elements(pattern, set) => (pattern, (*self.eval.try_list(&set, self.at).ok()??).clone()),
        };
        let mut found: Option<usize> = None;
        let mut matched = BTreeSet::new();
        for v in values {
            let mut next = bound.clone();
            if self.matches(env, pattern, &v, &mut next) {
                let mut fresh = (0..next.len()).filter(|i| bound[*i].is_none() && next[*i].is_some());
                let (Some(i), None) = (fresh.next(), fresh.next()) else { return None };
                if found.is_some_and(|f| f != i) {
                    return None;
                }
                found = Some(i);
                matched.extend(next[i].take());
            }
        }
        found.map(|i| (i, matched))
    }

    /// The position of the unbound unknown that the expression is.
    fn unknown(&self, e: &Expr, bound: &Binding) -> Option<usize> {
        let name = match &e.kind {
            ExprKind::Local(l) => Name::Local(LocalId(l.0)),
            ExprKind::Const(c) => Name::Const(*c),
            ExprKind::Var(v) => Name::Var(*v),
            _ => return None,
        };
        self.unknowns.iter().position(|n| *n == name).filter(|i| bound[*i].is_none())
    }

    fn closed_value(&self, env: &Env<'_>, e: &Expr) -> Option<Value> {
        if !self.eval.is_closed(env, e) {
            return None;
        }
        self.eval.eval(env, e).ok()
    }

    /// Whether [`Search::matches`] can bind an unknown through the expression.
    fn is_pattern(&self, env: &Env<'_>, e: &Expr, bound: &Binding) -> bool {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Maplet, a, b) => {
                (self.is_pattern(env, a, bound)
                    && (self.is_pattern(env, b, bound) || self.eval.is_closed(env, b)))
                    || (self.is_pattern(env, b, bound) && self.eval.is_closed(env, a))
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                (self.is_pattern(env, a, bound) && self.closed_value(env, b).is_some())
                    || (self.is_pattern(env, b, bound) && self.closed_value(env, a).is_some())
            }
            ExprKind::Unary(UnaryOp::Negate, a) => self.is_pattern(env, a, bound),
            _ => self.unknown(e, bound).is_some(),
        }
    }

    /// Binds the unknowns of a pattern so that it equals the value. What it cannot decide it accepts:
    /// the literal itself is evaluated once its unknowns are bound.
    fn matches(&self, env: &Env<'_>, pattern: &Expr, value: &Value, bound: &mut Binding) -> bool {
        if let Some(i) = self.unknown(pattern, bound) {
            bound[i] = Some(value.clone());
            return true;
        }
        match (&pattern.kind, value) {
            (ExprKind::Binary(BinaryOp::Maplet, a, b), Value::Pair(p)) => {
                self.matches(env, a, &p.0, bound) && self.matches(env, b, &p.1, bound)
            }
            (ExprKind::Unary(UnaryOp::Negate, a), Value::Int(n)) => {
                self.matches(env, a, &Value::Int(-n), bound)
            }
            (ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b), Value::Int(n)) => {
                match (self.closed_value(env, a), self.closed_value(env, b)) {
                    (_, Some(Value::Int(c))) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { n + &c };
                        self.matches(env, a, &Value::Int(rest), bound)
                    }
                    (Some(Value::Int(c)), _) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { &c - n };
                        self.matches(env, b, &Value::Int(rest), bound)
                    }
                    _ => true,
                }
            }
            _ => match self.closed_value(env, pattern) {
                Some(v) => self.eval.equal(&v, value, self.at).unwrap_or(true),
                None => true,
            },
        }
    }
}

fn raise(low: &mut Option<Int>, n: Int) {
    if low.as_ref().is_none_or(|l| *l < n) {
        *low = Some(n);
    }
}

fn lower(high: &mut Option<Int>, n: Int) {
    if high.as_ref().is_none_or(|h| *h > n) {
        *high = Some(n);
    }
}
