//! Literals and cubes over numbered predicates.

/// A literal over the predicates: predicate `position` true or false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// Position of the predicate.
    pub position: usize,
    /// True for the predicate, false for its negation.
    pub positive: bool,
}

/// A conjunction of literals, sorted, no predicate twice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cube(Vec<Literal>);

impl Cube {
    /// The conjunction of these literals.
    pub fn new(mut literals: Vec<Literal>) -> Cube {
        literals.sort();
        literals.dedup();
        Cube(literals)
    }

    /// The literals.
    pub fn literals(&self) -> &[Literal] {
        &self.0
    }

    /// Returns true if every state of `other` is one of `self`: `self` has only literals of `other`.
    pub fn subsumes(&self, other: &Cube) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().all(|l| other.0.binary_search(l).is_ok())
    }

    /// Returns the cube without one literal.
    pub fn without(&self, literal: Literal) -> Cube {
        Cube(self.0.iter().copied().filter(|&l| l != literal).collect())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the cube of some literals: the number of a predicate, negative where it is false.
    pub(crate) fn cube(literals: &[i32]) -> Cube {
        Cube::new(
            literals
                .iter()
                .map(|&l| Literal { position: l.unsigned_abs() as usize, positive: l > 0 })
                .collect(),
        )
    }

    #[test]
    fn a_cube_subsumes_its_extensions() {
        assert!(cube(&[1]).subsumes(&cube(&[1, -2])));
        assert!(!cube(&[2]).subsumes(&cube(&[1, -2])));
        assert!(cube(&[]).subsumes(&cube(&[3])));
    }
}
