//! Positions in the tables of a model.

use crate::model::types::{CarrierId, FreeTypeId};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(serde::Serialize, serde::Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// Position in the model's table.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}
ids! {
    /// Index into [`Model::constants`](crate::model::Model::constants).
    ConstId
    /// Index into [`Model::variables`](crate::model::Model::variables).
    VarId
    /// Index into [`Model::locals`](crate::model::Model::locals): bound variables, parameters, results, `ANY` and `VAR` locals.
    LocalId
    /// Index into [`Model::events`](crate::model::Model::events).
    EventId
    /// Index into [`ModelText::components`](crate::model::ModelText::components).
    #[derive(Default)]
    ComponentId
    /// Index into [`Refinement::abstract_variables`](crate::model::Refinement::abstract_variables).
    AbstractId
    /// Index into [`ModelDefinitions::operators`](crate::model::ModelDefinitions::operators).
    OperatorId
    /// Index into [`Refinement::checks`](crate::model::Refinement::checks).
    RefinementId
    /// A non-deterministic construct of a substitution, unique in the model. A choice is made at
    /// most once in one execution of an event (loops aside).
    ChoiceId
}

impl CarrierId {
    /// Position in [`DeclaredTypes::carriers`](crate::model::DeclaredTypes::carriers).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl FreeTypeId {
    /// Position in [`DeclaredTypes::free_types`](crate::model::DeclaredTypes::free_types).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
