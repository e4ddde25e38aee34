//! The reference evaluator: values of expressions, truth of predicates.
//!
//! Well-definedness follows the B-Book and ProB: an operator applied outside its domain is an error of
//! kind [`EvalErrorKind::IllDefined`], and `&`, `or`, `=>` look at the second operand only where the
//! first does not decide. A quantifier is ill-defined where any of its instances is.

pub mod cuts;
pub mod finder;
pub mod interrupt;
pub mod stand_in;
pub mod work;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bsym_language::int::Int;
use bsym_language::model::{
    BinaryOp, BuiltinSet, CompareOp, ConstId, Expr, ExprKind, ExternalFunction, LocalId, Model,
    OperatorDefinition, OperatorId, Pred, PredKind, QuantOp,
};
use bsym_language::source::Span;
use bsym_language::types::CarrierId;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::cuts::Cuts;
use crate::evaluator::stand_in::StandIns;
use crate::evaluator::work::Work;
use crate::scope::Scope;
use crate::value::Value;
use crate::value::env::{Env, Name, has_binder, names_of_expr, names_of_pred};
use crate::value::lazy_set::{Closure, ClosureKind, LazySet};
use crate::value::partial::Shape;
use crate::value::real;
use crate::value::text::value_text;

/// The result of an evaluation.
pub type Eval<T> = Result<T, EvalError>;

/// Called with the environment inside a binder and the values bound.
type Found<'f> = &'f mut dyn FnMut(&Env<'_>, &[(Name, Value)]) -> Eval<ControlFlow<()>>;

/// What an evaluation may spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Elements of one set that is listed, candidates of one quantifier.
    pub listing: usize,
    /// Rounds of one loop.
    pub rounds: usize,
    /// Transitions from one state, valuations of the constants, initial states.
    pub branching: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // A loop ends because its variant does; the bound on its rounds is one on patience.
        Limits { listing: 1 << 20, rounds: 1 << 24, branching: 1 << 20 }
    }
}

/// Evaluates expressions and predicates of one model under one scope.
///
/// It recurses along the trees that it is given, which may be 1,500 levels high: where formulas come
/// from a file, call it inside [`bsym_language::stack::with_large_stack`].
#[derive(Clone, Copy)]
pub struct Evaluator<'m> {
    /// The model whose ids the expressions use.
    pub model: &'m Model,
    /// Sizes of deferred sets, bounds of `INT`.
    pub scope: &'m Scope,
    /// What an evaluation may spend.
    pub limits: Limits,
    /// Finds values where enumeration gives up.
    pub finder: Option<&'m dyn crate::evaluator::finder::ValueFinder>,
    /// Choices among infinitely many values are made among a finite part of them, and noted here.
    pub(crate) cuts: Option<&'m Cuts>,
    /// Candidates that one search looks at; at most the elements of a set that is listed.
    pub(crate) candidates: usize,
    /// Set from outside, it ends an evaluation with [`EvalErrorKind::Interrupted`].
    pub interrupt: Option<&'m AtomicBool>,
    /// Of the bijections that name the elements of a deferred set only one is looked at: for valuations up to names.
    pub(crate) fixed_bijections: bool,
    /// Values for what is ill-defined.
    pub(crate) stand_ins: Option<StandIns>,
    /// Bounds the work.
    pub(crate) work: Option<&'m Work>,
}

impl<'m> Evaluator<'m> {
    /// An evaluator with the default limits.
    pub fn new(model: &'m Model, scope: &'m Scope) -> Self {
        let limits = Limits::default();
        Evaluator {
            model,
            scope,
            limits,
            finder: None,
            cuts: None,
            candidates: limits.listing,
            interrupt: None,
            fixed_bijections: false,
            stand_ins: None,
            work: None,
        }
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Evaluator { limits, candidates: limits.listing, ..self }
    }

    /// The same with a finder for values that enumeration cannot reach.
    pub fn with_finder(self, finder: &'m dyn crate::evaluator::finder::ValueFinder) -> Self {
        Evaluator { finder: Some(finder), ..self }
    }

    /// The same, stopped where the flag is set.
    pub fn with_interrupt(self, interrupt: &'m AtomicBool) -> Self {
        Evaluator { interrupt: Some(interrupt), ..self }
    }

    /// The same, where an ill-defined expression has a value that is chosen for it: whoever tries several
    /// choices sees whether the answer depends on what is ill-defined.
    pub fn with_stand_ins(self, stand_ins: StandIns) -> Self {
        Evaluator { stand_ins: Some(stand_ins), ..self }
    }

    /// Whether the evaluation may go on.
    pub(crate) fn proceed(&self, at: Span) -> Eval<()> {
        match self.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(EvalError::interrupted(at)),
            _ => self.pay(at),
        }
    }

    /// The value of an expression: listed where it can be listed within the limits.
    ///
    /// # Errors
    /// The expression is ill-defined, or a set is too large where its elements are needed.
    pub fn expr(&self, env: &Env<'_>, expr: &Expr) -> Eval<Value> {
        let value = self.eval(env, expr)?;
        self.normal(value, expr.span)
    }

    /// A value as B text.
    pub fn text(&self, value: &Value) -> String {
        value_text(self.model, self.scope, value)
    }

    /// A value as B text, cut where it is long.
    pub(crate) fn short(&self, value: &Value) -> String {
        let text = self.text(value);
        match text.char_indices().nth(120) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    }

    /// The elements of a carrier, if its size is settled.
    pub fn carrier(&self, carrier: CarrierId) -> Value {
        match self.scope.size(self.model, carrier) {
            Some(n) => Value::set((0..n as u32).map(|i| Value::Element(carrier, i))),
            None => LazySet::Carrier(carrier).into(),
        }
    }

    /// The name of a constant, variable or local as declared.
    pub(crate) fn name(&self, name: Name) -> &'m str {
        match name {
            Name::Local(l) => self.model.locals.get(l.index()).map_or("?", |v| &v.name),
            Name::Const(c) => self.model.constants.get(c.index()).map_or("?", |v| &v.name),
            Name::Var(v) | Name::Old(v) => self.model.variables.get(v.index()).map_or("?", |v| &v.name),
        }
    }

    fn read(&self, env: &Env<'_>, name: Name, at: Span) -> Eval<Value> {
        match env.get(name) {
            Some(Value::Lazy(lazy)) => match &**lazy {
                LazySet::Growing(growing) if *growing.shape == Shape::Single => {
                    Err(self.still_growing(growing, at))
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

    /// The value of an expression, sets possibly lazy although they could be listed.
    pub(crate) fn eval(&self, env: &Env<'_>, expr: &Expr) -> Eval<Value> {
        let Some(stand_ins) = self.stand_ins else {
            let value = self.eval_strictly(env, expr)?;
            self.pay_elements(value.as_set().map_or(0, BTreeSet::len), expr.span)?;
            return Ok(value);
        };
        match self.eval_strictly(env, expr) {
            Err(e) if e.kind == EvalErrorKind::IllDefined => self.stand_in(env, expr, stand_ins, e),
            result => result,
        }
    }

    fn eval_strictly(&self, env: &Env<'_>, expr: &Expr) -> Eval<Value> {
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
            // The value is looked at only where it is asserted that there is one.
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
                match &self.model.operators[id.index()].definition {
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

    fn arguments(&self, env: &Env<'_>, id: OperatorId, args: &[Expr]) -> Eval<Vec<(Name, Value)>> {
        let parameters = self.model.operators[id.index()].parameters.iter();
        parameters.zip(args).map(|(l, e)| Ok((Name::Local(*l), self.expr(env, e)?))).collect()
    }

    fn operator_env(&self, env: &Env<'_>, id: OperatorId, at: Span) -> Eval<Env<'static>> {
        let name = &self.model.operators[id.index()].name;
        let too_deep = || EvalError::too_large(at, format!("the operator `{name}` calls itself too often"));
        env.of_operator().ok_or_else(too_deep)
    }

    fn without_definition(&self, id: OperatorId, at: Span) -> EvalError {
        let name = &self.model.operators[id.index()].name;
        EvalError::unsupported(
            at,
            format!("the operator `{name}` has axioms alone, so its value cannot be computed"),
        )
    }

    pub(crate) fn closure(
        &self,
        env: &Env<'_>,
        kind: ClosureKind,
        locals: &[LocalId],
        pred: &Pred,
        body: Option<&Expr>,
    ) -> Value {
        let mut free = names_of_pred(pred);
        if let Some(body) = body {
            free.extend(names_of_expr(body));
        }
        let captured: Vec<_> = free
            .into_iter()
            .filter(|n| !matches!(n, Name::Local(l) if locals.contains(l)))
            .filter_map(|n| Some((n, env.get(n)?.clone())))
            .collect();
        LazySet::Closure(Closure {
            kind,
            locals: locals.into(),
            pred: Arc::new(pred.clone()),
            body: body.map(|b| Arc::new(b.clone())),
            captured: captured.into(),
        })
        .into()
    }

    /// A comprehension or lambda: listed if that is possible, else a closure.
    fn binder(
        &self,
        env: &Env<'_>,
        kind: ClosureKind,
        locals: &[LocalId],
        pred: &Pred,
        body: Option<&Expr>,
        at: Span,
    ) -> Eval<Value> {
        // What is far too large is not tried. Sets with names of their own would be evaluated twice.
        let simple = kind != ClosureKind::Image && !has_binder(pred);
        let size = if simple { self.plain_size(env, locals, pred, at) } else { None };
        let large = |size: Cardinality| match size {
            Cardinality::Exact(n) => n > Int::from(self.limits.listing as i64),
            size => matches!(size, Cardinality::Infinite | Cardinality::Huge),
        };
        if size.is_some_and(large) {
            return Ok(self.closure(env, kind, locals, pred, body));
        }
        match self.list_binder(env, kind, locals, pred, body, at) {
            Err(e) if e.kind == EvalErrorKind::TooLarge => Ok(self.closure(env, kind, locals, pred, body)),
            listed => listed,
        }
    }

    pub(crate) fn list_binder(
        &self,
        env: &Env<'_>,
        kind: ClosureKind,
        locals: &[LocalId],
        pred: &Pred,
        body: Option<&Expr>,
        at: Span,
    ) -> Eval<Value> {
        let mut elements = Vec::new();
        let _every = self.each_binding(env, locals, pred, at, &mut |inner, bound| {
            let tuple = || Value::tuple(bound.iter().map(|(_, v)| v.clone()));
            let element = match (kind, body) {
                (ClosureKind::Image, Some(e)) => self.expr(inner, e)?,
                (ClosureKind::Lambda, Some(e)) => {
                    let value = self.expr(inner, e)?;
                    Value::pair(tuple().ok_or_else(|| self.confused(at))?, value)
                }
                _ => tuple().ok_or_else(|| self.confused(at))?,
            };
            elements.push(element);
            Ok(ControlFlow::Continue(()))
        })?;
        self.make_set(elements, at)
    }

    /// Calls `found` for every binding of the locals that satisfies the predicate, each once.
    pub(crate) fn each_binding(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        pred: &Pred,
        at: Span,
        found: Found<'_>,
    ) -> Eval<ControlFlow<()>> {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        self.solve(env, &names, &[(true, pred)], at, &mut |bound, truth| {
            truth?;
            let frame = env.frame(bound);
            found(&env.within(&frame), bound)
        })
    }

    fn quantified(
        &self,
        env: &Env<'_>,
        op: QuantOp,
        locals: &[LocalId],
        pred: &Pred,
        body: &Expr,
        at: Span,
    ) -> Eval<Value> {
        match op {
            QuantOp::Lambda => return self.binder(env, ClosureKind::Lambda, locals, pred, Some(body), at),
            QuantOp::Image => return self.binder(env, ClosureKind::Image, locals, pred, Some(body), at),
            _ => {}
        }
        let mut values = Vec::new();
        let _every = self.each_binding(env, locals, pred, at, &mut |inner, _| {
            values.push(self.eval(inner, body)?);
            Ok(ControlFlow::Continue(()))
        })?;
        match op {
            QuantOp::Union => {
                let mut all = Value::empty();
                let mut listed = BTreeSet::new();
                for v in values {
                    match self.try_list(&v, at)? {
                        Some(s) if !v.has_lazy() || !matches!(v, Value::Set(_)) => {
                            listed.extend(s.iter().cloned());
                        }
                        _ => all = self.binary(BinaryOp::Union, all, v, at)?,
                    }
                }
                self.binary(BinaryOp::Union, self.make_set(listed, at)?, all, at)
            }
            QuantOp::Inter => {
                let mut values = values.into_iter();
                let Some(first) = values.next() else {
                    return Err(EvalError::ill_defined(at, "INTER over no sets"));
                };
                values.try_fold(first, |all, v| self.binary(BinaryOp::Intersection, all, v, at))
            }
            QuantOp::Sigma | QuantOp::SigmaReal => {
                let op = if op == QuantOp::Sigma { BinaryOp::Add } else { BinaryOp::AddReal };
                let zero = if op == BinaryOp::Add { Value::int(0) } else { real::value(0) };
                values.into_iter().try_fold(zero, |sum, v| self.binary(op, sum, v, at))
            }
            QuantOp::Pi | QuantOp::PiReal => {
                let op = if op == QuantOp::Pi { BinaryOp::Multiply } else { BinaryOp::MultiplyReal };
                let one = if op == BinaryOp::Multiply { Value::int(1) } else { real::value(1) };
                values.into_iter().try_fold(one, |product, v| self.binary(op, product, v, at))
            }
            QuantOp::Lambda | QuantOp::Image => Err(self.confused(at)),
        }
    }

    /// Whether a predicate holds.
    ///
    /// # Errors
    /// As [`Evaluator::expr`].
    pub fn pred(&self, env: &Env<'_>, pred: &Pred) -> Eval<bool> {
        let at = pred.span;
        self.proceed(at)?;
        Ok(match &pred.kind {
            PredKind::True => true,
            PredKind::False => false,
            PredKind::And(ps) => {
                for p in ps {
                    if !self.pred(env, p)? {
                        return Ok(false);
                    }
                }
                true
            }
            PredKind::Or(ps) => {
                for p in ps {
                    if self.pred(env, p)? {
                        return Ok(true);
                    }
                }
                false
            }
            PredKind::Implies(a, b) => !self.pred(env, a)? || self.pred(env, b)?,
            PredKind::Iff(a, b) => self.pred(env, a)? == self.pred(env, b)?,
            PredKind::Not(p) => !self.pred(env, p)?,
            PredKind::Forall(ls, p) => !self.exists(env, ls, (false, p), at)?,
            PredKind::Exists(ls, p) => self.exists(env, ls, (true, p), at)?,
            PredKind::Compare(op, a, b) => match self.compare(env, *op, a, b, at) {
                Err(e) if self.stand_ins == Some(StandIns::False) && e.kind == EvalErrorKind::IllDefined => {
                    false
                }
                result => result?,
            },
            PredKind::Finite(e) => {
                let set = self.eval(env, e)?;
                self.finite(&set, at)?
            }
            PredKind::Partition(whole, parts) => {
                let whole = self.eval(env, whole)?;
                let parts = parts.iter().map(|p| self.eval(env, p)).collect::<Eval<Vec<_>>>()?;
                for (i, p) in parts.iter().enumerate() {
                    for q in &parts[i + 1..] {
                        let common = self.binary(BinaryOp::Intersection, p.clone(), q.clone(), at)?;
                        if !self.is_empty(&common, at)? {
                            return Ok(false);
                        }
                    }
                }
                let union = parts
                    .into_iter()
                    .try_fold(Value::empty(), |all, p| self.binary(BinaryOp::Union, all, p, at))?;
                self.equal(&whole, &union, at)?
            }
            PredKind::External(ExternalFunction::AssertTrue, args) if args.len() == 2 => {
                self.asserted(env, ExternalFunction::AssertTrue, &args[0], &args[1], at)?;
                true
            }
            PredKind::External(f, args) => {
                let args = args.iter().map(|e| self.expr(env, e)).collect::<Eval<Vec<_>>>()?;
                self.external_pred(*f, &args, at)?
            }
            PredKind::Call(id, args) => {
                let bound = self.arguments(env, *id, args)?;
                let inner = self.operator_env(env, *id, at)?;
                let frame = inner.frame(&bound);
                match &self.model.operators[id.index()].definition {
                    OperatorDefinition::Pred(p) => self.pred(&inner.within(&frame), p)?,
                    _ => return Err(self.without_definition(*id, at)),
                }
            }
            PredKind::If(p, a, b) => {
                let branch = if self.pred(env, p)? { a } else { b };
                self.pred(env, branch)?
            }
            PredKind::Let(defs, p) => {
                let bound = self.definitions(env, defs)?;
                let frame = env.frame(&bound);
                self.pred(&env.within(&frame), p)?
            }
        })
    }

    /// Whether a value is in a set; unions, intersections and differences are not carried out for that.
    fn is_in(&self, env: &Env<'_>, x: &Value, set: &Expr, at: Span) -> Eval<bool> {
        match &set.kind {
            ExprKind::Binary(
                op @ (BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference),
                a,
                b,
            ) => {
                // Both have to be well-defined; what cannot be decided may not matter.
                let (left, right) = (self.is_in(env, x, a, at), self.is_in(env, x, b, at));
                let open =
                    |e: &EvalError| matches!(e.kind, EvalErrorKind::TooLarge | EvalErrorKind::Undecided);
                for side in [&left, &right] {
                    if let Err(e) = side
                        && !open(e)
                    {
                        return Err(e.clone());
                    }
                }
                match (op, &left, &right) {
                    (BinaryOp::Union, Ok(true), _) | (BinaryOp::Union, _, Ok(true)) => Ok(true),
                    (BinaryOp::Intersection | BinaryOp::Difference, Ok(false), _) => Ok(false),
                    (BinaryOp::Intersection, _, Ok(false)) | (BinaryOp::Difference, _, Ok(true)) => Ok(false),
                    (BinaryOp::Union, ..) => Ok(left? || right?),
                    (BinaryOp::Intersection, ..) => Ok(left? && right?),
                    _ => Ok(left? && !right?),
                }
            }
            _ => {
                let set = self.eval(env, set)?;
                self.member(x, &set, at)
            }
        }
    }

    fn compare(&self, env: &Env<'_>, op: CompareOp, a: &Expr, b: &Expr, at: Span) -> Eval<bool> {
        use CompareOp::*;
        if matches!(op, Member | NotMember) {
            // Before it is assigned, a local has some value of its type.
            if let ExprKind::Local(l) = &a.kind
                && env.get(Name::Local(*l)).is_none()
                && self.is_closed(env, b)
                && self.is_universal(&self.eval(env, b)?)
            {
                return Ok(op == Member);
            }
            let x = self.expr(env, a)?;
            let inside = match &b.kind {
                // Asked for membership, a comprehension is not listed.
                ExprKind::Comprehension(ls, p) => {
                    let set = self.closure(env, ClosureKind::Comprehension, ls, p, None);
                    self.member(&x, &set, at)?
                }
                _ => self.is_in(env, &x, b, at)?,
            };
            return Ok(inside == (op == Member));
        }
        let left = self.eval(env, a)?;
        if op == Equal && self.is_own_definition(&left, b) {
            return Ok(true);
        }
        let right = self.eval(env, b)?;
        Ok(match op {
            Equal => self.equal(&left, &right, at)?,
            NotEqual => !self.equal(&left, &right, at)?,
            Subset => self.subset(&left, &right, at)?,
            NotSubset => !self.subset(&left, &right, at)?,
            StrictSubset => self.subset(&left, &right, at)? && !self.equal(&left, &right, at)?,
            NotStrictSubset => !self.subset(&left, &right, at)? || self.equal(&left, &right, at)?,
            Less => self.int(&left, at)? < self.int(&right, at)?,
            LessEqual => self.int(&left, at)? <= self.int(&right, at)?,
            Greater => self.int(&left, at)? > self.int(&right, at)?,
            GreaterEqual => self.int(&left, at)? >= self.int(&right, at)?,
            LessReal => self.real(&left, at)? < self.real(&right, at)?,
            LessEqualReal => self.real(&left, at)? <= self.real(&right, at)?,
            GreaterReal => self.real(&left, at)? > self.real(&right, at)?,
            GreaterEqualReal => self.real(&left, at)? >= self.real(&right, at)?,
            Member | NotMember => return Err(self.confused(at)),
        })
    }

    /// The error for a value that its type rules out: the model was built by hand, and wrongly.
    pub(crate) fn confused(&self, at: Span) -> EvalError {
        EvalError::unsupported(at, "the value does not have the type of the expression")
    }

    pub(crate) fn int<'v>(&self, v: &'v Value, at: Span) -> Eval<&'v Int> {
        v.as_int().ok_or_else(|| self.confused(at))
    }

    pub(crate) fn real<'v>(&self, v: &'v Value, at: Span) -> Eval<&'v num_rational::BigRational> {
        match v {
            Value::Real(r) => Ok(r),
            _ => Err(self.confused(at)),
        }
    }

    pub(crate) fn pair<'v>(&self, v: &'v Value, at: Span) -> Eval<(&'v Value, &'v Value)> {
        v.as_pair().ok_or_else(|| self.confused(at))
    }

    /// The type of an unknown of a search.
    pub(crate) fn type_of(&self, name: Name) -> Option<&'m bsym_language::types::Type> {
        let declared = match name {
            Name::Local(l) => self.model.locals.get(l.index()),
            Name::Const(ConstId(c)) => self.model.constants.get(c as usize),
            Name::Var(v) | Name::Old(v) => self.model.variables.get(v.index()),
        };
        declared.map(|v| &v.ty)
    }
}
