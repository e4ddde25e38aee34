//! Symmetry of the elements of sets.
//!
//! - [`elements`]: the elements that nothing in a model tells apart
//! - [`constants`]: the valuations up to names, as long as nothing in the model tells the elements apart
//! - [`partitions`]: constants that partition a set number its elements part by part
//! - [`bijections`]: a constant that is a bijection names them all

mod bijections;
mod constants;
pub mod elements;
mod partitions;
