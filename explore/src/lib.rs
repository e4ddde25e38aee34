#![doc = include_str!("../README.md")]
// The README names them in the order in which a value goes through them.
mod compile;
pub mod diagrams;
pub mod graph;
pub mod options;
pub mod partial_order;
pub mod reachability;
pub mod refinement;
pub mod report;
pub mod search;
pub mod space;
mod store;
pub mod symmetry;
pub mod temporal;

pub mod audit;
pub mod existence;
pub mod walk;

mod dice;
mod session;
pub mod tuning;
