//! Names that have values.

use bsym_language::model::{ConstId, LocalId, VarId};

/// A name with a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// A bound variable, parameter, result or local.
    Local(LocalId),
    /// A constant.
    Const(ConstId),
    /// A state variable.
    Var(VarId),
    /// A state variable before the current substitution.
    Old(VarId),
}
