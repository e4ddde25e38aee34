//! What operators mean for each other: opposites, and the properties of relation spaces.

use crate::model::{BinaryOp, CompareOp};

impl CompareOp {
    /// The comparison that holds exactly where this one does not.
    pub fn negated(self) -> CompareOp {
        use CompareOp::*;
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            Member => NotMember,
            NotMember => Member,
            Subset => NotSubset,
            NotSubset => Subset,
            StrictSubset => NotStrictSubset,
            NotStrictSubset => StrictSubset,
            Less => GreaterEqual,
            LessEqual => Greater,
            Greater => LessEqual,
            GreaterEqual => Less,
            LessReal => GreaterEqualReal,
            LessEqualReal => GreaterReal,
            GreaterReal => LessEqualReal,
            GreaterEqualReal => LessReal,
        }
    }

    /// The comparison that holds with the operands exchanged, if there is one.
    pub fn mirrored(self) -> Option<CompareOp> {
        use CompareOp::*;
        Some(match self {
            Equal | NotEqual => self,
            Less => Greater,
            LessEqual => GreaterEqual,
            Greater => Less,
            GreaterEqual => LessEqual,
            LessReal => GreaterReal,
            LessEqualReal => GreaterEqualReal,
            GreaterReal => LessReal,
            GreaterEqualReal => LessEqualReal,
            Member | NotMember | Subset | NotSubset | StrictSubset | NotStrictSubset => return None,
        })
    }
}

/// What `A <-> B`, `A --> B` and their kin ask of a relation between A and B (B-Book, 2.4 and 2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RelationSpace {
    /// The domain is all of A.
    pub total: bool,
    /// Each element is related to at most one.
    pub functional: bool,
    /// No two elements are related to the same one.
    pub injective: bool,
    /// The range is all of B.
    pub surjective: bool,
}

impl BinaryOp {
    /// What the operator asks of a relation, if it makes a set of relations.
    pub fn relation_space(self) -> Option<RelationSpace> {
        use BinaryOp::*;
        let space = |functional, total, injective, surjective| {
            Some(RelationSpace { total, functional, injective, surjective })
        };
        match self {
            Relation => space(false, false, false, false),
            TotalRelation => space(false, true, false, false),
            SurjectiveRelation => space(false, false, false, true),
            TotalSurjectiveRelation => space(false, true, false, true),
            PartialFunction => space(true, false, false, false),
            TotalFunction => space(true, true, false, false),
            PartialInjection => space(true, false, true, false),
            TotalInjection => space(true, true, true, false),
            PartialSurjection => space(true, false, false, true),
            TotalSurjection => space(true, true, false, true),
            PartialBijection => space(true, false, true, true),
            TotalBijection => space(true, true, true, true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_its_own_double_negation() {
        for op in [CompareOp::Equal, CompareOp::Subset, CompareOp::LessEqual, CompareOp::GreaterReal] {
            assert_ne!(op.negated(), op);
            assert_eq!(op.negated().negated(), op);
        }
    }

    #[test]
    fn a_bijection_is_all_of_it() {
        let all = RelationSpace { total: true, functional: true, injective: true, surjective: true };
        assert_eq!(BinaryOp::TotalBijection.relation_space(), Some(all));
        assert_eq!(BinaryOp::Union.relation_space(), None);
    }
}
