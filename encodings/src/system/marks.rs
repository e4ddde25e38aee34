//! Marks that values leave on the elements of a set: what is true of an element by a value that is chosen, such as
//! being it, or being in it.
//!
//! A permutation of elements that nothing tells apart permutes the marks of every value, and leaves all else as it is.

use bsym_language::types::{CarrierId, Type};

use crate::symbolic::Symbolic;
use crate::system::System;
use crate::term::Term;
use crate::tuning::tuning;

/// One mark: for each of some elements, whether it has it.
pub type Mark = Vec<Term>;

/// Elements that may change places.
#[derive(Clone, Copy, Debug)]
pub struct Among<'a> {
    /// The set, of a settled size.
    pub carrier: CarrierId,
    /// The elements by position.
    pub elements: &'a [u32],
    /// All sets of which elements may change places: the marks on elements of one stay where those of another move.
    pub moved: &'a [CarrierId],
}

impl System {
    /// Returns the marks that a value of a type leaves on elements of a set. Not all of them: only what every
    /// permutation maps to a mark of the same kind.
    pub fn marks(&mut self, value: &Symbolic, ty: &Type, among: Among<'_>) -> Vec<Mark> {
        let mut all = vec![];
        let Some(listed) = self.encoder.elements(&Type::Carrier(among.carrier)) else { return all };
        let element = |i: &u32| listed.get(*i as usize).cloned();
        let Some(elements) = among.elements.iter().map(element).collect::<Option<Vec<_>>>() else {
            return all;
        };
        self.add_marks(value, ty, among, &elements, &mut all);
        self.encoder.take_witnesses();
        all
    }

    fn add_marks(
        &mut self,
        value: &Symbolic,
        ty: &Type,
        among: Among<'_>,
        elements: &[Symbolic],
        all: &mut Vec<Mark>,
    ) {
        let is_one = |ty: &Type| *ty == Type::Carrier(among.carrier);
        match (ty, value) {
            (ty, _) if is_one(ty) => {
                all.extend(self.mark(elements, |system, e| system.encoder.equal(value, e).ok()));
            }
            (Type::Pair(a, b), Symbolic::Pair(x, y)) => {
                self.add_marks(x, a, among, elements, all);
                self.add_marks(y, b, among, elements, all);
            }
            (Type::Pow(element), Symbolic::Set(set)) => match &**element {
                element if is_one(element) => {
                    all.extend(self.mark(elements, |system, e| system.encoder.member(e, value).ok()));
                }
                Type::Pair(a, b) if is_one(a) && !among.moved.iter().any(|c| mentions(b, *c)) => {
                    let images = self.encoder.elements(b);
                    let few = images.filter(|images| images.len() <= tuning().symbolic.marks);
                    for image in few.iter().flat_map(|images| images.iter()) {
                        let couple = |e: &Symbolic| Symbolic::pair(e.clone(), image.clone());
                        let holds =
                            |system: &mut System, e: &Symbolic| system.encoder.is_in(&couple(e), set).ok();
                        all.extend(self.mark(elements, holds));
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn mark(
        &mut self,
        elements: &[Symbolic],
        mut of: impl FnMut(&mut System, &Symbolic) -> Option<Term>,
    ) -> Option<Mark> {
        elements.iter().map(|e| of(self, e)).collect()
    }
}

fn mentions(ty: &Type, carrier: CarrierId) -> bool {
    match ty {
        Type::Carrier(c) => *c == carrier,
        Type::Pow(of) => mentions(of, carrier),
        Type::Pair(a, b) => mentions(a, carrier) || mentions(b, carrier),
        Type::Record(fields) => fields.iter().any(|(_, ty)| mentions(ty, carrier)),
        Type::Bool | Type::Int | Type::Real | Type::String => false,
        Type::Free(..) | Type::Parameter(_) => true,
    }
}
