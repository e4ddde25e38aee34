//! Candidates of the form `v : S`, where S has the shape of all values that were met: an interval, the functions on
//! what was always their domain, the subsets of what was in them.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;

use super::predicate::{compare, expr, integer, variable, variables};
use super::typing::whole;
use crate::small_scopes::first_states::FirstStates;
use crate::tuning::tuning;

/// Returns shapes of every variable that has something inside: with the integers that were met, and with all of them
/// outside of domains.
pub fn shapes(model: &Model, met: &FirstStates) -> Vec<Pred> {
    let mut found = vec![];
    for v in variables(model).filter(|v| has_parts(&model.variables[v.index()].ty)) {
        let ty = &model.variables[v.index()].ty;
        let values: BTreeSet<&Value> = met.all().iter().map(|one| &one.state[v.index()]).collect();
        let values: Vec<&Value> = values.into_iter().take(tuning().invariants.shape_values).collect();
        let mut said: Vec<Expr> = vec![];
        for tight in [false, true] {
            let shapes = Shapes { model, scope: met.scope(), tight };
            if let Some(set) = shapes.of(ty, &values)
                && !said.contains(&set)
            {
                found.push(compare(CompareOp::Member, variable(model, v), set.clone()));
                said.push(set);
            }
        }
    }
    found
}

fn has_parts(ty: &Type) -> bool {
    matches!(ty, Type::Pow(_) | Type::Pair(..))
}

struct Shapes<'a> {
    model: &'a Model,
    scope: &'a Scope,
    /// Integers lie between those that were met.
    tight: bool,
}

impl Shapes<'_> {
    /// A set with all these values in it.
    fn of(&self, ty: &Type, values: &[&Value]) -> Option<Expr> {
        match ty {
            Type::Int => self.integers(values),
            Type::Pair(a, b) => {
                let pairs: Option<Vec<&(Value, Value)>> = values.iter().map(|v| pair(v)).collect();
                let pairs = pairs?;
                let left = self.of(a, &pairs.iter().map(|p| &p.0).collect::<Vec<_>>())?;
                let right = self.of(b, &pairs.iter().map(|p| &p.1).collect::<Vec<_>>())?;
                Some(binary(BinaryOp::Cartesian, left, right, ty))
            }
            Type::Pow(inner) => {
                let sets: Option<Vec<&BTreeSet<Value>>> = values.iter().map(|v| v.as_set()).collect();
                let sets = sets?;
                match &**inner {
                    Type::Pair(a, b) => self.relations(a, b, &sets, ty),
                    inner => {
                        let elements: Vec<&Value> = sets.iter().copied().flatten().collect();
                        let of = if elements.is_empty() { whole(inner)? } else { self.of(inner, &elements)? };
                        Some(expr(ExprKind::Unary(UnaryOp::Pow, Box::new(of)), Type::pow(ty.clone())))
                    }
                }
            }
            ty => whole(ty),
        }
    }

    fn relations(&self, from: &Type, to: &Type, sets: &[&BTreeSet<Value>], ty: &Type) -> Option<Expr> {
        let maps: Option<Vec<BTreeMap<&Value, &Value>>> = sets.iter().map(|s| function(s)).collect();
        let pairs = || sets.iter().copied().flatten().filter_map(pair);
        pairs().next()?;
        let lefts: Vec<&Value> = pairs().map(|p| &p.0).collect();
        let rights: Vec<&Value> = pairs().map(|p| &p.1).collect();
        let range = self.of(to, &rights)?;
        let (op, domain) = match maps {
            None => (BinaryOp::Relation, self.of(from, &lefts)?),
            Some(maps) => {
                let first: Vec<&Value> = maps.first()?.keys().copied().collect();
                let fixed = maps.iter().all(|m| m.keys().copied().eq(first.iter().copied()));
                match fixed.then(|| self.exactly(from, &first)).flatten() {
                    Some(domain) => (BinaryOp::TotalFunction, domain),
                    None => (BinaryOp::PartialFunction, self.of(from, &lefts)?),
                }
            }
        };
        Some(binary(op, domain, range, ty))
    }

    /// The set of exactly these values, where that has a name.
    fn exactly(&self, ty: &Type, values: &[&Value]) -> Option<Expr> {
        let all = match ty {
            Type::Bool => 2,
            Type::Carrier(c) => match &self.model.types.carriers[c.index()].kind {
                CarrierKind::Enumerated(names) => names.len(),
                CarrierKind::Deferred => *self.scope.sizes.get(c)?,
            },
            Type::Int => {
                let (low, high) = bounds(values)?;
                let contiguous = high.to_i64()?.checked_sub(low.to_i64()?)? + 1 == values.len() as i64;
                return contiguous.then(|| interval(low, high));
            }
            Type::Pair(a, b) => {
                let pairs: Option<Vec<&(Value, Value)>> = values.iter().map(|v| pair(v)).collect();
                let pairs = pairs?;
                let lefts: BTreeSet<&Value> = pairs.iter().map(|p| &p.0).collect();
                let rights: BTreeSet<&Value> = pairs.iter().map(|p| &p.1).collect();
                if lefts.len() * rights.len() != values.len() {
                    return None;
                }
                let left = self.exactly(a, &lefts.into_iter().collect::<Vec<_>>())?;
                let right = self.exactly(b, &rights.into_iter().collect::<Vec<_>>())?;
                return Some(binary(BinaryOp::Cartesian, left, right, ty));
            }
            _ => return None,
        };
        (values.len() == all).then(|| whole(ty)).flatten()
    }

    fn integers(&self, values: &[&Value]) -> Option<Expr> {
        let (low, high) = bounds(values)?;
        if self.tight {
            return Some(interval(low, high));
        }
        let set = if low < Int::ZERO { BuiltinSet::Integer } else { BuiltinSet::Natural };
        Some(expr(ExprKind::Set(set), Type::pow(Type::Int)))
    }
}

fn pair(value: &Value) -> Option<&(Value, Value)> {
    match value {
        Value::Pair(both) => Some(both),
        _ => None,
    }
}

/// A set of couples as a function, if it is one.
fn function(set: &BTreeSet<Value>) -> Option<BTreeMap<&Value, &Value>> {
    let mut map = BTreeMap::new();
    for value in set {
        let (left, right) = pair(value)?;
        if map.insert(left, right).is_some() {
            return None;
        }
    }
    Some(map)
}

fn bounds(values: &[&Value]) -> Option<(Int, Int)> {
    let numbers: Option<Vec<&Int>> = values
        .iter()
        .map(|v| match v {
            Value::Int(n) => Some(n),
            _ => None,
        })
        .collect();
    let numbers = numbers?;
    Some(((*numbers.iter().min()?).clone(), (*numbers.iter().max()?).clone()))
}

fn interval(low: Int, high: Int) -> Expr {
    let (low, high) = (Box::new(integer(low)), Box::new(integer(high)));
    expr(ExprKind::Binary(BinaryOp::Interval, low, high), Type::pow(Type::Int))
}

/// A set of sets or couples from two sets.
fn binary(op: BinaryOp, left: Expr, right: Expr, element: &Type) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), Type::pow(element.clone()))
}
