//! The scope of an answer: sizes of sets, bounds of integers, constants that were fixed.

use std::collections::BTreeMap;
use std::fmt;

use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, Model};
use bsym_language::types::CarrierId;
use bsym_semantics::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;

use super::named::Named;
use super::words::words;

words! {
    /// What is not fixed.
    Open {
        Any = "any",
    }
}

/// The size of a deferred set.
#[derive(Serialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(untagged)]
pub enum Size {
    /// A number of elements.
    Fixed(#[schemars(range(min = 1))] usize),
    /// Any.
    Open(Open),
}

/// An integer; a text where it does not fit 64 bits.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
#[serde(untagged)]
pub enum Number {
    Small(i64),
    Large(String),
}

impl From<&Int> for Number {
    fn from(n: &Int) -> Number {
        n.to_i64().map(Number::Small).unwrap_or_else(|| Number::Large(n.to_string()))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Small(n) => n.fmt(f),
            Number::Large(text) => text.fmt(f),
        }
    }
}

/// The scope of an answer.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct ScopeObject {
    /// Number of elements of each deferred set.
    pub sets: Named<Size>,
    pub maxint: Number,
    pub minint: Number,
    /// Constants fixed by `--set`.
    pub settings: BTreeMap<String, String>,
}

impl ScopeObject {
    /// A scope with the constants that were fixed.
    pub fn new(model: &Model, scope: &Scope, settings: &BTreeMap<String, String>) -> ScopeObject {
        let deferred =
            (0u32..).zip(&model.types.carriers).filter(|(_, carrier)| carrier.kind == CarrierKind::Deferred);
        let size = |i: u32| scope.sizes.get(&CarrierId(i)).map_or(Size::Open(Open::Any), |&n| Size::Fixed(n));
        ScopeObject {
            sets: deferred.map(|(i, carrier)| (carrier.name.clone(), size(i))).collect(),
            maxint: (&scope.maxint).into(),
            minint: (&scope.minint).into(),
            settings: settings.clone(),
        }
    }

    /// On one line.
    pub fn text(&self) -> String {
        let set = |(name, size): (&str, &Size)| match size {
            Size::Fixed(n) => format!("card({name}) = {n}"),
            Size::Open(_) => format!("{name} of any size"),
        };
        let mut parts: Vec<String> = self.sets.iter().map(set).collect();
        parts.push("all integers".into());
        parts.push(format!("MININT {}, MAXINT {}", self.minint, self.maxint));
        parts.extend(self.settings.iter().map(|(name, value)| format!("{name} = {value}")));
        parts.join("; ")
    }
}
