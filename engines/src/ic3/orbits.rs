//! Clauses that count with all their images: each is blocked once, and its images are told to the solver where a model
//! violates them.
//!
//! The frames stay closed under the permutations of the elements that nothing tells apart, because the first states, the
//! steps and what is asked are (Goel & Sakallah, *SymIC3*, in *On Symmetry and Quantification*, NFM 2021).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bsym_encodings::term::{Term, Terms};

use crate::invariants::bits::Bits;
use crate::invariants::cube::{Cube, Literal};
use crate::tuning::tuning;

/// The cubes whose images are blocked in a session.
#[derive(Debug)]
pub(super) struct Orbits {
    pub bits: Rc<Bits>,
    blocked: BTreeMap<Cube, Orbit>,
}

/// A cube with its images.
#[derive(Debug)]
struct Orbit {
    /// Implies that no state is in an image.
    literal: Term,
    /// Literals that imply it.
    under: Vec<Term>,
    ordered: Vec<Literal>,
    told: BTreeSet<Cube>,
}

impl Orbits {
    /// Nothing is blocked yet.
    pub fn new(bits: Rc<Bits>) -> Orbits {
        Orbits { bits, blocked: BTreeMap::new() }
    }

    /// The literal that implies that no state is in an image of a cube, and whether it is new: then the cube itself is
    /// to be told.
    pub fn literal(&mut self, terms: &Terms, cube: &Cube) -> (Term, bool) {
        if let Some(known) = self.blocked.get(cube) {
            return (known.literal, false);
        }
        let literal = terms.fresh("orbit", Terms::BOOL);
        let (ordered, told) = (self.bits.ordered(cube), BTreeSet::from([cube.clone()]));
        self.blocked.insert(cube.clone(), Orbit { literal, under: vec![], ordered, told });
        (literal, true)
    }

    /// Notes that a literal implies that of a cube.
    pub fn follows(&mut self, cube: &Cube, from: Term) {
        if let Some(orbit) = self.blocked.get_mut(cube)
            && !orbit.under.contains(&from)
        {
            orbit.under.push(from);
        }
    }

    /// Returns whether the images of a cube count under some assumptions.
    pub fn count_under(&self, assumptions: &[Term]) -> bool {
        self.blocked.values().any(|orbit| orbit.counts(assumptions))
    }

    /// Images that count under some assumptions and that a state is in, each with the literal of its cube. They count
    /// as told from now on.
    pub fn violated(&mut self, assumptions: &[Term], truth: &[Option<bool>]) -> Vec<(Term, Cube)> {
        let mut found = vec![];
        let of = |position: usize| truth.get(position).copied().flatten();
        for orbit in self.blocked.values_mut().filter(|orbit| orbit.counts(assumptions)) {
            for image in self.bits.images(&orbit.ordered, &of, tuning().bits.images) {
                if orbit.told.insert(image.clone()) {
                    found.push((orbit.literal, image));
                }
            }
        }
        found
    }
}

impl Orbit {
    fn counts(&self, assumptions: &[Term]) -> bool {
        assumptions.iter().any(|t| *t == self.literal || self.under.contains(t))
    }
}
