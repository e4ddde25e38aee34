//! What the rounds of a cycle add to the values of a state.

use std::collections::BTreeMap;
use std::sync::Arc;

use bsym_language::int::Int;

use crate::transition::state::State;
use crate::value::Value;

/// What a round adds to a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Growth {
    /// A number; 0 to everything else than an integer.
    Number(Int),
    /// Numbers to the values of a function, by its argument; at least one of them is not 0.
    Table(BTreeMap<Value, Int>),
}

impl Growth {
    /// The value stays as it is.
    pub const NONE: Growth = Growth::Number(Int::ZERO);

    /// Returns true if the value stays as it is.
    pub fn is_none(&self) -> bool {
        *self == Growth::NONE
    }

    /// The numbers that are added.
    pub(crate) fn numbers(&self) -> Vec<Int> {
        match self {
            Growth::Number(n) => vec![n.clone()],
            Growth::Table(all) => all.values().cloned().collect(),
        }
    }
}

/// The state after `rounds` rounds; `None` if numbers are added to something else.
pub fn after_rounds(state: &State, added: &[Growth], rounds: &Int) -> Option<State> {
    let moved = |(value, by): (&Value, &Growth)| match (value, by) {
        _ if by.is_none() => Some(value.clone()),
        (Value::Int(n), Growth::Number(by)) => Some(Value::Int(n + &(by * rounds))),
        (_, Growth::Table(by)) => {
            let zero = Int::ZERO;
            let pair = |(x, n): (&Value, &Int)| {
                Value::pair(x.clone(), Value::Int(n + &(by.get(x).unwrap_or(&zero) * rounds)))
            };
            Some(Value::Set(Arc::new(numbers(value)?.iter().map(pair).collect())))
        }
        _ => None,
    };
    state.iter().zip(added).map(moved).collect()
}

/// What leads from one state to another by adding to integers and to the values of functions; `None` if something else
/// differs.
pub fn difference(from: &State, to: &State) -> Option<Vec<Growth>> {
    let by = |(a, b): (&Value, &Value)| match (a, b) {
        _ if a == b => Some(Growth::NONE),
        (Value::Int(a), Value::Int(b)) => Some(Growth::Number(b - a)),
        _ => {
            let (a, b) = (numbers(a)?, numbers(b)?);
            let is_same = a.len() == b.len() && a.keys().eq(b.keys());
            is_same.then(|| Growth::Table(a.into_iter().map(|(x, n)| (x.clone(), &b[&x] - &n)).collect()))
        }
    };
    (from.len() == to.len()).then(|| from.iter().zip(to).map(by).collect()).flatten()
}

/// The values of a function with integers; `None` if a value is none.
pub(crate) fn numbers(value: &Value) -> Option<BTreeMap<Value, Int>> {
    let Value::Set(pairs) = value else { return None };
    let mut all = BTreeMap::new();
    for pair in pairs.iter() {
        let Value::Pair(pair) = pair else { return None };
        let Value::Int(n) = &pair.1 else { return None };
        if all.insert(pair.0.clone(), n.clone()).is_some() {
            return None;
        }
    }
    Some(all)
}
