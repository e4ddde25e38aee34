//! Predicates whose truth is evident from their text.
//!
//! Formulas with names are not evaluated. A predicate that is true here is true wherever it is well-defined.

use super::same::{same_expr, same_pred};
use super::types::CarrierId;
use super::visit::{Visitor, walk_expr, walk_pred};
use super::*;
use crate::int::Int;

/// Known truth of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It holds in every state.
    True,
    /// It holds in none.
    False,
    /// The text alone does not say.
    Open,
}

impl From<bool> for Truth {
    fn from(b: bool) -> Truth {
        if b { Truth::True } else { Truth::False }
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;
    fn not(self) -> Truth {
        match self {
            Truth::True => Truth::False,
            Truth::False => Truth::True,
            Truth::Open => Truth::Open,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Integer(Int),
    Bool(bool),
    Element(CarrierId, u32),
    String(String),
}

/// Returns the truth of a predicate, as far as its text shows it.
pub fn truth(p: &Pred) -> Truth {
    match &p.kind {
        PredKind::True => Truth::True,
        PredKind::False => Truth::False,
        PredKind::Not(a) => !truth(a),
        PredKind::And(list) => match contradiction(list.iter()) {
            Some(_) => Truth::False,
            None => all(list, Truth::False),
        },
        PredKind::Or(list) => all(list, Truth::True),
        PredKind::Implies(a, b) => match (truth(a), truth(b)) {
            (Truth::False, _) | (_, Truth::True) => Truth::True,
            (Truth::True, b) => b,
            _ => Truth::Open,
        },
        PredKind::Exists(_, a) if truth(a) == Truth::False => Truth::False,
        PredKind::Forall(_, a) if truth(a) == Truth::True => Truth::True,
        PredKind::Compare(op, a, b) => compare(*op, a, b),
        _ => Truth::Open,
    }
}

// `one` if a part has this truth, its opposite if no part has it or is open.
fn all(list: &[Pred], one: Truth) -> Truth {
    let mut result = !one;
    for p in list {
        match truth(p) {
            t if t == one => return one,
            Truth::Open => result = Truth::Open,
            _ => {}
        }
    }
    result
}

fn compare(op: CompareOp, a: &Expr, b: &Expr) -> Truth {
    use CompareOp::*;
    match op {
        NotEqual => return !compare(Equal, a, b),
        NotMember => return !compare(Member, a, b),
        NotSubset => return !compare(Subset, a, b),
        NotStrictSubset => return !compare(StrictSubset, a, b),
        _ => {}
    }
    if let (Some(x), Some(y)) = (value(a), value(b)) {
        return match (op, &x, &y) {
            (Equal, ..) => (x == y).into(),
            (Less, Value::Integer(x), Value::Integer(y)) => (x < y).into(),
            (LessEqual, Value::Integer(x), Value::Integer(y)) => (x <= y).into(),
            (Greater, Value::Integer(x), Value::Integer(y)) => (x > y).into(),
            (GreaterEqual, Value::Integer(x), Value::Integer(y)) => (x >= y).into(),
            _ => Truth::Open,
        };
    }
    match op {
        Member => return member(a, b),
        Subset if a.kind == ExprKind::EmptySet => return Truth::True,
        StrictSubset if b.kind == ExprKind::EmptySet => return Truth::False,
        GreaterEqual | Less if is_cardinality(a) && value(b) == Some(Value::Integer(Int::ZERO)) => {
            return (op == GreaterEqual).into();
        }
        _ => {}
    }
    if !same(a, b) {
        return Truth::Open;
    }
    match op {
        Equal | Subset | LessEqual | GreaterEqual | LessEqualReal | GreaterEqualReal => Truth::True,
        StrictSubset | Less | Greater | LessReal | GreaterReal => Truth::False,
        _ => Truth::Open,
    }
}

fn is_cardinality(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Unary(UnaryOp::Card | UnaryOp::Size, _))
}

fn member(a: &Expr, set: &Expr) -> Truth {
    match &set.kind {
        ExprKind::EmptySet => Truth::False,
        ExprKind::SetExtension(items) => {
            let Some(a) = value(a) else { return Truth::Open };
            let items: Option<Vec<Value>> = items.iter().map(value).collect();
            items.map_or(Truth::Open, |items| items.contains(&a).into())
        }
        ExprKind::Binary(BinaryOp::Interval, low, high) => match (value(a), value(low), value(high)) {
            (Some(Value::Integer(a)), Some(Value::Integer(low)), Some(Value::Integer(high))) => {
                (low <= a && a <= high).into()
            }
            (_, Some(Value::Integer(low)), Some(Value::Integer(high))) if high < low => Truth::False,
            _ => Truth::Open,
        },
        _ => Truth::Open,
    }
}

fn value(e: &Expr) -> Option<Value> {
    let integer = |e| match value(e) {
        Some(Value::Integer(n)) => Some(n),
        _ => None,
    };
    Some(match &e.kind {
        ExprKind::Integer(n) => Value::Integer(n.clone()),
        ExprKind::Bool(b) => Value::Bool(*b),
        ExprKind::Element(c, i) => Value::Element(*c, *i),
        ExprKind::String(s) => Value::String(s.clone()),
        ExprKind::Unary(UnaryOp::Negate, a) => Value::Integer(-&integer(a)?),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), a, b) => {
            let (a, b) = (integer(a)?, integer(b)?);
            Value::Integer(match op {
                BinaryOp::Add => &a + &b,
                BinaryOp::Subtract => &a - &b,
                _ => &a * &b,
            })
        }
        _ => return None,
    })
}

/// Tests whether a set is plainly that of all values of its type.
pub fn is_whole_type<T>(set: &Expr<T>) -> bool {
    match &set.kind {
        ExprKind::Carrier(_) => true,
        ExprKind::Set(set) => {
            matches!(set, BuiltinSet::Integer | BuiltinSet::Bool | BuiltinSet::String | BuiltinSet::Real)
        }
        ExprKind::Unary(UnaryOp::Pow, set) => is_whole_type(set),
        ExprKind::Binary(BinaryOp::Relation | BinaryOp::Cartesian, a, b) => {
            is_whole_type(a) && is_whole_type(b)
        }
        _ => false,
    }
}

/// Two conjuncts that cannot both hold: `x = 1` and `x = 2`, or `P` and `not(P)`.
pub fn contradiction<'p>(list: impl Iterator<Item = &'p Pred> + Clone) -> Option<(&'p Pred, &'p Pred)> {
    let known: Vec<(&Pred, &Expr, Value)> = list
        .clone()
        .filter_map(|p| match &p.kind {
            PredKind::Compare(CompareOp::Equal, a, b) => match (value(a), value(b)) {
                (None, Some(v)) => Some((p, &**a, v)),
                (Some(v), None) => Some((p, &**b, v)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    for (i, (second, e, v)) in known.iter().enumerate() {
        // Very long conjunctions are data, not guards.
        for (first, f, w) in known[..i].iter().rev().take(50) {
            if v != w && same(e, f) {
                return Some((first, second));
            }
        }
    }
    let negated = list.clone().filter_map(|p| match &p.kind {
        PredKind::Not(inner) => Some((p, &**inner)),
        _ => None,
    });
    for (second, inner) in negated.take(50) {
        let is_same = |p: &&Pred| same_pred(p, inner) && !mentions(inner).externals;
        if let Some(first) = list.clone().take(50).find(is_same) {
            return Some((first, second));
        }
    }
    None
}

/// Parts of a formula whose values its text does not show.
pub struct Mentions {
    /// Variables, constants or locals.
    pub names: bool,
    /// Functions whose value is not in the text.
    pub externals: bool,
}

impl Visitor for Mentions {
    fn expr(&mut self, e: &Expr) {
        use ExprKind::*;
        self.names |= matches!(e.kind, Var(_) | Old(_) | Const(_) | Local(_));
        self.externals |= matches!(e.kind, External(..) | Call(..));
        walk_expr(self, e);
    }
    fn pred(&mut self, p: &Pred) {
        self.externals |= matches!(p.kind, PredKind::External(..) | PredKind::Call(..));
        walk_pred(self, p);
    }
}

/// Returns which parts of a predicate have values that its text does not show.
pub fn mentions(p: &Pred) -> Mentions {
    let mut m = Mentions { names: false, externals: false };
    m.pred(p);
    m
}

/// Returns whether two expressions are written alike and have one value.
fn same(a: &Expr, b: &Expr) -> bool {
    let mut m = Mentions { names: false, externals: false };
    m.expr(a);
    !m.externals && same_expr(a, b)
}
