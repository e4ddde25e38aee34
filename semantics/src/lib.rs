//! Values, states, the reference evaluator, traces and their replay.
//!
//! Deliberately absent: any solver.
pub mod error;
pub mod lazy_set;
pub mod scope;
pub mod state;
pub mod value;
