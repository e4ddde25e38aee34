//! Functions and predicates of ProB's libraries, on values.
//!
//! Functions that depend on files, on the time, on chance or on ProB itself have no value here: they are an error of
//! kind [`EvalErrorKind::Unsupported`](crate::error::EvalErrorKind), and no value is invented. Printing has no effect;
//! its arguments are evaluated.

mod numbers;
mod reals;
mod regex;
mod strings;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bsym_language::external::Support;
use bsym_language::int::Int;
use bsym_language::model::{Expr, ExprKind, ExternalFunction as F, Notation};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::Env;
use crate::value::lazy_set::LazySet;

impl Evaluator<'_> {
    /// Returns the value of an external function; `ty` is the type of the call.
    pub(crate) fn external(&self, f: F, args: &[Value], ty: &Type, at: Span) -> Eval<Value> {
        self.supported(f, at)?;
        match (f, args) {
            (F::Choose, [set]) => self.choose(set, at),
            (F::Mu | F::MuWd, [set]) => {
                let listed = self.list(set, at)?;
                match (listed.first(), listed.len()) {
                    (Some(only), 1) => Ok(only.clone()),
                    (_, n) => {
                        Err(EvalError::ill_defined(at, format!("{} of a set of {n} elements", f.name())))
                    }
                }
            }
            (F::Sort, [set]) => Ok(Value::sequence(self.list(set, at)?.iter().cloned())),
            (F::Squash, [function]) => self.squash(function, at),
            (F::Sccs, [relation]) => self.components(relation, at),
            (_, [.., v]) if f.is_identity() => Ok(v.clone()),
            (F::Maximize, [set]) => self.maximize(set, at),
            _ => {
                if let Some(value) = self.string_function(f, args, ty, at)? {
                    return Ok(value);
                }
                if let Some(value) = self.number_function(f, args, at)? {
                    return Ok(value);
                }
                if let Some(value) = self.real_function(f, args, at)? {
                    return Ok(value);
                }
                if let Some(value) = self.regex_function(f, args, at)? {
                    return Ok(value);
                }
                Err(self.confused(at))
            }
        }
    }

    /// Returns the truth of an external predicate.
    pub(crate) fn external_pred(&self, f: F, args: &[Value], at: Span) -> Eval<bool> {
        self.supported(f, at)?;
        match (f, args) {
            // Any total order serves to break symmetries.
            (F::LeqSym | F::LeqSymBreak, [a, b]) => self.comparable(a, b, at).map(|()| a <= b),
            (F::Less, [a, b]) => self.comparable(a, b, at).map(|()| a < b),
            (F::Kodkod, [.., holds]) => match holds {
                Value::Bool(b) => Ok(*b),
                _ => Err(self.confused(at)),
            },
            _ if f.is_always_true() => Ok(true),
            _ => {
                let value = match self.string_function(f, args, &Type::Bool, at)? {
                    Some(value) => Some(value),
                    None => self.regex_function(f, args, at)?,
                };
                match value {
                    Some(Value::Bool(b)) => Ok(b),
                    _ => Err(self.confused(at)),
                }
            }
        }
    }

    fn supported(&self, f: F, at: Span) -> Eval<()> {
        let why = match f.support() {
            Support::Total | Support::Partial => return Ok(()),
            Support::Outside => "depends on files, time or chance, which a model has not",
            Support::Meta => "asks for ProB itself and has no value here",
        };
        Err(EvalError::unsupported(at, format!("`{}` {why}", f.name())))
    }

    /// Checks an assertion: ill-defined if it is false. A condition of a theory is reported with its own message, at
    /// its own place.
    pub(crate) fn asserted(&self, env: &Env<'_>, f: F, holds: &Expr, message: &Expr, at: Span) -> Eval<()> {
        if self.expr(env, holds)? == Value::Bool(true) {
            return Ok(());
        }
        if let (Notation::EventB, ExprKind::BoolOf(p), ExprKind::String(text)) =
            (self.model.text.notation, &holds.kind, &message.kind)
        {
            return Err(EvalError::ill_defined(p.span, text.clone()));
        }
        let message = self.expr(env, message)?;
        Err(EvalError::ill_defined(at, format!("{} fails: {}", f.name(), self.short(&message))))
    }

    fn comparable(&self, a: &Value, b: &Value, at: Span) -> Eval<()> {
        if a.has_lazy() || b.has_lazy() {
            return Err(EvalError::too_large(at, "sets that are not listed have no order"));
        }
        Ok(())
    }

    /// Returns the least element: equal sets give equal elements, however they are written.
    fn choose(&self, set: &Value, at: Span) -> Eval<Value> {
        if let Some(listed) = self.try_list(set, at)? {
            let none = || EvalError::ill_defined(at, "CHOOSE of the empty set");
            return listed.first().cloned().ok_or_else(none);
        }
        match set {
            Value::Lazy(lazy) => match &**lazy {
                LazySet::Interval(low, _) | LazySet::From(low) => Ok(Value::Int(low.clone())),
                LazySet::Integers => Ok(Value::int(0)),
                LazySet::Strings => Ok(Value::string("")),
                LazySet::Power(_) => Ok(Value::empty()),
                _ => Err(self.not_listed(set, at)),
            },
            _ => Err(self.confused(at)),
        }
    }

    /// Returns a function from integers as a sequence with the gaps closed.
    fn squash(&self, function: &Value, at: Span) -> Eval<Value> {
        let mut values: BTreeMap<Int, Value> = BTreeMap::new();
        for p in self.list(function, at)?.iter() {
            let (i, v) = self.pair(p, at)?;
            if values.insert(self.int(i, at)?.clone(), v.clone()).is_some() {
                let message = format!("SQUASH of {}, which is no function", self.short(function));
                return Err(EvalError::ill_defined(at, message));
            }
        }
        Ok(Value::sequence(values.into_values()))
    }

    /// Returns the strongly connected components of a relation, by Kosaraju's two searches.
    fn components(&self, relation: &Value, at: Span) -> Eval<Value> {
        let pairs = self.list(relation, at)?;
        let mut next: BTreeMap<&Value, Vec<&Value>> = BTreeMap::new();
        let mut before: BTreeMap<&Value, Vec<&Value>> = BTreeMap::new();
        let mut points: BTreeSet<&Value> = BTreeSet::new();
        for p in pairs.iter() {
            let (a, b) = self.pair(p, at)?;
            next.entry(a).or_default().push(b);
            before.entry(b).or_default().push(a);
            points.extend([a, b]);
        }
        let mut done: BTreeSet<&Value> = BTreeSet::new();
        let mut finished: Vec<&Value> = vec![];
        for start in &points {
            if !done.insert(start) {
                continue;
            }
            let mut path = vec![(*start, 0)];
            while let Some((v, i)) = path.last_mut() {
                match next.get(v).and_then(|successors| successors.get(*i)) {
                    Some(w) => {
                        *i += 1;
                        if done.insert(w) {
                            path.push((w, 0));
                        }
                    }
                    None => {
                        finished.push(v);
                        path.pop();
                    }
                }
            }
        }
        let mut placed: BTreeSet<&Value> = BTreeSet::new();
        let mut components = vec![];
        for start in finished.into_iter().rev() {
            if !placed.insert(start) {
                continue;
            }
            let (mut members, mut open) = (vec![], vec![start]);
            while let Some(v) = open.pop() {
                members.push(v.clone());
                open.extend(before.get(v).into_iter().flatten().filter(|w| placed.insert(w)));
            }
            components.push(Value::set(members));
        }
        Ok(Value::set(components))
    }

    /// Returns the element with the greatest first component; the first one if there are several.
    fn maximize(&self, set: &Value, at: Span) -> Eval<Value> {
        let mut best: Option<(Int, Value)> = None;
        let _every = self.each(set, at, &mut |v| {
            let mut first = &v;
            while let Some((left, _)) = first.as_pair() {
                first = left;
            }
            let n = self.int(first, at)?.clone();
            if best.as_ref().is_none_or(|(m, _)| *m < n) {
                best = Some((n, v));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        best.map(|(_, v)| v).ok_or_else(|| EvalError::ill_defined(at, "MAXIMIZE of the empty set"))
    }
}
