//! Integer terms over cells, and comparisons of them.

use std::sync::Arc;

use bsym_language::model::{CompareOp, Expr, Pred};

use crate::value::Value;
use crate::value::env::Name;

/// Values of the locals of a constraint.
pub(super) type Locals = Arc<[(Name, Value)]>;

/// An integer expression.
#[derive(Clone, Debug)]
pub(crate) enum Term<'p> {
    Constant(i128),
    Cell(usize),
    Sum(Vec<Term<'p>>),
    Product(Vec<Term<'p>>),
    Negated(Box<Term<'p>>),
    /// The remainder by a positive number.
    Modulo(Box<Term<'p>>, i128),
    /// The number of elements of a set.
    Size(&'p Expr, Locals),
    /// How many of some candidates satisfy the predicates.
    Count(Vec<(bool, &'p Pred)>, Vec<Locals>),
    Unknown,
}

/// A comparison of terms.
#[derive(Clone, Debug)]
pub(crate) struct Comparison<'p> {
    pub op: CompareOp,
    pub left: Term<'p>,
    pub right: Term<'p>,
}

impl Comparison<'_> {
    /// Returns whether the terms determine the comparison once the cells are decided.
    pub fn is_exact(&self) -> bool {
        self.left.is_exact() && self.right.is_exact()
    }

    /// Returns whether its bounds depend on more than the cells that its terms name.
    pub fn has_size(&self) -> bool {
        let size = |t: &Term<'_>| matches!(t, Term::Size(..) | Term::Count(..));
        self.left.any(size) || self.right.any(size)
    }
}

impl<'p> Term<'p> {
    /// Adds the cells that occur in the term.
    pub fn cells(&self, out: &mut Vec<usize>) {
        match self {
            Term::Cell(c) => out.push(*c),
            Term::Sum(parts) | Term::Product(parts) => parts.iter().for_each(|t| t.cells(out)),
            Term::Negated(t) | Term::Modulo(t, _) => t.cells(out),
            Term::Constant(_) | Term::Size(..) | Term::Count(..) | Term::Unknown => {}
        }
    }

    fn any(&self, wanted: impl Fn(&Term<'_>) -> bool + Copy) -> bool {
        wanted(self)
            || match self {
                Term::Sum(parts) | Term::Product(parts) => parts.iter().any(|t| t.any(wanted)),
                Term::Negated(t) | Term::Modulo(t, _) => t.any(wanted),
                _ => false,
            }
    }

    pub fn is_exact(&self) -> bool {
        !self.any(|t| matches!(t, Term::Unknown | Term::Size(..)))
    }
}
