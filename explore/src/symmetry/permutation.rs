//! Permutations of the elements of sets, and the images of values under them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bsym_language::types::CarrierId;
use bsym_semantics::value::Value;

use super::atoms::Atoms;

/// A permutation of the elements of some enumerated or deferred sets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Permutation {
    images: BTreeMap<CarrierId, Vec<u32>>,
}

impl Permutation {
    /// A permutation of elements from one of atoms; `None` if it maps atoms of one set to another.
    pub fn of_atoms(atoms: &Atoms, images: &[u32]) -> Option<Permutation> {
        atoms.sets().try_fold(Permutation::default(), |permutation, (carrier, first, size)| {
            let images = (first..first + size).map(|atom| images[atom as usize].checked_sub(first));
            permutation.with(carrier, images.collect::<Option<Vec<u32>>>()?)
        })
    }

    /// Adds a permutation of one more set: the element at position `i` goes to `images[i]`.
    ///
    /// `None` if these are not the positions from 0, each once.
    pub fn with(mut self, carrier: CarrierId, images: Vec<u32>) -> Option<Permutation> {
        let mut hit = vec![false; images.len()];
        for image in &images {
            let place = hit.get_mut(*image as usize)?;
            if std::mem::replace(place, true) {
                return None;
            }
        }
        self.images.insert(carrier, images);
        Some(self)
    }

    /// The permutation that undoes this one.
    pub fn inverse(&self) -> Permutation {
        let inverted = |images: &Vec<u32>| {
            let mut inverse = vec![0; images.len()];
            (0u32..).zip(images).for_each(|(i, image)| inverse[*image as usize] = i);
            inverse
        };
        Permutation { images: self.images.iter().map(|(c, images)| (*c, inverted(images))).collect() }
    }

    /// The value in which other elements play the roles; `None` for a set that is not listed, whose elements are
    /// unknown.
    pub fn apply(&self, value: &Value) -> Option<Value> {
        Some(match value {
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::String(_) => value.clone(),
            Value::Element(c, i) => {
                let image = self.images.get(c).and_then(|images| images.get(*i as usize));
                Value::Element(*c, *image.unwrap_or(i))
            }
            Value::Pair(p) => Value::pair(self.apply(&p.0)?, self.apply(&p.1)?),
            Value::Record(fields) => {
                let field = |(l, v): &(Arc<str>, Value)| Some((l.clone(), self.apply(v)?));
                Value::Record(fields.iter().map(field).collect::<Option<Vec<_>>>()?.into())
            }
            Value::Free(t, constructor, argument) => {
                let argument = match argument {
                    Some(v) => Some(Arc::new(self.apply(v)?)),
                    None => None,
                };
                Value::Free(*t, *constructor, argument)
            }
            Value::Set(s) => Value::set(s.iter().map(|v| self.apply(v)).collect::<Option<Vec<_>>>()?),
            Value::Lazy(_) => return None,
        })
    }
}
