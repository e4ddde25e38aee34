//! The values of a type.

use std::sync::Arc;

use bsym_language::model::BinaryOp;
use bsym_language::types::Type;

use crate::evaluator::Evaluator;
use crate::value::Value;
use crate::value::lazy_set::LazySet;
use crate::value::real;

impl Evaluator<'_> {
    /// Returns whether a value has a type, with its elements of deferred sets within the scope.
    pub fn has_type(&self, value: &Value, ty: &Type) -> bool {
        match (value, ty) {
            (Value::Bool(_), Type::Bool)
            | (Value::Int(_), Type::Int)
            | (Value::Real(_), Type::Real)
            | (Value::String(_), Type::String)
            | (Value::Lazy(_), Type::Pow(_)) => true,
            (Value::Element(c, i), Type::Carrier(d)) => {
                c == d && self.scope.size(self.model, *c).is_none_or(|n| (*i as usize) < n)
            }
            (Value::Pair(p), Type::Pair(a, b)) => self.has_type(&p.0, a) && self.has_type(&p.1, b),
            (Value::Record(values), Type::Record(fields)) => {
                values.len() == fields.len()
                    && values.iter().zip(fields).all(|((l, v), (m, t))| **l == **m && self.has_type(v, t))
            }
            (Value::Set(s), Type::Pow(t)) => s.iter().all(|v| self.has_type(v, t)),
            (Value::Free(id, i, argument), Type::Free(of, arguments)) => {
                let constructor =
                    self.model.types.free_types.get(id.index()).and_then(|t| t.constructors.get(*i as usize));
                id == of
                    && match (argument, constructor.map(|c| &c.argument)) {
                        (None, Some(None)) => true,
                        (Some(v), Some(Some(e))) => {
                            e.ty.element().is_some_and(|t| self.has_type(v, &t.with_parameters(arguments)))
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    /// Returns all values of a type as a set, lazy if it is infinite.
    pub fn type_values(&self, ty: &Type) -> Value {
        let lazy = Value::from;
        match ty {
            Type::Bool => Value::set([Value::Bool(false), Value::Bool(true)]),
            Type::Int => lazy(LazySet::Integers),
            Type::Real => lazy(LazySet::Reals),
            Type::String => lazy(LazySet::Strings),
            Type::Carrier(c) => self.carrier(*c),
            Type::Free(id, arguments) => {
                lazy(LazySet::Free(*id, arguments.iter().map(|t| self.type_values(t)).collect()))
            }
            Type::Parameter(_) => Value::empty(),
            Type::Pow(t) => lazy(LazySet::Power(self.type_values(t))),
            Type::Pair(a, b) => {
                lazy(LazySet::Binary(BinaryOp::Cartesian, self.type_values(a), self.type_values(b)))
            }
            Type::Record(fields) => lazy(LazySet::Struct(
                fields.iter().map(|(l, t)| (Arc::from(l.as_str()), self.type_values(t))).collect(),
            )),
        }
    }

    /// Returns some value of a type.
    pub fn some_value(&self, ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::int(0),
            Type::Real => real::value(0),
            Type::String => Value::string(""),
            Type::Carrier(c) => Value::Element(*c, 0),
            Type::Free(t, arguments) => self.some_free_value(*t, arguments),
            Type::Parameter(_) | Type::Pow(_) => Value::empty(),
            Type::Pair(a, b) => Value::pair(self.some_value(a), self.some_value(b)),
            Type::Record(fields) => Value::Record(
                fields
                    .iter()
                    .map(|(l, t)| (Arc::from(l.as_str()), self.some_value(t)))
                    .collect::<Vec<_>>()
                    .into(),
            ),
        }
    }
}
