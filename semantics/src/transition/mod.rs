//! The transition system of a model.
//!
//! - [`state`]: states, and how one is reached from another
//! - `constants`: the valuations of the constants
//! - [`open_constants`]: valuations in which constants that nothing reads have one value each
//! - `edges`: one step with the choices given, or all edges out of a state; whether an event is enabled
//! - [`guards`]: the conjunct of its guard that disables an event; [`conditions`]: its conditions, for coverage by tests
//! - `substitution`: the paths through a substitution; [`deterministic`]: substitutions with a single path
//! - `execution`: the writes of a path through a substitution, and how it ends

pub mod conditions;
mod constants;
pub mod deterministic;
mod edges;
mod execution;
pub mod guards;
pub mod open_constants;
pub mod state;
mod substitution;

pub use constants::Valuations;
pub use edges::{Edge, Edges, Outcome};
