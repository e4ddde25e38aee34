//! Properties of operators: partial operators, opposites, and the requirements of relation spaces.

use crate::ast::external::Support;
use crate::ast::operators::operators;
use crate::model::{BinaryOp, CompareOp, ExprKind, PredKind, QuantOp, TreeOp, UnaryOp};

// Tests whether a row that is marked `partial` reads as an operator of the model.
#[rustfmt::skip]
macro_rules! reads_as {
    (partial $op:ident: BinaryOp, value($read:ident: $($types:tt)*)) => { $op == BinaryOp::$read };
    (partial $op:ident: BinaryOp, rule($read:ident, $rule:ident)) => { $op == BinaryOp::$read };
    (partial $op:ident: UnaryOp, unary($read:ident: $($types:tt)*)) => { $op == UnaryOp::$read };
    (partial $op:ident: TreeOp, tree($read:ident: $($types:tt)*)) => { $op == TreeOp::$read };
    (partial $op:ident: $ty:ident, $other:ident $types:tt) => { false };
}

macro_rules! partial_rows {
    (apart { $($apart:tt)* } infix { $($infix:tt)* } words { $($words:tt)* } soft { $($soft:tt)* }) => {
        partial_rows!(infix $($apart)* $($infix)*);
        partial_rows!(words $($words)* $($soft)*);
    };
    (infix $($row:ident $level:tt $group:ident $a:tt $b:tt $c:tt $($partial:ident)? => $reading:ident $types:tt;)*) => {
        fn has_partial_row(op: BinaryOp) -> bool {
            $($(reads_as!($partial op: BinaryOp, $reading $types) ||)?)* false
        }
    };
    (words $($row:ident $a:tt $b:tt $c:tt $d:tt $($partial:ident)? => $reading:ident $types:tt;)*) => {
        fn has_partial_word(op: UnaryOp) -> bool {
            $($(reads_as!($partial op: UnaryOp, $reading $types) ||)?)* false
        }

        fn has_partial_tree_word(op: TreeOp) -> bool {
            $($(reads_as!($partial op: TreeOp, $reading $types) ||)?)* false
        }
    };
}
operators!(partial_rows);

impl UnaryOp {
    /// Returns the operator on integers that is written like this one on reals; any other operator is returned as it is.
    pub fn on_integers(self) -> UnaryOp {
        match self {
            UnaryOp::NegateReal => UnaryOp::Negate,
            UnaryOp::MaxReal => UnaryOp::Max,
            UnaryOp::MinReal => UnaryOp::Min,
            op => op,
        }
    }

    /// Tests whether it has no value for some operand of its type.
    pub fn is_partial(self) -> bool {
        has_partial_word(self.on_integers())
    }
}

impl TreeOp {
    /// Tests whether it has no value for some operands of their types.
    pub fn is_partial(self) -> bool {
        has_partial_tree_word(self)
    }
}

impl QuantOp {
    /// Tests whether it has no value for some sets of values: an intersection of no sets, a sum or product of infinitely
    /// many numbers.
    pub fn is_partial(self) -> bool {
        match self {
            QuantOp::Lambda | QuantOp::Union | QuantOp::Image => false,
            QuantOp::Inter | QuantOp::Sigma | QuantOp::Pi | QuantOp::SigmaReal | QuantOp::PiReal => true,
        }
    }
}

impl<T> ExprKind<T> {
    /// Tests whether an expression of this form may have no value although all its parts have one.
    pub fn is_partial(&self) -> bool {
        match self {
            ExprKind::Apply(..) | ExprKind::Iterate(..) | ExprKind::Call(..) => true,
            ExprKind::Unary(op, _) => op.is_partial(),
            ExprKind::Binary(op, ..) => op.is_partial(),
            ExprKind::Tree(op, _) => op.is_partial(),
            ExprKind::Quantified(op, ..) => op.is_partial(),
            ExprKind::External(f, _) => f.support() != Support::Total,
            _ => false,
        }
    }
}

impl<T> PredKind<T> {
    /// Tests whether a predicate of this form may have no truth value although all its parts have one.
    pub fn is_partial(&self) -> bool {
        match self {
            PredKind::Call(..) => true,
            PredKind::External(f, _) => f.support() != Support::Total,
            _ => false,
        }
    }
}

impl CompareOp {
    /// Returns the comparison of integers that is written like this one of reals; any other comparison is returned as it is.
    pub fn on_integers(self) -> CompareOp {
        match self {
            CompareOp::LessReal => CompareOp::Less,
            CompareOp::LessEqualReal => CompareOp::LessEqual,
            CompareOp::GreaterReal => CompareOp::Greater,
            CompareOp::GreaterEqualReal => CompareOp::GreaterEqual,
            op => op,
        }
    }

    /// Returns the comparison that holds exactly where this one does not.
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

    /// Returns the comparison that holds with the operands exchanged, if there is one.
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

/// Requirements of `A <-> B`, `A --> B` and their kin on a relation between A and B (B-Book, 2.4 and 2.5).
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
    /// Returns the operator on integers that is written like this one on reals; any other operator is returned as it is.
    pub fn on_integers(self) -> BinaryOp {
        match self {
            BinaryOp::AddReal => BinaryOp::Add,
            BinaryOp::SubtractReal => BinaryOp::Subtract,
            BinaryOp::MultiplyReal => BinaryOp::Multiply,
            BinaryOp::DivideReal => BinaryOp::Divide,
            BinaryOp::PowerReal => BinaryOp::Power,
            op => op,
        }
    }

    /// Tests whether it has no value for some operands of their types.
    pub fn is_partial(self) -> bool {
        has_partial_row(self.on_integers())
    }

    /// Returns the requirements of the operator on a relation, if it makes a set of relations.
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
    fn partial_operators_are_those_marked_in_the_table() {
        assert!(BinaryOp::Divide.is_partial() && BinaryOp::DivideReal.is_partial());
        assert!(UnaryOp::MinReal.is_partial() && UnaryOp::Perm.is_partial());
        assert!(
            !UnaryOp::Fnc.is_partial() && !UnaryOp::Inverse.is_partial() && !BinaryOp::Image.is_partial()
        );
        assert!(TreeOp::Top.is_partial() && !TreeOp::Trees.is_partial());
    }

    #[test]
    fn a_bijection_is_all_of_it() {
        let all = RelationSpace { total: true, functional: true, injective: true, surjective: true };
        assert_eq!(BinaryOp::TotalBijection.relation_space(), Some(all));
        assert_eq!(BinaryOp::Union.relation_space(), None);
    }
}
