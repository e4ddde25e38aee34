//! The typed model: its tree, its types, relations between operators, and passes over it.

mod ids;
mod machine;
mod refined;
mod refinement;
mod tree;

pub mod before_after;
pub mod operators;
pub mod paths;
pub mod retype;
pub mod same;
pub mod simulation;
pub mod truth;
pub mod types;
pub mod visit;

pub use ids::*;
pub use machine::*;
pub use refined::*;
pub use refinement::*;
pub use tree::*;
