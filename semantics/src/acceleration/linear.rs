//! Values and predicates that depend on the number of a round, a natural number `i`.
//!
//! A number is `start + i·slope`; everything else is the same in each round and left to the evaluator. A predicate is
//! known with the last round up to which it keeps its truth value. Whatever has another form is not known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::visit::{Names, conjuncts};
use bsym_language::model::*;

use super::growth::{Growth, numbers};
use crate::evaluator::Evaluator;
use crate::tuning::tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;

/// The last round of something.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Until {
    /// This one; round 0 is the first.
    Round(Int),
    /// There is none.
    Forever,
}

/// A value in each round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Number {
    /// The same in each.
    Fixed(Value),
    /// `start + i·slope`; the slope is not 0.
    Linear(Int, Int),
    /// A function: start and slope of its values, by argument; not all slopes are 0.
    Table(Table),
}

/// Start and slope of numbers, by what has them.
type Table = BTreeMap<Value, (Int, Int)>;

impl Number {
    /// A value that grows in each round; `None` if it cannot grow like this.
    pub fn new(value: &Value, growth: &Growth) -> Option<Number> {
        match (value, growth) {
            _ if growth.is_none() => Some(Number::Fixed(value.clone())),
            (Value::Int(start), Growth::Number(slope)) => Some(Number::Linear(start.clone(), slope.clone())),
            (_, Growth::Table(slopes)) => {
                let slope = |x: &Value| slopes.get(x).cloned().unwrap_or(Int::ZERO);
                let all = numbers(value)?.into_iter();
                Some(Number::table(all.map(|(x, start)| (x.clone(), (start, slope(&x)))).collect()))
            }
            _ => None,
        }
    }

    fn linear(start: Int, slope: Int) -> Number {
        if slope.is_zero() { Number::Fixed(Value::Int(start)) } else { Number::Linear(start, slope) }
    }

    fn table(all: Table) -> Number {
        if all.values().any(|(_, slope)| !slope.is_zero()) {
            return Number::Table(all);
        }
        let pairs = all.into_iter().map(|(x, (start, _))| Value::pair(x, Value::Int(start)));
        Number::Fixed(Value::Set(Arc::new(pairs.collect())))
    }

    /// Start and slope of the values of a function; `None` if this is no function with integers.
    fn values(&self) -> Option<Table> {
        match self {
            Number::Table(all) => Some(all.clone()),
            Number::Fixed(value) => {
                Some(numbers(value)?.into_iter().map(|(x, n)| (x, (n, Int::ZERO))).collect())
            }
            Number::Linear(..) => None,
        }
    }

    /// Start and slope; `None` if this is no integer.
    fn parts(&self) -> Option<(Int, Int)> {
        match self {
            Number::Fixed(Value::Int(n)) => Some((n.clone(), Int::ZERO)),
            Number::Fixed(_) => None,
            Number::Linear(start, slope) => Some((start.clone(), slope.clone())),
            Number::Table(_) => None,
        }
    }
}

/// A value, which has this form up to a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The value.
    pub number: Number,
    /// The last round in which it has this form.
    pub until: Until,
}

impl From<Number> for Known {
    fn from(number: Number) -> Known {
        Known { number, until: Until::Forever }
    }
}

/// The truth value of a predicate, up to a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// The truth value in round 0.
    pub value: bool,
    /// The last round up to which it stays.
    pub until: Until,
}

impl Truth {
    fn forever(value: bool) -> Truth {
        Truth { value, until: Until::Forever }
    }

    fn not(self) -> Truth {
        Truth { value: !self.value, ..self }
    }

    fn within(self, until: &Until) -> Truth {
        Truth { until: self.until.min(until.clone()), ..self }
    }
}

/// The values of all names in each round.
#[derive(Clone)]
pub struct Rounds<'a> {
    eval: &'a Evaluator<'a>,
    constants: &'a [Value],
    state: &'a [Value],
    growth: &'a [Growth],
    locals: BTreeMap<LocalId, Number>,
}

impl<'a> Rounds<'a> {
    /// A state that grows in each round, with the growth of each variable.
    pub fn new(
        eval: &'a Evaluator<'_>,
        constants: &'a [Value],
        state: &'a [Value],
        growth: &'a [Growth],
    ) -> Rounds<'a> {
        Rounds { eval, constants, state, growth, locals: BTreeMap::new() }
    }

    /// The same with values of locals.
    pub fn with(&self, locals: BTreeMap<LocalId, Number>) -> Rounds<'a> {
        let mut all = self.clone();
        all.locals.extend(locals);
        all
    }

    /// Returns a variable.
    pub fn variable(&self, v: VarId) -> Option<Number> {
        Number::new(self.state.get(v.index())?, self.growth.get(v.index())?)
    }

    fn is_fixed(&self, names: &Names) -> bool {
        let is_still = |v: &VarId| self.growth.get(v.index()).is_some_and(Growth::is_none);
        let is_known = |l: &LocalId| matches!(self.locals.get(l), Some(Number::Fixed(_)));
        names.variables.iter().all(is_still) && names.locals.iter().all(is_known)
    }

    fn evaluate<T>(&self, act: impl FnOnce(&Env<'_>) -> Option<T>) -> Option<T> {
        let fixed = |(l, n): (&LocalId, &Number)| match n {
            Number::Fixed(value) => Some((Name::Local(*l), value.clone())),
            Number::Linear(..) | Number::Table(_) => None,
        };
        let bound: Vec<(Name, Value)> = self.locals.iter().filter_map(fixed).collect();
        let env = Env::new(self.constants, self.state);
        let frame = env.frame(&bound);
        act(&env.within(&frame))
    }

    /// Returns the value of an expression; `None` if its form is not known, or if it is ill-defined.
    pub fn expr(&self, e: &Expr) -> Option<Known> {
        if self.is_fixed(&Names::of_expr(e)) {
            let value = self.evaluate(|env| self.eval.expr(env, e).ok())?;
            return Some(Number::Fixed(value).into());
        }
        match &e.kind {
            ExprKind::Var(v) => Some(self.variable(*v)?.into()),
            ExprKind::Local(l) => Some(self.locals.get(l)?.clone().into()),
            ExprKind::Unary(UnaryOp::Negate, a) => {
                let Known { number, until } = self.expr(a)?;
                let (start, slope) = number.parts()?;
                Some(Known { number: Number::linear(-&start, -&slope), until })
            }
            ExprKind::Binary(BinaryOp::Override, f, g) => {
                let (f, g) = (self.expr(f)?, self.expr(g)?);
                let mut all = f.number.values()?;
                all.extend(g.number.values()?);
                Some(Known { number: Number::table(all), until: f.until.min(g.until) })
            }
            ExprKind::Unary(UnaryOp::Dom, f) => {
                let Known { number, until } = self.expr(f)?;
                let arguments = number.values()?.into_keys().collect();
                Some(Known { number: Number::Fixed(Value::Set(Arc::new(arguments))), until })
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::SetExtension(couples) => self.function(couples),
            ExprKind::Apply(f, x) => {
                let (f, x) = (self.expr(f)?, self.expr(x)?);
                let Number::Fixed(at) = &x.number else { return None };
                let (start, slope) = f.number.values()?.get(at)?.clone();
                Some(Known { number: Number::linear(start, slope), until: f.until.min(x.until) })
            }
            ExprKind::If(p, yes, no) => {
                let truth = self.truth(p)?;
                let Known { number, until } = self.expr(if truth.value { yes } else { no })?;
                Some(Known { number, until: until.min(truth.until) })
            }
            ExprKind::BoolOf(p) => {
                let Truth { value, until } = self.truth(p)?;
                Some(Known { number: Number::Fixed(Value::Bool(value)), until })
            }
            ExprKind::Let(list, body) => {
                let (inner, until) = self.bind(list)?;
                let known = inner.expr(body)?;
                Some(Known { until: known.until.min(until), ..known })
            }
            _ => None,
        }
    }

    fn bind(&self, list: &[(LocalId, Expr)]) -> Option<(Rounds<'a>, Until)> {
        let (mut values, mut until) = (BTreeMap::new(), Until::Forever);
        for (local, e) in list {
            let known = self.expr(e)?;
            until = until.min(known.until);
            values.insert(*local, known.number);
        }
        Some((self.with(values), until))
    }

    /// A function whose couples are listed.
    fn function(&self, couples: &[Expr]) -> Option<Known> {
        let (mut all, mut until) = (Table::new(), Until::Forever);
        for couple in couples {
            let ExprKind::Binary(BinaryOp::Maplet, x, n) = &couple.kind else { return None };
            let (x, n) = (self.expr(x)?, self.expr(n)?);
            let Number::Fixed(at) = x.number else { return None };
            if all.insert(at, n.number.parts()?).is_some() {
                return None;
            }
            until = until.min(x.until).min(n.until);
        }
        Some(Known { number: Number::table(all), until })
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Known> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let until = a.until.min(b.until);
        let ((a0, a1), (b0, b1)) = (a.number.parts()?, b.number.parts()?);
        let linear = Number::linear;
        let (number, until) = match op {
            BinaryOp::Add => (linear(&a0 + &b0, &a1 + &b1), until),
            BinaryOp::Subtract => (linear(&a0 - &b0, &a1 - &b1), until),
            BinaryOp::Multiply if a1.is_zero() || b1.is_zero() => {
                (linear(&a0 * &b0, &(&a0 * &b1) + &(&a1 * &b0)), until)
            }
            // The remainder of natural numbers stays where each round adds a multiple of the divisor.
            BinaryOp::Mod | BinaryOp::Divide if b1.is_zero() && b0 > Int::ZERO && !a0.is_negative() => {
                if !(&a1 - &(&a1.div_trunc(&b0)? * &b0)).is_zero() {
                    return None;
                }
                let natural = at_least_zero(&a0, &a1);
                let number = match op {
                    BinaryOp::Mod => linear(a0.modulo(&b0)?, Int::ZERO),
                    _ => linear(a0.div_trunc(&b0)?, a1.div_trunc(&b0)?),
                };
                (number, until.min(natural.until))
            }
            _ => return None,
        };
        Some(Known { number, until })
    }

    /// Returns the truth value of a predicate; `None` if it is not known, or if the predicate is ill-defined.
    pub fn truth(&self, p: &Pred) -> Option<Truth> {
        if self.is_fixed(&Names::of_pred(p)) {
            return self.evaluate(|env| self.eval.pred(env, p).ok()).map(Truth::forever);
        }
        match &p.kind {
            PredKind::And(parts) => self.all(parts, true),
            PredKind::Or(parts) => self.all(parts, false),
            PredKind::Not(q) => Some(self.truth(q)?.not()),
            PredKind::Implies(a, b) => {
                let a = self.truth(a)?;
                if a.value {
                    return Some(self.truth(b)?.within(&a.until));
                }
                Some(Truth { value: true, until: a.until })
            }
            PredKind::Iff(a, b) => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                Some(Truth { value: a.value == b.value, until: a.until.min(b.until) })
            }
            PredKind::If(p, yes, no) => {
                let truth = self.truth(p)?;
                Some(self.truth(if truth.value { yes } else { no })?.within(&truth.until))
            }
            PredKind::Let(list, body) => {
                let (inner, until) = self.bind(list)?;
                Some(inner.truth(body)?.within(&until))
            }
            PredKind::Compare(op, a, b) => self.compare(*op, a, b),
            PredKind::Forall(locals, body) => self.quantified(locals, body, true),
            PredKind::Exists(locals, body) => self.quantified(locals, body, false),
            _ => None,
        }
    }

    /// A quantifier over sets that are the same in each round and have few elements.
    fn quantified(&self, locals: &[LocalId], body: &Pred, is_forall: bool) -> Option<Truth> {
        let guards = match &body.kind {
            PredKind::Implies(guard, _) if is_forall => conjuncts(guard),
            _ if is_forall => return None,
            _ => conjuncts(body),
        };
        let (mut cases, mut until) = (vec![BTreeMap::new()], Until::Forever);
        for local in locals {
            let set = guards.iter().find_map(|p| match &p.kind {
                PredKind::Compare(CompareOp::Member, x, set) if x.kind == ExprKind::Local(*local) => {
                    Some(&**set)
                }
                _ => None,
            })?;
            let named = Names::of_expr(set).locals;
            if locals.iter().any(|l| named.contains(l)) {
                return None;
            }
            let known = self.expr(set)?;
            let Number::Fixed(Value::Set(values)) = known.number else { return None };
            until = until.min(known.until);
            if cases.len() * values.len() > tuning().acceleration.ways {
                return None;
            }
            let with = |case: &BTreeMap<LocalId, Number>, value: &Value| {
                let mut case = case.clone();
                case.insert(*local, Number::Fixed(value.clone()));
                case
            };
            cases = values.iter().flat_map(|value| cases.iter().map(move |case| with(case, value))).collect();
        }
        for case in cases {
            let truth = self.with(case).truth(body)?;
            until = until.min(truth.until);
            if truth.value != is_forall {
                return Some(Truth { value: !is_forall, until });
            }
        }
        Some(Truth { value: is_forall, until })
    }

    /// A conjunction, or with `neutral` false a disjunction, from left to right up to the first part that decides.
    fn all(&self, parts: &[Pred], neutral: bool) -> Option<Truth> {
        let mut until = Until::Forever;
        for part in parts {
            let truth = self.truth(part)?;
            until = until.min(truth.until);
            if truth.value != neutral {
                return Some(Truth { value: !neutral, until });
            }
        }
        Some(Truth { value: neutral, until })
    }

    fn compare(&self, op: CompareOp, a: &Expr, b: &Expr) -> Option<Truth> {
        use CompareOp::*;
        match op {
            Member | NotMember => {
                let truth = self.member(a, b)?;
                return Some(if op == Member { truth } else { truth.not() });
            }
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {}
            _ => return None,
        }
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let until = a.until.min(b.until);
        if let (Number::Fixed(x), Number::Fixed(y), Equal | NotEqual) = (&a.number, &b.number, op) {
            let equal = self.eval.equal(x, y, Default::default()).ok()?;
            return Some(Truth { value: equal == (op == Equal), until });
        }
        if let (true, Equal | NotEqual) = (a.number == b.number, op) {
            return Some(Truth { value: op == Equal, until });
        }
        let ((a0, a1), (b0, b1)) = (a.number.parts()?, b.number.parts()?);
        let (start, slope) = (&a0 - &b0, &a1 - &b1);
        let truth = match op {
            Equal => zero(&start, &slope),
            NotEqual => zero(&start, &slope).not(),
            GreaterEqual => at_least_zero(&start, &slope),
            Less => at_least_zero(&start, &slope).not(),
            LessEqual => at_least_zero(&-&start, &-&slope),
            _ => at_least_zero(&-&start, &-&slope).not(),
        };
        Some(truth.within(&until))
    }

    fn member(&self, e: &Expr, set: &Expr) -> Option<Truth> {
        use BinaryOp::{PartialFunction, TotalFunction};
        let known = self.expr(e)?;
        if let ExprKind::Binary(op @ (PartialFunction | TotalFunction), from, to) = &set.kind
            && let Number::Table(all) = &known.number
        {
            let domain = self.expr(from)?;
            let Number::Fixed(domain) = &domain.number else { return None };
            let arguments = Value::Set(Arc::new(all.keys().cloned().collect()));
            let inside = |x: &Value| self.eval.member(x, domain, from.span).ok();
            let is_from = match op {
                TotalFunction => self.eval.equal(domain, &arguments, from.span).ok()?,
                _ => all.keys().map(inside).collect::<Option<Vec<bool>>>()?.into_iter().all(|is| is),
            };
            if !is_from {
                return Some(Truth { value: false, until: known.until });
            }
            let mut truth = Truth { value: true, until: known.until };
            for (start, slope) in all.values() {
                truth = both(truth, self.number_in(start, slope, to)?);
            }
            return Some(truth);
        }
        let (start, slope) = known.number.parts()?;
        Some(self.number_in(&start, &slope, set)?.within(&known.until))
    }

    /// `start + i·slope` is an element of a set.
    fn number_in(&self, x0: &Int, x1: &Int, set: &Expr) -> Option<Truth> {
        if let ExprKind::Binary(BinaryOp::Interval, low, high) = &set.kind {
            let (low, high) = (self.expr(low)?, self.expr(high)?);
            let ((l0, l1), (h0, h1)) = (low.number.parts()?, high.number.parts()?);
            let above = at_least_zero(&(x0 - &l0), &(x1 - &l1));
            let below = at_least_zero(&(&h0 - x0), &(&h1 - x1));
            return Some(both(above, below).within(&low.until).within(&high.until));
        }
        let known = self.expr(set)?;
        let Number::Fixed(values) = known.number else { return None };
        let truth = match &values {
            Value::Lazy(lazy) => match &**lazy {
                LazySet::Integers => Truth::forever(true),
                LazySet::From(low) => at_least_zero(&(x0 - low), x1),
                LazySet::Interval(low, high) => {
                    both(at_least_zero(&(x0 - low), x1), at_least_zero(&(high - x0), &-x1))
                }
                _ => return None,
            },
            Value::Set(values) if values.len() <= tuning().acceleration.listed => listed(x0, x1, values),
            _ => return None,
        };
        Some(truth.within(&known.until))
    }
}

/// `start + i·slope` is one of these values.
fn listed(start: &Int, slope: &Int, values: &BTreeSet<Value>) -> Truth {
    let has = |i: &Int| values.contains(&Value::Int(start + &(slope * i)));
    let value = has(&Int::ZERO);
    let until = if slope.is_zero() {
        Until::Forever
    } else if value {
        // In each further round another element is met.
        let mut round = Int::ONE;
        while has(&round) {
            round = &round + &Int::ONE;
        }
        Until::Round(&round - &Int::ONE)
    } else {
        let met = values.iter().filter_map(|v| match v {
            Value::Int(n) => root(&(start - n), slope),
            _ => None,
        });
        met.min().map_or(Until::Forever, |round| Until::Round(&round - &Int::ONE))
    };
    Truth { value, until }
}

/// A conjunction of two predicates that have a meaning in each round.
fn both(a: Truth, b: Truth) -> Truth {
    match (a.value, b.value) {
        (true, true) => a.within(&b.until),
        (false, true) => a,
        (true, false) => b,
        (false, false) => Truth { value: false, until: a.until.max(b.until) },
    }
}

/// The round after the first in which `start + i·slope` is 0.
fn root(start: &Int, slope: &Int) -> Option<Int> {
    let round = (-start).div_trunc(slope)?;
    (round > Int::ZERO && (&(slope * &round) + start).is_zero()).then_some(round)
}

/// `start + i·slope = 0`
fn zero(start: &Int, slope: &Int) -> Truth {
    let value = start.is_zero();
    let until = match (value, slope.is_zero()) {
        (_, true) => Until::Forever,
        (true, false) => Until::Round(Int::ZERO),
        (false, false) => root(start, slope).map_or(Until::Forever, |round| Until::Round(&round - &Int::ONE)),
    };
    Truth { value, until }
}

/// `start + i·slope >= 0`
fn at_least_zero(start: &Int, slope: &Int) -> Truth {
    let value = !start.is_negative();
    // Both operands are natural numbers, so that truncation rounds down.
    let until = match value {
        true if slope.is_negative() => start.div_trunc(&-slope).map(Until::Round),
        false if *slope > Int::ZERO => (&-start - &Int::ONE).div_trunc(slope).map(Until::Round),
        _ => None,
    };
    Truth { value, until: until.unwrap_or(Until::Forever) }
}
