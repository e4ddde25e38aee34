//! Values by the throw of a seeded die: some value of a type, and one that differs a little from another.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{Expr, ExprKind, Model};
use bsym_language::types::Type;
use bsym_language::walk::{Visitor, walk_expr};
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;

use crate::tuning::tuning;

/// A seeded die.
#[derive(Clone, Debug)]
pub(super) struct Die(u64);

impl Die {
    /// Vigna's SplitMix64.
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, or zero if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        self.roll().checked_rem(n as u64).unwrap_or(0) as usize
    }

    /// Takes an element out of a list, the order of which is lost.
    pub fn take<T>(&mut self, list: &mut Vec<T>) -> Option<T> {
        let at = self.below(list.len());
        (at < list.len()).then(|| list.swap_remove(at))
    }
}

/// Makes values for one model.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    pub die: Die,
    /// Small integers, and those around the numbers that the model mentions: comparisons change there.
    integers: Vec<Int>,
    strings: Vec<Arc<str>>,
}

impl Changes {
    pub fn new(model: &Model, seed: u64) -> Changes {
        struct Literals(BTreeSet<Int>, BTreeSet<String>);
        impl Visitor for Literals {
            fn expr(&mut self, e: &Expr) {
                match &e.kind {
                    ExprKind::Integer(n) => _ = self.0.insert(n.clone()),
                    ExprKind::String(s) => _ = self.1.insert(s.to_string()),
                    _ => walk_expr(self, e),
                }
            }
        }
        let mut found = Literals(BTreeSet::new(), BTreeSet::new());
        for part in model.axioms.iter().chain(&model.invariant).chain(&model.assertions) {
            found.pred(&part.pred);
        }
        found.subst(&model.initialisation);
        model.events.iter().for_each(|e| found.subst(&e.body));
        let (least, largest) = tuning().walk.integers;
        let mut integers: BTreeSet<Int> = (least..=largest).map(Int::from).collect();
        for n in found.0.into_iter().take(tuning().walk.numbers) {
            integers.extend([&n - &Int::ONE, &n + &Int::ONE, n]);
        }
        found.1.insert(String::new());
        Changes {
            die: Die(seed),
            integers: integers.into_iter().collect(),
            strings: found.1.into_iter().map(Arc::from).collect(),
        }
    }

    /// Some value of a type.
    pub fn value(&mut self, ty: &Type, model: &Model, scope: &Scope) -> Value {
        match ty {
            Type::Bool => Value::Bool(self.die.below(2) == 0),
            Type::Int => {
                let at = self.die.below(self.integers.len());
                Value::Int(self.integers[at].clone())
            }
            Type::String => {
                let at = self.die.below(self.strings.len());
                Value::String(self.strings[at].clone())
            }
            Type::Carrier(c) => {
                let size = scope.size(model, *c).unwrap_or(1);
                Value::Element(*c, self.die.below(size) as u32)
            }
            Type::Pair(a, b) => Value::pair(self.value(a, model, scope), self.value(b, model, scope)),
            Type::Pow(element) => {
                let elements = self.die.below(tuning().walk.elements + 1);
                Value::set((0..elements).map(|_| self.value(element, model, scope)).collect::<Vec<_>>())
            }
            Type::Record(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(l, ty)| (Arc::from(l.as_str()), self.value(ty, model, scope)))
                    .collect();
                Value::Record(fields.into())
            }
            // The evaluator makes a value of these types.
            Type::Real | Type::Free(..) | Type::Parameter(_) => {
                bsym_semantics::evaluator::Evaluator::new(model, scope).some_value(ty)
            }
        }
    }

    /// A value of the type that differs from this one in one place, or another one altogether.
    pub fn near(&mut self, value: &Value, ty: &Type, model: &Model, scope: &Scope) -> Value {
        match (value, ty) {
            (Value::Int(n), _) if self.die.below(2) == 0 => {
                Value::Int(if self.die.below(2) == 0 { n - &Int::ONE } else { n + &Int::ONE })
            }
            (Value::Pair(p), Type::Pair(a, b)) => {
                if self.die.below(2) == 0 {
                    Value::pair(self.near(&p.0, a, model, scope), p.1.clone())
                } else {
                    Value::pair(p.0.clone(), self.near(&p.1, b, model, scope))
                }
            }
            (Value::Record(fields), Type::Record(types)) if !fields.is_empty() => {
                let at = self.die.below(fields.len());
                let mut fields = fields.to_vec();
                if let Some((_, ty)) = types.iter().find(|(l, _)| **l == *fields[at].0) {
                    fields[at].1 = self.near(&fields[at].1, ty, model, scope);
                }
                Value::Record(fields.into())
            }
            (Value::Set(set), Type::Pow(element)) => self.near_set(set, element, model, scope),
            _ => self.value(ty, model, scope),
        }
    }

    /// One element more, one less, or one with another value; of a couple often the second one, so that
    /// functions stay functions.
    fn near_set(&mut self, set: &BTreeSet<Value>, ty: &Type, model: &Model, scope: &Scope) -> Value {
        let mut elements: Vec<Value> = set.iter().cloned().collect();
        match self.die.below(4) {
            0 => elements.push(self.value(ty, model, scope)),
            1 => drop(self.die.take(&mut elements)),
            _ => match (self.die.take(&mut elements), ty) {
                (Some(Value::Pair(p)), Type::Pair(_, b)) => {
                    elements.push(Value::pair(p.0.clone(), self.near(&p.1, b, model, scope)));
                }
                (Some(element), _) => elements.push(self.near(&element, ty, model, scope)),
                (None, _) => elements.push(self.value(ty, model, scope)),
            },
        }
        Value::set(elements)
    }
}
