//! The environment of an evaluation: the values of all names.

use std::collections::BTreeMap;

use bsym_language::model::Target;

use crate::value::Value;

use crate::tuning::Tuning;
pub use crate::value::name::Name;

/// Names bound together.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'e> {
    bound: &'e [(Name, Value)],
    next: Option<&'e Frame<'e>>,
}

/// The values of all names. Cheap to copy; binders extend it on the stack.
#[derive(Clone, Copy, Debug, Default)]
pub struct Env<'e> {
    constants: &'e [Value],
    state: &'e [Value],
    old: Option<&'e Env<'e>>,
    updates: Option<&'e BTreeMap<Target, Value>>,
    frame: Option<&'e Frame<'e>>,
    type_parameters: &'e [Value],
    calls: u32,
}

impl<'e> Env<'e> {
    /// Creates an environment of constants and a state; either may be empty while it is not settled.
    pub fn new(constants: &'e [Value], state: &'e [Value]) -> Self {
        Env { constants, state, ..Env::default() }
    }

    /// Reads `x$0` from another environment. Without this `x$0` is `x`.
    pub fn with_old(self, old: &'e Env<'e>) -> Self {
        Env { old: Some(old), ..self }
    }

    /// Returns a frame of further names in front of those of this environment; see [`Env::within`].
    pub fn frame(&self, bound: &'e [(Name, Value)]) -> Frame<'e> {
        Frame { bound, next: self.frame }
    }

    /// Adds the names of a frame made by [`Env::frame`] of this environment.
    pub fn within(self, frame: &'e Frame<'e>) -> Self {
        Env { frame: Some(frame), ..self }
    }

    /// Gives assigned targets their new values.
    pub(crate) fn updated(self, updates: &'e BTreeMap<Target, Value>) -> Self {
        Env { updates: Some(updates), ..self }
    }

    /// Returns the environment of the definition of an operator, where only its parameters have names. `None` if
    /// operators call each other too deeply.
    pub(crate) fn of_operator(&self) -> Option<Env<'static>> {
        (self.calls < Tuning::DEFAULT.evaluate.operator_calls)
            .then(|| Env { calls: self.calls + 1, ..Env::default() })
    }

    pub(crate) fn updates(&self) -> Option<&'e BTreeMap<Target, Value>> {
        self.updates
    }

    pub(crate) fn without_old(self) -> Self {
        Env { old: None, ..self }
    }

    /// Sets the sets that type parameters stand for inside the declaration of a free type.
    pub(crate) fn with_type_parameters(self, type_parameters: &'e [Value]) -> Self {
        Env { type_parameters, ..self }
    }

    pub(crate) fn type_parameter(&self, i: u32) -> Option<&'e Value> {
        self.type_parameters.get(i as usize)
    }

    /// Returns the value of a name.
    pub fn get(&self, name: Name) -> Option<&'e Value> {
        let updated = |target| self.updates.and_then(|u| u.get(&target));
        match name {
            Name::Local(l) => updated(Target::Local(l)).or_else(|| self.bound(name)),
            Name::Const(c) => self.constants.get(c.index()).or_else(|| self.bound(name)),
            Name::Var(v) => {
                updated(Target::Var(v)).or_else(|| self.state.get(v.index())).or_else(|| self.bound(name))
            }
            Name::Old(v) => match self.old {
                Some(old) => old.get(Name::Var(v)),
                None => self.bound(name).or_else(|| self.get(Name::Var(v))),
            },
        }
    }

    fn bound(&self, name: Name) -> Option<&'e Value> {
        let mut frame = self.frame;
        while let Some(f) = frame {
            if let Some((_, value)) = f.bound.iter().find(|(n, _)| *n == name) {
                return Some(value);
            }
            frame = f.next;
        }
        None
    }
}
