//! Values of expressions.
//!
//! Well-definedness follows the B-Book and ProB: an operator applied outside its domain is an error of
//! kind [`IllDefined`](crate::error::EvalErrorKind::IllDefined).

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{
    BinaryOp, BuiltinSet, Expr, ExprKind, ExternalFunction, LocalId, OperatorDefinition, OperatorId, QuantOp,
};
use bsym_language::source::Span;
use bsym_language::types::CarrierId;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::{ClosureKind, LazySet};
use crate::value::partial::Shape;
use crate::value::real;

impl Evaluator<'_> {
    /// Returns the value of an expression, listed if it can be listed within the limits.
    ///
    /// # Errors
    /// The expression is ill-defined, or a set is too large where its elements are needed.
    pub fn expr(&self, env: &Env<'_>, expr: &Expr) -> Eval<Value> {
        let value = self.eval(env, expr)?;
        self.normal(value, expr.span)
    }

    /// Returns the elements of a carrier, listed if its size is settled.
    pub fn carrier(&self, carrier: CarrierId) -> Value {
        match self.scope.positions(self.model, carrier) {
            Some(all) => Value::set(all.map(|i| Value::Element(carrier, i))),
            None => LazySet::Carrier(carrier).into(),
        }
    }

    fn read(&self, env: &Env<'_>, name: Name, at: Span) -> Eval<Value> {
        match env.get(name) {
            Some(Value::Lazy(lazy)) => match &**lazy {
                LazySet::Partial(partial) if *partial.shape == Shape::Single => {
                    Err(EvalError::undecided(at, partial.first_open()))
                }
                _ => Ok(Value::Lazy(lazy.clone())),
            },
            Some(value) => Ok(value.clone()),
            None => {
                let message = format!("`{}` is read before it has a value", self.name(name));
                Err(EvalError::ill_defined(at, message))
            }
        }
    }

    /// Returns the value of an expression; sets may be lazy although they could be listed.
    pub(crate) fn eval(&self, env: &Env<'_>, expr: &Expr) -> Eval<Value> {
        let value = self.operation(env, expr)?;
        self.pay_elements(value.as_set().map_or(0, BTreeSet::len), expr.span)?;
        Ok(value)
    }

    fn operation(&self, env: &Env<'_>, expr: &Expr) -> Eval<Value> {
        let at = expr.span;
        Ok(match &expr.kind {
            ExprKind::Var(v) => self.read(env, Name::Var(*v), at)?,
            ExprKind::Old(v) => self.read(env, Name::Old(*v), at)?,
            ExprKind::Const(c) => self.read(env, Name::Const(*c), at)?,
            ExprKind::Local(l) => self.read(env, Name::Local(*l), at)?,
            ExprKind::Element(c, i) => Value::Element(*c, *i),
            ExprKind::Carrier(c) => self.carrier(*c),
            ExprKind::Integer(n) => Value::Int(n.clone()),
            ExprKind::Real(text) => real::parse(text).map(|r| Value::Real(Arc::new(r))).ok_or_else(|| {
                EvalError::unsupported(at, format!("`{text}` is no real number that can be read"))
            })?,
            ExprKind::String(s) => Value::string(s.as_str()),
            ExprKind::Bool(b) => Value::Bool(*b),
            ExprKind::MaxInt => Value::Int(self.scope.maxint.clone()),
            ExprKind::MinInt => Value::Int(self.scope.minint.clone()),
            ExprKind::Set(set) => self.builtin(*set),
            ExprKind::EmptySet => Value::empty(),
            ExprKind::SetExtension(es) => {
                let elements = es.iter().map(|e| self.expr(env, e)).collect::<Eval<Vec<_>>>()?;
                self.make_set(elements, at)?
            }
            ExprKind::SeqExtension(es) => {
                Value::sequence(es.iter().map(|e| self.expr(env, e)).collect::<Eval<Vec<_>>>()?)
            }
            ExprKind::Unary(op, e) => {
                let operand = self.eval(env, e)?;
                self.unary(*op, operand, &expr.ty, at)?
            }
            ExprKind::Binary(BinaryOp::Maplet, a, b) => Value::pair(self.expr(env, a)?, self.expr(env, b)?),
            ExprKind::Binary(op, a, b) => {
                let left = self.eval(env, a)?;
                let right = self.eval(env, b)?;
                self.binary(*op, left, right, at)?
            }
            ExprKind::Apply(f, x) => {
                let f = match &f.kind {
                    // A lambda at the place of its use is not listed first.
                    ExprKind::Quantified(QuantOp::Lambda, ls, p, e) => {
                        self.closure(env, ClosureKind::Lambda, ls, p, Some(e))
                    }
                    _ => self.eval(env, f)?,
                };
                let x = self.expr(env, x)?;
                self.apply(&f, &x, at)?
            }
            ExprKind::BoolOf(p) => Value::Bool(self.pred(env, p)?),
            ExprKind::Comprehension(ls, p) => {
                self.binder(env, ClosureKind::Comprehension, ls, p, None, at)?
            }
            ExprKind::Quantified(op, ls, p, e) => self.quantified(env, *op, ls, p, e, at)?,
            ExprKind::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(label, e)| Ok((Arc::from(label.as_str()), self.expr(env, e)?)))
                    .collect::<Eval<Vec<_>>>()?;
                Value::Record(fields.into())
            }
            ExprKind::Struct(fields) => LazySet::Struct(
                fields
                    .iter()
                    .map(|(label, e)| Ok((Arc::from(label.as_str()), self.expr(env, e)?)))
                    .collect::<Eval<Vec<_>>>()?,
            )
            .into(),
            ExprKind::Field(e, label) => match self.eval(env, e)? {
                Value::Record(fields) => fields
                    .iter()
                    .find(|(l, _)| **l == **label)
                    .map(|(_, v)| v.clone())
                    .ok_or_else(|| self.confused(at))?,
                _ => return Err(self.confused(at)),
            },
            ExprKind::WithField(e, label, new) => match self.eval(env, e)? {
                Value::Record(fields) => {
                    let new = self.expr(env, new)?;
                    let fields = fields
                        .iter()
                        .map(|(l, v)| (l.clone(), if **l == **label { new.clone() } else { v.clone() }))
                        .collect::<Vec<_>>();
                    Value::Record(fields.into())
                }
                _ => return Err(self.confused(at)),
            },
            ExprKind::If(p, a, b) => self.eval(env, if self.pred(env, p)? { a } else { b })?,
            ExprKind::Let(defs, e) => {
                let bound = self.definitions(env, defs)?;
                let frame = env.frame(&bound);
                self.eval(&env.within(&frame), e)?
            }
            ExprKind::Iterate(r, n) => {
                let r = self.eval(env, r)?;
                let n = self.eval(env, n)?;
                self.iterate(&r, self.int(&n, at)?, &expr.ty, at)?
            }
            ExprKind::Prj1(s, t) => {
                let (s, t) = (self.expr(env, s)?, self.expr(env, t)?);
                LazySet::Prj1(s, t).into()
            }
            ExprKind::Prj2(s, t) => {
                let (s, t) = (self.expr(env, s)?, self.expr(env, t)?);
                LazySet::Prj2(s, t).into()
            }
            ExprKind::Succ => LazySet::Succ.into(),
            ExprKind::Pred => LazySet::Pred.into(),
            ExprKind::FreeSet(id, sets) => {
                let sets = sets.iter().map(|e| self.expr(env, e)).collect::<Eval<Vec<_>>>()?;
                LazySet::Free(*id, sets).into()
            }
            ExprKind::Constructor(id, i) => self.constructor(*id, *i, &expr.ty, at)?,
            ExprKind::TypeParameter(i) => {
                let unbound = || EvalError::unsupported(at, "a type parameter under a binder has no value");
                env.type_parameter(*i).cloned().ok_or_else(unbound)?
            }
            ExprKind::Tree(op, args) => {
                let args = args.iter().map(|e| self.expr(env, e)).collect::<Eval<Vec<_>>>()?;
                self.tree(*op, &args, at)?
            }
            // The value is evaluated only where its condition holds.
            ExprKind::External(ExternalFunction::AssertExpr, args) if args.len() == 3 => {
                self.asserted(env, ExternalFunction::AssertExpr, &args[0], &args[1], at)?;
                self.expr(env, &args[2])?
            }
            ExprKind::External(f, args) => {
                let args = args.iter().map(|e| self.expr(env, e)).collect::<Eval<Vec<_>>>()?;
                self.external(*f, &args, &expr.ty, at)?
            }
            ExprKind::Call(id, args) => {
                let bound = self.arguments(env, *id, args)?;
                let inner = self.operator_env(env, *id, at)?;
                let frame = inner.frame(&bound);
                match &self.model.definitions.operators[id.index()].definition {
                    OperatorDefinition::Expr(e) => self.expr(&inner.within(&frame), e)?,
                    _ => return Err(self.without_definition(*id, at)),
                }
            }
            ExprKind::Abstract(_) => {
                return Err(EvalError::unsupported(at, "this has no value yet"));
            }
        })
    }

    fn builtin(&self, set: BuiltinSet) -> Value {
        match set {
            BuiltinSet::Integer => LazySet::Integers.into(),
            BuiltinSet::Natural => LazySet::From(Int::ZERO).into(),
            BuiltinSet::Natural1 => LazySet::From(Int::ONE).into(),
            BuiltinSet::Int => self.interval(self.scope.minint.clone(), self.scope.maxint.clone()),
            BuiltinSet::Nat => self.interval(Int::ZERO, self.scope.maxint.clone()),
            BuiltinSet::Nat1 => self.interval(Int::ONE, self.scope.maxint.clone()),
            BuiltinSet::Bool => Value::set([Value::Bool(false), Value::Bool(true)]),
            BuiltinSet::String => LazySet::Strings.into(),
            BuiltinSet::Real | BuiltinSet::Float => LazySet::Reals.into(),
        }
    }

    pub(crate) fn interval(&self, low: Int, high: Int) -> Value {
        if low > high { Value::empty() } else { LazySet::Interval(low, high).into() }
    }

    /// Binds definitions in order; later ones see earlier ones.
    pub(crate) fn definitions(&self, env: &Env<'_>, defs: &[(LocalId, Expr)]) -> Eval<Vec<(Name, Value)>> {
        let mut bound = Vec::with_capacity(defs.len());
        for (l, e) in defs {
            let frame = env.frame(&bound);
            let value = self.expr(&env.within(&frame), e)?;
            bound.push((Name::Local(*l), value));
        }
        Ok(bound)
    }

    pub(crate) fn arguments(&self, env: &Env<'_>, id: OperatorId, args: &[Expr]) -> Eval<Vec<(Name, Value)>> {
        let parameters = self.model.definitions.operators[id.index()].parameters.iter();
        parameters.zip(args).map(|(l, e)| Ok((Name::Local(*l), self.expr(env, e)?))).collect()
    }

    pub(crate) fn operator_env(&self, env: &Env<'_>, id: OperatorId, at: Span) -> Eval<Env<'static>> {
        let name = &self.model.definitions.operators[id.index()].name;
        let too_deep = || EvalError::too_large(at, format!("the operator `{name}` calls itself too often"));
        env.of_operator().ok_or_else(too_deep)
    }

    pub(crate) fn without_definition(&self, id: OperatorId, at: Span) -> EvalError {
        let name = &self.model.definitions.operators[id.index()].name;
        EvalError::unsupported(
            at,
            format!("the operator `{name}` has axioms alone, so its value cannot be computed"),
        )
    }
}
