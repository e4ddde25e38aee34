//! The transition system of a model.
//!
//! - [`state`]: states, and how one is reached from another
//! - `constants`: the valuations of the constants
//! - [`open_constants`]: the same, where constants that nothing reads have one value each
//! - `edges`: one step with the choices given, or all edges out of a state; whether an event is enabled
//! - [`guards`]: which conjunct of its guard keeps an event off
//! - `substitution`: the ways through a substitution; [`deterministic`]: those with one way
//! - `execution`: what a way through a substitution wrote, and how it ended

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
