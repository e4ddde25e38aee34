//! Pictures of one state: what of its values is a node, an arrow, a row or an entry of a table.
//!
//! - `automatic`: by the types of the variables, for every model
//! - `custom`: by the definitions `CUSTOM_GRAPH…` of the model
//! - `formula`: definitions that describe pictures, and what is wrong with them
//! - `visb`: an SVG whose attributes are formulas, as the definitions `VISB_…` say
//! - `near`: the states of a trace with those beside it, as a graph

mod automatic;
mod custom;
mod formula;
mod near;
mod visb;

use std::collections::BTreeSet;

use bsym_language::model::Model;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;
use bsym_semantics::value::text::value_text;

pub use automatic::picture;
pub use custom::Custom;
pub use near::{Near, Visited, near};
pub use visb::{Frames, Visb};

/// A state with everything that its values refer to.
#[derive(Clone, Copy)]
pub struct Snapshot<'m> {
    pub model: &'m Model,
    pub scope: &'m Scope,
    /// Values of the constants, in the order of the model.
    pub constants: &'m [Value],
    /// Values of the variables, in the order of the model.
    pub state: &'m [Value],
}

impl Snapshot<'_> {
    /// Returns a value as B text.
    pub fn text(&self, value: &Value) -> String {
        value_text(self.model, self.scope, value)
    }
}

/// How much of a state is drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Constants of any size are drawn, not only small ones.
    pub all_constants: bool,
    /// Names of the variables and constants that have no value, and are not drawn.
    pub unknown: BTreeSet<String>,
}
