//! Values and predicates that depend on the number of a round, a natural number `i`.
//!
//! A number is `start + i·slope`; everything else is the same in each round and left to the evaluator. A predicate is
//! known with the last round up to which it keeps its truth value. Whatever has another form is not known.

use std::collections::BTreeMap;

use bsym_language::int::Int;
use bsym_language::model::visit::Names;
use bsym_language::model::*;

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
}

impl Number {
    /// A value to which each round adds a number.
    pub fn new(value: Value, slope: Int) -> Number {
        match value {
            Value::Int(start) if !slope.is_zero() => Number::Linear(start, slope),
            value => Number::Fixed(value),
        }
    }

    /// Start and slope; `None` if this is no integer.
    fn parts(&self) -> Option<(Int, Int)> {
        match self {
            Number::Fixed(Value::Int(n)) => Some((n.clone(), Int::ZERO)),
            Number::Fixed(_) => None,
            Number::Linear(start, slope) => Some((start.clone(), slope.clone())),
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
    slopes: &'a [Int],
    locals: BTreeMap<LocalId, Number>,
}

impl<'a> Rounds<'a> {
    /// A state to which each round adds numbers, one for each variable.
    pub fn new(
        eval: &'a Evaluator<'_>,
        constants: &'a [Value],
        state: &'a [Value],
        slopes: &'a [Int],
    ) -> Rounds<'a> {
        Rounds { eval, constants, state, slopes, locals: BTreeMap::new() }
    }

    /// The same with values of locals.
    pub fn with(&self, locals: BTreeMap<LocalId, Number>) -> Rounds<'a> {
        let mut all = self.clone();
        all.locals.extend(locals);
        all
    }

    /// Returns a variable.
    pub fn variable(&self, v: VarId) -> Option<Number> {
        let (value, slope) = (self.state.get(v.index())?, self.slopes.get(v.index())?);
        match value {
            Value::Int(_) => Some(Number::new(value.clone(), slope.clone())),
            _ => slope.is_zero().then(|| Number::Fixed(value.clone())),
        }
    }

    fn is_fixed(&self, names: &Names) -> bool {
        let is_still = |v: &VarId| self.slopes.get(v.index()).is_some_and(Int::is_zero);
        let is_known = |l: &LocalId| matches!(self.locals.get(l), Some(Number::Fixed(_)));
        names.variables.iter().all(is_still) && names.locals.iter().all(is_known)
    }

    fn evaluate<T>(&self, act: impl FnOnce(&Env<'_>) -> Option<T>) -> Option<T> {
        let fixed = |(l, n): (&LocalId, &Number)| match n {
            Number::Fixed(value) => Some((Name::Local(*l), value.clone())),
            Number::Linear(..) => None,
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
                Some(Known { number: Number::new(Value::Int(-&start), -&slope), until })
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
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

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Known> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let until = a.until.min(b.until);
        let ((a0, a1), (b0, b1)) = (a.number.parts()?, b.number.parts()?);
        let linear = |start: Int, slope: Int| Number::new(Value::Int(start), slope);
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
            _ => None,
        }
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
        let known = self.expr(e)?;
        let truth = if let ExprKind::Binary(BinaryOp::Interval, low, high) = &set.kind {
            let ((x0, x1), low, high) = (known.number.parts()?, self.expr(low)?, self.expr(high)?);
            let ((l0, l1), (h0, h1)) = (low.number.parts()?, high.number.parts()?);
            let above = at_least_zero(&(&x0 - &l0), &(&x1 - &l1));
            let below = at_least_zero(&(&h0 - &x0), &(&h1 - &x1));
            both(above, below).within(&low.until).within(&high.until)
        } else {
            if !self.is_fixed(&Names::of_expr(set)) {
                return None;
            }
            let (x0, x1) = known.number.parts()?;
            match self.evaluate(|env| self.eval.expr(env, set).ok())? {
                Value::Lazy(lazy) => match &*lazy {
                    LazySet::Integers => Truth::forever(true),
                    LazySet::From(low) => at_least_zero(&(&x0 - low), &x1),
                    LazySet::Interval(low, high) => {
                        both(at_least_zero(&(&x0 - low), &x1), at_least_zero(&(high - &x0), &-&x1))
                    }
                    _ => return None,
                },
                Value::Set(values) if values.len() <= tuning().acceleration.listed => {
                    let has = |i: &Int| values.contains(&Value::Int(&x0 + &(&x1 * i)));
                    let value = has(&Int::ZERO);
                    let until = if value {
                        // In each further round another element is met.
                        let mut round = Int::ONE;
                        while has(&round) && !x1.is_zero() {
                            round = &round + &Int::ONE;
                        }
                        if x1.is_zero() { Until::Forever } else { Until::Round(&round - &Int::ONE) }
                    } else {
                        let met = values.iter().filter_map(|v| match v {
                            Value::Int(n) => root(&(&x0 - n), &x1),
                            _ => None,
                        });
                        met.min().map_or(Until::Forever, |round| Until::Round(&round - &Int::ONE))
                    };
                    Truth { value, until }
                }
                _ => return None,
            }
        };
        Some(truth.within(&known.until))
    }
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
