//! Entities that a name can refer to, and how it may be used.

use std::collections::{HashMap, HashSet};

use super::open_type::Subst;
use crate::classical::definitions::Definitions;
use crate::model::types::{CarrierId, FreeTypeId};
use crate::model::{ConstId, LocalId, VarId};
use crate::text::source::Span;

/// Entity that a global name refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entity {
    Carrier(CarrierId),
    Element(CarrierId, u32),
    Const(ConstId),
    Var(VarId),
    FreeType(FreeTypeId),
    Constructor(FreeTypeId, u32),
    /// Inside the declaration of a free type.
    TypeParameter(u32),
}

/// The names of one instance of a machine.
#[derive(Default)]
pub(super) struct Environment {
    pub definitions: Definitions,
    pub globals: HashMap<String, (Entity, Span)>,
    /// How variables that are not the machine's own may be used.
    pub access: HashMap<VarId, Access>,
    /// Operations, which have a separate name space: a variable may have the same name.
    pub operations: HashMap<String, Callable>,
    /// The machine's parameters.
    pub parameters: Vec<Entity>,
    /// `true` if the machine uses others that are not loaded, so unknown names are expected.
    pub uses_others: bool,
    pub unknown_names: HashSet<String>,
}

/// How a machine may use a variable or an operation that it can name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// Of an included or imported machine, by name: changed by its operations only.
    Included(String),
    /// Of a seen machine: read in the behaviour, not in the invariant.
    Seen(String),
    /// Of a used machine: read everywhere.
    Used(String),
    /// Of the abstraction, and not kept: for the invariant and for proofs only.
    Abstract(String),
}

/// An operation that has a name here.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    /// Its declaration.
    pub span: Span,
    /// Index into the procedures of the checker.
    pub procedure: usize,
    /// `None` is an operation of the machine itself.
    pub access: Option<Access>,
    /// From `LOCAL_OPERATIONS`.
    pub local: bool,
}

/// An operation of an instance, typed.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub name: String,
    pub instance: usize,
    pub parameters: Vec<LocalId>,
    pub results: Vec<LocalId>,
    /// Outermost preconditions are guards, as in an event.
    pub body: Subst,
    /// Names of the operations that it refines, nearest first.
    pub refines: Vec<String>,
    pub span: Span,
    /// The body is there.
    pub ready: bool,
}
