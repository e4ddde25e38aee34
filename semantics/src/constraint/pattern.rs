//! Unknowns inside expressions: patterns, whose operators are inverted to bind the unknowns so that the pattern equals
//! a value. If there are several ways (`x ^ y` is a sequence of n elements in n + 1 ways), all are visited.
//!
//! A sequence operator has no value where an operand is not a sequence. A caller that uses such a pattern
//! ([`has_sequence_operator`]) must know that it has a value wherever the search may go: otherwise ill-defined
//! instances would be missing.

use std::ops::ControlFlow;

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, PredKind, UnaryOp};

use crate::constraint::search::{Binding, Flow, GO, Search};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};

impl Search<'_, '_> {
    /// Returns the position of the unbound unknown that the expression denotes.
    pub(super) fn unknown(&self, e: &Expr, bound: &Binding) -> Option<usize> {
        self.named(e).filter(|i| bound[*i].is_none())
    }

    /// Returns the position of the unknown that the expression denotes.
    pub(super) fn named(&self, e: &Expr) -> Option<usize> {
        let name = match &e.kind {
            ExprKind::Local(l) => Name::Local(LocalId(l.0)),
            ExprKind::Const(c) => Name::Const(*c),
            ExprKind::Var(v) => Name::Var(*v),
            _ => return None,
        };
        self.unknowns.iter().position(|n| *n == name)
    }

    pub(super) fn closed_value(&self, env: &Env<'_>, e: &Expr) -> Option<Value> {
        if let Some(fixed) = self.fixed(e) {
            return Some(fixed);
        }
        if !self.eval.is_closed(env, e) {
            return None;
        }
        self.known(self.made(env, e))
    }

    /// Returns whether [`Search::each_way`] can bind an unknown through the expression.
    pub(super) fn is_pattern(&self, env: &Env<'_>, e: &Expr, bound: &Binding) -> bool {
        let some_of = |es: &[&Expr]| {
            let mut found = false;
            es.iter().all(|e| {
                let is_pattern = self.is_pattern(env, e, bound);
                found |= is_pattern;
                is_pattern || self.eval.is_closed(env, e)
            }) && found
        };
        match &e.kind {
            ExprKind::Binary(
                BinaryOp::Maplet | BinaryOp::Concat | BinaryOp::Prepend | BinaryOp::Append,
                a,
                b,
            ) => some_of(&[a, b]),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                (self.is_pattern(env, a, bound) && self.closed_value(env, b).is_some())
                    || (self.is_pattern(env, b, bound) && self.closed_value(env, a).is_some())
            }
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::Rev, a) => self.is_pattern(env, a, bound),
            ExprKind::Unary(UnaryOp::Front | UnaryOp::Tail, a) => {
                self.is_pattern(env, a, bound) && self.elements_of(env, a).is_some()
            }
            // A value may be the concatenation of any number of empty sequences, so their number must be known.
            ExprKind::Unary(UnaryOp::Conc, parts) => {
                matches!(parts.kind, ExprKind::SeqExtension(_)) && self.is_pattern(env, parts, bound)
            }
            ExprKind::SeqExtension(es) => some_of(&es.iter().collect::<Vec<_>>()),
            _ => self.unknown(e, bound).is_some(),
        }
    }

    /// Returns the possible elements of a sequence, by their type or by the first literal that tells of which set it is
    /// a sequence: one that comes before any where it must be a sequence.
    fn elements_of(&self, env: &Env<'_>, sequence: &Expr) -> Option<Value> {
        use UnaryOp::{Iseq, Iseq1, Seq, Seq1};
        let (_, ty) = sequence.ty.as_relation()?;
        let is_short = |set: &Value| {
            let n = self
                .eval
                .cardinality(set, self.at)
                .ok()
                .and_then(|n| n.within(Tuning::DEFAULT.search.listed));
            n.is_some()
        };
        let all = self.eval.type_values(ty);
        if is_short(&all) {
            return Some(all);
        }
        let index = self.named(sequence)?;
        let set = self.literals.iter().find_map(|literal| match &literal.pred.kind {
            PredKind::Compare(CompareOp::Member, x, set) if literal.positive => match &set.kind {
                ExprKind::Unary(Seq | Seq1 | Iseq | Iseq1, of) if self.named(x) == Some(index) => Some(of),
                _ => None,
            },
            _ => None,
        });
        self.closed_value(env, set?).filter(is_short)
    }

    /// Visits each way to bind the unknowns of a pattern so that it equals the value. Undecided ways are accepted: the
    /// literal itself is evaluated once its unknowns are bound.
    pub(super) fn each_way(
        &self,
        env: &Env<'_>,
        pattern: &Expr,
        value: &Value,
        mut bound: Binding,
        then: &mut dyn FnMut(Binding) -> Flow,
    ) -> Flow {
        if let Some(i) = self.named(pattern) {
            return match &bound[i] {
                None => {
                    bound[i] = Some(value.clone());
                    then(bound)
                }
                Some(known) if self.eval.equal(known, value, self.at) == Ok(false) => Ok(GO),
                Some(_) => then(bound),
            };
        }
        match (&pattern.kind, value) {
            (ExprKind::Binary(BinaryOp::Maplet, a, b), Value::Pair(p)) => {
                return self
                    .each_way(env, a, &p.0, bound, &mut |next| self.each_way(env, b, &p.1, next, then));
            }
            (ExprKind::Unary(UnaryOp::Negate, a), Value::Int(n)) => {
                return self.each_way(env, a, &Value::Int(-n), bound, then);
            }
            (ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b), Value::Int(n)) => {
                return match (self.closed_value(env, a), self.closed_value(env, b)) {
                    (_, Some(Value::Int(c))) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { n + &c };
                        self.each_way(env, a, &Value::Int(rest), bound, then)
                    }
                    (Some(Value::Int(c)), _) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { &c - n };
                        self.each_way(env, b, &Value::Int(rest), bound, then)
                    }
                    _ => then(bound),
                };
            }
            _ => {}
        }
        if let Some(known) = self.closed_value(env, pattern) {
            return if self.eval.equal(&known, value, self.at) == Ok(false) { Ok(GO) } else { then(bound) };
        }
        if !is_sequence_operator(pattern) {
            return then(bound);
        }
        if self.eval.try_list(value, self.at)?.is_none() {
            return Err(self.eval.not_listed(value, self.at));
        }
        match self.eval.elements(value, self.at)? {
            Some(elements) => self.each_sequence(env, pattern, &elements, bound, then),
            // These operators yield sequences.
            None => Ok(GO),
        }
    }

    /// Visits each way to bind the unknowns of an operator that yields a sequence so that it equals the elements.
    fn each_sequence(
        &self,
        env: &Env<'_>,
        pattern: &Expr,
        elements: &[Value],
        bound: Binding,
        then: &mut dyn FnMut(Binding) -> Flow,
    ) -> Flow {
        let sequence = |elements: &[Value]| Value::sequence(elements.iter().cloned());
        match &pattern.kind {
            ExprKind::SeqExtension(es) if es.len() != elements.len() => Ok(GO),
            ExprKind::SeqExtension(es) => {
                let parts: Vec<_> = es.iter().zip(elements).collect();
                self.each_of(env, &parts, bound, then)
            }
            ExprKind::Unary(UnaryOp::Rev, a) => {
                let back = Value::sequence(elements.iter().rev().cloned());
                self.each_way(env, a, &back, bound, then)
            }
            ExprKind::Binary(BinaryOp::Prepend, a, b) => match elements.split_first() {
                Some((first, rest)) => self.each_of(env, &[(a, first), (b, &sequence(rest))], bound, then),
                None => Ok(GO),
            },
            ExprKind::Binary(BinaryOp::Append, a, b) => match elements.split_last() {
                Some((last, rest)) => self.each_of(env, &[(a, &sequence(rest)), (b, last)], bound, then),
                None => Ok(GO),
            },
            ExprKind::Binary(BinaryOp::Concat, a, b) => self.each_split(env, &[a, b], elements, bound, then),
            ExprKind::Unary(UnaryOp::Conc, parts) => match &parts.kind {
                ExprKind::SeqExtension(parts) => {
                    let parts: Vec<_> = parts.iter().collect();
                    self.each_split(env, &parts, elements, bound, then)
                }
                _ => then(bound),
            },
            ExprKind::Unary(op @ (UnaryOp::Front | UnaryOp::Tail), a) => {
                let Some(all) = self.elements_of(env, a) else { return then(bound) };
                self.eval.each(&all, self.at, &mut |more| {
                    let whole = match op {
                        UnaryOp::Front => Value::sequence(elements.iter().cloned().chain([more])),
                        _ => Value::sequence([more].into_iter().chain(elements.iter().cloned())),
                    };
                    self.each_way(env, a, &whole, bound.clone(), then)
                })
            }
            _ => then(bound),
        }
    }

    /// Visits each way in which several patterns equal their values.
    fn each_of(
        &self,
        env: &Env<'_>,
        parts: &[(&Expr, &Value)],
        bound: Binding,
        then: &mut dyn FnMut(Binding) -> Flow,
    ) -> Flow {
        match parts {
            [] => then(bound),
            [(pattern, value), rest @ ..] => {
                self.each_way(env, pattern, value, bound, &mut |next| self.each_of(env, rest, next, then))
            }
        }
    }

    /// Visits each way in which several patterns, one behind the other, form a sequence.
    fn each_split(
        &self,
        env: &Env<'_>,
        parts: &[&Expr],
        elements: &[Value],
        bound: Binding,
        then: &mut dyn FnMut(Binding) -> Flow,
    ) -> Flow {
        let Some((first, rest)) = parts.split_first() else {
            return if elements.is_empty() { then(bound) } else { Ok(GO) };
        };
        let own = match self.named(first).and_then(|i| bound[i].clone()) {
            Some(known) => Some(known),
            None => self.closed_value(env, first),
        };
        let length = match own {
            Some(known) => match self.eval.elements(&known, self.at)? {
                Some(known) => Some(known.len()),
                None => return Ok(GO),
            },
            None if rest.is_empty() => Some(elements.len()),
            None => None,
        };
        for n in length.map_or(0..=elements.len(), |n| n..=n) {
            let Some((front, behind)) = elements.split_at_checked(n) else { return Ok(GO) };
            self.count()?;
            let front = Value::sequence(front.iter().cloned());
            let flow = self.each_way(env, first, &front, bound.clone(), &mut |next| {
                self.each_split(env, rest, behind, next, then)
            })?;
            if flow.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(GO)
    }
}

/// Returns whether the expression is a sequence by its operator.
fn is_sequence_operator(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::SeqExtension(_) => true,
        ExprKind::Binary(BinaryOp::Concat | BinaryOp::Prepend | BinaryOp::Append, ..) => true,
        ExprKind::Unary(op, _) => {
            matches!(op, UnaryOp::Rev | UnaryOp::Front | UnaryOp::Tail | UnaryOp::Conc)
        }
        _ => false,
    }
}

/// Returns whether a pattern has operators that require sequences.
pub(super) fn has_sequence_operator(pattern: &Expr) -> bool {
    match &pattern.kind {
        ExprKind::SeqExtension(es) => es.iter().any(has_sequence_operator),
        ExprKind::Binary(BinaryOp::Maplet | BinaryOp::Add | BinaryOp::Subtract, a, b) => {
            has_sequence_operator(a) || has_sequence_operator(b)
        }
        ExprKind::Unary(UnaryOp::Negate, a) => has_sequence_operator(a),
        _ => is_sequence_operator(pattern),
    }
}
