//! Free types: their values, the constructors as functions, the sets of all their values.
//!
//! A constructor with an argument is an injection from its argument's set. Its inverse returns the argument, and is
//! ill-defined on the value of another constructor.

use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::source::Span;
use bsym_language::types::{FreeTypeId, Type};

use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::Env;
use crate::value::lazy_set::LazySet;

impl Evaluator<'_> {
    /// Returns the value of a constructor: a value of the free type, or a function.
    pub(crate) fn constructor(&self, id: FreeTypeId, position: u32, ty: &Type, at: Span) -> Eval<Value> {
        let Some(constructor) = self.constructor_of(id, position) else { return Err(self.confused(at)) };
        if constructor.argument.is_none() {
            return Ok(Value::Free(id, position, None));
        }
        match ty.as_relation() {
            Some((_, Type::Free(_, arguments))) => {
                let parameters = arguments.iter().map(|t| self.type_values(t)).collect();
                Ok(LazySet::Constructor(id, position, parameters).into())
            }
            _ => Err(self.confused(at)),
        }
    }

    fn constructor_of(&self, id: FreeTypeId, position: u32) -> Option<&bsym_language::model::Constructor> {
        self.model.types.free_types.get(id.index())?.constructors.get(position as usize)
    }

    /// Returns the set of a constructor's arguments; `None` for a constant.
    pub(crate) fn argument_set(
        &self,
        id: FreeTypeId,
        position: u32,
        parameters: &[Value],
        at: Span,
    ) -> Eval<Option<Value>> {
        let Some(constructor) = self.constructor_of(id, position) else { return Err(self.confused(at)) };
        let Some(argument) = &constructor.argument else { return Ok(None) };
        let env = Env::default().with_type_parameters(parameters);
        self.eval(&env, argument).map(Some)
    }

    /// Returns whether a value is in a free type over the sets of its parameters.
    pub(crate) fn is_in_free_type(&self, id: FreeTypeId, x: &Value, sets: &[Value], at: Span) -> Eval<bool> {
        let Value::Free(of, position, argument) = x else { return Err(self.confused(at)) };
        if *of != id {
            return Err(self.confused(at));
        }
        match (argument, self.argument_set(id, *position, sets, at)?) {
            (None, None) => Ok(true),
            (Some(argument), Some(set)) => self.member(argument, &set, at),
            _ => Err(self.confused(at)),
        }
    }

    /// Returns the argument from which a constructor makes a value, if it made this one.
    pub(crate) fn destructed(
        &self,
        constructor: (FreeTypeId, u32),
        x: &Value,
        sets: &[Value],
        at: Span,
    ) -> Eval<Option<Value>> {
        let Value::Free(id, position, argument) = x else { return Err(self.confused(at)) };
        let Some(argument) = argument.as_ref().filter(|_| (*id, *position) == constructor) else {
            return Ok(None);
        };
        let set = self.argument_set(*id, *position, sets, at)?.ok_or_else(|| self.confused(at))?;
        Ok(self.member(argument, &set, at)?.then(|| (**argument).clone()))
    }

    /// Returns whether values of the free type may contain values of the same type.
    fn is_recursive(&self, id: FreeTypeId) -> bool {
        let mut seen = vec![];
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            for c in self.model.types.free_types.get(next.index()).into_iter().flat_map(|t| &t.constructors) {
                if let Some(e) = &c.argument {
                    for found in free_types_in(&e.ty) {
                        if found == id {
                            return true;
                        }
                        if !seen.contains(&found) {
                            seen.push(found);
                            open.push(found);
                        }
                    }
                }
            }
        }
        false
    }

    /// Returns the number of values of a free type.
    pub(crate) fn free_type_cardinality(
        &self,
        id: FreeTypeId,
        sets: &[Value],
        at: Span,
    ) -> Eval<Cardinality> {
        if self.is_recursive(id) {
            // With an empty parameter the constructors may have nothing to hold.
            for set in sets {
                if self.is_empty(set, at)? {
                    return Ok(Cardinality::Unknown);
                }
            }
            return Ok(Cardinality::Infinite);
        }
        let count = self.model.types.free_types.get(id.index()).map_or(0, |t| t.constructors.len());
        let mut total = Cardinality::Exact(0.into());
        for position in 0..count as u32 {
            let values = match self.argument_set(id, position, sets, at)? {
                Some(set) => self.cardinality(&set, at)?,
                None => Cardinality::Exact(1.into()),
            };
            // Values of different constructors differ.
            total = match (total, values) {
                (Cardinality::Exact(a), Cardinality::Exact(b)) => Cardinality::Exact(&a + &b),
                (a, b) => a.plus(&b),
            };
        }
        Ok(total)
    }

    /// Calls `visit` for each value of a free type whose values do not contain others of the type.
    pub(crate) fn each_of_free_type(
        &self,
        id: FreeTypeId,
        sets: &[Value],
        at: Span,
        visit: &mut dyn FnMut(Value) -> Eval<ControlFlow<()>>,
    ) -> Eval<ControlFlow<()>> {
        if self.is_recursive(id) {
            let set = LazySet::Free(id, sets.to_vec()).into();
            return Err(self.not_listed(&set, at));
        }
        let count = self.model.types.free_types.get(id.index()).map_or(0, |t| t.constructors.len());
        for position in 0..count as u32 {
            let flow = match self.argument_set(id, position, sets, at)? {
                None => visit(Value::Free(id, position, None))?,
                Some(set) => {
                    let set = self.normal(set, at)?;
                    self.each(&set, at, &mut |v| visit(Value::Free(id, position, Some(Arc::new(v)))))?
                }
            };
            if flow == ControlFlow::Break(()) {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns some value of a free type, by a constructor that terminates.
    pub(crate) fn some_free_value(&self, id: FreeTypeId, arguments: &[Type]) -> Value {
        self.free_value_of_height(id, arguments, &mut vec![]).unwrap_or(Value::Free(id, 0, None))
    }

    // Excluding the free types that are being built already, the search terminates.
    fn free_value_of_height(
        &self,
        id: FreeTypeId,
        arguments: &[Type],
        building: &mut Vec<FreeTypeId>,
    ) -> Option<Value> {
        if building.contains(&id) {
            return None;
        }
        building.push(id);
        let constructors = &self.model.types.free_types.get(id.index())?.constructors;
        let found = constructors.iter().enumerate().find_map(|(i, c)| {
            let argument = match &c.argument {
                None => None,
                Some(e) => {
                    let ty = e.ty.element()?.with_parameters(arguments);
                    Some(Arc::new(self.value_without(&ty, building)?))
                }
            };
            Some(Value::Free(id, i as u32, argument))
        });
        building.pop();
        found
    }

    fn value_without(&self, ty: &Type, building: &mut Vec<FreeTypeId>) -> Option<Value> {
        Some(match ty {
            Type::Free(id, arguments) => self.free_value_of_height(*id, arguments, building)?,
            Type::Pair(a, b) => {
                Value::pair(self.value_without(a, building)?, self.value_without(b, building)?)
            }
            Type::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(l, t)| Some((Arc::from(l.as_str()), self.value_without(t, building)?)))
                    .collect::<Option<Vec<_>>>()?;
                Value::Record(fields.into())
            }
            other => self.some_value(other),
        })
    }
}

fn free_types_in(ty: &Type) -> Vec<FreeTypeId> {
    match ty {
        Type::Free(id, arguments) => {
            std::iter::once(*id).chain(arguments.iter().flat_map(free_types_in)).collect()
        }
        Type::Pow(t) => free_types_in(t),
        Type::Pair(a, b) => free_types_in(a).into_iter().chain(free_types_in(b)).collect(),
        Type::Record(fields) => fields.iter().flat_map(|(_, t)| free_types_in(t)).collect(),
        _ => vec![],
    }
}
