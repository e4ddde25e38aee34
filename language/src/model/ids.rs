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
    /// Index into [`Model::components`](crate::model::Model::components).
    #[derive(Default)]
    ComponentId
    /// Index into [`Model::abstract_variables`](crate::model::Model::abstract_variables).
    AbstractId
    /// Index into [`Model::operators`](crate::model::Model::operators).
    OperatorId
    /// Index into [`Model::refinement_checks`](crate::model::Model::refinement_checks).
    RefinementId
    /// A non-deterministic construct of a substitution, unique in the model. A choice is made at
    /// most once in one execution of an event (loops aside).
    ChoiceId
}

impl CarrierId {
    /// Position in [`Model::carriers`](crate::model::Model::carriers).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl FreeTypeId {
    /// Position in [`Model::free_types`](crate::model::Model::free_types).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
