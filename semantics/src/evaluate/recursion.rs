//! Functions that a constant's equation defines recursively: `f = {0 |-> 1} \/ %x.(x > 0 | x * f(x - 1))`.
//!
//! If nothing else confines such a constant, its value is the equation: a query for the images of a point unfolds it
//! once. As in ProB, termination of the recursion is not proved; too deep a recursion is an error of kind
//! [`EvalErrorKind::TooLarge`](crate::error::EvalErrorKind).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use bsym_language::model::{BinaryOp, ConstId, Expr, ExprKind, Pred, PredKind, QuantOp};
use bsym_language::source::Span;
use bsym_language::stack;
use bsym_language::types::Type;

use crate::error::EvalError;
use crate::evaluator::free_names::names_of_expr;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::{Closure, ClosureKind, LazySet};

/// Images that a recursive definition was queried for, by its place in memory.
type Known = HashMap<(usize, usize, Value), Option<Vec<Value>>>;

thread_local! {
    static OUTERMOST: Cell<Option<usize>> = const { Cell::new(None) };
    // Kept until the outermost unfolding ends, so that a point is not asked for again and again, and
    // the definitions that the places belong to are alive.
    static KNOWN: RefCell<Known> = RefCell::new(HashMap::new());
}

impl Evaluator<'_> {
    /// Returns the value that an equation `c = body` gives to a constant by recursion, if it has that form: a relation
    /// that needs the constant only under a binder, and otherwise nothing that is open.
    pub(crate) fn recursive(&self, env: &Env<'_>, c: ConstId, body: &Expr) -> Option<Value> {
        let name = Name::Const(c);
        let free = names_of_expr(body);
        let guarded =
            matches!(&body.ty, Type::Pow(t) if matches!(**t, Type::Pair(..))) && is_guarded(body, c);
        if !guarded || !free.contains(&name) {
            return None;
        }
        let others: Vec<Name> = free.into_iter().filter(|n| *n != name).collect();
        let captured =
            others.into_iter().map(|n| Some((n, env.get(n)?.clone()))).collect::<Option<Vec<_>>>()?;
        let definition = Closure {
            kind: ClosureKind::Comprehension,
            locals: [].into(),
            pred: Arc::new(Pred { kind: PredKind::True, span: body.span }),
            body: Some(Arc::new(body.clone())),
            captured: captured.into(),
        };
        Some(LazySet::Recursive(name, definition).into())
    }

    /// Returns whether `c = body` holds because it defined the value of the constant.
    pub(crate) fn is_own_definition(&self, value: &Value, body: &Expr) -> bool {
        match value {
            Value::Lazy(lazy) => {
                matches!(&**lazy, LazySet::Recursive(_, d) if d.body.as_deref() == Some(body))
            }
            _ => false,
        }
    }

    /// Calls a function with the relation that a recursive definition stands for, unfolded once.
    pub(crate) fn unfolded<T>(
        &self,
        name: Name,
        definition: &Closure,
        at: Span,
        inside: impl FnOnce(&Value) -> Eval<T>,
    ) -> Eval<T> {
        let here = 0u8;
        let here = std::ptr::from_ref(&here) as usize;
        let outermost = OUTERMOST.get();
        let start = outermost.unwrap_or(here);
        let room = if stack::is_large() {
            Tuning::DEFAULT.evaluate.recursion_large
        } else {
            Tuning::DEFAULT.evaluate.recursion_small
        };
        if start.abs_diff(here) > room {
            let message = format!("the recursion of `{}` goes too deep", self.name(name));
            return Err(EvalError::too_large(at, message).for_want_of([name]));
        }
        OUTERMOST.set(Some(start));
        let itself = [(name, LazySet::Recursive(name, definition.clone()).into())];
        let result = self.within_closure(definition, &itself, |env| match &definition.body {
            Some(body) => inside(&self.symbolic(env, body)?),
            None => Err(self.confused(at)),
        });
        OUTERMOST.set(outermost);
        if outermost.is_none() {
            KNOWN.with_borrow_mut(HashMap::clear);
        }
        result
    }

    /// Returns the images of a point under a recursive definition.
    pub(crate) fn recursive_images(
        &self,
        name: Name,
        definition: &Closure,
        x: &Value,
        at: Span,
    ) -> Eval<Option<Vec<Value>>> {
        let code = definition.body.as_ref().map_or(0, |b| Arc::as_ptr(b) as usize);
        let key = (code, definition.captured.as_ptr() as usize, x.clone());
        if let Some(known) = KNOWN.with_borrow(|k| k.get(&key).cloned()) {
            return Ok(known);
        }
        let images = self.unfolded(name, definition, at, |r| self.images(r, x, at))?;
        if OUTERMOST.get().is_some() {
            KNOWN.with_borrow_mut(|k| k.insert(key, images.clone()));
        }
        Ok(images)
    }

    /// Returns the value of a relation without listing the sets that binders make.
    fn symbolic(&self, env: &Env<'_>, e: &Expr) -> Eval<Value> {
        match &e.kind {
            ExprKind::Quantified(QuantOp::Lambda, locals, p, v) => {
                Ok(self.closure(env, ClosureKind::Lambda, locals, p, Some(v)))
            }
            ExprKind::Comprehension(locals, p) => {
                Ok(self.closure(env, ClosureKind::Comprehension, locals, p, None))
            }
            ExprKind::Binary(op @ (BinaryOp::Union | BinaryOp::Override), a, b) => {
                Ok(LazySet::Binary(*op, self.symbolic(env, a)?, self.symbolic(env, b)?).into())
            }
            _ => self.eval(env, e),
        }
    }
}

/// Returns whether a constant occurs only inside the lambdas and comprehensions that a relation is a union of:
/// everything else is evaluated when it is unfolded.
fn is_guarded(e: &Expr, c: ConstId) -> bool {
    match &e.kind {
        ExprKind::Quantified(QuantOp::Lambda, ..) | ExprKind::Comprehension(..) => true,
        ExprKind::Binary(BinaryOp::Union | BinaryOp::Override, a, b) => is_guarded(a, c) && is_guarded(b, c),
        _ => !names_of_expr(e).contains(&Name::Const(c)),
    }
}

/// Returns whether a relation is made of binders only and contains the constant that it is to define.
pub(crate) fn is_recursive(c: ConstId, body: &Expr) -> bool {
    fn is_bound(e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Quantified(QuantOp::Lambda, ..) | ExprKind::Comprehension(..) => true,
            ExprKind::Binary(BinaryOp::Union | BinaryOp::Override, a, b) => is_bound(a) && is_bound(b),
            _ => false,
        }
    }
    is_bound(body) && names_of_expr(body).contains(&Name::Const(c))
}
