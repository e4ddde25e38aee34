//! Symmetry of the elements of sets.
//!
//! - [`elements`]: which elements nothing in a model tells apart
//! - [`constants`]: the valuations up to names, as long as nothing in the model tells the elements apart
//! - [`bijections`]: a constant that is a bijection names them all

mod bijections;
mod constants;
pub mod elements;
