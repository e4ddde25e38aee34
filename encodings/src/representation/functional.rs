//! Bounds of the values that the names of a model always hold, and how much of these is kept.

use bsym_language::model::*;
use bsym_semantics::value::env::Name;

use super::layout::Layout;

/// Bounds of the values that the names of a model always hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Functional {
    /// By [`VarId`].
    pub variables: Vec<Layout>,
    /// By [`ConstId`].
    pub constants: Vec<Layout>,
    /// By [`LocalId`].
    pub locals: Vec<Layout>,
}

/// Amount that is kept of the facts found out about a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All of it.
    All,
    /// All but what it says of integers.
    Kinds,
    /// Nothing: the variable may have any value.
    Nothing,
}

impl Kept {
    pub(super) fn of(self, layout: Layout) -> Layout {
        match self {
            Kept::All => layout,
            Kept::Kinds => layout.without_numbers(),
            Kept::Nothing => Layout::Any,
        }
    }
}

impl Functional {
    /// No name at all: every relation is a set of couples.
    pub fn none(model: &Model) -> Functional {
        Functional {
            variables: vec![Layout::Any; model.variables.len()],
            constants: vec![Layout::Any; model.constants.len()],
            locals: vec![Layout::Any; model.locals.len()],
        }
    }

    /// The layout of a name.
    pub(crate) fn of_name(&mut self, name: Name) -> Option<&mut Layout> {
        match name {
            Name::Const(c) => self.constants.get_mut(c.index()),
            Name::Var(v) | Name::Old(v) => self.variables.get_mut(v.index()),
            Name::Local(l) => self.locals.get_mut(l.index()),
        }
    }
}

/// The name that an expression is.
pub(crate) fn name_of(e: &Expr) -> Option<Name> {
    match e.kind {
        ExprKind::Const(c) => Some(Name::Const(c)),
        ExprKind::Local(l) => Some(Name::Local(l)),
        ExprKind::Var(v) => Some(Name::Var(v)),
        _ => None,
    }
}
