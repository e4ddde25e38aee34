//! Places of atoms in values that are not written as words: strings, reals, free types, and values that contain them.

use std::sync::Arc;

use bsym_semantics::value::Value;

use super::atoms::Atoms;
use super::tags::{FIELD, LEFT, MEMBER, RIGHT, couple, set};
use crate::store::index::mix;
use crate::store::interner::text_hash;

/// Hash of a value that does not distinguish atoms of one colour.
pub fn hash(value: &Value, atoms: &Atoms, colours: &[u32]) -> Option<u64> {
    Some(match value {
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::String(_) => {
            text_hash(&format!("{value:?}"))
        }
        Value::Element(c, i) => match atoms.first(*c) {
            Some(first) => mix(7, u64::from(colours[(first + i) as usize])),
            None => mix(u64::from(c.0), u64::from(*i)),
        },
        Value::Pair(p) => couple(hash(&p.0, atoms, colours)?, hash(&p.1, atoms, colours)?),
        Value::Record(fields) => {
            let add = |sum, (_, v): &(Arc<str>, Value)| Some(mix(sum, hash(v, atoms, colours)?));
            fields.iter().try_fold(FIELD, add)?
        }
        Value::Free(_, constructor, argument) => match argument {
            Some(v) => mix(mix(FIELD, u64::from(*constructor)), hash(v, atoms, colours)?),
            None => mix(FIELD, u64::from(*constructor)),
        },
        Value::Set(s) => set(s.iter().map(|v| hash(v, atoms, colours)))?,
        Value::Lazy(_) => return None,
    })
}

/// Adds to the signature of each atom its place in a value, which itself stands at `at`.
pub fn sign(value: &Value, atoms: &Atoms, at: u64, colours: &[u32], signs: &mut [u64]) -> Option<()> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::String(_) => {}
        Value::Element(c, i) => {
            if let Some(first) = atoms.first(*c) {
                let sign = &mut signs[(first + i) as usize];
                *sign = sign.wrapping_add(mix(at, 5));
            }
        }
        Value::Pair(p) => {
            let (left, right) = (hash(&p.0, atoms, colours)?, hash(&p.1, atoms, colours)?);
            sign(&p.0, atoms, mix(mix(at, LEFT), right), colours, signs)?;
            sign(&p.1, atoms, mix(mix(at, RIGHT), left), colours, signs)?;
        }
        Value::Record(fields) => {
            let whole = hash(value, atoms, colours)?;
            for (i, (_, v)) in (0..).zip(fields.iter()) {
                sign(v, atoms, mix(mix(at, FIELD + i), whole), colours, signs)?;
            }
        }
        Value::Free(_, constructor, argument) => {
            if let Some(v) = argument {
                sign(v, atoms, mix(mix(at, FIELD), u64::from(*constructor)), colours, signs)?;
            }
        }
        Value::Set(s) => {
            let at = mix(mix(at, MEMBER), hash(value, atoms, colours)?);
            for v in s.iter() {
                sign(v, atoms, at, colours, signs)?;
            }
        }
        Value::Lazy(_) => return None,
    }
    Some(())
}
